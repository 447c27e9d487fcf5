//! `cargo xtask bench`: builds the benchmarks, with the peers that take part, and runs them.
//!
//! The judge (`benches/harness`) is a member of the workspace; each peer (`benches/engines/NAME`) is a workspace of its own,
//! so that its dependencies stay out of ours. Everything is built as a release.

use crate::{Arguments, tree};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Peers with a worker of their own.
const PEERS: &[&str] = &["llguidance", "xgrammar-rs"];

/// The engines of the command if it is not told which.
const ENGINES: &str = "formwork,formwork:eager,llguidance,xgrammar-rs";

const WHICH: &str = "there are `maskbench`, `ablation`, `scaling`, `targets`, `tools`, `estimates`, `pools`, `profile` and `masks`, each with `--help`";

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    match arguments.first().map(String::as_str) {
        Some("masks") => masks(&arguments[1..]),
        Some(
            "maskbench" | "ablation" | "scaling" | "targets" | "tools" | "estimates" | "pools" | "profile",
        ) => judge(arguments),
        Some(other) => bail!("there is no benchmark `{other}`; {WHICH}"),
        None => bail!("which benchmark? {WHICH}"),
    }
}

/// Formwork and llguidance in one process: masks compared bit by bit, then timed.
fn masks(arguments: &[String]) -> Result<()> {
    let manifest = tree::root().join("benches/engines/compare/Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--release", "--quiet", "--manifest-path"]).arg(manifest).arg("--").args(arguments);
    execute(command)
}

/// The judge, with the workers that it needs.
fn judge(arguments: Arguments) -> Result<()> {
    let root = tree::root();
    let program = build(&root.join("benches/harness"), "formwork-bench")?;
    let mut command = Command::new(program);
    command.args(&arguments);
    let is_asked = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if !is_asked("--help") && !is_asked("-h") {
        for peer in peers(&arguments) {
            let package = format!("formwork-bench-{peer}");
            let worker = build(&root.join("benches/engines").join(peer), &package)?;
            command.arg(format!("--peer={peer}={}", worker.display()));
        }
    }
    execute(command)
}

/// The peers among the engines that the arguments name.
fn peers(arguments: &[String]) -> Vec<&'static str> {
    let mut engines = None;
    for (i, argument) in arguments.iter().enumerate() {
        match argument.strip_prefix("--engines") {
            Some("") => engines = arguments.get(i + 1).map(String::as_str),
            Some(rest) => engines = rest.strip_prefix('='),
            None => {}
        }
    }
    let default = if arguments.first().is_some_and(|name| name == "ablation") { "formwork" } else { ENGINES };
    let engines = engines.unwrap_or(default);
    let names: Vec<&str> = engines.split(',').filter_map(|engine| engine.split(':').next()).collect();
    PEERS.iter().copied().filter(|peer| names.contains(peer)).collect()
}

/// Builds a package's binary of the same name and says where it is.
fn build(folder: &Path, package: &str) -> Result<PathBuf> {
    let manifest = folder.join("Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--release", "--quiet", "--locked", "--manifest-path"]).arg(&manifest);
    execute(command)?;
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["metadata", "--no-deps", "--offline", "--format-version=1", "--manifest-path"])
        .arg(&manifest);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("running {command:?}"))?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let target = metadata["target_directory"].as_str().context("cargo says no target directory")?;
    Ok(Path::new(target).join("release").join(package).with_extension(std::env::consts::EXE_EXTENSION))
}

fn execute(mut command: Command) -> Result<()> {
    let status = command.status().with_context(|| format!("running {command:?}"))?;
    if status.success() { Ok(()) } else { bail!("{command:?}: {status}") }
}

#[cfg(test)]
mod tests {
    use super::peers;

    #[test]
    fn only_peers_that_take_part_are_built() {
        let peers = |arguments: &str| peers(&arguments.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(peers("maskbench --engines formwork --sample 3"), [""; 0]);
        assert_eq!(peers("maskbench --engines=formwork:jit,llguidance:deep"), ["llguidance"]);
        assert_eq!(peers("maskbench --sample 3"), ["llguidance", "xgrammar-rs"]);
        assert_eq!(peers("ablation"), [""; 0]);
    }
}
