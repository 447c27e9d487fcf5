//! Reading files: whole and bounded, with errors that name them.

use crate::{TokenizerError, TokenizerErrorKind};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file that are read at most. The largest tokenizers are below 50 MB.
const MAX_FILE_LEN: u64 = 1 << 30;

/// The bytes of the file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, TokenizerError> {
    read_if_exists(path)?.ok_or_else(|| not_there(path))
}

/// The bytes of the file, if there is one.
pub(crate) fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>, TokenizerError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE_LEN + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > MAX_FILE_LEN => {
            let message = format!("has more than {MAX_FILE_LEN} bytes, which no tokenizer has");
            Err(TokenizerError::new(TokenizerErrorKind::Format, message).in_file(path))
        }
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, error)),
    }
}

/// The file, to be read in parts.
pub(crate) fn open(path: &Path) -> Result<File, TokenizerError> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => not_there(path),
        _ => unreadable(path, error),
    })
}

pub(crate) fn unreadable(path: &Path, error: io::Error) -> TokenizerError {
    TokenizerError::new(TokenizerErrorKind::Io, error.to_string()).with_source(error).in_file(path)
}

fn not_there(path: &Path) -> TokenizerError {
    TokenizerError::new(TokenizerErrorKind::Io, "there is no such file").in_file(path)
}
