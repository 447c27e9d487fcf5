//! `cargo xtask tidy`: habits of the house that neither rustc nor clippy checks.
//!
//! Everything here is decided on lines of text, so that it runs in a blink; it is a test too, so that `cargo test` is the
//! whole gate.

use crate::Arguments;
use crate::tree::{self, Source};
use anyhow::{Result, bail};
use std::path::Path;

/// Where the project's Rust is.
const FOLDERS: &[&str] = &["crates", "xtask", "fuzz", "benches", "examples"];

/// The most lines of code in a file, without comments and blank lines: past it, the file holds two nouns.
const MAX_CODE_LINES: usize = 700;

/// Crates that may contain `unsafe`: the logits kernels and the bindings.
const MAY_BE_UNSAFE: &[&str] = &["crates/mask/", "crates/capi/", "crates/python/"];

/// Crates that speak to a person and so may print.
const MAY_PRINT: &[&str] = &["crates/cli/", "xtask/", "benches/", "examples/", "fuzz/"];

/// What library code does not contain, and what to do instead. Split so that this file does not contain them either.
const BANNED: &[(&str, &str)] = &[
    (concat!("println", "!("), "libraries do not print"),
    (concat!("eprintln", "!("), "libraries do not print"),
    (concat!("eprint", "!("), "libraries do not print"),
    (concat!("dbg", "!("), "left over from debugging"),
    (concat!("todo", "!("), "unfinished"),
];

const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    if let Some(unexpected) = arguments.first() {
        bail!("`tidy` takes no arguments, not `{unexpected}`");
    }
    let problems = check(&tree::root())?;
    if !problems.is_empty() {
        bail!("{} untidy places\n{}", problems.len(), problems.join("\n"));
    }
    println!("tidy");
    Ok(())
}

/// Everything that is untidy, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for licence in LICENCES {
        if !root.join(licence).is_file() {
            problems.push(format!("{licence} is missing"));
        }
    }
    for member in tree::members(root)? {
        for key in ["description", "license"] {
            if member.package(key).is_none() {
                problems.push(format!("{}/Cargo.toml: no `{key}`", member.folder));
            }
        }
        if member.manifest.get("lints").is_none() {
            problems.push(format!("{}/Cargo.toml: no `[lints] workspace = true`", member.folder));
        }
    }
    for source in tree::sources(root, FOLDERS, "rs")? {
        check_source(&source, &mut problems);
    }
    Ok(problems)
}

fn check_source(source: &Source, problems: &mut Vec<String>) {
    let Source { path, text } = source;
    // The facade's front page is the README, so that its examples are tested.
    if !text.starts_with("//!") && !text.starts_with("#![doc = ") {
        problems.push(format!("{path}:1: open with a `//!` paragraph that says what the file is for"));
    }
    let is_in = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    let is_crate_root = path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
    if is_crate_root && !is_in(MAY_BE_UNSAFE) && !text.contains("#![forbid(unsafe_code)]") {
        problems.push(format!("{path}:1: `#![forbid(unsafe_code)]` is missing"));
    }
    let mut n_code_lines = 0;
    let mut offset = 0;
    for (line_idx, line) in text.split_inclusive('\n').enumerate() {
        let code = line.trim();
        let place = format!("{path}:{}", line_idx + 1);
        if !code.is_empty() && !code.starts_with("//") {
            n_code_lines += 1;
            if path.contains("/src/") && !is_in(MAY_PRINT) {
                for (banned, why) in BANNED {
                    if code.contains(banned) {
                        problems.push(format!("{place}: `{banned}…)`: {why}"));
                    }
                }
            }
            if (code.starts_with("#[allow(") || code.starts_with("#![allow("))
                && !attribute(&text[offset..]).contains("reason")
            {
                problems.push(format!("{place}: an `allow` says its reason"));
            }
        }
        offset += line.len();
    }
    if n_code_lines > MAX_CODE_LINES {
        problems.push(format!("{path}: {n_code_lines} lines of code, more than {MAX_CODE_LINES}: split it"));
    }
}

/// The attribute that `text` begins with, which may be broken over lines.
fn attribute(text: &str) -> &str {
    let end = text.find(")]").unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let problems = check(&tree::root()).expect("the tree can be read");
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn untidy_sources_are_found() {
        let mut problems = Vec::new();
        let text = format!(
            "// no header\n{}\"a\");\n#[allow(\n    dead_code\n)]\n#[allow(dead_code, reason = \"said\")]\nfn f() {{}}\n",
            BANNED[0].0
        );
        check_source(&Source { path: "crates/x/src/lib.rs".to_owned(), text }, &mut problems);
        let places: Vec<&str> = problems.iter().filter_map(|problem| problem.split(": ").next()).collect();
        let expected = ["crates/x/src/lib.rs:1", "crates/x/src/lib.rs:1", "crates/x/src/lib.rs:2"];
        assert_eq!(places[..3], expected, "{problems:#?}");
        assert_eq!(places[3..], ["crates/x/src/lib.rs:3"], "{problems:#?}");
    }
}
