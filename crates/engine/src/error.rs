//! Why compiling, masking or accepting failed.

use formwork_earley::LimitExceeded;
use formwork_grammar::{ByteSet, Place};
use formwork_vocab::TokenId;
use std::fmt;

/// Why a grammar could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    pub(crate) kind: CompileErrorKind,
    pub(crate) place: Place,
    pub(crate) rule: String,
    pub(crate) message: String,
}

/// The kind of a [`CompileError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileErrorKind {
    /// No output could ever be finished: the language is empty.
    Unsatisfiable,
    /// A limit was exceeded.
    Limit,
    /// The vocabulary lacks a token that the grammar names and cannot do without, or bytes that the grammar needs as tokens
    /// of their own, so that a mask might run empty.
    Vocabulary,
    /// A region with a budget of tokens cannot keep it, or is nothing that a budget can be kept in.
    Budget,
    /// The caller's interrupt said stop.
    Interrupted,
}

impl CompileErrorKind {
    /// The name used on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsatisfiable => "unsatisfiable",
            Self::Limit => "limit",
            Self::Vocabulary => "vocabulary",
            Self::Budget => "budget",
            Self::Interrupted => "interrupted",
        }
    }
}

impl CompileError {
    /// What went wrong.
    pub fn kind(&self) -> CompileErrorKind {
        self.kind
    }

    /// Where in the user's text the rule concerned came from.
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

impl From<formwork_fsm::Error> for CompileError {
    fn from(error: formwork_fsm::Error) -> Self {
        let kind = match error.kind() {
            formwork_fsm::ErrorKind::Empty => CompileErrorKind::Unsatisfiable,
            formwork_fsm::ErrorKind::Symbol => CompileErrorKind::Vocabulary,
            formwork_fsm::ErrorKind::Budget => CompileErrorKind::Budget,
            formwork_fsm::ErrorKind::Interrupted => CompileErrorKind::Interrupted,
            _ => CompileErrorKind::Limit,
        };
        let is_step_named = kind == CompileErrorKind::Budget;
        Self {
            kind,
            place: error.place().clone(),
            rule: error.rule().to_owned(),
            message: error.message().to_owned() + if is_step_named { " (a step is a token)" } else { "" },
        }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::None => f.write_str(&self.message),
            _ => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

impl std::error::Error for CompileError {}

/// Why a mask could not be filled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaskError {
    /// The buffer has fewer words than the vocabulary needs.
    BufferTooShort {
        /// The words that the vocabulary needs.
        needed: usize,
        /// The words given.
        given: usize,
    },
    /// A limit on rows was reached; the matcher is as before.
    Limit(LimitExceeded),
}

impl From<LimitExceeded> for MaskError {
    fn from(limit: LimitExceeded) -> Self {
        Self::Limit(limit)
    }
}

impl fmt::Display for MaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BufferTooShort { needed, given } => {
                write!(f, "the mask has {given} words, the vocabulary needs {needed}")
            }
            Self::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for MaskError {}

/// Why a token or bytes were not accepted. The matcher is as before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptError {
    pub(crate) kind: AcceptErrorKind,
    pub(crate) token: Option<TokenId>,
    pub(crate) offset: u64,
    pub(crate) accepted: usize,
    pub(crate) refused: Option<u8>,
    pub(crate) expected: ByteSet,
    pub(crate) expected_symbols: Vec<String>,
    pub(crate) can_finish: bool,
}

/// The kind of an [`AcceptError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AcceptErrorKind {
    /// The grammar refuses the bytes.
    Refused,
    /// A stop token came where the output may not end.
    NotComplete,
    /// A stop token was accepted before: nothing may follow.
    Finished,
    /// The id is a hole, padding or beyond the vocabulary.
    UnknownToken,
    /// The id is a special token that the grammar does not name here, or a token without bytes.
    NotText,
    /// A region with a budget of tokens could not end in time any more.
    Budget,
    /// A limit on rows was reached.
    Limit(LimitExceeded),
}

impl AcceptError {
    /// What went wrong.
    pub fn kind(&self) -> AcceptErrorKind {
        self.kind
    }

    /// The token given, if it was a token.
    pub fn token(&self) -> Option<TokenId> {
        self.token
    }

    /// Where in the output, in bytes from its start, the first byte was refused.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes of what was given got through before.
    pub fn accepted_bytes(&self) -> usize {
        self.accepted
    }

    /// The byte that was refused, if one was.
    pub fn refused_byte(&self) -> Option<u8> {
        self.refused
    }

    /// The bytes that could have come instead.
    pub fn expected(&self) -> ByteSet {
        self.expected
    }

    /// The tokens that could have come instead as a whole, as the grammar names them: `Token("<|call|>")`.
    pub fn expected_symbols(&self) -> &[String] {
        &self.expected_symbols
    }

    /// Whether the output could have ended instead.
    pub fn can_finish(&self) -> bool {
        self.can_finish
    }
}

impl fmt::Display for AcceptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(token) = self.token {
            write!(f, "token {token}: ")?;
        }
        match self.kind {
            AcceptErrorKind::Refused => match self.refused {
                Some(byte) => write!(f, "byte {} refused", Shown(byte, byte))?,
                None => write!(f, "refused")?,
            },
            AcceptErrorKind::NotComplete => write!(f, "the output may not end here")?,
            AcceptErrorKind::Finished => {
                return write!(f, "the output has ended: nothing may follow a stop token");
            }
            AcceptErrorKind::UnknownToken => return write!(f, "the vocabulary has no such token"),
            AcceptErrorKind::NotText => return write!(f, "the token is no text"),
            AcceptErrorKind::Budget => write!(f, "a region would not end within its budget of tokens")?,
            AcceptErrorKind::Limit(limit) => write!(f, "{limit}")?,
        }
        write!(f, " at byte {} of the output", self.offset)?;
        let mut separator = "; expected ";
        for (low, high) in self.expected.ranges().into_iter().take(16) {
            write!(f, "{separator}{}", Shown(low, high))?;
            separator = ", ";
        }
        for symbols in &self.expected_symbols {
            write!(f, "{separator}{symbols}")?;
            separator = ", ";
        }
        if self.can_finish {
            let or = if separator == "; expected " { separator } else { " or " };
            write!(f, "{or}the end")?;
        }
        Ok(())
    }
}

impl std::error::Error for AcceptError {}

/// A range of bytes for people.
struct Shown(u8, u8);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |f: &mut fmt::Formatter<'_>, byte: u8| match byte {
            b' '..=b'~' => write!(f, "`{}`", char::from(byte)),
            _ => write!(f, "0x{byte:02x}"),
        };
        one(f, self.0)?;
        if self.0 != self.1 {
            f.write_str(" to ")?;
            one(f, self.1)?;
        }
        Ok(())
    }
}

/// A rollback of more steps than were accepted, or than the matcher keeps. Nothing was rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RollbackError {
    /// The steps asked for.
    pub asked: usize,
    /// The steps that can be rolled back.
    pub possible: usize,
}

impl fmt::Display for RollbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot roll back {} steps: only {} are there", self.asked, self.possible)
    }
}

impl std::error::Error for RollbackError {}
