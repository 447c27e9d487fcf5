//! EBNF, GBNF and Lark text as Formwork grammars, and back.
//!
//! ```
//! let grammar = formwork_ebnf::grammar(r#"
//!     root   ::= "yes" | "no" | number
//!     number ::= "-"? [0-9]+ ("." [0-9]{1,3})?   # at most three decimals
//! "#)?;
//! assert_eq!(grammar.rules().len(), 2);
//! # Ok::<(), formwork_ebnf::Errors>(())
//! ```
//!
//! # Who should use something else
//! To constrain a model, use the `formwork` facade. To build a grammar by program, use
//! [`GrammarBuilder`](formwork_grammar::GrammarBuilder). For JSON, use JSON Schema.
//!
//! # The dialect
//! That of XGrammar, without its look-ahead hints and some of its attributes and macros, and with a few calls of our own.
//!
//! A grammar is a list of rules in any order. The rule `root` is what the whole output must match;
//! [`Options::root`] names another.
//! ```text
//! name ::= expression
//! ```
//! A rule begins on a line of its own, and its expression goes on until the next rule begins, over several lines
//! if need be. Names are letters, digits and `_ - .`, and begin with a letter or `_`; `true` and `false` are none.
//! White space is free, and `#` begins a comment that ends with the line. Rules may refer to themselves and to each
//! other in any way, left recursion included; a rule that is not used is no error.
//!
//! | written | means |
//! |---|---|
//! | `"text"` | these characters |
//! | `[a-z_]` | one character of these: single ones and ranges, in any script |
//! | `[^a-z]` | one character that is none of these; `[^]` is any character, `[]` none, which matches nothing |
//! | `name` | what the rule of this name stands for |
//! | `a b` | `a`, then `b` |
//! | `a \| b` | `a` or `b`; binds loosest |
//! | `(a)` | `a`; `()` is the empty text, as is `""` |
//! | `a*` `a+` `a?` | any number of times; at least once; at most once |
//! | `a{3}` `a{3,}` `a{3,5}` | three times; at least three; three to five. The counts cost nothing, however high |
//!
//! Two quantifiers in a row need parentheses: `(a*)?`.
//!
//! **Attributes** stand in brackets behind a rule's name, `line[lazy, max_chars=80] ::= [^]* "\n"`. With `max_chars` the rule
//! has at most so many characters; a `lazy` one ends as soon as it can: it has no text that begins with another of its
//! texts. The body must be a regular expression over characters, as the operands of `And` below.
//! `thought[max_tokens=500] ::= [^<]*` is a region with a budget: at most so many tokens have a part in each text of the rule.
//! When they are used up, only what ends the rule is allowed, and a token that leaves a character unfinished is allowed only
//! where there are tokens left for each of the missing bytes. What the rule refers to must be regular, and have no budget of
//! its own; whether it is, shows at compile. `capture` and `capture="name"` give what the rule matches a name, under which it
//! can be read from the output.
//!
//! **Escapes**, in strings and classes: `\n \r \t \b \f \a \v \e \0 \" \' \\ \/ \?`, `\xH…` (the character whose code is all
//! the hexadecimal digits that follow), `\uHHHH` (two of them where UTF-16 needs a pair), `\u{H…}`, `\UHHHHHHHH`.
//! Classes have in addition `\^ \$ \. \* \+ \( \) \[ \] \{ \} \| \-` and, which XGrammar refuses, `\d \w \s \D \W \S`
//! with their ASCII meaning. A `-` is itself at either end of a class and beside such an escape. Neither strings nor
//! classes go over the end of a line.
//!
//! Everything matches the UTF-8 of Unicode's scalar values; surrogates are no characters and cannot be written or matched.
//!
//! ## Calls
//! These are extensions, and what [`Grammar`]'s `Display` prints where the dialect has no words.
//! The parenthesis must follow at once: `And ("x")` is the rule `And` and a group.
//!
//! | written | means |
//! |---|---|
//! | `And(a, b, …)` | the texts that match all of these |
//! | `Not(a)` | the texts that do not match |
//! | `JsonText(a)` | every way to spell a matching text inside a JSON string, without the quotes |
//! | `Bytes("\xff\x00")` | these bytes, which need not be UTF-8; `\xHH` is a byte here, and the only escape |
//! | `ByteClass("\x80-\xbf")` | one byte of these |
//!
//! | `Token(5, "<|call\|>")` | one token of the vocabulary as a whole, by id or by name: a special token, or else the text token with exactly these bytes |
//! | `ExcludeToken(5, …)` | one token, special ones included, that is none of these and no stop token |
//! | `Tag("<|call\|>x")` | a text in which the names of special tokens mean those tokens |
//! | `Until(("t", a), …, excludes=("x", …), ends=true)` | text in which no trigger `t` has been completed, up to the first that is, and then its `a`; with `ends`, also text with nothing behind it. What is excluded is never completed. Triggers are tags |
//! | `TagDispatch(("t", a), …, excludes=("x", …), loop_after_dispatch=true)` | the same, ending anywhere in the text, and after `a` text again, unless `loop_after_dispatch=false`; without a trigger it is free text |
//! | `TokenTagDispatch((5, a), …, excludes=(6, …), loop_after_dispatch=true)` | the same over tokens: any but the triggers and the excluded ones; without a trigger it is these |
//!
//! The operands of the first three are regular expressions over characters: rules may be used in them if they are not
//! recursive, and are put in place of their names (in their own definitions too); bytes, tokens and `JsonText` may not.
//!
//! # GBNF and Lark
//! The module [`gbnf`] reads llama.cpp's dialect, which differs in small things, and [`lark`] that of Lark, which is another
//! language.
//!
//! # Writing
//! `Display` of a [`Grammar`] writes EBNF, [`to_gbnf`] GBNF and [`to_regex`] regular expressions, where the grammar has
//! nothing that they cannot say.
//!
//! # Errors
//! All problems of a text are found in one go: an error in one rule does not hide those in the next.
//! See [`Errors`] and [`Error`].
//!
//! # Costs and limits
//! Linear in the length of the text, [bounded](Limits) in length, nesting and the number of errors, and without
//! recursion on the shape of the input.
#![forbid(unsafe_code)]

mod dialect;
pub mod gbnf;
pub mod lark;
mod options;

mod limits;
mod lower;
mod parser;
mod syntax;

mod convert;

mod literal;
mod suggest;
mod token;

mod error;
mod problem;
mod render;

pub use convert::{ConvertError, ConvertErrorKind, to_gbnf, to_regex};
pub use dialect::Dialect;
pub use error::{Error, ErrorKind, Errors};
pub use limits::Limits;
pub use options::Options;

use formwork_grammar::Grammar;

/// The grammar of a text whose root rule is `root`.
///
/// # Errors
/// As [`Options::grammar`].
pub fn grammar(text: &str) -> Result<Grammar, Errors> {
    Options::new().grammar(text)
}
