//! What is captured of a whole output is what one of its readings has, and all readings are written out.

use super::EngineCase;
use crate::walk::random_step;
use crate::{Outcome, Rng, shown};
use formwork_engine::{Compiler, Matcher};
use formwork_grammar::{Expr, ExprId, Grammar};
use std::collections::BTreeSet;

const PROPERTY: &str = "captures_vs_readings";

/// Name, start and end of each capture, sorted.
type Spans = Vec<(String, usize, usize)>;

/// Past so many readings of one part nothing is checked.
const MAX_READINGS: usize = 500;
/// Past so many bytes either.
const MAX_BYTES: usize = 12;

/// Checks the captures along a random walk of up to `max_steps` tokens, wherever the output may end. The grammar has neither
/// symbols nor left recursion.
///
/// # Errors
/// Captures that no reading has, or that depend on how the output came about.
pub fn captures_vs_readings(case: &EngineCase, rng: &mut Rng, max_steps: usize) -> Outcome {
    let compiler = Compiler::builder(case.vocabulary.clone()).config(case.config.clone()).build();
    let Ok(compiled) = compiler.compile(&case.grammar) else { return Ok(()) };
    let has_budgets = case.grammar.rules().iter().any(|rule| rule.budget().is_some());
    let mut matcher = Matcher::new(&compiled);
    let (mut tokens, mut output) = (Vec::new(), Vec::new());
    for _ in 0..max_steps {
        let Some(token) = random_step(case, PROPERTY, rng, &mut matcher)? else { return Ok(()) };
        if case.vocabulary.is_stop(token) {
            return Ok(());
        }
        tokens.push(token);
        output.extend_from_slice(case.vocabulary.text(token).unwrap_or_default());
        let here = case.spelled(&tokens);
        let Ok(captures) = matcher.captures() else { return Ok(()) };
        if !has_budgets {
            let mut at_once = Matcher::new(&compiled);
            at_once.accept_bytes(&output).map_err(|error| case.fail(PROPERTY, error))?;
            if at_once.captures().is_ok_and(|again| again != captures) {
                return Err(case.fail(PROPERTY, format_args!("{here}: not as in one piece: {captures:?}")));
            }
        }
        for capture in captures.iter() {
            if output.get(capture.span()) != Some(capture.bytes()) || capture.bytes().is_empty() {
                return Err(case.fail(PROPERTY, format_args!("{here}: {capture:?}")));
            }
        }
        if !matcher.can_finish() || output.len() > MAX_BYTES {
            continue;
        }
        let mut found: Spans = Vec::new();
        for capture in captures.iter() {
            if capture.is_open() {
                return Err(case.fail(PROPERTY, format_args!("{here}: the output is whole: {capture:?}")));
            }
            found.push((capture.name().to_owned(), capture.span().start, capture.span().end));
        }
        found.sort();
        let body = case.grammar.rule(case.grammar.root()).body();
        let Some(readings) = readings(&case.grammar, body, &output, 0) else { continue };
        let whole: Vec<&Spans> =
            readings.iter().filter(|(end, _)| *end == output.len()).map(|(_, spans)| spans).collect();
        if !whole.contains(&&found) {
            let message = format_args!("{here}: {} has {found:?}, but readings {whole:?}", shown(&output));
            return Err(case.fail(PROPERTY, message));
        }
    }
    Ok(())
}

/// Where an expression may end that begins at `start`, with the captures of each way; `None` if they are too many.
fn readings(
    grammar: &Grammar,
    expr: ExprId,
    output: &[u8],
    start: usize,
) -> Option<BTreeSet<(usize, Spans)>> {
    let rest = &output[start..];
    let mut found = BTreeSet::new();
    match grammar.expr(expr) {
        Expr::Empty => {
            found.insert((start, Vec::new()));
        }
        Expr::Bytes(bytes) if rest.starts_with(bytes) => {
            found.insert((start + bytes.len(), Vec::new()));
        }
        Expr::Class(class) => {
            let first = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
            if let Some(c) = first.filter(|&c| class.contains(c)) {
                found.insert((start + c.len_utf8(), Vec::new()));
            }
        }
        Expr::Alt(parts) => {
            for &part in parts {
                found.extend(readings(grammar, part, output, start)?);
            }
        }
        Expr::Seq(parts) => {
            found.insert((start, Vec::new()));
            for &part in parts {
                found = after(grammar, part, output, &found)?;
            }
        }
        Expr::Repeat { body, min, max } => {
            let mut reached = BTreeSet::from([(start, Vec::new())]);
            for n in 0..=max.unwrap_or(u32::MAX) {
                if n >= *min {
                    let n_before = found.len();
                    found.extend(reached.iter().cloned());
                    if found.len() == n_before {
                        break;
                    }
                }
                reached = after(grammar, *body, output, &reached)?;
            }
        }
        Expr::Rule(rule) => {
            let rule = grammar.rule(*rule);
            for (end, mut spans) in readings(grammar, rule.body(), output, start)? {
                // What is empty is not captured.
                if let Some(name) = rule.capture().filter(|_| end > start) {
                    spans.push((name.to_owned(), start, end));
                    spans.sort();
                }
                found.insert((end, spans));
            }
        }
        _ => {}
    }
    (found.len() <= MAX_READINGS).then_some(found)
}

/// The readings with one more part.
fn after(
    grammar: &Grammar,
    part: ExprId,
    output: &[u8],
    before: &BTreeSet<(usize, Spans)>,
) -> Option<BTreeSet<(usize, Spans)>> {
    let mut found = BTreeSet::new();
    for (end, spans) in before {
        for (end, more) in readings(grammar, part, output, *end)? {
            let mut all = [spans.clone(), more].concat();
            all.sort();
            found.insert((end, all));
        }
    }
    (found.len() <= MAX_READINGS).then_some(found)
}
