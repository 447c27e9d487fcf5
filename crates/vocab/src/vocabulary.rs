//! The vocabulary itself: what each id stands for.

use crate::{Report, TokenId, Trie, VocabularyBuilder, VocabularyError, VocabularyErrorKind};
use std::fmt;
use std::sync::Arc;

/// What each token id stands for, which ids stop the output, and how wide the logits are.
///
/// Immutable and shared: a clone costs two reference counts, and it is `Send` and `Sync`.
/// No method fails for an id out of range; such an id is a [hole](TokenKind::Hole).
#[derive(Clone)]
pub struct Vocabulary {
    tokens: Arc<Tokens>,
    /// Ascending, without duplicates; each a text or special token.
    stops: Arc<[TokenId]>,
}

/// What an id is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TokenKind {
    /// It has bytes (possibly none: then it is text, but no mask ever allows it, because it would get nowhere).
    Text,
    /// It has a name, and no bytes; it is only ever allowed as a symbol or as a stop token.
    Special,
    /// It has no meaning: the tokenizer skips it, or it is padding, or beyond the width.
    Hole,
}

/// What a tokenizer's decoder does with a space at the start of the output.
///
/// SentencePiece puts a space before a text and takes it away again, so there a token that begins with a space spells
/// the space everywhere but at the very start of what is decoded. Masks are about the bytes of tokens, in which the space
/// stands: this is for whoever compares an output decoded by the tokenizer with the bytes that were accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum LeadingSpace {
    /// The output is the bytes of its tokens.
    #[default]
    Kept,
    /// The decoder drops a space at the start, if the first token spells one.
    Stripped,
}

/// Everything but the stop tokens; shared by vocabularies that differ only in these.
pub(crate) struct Tokens {
    pub(crate) width: usize,
    /// By id, up to the last token's.
    pub(crate) kinds: Vec<TokenKind>,
    /// By id: where its bytes begin in `bytes`; they end where those of the next id begin. One longer than `kinds`.
    pub(crate) starts: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
    /// Ascending by id; names are unique.
    pub(crate) specials: Vec<(TokenId, Box<str>)>,
    /// Positions in `specials`, ascending by name.
    pub(crate) specials_by_name: Vec<u32>,
    pub(crate) n_text: usize,
    pub(crate) max_token_len: usize,
    pub(crate) trie: Trie,
    pub(crate) origin: Option<Box<str>>,
    pub(crate) leading_space: LeadingSpace,
}

impl Tokens {
    fn kind(&self, id: TokenId) -> TokenKind {
        self.kinds.get(id.index()).copied().unwrap_or(TokenKind::Hole)
    }
}

impl Vocabulary {
    /// A builder for a vocabulary of one's own.
    pub fn builder() -> VocabularyBuilder {
        VocabularyBuilder::new()
    }

    /// The 256 single bytes as tokens 0 to 255, and the special stop token 256, `<eos>`.
    ///
    /// For checking text without a tokenizer, and for tests.
    pub fn bytes() -> Self {
        let mut builder = Self::builder();
        for byte in 0..=255u8 {
            builder.token(u32::from(byte), [byte]);
        }
        match builder.special(256, "<eos>").stop(256).build() {
            Ok(vocabulary) => vocabulary,
            Err(error) => unreachable!("257 distinct tokens are within every limit: {error}"),
        }
    }

    pub(crate) fn new(tokens: Tokens, stops: Vec<TokenId>) -> Result<Self, VocabularyError> {
        let stops = checked_stops(&tokens, stops)?;
        Ok(Self { tokens: Arc::new(tokens), stops })
    }

    /// The number of logits, and of bits in a mask: at least the largest id plus one.
    #[inline]
    pub fn width(&self) -> usize {
        self.tokens.width
    }

    /// The number of 32-bit words in a mask: the width divided by 32, rounded up.
    #[inline]
    pub fn mask_words(&self) -> usize {
        self.width().div_ceil(32)
    }

    /// What the id is. Every id beyond the tokenizer's is a hole, beyond the width too.
    #[inline]
    pub fn kind(&self, id: TokenId) -> TokenKind {
        self.tokens.kind(id)
    }

    /// The bytes of a text token; `None` for special tokens and holes.
    #[inline]
    pub fn text(&self, id: TokenId) -> Option<&[u8]> {
        let tokens = &*self.tokens;
        if tokens.kind(id) != TokenKind::Text {
            return None;
        }
        let (start, end) = (*tokens.starts.get(id.index())?, *tokens.starts.get(id.index() + 1)?);
        tokens.bytes.get(start as usize..end as usize)
    }

    /// The name of a special token; `None` for text tokens and holes.
    pub fn special_name(&self, id: TokenId) -> Option<&str> {
        let specials = &self.tokens.specials;
        let idx = specials.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        specials.get(idx).map(|(_, name)| &**name)
    }

    /// The special token of this name. Logarithmic in the number of special tokens.
    pub fn special(&self, name: &str) -> Option<TokenId> {
        let tokens = &*self.tokens;
        let name_at = |idx: u32| tokens.specials.get(idx as usize).map_or("", |(_, name)| name);
        let idx = tokens.specials_by_name.binary_search_by(|&idx| name_at(idx).cmp(name)).ok()?;
        let idx = *tokens.specials_by_name.get(idx)?;
        tokens.specials.get(idx as usize).map(|(id, _)| *id)
    }

    /// The special tokens and their names, ascending by id.
    pub fn specials(&self) -> impl Iterator<Item = (TokenId, &str)> {
        self.tokens.specials.iter().map(|(id, name)| (*id, &**name))
    }

    /// The tokens that end the output, ascending. There may be none; a matcher then asks for them.
    #[inline]
    pub fn stop_tokens(&self) -> &[TokenId] {
        &self.stops
    }

    /// Whether the id ends the output.
    #[inline]
    pub fn is_stop(&self, id: TokenId) -> bool {
        self.stops.binary_search(&id).is_ok()
    }

    /// The same vocabulary with other stop tokens, in any order; everything else is shared, so this costs nothing.
    ///
    /// # Errors
    /// [`UnknownStop`](VocabularyErrorKind::UnknownStop) for an id that is neither a text nor a special token.
    pub fn with_stop_tokens(
        &self,
        ids: impl IntoIterator<Item = impl Into<TokenId>>,
    ) -> Result<Self, VocabularyError> {
        let ids = ids.into_iter().map(Into::into).collect();
        Ok(Self { tokens: Arc::clone(&self.tokens), stops: checked_stops(&self.tokens, ids)? })
    }

    /// The number of text tokens, those without bytes included.
    #[inline]
    pub fn n_text(&self) -> usize {
        self.tokens.n_text
    }

    /// Whether some text token is exactly this byte.
    ///
    /// Where every byte that a grammar uses is a token by itself, no allowed prefix is a dead end.
    pub fn has_single_byte(&self, byte: u8) -> bool {
        let trie = self.trie();
        trie.child(Trie::ROOT, byte).is_some_and(|node| !trie.tokens_at(node).is_empty())
    }

    /// The number of bytes in the longest text token; 0 if there is none.
    #[inline]
    pub fn max_token_len(&self) -> usize {
        self.tokens.max_token_len
    }

    /// Where the tokens come from and how they spell bytes, if whoever built the vocabulary said so.
    pub fn origin(&self) -> Option<&str> {
        self.tokens.origin.as_deref()
    }

    /// What the tokenizer's decoder does with a space at the start of the output.
    #[inline]
    pub fn leading_space(&self) -> LeadingSpace {
        self.tokens.leading_space
    }

    /// The number of ids that the tokenizer counts, holes among them included: the largest id plus one.
    pub fn n_ids(&self) -> usize {
        self.tokens.kinds.len()
    }

    /// What is in it and what is odd about it. Looks at every token; some milliseconds for 200,000.
    pub fn report(&self) -> Report {
        Report::new(self)
    }

    /// The trie over the bytes of all text tokens.
    #[inline]
    pub fn trie(&self) -> &Trie {
        &self.tokens.trie
    }
}

/// The stop tokens in the order that [`Vocabulary::stops`] promises, if each is a token.
fn checked_stops(tokens: &Tokens, mut ids: Vec<TokenId>) -> Result<Arc<[TokenId]>, VocabularyError> {
    ids.sort_unstable();
    ids.dedup();
    if let Some(&id) = ids.iter().find(|&&id| tokens.kind(id) == TokenKind::Hole) {
        let message = format!("stop token {id} is neither a text nor a special token of the vocabulary");
        return Err(VocabularyError::new(VocabularyErrorKind::UnknownStop, id, message));
    }
    Ok(ids.into())
}

/// One line: what a user wants to see first when masks look wrong.
impl fmt::Display for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn count(f: &mut fmt::Formatter<'_>, n: usize, noun: &str) -> fmt::Result {
            write!(f, ", {n} {noun}{}", if n == 1 { "" } else { "s" })
        }
        let (n_text, n_special) = (self.n_text(), self.tokens.specials.len());
        write!(f, "width {}", self.width())?;
        count(f, n_text, "text token")?;
        count(f, n_special, "special token")?;
        count(f, self.width().saturating_sub(n_text + n_special), "hole")?;
        match self.stop_tokens() {
            [] => f.write_str(", no stop token"),
            [first, rest @ ..] => {
                write!(f, ", stops at {first}")?;
                rest.iter().try_for_each(|id| write!(f, ", {id}"))
            }
        }
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary({self})")
    }
}
