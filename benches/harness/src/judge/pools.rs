//! `pools`: what a pool out of a file is worth.
//!
//! Three ways to begin with the same files: with an empty pool for each, as a process that compiles one schema and ends;
//! with a pool that has seen them all; and with the same pool written as bytes and read again, as the next process would.

use super::corpus::{Case, Files};
use super::record::{Output, Record};
use super::table;
use crate::clock;
use crate::statistics::Summary;
use anyhow::{Result, ensure};
use clap::Args;
use formwork::{Compiler, Matcher, Pool, json_schema};
use std::hash::{DefaultHasher, Hasher};

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    files: Files,
    /// Only so many files, the same ones in every run
    #[arg(long, default_value_t = 100)]
    sample: usize,
    /// What pools may hold, in MiB
    #[arg(long, default_value_t = 256)]
    mib: usize,
    #[command(flatten)]
    output: Output,
}

/// What one way to begin cost.
#[derive(Default)]
struct Costs {
    first: Vec<u64>,
    steps: Vec<u64>,
    misses: u64,
    /// Of all masks.
    checksum: u64,
}

/// Measures and reports.
///
/// # Errors
/// Something cannot be read or written, or masks are not the same.
pub fn run(options: &Options) -> Result<()> {
    let (tokenizer, cases) = options.files.load(Some(options.sample), None)?;
    let vocabulary = &tokenizer.vocabulary;
    let mut record = Record::new("pools", "A pool out of a file", &tokenizer.name, &options.output);
    let max_bytes = options.mib << 20;
    let mut empty = Costs::default();
    for case in &cases {
        empty.follow(&Pool::new(vocabulary.clone(), max_bytes), case);
    }
    let used = Pool::new(vocabulary.clone(), max_bytes);
    let mut filling = Costs::default();
    cases.iter().for_each(|case| filling.follow(&used, case));
    let mut again = Costs::default();
    cases.iter().for_each(|case| again.follow(&used, case));
    let (bytes, writing) = clock::time(|| used.to_bytes());
    let (read, reading) = clock::time(|| Pool::from_bytes(vocabulary.clone(), max_bytes, &bytes));
    let read = read?;
    let (_, making) = clock::time(|| Pool::new(vocabulary.clone(), max_bytes));
    let mut loaded = Costs::default();
    cases.iter().for_each(|case| loaded.follow(&read, case));
    record.line(&format!(
        "- {} files of MaskBench, valid and invalid instances, in one process; microseconds; tokenizer {}.",
        cases.len(),
        tokenizer.name,
    ));
    record.line(&format!(
        "- The file has {:.2} MB for {} local masks. Writing it took {:.1} ms, reading it {:.1} ms, of which {:.1} ms are what \
         an empty pool costs.\n",
        bytes.len() as f64 / 1e6,
        filling.misses,
        writing as f64 / 1e6,
        reading as f64 / 1e6,
        making as f64 / 1e6,
    ));
    let head = ["pool", "masks computed", "TTFM avg", "p50", "p99", "TBM avg", "p50", "p99", "p99.9", "max"];
    record.csv.push_str("pool,misses,ttfm_avg_us,ttfm_p50_us,ttfm_p99_us,tbm_avg_us,tbm_p50_us,tbm_p99_us,tbm_p999_us,tbm_max_us,bytes,writing_ms,reading_ms\n");
    let checksum = empty.checksum;
    let mut rows = Vec::new();
    let ways = [
        ("empty for each file", empty),
        ("one for all, first pass", filling),
        ("one for all, second pass", again),
        ("the same out of a file", loaded),
    ];
    for (name, mut costs) in ways {
        ensure!(costs.checksum == checksum, "{name}: the masks are not the same");
        let (first, steps) = (Summary::of(&mut costs.first), Summary::of(&mut costs.steps));
        let times =
            [first.mean, first.p50, first.p99, steps.mean, steps.p50, steps.p99, steps.p999, steps.max];
        let csv = times.map(|us| format!("{us:.3}")).join(",");
        record.csv.push_str(&format!(
            "{name},{},{csv},{},{:.3},{:.3}\n",
            costs.misses,
            bytes.len(),
            writing as f64 / 1e6,
            reading as f64 / 1e6
        ));
        let start = [name.to_owned(), costs.misses.to_string()];
        rows.push(start.into_iter().chain(times.map(table::number)).collect());
    }
    record.line(&table::markdown(&head, &rows));
    record.line("All masks are the same, bit for bit.");
    record.finish()
}

impl Costs {
    /// Compiles the schema and follows its instances.
    fn follow(&mut self, pool: &Pool, case: &Case) {
        let compiler = Compiler::builder(pool.vocabulary().clone()).pool(pool).build();
        let before = pool.stats().misses;
        let mut mask = vec![0; pool.vocabulary().mask_words()];
        let (compiled, ns) = clock::time(|| {
            let compiled = compiler.compile(&json_schema::grammar(&case.schema).ok()?).ok()?;
            Matcher::new(&compiled).fill_mask(&mut mask).ok()?;
            Some(compiled)
        });
        let Some(compiled) = compiled else { return };
        self.first.push(ns);
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.checksum);
        for document in &case.documents {
            let mut matcher = Matcher::new(&compiled);
            for &token in document {
                let (goes_on, ns) = clock::time(|| {
                    matcher.fill_mask(&mut mask).is_ok() && matcher.accept_token(token).is_ok()
                });
                mask.iter().for_each(|&word| hasher.write_u32(word));
                if !goes_on {
                    break;
                }
                self.steps.push(ns);
            }
        }
        self.checksum = hasher.finish();
        self.misses += pool.stats().misses - before;
    }
}
