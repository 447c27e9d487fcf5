//! Why a vocabulary could not be built.

use crate::TokenId;
use std::fmt;

/// Why a vocabulary could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VocabularyError {
    kind: VocabularyErrorKind,
    token: Option<TokenId>,
    message: String,
}

/// The kind of a [`VocabularyError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VocabularyErrorKind {
    /// An id was given twice with different bytes or names, or a special token's name to two ids.
    Conflict,
    /// A stop token is not a token of the vocabulary.
    UnknownStop,
    /// The width that was asked for leaves out some token.
    Width,
    /// A limit was exceeded; the [crate's page](crate#costs-and-limits) lists them.
    Limit,
}

impl VocabularyError {
    pub(crate) fn new(
        kind: VocabularyErrorKind,
        token: impl Into<Option<TokenId>>,
        message: impl Into<String>,
    ) -> Self {
        Self { kind, token: token.into(), message: message.into() }
    }

    /// What went wrong.
    pub fn kind(&self) -> VocabularyErrorKind {
        self.kind
    }

    /// The token concerned, if it is one.
    pub fn token(&self) -> Option<TokenId> {
        self.token
    }
}

impl fmt::Display for VocabularyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for VocabularyError {}
