//! The official JSON Schema test suite.

use super::{
    Arguments, Outcome, Verdict, accepts, byte_compiler, compare, compile, in_parallel, json_files, spelling,
};
use anyhow::Context;
use formwork::json_schema::{Draft, Formats, Numbers, Options, PropertyOrder};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;

/// The suite's folders and their drafts.
const DRAFTS: [(&str, Draft); 5] = [
    ("draft4", Draft::Draft4),
    ("draft6", Draft::Draft6),
    ("draft7", Draft::Draft7),
    ("draft2019-09", Draft::Draft201909),
    ("draft2020-12", Draft::Draft202012),
];

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Box<RawValue>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Box<RawValue>,
    valid: bool,
}

/// Which part of the suite a file belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Core,
    Optional,
    Format,
}

struct Job {
    draft: usize,
    part: Part,
    /// Relative to the suite's folder of tests.
    name: String,
}

#[derive(Default, Clone)]
struct Tally {
    passed: usize,
    refused: usize,
    accepted_wrongly: Vec<String>,
    rejected_wrongly: Vec<String>,
    limits: Vec<String>,
    refusals: Vec<(String, String)>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let folder = arguments.data.join("json-schema-test-suite");
    let mut remotes: Vec<(String, serde_json::Value)> = Vec::new();
    for name in json_files(&folder.join("remotes"))? {
        let text = std::fs::read_to_string(folder.join("remotes").join(&name))?;
        let value = serde_json::from_str(&text).with_context(|| name.clone())?;
        remotes.push((format!("http://localhost:1234/{name}"), value));
    }
    let mut jobs = Vec::new();
    for name in json_files(&folder.join("tests"))? {
        let Some(draft) = DRAFTS.iter().position(|(folder, _)| name.starts_with(&format!("{folder}/")))
        else {
            continue;
        };
        let part = if name.contains("/optional/format/") {
            Part::Format
        } else if name.contains("/optional/") {
            Part::Optional
        } else {
            Part::Core
        };
        if arguments.only.as_ref().is_none_or(|only| name.contains(only)) {
            jobs.push(Job { draft, part, name });
        }
    }
    let compiler = byte_compiler();
    let results = in_parallel("suite files", &jobs, |job| {
        let text = std::fs::read_to_string(folder.join("tests").join(&job.name))?;
        let groups: Vec<Group> = serde_json::from_str(&text).with_context(|| job.name.clone())?;
        let (folder, draft) = DRAFTS[job.draft];
        let formats = if job.part == Part::Core { Formats::Annotate } else { Formats::Assert };
        let base =
            Options::default().property_order(PropertyOrder::Any).numbers(Numbers::Any).formats(formats);
        let own = format!("http://localhost:1234/{folder}/");
        let resources = remotes.iter().filter(|(uri, _)| {
            uri.starts_with(&own) || !uri["http://localhost:1234/".len()..].starts_with("draft")
        });
        // Only the optional tests cross drafts.
        let with_remotes = if job.part == Part::Core {
            base.clone().resources(resources.cloned())
        } else {
            base.clone().resources(remotes.iter().cloned())
        };
        let mut tally = Tally::default();
        for group in &groups {
            let needs_remotes = group.schema.get().contains("localhost:1234");
            let options = if needs_remotes { &with_remotes } else { &base };
            // A schema that names its draft is read by it.
            let names_draft = serde_json::from_str::<serde_json::Value>(group.schema.get())
                .is_ok_and(|schema| schema.get("$schema").is_some());
            let options = if names_draft { options.clone() } else { options.clone().draft(draft) };
            let outcome = compile(&compiler, &options, group.schema.get());
            for test in &group.tests {
                let name = format!("{} / {} / {}", job.name, group.description, test.description);
                let verdict = match &outcome {
                    Outcome::Refused(kind, pointer, message) => {
                        tally.refused += 1;
                        let short: String =
                            message.split(';').next().unwrap_or_default().chars().take(110).collect();
                        let place = format!("{} / {} {pointer}", job.name, group.description);
                        tally.refusals.push((place, format!("{kind}: {short}")));
                        continue;
                    }
                    Outcome::Unsatisfiable => Verdict::Rejected,
                    Outcome::Compiled(compiled) => accepts(compiled, &spelling::spaced(test.data.get())),
                };
                match (verdict, test.valid) {
                    (Verdict::Accepted, true) | (Verdict::Rejected, false) => tally.passed += 1,
                    (Verdict::Accepted, false) => tally.accepted_wrongly.push(name),
                    (Verdict::Rejected, true) => tally.rejected_wrongly.push(name),
                    (Verdict::Limit, _) => tally.limits.push(name),
                }
            }
        }
        anyhow::Ok(tally)
    });
    let results: Vec<Tally> = results.into_iter().collect::<anyhow::Result<_>>()?;
    if arguments.reasons {
        let refusals: Vec<_> = results.iter().flat_map(|tally| tally.refusals.clone()).collect();
        super::print_reasons("suite", &refusals);
    }
    let text = snapshot(&jobs, &results);
    println!("{}", text.lines().take(19).collect::<Vec<_>>().join("\n"));
    compare(arguments, "json-schema-test-suite.snap", &text)
}

fn snapshot(jobs: &[Job], results: &[Tally]) -> String {
    let mut out = String::new();
    let _ =
        writeln!(out, "JSON Schema Test Suite at 44401e0c; property_order: any, numbers: any, remotes given");
    let _ = writeln!(out, "core with formats: annotate, optional and format with formats: assert");
    let _ = writeln!(
        out,
        "{:24} {:>6} {:>6} {:>9} {:>9} {:>7} {:>6}",
        "", "tests", "pass", "accepted", "rejected", "refused", "limit"
    );
    for part in [Part::Core, Part::Optional, Part::Format] {
        for (draft, (folder, _)) in DRAFTS.iter().enumerate() {
            let mut sum = Tally::default();
            for (_, tally) in
                jobs.iter().zip(results).filter(|(job, _)| job.draft == draft && job.part == part)
            {
                sum.passed += tally.passed;
                sum.refused += tally.refused;
                sum.accepted_wrongly.extend(tally.accepted_wrongly.iter().cloned());
                sum.rejected_wrongly.extend(tally.rejected_wrongly.iter().cloned());
                sum.limits.extend(tally.limits.iter().cloned());
            }
            let (accepted, rejected, limits) =
                (sum.accepted_wrongly.len(), sum.rejected_wrongly.len(), sum.limits.len());
            let n = sum.passed + sum.refused + accepted + rejected + limits;
            let title = match part {
                Part::Core => (*folder).to_owned(),
                Part::Optional => format!("{folder} optional"),
                Part::Format => format!("{folder} format"),
            };
            let _ = writeln!(
                out,
                "{title:24} {n:6} {:6} {accepted:9} {rejected:9} {:7} {limits:6}",
                sum.passed, sum.refused
            );
        }
    }
    let _ = writeln!(out);
    for (title, list) in [
        ("accepted wrongly", results.iter().flat_map(|tally| &tally.accepted_wrongly).collect::<Vec<_>>()),
        ("rejected wrongly", results.iter().flat_map(|tally| &tally.rejected_wrongly).collect()),
        ("limit while matching", results.iter().flat_map(|tally| &tally.limits).collect()),
    ] {
        for name in list {
            let _ = writeln!(out, "{title}: {name}");
        }
    }
    let mut last = None;
    for (place, reason) in results.iter().flat_map(|tally| &tally.refusals) {
        if last != Some(place) {
            let _ = writeln!(out, "refused: {place}: {reason}");
        }
        last = Some(place);
    }
    out
}
