//! `--pool`: what earlier runs computed for a tokenizer, kept in a file.

use crate::problem::Problem;
use formwork::{Compiler, CompilerBuilder, Pool, Vocabulary};
use std::io::ErrorKind;
use std::path::Path;

/// What pools hold here, in bytes.
const MAX_BYTES: usize = 256 << 20;

/// A compiler for the vocabulary, with the pool out of the file, if one is named and there.
///
/// # Errors
/// The file cannot be read, or is no pool for this vocabulary.
pub(crate) fn compiler(vocabulary: Vocabulary, file: Option<&Path>) -> Result<CompilerBuilder, Problem> {
    let Some(file) = file else { return Ok(Compiler::builder(vocabulary)) };
    let pool = match std::fs::read(file) {
        Ok(bytes) => Pool::from_bytes(vocabulary, MAX_BYTES, &bytes)
            .map_err(|error| Problem::file(file, format!("{error}; remove it to begin anew")))?,
        Err(error) if error.kind() == ErrorKind::NotFound => Pool::new(vocabulary, MAX_BYTES),
        Err(error) => return Err(Problem::file(file, error)),
    };
    Ok(Compiler::builder(pool.vocabulary().clone()).pool(&pool))
}

/// Writes the pool to the file, if one is named and something was added. A reader finds the old file or the new one.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn keep(pool: &Pool, file: Option<&Path>) -> Result<(), Problem> {
    let Some(file) = file.filter(|_| pool.stats().misses > 0) else { return Ok(()) };
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let written = std::fs::write(&beside, pool.to_bytes()).and_then(|()| std::fs::rename(&beside, file));
    written.map_err(|error| {
        // It may not be there.
        let _ = std::fs::remove_file(&beside);
        Problem::file(file, error)
    })
}
