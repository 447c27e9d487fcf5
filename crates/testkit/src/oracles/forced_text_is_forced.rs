//! Forced text is what the reference would force: at every byte of it there is no other, and after it there is a choice.

use super::readings::Readings;
use super::{EngineCase, mask};
use crate::walk::random_steps;
use crate::{Outcome, Rng, shown};
use formwork_engine::Matcher;

const PROPERTY: &str = "forced_text_is_forced";

/// Past so many bytes the rest of forced text is taken on trust: asking costs the reference 256 questions a byte.
const MAX_CHECKED: usize = 12;

/// Checks what is forced after a random walk of up to `max_steps` tokens.
///
/// # Errors
/// A forced byte beside which another was possible, or an end of the forced text without a choice.
pub fn forced_text_is_forced(case: &EngineCase, rng: &mut Rng, max_steps: usize) -> Outcome {
    let Some(compiled) = case.compile(PROPERTY)? else { return Ok(()) };
    let reference = case.reference();
    let mut matcher = Matcher::new(&compiled);
    let steps = rng.between(0, max_steps);
    let tokens = random_steps(case, PROPERTY, rng, &mut matcher, steps)?;
    let here = case.spelled(&tokens);
    let before = mask(case, PROPERTY, &mut matcher)?;
    let forced = matcher.forced_bytes();
    if mask(case, PROPERTY, &mut matcher)? != before {
        return Err(case.fail(PROPERTY, format_args!("{here}: asking what is forced changed the mask")));
    }
    if matcher.is_finished() {
        return match forced[..] {
            [] => Ok(()),
            _ => Err(case.fail(PROPERTY, format_args!("{here}: finished, but {} is forced", shown(&forced)))),
        };
    }
    let mut readings = Readings::new();
    for &token in &tokens {
        readings.push(&reference, &case.vocabulary, token);
    }
    // `None` once the readings are too many to be followed.
    let choice = |readings: &Readings| Some((readings.accept(&reference)?, readings.next_bytes(&reference)?));
    for &byte in forced.iter().take(MAX_CHECKED) {
        if let Some((accepts, next)) = choice(&readings) {
            if accepts || next.len() != 1 || !next.contains(byte) {
                let message =
                    format_args!("{here}: of {}, {byte:#x} is forced, but {next:?} may come", shown(&forced));
                return Err(case.fail(PROPERTY, message));
            }
        }
        readings.push_bytes(&[byte]);
    }
    if let Some((false, next)) = choice(&readings).filter(|_| forced.len() <= MAX_CHECKED) {
        // A symbol, which begins with 0xFF here, is not text that can be forced.
        if next.len() == 1 && !next.contains(0xFF) {
            let message =
                format_args!("{here}: only {} is forced, but there is no choice yet", shown(&forced));
            return Err(case.fail(PROPERTY, message));
        }
    }
    if let Err(error) = matcher.accept_bytes(&forced) {
        let is_limit = matches!(error.kind(), formwork_engine::AcceptErrorKind::Limit(_));
        if !is_limit {
            return Err(case
                .fail(PROPERTY, format_args!("{here}: {} is forced and refused: {error}", shown(&forced))));
        }
    }
    Ok(())
}
