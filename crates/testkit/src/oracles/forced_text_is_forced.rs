//! Forced text is what the reference would force: at every byte of it there is no other, and after it there is a choice.

use super::{EngineCase, mask};
use crate::walk::random_steps;
use crate::{Outcome, Reference, Rng, shown};
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
    let reference = Reference::new(&case.grammar);
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
    let mut text: Vec<u8> =
        tokens.iter().filter_map(|&id| case.vocabulary.text(id)).flatten().copied().collect();
    for &byte in forced.iter().take(MAX_CHECKED) {
        let next = reference.next_bytes(&text);
        if reference.accepts(&text) || next.len() != 1 || !next.contains(byte) {
            let message = format_args!(
                "{here}: {} is forced, but after {} come {next:?}",
                shown(&forced),
                shown(&text)
            );
            return Err(case.fail(PROPERTY, message));
        }
        text.push(byte);
    }
    if forced.len() <= MAX_CHECKED && !reference.accepts(&text) && reference.next_bytes(&text).len() == 1 {
        let message = format_args!("{here}: only {} is forced, but there is no choice yet", shown(&forced));
        return Err(case.fail(PROPERTY, message));
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
