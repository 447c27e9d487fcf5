//! Text to token ids, as the tokenizer itself splits it.

use crate::TokenizerError;
use formwork_vocab::TokenId;
use std::fmt;

/// A tokenizer that splits text as the model has learnt it.
///
/// For tests, benchmarks and prompts; constrained decoding itself needs only the [vocabulary](crate::Vocabulary).
/// Text that spells a special token is ordinary text here, so all ids are text tokens; their bytes are those of the text
/// unless the tokenizer normalises it first (to NFC, say, or with a space in front).
pub struct Encoder {
    source: Source,
}

enum Source {
    #[cfg(feature = "tiktoken")]
    Tiktoken { name: &'static str, bpe: Box<tiktoken_rs::CoreBPE> },
    #[cfg(feature = "models")]
    Model { name: &'static str, bpe: Box<tiktoken::CoreBpe> },
    #[cfg(feature = "hf-encoder")]
    Hf(Box<tokenizers::Tokenizer>),
}

impl Encoder {
    #[cfg(feature = "tiktoken")]
    pub(crate) fn tiktoken(name: &'static str, bpe: tiktoken_rs::CoreBPE) -> Self {
        Self { source: Source::Tiktoken { name, bpe: Box::new(bpe) } }
    }

    #[cfg(feature = "models")]
    pub(crate) fn model(name: &'static str, bpe: tiktoken::CoreBpe) -> Self {
        Self { source: Source::Model { name, bpe: Box::new(bpe) } }
    }

    #[cfg(feature = "hf-encoder")]
    pub(crate) fn hf(mut tokenizer: tokenizers::Tokenizer) -> Self {
        tokenizer.set_encode_special_tokens(true);
        Self { source: Source::Hf(Box::new(tokenizer)) }
    }

    /// The ids of the text's tokens, none added before or after.
    ///
    /// # Errors
    /// [`Encode`](crate::TokenizerErrorKind::Encode) where the tokenizer has no way to spell the text.
    pub fn encode(&self, text: &str) -> Result<Vec<TokenId>, TokenizerError> {
        let ids = match &self.source {
            #[cfg(feature = "tiktoken")]
            Source::Tiktoken { bpe, .. } => bpe.encode_ordinary(text),
            #[cfg(feature = "models")]
            Source::Model { bpe, .. } => bpe.encode(text),
            #[cfg(feature = "hf-encoder")]
            Source::Hf(tokenizer) => {
                let encoding = tokenizer.encode_fast(text, false);
                let encoding = encoding.map_err(|error| {
                    TokenizerError::new(
                        crate::TokenizerErrorKind::Encode,
                        format!("cannot encode the text: {error}"),
                    )
                })?;
                encoding.get_ids().to_vec()
            }
        };
        Ok(ids.into_iter().map(TokenId::new).collect())
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.source {
            #[cfg(feature = "tiktoken")]
            Source::Tiktoken { name, .. } => name,
            #[cfg(feature = "models")]
            Source::Model { name, .. } => name,
            #[cfg(feature = "hf-encoder")]
            Source::Hf(_) => "Hugging Face",
        };
        write!(f, "Encoder({name})")
    }
}
