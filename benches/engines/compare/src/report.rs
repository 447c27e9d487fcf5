//! The numbers as Markdown for people and CSV for programs.

use crate::measure::{Effort, Measured, Steps};
use crate::tokenizer::Tokenizer;
use crate::verify::Differences;
use crate::workload::{Document, Workload};
use formwork_bench::machine::Machine;
use formwork_bench::statistics::Summary;
use std::fmt::{self, Write};

/// The peers' versions, as the manifest pins them.
const VERSIONS: &str = concat!("Formwork ", env!("CARGO_PKG_VERSION"), ", llguidance 1.9.1");

/// Everything that was found out about one workload.
pub(crate) struct Section<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) documents: &'a [Document],
    pub(crate) differences: &'a Differences,
    pub(crate) measured: &'a [Measured],
}

/// The report, as it grows.
pub(crate) struct Report {
    pub(crate) markdown: String,
    pub(crate) csv: String,
    /// When it was measured.
    pub(crate) day: String,
}

impl Report {
    pub(crate) fn new(
        machine: &Machine,
        tokenizer: &Tokenizer,
        effort: Effort,
        overhead: u64,
    ) -> Result<Self, fmt::Error> {
        let mut markdown = String::new();
        let Machine { date, cpu, cores, load, commit } = machine;
        writeln!(markdown, "# Masks, side by side\n")?;
        writeln!(markdown, "- {date} UTC, commit {commit}; {VERSIONS}.")?;
        writeln!(markdown, "- {cpu}, {cores} cores, load {load} at the start; one thread.")?;
        writeln!(markdown, "- Tokenizer {}: {}.", tokenizer.name, tokenizer.vocabulary)?;
        writeln!(
            markdown,
            "- {} times compile and first pass (cold), then {} passes over the last (warm); a session per document; fewer for an engine that takes long.",
            effort.cold, effort.warm
        )?;
        writeln!(
            markdown,
            "- Microseconds; each interval is min(wall, thread CPU), and {overhead} ns of it are the clock's own."
        )?;
        let mut csv = String::from("# ");
        writeln!(csv, "{date} UTC; {commit}; {VERSIONS}; {cpu}; {cores} cores; {}", tokenizer.name)?;
        writeln!(csv, "workload,engine,phase,what,n,mean_us,p50_us,p90_us,p99_us,max_us")?;
        let day = date.split('T').next().unwrap_or_default().to_owned();
        Ok(Self { markdown, csv, day })
    }

    pub(crate) fn section(&mut self, section: &Section<'_>) -> fmt::Result {
        let Section { workload, documents, differences, measured } = section;
        let out = &mut self.markdown;
        writeln!(out, "\n## `{}`: {}\n", workload.name, workload.title)?;
        let tokens: Vec<String> =
            documents.iter().map(|document| format!("{} {}", document.name, document.tokens.len())).collect();
        writeln!(out, "Documents, in tokens: {}.", tokens.join(", "))?;
        differ(out, differences)?;
        writeln!(out, "\n| engine | compile p50 | to first mask p50 | max | session p50 |")?;
        writeln!(out, "|:--|--:|--:|--:|--:|")?;
        for Measured { engine, compile, first_mask, warm, .. } in *measured {
            let cells = [compile.p50, first_mask.p50, first_mask.max, warm.session.p50].map(us);
            writeln!(out, "| {engine} | {} |", cells.join(" | "))?;
        }
        writeln!(out, "\n| engine | pass | what | n | mean | p50 | p90 | p99 | max |")?;
        writeln!(out, "|:--|:--|:--|--:|--:|--:|--:|--:|--:|")?;
        for one in *measured {
            for (phase, what, summary) in rows(one) {
                if what == "session" {
                    continue;
                }
                let cells = values(summary).map(us);
                writeln!(
                    out,
                    "| {} | {phase} | {what} | {} | {} |",
                    one.engine,
                    summary.n,
                    cells.join(" | ")
                )?;
            }
        }
        ratios(out, measured)?;
        for one in *measured {
            let single = [("", "compile", &one.compile), ("", "first mask", &one.first_mask)];
            for (phase, what, summary) in single.into_iter().chain(rows(one)) {
                let cells = values(summary).map(|value| format!("{value:.3}"));
                let (name, engine, n) = (workload.name, one.engine, summary.n);
                writeln!(self.csv, "{name},{engine},{phase},{what},{n},{}", cells.join(","))?;
            }
        }
        Ok(())
    }
}

fn differ(out: &mut String, differences: &Differences) -> fmt::Result {
    let Differences { steps, differing, more, fewer, both, examples, unexplained, strange, .. } = differences;
    if *differing == 0 {
        return writeln!(out, "Masks: the same in all {steps} steps.");
    }
    writeln!(
        out,
        "Masks: {differing} of {steps} steps differ; Formwork allows more in {more}, less in {fewer}, other tokens in {both}."
    )?;
    for example in examples {
        writeln!(out, "- {example}")?;
    }
    if *unexplained == 0 {
        writeln!(
            out,
            "- Every one of these tokens spells U+007F, `\\/` or `\\u`, which llguidance's JSON strings refuse."
        )?;
    } else {
        writeln!(
            out,
            "- Not explained by U+007F, `\\/` and `\\u`: {unexplained} tokens, such as {}.",
            strange.join(" ")
        )?;
    }
    Ok(())
}

/// Formwork's times over llguidance's: below 1, Formwork is quicker.
fn ratios(out: &mut String, measured: &[Measured]) -> fmt::Result {
    let Some((peer, ours)) = measured.split_last() else { return Ok(()) };
    writeln!(
        out,
        "\n| over {} | to first mask | pass | mask p50 | p99 | max | accept p50 | p99 | max | both p50 | p99 | max |",
        peer.engine
    )?;
    writeln!(out, "|:--|--:|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    for one in ours {
        let first = ratio(one.first_mask.p50, peer.first_mask.p50);
        for (phase, own, other) in [("cold", &one.cold, &peer.cold), ("warm", &one.warm, &peer.warm)] {
            let pairs = [(&own.mask, &other.mask), (&own.accept, &other.accept), (&own.token, &other.token)];
            let cells: Vec<String> = pairs
                .iter()
                .flat_map(|(a, b)| [ratio(a.p50, b.p50), ratio(a.p99, b.p99), ratio(a.max, b.max)])
                .collect();
            writeln!(out, "| {} | {first} | {phase} | {} |", one.engine, cells.join(" | "))?;
        }
    }
    Ok(())
}

fn rows(measured: &Measured) -> impl Iterator<Item = (&'static str, &'static str, &Summary)> {
    [("cold", &measured.cold), ("warm", &measured.warm)].into_iter().flat_map(|(phase, steps)| {
        let Steps { session, mask, accept, token } = steps;
        [
            (phase, "session", session),
            (phase, "mask", mask),
            (phase, "accept", accept),
            (phase, "both", token),
        ]
    })
}

fn values(summary: &Summary) -> [f64; 5] {
    [summary.mean, summary.p50, summary.p90, summary.p99, summary.max]
}

/// Three digits are as many as mean anything.
fn us(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

fn ratio(ours: f64, theirs: f64) -> String {
    match ours / theirs {
        ratio if !ratio.is_finite() => "-".to_owned(),
        ratio if ratio < 0.01 => format!("{ratio:.4}"),
        ratio if ratio < 0.1 => format!("{ratio:.3}"),
        ratio => us(ratio),
    }
}
