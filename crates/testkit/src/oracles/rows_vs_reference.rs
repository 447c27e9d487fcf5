//! Automata and rows say of every prefix what the reference says.
//!
//! The check below the engine: what `formwork-fsm` compiled and `formwork-earley` advances, without vocabularies.
//! Beside each prefix of a text, every byte of the alphabet is tried after it, so that short texts look far around.

use crate::{Failure, Outcome, Reference, Rng, failure::shown};
use formwork_earley::{LimitExceeded, Limits, RowId, Rows};
use formwork_fsm::{Automata, Config};
use formwork_grammar::Grammar;
use std::sync::Arc;

const PROPERTY: &str = "rows_vs_reference";

/// What to try.
#[derive(Clone, Debug)]
pub struct RowCheck<'a> {
    /// Each of its prefixes is compared.
    pub texts: &'a [Vec<u8>],
    /// Each of these bytes is tried after each prefix.
    pub alphabet: &'a [u8],
    /// How the automata are built; every choice must give the same answers.
    pub config: Config,
}

impl RowCheck<'_> {
    /// One of the ways to build automata.
    pub fn random_config(rng: &mut Rng) -> Config {
        let mut config = Config::default();
        config.inlining = rng.chance(1, 2);
        config.minimisation = rng.chance(1, 2);
        config.counters = rng.chance(3, 4);
        config.shared_escapes = rng.chance(1, 2);
        config.lazy = rng.chance(2, 3);
        config.shared_rules = rng.chance(3, 4);
        if rng.chance(1, 4) {
            // Some rules are then built a second time, without others in line.
            config.limits.inline_states = rng.below(8);
        }
        config
    }
}

/// Checks one grammar.
///
/// # Errors
/// A prefix on which the two disagree.
pub fn rows_vs_reference(grammar: &Grammar, check: &RowCheck<'_>) -> Outcome {
    let fail =
        |message: String| Err(Failure::new(PROPERTY, grammar, message).with(format!("{:?}", check.config)));
    let reference = Reference::new(grammar);
    let automata = match formwork_fsm::build(grammar, &check.config, &|| false) {
        Ok(automata) => automata,
        Err(error) => {
            return match error.kind() {
                formwork_fsm::ErrorKind::Empty if reference.is_productive() => {
                    fail(format!("said to be empty, but it has members: {error}"))
                }
                _ => Ok(()),
            };
        }
    };
    if !reference.is_productive() {
        return fail("built, but the language is empty".to_owned());
    }
    let automata = Arc::new(automata);
    let mut rows = Rows::new(Arc::clone(&automata), Limits::default());
    for text in check.texts {
        match strides(&automata, text) {
            Ok(Some(difference)) => return fail(format!("{} {difference}", shown(text))),
            Ok(None) => {}
            Err(_) => return Ok(()),
        }
        let Ok(mut row) = rows.start() else { return Ok(()) };
        for (len, verdict) in reference.verdicts(text).into_iter().enumerate() {
            let prefix = &text[..len];
            if rows.is_accepting(row) != verdict.accepted {
                return fail(format!("{} is accepted: {}", shown(prefix), rows.is_accepting(row)));
            }
            let mut longer = prefix.to_vec();
            longer.push(0);
            for &byte in check.alphabet {
                longer[len] = byte;
                let Ok(next) = rows.advance(row, byte) else { return Ok(()) };
                if next.is_some() != reference.is_viable(&longer) {
                    return fail(format!("{} may be continued: {}", shown(&longer), next.is_some()));
                }
                let is_announced = rows.next_bytes(row).contains(byte);
                if next.is_some() && !is_announced {
                    return fail(format!("{}: the last byte is not among the next bytes", shown(&longer)));
                }
                if next.is_none() && is_announced && rows.is_exact(row) {
                    return fail(format!("{}: the last byte is announced, but refused", shown(&longer)));
                }
            }
            let Some(&byte) = text.get(len) else { break };
            match rows.advance(row, byte) {
                Ok(Some(next)) => row = next,
                Ok(None) if reference.is_viable(&text[..=len]) => {
                    return fail(format!("{} may be continued: false", shown(&text[..=len])));
                }
                Ok(None) | Err(_) => break,
            }
        }
    }
    Ok(())
}

/// How the rows differ to which the two parts of a text lead and its bytes one by one, wherever it is cut.
fn strides(automata: &Arc<Automata>, text: &[u8]) -> Result<Option<String>, LimitExceeded> {
    for cut in 0..=text.len() {
        // Rows that are there are taken, so there are none.
        let mut rows = Rows::new(Arc::clone(automata), Limits::default());
        let start = rows.start()?;
        let mut strode = [None; 2];
        for after in &mut strode {
            // The second time both steps are remembered.
            *after = match rows.advance_over(start, &text[..cut], Some(0))? {
                Some(row) => rows.advance_over(row, &text[cut..], Some(1))?,
                None => None,
            };
        }
        let mut stepped: Option<RowId> = Some(start);
        for &byte in text {
            stepped = match stepped {
                Some(row) => rows.advance(row, byte)?,
                None => None,
            };
        }
        if strode != [stepped; 2] {
            return Ok(Some(format!("cut after {cut} bytes: {strode:?}, byte by byte {stepped:?}")));
        }
    }
    Ok(None)
}
