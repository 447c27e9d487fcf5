//! A grammar in every engine's words, with documents, and what it costs.

use super::panel::{Fate, Panel};
use super::process::Lost;
use super::tokenizer::Tokenizer;
use crate::protocol::{Job, Measured, Source, Verdict};
use crate::statistics::Summary;
use anyhow::Result;

/// A grammar and documents that match it.
#[derive(Clone, Debug)]
pub struct Task {
    /// What it is called in reports.
    pub name: String,
    /// The grammar, for all engines or by the engine's name.
    pub sources: Vec<(&'static str, Source)>,
    /// The documents.
    pub documents: Vec<String>,
}

/// Stands for all engines that are not named.
pub const ANY: &str = "";

impl Task {
    /// A schema, which all engines read.
    pub fn schema(name: impl Into<String>, schema: String, documents: Vec<String>) -> Self {
        Self { name: name.into(), sources: vec![(ANY, Source::Schema(schema))], documents }
    }

    fn source(&self, engine: &str) -> Option<&Source> {
        let find = |name: &str| self.sources.iter().find(|(engine, _)| *engine == name);
        find(engine).or_else(|| find(ANY)).map(|(_, source)| source)
    }
}

/// What a task cost an engine.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Microseconds from the text to the compiled grammar, the first time.
    pub compiled: f64,
    /// Microseconds from the text to the first mask, the first time.
    pub first: f64,
    /// The same, the least of later times.
    pub again: f64,
    /// Steps of the first time.
    pub cold: Steps,
    /// Steps of later times.
    pub warm: Steps,
    /// Steps of one walk over all documents.
    pub n_steps: usize,
    /// What went wrong with the documents; nothing, if all were accepted.
    pub remark: String,
}

/// What steps cost.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Filling the mask.
    pub mask: Summary,
    /// Accepting the token.
    pub accept: Summary,
    /// Both.
    pub both: Summary,
}

/// What became of a task.
#[derive(Clone, Debug)]
pub enum Done {
    /// It was measured.
    Cost(Box<Cost>),
    /// Why it was not.
    Not(String),
}

/// Measures a task of one engine, `times` times after a first time.
///
/// # Errors
/// A worker does not start.
pub fn measure(
    panel: &mut Panel,
    seat: usize,
    task: &Task,
    tokenizer: &Tokenizer,
    times: usize,
) -> Result<Done> {
    let engine = panel.seats[seat].contestant.engine.clone();
    let Some(source) = task.source(&engine).cloned() else { return Ok(Done::Not("not asked".to_owned())) };
    let documents = task.documents.iter().map(|text| tokenizer.encode(text)).collect::<Result<_>>()?;
    let job = Job { source, documents, pollute_mb: 0 };
    let mut all = Vec::new();
    for _ in 0..=times {
        match panel.ask(seat, &job)? {
            Fate::Measured(measured) => all.push(measured),
            Fate::Refused(why) => return Ok(Done::Not(short(&why))),
            Fate::Lost(Lost::Time) => return Ok(Done::Not("out of time".to_owned())),
            Fate::Lost(Lost::Memory) => return Ok(Done::Not("out of memory".to_owned())),
            Fate::Lost(Lost::Crash) => return Ok(Done::Not("crashed".to_owned())),
        }
    }
    let (first, later) = all.split_at(1);
    let us = |ns: u64| ns as f64 / 1_000.0;
    let walks = || first.iter().flat_map(|measured| &measured.walks);
    Ok(Done::Cost(Box::new(Cost {
        compiled: us(first.iter().map(Measured::compiled).min().unwrap_or(0)),
        first: us(first.iter().map(Measured::ttfm).min().unwrap_or(0)),
        again: us(later.iter().map(Measured::ttfm).min().unwrap_or(0)),
        cold: steps(first),
        warm: steps(later),
        n_steps: walks().map(|walk| walk.mask.len()).sum(),
        remark: walks()
            .map(|walk| remark(&walk.verdict))
            .find(|remark| !remark.is_empty())
            .unwrap_or_default(),
    })))
}

fn steps(all: &[Measured]) -> Steps {
    let walks = || all.iter().flat_map(|measured| &measured.walks);
    let sum = |samples: &mut dyn Iterator<Item = u64>| Summary::of(&mut samples.collect::<Vec<_>>());
    Steps {
        mask: sum(&mut walks().flat_map(|walk| &walk.mask).copied().map(u64::from)),
        accept: sum(&mut walks().flat_map(|walk| &walk.accept).copied().map(u64::from)),
        both: sum(&mut walks().flat_map(|walk| walk.steps())),
    }
}

/// What to say of a verdict; nothing, if the document was accepted.
pub fn remark(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Accepted => String::new(),
        Verdict::Refused => "REFUSED".to_owned(),
        Verdict::Failed(why) => short(why),
    }
}

/// The beginning of what an engine says, on one line.
pub fn short(why: &str) -> String {
    let line = why.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(70).collect()
}
