//! Why a tokenizer could not be read.

use formwork_vocab::VocabularyError;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Why a tokenizer could not be read. Its message names the file, if there is one, and what was found there.
#[derive(Clone, Debug)]
pub struct TokenizerError {
    kind: TokenizerErrorKind,
    message: String,
    #[cfg(feature = "hf")]
    names_file: bool,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// The kind of a [`TokenizerError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenizerErrorKind {
    /// A file could not be read.
    Io,
    /// A file is cut off, or not what its name says.
    Format,
    /// The tokenizer is of a sort whose tokens do not stand for bytes, or not in a way that is known here.
    Unsupported,
    /// No embedded tokenizer has this name.
    UnknownName,
    /// A stop token is not a token of the vocabulary.
    UnknownStop,
    /// The tokens make no vocabulary: they contradict each other, or exceed the width or a limit.
    Vocabulary,
    /// A text could not be encoded.
    Encode,
}

impl TokenizerError {
    pub(crate) fn new(kind: TokenizerErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            #[cfg(feature = "hf")]
            names_file: false,
            source: None,
        }
    }

    #[cfg(feature = "hf")]
    pub(crate) fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Says in the message which file it is about, unless it already does.
    #[cfg(feature = "hf")]
    pub(crate) fn in_file(mut self, path: &std::path::Path) -> Self {
        if !self.names_file {
            self.message = format!("{}: {}", path.display(), self.message);
            self.names_file = true;
        }
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> TokenizerErrorKind {
        self.kind
    }
}

impl fmt::Display for TokenizerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for TokenizerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn Error + 'static))
    }
}

impl From<VocabularyError> for TokenizerError {
    fn from(error: VocabularyError) -> Self {
        let kind = match error.kind() {
            formwork_vocab::VocabularyErrorKind::UnknownStop => TokenizerErrorKind::UnknownStop,
            _ => TokenizerErrorKind::Vocabulary,
        };
        Self { source: Some(Arc::new(error.clone())), ..Self::new(kind, error.to_string()) }
    }
}
