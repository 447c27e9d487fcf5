//! `ablation`: Formwork's optimisations, added one by one, and each left out alone.
//!
//! The shape is that of the ablation in the paper on XGrammar 2: JIT compilation, cross-grammar caching and repetition
//! compression are added to an engine that computes all masks when it compiles.
//!
//! Some files are hopeless without counters or slices, in each of the rows that lack them: they get two seconds of CPU time
//! instead of twenty, and are named where a row lost them.

use super::maskbench::{self, Pass};
use super::panel::Workers;
use super::plot::{Axis, Chart, Line};
use super::record::{Output, Record};
use super::variants::SWITCHES;
use super::{corpus::Files, panel::Fate, table};
use anyhow::Result;
use clap::Args;

/// Seconds of CPU time for a file in a row, unless it is said.
const SECONDS: u64 = 2;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    files: Files,
    /// Only so many files, the same ones in every run
    #[arg(long, default_value_t = 150)]
    sample: usize,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    workers: Workers,
}

/// Measures and reports.
///
/// # Errors
/// Something cannot be read, started or written.
pub fn run(options: &Options) -> Result<()> {
    let (tokenizer, cases) = options.files.load(Some(options.sample), None)?;
    let workers = Workers { timeout: options.workers.timeout.or(Some(SECONDS)), ..options.workers.clone() };
    let rungs = (0..=SWITCHES.len()).map(|n| (format!("formwork:first-{n}"), rung(n)));
    // Without the first alone is what the rungs cannot show, and without the last is the last rung but one.
    let left_out =
        SWITCHES.iter().map(|switch| (format!("formwork:no-{}", switch.name), format!("− {}", switch.name)));
    let left_out = left_out.take(SWITCHES.len() - 1);
    let (engines, labels): (Vec<String>, Vec<String>) = rungs.chain(left_out).unzip();
    let asked = maskbench::Options {
        data: options.files.data.clone(),
        tokenizer: options.files.tokenizer.clone(),
        engines,
        sample: Some(options.sample),
        only: None,
        jobs: 1,
        turn: maskbench::TURN,
        passes: vec![Pass::Cold, Pass::Warm],
        files: None,
        output: options.output.clone(),
        workers: workers.clone(),
    };
    let heading = "What each optimisation is worth";
    let mut record = Record::new("ablation", heading, &tokenizer.name, &options.output);
    let (panels, results) = maskbench::measure(&asked, &tokenizer, &cases)?;
    let everywhere = results.everywhere();
    let n_everywhere = everywhere.iter().filter(|&&yes| yes).count();
    record.line(&format!(
        "- {} files of MaskBench, times over the {n_everywhere} that every row compiles; microseconds; tokenizer {}; {} s of CPU time a file.",
        cases.len(),
        tokenizer.name,
        workers.seconds(),
    ));
    record.line(
        "- Each row is a process of its own. Rows with `+` add one optimisation to the row above; rows with `−` have all \
         but one. *Cold* is the first pass over the files, *warm* the second with the same compiler.",
    );
    record.line(
        "- *Same masks*: files whose masks are, bit for bit and at every step, those of the full engine.\n",
    );
    let head = [
        "",
        "compiled",
        "lost",
        "TTFM avg",
        "p50",
        "p99",
        "TBM avg",
        "p50",
        "p99",
        "p99.9",
        "warm TTFM p50",
        "warm TBM avg",
        "p99",
        "peak MiB",
        "same masks",
    ];
    record.csv.push_str(
        "row,engine,compiled,lost,ttfm_avg_us,ttfm_p50_us,ttfm_p99_us,tbm_avg_us,tbm_p50_us,tbm_p99_us,tbm_p999_us,warm_ttfm_p50_us,warm_tbm_avg_us,warm_tbm_p99_us,peak_mib,same_masks\n",
    );
    const DRAWN: [(&str, usize); 4] = [("TTFM p50", 1), ("TBM avg", 3), ("TBM p99", 5), ("warm TBM avg", 8)];
    let mut lines = DRAWN.map(|_| Vec::<(f64, f64)>::new());
    let mut rows = Vec::new();
    for (engine, label) in labels.iter().enumerate() {
        let summary =
            |metric: &str, pass: usize| results.summary(metric, pass, engine, &|_, case| everywhere[case]);
        let (ttfm, tbm) = (summary("TTFM", 0), summary("TBM", 0));
        let (warm_ttfm, warm_tbm) = (summary("TTFM", 1), summary("TBM", 1));
        let fates = &results.fates[0][engine];
        let compiled = fates.iter().filter(|fate| matches!(fate, Fate::Measured(_))).count();
        let lost = fates.iter().filter(|fate| matches!(fate, Fate::Lost(_))).count();
        let peak: u64 = panels.iter().map(|panel| panel.seats[engine].peak_kib / 1024).max().unwrap_or(0);
        let same = same_masks(fates, &results.fates[0][SWITCHES.len()]);
        let times = [
            ttfm.mean,
            ttfm.p50,
            ttfm.p99,
            tbm.mean,
            tbm.p50,
            tbm.p99,
            tbm.p999,
            warm_ttfm.p50,
            warm_tbm.mean,
            warm_tbm.p99,
        ];
        // The rungs alone: what is left out below them stands in no order.
        if engine <= SWITCHES.len() {
            for (line, (_, column)) in lines.iter_mut().zip(DRAWN) {
                line.extend((times[column] > 0.0).then_some((engine as f64 + 1.0, times[column])));
            }
        }
        let csv = times.map(|us| format!("{us:.3}")).join(",");
        let name = &results.engines[engine];
        record.csv.push_str(&format!("\"{label}\",{name},{compiled},{lost},{csv},{peak},\"{same}\"\n"));
        let start = [label.clone(), compiled.to_string(), lost.to_string()];
        let end = [peak.to_string(), same];
        rows.push(start.into_iter().chain(times.map(table::number)).chain(end).collect());
    }
    record.line(&table::markdown(&head, &rows));
    for (label, fates) in labels.iter().zip(&results.fates[0]) {
        let lost = fates.iter().zip(&cases).filter_map(|(fate, case)| match fate {
            Fate::Lost(how) => Some(format!("{} ({how:?})", case.name)),
            _ => None,
        });
        let lost: Vec<String> = lost.collect();
        if !lost.is_empty() {
            record.line(&format!("- {label}, lost: {}", lost.join(", ")));
        }
    }
    record.line("");
    let drawn = DRAWN.iter().zip(lines).enumerate();
    let lines = drawn.map(|(colour, (&(name, _), points))| {
        let name = name.to_owned();
        Line { name, points, colour, dashed: false }
    });
    let chart = Chart {
        title: "Optimisations added one by one".to_owned(),
        x_label: "row of the table: one more is on than in the row before".to_owned(),
        y_label: "µs".to_owned(),
        x: Axis::Rows,
        lines: lines.collect(),
    };
    record.pictures.push(("rungs", chart.svg()));
    for switch in SWITCHES {
        record.line(&format!("- `{}`: {}", switch.name, switch.about));
    }
    record.finish()
}

fn rung(n: usize) -> String {
    match n.checked_sub(1) {
        None => "all off; every mask that compile can compute".to_owned(),
        Some(last) => format!("+ {}", SWITCHES[last].name),
    }
}

/// How many files have the same masks as with everything on, of how many that both compile.
fn same_masks(fates: &[Fate], full: &[Fate]) -> String {
    let pairs = fates.iter().zip(full).filter_map(|pair| match pair {
        (Fate::Measured(one), Fate::Measured(full)) => Some(one.checksum == full.checksum),
        _ => None,
    });
    let same: Vec<bool> = pairs.collect();
    format!("{} of {}", same.iter().filter(|&&same| same).count(), same.len())
}
