//! Members in any order: exact, and states that grow with the properties instead of their subsets.

mod common;

use common::{Random, Schema};
use formwork_engine::Compiler;
use formwork_json_schema::{Numbers, Options, PropertyOrder};
use formwork_vocab::Vocabulary;
use serde_json::{Map, Value, json};

fn options() -> Options {
    Options::default().property_order(PropertyOrder::Any).numbers(Numbers::Any)
}

/// So many optional properties, every tenth of them required.
fn many(n: usize, open: bool) -> Value {
    let properties: Map<String, Value> =
        (0..n).map(|i| (format!("key{i}"), json!({"type": "integer"}))).collect();
    let required: Vec<String> = (0..n).step_by(10).map(|i| format!("key{i}")).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": open})
}

fn text(keys: &[usize]) -> String {
    let members: Vec<String> = keys.iter().map(|i| format!("\"key{i}\": {i}")).collect();
    format!("{{{}}}", members.join(", "))
}

#[test]
fn two_hundred_properties_in_any_order() {
    let mut r = Random(7);
    for open in [false, true] {
        let schema = Schema::new(&options(), &many(200, open).to_string()).expect("compiles");
        for _ in 0..20 {
            // The required ones and some others, shuffled.
            let mut keys: Vec<usize> = (0..200).filter(|i| i % 10 == 0 || r.below(4) == 0).collect();
            for i in (1..keys.len()).rev() {
                keys.swap(i, r.below(i + 1));
            }
            assert!(schema.accepts(&text(&keys)));
            let twice = [&keys[..], &keys[..1]].concat();
            assert!(!schema.accepts(&text(&twice)));
            let escaped = text(&keys).replacen("\"key", "\"k\\u0065y", 1);
            assert!(schema.accepts(&escaped));
            keys.retain(|&key| key != 50);
            assert!(!schema.accepts(&text(&keys)), "key50 is required");
        }
        assert_eq!(schema.accepts(&text(&(0..201).collect::<Vec<_>>())), open, "key200 is not declared");
    }
}

#[test]
fn states_grow_with_the_properties() {
    let n_states = |n| {
        let grammar = options().grammar(&many(n, true).to_string()).expect("a schema");
        let compiled = Compiler::builder(Vocabulary::bytes()).build().compile(&grammar).expect("compiles");
        compiled.automata().complete(&|| false).expect("within the limits");
        compiled.automata().n_states()
    };
    let (few, many) = (n_states(50), n_states(400));
    assert!(many < 10 * few, "{few} states of 50 properties, {many} of 400");
}

#[test]
fn properties_that_depend_on_each_other_keep_the_others_free() {
    let mut schema = many(60, false);
    schema["dependentRequired"] = json!({"key1": ["key2"], "key3": ["key2", "key4"]});
    schema["minProperties"] = json!(1);
    schema["required"] = json!(["key30"]);
    let schema = Schema::new(&options(), &schema.to_string()).expect("compiles");
    for (keys, expected) in [
        (&[30][..], true),
        (&[1, 30][..], false),
        (&[1, 30, 2][..], true),
        (&[40, 2, 3, 30, 4, 59][..], true),
        (&[40, 2, 3, 30, 59][..], false),
        (&[2, 1, 2, 30][..], false),
    ] {
        assert_eq!(schema.accepts(&text(keys)), expected, "{keys:?}");
    }
}

#[test]
fn any_number_of_properties_may_depend_on_each_other() {
    // Forty branches of four properties each, told apart by the value of one that may come last.
    let branch = |i: usize| {
        let mut all: Map<String, Value> =
            (0..3).map(|k| (format!("key{}", 3 * i + k), json!({"type": "integer"}))).collect();
        all.insert("kind".into(), json!({"const": i}));
        all.insert("value".into(), json!({"type": "integer", "minimum": i}));
        json!({"type": "object", "properties": all, "additionalProperties": false,
            "required": ["kind", format!("key{}", 3 * i)]})
    };
    let schema = json!({"oneOf": (0..40).map(branch).collect::<Vec<_>>()});
    let schema = Schema::new(&options(), &schema.to_string()).expect("compiles");
    for (text, expected) in [
        (r#"{"kind": 7, "key21": 1}"#, true),
        (r#"{"key21": 1, "kind": 7}"#, true),
        (r#"{"key22": 0, "value": 7, "key23": 5, "key21": 1, "kind": 7}"#, true),
        (r#"{"value": 6, "key21": 1, "kind": 7}"#, false),
        (r#"{"key21": 1, "kind": 8}"#, false),
        (r#"{"key21": 1, "key24": 1, "kind": 7}"#, false),
        (r#"{"key21": 1, "key22": 1}"#, false),
        (r#"{"kind": 7, "key22": 1}"#, false),
        (r#"{"kind": 7, "key21": 1, "key21": 1}"#, false),
        (r#"{"value": 3.0, "kind": 3, "key9": 1e1}"#, true),
    ] {
        assert_eq!(schema.accepts(text), expected, "{text}");
    }
}

#[test]
fn values_that_satisfy_several_branches_leave_them_open() {
    // Each property is any value in all branches but its own: half of all subsets of branches may be open.
    let branch = |i: usize| json!({"properties": {format!("key{i}"): {"type": "integer"}}, "required": [format!("key{i}")]});
    let schema = json!({"anyOf": (0..20).map(branch).collect::<Vec<_>>()});
    let schema = Schema::new(&options(), &schema.to_string()).expect("compiles");
    let strings: Vec<String> = (0..20).map(|i| format!("\"key{i}\": \"x\"")).collect();
    assert!(!schema.accepts(&format!("{{{}}}", strings.join(", "))), "no integer");
    let mut mixed = strings;
    mixed[13] = "\"key13\": 1".to_owned();
    assert!(schema.accepts(&format!("{{{}}}", mixed.join(", "))));
    mixed.reverse();
    assert!(schema.accepts(&format!("{{{}}}", mixed.join(", "))));
    assert!(!schema.accepts("{}") && schema.accepts(r#"{"other": 1, "other": 2, "key0": 1}"#));
}

#[test]
fn the_number_of_properties_in_any_order_is_bounded() {
    let mut at_least = many(60, false);
    at_least["required"] = json!([]);
    at_least["minProperties"] = json!(1);
    let schema = Schema::new(&options(), &at_least.to_string()).expect("compiles");
    assert!(!schema.accepts("{}") && schema.accepts(&text(&[59, 3])));
    let mut at_most = many(60, false);
    at_most["maxProperties"] = json!(8);
    let schema = Schema::new(&options(), &at_most.to_string()).expect("compiles");
    // Key0, key10 and so on are required, and leave room for two others.
    for (others, expected) in [(&[][..], true), (&[3, 7][..], true), (&[59, 1, 2][..], false)] {
        let required = [50, 0, 10, 40, 30, 20];
        let front: Vec<usize> = others.iter().chain(&required).copied().collect();
        assert_eq!(schema.accepts(&text(&front)), expected, "{others:?}");
        let back: Vec<usize> = required.iter().chain(others).copied().collect();
        assert_eq!(schema.accepts(&text(&back)), expected, "{others:?}");
    }
    let mut open = many(60, true);
    open["required"] = json!(["key7"]);
    (open["minProperties"], open["maxProperties"]) = (json!(3), json!(4));
    let schema = Schema::new(&options(), &open.to_string()).expect("compiles");
    for (keys, expected) in [
        (&[7, 70][..], false),
        (&[70, 71, 7][..], true),
        (&[70, 71, 72, 7][..], true),
        (&[70, 71, 72, 73, 7][..], false),
        (&[70, 71, 72, 1][..], false),
        (&[1, 2, 70][..], false),
    ] {
        assert_eq!(schema.accepts(&text(keys)), expected, "{keys:?}");
    }
    let mut few = many(6, false);
    few["maxProperties"] = json!(2);
    let schema = Schema::new(&options(), &few.to_string()).expect("compiles");
    assert!(schema.accepts(&text(&[3, 0])) && !schema.accepts(&text(&[3, 4])));
    assert!(!schema.accepts(&text(&[3, 0, 4])));
}

#[test]
fn what_another_member_breaks_anyway_need_not_be_said() {
    // That a string is no regular expression cannot be said; here a member of another name says that the object is not one
    // of the second kind.
    let schema = r#"{
        "type": "object",
        "not": {"anyOf": [
            {"properties": {"type": {"type": "string"}}},
            {"properties": {"pattern": {"type": "string", "format": "regex"}}, "additionalProperties": false}
        ]}
    }"#;
    let texts =
        [r#"{"type":1}"#, r#"{"type":""}"#, r#"{"pattern":"("}"#, r#"{"pattern":"(","type":2}"#, "{}"];
    for order in [PropertyOrder::Schema, PropertyOrder::Any] {
        let schema = Schema::new(&Options::default().property_order(order), schema).expect("compiles");
        let accepted = texts.map(|text| schema.accepts(text));
        assert_eq!(accepted, [true, false, false, true, false], "{order:?}");
    }
}

#[test]
fn a_demand_and_its_negation_are_both_told_to_the_condition() {
    // The second branch holds whatever its values are: only `a` must be missing for the first. With `a` there, what is left
    // of the condition is a demand that every value satisfies and, in another place, its negation.
    let test = json!({"properties": {"a": {}, "b": {}}});
    let then = json!({"dependentSchemas": {"a": {"type": "boolean"}}});
    let first = json!({"if": test, "then": then, "else": {"propertyNames": {"type": "null"}}});
    let schema = json!({"oneOf": [first, {"properties": {"c": {}}}]}).to_string();
    let compiled = Schema::new(&options(), &schema).expect("compiles");
    for (text, valid) in
        [(r#"{"a":true}"#, true), (r#"{"c":1,"a":true}"#, true), ("{}", false), (r#"{"b":1}"#, false)]
    {
        assert_eq!(compiled.accepts(text), valid, "{text}");
    }
    // The same where values satisfy the demand or do not.
    let either = |demand: Value, other: Value| json!({"allOf": [{"properties": {"a": demand}}, {"required": ["b"]}, {"properties": {"c": other}}]});
    let string = json!({"type": "string"});
    let schema = json!({"properties": {"a": {}, "b": {}, "c": {}}, "anyOf": [
        either(string.clone(), json!({"type": "null"})),
        either(json!({"not": string}), json!({"type": "null"})),
        {"required": ["d"]},
    ]});
    let compiled = Schema::new(&options(), &schema.to_string()).expect("compiles");
    for (text, valid) in [
        (r#"{"a":"x","b":1}"#, true),
        (r#"{"b":1,"a":2}"#, true),
        (r#"{"c":null,"b":1,"a":2}"#, true),
        (r#"{"c":1,"b":1,"a":2}"#, false),
        (r#"{"c":1,"b":1,"a":"x","d":1}"#, true),
        (r#"{"a":"x"}"#, false),
    ] {
        assert_eq!(compiled.accepts(text), valid, "{text}");
    }
}
