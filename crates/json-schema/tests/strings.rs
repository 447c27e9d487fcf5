//! Patterns beside lengths.

mod common;

use common::Schema;
use formwork_json_schema::Options;

#[test]
fn a_pattern_may_bound_its_length_by_looking_ahead() {
    // Host names as people write them: of the labels the last 63 places decide, of the whole 255 characters.
    let schema = Schema::new(
        &Options::default(),
        r#"{"type": "string", "pattern": "^(?!.*://)(?=.{1,255}$)((.{1,63}\\.){1,127}(?![0-9]*$)[a-z0-9-]+\\.?)$"}"#,
    )
    .expect("a schema");
    let accepts = |text: &str| schema.accepts(&format!("\"{text}\""));
    let label = |n: usize| "x".repeat(n);
    assert!(accepts("example.com") && accepts("a.b.c.d.com.") && accepts("..com"));
    assert!(!accepts("example") && !accepts("example.42") && !accepts("a://b.com") && !accepts(".com"));
    assert!(accepts(&format!("{}.com", label(63))) && !accepts(&format!("{}.com", label(64))));
    assert!(accepts(&format!("a.{}.com", label(63))) && !accepts(&format!("a.{}.com", label(64))));
    // `.` is any character, a dot as well: the labels may be cut elsewhere.
    assert!(accepts(&format!("a.{}.b.com", label(60))) && accepts(&format!("{}.b.com", "x.".repeat(120))));
    let long = format!("{}.{}", "abc.".repeat(60), "z".repeat(14));
    assert_eq!(long.len(), 255);
    assert!(accepts(&long) && !accepts(&format!("{long}z")));
}

/// A pattern beside a length is the pattern, of texts of that length.
#[test]
fn a_length_cuts_patterns_down_to_what_fits() {
    let texts = |max: usize| {
        let mut texts = vec![String::new()];
        for _ in 0..max {
            let longer: Vec<String> =
                texts.iter().flat_map(|text| ["a", "b", "7"].map(|c| format!("{text}{c}"))).collect();
            texts.extend(longer);
            texts.sort_unstable();
            texts.dedup();
        }
        texts
    };
    let texts = texts(6);
    let of = |schema: &str| Schema::new(&Options::default(), schema).expect("a schema");
    for pattern in [
        "[a-z][a-z0-9]{2}",
        "^[a-z]{1,3}7|b",
        "([ab]{2}7)+$",
        "(a|b7){2,3}b*",
        "^(?!a*$)(b{0,4}a?){1,4}$",
        "([ab]*7){2}",
        ".*",
        "^.+$",
        "^[^]{2,4}$",
        "b{0,9}7{1,9}",
    ] {
        let alone = of(&format!(r#"{{"type": "string", "pattern": "{pattern}"}}"#));
        for (min, max) in [(0, 0), (0, 1), (1, 2), (0, 3), (3, 3), (2, 4), (4, 5), (0, 6)] {
            let bounds = format!(r#""minLength": {min}, "maxLength": {max}"#);
            let bounded = of(&format!(r#"{{"type": "string", "pattern": "{pattern}", {bounds}}}"#));
            for text in &texts {
                let json = format!("\"{text}\"");
                let expected = (min..=max).contains(&text.len()) && alone.accepts(&json);
                assert_eq!(bounded.accepts(&json), expected, "{pattern} {bounds} {text}");
            }
        }
    }
}

/// A search in as many characters as it finds is no search, and one for anything finds it in all strings.
#[test]
fn searches_beside_lengths_stay_small() {
    let id =
        r#"{"type": "string", "pattern": "[a-zA-Z0-9][a-zA-Z0-9-]{35}", "minLength": 36, "maxLength": 36}"#;
    let id = Schema::new(&Options::default(), id).expect("a schema");
    let text = "a-".repeat(18);
    assert!(id.accepts(&format!("\"{text}\"")) && !id.accepts(&format!("\"{}b\"", &text[1..])));
    for pattern in [".*", "(.*)", r"[\\s\\S]*", "^", "^[^]{0,20000000}$", "x?"] {
        let any = format!(
            r#"{{"type": "string", "pattern": "{pattern}", "minLength": 1000, "maxLength": 10000000}}"#
        );
        let any = Schema::new(&Options::default(), &any).expect("a schema");
        let text = "\\n-".repeat(500);
        assert!(any.accepts(&format!("\"{text}\"")) && !any.accepts("\"short\""), "{pattern}");
    }
}

/// Keys that a pattern bounds, beside names that are such keys and names that are not.
#[test]
fn keys_of_a_bounded_pattern_are_neither_longer_nor_declared() {
    let of = |pattern: &str, declared: &str| {
        let patterns = format!(r#""patternProperties": {{"{pattern}": {{"type": "integer"}}}}"#);
        let closed = r#""additionalProperties": false"#;
        Schema::new(
            &Options::default(),
            &format!(r#"{{"properties": {{{declared}}}, {patterns}, {closed}}}"#),
        )
        .expect("a schema")
    };
    let key = |n: usize| "k".repeat(n);
    for (pattern, max) in
        [("^[a-z]{1,200}$", 200), ("^k{2}.{1,70}$", 72), ("^[a-z]{1,9}$", 9), ("^\\\\w{1,64}$", 64)]
    {
        for declared in
            ["", r#""kkk": {"minimum": 5}"#, r#""no-1": {}"#, r#""kkk": {"minimum": 5}, "no-1": {}"#]
        {
            let schema = of(pattern, declared);
            let accepts = |members: &str| schema.accepts(&format!("{{{members}}}"));
            let is_declared = |name: &str| declared.contains(name);
            assert!(accepts(&format!(r#""{}": 1"#, key(max))), "{pattern} {declared}");
            assert!(!accepts(&format!(r#""{}": 1"#, key(max + 1))), "{pattern} {declared}");
            assert!(!accepts(r#""": 1"#) && !accepts(r#""kk kk!": "1""#), "{pattern} {declared}");
            assert!(accepts(r#""kkk": 7, "kkkk": 1"#), "{pattern} {declared}");
            // Declared, it must also be what is declared, and comes once, however it is spelled.
            assert_eq!(accepts(r#""kkk": 1"#), !is_declared("kkk"), "{pattern} {declared}");
            assert_eq!(accepts(r#""kkk": 7, "k\u006bk": 7"#), !is_declared("kkk"), "{pattern} {declared}");
            assert_eq!(accepts(r#""no-1": {}"#), is_declared("no-1"), "{pattern} {declared}");
        }
    }
}
