//! The drafts of JSON Schema, and which keywords each knows.

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Draft {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12.
    Draft202012,
}

impl Draft {
    /// The draft of a short name such as `"7"`, `"draft-07"` or `"2020-12"`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix("draft").unwrap_or(name).trim_start_matches(['-', '0']);
        Some(match name {
            "4" => Self::Draft4,
            "6" => Self::Draft6,
            "7" => Self::Draft7,
            "2019-09" => Self::Draft201909,
            "2020-12" => Self::Draft202012,
            _ => return None,
        })
    }

    /// The draft whose meta-schema has this URI.
    pub fn from_uri(uri: &str) -> Option<Self> {
        let uri = uri.trim_end_matches('#');
        let uri = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        Some(match uri.strip_prefix("json-schema.org/")? {
            "draft-03/schema" | "draft-04/schema" => Self::Draft4,
            "draft-06/schema" => Self::Draft6,
            "draft-07/schema" => Self::Draft7,
            "draft/2019-09/schema" => Self::Draft201909,
            "draft/2020-12/schema" | "schema" => Self::Draft202012,
            _ => return None,
        })
    }

    /// The name, as in `"2020-12"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft4 => "4",
            Self::Draft6 => "6",
            Self::Draft7 => "7",
            Self::Draft201909 => "2019-09",
            Self::Draft202012 => "2020-12",
        }
    }
}

/// What a keyword's value holds, as far as finding sub-schemas goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// No schema.
    Data,
    /// A schema.
    Schema,
    /// A list of schemas.
    List,
    /// A schema or a list of them.
    SchemaOrList,
    /// An object whose members are schemas.
    Map,
    /// An object whose members are schemas or lists of names.
    Dependencies,
}

/// How a keyword bears on what is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It restricts values.
    Assertion,
    /// It names things or says where they are (`$id`, `$ref`, `definitions`, …).
    Core,
    /// It describes.
    Annotation,
}

/// A keyword of the standard: its name, the draft that brought it, what it holds and what it does.
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    pub(crate) since: Draft,
    pub(crate) holds: Holds,
    pub(crate) role: Role,
}

/// The keyword of this name, whatever the draft.
pub(crate) fn keyword(name: &str) -> Option<&'static Keyword> {
    // PERF: asked for every member of every schema, several times.
    let mut slot = slot(name.as_bytes());
    while let Some(keyword) = KEYWORDS.get(usize::from(SLOTS[slot])) {
        if keyword.name == name {
            return Some(keyword);
        }
        slot = (slot + 1) % N_SLOTS;
    }
    None
}

/// A hash table of the keywords, open addressing: positions in [`KEYWORDS`], [`FREE`] where none is.
const SLOTS: [u8; N_SLOTS] = {
    let mut slots = [FREE; N_SLOTS];
    let mut i = 0;
    while i < KEYWORDS.len() {
        let mut slot = slot(KEYWORDS[i].name.as_bytes());
        while slots[slot] != FREE {
            slot = (slot + 1) % N_SLOTS;
        }
        slots[slot] = i as u8;
        i += 1;
    }
    slots
};

const N_SLOTS: usize = 256;
const FREE: u8 = u8::MAX;

const fn slot(name: &[u8]) -> usize {
    match name {
        [first, .., last] => (*first as usize + 23 * (*last as usize + name.len())) % N_SLOTS,
        _ => 0,
    }
}

const fn row(name: &'static str, since: Draft, holds: Holds, role: Role) -> Keyword {
    Keyword { name, since, holds, role }
}

use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
use Holds::{Data, Dependencies, List, Map, Schema, SchemaOrList};
use Role::{Annotation, Assertion, Core};

const KEYWORDS: &[Keyword] = &[
    row("type", Draft4, Data, Assertion),
    row("properties", Draft4, Map, Assertion),
    row("required", Draft4, Data, Assertion),
    row("additionalProperties", Draft4, Schema, Assertion),
    row("items", Draft4, SchemaOrList, Assertion),
    row("enum", Draft4, Data, Assertion),
    row("$ref", Draft4, Data, Core),
    row("anyOf", Draft4, List, Assertion),
    row("oneOf", Draft4, List, Assertion),
    row("allOf", Draft4, List, Assertion),
    row("not", Draft4, Schema, Assertion),
    row("pattern", Draft4, Data, Assertion),
    row("format", Draft4, Data, Assertion),
    row("minLength", Draft4, Data, Assertion),
    row("maxLength", Draft4, Data, Assertion),
    row("minimum", Draft4, Data, Assertion),
    row("maximum", Draft4, Data, Assertion),
    row("exclusiveMinimum", Draft4, Data, Assertion),
    row("exclusiveMaximum", Draft4, Data, Assertion),
    row("multipleOf", Draft4, Data, Assertion),
    row("minItems", Draft4, Data, Assertion),
    row("maxItems", Draft4, Data, Assertion),
    row("uniqueItems", Draft4, Data, Assertion),
    row("additionalItems", Draft4, Schema, Assertion),
    row("minProperties", Draft4, Data, Assertion),
    row("maxProperties", Draft4, Data, Assertion),
    row("patternProperties", Draft4, Map, Assertion),
    row("dependencies", Draft4, Dependencies, Assertion),
    row("const", Draft6, Data, Assertion),
    row("contains", Draft6, Schema, Assertion),
    row("propertyNames", Draft6, Schema, Assertion),
    row("if", Draft7, Schema, Assertion),
    row("then", Draft7, Schema, Assertion),
    row("else", Draft7, Schema, Assertion),
    row("minContains", Draft201909, Data, Assertion),
    row("maxContains", Draft201909, Data, Assertion),
    row("dependentRequired", Draft201909, Data, Assertion),
    row("dependentSchemas", Draft201909, Map, Assertion),
    row("unevaluatedProperties", Draft201909, Schema, Assertion),
    row("unevaluatedItems", Draft201909, Schema, Assertion),
    row("prefixItems", Draft202012, List, Assertion),
    row("$dynamicRef", Draft202012, Data, Core),
    row("$dynamicAnchor", Draft202012, Data, Core),
    row("$recursiveRef", Draft201909, Data, Core),
    row("$recursiveAnchor", Draft201909, Data, Core),
    row("$anchor", Draft201909, Data, Core),
    row("$vocabulary", Draft201909, Data, Core),
    row("$defs", Draft4, Map, Core),
    row("definitions", Draft4, Map, Core),
    row("$schema", Draft4, Data, Core),
    row("$id", Draft6, Data, Core),
    row("id", Draft4, Data, Core),
    row("$comment", Draft4, Data, Annotation),
    row("title", Draft4, Data, Annotation),
    row("description", Draft4, Data, Annotation),
    row("default", Draft4, Data, Annotation),
    row("examples", Draft4, Data, Annotation),
    row("deprecated", Draft4, Data, Annotation),
    row("readOnly", Draft4, Data, Annotation),
    row("writeOnly", Draft4, Data, Annotation),
    row("contentEncoding", Draft4, Data, Annotation),
    row("contentMediaType", Draft4, Data, Annotation),
    row("contentSchema", Draft201909, Schema, Annotation),
];
