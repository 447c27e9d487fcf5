//! Regular expressions as Formwork grammars.
//!
//! [`grammar`] turns the text of a regular expression into a [`Grammar`] with one rule, `root`.
//! The language is over Unicode scalar values: what a grammar of this crate accepts is always well-formed UTF-8.
//!
//! ```
//! let grammar = formwork_regex::grammar("[0-9]{3}-(north|south)?")?;
//! assert_eq!(grammar.to_string(), "root ::= [0-9]{3} \"-\" (\"north\" | \"south\")?\n");
//! # Ok::<(), formwork_regex::Error>(())
//! ```
//!
//! # Who should use something else
//! To constrain a model, use the `formwork` facade.
//! To search text, use the `regex` crate: this one builds grammars, it does not match.
//!
//! # Concepts
//! - **Dialect** ([`Dialect`]): the syntax of the `regex` crate, or ECMA-262 with the `u` flag as JSON Schema's
//!   `pattern` uses it. They differ in what `.`, `\d`, `\w` and `\s` mean as well as in syntax.
//! - **Matching** ([`Matching`]): whether the whole text must match, or the pattern must occur somewhere in it.
//! - **Anchors** are exact wherever they stand. `^` demands the start of the text and `$` its end, per alternative:
//!   `(^|x)y($|z)` works in both modes, and `a^b` matches nothing. The module `term` says how.
//!
//! What is regular is supported; what is not is refused with its [position](Error::position) and a way out:
//! look-around (but for look-ahead outside repetitions in ECMA-262), back-references, word boundaries, multi-line
//! anchors, atomic and possessive groups.
//! Greedy and lazy repetition have the same language, and groups capture nothing.
//!
//! # Costs and limits
//! Time and memory are linear in the length of the pattern, plus the Unicode tables that its classes need.
//! Repetition bounds cost nothing: `x{0,100000}` is one [`Repeat`](formwork_grammar::Expr::Repeat).
//! [`Limits`] bounds length, nesting and tables; nothing recurses on the pattern's shape.
#![forbid(unsafe_code)]

mod options;

mod ecma;
mod rust;
mod term;

mod error;
mod limits;

pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use options::{Dialect, Matching, Options};

use formwork_grammar::Grammar;

/// The grammar of all texts that `text`, in the syntax of the `regex` crate, matches from end to end.
///
/// # Errors
/// As [`Options::grammar`].
pub fn grammar(text: &str) -> Result<Grammar, Error> {
    Options::new().grammar(text)
}
