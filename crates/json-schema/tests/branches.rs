//! Branches of which a member tells which one it is: each has its own members and no others, however many there are. And such
//! whose members overlap before that one.

mod common;

use common::{Random, Schema, check, check_with};
use expect_test::expect;
use formwork_json_schema::{Limits, Options, PropertyOrder, grammar};
use serde_json::{Map, Value, json};

/// Members that a branch may have beside its kind; some are in several branches.
fn own(i: usize) -> [String; 3] {
    [format!("a{i}"), format!("shared{}", i % 3), format!("b{}", i / 2)]
}

/// The kinds of a branch: a string, and sometimes a number.
fn kinds(i: usize) -> Vec<Value> {
    let mut kinds = vec![json!(format!("k{i}"))];
    if i % 4 == 0 {
        kinds.push(json!(i));
    }
    kinds
}

fn branch(i: usize, first: bool) -> Value {
    let mut properties = Map::new();
    if first {
        properties.insert("kind".into(), json!({"enum": kinds(i)}));
    }
    for name in own(i) {
        properties.insert(name, json!({"const": i}));
    }
    if !first {
        properties.insert("kind".into(), json!({"enum": kinds(i)}));
    }
    let [_, _, required] = own(i);
    json!({"type": "object", "properties": properties, "required": ["kind", required], "additionalProperties": false})
}

/// Documents of a branch, and how many of its members' rules they break.
fn document(r: &mut Random, i: usize, n: usize, first: bool) -> (String, bool) {
    let mut valid = true;
    let kind = kinds(i)[r.below(kinds(i).len())].clone();
    let mut members: Vec<(String, Value)> = Vec::new();
    for (at, name) in own(i).into_iter().enumerate() {
        let is_required = at == 2;
        if r.below(6) == 0 {
            valid &= !is_required;
            continue;
        }
        if is_required || r.below(2) == 0 {
            let other = r.below(12) == 0;
            valid &= !other;
            members.push((name, json!(if other { n } else { i })));
        }
    }
    if r.below(8) == 0 {
        // Another branch's own member.
        let other = (i + 1 + r.below(n - 1)) % n;
        members.push((format!("a{other}"), json!(other)));
        valid = false;
    }
    members.insert(if first { 0 } else { members.len() }, ("kind".into(), kind));
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
    (format!("{{{}}}", members.join(",")), valid)
}

#[test]
fn closed_branches_have_their_own_members_only() {
    let n = 60;
    for keyword in ["anyOf", "oneOf"] {
        for first in [true, false] {
            let schema = json!({keyword: (0..n).map(|i| branch(i, first)).collect::<Vec<_>>()}).to_string();
            let compiled = Schema::new(&Options::default(), &schema).expect("compiles");
            let mut r = Random(3);
            let mut n_valid = 0;
            for round in 0..1_200 {
                let (text, valid) = document(&mut r, round % n, n, first);
                assert_eq!(compiled.accepts(&text), valid, "{keyword} {text}");
                n_valid += usize::from(valid);
            }
            assert!(n_valid > 200 && n_valid < 1_000, "{n_valid}");
        }
    }
}

#[test]
fn branches_that_need_not_be_told_apart_first_come_in_any_order() {
    // Objects of two names with many conditions on both: the second may be read before the first tells what it has to be.
    let n = 200;
    let tool = |i: usize| {
        json!({"type": "object", "properties": {"name": {"const": format!("t{i}")}, "arguments": {"type": "object",
            "properties": {"x": {"const": i}}, "required": ["x"], "additionalProperties": false}},
            "required": ["name", "arguments"], "additionalProperties": false})
    };
    let schema = json!({"anyOf": (0..n).map(tool).collect::<Vec<_>>()}).to_string();
    let options = Options::default().property_order(PropertyOrder::Any);
    let compiled = Schema::new(&options, &schema).expect("compiles");
    for i in 0..n {
        for other in [i, (i + 1) % n, n] {
            let name = format!("\"name\":\"t{i}\"");
            let arguments = format!("\"arguments\":{{\"x\":{other}}}");
            for text in [format!("{{{name},{arguments}}}"), format!("{{{arguments},{name}}}")] {
                assert_eq!(compiled.accepts(&text), i == other, "{text}");
            }
            assert!(
                !compiled.accepts(&format!("{{{name}}}")) && !compiled.accepts(&format!("{{{arguments}}}"))
            );
        }
    }
}

/// Sixteen branches whose options overlap, with what each asks of the name behind them.
fn overlapping(keyword: &str, name: impl Fn(usize) -> Value) -> String {
    let branch = |i: usize| {
        json!({"properties": {
            "options": {"type": "object", "required": [format!("a{i}")]},
            "name": name(i),
        }, "required": ["options", "name"]})
    };
    json!({ keyword: (0..16).map(branch).collect::<Vec<_>>() }).to_string()
}

#[test]
fn alternatives_that_overlap_are_ways_of_their_own() {
    let texts = [
        r#"{"options":{"a3":1},"name":"n3"}"#,
        r#"{"options":{"a3":1},"name":"n4"}"#,
        r#"{"options":{"a3":1,"a4":1},"name":"n4"}"#,
        r#"{"options":{"b":1,"a15":[]},"name":"n15"}"#,
        r#"{"options":{"b":1},"name":"n1"}"#,
        r#"{"options":{"a1":1}}"#,
    ];
    let expected = expect![[r#"
        + {"options":{"a3":1},"name":"n3"}
        - {"options":{"a3":1},"name":"n4"}
        + {"options":{"a3":1,"a4":1},"name":"n4"}
        + {"options":{"b":1,"a15":[]},"name":"n15"}
        - {"options":{"b":1},"name":"n1"}
        - {"options":{"a1":1}}
    "#]];
    // The sets of options that a value may have are too many, the branches are not.
    for keyword in ["anyOf", "oneOf"] {
        check(&overlapping(keyword, |i| json!({"const": format!("n{i}")})), &texts, &expected);
    }
}

#[test]
fn one_of_too_many_is_read_as_any_of_on_request() {
    let one_of = overlapping("oneOf", |i| json!({"type": "string", "minLength": i}));
    let error = grammar(&one_of).map(drop).expect_err("too many ways");
    assert_eq!(error.kind().as_str(), "limit");
    assert!(error.to_string().contains(r#"`relax: ["oneOf"]`"#), "{error}");
    // Only where there is one to relax.
    let mut limits = Limits::default();
    limits.max_alternatives = 1;
    let any_of = overlapping("anyOf", |i| json!({"const": format!("n{i}")}));
    let error = Options::default().limits(limits).grammar(&any_of).map(drop).expect_err("too many ways");
    assert!(error.to_string().ends_with("tells them apart, help"), "{error}");
    let relaxed = Options::default().relax(["oneOf"]);
    check_with(
        &relaxed,
        &one_of,
        &[
            r#"{"options":{"a3":1},"name":"abc"}"#,
            r#"{"options":{"a3":1},"name":"ab"}"#,
            r#"{"options":{"a1":1,"a3":1},"name":"abc"}"#,
            r#"{"options":{"b":1},"name":"abc"}"#,
        ],
        &expect![[r#"
            + {"options":{"a3":1},"name":"abc"}
            - {"options":{"a3":1},"name":"ab"}
            + {"options":{"a1":1,"a3":1},"name":"abc"}
            - {"options":{"b":1},"name":"abc"}
        "#]],
    );
    let (_, report) = relaxed.grammar_with_report(&one_of).expect("supported");
    assert!(report.to_string().contains("relaxed /oneOf oneOf\n"), "{report}");
}
