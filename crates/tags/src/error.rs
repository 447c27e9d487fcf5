//! Why tags could not become a grammar.

use std::fmt;

/// Why tags could not become a grammar: what kind of problem, where in the document, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    pointer: String,
    message: String,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something that is known but not enforced here.
    Unsupported,
    /// Nothing matches.
    Unsatisfiable,
    /// Not what the format language or one of the languages inside it allows.
    Invalid,
    /// A size limit was exceeded.
    Limit,
    /// The options are wrong: an unknown model, a tool choice without the tool.
    Usage,
}

impl ErrorKind {
    /// The name that the command line uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Unsatisfiable => "unsatisfiable",
            Self::Invalid => "invalid",
            Self::Limit => "limit",
            Self::Usage => "usage",
        }
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, pointer: pointer.into(), message: message.into() }
    }

    pub(crate) fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, pointer, message)
    }

    /// The error of a schema that stands at `pointer`.
    pub(crate) fn of_schema(pointer: &str, error: &formwork_json_schema::Error) -> Self {
        let kind = match error.kind() {
            formwork_json_schema::ErrorKind::Unsupported => ErrorKind::Unsupported,
            formwork_json_schema::ErrorKind::Unsatisfiable => ErrorKind::Unsatisfiable,
            formwork_json_schema::ErrorKind::Limit => ErrorKind::Limit,
            _ => ErrorKind::Invalid,
        };
        Self::new(kind, format!("{pointer}{}", error.pointer()), error.message())
    }

    /// The same with another pointer.
    pub(crate) fn moved(self, name: impl Fn(&str) -> String) -> Self {
        Self { pointer: name(&self.pointer), ..self }
    }

    /// What kind of problem it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The JSON pointer of the place in the document; `""` is the whole document.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// What is wrong and what can be done, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pointer[..] {
            "" => write!(f, "{}: {}", self.kind.as_str(), self.message),
            pointer => write!(f, "{} at {pointer}: {}", self.kind.as_str(), self.message),
        }
    }
}

impl std::error::Error for Error {}
