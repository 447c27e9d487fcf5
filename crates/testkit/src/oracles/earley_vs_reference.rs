//! The matcher accepts of every text exactly the prefixes that the reference calls viable, and may end where it accepts.

use super::EngineCase;
use crate::{Outcome, shown};
use formwork_engine::{AcceptErrorKind, Matcher};

const PROPERTY: &str = "earley_vs_reference";

/// Checks every prefix of every text.
///
/// # Errors
/// A prefix on which the two disagree, or an error that says something untrue.
pub fn earley_vs_reference(case: &EngineCase, texts: &[Vec<u8>]) -> Outcome {
    let Some(compiled) = case.compile(PROPERTY)? else { return Ok(()) };
    let reference = case.reference();
    let mut matcher = Matcher::new(&compiled);
    for text in texts {
        matcher.reset();
        let verdicts = reference.verdicts(text);
        for (len, verdict) in verdicts.iter().enumerate() {
            let prefix = shown(&text[..len]);
            if matcher.can_finish() != verdict.accepted {
                return Err(case.fail(PROPERTY, format_args!("{prefix} may end: {}", matcher.can_finish())));
            }
            let Some(&byte) = text.get(len) else { break };
            let viable = verdicts[len + 1].viable;
            match matcher.accept_bytes(&[byte]) {
                Ok(()) if viable => {}
                Ok(()) => {
                    return Err(
                        case.fail(PROPERTY, format_args!("{} is accepted as a prefix", shown(&text[..=len])))
                    );
                }
                Err(error) if matches!(error.kind(), AcceptErrorKind::Limit(_)) => return Ok(()),
                Err(error) if viable => {
                    return Err(
                        case.fail(PROPERTY, format_args!("{} is refused: {error}", shown(&text[..=len])))
                    );
                }
                Err(error) => {
                    // The error's facts are the user's only clue.
                    let is_true = error.offset() == len as u64
                        && error.refused_byte() == Some(byte)
                        && error.can_finish() == verdict.accepted
                        // 0xFF begins symbols.
                        && (0..u8::MAX)
                            .filter(|&byte| reference.is_viable(&[&text[..len], &[byte]].concat()))
                            .all(|byte| error.expected().contains(byte));
                    if !is_true {
                        return Err(case.fail(PROPERTY, format_args!("after {prefix}: {error:?}")));
                    }
                    break;
                }
            }
        }
        // All at once or nothing at all.
        matcher.reset();
        let whole = matcher.accept_bytes(text);
        let viable = verdicts[text.len()].viable;
        if whole.is_ok() != viable || (!viable && matcher.n_bytes() != 0) {
            return Err(case.fail(PROPERTY, format_args!("{} at once: {whole:?}", shown(text))));
        }
    }
    Ok(())
}
