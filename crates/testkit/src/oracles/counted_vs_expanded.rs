//! `x{m,n}` is m to n times x: a grammar with counts has the masks of the grammar with the copies written out.

use super::EngineCase;
use super::switches_change_nothing::same_masks;
use crate::generate::expand_counts;
use crate::{Outcome, Rng};

const PROPERTY: &str = "counted_vs_expanded";

/// Follows a random walk of up to `max_steps` tokens through both.
///
/// # Errors
/// A step at which the masks differ.
pub fn counted_vs_expanded(case: &EngineCase, rng: &mut Rng, max_steps: usize) -> Outcome {
    let expanded = EngineCase { grammar: expand_counts(&case.grammar), ..case.clone() };
    same_masks(PROPERTY, case, &expanded, rng, max_steps)
}
