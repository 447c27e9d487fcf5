//! `scaling`: how times grow with what is asked.

use super::engines::Contestant;
use super::panel::{Panel, Workers};
use super::plot::{Axis, Chart, Line};
use super::record::{Output, Record};
use super::table;
use super::tasks::{self, Cost, Done, Task};
use super::tokenizer::Tokenizer;
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::path::{Path, PathBuf};

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// A tokenizer.json, or (Formwork alone) an embedded encoding, for all but the sizes of vocabularies
    #[arg(long, default_value = "o200k_base")]
    tokenizer: String,
    /// A folder of folders with a tokenizer.json each (`cargo xtask tokenizers fetch` makes one), for the sizes of
    /// vocabularies; those that are not there are left out
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cache/tokenizers"))]
    tokenizers: PathBuf,
    /// Engines: NAME or NAME:VARIANT
    #[arg(long, value_delimiter = ',', default_value = "formwork,llguidance,xgrammar-rs")]
    engines: Vec<String>,
    /// Only series whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// The last value of each series, for a smoke test: nothing larger is measured
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    up_to: usize,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    workers: Workers,
}

/// Grammars that differ in one number.
struct Series {
    name: &'static str,
    /// What the number counts.
    what: &'static str,
    values: &'static [usize],
    /// The task for a number.
    task: fn(usize) -> Task,
}

const SERIES: &[Series] = &[
    Series {
        name: "properties",
        what: "properties of an object",
        values: &[1, 4, 16, 64, 256, 1024, 4096],
        task: properties,
    },
    Series { name: "depth", what: "objects inside each other", values: &[1, 4, 16, 64, 128], task: depth },
    Series { name: "tools", what: "tools to call", values: &[1, 10, 100, 1000], task: tools },
    Series { name: "maxlength", what: "maxLength", values: &[16, 256, 4096, 65_536], task: max_length },
    Series { name: "maxitems", what: "maxItems", values: &[10, 100, 1000, 10_000, 100_000], task: max_items },
];

/// The name of the series over vocabularies.
const VOCABULARY: &str = "vocabulary";

/// Times after the first.
const TIMES: usize = 3;

/// Measures and reports.
///
/// # Errors
/// Something cannot be read, started or written.
pub fn run(options: &Options) -> Result<()> {
    let tokenizer = Tokenizer::load(&options.tokenizer)?;
    let contestants = Contestant::all(&options.engines, &options.workers.peers)?;
    let mut record = Record::new("scaling", "How times grow", &tokenizer.name, &options.output);
    let mut panel = Panel::new(contestants.clone(), &tokenizer, &options.workers)?;
    record.engines(&panel, &tokenizer);
    record.line(&format!(
        "- *To first mask*: the first time that the process sees the grammar. *Mask*: the average over the documents that \
         time, local masks that are computed on the way included; *again*: over {TIMES} more times, compiled anew. {} s of \
         CPU time each.",
        options.workers.seconds(),
    ));
    record.csv.push_str("series,value,engine,steps,ttfm_first_us,ttfm_again_us,mask_first_avg_us,mask_again_avg_us,mask_again_p99_us,accept_again_avg_us,remark\n");
    let is_wanted = |name: &str| options.only.as_ref().is_none_or(|part| name.contains(part.as_str()));
    for series in SERIES.iter().filter(|series| is_wanted(series.name)) {
        let mut rows = Rows::new(series.name, series.what, &options.engines);
        for &value in series.values.iter().filter(|&&value| value <= options.up_to) {
            let task = (series.task)(value);
            for seat in 0..panel.seats.len() {
                eprintln!("{} {value}: {}", series.name, options.engines[seat]);
                let done = tasks::measure(&mut panel, seat, &task, &tokenizer, TIMES)?;
                rows.add(value, &table::grouped(value as u64), seat, &done);
            }
        }
        rows.finish(&mut record);
    }
    drop(panel);
    if is_wanted(VOCABULARY) {
        vocabularies(options, &contestants, &mut record)?;
    }
    record.finish()
}

/// One schema with vocabularies of many sizes.
fn vocabularies(options: &Options, contestants: &[Contestant], record: &mut Record) -> Result<()> {
    let mut found: Vec<Tokenizer> = Vec::new();
    if options.tokenizers.is_dir() {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&options.tokenizers)?
            .filter_map(|entry| Some(entry.ok()?.path().join("tokenizer.json")))
            .filter(|path| path.is_file())
            .collect();
        files.sort();
        for file in files {
            match Tokenizer::load(&file.to_string_lossy()) {
                Ok(tokenizer) => found.push(tokenizer),
                Err(error) => record.line(&format!("- {} is left out: {error}.", file.display())),
            }
        }
    }
    found.retain(|tokenizer| tokenizer.vocabulary.width() <= options.up_to.max(1_000));
    found.sort_by_key(|tokenizer| tokenizer.vocabulary.width());
    // Of vocabularies of one size one is enough.
    found.dedup_by_key(|tokenizer| tokenizer.vocabulary.width());
    if found.is_empty() {
        record
            .line("\nNo tokenizers for the sizes of vocabularies; `cargo xtask tokenizers fetch` gets some.");
        return Ok(());
    }
    let task = orders()?;
    let mut rows = Rows::new(VOCABULARY, "tokens in the vocabulary", &options.engines);
    for tokenizer in &found {
        let width = tokenizer.vocabulary.width();
        let label = format!("{} {}", tokenizer.name, table::grouped(width as u64));
        for (seat, contestant) in contestants.iter().enumerate() {
            eprintln!("{label}: {}", contestant.name);
            let done = match Panel::new(vec![contestant.clone()], tokenizer, &options.workers) {
                Ok(mut panel) => tasks::measure(&mut panel, 0, &task, tokenizer, TIMES)?,
                Err(_) => Done::Not("does not take this tokenizer".to_owned()),
            };
            rows.add(width, &label, seat, &done);
        }
    }
    rows.finish(record);
    Ok(())
}

/// What was measured of a series.
struct Rows<'a> {
    name: &'static str,
    what: &'static str,
    engines: &'a [String],
    table: Vec<Vec<String>>,
    csv: String,
    /// Per engine the curve of times to the first mask and that of masks.
    curves: Vec<[Vec<(f64, f64)>; 2]>,
}

impl<'a> Rows<'a> {
    fn new(name: &'static str, what: &'static str, engines: &'a [String]) -> Self {
        let curves = vec![[Vec::new(), Vec::new()]; engines.len()];
        Self { name, what, engines, table: Vec::new(), csv: String::new(), curves }
    }

    fn add(&mut self, value: usize, label: &str, seat: usize, done: &Done) {
        let engine = &self.engines[seat];
        let mut row = vec![label.to_owned(), engine.clone()];
        let start = format!("{},{value},{engine}", self.name);
        match done {
            Done::Not(why) => {
                row.extend(["-"; 7].map(str::to_owned));
                row.push(why.clone());
                self.csv.push_str(&format!("{start},,,,,,,,\"{why}\"\n"));
            }
            Done::Cost(cost) => {
                let Cost { first, again, cold, warm, n_steps, remark, .. } = &**cost;
                let times = [*first, *again, cold.mask.mean, warm.mask.mean, warm.mask.p99, warm.accept.mean];
                row.push(n_steps.to_string());
                row.extend(times.map(table::number));
                row.push(remark.clone());
                let csv = times.map(|us| format!("{us:.3}")).join(",");
                self.csv.push_str(&format!("{start},{n_steps},{csv},\"{remark}\"\n"));
                self.curves[seat][0].push((value as f64, first.max(0.001)));
                if *n_steps > 0 {
                    self.curves[seat][1].push((value as f64, cold.mask.mean.max(0.001)));
                }
            }
        }
        self.table.push(row);
    }

    fn finish(self, record: &mut Record) {
        record.line(&format!("\n## {}\n", self.what));
        let head = [
            self.what,
            "engine",
            "steps",
            "to first mask",
            "again",
            "mask avg",
            "again",
            "p99, again",
            "accept avg, again",
            "",
        ];
        record.line(&table::markdown(&head, &self.table));
        record.csv.push_str(&self.csv);
        let mut lines = Vec::new();
        for (colour, (engine, [first, masks])) in self.engines.iter().zip(self.curves).enumerate() {
            lines.push(Line {
                name: format!("{engine}: to first mask"),
                points: first,
                colour,
                dashed: false,
            });
            lines.push(Line { name: format!("{engine}: a mask"), points: masks, colour, dashed: true });
        }
        let chart = Chart {
            title: format!("Times over {}", self.what),
            x_label: self.what.to_owned(),
            y_label: "µs".to_owned(),
            x: Axis::Log,
            lines,
        };
        record.pictures.push((self.name, chart.svg()));
    }
}

/// An object with so many properties of several types, and a document with at most 64 of them.
fn properties(n: usize) -> Task {
    const TYPES: [(&str, &str); 4] = [
        (r#"{"type": "string"}"#, r#""some text""#),
        (r#"{"type": "integer"}"#, "1234"),
        (r#"{"enum": ["red", "green", "blue"]}"#, r#""green""#),
        (r#"{"type": "array", "items": {"type": "boolean"}}"#, "[true, false]"),
    ];
    let all: Vec<String> = (0..n).map(|i| format!(r#""property_{i}": {}"#, TYPES[i % 4].0)).collect();
    let step = n.div_ceil(64);
    let some = (0..n).step_by(step).map(|i| format!(r#""property_{i}": {}"#, TYPES[i % 4].1));
    let schema = format!(
        r#"{{"type": "object", "properties": {{{}}}, "additionalProperties": false}}"#,
        all.join(", ")
    );
    Task::schema("properties", schema, vec![format!("{{{}}}", some.collect::<Vec<_>>().join(", "))])
}

/// So many objects inside each other.
fn depth(n: usize) -> Task {
    let (mut schema, mut document) = (r#"{"type": "string"}"#.to_owned(), r#""the core""#.to_owned());
    for _ in 0..n {
        schema = format!(
            r#"{{"type": "object", "properties": {{"id": {{"type": "integer"}}, "inner": {schema}}}, "required": ["id", "inner"], "additionalProperties": false}}"#
        );
        document = format!(r#"{{"id": 7, "inner": {document}}}"#);
    }
    Task::schema("depth", schema, vec![document])
}

/// A call of one of so many tools, told apart by their names.
fn tools(n: usize) -> Task {
    let tool = |i: usize| {
        format!(
            r#"{{"type": "object", "properties": {{"name": {{"const": "tool_{i}"}}, "arguments": {{"type": "object", "properties": {{"query_{i}": {{"type": "string"}}, "limit": {{"type": "integer"}}, "mode": {{"enum": ["fast", "exact"]}}}}, "required": ["query_{i}"], "additionalProperties": false}}}}, "required": ["name", "arguments"], "additionalProperties": false}}"#
        )
    };
    let call = |i: usize| {
        format!(
            r#"{{"name": "tool_{i}", "arguments": {{"query_{i}": "what is poured", "limit": 10, "mode": "fast"}}}}"#
        )
    };
    let schema = format!(r#"{{"anyOf": [{}]}}"#, (0..n).map(tool).collect::<Vec<_>>().join(", "));
    Task::schema("tools", schema, vec![call(0), call(n / 2), call(n - 1)])
}

/// A string of at most so many characters.
fn max_length(n: usize) -> Task {
    let text: String =
        "what is poured takes its form from the mould; ".chars().cycle().take(n.min(1_800)).collect();
    let schema = format!(
        r#"{{"type": "object", "properties": {{"text": {{"type": "string", "maxLength": {n}}}}}, "required": ["text"], "additionalProperties": false}}"#
    );
    Task::schema("maxlength", schema, vec![format!(r#"{{"text": "{text}"}}"#)])
}

/// An array of at most so many numbers.
fn max_items(n: usize) -> Task {
    let items: Vec<String> = (0..n.min(250)).map(|i| (i * 37 % 1_000).to_string()).collect();
    let schema = format!(r#"{{"type": "array", "items": {{"type": "integer"}}, "maxItems": {n}}}"#);
    Task::schema("maxitems", schema, vec![format!("[{}]", items.join(", "))])
}

/// The order of twelve fields that `bench masks` has.
fn orders() -> Result<Task> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/compare/workloads/schema");
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).with_context(|| path.display().to_string())
    };
    let documents =
        ["small.json", "medium.json", "large.json"].map(read).into_iter().collect::<Result<Vec<_>>>()?;
    let documents: Vec<String> = documents.iter().map(|text| text.trim_end().to_owned()).collect();
    ensure!(documents.iter().all(|text| text.starts_with('{')), "the documents are not what they were");
    Ok(Task::schema("orders", read("schema.json")?, documents))
}
