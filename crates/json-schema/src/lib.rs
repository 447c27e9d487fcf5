//! JSON Schema as Formwork grammars: every keyword enforced or refused with its place.
//!
//! [`grammar`] turns the text of a schema into a [`Grammar`] whose language is exactly the JSON texts that satisfy it,
//! in the spellings that the [`Options`] allow. What cannot be enforced is an [`Error`] with the keyword's JSON
//! pointer, never a silently looser grammar; [`Options::relax`] lets a keyword through and the [`Report`] lists it.
//!
//! ```
//! let schema = r#"{"type": "object", "properties": {"id": {"type": "integer", "minimum": 1}}, "required": ["id"]}"#;
//! let grammar = formwork_json_schema::grammar(schema)?;
//! assert_eq!(grammar.rule(grammar.root()).name(), "root");
//! let error = formwork_json_schema::grammar(r#"{"properties": {"a": {"minLength": -1}}}"#).unwrap_err();
//! assert_eq!((error.kind().as_str(), error.pointer()), ("invalid", "/properties/a/minLength"));
//! # Ok::<(), formwork_json_schema::Error>(())
//! ```
//!
//! # Who should use something else
//! To constrain a model, use the `formwork` facade. To validate JSON, use the `jsonschema` crate.
//!
//! # Concepts
//! - **Normal form** (module `normal`, with an essay beside it): a schema is a vector of seven formulas, one for each
//!   kind of value, closed under `allOf`, `anyOf`, `not` and all the rest.
//! - **Demand**: a boolean expression over schemas that one value must satisfy; one grammar rule each.
//! - **Spelling**: the same value can be written in many ways; the options say which of them the grammar has.
//!
//! # Costs and limits
//! Ordinary schemas cost time linear in their size. What can multiply (overlapping alternatives, key patterns,
//! properties in any order) is bounded by [`Limits`]. Nothing recurses on the shape of a schema.
#![forbid(unsafe_code)]

mod options;
mod report;

mod checker;
mod compile;
mod decimal;
mod distinct;
mod draft;
mod formats;
mod idn;
mod json;
mod library;
mod lower;
mod normal;
mod schema;
mod text;
mod uri;

mod error;
mod limits;

#[doc(hidden)]
pub use checker::Checker;
pub use draft::Draft;
pub use error::{Error, ErrorKind};
pub use library::Library;
pub use limits::Limits;
pub use options::{Formats, Numbers, Options, PropertyOrder, Whitespace};
pub use report::{Report, ReportEntry};

use formwork_grammar::Grammar;

/// The grammar of the JSON texts that satisfy a schema, with the default [`Options`].
///
/// # Errors
/// See [`ErrorKind`].
pub fn grammar(text: &str) -> Result<Grammar, Error> {
    Options::default().grammar(text)
}

/// [`grammar`] of a schema that is parsed already.
///
/// # Errors
/// See [`ErrorKind`].
pub fn grammar_from_value(value: &serde_json::Value) -> Result<Grammar, Error> {
    Options::default().grammar_from_value(value)
}

/// The grammar of any JSON value, with the default [`Options`].
pub fn any_json() -> Grammar {
    match compile::any(&Options::default()) {
        Ok(grammar) => grammar,
        Err(error) => unreachable!("a grammar without a schema has nothing to fail on: {error}"),
    }
}
