//! How the tokens of a file spell bytes.

use super::file::File;
use crate::{TokenizerError, TokenizerErrorKind};
use serde_json::Value;

/// What stands for a space in SentencePiece's tokens: U+2581, `▁`.
const SPACE: &str = "\u{2581}";

/// How the tokens of a file spell bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// A character is a byte, in GPT-2's alphabet.
    ByteLevel,
    /// Tokens are text, but for `<0xHH>`, which is one byte.
    ByteFallback {
        /// Whether `▁` stands for a space.
        marks_spaces: bool,
    },
}

impl Spelling {
    /// The file's spelling, as its decoder undoes it.
    ///
    /// # Errors
    /// [`Unsupported`](TokenizerErrorKind::Unsupported) with what was found, where some step of the decoder does
    /// anything else: its tokens would get wrong bytes.
    pub(super) fn of(file: &File) -> Result<Self, TokenizerError> {
        let model = file.model.name();
        if !["BPE", "Unigram"].contains(&model) {
            return Err(unsupported(format!("its model is {model}, and supported are BPE and Unigram")));
        }
        let affixes = [&file.model.continuing_subword_prefix, &file.model.end_of_word_suffix];
        if let Some(affix) = affixes.into_iter().flatten().find(|affix| !affix.is_empty()) {
            return Err(unsupported(format!("its tokens mark words with {affix:?}")));
        }
        match (&file.decoder, &file.pre_tokenizer) {
            (Some(decoder), _) => Self::of_decoder(decoder),
            (None, Some(pre_tokenizer)) if has_byte_level(pre_tokenizer) => Ok(Self::ByteLevel),
            (None, _) => Err(unsupported("it has no decoder to say how its tokens spell bytes")),
        }
    }

    fn of_decoder(decoder: &Value) -> Result<Self, TokenizerError> {
        let (mut byte_level, mut byte_fallback, mut marks_spaces) = (false, false, false);
        for step in steps(decoder, "decoders") {
            match kind(step) {
                "ByteLevel" => byte_level = true,
                "ByteFallback" => byte_fallback = true,
                "Metaspace" if step["replacement"] == SPACE => marks_spaces = true,
                "Replace" if step["pattern"]["String"] == SPACE && step["content"] == " " => {
                    marks_spaces = true
                }
                // These join tokens, or strip the space that the tokenizer put before the text; no token changes.
                "Fuse" => {}
                "Strip" if step["content"] == " " => {}
                _ => return Err(unsupported(format!("its decoder has the step {step}"))),
            }
        }
        match (byte_level, byte_fallback) {
            (true, false) if !marks_spaces => Ok(Self::ByteLevel),
            (false, true) => Ok(Self::ByteFallback { marks_spaces }),
            _ => Err(unsupported(format!("its decoder is neither byte-level nor byte-fallback: {decoder}"))),
        }
    }

    /// The bytes of a token of the model.
    pub(super) fn bytes(self, piece: &str) -> Vec<u8> {
        match self {
            // One character that is not of the alphabet, and the token is literal: so does the decoder.
            Self::ByteLevel => {
                piece.chars().map(byte_of).collect::<Option<_>>().unwrap_or_else(|| piece.into())
            }
            Self::ByteFallback { marks_spaces } => match fallback_byte(piece) {
                Some(byte) => vec![byte],
                None if marks_spaces => piece.replace(SPACE, " ").into(),
                None => piece.into(),
            },
        }
    }
}

fn unsupported(message: impl std::fmt::Display) -> TokenizerError {
    TokenizerError::new(
        TokenizerErrorKind::Unsupported,
        format!("this tokenizer is not supported: {message}"),
    )
}

/// The `type` of a step, or nothing known.
fn kind(step: &Value) -> &str {
    step["type"].as_str().unwrap_or("")
}

/// The steps of a decoder or pre-tokenizer, sequences (whose steps are under `key`) taken apart, in no special order.
fn steps<'v>(value: &'v Value, key: &str) -> Vec<&'v Value> {
    let (mut steps, mut todo) = (Vec::new(), vec![value]);
    while let Some(step) = todo.pop() {
        match step[key].as_array() {
            Some(inner) if kind(step) == "Sequence" => todo.extend(inner),
            _ => steps.push(step),
        }
    }
    steps
}

fn has_byte_level(pre_tokenizer: &Value) -> bool {
    steps(pre_tokenizer, "pretokenizers").into_iter().any(|step| kind(step) == "ByteLevel")
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
fn fallback_byte(piece: &str) -> Option<u8> {
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
        assert_eq!(Spelling::ByteLevel.bytes("Ġa"), b" a");
        assert_eq!(Spelling::ByteLevel.bytes("âĤ¬"), "€".as_bytes());
        assert_eq!(Spelling::ByteLevel.bytes("Ġ€"), "Ġ€".as_bytes());
        assert_eq!(Spelling::ByteLevel.bytes("a b"), b"a b");
    }

    #[test]
    fn fallback_bytes_are_exactly_two_digits() {
        let spelling = Spelling::ByteFallback { marks_spaces: true };
        assert_eq!(spelling.bytes("<0xE2>"), [0xe2]);
        assert_eq!(spelling.bytes("<0xe2>"), [0xe2]);
        for literal in ["<0x+2>", "<0x2>", "<0x222>", "<0xE2>a", "<0xé>", "<0x>"] {
            assert_eq!(spelling.bytes(literal), literal.as_bytes());
        }
        assert_eq!(spelling.bytes("▁a▁"), b" a ");
        assert_eq!(Spelling::ByteFallback { marks_spaces: false }.bytes("▁a"), "▁a".as_bytes());
    }
}
