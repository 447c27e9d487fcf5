//! Hugging Face `tokenizer.json` files.
//!
//! `file` is what the JSON says, `spelling` how its tokens spell bytes, `added` which of them are special; this module
//! puts them together.

mod added;
#[cfg(feature = "hf-encoder")]
mod encoder;
mod file;
mod spelling;

use crate::beside::Beside;
use crate::{Options, TokenizerError, files};
use added::AddedTokens;
#[cfg(feature = "hf-encoder")]
pub use encoder::hf_encoder;
use file::File;
use formwork_vocab::{TokenId, Vocabulary, VocabularyBuilder};
use spelling::Spelling;
use std::path::Path;

/// The vocabulary of a Hugging Face `tokenizer.json`.
///
/// What [the files beside it](crate#the-files-beside-a-tokenizer) say about stop tokens and width counts. Where no file names
/// a stop token, the vocabulary has none: give it some with [`Options::stop`] or [`Vocabulary::with_stop_tokens`].
///
/// # Errors
/// [`Io`](crate::TokenizerErrorKind::Io), [`Format`](crate::TokenizerErrorKind::Format),
/// [`Unsupported`](crate::TokenizerErrorKind::Unsupported), [`UnknownStop`](crate::TokenizerErrorKind::UnknownStop) if a file beside
/// it names a token that is not there, [`Vocabulary`](crate::TokenizerErrorKind::Vocabulary).
pub fn from_hf_json(path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_hf_json(path)
}

/// The vocabulary of a Hugging Face `tokenizer.json` in memory; it has no stop token, because the file names none.
///
/// # Errors
/// [`Format`](crate::TokenizerErrorKind::Format), [`Unsupported`](crate::TokenizerErrorKind::Unsupported),
/// [`Vocabulary`](crate::TokenizerErrorKind::Vocabulary).
pub fn from_hf_bytes(json: &[u8]) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_hf_bytes(json)
}

impl Options {
    /// As [`from_hf_json`](crate::from_hf_json), with these options. Where they say something, the files beside it are
    /// not asked for it.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_hf_json(&self, path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
        let path = path.as_ref();
        let json = files::read(path)?;
        let beside = Beside::read(path, self)?;
        let file = File::parse(&json).map_err(|error| error.in_file(path))?;
        let mut builder = builder(&file).map_err(|error| error.in_file(path))?;
        beside.finish(self, &mut builder, &[]).map_err(|error| error.in_file(path))
    }

    /// As [`from_hf_bytes`](crate::from_hf_bytes), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_hf_bytes(&self, json: &[u8]) -> Result<Vocabulary, TokenizerError> {
        self.finish(&mut builder(&File::parse(json)?)?, &[])
    }
}

/// The tokens of the file.
fn builder(file: &File) -> Result<VocabularyBuilder, TokenizerError> {
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
            builder.token(id, spelling.bytes_of_added(&token.content))
        };
    }
    builder.origin(format!("tokenizer.json, {} {}", spelling.name(), file.model.name()));
    builder.leading_space(spelling.leading_space);
    Ok(builder)
}
