//! The `formwork` command line as a library: what `main` calls, and the sampler, which tests use as well.
//!
//! # Who should use something else
//! Everybody but the binary and this workspace's tests: use the `formwork` crate. Nothing here is a stable interface.
//!
//! # Concepts
//! - A [`Source`] is the text of a grammar and how to read it; reading fails with a [`Problem`].
//! - `check` follows a document byte by byte and explains where it goes wrong; `check --jsonl` does it for programs.
//! - `mask` says what may come after a text; `dump`, `convert`, `vocab` and `tags` show grammars and tokenizers from inside.
//! - `generate` plays the model: a [`Sampler`] writes plausible text and spells it with tokens that the masks allow.
//!
//! Exit status: 0 fine; 1 a document was rejected or not finished; 2 the grammar, the options or a file is bad.
//!
//! ```
//! use formwork_cli::{Sampler, Source};
//! let source = Source::Regex("(red|green) [0-9]{3}".to_owned());
//! let vocabulary = formwork::Vocabulary::bytes();
//! let compiled = formwork::Compiler::new(vocabulary).compile(&source.load()?.grammar)?;
//! let document = Sampler::new(&compiled, source.hints()).document(7)?;
//! assert!(document.is_finished());
//! assert!(document.text().starts_with(b"red ") || document.text().starts_with(b"green "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod args;
mod source;

mod blame;
mod check;
mod colour;
mod explain;
mod jsonl;
mod verdict;

mod convert;
mod dot;
mod dump;
mod mask;
mod pool;
mod tags;
mod tokenizer;
mod vocab;

mod generate;
mod hints;
mod rng;
mod sampler;

mod deadline;
mod problem;

pub use hints::Hints;
pub use problem::Problem;
pub use sampler::{Document, SampleError, Sampler};
pub use source::{Loaded, Source};

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let command = match args::Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(message) => {
            // Help and version come this way as well, for which the status is 0.
            let _ = message.print();
            return ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2));
        }
    };
    // The answers to a program must be whole when the program reads them; nothing is gained by buffering across lines.
    let mut out = std::io::stdout().lock();
    let outcome = match &command {
        args::Command::Check(args) => check::run(args, &mut out),
        args::Command::Generate(args) => generate::run(args, &mut out),
        args::Command::Mask(args) => mask::run(args, &mut out),
        args::Command::Dump(args) => dump::run(args, &mut out),
        args::Command::Convert(args) => convert::run(args, &mut out),
        args::Command::Vocab(args) => vocab::run(args, &mut out),
        args::Command::Tags(args) => tags::run(args, &mut out),
    };
    let as_json = match &command {
        args::Command::Check(args) => args.output.is_json(),
        args::Command::Generate(args) => args.output.is_json(),
        args::Command::Mask(args) => args.output.is_json(),
        args::Command::Dump(_)
        | args::Command::Convert(_)
        | args::Command::Vocab(_)
        | args::Command::Tags(_) => false,
    };
    let error_label = colour::Palette::of_stderr().paint(colour::Tone::Wrong, "error");
    let status = outcome.unwrap_or_else(|failure| match failure {
        Failure::Problem(problem) if as_json => {
            let _ = writeln!(out, "{}", serde_json::json!({ "compile_error": problem.to_json() }));
            Status::Bad
        }
        Failure::Problem(problem) => {
            let _ = writeln!(std::io::stderr(), "{error_label}: {problem}");
            Status::Bad
        }
        // Whoever read our output has gone, as `head` does: nobody is left to be told.
        Failure::Io(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Status::Fine,
        Failure::Io(error) => {
            let _ = writeln!(std::io::stderr(), "{error_label}: cannot write the output: {error}");
            Status::Bad
        }
    });
    let _ = out.flush();
    status.into()
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Accepted, or done.
    Fine,
    /// Rejected, or not finished.
    Rejected,
    /// The grammar, the options or a file is bad.
    Bad,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Fine => 0,
            Status::Rejected => 1,
            Status::Bad => 2,
        })
    }
}

/// Why a command could not be carried out.
#[derive(Debug)]
pub(crate) enum Failure {
    Problem(Problem),
    Io(std::io::Error),
}

impl<E: Into<Problem>> From<E> for Failure {
    fn from(problem: E) -> Self {
        Self::Problem(problem.into())
    }
}

/// The result of writing output, which fails in its own way.
pub(crate) fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    result.map_err(Failure::Io)
}
