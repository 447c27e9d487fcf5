//! Grammars that share local masks through a compiler's pool have the masks that they have alone.
//!
//! What one grammar computes serves the others wherever their rules look the same, so a form that says too little shows as
//! a mask of another grammar's.

use super::{EngineCase, mask};
use crate::walk::random_step;
use crate::{Outcome, Rng};
use formwork_engine::{Compiler, Matcher};
use formwork_grammar::Grammar;

const PROPERTY: &str = "pool_changes_nothing";

/// Compiles all grammars with one compiler, walks each, and compares every mask with that of a compiler without a pool.
///
/// # Errors
/// A step at which the masks differ.
pub fn pool_changes_nothing(
    case: &EngineCase,
    grammars: &[Grammar],
    rng: &mut Rng,
    max_steps: usize,
) -> Outcome {
    let mut shared = case.config.clone();
    shared.pool = true;
    if grammars.len() % 2 == 0 {
        // What states are made from is forgotten all the time.
        shared.pool_bytes = 0;
    }
    let mut alone = case.config.clone();
    alone.pool = false;
    let pooled = Compiler::builder(case.vocabulary.clone()).config(shared).build();
    for grammar in grammars {
        let case = EngineCase { grammar: grammar.clone(), config: alone.clone(), ..case.clone() };
        let (Ok(compiled), Some(fresh)) = (pooled.compile(grammar), case.compile(PROPERTY)?) else {
            continue;
        };
        let (mut matcher, mut twin) = (Matcher::new(&compiled), Matcher::new(&fresh));
        let mut tokens = Vec::new();
        while tokens.len() < max_steps {
            let (Some(ours), Some(theirs)) =
                (mask(&case, PROPERTY, &mut matcher)?, mask(&case, PROPERTY, &mut twin)?)
            else {
                break;
            };
            if ours != theirs {
                let message = format_args!("{}: the masks differ", case.spelled(&tokens));
                return Err(case.fail(PROPERTY, message));
            }
            let Some(token) = random_step(&case, PROPERTY, rng, &mut twin)? else { break };
            tokens.push(token);
            if matcher.accept_token(token).is_err() {
                break;
            }
        }
    }
    Ok(())
}
