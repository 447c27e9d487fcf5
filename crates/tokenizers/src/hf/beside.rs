//! The files beside a `tokenizer.json` that name its stop tokens.

use crate::stops::Stop;
use crate::{TokenizerError, TokenizerErrorKind};
use formwork_vocab::TokenId;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Reads the stop tokens from a configuration; `None` where it names them in an unknown way.
type StopsOf = fn(&Map<String, Value>) -> Option<Vec<Stop>>;

/// The stop tokens that each of the files beside `tokenizer` names; those that do not exist name none.
pub(super) fn stops(tokenizer: &Path) -> Result<Vec<(PathBuf, Vec<Stop>)>, TokenizerError> {
    let files: [(&str, StopsOf); 2] =
        [("tokenizer_config.json", of_tokenizer_config), ("generation_config.json", of_generation_config)];
    let mut named = Vec::new();
    for (name, stops_of) in files {
        let path = tokenizer.with_file_name(name);
        let Some(json) = super::read_if_exists(&path)? else { continue };
        let stops = parse(&json, stops_of).map_err(|error| error.in_file(&path))?;
        named.push((path, stops));
    }
    Ok(named)
}

fn parse(json: &[u8], stops_of: StopsOf) -> Result<Vec<Stop>, TokenizerError> {
    let config: Map<String, Value> = serde_json::from_slice(json).map_err(|error| {
        TokenizerError::new(TokenizerErrorKind::Format, format!("not a configuration: {error}"))
            .with_source(error)
    })?;
    stops_of(&config).ok_or_else(|| {
        TokenizerError::new(TokenizerErrorKind::Format, "its end-of-sequence token is neither text nor an id")
    })
}

/// `eos_token`: a text, or an object with the text as `content`. `None` if it is anything else.
fn of_tokenizer_config(config: &Map<String, Value>) -> Option<Vec<Stop>> {
    let text = match config.get("eos_token") {
        None | Some(Value::Null) => return Some(Vec::new()),
        Some(Value::Object(token)) => token.get("content")?.as_str()?,
        Some(token) => token.as_str()?,
    };
    // No token is meant by an empty text.
    Some(if text.is_empty() { Vec::new() } else { vec![Stop::Text(text.into())] })
}

/// `eos_token_id`: an id or a list of ids. `None` if it is anything else.
fn of_generation_config(config: &Map<String, Value>) -> Option<Vec<Stop>> {
    let id = |value: &Value| u32::try_from(value.as_u64()?).ok().map(|id| Stop::Id(TokenId::new(id)));
    match config.get("eos_token_id") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(ids)) => ids.iter().map(id).collect(),
        Some(value) => Some(vec![id(value)?]),
    }
}
