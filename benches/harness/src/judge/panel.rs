//! Several engines that take turns over the same jobs.

use super::engines::{Contestant, Peer};
use super::process::{Limits, Lost, Worker};
use super::tokenizer::Tokenizer;
use crate::protocol::{Job, Measured, Outcome, Source, Start};
use anyhow::{Context, Result};
use clap::Args;
use std::time::Duration;

/// A schema with most of what schemas have.
pub const WARM_SCHEMA: &str = r#"{"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"},
    "list": {"type": "array", "items": {"type": "number"}}, "kind": {"enum": ["a", "b"]}}, "required": ["name"]}"#;
/// A document of it, with a property more.
const WARM_DOCUMENT: &str =
    r#"{"name": "x\n", "n": 12, "list": [1.5, -2], "kind": "b", "more": [null, true]}"#;

/// How workers are run.
#[derive(Args, Clone, Debug)]
pub struct Workers {
    /// Seconds of CPU time that an engine may spend on a grammar and its documents [default: 20; ablation: 2]
    #[arg(long)]
    pub timeout: Option<u64>,
    /// Show what workers write to standard error
    #[arg(long)]
    pub verbose: bool,
    /// A peer's worker: NAME=PATH
    #[arg(long = "peer", hide = true)]
    pub peers: Vec<Peer>,
}

impl Workers {
    /// Seconds of CPU time for a grammar and its documents.
    pub fn seconds(&self) -> u64 {
        self.timeout.unwrap_or(20)
    }
}

/// What became of one job of one engine.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It was measured.
    Measured(Measured),
    /// The grammar was refused, and why.
    Refused(String),
    /// The worker was lost.
    Lost(Lost),
}

/// An engine and its worker.
#[derive(Debug)]
pub struct Seat {
    /// Who it is.
    pub contestant: Contestant,
    /// The engine's name and version in its own words.
    pub version: String,
    /// Highest resident memory over all workers of this engine since the first job, in KiB.
    pub peak_kib: u64,
    /// How often the worker was started again.
    pub restarts: usize,
    start: Start,
    worker: Option<Worker>,
}

/// The engines.
#[derive(Debug)]
pub struct Panel {
    /// In the order of the reports.
    pub seats: Vec<Seat>,
    limits: Limits,
    /// Whether workers may write to standard error.
    verbose: bool,
}

impl Panel {
    /// Starts all workers, each warmed up with a schema that nobody is asked about.
    ///
    /// # Errors
    /// One of them cannot be started.
    pub fn new(contestants: Vec<Contestant>, tokenizer: &Tokenizer, workers: &Workers) -> Result<Self> {
        let source = Source::Schema(WARM_SCHEMA.to_owned());
        let documents = vec![tokenizer.encode(WARM_DOCUMENT)?];
        Self::warmed(contestants, tokenizer, workers, Job { source, documents, pollute_mb: 0 })
    }

    /// Starts all workers, each warmed up with this job.
    ///
    /// # Errors
    /// One of them cannot be started.
    pub fn warmed(
        contestants: Vec<Contestant>,
        tokenizer: &Tokenizer,
        workers: &Workers,
        warm_up: Job,
    ) -> Result<Self> {
        let limits = Limits { cpu: Duration::from_secs(workers.seconds()), memory_kib: 8 << 20 };
        let verbose = workers.verbose;
        let seat = |contestant: Contestant| {
            let start = Start {
                variant: contestant.variant.clone(),
                tokenizer: tokenizer.given.clone(),
                width: tokenizer.vocabulary.width(),
                stops: tokenizer.stops(),
                warm_up: warm_up.clone(),
            };
            let worker = Worker::start(&contestant.program, &start, verbose)
                .with_context(|| contestant.name.clone())?;
            let version = worker.ready.version.clone();
            Ok(Seat { contestant, version, peak_kib: 0, restarts: 0, start, worker: Some(worker) })
        };
        let seats = contestants.into_iter().map(seat).collect::<Result<_>>()?;
        Ok(Self { seats, limits, verbose })
    }

    /// Gives one engine a job.
    ///
    /// # Errors
    /// A worker that was lost does not start again.
    pub fn ask(&mut self, seat: usize, job: &Job) -> Result<Fate> {
        let seat = &mut self.seats[seat];
        let worker = match &mut seat.worker {
            Some(worker) => worker,
            None => {
                seat.restarts += 1;
                let program = &seat.contestant.program;
                seat.worker.insert(
                    Worker::start(program, &seat.start, self.verbose)
                        .with_context(|| seat.contestant.name.clone())?,
                )
            }
        };
        match worker.ask(job, self.limits) {
            Ok(answer) => {
                seat.peak_kib = seat.peak_kib.max(answer.peak_kib);
                Ok(match answer.outcome {
                    Outcome::Measured(measured) => Fate::Measured(measured),
                    Outcome::Refused(why) => Fate::Refused(why),
                })
            }
            Err(lost) => {
                seat.worker = None;
                Ok(Fate::Lost(lost))
            }
        }
    }
}
