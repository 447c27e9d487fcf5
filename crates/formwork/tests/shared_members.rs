//! Behind a name every object is in the same place: local masks there are made once, whatever the object and the grammar.
//! Work is counted in local masks, which no clock and no machine changes.

#![allow(missing_docs, reason = "a test")]

use formwork::earley::{Limits, Rows};
use formwork::{Compiler, Matcher, fsm, json_schema, tokenizers};
use serde_json::{Map, Value, json};

/// Follows a document and counts the local masks that each byte of it makes.
fn misses(compiler: &Compiler, schema: &str, document: &str) -> Vec<u64> {
    let grammar = json_schema::grammar(schema).expect("a grammar");
    let compiled = compiler.compile(&grammar).expect("a compiled grammar");
    let mut matcher = Matcher::new(&compiled);
    let mut mask = vec![0; compiled.vocabulary().mask_words()];
    let mut made = Vec::new();
    for byte in document.bytes() {
        let before = compiler.pool().stats().misses;
        matcher.fill_mask(&mut mask).expect("a mask");
        made.push(compiler.pool().stats().misses - before);
        matcher.accept_bytes(&[byte]).expect("the document is one of the schema");
    }
    assert!(matcher.can_finish(), "{document}");
    made
}

/// Of the bytes of a document those from behind the name up to the end of the value.
fn behind_name(made: &[u64], document: &str) -> u64 {
    let name_ends = document.find("\":").expect("a name");
    made[name_ends + 1..document.len() - 1].iter().sum()
}

#[test]
fn a_place_behind_a_name_is_met_once() {
    for (value, text, of_object) in [
        (r#"{"type": "string"}"#, r#""tea""#, 0),
        (r#"{"type": "string", "format": "date"}"#, r#""2026-11-23""#, 0),
        // It may end before its last digit, and what comes then is the object's own.
        (r#"{"type": "integer", "minimum": 10, "maximum": 3000}"#, "250", 1),
        (r#"{"type": ["boolean", "null"]}"#, "true", 0),
        (r#"{"type": "array", "items": {"type": "string", "maxLength": 9}}"#, r#"["a", "b"]"#, 0),
        (r#"{"properties": {"a": {"type": "integer"}}, "additionalProperties": false}"#, r#"{"a": 1}"#, 0),
    ] {
        let compiler =
            Compiler::builder(tokenizers::embedded("o200k_base").expect("an encoding")).precompute(0).build();
        let first = format!(r#"{{"properties": {{"first": {value}}}, "additionalProperties": false}}"#);
        let document = format!(r#"{{"first": {text}}}"#);
        let made = misses(&compiler, &first, &document);
        assert!(behind_name(&made, &document) > of_object, "{value}: {made:?}");
        // Another grammar, another name, another property before it, more of them allowed.
        let second = format!(r#"{{"properties": {{"x": {{}}, "second": {value}}}}}"#);
        let document = format!(r#"{{"second": {text}}}"#);
        let made = misses(&compiler, &second, &document);
        assert_eq!(behind_name(&made, &document), of_object, "{value}: {made:?}");
    }
}

/// The most items that read in one row of a document.
fn most_items(schema: &Value, document: &str) -> usize {
    let grammar = json_schema::grammar(&schema.to_string()).expect("a grammar");
    let automata = fsm::build(&grammar, &fsm::Config::default(), &|| false).expect("automata");
    let mut rows = Rows::new(automata.into(), Limits::default());
    let mut row = rows.start().expect("a row");
    let mut most = 0;
    for byte in document.bytes() {
        row = rows.advance(row, byte).expect("within limits").expect("the document is one of the schema");
        most = most.max(rows.scannable(row).len());
    }
    assert!(rows.is_accepting(row), "{document}");
    most
}

#[test]
fn branches_are_not_side_by_side_behind_a_name() {
    let branches = |n: usize, names: [&str; 2]| {
        let branch = |i: usize| {
            let properties: Map<String, Value> = names
                .iter()
                .map(|name| ((*name).to_owned(), json!({"const": format!("{name} {i}")})))
                .collect();
            json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
        };
        json!({"anyOf": (0..n).map(branch).collect::<Vec<_>>()})
    };
    // The one that tells them apart first, or what they differ in as well.
    for (names, document) in [
        (["kind", "what"], r#"{"kind": "kind 7", "what": "what 7"}"#),
        (["what", "kind"], r#"{"what": "what 7", "kind": "kind 7"}"#),
    ] {
        let few = most_items(&branches(10, names), document);
        assert_eq!(most_items(&branches(300, names), document), few, "{names:?}");
        // The digits that may come have escapes, each a rule.
        assert!(few <= 12, "{few} for {names:?}");
    }
}
