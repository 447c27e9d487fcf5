//! What happens to a fork does not happen to its original, and the other way round.

use super::{EngineCase, mask};
use crate::walk::random_steps;
use crate::{Outcome, Rng};
use formwork_engine::Matcher;

const PROPERTY: &str = "fork_independent";

/// Forks after a random walk, goes on with both, and back with both.
///
/// # Errors
/// A mask of one that changed because of the other.
pub fn fork_independent(case: &EngineCase, rng: &mut Rng, max_steps: usize) -> Outcome {
    let Some(compiled) = case.compile(PROPERTY)? else { return Ok(()) };
    let mut original = Matcher::new(&compiled);
    let common_steps = rng.between(0, max_steps);
    let common = random_steps(case, PROPERTY, rng, &mut original, common_steps)?;
    let at_fork = mask(case, PROPERTY, &mut original)?;
    let mut fork = original.fork();
    let here = case.spelled(&common);
    if mask(case, PROPERTY, &mut fork)? != at_fork {
        return Err(case.fail(PROPERTY, format_args!("{here}: a fork begins with another mask")));
    }
    let of_fork = random_steps(case, PROPERTY, rng, &mut fork, max_steps)?;
    if mask(case, PROPERTY, &mut original)? != at_fork || original.n_steps() != common.len() {
        return Err(case.fail(PROPERTY, format_args!("{here}: the fork's {of_fork:?} moved the original")));
    }
    let fork_end = mask(case, PROPERTY, &mut fork)?;
    let of_original = random_steps(case, PROPERTY, rng, &mut original, max_steps)?;
    if mask(case, PROPERTY, &mut fork)? != fork_end || fork.n_steps() != common.len() + of_fork.len() {
        return Err(
            case.fail(PROPERTY, format_args!("{here}: the original's {of_original:?} moved the fork"))
        );
    }
    for (name, matcher, ahead) in
        [("original", &mut original, of_original.len()), ("fork", &mut fork, of_fork.len())]
    {
        let back = matcher.rollback(ahead);
        if back.is_err() || mask(case, PROPERTY, matcher)? != at_fork {
            return Err(case.fail(PROPERTY, format_args!("{here}: the {name} does not get back: {back:?}")));
        }
    }
    // A fork can be rolled back past the point of forking.
    if fork.rollback(common.len()).is_err() || fork.n_steps() != 0 {
        return Err(case.fail(PROPERTY, format_args!("{here}: the fork does not get back to the beginning")));
    }
    Ok(())
}
