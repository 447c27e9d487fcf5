//! Compiling grows as the text does: twice the size is about twice the work, from the text to all automata. Work is
//! counted in expressions, rules, states and steps of the construction, which no clock and no machine changes.
//!
//! Sizes begin where the frontend's ways of sharing have set in: the tails of optional properties become rules of their own
//! by the dozen. What is not linear is not here: a sequence of optional parts, `(a|bc)?(a|bc)?…` in a regular expression,
//! has as many states as parts, and each of them stands for all parts that may follow.

use formwork::earley::{Limits, Rows};
use formwork::fsm::{self, Config};
use formwork::{Grammar, ebnf, json_schema, regex, tags};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What a grammar and its automata took.
fn costs(grammar: &Grammar) -> [(&'static str, u64); 5] {
    let mut config = Config::default();
    // All states at once, none left for when it is reached.
    (config.runs, config.lazy) = (true, false);
    let automata = fsm::build(grammar, &config, &|| false).expect("automata");
    automata.complete(&|| false).expect("within limits");
    [
        ("expressions", grammar.n_exprs() as u64),
        ("rules", grammar.rules().len() as u64),
        ("automata", automata.n_rules() as u64),
        ("states", automata.n_states() as u64),
        ("steps", automata.work()),
    ]
}

/// Asserts that each of two doublings at most doubles everything, and an eighth more.
#[track_caller]
fn is_linear(make: impl Fn(usize) -> Grammar, n: usize) {
    let mut before = costs(&make(n));
    for n in [2 * n, 4 * n] {
        let now = costs(&make(n));
        for ((what, before), (_, now)) in before.iter().zip(now) {
            // What there is once, whatever the size.
            let once = 64;
            assert!(4 * now <= 9 * before + 4 * once, "{before} {what} for {}, {now} for {n}", n / 2);
        }
        before = now;
    }
}

fn schema(value: &Value) -> Grammar {
    json_schema::grammar_from_value(value).expect("a grammar")
}

fn object<V: Into<Value>>(members: impl Iterator<Item = (String, V)>) -> Value {
    Value::Object(members.map(|(key, value)| (key, value.into())).collect::<Map<String, Value>>())
}

fn properties(n: usize, of: impl Fn(usize) -> Value) -> Value {
    object((0..n).map(|i| (format!("p{i}"), of(i))))
}

#[test]
fn properties_are() {
    let types =
        [json!({"type": "integer"}), json!({"type": "string"}), json!({"enum": ["a", "b"]}), json!({})];
    let of = |i: usize| types[i % 4].clone();
    is_linear(|n| schema(&json!({"properties": properties(n, of)})), 200);
    is_linear(|n| schema(&json!({"properties": properties(n, of), "additionalProperties": false})), 200);
    let required = |n: usize| (0..n).map(|i| format!("p{i}")).collect::<Vec<_>>();
    is_linear(|n| schema(&json!({"properties": properties(n, of), "required": required(n)})), 50);
    let any = json_schema::Options::default().property_order(json_schema::PropertyOrder::Any);
    let in_any_order = |n| {
        let value = json!({"properties": properties(n, of), "required": required(n / 2)});
        any.grammar_from_value(&value).expect("a grammar")
    };
    is_linear(in_any_order, 25);
    let lengths = |i: usize| json!({"type": "string", "minLength": 1, "maxLength": 100 + i});
    is_linear(|n| schema(&json!({"properties": properties(n, lengths)})), 200);
    let patterns = |i: usize| json!({"type": "string", "pattern": format!("^k{i}-[a-z]+$")});
    is_linear(|n| schema(&json!({"properties": properties(n, patterns)})), 200);
}

/// The comma behind a value is the same whatever name comes then, so what is there need not know the names.
#[test]
fn behind_a_value_there_is_the_same_work_however_many_members_may_follow() {
    let work = |n: usize| {
        let value = json!({"properties": properties(n, |_| json!({"type": "boolean"})), "additionalProperties": false});
        let automata =
            Arc::new(fsm::build(&schema(&value), &Config::default(), &|| false).expect("automata"));
        let mut rows = Rows::new(Arc::clone(&automata), Limits::default());
        let mut row = rows.start().expect("a row");
        let mut read = |text: &str| {
            for &byte in text.as_bytes() {
                row = rows.advance(row, byte).expect("within limits").expect("a member");
            }
            automata.work()
        };
        let before = read("{\"p0\": tru");
        read("e ") - before
    };
    assert_eq!(work(40), work(20));
    assert!(work(20) > 0);
}

#[test]
fn depth_is() {
    let objects =
        |n: usize| (0..n).fold(json!({"type": "integer"}), |inner, _| json!({"properties": {"a": inner}}));
    is_linear(|n| schema(&objects(n)), 80);
    let arrays = |n: usize| (0..n).fold(json!({}), |inner, _| json!({"type": "array", "items": inner}));
    is_linear(|n| schema(&arrays(n)), 80);
    let tuples = |n: usize| {
        let around = |inner, _| json!({"type": "array", "prefixItems": [{"type": "integer"}, inner]});
        (0..n).fold(json!({}), around)
    };
    is_linear(|n| schema(&tuples(n)), 80);
}

#[test]
fn entries_of_enums_are() {
    is_linear(|n| schema(&json!({"enum": (0..n).map(|i| format!("value {i}")).collect::<Vec<_>>()})), 250);
    is_linear(|n| schema(&json!({"enum": (0..n).map(|i| i * 7919).collect::<Vec<_>>()})), 250);
    is_linear(
        |n| schema(&json!({"enum": (0..n).map(|i| json!({"a": i, "b": [i, "x"]})).collect::<Vec<_>>()})),
        20,
    );
}

#[test]
fn definitions_and_references_are() {
    let chain = |n: usize| {
        let next = |i: usize| json!({"properties": {"v": {"type": "string"}, "next": {"$ref": format!("#/$defs/d{}", (i + 1) % n)}}});
        json!({"$ref": "#/$defs/d0", "$defs": object((0..n).map(|i| (format!("d{i}"), next(i))))})
    };
    is_linear(|n| schema(&chain(n)), 20);
    let star = |n: usize| {
        let refs = properties(n, |_| json!({"$ref": "#/$defs/one"}));
        json!({"properties": refs, "$defs": {"one": {"properties": {"a": {"type": "string"}, "b": {"type": "number"}}}}})
    };
    is_linear(|n| schema(&star(n)), 400);
    let tree = |n: usize| {
        let child = |i: usize| match i < n {
            true => json!({"$ref": format!("#/$defs/d{i}")}),
            false => json!({"type": "string"}),
        };
        let node = |i: usize| json!({"type": "object", "properties": {"left": child(2 * i + 1), "right": child(2 * i + 2)}});
        json!({"$ref": "#/$defs/d0", "$defs": object((0..n).map(|i| (format!("d{i}"), node(i))))})
    };
    is_linear(|n| schema(&tree(n)), 40);
}

/// As descriptions of an interface are: 938 KB of definitions that refer to each other.
#[test]
fn many_definitions_are() {
    let described = |n: usize| {
        let definition = |i: usize| {
            let property = |k: usize| match k % 4 {
                0 => json!({"$ref": format!("#/$defs/d{}", (i * 7 + k * 13 + 1) % n)}),
                1 => json!({"type": "array", "items": {"$ref": format!("#/$defs/d{}", (i * 5 + k) % n)}}),
                2 => json!({"type": "string", "description": "What this is for, in a sentence or two."}),
                _ => json!({"type": "integer", "format": "int32"}),
            };
            json!({"type": "object", "description": "An object.", "properties": properties(12, property)})
        };
        let definitions = object((0..n).map(|i| (format!("d{i}"), definition(i))));
        json!({"$ref": "#/$defs/d0", "$defs": definitions}).to_string()
    };
    let n = 360;
    assert!(described(4 * n).len() > 938 << 10, "{} bytes", described(4 * n).len());
    let grammar = |n: usize| {
        let grammar = json_schema::grammar(&described(n)).expect("a grammar");
        assert!(grammar.rules().len() > n, "each definition is reached");
        grammar
    };
    is_linear(grammar, n);
}

#[test]
fn branches_are() {
    let kinds = |n: usize| {
        let branch = |i: usize| json!({"type": "object", "properties": {"kind": {"const": format!("k{i}")}, "x": {"type": "integer"}}, "required": ["kind"]});
        (0..n).map(branch).collect::<Vec<_>>()
    };
    is_linear(|n| schema(&json!({"anyOf": kinds(n)})), 10);
    is_linear(|n| schema(&json!({"oneOf": kinds(n)})), 10);
    let all = |n: usize| {
        (0..n).map(|i| json!({"properties": {format!("p{i}"): {"type": "integer"}}})).collect::<Vec<_>>()
    };
    is_linear(|n| schema(&json!({"allOf": all(n)})), 160);
    let tuple = |n: usize| (0..n).map(|i| json!({"const": i})).collect::<Vec<_>>();
    is_linear(|n| schema(&json!({"prefixItems": tuple(n)})), 50);
}

#[test]
fn tools_are() {
    let tools = |n: usize| {
        let tags: Vec<Value> = (0..n)
            .map(|i| {
                let schema = json!({"properties": {"query": {"type": "string"}, format!("limit{i}"): {"type": "integer"}}, "required": ["query"]});
                json!({"begin": format!("<function=tool_{i}>"), "content": {"type": "json_schema", "json_schema": schema}, "end": "</function>"})
            })
            .collect();
        let tag = json!({"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<function="], "tags": tags}});
        tags::grammar(&tag.to_string()).expect("a grammar")
    };
    is_linear(tools, 20);
}

#[test]
fn rules_and_literals_are() {
    let rules = |n: usize| {
        let rule = |i: usize| format!("r{i} ::= \"a{i}\" r{} | [a-z]+ \";\"\n", (i + 1) % n);
        ebnf::grammar(&format!("root ::= r0\n{}", (0..n).map(rule).collect::<String>())).expect("a grammar")
    };
    is_linear(rules, 25);
    let words = |n: usize| {
        let words: Vec<String> = (0..n).map(|i| format!("\"word{}\"", i * 7919 % 10_007)).collect();
        ebnf::grammar(&format!("root ::= ({}) (\" \" root)?", words.join(" | "))).expect("a grammar")
    };
    is_linear(words, 100);
    is_linear(|n| ebnf::grammar(&format!("root ::= \"{}\"", "a\\n".repeat(n))).expect("a grammar"), 500);
    is_linear(|n| regex::grammar(&"(ab|[c-f]+x)y{3}".repeat(n)).expect("a grammar"), 100);
}

#[test]
fn bounds_cost_nothing() {
    let string = |n: usize| schema(&json!({"type": "string", "maxLength": n}));
    assert_eq!(costs(&string(1_000)), costs(&string(60_000)));
    let array = |n: usize| schema(&json!({"type": "array", "items": {"type": "string"}, "maxItems": n}));
    assert_eq!(costs(&array(1_000)), costs(&array(100_000)));
    let keys = |n: usize, pattern: &str| {
        let patterns =
            object([(pattern.replace('n', &n.to_string()), json!({"type": "integer"}))].into_iter());
        let object = |declared| json!({"properties": declared, "patternProperties": patterns, "additionalProperties": false});
        // A declared name that is such a key, and one that is none.
        [json!({}), json!({"name": {}}), json!({"any name": {}})]
            .map(|declared| costs(&schema(&object(declared))))
    };
    for pattern in ["^[a-z0-9_]{1,n}$", "^.{1,n}$"] {
        assert_eq!(keys(250, pattern), keys(5_000, pattern), "{pattern}");
    }
    // Lengths with gaps that are less than the bounds lie apart; a long alternative beside a search; one that is too short.
    let pattern = |n: usize, pattern: &str, min: usize, max: usize| {
        let pattern = pattern.replace('n', &n.to_string());
        costs(&schema(&json!({"pattern": pattern, "type": "string", "minLength": min, "maxLength": max})))
    };
    let block = "^-([A-Z]{64},?)*[A-Z]{1,64}={0,2},-(END )?KEY$";
    assert_eq!(pattern(0, block, 1_600, 8_000), pattern(0, block, 2_000, 60_000));
    let name = "^[a-z]{1,n}$|Gro-ups:Name";
    assert_eq!(pattern(250, name, 0, 300), pattern(5_000, name, 0, 6_000));
    let word = "^$|^[^:]{20}[^:]*:[^:]*:.*$";
    assert_eq!(pattern(0, word, 20, 300), pattern(0, word, 20, 6_000));
}
