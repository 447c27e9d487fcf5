//! SentencePiece-style `tokenizer.json` files written here, against the `tokenizers` crate that such files are for.

#[path = "common/folder.rs"]
mod folder;

use expect_test::expect;
use folder::folder;
use formwork_tokenizers::{Encoder, Options, Vocabulary, from_hf_json, hf_encoder};
use formwork_vocab::{LeadingSpace, TokenId, TokenKind};
use serde_json::{Value, json};

fn added(id: u32, content: &str, special: bool) -> Value {
    json!({"id": id, "content": content, "special": special, "single_word": false, "lstrip": false,
           "rstrip": false, "normalized": false})
}

/// As T5's: Unigram, Metaspace before and after, no byte fallback.
fn unigram() -> Value {
    let pieces =
        ["<pad>", "</s>", "<unk>", "▁", "▁the", "▁cat", "s", "a", "t", "c", "h", "e", "é", "▁▁", "the"];
    let vocab: Vec<Value> = pieces.iter().zip(0..).map(|(piece, i)| json!([piece, -f64::from(i)])).collect();
    json!({
        "version": "1.0",
        "added_tokens": [added(0, "<pad>", true), added(1, "</s>", true), added(2, "<unk>", true), added(15, "<extra>", false)],
        "normalizer": null,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "post_processor": null,
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "model": {"type": "Unigram", "unk_id": 2, "vocab": vocab, "byte_fallback": false},
    })
}

/// As Llama 2's: BPE with byte fallback, a normaliser that prepends the space and a decoder that strips it.
fn llama_2() -> Value {
    let mut vocab = serde_json::Map::new();
    for (id, piece) in (0..).zip(["<unk>", "<s>", "</s>"]) {
        vocab.insert(piece.into(), Value::from(id));
    }
    for byte in 0..=255 {
        vocab.insert(format!("<0x{byte:02X}>"), Value::from(3 + byte));
    }
    for (id, piece) in (259..).zip(["▁", "a", "b", "▁a", "ab", "é", "▁▁"]) {
        vocab.insert(piece.into(), Value::from(id));
    }
    json!({
        "version": "1.0",
        "added_tokens": [added(0, "<unk>", true), added(1, "<s>", true), added(2, "</s>", true)],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        "pre_tokenizer": null,
        "post_processor": null,
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "vocab": vocab, "merges": ["▁ a", "a b", "▁ ▁"], "dropout": null,
                  "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true},
    })
}

fn read(name: &str, json: &Value) -> (Vocabulary, Encoder) {
    let path = folder(name, &[("tokenizer.json", json.to_string().as_bytes())]).join("tokenizer.json");
    (from_hf_json(&path).unwrap(), hf_encoder(&path).unwrap())
}

/// The bytes of the text's tokens, as they are in the middle of an output.
fn spelled(vocabulary: &Vocabulary, encoder: &Encoder, text: &str) -> String {
    let mut bytes = Vec::new();
    for id in encoder.encode(text).unwrap() {
        assert_eq!(vocabulary.kind(id), TokenKind::Text, "{id} in {text:?}");
        bytes.extend_from_slice(vocabulary.text(id).unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn unigram_tokens_spell_the_text_with_a_space_before_it() {
    let (vocabulary, encoder) = read("unigram", &unigram());
    expect!["width 16, 13 text tokens, 3 special tokens, 0 holes, no stop token"]
        .assert_eq(&vocabulary.to_string());
    assert_eq!(vocabulary.leading_space(), LeadingSpace::Stripped);
    assert_eq!(vocabulary.origin(), Some("tokenizer.json, text Unigram"));
    for text in ["the cats", "a cat  eats", "thé", "cat"] {
        assert_eq!(spelled(&vocabulary, &encoder, text), format!(" {text}"));
    }
    let missing = vocabulary.report().missing_utf8_bytes.to_string();
    assert!(missing.starts_with("00-1f, 21-60, 62, 64, 66-67, 69-72, 75-"), "{missing}");
}

#[test]
fn byte_fallback_tokens_spell_the_text_with_a_space_before_it() {
    let (vocabulary, encoder) = read("llama_2", &llama_2());
    assert_eq!(vocabulary.leading_space(), LeadingSpace::Stripped);
    for text in ["a ab", "x\ny  é", "😀", " a"] {
        assert_eq!(spelled(&vocabulary, &encoder, text), format!(" {text}"));
    }
    assert!((0..=255).all(|byte| vocabulary.has_single_byte(byte)));
}

#[test]
fn a_metaspace_that_prepends_nothing_keeps_the_leading_space() {
    let mut json = unigram();
    for part in ["pre_tokenizer", "decoder"] {
        json[part]["prepend_scheme"] = "never".into();
    }
    let (vocabulary, encoder) = read("never", &json);
    assert_eq!(vocabulary.leading_space(), LeadingSpace::Kept);
    for text in ["the cats", " cat", "thé"] {
        assert_eq!(spelled(&vocabulary, &encoder, text), text);
    }
}

#[test]
fn added_tokens_are_special_or_text_as_the_file_or_the_caller_says() {
    let json = unigram().to_string();
    let vocabulary = Options::default().from_hf_bytes(json.as_bytes()).unwrap();
    assert_eq!(vocabulary.text(TokenId::new(15)), Some(&b"<extra>"[..]));
    let vocabulary = Options::default().special(15u32, "<extra>").from_hf_bytes(json.as_bytes()).unwrap();
    assert_eq!(vocabulary.special("<extra>"), Some(TokenId::new(15)));
    let error = Options::default().special(0u32, "<other>").from_hf_bytes(json.as_bytes()).unwrap_err();
    expect![[r#"token 0 is given twice, as "<other>" and as "<pad>""#]].assert_eq(&error.to_string());
}

#[test]
fn the_configuration_beside_it_pads_the_width() {
    let check = |name: &str, config: &str, width: usize| {
        let json = unigram().to_string();
        let files = [("tokenizer.json", json.as_bytes()), ("config.json", config.as_bytes())];
        let vocabulary = from_hf_json(folder(name, &files).join("tokenizer.json")).unwrap();
        assert_eq!(vocabulary.width(), width, "{config}");
    };
    check("padded", r#"{"vocab_size": 128}"#, 128);
    check("nested", r#"{"vocab_size": 7, "text_config": {"vocab_size": 64}}"#, 64);
    check("only_nested", r#"{"text_config": {"vocab_size": 64}}"#, 64);
    check("nothing_nested", r#"{"vocab_size": 32, "text_config": {}}"#, 32);
    check("too_small", r#"{"vocab_size": 7}"#, 16);
    check("silent", r#"{"vocab_size": null}"#, 16);
}
