//! Patterns that are all there is, as who generates by a regular expression has them: the rule may end after many characters, and
//! nothing stands behind its end. Beside them the same with something behind.

use formwork_grammar::{CharClass, ExprId, Grammar, GrammarBuilder, Place};
use formwork_testkit::generate::{VocabularyShape, cases};
use formwork_testkit::oracles::{
    EngineCase, counted_vs_expanded, mask_vs_brute_force, switches_change_nothing,
};
use formwork_testkit::{Outcome, Rng};
use proptest::prelude::*;

/// Some characters, so many that their tokens are taken wholesale, or fewer.
fn class(b: &mut GrammarBuilder, rng: &mut Rng) -> ExprId {
    b.class(match rng.below(6) {
        0 => CharClass::range('a', 'z'),
        1 => CharClass::from_ranges([(' ', ' '), ('0', '9'), ('a', 'z')]),
        2 => CharClass::from_ranges([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
        3 => CharClass::from_ranges([('"', '"')]).negate(),
        4 => CharClass::range('0', '9'),
        _ => CharClass::any(),
    })
}

/// One to three repetitions, with words beside them, perhaps repeated themselves; bare, or with a quote behind or around, or called
/// by a rule.
fn pattern(rng: &mut Rng) -> Grammar {
    let mut b = GrammarBuilder::new();
    let root = b.declare("root", Place::none());
    let mut parts = Vec::new();
    for _ in 0..rng.between(1, 3) {
        let characters = class(&mut b, rng);
        let max = [1, 3, 5, 12, 40, 70, 300][rng.below(7)];
        let min = [0, 0, 1, max / 2, max][rng.below(5)];
        parts.push(b.repeat(characters, min, rng.chance(5, 6).then_some(max)));
        if rng.chance(1, 4) {
            let word = b.literal(["-", "ab", "x ", "\""][rng.below(4)]);
            parts.push(word);
        }
    }
    let mut body = b.seq(parts);
    if rng.chance(1, 4) {
        let words = ["abc", "xyz", "a1"].map(|word| b.literal(word));
        body = b.alt([body, words[0], words[1], words[2]]);
    }
    if rng.chance(1, 4) {
        let gap = b.literal(" ");
        let round = b.seq([body, gap]);
        let max = [3, 20, 200][rng.below(3)];
        body = b.repeat(round, [0, 1, max / 2][rng.below(3)], Some(max));
    }
    let quote = b.literal("\"");
    match rng.below(5) {
        0 => body = b.seq([quote, body, quote]),
        1 => body = b.seq([body, quote]),
        2 => {
            let text = b.declare("text", Place::none());
            b.define(text, body);
            let text = b.rule(text);
            let comma = b.literal(",");
            let more = b.seq([comma, text]);
            let more = b.star(more);
            body = b.seq([text, more]);
        }
        _ => {}
    }
    b.define(root, body);
    b.build(root).expect("a pattern")
}

fn check(seed: u64, oracle: impl FnOnce(&EngineCase, &mut Rng) -> Outcome) -> Outcome {
    let random_case = |rng: &mut Rng| {
        let grammar = pattern(rng);
        let shape = VocabularyShape {
            max_long_tokens: 90,
            max_token_len: rng.between(3, 30),
            ..VocabularyShape::complete(b"aabcxyz019  _-\",A".to_vec())
        };
        EngineCase::over(rng, grammar, &shape)
    };
    EngineCase::check(seed, random_case, oracle)
}

proptest! {
    // Every token is tried, which is slow.
    #![proptest_config(cases(60))]

    #[test]
    fn masks_of_bare_patterns_are_brute_force(seed: u64) {
        check(seed, |case, rng| mask_vs_brute_force(case, rng, 8))?;
    }

    #[test]
    fn switches_make_no_difference_to_bare_patterns(seed: u64) {
        check(seed, |case, rng| switches_change_nothing(case, rng, 8))?;
    }

    #[test]
    fn counts_of_bare_patterns_are_copies(seed: u64) {
        check(seed, |case, rng| counted_vs_expanded(case, rng, 8))?;
    }
}
