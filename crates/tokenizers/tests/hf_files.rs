//! Small `tokenizer.json` files written here: what is read from them, and what is refused.

mod common;
#[path = "common/folder.rs"]
mod in_folder;

use common::{TEXTS, check_spelling, spelled};
use expect_test::{Expect, expect};
use formwork_tokenizers::{Options, TokenizerErrorKind, Vocabulary, from_hf_bytes, from_hf_json, hf_encoder};
use formwork_vocab::{TokenId, TokenKind};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// GPT-2's `bytes_to_unicode`.
fn alphabet() -> Vec<char> {
    let printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let mut others = (0x100..).filter_map(char::from_u32);
    (0..=255).map(|byte| if printable(&byte) { char::from(byte) } else { others.next().unwrap() }).collect()
}

fn added(id: u32, content: &str, special: bool) -> Value {
    json!({"id": id, "content": content, "special": special, "single_word": false, "lstrip": false,
           "rstrip": false, "normalized": false})
}

/// Bytes 0 to 255, some merges, one special and one ordinary added token.
fn byte_level() -> Value {
    let mut vocab = serde_json::Map::new();
    for (byte, c) in alphabet().into_iter().enumerate() {
        vocab.insert(c.to_string(), byte.into());
    }
    for (id, piece) in (256..).zip(["Ġa", "he", "ll", "Ã©", "aa"]) {
        vocab.insert(piece.into(), id.into());
    }
    json!({
        "version": "1.0",
        "added_tokens": [added(261, "<|end|>", true), added(262, "<tool é>", false)],
        "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "model": {"type": "BPE", "vocab": vocab, "merges": ["Ġ a", "h e", "l l", "Ã ©", "a a"],
                  "dropout": null, "unk_token": null, "fuse_unk": false, "byte_fallback": false},
    })
}

/// As Gemma's: `▁` for spaces, `<0xHH>` for what has no piece, the specials both in the model and added.
fn byte_fallback() -> Value {
    let mut vocab = serde_json::Map::new();
    for (id, piece) in (0..).zip(["<pad>", "<eos>", "<unk>", "<odd>", "▁", "a", "b", "▁a", "é", "▁▁", "ab"])
    {
        vocab.insert(piece.into(), Value::from(id));
    }
    for byte in 0..=255 {
        vocab.insert(format!("<0x{byte:02X}>"), Value::from(16 + byte));
    }
    json!({
        "version": "1.0",
        "added_tokens": [added(0, "<pad>", true), added(1, "<eos>", true), added(3, "<odd>", false)],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": false},
        "post_processor": null,
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "vocab": vocab, "merges": ["▁ a", "▁ ▁", "a b"], "dropout": null,
                  "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true},
    })
}

fn read(json: &Value) -> Result<Vocabulary, formwork_tokenizers::TokenizerError> {
    from_hf_bytes(json.to_string().as_bytes())
}

/// An empty folder of this test's own, with these files.
fn folder(name: &str, files: &[(&str, &Value)]) -> PathBuf {
    let files: Vec<(&str, String)> = files.iter().map(|(name, json)| (*name, json.to_string())).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, json)| (*name, json.as_bytes())).collect();
    in_folder::folder(&format!("hf_{name}"), &files)
}

#[test]
fn byte_level_tokens_spell_the_text_they_encode() {
    let path = folder("byte_level", &[("tokenizer.json", &byte_level())]).join("tokenizer.json");
    let (vocabulary, encoder) = (from_hf_json(&path).unwrap(), hf_encoder(&path).unwrap());
    for text in TEXTS.into_iter().chain([" a hello éé aaa", "x<tool é>y"]) {
        check_spelling(&vocabulary, &encoder, text);
    }
    assert_eq!(vocabulary.text(TokenId::new(256)), Some(&b" a"[..]));
    assert_eq!(
        vocabulary.text(TokenId::new(262)),
        Some("<tool é>".as_bytes()),
        "an added token is plain text"
    );
    assert_eq!(encoder.encode("<tool é>").unwrap(), [TokenId::new(262)]);
    assert_eq!(vocabulary.special("<|end|>"), Some(TokenId::new(261)));
    assert!((0..=255).all(|byte| vocabulary.has_single_byte(byte)));
}

#[test]
fn byte_fallback_tokens_spell_the_text_they_encode() {
    let path = folder("byte_fallback", &[("tokenizer.json", &byte_fallback())]).join("tokenizer.json");
    let (vocabulary, encoder) = (from_hf_json(&path).unwrap(), hf_encoder(&path).unwrap());
    for text in TEXTS.into_iter().chain(["a ab  é <odd>"]) {
        check_spelling(&vocabulary, &encoder, text);
    }
    let specials: Vec<&str> = vocabulary.specials().map(|(_, name)| name).collect();
    assert_eq!(specials, ["<pad>", "<eos>", "<unk>"], "what cannot be spelled is not text");
    assert_eq!(vocabulary.text(TokenId::new(3)), Some(&b"<odd>"[..]));
    assert_eq!(vocabulary.text(TokenId::new(9)), Some(&b"  "[..]));
    assert_eq!(vocabulary.kind(TokenId::new(11)), TokenKind::Hole);
    assert!((0..=255).all(|byte| vocabulary.has_single_byte(byte)));
}

/// A special token's text that stands in a user's text is spelled with ordinary tokens.
#[test]
fn the_encoder_takes_the_text_of_special_tokens_as_text() {
    let path = folder("special_text", &[("tokenizer.json", &byte_level())]).join("tokenizer.json");
    let (vocabulary, encoder) = (from_hf_json(&path).unwrap(), hf_encoder(&path).unwrap());
    assert_eq!(spelled(&vocabulary, &encoder, "<|end|>"), b"<|end|>");
}

#[test]
fn without_a_decoder_the_pre_tokenizer_decides() {
    let mut json = byte_level();
    json["decoder"] = Value::Null;
    json["pre_tokenizer"] =
        json!({"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "ByteLevel"}]});
    assert_eq!(read(&json).unwrap().text(TokenId::new(256)), Some(&b" a"[..]));
}

#[test]
fn unigram_pieces_are_numbered_by_position() {
    let json = json!({
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Metaspace", "replacement": "▁"}]},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["▁a", -1.5], ["<0x0A>", -2]]},
    });
    let vocabulary = read(&json).unwrap();
    assert_eq!(vocabulary.kind(TokenId::new(0)), TokenKind::Special);
    assert_eq!(vocabulary.text(TokenId::new(1)), Some(&b" a"[..]));
    assert_eq!(vocabulary.text(TokenId::new(2)), Some(&b"\n"[..]));
}

fn check_refused(change: impl FnOnce(&mut Value), kind: TokenizerErrorKind, message: &Expect) {
    let mut json = byte_level();
    change(&mut json);
    let error = read(&json).unwrap_err();
    message.assert_eq(&error.to_string());
    assert_eq!(error.kind(), kind);
}

#[test]
fn other_sorts_of_tokenizer_are_unsupported_and_say_what_they_are() {
    let check = |change: fn(&mut Value), message: Expect| {
        check_refused(change, TokenizerErrorKind::Unsupported, &message);
    };
    check(
        |json| json["model"] = json!({"type": "WordPiece", "vocab": {"a": 0, "##b": 1}}),
        expect!["this tokenizer is not supported: its model is WordPiece, and supported are BPE and Unigram"],
    );
    check(
        |json| json["model"] = json!({"vocab": {"a": 0}}),
        expect!["this tokenizer is not supported: its model is unnamed, and supported are BPE and Unigram"],
    );
    check(
        |json| json["model"]["end_of_word_suffix"] = "</w>".into(),
        expect![[r#"this tokenizer is not supported: its tokens mark words with "</w>""#]],
    );
    check(
        |json| {
            json["decoder"] =
                json!({"type": "Sequence", "decoders": [{"type": "ByteLevel"}, {"type": "Metaspace"}]})
        },
        expect![[r#"this tokenizer is not supported: its decoder has the step {"type":"Metaspace"}"#]],
    );
    check(
        |json| {
            json["decoder"] =
                json!({"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "CTC"}]})
        },
        expect![[r#"this tokenizer is not supported: its decoder has the step {"type":"CTC"}"#]],
    );
    check(
        |json| json["decoder"] = json!(["ByteLevel"]),
        expect![[r#"this tokenizer is not supported: its decoder has the step ["ByteLevel"]"#]],
    );
    check(
        |json| {
            json["decoder"] = Value::Null;
            json["pre_tokenizer"] = Value::Null;
        },
        expect!["this tokenizer is not supported: it has no decoder to say how its tokens spell bytes"],
    );
}

#[test]
fn files_that_contradict_themselves_are_refused() {
    let check = |change: fn(&mut Value), message: Expect| {
        check_refused(change, TokenizerErrorKind::Vocabulary, &message);
    };
    check(
        |json| json["added_tokens"][0]["id"] = 5.into(),
        expect![[r#"token 5 is "ą" in the model and "<|end|>" among the added tokens"#]],
    );
    check(
        |json| json["added_tokens"][0]["content"] = "he".into(),
        expect![[r#"the token "he" has the id 257 in the model and 261 among the added tokens"#]],
    );
    check(
        |json| json["added_tokens"][1]["id"] = 261.into(),
        expect![[r#"the added tokens "<tool é>" (261) and "<|end|>" (261) clash"#]],
    );
    check(
        |json| json["model"]["vocab"]["he"] = 4.into(),
        expect![[r#"token 4 is given twice, as "\x04" and as "he""#]],
    );
    check(
        |json| json["model"]["vocab"]["he"] = u32::MAX.into(),
        expect!["token id 4294967295 is too large: ids are below 16777216"],
    );
}

#[test]
fn foreign_files_are_typed_errors() {
    for text in
        ["", "null", "[]", "{}", "{\"model\": 3}", "\u{feff}{}", "not json", "{\"model\": {\"vocab\": [1]}}"]
    {
        let error = from_hf_bytes(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), TokenizerErrorKind::Format, "{text}: {error}");
    }
    let deep = format!("{{\"decoder\": {}", "[".repeat(1_000_000));
    assert_eq!(from_hf_bytes(deep.as_bytes()).unwrap_err().kind(), TokenizerErrorKind::Format);
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_a_typed_error() {
    let folder = folder("cut_off", &[]);
    for json in [byte_level(), byte_fallback()] {
        let json = json.to_string();
        for len in (0..json.len()).filter(|len| len % 7 == 0 || json.len() - len < 400) {
            let error = from_hf_bytes(&json.as_bytes()[..len]).unwrap_err();
            assert_eq!(error.kind(), TokenizerErrorKind::Format, "{len}");
        }
        // The encoder's library panics on some of these, which reading the file first keeps from it.
        for len in (0..json.len()).step_by(997) {
            let path = folder.join("tokenizer.json");
            std::fs::write(&path, &json.as_bytes()[..len]).unwrap();
            assert_eq!(hf_encoder(&path).unwrap_err().kind(), TokenizerErrorKind::Format, "{len}");
        }
    }
}

proptest! {
    #[test]
    fn a_damaged_file_never_panics(
        fallback: bool,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut json = if fallback { byte_fallback() } else { byte_level() }.to_string().into_bytes();
        for (index, byte) in damage {
            let at = index.index(json.len());
            json[at] = byte;
        }
        // Either is fine: some damage only makes another vocabulary.
        let _ = from_hf_bytes(&json);
    }
}

fn check_stops(name: &str, beside: &[(&str, Value)], expected: &[u32]) {
    let json = byte_level();
    let mut files = vec![("tokenizer.json", &json)];
    files.extend(beside.iter().map(|(name, json)| (*name, json)));
    let vocabulary = from_hf_json(folder(name, &files).join("tokenizer.json")).unwrap();
    let stops: Vec<u32> = vocabulary.stop_tokens().iter().map(|id| id.get()).collect();
    assert_eq!(stops, expected, "{name}");
}

#[test]
fn the_files_beside_it_name_the_stop_tokens() {
    const CONFIG: &str = "tokenizer_config.json";
    const GENERATION: &str = "generation_config.json";
    check_stops("no_config", &[], &[]);
    check_stops("text", &[(CONFIG, json!({"eos_token": "<|end|>"}))], &[261]);
    check_stops("object", &[(CONFIG, json!({"eos_token": {"content": "<|end|>", "lstrip": false}}))], &[261]);
    check_stops("none", &[(CONFIG, json!({"eos_token": null})), (GENERATION, json!({}))], &[]);
    check_stops("empty", &[(CONFIG, json!({"eos_token": ""}))], &[]);
    check_stops("id", &[(GENERATION, json!({"eos_token_id": 10}))], &[10]);
    check_stops("ids", &[(GENERATION, json!({"eos_token_id": [261, 10, 10]}))], &[10, 261]);
    check_stops(
        "both",
        &[(CONFIG, json!({"eos_token": "<|end|>"})), (GENERATION, json!({"eos_token_id": 10}))],
        &[10, 261],
    );
}

#[test]
fn the_files_beside_it_are_checked_and_named_in_errors() {
    let read = |name: &str, config: Value| {
        let files = [("tokenizer.json", &byte_level()), ("tokenizer_config.json", &config)];
        let path = folder(name, &files).join("tokenizer.json");
        (from_hf_json(&path), Options::default().stop("<|end|>").width(300).from_hf_json(&path).unwrap())
    };
    for (name, config, kind) in [
        ("unknown_stop", json!({"eos_token": "<|stop|>"}), TokenizerErrorKind::UnknownStop),
        ("number", json!({"eos_token": 3}), TokenizerErrorKind::Format),
        ("no_object", json!([]), TokenizerErrorKind::Format),
    ] {
        let (own, given) = read(name, config);
        let error = own.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains("tokenizer_config.json: "), "{error}");
        assert_eq!(given.stop_tokens(), [TokenId::new(261)], "the caller's stop tokens need no file");
        assert_eq!(given.width(), 300);
    }
}

#[test]
fn a_file_that_is_not_there_is_an_io_error() {
    let path = folder("not_there", &[]).join("tokenizer.json");
    let error = from_hf_json(&path).unwrap_err();
    assert_eq!(error.kind(), TokenizerErrorKind::Io);
    assert!(error.to_string().ends_with("tokenizer.json: there is no such file"), "{error}");
    assert_eq!(hf_encoder(&path).unwrap_err().kind(), TokenizerErrorKind::Io);
    assert_eq!(from_hf_json(path.parent().unwrap()).unwrap_err().kind(), TokenizerErrorKind::Io);
}

/// The library would number these from the end of the model's vocabulary on, whatever the file says.
#[test]
fn the_encoder_refuses_a_file_whose_ids_it_would_change() {
    let mut json = byte_level();
    json["added_tokens"][0]["id"] = 300.into();
    json["added_tokens"][1]["id"] = 301.into();
    let path = folder("gap", &[("tokenizer.json", &json)]).join("tokenizer.json");
    assert_eq!(from_hf_json(&path).unwrap().special("<|end|>"), Some(TokenId::new(300)));
    let error = hf_encoder(&path).unwrap_err();
    assert_eq!(error.kind(), TokenizerErrorKind::Unsupported);
    assert!(
        error.to_string().contains("has the id 300, but the tokenizers library makes it Some(261)"),
        "{error}"
    );
}
