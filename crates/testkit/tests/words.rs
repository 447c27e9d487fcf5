//! Counted words: the engine's properties where a byte may tick and may not, near the bounds, far from them and between.

use formwork_grammar::{CharClass, Grammar, GrammarBuilder, Place};
use formwork_testkit::generate::{VocabularyShape, cases};
use formwork_testkit::oracles::{
    EngineCase, counted_vs_expanded, mask_has_no_dead_end, mask_vs_brute_force, rollback_replay,
    switches_change_nothing,
};
use formwork_testkit::{Outcome, Rng};
use proptest::prelude::*;

/// `"` words `"`, of which so many are counted: with gaps that are longer than a blank, left out, or both, and with or
/// without a last word; as text or JSON text; perhaps beside the empty text or another text. Or a text of so many characters,
/// which may reach a part that has an end, of rounds of several words. Some without quotes.
fn words(rng: &mut Rng) -> Grammar {
    let mut b = GrammarBuilder::new();
    let root = b.declare("root", Place::none());
    let letter = b.class(CharClass::from_ranges([('a', 'b')]));
    let blank = b.class(match rng.below(2) {
        0 => CharClass::range(' ', ' '),
        _ => CharClass::from_ranges([('\n', '\n'), (' ', ' ')]),
    });
    let word = if rng.chance(1, 4) { letter } else { b.plus(letter) };
    let gap = match rng.below(4) {
        0 => b.plus(blank),
        1 => b.optional(blank),
        2 => b.star(blank),
        _ => blank,
    };
    let body = if rng.chance(3, 4) { b.seq([word, gap]) } else { b.seq([gap, word]) };
    let max = [3, 9, 20, 30, 60][rng.below(5)];
    let min = [0, 0, 1, 3, max / 2, max - 2, max][rng.below(7)];
    let upper = rng.chance(5, 6).then_some(max);
    let counted = match rng.below(4) {
        0 => {
            let any = b.class(CharClass::any());
            // Rounds of several words leave gaps between the lengths, into which the bounds may fit.
            let n_words = rng.between(1, 5) as u32;
            let body = b.repeat(body, n_words, Some(n_words));
            let (length, words, end) = (b.repeat(any, min, upper), b.star(body), b.repeat(any, 0, Some(6)));
            let dash = b.literal("-");
            let end = b.seq([dash, end]);
            let end = b.optional(end);
            let pattern = b.seq([words, end]);
            b.and([pattern, length])
        }
        _ => b.repeat(body, min, upper),
    };
    let text = match rng.below(3) {
        0 => counted,
        1 => b.seq([counted, word]),
        _ => b.seq([word, counted, gap]),
    };
    let text = match rng.below(4) {
        0 => b.optional(text),
        1 => {
            let other = b.literal("aa b");
            b.alt([other, text])
        }
        _ => text,
    };
    let text = if rng.chance(1, 2) { b.json_text(text) } else { text };
    let quote = b.literal("\"");
    let body = match rng.below(6) {
        0 => b.seq([text, quote]),
        // Behind whose end nothing stands.
        1 => text,
        _ => b.seq([quote, text, quote]),
    };
    b.define(root, body);
    b.build(root).expect("words")
}

fn random_case(rng: &mut Rng) -> EngineCase {
    let grammar = words(rng);
    // Tokens of more than 24 bytes are counted apart.
    let shape = VocabularyShape {
        max_long_tokens: 60,
        max_token_len: rng.between(3, 36),
        ..VocabularyShape::complete(b"aaaab       -\"\\n".to_vec())
    };
    EngineCase::over(rng, grammar, &shape)
}

fn check(seed: u64, oracle: impl FnOnce(&EngineCase, &mut Rng) -> Outcome) -> Outcome {
    EngineCase::check(seed, random_case, oracle)
}

proptest! {
    // Every token is tried, which is slow.
    #![proptest_config(cases(60))]

    #[test]
    fn masks_are_brute_force(seed: u64) {
        check(seed, |case, rng| mask_vs_brute_force(case, rng, 8))?;
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn switches_make_no_difference(seed: u64) {
        check(seed, |case, rng| switches_change_nothing(case, rng, 40))?;
    }

    #[test]
    fn counts_are_copies(seed: u64) {
        check(seed, |case, rng| counted_vs_expanded(case, rng, 40))?;
    }

    #[test]
    fn masks_have_no_dead_end(seed: u64) {
        check(seed, |case, rng| mask_has_no_dead_end(case, rng, 40))?;
    }

    #[test]
    fn rollback_is_replay(seed: u64) {
        check(seed, |case, rng| rollback_replay(case, rng, 16))?;
    }
}

/// Behind 18 of 20 characters the next one is no `a`, and no escape may begin like one's.
#[test]
fn an_escape_of_what_cannot_come_does_not_begin() {
    check(4489001657159660987, |case, rng| counted_vs_expanded(case, rng, 40)).expect("exact");
}
