//! What is measured: grammars, each in the words of either engine, and documents that match them.

use crate::engine::Source;
use crate::tokenizer::Tokenizer;
use anyhow::{Context, Result};

/// A grammar and the documents that are walked under it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) formwork: Source,
    pub(crate) llguidance: Source,
    /// Name and text.
    documents: &'static [(&'static str, &'static str)],
}

/// A document as tokens.
pub(crate) struct Document {
    pub(crate) name: &'static str,
    pub(crate) tokens: Vec<u32>,
}

impl Workload {
    /// The documents as tokens; the shortest only, if it must be quick.
    pub(crate) fn documents(&self, tokenizer: &Tokenizer, quick: bool) -> Result<Vec<Document>> {
        let mut documents = Vec::with_capacity(self.documents.len());
        for (name, text) in self.documents {
            let tokens = tokenizer.encode(text).with_context(|| format!("{}: {name}", self.name))?;
            documents.push(Document { name, tokens });
        }
        if quick {
            documents.sort_by_key(|document| document.tokens.len());
            documents.truncate(2);
        }
        Ok(documents)
    }
}

macro_rules! text {
    ($path:literal) => {
        include_str!(concat!("../workloads/", $path))
    };
}

const ANY_JSON: &[(&str, &str)] = &[
    ("config", text!("any-json/config.json")),
    ("tool-call", text!("any-json/tool-call.json")),
    ("geo", text!("any-json/geo.json")),
    ("chat", text!("any-json/chat.json")),
    ("catalogue", text!("any-json/catalogue.json")),
];

const ORDERS: &[(&str, &str)] = &[
    ("small", text!("schema/small.json")),
    ("medium", text!("schema/medium.json")),
    ("large", text!("schema/large.json")),
    ("long", text!("schema/long.json")),
];

const LISTS: &[(&str, &str)] = &[
    ("short", text!("list/short.txt")),
    ("medium", text!("list/medium.txt")),
    ("long", text!("list/long.txt")),
];

const SCHEMA: &str = text!("schema/schema.json");

/// All workloads.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "json",
        title: "any JSON, by the engine's own means",
        formwork: Source::AnyJson,
        llguidance: Source::AnyJson,
        documents: ANY_JSON,
    },
    Workload {
        name: "small-rules",
        title: "JSON as people write it: `char`, `ws`, `string`, `member` as rules",
        formwork: Source::Ebnf(text!("small-rules.ebnf")),
        llguidance: Source::Lark(text!("small-rules.lark")),
        documents: ANY_JSON,
    },
    Workload {
        name: "schema",
        title: "an order of twelve fields",
        formwork: Source::Schema(SCHEMA),
        llguidance: Source::Schema(SCHEMA),
        documents: ORDERS,
    },
    Workload {
        name: "left-list",
        title: "a list by left recursion",
        formwork: Source::Ebnf(text!("left-list.ebnf")),
        llguidance: Source::Lark(text!("left-list.lark")),
        documents: LISTS,
    },
    Workload {
        name: "right-list",
        title: "a list by right recursion",
        formwork: Source::Ebnf(text!("right-list.ebnf")),
        llguidance: Source::Lark(text!("right-list.lark")),
        documents: LISTS,
    },
];
