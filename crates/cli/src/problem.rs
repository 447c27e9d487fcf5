//! What is wrong with a grammar, the options or a file, for people and for programs.

use formwork::grammar::Position;
use formwork::{CompileError, CompileErrorKind, ebnf, json_schema, regex, tags, tokenizers};
use serde_json::{Map, Value};
use std::fmt;

/// What is wrong with a grammar, the options or a file: exit status 2, or a line's `compile_error`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    kind: &'static str,
    place: Place,
    message: String,
    /// The file or option that it is about, for people; a program knows what it asked.
    about: Option<String>,
}

/// Where in the user's text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    None,
    Pointer(String),
    Text(Position),
}

impl Problem {
    fn new(kind: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self { kind, place, message: message.into(), about: None }
    }

    /// The command or its options are wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new("usage", Place::None, message)
    }

    /// A library broke its promise; the message says how.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new("internal", Place::None, message)
    }

    /// Something is too large or takes too long.
    pub(crate) fn limit(message: impl Into<String>) -> Self {
        Self::new("limit", Place::None, message)
    }

    /// A file could not be read or is not what it should be.
    pub(crate) fn file(path: &std::path::Path, why: impl fmt::Display) -> Self {
        Self::new("file", Place::None, why.to_string()).about(path.display())
    }

    /// Says which file or option it is about.
    pub(crate) fn about(mut self, what: impl fmt::Display) -> Self {
        self.about.get_or_insert_with(|| what.to_string());
        self
    }

    /// One word for programs: `unsupported`, `unsatisfiable`, `invalid`, `limit`, `usage`, `file`, `internal`, …
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The `compile_error` of CONTRACTS.md section 3.
    pub(crate) fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert("kind".to_owned(), self.kind.into());
        let pointer = match &self.place {
            Place::Pointer(pointer) => Some(pointer.clone()),
            _ => None,
        };
        out.insert("pointer".to_owned(), pointer.into());
        if let Place::Text(position) = self.place {
            out.insert("line".to_owned(), position.line.into());
            out.insert("column".to_owned(), position.column.into());
        }
        out.insert("message".to_owned(), self.message.as_str().into());
        Value::Object(out)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(about) = &self.about {
            write!(f, "{about}: ")?;
        }
        // The other kinds say in their message what they are.
        if matches!(self.kind, "unsupported" | "unsatisfiable" | "invalid" | "limit" | "internal") {
            write!(f, "{}", self.kind)?;
            match &self.place {
                Place::Pointer(pointer) if pointer.is_empty() => {
                    f.write_str(" at the root of the document")?
                }
                Place::Pointer(pointer) => write!(f, " at {pointer}")?,
                Place::Text(position) => write!(f, " at {position}")?,
                Place::None => {}
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl From<json_schema::Error> for Problem {
    fn from(error: json_schema::Error) -> Self {
        Self::new(error.kind().as_str(), Place::Pointer(error.pointer().to_owned()), error.message())
    }
}

impl From<tags::Error> for Problem {
    fn from(error: tags::Error) -> Self {
        Self::new(error.kind().as_str(), Place::Pointer(error.pointer().to_owned()), error.message())
    }
}

impl From<ebnf::Errors> for Problem {
    fn from(errors: ebnf::Errors) -> Self {
        let first = errors.iter().next();
        let kind = match first.map(ebnf::Error::kind) {
            Some(ebnf::ErrorKind::Unsupported) => "unsupported",
            Some(ebnf::ErrorKind::Limit) => "limit",
            _ => "invalid",
        };
        let place = first.map_or(Place::None, |error| Place::Text(error.position()));
        // All errors of the text, each with its line.
        Self::new(kind, place, errors.to_string())
    }
}

impl From<regex::Error> for Problem {
    fn from(error: regex::Error) -> Self {
        let kind = match error.kind() {
            regex::ErrorKind::Limit => "limit",
            kind if kind.is_unsupported() => "unsupported",
            _ => "invalid",
        };
        let message = match error.help() {
            Some(help) => format!("{}; {help}", error.message()),
            None => error.message().to_owned(),
        };
        Self::new(kind, Place::Text(error.position()), message)
    }
}

impl From<CompileError> for Problem {
    fn from(error: CompileError) -> Self {
        let kind = match error.kind() {
            // The only interrupt that this program has is its deadline.
            CompileErrorKind::Interrupted => {
                return Self::limit("compiling takes too long; --timeout gives it more time");
            }
            kind => kind.as_str(),
        };
        Self::new(kind, error.place().into(), error.message())
    }
}

impl From<&formwork::Place> for Place {
    fn from(place: &formwork::Place) -> Self {
        match (place.pointer(), place.position()) {
            (Some(pointer), _) => Self::Pointer(pointer.to_owned()),
            (None, Some(position)) => Self::Text(position),
            (None, None) => Self::None,
        }
    }
}

impl From<ebnf::ConvertError> for Problem {
    fn from(error: ebnf::ConvertError) -> Self {
        let kind = match error.kind() {
            ebnf::ConvertErrorKind::Limit => "limit",
            _ => "unsupported",
        };
        Self::new(kind, error.place().into(), format!("rule `{}`: {}", error.rule(), error.message()))
    }
}

impl From<tokenizers::TokenizerError> for Problem {
    fn from(error: tokenizers::TokenizerError) -> Self {
        Self::new("tokenizer", Place::None, error.to_string())
    }
}
