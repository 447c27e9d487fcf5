//! From the rules of a [`Grammar`](formwork_grammar::Grammar) to deterministic byte automata.
//!
//! # Who should use something else
//! To constrain a model, use the `formwork` facade.
//! Use this crate to look at a grammar's automata, or to put another runtime than `formwork-earley` on top of them.
//!
//! # What is built
//! One [automaton](Automata) per rule that is worth one: deterministic over bytes *and* over references to other rules.
//! - **ε is compiled away**: which rules may be empty is known beforehand, so an edge that skips stands beside each
//!   reference to one, and every automaton accepts its rule without the empty text.
//! - **Rule boundaries are chosen, not given**: most rules disappear into the automata that use them; see `plan.rs`.
//! - **Large repetitions count** instead of being written out: an automaton that ticks, with bounds tested at its end.
//! - **Intersections and complements** of regular parts are multiplied out over code points and then spelled.
//! - **Symbols are called**: a set of them is an automaton that reads nothing, which whoever runs the automata completes
//!   when one comes; see `symbols.rs`. Text up to a trigger is a machine of Aho and Corasick; see `until.rs`.
//! - **Budgets are left to whoever runs the automata**: a rule with one is an automaton that calls no other, and says how soon
//!   it can end; see `regions.rs`.
//! - **Dead ends are gone**: from every state the rule can be completed, and every rule referred to has a text.
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
//! // All states at once, to look at them.
//! let mut config = formwork_fsm::Config::default();
//! config.lazy = false;
//! let automata = formwork_fsm::build(&b.build(sum)?, &config, &|| false)?;
//! // Left recursion has become a loop.
//! assert_eq!(automata.to_string(), "\
//! r0 sum
//!   s0: 0-9 -> s1
//!   s1*: + -> s0, 0-9 -> s1
//! ");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Costs and limits
//! About half a microsecond a state; [`Limits`] bound states, nodes and work, and the caller's interrupt is asked often.
//! The stack use does not depend on the grammar.
#![forbid(unsafe_code)]

mod adjacency;
mod automata;
mod behind_tags;
mod build;
mod cache;
mod canonical;
mod choices;
mod codec;
mod config;
mod deferred;
mod dispatch;
mod distinct;
mod dump;
mod error;
mod escapes;
mod facts;
mod few;
mod first;
mod form;
mod guards;
mod lazy;
mod left_out;
mod library;
mod loops;
mod symbols;

mod compile;
mod components;
mod dfa;
mod minimise;
mod nfa;
mod plan;
mod regions;
mod saved;
mod segmented;
mod sets;
mod sources;
mod spelling;
mod state_view;
mod subset;
mod tables;
mod text;
mod ticks;
mod unit;
mod unticked;
mod until;
mod valmari;
mod work;

pub use automata::{Automata, Counter, RuleEdge, RuleId, RuleView, RunBound, StateId, Unticked};
pub use behind_tags::Known;
pub use build::{build, build_with};
pub use cache::Cache;
pub use canonical::ButForWords;
pub use codec::{Malformed, Reader, Writer};
pub use config::{Config, Limits};
pub use dispatch::{Dispatch, DispatchEvent, DispatchState, DispatchWarning, dispatches};
pub use distinct::PLENTY;
pub use error::{Error, ErrorKind};
pub use lazy::Letters;
pub use left_out::LeftOut;
pub use loops::Loop;
pub use saved::SavedTables;
pub use segmented::Segmented;
pub use spelling::short_escape;
pub use state_view::StateView;
pub use symbols::{AnySymbols, Symbols, TagPiece};
pub use tables::ByteEdge;
