//! Distinct items: over scalars, over tuples of them, with lengths.

mod common;

use common::Schema;
use formwork_json_schema::{Options, PropertyOrder};
use serde_json::{Value, json};

#[track_caller]
fn check(schema: &Value, cases: &[(&str, bool)]) {
    let compiled = Schema::new(&Options::default(), &schema.to_string()).expect("supported");
    for &(text, expected) in cases {
        assert_eq!(compiled.accepts(text), expected, "{schema} {text}");
    }
}

#[test]
fn tuples_are_values() {
    let pair =
        json!({"type": "array", "prefixItems": [{"enum": [1, 2]}, {"type": "boolean"}], "items": false});
    check(
        &json!({"type": "array", "uniqueItems": true, "items": pair}),
        &[
            ("[[1, true], [1, false], [2, true]]", true),
            ("[[1, true], [1], [], [2]]", true),
            ("[[1, true], [2, true], [1,  true]]", false),
            ("[[], []]", false),
            ("[[1], [2], [1]]", false),
        ],
    );
    check(
        &json!({"uniqueItems": true, "type": "array", "items": {"enum": [["a", 1], ["a", 2], "a", ["a", ["b"]]]}}),
        &[
            (r#"[["a", 1], "a", ["a", 2], ["a", ["b"]]]"#, true),
            (r#"[["a", 1], "a", ["\u0061", 1]]"#, false),
            (r#"[["a", ["b"]], ["a", ["b"]]]"#, false),
        ],
    );
}

#[test]
fn lengths_go_with_many_values() {
    let values: Vec<String> = (0..40).map(|i| format!("v{i}")).collect();
    let schema = json!({"type": "array", "uniqueItems": true, "items": {"enum": values}, "minItems": 3, "maxItems": 5});
    check(
        &schema,
        &[
            (r#"["v1", "v2"]"#, false),
            (r#"["v1", "v2", "v3"]"#, true),
            (r#"["v1", "v2", "v1"]"#, false),
            (r#"["v5", "v4", "v3", "v2", "v1"]"#, true),
            (r#"["v5", "v4", "v3", "v2", "v1", "v0"]"#, false),
        ],
    );
    // As many as there are values: the last must be the one that is left.
    let all = json!({"type": "array", "uniqueItems": true, "items": {"type": "integer", "minimum": 1, "maximum": 12}, "minItems": 12});
    check(
        &all,
        &[
            ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", true),
            ("[12, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1]", true),
            ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11]", false),
            ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]", false),
        ],
    );
}

#[test]
fn strings_without_number_differ() {
    let schema = json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}});
    check(
        &schema,
        &[
            ("[]", true),
            (r#"["a", "b", "ab", "", "ba"]"#, true),
            (r#"["a", "b", "a"]"#, false),
            (r#"["", "a", ""]"#, false),
            (r#"["a\"", "a", "a\\\""]"#, true),
            // By value, however they are spelled.
            (r#"["abc", "\u0061\u0062c"]"#, false),
            (r#"["\n/", "\u000A\/"]"#, false),
            (r#"["😀", "\ud83d\uDE00"]"#, false),
            (r#"["😀", "\ud83d\uDE01"]"#, true),
            (r#"["é", "e\u0301"]"#, true),
        ],
    );
    let many: Vec<String> = (0..3_000).map(|i| format!("value {}", i * 7_919 % 3_000)).collect();
    let twice: Vec<&String> = many.iter().chain([&many[1_234]]).collect();
    check(&schema, &[(&json!(many).to_string(), true), (&json!(twice).to_string(), false)]);
}

#[test]
fn strings_differ_beside_what_else_is_asked() {
    check(
        &json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "pattern": "^[ab]+c$"}, "minItems": 2, "maxItems": 3}),
        &[
            (r#"["ac"]"#, false),
            (r#"["ac", "ac"]"#, false),
            (r#"["ac", "bc"]"#, true),
            (r#"["ac", "bc", "abc"]"#, true),
            (r#"["ac", "bc", "abc", "bac"]"#, false),
            (r#"["ac", "bc", "x"]"#, false),
        ],
    );
    // Behind all there are, another is not begun.
    check(
        &json!({"type": "array", "uniqueItems": true, "items": {"type": ["string", "null"], "pattern": "^[ab]$"}}),
        &[(r#"["a", null, "b"]"#, true), (r#"["a", null, "b", "a"]"#, false), ("[null, null]", false)],
    );
    let colour = json!({"type": "string", "pattern": "^#[0-9a-f]{6}$"});
    check(
        &json!({"type": "array", "uniqueItems": true, "items": colour}),
        &[(r##"["#00ff00", "#00ff01"]"##, true), (r##"["#00ff00", "#ff0000", "#00ff00"]"##, false)],
    );
    check(
        &json!({"items": {"type": "string", "maxLength": 2}, "uniqueItems": true, "type": "array", "maxItems": 16}),
        &[(r#"["aa", "ab", "a"]"#, true), (r#"["aa", "ab", "aa"]"#, false), (r#"["aaa"]"#, false)],
    );
    // Lists inside of lists are apart.
    let inner = json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}});
    check(
        &json!({"type": "array", "items": inner}),
        &[(r#"[["a", "b"], ["a", "b"]]"#, true), (r#"[["a", "b"], ["a", "a"]]"#, false)],
    );
}

#[test]
fn closed_objects_differ_by_their_members() {
    let tag = json!({
        "type": "object", "required": ["Key", "Value"], "additionalProperties": false,
        "properties": {
            "Key": {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^(?!aws:)[a-zA-Z:]*$"},
            "Value": {"type": "string", "maxLength": 256},
        },
    });
    check(
        &json!({"type": "array", "uniqueItems": true, "items": tag, "minItems": 1}),
        &[
            ("[]", false),
            (r#"[{"Key": "a", "Value": "b"}, {"Key": "a", "Value": "c"}, {"Key": "b", "Value": "b"}]"#, true),
            (r#"[{"Key": "a", "Value": "b"}, {"Key": "a", "Value": "b"}]"#, false),
            // By value: blanks and escapes make no difference, in names either.
            (r#"[{"Key": "a", "Value": "b"}, {"Key":"a","Value":"b"}]"#, false),
            (r#"[{"Key": "a", "Value": "b"}, {"Key": "\u0061", "V\u0061lue": "b"}]"#, false),
            // A quote inside is none at the end, and blanks inside are characters.
            (
                r#"[{"Key": "a", "Value": "b\", "}, {"Key": "a", "Value": "b"}, {"Key": "a", "Value": "b "}]"#,
                true,
            ),
            (r#"[{"Key": "a", "Value": "b"}, {"Key": "aws:a", "Value": "b"}]"#, false),
        ],
    );
    // What runs out is looked at: there are three objects, with or without a.
    let few =
        json!({"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": false});
    check(
        &json!({"type": "array", "uniqueItems": true, "items": few}),
        &[
            (r#"[{}, {"a": true}, {"a": false}]"#, true),
            (r#"[{}, {"a": true}, {"a": false}, {}]"#, false),
            ("[{}, { }]", false),
            (r#"[{"a": true}, {"a" : true}]"#, false),
        ],
    );
    let inside = json!({"type": "object", "required": ["n"], "additionalProperties": false, "properties": {
        "n": {"type": ["integer", "null"]}, "at": {"type": "array", "items": {"type": "integer"}, "maxItems": 3}
    }});
    check(
        &json!({"type": "array", "uniqueItems": true, "items": inside}),
        &[
            (
                r#"[{"n": 1}, {"n": 12}, {"n": 2}, {"n": null}, {"n": 1, "at": []}, {"n": 1, "at": [1, 2]}, {"n": 1, "at": [12]}]"#,
                true,
            ),
            (r#"[{"n": 1, "at": [1, 2]}, {"n": 1, "at": [1,2]}]"#, false),
            (r#"[{"n": 0}, {"n": -0}]"#, false),
            (r#"[{"n": -1}, {"n": 1}, {"n": -10}]"#, true),
        ],
    );
}

#[test]
fn numbers_and_lists_differ_by_value() {
    check(
        &json!({"type": "array", "uniqueItems": true, "items": {"type": ["integer", "string"]}}),
        &[
            (r#"[1, 12, 2, "1", "", 123456789012345678901234567890]"#, true),
            ("[1, 12, 1]", false),
            ("[12, 1 ,12]", false),
            ("[0, -0]", false),
            ("[-0, 0]", false),
            ("[-1, 1]", true),
        ],
    );
    check(
        &json!({"type": "array", "uniqueItems": true, "items": {"type": "array", "items": {"type": ["string", "null"]}}}),
        &[
            (r#"[[], [null], [null, null], ["a", "b"], ["a\", \"b"], ["ab"]]"#, true),
            ("[[], [ ]]", false),
            (r#"[["a", "b"], ["\u0061","b"]]"#, false),
        ],
    );
}

#[test]
fn what_runs_out_where_it_must_go_on_is_refused() {
    let refused = |schema: Value| {
        let error = Options::default().grammar(&schema.to_string()).expect_err("refused");
        assert_eq!((error.kind().as_str(), error.pointer()), ("unsupported", "/uniqueItems"), "{error}");
    };
    refused(
        json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "pattern": "^[ab]{1,30}$"}, "minItems": 2}),
    );
    refused(json!({"type": "array", "uniqueItems": true, "items": {"type": ["string", "number"]}}));
    refused(
        json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}, "contains": {"const": "x"}}),
    );
    refused(json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "maxLength": 10_000}}));
    // A member that is not declared may stand anywhere, and one may be written 1.0 and 1.
    let object = |extra: Value| {
        let mut item =
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
        item.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
        json!({"type": "array", "uniqueItems": true, "items": item})
    };
    refused(object(json!({"additionalProperties": {"type": "string"}})));
    refused(object(json!({"properties": {"a": {"type": "number"}}})));
    refused(object(json!({"properties": {"a": {"enum": [1.5, 2]}, "b": {"type": "string"}}})));
    refused(object(json!({"properties": {"a": {"$ref": "#"}}})));
    refused(object(
        json!({"properties": {"a": {"type": "array", "uniqueItems": true, "items": {"type": "string"}}}}),
    ));
    // Each branch has an order of its own for what is inside.
    refused(object(json!({"properties": {"a": {"type": "object"}}, "anyOf": [
        {"properties": {"a": {"properties": {"x": {"type": "string"}, "y": {"type": "string"}}}}},
        {"properties": {"a": {"properties": {"y": {"type": "string"}, "x": {"type": "string"}}}}},
    ]})));
    let in_any_order = Options::default().property_order(PropertyOrder::Any);
    let error = in_any_order.grammar(&object(json!({})).to_string()).expect_err("refused");
    assert_eq!((error.kind().as_str(), error.pointer()), ("unsupported", "/uniqueItems"), "{error}");
}

#[test]
fn a_set_ends_behind_what_must_come() {
    // The start is reached again, and the array may not end there.
    check(
        &json!({"type": "array", "uniqueItems": true, "contains": {"format": "date"}, "items": {"enum": ["a", []]}}),
        &[(r#"["a", []]"#, true), ("[[]]", true), (r#"["a"]"#, false), (r#"["a", [], []]"#, false)],
    );
}
