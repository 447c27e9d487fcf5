//! The files beside a tokenizer that say what it does not: its stop tokens, the width of the logits, added tokens.

use crate::stops::{self, Stop};
use crate::{Options, TokenizerError, TokenizerErrorKind, files};
use formwork_vocab::{TokenId, Vocabulary, VocabularyBuilder};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

type Config = Map<String, Value>;

/// What the files beside a tokenizer say. Those that do not exist say nothing; neither do those whose subject the options
/// have settled, which are not even read.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// The stop tokens that each file names.
    stops: Vec<(PathBuf, Vec<Stop>)>,
    width: Option<usize>,
    /// `added_tokens_decoder` of `tokenizer_config.json`, for tokenizers whose own file does not list added tokens.
    added: Vec<Added>,
}

/// A token that `tokenizer_config.json` adds to the tokenizer's own.
#[derive(Debug)]
struct Added {
    id: TokenId,
    content: String,
    special: bool,
}

impl Beside {
    /// What the files beside `tokenizer` say, added tokens aside.
    pub(crate) fn read(tokenizer: &Path, options: &Options) -> Result<Self, TokenizerError> {
        let mut beside = Self::default();
        if options.width.is_none() {
            beside.width = about(tokenizer, "config.json", width)?.and_then(|(_, width)| width);
        }
        if options.stops.is_empty() {
            beside.stops.extend(about(tokenizer, "tokenizer_config.json", stops_of_tokenizer_config)?);
            beside.stops.extend(about(tokenizer, "generation_config.json", stops_of_generation_config)?);
        }
        Ok(beside)
    }

    /// The same, with added tokens.
    pub(crate) fn with_added(tokenizer: &Path, options: &Options) -> Result<Self, TokenizerError> {
        let added = about(tokenizer, "tokenizer_config.json", added)?.map(|(_, added)| added);
        Ok(Self { added: added.unwrap_or_default(), ..Self::read(tokenizer, options)? })
    }

    /// The vocabulary with what the options say, else with what the files say, else with the stop tokens `own`.
    pub(crate) fn finish(
        &self,
        options: &Options,
        builder: &mut VocabularyBuilder,
        own: &[Stop],
    ) -> Result<Vocabulary, TokenizerError> {
        for Added { id, content, special } in &self.added {
            if *special {
                builder.special(*id, content);
            } else {
                builder.token(*id, content);
            }
        }
        if let Some(width) = self.width {
            // The logits of some models leave out ids that their tokenizer has; padding is all that is of use here.
            builder.width_at_least(width);
        }
        let mut vocabulary = options.finish(builder, &[])?;
        if !options.stops.is_empty() {
            return Ok(vocabulary);
        }
        let mut ids: Vec<TokenId> = Vec::new();
        for (path, stops) in &self.stops {
            let named = stops::stopping_at(&vocabulary, stops).map_err(|error| error.in_file(path))?;
            ids.extend_from_slice(named.stop_tokens());
        }
        if ids.is_empty() {
            vocabulary = stops::stopping_at(&vocabulary, own)?;
            return Ok(vocabulary);
        }
        Ok(vocabulary.with_stop_tokens(ids)?)
    }
}

/// What `read` finds in the configuration of this name beside `tokenizer`, if there is one. It answers with what it
/// expected where it finds something else.
fn about<T>(
    tokenizer: &Path,
    name: &str,
    read: fn(&Config) -> Result<T, &'static str>,
) -> Result<Option<(PathBuf, T)>, TokenizerError> {
    let path = tokenizer.with_file_name(name);
    let Some(json) = files::read_if_exists(&path)? else { return Ok(None) };
    let config: Config = serde_json::from_slice(&json).map_err(|error| {
        TokenizerError::new(TokenizerErrorKind::Format, format!("not a configuration: {error}"))
            .with_source(error)
            .in_file(&path)
    })?;
    match read(&config) {
        Ok(read) => Ok(Some((path, read))),
        Err(problem) => Err(TokenizerError::new(TokenizerErrorKind::Format, problem).in_file(&path)),
    }
}

const NO_STOP: &str = "its end-of-sequence token is neither text nor an id";

/// `eos_token`: a text, or an object with the text as `content`.
fn stops_of_tokenizer_config(config: &Config) -> Result<Vec<Stop>, &'static str> {
    let text = match config.get("eos_token") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(token)) => token.get("content").and_then(Value::as_str),
        Some(token) => token.as_str(),
    };
    // No token is meant by an empty text.
    let text = text.ok_or(NO_STOP)?;
    Ok(if text.is_empty() { Vec::new() } else { vec![Stop::Text(text.into())] })
}

/// `eos_token_id`: an id or a list of ids.
fn stops_of_generation_config(config: &Config) -> Result<Vec<Stop>, &'static str> {
    let id = |value: &Value| {
        let id = value.as_u64().and_then(|id| u32::try_from(id).ok());
        id.map(|id| Stop::Id(TokenId::new(id))).ok_or(NO_STOP)
    };
    match config.get("eos_token_id") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(ids)) => ids.iter().map(id).collect(),
        Some(value) => Ok(vec![id(value)?]),
    }
}

/// `vocab_size`, in models that see or hear in the part that is about text.
fn width(config: &Config) -> Result<Option<usize>, &'static str> {
    let of_text = config.get("text_config").and_then(|text| text.get("vocab_size"));
    match of_text.or_else(|| config.get("vocab_size")) {
        None | Some(Value::Null) => Ok(None),
        Some(size) => {
            let size = size.as_u64().and_then(|size| usize::try_from(size).ok());
            size.map(Some).ok_or("its vocab_size is not a number of tokens")
        }
    }
}

/// `added_tokens_decoder`: an object from ids to tokens.
fn added(config: &Config) -> Result<Vec<Added>, &'static str> {
    const NOT_TOKENS: &str = "its added_tokens_decoder does not map ids to tokens";
    let tokens = match config.get("added_tokens_decoder") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(tokens) => tokens.as_object().ok_or(NOT_TOKENS)?,
    };
    let token = |(id, token): (&String, &Value)| {
        let id = TokenId::new(id.parse().ok()?);
        let special = token.get("special").and_then(Value::as_bool).unwrap_or(false);
        Some(Added { id, content: token.get("content")?.as_str()?.to_owned(), special })
    };
    tokens.iter().map(|entry| token(entry).ok_or(NOT_TOKENS)).collect()
}
