//! The examples of the repository: a folder each, with a grammar and documents to accept and to reject.

use crate::program::root;
use formwork_cli::Source;
use serde_json::json;
use std::path::{Path, PathBuf};

/// An example.
pub(crate) struct Example {
    pub(crate) name: String,
    pub(crate) grammar: PathBuf,
    folder: PathBuf,
}

/// Examples of a kind, `schemas` or `ebnf`, by name.
pub(crate) fn examples(kind: &str) -> Vec<Example> {
    let file = if kind == "schemas" { "schema.json" } else { "grammar.ebnf" };
    let folders = entries(&root().join("examples").join(kind));
    let examples = folders.into_iter().map(|folder| {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        Example { name, grammar: folder.join(file), folder }
    });
    examples.collect()
}

impl Example {
    /// The files in `accept` or `reject`.
    pub(crate) fn documents(&self, which: &str) -> Vec<PathBuf> {
        entries(&self.folder.join(which))
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.grammar).unwrap()
    }

    pub(crate) fn source(&self) -> Source {
        if self.grammar.ends_with("schema.json") {
            Source::Schema { text: self.text(), options: json!({}) }
        } else {
            Source::Ebnf { text: self.text().into_bytes(), root: None }
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

#[test]
fn there_are_ten_or_more_of_each_with_documents_of_a_useful_size() {
    for kind in ["schemas", "ebnf"] {
        let examples = examples(kind);
        assert!(examples.len() >= 10, "{kind}");
        for example in examples {
            assert!(example.documents("accept").len() >= 3, "{}", example.name);
            assert!(example.documents("reject").len() >= 3, "{}", example.name);
            for document in example.documents("accept") {
                let size = std::fs::metadata(&document).unwrap().len();
                assert!((100..=1_500).contains(&size), "{}: {size} bytes", document.display());
            }
        }
    }
}
