//! What a long output makes the heap grow by, counted by the allocator. A file of its own: the allocator is the program's.

use cap::Cap;
use formwork_engine::{Compiler, Matcher};
use formwork_vocab::Vocabulary;
use std::alloc::System;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

#[test]
fn a_megabyte_of_text_takes_less_than_eight_bytes_a_token() {
    const N: usize = 1 << 20;
    let grammar = formwork_ebnf::grammar(r#"root ::= "\"" [^"]* "\"""#).expect("a grammar");
    let compiled = Compiler::new(Vocabulary::bytes()).compile(&grammar).expect("it compiles");
    let mut matcher = Matcher::new(&compiled);
    let mut mask = vec![0; compiled.vocabulary().mask_words()];
    matcher.accept_token(u32::from(b'"')).expect("accepted");
    let mut walk = |n: usize| {
        for i in 0..n {
            matcher.fill_mask(&mut mask).expect("within limits");
            matcher.accept_token(u32::from(b"some text. "[i % 11])).expect("accepted");
        }
        (HEAP.allocated(), matcher.memory_size(), matcher.history_size())
    };
    let early = walk(N / 100);
    let late = walk(N);
    let grown = late.0 - early.0;
    assert!((4 * N..5 * N).contains(&grown), "{grown} bytes");
    let said = late.2 - early.2;
    assert!(said.abs_diff(grown) < grown / 50, "{said} bytes of {grown}");
    assert_eq!(late.1, early.1, "rows");
    // A fork shares all of it but the chunk that is not full.
    let (before, fork) = (HEAP.allocated(), matcher.fork());
    let taken = HEAP.allocated() - before;
    assert!(taken < 64 << 10, "{taken} bytes for a fork");
    drop(fork);
    matcher.rollback(N / 2).expect("back");
    assert!(HEAP.allocated() < late.0 - 2 * N, "what is taken back is given back");
}
