//! What follows a backslash.

use super::cursor::Cursor;
use super::sets::{self, Sets};
use crate::error::help;
use crate::{Error, ErrorKind};
use formwork_grammar::CharClass;

/// What an escape stands for.
pub(super) enum Escape {
    Char(char),
    /// In a class, half a surrogate pair.
    Half(u32),
    /// A class, with letter case already ignored if it is to be.
    Set(CharClass),
}

/// Reads an escape, from its backslash on.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    sets: &mut Sets,
    ignore_case: bool,
    in_class: bool,
) -> Result<Escape, Error> {
    let start = cursor.offset();
    cursor.eat("\\");
    let Some(c) = cursor.bump() else {
        let error = cursor.syntax(start, "the pattern ends after a backslash");
        return Err(error.with_help("write `\\\\` to mean a backslash"));
    };
    let fold = |class: CharClass| if ignore_case { sets::fold(&class) } else { class };
    let char = match c {
        'd' => return Ok(Escape::Set(sets::digits())),
        'D' => return Ok(Escape::Set(sets::digits().negate())),
        's' => return Ok(Escape::Set(sets::spaces())),
        'S' => return Ok(Escape::Set(sets::spaces().negate())),
        'w' => return Ok(Escape::Set(fold(sets::words()))),
        'W' => return Ok(Escape::Set(fold(sets::words()).negate())),
        'p' | 'P' => return property(cursor, sets, ignore_case, start, c == 'P').map(Escape::Set),
        't' => '\t',
        'n' => '\n',
        'v' => '\u{B}',
        'f' => '\u{C}',
        'r' => '\r',
        'b' if in_class => '\u{8}',
        'b' | 'B' => {
            let message = format!("the word boundary `\\{c}` is not supported");
            return Err(cursor.error(ErrorKind::WordBoundary, start, message).with_help(help::WORD_BOUNDARY));
        }
        'c' => match cursor.peek() {
            Some(letter) if letter.is_ascii_alphabetic() => {
                cursor.bump();
                char::from(letter as u8 % 32)
            }
            _ => return Err(cursor.syntax(start, "`\\c` needs a letter after it")),
        },
        'x' => match cursor.hex(2).and_then(char::from_u32) {
            Some(c) => c,
            None => return Err(cursor.syntax(start, "`\\x` needs two hexadecimal digits after it")),
        },
        'u' => {
            let code = unicode(cursor, start)?;
            match char::from_u32(code) {
                Some(c) => c,
                None if in_class => return Ok(Escape::Half(code)),
                None => return Err(half_of_a_pair(cursor, start)),
            }
        }
        '0' if !cursor.peek().is_some_and(|c| c.is_ascii_digit()) => '\0',
        '0' => {
            let error = cursor.syntax(start, "octal escapes are not part of the dialect");
            return Err(error.with_help("write `\\xHH`"));
        }
        'k' | '1'..='9' if !in_class => {
            let message = format!("the back-reference `\\{c}` is not supported");
            return Err(cursor
                .error(ErrorKind::BackReference, start, message)
                .with_help(help::BACK_REFERENCE));
        }
        'A' | 'z' | 'Z' => {
            let error = cursor.syntax(start, format!("`\\{c}` is not part of the dialect"));
            return Err(error.with_help("write `^` for the start of the text and `$` for its end"));
        }
        c if c.is_ascii_alphanumeric() => {
            return Err(cursor.syntax(start, format!("the escape `\\{c}` means nothing in this dialect")));
        }
        // Punctuation escaped without need, which the `u` flag forbids and everybody writes.
        c => c,
    };
    Ok(Escape::Char(char))
}

/// The code point that `\u` and what follows it stand for.
fn unicode(cursor: &mut Cursor<'_>, start: usize) -> Result<u32, Error> {
    let code = if cursor.eat("{") {
        let digits = cursor.rest().bytes().take_while(u8::is_ascii_hexdigit).count();
        // Leading zeros do not count against the eight digits that can be read at once.
        let n_zeros = cursor.rest().bytes().take_while(|&b| b == b'0').count().min(digits.saturating_sub(1));
        cursor.skip_ascii(n_zeros);
        match cursor.hex((digits - n_zeros).min(8)) {
            Some(code) if digits > 0 && cursor.eat("}") => code,
            _ => return Err(cursor.syntax(start, "`\\u{` needs hexadecimal digits and `}` after it")),
        }
    } else {
        match cursor.hex(4) {
            Some(high @ 0xD800..=0xDBFF) => {
                let after_high = *cursor;
                match cursor.eat("\\u").then(|| cursor.hex(4)).flatten() {
                    Some(low @ 0xDC00..=0xDFFF) => 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00),
                    _ => {
                        *cursor = after_high;
                        high
                    }
                }
            }
            Some(code) => code,
            None => return Err(cursor.syntax(start, "`\\u` needs four hexadecimal digits after it")),
        }
    };
    match code {
        0..=0x10_FFFF => Ok(code),
        _ => Err(cursor.syntax(start, "the last character is U+10FFFF")),
    }
}

/// What is wrong with an escape for half a surrogate pair.
pub(super) fn half_of_a_pair(cursor: &Cursor<'_>, offset: usize) -> Error {
    let message = "half a surrogate pair is not a character and cannot occur in a text";
    cursor.error(ErrorKind::NotText, offset, message).with_help("write both halves, or `\\u{…}`")
}

/// What follows `\p` or `\P`.
fn property(
    cursor: &mut Cursor<'_>,
    sets: &mut Sets,
    ignore_case: bool,
    start: usize,
    negated: bool,
) -> Result<CharClass, Error> {
    let needs = "`\\p` needs the name of a property in braces after it, such as `{L}` or `{Script=Greek}`";
    if !cursor.eat("{") {
        return Err(cursor.syntax(start, needs));
    }
    let n = cursor.rest().bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_=".contains(b)).count();
    let name = &cursor.rest()[..n];
    cursor.skip_ascii(n);
    if n == 0 || !cursor.eat("}") {
        return Err(cursor.syntax(start, needs));
    }
    let Some(class) = sets.property(name) else {
        let message = format!("there is no Unicode property `{name}`");
        return Err(cursor.error(ErrorKind::UnknownProperty, start, message));
    };
    let class = if negated { class.negate() } else { class };
    Ok(if ignore_case { sets::fold(&class) } else { class })
}
