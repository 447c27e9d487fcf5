//! Outputs so long that rows are forgotten: memory, rollback and forks.

use formwork_engine::{CompiledGrammar, Compiler, Matcher};
use formwork_vocab::Vocabulary;

fn compile(grammar: &str) -> CompiledGrammar {
    let mut vocabulary = Vocabulary::builder();
    for byte in 0..=u8::MAX {
        vocabulary.token(u32::from(byte), [byte]);
    }
    vocabulary.token(256u32, "ab").token(257u32, "[a,").special(300u32, "<stop>").stop(300u32);
    let grammar = formwork_ebnf::grammar(grammar).expect("a grammar of this test");
    Compiler::new(vocabulary.build().expect("a vocabulary")).compile(&grammar).expect("it compiles")
}

fn mask(matcher: &mut Matcher) -> Vec<u32> {
    let mut mask = vec![0; matcher.compiled().vocabulary().mask_words()];
    matcher.fill_mask(&mut mask).expect("within limits");
    mask
}

/// Every row is another one: the string counts its characters.
const COUNTED: &str = "root ::= \"<\" ([a-z] | \"-\" [0-9]{1,70000}){0,300000} \">\"\n";

#[test]
fn memory_does_not_grow_with_a_counted_text() {
    let compiled = compile(COUNTED);
    let mut matcher = Matcher::new(&compiled);
    matcher.accept_bytes(b"<").expect("accepted");
    let mut most = 0;
    for i in 0..60_000 {
        matcher.accept_token(if i % 3 == 0 { 256u32 } else { 97 }).expect("accepted");
        most = most.max(matcher.memory_size());
    }
    assert_eq!((matcher.n_steps(), matcher.n_bytes()), (60_001, 80_001));
    assert!(most < 2 << 20, "{most} bytes");
}

#[test]
fn a_rollback_behind_what_was_forgotten_is_as_if_nothing_was() {
    let compiled = compile(COUNTED);
    // The masks after some numbers of steps, by matchers that never went further.
    let token = |i: usize| if i % 5 == 1 { 256u32 } else { b'a' as u32 + (i % 26) as u32 };
    let upto = |n: usize| {
        let mut matcher = Matcher::new(&compiled);
        matcher.accept_bytes(b"<").expect("accepted");
        (0..n).for_each(|i| matcher.accept_token(token(i)).expect("accepted"));
        matcher
    };
    let mut matcher = upto(20_000);
    let fork = matcher.fork();
    let mut at = 20_000;
    for to in [19_990, 19_700, 9_000, 8_999, 257, 3, 0] {
        matcher.rollback(at - to).expect("there are as many");
        at = to;
        let mut short = upto(to);
        assert_eq!((matcher.n_steps(), matcher.n_bytes()), (short.n_steps(), short.n_bytes()));
        assert_eq!(mask(&mut matcher), mask(&mut short), "after {to} steps");
        // And on again, a little.
        matcher.accept_bytes(b"x-12").expect("accepted");
        short.accept_bytes(b"x-12").expect("accepted");
        assert_eq!(mask(&mut matcher), mask(&mut short), "a little after {to} steps");
        matcher.rollback(1).expect("there is one");
    }
    let (mut fork, mut long) = (fork, upto(20_000));
    assert_eq!(mask(&mut fork), mask(&mut long), "the fork is where it was");
    assert_eq!(fork.validate_tokens(&[97u32; 2_000]), 2_000);
    assert_eq!(mask(&mut fork), mask(&mut long), "trying tokens changes nothing");
}

#[test]
fn the_bounds_hold_after_rows_were_forgotten() {
    let compiled = compile("root ::= \"<\" [a-c]{0,5000} \">\"\n");
    let mut matcher = Matcher::new(&compiled);
    matcher.accept_bytes(b"<").expect("accepted");
    for _ in 0..5_000 {
        matcher.accept_token(b'a' as u32).expect("accepted");
    }
    assert!(matcher.accept_token(b'a' as u32).is_err(), "one too many");
    matcher.rollback(1_000).expect("there are as many");
    for _ in 0..1_000 {
        matcher.accept_token(b'b' as u32).expect("accepted");
    }
    assert!(matcher.accept_token(b'b' as u32).is_err(), "one too many");
    matcher.accept_bytes(b">").expect("accepted");
    matcher.accept_token(300u32).expect("the end");
    assert!(matcher.is_finished());
    matcher.rollback(5_003).expect("everything");
    assert_eq!(matcher.n_bytes(), 0);
}
