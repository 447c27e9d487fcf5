//! Strings, ranges and the flags of both strings and regular expressions.

use crate::problem::{Problem, quote};
use std::ops::Range;

/// The characters of a string, and whether their case does not matter.
pub(super) fn text(source: &str, span: Range<usize>) -> Result<(Box<str>, bool), Problem> {
    let literal = &source[span.clone()];
    let end = literal.rfind('"').unwrap_or(0);
    let flags = &literal[end + 1..];
    if !matches!(flags, "" | "i") {
        let flags = span.end - flags.len()..span.end;
        let message = format!("strings have no flags but `i`, not `{}`", quote(&source[flags.clone()]));
        return Err(Problem::syntax(flags, message).help("put a space between a string and a name"));
    }
    let (mut text, mut at) = (String::new(), 1);
    while at < end {
        let rest = &literal[at..end];
        let Some(escape) = rest.strip_prefix('\\') else {
            let c = rest.chars().next().unwrap_or_default();
            text.push(c);
            at += c.len_utf8();
            continue;
        };
        let (c, length) = match escape.chars().next() {
            Some('n') => ('\n', 2),
            Some('t') => ('\t', 2),
            Some('r') => ('\r', 2),
            Some('f') => ('\u{c}', 2),
            Some(c @ ('"' | '\\')) => (c, 2),
            Some(c @ ('x' | 'u' | 'U')) => match hex(escape, c) {
                Some((c, length)) => (c, length + 1),
                None => {
                    let place = span.start + at..span.start + at + 2;
                    let message = format!("`\\{c}` wants the digits of a character");
                    let expected = "`\\xHH`, `\\uHHHH` or `\\UHHHHHHHH`";
                    return Err(Problem::syntax(place, message).expected(expected));
                }
            },
            // Before anything else a backslash is itself.
            _ => ('\\', 1),
        };
        text.push(c);
        at += length;
    }
    Ok((text.into(), flags == "i"))
}

/// The character of `xHH`, `uHHHH` or `UHHHHHHHH`, and the length of that.
pub(super) fn hex(escape: &str, letter: char) -> Option<(char, usize)> {
    let n_digits = match letter {
        'x' => 2,
        'u' => 4,
        _ => 8,
    };
    let digits = escape.get(1..=n_digits).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
    Some((c, n_digits + 1))
}

/// The characters between which the range `first..last` lies.
pub(super) fn range(
    first: (Box<str>, bool),
    last: (Box<str>, bool),
    span: Range<usize>,
) -> Result<(char, char), Problem> {
    if first.1 || last.1 {
        return Err(Problem::syntax(span, "ranges have no flags")
            .help("write both cases: `\"a\"..\"z\" | \"A\"..\"Z\"`"));
    }
    let single = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|_| chars.next().is_none())
    };
    match (single(&first.0), single(&last.0)) {
        (Some(first), Some(last)) if first <= last => Ok((first, last)),
        (Some(_), Some(_)) => Err(Problem::syntax(span, "this range ends before it starts")),
        _ => Err(Problem::syntax(span, "a range goes from one character to another")),
    }
}

/// The parts of a regular expression: where what stands between the slashes is, and the flags.
pub(super) fn pattern(source: &str, span: Range<usize>) -> (Range<usize>, &str) {
    let end = span.start + source[span.clone()].rfind('/').unwrap_or(0);
    (span.start + 1..end, &source[end + 1..span.end])
}

/// Whether Lark knows the flags of a regular expression.
pub(super) fn check_flags(source: &str, span: Range<usize>) -> Result<(), Problem> {
    let (_, flags) = pattern(source, span.clone());
    let start = span.end - flags.len();
    match flags.find(|c| !"imsux".contains(c)) {
        None => Ok(()),
        Some(at) => {
            let place = start + at..start + at + 1;
            let message = format!("`{}` is no flag of regular expressions here", &source[place.clone()]);
            Err(Problem::syntax(place, message).expected("`i`, `m`, `s`, `u` or `x`"))
        }
    }
}
