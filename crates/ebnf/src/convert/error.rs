//! Why a grammar cannot be written in another notation.

use formwork_grammar::{Grammar, Place, RuleId};
use std::fmt;

/// Why a grammar cannot be written in another notation. `Display` says what, in which rule and where that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertError {
    kind: ConvertErrorKind,
    rule: String,
    place: Place,
    message: String,
}

/// The kind of a [`ConvertError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConvertErrorKind {
    /// The notation has no words for something: an intersection, bytes, the empty language.
    NotExpressible,
    /// A rule refers to itself where the notation does not let it: in a regular expression at all, in GBNF at its left end.
    Recursive,
    /// The result would be longer than 16 MiB.
    Limit,
}

impl ConvertError {
    pub(super) fn new(
        kind: ConvertErrorKind,
        grammar: &Grammar,
        rule: RuleId,
        message: impl Into<String>,
    ) -> Self {
        let rule = grammar.rule(rule);
        Self { kind, rule: rule.name().to_owned(), place: rule.place().clone(), message: message.into() }
    }

    /// What went wrong.
    pub fn kind(&self) -> ConvertErrorKind {
        self.kind
    }

    /// The name of the rule.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Where the rule came from, if the grammar knows.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The message, without rule and place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}`", self.rule)?;
        if self.place != Place::None {
            write!(f, " ({})", self.place)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for ConvertError {}
