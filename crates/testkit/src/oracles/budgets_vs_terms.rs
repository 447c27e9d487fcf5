//! Budgets of regions are what derivatives of terms say of them: every token is tried at every step of a random walk, and
//! bytes that are no token now and then.

use super::{EngineCase, allows, ids, mask};
use crate::walk::random_step;
use crate::{Outcome, Remaining, Rng, shown};
use formwork_engine::{AcceptErrorKind, CompileErrorKind, Compiler, Matcher};
use formwork_vocab::TokenKind;

const PROPERTY: &str = "budgets_vs_terms";

/// Terms that a walk may leave; from there on each token takes seconds.
const MAX_TERMS: usize = 2_000;

/// Checks the masks along a random walk of up to `max_steps` tokens. The vocabulary has every byte as a token, and the
/// grammar no symbols.
///
/// # Errors
/// A mask with a bit too many or too few.
pub fn budgets_vs_terms(case: &EngineCase, rng: &mut Rng, max_steps: usize) -> Outcome {
    let mut remaining = Remaining::new(&case.grammar);
    let compiler = Compiler::builder(case.vocabulary.clone()).config(case.config.clone()).build();
    let compiled = match compiler.compile(&case.grammar) {
        Ok(compiled) => compiled,
        Err(error) if error.kind() == CompileErrorKind::Unsatisfiable && remaining.is_viable() => {
            return Err(case.fail(PROPERTY, format_args!("refused as empty: {error}")));
        }
        Err(_) => return Ok(()),
    };
    let mut matcher = Matcher::new(&compiled);
    let mut tokens = Vec::new();
    for _ in 0..max_steps {
        if remaining.exceeds(MAX_TERMS) {
            return Ok(());
        }
        let here = case.spelled(&tokens);
        let Some(mask) = mask(case, PROPERTY, &mut matcher)? else { return Ok(()) };
        if matcher.is_finished() {
            return Ok(());
        }
        if matcher.can_finish() != remaining.may_end() {
            return Err(case.fail(PROPERTY, format_args!("{here}: may end: {}", matcher.can_finish())));
        }
        let mut attempt = matcher.fork();
        for id in ids(&case.vocabulary).filter(|&id| case.vocabulary.kind(id) == TokenKind::Text) {
            let text = case.vocabulary.text(id).unwrap_or_default();
            let expected = match case.vocabulary.is_stop(id) {
                true => remaining.may_end(),
                false => !text.is_empty() && remaining.after_token(text).is_viable(),
            };
            let accepted = attempt.accept_token(id);
            match &accepted {
                Ok(()) => attempt.rollback(1).map_err(|error| case.fail(PROPERTY, error))?,
                Err(error) if matches!(error.kind(), AcceptErrorKind::Limit(_)) => return Ok(()),
                Err(_) => {}
            }
            if allows(&mask, id) != expected || accepted.is_ok() != expected {
                let (text, allowed) = (shown(text), allows(&mask, id));
                let message = format_args!(
                    "{here}: {text} is allowed: {allowed}, accepting it: {accepted:?}, by terms {expected}"
                );
                return Err(case.fail(PROPERTY, message));
            }
        }
        if rng.chance(1, 8) {
            let bytes = matcher.forced_bytes();
            if !bytes.is_empty() && !remaining.after_bytes(&bytes).is_viable() {
                return Err(case.fail(PROPERTY, format_args!("{here}: {} is forced", shown(&bytes))));
            }
        }
        if rng.chance(1, 6) {
            let bytes: Vec<u8> = (0..rng.between(1, 3))
                .filter_map(|_| rng.pick(crate::generate::REGION_ALPHABET.as_bytes()).copied())
                .collect();
            let after = remaining.after_bytes(&bytes);
            let accepted = matcher.accept_bytes(&bytes);
            if accepted.is_ok() != after.is_viable() {
                let message = format_args!("{here}: {} as bytes: {accepted:?}", shown(&bytes));
                return Err(case.fail(PROPERTY, message));
            }
            if accepted.is_ok() {
                remaining = after;
            }
            continue;
        }
        let Some(token) = random_step(case, PROPERTY, rng, &mut matcher)? else { return Ok(()) };
        tokens.push(token);
        remaining = match case.vocabulary.text(token) {
            Some(text) if !case.vocabulary.is_stop(token) => remaining.after_token(text),
            _ => return Ok(()),
        };
    }
    Ok(())
}
