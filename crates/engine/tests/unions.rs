//! Rows in which several wide states come together, in one grammar after the other: what these accept is put together once and
//! kept. Every mask is compared with what a compiler says that shares nothing.

use formwork_engine::{Compiler, Config, Matcher};
use formwork_grammar::Grammar;
use formwork_vocab::Vocabulary;

/// Bytes, and many texts that begin as values do, or end them.
fn vocabulary() -> Vocabulary {
    let mut builder = Vocabulary::builder();
    for byte in 0..=u8::MAX {
        builder.token(u32::from(byte), [byte]);
    }
    let of = |i: u32| {
        let word = format!("{}{}", (b'a' + (i % 26) as u8) as char, (b'a' + (i / 26) as u8) as char);
        let blank = " ".repeat(i as usize % 40 + 1);
        let quoted = [format!("\"{word}"), format!("[\"{word}"), format!("{{\"{word}"), format!("{word}\",")];
        quoted.into_iter().chain([format!("{i}"), format!("-{i}"), format!("{blank}{i}"), blank, word])
    };
    let mut texts: Vec<String> = (0..150).flat_map(of).filter(|text| text.len() > 1).collect();
    texts.sort();
    texts.dedup();
    for (id, text) in (256..).zip(&texts) {
        builder.token(id, text.as_bytes());
    }
    builder.build().expect("a vocabulary")
}

/// The masks along a text.
fn masks(compiler: &Compiler, grammar: &Grammar, text: &str) -> Vec<Vec<u32>> {
    let compiled = compiler.compile(grammar).expect("it compiles");
    let mut matcher = Matcher::new(&compiled);
    let mut mask = vec![0; compiled.vocabulary().mask_words()];
    let each = text.bytes().map(|byte| {
        matcher.fill_mask(&mut mask).expect("within limits");
        matcher.accept_token(u32::from(byte)).expect("accepted");
        mask.clone()
    });
    each.collect()
}

#[test]
fn rows_with_the_same_wide_states_have_the_masks_of_their_own() {
    let with = Compiler::new(vocabulary());
    let mut config = Config::default();
    (config.slices, config.suffixes, config.pool, config.recent_bytes) = (false, false, false, 0);
    (config.recipes, config.arenas) = (false, false);
    let without = Compiler::builder(vocabulary()).config(config).build();
    // Objects with members of other names have other rows where any value may come. Each is met twice.
    for name in ["k", "l", "mm", "n", "k"] {
        let schema = format!(
            "{{\"properties\": {{\"{name}\": true, \"z\": {{\"type\": [\"string\", \"number\"]}}}}}}"
        );
        let grammar = formwork_json_schema::Options::default().grammar(&schema).expect("a grammar");
        let text = format!("{{\"{name}\": [12, \"ab\", {{\"c\": -3}}], \"z\": \"\", \"other\": [ 7]}}");
        let expected = masks(&without, &grammar, &text);
        for _ in 0..2 {
            assert_eq!(masks(&with, &grammar, &text), expected, "{name}");
        }
    }
}
