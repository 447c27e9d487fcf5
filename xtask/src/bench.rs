//! `cargo xtask bench masks`: builds the side-by-side benchmark and runs it.
//!
//! It is a workspace of its own (`benches/engines/compare`), so that the peers' dependencies stay out of ours.

use crate::{Arguments, tree};
use anyhow::{Context, Result, bail};
use std::process::Command;

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let mut arguments = arguments.into_iter();
    match arguments.next().as_deref() {
        Some("masks") => masks(arguments.collect()),
        Some(other) => bail!("there is no benchmark `{other}`; there is `masks`"),
        None => bail!("which benchmark? There is `masks`, and `masks --help` says more"),
    }
}

/// Formwork and its peers on the same tokens.
fn masks(arguments: Arguments) -> Result<()> {
    let manifest = tree::root().join("benches/engines/compare/Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--release", "--quiet", "--manifest-path"]).arg(manifest).arg("--").args(arguments);
    let status = command.status().with_context(|| format!("running {command:?}"))?;
    if status.success() { Ok(()) } else { bail!("{status}") }
}
