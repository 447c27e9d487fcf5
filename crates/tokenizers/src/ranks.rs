//! tiktoken's rank files: a line for each token, its bytes in base64 and its rank, which is its id.

use crate::beside::Beside;
use crate::{Options, TokenizerError, TokenizerErrorKind, files};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use formwork_vocab::{Vocabulary, VocabularyBuilder};
use std::path::Path;

/// The vocabulary of a tiktoken rank file, such as `o200k_base.tiktoken` or Llama 3's `tokenizer.model`.
///
/// Such a file lists text tokens only. Special tokens are those of `added_tokens_decoder` in a `tokenizer_config.json` beside
/// it, as Kimi has one; others are given with [`Options::special`]. Stop tokens and width are as
/// [the files beside it](crate#the-files-beside-a-tokenizer) say.
///
/// ```no_run
/// use formwork_tokenizers::Options;
/// let options = Options::default().special(100_257u32, "<|endoftext|>").stop("<|endoftext|>");
/// let vocabulary = options.from_tiktoken("cl100k_base.tiktoken")?;
/// # Ok::<(), formwork_tokenizers::TokenizerError>(())
/// ```
///
/// # Errors
/// [`Io`](TokenizerErrorKind::Io), [`Format`](TokenizerErrorKind::Format) with the line,
/// [`UnknownStop`](TokenizerErrorKind::UnknownStop), [`Vocabulary`](TokenizerErrorKind::Vocabulary).
pub fn from_tiktoken(path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_tiktoken(path)
}

/// The vocabulary of a tiktoken rank file in memory: text tokens, and nothing else.
///
/// # Errors
/// [`Format`](TokenizerErrorKind::Format) with the line, [`Vocabulary`](TokenizerErrorKind::Vocabulary).
pub fn from_tiktoken_bytes(ranks: &[u8]) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_tiktoken_bytes(ranks)
}

impl Options {
    /// As [`from_tiktoken`](crate::from_tiktoken), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_tiktoken(&self, path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
        let path = path.as_ref();
        let ranks = files::read(path)?;
        let beside = Beside::with_added(path, self)?;
        let mut builder = builder(&ranks).map_err(|error| error.in_file(path))?;
        beside.finish(self, &mut builder, &[]).map_err(|error| error.in_file(path))
    }

    /// As [`from_tiktoken_bytes`](crate::from_tiktoken_bytes), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_tiktoken_bytes(&self, ranks: &[u8]) -> Result<Vocabulary, TokenizerError> {
        self.finish(&mut builder(ranks)?, &[])
    }
}

/// Whether the text begins as a rank file does.
pub(crate) fn looks_like(start: &[u8]) -> bool {
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    entry(line, &mut Vec::new()).is_some_and(|rank| rank.is_some())
}

fn builder(ranks: &[u8]) -> Result<VocabularyBuilder, TokenizerError> {
    let mut builder = Vocabulary::builder();
    builder.origin("tiktoken ranks");
    let (mut bytes, mut is_empty) = (Vec::new(), true);
    for (line, number) in ranks.split(|&byte| byte == b'\n').zip(1..) {
        match entry(line, &mut bytes) {
            Some(Some(rank)) => {
                builder.token(rank, &bytes);
                is_empty = false;
            }
            Some(None) => {}
            None => return Err(malformed(number, line)),
        }
    }
    if is_empty {
        return Err(TokenizerError::new(TokenizerErrorKind::Format, "not a tiktoken rank file: it is empty"));
    }
    Ok(builder)
}

/// The rank of a line, whose token's bytes are put into `bytes`; nothing for a blank line. `None` if it is neither.
fn entry(line: &[u8], bytes: &mut Vec<u8>) -> Option<Option<u32>> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Some(None);
    }
    let space = line.iter().position(|byte| byte.is_ascii_whitespace())?;
    let (token, rank) = line.split_at(space);
    let rank = std::str::from_utf8(rank.trim_ascii_start()).ok()?;
    // The parser would also take a sign.
    let rank = if rank.starts_with('+') { None } else { rank.parse().ok() };
    bytes.clear();
    STANDARD.decode_vec(token, bytes).ok()?;
    Some(Some(rank?))
}

fn malformed(number: usize, line: &[u8]) -> TokenizerError {
    const MAX_BYTES: usize = 60;
    let shown = line.get(..MAX_BYTES).unwrap_or(line).escape_ascii();
    let message = format!(
        "not a tiktoken rank file: line {number} is not a token in base64 and its rank, but \"{shown}\""
    );
    TokenizerError::new(TokenizerErrorKind::Format, message)
}
