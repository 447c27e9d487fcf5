//! Regions: budgets of tokens and captures.

use formwork_testkit::generate::{REGION_ALPHABET, VocabularyShape, cases, random_bytes, random_regions};
use formwork_testkit::oracles::{
    EngineCase, budgets_vs_terms, captures_vs_readings, fork_independent, mask_has_no_dead_end,
    print_parse_roundtrip, rollback_replay, switches_change_nothing,
};
use formwork_testkit::{Outcome, Rng};
use proptest::prelude::*;

fn random_case(rng: &mut Rng) -> EngineCase {
    let grammar = random_regions(rng);
    EngineCase::over(rng, grammar, &VocabularyShape::complete(REGION_ALPHABET))
}

fn check(seed: u64, oracle: impl FnOnce(&EngineCase, &mut Rng) -> Outcome) -> Outcome {
    EngineCase::check(seed, random_case, oracle)
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn budgets_are_what_terms_say(seed: u64) {
        check(seed, |case, rng| budgets_vs_terms(case, rng, 8))?;
    }

    #[test]
    fn captures_are_those_of_a_reading(seed: u64) {
        check(seed, |case, rng| captures_vs_readings(case, rng, 6))?;
    }

    #[test]
    fn budgets_leave_no_dead_end(seed: u64) {
        check(seed, |case, rng| mask_has_no_dead_end(case, rng, 10))?;
    }

    #[test]
    fn budgets_are_rolled_back(seed: u64) {
        check(seed, |case, rng| rollback_replay(case, rng, 12))?;
    }

    #[test]
    fn forks_have_budgets_of_their_own(seed: u64) {
        check(seed, |case, rng| fork_independent(case, rng, 8))?;
    }

    #[test]
    fn switches_leave_budgets_alone(seed: u64) {
        check(seed, |case, rng| switches_change_nothing(case, rng, 8))?;
    }

    #[test]
    fn regions_are_printed_and_read(seed: u64) {
        let mut rng = Rng::seeded(seed);
        let grammar = random_regions(&mut rng);
        let texts: Vec<Vec<u8>> = (0..4).map(|_| random_bytes(&mut rng, REGION_ALPHABET.as_bytes(), 6)).collect();
        print_parse_roundtrip(&grammar, &texts)?;
    }
}
