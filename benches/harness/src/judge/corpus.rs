//! MaskBench's files as jobs.

use super::tokenizer::Tokenizer;
use anyhow::{Context, Result, ensure};
use clap::Args;
use formwork_testkit::json_text;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};

/// Which files, split by which tokenizer, where Formwork alone is measured.
#[derive(Args, Clone, Debug)]
pub struct Files {
    /// MaskBench's files, or a folder with them in `maskbench`
    #[arg(long)]
    pub data: PathBuf,
    /// A tokenizer.json, or an embedded encoding
    #[arg(long, default_value = "o200k_base")]
    pub tokenizer: String,
}

impl Files {
    /// The tokenizer, and the files as [`load`] finds them.
    ///
    /// # Errors
    /// Something cannot be read.
    pub fn load(&self, sample: Option<usize>, only: Option<&str>) -> Result<(Tokenizer, Vec<Case>)> {
        let tokenizer = Tokenizer::load(&self.tokenizer)?;
        let cases = load(&self.data, sample, only, &tokenizer)?;
        Ok((tokenizer, cases))
    }
}

/// A schema, and instances with what they ought to be.
#[derive(Debug)]
pub struct Case {
    /// The file.
    pub name: String,
    /// The schema's text.
    pub schema: String,
    /// The instances as tokens.
    pub documents: Vec<Vec<u32>>,
    /// Whether each is valid.
    pub valid: Vec<bool>,
}

#[derive(Deserialize)]
struct File {
    schema: Box<RawValue>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    valid: bool,
    data: Box<RawValue>,
}

/// Files of the folder, or of its `maskbench`, in an order that has nothing to do with their names, the first `sample` of them if given: any
/// beginning of the list is a fair sample, and a smaller one is part of a larger one.
///
/// Instances are spelled as Python's `json.dumps(data, ensure_ascii=False)` spells them.
///
/// # Errors
/// The folder or a file cannot be read.
pub fn load(
    folder: &Path,
    sample: Option<usize>,
    only: Option<&str>,
    tokenizer: &Tokenizer,
) -> Result<Vec<Case>> {
    let inner = folder.join("maskbench");
    let folder = if inner.is_dir() { &inner } else { folder };
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".json") && only.is_none_or(|part| name.contains(part)) {
            names.push(name);
        }
    }
    ensure!(!names.is_empty(), "no files in {}", folder.display());
    names.sort_by_cached_key(|name| (shuffled(name), name.clone()));
    names.truncate(sample.unwrap_or(usize::MAX));
    names.into_iter().map(|name| case(folder, name, tokenizer)).collect()
}

fn case(folder: &Path, name: String, tokenizer: &Tokenizer) -> Result<Case> {
    let text = std::fs::read_to_string(folder.join(&name)).with_context(|| name.clone())?;
    let file: File = serde_json::from_str(&text).with_context(|| name.clone())?;
    let mut documents = Vec::new();
    for test in &file.tests {
        let instance = json_text::python(test.data.get());
        documents.push(tokenizer.encode(&instance).with_context(|| name.clone())?);
    }
    let valid = file.tests.iter().map(|test| test.valid).collect();
    Ok(Case { name, schema: file.schema.get().to_owned(), documents, valid })
}

/// FNV-1a, finished by a multiplication so that the last letters reach all bits.
fn shuffled(name: &str) -> u64 {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, fnv);
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
