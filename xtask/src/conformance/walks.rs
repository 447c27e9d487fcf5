//! Random walks: documents written under the masks of real schemas end, and are valid.
//!
//! A walk takes random bytes that the mask allows, then, as a model would that has said enough, the first of those that
//! lead towards an end. A walk that finds nothing allowed met a dead end. What it wrote is judged by the `jsonschema`
//! crate, which shares nothing with what wrote it. Nothing is compared with a baseline: any failure fails.

use super::{Arguments, Outcome, byte_compiler, compile, in_parallel, json_files};
use anyhow::Context;
use formwork::json_schema::Options;
use formwork::{CompiledGrammar, Matcher, TokenId};
use formwork_testkit::Rng;
use serde::Deserialize;
use serde_json::Value;

/// Random bytes before a walk heads for its end.
const RANDOM_BYTES: usize = 120;
/// Bytes after which a walk has not ended.
const MAX_BYTES: usize = 10_000;
/// Walks for each schema.
const WALKS: u64 = 3;
/// What leads towards an end outside strings, best first.
const CLOSING: &[u8] = b"}],:";

#[derive(Deserialize)]
struct File {
    schema: Value,
}

/// What became of the walks of one schema.
#[derive(Default)]
struct Walked {
    n_valid: usize,
    /// Not judged: the schema is none to `jsonschema`, or the document has what that crate does not see: a name twice,
    /// more digits than a float has, more levels than its parser takes.
    n_unjudged: usize,
    n_endless: usize,
    problems: Vec<String>,
}

/// Walks through every `step`th schema; whether anything failed.
pub(super) fn run(arguments: &Arguments, step: usize) -> anyhow::Result<bool> {
    let folder = arguments.data.join("maskbench");
    let mut names: Vec<String> = json_files(&folder)?.into_iter().step_by(step.max(1)).collect();
    if let Some(only) = &arguments.only {
        names.retain(|name| name.contains(only));
    }
    let compiler = byte_compiler();
    let results = in_parallel("walks", &names, |name| {
        let text = std::fs::read_to_string(folder.join(name)).with_context(|| name.clone())?;
        let file: File = serde_json::from_str(&text).with_context(|| name.clone())?;
        let Outcome::Compiled(compiled) = compile(&compiler, &Options::default(), &file.schema.to_string())
        else {
            return Ok(None);
        };
        anyhow::Ok(Some(one_schema(name, &file.schema, &compiled)))
    });
    let results: Vec<Walked> =
        results.into_iter().collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect();
    let sum = |f: fn(&Walked) -> usize| results.iter().map(f).sum::<usize>();
    let problems: Vec<&String> = results.iter().flat_map(|walked| &walked.problems).collect();
    println!(
        "walks: {} schemas, {} documents valid, {} not judged, {} without end, {} failures",
        results.len(),
        sum(|walked| walked.n_valid),
        sum(|walked| walked.n_unjudged),
        sum(|walked| walked.n_endless),
        problems.len()
    );
    for problem in &problems {
        println!("  {problem}");
    }
    Ok(!problems.is_empty())
}

fn one_schema(name: &str, schema: &Value, compiled: &CompiledGrammar) -> Walked {
    let mut walked = Walked::default();
    let validator = jsonschema::validator_for(schema).ok();
    for seed in 0..WALKS {
        match walk(compiled, &mut Rng::seeded(seed)) {
            Err(why) => walked.problems.push(format!("{name}, walk {seed}: {why}")),
            Ok(None) => walked.n_endless += 1,
            Ok(Some(text)) => match (&validator, serde_json::from_str::<Value>(&text)) {
                (_, Err(error)) if !beyond_the_judge(&text, &error.to_string()) => walked
                    .problems
                    .push(format!("{name}, walk {seed}: no JSON: {error}: {}", shown(text.as_bytes()))),
                (Some(validator), Ok(value))
                    if !repeats_a_name(&text, &value) && !beyond_the_judge(&text, "") =>
                {
                    if validator.is_valid(&value) {
                        walked.n_valid += 1;
                    } else {
                        let why = validator.iter_errors(&value).next().map(|error| error.to_string());
                        let why: String = why.unwrap_or_default().chars().take(200).collect();
                        walked
                            .problems
                            .push(format!("{name}, walk {seed}: {why}: {}", shown(text.as_bytes())));
                    }
                }
                _ => walked.n_unjudged += 1,
            },
        }
    }
    walked
}

/// Whether floats or a recursive parser cannot hold a document.
fn beyond_the_judge(text: &str, error: &str) -> bool {
    let mut runs = text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    runs.any(|run| run.len() > 15 && run[0].is_ascii_digit())
        || error.contains("number out of range")
        || error.contains("recursion limit")
}

/// Whether an object has a name twice: parsing drops members then.
fn repeats_a_name(text: &str, value: &Value) -> bool {
    // Outside strings, each member has one colon.
    let (mut in_string, mut escaped, mut n_written) = (false, false, 0usize);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b':' if !in_string => n_written += 1,
            _ => {}
        }
    }
    let (mut n_members, mut todo) = (0, vec![value]);
    while let Some(value) = todo.pop() {
        match value {
            Value::Array(items) => todo.extend(items),
            Value::Object(members) => {
                n_members += members.len();
                todo.extend(members.values());
            }
            _ => {}
        }
    }
    n_members != n_written
}

/// A document, `None` if the walk found no end (a name that must come is found by chance only), or what went wrong.
fn walk(compiled: &CompiledGrammar, rng: &mut Rng) -> Result<Option<String>, String> {
    let vocabulary = compiled.vocabulary();
    let mut matcher = Matcher::new(compiled);
    let mut mask = vec![0u32; vocabulary.width().div_ceil(32)];
    let mut text: Vec<u8> = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    while text.len() < MAX_BYTES {
        if matcher.can_finish() && (text.len() >= RANDOM_BYTES || rng.chance(1, 4)) {
            return finished(text);
        }
        matcher.fill_mask(&mut mask).map_err(|error| format!("{error}: {}", shown(&text)))?;
        let allowed: Vec<u8> =
            (0..=255u8).filter(|&byte| mask[usize::from(byte) / 32] >> (byte % 32) & 1 == 1).collect();
        if allowed.is_empty() {
            return match matcher.can_finish() {
                true => finished(text),
                false => Err(format!("a dead end: {}", shown(&text))),
            };
        }
        // White space and escapes can go on for ever; huge exponents and `-0` are no numbers to those who judge.
        let moves = |byte: &u8| match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'\\' => false,
            b'e' | b'E' | b'-' => in_string || text.last().is_some_and(u8::is_ascii_alphabetic),
            _ => true,
        };
        let moving: Vec<u8> = allowed.iter().copied().filter(moves).collect();
        let choices = if moving.is_empty() || rng.chance(1, 16) && text.len() < RANDOM_BYTES {
            &allowed
        } else {
            &moving
        };
        let closing: &[u8] = if in_string { b"\"" } else { CLOSING };
        let closing = closing.iter().copied().find(|byte| choices.contains(byte));
        let heads_for_end = text.len() >= RANDOM_BYTES || rng.chance(1, 6);
        let byte = match closing.filter(|_| heads_for_end) {
            Some(byte) => byte,
            None => *rng.pick(choices).ok_or("nothing to choose from")?,
        };
        matcher.accept_token(TokenId::new(u32::from(byte))).map_err(|error| {
            format!("the mask allows {byte:?}, which is refused: {error}: {}", shown(&text))
        })?;
        text.push(byte);
        in_string ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
    }
    Ok(None)
}

fn finished(text: Vec<u8>) -> Result<Option<String>, String> {
    String::from_utf8(text).map(Some).map_err(|error| format!("not UTF-8: {}", shown(error.as_bytes())))
}

/// The beginning of a document, for messages.
fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(400).collect()
}
