//! Shapes that multiply: the work grows with the schema, or a limit is reported with its place. Work is counted in
//! expressions of the grammar and in steps of the normal form, which no clock and no machine changes.

use formwork_json_schema::{Limits, Options, PropertyOrder};
use serde_json::{Map, Value, json};

/// The expressions of the schema's grammar and the steps to it; `None` where a limit was reached.
fn work(options: &Options, schema: &Value) -> Option<(usize, usize)> {
    match options.grammar_with_report_from_value(schema) {
        Ok((grammar, report)) => Some((grammar.n_exprs(), report.steps())),
        Err(error) => {
            assert_eq!(error.kind().as_str(), "limit", "{error}");
            assert!(!error.message().is_empty());
            None
        }
    }
}

/// Asserts that four times the size is at most six times the expressions, and `factor` times the steps.
#[track_caller]
fn grows(options: &Options, make: impl Fn(usize) -> Value, n: usize, factor: usize) {
    let small = work(options, &make(n)).expect("within the limits");
    let large = work(options, &make(4 * n)).expect("within the limits");
    for (what, factor, small, large) in
        [("expressions", 6, small.0, large.0), ("steps", factor, small.1, large.1)]
    {
        assert!(large <= factor * small + 1_000, "{small} {what} for {n}, {large} for {}", 4 * n);
    }
}

#[track_caller]
fn is_linear(options: &Options, make: impl Fn(usize) -> Value, n: usize) {
    grows(options, make, n, 6);
}

/// Asserts that the work is within a bound, or that a limit was reported, whatever the size.
#[track_caller]
fn is_bounded(make: impl Fn(usize) -> Value, sizes: &[usize]) {
    for &n in sizes {
        if let Some((n_exprs, n_steps)) = work(&Options::default(), &make(n)) {
            assert!(n_exprs < 2_000_000, "{n_exprs} expressions for {n}");
            assert!(n_steps <= 20_000_000, "{n_steps} steps for {n}");
        }
    }
}

fn properties(n: usize) -> Map<String, Value> {
    (0..n).map(|i| (format!("p{i}"), json!({"type": "integer"}))).collect()
}

#[test]
fn long_lists_are_linear() {
    let default = Options::default();
    is_linear(&default, |n| json!({"enum": (0..n).map(|i| format!("value {i}")).collect::<Vec<_>>()}), 2_500);
    is_linear(
        &default,
        |n| json!({"enum": (0..n).map(|i| json!({"a": i, "b": [i, "x"]})).collect::<Vec<_>>()}),
        60,
    );
    is_linear(&default, |n| json!({"properties": properties(n), "additionalProperties": false}), 500);
    let branch = |i: usize| json!({"properties": {"kind": {"const": i}, "x": {}}, "required": ["kind"]});
    is_linear(&default, |n| json!({"oneOf": (0..n).map(branch).collect::<Vec<_>>()}), 25);
    let tuple = |n: usize| json!({"prefixItems": (0..n).map(|i| json!({"const": i})).collect::<Vec<_>>()});
    is_linear(&default, tuple, 500);
}

#[test]
fn a_thousand_branches_that_a_member_tells_apart_are_linear() {
    let default = Options::default();
    let list = |make: fn(usize) -> Value, keyword: &'static str| move |n: usize| json!({keyword: (0..n).map(make).collect::<Vec<_>>()});
    let constant = |i: usize| json!({"a": i, "b": [i, "x"]});
    is_linear(&default, list(constant, "enum"), 250);
    let scalar =
        |i: usize| json!({"const": if i % 2 == 0 { json!(i) } else { json!(format!("v{i}")) }, "title": "x"});
    let tool = |i: usize| {
        let arguments =
            json!({"type": "object", "properties": {format!("a{i}"): {}, "x": {"type": "integer"}}});
        json!({"type": "object", "properties": {"name": {"const": format!("t{i}")}, "arguments": arguments},
            "required": ["name", "arguments"], "additionalProperties": false})
    };
    let event = |i: usize| {
        json!({"type": "object", "properties": {"kind": {"enum": [format!("k{i}"), i]}, format!("a{i}"): {}, format!("b{i}"): {}},
            "required": ["kind", format!("b{i}")], "additionalProperties": false})
    };
    for keyword in ["anyOf", "oneOf"] {
        is_linear(&default, list(scalar, keyword), 250);
        is_linear(&default, list(tool, keyword), 250);
        is_linear(&default, list(event, keyword), 250);
    }
    let then = |i: usize| json!({"if": {"properties": {"kind": {"const": format!("k{i}")}}}, "then": {"properties": {"value": {"const": i}}}});
    let conditions = |n: usize| json!({"properties": {"kind": {}, "value": {}}, "required": ["kind", "value"], "allOf": (0..n).map(then).collect::<Vec<_>>()});
    is_linear(&default, conditions, 100);
    let any = Options::default().property_order(PropertyOrder::Any);
    is_linear(&any, list(tool, "anyOf"), 40);
}

#[test]
fn steps_have_a_limit() {
    // Each variant is known by the only member that it may have: whether some other came is asked after each name.
    let variant = |i: usize| json!({"type": "object", "properties": {format!("p{i}"): {}}, "required": [format!("p{i}")], "additionalProperties": false});
    let make = |n: usize| json!({"anyOf": (0..n).map(variant).collect::<Vec<_>>()});
    let (_, n_steps) = work(&Options::default(), &make(100)).expect("within the limits");
    for (max_steps, is_enough) in [(n_steps, true), (n_steps - 1, false), (0, false)] {
        let mut limits = Limits::default();
        limits.max_steps = max_steps;
        assert_eq!(work(&Options::default().limits(limits), &make(100)).is_some(), is_enough);
    }
    is_bounded(make, &[300, 1_000, 3_000]);
    // A checker counts them for each instance.
    let mut limits = Limits::default();
    limits.max_steps = n_steps;
    let (options, schema) = (Options::default().limits(limits), make(100).to_string());
    let mut checker = formwork_json_schema::Checker::new(&options, &schema).expect("within the limits");
    for i in 0..300 {
        let instance = format!("{{\"p{}\": {i}}}", i % 150);
        assert_eq!(checker.accepts(&instance).expect("within the limits"), i % 150 < 100, "{instance}");
    }
}

#[test]
fn properties_in_any_order_are_linear() {
    let any = Options::default().property_order(PropertyOrder::Any);
    is_linear(&any, |n| json!({"properties": properties(n), "additionalProperties": false}), 50);
    is_linear(&any, |n| json!({"properties": properties(n), "required": ["p0", "p7", "p20"]}), 50);
}

#[test]
fn properties_that_depend_on_each_other_in_any_order_are_linear() {
    let any = Options::default().property_order(PropertyOrder::Any);
    let crossing = |n: usize| {
        let depends: Map<String, Value> =
            (0..n).map(|i| (format!("p{i}"), json!([format!("p{}", n + i)]))).collect();
        json!({"properties": properties(2 * n), "dependentRequired": depends})
    };
    // Sets of names are told apart by 62 bits: of very many, some conditions are looked at for nothing.
    grows(&any, crossing, 20, 10);
    let one_of = |n: usize| {
        let branch = |i: usize| json!({"required": [format!("p{i}")], "properties": {"kind": {"const": i}}});
        json!({"properties": properties(n), "oneOf": (0..n).map(branch).collect::<Vec<_>>()})
    };
    // Each branch must exclude all others, and each name is asked about in all of them.
    grows(&any, one_of, 10, 64);
    let counted = |n: usize| json!({"properties": properties(n), "maxProperties": n / 2, "minProperties": 3});
    is_linear(&any, counted, 50);
}

#[test]
fn conditions_that_are_too_hard_are_a_limit() {
    // So many pigeons in one hole less: each has a hole, and no two the same.
    let n = 12;
    let name = |pigeon: usize, hole: usize| format!("p{pigeon}_{hole}");
    let mut all: Vec<Value> = (0..n)
        .map(|i| json!({"anyOf": (0..n - 1).map(|k| json!({"required": [name(i, k)]})).collect::<Vec<_>>()}))
        .collect();
    for hole in 0..n - 1 {
        for one in 0..n {
            for other in 0..one {
                all.push(json!({"not": {"required": [name(one, hole), name(other, hole)]}}));
            }
        }
    }
    let schema = json!({"type": "object", "allOf": all});
    let any = Options::default().property_order(PropertyOrder::Any);
    if let Ok(grammar) = any.grammar_from_value(&schema) {
        let compiler = formwork_engine::Compiler::builder(formwork_vocab::Vocabulary::bytes()).build();
        let ended = compiler.compile(&grammar).map_err(|error| error.kind().as_str()).and_then(|compiled| {
            let mut matcher = formwork_engine::Matcher::new(&compiled);
            matcher.accept_bytes(b"{").map_err(|_| "limit")
        });
        assert_eq!(ended, Err("limit"));
    }
}

#[test]
fn large_schemas_of_many_definitions_are_linear() {
    // As descriptions of an interface are: half a megabyte of definitions that refer to each other.
    let many = |n: usize| {
        let definition = |i: usize| {
            let mut members = properties(10);
            for k in 1..4 {
                members.insert(format!("next{k}"), json!({"$ref": format!("#/$defs/d{}", (i * k + 1) % n)}));
            }
            members
                .insert("list".into(), json!({"type": "array", "items": {"$ref": format!("#/$defs/d{i}")}}));
            json!({"type": "object", "description": "x".repeat(100), "properties": members, "required": ["p3"]})
        };
        let definitions: Map<String, Value> = (0..n).map(|i| (format!("d{i}"), definition(i))).collect();
        json!({"$ref": "#/$defs/d0", "$defs": definitions})
    };
    is_linear(&Options::default(), many, 200);
    is_linear(&Options::default().property_order(PropertyOrder::Any), many, 200);
}

#[test]
fn depth_is_linear() {
    let nested = |key: &'static str| {
        move |n: usize| {
            let mut schema = json!({"type": "integer"});
            for _ in 0..n {
                schema = json!({key: [schema, {"type": "string"}], "type": ["integer", "string"]});
            }
            schema
        }
    };
    for key in ["oneOf", "anyOf"] {
        is_bounded(nested(key), &[5, 20, 80, 300]);
    }
    let arrays = |n: usize| (0..n).fold(json!({}), |schema, _| json!({"type": "array", "items": schema}));
    is_linear(&Options::default(), arrays, 100);
}

#[test]
fn what_multiplies_is_bounded_or_a_limit() {
    // Each of the first half asks for one of the second, which all come later.
    is_bounded(
        |n| {
            let depends: Map<String, Value> =
                (0..n).map(|i| (format!("p{i}"), json!([format!("p{}", n + i)]))).collect();
            json!({"properties": properties(2 * n), "dependentRequired": depends})
        },
        &[3, 6, 12, 40],
    );
    is_bounded(
        |n| {
            let contains = |i| json!({"contains": {"type": "object", "required": [format!("p{i}")]}});
            json!({"allOf": (0..n).map(contains).collect::<Vec<_>>()})
        },
        &[1, 3, 6, 12],
    );
    is_bounded(
        |n| {
            let patterns: Map<String, Value> =
                (0..n).map(|i| (format!("a{i}.*b"), json!({"minimum": i}))).collect();
            json!({"patternProperties": patterns})
        },
        &[3, 8, 20],
    );
    is_bounded(
        |n| {
            let object = |i: usize| {
                let own: Map<String, Value> =
                    (0..4).map(|k| (format!("p{}", i * 4 + k), json!({"type": "integer"}))).collect();
                json!({"type": "object", "properties": own})
            };
            json!({"oneOf": (0..n).map(object).collect::<Vec<_>>()})
        },
        &[2, 6, 12],
    );
    is_bounded(|n| json!({"contains": {"const": 1}, "minContains": n, "maxContains": 2 * n}), &[2, 20, 200]);
}
