//! How characters are spelled in bytes: as plain UTF-8, or as the inside of a JSON string.
//!
//! Both spellings are read from left to right without choice: bytes spell at most one sequence of characters.
//! An input that ends inside a spelling leaves a set of characters it may still become, which is what a question about
//! prefixes needs.

use formwork_grammar::CharClass;

/// How the bytes of a text expression spell its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// UTF-8.
    Plain,
    /// UTF-8 with the escapes of RFC 8259, section 7.
    Json,
}

/// What some bytes begin with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A character, and how many bytes spell it.
    Char(char, usize),
    /// The bytes end inside a spelling of one of these characters; the class is not empty.
    Partial(CharClass),
    /// No spelling of any character begins so.
    Invalid,
}

impl Spelling {
    /// The first character that `bytes` spell. There must be at least one byte.
    pub(super) fn first(self, bytes: &[u8]) -> Unit {
        match (self, bytes[0]) {
            (Self::Json, b'\\') => json_escape(bytes),
            // Quotes end a string, and controls must be escaped.
            (Self::Json, b'"' | 0..=0x1F) => Unit::Invalid,
            _ => utf8(bytes),
        }
    }
}

fn partial(class: CharClass) -> Unit {
    if class.is_empty() { Unit::Invalid } else { Unit::Partial(class) }
}

fn utf8(bytes: &[u8]) -> Unit {
    let (len, lead, least) = match bytes[0] {
        b @ 0..=0x7F => return Unit::Char(char::from(b), 1),
        b @ 0xC2..=0xDF => (2, b & 0x1F, 0x80),
        b @ 0xE0..=0xEF => (3, b & 0x0F, 0x800),
        b @ 0xF0..=0xF4 => (4, b & 0x07, 0x1_0000),
        _ => return Unit::Invalid,
    };
    if let Some(whole) = bytes.get(..len) {
        return match std::str::from_utf8(whole).ok().and_then(|text| text.chars().next()) {
            Some(c) => Unit::Char(c, len),
            None => Unit::Invalid,
        };
    }
    let mut low = u32::from(lead);
    for &byte in &bytes[1..] {
        if byte & 0xC0 != 0x80 {
            return Unit::Invalid;
        }
        low = low << 6 | u32::from(byte & 0x3F);
    }
    let missing = 6 * (len - bytes.len());
    let (low, high) = (low << missing, (low << missing) | ((1 << missing) - 1));
    // The least value keeps overlong spellings out; `from_code_points` drops surrogates and what is too large.
    partial(CharClass::from_code_points([(low.max(least), high)]))
}

fn json_escape(bytes: &[u8]) -> Unit {
    let short = |c| Unit::Char(c, 2);
    match bytes.get(1) {
        // Every character has a spelling that begins with a backslash.
        None => Unit::Partial(CharClass::any()),
        Some(b'"') => short('"'),
        Some(b'\\') => short('\\'),
        Some(b'/') => short('/'),
        Some(b'b') => short('\u{8}'),
        Some(b'f') => short('\u{C}'),
        Some(b'n') => short('\n'),
        Some(b'r') => short('\r'),
        Some(b't') => short('\t'),
        Some(b'u') => unicode_escape(bytes),
        Some(_) => Unit::Invalid,
    }
}

/// `\uXXXX`, or two of them for a pair of surrogates.
fn unicode_escape(bytes: &[u8]) -> Unit {
    let Some((low, high)) = hex_range(&bytes[2..]) else { return Unit::Invalid };
    if bytes.len() < 6 {
        return partial(CharClass::from_code_points([(low, high)]).union(&pairs(
            low,
            high,
            (0xDC00, 0xDFFF),
        )));
    }
    if let Some(c) = char::from_u32(low) {
        return Unit::Char(c, 6);
    }
    if low >= 0xDC00 {
        return Unit::Invalid;
    }
    let rest = &bytes[6..];
    if rest.first().is_some_and(|&b| b != b'\\') || rest.get(1).is_some_and(|&b| b != b'u') {
        return Unit::Invalid;
    }
    let Some(second) = hex_range(rest.get(2..).unwrap_or(&[])) else { return Unit::Invalid };
    let class = pairs(low, low, second);
    match class.as_single() {
        Some(c) if rest.len() >= 6 => Unit::Char(c, 12),
        _ => partial(class),
    }
}

/// The values that four hexadecimal digits may have of which the first ones are given; bytes past the fourth are ignored.
fn hex_range(digits: &[u8]) -> Option<(u32, u32)> {
    let digits = &digits[..digits.len().min(4)];
    let mut low = 0;
    for &digit in digits {
        low = low << 4 | char::from(digit).to_digit(16)?;
    }
    let missing = 4 * (4 - digits.len());
    Some((low << missing, (low << missing) | ((1 << missing) - 1)))
}

/// The characters above U+FFFF whose first surrogate is in `low..=high` and whose second is in `second`.
fn pairs(low: u32, high: u32, second: (u32, u32)) -> CharClass {
    let (low, high) = (low.max(0xD800), high.min(0xDBFF));
    let second = (second.0.max(0xDC00), second.1.min(0xDFFF));
    if low > high || second.0 > second.1 {
        return CharClass::none();
    }
    let value = |first: u32, second: u32| 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    // At most 1,024 first surrogates, each with one run of second ones.
    CharClass::from_code_points((low..=high).map(|first| (value(first, second.0), value(first, second.1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_and_every_cut_of_it_is_read() {
        for c in [
            'a',
            '\u{7F}',
            'é',
            '\u{7FF}',
            '\u{800}',
            '中',
            '\u{D7FF}',
            '\u{E000}',
            '\u{10000}',
            '😀',
            char::MAX,
        ] {
            let mut utf8 = [0; 4];
            let raw = c.encode_utf8(&mut utf8).as_bytes();
            let mut utf16 = [0; 2];
            let escaped: String =
                c.encode_utf16(&mut utf16).iter().map(|unit| format!("\\u{unit:04x}")).collect();
            for (spelling, bytes) in
                [(Spelling::Plain, raw), (Spelling::Json, raw), (Spelling::Json, escaped.as_bytes())]
            {
                assert_eq!(spelling.first(bytes), Unit::Char(c, bytes.len()));
                for cut in 1..bytes.len() {
                    let Unit::Partial(class) = spelling.first(&bytes[..cut]) else {
                        panic!("{c:?} cut at {cut}")
                    };
                    assert!(class.contains(c), "{c:?} cut at {cut} may be {class:?}");
                }
            }
        }
    }

    #[test]
    fn what_spells_nothing_is_invalid() {
        for bytes in
            [&b"\x80"[..], b"\xC0", b"\xC1\x80", b"\xE0\x80", b"\xED\xA0", b"\xF4\x90", b"\xF5", b"\xC3a"]
        {
            assert_eq!(Spelling::Plain.first(bytes), Unit::Invalid, "{bytes:x?}");
        }
        for bytes in [
            &b"\""[..],
            b"\n",
            b"\\x",
            b"\\u00g",
            b"\\uDC",
            b"\\uDC00",
            b"\\uD800a",
            b"\\uD800\\n",
            b"\\uD800\\u0",
            b"\\uD800\\uD8",
        ] {
            assert_eq!(Spelling::Json.first(bytes), Unit::Invalid, "{}", bytes.escape_ascii());
        }
        assert_eq!(Spelling::Json.first(b"\\n"), Unit::Char('\n', 2));
    }
}
