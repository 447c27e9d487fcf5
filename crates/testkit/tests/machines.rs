//! Machines, whose states are computed when they are reached: the engine's properties on random ones.

use formwork_grammar::{ByteSet, Grammar, GrammarBuilder, Machine, Place, SharedMachine};
use formwork_testkit::generate::{VocabularyShape, cases, random_bytes, random_walk};
use formwork_testkit::oracles::{
    EngineCase, earley_vs_reference, fork_independent, mask_has_no_dead_end, mask_vs_brute_force,
    pool_changes_nothing, rollback_replay, switches_change_nothing,
};
use formwork_testkit::{Outcome, Reference, Rng};
use proptest::prelude::*;

const BYTES: &[u8] = b"012,[]";

/// Numbers in base 3, of at most so many digits, that have one of some remainders.
#[derive(Debug)]
struct Remainders {
    name: String,
    modulus: u128,
    allowed: u128,
    most: u128,
}

impl Remainders {
    fn new(modulus: u128, allowed: u128, most: u128) -> Self {
        Self { name: format!("{modulus} {allowed:b} {most}"), modulus, allowed, most }
    }

    /// Digits read and their remainder; without a greatest number of digits, they are not counted.
    fn parts(&self, state: u128) -> (u128, u128) {
        (state / self.modulus, state % self.modulus)
    }

    /// By trying all that may follow.
    fn is_alive(&self, state: u128) -> bool {
        let mut states = vec![state];
        for _ in 0..8 {
            if states.iter().any(|&state| self.may_end(state)) {
                return true;
            }
            states = states
                .iter()
                .flat_map(|&state| (0..3).filter_map(move |digit| self.read(state, digit)))
                .collect();
            states.sort_unstable();
            states.dedup();
        }
        false
    }

    fn read(&self, state: u128, digit: u128) -> Option<u128> {
        let (n, remainder) = self.parts(state);
        let n = if self.most == 0 { 0 } else { n + 1 };
        (n <= self.most).then_some(n * self.modulus + (remainder * 3 + digit) % self.modulus)
    }
}

impl Machine for Remainders {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Option<u128> {
        self.is_alive(0).then_some(0)
    }

    fn next(&self, state: u128, byte: u8) -> Option<u128> {
        let digit = byte.checked_sub(b'0').filter(|&digit| digit < 3)?;
        self.read(state, digit.into()).filter(|&next| self.is_alive(next))
    }

    fn may_end(&self, state: u128) -> bool {
        self.allowed >> self.parts(state).1 & 1 != 0
    }

    fn alphabet(&self) -> ByteSet {
        ByteSet::range(b'0', b'2')
    }
}

fn random_grammar(rng: &mut Rng) -> Grammar {
    let mut b = GrammarBuilder::new();
    let mut machine = || {
        let modulus = rng.between(1, 12) as u128;
        let most = if rng.chance(1, 2) { 0 } else { rng.between(1, 5) as u128 };
        let machine =
            b.machine(SharedMachine::new(Remainders::new(modulus, rng.below(1 << 12) as u128, most)));
        let rule = b.declare("number", Place::none());
        b.define(rule, machine);
        if rng.chance(1, 2) { b.rule(rule) } else { machine }
    };
    let (one, other) = (machine(), machine());
    let [comma, open, close] = [",", "[", "]"].map(|text| b.literal(text));
    let root = b.declare("root", Place::none());
    let body = match rng.below(4) {
        0 => b.alt([one, other]),
        1 => b.seq([one, other]),
        2 => {
            let more = b.seq([comma, one]);
            let more = b.star(more);
            b.seq([open, other, more, close])
        }
        _ => {
            let inner = b.rule(root);
            let item = b.alt([one, inner]);
            let more = b.seq([comma, other]);
            let more = b.repeat(more, 0, Some(2));
            b.seq([open, item, more, close])
        }
    };
    b.define(root, body);
    b.build(root).expect("a grammar")
}

/// A grammar with some texts, and tokens of its bytes.
fn random_case(rng: &mut Rng) -> EngineCase {
    let grammar = loop {
        let grammar = random_grammar(rng);
        if Reference::new(&grammar).is_productive() {
            break grammar;
        }
    };
    let shape = VocabularyShape::small(BYTES.to_vec());
    EngineCase::over(rng, grammar, &shape)
}

fn check(seed: u64, oracle: impl FnOnce(&EngineCase, &mut Rng) -> Outcome) -> Outcome {
    EngineCase::check(seed, random_case, oracle)
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn rows_are_the_reference(seed: u64) {
        check(seed, |case, rng| {
            let reference = Reference::new(&case.grammar);
            let mut texts: Vec<Vec<u8>> =
                (0..3).map(|_| random_walk(rng, &reference, BYTES, 12, 12)).collect();
            texts.push(random_bytes(rng, BYTES, 8));
            earley_vs_reference(case, &texts)
        })?;
    }

    #[test]
    fn masks_are_brute_force(seed: u64) {
        check(seed, |case, rng| mask_vs_brute_force(case, rng, 8))?;
    }

    #[test]
    fn masks_have_no_dead_end(seed: u64) {
        check(seed, |case, rng| mask_has_no_dead_end(case, rng, 30))?;
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
    fn switches_make_no_difference(seed: u64) {
        check(seed, |case, rng| switches_change_nothing(case, rng, 16))?;
    }

    #[test]
    fn grammars_that_share_masks_are_as_alone(seed: u64) {
        check(seed, |case, rng| {
            let grammars: Vec<_> = (0..6).map(|_| random_case(rng).grammar).collect();
            pool_changes_nothing(case, &grammars, rng, 6)
        })?;
    }
}
