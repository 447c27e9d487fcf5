//! Gets the grammars that packages of PyPI carry: the GBNF files of llama.cpp in `llama-cpp-python`, and the Lark files of
//! `lark`, `syncode` and `llguidance`.
//!
//! They are not ours, so they are not committed.

use crate::tree;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

/// An archive, and what of it is kept.
struct Package {
    /// An address on PyPI's file server holds a hash, so it stands for these bytes.
    archive: &'static str,
    /// The folder in the archive.
    folder: &'static str,
    /// Where it goes.
    into: &'static str,
    extension: &'static str,
}

const PACKAGES: [Package; 4] = [
    Package {
        archive: "https://files.pythonhosted.org/packages/ec/e9/e7de2b0463ea3ffbf0ede6cb21b58c1258a8f6521aae45ca773a59fe7cf3/llama_cpp_python-0.3.36.tar.gz",
        folder: "llama_cpp_python-0.3.36/vendor/llama.cpp/grammars",
        into: "llama.cpp",
        extension: "gbnf",
    },
    Package {
        archive: "https://files.pythonhosted.org/packages/da/34/28fff3ab31ccff1fd4f6c7c7b0ceb2b6968d8ea4950663eadcb5720591a0/lark-1.3.1.tar.gz",
        folder: "lark-1.3.1",
        into: "lark/lark-1.3.1",
        extension: "lark",
    },
    Package {
        archive: "https://files.pythonhosted.org/packages/c6/ea/88beffc3a60154db19ea382b93ff3c7f9f228b42d9d121ed8e1c6d639fbb/syncode-0.4.16.tar.gz",
        folder: "syncode-0.4.16",
        into: "lark/syncode-0.4.16",
        extension: "lark",
    },
    Package {
        archive: "https://files.pythonhosted.org/packages/1e/2e/3b0e13c1e01d5598708a6e7b77c55f3ae9c6c4e242a50a239f03ee800630/llguidance-1.9.1.tar.gz",
        folder: "llguidance-1.9.1/sample_parser/data",
        into: "lark/llguidance-1.9.1",
        extension: "lark",
    },
];

pub(super) fn run(into: &Path) -> Result<()> {
    let mut missing = Vec::new();
    for package in &PACKAGES {
        match fetch(package, into) {
            Ok(n) => println!("{n} grammars in {}", into.join(package.into).display()),
            Err(error) => {
                println!("MISSING: {}: {error:#}", package.into);
                missing.push(package.into);
            }
        }
    }
    if missing.is_empty() { Ok(()) } else { bail!("not fetched: {}", missing.join(", ")) }
}

/// Puts the files of one package in its place; how many there are.
fn fetch(package: &Package, into: &Path) -> Result<usize> {
    let download = into.join(".download");
    if download.exists() {
        fs::remove_dir_all(&download)?;
    }
    fs::create_dir_all(&download).with_context(|| format!("making {}", download.display()))?;
    println!("fetching {} …", package.archive.rsplit('/').next().unwrap_or(package.archive));
    let archive = download.join("archive.tar.gz");
    tree::succeed(Command::new("curl").args(["--fail", "-sSL", "-o"]).arg(&archive).arg(package.archive))?;
    tree::succeed(
        Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&download).arg(package.folder),
    )?;
    let folder = into.join(package.into);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let (from, mut n) = (download.join(package.folder), 0);
    for path in tree::files(&from, package.extension)? {
        let to = folder.join(path.strip_prefix(&from)?);
        fs::create_dir_all(to.parent().unwrap_or(&folder))?;
        fs::rename(path, to)?;
        n += 1;
    }
    fs::remove_dir_all(&download)?;
    Ok(n)
}
