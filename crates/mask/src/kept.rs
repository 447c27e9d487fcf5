//! A mask that nobody else writes to: what it has in common with the one before is not written again.
//!
//! The mask of a row is a bitset that many rows share and some tokens of its own ([`Recipe`](crate::Recipe)). In free text,
//! inside of strings and between members one row after the other has the same bitset, and to copy it is most of such a step:
//! 16 KB with 128,000 tokens. Who keeps a buffer for one output lets it be remembered which bitset the buffer holds and which
//! of its words differ; then those are put back, the tokens of the next row are written, and nothing else is touched.
//!
//! # Worked example
//! Inside of a name the buffer holds *any text of a string*, and word 3 differs, where the tokens are that end the name.
//! A letter further the row has that bitset as well: word 3 is read from it again, and the tokens that end the name from
//! here are written, in words 3 and 70. Behind the quote only a colon may come: the buffer is cleared and has one token; the
//! bitset that it holds now is the empty one.

use crate::bits;
use crate::bitset::Bitset;
use formwork_vocab::TokenId;
use std::sync::Arc;

/// What a buffer holds: a bitset, but for some words; nothing is known of one that is new.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    base: Option<Base>,
    /// The positions of words that may differ from the base.
    differing: Vec<u32>,
}

/// What a mask holds before its tokens are written.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    Nothing,
    Words(Arc<Bitset>),
}

/// With more words that differ the next mask is written whole.
const MAX_DIFFERING: usize = 512;

impl Base {
    /// Equal bitsets are one, mostly ([`SharedSets`](crate::token_set::SharedSets)), so their places say enough.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Words(a), Self::Words(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn word(&self, at: usize) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Words(words) => words.get(at).copied().unwrap_or(0),
        }
    }
}

impl Kept {
    /// The next mask is written whole.
    fn forget(&mut self) {
        self.base = None;
        self.differing.clear();
    }

    /// The buffer holds this bitset and nothing else.
    fn hold(&mut self, base: Option<Base>) {
        self.base = base;
        self.differing.clear();
    }

    #[inline]
    fn note(&mut self, token: TokenId) {
        if self.base.is_some() {
            self.differing.push(token.get() >> 5);
            if self.differing.len() > MAX_DIFFERING {
                self.forget();
            }
        }
    }
}

/// Where a mask is written: a buffer of which nothing is known, or one that is [kept](Kept).
#[derive(Debug)]
pub struct Target<'m> {
    words: &'m mut [u32],
    kept: Option<&'m mut Kept>,
}

impl<'m> Target<'m> {
    /// A buffer that may hold anything.
    pub fn new(words: &'m mut [u32]) -> Self {
        Self { words, kept: None }
    }

    /// A buffer that nobody has changed since a mask was written to it with this.
    pub fn keeping(words: &'m mut [u32], kept: &'m mut Kept) -> Self {
        Self { words, kept: Some(kept) }
    }

    /// All of its words, to be written in any way: what is known of them is forgotten.
    pub fn words(&mut self) -> &mut [u32] {
        if let Some(kept) = &mut self.kept {
            kept.forget();
        }
        self.words
    }

    /// Whether it is remembered what is in it.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Its words as they are.
    pub fn as_words(&self) -> &[u32] {
        self.words
    }

    /// Sets the bit of a token.
    #[inline]
    pub fn set(&mut self, token: TokenId) {
        bits::set(self.words, token);
        if let Some(kept) = &mut self.kept {
            kept.note(token);
        }
    }

    /// Clears the bit of a token.
    #[inline]
    pub fn clear(&mut self, token: TokenId) {
        bits::clear(self.words, token);
        if let Some(kept) = &mut self.kept {
            kept.note(token);
        }
    }

    /// Makes it hold a bitset, which `write` can write; of what has no base nothing is known afterwards.
    pub(crate) fn begin(&mut self, base: Option<&Base>, write: impl FnOnce(&mut [u32])) {
        let Some(kept) = &mut self.kept else { return write(self.words) };
        match (&kept.base, base) {
            (Some(held), Some(base)) if held.is_same(base) => {
                for at in kept.differing.drain(..) {
                    if let Some(word) = self.words.get_mut(at as usize) {
                        *word = base.word(at as usize);
                    }
                }
            }
            _ => {
                write(self.words);
                kept.hold(base.cloned());
            }
        }
    }

    /// It was written whole, and holds this bitset and what is [noted](Self::note) now.
    pub(crate) fn hold(&mut self, base: Option<&Base>) {
        if let Some(kept) = &mut self.kept {
            kept.hold(base.cloned());
        }
    }

    /// The bit of this token was written.
    pub(crate) fn note(&mut self, token: TokenId) {
        if let Some(kept) = &mut self.kept {
            kept.note(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever is written one after the other, the buffer holds what one that is written whole holds.
        #[test]
        fn a_kept_buffer_holds_what_a_new_one_does(
            masks in proptest::collection::vec((0usize..4, proptest::collection::vec((0u32..300, 0u8..2), 0..20), 0u8..8), 1..30),
            beyond in 0usize..3,
        ) {
            let bases: [Option<Base>; 4] = [
                Some(Base::Nothing),
                Some(Base::Words(Arc::new(vec![u32::MAX; 9].into()))),
                Some(Base::Words(Arc::new((0..9).map(|i| i * 77).collect::<Vec<_>>().into()))),
                None,
            ];
            let mut kept = Kept::default();
            let mut words = vec![0x5555_5555; 10 + beyond];
            for (which, tokens, end) in masks {
                let base = bases[which].as_ref();
                let mut whole = vec![0; words.len()];
                let write = |words: &mut [u32]| for (at, word) in words.iter_mut().enumerate() {
                    *word = base.map_or(3, |base| base.word(at));
                };
                write(&mut whole);
                let mut target = Target::keeping(&mut words, &mut kept);
                target.begin(base, write);
                for (token, is_set) in tokens {
                    let token = TokenId::new(token);
                    if is_set == 1 { target.set(token); bits::set(&mut whole, token) }
                    else { target.clear(token); bits::clear(&mut whole, token) }
                }
                match end {
                    0 => { target.words()[1] ^= 5; whole[1] ^= 5; }
                    1 => {
                        // As masks are that are put together elsewhere.
                        target.words().fill(0);
                        target.hold(Some(&Base::Nothing));
                        whole.fill(0);
                    }
                    _ => {}
                }
                prop_assert_eq!(&words, &whole);
            }
        }
    }

    #[test]
    fn many_words_that_differ_are_not_remembered() {
        let mut kept = Kept::default();
        let mut words = vec![0; 2_000];
        let mut target = Target::keeping(&mut words, &mut kept);
        target.begin(Some(&Base::Nothing), |words| words.fill(0));
        (0..=MAX_DIFFERING as u32).for_each(|i| target.set(TokenId::new(32 * i)));
        assert!(kept.base.is_none() && kept.differing.is_empty());
    }
}
