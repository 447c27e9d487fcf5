//! What random tests have found, each once, by name.

use formwork_grammar::{Grammar, GrammarBuilder, Place};
use formwork_testkit::oracles::{EngineCase, RowCheck, mask_vs_brute_force, rows_vs_reference};
use formwork_testkit::{Rng, language};
use formwork_vocab::Vocabulary;

fn grammar(text: &str) -> Grammar {
    formwork_ebnf::grammar(text).expect("a grammar of this test")
}

fn check_rows(grammar: &Grammar, alphabet: &[u8], max_len: usize) {
    let texts: Vec<Vec<u8>> = language::all_strings(alphabet, max_len).into_iter().collect();
    let check = RowCheck { texts: &texts, alphabet, config: formwork_fsm::Config::default() };
    rows_vs_reference(grammar, &check).expect("rows and reference agree");
}

/// Walks the masks some times with a vocabulary of these tokens and a stop token.
fn check_masks(text: &str, tokens: &[&str]) {
    let mut vocabulary = Vocabulary::builder();
    for (id, token) in (0..).zip(tokens) {
        vocabulary.token(id, token);
    }
    vocabulary.special(1000, "<stop>").stop(1000);
    let case = EngineCase {
        grammar: grammar(text),
        vocabulary: vocabulary.build().expect("a vocabulary of this test"),
        config: formwork_engine::Config::default(),
    };
    for seed in 0..20 {
        mask_vs_brute_force(&case, &mut Rng::seeded(seed), 8).expect("masks are exact");
    }
}

/// The automaton of the body took the root's place, so that one repetition was all: "aa" was refused.
#[test]
fn a_root_that_counts_a_body_that_may_be_empty() {
    let mut b = GrammarBuilder::new();
    let root = b.declare("root", Place::none());
    let parts = [b.empty(), b.literal("ab"), b.literal("a")];
    let either = b.alt(parts);
    let body = b.repeat(either, 4, Some(13));
    b.define(root, body);
    check_rows(&b.build(root).expect("a grammar of this test"), b"ab", 5);
}

/// "ab" was allowed after "b" as if the counted rule could end after one repetition.
#[test]
fn a_counted_rule_that_begins_again_inside_itself() {
    check_masks("root ::= \"b\" r \"b\"\nr ::= (\"a\" r?){60,70}", &["a", "b", "ab"]);
}

/// A token behind which the vocabulary has nothing was taken for one that a loop reads, and its own tick forgotten.
#[test]
fn a_measured_text_without_loops() {
    check_masks("root ::= \"<\" And([^]{5,15}, [^n]{2,4} \"é\") \">\"", &["<", ">", "a", "b", "é", "aé"]);
}

/// The recursive half of a rule grew too large with others in line, was built again without, and had no alternatives then:
/// "<{x;;;;;;;;>" was refused.
#[test]
fn half_of_a_rule_that_grows_too_large() {
    let grammar = grammar("root ::= \"<\" block \">\"\nblock ::= \"{\" block \";;;;;;;;\" | \"x\"");
    let mut config = formwork_fsm::Config::default();
    // The root is smaller, the half larger.
    config.limits.inline_states = 6;
    let texts = [b"<{x;;;;;;;;>".to_vec(), b"<x>".to_vec()];
    rows_vs_reference(&grammar, &RowCheck { texts: &texts, alphabet: b"<{x;>", config })
        .expect("rows and reference agree");
}
