//! Hugging Face `tokenizer.json` files.
//!
//! `file` is what the JSON says, `spelling` how its tokens spell bytes, `added` which of them are special, `beside` what
//! the files next to it add; this module puts them together.

mod added;
mod beside;
#[cfg(feature = "hf-encoder")]
mod encoder;
mod file;
mod spelling;

use crate::stops;
use crate::{Options, TokenizerError, TokenizerErrorKind};
use added::AddedTokens;
#[cfg(feature = "hf-encoder")]
pub use encoder::hf_encoder;
use file::File;
use formwork_vocab::{TokenId, Vocabulary};
use spelling::Spelling;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

/// The bytes of a file that are read at most. The largest tokenizers are below 50 MB.
const MAX_FILE_LEN: u64 = 1 << 30;

/// The vocabulary of a Hugging Face `tokenizer.json`.
///
/// Stop tokens are those that `tokenizer_config.json` (`eos_token`) and `generation_config.json` (`eos_token_id`)
/// beside the file name, together. Where neither names one, the vocabulary has none: give it some with
/// [`Options::stop`] or [`Vocabulary::with_stop_tokens`].
///
/// # Errors
/// [`Io`](TokenizerErrorKind::Io), [`Format`](TokenizerErrorKind::Format),
/// [`Unsupported`](TokenizerErrorKind::Unsupported), [`UnknownStop`](TokenizerErrorKind::UnknownStop) if a file beside
/// it names a token that is not there, [`Vocabulary`](TokenizerErrorKind::Vocabulary).
pub fn from_hf_json(path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_hf_json(path)
}

/// The vocabulary of a Hugging Face `tokenizer.json` in memory; it has no stop token, because the file names none.
///
/// # Errors
/// [`Format`](TokenizerErrorKind::Format), [`Unsupported`](TokenizerErrorKind::Unsupported),
/// [`Vocabulary`](TokenizerErrorKind::Vocabulary).
pub fn from_hf_bytes(json: &[u8]) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_hf_bytes(json)
}

impl Options {
    /// As [`from_hf_json`](crate::from_hf_json), with these options. If they name stop tokens, the files beside it are
    /// not read.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_hf_json(&self, path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
        let path = path.as_ref();
        let json = read(path)?;
        let vocabulary = self.from_hf_bytes(&json).map_err(|error| error.in_file(path))?;
        if !self.stops.is_empty() {
            return Ok(vocabulary);
        }
        let mut ids: Vec<TokenId> = Vec::new();
        for (path, stops) in beside::stops(path)? {
            let named = stops::stopping_at(&vocabulary, &stops).map_err(|error| error.in_file(&path))?;
            ids.extend_from_slice(named.stop_tokens());
        }
        Ok(vocabulary.with_stop_tokens(ids)?)
    }

    /// As [`from_hf_bytes`](crate::from_hf_bytes), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_hf_bytes(&self, json: &[u8]) -> Result<Vocabulary, TokenizerError> {
        let vocabulary = vocabulary(&File::parse(json)?, self.width)?;
        stops::stopping_at(&vocabulary, &self.stops)
    }
}

fn vocabulary(file: &File, width: Option<usize>) -> Result<Vocabulary, TokenizerError> {
    let spelling = Spelling::of(file)?;
    let added = AddedTokens::new(&file.added_tokens)?;
    let mut builder = Vocabulary::builder();
    let mut in_model: Vec<TokenId> = Vec::new();
    for (piece, id) in file.model.pieces() {
        let declared = added.of_piece(piece, id)?;
        if declared.is_some() {
            in_model.push(id);
        }
        // The unknown token stands for what cannot be spelled, so it is no text, whether or not the file lists it.
        if declared.is_some_and(|token| token.special) || file.model.is_unknown(piece, id) {
            builder.special(id, piece);
        } else {
            builder.token(id, spelling.bytes(piece));
        }
    }
    in_model.sort_unstable();
    for token in &file.added_tokens {
        let id = TokenId::new(token.id);
        // The `tokenizers` crate passes over those without text, too.
        if token.content.is_empty() || in_model.binary_search(&id).is_ok() {
            continue;
        }
        if token.special {
            builder.special(id, &token.content)
        } else {
            builder.token(id, &token.content)
        };
    }
    if let Some(width) = width {
        builder.width(width);
    }
    Ok(builder.build()?)
}

fn read(path: &Path) -> Result<Vec<u8>, TokenizerError> {
    read_if_exists(path)?
        .ok_or_else(|| TokenizerError::new(TokenizerErrorKind::Io, "there is no such file").in_file(path))
}

fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>, TokenizerError> {
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(MAX_FILE_LEN + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > MAX_FILE_LEN => {
            let message = format!("has more than {MAX_FILE_LEN} bytes, which no tokenizer has");
            Err(TokenizerError::new(TokenizerErrorKind::Format, message).in_file(path))
        }
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TokenizerError::new(TokenizerErrorKind::Io, error.to_string())
            .with_source(error)
            .in_file(path)),
    }
}
