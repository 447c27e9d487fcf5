//! `cargo xtask bench masks`: Formwork and llguidance in one process, on the same tokens, by the same clock.
//!
//! For each workload: first every engine walks every document, and must allow and accept each token; then the masks of
//! the two are compared; only then is anything timed. See benches/README.md for how to read the numbers.
#![forbid(unsafe_code)]

mod engine;
mod formwork_engine;
mod llguidance_engine;
mod measure;
mod options;
mod report;
mod tokenizer;
mod verify;
mod workload;

use crate::engine::{Compiled, Engine};
use crate::formwork_engine::Formwork;
use crate::llguidance_engine::Llguidance;
use crate::measure::{Effort, Measured, Samples};
use crate::options::Options;
use crate::report::{Report, Section};
use crate::tokenizer::Tokenizer;
use crate::workload::{Document, WORKLOADS, Workload};
use anyhow::{Context, Result, ensure};
use formwork_bench::clock;
use formwork_bench::machine::Machine;

fn main() -> Result<()> {
    let options = Options::parse(std::env::args().skip(1))?;
    let tokenizer = Tokenizer::load(&options.tokenizer)?;
    let vocabulary = &tokenizer.vocabulary;
    // The peer stands last: ratios are over it.
    let engines: Vec<Box<dyn Engine>> = vec![
        Box::new(Formwork::with_defaults(vocabulary.clone())),
        Box::new(Formwork::just_in_time(vocabulary.clone())),
        Box::new(Llguidance::new(&tokenizer.environment)?),
    ];
    let unforced = Llguidance::new(&tokenizer.unforced())?;
    let chosen: Vec<&Workload> = WORKLOADS.iter().filter(|workload| options.wants(workload.name)).collect();
    ensure!(!chosen.is_empty(), "there is no such workload");
    if let Some(engine) = &options.profile {
        return profile(&engines, engine, &chosen, &options, &tokenizer);
    }
    let mut report = Report::new(&Machine::here(), &tokenizer, options.effort(), clock::overhead())?;
    for workload in chosen {
        eprintln!("{} …", workload.name);
        let documents = workload.documents(&tokenizer, options.quick)?;
        for engine in &engines {
            verify::accepts(&**engine, workload, &documents, &tokenizer)
                .with_context(|| format!("{} on {}", engine.name(), workload.name))?;
        }
        let ours = engines[0].compile(workload)?;
        let theirs = unforced.compile(workload)?;
        let differences = verify::compare(&*ours, &*theirs, &documents, &tokenizer)?;
        let measured = measure(&engines, workload, &documents, options.effort(), &tokenizer)?;
        let measured = &measured;
        report.section(&Section { workload, documents: &documents, differences: &differences, measured })?;
    }
    print!("{}", report.markdown);
    options.record(&report, &tokenizer.name)
}

/// Warm passes of an engine before it is another's turn: only the first finds the caches full of somebody else's data.
const TURN: usize = 5;

/// An engine that has taken so many nanoseconds on a workload gets no further pass: its samples are many already.
const BUDGET: u64 = 15_000_000_000;

/// The engines take turns, so that what else the machine does falls on all of them alike.
fn measure(
    engines: &[Box<dyn Engine>],
    workload: &Workload,
    documents: &[Document],
    effort: Effort,
    tokenizer: &Tokenizer,
) -> Result<Vec<Measured>> {
    let mut mask = vec![0; tokenizer.vocabulary.mask_words()];
    let mut samples: Vec<Samples> = engines.iter().map(|_| Samples::default()).collect();
    let mut last: Vec<Option<Box<dyn Compiled>>> = engines.iter().map(|_| None).collect();
    for _ in 0..effort.cold {
        for (i, engine) in engines.iter().enumerate() {
            if last[i].is_some() && samples[i].spent() > BUDGET {
                continue;
            }
            last[i] = Some(samples[i].cold(&**engine, workload, documents, &mut mask)?);
        }
    }
    let mut left = effort.warm;
    while left > 0 {
        let n_passes = left.min(TURN);
        left -= n_passes;
        for (samples, compiled) in samples.iter_mut().zip(&last) {
            let Some(compiled) = compiled else { continue };
            for _ in 0..n_passes {
                if !samples.is_warm() || samples.spent() <= BUDGET {
                    samples.warm(&**compiled, documents, &mut mask)?;
                }
            }
        }
    }
    Ok(engines.iter().zip(samples).map(|(engine, samples)| samples.summarise(engine.name())).collect())
}

/// One engine alone, over and over, for a profiler to look at.
fn profile(
    engines: &[Box<dyn Engine>],
    name: &str,
    workloads: &[&Workload],
    options: &Options,
    tokenizer: &Tokenizer,
) -> Result<()> {
    let engine = engines.iter().find(|engine| engine.name() == name).context("there is no such engine")?;
    let mut mask = vec![0; tokenizer.vocabulary.mask_words()];
    for workload in workloads {
        let documents = workload.documents(tokenizer, options.quick)?;
        let mut samples = Samples::default();
        let mut compiled = engine.compile(workload)?;
        for _ in 0..options.effort().cold {
            compiled = samples.cold(&**engine, workload, &documents, &mut mask)?;
        }
        for _ in 0..options.effort().warm {
            samples.warm(&*compiled, &documents, &mut mask)?;
        }
    }
    Ok(())
}
