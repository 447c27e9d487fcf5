//! Random JSON Schemas over all keywords, and instances that have a chance.
//!
//! Names, strings and numbers are few, so that keywords concern each other. What two validators read differently is left
//! out: patterns and formats are those that all agree on, and references stand only below a keyword that consumes, so that
//! no schema refers to itself in place.

use super::shrink::{Json, shrinking};
use crate::Rng;
use proptest::strategy::Strategy;
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "b", "ab", "c"];
const TYPES: [&str; 7] = ["null", "boolean", "number", "integer", "string", "array", "object"];
const PATTERNS: [&str; 6] = ["a", "^a", "b$", "^a?b$", "^.$", "^[ab]*$"];
/// What `$ref` may lead to beside the root.
const DEFINITIONS: [&str; 2] = ["x", "y"];

/// A schema of draft 2020-12 and instances for it; failing ones get smaller.
pub fn schemas_with_instances(n_instances: usize) -> impl Strategy<Value = Json> {
    shrinking(move |rng| {
        let schema = random_schema(rng);
        let instances: Vec<Value> = (0..n_instances).map(|_| random_instance(rng, 3)).collect();
        json!({"schema": schema, "instances": instances})
    })
}

/// A schema of draft 2020-12.
pub fn random_schema(rng: &mut Rng) -> Value {
    let mut root = schema(rng, 3, true);
    if let Value::Object(members) = &mut root {
        let definitions: Map<String, Value> =
            DEFINITIONS.iter().map(|&name| (name.to_owned(), schema(rng, 2, true))).collect();
        members.insert("$defs".to_owned(), Value::Object(definitions));
    }
    root
}

/// A value of a few levels.
pub fn random_instance(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 1 } else { 3 }) {
        0 => scalar(rng),
        1 => {
            let n = rng.below(4);
            Value::Array((0..n).map(|_| random_instance(rng, depth - 1)).collect())
        }
        _ => {
            let mut members = Map::new();
            for _ in 0..rng.below(4) {
                members.insert(of(rng, &NAMES).to_owned(), random_instance(rng, depth - 1));
            }
            Value::Object(members)
        }
    }
}

fn of<'a>(rng: &mut Rng, items: &[&'a str]) -> &'a str {
    items[rng.below(items.len())]
}

fn scalar(rng: &mut Rng) -> Value {
    match rng.below(11) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(false),
        3 | 4 => json!(rng.below(4)),
        5 => json!(-1),
        6 => json!(1.5),
        7 => json!("a"),
        8 => json!("b"),
        9 => json!("ab"),
        _ => json!("2020-02-29"),
    }
}

/// A schema; `is_place` says that nothing was consumed since a place that references lead to.
fn schema(rng: &mut Rng, depth: usize, is_place: bool) -> Value {
    if depth == 0 || rng.chance(1, 8) {
        return match rng.below(7) {
            0 => json!(true),
            1 => json!(false),
            2 => json!({"const": scalar(rng)}),
            3 => json!({"enum": [scalar(rng), json!([scalar(rng)])]}),
            4 if !is_place => reference(rng),
            _ => json!({"type": of(rng, &TYPES)}),
        };
    }
    let mut members = Map::new();
    for _ in 0..rng.between(1, 3) {
        keyword(rng, depth - 1, is_place, &mut members);
    }
    Value::Object(members)
}

fn reference(rng: &mut Rng) -> Value {
    match rng.below(3) {
        0 => json!({"$ref": "#"}),
        _ => json!({"$ref": format!("#/$defs/{}", of(rng, &DEFINITIONS))}),
    }
}

fn schemas(rng: &mut Rng, depth: usize, is_place: bool) -> Value {
    let n = rng.between(1, 3);
    Value::Array((0..n).map(|_| schema(rng, depth, is_place)).collect())
}

fn names(rng: &mut Rng) -> Value {
    let mut names: Vec<&str> = (0..rng.between(1, 2)).map(|_| of(rng, &NAMES)).collect();
    names.dedup();
    json!(names)
}

/// Adds a keyword, and what belongs to it.
fn keyword(rng: &mut Rng, depth: usize, is_place: bool, members: &mut Map<String, Value>) {
    // What is inside of a value stands at no place any more.
    let inside = |rng: &mut Rng| schema(rng, depth, false);
    let here = |rng: &mut Rng| schema(rng, depth, is_place);
    let (key, value) = match rng.below(42) {
        0 => ("type", {
            let mut types = vec![of(rng, &TYPES), of(rng, &TYPES)];
            types.dedup();
            json!(types)
        }),
        1 => ("enum", json!([scalar(rng), json!([scalar(rng)]), json!({"a": scalar(rng)})])),
        2 => ("const", random_instance(rng, 2)),
        3 => ("minimum", json!(rng.below(3))),
        4 => ("exclusiveMaximum", json!(rng.below(3))),
        5 => ("exclusiveMinimum", json!(-1)),
        6 => ("maximum", json!(1.5)),
        7 => ("multipleOf", [json!(0.5), json!(2), json!(1), json!(3), json!(1.5)][rng.below(5)].clone()),
        8 => ("minLength", json!(rng.below(3))),
        9 => ("maxLength", json!(rng.below(3))),
        10 => ("pattern", json!(of(rng, &PATTERNS))),
        11 => ("items", inside(rng)),
        12 => ("prefixItems", schemas(rng, depth, false)),
        13 => ("minItems", json!(rng.below(3))),
        14 => ("maxItems", json!(rng.below(3))),
        15 | 16 => {
            if rng.chance(1, 2) {
                members.insert("minContains".to_owned(), json!(rng.below(3)));
                members.insert("maxContains".to_owned(), json!(rng.below(3)));
            }
            ("contains", inside(rng))
        }
        17..=19 => {
            let n = rng.between(1, 3);
            let properties: Map<String, Value> =
                (0..n).map(|_| (of(rng, &NAMES).to_owned(), inside(rng))).collect();
            ("properties", Value::Object(properties))
        }
        20 => {
            ("patternProperties", json!({of(rng, &PATTERNS): inside(rng), of(rng, &PATTERNS): inside(rng)}))
        }
        21 | 22 => ("additionalProperties", inside(rng)),
        23 | 24 => ("required", names(rng)),
        25 => ("propertyNames", inside(rng)),
        26 => ("minProperties", json!(rng.below(4))),
        27 => ("maxProperties", json!(rng.below(4))),
        28 | 29 => ("dependentRequired", json!({of(rng, &NAMES): names(rng), of(rng, &NAMES): names(rng)})),
        30 => ("dependentSchemas", json!({of(rng, &NAMES): here(rng)})),
        31 => ("allOf", schemas(rng, depth, is_place)),
        32 => ("anyOf", schemas(rng, depth, is_place)),
        33 | 34 => ("oneOf", schemas(rng, depth, is_place)),
        35 => ("not", here(rng)),
        36 => ("uniqueItems", json!(true)),
        37 => ("unevaluatedProperties", inside(rng)),
        38 => ("unevaluatedItems", inside(rng)),
        39 => ("format", json!(of(rng, &["date", "ipv4"]))),
        40 if !is_place => {
            let Value::Object(reference) = reference(rng) else { return };
            members.extend(reference);
            return;
        }
        _ => {
            members.insert("then".to_owned(), here(rng));
            members.insert("else".to_owned(), here(rng));
            ("if", here(rng))
        }
    };
    members.insert(key.to_owned(), value);
}
