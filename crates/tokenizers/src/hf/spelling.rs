//! How the tokens of a `tokenizer.json` spell bytes, as its decoder says.
//!
//! A decoder is a list of steps that rewrite the list of tokens. Up to `Fuse` a step rewrites each token by itself, which is
//! what a vocabulary needs; after it there is one string, and only what happens at its start can still be told apart.

use super::file::File;
use crate::alphabet;
use crate::{TokenizerError, TokenizerErrorKind};
use formwork_vocab::LeadingSpace;
use serde_json::Value;

/// What stands for a space in SentencePiece's tokens: U+2581, `▁`.
const SPACE: &str = "\u{2581}";

/// More steps than any decoder has; every token goes through all of them.
const MAX_STEPS: usize = 64;

/// The bytes that a token may grow to while it is rewritten: more than a vocabulary takes.
const MAX_TOKEN_LEN: usize = 1 << 16;

/// How the tokens of a file spell bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spelling {
    kind: Kind,
    pub(super) leading_space: LeadingSpace,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A character is a byte, in GPT-2's alphabet.
    ByteLevel,
    /// Tokens are text.
    Text {
        /// What is replaced in each, in this order.
        replace: Vec<(String, String)>,
        /// Whether `<0xHH>` is one byte.
        byte_fallback: bool,
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
            (Some(decoder), _) => Decoder::read(decoder),
            (None, Some(pre_tokenizer)) if has_byte_level(pre_tokenizer) => {
                Ok(Self { kind: Kind::ByteLevel, leading_space: LeadingSpace::Kept })
            }
            (None, _) => Err(unsupported("it has no decoder to say how its tokens spell bytes")),
        }
    }

    /// The bytes of a token of the model.
    pub(super) fn bytes(&self, piece: &str) -> Vec<u8> {
        match &self.kind {
            Kind::ByteLevel => alphabet::byte_level(piece),
            Kind::Text { replace, byte_fallback } => {
                if let (true, Some(byte)) = (byte_fallback, alphabet::fallback_byte(piece)) {
                    return vec![byte];
                }
                let mut text = piece.to_owned();
                for (pattern, content) in replace {
                    let n_matches = text.matches(pattern.as_str()).count();
                    if text.len().saturating_add(n_matches.saturating_mul(content.len())) > MAX_TOKEN_LEN {
                        // The builder refuses it by name.
                        return vec![b' '; MAX_TOKEN_LEN];
                    }
                    if n_matches > 0 {
                        text = text.replace(pattern, content);
                    }
                }
                text.into()
            }
        }
    }

    /// The bytes of a token that was added beside the model's.
    ///
    /// Byte-level ones are text as it is written: they never went through the alphabet. (Hugging Face's decoder sends
    /// them through it all the same, which spoils the rare one that consists of the alphabet's characters only.)
    pub(super) fn bytes_of_added(&self, content: &str) -> Vec<u8> {
        match self.kind {
            Kind::ByteLevel => content.into(),
            Kind::Text { .. } => self.bytes(content),
        }
    }

    /// In a word, for reports.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::ByteLevel => "byte-level",
            Kind::Text { byte_fallback: true, .. } => "byte-fallback",
            Kind::Text { byte_fallback: false, .. } => "text",
        }
    }
}

/// What the steps seen so far do.
#[derive(Debug, Default)]
struct Decoder {
    is_byte_level: bool,
    is_byte_fallback: bool,
    replace: Vec<(String, String)>,
    /// Whether the tokens are one string by now.
    is_fused: bool,
    leading_space: LeadingSpace,
}

impl Decoder {
    fn read(decoder: &Value) -> Result<Spelling, TokenizerError> {
        let mut read = Self::default();
        let steps = steps(decoder, "decoders");
        if steps.len() > MAX_STEPS {
            return Err(unsupported(format!("its decoder has {} steps", steps.len())));
        }
        for step in steps {
            let unknown = || unsupported(format!("its decoder has the step {}", cut(step)));
            read.step(step).ok_or_else(unknown)?;
        }
        let Self { is_byte_level, is_byte_fallback, replace, leading_space, .. } = read;
        let kind = match is_byte_level {
            true if is_byte_fallback || !replace.is_empty() => {
                let message = format!("its decoder mixes byte-level and other tokens: {}", cut(decoder));
                return Err(unsupported(message));
            }
            true => Kind::ByteLevel,
            false => Kind::Text { replace, byte_fallback: is_byte_fallback },
        };
        Ok(Spelling { kind, leading_space })
    }

    /// `None` for a step that would give tokens other bytes than can be said here.
    fn step(&mut self, step: &Value) -> Option<()> {
        match step["type"].as_str()? {
            // It joins the tokens, too.
            "ByteLevel" => (self.is_byte_level, self.is_fused) = (true, true),
            "ByteFallback" if !self.is_fused => self.is_byte_fallback = true,
            "Fuse" => self.is_fused = true,
            "Metaspace" => {
                let replacement = step.get("replacement").map_or(Some(SPACE), Value::as_str)?;
                let prepends = match (step["prepend_scheme"].as_str(), step["add_prefix_space"].as_bool()) {
                    (Some(scheme), _) => scheme != "never",
                    (None, adds) => adds.unwrap_or(true),
                };
                if prepends {
                    // On one string, it would take away all spaces.
                    if self.is_fused {
                        return None;
                    }
                    self.leading_space = LeadingSpace::Stripped;
                }
                self.replace(replacement, " ")?;
            }
            "Replace" => self.replace(step["pattern"]["String"].as_str()?, step["content"].as_str()?)?,
            "Strip" if step["content"] == " " => match (step["start"].as_u64()?, step["stop"].as_u64()?) {
                (0, 0) => {}
                (1, 0) if self.is_fused => self.leading_space = LeadingSpace::Stripped,
                // It would strip every token, or the end of the output.
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }

    fn replace(&mut self, pattern: &str, content: &str) -> Option<()> {
        let n_chars = pattern.chars().take(2).count();
        // In one string, a longer pattern could lie across tokens; in the alphabet's, nothing is known of it.
        if n_chars == 0 || self.is_fused && n_chars > 1 || self.is_byte_level {
            return None;
        }
        self.replace.push((pattern.to_owned(), content.to_owned()));
        Some(())
    }
}

fn unsupported(message: impl std::fmt::Display) -> TokenizerError {
    TokenizerError::new(
        TokenizerErrorKind::Unsupported,
        format!("this tokenizer is not supported: {message}"),
    )
}

/// As JSON, cut where nobody would read on.
fn cut(value: &Value) -> String {
    const MAX_CHARS: usize = 200;
    let json = value.to_string();
    match json.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &json[..end]),
        None => json,
    }
}

/// The steps of a decoder or pre-tokenizer in their order, sequences (whose steps are under `key`) taken apart.
fn steps<'v>(value: &'v Value, key: &str) -> Vec<&'v Value> {
    let (mut steps, mut todo) = (Vec::new(), vec![value]);
    while let Some(step) = todo.pop() {
        match step[key].as_array() {
            Some(inner) if step["type"] == "Sequence" => todo.extend(inner.iter().rev()),
            _ => steps.push(step),
        }
    }
    steps
}

fn has_byte_level(pre_tokenizer: &Value) -> bool {
    steps(pre_tokenizer, "pretokenizers").into_iter().any(|step| step["type"] == "ByteLevel")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(steps: Value) -> Result<Spelling, TokenizerError> {
        Decoder::read(&json!({"type": "Sequence", "decoders": steps}))
    }

    #[test]
    fn steps_apply_to_each_token_in_their_order() {
        let spelling = read(json!([
            {"type": "Replace", "pattern": {"String": "▁"}, "content": "_"},
            {"type": "Replace", "pattern": {"String": "__"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Replace", "pattern": {"String": "é"}, "content": "e"},
        ]))
        .unwrap();
        assert_eq!(spelling.bytes("▁▁a▁é"), b" a_e");
        assert_eq!(spelling.bytes("<0xE9>"), [0xe9]);
        assert_eq!(spelling.bytes("<0xé>"), b"<0xe>");
        assert_eq!((spelling.name(), spelling.leading_space), ("byte-fallback", LeadingSpace::Kept));
    }

    #[test]
    fn what_strips_a_leading_space_is_known() {
        let check = |steps: Value, expected| assert_eq!(read(steps).unwrap().leading_space, expected);
        check(json!([{"type": "Metaspace"}]), LeadingSpace::Stripped);
        check(json!([{"type": "Metaspace", "prepend_scheme": "first"}]), LeadingSpace::Stripped);
        check(json!([{"type": "Metaspace", "prepend_scheme": "never"}]), LeadingSpace::Kept);
        check(json!([{"type": "Metaspace", "add_prefix_space": false}]), LeadingSpace::Kept);
        let strip = json!({"type": "Strip", "content": " ", "start": 1, "stop": 0});
        check(json!([{"type": "Fuse"}, strip]), LeadingSpace::Stripped);
        check(json!([{"type": "ByteLevel"}, strip]), LeadingSpace::Stripped);
        check(
            json!([{"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 0, "stop": 0}]),
            LeadingSpace::Kept,
        );
    }

    #[test]
    fn a_decoder_that_blows_tokens_up_is_bounded() {
        let replace = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "a".repeat(1000)});
        let spelling = read(json!([replace, replace, replace, replace, replace])).unwrap();
        assert_eq!(spelling.bytes("ab").len(), MAX_TOKEN_LEN);
        assert_eq!(spelling.bytes("b"), b"b");
        let error = read(vec![json!({"type": "Fuse"}); MAX_STEPS + 1].into()).unwrap_err();
        assert!(error.to_string().ends_with("its decoder has 65 steps"), "{error}");
    }

    #[test]
    fn steps_that_depend_on_more_than_one_token_are_refused() {
        let strip =
            |start: u32, stop: u32| json!({"type": "Strip", "content": " ", "start": start, "stop": stop});
        let replace = |from: &str| json!({"type": "Replace", "pattern": {"String": from}, "content": " "});
        let fuse = json!({"type": "Fuse"});
        for steps in [
            json!([strip(1, 0)]),
            json!([fuse, strip(2, 0)]),
            json!([fuse, strip(0, 1)]),
            json!([fuse, {"type": "Strip", "content": "x", "start": 1, "stop": 0}]),
            json!([fuse, {"type": "Metaspace"}]),
            json!([fuse, {"type": "ByteFallback"}]),
            json!([fuse, replace("ab")]),
            json!([replace("")]),
            json!([{"type": "Replace", "pattern": {"Regex": "a"}, "content": " "}]),
            json!([{"type": "ByteLevel"}, replace("▁")]),
            json!([replace("▁"), {"type": "ByteLevel"}]),
            json!([{"type": "ByteFallback"}, {"type": "ByteLevel"}]),
            json!([{"type": "BPEDecoder", "suffix": "</w>"}]),
        ] {
            let error = read(steps.clone()).unwrap_err();
            assert_eq!(error.kind(), TokenizerErrorKind::Unsupported, "{steps}");
        }
    }
}
