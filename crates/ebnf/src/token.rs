//! Cuts a text into tokens.

use crate::dialect::Table;
use std::ops::Range;

/// What a token is; its text is where its span says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A rule's name, or the name of a call.
    Name,
    /// `::=`.
    Defines,
    /// What others write for it: `=`, `:=`, `:`, `->`.
    AlmostDefines,
    /// A string with its quotes.
    Text,
    /// A class with its brackets.
    Class,
    /// `{…}` up to the brace that closes it.
    Braces,
    /// `.` where it is any character.
    Any,
    /// `<…>`, or `!<…>`: a token of the vocabulary.
    TokenReference,
    Or,
    Open,
    Close,
    Star,
    Plus,
    Question,
    Comma,
    /// A string, class or brace that its line does not close.
    Unclosed,
    /// A run of digits.
    Number,
    /// A character that means nothing.
    Other,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Whether nothing but white space stands before it on its line.
    pub(crate) is_first: bool,
    start: u32,
    end: u32,
}

impl Token {
    pub(crate) fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Cuts a text of at most 4 GiB into tokens; the last is [`Kind::End`].
pub(crate) fn tokens(text: &str, table: &Table) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut at, mut is_first) = (0, true);
    loop {
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { break };
        match c {
            '\n' => is_first = true,
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            // A byte-order mark is white space at the start, where some editors put it.
            '\u{FEFF}' if at == 0 => {}
            ' ' | '\t' | '\r' => {}
            _ => {
                let (kind, length) = token(rest, c, table);
                tokens.push(Token { kind, is_first, start: at as u32, end: (at + length) as u32 });
                is_first = false;
                at += length;
                continue;
            }
        }
        at += c.len_utf8();
    }
    tokens.push(Token { kind: Kind::End, is_first: true, start: text.len() as u32, end: text.len() as u32 });
    tokens
}

/// The token at the start of `rest`, and its length.
fn token(rest: &str, c: char, table: &Table) -> (Kind, usize) {
    match c {
        '|' => (Kind::Or, 1),
        '(' => (Kind::Open, 1),
        ')' => (Kind::Close, 1),
        '*' => (Kind::Star, 1),
        '+' => (Kind::Plus, 1),
        '?' => (Kind::Question, 1),
        ',' => (Kind::Comma, 1),
        '"' => closed(rest, Kind::Text, b'"'),
        '[' => closed(rest, Kind::Class, b']'),
        '{' => closed(rest, Kind::Braces, b'}'),
        ':' | '=' => {
            let length = rest.bytes().take_while(|b| b":=".contains(b)).count();
            (if &rest[..length] == "::=" { Kind::Defines } else { Kind::AlmostDefines }, length)
        }
        '-' if rest.starts_with("->") => (Kind::AlmostDefines, 2),
        '.' if table.has_dot => (Kind::Any, 1),
        '<' | '!' if table.has_token_references => match token_reference(rest) {
            Some(length) => (Kind::TokenReference, length),
            None => (Kind::Other, 1),
        },
        _ if (table.starts_name)(c) => {
            (Kind::Name, rest.find(|c| !(table.continues_name)(c)).unwrap_or(rest.len()))
        }
        '0'..='9' => (Kind::Number, rest.bytes().take_while(u8::is_ascii_digit).count()),
        _ => (Kind::Other, c.len_utf8()),
    }
}

/// A token that goes up to `close` on the same line, but for escaped ones.
fn closed(rest: &str, kind: Kind, close: u8) -> (Kind, usize) {
    let mut is_escaped = false;
    for (i, b) in rest.bytes().enumerate().skip(1) {
        match b {
            b'\n' => return (Kind::Unclosed, rest[..i].trim_end().len()),
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if b == close => return (kind, i + 1),
            _ => {}
        }
    }
    (Kind::Unclosed, rest.trim_end().len())
}

/// The length of `<…>` or `!<…>`, if it is closed on its line.
fn token_reference(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix('!').unwrap_or(rest);
    let end = name.find(['>', '\n'])?;
    (name.starts_with('<') && name[end..].starts_with('>')).then(|| rest.len() - name.len() + end + 1)
}
