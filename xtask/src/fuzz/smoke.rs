//! Fuzzing without a fuzzer: every target gets its inputs, and small changes of them.
#![allow(clippy::disallowed_types, reason = "stops when its time is up")]

use super::{MAX_LEN, Options, Target, inputs};
use crate::tree;
use anyhow::{Context, Result, bail};
use formwork_testkit::{Rng, mutate};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// For each target, unless the caller says otherwise.
const SECONDS: u64 = 10;

/// An input that takes this long is kept, to be looked at.
const SLOW: Duration = Duration::from_secs(5);

pub(super) fn run(options: &Options) -> Result<()> {
    let time = Duration::from_secs(options.seconds.unwrap_or(SECONDS));
    let mut failed = Vec::new();
    for &target in &options.targets {
        let start = Instant::now();
        let artifacts = tree::root().join("fuzz/artifacts").join(target.0);
        let tried = one(target, options, start + time, &artifacts)?;
        let (n, took, slowest) = (tried.n_inputs, start.elapsed(), tried.slowest);
        println!("{:<12} {n:>6} inputs in {took:.1?}, the slowest in {slowest:.1?}", target.0);
        if slowest >= SLOW {
            println!("{:<12} LOOK AT the slowest, {}", target.0, artifacts.join("slowest").display());
        }
        if let Some((path, failure)) = tried.failure {
            println!("{:<12} FAILED on the last one, which is {}\n{failure}", target.0, path.display());
            failed.push(target.0);
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("{} failed", failed.join(", ")) }
}

/// What came of one target.
#[derive(Default)]
struct Tried {
    n_inputs: u64,
    slowest: Duration,
    /// The file of the input that failed, and how.
    failure: Option<(PathBuf, String)>,
}

fn one((name, target): Target, options: &Options, end: Instant, artifacts: &Path) -> Result<Tried> {
    // A stack overflow or the system's memory killer leaves no time to say what the input was, so it is written before.
    fs::create_dir_all(artifacts).with_context(|| format!("making {}", artifacts.display()))?;
    let path = artifacts.join(format!("smoke-{}", std::process::id()));
    let mut sources = inputs::committed(name)?;
    let n_committed = sources.len() as u64;
    sources.extend(inputs::real(name)?);
    let mut rng = Rng::seeded(options.seed);
    let mut tried = Tried::default();
    while tried.n_inputs < options.cases + sources.len() as u64 {
        let input = match sources.get(tried.n_inputs as usize) {
            Some(input) => input.clone(),
            None => mutate(&mut rng, &sources, MAX_LEN),
        };
        // What is committed is always tried.
        let start = Instant::now();
        if tried.n_inputs >= n_committed && start >= end {
            break;
        }
        fs::write(&path, &input)?;
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input)));
        tried.n_inputs += 1;
        let took = start.elapsed();
        if took > tried.slowest && took >= SLOW {
            fs::write(artifacts.join("slowest"), &input)?;
        }
        tried.slowest = tried.slowest.max(took);
        let failure = match outcome {
            Ok(Ok(())) => continue,
            Ok(Err(failure)) => failure.to_string(),
            Err(_) => "it panicked; the message is above".to_owned(),
        };
        tried.failure = Some((path, failure));
        return Ok(tried);
    }
    fs::remove_file(&path)?;
    Ok(tried)
}
