//! White space as Python's `json.dumps` writes it with `indent`.

mod common;

use common::{Schema, dumped};
use expect_test::expect;
use formwork_json_schema::{Limits, Options, PropertyOrder, Whitespace};
use serde_json::{Value, json};

/// Lists in lists, so many.
fn nested(n: usize, inside: Value) -> Value {
    (0..n).fold(inside, |inside, _| json!([inside]))
}

/// Schemas with values that satisfy them.
fn cases() -> Vec<(Value, Vec<Value>)> {
    let anything = vec![
        json!(null),
        json!([]),
        json!({}),
        json!([[], [{}], 1]),
        json!({"a": {"b": [1, {"c": []}]}, "d": "x y"}),
        nested(32, json!(1)),
        nested(32, json!([])),
    ];
    let tree = json!({"type": "object", "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["name"], "additionalProperties": false});
    let leaf = json!({"name": "a"});
    let trees = vec![
        leaf.clone(),
        json!({"name": "a", "children": []}),
        json!({"name": "a", "children": [leaf, {"name": "b", "children": [{"name": "c"}]}]}),
    ];
    let set = json!({"type": "array", "uniqueItems": true, "items": {"enum": ["a", 1, null]}});
    let tuple = json!({"prefixItems": [{"const": 1}, {"type": "array", "maxItems": 0}], "items": false, "minItems": 1});
    let open = json!({"properties": {"a": {"type": "integer"}, "b": {"properties": {"a": {"const": {"x": [1, 2]}}}}}});
    let counted = json!({"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "boolean"}});
    vec![
        (json!({}), anything),
        (tree, trees),
        (set, vec![json!([]), json!(["a"]), json!([1, "a", null])]),
        (tuple, vec![json!([1]), json!([1, []])]),
        (open, vec![json!({}), json!({"a": 1}), json!({"a": 1, "b": {"a": {"x": [1, 2]}}, "c": [[]]})]),
        (counted, vec![json!({"x": true}), json!({"x": true, "y": false})]),
        (json!({"items": {"type": "integer"}, "contains": {"const": 3}}), vec![json!([3]), json!([1, 3, 2])]),
    ]
}

#[test]
fn lines_are_those_of_json_dumps() {
    let layouts = [(0, [",", ": "]), (2, [",", ": "]), (4, [",", ":"]), (1, [", ", ": "])];
    for order in [PropertyOrder::Schema, PropertyOrder::Any] {
        for (schema, values) in cases() {
            for (indent, separators) in layouts {
                let whitespace = json!({"whitespace": {"indent": indent, "separators": separators}});
                let options = Options::from_json(&whitespace).expect("options").property_order(order);
                let compiled = Schema::new(&options, &schema.to_string()).expect("supported");
                for value in &values {
                    let text = dumped(value, indent, separators);
                    assert!(compiled.accepts(&text), "{schema} {text}");
                    // Any blank more or less is another layout.
                    let gaps = text.match_indices([' ', '\n', ',', '[', '{', ':']).map(|(at, _)| at);
                    for at in gaps.filter(|at| text[..*at].matches('"').count() % 2 == 0).take(40) {
                        let more = format!("{} {}", &text[..at], &text[at..]);
                        assert!(!compiled.accepts(&more), "{schema} {more}");
                        if text[at..].starts_with([' ', '\n']) {
                            let less = format!("{}{}", &text[..at], &text[at + 1..]);
                            assert!(!compiled.accepts(&less), "{schema} {less}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn values_that_nest_without_end_are_cut_and_reported() {
    let whitespace = Whitespace::Lines { indent: 2, after_comma: false, after_colon: true };
    let mut limits = Limits::default();
    limits.max_indented_depth = 3;
    let options = Options::default().whitespace(whitespace).limits(limits);
    let accepts = |schema: &Value, value: &Value| {
        let compiled = Schema::new(&options, &schema.to_string()).expect("supported");
        compiled.accepts(&dumped(value, 2, [",", ": "]))
    };
    let recursive = json!({"type": "array", "items": {"$ref": "#"}});
    for schema in [json!({}), recursive.clone()] {
        assert!(accepts(&schema, &nested(3, json!([]))), "{schema}");
        assert!(!accepts(&schema, &nested(4, json!([]))), "{schema}");
    }
    let (_, report) = options.grammar_with_report(&recursive.to_string()).expect("supported");
    expect![[r#"
        enforced /items items
        enforced /items/$ref $ref
        enforced /type type
        note /items values that stand in more than 3 arrays and objects are left out under `indent`
    "#]]
    .assert_eq(&report.to_string());
    // What is not recursive has all its depths.
    let deep = (0..9).fold(json!({"type": "integer"}), |items, _| json!({"type": "array", "items": items}));
    assert!(accepts(&deep, &nested(9, json!(1))));
    let (_, report) = options.grammar_with_report(&deep.to_string()).expect("supported");
    assert!(report.notes().is_empty(), "{report}");
}

#[test]
fn depths_do_not_multiply() {
    let whitespace = Whitespace::Lines { indent: 2, after_comma: false, after_colon: true };
    for order in [PropertyOrder::Schema, PropertyOrder::Any] {
        let options = Options::default().whitespace(whitespace).property_order(order);
        // Each depth refers to the next in several places.
        for schema in [
            json!({"properties": {"a": {"minProperties": 2, "$ref": "#"}}}),
            json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}, "additionalProperties": {"$ref": "#"}}),
        ] {
            let value = json!({"a": {"a": {"b": {}, "c": {}}, "c": {}}, "c": {}});
            let compiled = Schema::new(&options, &schema.to_string()).expect("supported");
            assert!(compiled.accepts(&dumped(&value, 2, [",", ": "])), "{schema}");
        }
    }
}
