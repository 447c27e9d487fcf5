//! Random schemas over all keywords and tiny alphabets: the grammar, the checker and the `jsonschema` crate agree.

mod common;

use common::{Random, Schema};
use formwork_json_schema::{Checker, Numbers, Options, PropertyOrder};
use serde_json::{Value, json};

fn scalar(r: &mut Random) -> Value {
    match r.below(9) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(false),
        3 => json!(r.below(4)),
        4 => json!(-1),
        5 => json!(1.5),
        6 => json!("a"),
        7 => json!("b"),
        _ => json!("ab"),
    }
}

fn instance(r: &mut Random, depth: usize) -> Value {
    match r.below(if depth == 0 { 1 } else { 3 }) {
        0 => scalar(r),
        1 => {
            let n = r.below(4);
            Value::Array((0..n).map(|_| instance(r, depth - 1)).collect())
        }
        _ => {
            let mut members = serde_json::Map::new();
            for _ in 0..r.below(4) {
                let key = r.of(&["a", "b", "ab", "c"]);
                members.insert(key.to_owned(), instance(r, depth - 1));
            }
            Value::Object(members)
        }
    }
}

fn schema(r: &mut Random, depth: usize) -> Value {
    if depth == 0 || r.below(8) == 0 {
        return match r.below(6) {
            0 => json!(true),
            1 => json!(false),
            2 => json!({"const": scalar(r)}),
            3 => json!({"enum": [scalar(r), scalar(r), instance(r, 1)]}),
            _ => {
                json!({"type": r.of(&["null", "boolean", "number", "integer", "string", "array", "object"])})
            }
        };
    }
    let mut members = serde_json::Map::new();
    for _ in 0..1 + r.below(3) {
        let (key, value) = keyword(r, depth - 1);
        members.insert(key.to_owned(), value);
    }
    Value::Object(members)
}

fn schemas(r: &mut Random, depth: usize) -> Value {
    let n = 1 + r.below(3);
    Value::Array((0..n).map(|_| schema(r, depth)).collect())
}

fn keyword(r: &mut Random, depth: usize) -> (&'static str, Value) {
    const NAMES: [&str; 4] = ["a", "b", "ab", "c"];
    let pattern = |r: &mut Random| r.of(&["a", "^a", "b$", "^a?b$", "^.$"]).to_owned();
    match r.below(36) {
        0 => (
            "type",
            json!([r.of(&["integer", "string", "array", "object"]), r.of(&["null", "number", "object"])]),
        ),
        1 => ("enum", json!([scalar(r), instance(r, 1), instance(r, 2)])),
        2 => ("const", instance(r, 2)),
        3 => ("minimum", json!(r.below(3))),
        4 => ("exclusiveMaximum", json!(r.below(3))),
        5 => ("multipleOf", r.of(&[&json!(0.5), &json!(2), &json!(1), &json!(3), &json!(1.5)]).clone()),
        6 => ("minLength", json!(r.below(3))),
        7 => ("maxLength", json!(r.below(3))),
        8 => ("pattern", json!(pattern(r))),
        9 => ("items", schema(r, depth)),
        10 => ("prefixItems", schemas(r, depth)),
        11 => ("minItems", json!(r.below(3))),
        12 => ("maxItems", json!(r.below(3))),
        13 => ("contains", schema(r, depth)),
        14 | 15 => {
            let mut members = serde_json::Map::new();
            for _ in 0..1 + r.below(3) {
                members.insert(r.of(&NAMES).to_owned(), schema(r, depth));
            }
            ("properties", Value::Object(members))
        }
        16 => ("patternProperties", json!({pattern(r): schema(r, depth)})),
        17 => ("additionalProperties", schema(r, depth)),
        18 | 19 => ("required", json!([r.of(&NAMES)])),
        20 => ("propertyNames", schema(r, depth)),
        21 => ("minProperties", json!(r.below(3))),
        22 => ("maxProperties", json!(r.below(3))),
        23 => ("dependentRequired", json!({r.of(&NAMES): [r.of(&NAMES)]})),
        24 => ("dependentSchemas", json!({r.of(&NAMES): schema(r, depth)})),
        25 => ("allOf", schemas(r, depth)),
        26 => ("anyOf", schemas(r, depth)),
        27 => ("oneOf", schemas(r, depth)),
        28 => ("not", schema(r, depth)),
        34 | 35 => ("uniqueItems", json!(true)),
        29 | 30 => ("unevaluatedProperties", schema(r, depth)),
        31 | 32 => ("unevaluatedItems", schema(r, depth)),
        _ => ("if", schema(r, depth)),
    }
}

/// `then` and `else` where there is an `if`, and now and then counts beside `contains`.
fn complete(r: &mut Random, schema: &mut Value) {
    if let Value::Object(members) = schema {
        if members.contains_key("if") {
            members.insert("then".into(), self::schema(r, 1));
            members.insert("else".into(), self::schema(r, 1));
        }
        if members.contains_key("contains") && r.below(2) == 0 {
            members.insert("minContains".into(), json!(r.below(3)));
            members.insert("maxContains".into(), json!(r.below(3)));
        }
        for member in members.values_mut() {
            complete(r, member);
        }
    }
}

#[test]
fn agree_with_jsonschema() {
    let n_schemas: usize = std::env::var("SCHEMAS").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let seed: u64 = std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let options = Options::default().property_order(PropertyOrder::Any).numbers(Numbers::Any);
    let in_order = Options::default();
    let mut r = Random(seed);
    let (mut n_compiled, mut n_accepted) = (0, 0);
    for _ in 0..n_schemas {
        let mut schema = schema(&mut r, 3);
        complete(&mut r, &mut schema);
        let text = schema.to_string();
        let instances: Vec<Value> = (0..40).map(|_| instance(&mut r, 3)).collect();
        // The meta-schema wants lists without repetitions, which the generator does not look after.
        let Ok(validator) = jsonschema::draft202012::new(&schema) else { continue };
        let mut checker = Checker::new(&options, &text).expect("a schema");
        let compiled = match Schema::new(&options, &text) {
            Ok(compiled) => Some(compiled),
            // Distinctness of what may be anything cannot be decided from left to right; the checker can.
            Err(error) if error.pointer().ends_with("/uniqueItems") => None,
            Err(error) => panic!("{text}: {error}"),
        };
        let ordered = Schema::new(&in_order, &text);
        n_compiled += usize::from(compiled.is_some());
        for instance in &instances {
            let expected = validator.is_valid(instance);
            n_accepted += usize::from(expected);
            let instance = instance.to_string();
            assert_eq!(checker.accepts(&instance), Ok(expected), "checker: {text} {instance}");
            if let Some(compiled) = &compiled {
                assert_eq!(compiled.accepts(&instance), expected, "grammar: {text} {instance}");
            }
            if let Ok(ordered) = &ordered {
                assert!(
                    expected || !ordered.accepts(&instance),
                    "in order, wrongly accepted: {text} {instance}"
                );
            }
        }
    }
    assert!(
        n_compiled > n_schemas / 2 && n_accepted > n_schemas,
        "{n_compiled} compiled, {n_accepted} accepted"
    );
}
