//! What a schema says of the members of an object, for styles that write objects themselves: most of them the outermost one.
//!
//! Each property is then compiled by the JSON Schema frontend as a schema of its own,
//! `{"$ref": "…#/properties/KEY"}` with the whole schema as a resource, so that references inside hold.

use crate::error::{Error, ErrorKind};
use crate::lower::Here;
use crate::pointer::escaped;
use formwork_grammar::HashSet;
use serde_json::{Map, Value};

/// What the whole schema is called where its properties are compiled.
pub(crate) const ROOT: &str = "formwork:schema";
/// References that are followed from the root.
const MAX_REFERENCES: usize = 16;

/// The members of an object.
#[derive(Debug)]
pub(crate) struct Object<'s> {
    /// Where its schema stands in the whole one, as a JSON pointer.
    pub(crate) at: String,
    /// Those that are declared, in the order of the schema.
    pub(crate) properties: Vec<Property<'s>>,
    pub(crate) others: Others,
    /// The names of others that are required, each once.
    pub(crate) required_others: Vec<&'s str>,
}

/// A member that is declared.
#[derive(Debug)]
pub(crate) struct Property<'s> {
    pub(crate) key: &'s str,
    pub(crate) schema: &'s Value,
    /// Where its schema stands in the whole one, as a JSON pointer.
    pub(crate) at: String,
    pub(crate) is_required: bool,
}

/// Members that are not declared.
#[derive(Debug)]
pub(crate) enum Others {
    /// There are none.
    None,
    /// Any.
    Any,
    /// Those whose values satisfy the schema that stands there.
    Of(String),
}

impl<'s> Object<'s> {
    /// The object that a schema, which stands `here`, describes; local references are followed. If it is `strict` and
    /// declares properties, others may only come if it says so.
    ///
    /// # Errors
    /// It describes no object, or something of the object beside its members.
    pub(crate) fn read(schema: &'s Value, strict: bool, here: &Here<'_>) -> Result<Self, Error> {
        Self::read_at(schema, "", strict, here)
    }

    /// The same for the part that stands `at` a place in the schema.
    ///
    /// # Errors
    /// It describes no object, or something of the object beside its members.
    pub(crate) fn read_at(schema: &'s Value, at: &str, strict: bool, here: &Here<'_>) -> Result<Self, Error> {
        let known = ["type", "properties", "required", "additionalProperties"];
        let (members, path) = resolve(schema, at, "object", &known, here)?;
        let Some(members) = members else {
            return Ok(Self {
                at: path,
                properties: Vec::new(),
                others: Others::Any,
                required_others: Vec::new(),
            });
        };
        let place = |name: &str| format!("{}{path}/{name}", here.pointer);
        let declared = match members.get("properties") {
            None => None,
            Some(Value::Object(properties)) => Some(properties),
            Some(_) => return Err(Error::invalid(place("properties"), "expected an object")),
        };
        let required: Vec<&str> = match members.get("required") {
            // The boolean of draft 3 says something of what is around the object.
            None | Some(Value::Bool(_)) => Vec::new(),
            Some(names) => {
                let names = names.as_array().map(|names| names.iter().map(Value::as_str).collect());
                names
                    .flatten()
                    .ok_or_else(|| Error::invalid(place("required"), "expected a list of names"))?
            }
        };
        let names: HashSet<&str> = required.iter().copied().collect();
        let property = |(key, schema): (&'s String, &'s Value)| Property {
            key,
            schema,
            at: format!("{path}/properties/{}", escaped(key)),
            is_required: names.contains(key.as_str()),
        };
        let properties = declared.into_iter().flatten().map(property).collect();
        let others = match members.get("additionalProperties") {
            Some(Value::Bool(false)) => Others::None,
            None if declared.is_some() && strict => Others::None,
            None | Some(Value::Bool(true)) => Others::Any,
            Some(_) => Others::Of(format!("{path}/additionalProperties")),
        };
        let is_declared = |name: &str| declared.is_some_and(|properties| properties.contains_key(name));
        let mut met: HashSet<&str> = HashSet::default();
        let required_others =
            required.iter().copied().filter(|&name| !is_declared(name) && met.insert(name)).collect();
        Ok(Self { at: path, properties, others, required_others })
    }
}

/// The members of a schema, and where it stands in the whole one; there are none of one that takes any value.
type Found<'s> = (Option<&'s Map<String, Value>>, String);

/// The schema of an object, or of another `kind`, that stands `at` a place in the whole schema or is referred to there. No
/// other members than the known ones may restrict anything.
pub(crate) fn resolve<'s>(
    schema: &'s Value,
    at: &str,
    kind: &str,
    known: &[&str],
    here: &Here<'_>,
) -> Result<Found<'s>, Error> {
    let which = if at.is_empty() { "the outermost" } else { "this" };
    let (mut found, mut path) = (schema.pointer(at).unwrap_or(&Value::Null), at.to_owned());
    for _ in 0..MAX_REFERENCES {
        let members = match found {
            Value::Bool(true) => return Ok((None, path)),
            Value::Object(members) => members,
            _ => {
                let message = format!("no {kind} satisfies this schema");
                return Err(Error::new(ErrorKind::Unsatisfiable, format!("{}{path}", here.pointer), message));
            }
        };
        let pointer = |name: &str| format!("{}{path}/{}", here.pointer, escaped(name));
        let local = members.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        if let Some(target) = local {
            let Some(target_found) = schema.pointer(target) else {
                return Err(Error::invalid(pointer("$ref"), "the reference leads nowhere"));
            };
            if let Some(other) = members.keys().find(|name| matters(name) && *name != "$ref") {
                let message = format!(
                    "`{other}` beside the reference of {which} {kind} is not supported in this style"
                );
                return Err(Error::new(ErrorKind::Unsupported, pointer(other), message));
            }
            (found, path) = (target_found, target.to_owned());
            continue;
        }
        if members.get("type").is_some_and(|value| value != kind) {
            let message = match at {
                "" => format!("in this style the outermost value is an {kind}"),
                _ => format!("in this style the `type` of this {kind} is {kind:?} alone"),
            };
            return Err(Error::invalid(pointer("type"), message));
        }
        if let Some(other) = members.keys().find(|name| matters(name) && !known.contains(&name.as_str())) {
            let message = format!("`{other}` of {which} {kind} is not supported in this style");
            return Err(Error::new(ErrorKind::Unsupported, pointer(other), message));
        }
        return Ok((Some(members), path));
    }
    Err(Error::invalid(here.pointer, format!("the references of {which} {kind} lead in a circle")))
}

/// Whether a keyword restricts anything.
fn matters(keyword: &str) -> bool {
    const ANNOTATIONS: [&str; 13] = [
        "$schema",
        "$id",
        "$anchor",
        "$comment",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
    ];
    !ANNOTATIONS.contains(&keyword) && !keyword.starts_with("x-") && keyword != "strict"
}
