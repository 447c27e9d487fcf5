//! What the judge and a worker say to each other: one line of JSON each, in turn.

use serde::{Deserialize, Serialize};

/// The first thing that a worker is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Start {
    /// The part of the engine's name behind the colon; empty for the engine as it comes.
    pub variant: String,
    /// A `tokenizer.json`, or (for Formwork) the name of an embedded encoding.
    pub tokenizer: String,
    /// Ids of the model's logits.
    pub width: usize,
    /// The ids that end an output.
    pub stops: Vec<u32>,
    /// What the engine may warm up with.
    pub warm_up: Job,
}

/// What a worker answers to [`Start`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ready {
    /// Name and version of the engine.
    pub version: String,
}

/// A grammar's text, in one of the languages that engines read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// JSON Schema.
    Schema(String),
    /// EBNF; the start rule is `root`.
    Ebnf(String),
    /// A regular expression for the whole output.
    Regex(String),
    /// llguidance's dialect of Lark.
    Lark(String),
    /// A structural tag.
    Tag(String),
}

/// One grammar and the documents to walk under it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The grammar.
    pub source: Source,
    /// Documents as tokens.
    pub documents: Vec<Vec<u32>>,
    /// Megabytes that are read before every interval, so that the caches are full of something else.
    pub pollute_mb: usize,
}

/// What a worker answers to a [`Job`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// What became of the grammar.
    pub outcome: Outcome,
    /// The worker's highest resident memory since the first job.
    pub peak_kib: u64,
}

/// What became of a grammar.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It does not compile: why.
    Refused(String),
    /// It was compiled and walked.
    Measured(Measured),
}

/// The times of one grammar.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Nanoseconds from the text to the first mask, by part; their sum is the time to the first mask.
    pub to_first_mask: Vec<(String, u64)>,
    /// The documents, in the job's order.
    pub walks: Vec<Walk>,
    /// A hash of all masks: engines whose masks are the same have the same.
    pub checksum: u64,
    /// What the engine tells of itself, by name.
    pub figures: Vec<(String, u64)>,
}

/// The part of [`Measured::to_first_mask`] that comes last: the session and its mask.
pub const FIRST_MASK: &str = "first mask";

/// One document's walk. A step is a mask and, if the mask allows the document's next token, accepting it; the last step of
/// a document that was allowed to its end is a mask alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Walk {
    /// How it ended.
    pub verdict: Verdict,
    /// Nanoseconds of each step's mask.
    pub mask: Vec<u32>,
    /// Nanoseconds of each accepted token; one less than there are masks, as long as nothing fails.
    pub accept: Vec<u32>,
}

/// How a walk ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every token was allowed, and the output may end there.
    #[default]
    Accepted,
    /// A mask forbade the next token or, after the last one, the end.
    Refused,
    /// The engine failed: a limit, mostly.
    Failed(String),
}

impl Measured {
    /// Nanoseconds from the text to the first mask.
    pub fn ttfm(&self) -> u64 {
        self.to_first_mask.iter().map(|(_, ns)| ns).sum()
    }

    /// Nanoseconds from the text to the compiled grammar, before a mask is asked for.
    pub fn compiled(&self) -> u64 {
        self.to_first_mask.iter().filter(|(part, _)| part != FIRST_MASK).map(|(_, ns)| ns).sum()
    }
}

impl Walk {
    /// Nanoseconds of each step, mask and accept together.
    pub fn steps(&self) -> impl Iterator<Item = u64> + '_ {
        let accept = |step: usize| self.accept.get(step).copied().unwrap_or(0);
        self.mask.iter().enumerate().map(move |(step, &mask)| u64::from(mask) + u64::from(accept(step)))
    }
}
