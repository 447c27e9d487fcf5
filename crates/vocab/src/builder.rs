//! Collects tokens and checks that they make a vocabulary.

use crate::limits::Limits;
use crate::trie_build;
use crate::vocabulary::Tokens;
use crate::{LeadingSpace, TokenId, TokenKind, Vocabulary, VocabularyError, VocabularyErrorKind};

/// Collects tokens, in any order, and [builds](Self::build) a [`Vocabulary`] of them.
///
/// No call fails on the way: the first error is kept and returned by `build`.
/// An id that is given both as a token and as a special token is special, and its bytes are not text; files often list
/// special tokens both ways.
///
/// ```
/// use formwork_vocab::{Vocabulary, VocabularyErrorKind};
/// let mut builder = Vocabulary::builder();
/// for (id, text) in ["a", "b", "ab"].into_iter().enumerate() {
///     builder.token(id as u32, text);
/// }
/// assert_eq!(builder.build()?.n_text(), 3);
/// let error = builder.token(2, "ba").build().unwrap_err();
/// assert_eq!(error.kind(), VocabularyErrorKind::Conflict);
/// assert_eq!(error.to_string(), r#"token 2 is given twice, as "ab" and as "ba""#);
/// # Ok::<(), formwork_vocab::VocabularyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct VocabularyBuilder {
    limits: Limits,
    /// The bytes of the text tokens, in the order in which they came.
    bytes: Vec<u8>,
    texts: Vec<Text>,
    specials: Vec<(TokenId, Box<str>)>,
    /// The bytes of all names, which count towards the same limit as those of text.
    name_bytes: usize,
    stops: Vec<TokenId>,
    width: Option<usize>,
    /// Only without `width`.
    width_at_least: usize,
    origin: Option<Box<str>>,
    leading_space: LeadingSpace,
    error: Option<VocabularyError>,
}

/// A text token: its bytes are `start..start + len` of the builder's.
#[derive(Clone, Copy, Debug)]
struct Text {
    id: TokenId,
    start: u32,
    len: u16,
}

impl VocabularyBuilder {
    pub(crate) fn new() -> Self {
        Self::with_limits(Limits::DEFAULT)
    }

    /// With lower limits than usual, so that tests of them are small.
    pub(crate) fn with_limits(limits: Limits) -> Self {
        Self {
            limits,
            bytes: Vec::new(),
            texts: Vec::new(),
            specials: Vec::new(),
            name_bytes: 0,
            stops: Vec::new(),
            width: None,
            width_at_least: 0,
            origin: None,
            leading_space: LeadingSpace::Kept,
            error: None,
        }
    }

    /// Adds a text token. Giving an id twice with the same bytes is harmless, and so are two ids with the same bytes.
    ///
    /// A token without bytes is legal, but it is not in the [trie](crate::Trie) and no mask allows it.
    pub fn token(&mut self, id: impl Into<TokenId>, bytes: impl AsRef<[u8]>) -> &mut Self {
        let (id, bytes) = (id.into(), bytes.as_ref());
        if let Some((start, len)) = self.admit(id, bytes) {
            self.bytes.extend_from_slice(bytes);
            self.texts.push(Text { id, start, len });
        }
        self
    }

    /// Adds a special token. Its name is what grammars call it, so no two ids share one; its text never matches bytes.
    pub fn special(&mut self, id: impl Into<TokenId>, name: impl Into<String>) -> &mut Self {
        let (id, name) = (id.into(), name.into());
        if self.admit(id, name.as_bytes()).is_some() {
            self.name_bytes += name.len();
            self.specials.push((id, name.into()));
        }
        self
    }

    /// Makes a token end the output; call it once for each. The token itself is added with
    /// [`special`](Self::special) or [`token`](Self::token), before or after.
    ///
    /// A text token may be one too. It is a stop token first: it is allowed where the output may end, and ends it; as text
    /// it is never allowed. Other tokens with the same bytes are not affected.
    pub fn stop(&mut self, id: impl Into<TokenId>) -> &mut Self {
        self.stops.push(id.into());
        self
    }

    /// The width of the model's logits. Without it, the largest id plus one.
    pub fn width(&mut self, width: usize) -> &mut Self {
        self.width = Some(width);
        self
    }

    /// Where [`width`](Self::width) is not given: not less than this, and not less than the largest id plus one.
    pub fn width_at_least(&mut self, width: usize) -> &mut Self {
        self.width_at_least = width;
        self
    }

    /// Where the tokens come from and how they spell bytes, in a few words, for [reports](Vocabulary::report).
    pub fn origin(&mut self, origin: impl Into<String>) -> &mut Self {
        self.origin = Some(origin.into().into());
        self
    }

    /// What the tokenizer's decoder does with a space at the start of the output. Without it,
    /// [`Kept`](LeadingSpace::Kept).
    pub fn leading_space(&mut self, leading_space: LeadingSpace) -> &mut Self {
        self.leading_space = leading_space;
        self
    }

    /// The vocabulary. The builder keeps what it has, so that more can be added and built again.
    ///
    /// Sorts the tokens, then is linear in their bytes and in the width.
    ///
    /// # Errors
    /// [`Conflict`](VocabularyErrorKind::Conflict) for an id given twice with different bytes or names, or a name given
    /// to two ids; [`UnknownStop`](VocabularyErrorKind::UnknownStop); [`Width`](VocabularyErrorKind::Width) for a width
    /// below the largest id plus one; [`Limit`](VocabularyErrorKind::Limit).
    pub fn build(&self) -> Result<Vocabulary, VocabularyError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let specials = self.sorted_specials()?;
        let specials_by_name = sorted_by_name(&specials)?;
        let texts = self.sorted_texts(&specials)?;
        let n_ids = texts.last().map(|text| text.id).max(specials.last().map(|(id, _)| *id));
        let n_ids = n_ids.map_or(0, |last| last.index() + 1);
        let width = self.checked_width(n_ids)?;

        let mut kinds = vec![TokenKind::Hole; n_ids];
        for (id, _) in &specials {
            kinds[id.index()] = TokenKind::Special;
        }
        let mut starts = Vec::with_capacity(n_ids + 1);
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for text in &texts {
            kinds[text.id.index()] = TokenKind::Text;
            // Ids without text up to this one have empty ranges that end where it begins.
            starts.resize(text.id.index() + 1, bytes.len() as u32);
            bytes.extend_from_slice(self.bytes_of(text));
        }
        starts.resize(n_ids + 1, bytes.len() as u32);

        let (n_text, max_token_len) =
            (texts.len(), texts.iter().map(|text| usize::from(text.len)).max().unwrap_or(0));
        let entries = texts.iter().map(|text| (text.id, self.bytes_of(text))).collect();
        let trie = trie_build::build_within(entries, self.limits.trie_nodes)?;
        let tokens = Tokens {
            width,
            kinds,
            starts,
            bytes,
            specials,
            specials_by_name,
            n_text,
            max_token_len,
            trie,
            origin: self.origin.clone(),
            leading_space: self.leading_space,
        };
        Vocabulary::new(tokens, self.stops.clone())
    }

    /// Where `bytes` would go and their length, unless a limit or an earlier error forbids it.
    fn admit(&mut self, id: TokenId, bytes: &[u8]) -> Option<(u32, u16)> {
        let Limits { width, token_len, total_bytes, .. } = self.limits;
        let total = self.bytes.len() + self.name_bytes;
        let message = if id.index() >= width {
            format!("token id {id} is too large: ids are below {width}")
        } else if bytes.len() > token_len {
            format!("token {id} has {} bytes: at most {token_len} are supported", bytes.len())
        } else if total.saturating_add(bytes.len()) > total_bytes {
            format!("the tokens have more than {total_bytes} bytes in all")
        } else if self.error.is_none() {
            return Some((u32::try_from(self.bytes.len()).ok()?, u16::try_from(bytes.len()).ok()?));
        } else {
            return None;
        };
        self.error.get_or_insert_with(|| VocabularyError::new(VocabularyErrorKind::Limit, id, message));
        None
    }

    fn bytes_of(&self, text: &Text) -> &[u8] {
        let start = text.start as usize;
        &self.bytes[start..start + usize::from(text.len)]
    }

    /// The special tokens, ascending by id, each once.
    fn sorted_specials(&self) -> Result<Vec<(TokenId, Box<str>)>, VocabularyError> {
        let mut specials = self.specials.clone();
        specials.sort();
        specials.dedup();
        match specials.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(twice(pair[0].0, pair[0].1.as_bytes(), pair[1].1.as_bytes())),
            None => Ok(specials),
        }
    }

    /// The text tokens that are not special, ascending by id, each once.
    fn sorted_texts(&self, specials: &[(TokenId, Box<str>)]) -> Result<Vec<Text>, VocabularyError> {
        let mut texts = self.texts.clone();
        // Stable, so that a conflict is reported in the order in which the user gave the two.
        texts.sort_by_key(|text| text.id);
        if let Some(pair) = texts
            .windows(2)
            .find(|pair| pair[0].id == pair[1].id && self.bytes_of(&pair[0]) != self.bytes_of(&pair[1]))
        {
            return Err(twice(pair[0].id, self.bytes_of(&pair[0]), self.bytes_of(&pair[1])));
        }
        texts.dedup_by_key(|text| text.id);
        texts.retain(|text| specials.binary_search_by_key(&text.id, |(id, _)| *id).is_err());
        Ok(texts)
    }

    fn checked_width(&self, n_ids: usize) -> Result<usize, VocabularyError> {
        let width = self.width.unwrap_or(n_ids.max(self.width_at_least));
        if width < n_ids {
            let message = format!("the width is {width}, but the largest token id is {}", n_ids - 1);
            let last = u32::try_from(n_ids - 1).ok().map(TokenId::new);
            return Err(VocabularyError::new(VocabularyErrorKind::Width, last, message));
        }
        if width > self.limits.width {
            let message = format!("the width is {width}: at most {} is supported", self.limits.width);
            return Err(VocabularyError::new(VocabularyErrorKind::Limit, None, message));
        }
        Ok(width)
    }
}

/// Positions in `specials`, ascending by name; names must be unique.
fn sorted_by_name(specials: &[(TokenId, Box<str>)]) -> Result<Vec<u32>, VocabularyError> {
    let mut order: Vec<u32> = (0..).take(specials.len()).collect();
    let at = |idx: u32| &specials[idx as usize];
    order.sort_by(|&a, &b| at(a).1.cmp(&at(b).1));
    match order.windows(2).find(|pair| at(pair[0]).1 == at(pair[1]).1) {
        Some(pair) => {
            let ((first, name), (second, _)) = (at(pair[0]), at(pair[1]));
            let message = format!("the special tokens {first} and {second} have the same name {name:?}");
            Err(VocabularyError::new(VocabularyErrorKind::Conflict, *second, message))
        }
        None => Ok(order),
    }
}

fn twice(id: TokenId, first: &[u8], second: &[u8]) -> VocabularyError {
    let (first, second) = (first.escape_ascii(), second.escape_ascii());
    let message = format!("token {id} is given twice, as \"{first}\" and as \"{second}\"");
    VocabularyError::new(VocabularyErrorKind::Conflict, id, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Limits = Limits { width: 8, token_len: 4, total_bytes: 10, trie_nodes: 6 };

    fn check(fill: impl FnOnce(&mut VocabularyBuilder) -> &mut VocabularyBuilder, expected: &str) {
        let mut builder = VocabularyBuilder::with_limits(SMALL);
        fill(&mut builder);
        let got = builder.build().map_or_else(
            |error| {
                assert_eq!(error.kind(), VocabularyErrorKind::Limit);
                error.to_string()
            },
            |vocabulary| vocabulary.to_string(),
        );
        assert_eq!(got, expected);
    }

    #[test]
    fn each_limit_is_a_typed_error_and_is_allowed_itself() {
        check(|b| b.token(7, "a"), "width 8, 1 text token, 0 special tokens, 7 holes, no stop token");
        check(|b| b.token(8, "a"), "token id 8 is too large: ids are below 8");
        check(|b| b.special(8, "a"), "token id 8 is too large: ids are below 8");
        check(|b| b.width(8), "width 8, 0 text tokens, 0 special tokens, 8 holes, no stop token");
        check(|b| b.width_at_least(8), "width 8, 0 text tokens, 0 special tokens, 8 holes, no stop token");
        check(|b| b.width_at_least(9), "the width is 9: at most 8 is supported");
        check(|b| b.width(9), "the width is 9: at most 8 is supported");
        check(|b| b.token(0, "abcd"), "width 1, 1 text token, 0 special tokens, 0 holes, no stop token");
        check(|b| b.token(0, "abcde"), "token 0 has 5 bytes: at most 4 are supported");
        fn ten(b: &mut VocabularyBuilder) -> &mut VocabularyBuilder {
            b.token(0, "abcd").token(1, "abce").special(2, "ab")
        }
        check(ten, "width 3, 2 text tokens, 1 special token, 0 holes, no stop token");
        check(|b| ten(b).token(3, "a"), "the tokens have more than 10 bytes in all");
        check(|b| b.token(0, "abcd").token(1, "bc"), "the trie of the tokens has more than 6 nodes");
    }

    #[test]
    fn the_first_error_is_the_one_reported() {
        check(|b| b.token(9, "a").token(0, "abcde").width(99), "token id 9 is too large: ids are below 8");
    }

    #[test]
    fn the_default_limits_fit_their_types() {
        let Limits { width, token_len, total_bytes, trie_nodes } = Limits::DEFAULT;
        assert!(u32::try_from(width.max(total_bytes).max(trie_nodes + 1)).is_ok());
        assert!(u16::try_from(token_len).is_ok());
        let longest = vec![b'a'; token_len];
        let vocabulary = Vocabulary::builder().token(0, &longest).build().unwrap();
        let last = crate::NodeId::new(u32::from(u16::MAX));
        assert_eq!(vocabulary.trie().depth(last), token_len);
        assert_eq!(vocabulary.trie().tokens_at(last), [TokenId::new(0)]);
    }
}
