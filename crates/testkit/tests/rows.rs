//! Automata and rows against the reference, on random grammars.

use formwork_testkit::generate::{GrammarShape, cases, random_bytes, random_grammar, random_walk};
use formwork_testkit::oracles::{RowCheck, rows_vs_reference};
use formwork_testkit::{Outcome, Reference, Rng};
use proptest::prelude::*;

fn check(seed: u64, shape: &GrammarShape, max_len: usize) -> Outcome {
    let mut rng = Rng::seeded(seed);
    let grammar = random_grammar(&mut rng, shape);
    let reference = Reference::new(&grammar);
    let alphabet = shape.alphabet();
    let mut texts: Vec<Vec<u8>> =
        (0..3).map(|_| random_walk(&mut rng, &reference, &alphabet, max_len, 10)).collect();
    texts.push(random_bytes(&mut rng, &alphabet, max_len));
    let config = RowCheck::random_config(&mut rng);
    rows_vs_reference(&grammar, &RowCheck { texts: &texts, alphabet: &alphabet, config })
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn of_grammars(seed: u64) {
        check(seed, &GrammarShape::default(), 10)?;
    }

    #[test]
    fn of_recursion(seed: u64) {
        check(seed, &GrammarShape::context_free("ab"), 12)?;
    }

    #[test]
    fn of_counts(seed: u64) {
        let shape = GrammarShape { max_count: 6, max_rules: 2, ..GrammarShape::context_free("ab") };
        check(seed, &shape, 16)?;
    }

    #[test]
    fn of_texts(seed: u64) {
        check(seed, &GrammarShape::texts(), 8)?;
    }
}
