//! Schemas as texts that are read when somebody asks.
//!
//! A server gets the same thousand schemas with every turn. What one of them becomes is kept by its text (see
//! [`Cache`](crate::Cache)), so that nobody need read it again: a text of 300 bytes is compared in a few nanoseconds, and
//! parsed, copied and dropped in some microseconds.

use crate::error::Error;
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A JSON Schema, as text or as a value. Cheap to clone; two are equal if their values are.
#[derive(Clone)]
pub struct Schema {
    /// JSON, the schema and nothing else; perhaps not parsed yet.
    text: Arc<str>,
    value: OnceLock<Arc<Value>>,
}

impl Schema {
    /// A schema, given as JSON text.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid): it is no JSON. Whether it is a schema shows when it becomes a grammar.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let schema = Self::unread(text);
        schema.value()?;
        Ok(schema)
    }

    /// A text that something else has found to be JSON, but for escapes, numbers and nesting.
    pub(crate) fn unread(text: &str) -> Self {
        Self { text: text.into(), value: OnceLock::new() }
    }

    /// Its text: the user's, or how its value is written without blanks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its text, if nobody has asked for its value yet.
    pub(crate) fn unparsed(&self) -> Option<&str> {
        self.value.get().is_none().then_some(&self.text)
    }

    /// The same, to keep.
    pub(crate) fn shared_text(&self) -> &Arc<str> {
        &self.text
    }

    /// Its value.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid): the text is no JSON.
    pub fn value(&self) -> Result<&Arc<Value>, Error> {
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let value = serde_json::from_str(&self.text)
            .map_err(|error| Error::invalid("", format!("the schema is no JSON: {error}")))?;
        Ok(self.value.get_or_init(|| Arc::new(value)))
    }
}

impl From<Value> for Schema {
    fn from(value: Value) -> Self {
        // Straight into a string: a `Display` would go through a formatter, which takes twice as long.
        let text = serde_json::to_string(&value).unwrap_or_else(|_| value.to_string());
        Self { text: text.into(), value: OnceLock::from(Arc::new(value)) }
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || matches!((self.value(), other.value()), (Ok(a), Ok(b)) if a == b)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_values_are_equal_schemas() {
        let text = Schema::parse(r#"{ "enum": [1, 2] }"#).expect("JSON");
        assert_eq!(text, Schema::from(json!({"enum": [1, 2]})));
        assert_ne!(text, Schema::from(json!({"enum": [2, 1]})));
        assert_eq!(Schema::from(json!({"enum": [1, 2]})).text(), r#"{"enum":[1,2]}"#);
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "{", "true false", "1e999", r#""\ud800""#] {
            let error = Schema::parse(text).expect_err(text);
            assert!(error.message().starts_with("the schema is no JSON"), "{text}: {error}");
        }
    }
}
