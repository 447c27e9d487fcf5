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
