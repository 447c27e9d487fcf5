//! Random walks: documents written under the masks of real schemas end, and are valid.
//!
//! A walk that finds nothing allowed met a dead end. What it wrote is judged by the `jsonschema` crate, which shares nothing with what wrote it. Nothing is compared with a baseline: any failure fails.

use super::{Arguments, Outcome, byte_compiler, compile, in_parallel, json_files};
use anyhow::Context;
use formwork::CompiledGrammar;
use formwork::json_schema::{Options, PropertyOrder};
use formwork_testkit::Rng;
use formwork_testkit::document::{beyond_the_judge, random_document, repeats_a_name};
use serde::Deserialize;
use serde_json::Value;

/// Random bytes before a walk heads for its end.
const RANDOM_BYTES: usize = 120;
/// Walks for each schema.
const WALKS: u64 = 3;

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
pub(super) fn run(arguments: &Arguments, order: PropertyOrder, step: usize) -> anyhow::Result<bool> {
    let folder = arguments.data.join("maskbench");
    let mut names: Vec<String> = json_files(&folder)?.into_iter().step_by(step.max(1)).collect();
    if let Some(only) = &arguments.only {
        names.retain(|name| name.contains(only));
    }
    let compiler = byte_compiler();
    let options = Options::default().property_order(order);
    let results = in_parallel("walks", &names, |name| {
        let text = std::fs::read_to_string(folder.join(name)).with_context(|| name.clone())?;
        let file: File = serde_json::from_str(&text).with_context(|| name.clone())?;
        let Outcome::Compiled(compiled) = compile(&compiler, &options, &file.schema.to_string()) else {
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
        match random_document(compiled, RANDOM_BYTES, &mut Rng::seeded(seed)) {
            Err(why) => walked.problems.push(format!("{name}, walk {seed}: {why}")),
            Ok(None) => walked.n_endless += 1,
            Ok(Some(text)) => match (&validator, serde_json::from_str::<Value>(&text)) {
                (_, Err(error)) if !beyond_the_judge(&text, &error.to_string()) => {
                    walked.problems.push(format!("{name}, walk {seed}: no JSON: {error}: {}", shown(&text)))
                }
                (Some(validator), Ok(value))
                    if !repeats_a_name(&text, &value) && !beyond_the_judge(&text, "") =>
                {
                    if validator.is_valid(&value) {
                        walked.n_valid += 1;
                    } else {
                        let why = validator.iter_errors(&value).next().map(|error| error.to_string());
                        let why: String = why.unwrap_or_default().chars().take(200).collect();
                        walked.problems.push(format!("{name}, walk {seed}: {why}: {}", shown(&text)));
                    }
                }
                _ => walked.n_unjudged += 1,
            },
        }
    }
    walked
}

/// The beginning of a document, for messages.
fn shown(text: &str) -> String {
    text.chars().take(400).collect()
}
