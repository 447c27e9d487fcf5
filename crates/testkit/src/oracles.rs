//! One file per property.
//!
//! An oracle takes what it checks and answers with an [`Outcome`](crate::Outcome), so that the same function runs under
//! proptest, in a fuzz target and over a suite.
//! A [limit](formwork_grammar::Limits) that is reached is never a failure: the answer was refused, not wrong.

#[cfg(feature = "oracles-rows")]
mod rows_vs_reference;

#[cfg(feature = "oracles-rows")]
pub use rows_vs_reference::{RowCheck, rows_vs_reference};
