//! A document as a tree in which schemas, and of a whole document the tags, are texts still.
//!
//! Of a document with a thousand tools nearly everything is tags and in these schemas, and most of them have been read
//! before. So one pass over the text finds where each begins and ends, and makes values of the rest alone: strings are
//! borrowed, and an object is the list of its members.
//!
//! Which value is a schema or a list of tags shows from the member that has it, wherever it stands: no member of these names
//! holds anything else. A tag is read as a document of its own when somebody needs it, and tags inside of it are read with
//! it, so that no text is gone through more than twice.

use crate::error::{Error, ErrorKind};
use crate::parse::MAX_NESTING;
use crate::schema::Schema;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::fmt;

/// The members that hold schemas: of formats, and of `structures`.
const SCHEMAS: [&str; 2] = ["json_schema", "schema"];
/// The member that holds a list of tags.
const TAGS: &str = "tags";

/// A JSON value, of which schemas are not read.
#[derive(Debug)]
pub(crate) enum Node<'a> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'a, str>),
    List(Vec<Node<'a>>),
    /// As they stand in the text; of several of one name the last counts, as everywhere in serde_json.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
    Unread(Unread<'a>),
}

/// The value of a member that holds a schema, or a tag of a document's list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unread<'a> {
    /// As text, without white space around it.
    Text(&'a str),
    Value(&'a Value),
}

impl<'a> Node<'a> {
    /// A document that is parsed already.
    ///
    /// # Errors
    /// It nests deeper than formats can.
    pub(crate) fn of(value: &'a Value) -> Result<Self, Error> {
        // A format in a list in a list is a step of nesting and three levels.
        Self::of_depth(value, 4 * MAX_NESTING)
    }

    fn of_depth(value: &'a Value, depth: usize) -> Result<Self, Error> {
        let Some(below) = depth.checked_sub(1) else {
            let message = format!("formats nest deeper than {MAX_NESTING}");
            return Err(Error::new(ErrorKind::Limit, "", message));
        };
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::String(Cow::Borrowed(text)),
            Value::Array(list) => {
                let nodes = list.iter().map(|value| Self::of_depth(value, below));
                Self::List(nodes.collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let member = |(name, value): (&'a String, &'a Value)| {
                    let node = match SCHEMAS.contains(&name.as_str()) {
                        true => Self::Unread(Unread::Value(value)),
                        false => Self::of_depth(value, below)?,
                    };
                    Ok((Cow::Borrowed(name.as_str()), node))
                };
                Self::Object(members.iter().map(member).collect::<Result<_, _>>()?)
            }
        })
    }

    /// The member of this name, if it is an object that has one.
    pub(crate) fn get(&self, name: &str) -> Option<&Node<'a>> {
        let Self::Object(members) = self else { return None };
        members.iter().rev().find(|member| member.0 == name).map(|member| &member.1)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    pub(crate) fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    pub(crate) fn as_list(&self) -> Option<&[Node<'a>]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    pub(crate) fn is_null(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Unread(value) => value.kind() == Kind::Null,
            _ => false,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Boolean,
            Self::Number(_) => Kind::Number,
            Self::String(_) => Kind::String,
            Self::List(_) => Kind::List,
            Self::Object(_) => Kind::Object,
            Self::Unread(value) => value.kind(),
        }
    }
}

/// For messages: what is short as it is, and of the rest what kind it is.
impl fmt::Display for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::String(text) => write!(f, "{}", Value::from(&**text)),
            _ => write!(f, "{}", self.kind()),
        }
    }
}

impl Unread<'_> {
    /// It as a schema.
    pub(crate) fn schema(self) -> Schema {
        match self {
            Self::Text(text) => Schema::unread(text),
            Self::Value(value) => Schema::from(value.clone()),
        }
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Text(text) => match text.as_bytes().first() {
                Some(b'{') => Kind::Object,
                Some(b'[') => Kind::List,
                Some(b'"') => Kind::String,
                Some(b't' | b'f') => Kind::Boolean,
                Some(b'n') => Kind::Null,
                _ => Kind::Number,
            },
            Self::Value(value) => match value {
                Value::Null => Kind::Null,
                Value::Bool(_) => Kind::Boolean,
                Value::Number(_) => Kind::Number,
                Value::String(_) => Kind::String,
                Value::Array(_) => Kind::List,
                Value::Object(_) => Kind::Object,
            },
        }
    }
}

/// A kind of JSON value; prints with its article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Number,
    String,
    List,
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        })
    }
}

// ---- from text ----

/// The name under which serde_json hands out a number where some crate of the build has asked for arbitrary precision.
const NUMBER: &str = "$serde_json::private::Number";

impl<'de> Deserialize<'de> for Node<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AnyNode { leaves_tags: false, is_tags: false }.deserialize(deserializer)
    }
}

/// A whole document, in which the elements of lists of tags stay texts.
pub(crate) struct Document<'a>(pub(crate) Node<'a>);

impl<'de> Deserialize<'de> for Document<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AnyNode { leaves_tags: true, is_tags: false }.deserialize(deserializer).map(Self)
    }
}

/// How a value is read.
#[derive(Clone, Copy)]
struct AnyNode {
    /// Whether elements of lists of tags stay texts.
    leaves_tags: bool,
    /// Whether it is such a list, if it is one.
    is_tags: bool,
}

impl<'de> DeserializeSeed<'de> for AnyNode {
    type Value = Node<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyNode {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Node::String(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Node::String(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        if self.is_tags {
            while let Some(tag) = seq.next_element::<&RawValue>()? {
                list.push(Node::Unread(Unread::Text(tag.get())));
            }
        } else {
            while let Some(node) = seq.next_element_seed(Self { is_tags: false, ..self })? {
                list.push(node);
            }
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(Name(name)) = map.next_key()? {
            let node = match &*name {
                name if SCHEMAS.contains(&name) => {
                    Node::Unread(Unread::Text(map.next_value::<&RawValue>()?.get()))
                }
                NUMBER if members.is_empty() => {
                    let number: Cow<'_, str> = map.next_value()?;
                    return number.parse().map(Node::Number).map_err(serde::de::Error::custom);
                }
                name => map.next_value_seed(Self { is_tags: self.leaves_tags && name == TAGS, ..self })?,
            };
            members.push((name, node));
        }
        Ok(Node::Object(members))
    }
}

/// The name of a member.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyName;
        impl<'de> Visitor<'de> for AnyName {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(AnyName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node<'_> {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn schemas_stay_texts() {
        let document = node(
            r#"{ "a": [1, -2, 1.5, null, true, "x\u0041"], "json_\u0073chema" : { "b" : [ ] } , "schema": "{}" }"#,
        );
        let list: Vec<String> = document
            .get("a")
            .and_then(Node::as_list)
            .unwrap_or_default()
            .iter()
            .map(Node::to_string)
            .collect();
        assert_eq!(list, ["1", "-2", "1.5", "null", "true", "\"xA\""]);
        let text = |name| match document.get(name) {
            Some(Node::Unread(schema)) => (schema.kind(), schema.schema().text().to_owned()),
            other => panic!("{other:?}"),
        };
        assert_eq!(text("json_schema"), (Kind::Object, r#"{ "b" : [ ] }"#.to_owned()));
        assert_eq!(text("schema"), (Kind::String, "\"{}\"".to_owned()));
    }

    #[test]
    fn the_last_member_of_a_name_counts() {
        assert_eq!(
            node(r#"{"a": 1, "a": null, "a": 2}"#).get("a").map(Node::to_string).as_deref(),
            Some("2")
        );
        assert!(
            node(r#"{"json_schema": {}, "json_schema": null}"#).get("json_schema").is_some_and(Node::is_null)
        );
    }

    #[test]
    fn what_is_no_json_inside_a_schema_is_no_document() {
        for text in [r#"{"json_schema": {]}"#, r#"{"json_schema": 01}"#, r#"{"json_schema": {"a" 1}}"#] {
            assert!(serde_json::from_str::<Node<'_>>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded_on_both_ways() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(serde_json::from_str::<Node<'_>>(&text).is_err());
        // A schema is not nested here; whoever reads it bounds it.
        assert!(serde_json::from_str::<Node<'_>>(&format!("{{\"json_schema\": {text}}}")).is_ok());
        let value = (0..1_000).fold(Value::Null, |value, _| Value::Array(vec![value]));
        assert_eq!(Node::of(&value).expect_err("too deep").kind(), ErrorKind::Limit);
    }
}
