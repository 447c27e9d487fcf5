//! The benchmarks' command line; `cargo xtask bench` builds it with what it needs and runs it.
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use formwork_bench::{judge, worker};

/// Formwork and its peers, measured.
#[derive(Parser)]
#[command(name = "cargo xtask bench", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Real schemas and instances: time to the first mask, time per token, verdicts, memory
    Maskbench(Box<judge::maskbench::Options>),
    /// Formwork's optimisations, added one by one
    Ablation(Box<judge::ablation::Options>),
    /// Times over the size of vocabularies, schemas, nesting, unions and bounds
    Scaling(Box<judge::scaling::Options>),
    /// Single figures: large bounds, recursion, ambiguity, a megabyte of text
    Targets(Box<judge::targets::Options>),
    /// Agents' turns, free text with calls in it, over the number of tools
    Tools(Box<judge::tools::Options>),
    /// What local masks cost, and what they were expected to
    Estimates(Box<judge::estimates::Options>),
    /// Formwork with an empty pool, a used one, and one out of a file
    Pools(Box<judge::pools::Options>),
    /// Formwork alone, in this process: which steps take the time, and what runs under a profiler
    Profile(Box<judge::profile::Options>),
    /// Formwork as an engine of the judge's, on standard input and output
    #[command(hide = true)]
    Worker,
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Maskbench(options) => judge::maskbench::run(&options),
        Command::Ablation(options) => judge::ablation::run(&options),
        Command::Scaling(options) => judge::scaling::run(&options),
        Command::Targets(options) => judge::targets::run(&options),
        Command::Tools(options) => judge::tools::run(&options),
        Command::Estimates(options) => judge::estimates::run(&options),
        Command::Pools(options) => judge::pools::run(&options),
        Command::Profile(options) => judge::profile::run(&options),
        Command::Worker => worker::serve(judge::formwork::engine),
    }
}
