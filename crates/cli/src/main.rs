//! The `formwork` command line; everything is in the library beside it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    formwork_cli::main()
}
