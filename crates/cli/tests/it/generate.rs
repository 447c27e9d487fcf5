//! `formwork generate`, and the sampler behind it: documents are valid, varied and finished.

use crate::examples::{Example, examples};
use crate::program::{File, formwork};
use formwork::{CompiledGrammar, Compiler, Matcher, Vocabulary, tokenizers};
use formwork_cli::{Document, Sampler};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

fn o200k() -> Vocabulary {
    static VOCABULARY: OnceLock<Vocabulary> = OnceLock::new();
    VOCABULARY.get_or_init(|| tokenizers::embedded("o200k_base").unwrap()).clone()
}

fn compile(example: &Example, vocabulary: Vocabulary) -> (CompiledGrammar, Sampler) {
    let source = example.source();
    let loaded = source.load().unwrap_or_else(|problem| panic!("{}: {problem}", example.name));
    let compiled = Compiler::new(vocabulary).compile(&loaded.grammar).unwrap();
    let sampler = Sampler::new(&compiled, source.hints());
    (compiled, sampler)
}

fn document(example: &Example, sampler: &Sampler, seed: u64) -> Document {
    let document = sampler.document(seed);
    document.unwrap_or_else(|error| panic!("{}, seed {seed}: {error}", example.name))
}

fn text(document: &Document) -> &str {
    std::str::from_utf8(document.text()).unwrap()
}

/// How many documents each example gets; `FORMWORK_DOCUMENTS=100000 cargo test -p formwork-cli` looks further.
fn n_documents(default: u64) -> u64 {
    std::env::var("FORMWORK_DOCUMENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn documents_validate_are_distinct_and_end_by_themselves() {
    let n = n_documents(1_000);
    for example in examples("schemas") {
        let (_, sampler) = compile(&example, o200k());
        let schema: Value = serde_json::from_str(&example.text()).unwrap();
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let (mut distinct, mut n_unfinished, mut n_long) = (BTreeSet::new(), 0, 0);
        for seed in 0..n {
            let document = document(&example, &sampler, seed);
            n_long += u64::from(document.tokens().len() > 400);
            if !document.is_finished() {
                n_unfinished += 1;
                continue;
            }
            let text = text(&document);
            let value: Value = serde_json::from_str(text)
                .unwrap_or_else(|error| panic!("{}, seed {seed}: {error}\n{text}", example.name));
            if let Err(error) = validator.validate(&value) {
                panic!("{}, seed {seed}: {error} at {}\n{text}", example.name, error.instance_path());
            }
            distinct.insert(text.to_owned());
        }
        assert_eq!(n_unfinished, 0, "{}", example.name);
        assert!(n_long * 20 <= n, "{}: {n_long} of {n} are long", example.name);
        assert!(distinct.len() as u64 * 10 >= n * 9, "{}: {} of {n}", example.name, distinct.len());
    }
}

#[test]
fn every_optional_property_and_every_branch_is_seen() {
    // Over single bytes, because it is quick: what is written is the writer's matter, not the tokens'.
    for example in examples("schemas") {
        let (_, sampler) = compile(&example, Vocabulary::bytes());
        let sampler = sampler.max_tokens(4_000).surprise(0.002);
        let schema: Value = serde_json::from_str(&example.text()).unwrap();
        let mut open = BTreeMap::new();
        places(&schema, "", &mut open);
        let mut seed = 0;
        while !open.is_empty() && seed < 600 {
            let document = document(&example, &sampler, seed);
            seed += 1;
            if let Ok(value) = serde_json::from_slice(document.text()) {
                see(&schema, &schema, "", &value, &mut open);
            }
        }
        let missing: Vec<&String> = open.keys().collect();
        assert!(missing.is_empty(), "{}: never seen: {missing:?}", example.name);
    }
}

/// Every property, enumerated value and branch of a schema, by JSON pointer.
fn places(schema: &Value, at: &str, open: &mut BTreeMap<String, ()>) {
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(members)) => {
                for (name, member) in members {
                    let place = format!("{at}/{keyword}/{name}");
                    places(member, &place, open);
                    if keyword == "properties" {
                        open.insert(place, ());
                    }
                }
            }
            ("anyOf" | "enum" | "prefixItems", Value::Array(branches)) => {
                for (i, branch) in branches.iter().enumerate() {
                    let place = format!("{at}/{keyword}/{i}");
                    if keyword != "enum" {
                        places(branch, &place, open);
                    }
                    open.insert(place, ());
                }
            }
            ("items" | "additionalProperties", Value::Object(_)) => {
                let place = format!("{at}/{keyword}");
                places(value, &place, open);
                open.insert(place, ());
            }
            ("type", Value::Array(types)) => {
                for i in 0..types.len() {
                    open.insert(format!("{at}/type/{i}"), ());
                }
            }
            _ => {}
        }
    }
}

/// Strikes off what a valid value uses.
fn see(root: &Value, schema: &Value, at: &str, value: &Value, open: &mut BTreeMap<String, ()>) {
    if let Some(pointer) = schema["$ref"].as_str() {
        let pointer = pointer.trim_start_matches('#');
        see(root, root.pointer(pointer).unwrap(), pointer, value, open);
    }
    for (i, word) in schema["enum"].as_array().into_iter().flatten().enumerate() {
        if word == value {
            open.remove(&format!("{at}/enum/{i}"));
        }
    }
    for (i, name) in schema["type"].as_array().into_iter().flatten().enumerate() {
        if jsonschema::is_valid(&json!({ "type": name }), value) {
            open.remove(&format!("{at}/type/{i}"));
        }
    }
    for (i, branch) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        let mut alone = branch.clone();
        if let Some(alone) = alone.as_object_mut() {
            alone.insert("$defs".to_owned(), root["$defs"].clone());
        }
        if alone.get("$defs").is_some_and(Value::is_null) {
            alone.as_object_mut().unwrap().remove("$defs");
        }
        if jsonschema::is_valid(&alone, value) {
            let place = format!("{at}/anyOf/{i}");
            open.remove(&place);
            see(root, branch, &place, value, open);
        }
    }
    if let Value::Object(members) = value {
        for (name, member) in members {
            let property = &schema["properties"][name];
            let (place, schema) = if property.is_null() {
                (format!("{at}/additionalProperties"), &schema["additionalProperties"])
            } else {
                (format!("{at}/properties/{name}"), property)
            };
            open.remove(&place);
            see(root, schema, &place, member, open);
        }
    }
    if let Value::Array(items) = value {
        let n_prefix = schema["prefixItems"].as_array().map_or(0, Vec::len);
        for (i, item) in items.iter().enumerate() {
            let (place, schema) = if i < n_prefix {
                (format!("{at}/prefixItems/{i}"), &schema["prefixItems"][i])
            } else {
                (format!("{at}/items"), &schema["items"])
            };
            open.remove(&place);
            see(root, schema, &place, item, open);
        }
    }
}

#[test]
fn documents_of_grammars_are_accepted_and_end_by_themselves() {
    for example in examples("ebnf") {
        let (compiled, sampler) = compile(&example, o200k());
        for seed in 0..n_documents(100) {
            let document = document(&example, &sampler, seed);
            assert!(document.is_finished(), "{}, seed {seed}: {}", example.name, text(&document));
            let mut matcher = Matcher::new(&compiled);
            matcher.accept_bytes(document.text()).unwrap();
            assert!(matcher.can_finish());
        }
    }
}

#[test]
fn the_seed_decides() {
    let example = &examples("schemas")[0];
    let (_, sampler) = compile(example, Vocabulary::bytes());
    let write = |seed| document(example, &sampler, seed).text().to_vec();
    assert_eq!(write(3), write(3));
    assert_ne!(write(3), write(4));
}

#[test]
fn the_text_alone_is_on_standard_output() {
    let schema = "examples/schemas/weather/schema.json";
    let answer = formwork(&["generate", "--schema", schema, "--seed", "5"], b"");
    assert_eq!(answer.status, 0, "{answer:?}");
    let value: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(value["name"], "get_weather");
    for figure in ["tokens", "compile", "p50", "p99"] {
        assert!(answer.err.contains(figure), "{}", answer.err);
    }
    assert_eq!(formwork(&["check", "--schema", schema], answer.out.as_bytes()).status, 0);
}

#[test]
fn several_documents_come_as_lines_of_json() {
    let args = ["generate", "--regex", "[a-c]{3}", "--count", "3", "--output", "json"];
    let answer = formwork(&args, b"");
    assert_eq!(answer.status, 0, "{answer:?}");
    let lines: Vec<Value> = answer.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line["finished"] == true && line["text"].as_str().unwrap().len() == 3));
}

#[test]
fn gbnf_and_other_tokenizers_are_sources_as_well() {
    let gbnf = File::new("greeting.gbnf", "root ::= greeting \"!\"\ngreeting ::= \"hello\" |\n  \"hello\"\n");
    for tokenizer in ["bytes", "qwen3"] {
        let answer = formwork(&["generate", "--gbnf", gbnf.path(), "--tokenizer", tokenizer], b"");
        assert_eq!((answer.status, answer.out.as_str()), (0, "hello!\n"), "{}", answer.err);
    }
}

#[test]
fn stopping_early_has_status_1() {
    let args = ["generate", "--regex", "(abcdefghijklmnop){9}", "--max-tokens", "2"];
    let answer = formwork(&args, b"");
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.err.contains("--max-tokens"), "{}", answer.err);
}

#[test]
fn tokenizers_without_a_stop_token_are_refused_with_the_way_out() {
    let folder = std::env::temp_dir().join(format!("formwork-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("tokenizer.json");
    let tokenizer = json!({
        "added_tokens": [{"id": 2, "content": "<|end|>", "special": true}],
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []},
    });
    std::fs::write(&path, tokenizer.to_string()).unwrap();
    let path = path.to_str().unwrap();
    let generate = |more: &[&str]| {
        let args = [&["generate", "--regex", "ab{3}", "--tokenizer", path], more].concat();
        formwork(&args, b"")
    };
    let answer = generate(&[]);
    assert_eq!(answer.status, 2);
    assert!(answer.err.contains("--stop"), "{}", answer.err);
    let answer = generate(&["--stop", "<|end|>"]);
    assert_eq!((answer.status, answer.out.as_str()), (0, "abbb\n"), "{}", answer.err);
    assert_eq!(generate(&["--stop", "<|stop|>"]).status, 2);
    std::fs::remove_dir_all(&folder).unwrap();
    let answer = formwork(&["generate", "--regex", "a", "--tokenizer", "gpt-17"], b"");
    assert_eq!(answer.status, 2);
    assert!(answer.err.contains("o200k_base"), "{}", answer.err);
}
