//! Words of a grammar that a writer should use where they fit: names of properties, enumerated values, keywords.
//!
//! A grammar says what is allowed, not what is likely. An open object allows any key, so that a writer without hints would
//! rarely hit a declared one. Hints never make anything allowed; they are tried, and dropped where they do not fit.

use serde_json::Value;

/// Words of a grammar that a writer should use where they fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Declared properties, object by object.
    pub(crate) objects: Vec<Names>,
    /// Strings that the schema enumerates, as they stand in JSON strings.
    pub(crate) values: Vec<String>,
    /// Literal words of an EBNF grammar.
    pub(crate) keywords: Vec<String>,
}

/// The declared properties of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// The property or definition that the object is the value of, directly or in lists and branches; empty for the root.
    pub(crate) label: String,
    /// As they stand in JSON strings, in the schema's order.
    pub(crate) keys: Vec<String>,
}

/// So many words are enough; beyond, trying them all would take longer than anything else.
const MAX_WORDS: usize = 500;

impl Hints {
    /// Property names and enumerated strings of a schema; none if the text is not JSON that can be looked through.
    pub fn of_schema(text: &str) -> Self {
        let mut hints = Self::default();
        let Ok(schema) = serde_json::from_str::<Value>(text) else { return hints };
        // `serde_json` reads no deep values, but the stack is our own all the same. The last pushed is looked at first.
        let mut open = vec![("", &schema)];
        let mut n_keys = 0;
        while let Some((label, value)) = open.pop() {
            let Value::Object(members) = value else {
                if let Value::Array(items) = value {
                    open.extend(items.iter().rev().map(|item| (label, item)));
                }
                continue;
            };
            let mut keys: Vec<String> = Vec::new();
            for (name, member) in members {
                match (name.as_str(), member) {
                    ("properties", Value::Object(properties)) => {
                        properties.keys().for_each(|key| add(&mut keys, key))
                    }
                    ("required", Value::Array(names)) => {
                        names.iter().filter_map(Value::as_str).for_each(|key| add(&mut keys, key));
                    }
                    ("enum", Value::Array(values)) => {
                        values.iter().filter_map(Value::as_str).for_each(|word| add(&mut hints.values, word));
                    }
                    ("const", Value::String(word)) => add(&mut hints.values, word),
                    _ => {}
                }
            }
            n_keys += keys.len();
            if !keys.is_empty() && n_keys <= MAX_WORDS {
                hints.objects.push(Names { label: label.to_owned(), keys });
            }
            for (name, member) in members.iter().rev() {
                match (name.as_str(), member) {
                    ("properties" | "$defs" | "definitions", Value::Object(members)) => {
                        open.extend(members.iter().rev().map(|(name, member)| (name.as_str(), member)));
                    }
                    _ => open.push((label, member)),
                }
            }
        }
        hints
    }

    /// The quoted words of an EBNF text. Nothing is parsed: a wrong guess costs a refused try.
    pub fn of_ebnf(text: &str) -> Self {
        let mut hints = Self::default();
        for word in text.split('"').skip(1).step_by(2) {
            if word.len() >= 2 && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_') {
                add_plain(&mut hints.keywords, word);
            }
        }
        hints
    }
}

/// Adds a word as it stands between the quotes of a JSON string.
fn add(words: &mut Vec<String>, word: &str) {
    let spelled = Value::from(word).to_string();
    add_plain(words, &spelled[1..spelled.len() - 1]);
}

fn add_plain(words: &mut Vec<String>, word: &str) {
    if words.len() < MAX_WORDS && !words.iter().any(|other| other == word) {
        words.push(word.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_come_in_order() {
        let hints = Hints::of_schema(
            r#"{"properties": {"b": {"enum": ["x\"", 1]}, "a": {"items": {"required": ["d"]}, "const": "y"}}, "required": ["c"]}"#,
        );
        let names = |label: &str, keys: &[&str]| Names {
            label: label.to_owned(),
            keys: keys.iter().map(|&key| key.to_owned()).collect(),
        };
        assert_eq!(hints.objects, [names("", &["b", "a", "c"]), names("a", &["d"])]);
        assert_eq!(hints.values, ["x\\\"", "y"]);
        assert_eq!(Hints::of_schema("{"), Hints::default());
    }

    #[test]
    fn keywords_are_quoted_words() {
        assert_eq!(Hints::of_ebnf(r#"root ::= "SELECT" ws "," "x" "from""#).keywords, ["SELECT", "from"]);
    }
}
