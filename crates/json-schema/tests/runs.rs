//! White space, and bounds on it and on digits: kept, without dead ends, and the same whether states or the matcher count.

mod common;

use common::{Random, Schema};
use expect_test::expect;
use formwork_engine::{Compiler, Config, Matcher};
use formwork_json_schema::{Numbers, Options, Whitespace};
use formwork_vocab::Vocabulary;
use serde_json::json;

const SCHEMAS: [&str; 23] = [
    "{}",
    r#"{"type": "array", "items": {"type": "integer"}}"#,
    r#"{"type": "number"}"#,
    r#"{"type": "integer", "minimum": 3}"#,
    r#"{"type": "integer", "exclusiveMaximum": -1}"#,
    r#"{"type": "number", "exclusiveMinimum": 0}"#,
    r#"{"type": "number", "exclusiveMinimum": 0.5, "maximum": 1.25}"#,
    r#"{"type": "number", "minimum": -2.5, "exclusiveMaximum": 1e3}"#,
    r#"{"type": "number", "not": {"type": "integer"}}"#,
    r#"{"enum": [1, 0.5, 100, "1"]}"#,
    r#"{"type": "number", "not": {"enum": [0.5, 1]}}"#,
    r#"{"type": "number", "multipleOf": 0.25}"#,
    r#"{"type": "integer", "multipleOf": 7, "minimum": 5}"#,
    r#"{"type": "number", "multipleOf": 70}"#,
    r#"{"type": "number", "multipleOf": 0.07, "maximum": -0.5}"#,
    r#"{"type": "number", "multipleOf": 0.25, "minimum": 12.3}"#,
    r#"{"type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 99999999.99}"#,
    r#"{"type": "number", "multipleOf": 1.237, "minimum": -90, "maximum": 1e9}"#,
    r#"{"type": "number", "allOf": [{"multipleOf": 0.5}, {"multipleOf": 0.2}], "exclusiveMinimum": -100}"#,
    r#"{"type": "number", "multipleOf": 0.5, "not": {"multipleOf": 0.75}}"#,
    r#"{"type": "integer", "minimum": 1000000000000000000000000000000}"#,
    r#"{"type": "array", "items": [{"type": "number", "minimum": 0.000001}, {"type": "integer", "multipleOf": 10}]}"#,
    r#"{"type": "string", "format": "regex"}"#,
];

fn vocabulary() -> Vocabulary {
    let mut texts: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    for n in [2, 3, 7, 8, 9, 20, 31, 32, 33] {
        texts.extend([b' ', b'0', b'9'].map(|byte| vec![byte; n]));
        texts.push([&b",\n"[..], &vec![b' '; n]].concat());
        texts.push([&b"."[..], &vec![b'0'; n]].concat());
    }
    let mut builder = Vocabulary::builder();
    for (id, text) in (0u32..).zip(&texts) {
        builder.token(id, text);
    }
    let end = texts.len() as u32;
    builder.special(end, "<end>").stop(end).build().expect("a vocabulary")
}

#[test]
fn the_matcher_counts_what_states_would() {
    let options = Options::default().whitespace(Whitespace::AtMost(8)).max_digits(Some(32));
    let canonical = options.clone().numbers(Numbers::Canonical);
    let vocabulary = vocabulary();
    let compiler = |runs| {
        let mut config = Config::default();
        config.runs = runs;
        Compiler::builder(vocabulary.clone()).config(config).build()
    };
    let (counted, states) = (compiler(true), compiler(false));
    let mut r = Random(5);
    let words = vocabulary.mask_words();
    for (options, schema) in
        [&options, &canonical].into_iter().flat_map(|o| SCHEMAS.map(|schema| (o, schema)))
    {
        let grammar = options.grammar(schema).expect("a schema");
        let counted = counted.compile(&grammar).expect("compiles");
        let states = states.compile(&grammar).expect("compiles");
        for _ in 0..6 {
            let (mut a, mut b) = (Matcher::new(&counted), Matcher::new(&states));
            let mut output = Vec::new();
            for _ in 0..100 {
                let (mut mask, mut other) = (vec![0; words], vec![0; words]);
                a.fill_mask(&mut mask).expect("a mask");
                b.fill_mask(&mut other).expect("a mask");
                let text = String::from_utf8_lossy(&output).into_owned();
                assert_eq!(mask, other, "{schema} after {text}");
                let ids: Vec<u32> = (0..words as u32 * 32)
                    .filter(|id| mask[*id as usize / 32] >> (id % 32) & 1 != 0)
                    .collect();
                assert!(!ids.is_empty(), "{schema}: a dead end after {text}");
                // Blanks, digits and points, where there are any.
                let text_of = |id: u32| vocabulary.text(id.into()).unwrap_or_default();
                let liked: Vec<u32> = ids
                    .iter()
                    .copied()
                    .filter(|&id| b" 09.".contains(&text_of(id).last().copied().unwrap_or(0)))
                    .collect();
                let from = if liked.is_empty() || r.below(8) == 0 { &ids } else { &liked };
                let id = from[r.below(from.len())];
                output.extend_from_slice(text_of(id));
                a.accept_token(id).expect("allowed");
                b.accept_token(id).expect("allowed");
                if a.is_finished() {
                    break;
                }
            }
        }
    }
}

#[test]
fn sixty_four_by_default() {
    let accepts = |options: &Options, schema: &str, text: &str| {
        Schema::new(options, schema).expect("compiles").accepts(text)
    };
    let default = Options::default();
    let digits = |n| "1".repeat(n);
    for schema in
        ["{}", r#"{"type": "integer"}"#, r#"{"minimum": 0}"#, r#"{"type": "integer", "minimum": 5}"#]
    {
        assert!(
            accepts(&default, schema, &digits(64)) && !accepts(&default, schema, &digits(65)),
            "{schema}"
        );
        assert!(accepts(&default.clone().max_digits(None), schema, &digits(65)), "{schema}");
        assert!(accepts(&default.clone().max_digits(Some(100)), schema, &digits(100)), "{schema}");
        assert!(accepts(&default.clone().numbers(Numbers::Any), schema, &digits(65)), "{schema}");
    }
    let number = format!("-{}.{}e+{}", digits(64), digits(64), digits(64));
    assert!(accepts(&default, "{}", &number) && !accepts(&default, "{}", &format!("{number}1")));
    let gap = |n| format!("[{}1]", " ".repeat(n));
    assert!(accepts(&default, "{}", &gap(64)) && !accepts(&default, "{}", &gap(65)));
    assert!(accepts(&default.clone().whitespace(Whitespace::Any), "{}", &gap(65)));
    // Strings have no bound of this kind.
    assert!(accepts(&default, "{}", &format!("[\"{} {}\", 1]", " ".repeat(100), digits(100))));
    // A constant with more digits is that constant.
    let long = digits(80);
    assert!(accepts(&default, &format!("{{\"const\": {long}}}"), &long));
    assert!(accepts(&default, &format!("{{\"minimum\": {long}}}"), &format!("{long}0")));
}

#[test]
fn separators_are_those_of_json_dumps() {
    let schema = r#"{"properties": {"a": {"type": "array", "items": {"type": "integer"}}, "b": {}}}"#;
    let tight = r#"{"a":[1,2],"b":{"x":[],"y":{}}}"#;
    let python = r#"{"a": [1, 2], "b": {"x": [], "y": {}}}"#;
    let mixed = r#"{"a": [1,2],"b": {"x": [],"y": {}}}"#;
    for (whitespace, text) in [
        (json!({"indent": null}), python),
        (json!({"indent": null, "separators": null}), python),
        (json!({"separators": [", ", ": "]}), python),
        (json!({"indent": null, "separators": [",", ":"]}), tight),
        (json!({"separators": [",", ": "]}), mixed),
    ] {
        let options = Options::from_json(&json!({"whitespace": whitespace})).expect("options");
        let schema = Schema::new(&options, schema).expect("compiles");
        for other in [tight, python, mixed] {
            assert_eq!(schema.accepts(other), other == text, "{whitespace} {other}");
        }
        assert!(!schema.accepts(&text.replace('[', "[ ")), "{whitespace}");
    }
    for refused in [
        json!({"indent": -1}),
        json!({"indent": 65}),
        json!({"indent": "\t"}),
        json!({"separators": [",  ", ":"]}),
        json!({"separators": [","], "max": 1}),
    ] {
        let error = Options::from_json(&json!({"whitespace": refused})).expect_err("not available");
        assert_eq!(error.kind().as_str(), "usage", "{refused}");
    }
}

#[test]
fn the_report_says_where_digits_are_not_bounded() {
    let long = "9".repeat(70);
    let schema = format!(
        r##"{{"properties": {{"free": {{"type": "number", "multipleOf": 0.5}}, "both": {{"type": "integer", "multipleOf": 3, "minimum": 1, "maximum": 1e9}},
            "one": {{"type": "integer", "multipleOf": 7}}, "all": {{"type": "integer", "multipleOf": 1}}, "long": {{"type": "integer", "minimum": {long}}}}}}}"##
    );
    let (_, report) = Options::default().grammar_with_report(&schema).expect("supported");
    let notes: Vec<String> =
        report.notes().iter().map(|note| format!("{} {}", note.pointer(), note.what())).collect();
    expect![[r#"
        /properties/both/multipleOf multipleOf (multiples with an exponent are left out)
        /properties/long digits are not bounded beside a number of nearly as many
        /properties/one/multipleOf multipleOf (multiples with an exponent are left out)"#]]
    .assert_eq(&notes.join("\n"));
    // Nothing is said where nothing is promised.
    let (_, report) = Options::default().max_digits(None).grammar_with_report(&schema).expect("supported");
    assert!(report.notes().iter().all(|note| !note.what().contains("bounded")), "{report}");
}
