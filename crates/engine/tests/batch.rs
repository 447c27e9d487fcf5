//! Many matchers at a time, and masks applied to logits.

use formwork_engine::{Compiler, MaskError, Matcher, apply_mask, fill_masks};
use formwork_vocab::Vocabulary;

fn matcher(grammar: &str) -> Matcher {
    let grammar = formwork_ebnf::grammar(grammar).expect("a grammar");
    Matcher::new(&Compiler::new(Vocabulary::bytes()).compile(&grammar).expect("a compiled grammar"))
}

#[test]
fn a_batch_is_what_each_matcher_says() {
    let mut matchers =
        [matcher("root ::= [a-f]+"), matcher("root ::= \"x\" [0-9]"), matcher("root ::= [^a]*")];
    let words = matchers[0].compiled().vocabulary().mask_words();
    let stride = words + 3;
    let mut buffer = vec![7u32; 5 * stride];
    let rows = [4, 0, 2];
    fill_masks(rows.into_iter().zip(&mut matchers), &mut buffer, stride).expect("room for all");
    for (row, matcher) in rows.into_iter().zip(&mut matchers) {
        let mut alone = vec![1; stride];
        matcher.fill_mask(&mut alone).expect("room");
        assert_eq!(buffer[row * stride..][..stride], alone);
    }
    assert!(buffer[stride..2 * stride].iter().all(|&word| word == 7), "rows of nobody stay");
}

#[test]
fn a_row_outside_of_the_buffer_is_an_error_that_names_it() {
    let mut matcher = matcher("root ::= \"a\"");
    let words = matcher.compiled().vocabulary().mask_words();
    let mut buffer = vec![0; 2 * words];
    for (row, stride) in [(2, words), (0, words - 1), (usize::MAX, words), (1, usize::MAX)] {
        let error = fill_masks([(row, &mut matcher)], &mut buffer, stride).expect_err("no room");
        assert_eq!(error.row(), row);
        assert!(matches!(error.error(), MaskError::BufferTooShort { .. }), "{error}");
    }
}

#[test]
fn logits_of_forbidden_tokens_are_impossible() {
    let mask = [0b101, u32::MAX];
    let mut logits: Vec<f32> = (0..70u8).map(f32::from).collect();
    apply_mask(&mask, &mut logits);
    for (i, logit) in logits.into_iter().enumerate() {
        let allowed = i == 0 || i == 2 || (32..64).contains(&i);
        assert_eq!(logit, if allowed { i as f32 } else { f32::NEG_INFINITY }, "token {i}");
    }
    let mut short = [1.0f32; 2];
    apply_mask(&mask, &mut short);
    assert_eq!(short, [1.0, f32::NEG_INFINITY]);
}
