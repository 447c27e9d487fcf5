//! The engine's properties on random grammars and vocabularies.

use formwork_testkit::generate::{
    GrammarShape, VocabularyShape, cases, random_bytes, random_grammar, random_walk,
};
use formwork_testkit::oracles::{
    EngineCase, counted_vs_expanded, earley_vs_reference, forced_text_is_forced, fork_independent,
    hostile_input_terminates, mask_has_no_dead_end, mask_vs_brute_force, pool_changes_nothing,
    print_parse_roundtrip, rollback_replay, switches_change_nothing,
};
use formwork_testkit::{Outcome, Reference, Rng, with_seed};
use proptest::prelude::*;

/// One of the shapes of grammars, with a vocabulary that can spell it.
fn random_case(rng: &mut Rng) -> EngineCase {
    let (grammar, vocabulary) = match rng.below(5) {
        0 => {
            let shape = GrammarShape::default();
            let vocabulary = VocabularyShape::complete(shape.alphabet());
            (shape, vocabulary)
        }
        1 => {
            let shape = GrammarShape::texts();
            let vocabulary = VocabularyShape::complete(shape.alphabet());
            (shape, vocabulary)
        }
        2 => {
            // Names of special tokens spelled out in letters, too.
            let shape = GrammarShape::tags("ab");
            (shape, VocabularyShape::complete(b"ab<|0>"))
        }
        3 => {
            let shape = GrammarShape::context_free("ab");
            let vocabulary = VocabularyShape::small(shape.alphabet());
            (shape, vocabulary)
        }
        _ => {
            let shape = GrammarShape { max_count: 5, max_rules: 2, ..GrammarShape::context_free("aé") };
            let vocabulary = VocabularyShape::small(shape.alphabet());
            (shape, vocabulary)
        }
    };
    EngineCase::random(rng, &grammar, &vocabulary)
}

fn random_texts(rng: &mut Rng, grammar: &formwork_grammar::Grammar, alphabet: &[u8]) -> Vec<Vec<u8>> {
    let reference = Reference::new(grammar);
    let mut texts: Vec<Vec<u8>> = (0..3).map(|_| random_walk(rng, &reference, alphabet, 10, 10)).collect();
    texts.push(random_bytes(rng, alphabet, 8));
    texts
}

/// Runs an oracle on a random case, and names the seed if it fails.
fn check(seed: u64, oracle: impl FnOnce(&EngineCase, &mut Rng) -> Outcome) -> Outcome {
    EngineCase::check(seed, random_case, oracle)
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn rows_are_the_reference(seed: u64) {
        check(seed, |case, rng| {
            let texts = random_texts(rng, &case.grammar, "ab\\é".as_bytes());
            earley_vs_reference(case, &texts)
        })?;
    }

    #[test]
    fn grammars_that_share_masks_are_as_alone(seed: u64) {
        with_seed(seed, |rng| {
            let mut case = random_case(rng);
            // Grammars of one shape have many rules in common.
            let shape = GrammarShape { max_rules: 3, ..GrammarShape::context_free("ab") };
            case.vocabulary = EngineCase::random(rng, &shape, &VocabularyShape::small(shape.alphabet())).vocabulary;
            let grammars: Vec<_> = (0..8).map(|_| random_grammar(rng, &shape)).collect();
            pool_changes_nothing(&case, &grammars, rng, 4)
        })?;
    }

    #[test]
    fn masks_are_brute_force(seed: u64) {
        check(seed, |case, rng| mask_vs_brute_force(case, rng, 6))?;
    }

    #[test]
    fn tags_that_share_masks_are_as_alone(seed: u64) {
        with_seed(seed, |rng| {
            let shape = GrammarShape { max_rules: 2, ..GrammarShape::tags("ab") };
            let case = EngineCase::random(rng, &shape, &VocabularyShape::complete(b"ab<|0>"));
            let grammars: Vec<_> = (0..8).map(|_| random_grammar(rng, &shape)).collect();
            pool_changes_nothing(&case, &grammars, rng, 4)
        })?;
    }

    #[test]
    fn masks_have_no_dead_end(seed: u64) {
        check(seed, |case, rng| mask_has_no_dead_end(case, rng, 30))?;
    }

    #[test]
    fn vocabularies_without_all_bytes_are_refused_or_suffice(seed: u64) {
        let mut rng = Rng::seeded(seed);
        let shape = GrammarShape::context_free("abé");
        let vocabulary = VocabularyShape::incomplete(&mut rng, shape.alphabet());
        let case = EngineCase::random(&mut rng, &shape, &vocabulary);
        mask_has_no_dead_end(&case, &mut rng, 30)?;
        mask_vs_brute_force(&case, &mut rng, 3)?;
    }

    #[test]
    fn rollback_is_replay(seed: u64) {
        check(seed, |case, rng| rollback_replay(case, rng, 12))?;
    }

    #[test]
    fn forks_are_independent(seed: u64) {
        check(seed, |case, rng| fork_independent(case, rng, 6))?;
    }

    #[test]
    fn forced_text_has_no_alternative(seed: u64) {
        check(seed, |case, rng| forced_text_is_forced(case, rng, 4))?;
    }

    #[test]
    fn switches_make_no_difference(seed: u64) {
        check(seed, |case, rng| switches_change_nothing(case, rng, 12))?;
    }

    #[test]
    fn counts_are_copies(seed: u64) {
        check(seed, |case, rng| counted_vs_expanded(case, rng, 12))?;
    }

    #[test]
    fn everything_ends(seed: u64) {
        check(seed, |case, rng| {
            let bytes = random_bytes(rng, b"ab", 200);
            hostile_input_terminates(case, &bytes)
        })?;
    }

    #[test]
    fn printing_is_reading(seed: u64) {
        let mut rng = Rng::seeded(seed);
        let letters = "ab\"\\\n]^-é😀";
        let shape =
            if seed % 3 == 0 { GrammarShape::tags(letters) } else { GrammarShape::context_free(letters) };
        let grammar = random_grammar(&mut rng, &shape);
        let texts = random_texts(&mut rng, &grammar, &shape.alphabet());
        print_parse_roundtrip(&grammar, &texts)?;
    }
}

proptest! {
    // Every token is tried in every reading of those before it, which is slow.
    #![proptest_config(cases(40))]

    #[test]
    fn masks_of_tags_are_brute_force(seed: u64) {
        let random_tags =
            |rng: &mut Rng| EngineCase::random(rng, &GrammarShape::tags("ab"), &VocabularyShape::complete(b"ab<|0>"));
        EngineCase::check(seed, random_tags, |case, rng| mask_vs_brute_force(case, rng, 4))?;
    }
}
