//! The embedded vocabularies against their own encoders.

mod common;

use common::{TEXTS, check_spelling};
use expect_test::expect;
use formwork_tokenizers::{
    Encoder, Options, TokenizerErrorKind, Vocabulary, embedded, embedded_encoder, embedded_names,
};
use formwork_vocab::{TokenId, TokenKind};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Loaded once, because it is what the tests spend their time on.
static ALL: LazyLock<Vec<(Vocabulary, Encoder)>> = LazyLock::new(|| {
    embedded_names().iter().map(|name| (embedded(name).unwrap(), embedded_encoder(name).unwrap())).collect()
});

#[test]
fn tokens_spell_the_text_they_encode() {
    for (vocabulary, encoder) in &*ALL {
        for text in TEXTS {
            check_spelling(vocabulary, encoder, text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn tokens_spell_any_text(text in "(\\PC|[ \t\r\n\u{0}-\u{1f}]){0,80}") {
        for (vocabulary, encoder) in &*ALL {
            check_spelling(vocabulary, encoder, &text);
        }
    }
}

#[test]
fn every_byte_is_a_token() {
    for (vocabulary, _) in &*ALL {
        assert!((0..=255).all(|byte| vocabulary.has_single_byte(byte)));
    }
}

#[test]
fn they_have_the_ids_that_they_were_published_with() {
    let lines: Vec<String> = ALL.iter().map(|(vocabulary, _)| vocabulary.to_string()).collect();
    expect![[r#"
        width 200019, 199998 text tokens, 2 special tokens, 19 holes, stops at 199999
        width 201088, 199998 text tokens, 1090 special tokens, 0 holes, stops at 199999, 200002, 200012
        width 100277, 100256 text tokens, 5 special tokens, 16 holes, stops at 100257
        width 50281, 50280 text tokens, 1 special token, 0 holes, stops at 50256
        width 50284, 50280 text tokens, 4 special tokens, 0 holes, stops at 50256
        width 50257, 50256 text tokens, 1 special token, 0 holes, stops at 50256
        width 128256, 128000 text tokens, 256 special tokens, 0 holes, stops at 128001, 128008, 128009
        width 151665, 151651 text tokens, 14 special tokens, 0 holes, stops at 151643, 151645
        width 151669, 151655 text tokens, 14 special tokens, 0 holes, stops at 151643, 151645
        width 128815, 128011 text tokens, 804 special tokens, 0 holes, stops at 1
        width 131072, 130072 text tokens, 1000 special tokens, 0 holes, stops at 2"#]]
    .assert_eq(&lines.join("\n"));
    let (o200k, _) = &ALL[0];
    assert_eq!(o200k.special("<|endoftext|>"), Some(TokenId::new(199_999)));
    assert_eq!(o200k.special("<|endofprompt|>"), Some(TokenId::new(200_018)));
    assert_eq!(o200k.kind(TokenId::new(199_998)), TokenKind::Hole);
    assert_eq!(o200k.text(TokenId::new(0)), Some(&b"!"[..]));
}

#[test]
fn stop_tokens_are_found_by_special_name_by_text_and_by_id() {
    let vocabulary =
        Options::default().stop("<|endofprompt|>").stop("\n").stop_id(0).embedded("o200k_base").unwrap();
    let newline = vocabulary.stop_tokens().iter().find(|&&id| vocabulary.text(id) == Some(b"\n"));
    assert!(
        newline.is_some() && vocabulary.is_stop(TokenId::new(0)) && vocabulary.is_stop(TokenId::new(200_018))
    );
    assert_eq!(vocabulary.stop_tokens().len(), 3, "<|endoftext|> is replaced");
}

#[test]
fn options_that_do_not_fit_are_typed_errors() {
    let kind = |options: Options| options.embedded("cl100k_base").unwrap_err().kind();
    assert_eq!(kind(Options::default().stop("<|no|>")), TokenizerErrorKind::UnknownStop);
    assert_eq!(kind(Options::default().stop("")), TokenizerErrorKind::UnknownStop);
    assert_eq!(kind(Options::default().stop_id(100_256)), TokenizerErrorKind::UnknownStop);
    assert_eq!(kind(Options::default().width(100_276)), TokenizerErrorKind::Vocabulary);
}

#[test]
fn an_unknown_name_is_told_the_known_ones() {
    let error = embedded("o200k").unwrap_err();
    assert_eq!(error.kind(), TokenizerErrorKind::UnknownName);
    expect![[r#"no embedded tokenizer is called "o200k"; there are o200k_base, o200k_harmony, cl100k_base, p50k_base, p50k_edit, r50k_base, llama3, qwen2_5, qwen3, deepseek_v3, tekken"#]]
        .assert_eq(&error.to_string());
    assert_eq!(embedded_encoder("").unwrap_err().kind(), TokenizerErrorKind::UnknownName);
}
