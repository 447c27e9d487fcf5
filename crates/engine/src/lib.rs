//! Compiles grammars for a vocabulary and follows outputs with them.
//!
//! # Who should use something else
//! The `formwork` facade has this and the frontends in one place.
//! Use this crate for a program that gets its grammars ready-made: no frontend is in its dependency tree.
//!
//! # Concepts
//! - A [`Compiler`] belongs to a vocabulary and makes [`CompiledGrammar`]s: immutable, shared by all threads.
//! - A [`Matcher`] follows one output: [`fill_mask`](Matcher::fill_mask), [`accept_token`](Matcher::accept_token),
//!   [`rollback`](Matcher::rollback), [`fork`](Matcher::fork).
//!
//! - A grammar may name tokens as a whole ([`Symbol`](formwork_grammar::Symbol)), special ones above all. The
//!   [matcher](Matcher#tokens-as-symbols) says what takes precedence.
//!
//! The one property that everything is tested for: a bit of the mask is set exactly when accepting that token succeeds
//! and the output can still be completed.
//!
//! ```
//! use formwork_engine::{Compiler, Matcher};
//! use formwork_grammar::{GrammarBuilder, Place};
//! use formwork_vocab::Vocabulary;
//! let mut b = GrammarBuilder::new();
//! let answer = b.declare("answer", Place::none());
//! let (yes, no) = (b.literal("yes"), b.literal("no"));
//! let body = b.alt([yes, no]);
//! b.define(answer, body);
//! let vocabulary = Vocabulary::builder()
//!     .token(0, "y").token(1, "e").token(2, "s").token(3, "n").token(4, "o").token(5, "yes").token(6, "es!")
//!     .special(7, "<end>").stop(7)
//!     .build()?;
//! let compiled = Compiler::new(vocabulary).compile(&b.build(answer)?)?;
//! let mut matcher = Matcher::new(&compiled);
//! let mut mask = [0u32; 1];
//! matcher.fill_mask(&mut mask)?;
//! assert_eq!(mask[0], 0b0010_1001); // y, n, yes
//! matcher.accept_token(0)?;
//! assert_eq!(matcher.forced_bytes(), b"es");
//! matcher.accept_bytes(b"es")?;
//! matcher.accept_token(7)?;
//! assert!(matcher.is_finished());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Costs and limits
//! See [`Config`]. Nothing here reads files, clocks or the environment, spawns threads or prints.
#![forbid(unsafe_code)]

mod arena;
mod batch;
mod behind_tags;
mod budget;
mod captures;
mod compiled;
mod compiler;
mod config;
mod error;
mod estimates;
mod history;
mod kept;
mod matcher;
mod pool;
mod pool_file;
mod precompute;
mod recent;
mod runs;
mod symbols;

pub use batch::{BatchError, apply_mask, fill_masks};
pub use captures::{Capture, Captures};
pub use compiled::CompiledGrammar;
pub use compiler::{Compiler, CompilerBuilder};
pub use config::Config;
pub use error::{AcceptError, AcceptErrorKind, CompileError, CompileErrorKind, MaskError, RollbackError};
pub use formwork_earley::LimitExceeded;
pub use kept::KeptMask;
pub use matcher::{Matcher, MatcherBuilder};
pub use pool::{Pool, PoolStats};
pub use pool_file::{PoolFileError, PoolFileErrorKind};
pub use precompute::{PendingMasks, Spawn};
