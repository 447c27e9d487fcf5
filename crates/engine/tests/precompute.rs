//! What compiling does before an output needs it.

use formwork_engine::{CompileErrorKind, CompiledGrammar, Compiler, Matcher};
use formwork_vocab::Vocabulary;
use std::cell::Cell;

fn compiler(precompute: u64) -> Compiler {
    let mut vocabulary = Vocabulary::builder();
    for byte in 0..=u8::MAX {
        vocabulary.token(u32::from(byte), [byte]);
    }
    vocabulary
        .token(256u32, "a>")
        .token(257u32, "[[")
        .token(258u32, "]</")
        .special(300u32, "<stop>")
        .stop(300u32);
    Compiler::builder(vocabulary.build().expect("a vocabulary")).precompute(precompute).build()
}

/// A dispatch on so many tags, each with a rule of its own behind it.
fn calls(n_tags: usize) -> formwork_grammar::Grammar {
    let tags: Vec<String> = (0..n_tags).map(|i| format!("Tag(\"{i}>\") list{i} Tag(\"</a>\")")).collect();
    let lists = (0..n_tags).map(|i| format!("list{i} ::= \"[\" (list{i} (\",{i}\" list{i})*)? \"]\"\n"));
    let text = format!(
        "root ::= Until((\"<\", ({}) root), ends=true)\n{}",
        tags.join(" | "),
        lists.collect::<String>()
    );
    formwork_ebnf::grammar(&text).expect("a grammar of this test")
}

fn n_built(compiled: &CompiledGrammar) -> usize {
    let automata = compiled.automata();
    let is_list = |&rule: &_| automata.name(rule).starts_with("list") && automata.is_ready(rule);
    automata.rules().filter(is_list).count()
}

#[test]
fn what_stands_behind_few_tags_is_built_at_compile() {
    let compile = |precompute, n_tags| compiler(precompute).compile(&calls(n_tags)).expect("it compiles");
    assert_eq!([n_built(&compile(2_000_000, 2)), n_built(&compile(2_000_000, 64))], [2, 64]);
    // An output uses too small a part of more; and not without a budget, or beyond it.
    assert_eq!([n_built(&compile(2_000_000, 65)), n_built(&compile(0, 2))], [0, 0]);
    assert_eq!(n_built(&compile(1, 64)), 1);
}

#[test]
fn wide_masks_behind_few_tags_are_computed_at_compile() {
    let behind = |n_tags: usize| {
        let tags: Vec<String> = (0..n_tags).map(|i| format!("Tag(\"{i}>\") text")).collect();
        let text = format!(
            "root ::= \"go\" Until((\"<\", ({})), ends=true)\ntext ::= [^<]* (\"<\" text \">\")?\n",
            tags.join(" | ")
        );
        formwork_ebnf::grammar(&text).expect("a grammar of this test")
    };
    let n_computed = |precompute, n_tags| {
        let compiled = compiler(precompute).compile(&behind(n_tags)).expect("it compiles");
        compiled.n_local_masks().0
    };
    let with_free_text = n_computed(2_000_000, 65);
    assert_eq!(n_computed(2_000_000, 64), with_free_text + 1);
    assert_eq!(n_computed(0, 64), 0);
}

#[test]
fn masks_where_tags_are_chosen_from_are_computed_at_compile() {
    let calls = |n_tags: usize| {
        let tags: Vec<String> = (0..n_tags).map(|i| format!("Tag(\"name{i}>\") list")).collect();
        let text = format!(
            "root ::= \"go\" Until((\"<\", (call root)), ends=true)\ncall ::= {} | \"(\" call \")\"\nlist ::= \"[\" (list (\",\" list)*)? \"]\"\n",
            tags.join(" | ")
        );
        formwork_ebnf::grammar(&text).expect("a grammar of this test")
    };
    let n_computed = |precompute, n_tags| {
        let compiled = compiler(precompute).compile(&calls(n_tags)).expect("it compiles");
        compiled.n_local_masks().0
    };
    // Of the rule's start and of what is behind its first bytes, however many there are; not beyond the budget.
    assert_eq!(n_computed(2_000_000, 500), n_computed(2_000_000, 1) + 3);
    assert_eq!(n_computed(0, 500), 0);
}

#[test]
fn masks_are_those_without_it() {
    let [with, without] =
        [2_000_000, 0].map(|precompute| compiler(precompute).compile(&calls(3)).expect("it compiles"));
    let mut matchers = [Matcher::new(&with), Matcher::new(&without)];
    let mut masks = [(); 2].map(|()| vec![0; with.vocabulary().mask_words()]);
    for byte in b"x<1>[[],1[]]</a><0>[]</a>" {
        for (matcher, mask) in matchers.iter_mut().zip(&mut masks) {
            matcher.fill_mask(mask).expect("within limits");
            matcher.accept_token(u32::from(*byte)).expect("accepted");
        }
        assert_eq!(masks[0], masks[1]);
    }
}

#[test]
fn the_caller_may_stop_it() {
    let n_asked = Cell::new(0);
    let count = |stop_at: usize| {
        n_asked.set(0);
        compiler(2_000_000).compile_with(&calls(9), &|| {
            n_asked.set(n_asked.get() + 1);
            n_asked.get() == stop_at
        })
    };
    count(usize::MAX).expect("it compiles");
    let last = n_asked.get();
    for stop_at in [last, last - 1] {
        let error = count(stop_at).expect_err("stopped while the last rules are built");
        assert_eq!(error.kind(), CompileErrorKind::Interrupted);
    }
}
