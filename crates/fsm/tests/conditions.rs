//! Conditions on the members of a set: how they print, what is refused, and that what is hard ends.

use formwork_fsm::{Config, ErrorKind};
use formwork_grammar::{Clause, Conditions, Grammar, GrammarBuilder, GrammarErrorKind, Place};

/// `"{" (Member(0, "a") | Member(1, "b") | …)* "}"` under conditions.
fn set(n: u32, conditions: Conditions) -> Result<Grammar, formwork_grammar::GrammarError> {
    let mut b = GrammarBuilder::new();
    let members: Vec<_> = (0..n)
        .map(|number| {
            let text = b.literal(format!("k{number};"));
            b.member(number, text)
        })
        .collect();
    let members = b.alt(members);
    let members = b.star(members);
    let (open, close) = (b.literal("{"), b.literal("}"));
    let body = b.seq([open, members, close]);
    let set = b.set_with(body, conditions);
    let root = b.declare("root", Place::none());
    b.define(root, set);
    b.build(root)
}

#[test]
fn conditions_print() {
    let clauses = [
        Clause::Some([1, 0].into()),
        Clause::None([2].into()),
        Clause::AtMost(2),
        Clause::Any([0, 1].into()),
        Clause::All([3, 2].into()),
    ];
    let conditions = Conditions::requires([3]).excludes([vec![0, 1]]).repeats([2]).asks(clauses);
    let grammar = set(4, conditions).expect("well-formed").to_string();
    expect_test::expect![[r#"
        root ::= Set("{" (Member(0, "k0;") | Member(1, "k1;") | Member(2, "k2;") | Member(3, "k3;"))* "}", requires=(3), excludes=(0, 1), repeats=(2), c0=some(0, 1), c1=none(2), c2=at_most(2), c3=any(c0, c1), c4=all(c3, c2))
    "#]]
    .assert_eq(&grammar);
}

#[test]
fn clauses_that_refer_ahead_and_members_in_two_groups_are_refused() {
    let ahead = Conditions::default().asks([Clause::All([1].into()), Clause::AtMost(1)]);
    assert_eq!(set(2, ahead).unwrap_err().kind(), GrammarErrorKind::Member);
    let twice = Conditions::default().excludes([vec![0, 1], vec![1, 2]]);
    assert_eq!(set(3, twice).unwrap_err().kind(), GrammarErrorKind::Member);
    let both = Conditions::default().excludes([vec![0, 1]]).repeats([1]);
    assert_eq!(set(2, both).unwrap_err().kind(), GrammarErrorKind::Member);
}

#[test]
fn conditions_that_cannot_be_met_leave_nothing() {
    let clauses = [Clause::Some([0].into()), Clause::None([0].into()), Clause::All([0, 1].into())];
    let grammar = set(2, Conditions::default().asks(clauses)).expect("well-formed");
    let error = formwork_fsm::build(&grammar, &Config::default(), &|| false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Empty);
}

/// So many pigeons in one hole less: each has a hole, and no two have the same. Every search through the ways to place them
/// takes exponentially many steps.
fn pigeons(n: u32) -> (u32, Conditions) {
    let holes = n - 1;
    let mut clauses: Vec<Clause> =
        (0..n).map(|pigeon| Clause::Some((0..holes).map(|hole| pigeon * holes + hole).collect())).collect();
    let mut all: Vec<u32> = (0..n).collect();
    for hole in 0..holes {
        for one in 0..n {
            for other in 0..one {
                let at = clauses.len() as u32;
                clauses.push(Clause::None([one * holes + hole].into()));
                clauses.push(Clause::None([other * holes + hole].into()));
                clauses.push(Clause::Any([at, at + 1].into()));
                all.push(at + 2);
            }
        }
    }
    clauses.push(Clause::All(all.into()));
    (n * holes, Conditions::default().asks(clauses))
}

#[test]
fn conditions_that_are_too_hard_are_a_limit() {
    for (n, kind) in [(4, ErrorKind::Empty), (12, ErrorKind::Limit)] {
        let (n_members, conditions) = pigeons(n);
        let grammar = set(n_members, conditions).expect("well-formed");
        let built = formwork_fsm::build(&grammar, &Config::default(), &|| false);
        let error = built.and_then(|automata| automata.complete(&|| false)).unwrap_err();
        assert_eq!(error.kind(), kind, "{n}: {error:?}");
    }
}
