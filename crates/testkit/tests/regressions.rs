//! What random tests have found, each once, by name.

use formwork_grammar::{ExprId, Grammar, GrammarBuilder, Place};
use formwork_testkit::language;
use formwork_testkit::oracles::{RowCheck, rows_vs_reference};

fn grammar(define: impl FnOnce(&mut GrammarBuilder) -> ExprId) -> Grammar {
    let mut b = GrammarBuilder::new();
    let root = b.declare("root", Place::none());
    let body = define(&mut b);
    b.define(root, body);
    b.build(root).expect("a grammar of this test")
}

fn check_rows(grammar: &Grammar, alphabet: &[u8], max_len: usize) {
    let texts: Vec<Vec<u8>> = language::all_strings(alphabet, max_len).into_iter().collect();
    let check = RowCheck { texts: &texts, alphabet, config: formwork_fsm::Config::default() };
    rows_vs_reference(grammar, &check).expect("rows and reference agree");
}

/// The automaton of the body took the root's place, so that one repetition was all: "aa" was refused.
#[test]
fn a_root_that_counts_a_body_that_may_be_empty() {
    let counted = grammar(|b| {
        let parts = [b.empty(), b.literal("ab"), b.literal("a")];
        let either = b.alt(parts);
        b.repeat(either, 4, Some(13))
    });
    check_rows(&counted, b"ab", 5);
}
