//! Why automata could not be built.

use formwork_grammar::Place;
use std::fmt;

/// Why automata could not be built from a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    place: Place,
    rule: String,
    message: String,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The root's language is empty: no output could ever be finished.
    Empty,
    /// The root's language is empty because a symbol that it needs does not exist.
    Symbol,
    /// A [limit](crate::Limits) was exceeded.
    Limit,
    /// A member of a set may be empty, or the members cannot come in any order.
    Set,
    /// A rule with a budget cannot keep it, or refers to what cannot be put in line.
    Budget,
    /// The caller's interrupt said stop.
    Interrupted,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, place: Place, rule: &str, message: impl Into<String>) -> Self {
        Self { kind, place, rule: rule.to_owned(), message: message.into() }
    }

    pub(crate) fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, Place::none(), "", "interrupted by the caller")
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The place of the rule concerned, in the user's text.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The name of the rule concerned; empty if none is.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// The message without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::None => f.write_str(&self.message),
            _ => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

impl std::error::Error for Error {}
