//! Random walks of a matcher under its own masks, as a model would make them.

use crate::oracles::{EngineCase, allows, ids, mask};
use crate::{Failure, Rng};
use formwork_engine::Matcher;
use formwork_vocab::TokenId;

/// One random token among those that the mask allows, and its acceptance.
///
/// Stop tokens are taken one time in eight where there is anything else, or walks would end before they get anywhere.
/// `None` if nothing is allowed or a limit was reached.
///
/// # Errors
/// The mask allowed a token that is then refused.
pub fn random_step(
    case: &EngineCase,
    property: &str,
    rng: &mut Rng,
    matcher: &mut Matcher,
) -> Result<Option<TokenId>, Failure> {
    if matcher.is_finished() {
        return Ok(None);
    }
    let Some(mask) = mask(case, property, matcher)? else { return Ok(None) };
    let allowed: Vec<TokenId> = ids(&case.vocabulary).filter(|&id| allows(&mask, id)).collect();
    let texts: Vec<TokenId> = allowed.iter().copied().filter(|&id| !case.vocabulary.is_stop(id)).collect();
    let from = if texts.is_empty() || rng.chance(1, 8) { &allowed } else { &texts };
    let Some(&token) = rng.pick(from) else { return Ok(None) };
    match matcher.accept_token(token) {
        Ok(()) => Ok(Some(token)),
        Err(error) if matches!(error.kind(), formwork_engine::AcceptErrorKind::Limit(_)) => Ok(None),
        Err(error) => {
            Err(case.fail(property, format_args!("the mask allows {token:?}, which is refused: {error}")))
        }
    }
}

/// Up to `max_steps` random steps; the tokens that were accepted.
///
/// # Errors
/// As [`random_step`].
pub fn random_steps(
    case: &EngineCase,
    property: &str,
    rng: &mut Rng,
    matcher: &mut Matcher,
    max_steps: usize,
) -> Result<Vec<TokenId>, Failure> {
    let mut tokens = Vec::new();
    while tokens.len() < max_steps {
        let Some(token) = random_step(case, property, rng, matcher)? else { break };
        tokens.push(token);
    }
    Ok(tokens)
}
