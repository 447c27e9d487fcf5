//! `cargo xtask ci`: everything that CI runs, in one place.
//!
//! `.ci/run` and the workflows call this, so that what passes here passes there.
//! Every step runs even if an earlier one failed, so that one run shows all there is to mend; the tests come last, because
//! their closing lines are what people look for at the end of a log.
#![expect(clippy::disallowed_types, reason = "says how long each step took")]

use crate::{Arguments, find, tree};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let mut effort = Effort::Full;
    for argument in arguments {
        match argument.as_str() {
            "--quick" => effort = Effort::Quick,
            other => bail!("`ci` takes `--quick` or nothing, not `{other}`"),
        }
    }
    let root = tree::root();
    let mut steps = Steps { failed: Vec::new(), took: Vec::new() };
    steps.step("format", || cargo(&root, &["fmt", "--all", "--check"]));
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    steps.step("clippy", || cargo(&root, &clippy));
    steps.step("layers", || own("layers", vec![]));
    steps.step("tidy", || own("tidy", vec![]));
    if effort == Effort::Full {
        steps.step("docs", || {
            let mut command = Command::new(env!("CARGO"));
            // Flags of the caller's (a cap on lints, say) stay; warnings become errors.
            command.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", rustdoc_flags());
            execute(command, &root)
        });
        conformance(&mut steps, &root);
    }
    steps.step("tests with hashes that collide", || cargo(&root, &COLLIDING.split(' ').collect::<Vec<_>>()));
    steps.step("fuzz smoke", || own("fuzz", vec!["smoke".to_owned()]));
    let mut tally = None;
    steps.step("tests: cargo test --workspace", || tests(&root, &mut tally));
    steps.finish(tally)
}

/// The tests of what interns and shares, with a few hashes for everything: only equality tells values apart then.
const COLLIDING: &str = "test --quiet --features formwork-grammar/few-hashes --package formwork-grammar \
                         --package formwork-fsm --package formwork-earley --package formwork-engine";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Full,
    /// Without docs and conformance.
    Quick,
}

/// The steps so far.
struct Steps {
    failed: Vec<String>,
    took: Vec<(String, Duration)>,
}

impl Steps {
    fn step(&mut self, name: &str, run: impl FnOnce() -> Result<()>) {
        heading(name);
        let start = Instant::now();
        if let Err(error) = run() {
            println!("FAILED: {name}: {error:#}");
            self.failed.push(name.to_owned());
        }
        self.took.push((name.to_owned(), start.elapsed()));
    }

    /// Says how long each step took and how it went. The last line repeats cargo's own count, and only if cargo counted.
    fn finish(self, tally: Option<Tally>) -> Result<()> {
        heading("seconds");
        for (name, took) in &self.took {
            println!("{:>5} {name}", took.as_secs());
        }
        for name in &self.failed {
            println!("FAILED: {name}");
        }
        if let Some(Tally { passed, failed }) = tally {
            println!("{passed} passed, {failed} failed");
        }
        if self.failed.is_empty() { Ok(()) } else { bail!("{} steps failed", self.failed.len()) }
    }
}

fn heading(name: &str) {
    println!("\n==== {name} ====");
    // Cargo writes to stderr; without this the headings would come in blocks.
    let _ = std::io::stdout().flush();
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments);
    execute(command, root)
}

fn execute(mut command: Command, root: &Path) -> Result<()> {
    let status = command.current_dir(root).status().with_context(|| format!("running {command:?}"))?;
    if status.success() { Ok(()) } else { bail!("{status}") }
}

/// Another command of this program.
fn own(name: &str, arguments: Arguments) -> Result<()> {
    let command = find(name).with_context(|| format!("there is no command `{name}`"))?;
    (command.run)(arguments)
}

fn rustdoc_flags() -> String {
    let flags = std::env::var("RUSTDOCFLAGS").unwrap_or_default();
    format!("{flags} -D warnings").trim().to_owned()
}

/// The official suites, where their data is: beside the checkout, or where `FORMWORK_DATA` says.
fn conformance(steps: &mut Steps, root: &Path) {
    let name = "conformance";
    let data = match std::env::var_os("FORMWORK_DATA") {
        Some(data) => PathBuf::from(data),
        None => root.join("../shared/data"),
    };
    let skipped = match find(name) {
        None => Some("there is no such command yet".to_owned()),
        Some(_) if !data.is_dir() => {
            Some(format!("no data at {}; FORMWORK_DATA names the folder", data.display()))
        }
        Some(_) => None,
    };
    match skipped {
        Some(why) => {
            heading(name);
            println!("SKIPPED: {name}: {why}");
        }
        None => {
            steps.step(name, || own(name, vec!["--data".to_owned(), data.to_string_lossy().into_owned()]))
        }
    }
}

/// What cargo's test runs counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// Adds `test result: ok. 3 passed; 0 failed; …`; other lines count nothing.
    fn add(&mut self, line: &str) {
        let Some(counts) = line.trim().strip_prefix("test result: ") else { return };
        // The first part reads `ok. 3 passed`.
        for part in counts.split(';') {
            let mut words = part.split_whitespace().rev();
            match (words.next(), words.next().and_then(|count| count.parse::<u64>().ok())) {
                (Some("passed"), Some(count)) => self.passed += count,
                (Some("failed"), Some(count)) => self.failed += count,
                _ => {}
            }
        }
    }
}

/// The tests by the README's command, shown as they come and counted.
fn tests(root: &Path, tally: &mut Option<Tally>) -> Result<()> {
    // Without stopping at the first failing crate, or the count would be of a part.
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--workspace", "--no-fail-fast"]).current_dir(root).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("running {command:?}"))?;
    let output = child.stdout.take().context("the output was asked for")?;
    let mut counted = Tally::default();
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        println!("{line}");
        counted.add(&line);
    }
    let status = child.wait()?;
    // If something did not compile, what was counted is not the whole.
    if status.success() || counted.failed > 0 {
        *tally = Some(counted);
    }
    if status.success() { Ok(()) } else { bail!("{status}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_counts_are_added_up() {
        let mut tally = Tally::default();
        for line in [
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.2s",
            "test something ... ok",
        ] {
            tally.add(line);
        }
        assert_eq!(tally, Tally { passed: 7, failed: 2 });
    }
}
