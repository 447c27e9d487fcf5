//! Gets the grammars that packages of registries carry: those of llama.cpp in `llama-cpp-python`.
//!
//! They are not ours, so they are not committed. Grammars of other packages (lark's, syncode's) are in Lark's dialect, whose
//! lexer makes them another language than their rules alone; `data/grammars/README.md` says more.

use crate::tree;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The address on PyPI's file server holds a hash, so it stands for these bytes.
const ARCHIVE: &str = "https://files.pythonhosted.org/packages/ec/e9/e7de2b0463ea3ffbf0ede6cb21b58c1258a8f6521aae45ca773a59fe7cf3/llama_cpp_python-0.3.36.tar.gz";
const FOLDER: &str = "llama_cpp_python-0.3.36/vendor/llama.cpp/grammars";

pub(super) fn run(into: &Path) -> Result<()> {
    let folder = into.join("llama.cpp");
    let download = into.join(".download");
    fs::create_dir_all(&download).with_context(|| format!("making {}", download.display()))?;
    println!("fetching {} …", ARCHIVE.rsplit('/').next().unwrap_or(ARCHIVE));
    let archive = download.join("archive.tar.gz");
    tree::succeed(Command::new("curl").args(["--fail", "-sSL", "-o"]).arg(&archive).arg(ARCHIVE))?;
    tree::succeed(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&download).arg(FOLDER))?;
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::rename(download.join(FOLDER), &folder)?;
    fs::remove_dir_all(&download)?;
    let mut n = 0;
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "gbnf") {
            n += 1;
        } else {
            fs::remove_file(path)?;
        }
    }
    println!("{n} grammars in {}", folder.display());
    Ok(())
}
