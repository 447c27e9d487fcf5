//! The styles that write an object as parameters.

#![allow(missing_docs, reason = "a test")]

mod common;

use common::accepts;
use formwork_tags::grammar_from_value;
use serde_json::{Value, json};

#[track_caller]
fn check(style: &str, schema: Value, good: &[&str], bad: &[&str]) {
    check_with(json!({"type": "json_schema", "json_schema": schema, "style": style}), good, bad);
}

#[track_caller]
fn check_with(format: Value, good: &[&str], bad: &[&str]) {
    let grammar = grammar_from_value(&json!({"format": format})).unwrap_or_else(|error| panic!("{error}"));
    for text in good {
        assert!(accepts(&grammar, &[], text), "{text:?} is refused\n{grammar}");
    }
    for text in bad {
        assert!(!accepts(&grammar, &[], text), "{text:?} is accepted\n{grammar}");
    }
}

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "q": {"type": "string"}, "n": {"type": "integer"}, "o": {"$ref": "#/$defs/o"}
    }, "required": ["q"], "$defs": {"o": {"type": "object", "properties": {"a": {"type": "boolean"}}}}})
}

#[test]
fn strings_are_raw_and_the_rest_is_json() {
    check(
        "qwen_xml",
        schema(),
        &[
            "<parameter=q>tea</parameter>",
            "\n<parameter=q>\nline \"1\"\nline <2>\n</parameter>\n<parameter=n>\n2\n</parameter>\n",
            "<parameter=q></parameter><parameter=o>{\"a\": true}</parameter>",
            "<parameter=q></parameter </parameter>",
        ],
        &[
            "",
            "<parameter=n>2</parameter>",
            "<parameter=q>a</parameter><parameter=n>two</parameter>",
            "<parameter=q>a</parameter>b</parameter>",
            "<parameter=n>2</parameter><parameter=q>a</parameter>",
            "<parameter=q>a</parameter><parameter=z>b</parameter>",
            "<parameter=q>a</parameter><parameter=o>{\"a\": True}</parameter>",
        ],
    );
    check(
        "minimax_xml",
        schema(),
        &["<parameter name=\"q\">tea</parameter>\n"],
        &["<parameter=q>tea</parameter>"],
    );
    check(
        "glm_xml",
        schema(),
        &[
            "<arg_key>q</arg_key>\n<arg_value>tea</arg_value>\n",
            "<arg_key>q</arg_key><arg_value>a</arg_value><arg_key>n</arg_key><arg_value>1</arg_value>",
        ],
        &["<arg_key>q</arg_key><arg_value>a</arg_value"],
    );
    check(
        "deepseek_xml",
        schema(),
        &[
            "<｜DSML｜parameter name=\"q\" string=\"true\">a\"b</｜DSML｜parameter>\n<｜DSML｜parameter name=\"n\" string=\"false\">3</｜DSML｜parameter>",
        ],
        &[
            "<｜DSML｜parameter name=\"q\" string=\"false\">\"a\"</｜DSML｜parameter>",
            "<｜DSML｜parameter name=\"q\" string=\"true\">a</｜DSML｜parameter><｜DSML｜parameter name=\"n\" string=\"true\">3</｜DSML｜parameter>",
        ],
    );
}

#[test]
fn restricted_strings_are_raw_too() {
    let schema = json!({"properties": {
        "e": {"enum": ["red", "a \"b\""]}, "p": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3},
        "d": {"type": "string", "format": "date"}, "m": {"type": ["string", "null"], "minLength": 2}, "c": {"const": 7},
        "b": {"type": "boolean"}
    }});
    check(
        "qwen_xml",
        schema,
        &[
            "",
            "<parameter=e>red</parameter><parameter=p>abc</parameter>",
            "<parameter=e>\na \"b\"\n</parameter>",
            "<parameter=d>2024-02-29</parameter><parameter=m>null</parameter><parameter=c>7</parameter>",
            "<parameter=b>True</parameter>",
            "<parameter=b>\nfalse\n</parameter>",
        ],
        &[
            "<parameter=e>\"red\"</parameter>",
            "<parameter=e>blue</parameter>",
            "<parameter=p>abcd</parameter>",
            "<parameter=p>AB</parameter>",
            "<parameter=d>2023-02-29</parameter>",
            "<parameter=m>x</parameter>",
            "<parameter=c>8</parameter>",
            "<parameter=b>yes</parameter>",
        ],
    );
}

#[test]
fn undeclared_parameters() {
    let any = ["<parameter=x>anything\n1</parameter><parameter=y_2></parameter>", ""];
    check("qwen_xml", json!(true), &any, &["<parameter=2x>a</parameter>", "<parameter=>a</parameter>"]);
    check(
        "qwen_xml",
        json!({"properties": {"n": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}),
        &["<parameter=n>1</parameter><parameter=m>2</parameter>", "<parameter=nn>1</parameter>"],
        &["<parameter=m>a</parameter>", "<parameter=m>2</parameter><parameter=n>1</parameter>"],
    );
}

#[test]
fn any_order_means_each_at_most_once() {
    check_with(
        json!({"type": "json_schema", "json_schema": schema(), "style": "qwen_xml", "any_order": true}),
        &[
            "<parameter=n>2</parameter><parameter=q>a</parameter>",
            "<parameter=q>a</parameter>",
            "<parameter=o>{}</parameter><parameter=q>a</parameter><parameter=n>2</parameter>",
        ],
        &["", "<parameter=n>2</parameter>", "<parameter=q>a</parameter><parameter=q>b</parameter>"],
    );
}

/// Schemas whose references meet: each is built once.
#[test]
fn references_that_meet() {
    let mut definitions = serde_json::Map::new();
    for level in 0..14 {
        let below = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        let properties = json!({"a": below, "b": below});
        let object = json!({"type": "object", "properties": properties, "additionalProperties": false});
        definitions.insert(format!("d{level}"), object);
    }
    let leaf =
        json!({"type": "object", "properties": {"c": {"type": "null"}}, "additionalProperties": false});
    definitions.insert("d14".to_owned(), leaf);
    let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    let format = json!({"type": "json_schema", "json_schema": schema, "style": "minimax_m3_xml"});
    let (open, close) = ("]<]minimax[>[<b>".repeat(14), "]<]minimax[>[</b>".repeat(14));
    let inner = "]<]minimax[>[<c>null]<]minimax[>[</c>";
    check_with(format, &[&format!("{open}{inner}{close}")], &[&format!("{open}{inner}{inner}{close}")]);
}
