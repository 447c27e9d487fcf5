//! Cuts a Lark text into tokens.

use std::ops::Range;

/// What a token is; its text is where its span says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A rule's name, or a parameter's: it begins with a small letter, underscores aside.
    Rule,
    /// A terminal's name: it begins with a capital.
    Terminal,
    /// `:`.
    Defines,
    /// What others write for it: `=`, `:=`, `::=`.
    AlmostDefines,
    /// A string with its quotes and flags.
    Text,
    /// A regular expression with its slashes and flags.
    Pattern,
    /// `<…>`: a token of the vocabulary.
    TokenReference,
    /// `%ignore` and the like.
    Directive,
    /// `->`.
    Arrow,
    Or,
    /// `(`, `[`, `{` and what closes them.
    Open,
    Close,
    OpenMaybe,
    CloseMaybe,
    OpenBrace,
    CloseBrace,
    Star,
    Plus,
    Question,
    Bang,
    Tilde,
    Comma,
    Dot,
    /// `..`.
    To,
    /// Digits, perhaps with a sign.
    Number,
    /// A string or regular expression that its line does not close.
    Unclosed,
    /// A character that means nothing.
    Other,
    /// The end of the text.
    End,
}

impl Kind {
    pub(super) fn is_name(self) -> bool {
        matches!(self, Self::Rule | Self::Terminal)
    }
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Whether nothing but white space stands before it on its line.
    pub(super) is_first: bool,
    start: u32,
    end: u32,
}

impl Token {
    pub(super) fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Cuts a text of at most 4 GiB into tokens; the last is [`Kind::End`].
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut at, mut is_first) = (0, true);
    loop {
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { break };
        match c {
            '\n' => is_first = true,
            '\u{FEFF}' if at == 0 => {}
            ' ' | '\t' | '\r' | '\u{c}' => {}
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            // The line goes on.
            '\\' if rest[1..].trim_start_matches([' ', '\r']).starts_with('\n') => {
                at += rest.find('\n').unwrap_or(rest.len()) + 1;
                continue;
            }
            _ => {
                let (kind, length) = token(rest, c);
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
fn token(rest: &str, c: char) -> (Kind, usize) {
    match c {
        '|' => (Kind::Or, 1),
        '(' => (Kind::Open, 1),
        ')' => (Kind::Close, 1),
        '[' => (Kind::OpenMaybe, 1),
        ']' => (Kind::CloseMaybe, 1),
        '{' => (Kind::OpenBrace, 1),
        '}' => (Kind::CloseBrace, 1),
        '*' => (Kind::Star, 1),
        '?' => (Kind::Question, 1),
        '!' => (Kind::Bang, 1),
        '~' => (Kind::Tilde, 1),
        ',' => (Kind::Comma, 1),
        '.' if rest.starts_with("..") => (Kind::To, 2),
        '.' => (Kind::Dot, 1),
        '-' if rest.starts_with("->") => (Kind::Arrow, 2),
        '"' => string(rest),
        '/' => pattern(rest),
        '<' => match rest.find(['>', '\n']) {
            Some(end) if rest[end..].starts_with('>') => (Kind::TokenReference, end + 1),
            _ => (Kind::Other, 1),
        },
        ':' | '=' => {
            let length = rest.bytes().take_while(|b| b":=".contains(b)).count();
            (if length == 1 && c == ':' { Kind::Defines } else { Kind::AlmostDefines }, length)
        }
        '%' => {
            let length = rest[1..].bytes().take_while(u8::is_ascii_alphabetic).count();
            (if length == 0 { Kind::Other } else { Kind::Directive }, length + 1)
        }
        '0'..='9' | '+' | '-' => {
            let sign = usize::from(!c.is_ascii_digit());
            let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
            match (digits, c) {
                (0, '+') => (Kind::Plus, 1),
                (0, _) => (Kind::Other, 1),
                _ => (Kind::Number, sign + digits),
            }
        }
        _ if c.is_ascii_alphabetic() || c == '_' => name(rest),
        _ => (Kind::Other, c.len_utf8()),
    }
}

/// A name; `-` is part of one before a letter or digit, as llguidance has it.
fn name(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let continues = |i: usize| match bytes.get(i) {
        Some(b'-') => bytes.get(i + 1).is_some_and(u8::is_ascii_alphanumeric),
        Some(&b) => b.is_ascii_alphanumeric() || b == b'_',
        None => false,
    };
    let mut length = 1;
    while continues(length) {
        length += 1;
    }
    let kind = match rest[..length].bytes().find(|&b| b != b'_') {
        Some(b'A'..=b'Z') => Kind::Terminal,
        Some(b'a'..=b'z') => Kind::Rule,
        _ => Kind::Other,
    };
    (kind, length)
}

/// A string and the letters behind it, on one line.
fn string(rest: &str) -> (Kind, usize) {
    match closed(rest, b'"') {
        Some(end) if !rest[..end].contains('\n') => (Kind::Text, end + string_flags(&rest[end..])),
        _ => (Kind::Unclosed, rest.lines().next().map_or(0, |line| line.trim_end().len())),
    }
}

/// A regular expression and its flags: on one line, but for those with the `x` flag.
fn pattern(rest: &str) -> (Kind, usize) {
    if let Some(end) = closed(rest, b'/') {
        let flags = letters(&rest[end..]);
        if !rest[..end].contains('\n') || rest[end..end + flags].contains('x') {
            return (Kind::Pattern, end + flags);
        }
    }
    (Kind::Unclosed, rest.lines().next().map_or(0, |line| line.trim_end().len()))
}

/// The end of what the first byte opens and the next unescaped `close` closes.
fn closed(rest: &str, close: u8) -> Option<usize> {
    let mut is_escaped = false;
    for (i, b) in rest.bytes().enumerate().skip(1) {
        match b {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if b == close => return Some(i + 1),
            _ => {}
        }
    }
    None
}

/// The length of what is a string's flag or begins like one; a name may follow a string at once.
fn string_flags(rest: &str) -> usize {
    let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    if rest.starts_with('i') { length } else { 0 }
}

fn letters(rest: &str) -> usize {
    rest.bytes().take_while(u8::is_ascii_alphabetic).count()
}
