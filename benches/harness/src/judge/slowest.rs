//! Where Formwork's time goes: the parts of the time to the first mask, the slowest files and the slowest masks.

use super::corpus::Case;
use super::maskbench::Results;
use super::panel::Fate;
use super::record::Record;
use super::table;
use super::tokenizer::Tokenizer;
use crate::protocol::{Measured, Verdict};
use crate::statistics::Summary;
use std::cmp::Reverse;

/// So many of each are shown.
const N_SHOWN: usize = 10;

/// The parts of the time to the first mask, in the order in which they come.
const PARTS: [&str; 3] = ["frontend", "compile", "first mask"];

/// The slowest of many, each with where it was.
#[derive(Debug, Default)]
pub struct Slowest<T> {
    n: usize,
    /// Those, and some others.
    some: Vec<(u64, T)>,
}

/// Enough to choose from, and not millions.
const SOME: usize = 100_000;

impl<T> Slowest<T> {
    /// Keeps so many.
    pub fn new(n: usize) -> Self {
        Self { n, some: Vec::new() }
    }

    /// Notes one of so many nanoseconds.
    pub fn note(&mut self, ns: u64, at: T) {
        if self.some.len() >= SOME.max(self.n.saturating_mul(2)) {
            self.cut();
        }
        self.some.push((ns, at));
    }

    /// The slowest, the very slowest first.
    pub fn sorted(&mut self) -> &[(u64, T)] {
        self.cut();
        &self.some
    }

    fn cut(&mut self) {
        self.some.sort_unstable_by_key(|&(ns, _)| Reverse(ns));
        self.some.truncate(self.n);
    }
}

/// What a tuner looks at, of one engine.
pub fn section(record: &mut Record, engine: &str, fates: &[Fate], cases: &[Case], tokenizer: &Tokenizer) {
    let measured: Vec<(usize, &Measured)> = fates
        .iter()
        .enumerate()
        .filter_map(|(case, fate)| match fate {
            Fate::Measured(measured) => Some((case, measured)),
            _ => None,
        })
        .collect();
    record.line(&format!("\n## Where the time of `{engine}` goes (cold)\n"));
    let mut rows = Vec::new();
    for name in PARTS {
        rows.push((vec![name.to_owned()], summary(&measured, |one| part(one, name))));
    }
    record.line(&table::times(&["text to first mask, µs"], &rows));
    let total = |name: &str| measured.iter().map(|(_, one)| figure(one, name)).sum::<u64>();
    let per_file = |name: &str| table::grouped(total(name) / measured.len().max(1) as u64);
    record.line(&format!(
        "Per grammar, on average: {} states that may need a local mask; {} local masks there after the first mask and {} after \
         the walks, of {} bytes each with all that is shared; {} bytes a grammar.\n",
        per_file("local masks"),
        per_file("local masks at first"),
        per_file("local masks done"),
        total("bytes of local masks") / total("local masks done").max(1),
        per_file("bytes"),
    ));
    slow_files(record, &measured, cases);
    slow_masks(record, &measured, cases, tokenizer);
}

fn summary(measured: &[(usize, &Measured)], value: impl Fn(&Measured) -> u64) -> Summary {
    Summary::of(&mut measured.iter().map(|(_, one)| value(one)).collect::<Vec<_>>())
}

fn slow_files(record: &mut Record, measured: &[(usize, &Measured)], cases: &[Case]) {
    let mut slow = measured.to_vec();
    slow.sort_by_key(|(_, one)| Reverse(one.ttfm()));
    let head = ["slowest to the first mask", "µs", "frontend", "compile", "first mask", "KB of schema"];
    let rows: Vec<Vec<String>> = slow
        .iter()
        .take(N_SHOWN)
        .map(|(case, one)| {
            let us = |ns: u64| table::number(ns as f64 / 1_000.0);
            vec![
                cases[*case].name.clone(),
                us(one.ttfm()),
                us(part(one, "frontend")),
                us(part(one, "compile")),
                us(part(one, "first mask")),
                format!("{:.1}", cases[*case].schema.len() as f64 / 1_000.0),
            ]
        })
        .collect();
    record.line(&table::markdown(&head, &rows));
}

fn slow_masks(record: &mut Record, measured: &[(usize, &Measured)], cases: &[Case], tokenizer: &Tokenizer) {
    let mut slow = Slowest::new(N_SHOWN);
    for (case, one) in measured {
        for (document, walk) in one.walks.iter().enumerate() {
            for (step, ns) in walk.steps().enumerate() {
                slow.note(ns, (*case, document, step, walk.mask[step]));
            }
        }
    }
    let head = ["slowest tokens", "instance", "step", "mask µs", "accept µs", "before it", "token"];
    let rows: Vec<Vec<String>> = slow
        .sorted()
        .iter()
        .map(|&(ns, (case, document, step, mask))| {
            let tokens = &cases[case].documents[document];
            let token = tokens.get(step).map(|&token| tokenizer.tail(&[token], 24));
            vec![
                cases[case].name.clone(),
                document.to_string(),
                step.to_string(),
                table::number(f64::from(mask) / 1_000.0),
                table::number((ns - u64::from(mask)) as f64 / 1_000.0),
                code(&tokenizer.tail(&tokens[..step.min(tokens.len())], 32)),
                token.map_or_else(|| "the end".to_owned(), |token| code(&token)),
            ]
        })
        .collect();
    record.line(&table::markdown(&head, &rows));
}

/// Text as code in a table.
pub fn code(text: &str) -> String {
    let shown = |c: char| match c {
        '"' | '\'' => c.to_string(),
        '`' => "'".to_owned(),
        c => c.escape_debug().to_string(),
    };
    format!("`{}`", text.chars().map(shown).collect::<String>())
}

fn part(measured: &Measured, name: &str) -> u64 {
    measured.to_first_mask.iter().filter(|(part, _)| part == name).map(|(_, ns)| ns).sum()
}

/// What the engine told of itself.
pub fn figure(measured: &Measured, name: &str) -> u64 {
    measured.figures.iter().find(|(figure, _)| figure == name).map_or(0, |&(_, value)| value)
}

/// A line per pass, engine and file.
pub fn files(results: &Results, cases: &[Case]) -> String {
    let mut out = String::from(
        "pass,engine,file,schema_bytes,fate,ttfm_ns,frontend_ns,compile_ns,first_mask_ns,tokens,tbm_ns,max_ns,wrong,checksum\n",
    );
    for (pass, engines) in results.passes.iter().zip(&results.fates) {
        for (engine, fates) in results.engines.iter().zip(engines) {
            for (fate, case) in fates.iter().zip(cases) {
                let start = format!("{},{engine},{},{}", pass.name(), case.name, case.schema.len());
                let line = match fate {
                    Fate::Refused(_) => format!("{start},refused,,,,,,,,,\n"),
                    Fate::Lost(lost) => format!("{start},{lost:?},,,,,,,,,\n").to_lowercase(),
                    Fate::Measured(one) => {
                        let steps: Vec<u64> = one.walks.iter().flat_map(|walk| walk.steps()).collect();
                        let accepted = one.walks.iter().map(|walk| walk.verdict == Verdict::Accepted);
                        let wrong =
                            accepted.zip(&case.valid).filter(|&(accepted, &valid)| accepted != valid).count();
                        let parts = PARTS.map(|name| part(one, name).to_string()).join(",");
                        format!(
                            "{start},measured,{},{parts},{},{},{},{wrong},{:016x}\n",
                            one.ttfm(),
                            steps.len(),
                            steps.iter().sum::<u64>(),
                            steps.iter().max().copied().unwrap_or(0),
                            one.checksum,
                        )
                    }
                };
                out.push_str(&line);
            }
        }
    }
    out
}
