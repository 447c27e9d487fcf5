//! `cargo xtask conformance`: the official JSON Schema test suite and MaskBench, through the facade.
//!
//! Results are compared with committed baselines, in which every disagreement stands by name, what was wrongly accepted
//! first. A difference in either direction fails, so that an improvement is committed on purpose (`--bless`).

mod maskbench;
mod suite;
mod walks;

use anyhow::{Context, bail};
use formwork::json_schema::{Error, ErrorKind, Options, PropertyOrder};
use formwork::{CompileErrorKind, CompiledGrammar, Compiler, Matcher, Vocabulary};
use formwork_testkit::json_text as spelling;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `conformance` was asked.
struct Arguments {
    data: PathBuf,
    bless: bool,
    /// Only files whose name contains this; nothing is compared then.
    only: Option<String>,
    /// Print why schemas were refused.
    reasons: bool,
    which: Which,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// The suites, and walks through a sample of the schemas.
    All,
    Suite,
    MaskBench,
    /// MaskBench with properties in any order and numbers in any spelling.
    MaskBenchAny,
    /// Walks through all schemas.
    Walks,
    /// The same with properties in any order.
    WalksAny,
}

/// Of how many schemas one is walked through when nothing in particular was asked for.
const WALK_EVERY: usize = 40;

/// Runs the suites.
pub(crate) fn run(arguments: Vec<String>) -> anyhow::Result<()> {
    let arguments = parse(arguments)?;
    let mut differs = false;
    if matches!(arguments.which, Which::All | Which::Suite) {
        differs |= suite::run(&arguments)?;
    }
    if matches!(arguments.which, Which::All | Which::MaskBench) {
        differs |= maskbench::run(&arguments, maskbench::With::Defaults)?;
    }
    if arguments.which == Which::MaskBenchAny {
        differs |= maskbench::run(&arguments, maskbench::With::Any)?;
    }
    let walks_failed = match arguments.which {
        Which::All => walks::run(&arguments, PropertyOrder::Schema, WALK_EVERY)?,
        Which::Walks => walks::run(&arguments, PropertyOrder::Schema, 1)?,
        Which::WalksAny => walks::run(&arguments, PropertyOrder::Any, 1)?,
        _ => false,
    };
    if walks_failed {
        bail!("some walks met a dead end, did not end, or wrote what is not valid");
    }
    if differs {
        bail!("the results differ from the committed baselines; look at them and run again with --bless");
    }
    Ok(())
}

fn parse(arguments: Vec<String>) -> anyhow::Result<Arguments> {
    let mut parsed =
        Arguments { data: PathBuf::new(), bless: false, only: None, reasons: false, which: Which::All };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--data" => parsed.data = arguments.next().context("--data needs a folder")?.into(),
            "--bless" => parsed.bless = true,
            "--only" => parsed.only = Some(arguments.next().context("--only needs a part of a name")?),
            "--reasons" => parsed.reasons = true,
            "suite" => parsed.which = Which::Suite,
            "maskbench" => parsed.which = Which::MaskBench,
            "maskbench-any" => parsed.which = Which::MaskBenchAny,
            "walks" => parsed.which = Which::Walks,
            "walks-any" => parsed.which = Which::WalksAny,
            other => bail!(
                "unknown argument `{other}`; usage: conformance --data DIR [suite|maskbench|maskbench-any|walks|walks-any] [--only PART] [--reasons] [--bless]"
            ),
        }
    }
    if parsed.data.as_os_str().is_empty() {
        bail!("--data DIR is needed: the folder with `json-schema-test-suite` and `maskbench`");
    }
    Ok(parsed)
}

/// A compiler whose tokens are the bytes.
fn byte_compiler() -> Compiler {
    Compiler::builder(Vocabulary::bytes()).precompute(0).build()
}

/// What a schema became.
enum Outcome {
    Compiled(Box<CompiledGrammar>),
    /// Nothing satisfies it.
    Unsatisfiable,
    /// The kind, the pointer and the message.
    Refused(String, String, String),
}

fn compile(compiler: &Compiler, options: &Options, schema: &str) -> Outcome {
    let refused = |error: &Error| {
        Outcome::Refused(error.kind().to_string(), error.pointer().to_owned(), error.message().to_owned())
    };
    let grammar = match options.grammar(schema) {
        Ok(grammar) => grammar,
        Err(error) if error.kind() == ErrorKind::Unsatisfiable => return Outcome::Unsatisfiable,
        Err(error) => return refused(&error),
    };
    match compiler.compile(&grammar) {
        Ok(compiled) => Outcome::Compiled(Box::new(compiled)),
        Err(error) if error.kind() == CompileErrorKind::Unsatisfiable => Outcome::Unsatisfiable,
        Err(error) => Outcome::Refused(
            format!("engine {}", error.kind().as_str()),
            error.place().pointer().unwrap_or_default().to_owned(),
            error.message().to_owned(),
        ),
    }
}

/// What became of one instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Accepted,
    Rejected,
    /// The matcher ran into a limit.
    Limit,
}

fn accepts(compiled: &CompiledGrammar, text: &str) -> Verdict {
    let mut matcher = Matcher::new(compiled);
    match matcher.accept_bytes(text.as_bytes()) {
        Ok(()) if matcher.can_finish() => Verdict::Accepted,
        Ok(()) => Verdict::Rejected,
        Err(error) if matches!(error.kind(), formwork::AcceptErrorKind::Limit(_)) => Verdict::Limit,
        Err(_) => Verdict::Rejected,
    }
}

/// The files below a folder that end in `.json`, sorted, as paths relative to it.
fn json_files(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut todo = vec![(folder.to_owned(), String::new())];
    while let Some((path, name)) = todo.pop() {
        for entry in std::fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
            let entry = entry?;
            let name = format!("{name}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                todo.push((entry.path(), format!("{name}/")));
            } else if name.ends_with(".json") {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Does something with every item on as many threads as there are cores; results in the order of the items.
fn in_parallel<T: Sync, R: Send>(what: &str, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let result = work(item);
                    if let Ok(mut results) = results.lock() {
                        results.push((i, result));
                    }
                    if i % 500 == 499 {
                        println!("{what}: {} of {}", i + 1, items.len());
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|&(i, _)| i);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Compares a result with its committed baseline, or commits it; whether they differ.
fn compare(arguments: &Arguments, name: &str, text: &str) -> anyhow::Result<bool> {
    if arguments.only.is_some() {
        println!("{text}");
        return Ok(false);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/baselines").join(name);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    if old == text {
        println!("{name}: as committed");
        return Ok(false);
    }
    if arguments.bless {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, text)?;
        println!("{name}: written");
        return Ok(false);
    }
    let mut difference = String::new();
    for (sign, one, other) in [('-', &*old, text), ('+', text, &*old)] {
        let other: std::collections::BTreeSet<&str> = other.lines().collect();
        for line in one.lines().filter(|line| !other.contains(line)).take(60) {
            let _ = writeln!(difference, "{sign} {line}");
        }
    }
    println!("{name} differs:\n{difference}");
    Ok(true)
}

/// The most frequent reasons for refusals.
fn print_reasons(title: &str, refusals: &[(String, String)]) {
    let mut counts: std::collections::BTreeMap<&str, (usize, &str)> = std::collections::BTreeMap::new();
    for (name, reason) in refusals {
        let entry = counts.entry(reason).or_insert((0, name));
        entry.0 += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, (n, _))| std::cmp::Reverse(n));
    println!("{title}: reasons for refusals");
    for (reason, (n, example)) in counts.into_iter().take(60) {
        println!("{n:6}  {reason}  (such as {example})");
    }
}
