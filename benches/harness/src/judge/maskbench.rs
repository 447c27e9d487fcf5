//! `maskbench`: real schemas, real instances, all engines.

use super::corpus::{self, Case};
use super::engines::Contestant;
use super::panel::{Fate, Panel, Workers};
use super::plot::{Axis, Chart, Line};
use super::process::Lost;
use super::record::{Output, Record};
use super::tokenizer::Tokenizer;
use super::{goals, slowest, table};
use crate::protocol::{Job, Measured, Source, Verdict};
use crate::statistics::{Summary, percentile};
use anyhow::{Result, anyhow, ensure};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;

/// Files in a turn.
pub const TURN: usize = 25;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// MaskBench's files, or a folder with them in `maskbench`
    #[arg(long)]
    pub data: PathBuf,
    /// A tokenizer.json, or (Formwork alone) an embedded encoding
    #[arg(long, default_value = "o200k_base")]
    pub tokenizer: String,
    /// Engines, the first of which the others are compared with; NAME or NAME:VARIANT
    #[arg(long, value_delimiter = ',', default_value = "formwork,formwork:eager,llguidance,xgrammar-rs")]
    pub engines: Vec<String>,
    /// Only so many files, the same ones in every run
    #[arg(long)]
    pub sample: Option<usize>,
    /// Only files whose name contains this
    #[arg(long)]
    pub only: Option<String>,
    /// So many files go to one engine before it is the next one's turn. With 1, each file's schema meets caches that hold what
    /// the other engines left
    #[arg(long, default_value_t = TURN)]
    pub turn: usize,
    /// So many workers per engine at once; more than one disturbs the times
    #[arg(long, default_value_t = 1)]
    pub jobs: usize,
    /// Which passes, in this order; `cold` must come first
    #[arg(long, value_delimiter = ',', default_value = "cold,warm,polluted")]
    pub passes: Vec<Pass>,
    /// Write the figures of every file and engine to this file, as CSV
    #[arg(long)]
    pub files: Option<PathBuf>,
    /// Where results go
    #[command(flatten)]
    pub output: Output,
    /// How workers are run
    #[command(flatten)]
    pub workers: Workers,
}

/// A pass over all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pass {
    /// From a fresh process.
    Cold,
    /// Again with the same compiler: what it keeps from grammar to grammar is warm; grammars are compiled anew.
    Warm,
    /// As warm, with 6 MB of other data read before every interval.
    Polluted,
}

impl Pass {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Polluted => "polluted",
        }
    }

    fn pollute_mb(self) -> usize {
        if self == Self::Polluted { 6 } else { 0 }
    }
}

/// All that was measured: by pass, engine and case.
#[derive(Debug)]
pub struct Results {
    /// The passes, in order.
    pub passes: Vec<Pass>,
    /// The engines' names.
    pub engines: Vec<String>,
    /// What became of each job.
    pub fates: Vec<Vec<Vec<Fate>>>,
}

/// Measures and reports.
///
/// # Errors
/// Something cannot be read, started or written.
pub fn run(options: &Options) -> Result<()> {
    ensure!(options.passes.first() == Some(&Pass::Cold), "the first pass is the cold one");
    ensure!(options.jobs > 0, "--jobs 0 would do nothing");
    ensure!(options.turn > 0, "--turn 0 would do nothing");
    let tokenizer = Tokenizer::load(&options.tokenizer)?;
    let cases = corpus::load(&options.data, options.sample, options.only.as_deref(), &tokenizer)?;
    let mut record = Record::new("maskbench", "MaskBench, side by side", &tokenizer.name, &options.output);
    let (panels, results) = measure(options, &tokenizer, &cases)?;
    if let Some(panel) = panels.first() {
        record.engines(panel, &tokenizer);
    }
    about(&mut record, options, &cases);
    verdicts(&mut record, &results, &cases, &panels);
    let everywhere = results.everywhere();
    let n_everywhere = everywhere.iter().filter(|&&yes| yes).count();
    if results.engines.len() > 1 {
        let title = format!("Over the {n_everywhere} files that all engines compile");
        section(&mut record, &title, "common", &results, &|_, case| everywhere[case]);
    }
    let peak_kib = panels.iter().map(|panel| panel.seats[0].peak_kib).max().unwrap_or(0);
    goals::section(&mut record, &results, &everywhere, peak_kib);
    section(&mut record, "Over the files that each engine compiles", "own", &results, &|_, _| true);
    if n_everywhere > 0 {
        for (metric, end) in [("TTFM", "ttfm"), ("TBM", "tbm")] {
            let svg = percentiles(metric, &results, &|_, case| everywhere[case]).svg();
            record.pictures.push((end, svg));
        }
    }
    for (engine, name) in results.engines.iter().enumerate() {
        if name.split(':').next() == Some("formwork") {
            slowest::section(&mut record, name, &results.fates[0][engine], &cases, &tokenizer);
        }
    }
    if let Some(path) = &options.files {
        std::fs::write(path, slowest::files(&results, &cases))?;
    }
    record.finish()
}

/// What became of a job, and which it was.
struct Done {
    pass: usize,
    engine: usize,
    case: usize,
    fate: Fate,
}

/// All passes over all cases. With several jobs, each has its own workers and every so many cases.
///
/// # Errors
/// A worker does not start.
pub fn measure(options: &Options, tokenizer: &Tokenizer, cases: &[Case]) -> Result<(Vec<Panel>, Results)> {
    let contestants = Contestant::all(&options.engines, &options.workers.peers)?;
    let (n_passes, n_engines) = (options.passes.len(), contestants.len());
    let bar = ProgressBar::new((cases.len() * n_engines * n_passes) as u64);
    bar.set_style(ProgressStyle::with_template("{bar:32} {pos}/{len} {elapsed}, {eta} left: {msg}")?);
    let lane = |first: usize| {
        let panel = Panel::new(contestants.clone(), tokenizer, &options.workers)?;
        walk(panel, options, cases, first, &bar)
    };
    let lanes: Vec<_> = std::thread::scope(|scope| {
        let lane = &lane;
        let threads: Vec<_> = (0..options.jobs).map(|first| scope.spawn(move || lane(first))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| Err(anyhow!("a thread panicked")))
        };
        threads.into_iter().map(join).collect::<Result<_>>()
    })?;
    bar.finish_and_clear();
    let mut fates = vec![vec![vec![Fate::Lost(Lost::Crash); cases.len()]; n_engines]; n_passes];
    let mut panels = Vec::new();
    for (panel, all_done) in lanes {
        panels.push(panel);
        for Done { pass, engine, case, fate } in all_done {
            fates[pass][engine][case] = fate;
        }
    }
    let engines = contestants.into_iter().map(|contestant| contestant.name).collect();
    Ok((panels, Results { passes: options.passes.clone(), engines, fates }))
}

/// The passes over every so many cases, from `first` on.
fn walk(
    mut panel: Panel,
    options: &Options,
    cases: &[Case],
    first: usize,
    bar: &ProgressBar,
) -> Result<(Panel, Vec<Done>)> {
    let n_engines = panel.seats.len();
    let mut all_done = Vec::new();
    // What an engine was lost on once, it is not asked again.
    let mut lost = vec![vec![None; cases.len()]; n_engines];
    let chosen: Vec<usize> = (first..cases.len()).step_by(options.jobs).collect();
    for (pass_idx, pass) in options.passes.iter().enumerate() {
        for (turn, block) in chosen.chunks(options.turn).enumerate() {
            // Another engine goes first each time.
            for engine in (0..n_engines).map(|seat| (turn + seat) % n_engines) {
                for &i in block {
                    let case = &cases[i];
                    bar.set_message(format!("{} {} {}", pass.name(), options.engines[engine], case.name));
                    let fate = match lost[engine][i] {
                        Some(how) => Fate::Lost(how),
                        None => {
                            let source = Source::Schema(case.schema.clone());
                            let documents = case.documents.clone();
                            panel.ask(engine, &Job { source, documents, pollute_mb: pass.pollute_mb() })?
                        }
                    };
                    if let Fate::Lost(how) = fate {
                        lost[engine][i] = Some(how);
                    }
                    all_done.push(Done { pass: pass_idx, engine, case: i, fate });
                    bar.inc(1);
                }
            }
        }
    }
    Ok((panel, all_done))
}

impl Results {
    /// Whether an engine was measured on a case in every pass.
    pub fn measured(&self, engine: usize, case: usize) -> bool {
        self.fates.iter().all(|pass| matches!(pass[engine][case], Fate::Measured(_)))
    }

    /// Which cases every engine was measured on.
    pub fn everywhere(&self) -> Vec<bool> {
        let n_cases = self.fates.first().and_then(|engines| engines.first()).map_or(0, Vec::len);
        let all = |case| (0..self.engines.len()).all(|engine| self.measured(engine, case));
        (0..n_cases).map(all).collect()
    }

    /// A metric of an engine in a pass, summed up over some of the cases.
    pub fn summary(
        &self,
        metric: &str,
        pass: usize,
        engine: usize,
        chosen: &dyn Fn(usize, usize) -> bool,
    ) -> Summary {
        let mut ns = Vec::new();
        self.of(pass, engine, chosen).for_each(|measured| samples(metric, measured, &mut ns));
        Summary::of(&mut ns)
    }

    /// What was measured of an engine in a pass, over some of the cases.
    pub fn of(
        &self,
        pass: usize,
        engine: usize,
        chosen: &dyn Fn(usize, usize) -> bool,
    ) -> impl Iterator<Item = &Measured> {
        self.fates[pass][engine].iter().enumerate().filter_map(move |(case, fate)| match fate {
            Fate::Measured(measured) if chosen(engine, case) => Some(measured),
            _ => None,
        })
    }
}

fn about(record: &mut Record, options: &Options, cases: &[Case]) {
    let n_documents: usize = cases.iter().map(|case| case.documents.len()).sum();
    let n_tokens: usize = cases.iter().flat_map(|case| &case.documents).map(Vec::len).sum();
    record.line(&format!(
        "- {} files with {} instances of {} tokens, spelled as `json.dumps(data, ensure_ascii=False)` and split by the tokenizer itself; {} s of CPU time a file; {} jobs; {} files a turn.",
        cases.len(),
        table::grouped(n_documents as u64),
        table::grouped(n_tokens as u64),
        options.workers.seconds(),
        options.jobs,
        options.turn,
    ));
    record.line(
        "- *TTFM*: text to first mask. *TBM*: filling the mask and accepting the token. A session is new for every \
         instance; a walk ends at the first token that the mask forbids, or with the mask that has to allow the end.",
    );
    record.line(
        "- Passes: *cold* from fresh processes (warmed up with something that is not shared); *warm* once more with \
         the same compiler, grammars compiled anew; *polluted* as warm, with 6 MB of other data read before every interval.",
    );
}

/// Who compiles what, and who is wrong.
fn verdicts(record: &mut Record, results: &Results, cases: &[Case], panels: &[Panel]) {
    let head = [
        "engine",
        "files",
        "compiled",
        "refused",
        "timeout",
        "memory",
        "crash",
        "valid refused",
        "(files)",
        "invalid accepted",
        "(files)",
        "failed",
        "peak MiB",
        "restarts",
    ];
    let mut rows = Vec::new();
    for (engine, name) in results.engines.iter().enumerate() {
        let fates = &results.fates[0][engine];
        let count = |test: &dyn Fn(&Fate) -> bool| fates.iter().filter(|fate| test(fate)).count();
        let lost = |how: Lost| count(&|fate| matches!(fate, Fate::Lost(lost) if *lost == how));
        let mut wrong = [0; 2];
        let mut wrong_files = [0; 2];
        let mut failed = 0;
        for (fate, case) in fates.iter().zip(cases) {
            let Fate::Measured(measured) = fate else { continue };
            let mut here = [0; 2];
            for (walk, &valid) in measured.walks.iter().zip(&case.valid) {
                match &walk.verdict {
                    Verdict::Refused if valid => here[0] += 1,
                    Verdict::Accepted if !valid => here[1] += 1,
                    Verdict::Failed(_) => failed += 1,
                    _ => {}
                }
            }
            for kind in 0..2 {
                wrong[kind] += here[kind];
                wrong_files[kind] += usize::from(here[kind] > 0);
            }
        }
        let peak: u64 = panels.iter().map(|panel| panel.seats[engine].peak_kib).max().unwrap_or(0);
        let restarts: usize = panels.iter().map(|panel| panel.seats[engine].restarts).sum();
        let numbers = [
            fates.len(),
            count(&|fate| matches!(fate, Fate::Measured(_))),
            count(&|fate| matches!(fate, Fate::Refused(_))),
            lost(Lost::Time),
            lost(Lost::Memory),
            lost(Lost::Crash),
            wrong[0],
            wrong_files[0],
            wrong[1],
            wrong_files[1],
            failed,
            peak as usize / 1024,
            restarts,
        ];
        rows.push([name.clone()].into_iter().chain(numbers.map(|n| n.to_string())).collect());
    }
    record.line("\n## Files\n");
    record.line(&table::markdown(&head, &rows));
    record.line(
        "Peak is the highest resident memory above what it was before the first file, over all passes: everything that \
         grammars, sessions and caches took, the tokenizer itself not.",
    );
}

/// What is timed.
const METRICS: [(&str, &str); 4] = [
    ("TTFM", "Text to first mask"),
    ("TBM", "A token: mask and accept"),
    ("mask", "The mask alone"),
    ("accept", "Accepting alone"),
];

/// Adds the nanoseconds of a metric: `TTFM`, `TBM`, `mask` or `accept`.
pub fn samples(metric: &str, measured: &Measured, out: &mut Vec<u64>) {
    match metric {
        "TTFM" => out.push(measured.ttfm()),
        "TBM" => out.extend(measured.walks.iter().flat_map(|walk| walk.steps())),
        "mask" => out.extend(measured.walks.iter().flat_map(|walk| &walk.mask).copied().map(u64::from)),
        _ => out.extend(measured.walks.iter().flat_map(|walk| &walk.accept).copied().map(u64::from)),
    }
}

/// All tables over some of the cases.
fn section(
    record: &mut Record,
    title: &str,
    scope: &str,
    results: &Results,
    chosen: &dyn Fn(usize, usize) -> bool,
) {
    record.line(&format!("\n## {title}"));
    if !record.csv.contains("scope,") {
        let columns = Summary::COLUMNS.map(|name| format!("{name}_us")).join(",");
        record.csv.push_str(&format!("scope,metric,engine,pass,n,{columns}\n"));
    }
    for (metric, about) in METRICS {
        let mut rows = Vec::new();
        for (engine, name) in results.engines.iter().enumerate() {
            for (pass_idx, pass) in results.passes.iter().enumerate() {
                let summary = results.summary(metric, pass_idx, engine, chosen);
                let columns = summary.columns().map(|us| format!("{us:.3}")).join(",");
                let n = summary.n;
                record.csv.push_str(&format!("{scope},{metric},{name},{},{n},{columns}\n", pass.name()));
                rows.push((vec![name.clone(), pass.name().to_owned()], summary));
            }
        }
        record.line(&format!("\n### {about} ({metric}), µs\n"));
        record.line(&table::times(&["engine", "pass"], &rows));
        let Some((_, base)) = rows.first().cloned() else { continue };
        let others: Vec<_> = rows
            .into_iter()
            .filter(|(labels, summary)| {
                labels[1] == "cold" && labels[0] != results.engines[0] && summary.n > 0
            })
            .map(|(labels, summary)| (labels[..1].to_vec(), summary))
            .collect();
        if !others.is_empty() {
            let head = format!("cold, times as long as {}", results.engines[0]);
            record.line(&table::ratios(&[&head], &base, &others));
        }
    }
}

/// The percentiles of a metric as curves: each engine's first pass, and the other passes of the first engine.
fn percentiles(metric: &str, results: &Results, chosen: &dyn Fn(usize, usize) -> bool) -> Chart {
    let mut lines = Vec::new();
    for (pass_idx, pass) in results.passes.iter().enumerate() {
        for (engine, name) in results.engines.iter().enumerate() {
            if pass_idx > 0 && engine > 0 {
                continue;
            }
            let mut ns = Vec::new();
            results.of(pass_idx, engine, chosen).for_each(|measured| samples(metric, measured, &mut ns));
            ns.sort_unstable();
            let name = format!("{name}, {}", pass.name());
            lines.push(Line { name, points: curve(&ns), colour: lines.len(), dashed: pass_idx > 0 });
        }
    }
    let about = METRICS.iter().find(|(name, _)| *name == metric).map_or("", |(_, about)| about);
    Chart {
        title: format!("{about}, over the files that all engines compile"),
        x_label: "share of samples up to this".to_owned(),
        y_label: "µs".to_owned(),
        x: Axis::Percentile,
        lines,
    }
}

/// Some hundred points of a distribution, evenly spread over an axis of percentiles, as far as there are samples.
fn curve(sorted: &[u64]) -> Vec<(f64, f64)> {
    let shares = (0..=200).map(|i| 1.0 - 10f64.powf(-f64::from(i) / 40.0));
    let shares = shares.filter(|share| (1.0 - share) * sorted.len() as f64 >= 1.0);
    // The logarithm of nothing is nowhere: a nanosecond is as good.
    shares.map(|share| (share, percentile(sorted, share).max(0.001))).collect()
}
