//! Hands targets to cargo-fuzz.

use super::{MAX_LEN, Options, inputs};
use crate::tree;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

/// For each target, unless the caller says otherwise.
const SECONDS: u64 = 60;

/// An input that takes longer is a finding: limits are set so that one takes a tenth. The reference that masks are compared with
/// is slow, and on a machine with other work an input took 32 seconds, all of them in the reference.
const TIMEOUT_SECONDS: u64 = 100;

const MEMORY_MIB: u64 = 3_000;

pub(super) fn run(options: &Options) -> Result<()> {
    let root = tree::root();
    let toolchain = toolchain()?;
    for (target, _) in &options.targets {
        let corpus = root.join("fuzz/corpus").join(target);
        let n = fill(&corpus, &inputs::real(target)?)?;
        println!("{target}: {n} real inputs in {}", corpus.display());
        let mut command = toolchain.command();
        command.args(["fuzz", "run", target]).arg(&corpus).arg(root.join("fuzz/seeds").join(target));
        command.arg("--").arg(format!("-max_total_time={}", options.seconds.unwrap_or(SECONDS)));
        command.arg(format!("-timeout={TIMEOUT_SECONDS}")).arg(format!("-rss_limit_mb={MEMORY_MIB}"));
        command.arg(format!("-max_len={MAX_LEN}")).arg("-print_final_stats=1");
        let status = command.current_dir(&root).status().with_context(|| format!("running {command:?}"))?;
        if !status.success() {
            bail!(
                "{target}: {status}; make the input smaller with `cargo fuzz tmin {target} FILE`, \
                 put it into fuzz/regressions/{target} and mend what it shows"
            );
        }
    }
    Ok(())
}

/// The compiler that fuzzing is built with.
enum Toolchain {
    Nightly,
    /// The stable one, told to take the flags of a nightly one.
    Bootstrap,
}

impl Toolchain {
    fn command(&self) -> Command {
        let mut command = Command::new("cargo");
        // Cargo sets these for what it runs, and they would win over the toolchain asked for.
        command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
        match self {
            Self::Nightly => drop(command.arg("+nightly")),
            Self::Bootstrap => drop(command.env("RUSTC_BOOTSTRAP", "1")),
        }
        command
    }

    fn is_there(&self) -> bool {
        let output = self.command().args(["fuzz", "--version"]).output();
        output.is_ok_and(|output| output.status.success())
    }
}

fn toolchain() -> Result<Toolchain> {
    let found = [Toolchain::Nightly, Toolchain::Bootstrap].into_iter().find(Toolchain::is_there);
    found.context(
        "this needs cargo-fuzz: `cargo install cargo-fuzz --locked` (`cargo xtask fuzz smoke` needs nothing)",
    )
}

/// Puts inputs into a corpus; says how many.
fn fill(corpus: &Path, inputs: &[Vec<u8>]) -> Result<usize> {
    fs::create_dir_all(corpus).with_context(|| format!("making {}", corpus.display()))?;
    for (i, input) in inputs.iter().enumerate() {
        fs::write(corpus.join(format!("real-{i}")), input)?;
    }
    Ok(inputs.len())
}
