//! No mask is empty before the end, and every output can be brought to an end.
//!
//! Where every byte of the grammar is a token this is a theorem (DESIGN.md, section 5); where it is not, the compiler has
//! to refuse. So the oracle is also what checks the compiler's judgement of incomplete vocabularies.

use super::{EngineCase, allows, ids, mask};
use crate::walk::random_step;
use crate::{Outcome, Rng};
use formwork_engine::Matcher;

const PROPERTY: &str = "mask_has_no_dead_end";

/// Checks the masks along a random walk of up to `max_steps` tokens.
///
/// # Errors
/// An empty mask.
pub fn mask_has_no_dead_end(case: &EngineCase, rng: &mut Rng, max_steps: usize) -> Outcome {
    let Some(compiled) = case.compile(PROPERTY)? else { return Ok(()) };
    if case.vocabulary.stop_tokens().is_empty() {
        // Without a stop token the mask at the end is empty by definition.
        return Ok(());
    }
    let mut matcher = Matcher::new(&compiled);
    let mut tokens = Vec::new();
    while tokens.len() < max_steps {
        let Some(mask) = mask(case, PROPERTY, &mut matcher)? else { return Ok(()) };
        if !ids(&case.vocabulary).any(|id| allows(&mask, id)) {
            return Err(case.fail(PROPERTY, format_args!("{}: the mask is empty", case.spelled(&tokens))));
        }
        let Some(token) = random_step(case, PROPERTY, rng, &mut matcher)? else { return Ok(()) };
        tokens.push(token);
    }
    Ok(())
}
