//! Structural tags by the cases under `data/tags/`: what each accepts and refuses, how it is refused, and what may come
//! token by token. `docs/structural-tags.md` says what each is there for.

#![allow(missing_docs, reason = "a test")]

mod common;

use common::accepts;
use formwork_engine::{Compiler, Matcher};
use formwork_grammar::Grammar;
use formwork_tags::{Error, grammar, grammar_from_value};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All cases, each with the name of its file.
fn cases() -> Vec<(String, Value)> {
    let folder = root().join("data/tags");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a file");
        let file: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let list = file["cases"].as_array().expect("cases");
        cases.extend(list.iter().map(|case| (name.clone(), case.clone())));
    }
    cases
}

fn name(case: &Value) -> &str {
    case["name"].as_str().expect("a name")
}

/// The texts of a list; `{"of": "x", "times": 3}` is `xxx`.
fn texts(case: &Value, member: &str) -> Vec<String> {
    let text = |text: &Value| match (text.as_str(), text["of"].as_str(), text["times"].as_u64()) {
        (Some(text), _, _) => text.to_owned(),
        (_, Some(of), Some(times)) => of.repeat(usize::try_from(times).expect("a number of times")),
        _ => panic!("{}: {text} is no text", name(case)),
    };
    case[member].as_array().map(|list| list.iter().map(text).collect()).unwrap_or_default()
}

fn grammar_of(case: &Value) -> Result<Grammar, Error> {
    if let Some(text) = case["text"].as_str() {
        return grammar(text);
    }
    if let Some(document) = case.get("document") {
        return grammar_from_value(document);
    }
    let mut format = case["format"].clone();
    if let Some(depth) = case["nest"].as_u64() {
        format = json!({"type": "const_string", "value": "a"});
        for _ in 0..depth {
            format = json!({"type": "sequence", "elements": [format]});
        }
    }
    grammar_from_value(&json!({"type": "structural_tag", "format": format}))
}

/// What is wrong about a case, if anything.
fn problem(case: &Value) -> Option<String> {
    let specials = texts(case, "specials");
    let specials: Vec<&str> = specials.iter().map(String::as_str).collect();
    let expected = case.get("error").map(|error| {
        let member = |name: &str| error[name].as_str().expect("a text").to_owned();
        (member("kind"), member("pointer"))
    });
    let grammar = match grammar_of(case) {
        Ok(grammar) => grammar,
        Err(error) => {
            let found = (error.kind().as_str().to_owned(), error.pointer().to_owned());
            let anywhere = case["anywhere"] == json!(true);
            let is_it = expected.as_ref().is_some_and(|(kind, pointer)| {
                *kind == found.0 && (anywhere || *pointer == found.1) && case["compile"] != json!(true)
            });
            return (!is_it).then(|| format!("refused: {error}"));
        }
    };
    if let Some((kind, pointer)) = expected {
        if case["compile"] != json!(true) {
            return Some(format!("not refused, but should be, as {kind} at {pointer}\n{grammar}"));
        }
        return match Compiler::new(common::vocabulary(&specials)).compile(&grammar) {
            Ok(_) => Some(format!("compiled, but should not be: {kind} at {pointer}\n{grammar}")),
            Err(error) => {
                let found = (error.kind().as_str(), error.place().pointer().unwrap_or_default());
                (found != (&kind, &pointer)).then(|| format!("{found:?}: {error}"))
            }
        };
    }
    if case.get("walks").is_some() {
        return walks(case, &grammar, &specials);
    }
    let (good, bad) = (texts(case, "accept"), texts(case, "reject"));
    if good.is_empty() {
        return Some("nothing is accepted".to_owned());
    }
    for text in good {
        if !accepts(&grammar, &specials, &text) {
            return Some(format!("{text:?} is refused\n{grammar}"));
        }
    }
    for text in bad {
        if accepts(&grammar, &specials, &text) {
            return Some(format!("{text:?} is accepted\n{grammar}"));
        }
    }
    None
}

/// Follows the walks of a case through the masks.
fn walks(case: &Value, grammar: &Grammar, specials: &[&str]) -> Option<String> {
    let tokens = texts(case, "tokens");
    let named: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let vocabulary = common::vocabulary_with(specials, &named);
    let named = ["<eos>"].into_iter().chain(specials.iter().copied()).chain(named);
    let ids: Vec<(&str, u32)> = named.zip(256..).collect();
    let id_of = |text: &str| match ids.iter().find(|(token, _)| *token == text) {
        Some(&(_, id)) => id,
        None => u32::from(text.as_bytes()[0]),
    };
    let compiled = Compiler::new(vocabulary.clone()).compile(grammar).expect("compiles");
    let mut mask = vec![0u32; vocabulary.mask_words()];
    for (i, walk) in case["walks"].as_array().expect("walks").iter().enumerate() {
        let mut matcher = Matcher::new(&compiled);
        for (j, step) in walk.as_array().expect("steps").iter().enumerate() {
            let at = format!("walk {i}, step {j}, {step}");
            if let Some(n) = step["back"].as_u64() {
                matcher.rollback(usize::try_from(n).expect("a number of steps")).expect("so many steps");
            }
            if let Some(token) = step["refuse"].as_str() {
                if matcher.accept_token(id_of(token)).is_ok() {
                    return Some(format!("{at}: accepted\n{grammar}"));
                }
            }
            if let Some(token) = step["take"].as_str() {
                if let Err(error) = matcher.accept_token(id_of(token)) {
                    return Some(format!("{at}: {error}\n{grammar}"));
                }
            }
            if step.get("then").is_some() {
                matcher.fill_mask(&mut mask).expect("a mask");
                let allowed = |id: u32| mask[id as usize / 32] >> (id % 32) & 1 != 0;
                let found: BTreeSet<&str> =
                    ids.iter().filter(|(_, id)| allowed(*id)).map(|(token, _)| *token).collect();
                let then = texts(step, "then");
                if found != then.iter().map(String::as_str).collect() {
                    return Some(format!("{at}: what may come is {found:?}\n{grammar}"));
                }
            }
        }
    }
    None
}

#[test]
fn every_case_is_as_it_says() {
    let wrong: Vec<String> = cases()
        .iter()
        .filter_map(|(file, case)| Some(format!("{file}/{}: {}", name(case), problem(case)?)))
        .collect();
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Everything in backquotes with a slash in it that is neither a path nor a test of another file.
fn named_cases(page: &str) -> BTreeSet<&str> {
    let quoted = page.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.contains('/') && !text.contains(['.', ' ']) && !text.ends_with('/')).collect()
}

#[test]
fn the_page_names_every_case_and_none_that_is_not_there() {
    let page = fs::read_to_string(root().join("docs/structural-tags.md")).expect("a page");
    let cases: Vec<String> = cases().iter().map(|(file, case)| format!("{file}/{}", name(case))).collect();
    let there: BTreeSet<&str> = cases.iter().map(String::as_str).collect();
    assert_eq!(there.len(), cases.len(), "a name is used twice");
    let named = named_cases(&page);
    let (lacking, unknown): (Vec<_>, Vec<_>) =
        (there.difference(&named).collect(), named.difference(&there).collect());
    assert!(lacking.is_empty() && unknown.is_empty(), "not named: {lacking:?}; not there: {unknown:?}");
    // Tests elsewhere are named by file and function.
    for test in page.split('`').skip(1).step_by(2).filter(|text| text.contains(".rs")) {
        let (file, function) = test.split_once("::").unwrap_or((test, ""));
        let path = root().join("crates").join(file.strip_prefix("crates/").unwrap_or(file));
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(text.contains(&format!("fn {function}")), "{test} is not there");
    }
}
