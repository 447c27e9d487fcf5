//! Where in the user's text something came from.

use std::fmt;

/// A position in a text: byte offset, line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Offset from the start of the text, in bytes.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
}

impl Position {
    /// The position of byte `offset` in `text`; offsets past the end mean the end.
    pub fn of(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let head = &text[..offset];
        let line_start = head.rfind('\n').map_or(0, |i| i + 1);
        Self {
            offset,
            line: head.bytes().filter(|&b| b == b'\n').count() + 1,
            column: head[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Where in the user's input a rule came from, for messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Place {
    /// Nowhere: made by a program.
    #[default]
    None,
    /// A position in a text.
    Text(Position),
    /// A JSON pointer into a document (RFC 6901; `""` is the whole document).
    Pointer(String),
}

impl Place {
    /// No place: the rule was made by a program.
    pub fn none() -> Self {
        Self::None
    }

    /// The JSON pointer, if the place is one.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// The position in a text, if the place is one.
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Text(position) => Some(*position),
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("the grammar"),
            Self::Text(position) => position.fmt(f),
            Self::Pointer(pointer) if pointer.is_empty() => f.write_str("the root of the document"),
            Self::Pointer(pointer) => f.write_str(pointer),
        }
    }
}
