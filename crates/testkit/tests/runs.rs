//! Runs that the matcher counts: the engine's properties on JSON with bounded gaps and digits.

use formwork_grammar::{ByteSet, CharClass, Grammar, GrammarBuilder, Place};
use formwork_testkit::generate::{VocabularyShape, cases};
use formwork_testkit::oracles::{
    EngineCase, forced_text_is_forced, fork_independent, mask_has_no_dead_end, mask_vs_brute_force,
    rollback_replay, switches_change_nothing,
};
use formwork_testkit::{Outcome, Rng};
use proptest::prelude::*;

/// JSON in miniature with gaps of up to `max` blanks, and digits, both with promises that the bounds are there for runs alone.
fn json(max: u32) -> Grammar {
    let mut b = GrammarBuilder::new();
    let blank = b.class(CharClass::from_ranges([(' ', ' '), ('\n', '\n')]));
    let gap = b.repeat(blank, 0, Some(max));
    let blanks = [b' ', b'\n'].into_iter().collect();
    b.bound_run(blanks, max, [gap]);
    let value = b.declare("value", Place::none());
    let recur = b.rule(value);
    let letters = b.class(CharClass::from_ranges([('a', 'a'), ('"', '"'), ('\\', '\\'), (' ', ' ')]));
    let text = b.star(letters);
    let (quote, text) = (b.literal("\""), b.json_text(text));
    let string = b.seq([quote, text, quote]);
    let digit = b.class(CharClass::range('0', '1'));
    let digits = b.repeat(digit, 1, Some(max + 1));
    let more_digits = b.repeat(digit, 0, Some(max));
    b.bound_run(ByteSet::range(b'0', b'9'), max + 1, [digits, more_digits]);
    let one = b.literal("1");
    let (one, point, comma, colon) =
        (b.seq([one, more_digits]), b.literal("."), b.literal(","), b.literal(":"));
    let fraction = b.seq([point, digits]);
    let fraction = b.optional(fraction);
    let one = b.seq([one, fraction]);
    let member = b.seq([gap, string, gap, colon, gap, recur]);
    let item = b.seq([gap, recur]);
    let list = |b: &mut GrammarBuilder, open: &str, item, close: &str| {
        let (open, close) = (b.literal(open), b.literal(close));
        let more = b.seq([gap, comma, item]);
        let more = b.star(more);
        let items = b.seq([item, more]);
        let items = b.optional(items);
        b.seq([open, items, gap, close])
    };
    let object = list(&mut b, "{", member, "}");
    let array = list(&mut b, "[", item, "]");
    let body = b.alt([string, one, array, object]);
    b.define(value, body);
    b.build(value).expect("JSON")
}

fn random_case(rng: &mut Rng) -> EngineCase {
    let grammar = json(rng.between(1, 4) as u32);
    // Tokens with many blanks are what it is about.
    let shape =
        VocabularyShape { max_long_tokens: 60, ..VocabularyShape::complete(b"  \n  {[]:,\"\\1.01".to_vec()) };
    EngineCase::over(rng, grammar, &shape)
}

fn check(seed: u64, oracle: impl FnOnce(&EngineCase, &mut Rng) -> Outcome) -> Outcome {
    EngineCase::check(seed, random_case, oracle)
}

proptest! {
    // Every token is tried, which is slow.
    #![proptest_config(cases(20))]

    #[test]
    fn masks_are_brute_force(seed: u64) {
        check(seed, |case, rng| mask_vs_brute_force(case, rng, 6))?;
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn switches_make_no_difference(seed: u64) {
        check(seed, |case, rng| switches_change_nothing(case, rng, 24))?;
    }

    #[test]
    fn masks_have_no_dead_end(seed: u64) {
        check(seed, |case, rng| mask_has_no_dead_end(case, rng, 40))?;
    }

    #[test]
    fn rollback_is_replay(seed: u64) {
        check(seed, |case, rng| rollback_replay(case, rng, 16))?;
    }

    #[test]
    fn forks_are_independent(seed: u64) {
        check(seed, |case, rng| fork_independent(case, rng, 8))?;
    }

    #[test]
    fn forced_text_has_no_alternative(seed: u64) {
        check(seed, |case, rng| forced_text_is_forced(case, rng, 6))?;
    }
}
