//! Plays the model: writes plausible, varied, finite documents, one token at a time under the masks.
//!
//! Uniform draws from the allowed tokens would give endless garbage: nearly every token is allowed inside a string, and few
//! of them end it. So the sampler has two layers.
//!
//! - A [writer](writer) decides what to say, byte by byte, ahead of the tokens: short words, short numbers, declared
//!   properties rather than invented ones, less and less the longer the document is, and in the end the shortest way out.
//! - The speller in this file turns that into tokens: at every step it fills the mask and takes an allowed token that
//!   spells a beginning of what the writer wants to say, mostly the longest. Now and then it takes any allowed token
//!   instead, to which the writer then has to find a continuation. So the masks decide, not the writer.
//!
//! If no allowed token spells what the grammar allows byte by byte, masks and matcher contradict each other, which is an
//! error of its own kind and not papered over.

mod ending;
mod scan;
mod style;
mod words;
mod writer;

use crate::hints::Hints;
use crate::rng::Rng;
use formwork::vocab::Trie;
use formwork::{AcceptError, CompiledGrammar, MaskError, Matcher, TokenId, Vocabulary, bits};
use scan::Scan;
use std::fmt;
use std::time::Duration;
use writer::Writer;

/// Writes documents under the masks of a compiled grammar. Immutable: a document depends on the seed alone.
#[derive(Debug)]
pub struct Sampler {
    compiled: CompiledGrammar,
    hints: Hints,
    max_tokens: usize,
    surprise: f64,
    /// Short printable ASCII tokens from the first part of the vocabulary, as a mask: what surprises are drawn from, if any
    /// of them is allowed.
    plain: Vec<u32>,
}

/// What a [`Sampler`] wrote.
#[derive(Clone, Debug)]
pub struct Document {
    text: Vec<u8>,
    tokens: Vec<TokenId>,
    is_finished: bool,
    mask_times: Vec<Duration>,
}

/// Why no document could be written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SampleError {
    /// A mask could not be filled.
    Mask(MaskError),
    /// The grammar allows more output, byte by byte, but the mask has no token for it; or the mask allowed a token that the
    /// matcher refused. Either is a bug, and the text is where it shows.
    Contradiction {
        /// The output so far.
        text: Vec<u8>,
        /// What was wanted and what was refused.
        message: String,
    },
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mask(error) => error.fmt(f),
            Self::Contradiction { text, message } => {
                write!(f, "{message}, after {:?}", String::from_utf8_lossy(text))
            }
        }
    }
}

impl std::error::Error for SampleError {}

impl Document {
    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The tokens, the stop token included.
    pub fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// Whether it ended with a stop token, and not because of the limit on tokens.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// How long each mask took.
    pub fn mask_times(&self) -> &[Duration] {
        &self.mask_times
    }
}

/// Enough for every part of an ordinary schema, and still a document that one likes to look at.
const TARGET: usize = 700;

/// Tokens beyond this share of the vocabulary are rare: vocabularies are ordered by how often tokens were merged.
const COMMON_SHARE: usize = 5;

impl Sampler {
    /// A sampler with the default limits: 1,000 tokens, one step in thirty a surprise.
    pub fn new(compiled: &CompiledGrammar, hints: Hints) -> Self {
        let plain = plain_tokens(compiled.vocabulary());
        Self { compiled: compiled.clone(), hints, max_tokens: 1_000, surprise: 1.0 / 30.0, plain }
    }

    /// The most tokens of a document. Towards the end of them, the writer does all to finish.
    #[must_use]
    pub fn max_tokens(mut self, n: usize) -> Self {
        self.max_tokens = n;
        self
    }

    /// How often a step takes any allowed token instead of what the writer wants to say.
    #[must_use]
    pub fn surprise(mut self, probability: f64) -> Self {
        self.surprise = probability;
        self
    }

    /// How long a document should be, in bytes, about.
    fn target(&self) -> usize {
        TARGET.min(self.max_tokens.saturating_mul(2))
    }

    /// Whether the writer should take the shortest way out from here.
    fn is_urgent(&self, document: &Document) -> bool {
        document.text.len() >= self.target() + self.target() / 4
            || document.tokens.len() >= self.max_tokens / 5 * 3
    }

    /// Writes the document of this seed.
    ///
    /// # Errors
    /// A mask could not be filled, or contradicts the matcher.
    pub fn document(&self, seed: u64) -> Result<Document, SampleError> {
        self.document_with(seed, &mut || Duration::ZERO)
    }

    /// As [`document`](Self::document), with a clock, for the times of the masks: the library has none of its own.
    ///
    /// # Errors
    /// As there.
    pub fn document_with(
        &self,
        seed: u64,
        clock: &mut dyn FnMut() -> Duration,
    ) -> Result<Document, SampleError> {
        let vocabulary = self.compiled.vocabulary();
        let mut rng = Rng::new(seed);
        let mut matcher = Matcher::new(&self.compiled);
        let mut writer = Writer::new(matcher.fork(), &self.hints, self.target());
        let mut mask = vec![0; vocabulary.mask_words()];
        let mut document =
            Document { text: Vec::new(), tokens: Vec::new(), is_finished: false, mask_times: Vec::new() };
        while document.tokens.len() < self.max_tokens {
            let started = clock();
            matcher.fill_mask(&mut mask).map_err(SampleError::Mask)?;
            document.mask_times.push(clock().saturating_sub(started));
            let is_urgent = self.is_urgent(&document);
            writer.think(&mut rng, is_urgent);
            let surprise = !is_urgent && rng.chance(self.surprise);
            let surprise = if surprise { self.any_allowed(&mut rng, &mask) } else { None };
            let surprise = surprise.filter(|&token| self.is_readable(&document.text, token));
            let mut token = surprise.or_else(|| self.spell(&mut rng, &mask, writer.ahead()));
            if token.is_none() && !self.compiled.automata().regions().is_empty() {
                // A budget of tokens is used up, of which the writer, who thinks in bytes, knows nothing.
                token = self.any_allowed(&mut rng, &mask);
            }
            let token = match token {
                Some(token) => token,
                None => {
                    let wanted = String::from_utf8_lossy(writer.ahead()).into_owned();
                    return Err(SampleError::Contradiction {
                        text: document.text.clone(),
                        message: format!("the mask has no token for {wanted:?} (empty: the end)"),
                    });
                }
            };
            matcher.accept_token(token).map_err(|error| contradiction(&document.text, &error))?;
            document.tokens.push(token);
            if matcher.is_finished() {
                document.is_finished = true;
                break;
            }
            let bytes = vocabulary.text(token).unwrap_or_default();
            document.text.extend_from_slice(bytes);
            if writer.ahead().starts_with(bytes) {
                writer.said(bytes.len());
            } else {
                writer.interrupted(matcher.fork(), &document.text);
            }
        }
        Ok(document)
    }

    /// An allowed token that spells a beginning of these bytes, mostly the longest; a stop token if there are none.
    fn spell(&self, rng: &mut Rng, mask: &[u32], ahead: &[u8]) -> Option<TokenId> {
        let vocabulary = self.compiled.vocabulary();
        let is_allowed = |id: &TokenId| bits::get(mask, *id);
        if ahead.is_empty() {
            return vocabulary.stop_tokens().iter().copied().find(is_allowed);
        }
        let trie = vocabulary.trie();
        let mut node = Trie::ROOT;
        let mut spelling = Vec::new();
        for &byte in ahead {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            // A stop token that is spelled as text would end the document.
            let token = trie.tokens_at(node).iter().find(|id| is_allowed(id) && !vocabulary.is_stop(**id));
            spelling.extend(token.copied());
        }
        if rng.chance(0.1) { rng.pick(&spelling).copied() } else { spelling.last().copied() }
    }

    /// Whether the text after this token has no number that readers of JSON refuse because it is out of range.
    fn is_readable(&self, text: &[u8], token: TokenId) -> bool {
        let mut scan = Scan::of(text);
        scan.add(self.compiled.vocabulary().text(token).unwrap_or_default());
        !scan.in_exponent || scan.n_digits <= 2
    }

    /// Any allowed token but a stop token: a plain one if there is one.
    fn any_allowed(&self, rng: &mut Rng, mask: &[u32]) -> Option<TokenId> {
        let plain: Vec<u32> = mask.iter().zip(&self.plain).map(|(mask, plain)| mask & plain).collect();
        let n_plain = bits::count(&plain);
        if n_plain > 0 {
            return nth(&plain, rng.below(n_plain));
        }
        let token = nth(mask, rng.below(bits::count(mask)))?;
        (!self.compiled.vocabulary().is_stop(token)).then_some(token)
    }
}

fn contradiction(text: &[u8], error: &AcceptError) -> SampleError {
    SampleError::Contradiction {
        text: text.to_vec(),
        message: format!("the mask allows what is refused: {error}"),
    }
}

fn plain_tokens(vocabulary: &Vocabulary) -> Vec<u32> {
    let mut mask = vec![0u32; vocabulary.mask_words()];
    let n_common = (vocabulary.width() / COMMON_SHARE).max(256);
    let ids = (0u32..).take(n_common.min(vocabulary.width()));
    for id in ids {
        let Some(bytes) = vocabulary.text(TokenId::new(id)) else { continue };
        let is_plain = (1..=10).contains(&bytes.len())
            && bytes.iter().all(|b| matches!(b, b' '..=b'~'))
            // A run of white space, or an escape that wants digits, makes no document better.
            && !bytes.windows(2).any(|pair| pair == b"  ")
            && !bytes.contains(&b'\\');
        if is_plain
            && !vocabulary.is_stop(TokenId::new(id))
            && let Some(word) = mask.get_mut(id as usize / 32)
        {
            *word |= 1 << (id % 32);
        }
    }
    mask
}

/// The `n`th token of a mask.
fn nth(mask: &[u32], n: usize) -> Option<TokenId> {
    let mut left = n;
    for (i, &word) in (0u32..).zip(mask) {
        let count = word.count_ones() as usize;
        if left < count {
            let mut word = word;
            for _ in 0..left {
                word &= word - 1;
            }
            return Some(TokenId::new(32 * i + word.trailing_zeros()));
        }
        left -= count;
    }
    None
}
