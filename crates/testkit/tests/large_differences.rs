//! States that say what another one says but for thousands of tokens: texts without so many digits in a row, where each further
//! digit is refused. Against brute force, with everything switched on and without slices.

use formwork_engine::{Compiler, Config};
use formwork_grammar::Grammar;
use formwork_testkit::Rng;
use formwork_testkit::oracles::{EngineCase, mask_vs_brute_force};
use formwork_vocab::Vocabulary;

/// All bytes, and some thousand texts that begin with a digit, some of which end what they are in or go on behind it.
fn vocabulary() -> Vocabulary {
    let of = |i: u32| [format!("{i}"), format!("{i}\""), format!("a{i}")];
    let behind = |i: u32| [format!("{i}\","), format!("{i}\",\""), format!("a{i}\",\""), format!("{i}é")];
    let mut texts: Vec<String> = (0..700).flat_map(of).chain((0..99).flat_map(behind)).collect();
    texts.extend((0..9).map(|i| format!("{i}a{i}")));
    let mut texts: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
    texts.extend((0..=u8::MAX).map(|byte| vec![byte]));
    texts.sort();
    texts.dedup();
    let mut vocabulary = Vocabulary::builder();
    for (id, text) in (0..).zip(&texts) {
        vocabulary.token(id, text);
    }
    vocabulary.special(4_000u32, "<stop>").stop(4_000u32);
    vocabulary.build().expect("a vocabulary of this test")
}

fn check(grammar: &Grammar) {
    for slices in [true, false] {
        let mut config = Config::default();
        config.slices = slices;
        let case = EngineCase { grammar: grammar.clone(), vocabulary: vocabulary(), config };
        assert!(Compiler::new(case.vocabulary.clone()).compile(&case.grammar).is_ok());
        for seed in 0..3 {
            mask_vs_brute_force(&case, &mut Rng::seeded(seed), 6).expect("masks are exact");
        }
    }
}

/// Strings are a rule of their own, and behind their end stands what the list reads.
#[test]
fn strings_without_some_digits_in_a_row() {
    let schema =
        r#"{"type": "array", "items": {"type": "string", "not": {"pattern": "[0-9]{4}"}}, "minItems": 1}"#;
    let options = formwork_json_schema::Options::default();
    check(&options.grammar(schema).expect("a grammar of this test"));
}

#[test]
fn texts_by_themselves() {
    let text = "root ::= And([^\"]*, Not([^]* [0-9] [0-9] [0-9] [0-9] [^]*))\n";
    check(&formwork_ebnf::grammar(text).expect("a grammar of this test"));
}
