//! `formwork generate`: documents written under the masks, and what that cost.
#![expect(clippy::disallowed_types, reason = "the program, not the libraries, looks at the clock")]

use crate::args::GenerateArgs;
use crate::deadline::Deadline;
use crate::pool;
use crate::problem::Problem;
use crate::sampler::{Document, Sampler};
use crate::tokenizer;
use crate::{Failure, SampleError, Status, written};
use formwork::MaskError;
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};

pub(crate) fn run(args: &GenerateArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let started = Instant::now();
    // Reading the grammar is cheap and goes wrong more often than reading the tokenizer.
    let source = args.grammar.source("")?;
    let loaded = source.load().map_err(|problem| args.grammar.locate(problem))?;
    let read = started.elapsed();
    let tokenizer = &args.tokenizer.name;
    let vocabulary = tokenizer::vocabulary(tokenizer, &args.tokenizer.stop)?;
    if vocabulary.stop_tokens().is_empty() {
        return Err(no_stop(tokenizer).into());
    }
    let compiler = pool::compiler(vocabulary, args.pool.file.as_deref())?.build();
    let deadline = Deadline::after(args.timeout);
    let started = Instant::now();
    let compiled = compiler
        .compile_with(&loaded.grammar, &|| deadline.is_over())
        .map_err(|error| args.grammar.locate(error.into()))?;
    let compile = read + started.elapsed();
    let sampler = Sampler::new(&compiled, source.hints()).max_tokens(args.max_tokens);
    let mut figures = Figures { compile, ..Figures::default() };
    for i in 0..args.count {
        let seed = args.seed.wrapping_add(i);
        let start = Instant::now();
        let document = sampler.document_with(seed, &mut || start.elapsed()).map_err(problem)?;
        figures.add(&document);
        if args.output.is_json() {
            let line = json!({
                "seed": seed,
                "text": String::from_utf8_lossy(document.text()),
                "finished": document.is_finished(),
                "tokens": document.tokens().len(),
            });
            written(writeln!(out, "{line}"))?;
        } else {
            written(out.write_all(document.text()))?;
            written(out.write_all(b"\n"))?;
        }
        written(out.flush())?;
    }
    pool::keep(compiler.pool(), args.pool.file.as_deref())?;
    written(figures.print(args))?;
    Ok(if figures.n_unfinished == 0 { Status::Fine } else { Status::Rejected })
}

fn problem(error: SampleError) -> Failure {
    let problem = match &error {
        SampleError::Mask(MaskError::Limit(limit)) => Problem::limit(limit.to_string()),
        _ => Problem::internal(error.to_string()),
    };
    problem.into()
}

fn no_stop(tokenizer: &str) -> Problem {
    Problem::usage(format!(
        "{tokenizer}: no stop token is known. A tokenizer.json does not name one; tokenizer_config.json or \
         generation_config.json beside it does, or say it with --stop, as in --stop '<|endoftext|>'"
    ))
}

/// What the documents cost, all together.
#[derive(Debug, Default)]
struct Figures {
    compile: Duration,
    n_documents: usize,
    n_unfinished: usize,
    n_tokens: usize,
    masks: Vec<Duration>,
}

impl Figures {
    fn add(&mut self, document: &Document) {
        self.n_documents += 1;
        self.n_unfinished += usize::from(!document.is_finished());
        self.n_tokens += document.tokens().len();
        self.masks.extend_from_slice(document.mask_times());
    }

    fn print(&mut self, args: &GenerateArgs) -> std::io::Result<()> {
        self.masks.sort_unstable();
        let (p50, p99) = (micros(percentile(&self.masks, 50)), micros(percentile(&self.masks, 99)));
        let compile = self.compile.as_secs_f64() * 1e3;
        let mut err = std::io::stderr().lock();
        if args.output.is_json() {
            let figures = json!({
                "documents": self.n_documents,
                "unfinished": self.n_unfinished,
                "tokens": self.n_tokens,
                "compile_ms": compile,
                "mask_p50_us": p50,
                "mask_p99_us": p99,
            });
            return writeln!(err, "{figures}");
        }
        writeln!(err, "tokens   {} ({})", self.n_tokens, args.tokenizer.name)?;
        writeln!(err, "compile  {compile:.1} ms")?;
        writeln!(err, "mask     p50 {p50:.1} µs, p99 {p99:.1} µs")?;
        if self.n_unfinished > 0 {
            let n = args.max_tokens;
            if self.n_documents == 1 {
                writeln!(err, "stopped by --max-tokens {n}: the document is not complete")?;
            } else {
                writeln!(
                    err,
                    "stopped by --max-tokens {n}: {} documents are not complete",
                    self.n_unfinished
                )?;
            }
        }
        Ok(())
    }
}

fn micros(time: Duration) -> f64 {
    // Three decimals are more than a clock can tell.
    (time.as_secs_f64() * 1e9).round() / 1e3
}

/// The value that so many percent of the sorted times do not exceed; zero if there are none.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let times: Vec<Duration> = (1..=200).map(Duration::from_micros).collect();
        assert_eq!(percentile(&times, 50), Duration::from_micros(100));
        assert_eq!(percentile(&times, 99), Duration::from_micros(198));
        assert_eq!(percentile(&times[..1], 50), Duration::from_micros(1));
        assert_eq!(percentile(&[], 99), Duration::ZERO);
    }
}
