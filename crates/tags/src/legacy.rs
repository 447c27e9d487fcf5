//! The older form: `structures`, each a begin, a schema and an end, and the `triggers` that begin them.

use crate::error::Error;
use crate::format::{Format, Tag, TriggeredTags};
use serde_json::Value;

/// Whether a document is of the older form.
pub(crate) fn is_legacy(document: &Value) -> bool {
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
pub(crate) fn format(document: &Value) -> Result<Format, Error> {
    let unknown = document.as_object().and_then(|members| {
        members.keys().find(|name| !["type", "structures", "triggers"].contains(&name.as_str()))
    });
    if let Some(name) = unknown {
        let message = format!("unknown member `{name}`; known here are type, structures, triggers");
        return Err(Error::invalid(format!("/{}", crate::parse::escaped(name)), message));
    }
    if document.get("type").is_some_and(|kind| kind != "structural_tag") {
        return Err(Error::invalid("/type", "expected \"structural_tag\""));
    }
    let list = |name: &str| match document.get(name).and_then(Value::as_array) {
        Some(list) if !list.is_empty() => Ok(list),
        Some(_) => Err(Error::invalid(format!("/{name}"), "the list is empty")),
        None => Err(Error::invalid(format!("/{name}"), "expected a list")),
    };
    let mut tags = Vec::new();
    for (i, structure) in list("structures")?.iter().enumerate() {
        let text = |name: &str| {
            structure
                .get(name)
                .and_then(Value::as_str)
                .ok_or_else(|| Error::invalid(format!("/structures/{i}/{name}"), "expected a string"))
        };
        let schema = match structure.get("schema") {
            None | Some(Value::Null) => Value::Bool(true),
            // Some clients send the text of the schema.
            Some(Value::String(text)) => serde_json::from_str(text).map_err(|error| {
                Error::invalid(format!("/structures/{i}/schema"), format!("the schema is no JSON: {error}"))
            })?,
            Some(schema) => schema.clone(),
        };
        tags.push(Tag::new(text("begin")?, Format::json_schema(schema), text("end")?));
    }
    let triggers = list("triggers")?.iter().enumerate().map(|(i, trigger)| {
        let place = format!("/triggers/{i}");
        let trigger = trigger.as_str().filter(|trigger| !trigger.is_empty());
        trigger
            .map(str::to_owned)
            .ok_or_else(|| Error::invalid(place, "a trigger is a text that is not empty"))
    });
    let triggers = triggers.collect::<Result<_, _>>()?;
    Ok(Format::TriggeredTags(TriggeredTags { triggers, tags, ..TriggeredTags::default() }))
}
