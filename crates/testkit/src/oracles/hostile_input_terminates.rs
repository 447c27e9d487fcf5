//! Whatever the grammar and the bytes, there is an answer within the limits: success or a typed error.
//!
//! Counted in steps and bytes rather than in seconds, so that it means the same on every machine.

use super::{EngineCase, allows, ids};
use crate::Outcome;
use formwork_engine::{AcceptErrorKind, CompileErrorKind, Compiler, Matcher};
use formwork_vocab::TokenId;
use std::cell::Cell;

const PROPERTY: &str = "hostile_input_terminates";

/// How often the compiler may ask whether it is interrupted before that counts as a hang: it asks every few dozen
/// microseconds, so this is some minutes.
const MAX_QUESTIONS: u32 = 5_000_000;

/// So many steps are taken as the mask allows.
const MAX_WALKED: usize = 32;

/// Compiles, then follows `bytes` as far as they are accepted, with a mask at every step, and from there on tokens that the
/// mask allows.
///
/// # Errors
/// The compiler did not come to an end, or a matcher holds much more than its limit allows.
pub fn hostile_input_terminates(case: &EngineCase, bytes: &[u8]) -> Outcome {
    let questions = Cell::new(0u32);
    let interrupt = || {
        questions.set(questions.get() + 1);
        questions.get() > MAX_QUESTIONS
    };
    let compiler = Compiler::builder(case.vocabulary.clone()).config(case.config.clone()).build();
    let compiled = match compiler.compile_with(&case.grammar, &interrupt) {
        Ok(compiled) => compiled,
        Err(error) if error.kind() == CompileErrorKind::Interrupted => {
            return Err(case.fail(PROPERTY, "compiling does not come to an end"));
        }
        Err(_) => return Ok(()),
    };
    let mut matcher = Matcher::new(&compiled);
    let mut mask = vec![0; case.vocabulary.mask_words()];
    for byte in bytes {
        if matcher.fill_mask(&mut mask).is_err() || matcher.accept_bytes(&[*byte]).is_err() {
            break;
        }
    }
    // Then as the mask allows, so that what is behind is reached, too.
    for &byte in bytes.iter().take(MAX_WALKED) {
        if matcher.is_finished() || matcher.fill_mask(&mut mask).is_err() {
            break;
        }
        let allowed: Vec<TokenId> = ids(&case.vocabulary).filter(|&id| allows(&mask, id)).collect();
        let Some(&token) = allowed.get(usize::from(byte) % allowed.len().max(1)) else { break };
        match matcher.accept_token(token) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), AcceptErrorKind::Limit(_)) => break,
            Err(error) => {
                return Err(case.fail(PROPERTY, format_args!("the mask allows what is refused: {error}")));
            }
        }
    }
    // An answer or a limit.
    let _ = matcher.captures();
    // The limit is checked before a row is added, and vectors double.
    if matcher.memory_size() > 4 * case.config.rows.max_bytes {
        let message =
            format_args!("{} bytes of rows after {} bytes", matcher.memory_size(), matcher.n_bytes());
        return Err(case.fail(PROPERTY, message));
    }
    Ok(())
}
