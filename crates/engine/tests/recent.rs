//! Grammars that are compiled twice.

use formwork_engine::{Compiler, Config, Matcher};
use formwork_grammar::Grammar;
use formwork_vocab::Vocabulary;
use std::sync::Arc;

fn compiler(change: impl FnOnce(&mut Config)) -> Compiler {
    let mut vocabulary = Vocabulary::builder();
    for byte in 0..=u8::MAX {
        vocabulary.token(u32::from(byte), [byte]);
    }
    vocabulary.special(256u32, "<stop>").stop(256u32);
    let mut config = Config::default();
    change(&mut config);
    Compiler::builder(vocabulary.build().expect("a vocabulary")).config(config).build()
}

fn grammar(text: &str) -> Grammar {
    formwork_ebnf::grammar(text).expect("a grammar")
}

fn numbered(number: usize) -> Grammar {
    grammar(&format!("root ::= \"<{number}:\" item{{1,3}} \">\"\nitem ::= [a-z]+ \";\" | \"(\" item \")\"\n"))
}

/// Follows a text; local masks computed for it.
fn follow(compiler: &Compiler, grammar: &Grammar, text: &str) -> u64 {
    let before = compiler.pool().stats().misses;
    let compiled = compiler.compile(grammar).expect("it compiles");
    let mut matcher = Matcher::new(&compiled);
    let mut mask = vec![0; compiled.vocabulary().mask_words()];
    for byte in text.bytes() {
        matcher.fill_mask(&mut mask).expect("a mask");
        assert_eq!(mask[usize::from(byte) / 32] >> (byte % 32) & 1, 1, "{text}");
        matcher.accept_token(u32::from(byte)).expect("its bit is set");
    }
    compiler.pool().stats().misses - before
}

#[test]
fn the_same_text_is_the_same_grammar() {
    let (with, without) = (compiler(|c| c.pool = false), compiler(|c| (c.pool, c.recent_bytes) = (false, 0)));
    for compiler in [&with, &without] {
        assert!(follow(compiler, &numbered(7), "<7:ab;((c;))>") > 0);
    }
    // Nothing is computed again, but for what no output has needed yet.
    assert_eq!(follow(&with, &numbered(7), "<7:ab;((c;))>"), 0);
    assert!(follow(&without, &numbered(7), "<7:ab;((c;))>") > 0);
    assert!(follow(&with, &numbered(8), "<8:ab;((c;))>") > 0);
    // The rows are there, too.
    let compiled = with.compile(&numbered(7)).expect("it compiles");
    let fresh = compiler(|_| {}).compile(&numbered(7)).expect("it compiles");
    assert!(Matcher::new(&compiled).memory_size() > Matcher::new(&fresh).memory_size());
}

#[test]
fn what_differs_in_names_or_places_only_is_compiled_for_itself() {
    let compiler = compiler(|_| {});
    let name_of = |text: &str| {
        let compiled = compiler.compile(&grammar(text)).expect("it compiles");
        let automata = compiled.automata();
        let names: Vec<_> = automata.rules().map(|rule| automata.name(rule).to_owned()).collect();
        let places: Vec<_> = automata.rules().map(|rule| automata.place(rule).to_string()).collect();
        (names, places)
    };
    let first = name_of("root ::= \"a\" | \"(\" root \")\"\n");
    assert_eq!(name_of("root ::= \"a\" | \"(\" root \")\"\n"), first);
    assert_ne!(name_of("\n\nroot ::= \"a\" | \"(\" root \")\"\n").1, first.1);
    assert_ne!(
        name_of("root ::= x\nx ::= \"a\" | \"(\" x \")\"\n").0,
        name_of("root ::= y\ny ::= \"a\" | \"(\" y \")\"\n").0
    );
}

#[test]
fn only_so_many_bytes_are_kept() {
    let compiler = compiler(|c| (c.recent_bytes, c.pool_bytes) = (400_000, 100_000));
    let kept = |n: usize| {
        let all: Vec<_> = (0..n).map(|i| compiler.compile(&numbered(i)).expect("it compiles")).collect();
        let weights: Vec<_> = all.iter().map(|compiled| Arc::downgrade(compiled.automata())).collect();
        drop(all);
        weights.iter().filter(|automata| automata.strong_count() > 0).count()
    };
    assert_eq!(kept(3), 3);
    let n = kept(1_000);
    assert!((10..200).contains(&n), "{n} of 1,000");
    // The latest is there, the first is not, and is compiled again.
    let latest = numbered(999);
    assert!(Arc::ptr_eq(
        compiler.compile(&latest).expect("it compiles").automata(),
        compiler.compile(&latest).expect("it compiles").automata()
    ));
    follow(&compiler, &numbered(0), "<0:a;>");
}

#[test]
fn threads_share_what_is_kept() {
    let compiler = compiler(|c| c.recent_bytes = 200_000);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for i in 0..100 {
                    follow(&compiler, &numbered(i % 30), &format!("<{}:ab;(c;)>", i % 30));
                }
            });
        }
    });
}
