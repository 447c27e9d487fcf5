//! GBNF, the dialect of llama.cpp.
//!
//! ```
//! let grammar = formwork_ebnf::gbnf::grammar(r#"
//!     root ::= (
//!         item ("," ws item)*   # newlines are free inside parentheses
//!     )
//!     item ::= "yes" | "no" |
//!         [0-9]{1,3}
//!     ws   ::= | " "
//! "#)?;
//! assert_eq!(grammar.rules().len(), 3);
//! # Ok::<(), formwork_ebnf::Errors>(())
//! ```
//!
//! It is [the EBNF dialect](crate#the-dialect) but for what follows. [`to_gbnf`](crate::to_gbnf) writes it.
//!
//! - **Names** are ASCII letters, digits, `-` and `_`, in any place; none is reserved.
//! - **A rule ends with its line.** It goes on over lines inside parentheses, after `|` and after `::=`; a `|` at the
//!   start of a line is an error, as it is there.
//! - `.` is any character, a newline included.
//! - An alternative may be empty: `| "a"`, `("a" | )`. At the end of a rule, where something was probably forgotten, it
//!   may not.
//! - `{,n}` is `{0,n}`.
//! - **Escapes**, in strings and classes: `\n \r \t \\ \" \[ \]`, `\xHH`, `\uHHHH`, `\UHHHHHHHH`, all of characters, not
//!   bytes; and `\-`, which llama.cpp refuses but its own JSON Schema converter writes.
//! - `[]` and `[^]` are errors: llama.cpp reads them as the empty text.
//! - There are no calls: `And("a")` is the rule `And` and a group.
//! - `<[5]>` is one token of the vocabulary, by its id, and `<think>` the one that is called `<think>`, brackets included;
//!   with `!` before it, any token but that one.
//!
//! Two things that llama.cpp lets pass are errors here: a rule that is defined twice (it keeps the last), and two
//! quantifiers in a row. One that it refuses is read: left recursion.

use crate::{Dialect, Errors, Options};
use formwork_grammar::Grammar;

/// The grammar of a GBNF text, whose root rule is `root`.
///
/// # Errors
/// As [`Options::grammar`].
pub fn grammar(text: &str) -> Result<Grammar, Errors> {
    Options::new().dialect(Dialect::Gbnf).grammar(text)
}
