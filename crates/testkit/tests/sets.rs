//! Sets of members in any order: the engine's properties on random ones.

use formwork_grammar::{Grammar, GrammarBuilder, GrammarErrorKind, Place};
use formwork_testkit::generate::{cases, expand_sets, random_bytes, random_set, random_walk};
use formwork_testkit::oracles::{
    EngineCase, earley_vs_reference, forced_text_is_forced, fork_independent, mask_has_no_dead_end,
    mask_vs_brute_force, pool_changes_nothing, rollback_replay, same_masks, switches_change_nothing,
};
use formwork_testkit::{Outcome, Reference, Rng};
use proptest::prelude::*;

fn random_case(rng: &mut Rng) -> EngineCase {
    let (grammar, shape) = random_set(rng);
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
            let alphabet = b"{ab:,01}";
            let mut texts: Vec<Vec<u8>> =
                (0..3).map(|_| random_walk(rng, &reference, alphabet, 20, 20)).collect();
            texts.push(random_bytes(rng, alphabet, 8));
            earley_vs_reference(case, &texts)
        })?;
    }

    #[test]
    fn masks_are_brute_force(seed: u64) {
        check(seed, |case, rng| mask_vs_brute_force(case, rng, 8))?;
    }

    #[test]
    fn masks_are_those_of_the_set_written_out(seed: u64) {
        check(seed, |case, rng| {
            let expanded = EngineCase { grammar: expand_sets(&case.grammar), ..case.clone() };
            same_masks("set_vs_expanded", case, &expanded, rng, 20)
        })?;
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

    #[test]
    fn switches_make_no_difference(seed: u64) {
        check(seed, |case, rng| switches_change_nothing(case, rng, 16))?;
    }

    #[test]
    fn grammars_that_share_masks_are_as_alone(seed: u64) {
        check(seed, |case, rng| {
            let grammars: Vec<_> = (0..6).map(|_| random_set(rng).0).collect();
            pool_changes_nothing(case, &grammars, rng, 6)
        })?;
    }
}

/// `"{" (Member(0, "a:0") | …)* "}"` with so many members.
fn many(n: u32) -> Grammar {
    let mut b = GrammarBuilder::new();
    let members: Vec<_> = (0..n)
        .map(|number| {
            let key = b.literal(format!("k{number}:"));
            let value = b.literal("0");
            let value = b.member(number, value);
            b.seq([key, value])
        })
        .collect();
    let members = b.alt(members);
    let members = b.star(members);
    let (open, close) = (b.literal("{"), b.literal("}"));
    let body = b.seq([open, members, close]);
    let set = b.set(body, [n - 1]);
    let root = b.declare("root", Place::none());
    b.define(root, set);
    b.build(root).expect("a set")
}

#[test]
fn states_grow_with_the_members_and_not_with_their_sets() {
    let n_states = |n| {
        let automata =
            formwork_fsm::build(&many(n), &formwork_fsm::Config::default(), &|| false).expect("builds");
        automata.complete(&|| false).expect("builds");
        automata.n_states()
    };
    let (few, many) = (n_states(50), n_states(500));
    assert!(many <= 12 * few, "{few} states for 50 members, {many} for 500");
}

#[test]
fn members_outside_of_a_set_are_refused() {
    let mut b = GrammarBuilder::new();
    let x = b.literal("x");
    let member = b.member(0, x);
    let root = b.declare("root", Place::none());
    b.define(root, member);
    assert_eq!(b.build(root).unwrap_err().kind(), GrammarErrorKind::Member);
    let mut b = GrammarBuilder::new();
    let root = b.declare("root", Place::none());
    let x = b.literal("x");
    let too_many = b.member(4_096, x);
    let set = b.set(too_many, []);
    b.define(root, set);
    assert_eq!(b.build(root).unwrap_err().kind(), GrammarErrorKind::Limit);
}

#[test]
fn members_that_cannot_come_in_any_order_are_refused() {
    let build = |grammar: &Grammar| {
        let error = formwork_fsm::build(grammar, &formwork_fsm::Config::default(), &|| false).unwrap_err();
        error.kind()
    };
    let mut b = GrammarBuilder::new();
    let (x, y) = (b.literal("x"), b.literal("y"));
    let (one, two) = (b.member(0, x), b.member(1, y));
    let in_order = b.seq([one, two]);
    let set = b.set(in_order, [0, 1]);
    let root = b.declare("root", Place::none());
    b.define(root, set);
    assert_eq!(build(&b.build(root).expect("well-formed")), formwork_fsm::ErrorKind::Set);
    let mut b = GrammarBuilder::new();
    let x = b.literal("x");
    let maybe = b.optional(x);
    let member = b.member(0, maybe);
    let members = b.star(member);
    let set = b.set(members, []);
    let root = b.declare("root", Place::none());
    b.define(root, set);
    assert_eq!(build(&b.build(root).expect("well-formed")), formwork_fsm::ErrorKind::Set);
}
