//! Lark's dialect, that of Python's parser generator and, in large parts, of llguidance.
//!
//! ```
//! let grammar = formwork_ebnf::lark::grammar(r#"
//!     start: (item ";")+
//!     ?item: NAME "=" value          -> assignment
//!     value: SIGNED_NUMBER | ESCAPED_STRING | "[" list{value} "]"
//!     list{x}: x ("," x)*
//!     NAME: /[a-z_]\w*/i
//!
//!     %import common (SIGNED_NUMBER, ESCAPED_STRING, WS)
//!     %ignore WS
//! "#)?;
//! assert_eq!(grammar.rule(grammar.root()).name(), "root");
//! # Ok::<(), formwork_ebnf::Errors>(())
//! ```
//!
//! # What a grammar means
//! The texts are those that Lark's Earley parser takes with `lexer="dynamic_complete"`, with every terminal standing for
//! **all** texts of its regular language:
//!
//! - **There is no lexer.** Wherever a rule wants a terminal, any text that the terminal matches may stand, whatever
//!   other terminals match there. Lark's LALR parser, and its Earley parser with `lexer="basic"`, first cut the text
//!   into terminals, by the longest match and by priorities, so they refuse some texts that are accepted here: `ifx` for
//!   `"if" NAME`, where they see one name; `if` for `NAME`, where they see a keyword. llguidance's lexer commits in the same way.
//! - **Terminals are regular languages.** In a terminal nothing is ignored. Lazy quantifiers match what greedy ones do:
//!   `/".*?"/` is also a text with quotes inside, of which Lark would take only the first part. Write
//!   `/"[^"]*"/`. The terminals of `common` are written in this way.
//! - **What is ignored** (`%ignore`) may stand any number of times before, between and behind the terminals of a text, and
//!   in any of the ways to cut it up. Between the items of rules, that is; `"a" "b"` in a terminal are neighbours. What an imported file ignores
//!   is not ignored here.
//!   What is ignored should say itself where it ends. After `//` a text may go on both in an ignored `/\/\/[^\n]*/` and
//!   behind it, as long as the line lasts, so that masks take long and automata outgrow their limits;
//!   `/\/\/[^\n]*\n/` is free of that. (Lark takes ignored texts as long as it can.)
//! - **Priorities** of rules and terminals choose between the trees of a text. They are read, and change nothing,
//!   as do `?`, `!` and `_` before names and `-> aliases`.
//!
//! The text begins with the rule `start`, unless [`Options::root`] names another.
//!
//! # What is read
//!
//! | written | means |
//! |---|---|
//! | `name: …`, `NAME: …` | a rule; a terminal. A definition ends with its line, except in parentheses and before a line that begins with <code>\|</code> |
//! | `"text"`, `"text"i` | these characters; in any case. `\n \t \r \f \" \\ \xHH \uHHHH \UHHHHHHHH`; another backslash is itself |
//! | `"a".."z"` | one character from the first to the last |
//! | `/regex/imsux` | a regular expression in Python's syntax, without what depends on its surroundings (`^ $ \b`, look-around), back-references, atomic groups and possessive quantifiers, which are refused |
//! | `a b`, <code>a \| b</code>, `(a)`, `[a]` | sequence, alternatives, group, and what may be left out. Alternatives may be empty |
//! | `a?` `a*` `a+` `a ~ 3` `a ~ 3..5` | repetitions; and `a{3,5}` with its relatives, as llguidance has them |
//! | `name{x, y}: …`, `name{"a", other}` | a template, and what it stands for with arguments: strings, names, regular expressions, templates |
//! | `<name>`, `<[5]>` | one token of the vocabulary, by name (brackets included) or id, in rules |
//! | `%ignore …` | what may stand between terminals |
//! | `%import common.NAME -> OTHER`, `%import common (NAME, …)` | terminals that are always there: `DIGIT HEXDIGIT INT SIGNED_INT DECIMAL FLOAT SIGNED_FLOAT NUMBER SIGNED_NUMBER STRING ESCAPED_STRING LCASE_LETTER UCASE_LETTER LETTER WORD CNAME WS WS_INLINE CR LF NEWLINE SH_COMMENT CPP_COMMENT C_COMMENT SQL_COMMENT` |
//! | `%import .file.name` | what another text defines, which [`Options::imports`] must find |
//! | `%override name: …`, `%extend name: …` | another body; more alternatives |
//! | `%declare NAME` | a terminal that code makes, such as an indentation. It is an error to use it |
//! | `// …`, `# …` | comments |
//!
//! Of llguidance's attributes, rules may have `max_tokens=50`, `capture` and `capture="name"`, as in the [EBNF
//! dialect](crate). Of its other additions, intersections, complements, parameters, `%json`, `%lark` and `%regex` are refused.
//! Only what the start rule leads to becomes part of the grammar.

mod lower;
mod scope;

mod literal;
mod pattern;

mod parser;
mod syntax;
mod token;

use crate::options::Imports;
use crate::problem::Problems;
use crate::{Dialect, Errors, Limits, Options};
use formwork_grammar::Grammar;
use scope::Scope;

/// The grammar of a Lark text, whose start rule is `start`.
///
/// # Errors
/// As [`Options::grammar`].
pub fn grammar(text: &str) -> Result<Grammar, Errors> {
    Options::new().dialect(Dialect::Lark).grammar(text)
}

/// Reads a text that is not too long.
pub(crate) fn read(
    text: &str,
    start: &str,
    imports: Option<&Imports>,
    limits: &Limits,
) -> Result<Grammar, Problems> {
    let mut scope = Scope::read(text, imports, limits);
    scope.check_names();
    let is_fine = scope.sources.iter().all(|source| source.problems.is_empty());
    let grammar = if is_fine { lower::lower(&mut scope, start, limits) } else { None };
    grammar.ok_or_else(|| scope.into_problems())
}
