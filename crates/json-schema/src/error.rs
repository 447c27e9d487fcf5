//! Why a schema could not become a grammar.

use std::fmt;

/// Why a schema could not become a grammar: what kind of problem, where in the schema, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    pointer: String,
    message: String,
    /// Of what the keyword at the pointer clashes with.
    clashing: Vec<String>,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A keyword (or a value of one) that is not enforced; `relax` lets it through, reported.
    Unsupported,
    /// No JSON text satisfies the schema.
    Unsatisfiable,
    /// Not a JSON Schema: malformed JSON, a keyword with a value it cannot have, a dangling reference, a loop.
    Invalid,
    /// A size limit was exceeded.
    Limit,
    /// The options are wrong.
    Usage,
}

impl ErrorKind {
    /// The name that the command line and the conformance tables use.
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

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, pointer: pointer.into(), message: message.into(), clashing: Vec::new() }
    }

    /// No value satisfies what stands at the pointer and at the others together.
    pub(crate) fn clash(pointer: String, message: String, clashing: Vec<String>) -> Self {
        Self { kind: ErrorKind::Unsatisfiable, pointer, message, clashing }
    }

    pub(crate) fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, pointer, message)
    }

    pub(crate) fn limit(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Limit, pointer, message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, "", message)
    }

    /// A keyword that is known but not enforced; the message ends with the way out.
    pub(crate) fn unsupported(pointer: impl Into<String>, keyword: &str, why: &str) -> Self {
        let message =
            format!("`{keyword}` {why}; `relax: [\"{keyword}\"]` compiles without it and reports it");
        Self::new(ErrorKind::Unsupported, pointer, message)
    }

    /// What kind of problem it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The JSON pointer of the place in the schema; `""` is the whole document.
    /// In a resource other than the schema itself, the resource's URI and `#` stand before it.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Where the other keywords stand that the one at [`pointer`](Self::pointer) clashes with; mostly it is one. Nothing if
    /// the problem is no clash.
    pub fn clashes_with(&self) -> &[String] {
        &self.clashing
    }

    /// What is wrong and what can be done, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pointer[..] {
            "" => write!(f, "{}: {}", self.kind, self.message),
            pointer => write!(f, "{} at {pointer}: {}", self.kind, self.message),
        }
    }
}

impl std::error::Error for Error {}
