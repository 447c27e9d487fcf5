//! Which vocabulary a name or a path means, and how its tokens are shown.

use crate::problem::Problem;
use formwork::{TokenId, Vocabulary, tokenizers};
use std::path::Path;

/// The vocabulary that needs no tokenizer: a token for each byte.
const BYTES: &str = "bytes";

/// The vocabulary of a name or a path; stop tokens by their texts, instead of the tokenizer's own.
pub(crate) fn vocabulary(name: &str, stops: &[String]) -> Result<Vocabulary, Problem> {
    if name == BYTES {
        return match stops.first() {
            None => Ok(Vocabulary::bytes()),
            Some(_) => {
                Err(Problem::usage("--tokenizer bytes has a stop token of its own; --stop is for others"))
            }
        };
    }
    let mut options = tokenizers::Options::default();
    for stop in stops {
        options = options.stop(stop.as_str());
    }
    if tokenizers::embedded_names().contains(&name) {
        return Ok(options.embedded(name)?);
    }
    let path = Path::new(name);
    if !path.exists() {
        let names = tokenizers::embedded_names().join(", ");
        return Err(Problem::usage(format!(
            "--tokenizer {name}: neither an embedded tokenizer ({names}, {BYTES}) nor a file or folder"
        )));
    }
    Ok(options.from_path(path)?)
}

/// A token as it is shown to people: a special token's name, or the text in quotes, escaped.
pub(crate) fn shown(vocabulary: &Vocabulary, token: TokenId) -> String {
    match vocabulary.text(token) {
        Some(text) => quoted(text),
        None => vocabulary.special_name(token).unwrap_or_default().escape_debug().to_string(),
    }
}

/// Bytes in quotes, without control characters; what is no UTF-8 as `\xHH`.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            // Inside double quotes a single one is itself.
            if c == '\'' { out.push(c) } else { out.extend(c.escape_debug()) }
        }
        out.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_readable_and_without_control_characters() {
        assert_eq!(quoted(b"it's \"x\"\n\x1b\xe2\x82"), r#""it's \"x\"\n\u{1b}\xe2\x82""#);
        let vocabulary = Vocabulary::bytes();
        assert_eq!(shown(&vocabulary, TokenId::new(97)), "\"a\"");
        assert_eq!(shown(&vocabulary, TokenId::new(256)), "<eos>");
        assert_eq!(shown(&vocabulary, TokenId::new(999)), "");
    }
}
