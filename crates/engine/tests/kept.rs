//! Masks in a buffer that stays with an output. That they are the same is checked wherever masks are
//! (`testkit/src/oracles/mask_vs_brute_force.rs`, `formwork/tests/agentic.rs`, `xtask exact`).

use formwork_engine::{Compiler, KeptMask, MaskError, Matcher};
use formwork_vocab::Vocabulary;

fn matcher(vocabulary: &Vocabulary, grammar: &str) -> Matcher {
    let grammar = formwork_ebnf::grammar(grammar).expect("a grammar");
    Matcher::new(&Compiler::new(vocabulary.clone()).compile(&grammar).expect("a compiled grammar"))
}

#[test]
fn matchers_may_take_turns_with_a_buffer() {
    let vocabulary = Vocabulary::bytes();
    let mut memory = vec![u32::MAX; vocabulary.mask_words() + 2];
    let n_words = memory.len();
    let mut kept = KeptMask::new(&mut memory[..]);
    // Wide and narrow, with and without an end, and one that is finished.
    let grammars = ["root ::= [^a]*", "root ::= \"x\" [0-9]", "root ::= [^a]+", "root ::= [a-f]+ \"b\"?"];
    let mut matchers = grammars.map(|grammar| matcher(&vocabulary, grammar));
    for text in [b"b1bb", b"xxxx", b"0000", b"abfe"] {
        for &byte in text {
            for matcher in &mut matchers {
                let mut alone = vec![7; n_words];
                let is_partial = matcher.fill_mask(&mut alone).expect("room");
                assert_eq!(matcher.fill_kept(&mut kept), Ok(is_partial));
                assert_eq!(kept.words(), alone);
                let _ = matcher.accept_bytes(&[byte]);
            }
        }
    }
    assert_eq!(kept.words().last(), Some(&0), "words beyond the vocabulary");
    assert_eq!(kept.into_inner().len(), n_words);
}

#[test]
fn a_buffer_that_is_too_short_is_an_error() {
    let vocabulary = Vocabulary::bytes();
    let mut kept = KeptMask::new(vec![0; vocabulary.mask_words() - 1]);
    let error = matcher(&vocabulary, "root ::= \"a\"").fill_kept(&mut kept).expect_err("no room");
    assert!(matches!(error, MaskError::BufferTooShort { .. }), "{error}");
}
