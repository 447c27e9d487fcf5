//! `estimates`: what local masks cost, and what they were expected to.
//!
//! Compiling computes local masks within a budget, and threads compute the rest, the dearest first, by what each is
//! expected to cost. An expectation that only orders well is good enough for threads; the budget needs its size, too. So
//! both are reported: the rank correlation (Spearman's: 1 is the same order, 0 is any) and what the masks cost by tenths of
//! what was expected.

use super::corpus::Files;
use super::record::{Output, Record};
use super::table;
use crate::clock;
use crate::statistics::{percentile, spearman};
use anyhow::Result;
use clap::Args;
use formwork::{Compiler, json_schema};

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    files: Files,
    /// Only so many files, the same ones in every run
    #[arg(long, default_value_t = 300)]
    sample: usize,
    /// At most so many local masks of a file, those expected to be the dearest
    #[arg(long, default_value_t = 20_000)]
    masks: usize,
    #[command(flatten)]
    output: Output,
}

/// One local mask.
struct Sample {
    expected: u64,
    cost: u64,
    /// Whether compiling would compute it.
    is_wide: bool,
}

/// Measures and reports.
///
/// # Errors
/// Something cannot be read or written.
pub fn run(options: &Options) -> Result<()> {
    let (tokenizer, cases) = options.files.load(Some(options.sample), None)?;
    let heading = "What local masks cost, and what they were expected to";
    let mut record = Record::new("estimates", heading, &tokenizer.name, &options.output);
    let compiler = Compiler::builder(tokenizer.vocabulary.clone()).precompute(0).build();
    let mut samples: Vec<Sample> = Vec::new();
    let mut of_files: Vec<f64> = Vec::new();
    let mut n_compiled = 0;
    for case in &cases {
        let Some(compiled) =
            json_schema::grammar(&case.schema).ok().and_then(|grammar| compiler.compile(&grammar).ok())
        else {
            continue;
        };
        n_compiled += 1;
        let first = samples.len();
        let mut pending = compiled.pending();
        for _ in 0..options.masks {
            let Some((expected, is_wide)) = pending.estimate() else { break };
            let before = compiler.pool().stats().misses;
            let (_, cost) = clock::time(|| pending.compute_next());
            // What the pool had already cost nothing.
            if compiler.pool().stats().misses > before {
                samples.push(Sample { expected, cost, is_wide });
            }
        }
        let own = &samples[first..];
        if own.len() >= MIN_STATES {
            of_files.extend(rank_correlation(own.iter()));
        }
    }
    of_files.sort_by(f64::total_cmp);
    record.line(&format!(
        "- {n_compiled} of {} files of MaskBench that compile, all local masks of each (up to {}, the dearest expected) in the \
         order in which they are expected to cost less, one pool for all; {} masks that the pool did not have; tokenizer {}.",
        cases.len(),
        options.masks,
        samples.len(),
        tokenizer.name,
    ));
    let median = of_files.get(of_files.len() / 2).copied().unwrap_or_default();
    record.line(&format!("- Files with at least {MIN_STATES} masks: {}.\n", of_files.len()));
    let wide: Vec<&Sample> = samples.iter().filter(|sample| sample.is_wide).collect();
    let narrow: Vec<&Sample> = samples.iter().filter(|sample| !sample.is_wide).collect();
    let groups: [(&str, Vec<&Sample>); 3] = [
        ("all", samples.iter().collect()),
        ("those that compiling computes within its budget", wide),
        ("the others", narrow),
    ];
    let head = ["masks", "n", "rank correlation", "expected, ms", "cost, ms"];
    record.csv.push_str("masks,n,rank_correlation,expected_ms,cost_ms\n");
    let mut rows = Vec::new();
    for (name, group) in groups {
        let rho = rank_correlation(group.iter().copied()).unwrap_or_default();
        let expected = group.iter().map(|sample| sample.expected).sum::<u64>() as f64 / 1e6;
        let cost = group.iter().map(|sample| sample.cost).sum::<u64>() as f64 / 1e6;
        record.csv.push_str(&format!("{name},{},{rho:.3},{expected:.3},{cost:.3}\n", group.len()));
        rows.push(vec![
            name.to_owned(),
            group.len().to_string(),
            format!("{rho:.2}"),
            table::number(expected),
            table::number(cost),
        ]);
    }
    rows.push(vec![
        "of one file, the median file".to_owned(),
        "-".to_owned(),
        format!("{median:.2}"),
        "-".to_owned(),
        "-".to_owned(),
    ]);
    record.line(&table::markdown(&head, &rows));
    samples.sort_by_key(|sample| sample.expected);
    let head = ["tenth", "expected, µs, from", "to", "cost, µs, p50", "p90", "max", "avg"];
    record
        .csv
        .push_str("tenth,expected_from_us,expected_to_us,cost_p50_us,cost_p90_us,cost_max_us,cost_avg_us\n");
    let rows: Vec<Vec<String>> = samples
        .chunks(samples.len().div_ceil(10).max(1))
        .enumerate()
        .map(|(tenth, chunk)| {
            let mut costs: Vec<u64> = chunk.iter().map(|sample| sample.cost).collect();
            costs.sort_unstable();
            let micros = |ns: u64| ns as f64 / 1e3;
            let avg = micros(costs.iter().sum::<u64>()) / costs.len() as f64;
            let (from, to) = (chunk[0].expected, chunk[chunk.len() - 1].expected);
            let [p50, p90, max] = [0.5, 0.9, 1.0].map(|share| percentile(&costs, share));
            let numbers = [micros(from), micros(to), p50, p90, max, avg];
            let csv = numbers.map(|us| format!("{us:.3}")).join(",");
            record.csv.push_str(&format!("{},{csv}\n", tenth + 1));
            [(tenth + 1).to_string()].into_iter().chain(numbers.map(table::number)).collect()
        })
        .collect();
    record.line(&table::markdown(&head, &rows));
    record.finish()
}

/// Fewer masks have no order to speak of.
const MIN_STATES: usize = 20;

fn rank_correlation<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    let pairs: Vec<(u64, u64)> = samples.map(|sample| (sample.expected, sample.cost)).collect();
    spearman(&pairs)
}
