//! `cargo xtask fuzz`: the fuzz targets, with a fuzzer and without.
//!
//! - `list` names the targets.
//! - `smoke` needs nothing but this workspace: each target gets the committed inputs and some thousand small changes of
//!   them. It takes seconds, runs in CI, and finds what falls over at once.
//! - `run` hands the targets to cargo-fuzz, which follows coverage. It begins with `fuzz/corpus/TARGET`, into which it
//!   first puts the real inputs that the repository has, and is what finds things.
//!
//! What a target does with its bytes stands in `crates/testkit/src/fuzz.rs`.

mod inputs;
mod run;
mod smoke;

use crate::Arguments;
use anyhow::{Context, Result, bail};
use formwork_testkit::fuzz::{TARGETS, Target};

const USAGE: &str = "usage: fuzz list | smoke [--cases N] [--seconds N] [--seed N] [TARGET]... \
                     | run [--minutes N | --seconds N] [TARGET]...";

/// Inputs longer than this are slow and find nothing that shorter ones do not.
const MAX_LEN: usize = 2048;

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let mut rest = arguments.into_iter();
    let command = rest.next().context(USAGE)?;
    let mut options = Options { seconds: None, cases: 2_000, seed: 1, targets: Vec::new() };
    while let Some(argument) = rest.next() {
        let mut number = || -> Result<u64> {
            let value = rest.next().with_context(|| format!("{argument} needs a number"))?;
            value.parse().with_context(|| format!("{argument} {value}"))
        };
        match argument.as_str() {
            "--seconds" => options.seconds = Some(number()?),
            "--minutes" => options.seconds = Some(number()?.saturating_mul(60)),
            "--cases" => options.cases = number()?,
            "--seed" => options.seed = number()?,
            name => options.targets.push(find(name)?),
        }
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.to_vec();
    }
    match command.as_str() {
        "list" => options.targets.iter().for_each(|(name, _)| println!("{name}")),
        "smoke" => smoke::run(&options)?,
        "run" => run::run(&options)?,
        _ => bail!("{USAGE}, not {command}"),
    }
    Ok(())
}

/// What the user asked for.
struct Options {
    /// The time for each target.
    seconds: Option<u64>,
    /// How many inputs each target gets without a fuzzer.
    cases: u64,
    seed: u64,
    targets: Vec<Target>,
}

fn find(name: &str) -> Result<Target> {
    let found = TARGETS.iter().copied().find(|(target, _)| *target == name);
    found.with_context(|| {
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        format!("{USAGE}, not {name}; the targets are {}", names.join(", "))
    })
}
