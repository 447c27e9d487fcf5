//! A sequence of tokens as the reference can read it.
//!
//! A token may be read by its bytes or as a symbol, so a sequence has several readings, each a string of bytes; those that
//! lead nowhere are dropped on the way.

use crate::{Reference, SpelledSymbols};
use formwork_grammar::ByteSet;
use formwork_vocab::{TokenId, TokenKind, Vocabulary};

/// Past so many bytes the reference, which is quadratic, is no longer asked.
const MAX_BYTES: usize = 24;
/// Past so many readings it is not asked either.
const MAX_READINGS: usize = 6;

/// All readings of the tokens so far.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    /// `None` if they became too many or too long.
    all: Option<Vec<Vec<u8>>>,
}

impl Readings {
    /// The readings of nothing.
    pub(super) fn new() -> Self {
        Self { all: Some(vec![Vec::new()]) }
    }

    /// Whether the token may come next, in some reading; `None` if that is not known any more.
    pub(super) fn allow(
        &self,
        reference: &Reference,
        vocabulary: &Vocabulary,
        token: TokenId,
    ) -> Option<bool> {
        let ends = vocabulary.is_stop(token) && self.accept(reference)?;
        Some(ends || self.after(reference, vocabulary, token)?.next().is_some())
    }

    /// Whether the output may end here.
    pub(super) fn accept(&self, reference: &Reference) -> Option<bool> {
        Some(self.all.as_ref()?.iter().any(|reading| reference.accepts(reading)))
    }

    /// Whether something may come next, a symbol or a byte of text.
    pub(super) fn go_on(&self, reference: &Reference) -> Option<bool> {
        Some(!self.next_bytes(reference)?.is_empty())
    }

    /// The bytes that may come next; 0xFF for a symbol.
    pub(super) fn next_bytes(&self, reference: &Reference) -> Option<ByteSet> {
        let all = self.all.as_ref()?.iter();
        Some(all.fold(ByteSet::EMPTY, |set, reading| set.union(&reference.next_bytes(reading))))
    }

    /// Adds a token that was accepted, unless it was so as a stop token; whether it was read at all.
    pub(super) fn push(&mut self, reference: &Reference, vocabulary: &Vocabulary, token: TokenId) -> bool {
        let Some(after) = self.after(reference, vocabulary, token) else { return true };
        let after: Vec<Vec<u8>> = after.take(MAX_READINGS + 1).collect();
        if after.is_empty() {
            return false;
        }
        let is_small = after.len() <= MAX_READINGS && after.iter().all(|reading| reading.len() <= MAX_BYTES);
        self.all = is_small.then_some(after);
        true
    }

    /// Adds bytes.
    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        for reading in self.all.iter_mut().flatten() {
            reading.extend_from_slice(bytes);
        }
    }

    /// The readings with one more token that can be continued.
    fn after<'a>(
        &'a self,
        reference: &'a Reference,
        vocabulary: &'a Vocabulary,
        token: TokenId,
    ) -> Option<impl Iterator<Item = Vec<u8>> + 'a> {
        // 0xFF begins symbols and no text.
        let is_text = |text: &&[u8]| !text.is_empty() && !text.contains(&0xFF) && !vocabulary.is_stop(token);
        let text = vocabulary.text(token).filter(is_text);
        let is_symbol = vocabulary.kind(token) != TokenKind::Hole;
        let symbol = is_symbol.then(|| SpelledSymbols::spelling(token.get()));
        let ways: Vec<Vec<u8>> = text.map(<[u8]>::to_vec).into_iter().chain(symbol).collect();
        let longer = move |reading: &'a Vec<u8>| {
            ways.clone().into_iter().map(move |way| [reading.as_slice(), &way].concat())
        };
        let all = self.all.as_ref()?;
        Some(all.iter().flat_map(longer).filter(|reading| reference.is_viable(reading)))
    }
}
