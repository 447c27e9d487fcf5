//! Rolling back is having gone less far: all masks before and after are those of a matcher that was never ahead.

use super::{EngineCase, mask};
use crate::walk::random_step;
use crate::{Outcome, Rng};
use formwork_engine::Matcher;
use formwork_vocab::TokenId;

const PROPERTY: &str = "rollback_replay";

/// Goes forward and back at random for `n_moves` moves, comparing every mask with that of a fresh matcher.
///
/// # Errors
/// A mask that depends on what was rolled back, or a rollback that fails or goes too far.
pub fn rollback_replay(case: &EngineCase, rng: &mut Rng, n_moves: usize) -> Outcome {
    let Some(compiled) = case.compile(PROPERTY)? else { return Ok(()) };
    let mut matcher = Matcher::new(&compiled);
    let mut tokens: Vec<TokenId> = Vec::new();
    for _ in 0..n_moves {
        if !tokens.is_empty() && rng.chance(1, 3) {
            let n = rng.between(1, tokens.len());
            matcher
                .rollback(n)
                .map_err(|error| case.fail(PROPERTY, format_args!("{}: {error}", case.spelled(&tokens))))?;
            tokens.truncate(tokens.len() - n);
        } else if rng.chance(1, 8) {
            // A draft that goes wrong, or past the end, leaves no trace.
            let draft: Vec<TokenId> = (0..rng.below(5))
                .filter_map(|_| u32::try_from(rng.below(case.vocabulary.width())).ok().map(TokenId::new))
                .collect();
            let n = matcher.validate_tokens(&draft);
            let mut twin = matcher.fork();
            let accepted = draft.iter().take_while(|&&id| twin.accept_token(id).is_ok()).count();
            if n != accepted {
                let message = format_args!("{}: {n} of {draft:?}, not {accepted}", case.spelled(&tokens));
                return Err(case.fail(PROPERTY, message));
            }
        } else if let Some(token) = random_step(case, PROPERTY, rng, &mut matcher)? {
            tokens.push(token);
        }
        if matcher.rollback(tokens.len() + 1).is_ok() {
            return Err(case.fail(PROPERTY, "more can be rolled back than was accepted"));
        }
        let mut fresh = Matcher::new(&compiled);
        for &token in &tokens {
            if let Err(error) = fresh.accept_token(token) {
                let message = format_args!("{}: not again: {error}", case.spelled(&tokens));
                return Err(case.fail(PROPERTY, message));
            }
        }
        let (here, again) = (mask(case, PROPERTY, &mut matcher)?, mask(case, PROPERTY, &mut fresh)?);
        let state = |m: &Matcher| (m.can_finish(), m.is_finished(), m.n_bytes(), m.n_steps());
        if here != again || state(&matcher) != state(&fresh) {
            let message = format_args!("{}: not as without the detour", case.spelled(&tokens));
            return Err(case.fail(PROPERTY, message));
        }
    }
    Ok(())
}
