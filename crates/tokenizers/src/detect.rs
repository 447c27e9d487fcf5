//! Which of the formats a file or a folder is.

use crate::{Options, TokenizerError, TokenizerErrorKind, files, gguf, ranks};
use formwork_vocab::Vocabulary;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The files of a model's folder that are looked for by name, the first one that exists being the tokenizer.
const NAMES: [&str; 4] = ["tokenizer.json", "tekken.json", "tiktoken.model", "tokenizer.model"];

/// The files of a model's folder that are looked for by how their name ends, after those.
const ENDINGS: [&str; 2] = ["tiktoken", "gguf"];

/// The entries of a folder that are looked at.
const MAX_ENTRIES: usize = 10_000;

/// What a name ends with that is the first of the parts of a GGUF file; only that one has the vocabulary.
const FIRST_PART: &str = "-00001-of-";

/// A format of tokenizer files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    HfJson,
    Tekken,
    Ranks,
    Gguf,
}

/// The vocabulary of a tokenizer file of any format, or of a model's folder.
///
/// Formats are told apart by what is in the file, not by its name:
/// [`tokenizer.json`](crate::from_hf_json), [`tekken.json`](crate::from_tekken_json),
/// [tiktoken ranks](crate::from_tiktoken), [GGUF](crate::from_gguf).
/// In a folder, the first of `tokenizer.json`, `tekken.json`, `tiktoken.model`, `tokenizer.model`, `*.tiktoken` and
/// `*.gguf` counts; of several that end alike, of which none is the first part of a split one, nobody knows which is meant.
///
/// # Errors
/// As those; and [`Format`](TokenizerErrorKind::Format) for a file that is none of them,
/// [`Io`](TokenizerErrorKind::Io) for a folder without any.
pub fn from_path(path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
    Options::default().from_path(path)
}

impl Options {
    /// As [`from_path`](crate::from_path), with these options.
    ///
    /// # Errors
    /// As there; also where an option does not fit the vocabulary.
    pub fn from_path(&self, path: impl AsRef<Path>) -> Result<Vocabulary, TokenizerError> {
        let path = path.as_ref();
        let path = if path.is_dir() { &in_folder(path)? } else { path };
        match detect(path)? {
            Format::HfJson => self.from_hf_json(path),
            Format::Tekken => self.from_tekken_json(path),
            Format::Ranks => self.from_tiktoken(path),
            Format::Gguf => self.from_gguf(path),
        }
    }
}

/// The tokenizer in a folder.
fn in_folder(folder: &Path) -> Result<PathBuf, TokenizerError> {
    if let Some(path) = NAMES.iter().map(|name| folder.join(name)).find(|path| path.is_file()) {
        return Ok(path);
    }
    let entries = fs::read_dir(folder).map_err(|error| files::unreadable(folder, error))?;
    let mut paths = Vec::new();
    for entry in entries.take(MAX_ENTRIES) {
        paths.push(entry.map_err(|error| files::unreadable(folder, error))?.path());
    }
    paths.sort();
    for ending in ENDINGS {
        let ends_so = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == ending);
        let found: Vec<&PathBuf> = paths.iter().filter(ends_so).filter(|path| path.is_file()).collect();
        let is_first = |path: &&&PathBuf| path.to_string_lossy().contains(FIRST_PART);
        match (&found[..], found.iter().find(is_first)) {
            ([], _) => {}
            ([path], _) | (_, Some(path)) => return Ok(PathBuf::from(*path)),
            (several, None) => {
                let message = format!("there are {} files *.{ending}: say which", several.len());
                return Err(TokenizerError::new(TokenizerErrorKind::Format, message).in_file(folder));
            }
        }
    }
    let message = format!("there is no tokenizer in it: no {}, *.tiktoken or *.gguf", NAMES.join(", "));
    Err(TokenizerError::new(TokenizerErrorKind::Io, message).in_file(folder))
}

fn detect(path: &Path) -> Result<Format, TokenizerError> {
    /// Enough for the first line of a rank file.
    const MAX_START: u64 = 1 << 17;
    let mut start = Vec::new();
    let read = files::open(path)?.take(MAX_START).read_to_end(&mut start);
    read.map_err(|error| files::unreadable(path, error))?;
    if start.starts_with(gguf::MAGIC) {
        return Ok(Format::Gguf);
    }
    if start.trim_ascii_start().starts_with(b"{") {
        return Ok(if is_tekken(&files::read(path)?) { Format::Tekken } else { Format::HfJson });
    }
    if ranks::looks_like(&start) {
        return Ok(Format::Ranks);
    }
    // SentencePiece's models are protocol buffers whose first field is a piece.
    let message = if start.starts_with(b"\n") {
        "is no tokenizer that is known here; a SentencePiece model has to be converted to a tokenizer.json"
    } else {
        "is neither a tokenizer.json, a tekken.json, tiktoken ranks nor a GGUF file"
    };
    Err(TokenizerError::new(TokenizerErrorKind::Format, message).in_file(path))
}

/// Whether the JSON has the keys of a `tekken.json`. If it is malformed, whoever reads it says so.
fn is_tekken(json: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Keys {
        #[serde(rename = "config")]
        _config: IgnoredAny,
        #[serde(rename = "vocab")]
        _vocab: IgnoredAny,
    }
    serde_json::from_slice::<Keys>(json).is_ok()
}
