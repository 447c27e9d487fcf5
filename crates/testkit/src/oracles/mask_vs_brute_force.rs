//! A bit is set exactly when accepting that token succeeds, and then the output can be completed.
//!
//! The one property above all. Every id below the width is tried at every step of a random walk, on a fork, and the
//! reference is asked about the same bytes, so that mask and matcher cannot be wrong together.

use super::readings::Readings;
use super::{EngineCase, allows};
use crate::walk::random_step;
use crate::{Outcome, Reference, Rng, shown};
use formwork_engine::{AcceptErrorKind, KeptMask, MaskError, Matcher};
use formwork_vocab::{TokenId, TokenKind};

const PROPERTY: &str = "mask_vs_brute_force";

/// Checks the masks along a random walk of up to `max_steps` tokens.
///
/// # Errors
/// A mask with a bit too many or too few.
pub fn mask_vs_brute_force(case: &EngineCase, rng: &mut Rng, max_steps: usize) -> Outcome {
    let Some(compiled) = case.compile(PROPERTY)? else { return Ok(()) };
    let reference = case.reference();
    let mut matcher = Matcher::new(&compiled);
    let mut tokens: Vec<TokenId> = Vec::new();
    let mut readings = Readings::new();
    // A longer buffer full of ones: everything must be written, and nothing left behind.
    let mut kept = KeptMask::new(vec![u32::MAX; case.vocabulary.mask_words() + 1]);
    loop {
        check_here(case, &reference, &mut matcher, &mut kept, &tokens, &readings)?;
        if tokens.len() == max_steps {
            return Ok(());
        }
        let Some(token) = random_step(case, PROPERTY, rng, &mut matcher)? else { return Ok(()) };
        tokens.push(token);
        // A stop token that the grammar reads ends the output only if nothing else can come.
        let is_read = readings.push(&reference, &case.vocabulary, token);
        let ends = readings
            .accept(&reference)
            .zip(readings.go_on(&reference))
            .map(|(accepts, goes_on)| accepts && !goes_on);
        let is_finished = case.vocabulary.is_stop(token).then_some(if is_read { ends } else { Some(true) });
        if is_finished.unwrap_or(Some(false)).is_some_and(|expected| expected != matcher.is_finished()) {
            let message = format_args!("{}: finished is {}", case.spelled(&tokens), matcher.is_finished());
            return Err(case.fail(PROPERTY, message));
        }
    }
}

fn check_here(
    case: &EngineCase,
    reference: &Reference,
    matcher: &mut Matcher,
    kept: &mut KeptMask,
    tokens: &[TokenId],
    readings: &Readings,
) -> Outcome {
    let vocabulary = &case.vocabulary;
    let words = vocabulary.mask_words();
    let here = case.spelled(tokens);
    let mut mask = vec![u32::MAX; words + 1];
    let is_partial = match matcher.fill_mask(&mut mask) {
        Ok(is_partial) => is_partial,
        Err(MaskError::Limit(_)) => return Ok(()),
        Err(error) => return Err(case.fail(PROPERTY, format_args!("{here}: {error}"))),
    };
    if matcher.fill_kept(kept) != Ok(is_partial) || kept.words() != mask {
        return Err(case.fail(PROPERTY, format_args!("{here}: the mask that is kept is another one")));
    }
    if words > 0
        && !matches!(matcher.fill_mask(&mut vec![0; words - 1]), Err(MaskError::BufferTooShort { .. }))
    {
        return Err(case.fail(PROPERTY, format_args!("{here}: a buffer that is too short is filled")));
    }
    let mut attempt = matcher.fork();
    let mut n_forbidden = 0;
    let beyond = mask.len() * 32;
    for id in (0..u32::try_from(beyond).unwrap_or(u32::MAX)).map(TokenId::new) {
        let allowed = allows(&mask, id);
        let kind = vocabulary.kind(id);
        if kind == TokenKind::Hole {
            if allowed {
                return Err(case.fail(PROPERTY, format_args!("{here}: the hole {id:?} is allowed")));
            }
            continue;
        }
        n_forbidden += usize::from(!allowed);
        let accepted = attempt.accept_token(id);
        if let Err(error) = &accepted {
            if matches!(error.kind(), AcceptErrorKind::Limit(_)) {
                continue;
            }
        } else {
            attempt.rollback(1).map_err(|error| case.fail(PROPERTY, format_args!("{here}: {error}")))?;
        }
        if matcher.is_finished() {
            // After the end the mask keeps a sampler busy with stop tokens, and nothing is accepted.
            if allowed != vocabulary.is_stop(id) || accepted.is_ok() {
                return Err(case.fail(PROPERTY, format_args!("{here}: finished, but {id:?}: {accepted:?}")));
            }
            continue;
        }
        if allowed != accepted.is_ok() {
            let message =
                format_args!("{here}: {id:?} is allowed: {allowed}, but accepting it: {accepted:?}");
            return Err(case.fail(PROPERTY, message));
        }
        let expected = readings.allow(reference, vocabulary, id);
        if expected.is_some_and(|expected| expected != allowed) {
            let text = vocabulary.text(id).map_or_else(|| "special".to_owned(), shown);
            let message = format_args!("{here}: {id:?} ({text}) is allowed: {allowed}, not so the reference");
            return Err(case.fail(PROPERTY, message));
        }
    }
    if is_partial != (n_forbidden > 0) {
        let message = format_args!("{here}: fill_mask returns {is_partial}, {n_forbidden} ids are forbidden");
        return Err(case.fail(PROPERTY, message));
    }
    Ok(())
}
