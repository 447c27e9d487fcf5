//! The older form: `structures`, each a begin, a schema and an end, and the `triggers` that begin them.

use crate::error::Error;
use crate::format::{Format, JsonSchema, Style, Tag, TriggeredTags};
use crate::node::{Kind, Node, Unread};
use crate::pointer::{Pointer, escaped};
use crate::schema::Schema;
use serde_json::Value;

/// Whether a document is of the older form.
pub(crate) fn is_legacy(document: &Node<'_>) -> bool {
    document.get("structures").is_some() && document.get("format").is_none()
}

/// Where in a document of the older form a part of the format stands.
pub(crate) fn name(pointer: &str) -> String {
    match pointer.strip_prefix("/format/tags/").and_then(|rest| rest.split_once('/')) {
        Some((i, rest)) => {
            let rest = rest.strip_prefix("content/json_").unwrap_or(rest);
            format!("/structures/{i}/{rest}")
        }
        None => pointer.strip_prefix("/format").unwrap_or(pointer).to_owned(),
    }
}

/// The same as triggered tags.
pub(crate) fn format(document: &Node<'_>) -> Result<Format, Error> {
    if let Node::Object(members) = document {
        let is_known = |name: &str| ["type", "structures", "triggers"].contains(&name);
        if let Some((name, _)) = members.iter().find(|(name, _)| !is_known(name)) {
            let message = format!("unknown member `{name}`; known here are type, structures, triggers");
            return Err(Error::invalid(Pointer::DOCUMENT.at(&escaped(name)), message));
        }
    }
    if document.get("type").is_some_and(|kind| kind.as_str() != Some("structural_tag")) {
        return Err(Error::invalid("/type", "expected \"structural_tag\""));
    }
    let list = |name: &str| match document.get(name).and_then(Node::as_list) {
        Some(list) if !list.is_empty() => Ok(list),
        Some(_) => Err(Error::invalid(format!("/{name}"), "the list is empty")),
        None => Err(Error::invalid(format!("/{name}"), "expected a list")),
    };
    let mut tags = Vec::new();
    for (i, structure) in list("structures")?.iter().enumerate() {
        let here = Pointer::DOCUMENT.element("structures", i);
        let text = |name: &str| {
            let text = structure.get(name).and_then(Node::as_str);
            text.ok_or_else(|| Error::invalid(here.at(name), "expected a string"))
        };
        let schema = match structure.get("schema") {
            Some(Node::Unread(schema)) if schema.kind() != Kind::Null => {
                the_schema(schema).map_err(|error| error.moved(|_| here.at("schema").into()))?
            }
            _ => Schema::from(Value::Bool(true)),
        };
        let schema = JsonSchema { schema, style: Style::Json, any_order: false, max_whitespace: None };
        tags.push(Tag::new(text("begin")?, Format::JsonSchema(schema), text("end")?));
    }
    let triggers = list("triggers")?.iter().enumerate().map(|(i, trigger)| {
        let trigger = trigger.as_str().filter(|trigger| !trigger.is_empty());
        trigger.map(str::to_owned).ok_or_else(|| {
            let here = Pointer::DOCUMENT.element("triggers", i);
            Error::invalid(here, "a trigger is a text that is not empty")
        })
    });
    let triggers = triggers.collect::<Result<_, _>>()?;
    Ok(Format::TriggeredTags(TriggeredTags { triggers, tags, ..TriggeredTags::default() }))
}

/// A schema, or what some clients send: a string with the text of one.
fn the_schema(given: &Unread<'_>) -> Result<Schema, Error> {
    let schema = given.schema();
    match given.kind() {
        Kind::String => match &**schema.value()? {
            Value::String(text) => Schema::parse(text),
            _ => Ok(schema),
        },
        _ => Ok(schema),
    }
}
