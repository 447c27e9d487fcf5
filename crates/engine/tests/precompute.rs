//! What compiling does before an output needs it.

use formwork_engine::{CompileErrorKind, CompiledGrammar, Compiler, Config, Matcher};
use formwork_vocab::Vocabulary;
use std::cell::Cell;

fn compiler(precompute: u64) -> Compiler {
    let mut config = Config::default();
    config.precompute = precompute;
    compiler_of(config)
}

fn compiler_of(config: Config) -> Compiler {
    let mut vocabulary = Vocabulary::builder();
    for byte in 0..=u8::MAX {
        vocabulary.token(u32::from(byte), [byte]);
    }
    vocabulary
        .token(256u32, "a>")
        .token(257u32, "[[")
        .token(258u32, "]</")
        .token(259u32, "irs")
        .special(300u32, "<stop>")
        .stop(300u32);
    Compiler::builder(vocabulary.build().expect("a vocabulary")).config(config).build()
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
fn what_stands_behind_tags_is_built_at_compile() {
    let compile = |precompute, n_tags| compiler(precompute).compile(&calls(n_tags)).expect("it compiles");
    let built = [2, 64, 65, 500].map(|n_tags| n_built(&compile(2_000_000, n_tags)));
    assert_eq!(built, [2, 64, 65, 500]);
    // Not without a budget, or beyond it.
    assert_eq!([n_built(&compile(0, 2)), n_built(&compile(1, 64))], [0, 1]);
}

#[test]
fn wide_masks_behind_few_tags_are_computed_at_compile() {
    let behind = |n_tags: usize, what: &str| {
        let tags: Vec<String> = (0..n_tags).map(|i| format!("Tag(\"{i}>\") {what}")).collect();
        let text = format!(
            "root ::= \"go\" Until((\"<\", ({})), ends=true)\ntext ::= [^<]* (\"<\" text \">\")?\n",
            tags.join(" | ")
        );
        formwork_ebnf::grammar(&text).expect("a grammar of this test")
    };
    let n_computed = |precompute, what| {
        let compiled = compiler(precompute).compile(&behind(64, what)).expect("it compiles");
        compiled.n_local_masks().0
    };
    assert_eq!(n_computed(2_000_000, "text"), n_computed(2_000_000, "\"x\"") + 1);
    assert_eq!(n_computed(0, "text"), 0);
}

/// Calls of tools with names, each with arguments of its own.
fn tools(n_tags: usize) -> formwork_grammar::Grammar {
    let tags: Vec<String> = (0..n_tags).map(|i| format!("Tag(\"name{i}>\") arguments{i}")).collect();
    let arguments =
        |i| format!("arguments{i} ::= \"{{\" (\"first{i}\" [!] arguments{i} [?] \"last\")? \"}}\"\n");
    let arguments: String = (0..n_tags).map(arguments).collect();
    let text = format!(
        "root ::= \"go\" Until((\"<\", (call root)), ends=true)\ncall ::= {} | \"(\" call \")\"\n{arguments}",
        tags.join(" | ")
    );
    formwork_ebnf::grammar(&text).expect("a grammar of this test")
}

/// The masks that are computed when one is filled behind a text.
fn n_behind(compiled: &CompiledGrammar, text: &str) -> usize {
    let mut matcher = Matcher::new(compiled);
    matcher.accept_bytes(text.as_bytes()).expect("accepted");
    let before = compiled.n_local_masks().0;
    matcher.fill_mask(&mut vec![0; compiled.vocabulary().mask_words()]).expect("within limits");
    compiled.n_local_masks().0 - before
}

#[test]
fn masks_where_tags_are_chosen_from_are_computed_at_compile() {
    let compile = |precompute, n_tags| compiler(precompute).compile(&tools(n_tags)).expect("it compiles");
    for n_tags in [64, 65, 500] {
        let compiled = compile(2_000_000, n_tags);
        // Where the first byte comes, and behind what all names have in common; not inside of that.
        assert_eq!(["go<", "go<name"].map(|text| n_behind(&compiled, text)), [0, 0], "{n_tags}");
        // With many it is, when all else is done.
        assert_eq!(n_behind(&compiled, "go<na"), usize::from(n_tags <= 65), "{n_tags}");
    }
    assert_eq!(compile(0, 500).n_local_masks().0, 0);
}

#[test]
fn with_many_tags_what_is_nearest_to_them_is_computed_at_compile() {
    let n_while = |compiled: &CompiledGrammar, text: &str| {
        let before = compiled.n_local_masks().0;
        let mut matcher = Matcher::new(compiled);
        let mut mask = vec![0; compiled.vocabulary().mask_words()];
        for byte in text.bytes() {
            matcher.fill_mask(&mut mask).expect("within limits");
            matcher.accept_token(u32::from(byte)).expect("accepted");
        }
        compiled.n_local_masks().0 - before
    };
    let compile = |precompute, n_tags| compiler(precompute).compile(&tools(n_tags)).expect("it compiles");
    let (few, many) = (compile(2_000_000, 64), compile(2_000_000, 200));
    // Two outputs differ in nothing but the tool.
    let of = |i: usize| format!("go<name{i}>{{first{i}!{{}}?last}}");
    let (with_few, with_many) = (n_while(&few, &of(7)), n_while(&many, &of(7)));
    assert!(with_many + 5 <= with_few, "{with_many} and {with_few} are left");
    // What is left is inside of names.
    assert!(n_while(&many, &of(8)) <= "name8>".len() + "first8".len() + "last".len());
    // Less of it with less of a budget.
    let less = compile(200_000, 200);
    assert!(less.n_local_masks().0 < many.n_local_masks().0);
    assert!(n_while(&less, &of(7)) > with_many);
}

#[test]
fn inside_of_names_it_is_where_the_longest_tokens_end() {
    let compiled = compiler_of(Config::default()).compile(&tools(200)).expect("it compiles");
    let n_behind = |text: &str| n_behind(&compiled, text);
    // Of `first9` all tokens are letters but `irs`.
    let tokens = ["f", "fi", "fir", "firs"].map(|text| n_behind(&format!("go<name9>{{{text}")));
    assert_eq!(tokens, [0, 1, 1, 0]);
}

#[test]
fn a_megabyte_in_a_name_is_not_followed() {
    let compiled = compiler(2_000_000).compile(&names_of(1 << 20)).expect("it compiles");
    assert!(compiled.automata().n_states() < 10_000, "{}", compiled.automata().n_states());
}

#[test]
fn what_was_not_followed_is_read_all_the_same() {
    // Every byte read is a state more here, and all of them share a few hashes where CI leaves no more.
    let n_letters = 1 << 14;
    let compiled = compiler(2_000_000).compile(&names_of(n_letters)).expect("it compiles");
    assert!(compiled.automata().n_states() < 10_000, "{}", compiled.automata().n_states());
    let mut matcher = Matcher::new(&compiled);
    matcher.accept_bytes(format!("7>[{}y?[]]", "x".repeat(n_letters)).as_bytes()).expect("accepted");
    assert!(matcher.can_finish());
}

/// A hundred tags with objects behind them whose members' names are as long as that.
fn names_of(n_letters: usize) -> formwork_grammar::Grammar {
    let long = "x".repeat(n_letters);
    let text = format!(
        "root ::= {}\nlong ::= \"[\" (\"{long}\" [!] long | \"{long}y\" [?] long | \"z\" [.])? \"]\"\n",
        (0..100).map(|i| format!("Tag(\"{i}>\") long")).collect::<Vec<_>>().join(" | ")
    );
    formwork_ebnf::grammar(&text).expect("a grammar of this test")
}

#[test]
fn one_tag_more_is_prepared_alone() {
    let compiler = compiler(2_000_000);
    let misses = |n_tags| {
        let before = compiler.pool().stats().misses;
        let compiled = compiler.compile(&tools(n_tags)).expect("it compiles");
        (compiler.pool().stats().misses - before, n_prepared(&compiled))
    };
    let (first, one_more) = (misses(200), misses(201));
    assert!(first.0 > 800, "{first:?}");
    // The names are another rule then, of which some is made again.
    assert!(one_more.0 < 100, "{one_more:?}");
    assert!(first.1 == 200 && one_more.1 < 10, "{first:?}, {one_more:?}");
}

fn n_prepared(compiled: &CompiledGrammar) -> usize {
    let automata = compiled.automata();
    let is_one = |&rule: &_| automata.name(rule).starts_with("arguments") && automata.is_ready(rule);
    automata.rules().filter(is_one).count()
}

#[test]
fn masks_are_those_without_it() {
    let of_tools = "go<name7>{first7!{}?last}go<name99>{first99!{first99!{}?last}?last}";
    for (grammar, text) in [(calls(3), "x<1>[[],1[]]</a><0>[]</a>"), (tools(100), of_tools)] {
        let [with, without] =
            [2_000_000, 0].map(|precompute| compiler(precompute).compile(&grammar).expect("it compiles"));
        let mut matchers = [Matcher::new(&with), Matcher::new(&without)];
        let mut masks = [(); 2].map(|()| vec![0; with.vocabulary().mask_words()]);
        for byte in text.bytes() {
            for (matcher, mask) in matchers.iter_mut().zip(&mut masks) {
                matcher.fill_mask(mask).expect("within limits");
                matcher.accept_token(u32::from(byte)).expect("accepted");
            }
            assert_eq!(masks[0], masks[1]);
        }
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
