//! With any optimisation switched off, every mask is the same bit for bit.
//!
//! Covers inlining, minimisation, counters (counted against expanded), shared escapes, loop slices, the pool, precomputing
//! and row recipes: the same tokens are followed by two matchers whose grammars were compiled with different switches.

use super::{EngineCase, mask, random_config};
use crate::walk::random_step;
use crate::{Outcome, Rng};
use formwork_engine::Matcher;

const PROPERTY: &str = "switches_change_nothing";

/// Follows a random walk of up to `max_steps` tokens with two settings of the switches.
///
/// # Errors
/// A step at which the masks differ.
pub fn switches_change_nothing(case: &EngineCase, rng: &mut Rng, max_steps: usize) -> Outcome {
    let mut config = random_config(rng);
    config.automata.limits = case.config.automata.limits.clone();
    config.rows = case.config.rows.clone();
    let other = EngineCase { config, ..case.clone() };
    same_masks(PROPERTY, case, &other, rng, max_steps)
}

/// Follows a random walk with two cases of one vocabulary whose grammars mean the same.
pub fn same_masks(
    property: &str,
    one: &EngineCase,
    other: &EngineCase,
    rng: &mut Rng,
    max_steps: usize,
) -> Outcome {
    let (Some(compiled), Some(other_compiled)) = (one.compile(property)?, other.compile(property)?) else {
        // Limits differ with the switches, and so may what is refused for them.
        return Ok(());
    };
    let (mut matcher, mut twin) = (Matcher::new(&compiled), Matcher::new(&other_compiled));
    let mut tokens = Vec::new();
    loop {
        let (Some(mask), Some(twin_mask)) =
            (mask(one, property, &mut matcher)?, mask(other, property, &mut twin)?)
        else {
            return Ok(());
        };
        if mask != twin_mask || matcher.can_finish() != twin.can_finish() {
            let message = format_args!("{}: the masks differ", one.spelled(&tokens));
            return Err(one.fail(property, message).with("against:").with(other.fail(property, "")));
        }
        if tokens.len() == max_steps {
            return Ok(());
        }
        let Some(token) = random_step(one, property, rng, &mut matcher)? else { return Ok(()) };
        tokens.push(token);
        if twin.accept_token(token).is_err() {
            return Ok(());
        }
    }
}
