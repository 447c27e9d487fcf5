//! What is refused, with its kind, place and words.

#![allow(missing_docs, reason = "a test")]

use expect_test::{Expect, expect};
use formwork_tags::grammar;

#[track_caller]
fn check(documents: &[&str], expected: Expect) {
    let lines = documents.iter().map(|document| match grammar(document) {
        Ok(grammar) => format!("accepted:\n{grammar}"),
        Err(error) => format!("{error}\n"),
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn documents() {
    check(
        &[
            "{",
            "[]",
            "{}",
            "{\"format\": 1}",
            "{\"type\": \"x\", \"format\": {}}",
            "{\"format\": {\"value\": \"a\"}, \"formt\": 1}",
        ],
        expect![[r#"
            invalid: the document is no JSON: EOF while parsing an object at line 1 column 1
            invalid: a structural tag is an object, not a list
            invalid: a structural tag has a `format`, or `structures` and `triggers`
            invalid at /format: a format is an object, not a number
            invalid at /type: expected "structural_tag", found "x"
            invalid at /formt: unknown member `formt`; known here are type, format
        "#]],
    );
}

#[test]
fn formats() {
    let formats = [
        r#"{}"#,
        r#"{"type": "nothing"}"#,
        r#"{"type": 1}"#,
        r#"{"type": "const_string"}"#,
        r#"{"type": "const_string", "value": 1}"#,
        r#"{"type": "const_string", "value": "a", "valu": 1}"#,
        r#"{"type": "sequence", "elements": []}"#,
        r#"{"type": "sequence", "elements": [{"value": "a"}, {"type": "regex", "pattern": "a("}]}"#,
        r#"{"type": "regex", "pattern": "(a)\\1"}"#,
        r#"{"type": "grammar", "grammar": "root ::= x"}"#,
        r#"{"type": "json_schema", "json_schema": {"properties": {"a": {"minLength": -1}}}}"#,
        r#"{"type": "json_schema", "json_schema": {"type": "strin"}}"#,
        r#"{"type": "json_schema", "json_schema": 1}"#,
        r#"{"type": "json_schema", "json_schema": true, "style": "yaml"}"#,
        r#"{"type": "json_schema", "json_schema": true, "style": "cohere_xml"}"#,
        r#"{"type": "repeat", "min": 3, "max": 2, "content": {"value": "a"}}"#,
        r#"{"type": "repeat", "min": -1, "max": 2, "content": {"value": "a"}}"#,
        r#"{"type": "repeat", "min": 1, "max": -2, "content": {"value": "a"}}"#,
        r#"{"type": "const_string", "value": "a", "max_tokens": 0}"#,
        r#"{"type": "any_text", "capture": ""}"#,
        r#"{"type": "any_text", "excludes": [""]}"#,
        r#"{"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": ""}"#,
        r#"{"type": "tag", "begin": "<a>", "content": {"value": "a"}, "end": []}"#,
        r#"{"type": "tag", "begin": 1, "content": {"value": "a"}, "end": "a"}"#,
        r#"{"type": "triggered_tags", "triggers": ["<a"], "tags": [{"begin": "<b", "content": {"value": "a"}, "end": ""}]}"#,
        r#"{"type": "triggered_tags", "triggers": ["<", "<b"], "tags": [{"begin": "<b", "content": {"value": "a"}, "end": ""}]}"#,
        r#"{"type": "token_triggered_tags", "trigger_tokens": [1], "tags": [{"begin": {"token": 2}, "content": {"value": "a"}, "end": ""}]}"#,
        r#"{"type": "token", "token": -1}"#,
        r#"{"type": "dispatch", "rules": [["a"]]}"#,
        r#"{"type": "dispatch", "rules": [["", {"value": "a"}]]}"#,
    ];
    let documents: Vec<String> = formats.iter().map(|format| format!("{{\"format\": {format}}}")).collect();
    check(
        &documents.iter().map(String::as_str).collect::<Vec<_>>(),
        expect![[r#"
            invalid at /format: `type` is missing, and the members do not tell it
            invalid at /format/type: there is no format "nothing"
            invalid at /format/type: expected the name of a format, found a number
            invalid at /format: `value` is missing
            invalid at /format/value: expected a string, found a number
            invalid at /format/valu: unknown member `valu`; known here are type, value, capture, max_tokens
            invalid at /format/elements: the list is empty
            invalid at /format/elements/1/pattern: line 1, column 2 of the regular expression: this group is not closed
            unsupported at /format/pattern: line 1, column 4 of the regular expression: the back-reference `\1` is not supported; no grammar can repeat what was captured; list the alternatives instead
            invalid at /format/grammar: error: there is no rule `x`
             --> line 1, column 10
              |
            1 | root ::= x
              |          ^
            invalid at /format/json_schema/properties/a/minLength: `minLength` must be a whole number that is not negative
            invalid at /format/json_schema/type: `type` must be one of the seven types, or a list of them
            invalid at /format/json_schema: expected a schema, an object or a boolean, found a number
            invalid at /format/style: there is no style "yaml"; known are json, pythonic, pythonic_or_json, gemma_4, qwen_xml, minimax_xml, minimax_m3_xml, deepseek_xml, deepseek_v4_1_xml, glm_xml, kimi_k3_xml
            unsupported at /format/style: the style "cohere_xml" is not supported yet
            invalid at /format/min: 3 is more than `max`, 2
            invalid at /format/min: expected a number of times, found a number
            invalid at /format/max: expected a number of times, found a number
            invalid at /format/max_tokens: a budget is at least one token; leave the format out instead, or make it optional
            invalid at /format/capture: the name is empty
            invalid at /format/excludes/0: the text is empty
            invalid at /format/end: the content could go on for ever: a tag with free content needs an end that is not empty, or the content needs `excludes`
            invalid at /format/end: the list is empty
            invalid at /format/begin: expected a text or a token, found a number
            invalid at /format/tags/0/begin: "<b" begins with none of the triggers
            invalid at /format/tags/0/begin: "<b" begins with two triggers, "<" and "<b"
            invalid at /format/tags/0/begin: the tag must begin with one of `trigger_tokens`
            invalid at /format/token: expected a token's id or its text
            invalid at /format/rules/0: expected a list of two: what triggers, and the format
            invalid at /format/rules/0/0: a trigger is a text that is not empty
        "#]],
    );
}

#[test]
fn styles() {
    let schemas = [
        r#"{"type": "array"}"#,
        r#"false"#,
        r#"{"allOf": [{"properties": {"a": true}}]}"#,
        r##"{"$ref": "#/$defs/a"}"##,
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}"##,
        r#"{"properties": {"a>b": true}}"#,
        r#"{"properties": {"a": {"type": "string", "pattern": "("}}}"#,
        r#"{"properties": {"a": false}, "required": ["a"]}"#,
        r#"{"properties": {"a": true}, "required": ["b"]}"#,
    ];
    let documents: Vec<String> = schemas
        .iter()
        .map(|schema| {
            format!(
                r#"{{"format": {{"type": "json_schema", "style": "qwen_xml", "json_schema": {schema}}}}}"#
            )
        })
        .collect();
    check(
        &documents.iter().map(String::as_str).collect::<Vec<_>>(),
        expect![[r#"
        invalid at /format/json_schema/type: in this style the outermost value is an object
        unsatisfiable at /format/json_schema: no object satisfies this schema
        unsupported at /format/json_schema/allOf: `allOf` of the outermost object is not supported in this style
        invalid at /format/json_schema/$ref: the reference leads nowhere
        invalid at /format/json_schema: the references of the outermost object lead in a circle
        unsupported at /format/json_schema/properties/a>b: this key cannot be written in this style
        invalid at /format/json_schema/properties/a/pattern: `pattern`: line 1, column 1 of the regular expression: this group is not closed
        unsatisfiable at /format/json_schema/properties/a: nothing satisfies this schema
        unsatisfiable at /format/json_schema/required: `b` is required, but not declared, and others may not come
    "#]],
    );
}

#[test]
fn the_older_form() {
    check(
        &[
            r#"{"structures": [], "triggers": ["a"]}"#,
            r#"{"structures": [{"begin": "a", "end": "b"}], "triggers": ["a"], "more": 1}"#,
            r#"{"structures": [{"begin": "a", "schema": "{", "end": "b"}], "triggers": ["a"]}"#,
            r#"{"structures": [{"begin": "a", "schema": {}}], "triggers": ["a"]}"#,
            r#"{"structures": [{"begin": "a", "schema": {}, "end": ""}]}"#,
            r#"{"structures": [{"begin": "b", "schema": {}, "end": ""}], "triggers": ["a"]}"#,
            r#"{"structures": [{"begin": "a", "schema": {"minimum": "x"}, "end": ""}], "triggers": ["a"]}"#,
        ],
        expect![[r#"
            invalid at /structures: the list is empty
            invalid at /more: unknown member `more`; known here are type, structures, triggers
            invalid at /structures/0/schema: the schema is no JSON: EOF while parsing an object at line 1 column 1
            invalid at /structures/0/end: expected a string
            invalid at /triggers: expected a list
            invalid at /structures/0/begin: "b" begins with none of the triggers
            invalid at /structures/0/schema/minimum: `minimum` must be a number
        "#]],
    );
}

#[test]
fn deep_nesting_ends_in_an_error() {
    let mut format = r#"{"value": "a"}"#.to_owned();
    for _ in 0..30 {
        format = format!(r#"{{"type": "optional", "content": {format}}}"#);
    }
    assert!(grammar(&format!("{{\"format\": {format}}}")).is_ok());
    let mut value = serde_json::json!({"value": "a"});
    for _ in 0..200 {
        value = serde_json::json!({"type": "optional", "content": value});
    }
    let error = formwork_tags::grammar_from_value(&serde_json::json!({"format": value})).unwrap_err();
    assert_eq!(error.kind(), formwork_tags::ErrorKind::Limit);
}

#[test]
fn what_only_reading_a_schema_finds() {
    // Each is JSON as far as finding its end goes.
    let deep = format!("{}{}", r#"{"not": "#.repeat(2_000), "}".repeat(2_000)).replacen(": }", ": {}}", 1);
    let schemas = [r#"{"const": "\ud800"}"#, &deep];
    let document = |schema: &str| format!(r#"{{"format": {{"elements": [{{"json_schema": {schema}}}]}}}}"#);
    let documents = schemas.map(document);
    check(
        &documents.each_ref().map(String::as_str),
        expect![[r#"
        invalid at /format/elements/0/json_schema: the schema is no JSON: unexpected end of hex escape at line 1 column 18
        invalid at /format/elements/0/json_schema: the schema is no JSON: recursion limit exceeded at line 1 column 1017
    "#]],
    );
    // A number is what its text says, however large.
    assert!(grammar(&document(r#"{"const": 1e999}"#)).is_ok());
}

#[test]
fn a_document_is_read_the_same_as_text_and_as_a_value() {
    let documents = [
        r#"{"format": {"type": "json_schema", "json_schema": {"b": 1, "required": ["b"], "a": {}}}}"#,
        r#"{"format": {"type": "json_schema", "json_schema": {"type": "strin"}}}"#,
        r#"{"format": {"type": "json_schema", "json_schema": {"type": "string", "type": "integer"}}}"#,
        r#"{"format": {"type": "json_schema", "json_schema": {"properties": {"a": {"multipleOf": 0}}}}}"#,
        r##"{"format": {"type": "json_schema", "json_schema": {"$defs": {"x/y": {"items": {"$ref": "#"}}}, "$ref": "#/$defs/x~1y"}}}"##,
        r#"{"format": {"type": "json_schema", "json_schema": null}}"#,
        r#"{"format": {"type": "json_schema", "json_schema": []}}"#,
        r#"{"format": {"json_schema": {"enum": [0.1, 12345678901234567890, -0.0]}, "style": null}}"#,
        r#"{"format": {"type": "qwen_xml_parameter", "json_schema": {"properties": {"a": {}, "b": {}}, "required": ["b", "c", "c"], "additionalProperties": true}}}"#,
        r#"{"format": {"type": "qwen_xml_parameter", "json_schema": {"required": "b"}}}"#,
        r#"{"format": {"type": "const_string", "schema": {}, "value": "a"}}"#,
        r#"{"structures": [{"begin": "a", "schema": "{\"type\": \"integer\"}", "end": ""}], "triggers": ["a"]}"#,
        r#"{"structures": [{"begin": "a", "schema": null, "end": ""}], "triggers": ["a"]}"#,
        r#"{"structures": [{"begin": "a", "schema": 1, "end": ""}], "triggers": ["a"]}"#,
    ];
    for document in documents {
        let shown = |result: Result<formwork_grammar::Grammar, formwork_tags::Error>| match result {
            Ok(grammar) => grammar.to_string(),
            Err(error) => error.to_string(),
        };
        let value = serde_json::from_str(document).expect("JSON");
        assert_eq!(shown(grammar(document)), shown(formwork_tags::grammar_from_value(&value)), "{document}");
    }
}
