//! `cargo xtask layers`: which crate may depend on which.
//!
//! Each manifest names its layer in `[package.metadata.formwork]`; the rules are the table of ARCHITECTURE.md.
//! An edge must point to a lower layer, or be one of the few edges between peers that are named here; some lower layers
//! are out of bounds all the same, because the invariants say what a crate must *not* know.
//! Edges for development (`[dev-dependencies]`) are free: tests may use anything.

use crate::Arguments;
use crate::tree::{self, Member};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::Path;

/// Crates of layer 1 that may depend on another of layer 1.
const PEERS: &[(&str, &[&str])] = &[
    ("formwork-ebnf", &["formwork-regex"]),
    ("formwork-json-schema", &["formwork-regex"]),
    ("formwork-tags", &["formwork-regex", "formwork-ebnf", "formwork-json-schema"]),
];

/// Crates that may depend on these and on no other crate of the project, and why.
const ONLY: &[(&str, &[&str], &str)] = &[
    ("formwork-regex", &["formwork-grammar"], "frontends know nothing of automata, tokens or caches"),
    (
        "formwork-ebnf",
        &["formwork-grammar", "formwork-regex"],
        "frontends know nothing of automata, tokens or caches",
    ),
    (
        "formwork-json-schema",
        &["formwork-grammar", "formwork-regex"],
        "frontends know nothing of automata, tokens or caches",
    ),
    (
        "formwork-tags",
        &["formwork-grammar", "formwork-regex", "formwork-ebnf", "formwork-json-schema"],
        "frontends know nothing of automata, tokens or caches",
    ),
    ("formwork-tokenizers", &["formwork-vocab"], "vocabularies know nothing of grammars"),
    ("formwork-fsm", &["formwork-grammar"], "automata speak bytes and know no vocabulary"),
    ("formwork-earley", &["formwork-grammar", "formwork-fsm"], "rows speak bytes and know no vocabulary"),
    (
        "formwork-mask",
        &["formwork-grammar", "formwork-vocab", "formwork-fsm", "formwork-earley"],
        "the engine's side knows no frontend",
    ),
    (
        "formwork-engine",
        &["formwork-grammar", "formwork-vocab", "formwork-fsm", "formwork-earley", "formwork-mask"],
        "the engine's side knows no frontend",
    ),
];

/// Crates whose sources must not contain the word, comments included: `mask` is the one place where grammar state meets
/// vocabulary.
const NO_TOKENS: &[&str] = &["crates/fsm/src", "crates/earley/src"];

/// The layer of everything at the top, which depends on the facade alone.
const TOP: i64 = 6;

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    if let Some(unexpected) = arguments.first() {
        bail!("`layers` takes no arguments, not `{unexpected}`");
    }
    let root = tree::root();
    let members = tree::members(&root)?;
    let layers = layers(&members);
    for member in &members {
        let layer = layers.get(member.name()).map_or_else(|| "?".to_owned(), ToString::to_string);
        println!("{layer:>4}  {:<22} {}", member.name(), edges(member, &layers).join(" "));
    }
    let problems = check(&root)?;
    if !problems.is_empty() {
        bail!("{} edges or words in the wrong place\n{}", problems.len(), problems.join("\n"));
    }
    Ok(())
}

/// Everything that is wrong, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let members = tree::members(root)?;
    let layers = layers(&members);
    let mut problems = Vec::new();
    for member in &members {
        let name = member.name();
        if !layers.contains_key(name) {
            problems.push(format!("{name}: no `layer` in [package.metadata.formwork]"));
            continue;
        }
        for dependency in edges(member, &layers) {
            if let Some(problem) = judge(name, &dependency, &layers) {
                problems.push(format!("{name} -> {dependency}: {problem}"));
            }
        }
    }
    for source in tree::sources(root, NO_TOKENS, "rs")? {
        for (line_idx, line) in source.text.lines().enumerate() {
            if line.to_ascii_lowercase().contains("token") {
                let place = format!("{}:{}", source.path, line_idx + 1);
                problems.push(format!("{place}: the word `token` does not occur in fsm and earley"));
            }
        }
    }
    Ok(problems)
}

/// A crate's place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    Number(i64),
    /// Tools and test kits: may depend on everything, and nothing is built on them.
    Dev,
}

impl std::fmt::Display for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Dev => f.write_str("dev"),
        }
    }
}

fn layers(members: &[Member]) -> BTreeMap<String, Layer> {
    let layer = |member: &Member| match member.package("metadata")?.get("formwork")?.get("layer")? {
        toml::Value::Integer(number) => Some(Layer::Number(*number)),
        toml::Value::String(word) if word == "dev" => Some(Layer::Dev),
        _ => None,
    };
    members.iter().filter_map(|member| Some((member.name().to_owned(), layer(member)?))).collect()
}

/// The crates of the project that a crate is built on, sorted; development dependencies are not among them.
fn edges(member: &Member, layers: &BTreeMap<String, Layer>) -> Vec<String> {
    let mut tables: Vec<&toml::Value> = Vec::new();
    let kinds = ["dependencies", "build-dependencies"];
    tables.extend(kinds.iter().filter_map(|kind| member.manifest.get(*kind)));
    if let Some(toml::Value::Table(targets)) = member.manifest.get("target") {
        for target in targets.values() {
            tables.extend(kinds.iter().filter_map(|kind| target.get(*kind)));
        }
    }
    let named = |(key, value): (&String, &toml::Value)| {
        let renamed = value.get("package").and_then(toml::Value::as_str);
        renamed.unwrap_or(key).to_owned()
    };
    let mut edges: Vec<String> =
        tables.into_iter().filter_map(toml::Value::as_table).flatten().map(named).collect();
    edges.retain(|edge| layers.contains_key(edge));
    edges.sort();
    edges.dedup();
    edges
}

/// Why an edge is not allowed.
fn judge(from: &str, to: &str, layers: &BTreeMap<String, Layer>) -> Option<String> {
    let (upper, lower) = match (layers[from], layers[to]) {
        (Layer::Dev, _) => return None,
        (Layer::Number(_), Layer::Dev) => {
            return Some("nothing is built on tools for development".to_owned());
        }
        (Layer::Number(upper), Layer::Number(lower)) => (upper, lower),
    };
    let is_named_peer = PEERS.iter().any(|(name, peers)| *name == from && peers.contains(&to));
    if lower > upper {
        return Some(format!("points up, from layer {upper} to layer {lower}"));
    }
    if lower == upper && !is_named_peer {
        return Some(format!("both are in layer {upper}"));
    }
    let closed = ONLY.iter().find(|(name, allowed, _)| *name == from && !allowed.contains(&to));
    if let Some((.., why)) = closed {
        return Some((*why).to_owned());
    }
    if upper == TOP && to != "formwork" {
        return Some("what stands at the top depends on the facade alone".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_edge_points_up_and_no_word_is_in_the_wrong_place() {
        let problems = check(&tree::root()).expect("the tree can be read");
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn the_rules_refuse_what_they_should() {
        let layers = layers(&tree::members(&tree::root()).expect("the tree can be read"));
        for (from, to, allowed) in [
            ("formwork-json-schema", "formwork-regex", true),
            ("formwork-regex", "formwork-json-schema", false),
            ("formwork-regex", "formwork-ebnf", false),
            ("formwork-grammar", "formwork-vocab", false),
            ("formwork-earley", "formwork-fsm", true),
            ("formwork-fsm", "formwork-earley", false),
            ("formwork-fsm", "formwork-vocab", false),
            ("formwork-mask", "formwork-vocab", true),
            ("formwork-engine", "formwork-ebnf", false),
            ("formwork-engine", "formwork-testkit", false),
            ("formwork", "formwork-json-schema", true),
            ("formwork-cli", "formwork", true),
            ("formwork-cli", "formwork-engine", false),
            ("formwork-testkit", "formwork-engine", true),
        ] {
            assert_eq!(judge(from, to, &layers).is_none(), allowed, "{from} -> {to}");
        }
    }
}
