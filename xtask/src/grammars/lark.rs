//! `cargo xtask grammars lark`: what becomes of the Lark files that packages carry.
//!
//! Every file that `cargo xtask grammars fetch` put into `.cache/grammars/lark` is read with the files beside it to import,
//! compiled for a vocabulary, and followed along a text of ours; or it is refused, with the first reason. A file without
//! a rule to start with is a library: each of its names is read as the start.
//!
//! The files mean here what the module `lark` of the EBNF frontend says, not what a lexer would make of them.

use super::measure::{measure, random_walks};
use crate::tree;
use anyhow::{Context, Result, bail};
use formwork::{AcceptErrorKind, Compiler, Grammar, Matcher, Vocabulary, ebnf};
use std::fs;
use std::path::Path;

/// The end of a file's path, the rule to start with, a text that it accepts and one that it refuses.
type Sample = (&'static str, &'static str, &'static str, &'static str);

const SAMPLES: &[Sample] = &[
    ("lark-1.3.1/examples/composition/csv.lark", "start", "# name,age\nbob,12\n", "bob,12\n"),
    ("lark-1.3.1/examples/composition/json.lark", "start", "{\"a\": [1, -2.5e3]}", "{\"a\":1}"),
    ("lark-1.3.1/examples/composition/storage.lark", "start", "# a b\n1 x\n[1, 2]\n", "x"),
    ("lark-1.3.1/examples/relative-imports/multiple2.lark", "start", "0110", "011"),
    ("lark-1.3.1/examples/relative-imports/multiple3.lark", "start", "1001", "1000"),
    ("lark-1.3.1/examples/relative-imports/multiples.lark", "start", "3:1001", "2:1001"),
    ("lark-1.3.1/examples/standalone/json.lark", "start", "{\"a\" : [true, -1.5e3 ]}", "{\"a\" 1}"),
    ("lark-1.3.1/examples/tests/negative_priority.lark", "start", "a", "aa"),
    ("lark-1.3.1/examples/tests/no_newline_at_end.lark", "start", "a", "b"),
    ("lark-1.3.1/examples/advanced/python2.lark", "file_input", "", ""),
    ("lark-1.3.1/lark/grammars/python.lark", "file_input", "", ""),
    ("lark-1.3.1/tests/grammars/ab.lark", "startab", "aabb", "aab"),
    ("lark-1.3.1/tests/grammars/leading_underscore_grammar.lark", "c", "Ax", "A"),
    ("lark-1.3.1/tests/grammars/test_relative_import_of_nested_grammar.lark", "start", "N", "M"),
    ("lark-1.3.1/tests/test_relative_import.lark", "start", "12 lions", "lions"),
    ("lark-1.3.1/tests/test_relative_import_preserves_leading_underscore.lark", "start", "Ax", "A"),
    ("lark-1.3.1/tests/test_relative_import_rename.lark", "start", "12 lions", "lions"),
    (
        "lark-1.3.1/tests/test_relative_import_rules_dependencies_imported_only_once.lark",
        "start",
        "AAA",
        "AA",
    ),
    ("lark-1.3.1/tests/test_relative_import_unicode.lark", "start", "ø", "Ø-"),
    ("lark-1.3.1/tests/test_relative_multi_import.lark", "start", "12 capybaras", "12"),
    ("lark-1.3.1/tests/test_relative_rule_import.lark", "start", "xaabby", "xaaby"),
    ("lark-1.3.1/tests/test_relative_rule_import_drop_ignore.lark", "start", "xaabby", "x aabby"),
    ("lark-1.3.1/tests/test_relative_rule_import_rename.lark", "start", "xaabby", "xaaby"),
    ("lark-1.3.1/tests/test_relative_rule_import_subrule.lark", "start", "xaabby", "xaaby"),
    ("lark-1.3.1/tests/test_relative_rule_import_subrule_no_conflict.lark", "start", "xaby", "xay"),
    ("lark-1.3.1/tests/test_templates_import.lark", "start", "[1, 2, 3]", "[1 2]"),
    ("llguidance-1.9.1/lark.lark", "start", "start: \"a\" b*\nb: /x/i // c\n", "start: )\n"),
    ("syncode-0.4.16/syncode/larkm/grammars/python.lark", "file_input", "", ""),
    ("syncode-0.4.16/syncode/parsers/grammars/c.lark", "start", "int f(int a) { return a * 2; }", "int f( {"),
    ("syncode-0.4.16/syncode/parsers/grammars/calc.lark", "start", "1 + 2*(3 - 4)", "1 +"),
    (
        "syncode-0.4.16/syncode/parsers/grammars/go.lark",
        "start",
        "package main\nimport \"fmt\"\nfunc main() {\nfmt.Println(1)\n}\n",
        "func (",
    ),
    (
        "syncode-0.4.16/syncode/parsers/grammars/invariants.lark",
        "start",
        "```\nloop invariant x <= 10 ;\n```",
        "```\n```",
    ),
    (
        "syncode-0.4.16/syncode/parsers/grammars/java.lark",
        "start",
        "public class A { int f(int x) { return x; } }",
        "class { }",
    ),
    ("syncode-0.4.16/syncode/parsers/grammars/json.lark", "start", "{\"a\" : [1.5, \"x\"]}", "{a: 1}"),
    (
        "syncode-0.4.16/syncode/parsers/grammars/prover9.lark",
        "start",
        "Predicates: Cat(x) ::: cats\nPremises: ∀x (Cat(x) → Cat(y)) ::: all\nConclusion: ¬Cat(y) ::: no\n",
        "Predicates: Premises:",
    ),
    (
        "syncode-0.4.16/syncode/parsers/grammars/sql.lark",
        "start",
        "select a, count(b) from t where a > 1 -- all\n order by a",
        "select from where",
    ),
    ("syncode-0.4.16/syncode/parsers/grammars/tiny.lark", "start", "ccdd", "cd"),
];

pub(super) fn run(folder: &Path, tokenizer: &str) -> Result<()> {
    let vocabulary = crate::exact::vocabulary(tokenizer)?;
    println!("{tokenizer}: {vocabulary}");
    if !folder.is_dir() {
        bail!("there is no {}; `cargo xtask grammars fetch` gets the files", folder.display());
    }
    let (mut n_read, mut n_wrong, mut n_files) = (0, 0, 0);
    for path in tree::files(folder, "lark")? {
        let name = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).with_context(|| name.clone())?;
        let sample = SAMPLES.iter().find(|sample| sample.0 == name);
        let start = sample.map_or("start", |sample| sample.1);
        n_files += 1;
        let names = names(&text);
        if !names.iter().any(|name| name == start) {
            println!("{name}\n    library: {}", library(&path, &text, &names));
            continue;
        }
        match options(&path, start).grammar(&text) {
            Ok(grammar) => {
                n_read += 1;
                let said = follow(&vocabulary, &grammar, sample).unwrap_or_else(|error| {
                    n_wrong += 1;
                    format!("WRONG: {error:#}")
                });
                println!("{name}\n    read: {said}");
            }
            Err(errors) => println!("{name}\n    refused: {}", reasons(&errors)),
        }
    }
    println!("\n{n_files} files: {n_read} are read as grammars");
    if n_wrong > 0 { bail!("{n_wrong} grammars are wrong about a text") } else { Ok(()) }
}

/// How a file is read: what it imports is beside it.
fn options(path: &Path, start: &str) -> ebnf::Options {
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    ebnf::Options::new()
        .dialect(ebnf::Dialect::Lark)
        .root(start)
        .imports(move |path| fs::read_to_string(folder.join(path)).ok())
}

fn reasons(errors: &ebnf::Errors) -> String {
    let reasons: Vec<String> =
        errors.iter().map(|error| format!("{}: {}", error.position(), error.message())).collect();
    reasons.join("; ")
}

/// The names that a text defines, found by how lines begin.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let line = line.trim_start().trim_start_matches(['?', '!']);
        let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
        let rest = line[end..].trim_start();
        if end > 0 && rest.starts_with([':', '.']) {
            names.push(line[..end].to_owned());
        }
    }
    names
}

/// How many of a library's names can be read, and why the others cannot.
fn library(path: &Path, text: &str, names: &[String]) -> String {
    let refused: Vec<String> = names
        .iter()
        .filter_map(|name| Some(format!("{name}: {}", reasons(&options(path, name).grammar(text).err()?))))
        .collect();
    let n = names.len() - refused.len();
    match refused.is_empty() {
        true => format!("{n} of {} names are read", names.len()),
        false => format!("{n} of {} names are read; refused: {}", names.len(), refused.join("; ")),
    }
}

/// Compiles a grammar and tries its texts; says what came of it.
fn follow(vocabulary: &Vocabulary, grammar: &Grammar, sample: Option<&Sample>) -> Result<String> {
    let compiled = Compiler::new(vocabulary.clone()).compile(grammar)?;
    let accepts = |text: &str| {
        let mut matcher = Matcher::new(&compiled);
        match matcher.accept_bytes(text.as_bytes()) {
            Ok(()) => Ok(matcher.can_finish()),
            Err(error) if matches!(error.kind(), AcceptErrorKind::Limit(_)) => Err(error),
            Err(_) => Ok(false),
        }
    };
    let documents = match sample {
        Some((_, _, accepted, refused)) => {
            match accepts(accepted) {
                Err(error) => return Ok(format!("LIMIT: {error}")),
                Ok(true) => {}
                Ok(false) => bail!("{accepted:?} is refused"),
            }
            if accepts(refused)? {
                bail!("{refused:?} is accepted");
            }
            vec![accepted.as_bytes().to_vec()]
        }
        None => random_walks(vocabulary, grammar),
    };
    let measured = measure(vocabulary, grammar, &documents)?;
    let texts = if sample.is_some() { "one text accepted, one refused" } else { "random walks" };
    Ok(format!("{} rules; {texts}; states, automata, p50, p99, first (µs):{measured}", grammar.rules().len()))
}
