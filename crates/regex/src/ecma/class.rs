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
            Escape::Char(low) => low,
            Escape::Set(class) => {
                // A `-` that follows is no range: it is read as a member of its own.
                ranges.extend_from_slice(class.ranges());
                continue;
            }
        };
        let is_range = cursor.rest().starts_with('-') && !cursor.rest().starts_with("-]");
        if !is_range {
            ranges.push((low, low));
            continue;
        }
        cursor.eat("-");
        match member(cursor, sets, ignore_case)? {
            Escape::Char(high) if low <= high => ranges.push((low, high)),
            Escape::Char(_) => return Err(cursor.syntax(offset, "this range ends before it starts")),
            Escape::Set(class) => {
                // `[a-\d]`: an `a`, a `-`, and the digits.
                ranges.extend([(low, low), ('-', '-')]);
                ranges.extend_from_slice(class.ranges());
            }
        }
    }
    let class = CharClass::from_ranges(ranges);
    let class = if ignore_case { sets::fold(&class) } else { class };
    Ok(if negated { class.negate() } else { class })
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
