//! Why a grammar could not be built.

use crate::Place;
use std::fmt;

/// Why a grammar could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarError {
    pub(crate) kind: GrammarErrorKind,
    pub(crate) place: Place,
    pub(crate) message: String,
}

/// The kind of a [`GrammarError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrammarErrorKind {
    /// A rule was declared but never defined.
    Undefined,
    /// `And`, `Not` or `JsonText` over something that is not a text expression.
    NotText,
    /// An [`Until`](crate::Until) with an empty trigger.
    EmptyTrigger,
    /// A member stands outside of a set, or where its set cannot see it.
    Member,
    /// A [limit](crate::Limits) was exceeded.
    Limit,
}

impl GrammarError {
    pub(crate) fn new(kind: GrammarErrorKind, place: Place, message: impl Into<String>) -> Self {
        Self { kind, place, message: message.into() }
    }

    /// What went wrong.
    pub fn kind(&self) -> GrammarErrorKind {
        self.kind
    }

    /// The place of the rule concerned.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The message without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for GrammarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::None => f.write_str(&self.message),
            _ => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

impl std::error::Error for GrammarError {}
