//! What fuzzing begins with.
//!
//! Committed are small files for each target, `fuzz/seeds`, and what targets once failed on, `fuzz/regressions`. The
//! repository has more of the kind in places where it serves another purpose: example grammars, schemas and the patterns
//! in them. They are taken from there.

use super::MAX_LEN;
use crate::tree;
use anyhow::Result;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The seeds and regressions of a target.
pub(super) fn committed(target: &str) -> Result<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    for kind in ["regressions", "seeds"] {
        let folder = tree::root().join("fuzz").join(kind).join(target);
        if folder.is_dir() {
            for path in tree::sorted(&folder)? {
                inputs.push(fs::read(path)?);
            }
        }
    }
    Ok(inputs)
}

/// Texts of the target's kind that the repository has elsewhere; none for targets whose bytes are decisions.
pub(super) fn real(target: &str) -> Result<Vec<Vec<u8>>> {
    let root = tree::root();
    let mut inputs = match target {
        "ebnf" => {
            let mut grammars = files(&root.join("data/grammars"), &["ebnf", "gbnf"])?;
            grammars.extend(files(&root.join("examples/ebnf"), &["ebnf"])?);
            grammars
        }
        "json_schema" => schemas(&root)?,
        "regex" => {
            let mut patterns = Vec::new();
            for schema in schemas(&root)? {
                patterns_of(&serde_json::from_slice(&schema)?, &mut patterns);
            }
            patterns
        }
        _ => Vec::new(),
    };
    inputs.retain(|input| input.len() <= MAX_LEN);
    inputs.sort();
    inputs.dedup();
    Ok(inputs)
}

fn schemas(root: &Path) -> Result<Vec<Vec<u8>>> {
    let mut schemas = Vec::new();
    for folder in tree::sorted(&root.join("examples/schemas"))? {
        schemas.push(fs::read(folder.join("schema.json"))?);
    }
    Ok(schemas)
}

/// Files one folder down with one of these endings.
fn files(folder: &Path, endings: &[&str]) -> Result<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for folder in tree::sorted(folder)?.into_iter().filter(|path| path.is_dir()) {
        for path in tree::sorted(&folder)? {
            let ending = path.extension().and_then(|ending| ending.to_str());
            if ending.is_some_and(|ending| endings.contains(&ending)) {
                found.push(fs::read(path)?);
            }
        }
    }
    Ok(found)
}

/// The regular expressions in a schema.
fn patterns_of(schema: &Value, patterns: &mut Vec<Vec<u8>>) {
    let mut todo = vec![schema];
    while let Some(value) = todo.pop() {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    match (key.as_str(), value) {
                        ("pattern", Value::String(pattern)) => patterns.push(pattern.clone().into_bytes()),
                        ("patternProperties", Value::Object(properties)) => {
                            patterns.extend(properties.keys().map(|pattern| pattern.clone().into_bytes()));
                        }
                        _ => {}
                    }
                    todo.push(value);
                }
            }
            Value::Array(array) => todo.extend(array),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_testkit::fuzz::TARGETS;

    #[test]
    fn every_target_has_something_to_begin_with() {
        for (target, _) in TARGETS {
            assert!(committed(target).expect("readable").len() >= 2, "{target}");
        }
        for (target, least) in [("ebnf", 30), ("json_schema", 8), ("regex", 4)] {
            let real = real(target).expect("readable");
            assert!(real.len() >= least, "{target}: {}", real.len());
        }
    }
}
