//! How tags are to be read: the entry points.

use crate::begun::{self, Shortened};
use crate::cache::{Cache, Document, Hashed};
use crate::error::Error;
use crate::format::Format;
use crate::lower::lower;
use crate::node::{self, Node};
use crate::{legacy, parse};
use formwork_grammar::Grammar;
use formwork_json_schema as json_schema;
use serde_json::Value;

/// How tags are to be read.
#[derive(Clone, Debug)]
pub struct Options {
    schemas: json_schema::Options,
    pub(crate) strict_objects: bool,
    pub(crate) cache: Option<Cache>,
}

impl Default for Options {
    /// Schemas as [`json_schema::Options`] has them, but for objects that declare properties and do not say whether others
    /// may come: those are closed, since a tool has the parameters that it has. White space and digits are not bounded:
    /// inside of other text the bounds would be states of the grammar.
    fn default() -> Self {
        let schemas =
            json_schema::Options::default().whitespace(json_schema::Whitespace::Any).max_digits(None);
        Self { schemas, strict_objects: true, cache: None }
    }
}

impl Options {
    /// How the schemas inside are read, but for [`strict_objects`](Self::strict_objects).
    #[must_use]
    pub fn schemas(mut self, options: json_schema::Options) -> Self {
        self.schemas = options;
        self
    }

    /// Whether objects that declare properties and do not say whether others may come are closed; default yes.
    #[must_use]
    pub fn strict_objects(mut self, strict: bool) -> Self {
        self.strict_objects = strict;
        self
    }

    /// Keeps what documents, given as texts, and schemas become, and takes what others with this cache have kept; default
    /// no.
    #[must_use]
    pub fn cache(mut self, cache: &Cache) -> Self {
        self.cache = Some(cache.clone());
        self
    }

    /// How schemas are read.
    pub(crate) fn schemas_options(&self) -> json_schema::Options {
        self.schemas.clone().strict_objects(self.strict_objects)
    }

    /// The grammar of a structural tag, given as JSON text.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn grammar(&self, text: &str) -> Result<Grammar, Error> {
        let Some(cache) = &self.cache else { return self.grammar_of_text(text) };
        let document = Document { reading: &self.reading(), text };
        if let Some(grammar) = cache.document(&document) {
            return Ok(grammar);
        }
        let begun = cache.begun();
        let shortened = begun.as_ref().and_then(|begun| begun.shorten(text));
        let (node, tags) = match shortened.as_ref().and_then(Shortened::read) {
            Some(read) => read,
            None => {
                let mut node = document_of(text)?;
                let tags = begun::places(text, &mut node);
                (node, tags)
            }
        };
        let grammar = self.grammar_of_node(&node.0)?;
        cache.keep_document(&document, grammar.clone(), tags);
        Ok(grammar)
    }

    fn grammar_of_text(&self, text: &str) -> Result<Grammar, Error> {
        self.grammar_of_node(&document_of(text)?.0)
    }

    /// How schemas are read, as a text, for keys of the cache: everything that options say is in their `Debug`.
    pub(crate) fn reading(&self) -> Hashed {
        Hashed::new(format!("{:?}", self.schemas_options()).into())
    }

    /// [`Self::grammar`] of a document that is parsed already.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn grammar_from_value(&self, value: &Value) -> Result<Grammar, Error> {
        self.grammar_of_node(&Node::of(value)?)
    }

    fn grammar_of_node(&self, document: &Node<'_>) -> Result<Grammar, Error> {
        let name = if legacy::is_legacy(document) { legacy::name } else { str::to_owned };
        lower(&format(document, self.cache.as_ref())?, self, name)
    }

    /// The format that a document describes, `structures` and `triggers` included.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn format(&self, document: &Value) -> Result<Format, Error> {
        format(&Node::of(document)?, None)
    }

    /// The grammar of a format. Errors point to where the format's JSON would have the part that is wrong.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn grammar_of(&self, format: &Format) -> Result<Grammar, Error> {
        lower(format, self, str::to_owned)
    }
}

fn document_of(text: &str) -> Result<node::Document<'_>, Error> {
    serde_json::from_str(text)
        .map_err(|error| Error::invalid("", format!("the document is no JSON: {error}")))
}

/// The format that a document describes.
fn format(document: &Node<'_>, known: Option<&Cache>) -> Result<Format, Error> {
    match legacy::is_legacy(document) {
        true => legacy::format(document),
        false => parse::document(document, known),
    }
}
