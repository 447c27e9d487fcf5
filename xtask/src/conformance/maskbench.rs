//! MaskBench: real schemas with instances that are valid and instances that are not.

use super::{
    Arguments, Outcome, Verdict, accepts, byte_compiler, compare, compile, in_parallel, json_files, spelling,
};
use anyhow::Context;
use formwork::Compiler;
use formwork::json_schema::{Checker, Numbers, Options, PropertyOrder};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;

#[derive(Deserialize)]
struct File {
    schema: Box<RawValue>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    valid: bool,
    data: Box<RawValue>,
}

/// What became of one file.
struct FileResult {
    name: String,
    n_instances: usize,
    refused: Option<String>,
    unsatisfiable: bool,
    accepted_wrongly: Vec<usize>,
    rejected_wrongly: Vec<usize>,
    /// Of those, the ones that other spellings of numbers or another order of properties would let through.
    by_spelling: Vec<usize>,
    limits: Vec<usize>,
}

/// The options that MaskBench is run with, and the baseline of the results.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum With {
    Defaults,
    /// Properties in any order, numbers in any spelling.
    Any,
}

impl With {
    pub(super) fn options(self) -> Options {
        match self {
            Self::Defaults => Options::default(),
            Self::Any => Options::default().property_order(PropertyOrder::Any).numbers(Numbers::Any),
        }
    }
}

pub(super) fn run(arguments: &Arguments, with: With) -> anyhow::Result<bool> {
    let folder = arguments.data.join("maskbench");
    let mut names = json_files(&folder)?;
    if let Some(only) = &arguments.only {
        names.retain(|name| name.contains(only));
    }
    let compiler = byte_compiler();
    let results = in_parallel("maskbench", &names, |name| {
        let text = std::fs::read_to_string(folder.join(name)).with_context(|| name.clone())?;
        one_file(&compiler, with, name, &text)
    });
    let results: Vec<FileResult> = results.into_iter().collect::<anyhow::Result<_>>()?;
    if arguments.reasons {
        let refusals: Vec<_> =
            results.iter().filter_map(|file| Some((file.name.clone(), file.refused.clone()?))).collect();
        super::print_reasons("maskbench", &refusals);
    }
    let text = snapshot(with, &results);
    println!("{}", text.lines().take(11).collect::<Vec<_>>().join("\n"));
    let name = if with == With::Any { "maskbench-any.snap" } else { "maskbench.snap" };
    compare(arguments, name, &text)
}

fn one_file(compiler: &Compiler, with: With, name: &str, text: &str) -> anyhow::Result<FileResult> {
    let file: File = serde_json::from_str(text).with_context(|| name.to_owned())?;
    let mut result = FileResult {
        name: name.to_owned(),
        n_instances: file.tests.len(),
        refused: None,
        unsatisfiable: false,
        accepted_wrongly: Vec::new(),
        rejected_wrongly: Vec::new(),
        by_spelling: Vec::new(),
        limits: Vec::new(),
    };
    let options = with.options();
    let compiled = match compile(compiler, &options, file.schema.get()) {
        Outcome::Compiled(compiled) => compiled,
        Outcome::Unsatisfiable => {
            result.unsatisfiable = true;
            return Ok(result);
        }
        Outcome::Refused(kind, _, message) => {
            result.refused = Some(reason(&kind, &message));
            return Ok(result);
        }
    };
    for (i, test) in file.tests.iter().enumerate() {
        let instance = spelling::python(test.data.get());
        match accepts(&compiled, &instance) {
            Verdict::Limit => result.limits.push(i),
            Verdict::Accepted if !test.valid => result.accepted_wrongly.push(i),
            Verdict::Rejected if test.valid => {
                result.rejected_wrongly.push(i);
                // The checker takes members in any order and knows no spellings: if it accepts the instance, order or
                // spelling is all that the grammar has against it.
                let mut checker =
                    Checker::new(&options, file.schema.get()).map_err(|error| anyhow::anyhow!("{error}"))?;
                if checker.accepts(&instance).map_err(|error| anyhow::anyhow!("{name}: {error}"))? {
                    result.by_spelling.push(i);
                }
            }
            _ => {}
        }
    }
    Ok(result)
}

/// A reason without what differs from file to file, for counting.
fn reason(kind: &str, message: &str) -> String {
    let short: String = message.split(';').next().unwrap_or_default().chars().take(110).collect();
    format!("{kind}: {short}")
}

fn snapshot(with: With, results: &[FileResult]) -> String {
    let count = |f: &dyn Fn(&FileResult) -> bool| results.iter().filter(|file| f(file)).count();
    let n = results.len();
    let compiled = |file: &FileResult| file.refused.is_none() && !file.unsatisfiable;
    let passes = count(&|file| {
        compiled(file)
            && file.accepted_wrongly.is_empty()
            && file.rejected_wrongly.is_empty()
            && file.limits.is_empty()
    });
    let wrongly_accepted = count(&|file| !file.accepted_wrongly.is_empty());
    let only_spelling = |file: &FileResult| {
        !file.rejected_wrongly.is_empty() && file.rejected_wrongly.len() == file.by_spelling.len()
    };
    let rejected = count(&|file| !file.rejected_wrongly.is_empty() && !only_spelling(file));
    let by_spelling = count(&only_spelling);
    let mut out = String::new();
    let percent = |k: usize| k as f64 * 100.0 / n.max(1) as f64;
    let options = match with {
        With::Defaults => "default options",
        With::Any => "property_order: any, numbers: any",
    };
    let _ = writeln!(out, "MaskBench (guidance-ai/jsonschemabench at ba103c73), {options}");
    let _ = writeln!(out, "files                       {n:6}");
    let _ = writeln!(
        out,
        "instances                   {:6}",
        results.iter().map(|file| file.n_instances).sum::<usize>()
    );
    let _ = writeln!(out, "pass                        {passes:6}  {:6.2} %", percent(passes));
    let _ = writeln!(out, "wrongly accepted            {wrongly_accepted:6}");
    let _ = writeln!(out, "wrongly rejected            {rejected:6}");
    let _ = writeln!(out, "rejected by order, spelling {by_spelling:6}  {:6.2} %", percent(by_spelling));
    let _ = writeln!(out, "limit while matching        {:6}", count(&|file| !file.limits.is_empty()));
    let _ = writeln!(
        out,
        "refused                     {:6}  {:6.2} %",
        count(&|f| f.refused.is_some()),
        percent(count(&|f| f.refused.is_some()))
    );
    let _ = writeln!(out, "unsatisfiable               {:6}", count(&|file| file.unsatisfiable));
    let _ = writeln!(out);
    for file in results.iter().filter(|file| !file.accepted_wrongly.is_empty()) {
        let _ = writeln!(out, "accepted wrongly: {} {:?}", file.name, file.accepted_wrongly);
    }
    for file in results.iter().filter(|file| !file.rejected_wrongly.is_empty() && !only_spelling(file)) {
        let _ = writeln!(out, "rejected wrongly: {} {:?}", file.name, file.rejected_wrongly);
    }
    for file in results.iter().filter(|file| !file.limits.is_empty()) {
        let _ = writeln!(out, "limit while matching: {} {:?}", file.name, file.limits);
    }
    for file in results.iter().filter(|file| file.unsatisfiable) {
        let _ = writeln!(out, "unsatisfiable: {}", file.name);
    }
    for file in results.iter().filter(|file| only_spelling(file)) {
        let _ = writeln!(out, "by order or spelling: {} {:?}", file.name, file.rejected_wrongly);
    }
    for file in results {
        if let Some(reason) = &file.refused {
            let _ = writeln!(out, "refused: {} {reason}", file.name);
        }
    }
    out
}
