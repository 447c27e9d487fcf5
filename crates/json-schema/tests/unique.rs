//! Distinct items: over scalars, over tuples of them, with lengths.

mod common;

use common::Schema;
use formwork_json_schema::Options;
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
    refused(json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "maxLength": 1_000}}));
}

#[test]
fn a_set_ends_behind_what_must_come() {
    // The start is reached again, and the array may not end there.
    check(
        &json!({"type": "array", "uniqueItems": true, "contains": {"format": "date"}, "items": {"enum": ["a", []]}}),
        &[(r#"["a", []]"#, true), ("[[]]", true), (r#"["a"]"#, false), (r#"["a", [], []]"#, false)],
    );
}
