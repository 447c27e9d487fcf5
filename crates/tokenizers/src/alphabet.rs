//! The two ways in which the text of a token stands for bytes: GPT-2's alphabet, and `<0xHH>`.

/// The bytes of a byte-level token: each character is a byte, in GPT-2's alphabet.
///
/// One character that is not of the alphabet, and the token is literal: so do the decoders.
pub(crate) fn byte_level(piece: &str) -> Vec<u8> {
    piece.chars().map(byte_of).collect::<Option<_>>().unwrap_or_else(|| piece.into())
}

/// The byte that a character stands for in GPT-2's alphabet: printable Latin-1 stands for itself; the other 68 bytes,
/// ascending, are the characters from U+0100 on.
fn byte_of(c: char) -> Option<u8> {
    match u32::from(c) {
        code @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => u8::try_from(code).ok(),
        code @ 0x100..=0x120 => u8::try_from(code - 0x100).ok(),
        code @ 0x121..=0x142 => u8::try_from(code - 0x121 + 0x7f).ok(),
        0x143 => Some(0xad),
        _ => None,
    }
}

/// The byte of `<0xHH>`.
pub(crate) fn fallback_byte(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    // The parser would also take a sign.
    let is_hex = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u8::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as GPT-2's `bytes_to_unicode` builds it.
    #[test]
    fn the_alphabet_is_that_of_gpt_2() {
        let mut next = 0x100;
        for byte in 0..=255u8 {
            let printable = matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
            let c = if printable { char::from(byte) } else { char::from_u32(next).unwrap() };
            next += u32::from(!printable);
            assert_eq!(byte_of(c), Some(byte), "{c}");
        }
        assert_eq!((next, byte_of('\u{144}'), byte_of(' '), byte_of('\u{ad}')), (0x144, None, None, None));
    }

    #[test]
    fn byte_level_tokens_with_a_foreign_character_are_literal() {
        assert_eq!(byte_level("Ġa"), b" a");
        assert_eq!(byte_level("âĤ¬"), "€".as_bytes());
        assert_eq!(byte_level("Ġ€"), "Ġ€".as_bytes());
        assert_eq!(byte_level("a b"), b"a b");
    }

    #[test]
    fn fallback_bytes_are_exactly_two_digits() {
        assert_eq!(fallback_byte("<0xE2>"), Some(0xe2));
        assert_eq!(fallback_byte("<0xe2>"), Some(0xe2));
        for literal in ["<0x+2>", "<0x2>", "<0x222>", "<0xE2>a", "<0xé>", "<0x>"] {
            assert_eq!(fallback_byte(literal), None, "{literal}");
        }
    }
}
