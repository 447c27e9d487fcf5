//! Character classes: `[a-z]`, `[^"\\]`, `[]` and `[^]`.

use super::cursor::Cursor;
use super::escape::{self, Escape};
use super::sets::{self, Sets};
use crate::Error;
use formwork_grammar::CharClass;

/// Reads a class, from its bracket on.
pub(super) fn read(cursor: &mut Cursor<'_>, sets: &mut Sets, ignore_case: bool) -> Result<CharClass, Error> {
    let start = cursor.offset();
    cursor.eat("[");
    let negated = cursor.eat("^");
    let mut ranges: Vec<(char, char)> = Vec::new();
    // Halves of surrogate pairs, which no text has: a class of others may name them, as those that say all of UTF-16 do.
    let mut first_half = None;
    loop {
        let offset = cursor.offset();
        match cursor.peek() {
            None => {
                let error = cursor.syntax(start, "this class is not closed");
                return Err(error.with_help("write `\\[` to mean the character"));
            }
            Some(']') => {
                cursor.bump();
                break;
            }
            Some(_) => {}
        }
        let low = match member(cursor, sets, ignore_case)? {
            Escape::Char(low) => u32::from(low),
            Escape::Half(low) => low,
            Escape::Set(class) => {
                // A `-` that follows is no range: it is read as a member of its own.
                ranges.extend_from_slice(class.ranges());
                continue;
            }
        };
        let is_range = cursor.rest().starts_with('-') && !cursor.rest().starts_with("-]");
        let mut high = low;
        if is_range {
            cursor.eat("-");
            high = match member(cursor, sets, ignore_case)? {
                Escape::Char(high) => u32::from(high),
                Escape::Half(high) => high,
                Escape::Set(class) => {
                    // `[a-\d]`: an `a`, a `-`, and the digits.
                    ranges.push(('-', '-'));
                    ranges.extend_from_slice(class.ranges());
                    low
                }
            };
        }
        if low > high {
            return Err(cursor.syntax(offset, "this range ends before it starts"));
        }
        match characters(low, high) {
            Some(range) => ranges.push(range),
            None => first_half = first_half.or(Some(offset)),
        }
    }
    if let Some(half) = first_half.filter(|_| ranges.is_empty()) {
        return Err(escape::half_of_a_pair(cursor, half));
    }
    let class = CharClass::from_ranges(ranges);
    let class = if ignore_case { sets::fold(&class) } else { class };
    Ok(if negated { class.negate() } else { class })
}

/// The characters from one code point to another; `None` if there are only halves of surrogate pairs.
fn characters(low: u32, high: u32) -> Option<(char, char)> {
    let low = char::from_u32(low).unwrap_or('\u{E000}');
    let high = char::from_u32(high).unwrap_or('\u{D7FF}');
    (low <= high).then_some((low, high))
}

/// One member, or the class that an escape stands for. There is a next character, unless the class is not closed.
fn member(cursor: &mut Cursor<'_>, sets: &mut Sets, ignore_case: bool) -> Result<Escape, Error> {
    match cursor.peek() {
        Some('\\') => escape::read(cursor, sets, ignore_case, true),
        Some(c) => {
            cursor.bump();
            Ok(Escape::Char(c))
        }
        None => Err(cursor.syntax(cursor.offset(), "this class is not closed")),
    }
}
