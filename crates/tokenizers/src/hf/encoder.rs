//! The encoder of a `tokenizer.json`, by the `tokenizers` crate.

use super::file::File;
use crate::{Encoder, Options, TokenizerError, TokenizerErrorKind};
use std::path::Path;
use tokenizers::Tokenizer;

/// The encoder of a Hugging Face `tokenizer.json`. Its ids are those of [`from_hf_json`](crate::from_hf_json).
///
/// # Errors
/// As there, stop tokens aside; and [`Unsupported`](TokenizerErrorKind::Unsupported) where the `tokenizers` crate would
/// give an added token another id than the file does.
pub fn hf_encoder(path: impl AsRef<Path>) -> Result<Encoder, TokenizerError> {
    let path = path.as_ref();
    let json = crate::files::read(path)?;
    encoder(&json).map_err(|error| error.in_file(path))
}

fn encoder(json: &[u8]) -> Result<Encoder, TokenizerError> {
    // Read here first, because the crate panics on files that are cut off, and takes some that are no tokenizer for us.
    let file = File::parse(json)?;
    Options::default().finish(&mut super::builder(&file)?, &[])?;
    let tokenizer = Tokenizer::from_bytes(json).map_err(|error| {
        let message = format!("the tokenizers library cannot read it: {error}");
        TokenizerError::new(TokenizerErrorKind::Format, message)
    })?;
    for token in file.added_tokens.iter().filter(|token| !token.content.is_empty()) {
        let id = tokenizer.token_to_id(&token.content);
        if id != Some(token.id) {
            let message = format!(
                "the added token {:?} has the id {}, but the tokenizers library makes it {id:?}",
                token.content, token.id
            );
            return Err(TokenizerError::new(TokenizerErrorKind::Unsupported, message));
        }
    }
    Ok(Encoder::hf(tokenizer))
}
