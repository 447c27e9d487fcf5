//! The grammar that Formwork's frontends produce and its engine compiles.
//!
//! A [`Grammar`] is a set of named [rules](Rule) over bytes.
//! Frontends (EBNF, regex, JSON Schema, …) build one with a [`GrammarBuilder`]; the engine lowers it to automata.
//! Nothing else is shared between the two, so this crate knows no concrete syntax, no automata and no vocabularies:
//! it can print a grammar (as EBNF, through [`Display`](std::fmt::Display)), it cannot parse one.
//!
//! # Who should use something else
//! To constrain a model, use the `formwork` facade.
//! Use this crate to write a new frontend, or to build grammars by hand.
//!
//! # Concepts
//! - **Rule**: a name, a body and the [place](Place) in the user's text that it came from.
//! - **Expression** ([`Expr`]): a node in an arena; equal expressions have equal [ids](ExprId), so a grammar is a DAG
//!   and shared tails cost nothing. Whoever walks it must remember what it has seen.
//! - **Symbol**: a letter outside the bytes, by number or by name ([`Expr::Symbols`]); for the engine, one token of the
//!   model's vocabulary as a whole. [Tags](Expr::Tag) are text that may contain the names of symbols.
//! - **Text** expressions: built from characters alone, without rules. Only these can be intersected
//!   ([`Expr::And`]), complemented ([`Expr::Not`]) and respelled ([`Expr::JsonText`]), because only these are regular.
//!
//! ```
//! use formwork_grammar::{CharClass, GrammarBuilder, Place};
//! let mut b = GrammarBuilder::new();
//! let digit = b.class(CharClass::range('0', '9'));
//! let digits = b.plus(digit);
//! let sum = b.declare("sum", Place::none());
//! let (recur, plus) = (b.rule(sum), b.literal("+"));
//! let more = b.seq([recur, plus, digits]);
//! let body = b.alt([more, digits]);
//! b.define(sum, body);
//! let grammar = b.build(sum)?;
//! assert_eq!(grammar.to_string(), "sum ::= sum \"+\" [0-9]+ | [0-9]+\n");
//! # Ok::<(), formwork_grammar::GrammarError>(())
//! ```
//!
//! # Costs and limits
//! Building is linear in what is built; every growth is bounded by [`Limits`].
//! The builder never fails on the way: the first error is kept and returned by [`GrammarBuilder::build`].
#![forbid(unsafe_code)]

mod byte_set;
mod char_class;
mod collections;
mod id;
mod list;
mod place;

mod conditions;
mod machine;
mod membership;
mod symbol;
mod until;

mod expr;
mod generations;
mod grammar;

mod builder;
mod error;
mod import;
mod lengths;
mod library;
mod limits;
mod print;

pub use builder::GrammarBuilder;
pub use byte_set::ByteSet;
pub use char_class::CharClass;
pub use collections::{HashMap, HashSet, Seeded};
pub use conditions::{Clause, Conditions};
pub use error::{GrammarError, GrammarErrorKind};
pub use expr::{Expr, Properties};
pub use generations::{Filling, Generations};
pub use grammar::{BoundedRun, Grammar, Rule, Sharing};
pub use id::{ExprId, RuleId};
pub use import::Part;
pub use lengths::TextLengths;
pub use library::Library;
pub use limits::Limits;
pub use list::List;
pub use machine::{Machine, SharedMachine};
pub use membership::{Membership, Standing, TooManySteps};
pub use place::{Place, Position};
pub use symbol::{Symbol, SymbolSet};
pub use until::Until;
