//! Each format, by texts that it accepts and texts that it refuses.

#![allow(missing_docs, reason = "a test")]

mod common;

use common::accepts;
use formwork_engine::{Compiler, Matcher};
use formwork_tags::{Cache, Options, grammar_from_value};
use formwork_vocab::Vocabulary;
use serde_json::{Value, json};

/// Checks texts against a format; special tokens are those whose names stand in `specials`.
#[track_caller]
fn check_with(specials: &[&str], format: Value, good: &[&str], bad: &[&str]) {
    let grammar = grammar_from_value(&json!({"type": "structural_tag", "format": format}))
        .unwrap_or_else(|error| panic!("{error}"));
    for text in good {
        assert!(accepts(&grammar, specials, text), "{text:?} is refused\n{grammar}");
    }
    for text in bad {
        assert!(!accepts(&grammar, specials, text), "{text:?} is accepted\n{grammar}");
    }
}

#[track_caller]
fn check(format: Value, good: &[&str], bad: &[&str]) {
    check_with(&[], format, good, bad);
}

#[test]
fn leaves() {
    check(json!({"type": "const_string", "value": "a<b>"}), &["a<b>"], &["", "a<b", "a<b>c"]);
    check(json!({"type": "const_string", "value": ""}), &[""], &["a"]);
    check(json!({"type": "regex", "pattern": "[a-c]+|\\d"}), &["abc", "7"], &["", "a7", "d"]);
    check(json!({"type": "grammar", "grammar": "root ::= x x\nx ::= \"a\" | \"b\""}), &["ab", "bb"], &["a"]);
    check(json!({"type": "any_text"}), &["", "any é\n<tag>"], &[]);
    check(
        json!({"type": "any_text", "excludes": ["<x>", "bad"]}),
        &["", "<x", "ba", "b<ad"],
        &["<x>", "a bad text"],
    );
    check(json!({"type": "any_text", "max_chars": 3, "excludes": ["b"]}), &["", "aéc"], &["abc", "aaaa"]);
    check(json!({"type": "any_text", "max_tokens": 0}), &[""], &["a"]);
}

#[test]
fn schemas_are_closed_unless_they_say_otherwise() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    check(
        json!({"type": "json_schema", "json_schema": schema}),
        &["{\"a\": 1}", "{ \"a\":1 }"],
        &["{}", "{\"a\": 1, \"b\": 2}", "{\"a\": \"1\"}", " {\"a\": 1}"],
    );
    let open = json!({"type": "object", "properties": {"a": true}, "additionalProperties": true});
    check(json!({"type": "json_schema", "json_schema": open}), &["{\"b\": 2}"], &["2"]);
    check(json!({"type": "json_schema", "json_schema": true}), &["null", "[1, {}]"], &[""]);
    let two = json!({"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a", "b"]});
    check(
        json!({"type": "json_schema", "json_schema": two, "any_order": true, "max_whitespace_cnt": 1}),
        &["{\"b\": 2, \"a\": 1}", "{\"a\":1,\"b\":2}"],
        &["{\"b\":  2, \"a\": 1}"],
    );
}

#[test]
fn combinations() {
    let text = |value: &str| json!({"type": "const_string", "value": value});
    check(json!({"type": "sequence", "elements": [text("a"), text("b")]}), &["ab"], &["a", "b", "ba"]);
    check(json!({"type": "or", "elements": [text("a"), text("b")]}), &["a", "b"], &["", "ab"]);
    check(json!({"type": "optional", "content": text("a")}), &["", "a"], &["aa"]);
    check(json!({"type": "plus", "content": text("a")}), &["a", "aaa"], &[""]);
    check(json!({"type": "star", "content": text("a")}), &["", "aaa"], &["ab"]);
    check(
        json!({"type": "repeat", "min": 2, "max": 3, "content": text("a")}),
        &["aa", "aaa"],
        &["a", "aaaa"],
    );
    check(json!({"type": "repeat", "min": 2, "max": -1, "content": text("a")}), &["aa", "aaaaa"], &["a"]);
}

#[test]
fn a_format_without_a_type_is_told_by_its_members() {
    check(json!({"begin": "<a>", "content": {"value": "x"}, "end": "</a>"}), &["<a>x</a>"], &["x"]);
    check(json!({"elements": [{"value": "a"}, {"pattern": "b*"}]}), &["abb"], &["b"]);
}

#[test]
fn the_end_of_the_nearest_tag_is_excluded_from_free_text() {
    let tag = |begin: &str, content: Value, end: Value| json!({"type": "tag", "begin": begin, "content": content, "end": end});
    let any = json!({"type": "any_text"});
    check(
        tag("<a>", any.clone(), json!("</a>")),
        &["<a></a>", "<a>x</b></a>", "<a></</a>"],
        &["<a>", "<a></a></a>", "<a>x</a>y"],
    );
    // Of two tags around, the nearest; a proper beginning of the end is text.
    check(
        tag("<a>", tag("<b>", any.clone(), json!("</b>")), json!("</a>")),
        &["<a><b></a></b></a>", "<a><b></</b></a>"],
        &["<a><b></b></b></a>"],
    );
    // Several ends; an optional one.
    check(tag("(", any.clone(), json!([")", "]"])), &["(a)", "(a]"], &["(a)]", "(a"]);
    check(
        tag("(", json!({"type": "const_string", "value": "a"}), json!([")", ""])),
        &["(a)", "(a"],
        &["(a))"],
    );
    // Inside a sequence, an alternative or a repetition as well.
    let inner = json!({"type": "sequence", "elements": [{"type": "const_string", "value": "x"}, any]});
    check(
        tag("<a>", json!({"type": "or", "elements": [inner]}), json!(";")),
        &["<a>xy;"],
        &["<a>xy;;", "<a>y;"],
    );
    // Triggered tags end with the tag around them, too.
    let calls = json!({"type": "triggered_tags", "triggers": ["["], "tags": [{"begin": "[", "content": {"value": "1"}, "end": "]"}]});
    check(tag("<a>", calls, json!("</a>")), &["<a>t[1]u</a>"], &["<a>t[2]</a>", "<a></a></a>"]);
}

#[test]
fn triggered_tags() {
    let tag =
        |name: &str| json!({"begin": format!("<f={name}>"), "content": {"pattern": "[0-9]+"}, "end": "</f>"});
    let format = |more: Value| {
        let mut format = json!({"type": "triggered_tags", "triggers": ["<f="], "tags": [tag("a"), tag("b")]});
        format.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        format
    };
    check(
        format(json!({})),
        &["", "text", "<f=a>1</f>", "x <f=a>1</f> y <f=b>22</f><f=a>3</f>", "<f", "a <f"],
        &["<f=", "<f=c>1</f>", "<f=a></f>", "<f=a>1", "x<f= "],
    );
    check(
        format(json!({"at_least_one": true})),
        &["<f=a>1</f>", "<f=b>1</f> more <f=a>2</f>."],
        &["", "text", "text <f=a>1</f>"],
    );
    check(
        format(json!({"stop_after_first": true})),
        &["", "text", "text <f=a>1</f>"],
        &["<f=a>1</f> more", "<f=a>1</f><f=a>1</f>"],
    );
    check(
        format(json!({"at_least_one": true, "stop_after_first": true})),
        &["<f=a>1</f>", "<f=b>2</f>"],
        &["", "x<f=a>1</f>", "<f=a>1</f>x"],
    );
    check(format(json!({"excludes": ["secret"]})), &["secre"], &["a secret", "<f=a>1</f> secret"]);
}

#[test]
fn tags_with_separator() {
    let tags = json!([{"begin": "<", "content": {"pattern": "[ab]"}, "end": ">"}]);
    let format = |at_least_one: bool, stop: bool| json!({"type": "tags_with_separator", "tags": tags, "separator": ", ", "at_least_one": at_least_one, "stop_after_first": stop});
    check(format(false, false), &["", "<a>", "<a>, <b>, <a>"], &["<a>,", "<a><b>", "x"]);
    check(format(true, false), &["<a>", "<a>, <b>"], &[""]);
    check(format(false, true), &["", "<a>"], &["<a>, <b>"]);
    check(format(true, true), &["<b>"], &["", "<a>, <b>"]);
}

#[test]
fn dispatch_does_not_take_part_in_end_detection() {
    let format = |loops: bool| json!({"type": "dispatch", "rules": [["<x>", {"value": "1"}], ["<y", {"pattern": "[ab]"}]], "loop": loops, "excludes": ["no"]});
    check(format(true), &["", "a<x>1b<ya<x>1", "<"], &["<x>2", "<yc", "no", "<x>1no"]);
    check(format(false), &["", "a<x>1", "b"], &["<x>1b"]);
    let tag = json!({"type": "tag", "begin": "(", "content": format(true), "end": ")"});
    check(tag, &["(a)", "(a))"], &["(a"]);
}

#[test]
fn special_tokens_in_literals_are_those_tokens() {
    let specials = ["<|call|>", "<|end|>", "<|sep|>"];
    let tag = json!({"begin": "<|call|>f", "content": {"pattern": "[0-9]"}, "end": "<|end|>"});
    check_with(
        &specials,
        json!({"type": "triggered_tags", "triggers": ["<|call|>"], "tags": [tag]}),
        &["text <|call|>f1<|end|> text"],
        &["<|call|>g1<|end|>", "<|end|>", "<|call|>f1"],
    );
    check_with(
        &specials,
        json!({"type": "tags_with_separator", "tags": [tag], "separator": "<|sep|>"}),
        &["<|call|>f1<|end|><|sep|>\u{3c}|call|>f2<|end|>"],
        &["<|call|>f1<|end|><|call|>f2<|end|>"],
    );
    check_with(&specials, json!({"type": "const_string", "value": "a<|sep|>b"}), &["a<|sep|>b"], &["ab"]);
    // Spelled with letters it is another thing, and in text that a trigger ends it cannot come.
    let grammar = grammar_from_value(&json!({"format": {"type": "const_string", "value": "<|sep|>"}}))
        .expect("a grammar");
    assert!(accepts(&grammar, &[], "<|sep|>") && accepts(&grammar, &specials, "<|sep|>"));
    let think = json!({"type": "tag", "begin": "", "content": {"type": "any_text"}, "end": "<|end|>"});
    check_with(&specials, think, &["thought<|end|>", "<|end<|end|>"], &["thought<|end", "a<|sep|>b<|end|>"]);
}

#[test]
fn tokens() {
    let specials = ["<a>", "<b>", "<c>"];
    check_with(&specials, json!({"type": "token", "token": "<a>"}), &["<a>"], &["", "<b>", "a"]);
    check_with(&specials, json!({"type": "token", "token": 258}), &["<b>"], &["<a>"]);
    check_with(
        &specials,
        json!({"type": "exclude_token", "exclude_tokens": ["<a>", 98]}),
        &["<b>", "a"],
        &["<a>", "b", ""],
    );
    check_with(
        &specials,
        json!({"type": "any_tokens", "exclude_tokens": ["<a>"], "max_tokens": 2}),
        &["", "x<b>"],
        &["x<a>", "xyz"],
    );
    // V8 of our notes: a name inside a repetition is looked up.
    check_with(
        &specials,
        json!({"type": "repeat", "min": 1, "max": 2, "content": {"type": "token", "token": "<a>"}}),
        &["<a>", "<a><a>"],
        &["", "<a><a><a>"],
    );
    // The end token of the tag around, and the token whose text is its end, are excluded.
    let tag = |end: Value| json!({"type": "tag", "begin": {"type": "token", "token": "<a>"}, "content": {"type": "any_tokens"}, "end": end});
    check_with(
        &specials,
        tag(json!({"type": "token", "token": "<b>"})),
        &["<a>x<c><b>"],
        &["<a><b><b>", "<a>x"],
    );
    check_with(&specials, tag(json!("<b>")), &["<a>x<c><b>"], &["<a><b><b>"]);
}

#[test]
fn equal_token_formats_keep_their_own_ends() {
    // V3 of our notes: XGrammar takes the two contents for one.
    let tag = |begin: u32, end: u32| json!({"type": "tag", "begin": {"type": "token", "token": begin}, "content": {"type": "any_tokens"}, "end": {"type": "token", "token": end}});
    check_with(
        &["<1>", "<2>", "<3>", "<4>"],
        json!({"type": "or", "elements": [tag(257, 259), tag(258, 260)]}),
        &["<1>a<4><3>", "<2>a<3><4>"],
        &["<1>a<3>b<3>", "<2>a<4>b<4>"],
    );
}

#[test]
fn triggers_inside_each_other() {
    // V4 of our notes.
    check(
        json!({"type": "dispatch", "rules": [["b", {"value": "1"}], ["abc", {"value": "2"}]]}),
        &["ab1", "xb1ab1"],
        &["abc2", "abc", "ab"],
    );
}

#[test]
fn a_stop_token_that_the_format_names_can_come() {
    // V10 of our notes: XGrammar masks everything.
    let specials = ["<eos>"];
    let grammar = grammar_from_value(&json!({"format": {"type": "const_string", "value": "a<eos>a"}}))
        .expect("a grammar");
    let vocabulary = common::vocabulary(&specials[..0]);
    let compiled = Compiler::new(vocabulary).compile(&grammar).expect("compiles");
    let mut matcher = Matcher::new(&compiled);
    for token in [u32::from(b'a'), 256, u32::from(b'a')] {
        matcher.accept_token(token).expect("follows the grammar");
    }
    assert!(matcher.can_finish() && !matcher.is_finished());
}

#[test]
fn triggered_and_dispatched_tokens() {
    let specials = ["<a>", "<b>", "<e>", "<x>"];
    let tag =
        |begin: &str| json!({"begin": {"token": begin}, "content": {"value": "1"}, "end": {"token": "<e>"}});
    let format = |at_least_one: bool, stop: bool| {
        json!({"type": "token_triggered_tags", "trigger_tokens": ["<a>", "<b>"], "tags": [tag("<a>"), tag("<b>")],
               "exclude_tokens": ["<x>"], "at_least_one": at_least_one, "stop_after_first": stop})
    };
    check_with(
        &specials,
        format(false, false),
        &["", "t", "t<a>1<e>u<b>1<e>", "<e>"],
        &["<a>", "<x>", "<a>2<e>"],
    );
    check_with(&specials, format(true, false), &["<a>1<e>t"], &["", "t<a>1<e>"]);
    check_with(&specials, format(false, true), &["t<a>1<e>"], &["<a>1<e>t"]);
    check_with(&specials, format(true, true), &["<b>1<e>"], &["", "<b>1<e><a>1<e>"]);
    let dispatch = json!({"type": "token_dispatch", "rules": [["<a>", {"value": "1"}], [258, {"value": "2"}]], "exclude_tokens": ["<x>"]});
    check_with(&specials, dispatch, &["", "t<a>1u<b>2", "<e>"], &["<a>2", "<x>"]);
}

#[test]
fn the_older_form() {
    let document = json!({
        "type": "structural_tag",
        "structures": [
            {"begin": "<function=add>", "schema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, "end": "</function>"},
            {"begin": "<function=now>", "schema": "{\"type\": \"null\"}", "end": "</function>"}
        ],
        "triggers": ["<function="]
    });
    let grammar = grammar_from_value(&document).expect("a grammar");
    for text in ["", "hello", "<function=add>{\"a\": 1}</function> and <function=now>null</function>"] {
        assert!(accepts(&grammar, &[], text), "{text}");
    }
    for text in ["<function=", "<function=sub>{}</function>", "<function=add>{}</function>"] {
        assert!(!accepts(&grammar, &[], text), "{text}");
    }
}

#[test]
fn equal_schemas_are_one_rule() {
    let tag = |i: usize| json!({"begin": format!("<f={i}>"), "content": {"json_schema": {"type": "object", "properties": {"any": {}}}}, "end": "</f>"});
    let rules = |n: usize| {
        let tags: Vec<Value> = (0..n).map(tag).collect();
        let format = json!({"type": "triggered_tags", "triggers": ["<f="], "tags": tags});
        grammar_from_value(&json!({"format": format})).expect("a grammar").rules().len()
    };
    assert_eq!(rules(10), rules(50));
}

#[test]
fn a_cache_changes_no_grammar() {
    let tool = |i: usize, schema: &Value| json!({"begin": format!("<{i}>"), "content": {"type": "json_schema", "json_schema": schema}, "end": "</>"});
    let document = |schemas: &[Value]| {
        let tags: Vec<Value> = schemas.iter().enumerate().map(|(i, schema)| tool(i, schema)).collect();
        json!({"format": {"type": "triggered_tags", "triggers": ["<"], "tags": tags}})
    };
    // The order of properties tells schemas apart.
    let (ab, ba) = (r#"{"properties": {"a": {}, "b": {}}}"#, r#"{"properties": {"b": {}, "a": {}}}"#);
    let schemas: Vec<Value> = [ab, ba, ab, "true", r#"{"enum": [1]}"#]
        .iter()
        .map(|text| serde_json::from_str(text).expect("JSON"))
        .collect();
    let cache = Cache::default();
    for strict in [true, false, true] {
        for n in [3, 5, 4] {
            let document = document(&schemas[..n]);
            let plain = Options::default().strict_objects(strict);
            let kept = plain.clone().cache(&cache);
            let (plain, kept) = (plain.grammar_from_value(&document), kept.grammar_from_value(&document));
            assert_eq!(plain.expect("a grammar").to_string(), kept.expect("a grammar").to_string());
        }
    }
    // Four texts, read in two ways.
    assert_eq!(cache.len(), 8);
    let wrong = document(&[json!(true), json!({"type": "nonsense"})]);
    let error = Options::default().cache(&cache).grammar_from_value(&wrong).expect_err("a wrong schema");
    assert_eq!(error.pointer(), "/format/tags/1/content/json_schema/type");
    assert_eq!(cache.len(), 8);
}

#[test]
fn a_document_that_is_kept_is_what_it_would_be() {
    let tool = |i: usize| {
        let schema =
            [r#"{"type": "integer"}"#, r#"{"properties": {"a": {}}}"#, r#"{ "type": "integer" }"#][i % 3];
        format!(r#"{{"begin": "<{i}>", "content": {{"json_schema": {schema}}}, "end": "</>"}}"#)
    };
    let document = |n: usize| {
        let tags = (0..n).map(tool).collect::<Vec<_>>().join(", ");
        format!(r#"{{"format": {{"triggers": ["<"], "tags": [{tags}]}}}}"#)
    };
    let cache = Cache::default();
    let shown = |grammar: formwork_grammar::Grammar| {
        let rules = grammar.rules().iter().map(|rule| format!("{} {:?}", rule.name(), rule.place()));
        format!("{grammar}{}", rules.collect::<Vec<_>>().join("\n"))
    };
    for _ in 0..2 {
        for n in [3, 20, 21, 4] {
            for strict in [true, false] {
                let plain = Options::default().strict_objects(strict);
                let kept = plain.clone().cache(&cache).grammar(&document(n)).expect("a grammar");
                assert_eq!(
                    shown(kept),
                    shown(plain.grammar(&document(n)).expect("a grammar")),
                    "{n} {strict}"
                );
            }
        }
    }
    // What is wrong is not kept.
    for _ in 0..2 {
        let error = Options::default().cache(&cache).grammar(r#"{"format": {"json_schema": 1}}"#);
        assert_eq!(error.expect_err("no schema").pointer(), "/format/json_schema");
    }
    // Behind tags that were there before, what is wrong is where it is.
    for (wrong, pointer) in [(tool(20).replace("begin", "start"), "/format/tags/20"), ("{".to_owned(), "")] {
        let tags = (0..20).map(tool).chain([wrong]).collect::<Vec<_>>().join(", ");
        let text = format!(r#"{{"format": {{"triggers": ["<"], "tags": [{tags}]}}}}"#);
        Options::default().cache(&cache).grammar(&document(20)).expect("a grammar");
        let known = Options::default().cache(&cache).grammar(&text).expect_err("a wrong tag");
        assert_eq!(known.pointer(), pointer);
        assert_eq!(known, Options::default().grammar(&text).expect_err("a wrong tag"));
    }
}

#[test]
fn tags_of_a_text_are_those_of_the_value() {
    let inner = r#"{"begin": "(x)", "content": {"type": "regex", "pattern": "("}, "end": ")"}"#;
    let good = r#"{"begin": "<a>", "content": {"json_schema": true}, "end": "</>"}"#;
    let outer =
        format!(r#"{{"begin": "<b>", "content": {{"triggers": ["("], "tags": [{inner}]}}, "end": "</>"}}"#);
    let other = r#"{"begin": "<c>", "content": {"json_schema": true}, "end": "</>", "tags": []}"#;
    let cases = [
        (good, None),
        (&outer, Some("/format/tags/1/content/tags/0/content/pattern")),
        (other, Some("/format/tags/1/tags")),
        ("1", Some("/format/tags/1")),
        ("null", Some("/format/tags/1")),
        ("[]", Some("/format/tags/1")),
        (r#"{"begin": "<d>", "content": true, "end": "</>"}"#, Some("/format/tags/1/content")),
        (r#"{"begin": "<e>" "content": true}"#, Some("")),
    ];
    let cache = Cache::default();
    for round in 0..2 {
        for (tag, wrong) in cases {
            let text = format!(r#"{{"format": {{"triggers": ["<"], "tags": [{good}, {tag}]}}}}"#);
            let known = Options::default().cache(&cache);
            let read = [Options::default().grammar(&text), known.grammar(&text)];
            let value = serde_json::from_str(&text).ok();
            let of_value = value.map(|value: Value| Options::default().grammar_from_value(&value));
            for read in of_value.into_iter().chain(read) {
                let pointer = read.err().map(|error| error.pointer().to_owned());
                assert_eq!(pointer.as_deref(), wrong, "{round} {tag}");
            }
        }
    }
}

#[test]
fn tags_that_are_known_know_how_deep_they_stand() {
    let nested = |n: usize, text: &str| format!("{}{text}{}", r#"{"elements": ["#.repeat(n), "]}".repeat(n));
    let document = |outside: usize, inside: usize| {
        let content = nested(inside, r#"{"value": "x"}"#);
        let tags =
            format!(r#"{{"triggers": ["<"], "tags": [{{"begin": "<", "content": {content}, "end": ">"}}]}}"#);
        format!(r#"{{"format": {}}}"#, nested(outside, &tags))
    };
    let cache = Cache::default();
    for (outside, inside, fits) in
        [(0, 30, true), (30, 30, true), (40, 30, false), (0, 30, true), (30, 40, false)]
    {
        let read = Options::default().cache(&cache).grammar(&document(outside, inside));
        assert_eq!(read.is_ok(), fits, "{outside} {inside}");
        let plain = Options::default().grammar(&document(outside, inside));
        assert_eq!(plain.err().map(|error| error.to_string()), read.err().map(|error| error.to_string()));
    }
}

#[test]
fn many_tags_are_told_apart() {
    // Names that are beginnings of each other, contents that are the same and that differ.
    let names = ["a", "ab", "abc", "b", "ba", "bab", "c", "ca", "cab", "cabs"];
    let tag = |(i, name): (usize, &&str)| json!({"begin": format!("<{name}>"), "content": {"type": "regex", "pattern": format!("[{}]{{1,2}}", i % 3)}, "end": "</>"});
    let tags: Vec<Value> = names.iter().enumerate().map(tag).collect();
    for (i, name) in names.iter().enumerate() {
        let (good, bad) = (i % 3, (i + 1) % 3);
        let good = [format!("<{name}>{good}</>"), format!("<{name}>{good}{good}</>")];
        let bad = [
            format!("<{name}>{bad}</>"),
            format!("<{name}></>"),
            format!("<{name}>{}", i % 3),
            format!("<{name}x>0</>"),
        ];
        let twice = format!("{}, {}", good[0], good[1]);
        let around = format!("x {} < y", good[0]);
        for begin in ["<", "<a"] {
            let known: Vec<Value> = tags
                .iter()
                .filter(|tag| tag["begin"].as_str().is_some_and(|text| text.starts_with(begin)))
                .cloned()
                .collect();
            if known.iter().any(|tag| tag["begin"] == json!(format!("<{name}>"))) {
                let format = json!({"type": "triggered_tags", "triggers": [begin], "tags": known});
                check(
                    format,
                    &["", &good[0], &good[1], &twice],
                    &bad.iter().map(String::as_str).collect::<Vec<_>>(),
                );
            }
        }
        let format = json!({"type": "tags_with_separator", "separator": ", ", "tags": tags});
        let mut refused: Vec<&str> = bad.iter().map(String::as_str).collect();
        refused.push(&around);
        check(format, &["", &good[0], &twice], &refused);
    }
}

#[test]
fn masks_of_many_tags_are_what_is_accepted() {
    let tag = |i: usize| json!({"begin": format!("<t{i}>"), "content": {"type": "regex", "pattern": format!("{i}[a-b]*")}, "end": "</t>"});
    let tags: Vec<Value> = (1..12).map(tag).collect();
    let formats = [
        json!({"type": "triggered_tags", "triggers": ["<t"], "tags": tags}),
        json!({"type": "triggered_tags", "triggers": ["<t1", "<t2", "<t3", "<t4", "<t5", "<t6", "<t7", "<t8", "<t9"], "tags": tags, "excludes": ["<!"]}),
        json!({"type": "tags_with_separator", "separator": "; ", "tags": tags}),
    ];
    // Tokens that stop before, at and behind the ends of begins, of contents and of tags.
    let pieces = [
        "<t",
        "<t1",
        "t1",
        "1>",
        "1>1",
        ">1",
        ">11a",
        "1a",
        "11",
        "a</",
        "a</t>",
        "</t>; <t1",
        "</t> x",
        "; <t",
        "<t10>10",
        "<!",
    ];
    let mut builder = Vocabulary::builder();
    for byte in 0..=255u8 {
        builder.token(u32::from(byte), [byte]);
    }
    for (piece, id) in pieces.iter().zip(256..) {
        builder.token(id, piece.as_bytes());
    }
    let vocabulary = builder.special(300, "<eos>").stop(300).build().expect("a vocabulary");
    for format in formats {
        let grammar = grammar_from_value(&json!({"format": format})).expect("a grammar");
        let compiled = Compiler::new(vocabulary.clone()).compile(&grammar).expect("compiles");
        let mut matcher = Matcher::new(&compiled);
        let mut mask = vec![0u32; vocabulary.mask_words()];
        let turn = ["<t1", "1>1", "1a", "a</t>", "; <t", "2>2</t>", "; <t10>10", "b</t>; <t1", ">1</", "t>"];
        for bytes in turn.iter().flat_map(|piece| piece.bytes()) {
            matcher.fill_mask(&mut mask).expect("a mask");
            for id in (0..256 + pieces.len() as u32).chain([300]) {
                let is_set = mask[id as usize / 32] >> (id % 32) & 1 != 0;
                assert_eq!(
                    is_set,
                    matcher.fork().accept_token(id).is_ok(),
                    "token {id} before {bytes}\n{grammar}"
                );
            }
            matcher.accept_token(u32::from(bytes)).expect("it is allowed");
        }
        assert!(matcher.can_finish());
    }
}

#[test]
fn pythonic_arguments() {
    let schema = |extra: Value| {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "integer"}, "s": {"type": "string", "pattern": "^[^'x]{1,3}$"}, "b": {"type": "boolean"}}, "required": ["s"]});
        for (name, value) in extra.as_object().expect("members") {
            schema[name] = value.clone();
        }
        schema
    };
    let format = |extra: Value, any_order: bool| json!({"type": "json_schema", "style": "pythonic", "json_schema": schema(extra), "any_order": any_order});
    check(
        format(json!({}), false),
        &["s='a'", "a=1, s='a', b=True", "a=1,s=\"\\\"\"", "s='é\\n', b=False", "s='\\\\'"],
        &[
            "",
            "a=1",
            "s='x'",
            "s=\"'\"",
            "s='\\''",
            "s='abcd'",
            "s='a', a=1",
            "s='a', c=1",
            "s='a',",
            "s=a",
            "s='\\'",
        ],
    );
    check(
        format(json!({}), true),
        &["b=True, s='a', a=1", "s='a', a=1"],
        &["b=True, a=1", "s='a', s='b'", "s='a', c=1"],
    );
    let open = json!({"additionalProperties": {"type": ["array", "null"], "items": {"type": "string"}}});
    check(
        format(open, false),
        &["s='a', c=None, d2=['x', \"y\"]", "s='a', _=[]"],
        &["s='a', c=1", "s='a', 2d=[]", "s='a', b=[]", "c=None, s='a'"],
    );
    check(
        json!({"type": "json_schema", "style": "pythonic", "json_schema": true}),
        &["", "x=1", "x={'a': [True, None, 1.5]}, y=''"],
        &["1", "x=", "x={a: 1}", "x=null"],
    );
    for (schema, pointer) in [
        (json!({"type": "object", "properties": {"a-b": true}}), "/format/json_schema/properties/a-b"),
        (
            json!({"type": "object", "properties": {}, "required": ["z"], "additionalProperties": true}),
            "/format/json_schema/required",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string", "format": "regex"}}}),
            "/format/json_schema/properties/a",
        ),
    ] {
        let format = json!({"type": "json_schema", "style": "pythonic", "json_schema": schema});
        let error =
            grammar_from_value(&json!({"type": "structural_tag", "format": format})).expect_err("refused");
        assert_eq!(
            (error.kind(), error.pointer()),
            (formwork_tags::ErrorKind::Unsupported, pointer),
            "{error}"
        );
    }
}

#[test]
fn a_trigger_that_is_not_whole_is_text() {
    let tags = json!({"type": "triggered_tags", "triggers": ["<call>"], "excludes": ["bad"], "tags": [{"begin": "<call>", "content": {"value": "1"}, "end": ";"}]});
    check(
        tags,
        &["", "<call", "a <<call>1;", "b ba", "<call>1;<ca", "<call>1;ba"],
        &["<call>", "<call>2;", "bad", "<call>1", "a<call>1;bad"],
    );
}

#[test]
fn a_bound_of_zero_is_the_empty_text() {
    for format in [
        json!({"type": "any_text", "max_chars": 0}),
        json!({"type": "any_text", "max_tokens": 0}),
        json!({"type": "any_tokens", "max_tokens": 0}),
    ] {
        check_with(&["<a>"], format.clone(), &[""], &["a", "<a>"]);
        let tag = json!({"type": "tag", "begin": "(", "content": format, "end": ""});
        check_with(&["<a>"], tag, &["("], &["(a", "(<a>"]);
    }
}

#[test]
fn what_goes_on_for_ever_needs_an_end() {
    let refused = |content: Value| {
        let format = json!({"type": "tag", "begin": "<", "content": content, "end": ""});
        let error =
            grammar_from_value(&json!({"type": "structural_tag", "format": format})).expect_err("refused");
        assert_eq!(error.pointer(), "/format/end", "{error}");
    };
    let any = json!({"type": "any_text"});
    let token_tags = json!({"type": "token_triggered_tags", "trigger_tokens": [1], "tags": [{"begin": {"type": "token", "token": 1}, "content": {"value": "1"}, "end": ""}]});
    for content in [
        any.clone(),
        json!({"type": "star", "content": any}),
        json!({"type": "plus", "content": any}),
        json!({"type": "repeat", "min": 0, "max": -1, "content": any}),
        json!({"type": "sequence", "elements": [{"value": "a"}, any]}),
        json!({"type": "or", "elements": [{"value": "a"}, any]}),
        json!({"type": "any_text", "capture": "x"}),
        json!({"type": "any_tokens"}),
        json!({"type": "triggered_tags", "triggers": ["["], "tags": [{"begin": "[", "content": {"value": "1"}, "end": "]"}]}),
        token_tags,
    ] {
        refused(content);
    }
    let bounded = |content: Value| {
        check(
            json!({"type": "tag", "begin": "<", "content": content, "end": ""}),
            &["<", "<a"],
            &["", "<bad"],
        );
    };
    bounded(json!({"type": "any_text", "excludes": ["bad"]}));
    bounded(json!({"type": "any_text", "max_chars": 1}));
    bounded(json!({"type": "any_text", "max_tokens": 2}));
}

#[test]
fn a_token_is_read_by_its_bytes_and_as_a_whole() {
    // Both ways at once: what follows either may come.
    let first = json!({"type": "sequence", "elements": [{"type": "token", "token": "a"}, {"value": "1"}]});
    let second = json!({"type": "sequence", "elements": [{"value": "a"}, {"value": "2"}]});
    check(json!({"type": "or", "elements": [first, second]}), &["a1", "a2"], &["a", "b1", "aa1"]);
}
