//! What strings, classes, bytes and braces stand for.

use crate::ErrorKind;
use crate::dialect::{Escapes, Table};
use crate::problem::Problem;
use formwork_grammar::{ByteSet, CharClass};
use std::ops::Range;

/// A place in the inside of a token.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    escapes: Escapes,
}

impl<'a> Cursor<'a> {
    /// The inside of a token with its delimiters.
    fn inside(text: &'a str, span: Range<usize>, escapes: Escapes) -> Self {
        Self { text, at: span.start + 1, end: span.end - 1, escapes }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// From `min` to `max` hexadecimal digits; saturates.
    fn hex(&mut self, min: usize, max: usize) -> Option<u32> {
        let n = self.rest().bytes().take(max).take_while(u8::is_ascii_hexdigit).count();
        let digits = (n >= min).then(|| &self.rest()[..n])?;
        self.at += n;
        let digits = digits.trim_start_matches('0');
        Some(if digits.is_empty() { 0 } else { u32::from_str_radix(digits, 16).unwrap_or(u32::MAX) })
    }
}

/// The text of a string token.
pub(crate) fn text(source: &str, span: Range<usize>, table: &Table) -> Result<String, Problem> {
    let mut cursor = Cursor::inside(source, span, table.escapes);
    let mut text = String::with_capacity(cursor.rest().len());
    while let Some(c) = cursor.peek() {
        if c != '\\' {
            text.push(c);
            cursor.bump();
            continue;
        }
        match escape(&mut cursor, "")? {
            Member::Char(c) => text.push(c),
            Member::Set(_) => {}
        }
    }
    Ok(text)
}

/// The characters of a class token.
pub(crate) fn class(source: &str, span: Range<usize>, table: &Table) -> Result<CharClass, Problem> {
    let mut cursor = Cursor::inside(source, span.clone(), table.escapes);
    let is_negated = cursor.eat("^");
    if cursor.rest().is_empty() && !table.classes_may_be_empty {
        return Err(Problem::syntax(span, "this class is empty")
            .expected("characters")
            .help("write `.` for any character and `\"\"` for the empty text"));
    }
    let mut ranges: Vec<(char, char)> = Vec::new();
    while cursor.peek().is_some() {
        let start = cursor.at;
        let low = match member(&mut cursor)? {
            Member::Char(low) => low,
            Member::Set(set) => {
                ranges.extend_from_slice(set.ranges());
                continue;
            }
        };
        if !(cursor.rest().starts_with('-') && cursor.rest().len() > 1) {
            ranges.push((low, low));
            continue;
        }
        cursor.eat("-");
        match member(&mut cursor)? {
            Member::Char(high) if low <= high => ranges.push((low, high)),
            Member::Char(_) => {
                return Err(Problem::syntax(start..cursor.at, "this range ends before it starts")
                    .help("write `\\-` to mean the character"));
            }
            Member::Set(set) => {
                ranges.extend([(low, low), ('-', '-')]);
                ranges.extend_from_slice(set.ranges());
            }
        }
    }
    let class = CharClass::from_ranges(ranges);
    Ok(if is_negated { class.negate() } else { class })
}

/// The bytes of a string token inside `Bytes(…)`.
pub(crate) fn bytes(source: &str, span: Range<usize>) -> Result<Vec<u8>, Problem> {
    let mut cursor = Cursor::inside(source, span, Escapes::Many);
    let mut bytes = Vec::new();
    while cursor.peek().is_some() {
        bytes.push(byte(&mut cursor)?);
    }
    Ok(bytes)
}

/// The bytes of a string token inside `ByteClass(…)`.
pub(crate) fn byte_class(source: &str, span: Range<usize>) -> Result<ByteSet, Problem> {
    let mut cursor = Cursor::inside(source, span, Escapes::Many);
    let mut set = ByteSet::EMPTY;
    while cursor.peek().is_some() {
        let start = cursor.at;
        let low = byte(&mut cursor)?;
        let is_range = cursor.rest().starts_with('-') && cursor.rest().len() > 1 && cursor.eat("-");
        let high = if is_range { byte(&mut cursor)? } else { low };
        if low > high {
            return Err(Problem::syntax(start..cursor.at, "this range ends before it starts"));
        }
        set.insert_range(low, high);
    }
    Ok(set)
}

fn byte(cursor: &mut Cursor<'_>) -> Result<u8, Problem> {
    let start = cursor.at;
    let byte = match cursor.bump() {
        Some('\\') => cursor.eat("x").then(|| cursor.hex(2, 2)).flatten(),
        Some(c) if c.is_ascii() => Some(u32::from(c)),
        _ => None,
    };
    byte.and_then(|byte| u8::try_from(byte).ok()).ok_or_else(|| {
        Problem::syntax(start..cursor.at, "bytes are written as ASCII characters or as `\\xHH`")
            .expected("an ASCII character or `\\x` and two hexadecimal digits")
    })
}

/// The bounds of a braces token.
pub(crate) fn bounds(source: &str, span: Range<usize>, table: &Table) -> Result<(u32, Option<u32>), Problem> {
    let inside = source[span.start + 1..span.end - 1].trim();
    let (min, max) = match inside.split_once(',') {
        Some((min, max)) if table.least_may_be_missing && min.is_empty() && !max.trim().is_empty() => {
            ("0", Some(max.trim()))
        }
        Some((min, max)) => (min.trim(), Some(max.trim())),
        None => (inside, None),
    };
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let expected = "`{m}`, `{m,}` or `{m,n}`";
    if min.is_empty() && max.is_some_and(is_number) {
        return Err(Problem::syntax(span, "the least number of repetitions is missing")
            .expected(expected)
            .help(format!("write `{{0,{}}}`", max.unwrap_or_default())));
    }
    if !is_number(min) || max.is_some_and(|max| !max.is_empty() && !is_number(max)) {
        return Err(Problem::syntax(span, "this is no number of repetitions").expected(expected));
    }
    let number = |digits: &str| {
        digits.parse::<u32>().map_err(|_| {
            let message = format!("a repetition count is over the limit of {}", u32::MAX);
            Problem::new(ErrorKind::Limit, span.clone(), message)
        })
    };
    let min = number(min)?;
    let max = match max {
        None => Some(min),
        Some("") => None,
        Some(max) => Some(number(max)?),
    };
    if max.is_some_and(|max| min > max) {
        return Err(Problem::syntax(span, "the least number of repetitions is above the greatest"));
    }
    Ok((min, max))
}

/// A member of a class.
enum Member {
    Char(char),
    Set(CharClass),
}

/// The next member of a class; there is a next character, or the class ends in `-` and is read as its members.
fn member(cursor: &mut Cursor<'_>) -> Result<Member, Problem> {
    match cursor.peek() {
        Some('\\') => escape(cursor, "^$.*+()[]{}|-dDwWsS"),
        _ => Ok(cursor.bump().map_or(Member::Set(CharClass::none()), Member::Char)),
    }
}

/// An escape; `more` lists the characters that may be escaped here besides those of strings.
fn escape(cursor: &mut Cursor<'_>, more: &str) -> Result<Member, Problem> {
    let start = cursor.at;
    cursor.bump();
    let c = cursor.bump().unwrap_or('\\');
    if cursor.escapes == Escapes::Few && !r#"nrt\"[]-xuU"#.contains(c) {
        return Err(unknown_escape(start..cursor.at, c));
    }
    let char = match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{C}',
        'a' => '\u{7}',
        'v' => '\u{B}',
        'e' => '\u{1B}',
        '0' => '\0',
        '"' | '\'' | '\\' | '/' | '?' => c,
        '[' | ']' | '-' if cursor.escapes == Escapes::Few => c,
        'x' | 'u' | 'U' => return code(cursor, start, c).map(Member::Char),
        _ if more.contains(c) => {
            let digits = CharClass::range('0', '9');
            let words = || CharClass::from_ranges([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);
            let spaces = || CharClass::from_ranges([('\t', '\r'), (' ', ' ')]);
            return Ok(match c {
                'd' => Member::Set(digits),
                'D' => Member::Set(digits.negate()),
                'w' => Member::Set(words()),
                'W' => Member::Set(words().negate()),
                's' => Member::Set(spaces()),
                'S' => Member::Set(spaces().negate()),
                _ => Member::Char(c),
            });
        }
        _ => {
            let problem = Problem::syntax(start..cursor.at, format!("the escape `\\{c}` means nothing"));
            let is_set = more.is_empty() && "dDwWsS".contains(c);
            return Err(if is_set {
                problem.help(format!("write it in a class: `[\\{c}]`"))
            } else {
                problem
            }
            .help_if_none("write `\\\\` to mean a backslash"));
        }
    };
    Ok(Member::Char(char))
}

/// What is said of an escape where there are few.
fn unknown_escape(span: Range<usize>, c: char) -> Problem {
    let problem = Problem::syntax(span, format!("the escape `\\{c}` means nothing"));
    match c {
        'd' => problem.help("write the class `[0-9]`"),
        'w' => problem.help("write the class `[0-9A-Z_a-z]`"),
        's' => problem.help("write a class of the spaces that are meant: `[ \\t\\n]`"),
        '^' => problem.help("write `\\x5E` to mean the character"),
        _ if c.is_ascii_punctuation() => problem.help(format!("write `{c}` without a backslash")),
        _ => problem.help("write `\\\\` to mean a backslash"),
    }
}

/// The rest of an escape that gives a character's code.
fn code(cursor: &mut Cursor<'_>, start: usize, kind: char) -> Result<char, Problem> {
    let (code, needs) = match kind {
        'x' if cursor.escapes == Escapes::Few => {
            (cursor.hex(2, 2), "`\\x` needs two hexadecimal digits after it")
        }
        'x' => (cursor.hex(1, usize::MAX), "`\\x` needs hexadecimal digits after it"),
        'U' => (cursor.hex(8, 8), "`\\U` needs eight hexadecimal digits after it"),
        _ if cursor.escapes == Escapes::Many && cursor.eat("{") => {
            let code = cursor.hex(1, usize::MAX).filter(|_| cursor.eat("}"));
            (code, "`\\u{` needs hexadecimal digits and `}` after it")
        }
        _ => (cursor.hex(4, 4), "`\\u` needs four hexadecimal digits after it"),
    };
    let Some(mut code) = code else { return Err(Problem::syntax(start..cursor.at, needs)) };
    if kind == 'u' && (0xD800..=0xDBFF).contains(&code) {
        let after_high = cursor.at;
        match cursor.eat("\\u").then(|| cursor.hex(4, 4)).flatten() {
            Some(low @ 0xDC00..=0xDFFF) => code = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00),
            _ => cursor.at = after_high,
        }
    }
    char::from_u32(code).ok_or_else(|| {
        let span = start..cursor.at;
        if (0xD800..=0xDFFF).contains(&code) {
            Problem::syntax(span, "half a surrogate pair is not a character")
                .help("write both halves, or the character's own code")
        } else {
            let problem = Problem::syntax(span, "the last character is U+10FFFF");
            if kind == 'x' {
                problem.help("`\\x` takes all digits that follow; write `\\u{…}`")
            } else {
                problem
            }
        }
    })
}
