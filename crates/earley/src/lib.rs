//! Earley rows over automata: which bytes may come next, exactly, for any context-free grammar.
//!
//! # Who should use something else
//! To constrain a model, use the `formwork` facade.
//! Use this crate to recognise bytes incrementally against [`Automata`](formwork_fsm::Automata).
//!
//! # Concepts
//! - A [row](RowId) is what is known after some bytes: items that read on, and who waits for rules that began here.
//! - An [`Item`] is a state, the place where its rule began, and a count.
//! - Where a step of the output ends is for the caller to say, if the grammar has budgets of steps; see `steps.rs`.
//! - A [waiter table](TableId) takes the place of Earley's back pointers; `rows.rs` says why that makes rows values.
//! - A [`Trace`] says where rules began and ended, which rows do not know.
//!
//! Rows live in an arena, [`Rows`]; equal rows are one row. Rolling back is remembering an older id.
//!
//! ```
//! use formwork_earley::{Limits, Rows};
//! use formwork_grammar::{GrammarBuilder, Place};
//! let mut b = GrammarBuilder::new();
//! let nest = b.declare("nest", Place::none());
//! let (open, inner, close) = (b.literal("("), b.rule(nest), b.literal(")"));
//! let inner = b.star(inner);
//! let body = b.seq([open, inner, close]);
//! b.define(nest, body);
//! let automata = formwork_fsm::build(&b.build(nest)?, &formwork_fsm::Config::default(), &|| false)?;
//! let mut rows = Rows::new(automata.into(), Limits::default());
//! let mut row = rows.start()?;
//! for byte in *b"(()())" {
//!     row = rows.advance(row, byte)?.expect("balanced so far");
//! }
//! assert!(rows.is_accepting(row));
//! assert_eq!(rows.advance(row, b')')?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Costs and limits
//! Advancing over a row met before is a lookup. [`Limits`] bound items and work of one row and the arena's memory.
#![forbid(unsafe_code)]

mod back;
mod collect;
mod counts;
mod dominated;
mod dump;
mod item;
mod limits;
mod marks;
mod memo;
mod rows;
mod sets;
mod steps;
mod strides;
mod tails;
mod texts;
mod trace;

pub use item::{Item, TableId, Waiter};
pub use limits::{LimitExceeded, Limits};
pub use marks::Mark;
pub use rows::{RowId, Rows};
pub use texts::TextPlace;
pub use trace::{PointId, Span, Trace};
