//! Structural tags: outputs that mix free text with constrained parts, as Formwork grammars.
//!
//! ```
//! let grammar = formwork_tags::grammar(r#"{"type": "structural_tag", "format": {
//!     "type": "triggered_tags", "triggers": ["<call>"],
//!     "tags": [{"begin": "<call>", "content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": "</call>"}]
//! }}"#)?;
//! assert_eq!(grammar.rule(grammar.root()).name(), "root");
//! let error = formwork_tags::grammar(r#"{"format": {"type": "regex", "pattern": "("}}"#).unwrap_err();
//! assert_eq!((error.kind().as_str(), error.pointer()), ("invalid", "/format/pattern"));
//! # Ok::<(), formwork_tags::Error>(())
//! ```
//!
//! # Who should use something else
//! To constrain a model, use the `formwork` facade. For JSON alone, use JSON Schema.
//!
//! # Concepts
//! - **Format** ([`Format`]): what an output or a part of it looks like. The language is that of XGrammar's structural tags,
//!   so that requests to vLLM and SGLang work as they are, the older form with `structures` and `triggers` included.
//! - **Literal texts name special tokens.** Where a begin, an end, a trigger, a separator or a constant contains the name
//!   of a special token of the model's vocabulary, that token is meant. Which names there are shows when the grammar is
//!   compiled. In a trigger's tags a name must not be cut by the end of the trigger.
//! - **Ends are excluded.** Free text inside a tag cannot contain the end of the nearest tag around it; free tokens cannot
//!   be its end token.
//! - **Models** ([`Model`]): what the families of models write when they think and call tools, as formats. A family is a
//!   file of facts; see `docs/models.md`.
//!
//! # The formats
//! | type | members (default) | means |
//! |---|---|---|
//! | `const_string` | `value` | this text |
//! | `json_schema` | `json_schema`, `style` ("json"), `any_order` (false), `max_whitespace_cnt` | a value; objects are closed unless they say otherwise, see [`Options`] |
//! | `qwen_xml_parameter` | `json_schema` | style `qwen_xml` |
//! | `grammar` | `grammar` | what `root` of an EBNF grammar stands for |
//! | `regex` | `pattern` | what an ECMA-262 pattern matches as a whole |
//! | `any_text` | `excludes` ([]), `max_chars`, `max_tokens` (either may be 0) | free text |
//! | `sequence`, `or` | `elements` | one after the other; one of them |
//! | `optional`, `plus`, `star` | `content` | |
//! | `repeat` | `min`, `max` (-1: without end), `content` | |
//! | `tag` | `begin`, `content`, `end` (a text, several, or a token) | |
//! | `triggered_tags` | `triggers`, `tags`, `excludes` ([]), `at_least_one` (false), `stop_after_first` (false) | text with tags in it |
//! | `tags_with_separator` | `tags`, `separator`, `at_least_one` (false), `stop_after_first` (false) | tags alone |
//! | `dispatch` | `rules` ([[trigger, format], …]), `loop` (true), `excludes` ([]) | text with formats in it |
//! | `token` | `token` (id or text) | one token |
//! | `exclude_token` | `exclude_tokens` ([]) | one other token |
//! | `any_tokens` | `exclude_tokens` ([]), `max_tokens` | free tokens |
//! | `token_triggered_tags` | `trigger_tokens`, `tags`, `exclude_tokens` ([]), `at_least_one`, `stop_after_first` | |
//! | `token_dispatch` | `rules` ([[token, format], …]), `loop` (true), `exclude_tokens` ([]) | |
//!
//! Every format may have a `capture`, the name under which what it matches can be read from the output, and, if it is
//! regular, a budget: `max_tokens`, the greatest number of tokens that have a part in it. When they are used up, only what
//! ends it may come. (`any_tokens` has a bound of its own, which may be 0.)
//!
//! The styles of `json_schema` are `json`; `pythonic`, `a=1, b='x'`: the outermost object as keyword arguments, whose values
//! are Python literals; `pythonic_or_json`, the same with `true`, `false` and `null` as well;
//! `gemma_4`, `{a:1,b:<|"|>x<|"|>}`; `minimax_m3_xml`, where objects and lists nest as elements; and `qwen_xml`,
//! `minimax_xml`, `deepseek_xml`, `deepseek_v4_1_xml`, `glm_xml` and `kimi_k3_xml`: the outermost object as a list of
//! parameters, whose strings are written as they are, without quotes and escapes, and cannot contain what closes a parameter.
//! White space may stand between parameters and around values that are not strings.
//!
//! # Costs and limits
//! Linear in the document; nesting is bounded. Schemas that mean the same are one rule, however many tags have them, and one
//! text of a schema is read once. With a [`Cache`] it is read once for many documents: a thousand and first tool costs a
//! tool.
#![forbid(unsafe_code)]

mod format;
mod options;

mod models;

mod begun;
mod cache;
mod schema;

mod node;
mod pointer;

mod legacy;
mod parse;

mod lower;
mod lowered;
mod object;

mod gemma;
mod keywords;
mod nested;
mod python;
mod rewrite;
mod xml;

mod error;

pub use cache::Cache;
pub use error::{Error, ErrorKind};
pub use format::{
    AnyText, Dispatch, Format, JsonSchema, Marker, Region, Style, Symbol, Tag, TagsWithSeparator,
    TokenDispatch, TokenTriggeredTags, TriggeredTags,
};
pub use models::{Model, Reasoning, Tool, ToolChoice, Tools};
pub use options::Options;
pub use schema::Schema;

use formwork_grammar::Grammar;

/// The grammar of a structural tag, given as JSON text, with the default [`Options`].
///
/// # Errors
/// See [`ErrorKind`].
pub fn grammar(text: &str) -> Result<Grammar, Error> {
    Options::default().grammar(text)
}

/// [`grammar`] of a document that is parsed already.
///
/// # Errors
/// See [`ErrorKind`].
pub fn grammar_from_value(value: &serde_json::Value) -> Result<Grammar, Error> {
    Options::default().grammar_from_value(value)
}
