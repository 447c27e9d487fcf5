//! The working tree as the checks see it: where it is, its manifests, its source files.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the repository").to_path_buf()
}

/// What is in a folder, sorted.
pub(crate) fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The last part of a path, to be shown.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Runs a command whose output only matters if it fails.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("running {:?}", command.get_program()))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    bail!("{:?}: {}: {}", command.get_program(), output.status, stderr.trim())
}

/// A member of the workspace.
#[derive(Debug)]
pub(crate) struct Member {
    /// The folder, relative to the root, with forward slashes.
    pub(crate) folder: String,
    /// The parsed manifest.
    pub(crate) manifest: toml::Table,
}

impl Member {
    /// The package's name.
    pub(crate) fn name(&self) -> &str {
        self.package("name").and_then(toml::Value::as_str).unwrap_or(&self.folder)
    }

    /// A key of `[package]`.
    pub(crate) fn package(&self, key: &str) -> Option<&toml::Value> {
        self.manifest.get("package")?.get(key)
    }
}

/// All members of the workspace: the crates, sorted, the benchmarks and xtask.
pub(crate) fn members(root: &Path) -> Result<Vec<Member>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(root.join("crates")).context("reading crates/")? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            folders.push(format!("crates/{}", entry.file_name().to_string_lossy()));
        }
    }
    folders.sort();
    folders.extend(["benches/harness", "xtask"].map(str::to_owned));
    let parse = |folder: String| {
        let path = root.join(&folder).join("Cargo.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let manifest = text.parse().with_context(|| format!("parsing {}", path.display()))?;
        Ok(Member { folder, manifest })
    };
    folders.into_iter().map(parse).collect()
}

/// All files below a folder with this extension, sorted.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in sorted(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A source file of the project.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path, relative to the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// All files below `folders` (relative to the root) with this extension, sorted; build outputs and hidden folders are not
/// entered.
pub(crate) fn sources(root: &Path, folders: &[&str], extension: &str) -> Result<Vec<Source>> {
    let mut pending: Vec<PathBuf> =
        folders.iter().map(|folder| root.join(folder)).filter(|f| f.is_dir()).collect();
    let mut found = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    pending.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                let text =
                    fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
                let relative = path.strip_prefix(root).unwrap_or(&path);
                let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
                found.push(Source { path: parts.join("/"), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}
