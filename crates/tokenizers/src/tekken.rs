//! Mistral's `tekken.json`.
//!
//! The first ids are special tokens, 1,000 of them in all files so far; the text tokens follow in the order of their ranks,
//! and the file may list more of them than the model has.

use crate::beside::Beside;
use crate::stops::Stop;
use crate::{Options, TokenizerError, TokenizerErrorKind, files};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use formwork_vocab::{Vocabulary, VocabularyBuilder};
use serde::Deserialize;
use std::path::Path;

/// The special tokens that a file may have; a few bytes of a file ask for this many.
const MAX_SPECIALS: u32 = 1 << 16;

/// What stops Mistral's models.
const STOP: &str = "</s>";

/// The special tokens of files that do not list them, in the order of their ids, which `mistral-common` knows by heart.
pub(crate) const OLD_SPECIALS: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// The last version of files that need not list their special tokens.
const LAST_OLD_VERSION: u32 = 7;

#[derive(Deserialize)]
struct File {
    config: Config,
    vocab: Vec<Token>,
    special_tokens: Option<Vec<Special>>,
}

#[derive(Deserialize)]
struct Config {
    version: Option<String>,
    default_vocab_size: u32,
    default_num_special_tokens: u32,
}

#[derive(Deserialize)]
struct Token {
    rank: u32,
    token_bytes: String,
}

#[derive(Deserialize)]
struct Special {
    rank: u32,
    token_str: String,
}

/// The vocabulary of a Mistral `tekken.json`, which stops at `</s>` unless
/// [the files beside it](crate#the-files-beside-a-tokenizer) say otherwise.
///
/// All special tokens are symbols, also the reserved ones (`<SPECIAL_20>` …) that a file leaves without a name.
///
/// # Errors
/// [`Io`](TokenizerErrorKind::Io), [`Format`](TokenizerErrorKind::Format),
/// [`UnknownStop`](TokenizerErrorKind::UnknownStop), [`Vocabulary`](TokenizerErrorKind::Vocabulary).
pub fn from_tekken_json(path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_tekken_json(path)
}

/// The vocabulary of a Mistral `tekken.json` in memory, which stops at `</s>`.
///
/// # Errors
/// [`Format`](TokenizerErrorKind::Format), [`Vocabulary`](TokenizerErrorKind::Vocabulary).
pub fn from_tekken_bytes(json: &[u8]) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_tekken_bytes(json)
}

impl Options {
    /// As [`from_tekken_json`](crate::from_tekken_json), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_tekken_json(&self, path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
        let path = path.as_ref();
        let json = files::read(path)?;
        let beside = Beside::read(path, self)?;
        let mut builder = builder(&json).map_err(|error| error.in_file(path))?;
        beside.finish(self, &mut builder, &[Stop::Text(STOP.into())]).map_err(|error| error.in_file(path))
    }

    /// As [`from_tekken_bytes`](crate::from_tekken_bytes), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_tekken_bytes(&self, json: &[u8]) -> Result<Vocabulary, TokenizerError> {
        self.finish(&mut builder(json)?, &[Stop::Text(STOP.into())])
    }
}

fn builder(json: &[u8]) -> Result<VocabularyBuilder, TokenizerError> {
    let file: File =
        serde_json::from_slice(json).map_err(|error| malformed(error.to_string()).with_source(error))?;
    let Config { version, default_vocab_size: n_ids, default_num_special_tokens: n_specials } = &file.config;
    if *n_specials > MAX_SPECIALS {
        return Err(malformed(format!(
            "it has {n_specials} special tokens, and at most {MAX_SPECIALS} are read"
        )));
    }
    let Some(n_text) = n_ids.checked_sub(*n_specials) else {
        return Err(malformed(format!("it has {n_ids} tokens, {n_specials} of them special")));
    };
    let mut builder = Vocabulary::builder();
    for (rank, name) in specials(&file, version.as_deref())? {
        if rank >= *n_specials {
            let message =
                format!("the special token {name:?} has the rank {rank}, and there are {n_specials}");
            return Err(malformed(message));
        }
        builder.special(rank, name);
    }
    let mut expected = 0..n_text;
    for (Token { rank, token_bytes }, expected) in file.vocab.iter().zip(&mut expected) {
        if *rank != expected {
            return Err(malformed(format!("the token of rank {expected} is missing, there is {rank}")));
        }
        let bytes = STANDARD
            .decode(token_bytes)
            .map_err(|error| malformed(format!("the token of rank {rank}: {error}")).with_source(error))?;
        builder.token(rank + n_specials, bytes);
    }
    if let Some(rank) = expected.next() {
        return Err(malformed(format!("the token of rank {rank} is missing, there are {n_text}")));
    }
    builder.origin("tekken.json");
    Ok(builder)
}

/// The special tokens and their ids, those without a name of their own included.
fn specials(file: &File, version: Option<&str>) -> Result<Vec<(u32, String)>, TokenizerError> {
    let mut specials: Vec<(u32, String)> = match &file.special_tokens {
        Some(specials) => specials.iter().map(|special| (special.rank, special.token_str.clone())).collect(),
        None => {
            let number = version.and_then(|version| version.strip_prefix('v')?.parse::<u32>().ok());
            if number.is_none_or(|number| number > LAST_OLD_VERSION) {
                let version = version.unwrap_or("none");
                let message = format!("it lists no special tokens, which files of version {version} must");
                return Err(malformed(message));
            }
            let n_specials = file.config.default_num_special_tokens;
            (0..n_specials).zip(OLD_SPECIALS.map(str::to_owned)).collect()
        }
    };
    let n_named = u32::try_from(specials.len()).unwrap_or(u32::MAX);
    let reserved = n_named..file.config.default_num_special_tokens;
    specials.extend(reserved.map(|id| (id, format!("<SPECIAL_{id}>"))));
    Ok(specials)
}

fn malformed(message: String) -> TokenizerError {
    TokenizerError::new(TokenizerErrorKind::Format, format!("not a tekken.json: {message}"))
}
