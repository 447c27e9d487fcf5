//! Why a pattern could not be read.

use formwork_grammar::{GrammarError, Position};
use std::fmt;

/// Why a pattern could not be read: what, where, and the way out if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Boxed, since results carry it around far more often than anybody looks at it.
    inner: Box<Inner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    position: Position,
    message: String,
    help: Option<&'static str>,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not a regular expression of the dialect.
    Syntax,
    /// A Unicode property that does not exist, or is not known here.
    UnknownProperty,
    /// The pattern could match something that is not a text of Unicode scalar values, such as half a surrogate pair.
    NotText,
    /// Look-ahead or look-behind.
    LookAround,
    /// A reference to what a group captured.
    BackReference,
    /// `\b`, `\B` or another assertion about words.
    WordBoundary,
    /// `^` or `$` that match at lines instead of at the text's ends.
    LineAnchor,
    /// Other constructs of some dialects: possessive and atomic groups, recursion, flags.
    Unsupported,
    /// A [limit](crate::Limits) of this crate or of the grammar was exceeded.
    Limit,
}

impl ErrorKind {
    /// Whether the pattern is a good one, but asks for something that a grammar cannot say or that is not built.
    pub fn is_unsupported(self) -> bool {
        match self {
            Self::LookAround
            | Self::BackReference
            | Self::WordBoundary
            | Self::LineAnchor
            | Self::Unsupported => true,
            Self::Syntax | Self::UnknownProperty | Self::NotText | Self::Limit => false,
        }
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: &str, offset: usize, message: impl Into<String>) -> Self {
        let position = Position::of(text, offset);
        Self { inner: Box::new(Inner { kind, position, message: message.into(), help: None }) }
    }

    pub(crate) fn with_help(mut self, help: &'static str) -> Self {
        self.inner.help = Some(help);
        self
    }

    pub(crate) fn of_grammar(text: &str, error: &GrammarError) -> Self {
        Self::new(ErrorKind::Limit, text, 0, error.message())
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Where in the pattern.
    pub fn position(&self) -> Position {
        self.inner.position
    }

    /// The message, without position and help.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// What to write instead, if there is something to say.
    pub fn help(&self) -> Option<&str> {
        self.inner.help
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { position, message, help, .. } = &*self.inner;
        write!(f, "{position} of the regular expression: {message}")?;
        match help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// Ways out that both dialects give.
pub(crate) mod help {
    pub(crate) const LOOK_AROUND: &str =
        "say what may come here with alternatives and classes, or check it after generating";
    pub(crate) const BACK_REFERENCE: &str =
        "no grammar can repeat what was captured; list the alternatives instead";
    pub(crate) const WORD_BOUNDARY: &str = "write the characters that may stand beside the word";
    pub(crate) const LINE_ANCHOR: &str =
        "write the line breaks: `(^|\\n)` and `($|\\n)` without the `m` flag";
}
