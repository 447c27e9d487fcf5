//! What the caller knows better than the tokenizer's files.

use crate::stops::Stop;
#[cfg(any(feature = "hf", feature = "tiktoken"))]
use crate::{TokenizerError, stops};
use formwork_vocab::TokenId;
#[cfg(any(feature = "hf", feature = "tiktoken"))]
use formwork_vocab::{Vocabulary, VocabularyBuilder};

/// What the caller knows better than the tokenizer's files: the width of the logits, what stops the output, and special
/// tokens that no file names.
///
/// ```
/// # #[cfg(feature = "hf")] {
/// use formwork_tokenizers::{Options, TokenizerErrorKind};
/// let json = br#"{
///     "added_tokens": [{"id": 2, "content": "<|end|>", "special": true}],
///     "decoder": {"type": "ByteLevel"},
///     "model": {"type": "BPE", "vocab": {"a": 0, "\u0120b": 1}, "merges": []}
/// }"#;
/// let vocabulary = Options::default().width(64).stop("<|end|>").from_hf_bytes(json)?;
/// assert_eq!(vocabulary.to_string(), "width 64, 2 text tokens, 1 special token, 61 holes, stops at 2");
/// let error = Options::default().stop("<|stop|>").from_hf_bytes(json).unwrap_err();
/// assert_eq!(error.kind(), TokenizerErrorKind::UnknownStop);
/// # }
/// # Ok::<(), formwork_tokenizers::TokenizerError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) width: Option<usize>,
    /// In the order in which they were given; if there are any, no file is asked for others.
    pub(crate) stops: Vec<Stop>,
    pub(crate) specials: Vec<(TokenId, String)>,
}

impl Options {
    /// The width of the model's logits, which padding often makes larger than the number of ids.
    /// Without it, the largest id plus one.
    #[must_use]
    pub fn width(mut self, width: usize) -> Self {
        self.width = Some(width);
        self
    }

    /// A stop token by its text: the special token of this name, else all text tokens that are spelled exactly so.
    ///
    /// May be called several times. Stop tokens given here or with [`stop_id`](Self::stop_id) replace those that the
    /// tokenizer itself names.
    #[must_use]
    pub fn stop(mut self, text: impl Into<String>) -> Self {
        self.stops.push(Stop::Text(text.into()));
        self
    }

    /// A special token that the tokenizer's files do not name, or name as text.
    ///
    /// Rank files list text only, so their special tokens are all given here. One that the files name as special too is
    /// harmless, if the name is the same; one that they name as text becomes special.
    #[must_use]
    pub fn special(mut self, id: impl Into<TokenId>, name: impl Into<String>) -> Self {
        self.specials.push((id.into(), name.into()));
        self
    }

    /// A stop token by its id; otherwise like [`stop`](Self::stop).
    #[must_use]
    pub fn stop_id(mut self, id: impl Into<TokenId>) -> Self {
        self.stops.push(Stop::Id(id.into()));
        self
    }
}

#[cfg(any(feature = "hf", feature = "tiktoken"))]
impl Options {
    /// The vocabulary of these tokens and the options, with the options' stop tokens, else with `own`.
    pub(crate) fn finish(
        &self,
        builder: &mut VocabularyBuilder,
        own: &[Stop],
    ) -> Result<Vocabulary, TokenizerError> {
        for (id, name) in &self.specials {
            builder.special(*id, name);
        }
        if let Some(width) = self.width {
            builder.width(width);
        }
        let vocabulary = builder.build()?;
        stops::stopping_at(&vocabulary, if self.stops.is_empty() { own } else { &self.stops })
    }
}
