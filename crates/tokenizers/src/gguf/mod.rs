//! The vocabulary in the metadata of a GGUF file, as llama.cpp reads it.
//!
//! `reader` reads the values; this module knows which of them are about the tokenizer.

mod reader;

use crate::stops::Stop;
use crate::{Options, TokenizerError, TokenizerErrorKind, alphabet, files};
use formwork_vocab::{LeadingSpace, TokenId, Vocabulary, VocabularyBuilder};
use reader::{Reader, Type, malformed};
use std::io::{BufReader, Read};
use std::path::Path;

/// What every GGUF file begins with.
pub(crate) const MAGIC: &[u8; 4] = b"GGUF";

/// The tokens that are read at most: ten times those of any model.
const MAX_TOKENS: u64 = 1 << 22;

/// Keys are at most this long, says the format.
const MAX_KEY_LEN: usize = 65_535;

/// What stands for a space in SentencePiece's tokens: U+2581, `▁`.
const SPACE: &str = "\u{2581}";

/// Pre-tokenizers whose models are called `gpt2` although their tokens are text with `▁`.
const TEXT_PRE: [&str; 3] = ["gemma4", "granite-embed-multi-311m", "sarvam-moe"];

/// The keys of the stop tokens: end of sequence, of turn, of message.
const STOPS: [&str; 3] = ["eos_token_id", "eot_token_id", "eom_token_id"];

/// The vocabulary of a GGUF file, which stops at its end-of-sequence, end-of-turn and end-of-message tokens.
///
/// Only the metadata at the start of the file is read, not the tensors. Tokenizers called `gpt2` (byte-level), `llama` and
/// `gemma4` (SentencePiece) are supported. Control and unknown tokens are special, user-defined ones text, unused ones
/// holes; so are tokens called `[PAD151665]` after their own id, which converters put there to fill the width.
///
/// llama.cpp stops at more tokens than a file says, which it knows by their text: give them with [`Options::stop`].
///
/// # Errors
/// [`Io`](TokenizerErrorKind::Io), [`Format`](TokenizerErrorKind::Format),
/// [`Unsupported`](TokenizerErrorKind::Unsupported), [`UnknownStop`](TokenizerErrorKind::UnknownStop),
/// [`Vocabulary`](TokenizerErrorKind::Vocabulary).
pub fn from_gguf(path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_gguf(path)
}

/// As [`from_gguf`], from anything that gives the bytes of such a file from its start.
///
/// # Errors
/// As there.
pub fn from_gguf_reader(source: impl Read) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_gguf_reader(source)
}

impl Options {
    /// As [`from_gguf`](crate::from_gguf), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_gguf(&self, path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
        let path = path.as_ref();
        self.from_gguf_reader(files::open(path)?).map_err(|error| error.in_file(path))
    }

    /// As [`from_gguf_reader`](crate::from_gguf_reader), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_gguf_reader(&self, source: impl Read) -> Result<Vocabulary, TokenizerError> {
        let metadata = Metadata::read(&mut Reader::new(BufReader::new(source)))?;
        self.finish(&mut metadata.builder()?, &metadata.stops)
    }
}

/// What a file says about its tokenizer.
#[derive(Debug, Default)]
struct Metadata {
    model: Option<String>,
    pre_tokenizer: Option<String>,
    tokens: Option<Vec<String>>,
    token_types: Option<Vec<i64>>,
    adds_space_prefix: Option<bool>,
    stops: Vec<Stop>,
    width: usize,
}

impl Metadata {
    fn read(reader: &mut Reader<impl Read>) -> Result<Self, TokenizerError> {
        if reader.array::<4>()? != *MAGIC {
            return Err(malformed("it does not begin with `GGUF`"));
        }
        match reader.u32()? {
            2 | 3 => {}
            version if matches!(version.swap_bytes(), 2 | 3) => {
                return Err(unsupported("it is big-endian"));
            }
            version => {
                return Err(unsupported(format!("its version is {version}, and supported are 2 and 3")));
            }
        }
        let (_n_tensors, n_entries) = (reader.u64()?, reader.u64()?);
        let mut metadata = Self::default();
        for _ in 0..n_entries {
            let key = reader.string()?;
            if key.len() > MAX_KEY_LEN {
                return Err(malformed(format!("a key has {} bytes", key.len())));
            }
            let value_type = reader.value_type()?;
            metadata.entry(&String::from_utf8_lossy(&key), value_type, reader)?;
        }
        Ok(metadata)
    }

    fn entry(
        &mut self,
        key: &str,
        value_type: Type,
        reader: &mut Reader<impl Read>,
    ) -> Result<(), TokenizerError> {
        match key.strip_prefix("tokenizer.ggml.") {
            Some("model") => once(key, &mut self.model, text(key, value_type, reader)?),
            Some("pre") => once(key, &mut self.pre_tokenizer, text(key, value_type, reader)?),
            Some("tokens") => once(key, &mut self.tokens, texts(key, value_type, reader)?),
            Some("token_type") => once(key, &mut self.token_types, integers(key, value_type, reader)?),
            Some("add_space_prefix") => {
                let Type::Fixed { len: 1, .. } = value_type else { return Err(wrong_type(key)) };
                once(key, &mut self.adds_space_prefix, reader.array::<1>()? != [0])
            }
            Some(name) if STOPS.contains(&name) => {
                let id = reader.integer(value_type)?.ok_or_else(|| wrong_type(key))?;
                // -1 means that there is none, however it is written.
                if let Some(id) = u32::try_from(id).ok().filter(|&id| id != u32::MAX) {
                    self.stops.push(Stop::Id(TokenId::new(id)));
                }
                Ok(())
            }
            None if key.ends_with(".vocab_size") => {
                let size = reader.integer(value_type)?.ok_or_else(|| wrong_type(key))?;
                self.width = usize::try_from(size).map_err(|_| wrong_type(key))?;
                Ok(())
            }
            _ => reader.skip(value_type),
        }
    }

    fn builder(&self) -> Result<VocabularyBuilder, TokenizerError> {
        let missing = |name| move || malformed(format!("it has no tokenizer.ggml.{name}"));
        let model = self.model.as_deref().ok_or_else(missing("model"))?;
        let tokens = self.tokens.as_deref().ok_or_else(missing("tokens"))?;
        // Without them, nobody can tell special tokens from text.
        let types = self.token_types.as_deref().ok_or_else(missing("token_type"))?;
        if types.len() != tokens.len() {
            return Err(malformed(format!("it has {} tokens, and types of {}", tokens.len(), types.len())));
        }
        let pre_tokenizer = self.pre_tokenizer.as_deref().unwrap_or_default();
        let is_byte_level = match model {
            "gpt2" => !TEXT_PRE.contains(&pre_tokenizer),
            "llama" | "gemma4" => false,
            _ => {
                return Err(unsupported(format!(
                    "its model is {model:?}, and supported are gpt2, llama and gemma4"
                )));
            }
        };
        let mut builder = Vocabulary::builder();
        for ((token, token_type), id) in tokens.iter().zip(types).zip(0u32..) {
            match TokenType::of(*token_type)
                .ok_or_else(|| malformed(format!("token {id} is of type {token_type}")))?
            {
                TokenType::Normal if is_byte_level => builder.token(id, alphabet::byte_level(token)),
                TokenType::Normal => builder.token(id, token.replace(SPACE, " ")),
                TokenType::Special => builder.special(id, token),
                TokenType::UserDefined if *token == format!("[PAD{id}]") => continue,
                TokenType::UserDefined => builder.token(id, token),
                TokenType::Unused => continue,
                TokenType::Byte => {
                    let byte = alphabet::fallback_byte(token)
                        .ok_or_else(|| malformed(format!("token {id} is a byte, and called {token:?}")))?;
                    builder.token(id, [byte])
                }
            };
        }
        builder.width_at_least(self.width.max(tokens.len()));
        let spelling = if is_byte_level { "byte-level" } else { "byte-fallback" };
        builder.origin(format!("GGUF, {spelling} {model}"));
        if self.adds_space_prefix.unwrap_or(model == "llama") {
            builder.leading_space(LeadingSpace::Stripped);
        }
        Ok(builder)
    }
}

/// What llama.cpp makes of a token's type.
enum TokenType {
    Normal,
    /// A control token, or one for what cannot be spelled.
    Special,
    UserDefined,
    Unused,
    Byte,
}

impl TokenType {
    fn of(number: i64) -> Option<Self> {
        Some(match number {
            1 => Self::Normal,
            2 | 3 => Self::Special,
            4 => Self::UserDefined,
            0 | 5 => Self::Unused,
            6 => Self::Byte,
            _ => return None,
        })
    }
}

fn once<T>(key: &str, place: &mut Option<T>, value: T) -> Result<(), TokenizerError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(malformed(format!("it has {key} twice"))),
    }
}

fn text(key: &str, value_type: Type, reader: &mut Reader<impl Read>) -> Result<String, TokenizerError> {
    if value_type != Type::String {
        return Err(wrong_type(key));
    }
    String::from_utf8(reader.string()?).map_err(|_| malformed(format!("{key} is not UTF-8")))
}

fn texts(key: &str, value_type: Type, reader: &mut Reader<impl Read>) -> Result<Vec<String>, TokenizerError> {
    let n = elements(key, value_type, reader, |element| element == Type::String)?.1;
    let mut texts = Vec::new();
    for id in 0..n {
        let text = String::from_utf8(reader.string()?);
        texts.push(text.map_err(|_| malformed(format!("token {id} is not UTF-8")))?);
    }
    Ok(texts)
}

fn integers(key: &str, value_type: Type, reader: &mut Reader<impl Read>) -> Result<Vec<i64>, TokenizerError> {
    let is_integer = |element| matches!(element, Type::Fixed { is_integer: true, .. });
    let (element, n) = elements(key, value_type, reader, is_integer)?;
    let mut integers = Vec::new();
    for _ in 0..n {
        integers.push(reader.integer(element)?.ok_or_else(|| wrong_type(key))?);
    }
    Ok(integers)
}

/// The type and the number of an array's elements.
fn elements(
    key: &str,
    value_type: Type,
    reader: &mut Reader<impl Read>,
    is_expected: impl Fn(Type) -> bool,
) -> Result<(Type, u64), TokenizerError> {
    if value_type != Type::Array {
        return Err(wrong_type(key));
    }
    let (element, n) = reader.array_header()?;
    if !is_expected(element) {
        return Err(wrong_type(key));
    }
    if n > MAX_TOKENS {
        return Err(malformed(format!("{key} has {n} elements, and at most {MAX_TOKENS} are read")));
    }
    Ok((element, n))
}

fn wrong_type(key: &str) -> TokenizerError {
    malformed(format!("{key} is of another type than it should be"))
}

fn unsupported(message: impl std::fmt::Display) -> TokenizerError {
    TokenizerError::new(
        TokenizerErrorKind::Unsupported,
        format!("this GGUF file is not supported: {message}"),
    )
}
