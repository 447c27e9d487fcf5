//! Regions of formats: budgets of tokens.

#![allow(missing_docs, reason = "a test")]

mod common;

use formwork_engine::{CompileErrorKind, Compiler, Matcher};
use formwork_tags::{Format, Model, Options, Reasoning, Tag, Tools, grammar_from_value};
use serde_json::{Value, json};
use std::num::NonZeroU32;

fn matcher(specials: &[&str], format: Value) -> Matcher {
    let grammar = grammar_from_value(&json!({"type": "structural_tag", "format": format}))
        .unwrap_or_else(|error| panic!("{error}"));
    Matcher::new(
        &Compiler::new(common::vocabulary(specials))
            .compile(&grammar)
            .unwrap_or_else(|error| panic!("{error}")),
    )
}

/// Each byte as a token; how many are accepted.
fn accept(matcher: &mut Matcher, text: &str) -> usize {
    text.bytes().take_while(|&byte| matcher.accept_token(u32::from(byte)).is_ok()).count()
}

#[test]
fn free_text_has_a_budget_of_tokens() {
    let mut alone = matcher(&[], json!({"type": "any_text", "max_tokens": 3}));
    assert_eq!(accept(&mut alone, "abcd"), 3);
    assert!(alone.can_finish());
    let tag = json!({"type": "tag", "begin": "<a>", "content": {"type": "any_text", "max_tokens": 5}, "end": "</a>"});
    let mut tag = matcher(&[], tag);
    assert_eq!(accept(&mut tag, "<a>abcdef"), 8);
    assert_eq!(tag.forced_bytes(), b"</a>");
    tag.rollback(3).expect("eight steps");
    // What looks like the end was text after all, and its tokens count.
    assert_eq!(accept(&mut tag, "</bc"), 3);
    assert_eq!(tag.forced_bytes(), b"</a>");
    // With both bounds, both hold.
    let both = json!({"type": "any_text", "max_tokens": 3, "max_chars": 2});
    assert_eq!(accept(&mut matcher(&[], both), "abc"), 2);
    let both = json!({"type": "any_text", "max_tokens": 2, "max_chars": 3});
    assert_eq!(accept(&mut matcher(&[], both), "abc"), 2);
}

#[test]
fn any_regular_format_has_one() {
    let regex = json!({"type": "regex", "pattern": "a(bc)*", "max_tokens": 4});
    let mut regex = matcher(&[], regex);
    // Four tokens are not enough for `abcbc`, so that no `b` comes fourth.
    assert_eq!(accept(&mut regex, "abcb"), 3);
    let each = json!({"type": "star", "content": {"type": "tag", "begin": "<", "content": {"type": "any_text", "max_tokens": 2}, "end": ">"}});
    let mut each = matcher(&[], each);
    assert_eq!(accept(&mut each, "<ab><cd><e><fgh"), 14);
    let schema = json!({"type": "json_schema", "json_schema": {"type": "integer"}, "max_tokens": 2});
    assert_eq!(accept(&mut matcher(&[], schema), "123"), 2);
    let tokens = json!({"type": "sequence", "elements": [{"type": "any_tokens", "exclude_tokens": ["<b>"], "max_tokens": 2}, {"type": "token", "token": "<b>"}]});
    let mut tokens = matcher(&["<b>"], tokens);
    assert_eq!(accept(&mut tokens, "abc"), 2);
}

#[test]
fn what_cannot_have_a_budget_is_refused_with_its_place() {
    let refused = |format: Value| {
        let grammar = grammar_from_value(&json!({"type": "structural_tag", "format": format}))
            .unwrap_or_else(|error| panic!("{error}"));
        let error = Compiler::new(common::vocabulary(&[])).compile(&grammar).expect_err("refused");
        (error.kind(), error.place().pointer().unwrap_or_default().to_owned())
    };
    let element = |format: Value| json!({"type": "sequence", "elements": [{"type": "const_string", "value": "x"}, format]});
    let recursive = json!({"type": "json_schema", "json_schema": true, "max_tokens": 9});
    assert_eq!(refused(element(recursive)), (CompileErrorKind::Budget, "/format/elements/1".to_owned()));
    let short = json!({"type": "const_string", "value": "four", "max_tokens": 3});
    assert_eq!(refused(element(short)), (CompileErrorKind::Budget, "/format/elements/1".to_owned()));
}

#[test]
fn reasoning_has_a_budget_of_tokens() {
    for (name, close) in [
        ("qwen3", "</think>"),
        ("qwen3_coder", "</think>"),
        ("mistral_v13", "[/THINK]"),
        ("harmony", "<|end|>"),
    ] {
        for reasoning in [Reasoning::On, Reasoning::Auto] {
            let tools = Tools::new(Vec::new())
                .reasoning(reasoning)
                .max_reasoning_tokens(NonZeroU32::new(3).expect("three"));
            let format = Model::named(name).expect("a family").format(&tools).expect("a format");
            let grammar = Options::default().grammar_of(&format).expect("a grammar");
            let compiled = Compiler::new(common::vocabulary(&[])).compile(&grammar).expect("compiles");
            let mut matcher = Matcher::new(&compiled);
            let open = match (name, reasoning) {
                ("harmony", _) => "<|channel|>analysis<|message|>",
                ("mistral_v13", _) => "[THINK]",
                ("qwen3_coder", Reasoning::On) => "",
                _ => "<think>",
            };
            assert_eq!(accept(&mut matcher, open), open.len(), "{name}");
            assert_eq!(accept(&mut matcher, "abcd"), 3, "{name}");
            let mut fork = matcher.fork();
            assert!(fork.forced_bytes().starts_with(close.as_bytes()), "{name}");
            matcher.rollback(2).expect("two steps back");
            assert_eq!(accept(&mut matcher, "xyz"), 2, "two are left");
            assert_eq!(accept(&mut fork, close), close.len(), "{name}");
        }
    }
}

#[test]
fn builders_say_the_same() {
    let tag = Tag::new("<", Format::any_text().max_tokens(NonZeroU32::MIN).captured("x"), ">");
    let grammar = Options::default().grammar_of(&tag.into()).expect("a grammar");
    let json = json!({"type": "tag", "begin": "<", "content": {"type": "any_text", "max_tokens": 1, "capture": "x"}, "end": ">"});
    let same = grammar_from_value(&json!({"type": "structural_tag", "format": json})).expect("a grammar");
    assert_eq!(grammar.to_string(), same.to_string());
    assert!(common::accepts(&grammar, &[], "<a>") && !common::accepts(&grammar, &[], "<ab>"));
    assert!(grammar.to_string().contains("x[max_tokens=1, capture=\"x\"]"), "{grammar}");
}
