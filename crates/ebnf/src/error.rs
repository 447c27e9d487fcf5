//! Why a text could not be read.

use formwork_grammar::Position;
use std::fmt;

/// Everything that is wrong with a text, in the order of the places; at least one [`Error`].
///
/// `Display` shows the first fifty with their lines and the number of the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    pub(crate) errors: Vec<Error>,
}

/// How many errors `Display` of [`Errors`] shows.
const MAX_SHOWN: usize = 50;

impl Errors {
    /// The errors, in the order of their places.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.errors.iter()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.errors.len()
    }
}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.errors.iter().take(MAX_SHOWN).enumerate() {
            write!(f, "{}{error}", if i > 0 { "\n\n" } else { "" })?;
        }
        match self.errors.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            n => write!(f, "\n\nand {n} more errors"),
        }
    }
}

impl std::error::Error for Errors {}

/// One thing that is wrong with a text.
///
/// `Display` shows it with its line, a mark under the place and the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(crate) kind: ErrorKind,
    pub(crate) position: Position,
    pub(crate) message: String,
    pub(crate) found: String,
    pub(crate) expected: Option<String>,
    pub(crate) help: Option<String>,
    /// Another place that matters, and what is there.
    pub(crate) related: Option<(Position, &'static str)>,
    /// The line of the text, or what is shown of it, and where in it to put how many marks (in characters).
    pub(crate) line: String,
    pub(crate) mark: (usize, usize),
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the dialect.
    Syntax,
    /// A rule is used but not defined.
    UndefinedRule,
    /// A rule is defined twice.
    DuplicateRule,
    /// The root rule is not defined.
    MissingRoot,
    /// Something of the dialect that is not supported (yet).
    Unsupported,
    /// An operand of `And`, `Not` or `JsonText` that is no regular expression over characters.
    NotText,
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// A [limit](crate::Limits) was exceeded.
    Limit,
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The message, without place and help.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The text at the place, shortened if it is long; empty at the end of the text.
    pub fn found(&self) -> &str {
        &self.found
    }

    /// What could have stood there instead, if that is what went wrong.
    pub fn expected(&self) -> Option<&str> {
        self.expected.as_deref()
    }

    /// What to do about it, if there is something to say.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Another place that matters: the first definition of a rule that is defined twice, the start of a group.
    pub fn related(&self) -> Option<Position> {
        self.related.map(|(position, _)| position)
    }
}

impl std::error::Error for Error {}
