//! Small `tekken.json` files written here: what is read from them, and what is refused.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use expect_test::{Expect, expect};
use formwork_tokenizers::{Options, TokenizerErrorKind, Vocabulary, from_tekken_bytes};
use formwork_vocab::TokenId;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Two special tokens with names and two without, the 256 bytes, two tokens, and one beyond the model's.
fn tekken() -> Value {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let tokens = bytes.chain([b" the".to_vec(), b"\xe2\x82".to_vec(), b"beyond".to_vec()]);
    let vocab: Vec<Value> = tokens
        .enumerate()
        .map(|(rank, bytes)| json!({"rank": rank, "token_bytes": STANDARD.encode(bytes), "token_str": null}))
        .collect();
    json!({
        "config": {"pattern": "x", "num_vocab_tokens": 259, "default_vocab_size": 262,
                   "default_num_special_tokens": 4, "version": "v11"},
        "vocab": vocab,
        "special_tokens": [{"rank": 1, "token_str": "</s>", "is_control": true},
                           {"rank": 0, "token_str": "[INST]", "is_control": true}],
    })
}

fn read(json: &Value) -> Vocabulary {
    from_tekken_bytes(json.to_string().as_bytes()).unwrap()
}

#[test]
fn special_tokens_come_first_and_the_text_after_them() {
    let vocabulary = read(&tekken());
    expect!["width 262, 258 text tokens, 4 special tokens, 0 holes, stops at 1"]
        .assert_eq(&vocabulary.to_string());
    let names: Vec<&str> = vocabulary.specials().map(|(_, name)| name).collect();
    assert_eq!(names, ["[INST]", "</s>", "<SPECIAL_2>", "<SPECIAL_3>"]);
    assert_eq!(vocabulary.text(TokenId::new(4)), Some(&b"\0"[..]));
    assert_eq!(vocabulary.text(TokenId::new(260)), Some(&b" the"[..]));
    assert_eq!(vocabulary.text(TokenId::new(261)), Some(&b"\xe2\x82"[..]));
    assert_eq!(vocabulary.special("beyond"), None);
}

#[test]
fn old_files_have_the_special_tokens_that_everybody_knows() {
    let mut json = tekken();
    json["config"]["version"] = "v3".into();
    json["config"]["default_num_special_tokens"] = 22.into();
    json["config"]["default_vocab_size"] = 280.into();
    json.as_object_mut().unwrap().remove("special_tokens");
    let vocabulary = read(&json);
    expect!["width 280, 258 text tokens, 22 special tokens, 0 holes, stops at 2"]
        .assert_eq(&vocabulary.to_string());
    assert_eq!(vocabulary.special("[TOOL_CALLS]"), Some(TokenId::new(9)));
    assert_eq!(vocabulary.special("<SPECIAL_21>"), Some(TokenId::new(21)));
}

#[test]
fn options_count() {
    let json = tekken().to_string();
    let vocabulary = Options::default().width(300).stop("[INST]").from_tekken_bytes(json.as_bytes()).unwrap();
    assert_eq!((vocabulary.width(), vocabulary.stop_tokens()), (300, &[TokenId::new(0)][..]));
}

fn check_refused(change: fn(&mut Value), message: Expect) {
    let mut json = tekken();
    change(&mut json);
    let error = from_tekken_bytes(json.to_string().as_bytes()).unwrap_err();
    message.assert_eq(&error.to_string());
    assert!(
        [TokenizerErrorKind::Format, TokenizerErrorKind::Vocabulary, TokenizerErrorKind::UnknownStop]
            .contains(&error.kind())
    );
}

#[test]
fn files_that_are_not_whole_are_refused() {
    check_refused(
        |json| json["config"]["default_num_special_tokens"] = 1_000_000.into(),
        expect!["not a tekken.json: it has 1000000 special tokens, and at most 65536 are read"],
    );
    check_refused(
        |json| json["config"]["default_num_special_tokens"] = 300.into(),
        expect!["not a tekken.json: it has 262 tokens, 300 of them special"],
    );
    check_refused(
        |json| json["config"]["default_vocab_size"] = 264.into(),
        expect!["not a tekken.json: the token of rank 259 is missing, there are 260"],
    );
    check_refused(
        |json| json["vocab"][7]["rank"] = 8.into(),
        expect!["not a tekken.json: the token of rank 7 is missing, there is 8"],
    );
    check_refused(
        |json| json["vocab"][7]["token_bytes"] = "?".into(),
        expect!["not a tekken.json: the token of rank 7: Invalid symbol 63, offset 0."],
    );
    check_refused(
        |json| json["special_tokens"][0]["rank"] = 4.into(),
        expect![[r#"not a tekken.json: the special token "</s>" has the rank 4, and there are 4"#]],
    );
    check_refused(
        |json| json["special_tokens"][0]["rank"] = 0.into(),
        expect![[r#"token 0 is given twice, as "</s>" and as "[INST]""#]],
    );
    check_refused(
        |json| json["special_tokens"][0]["token_str"] = "<s>".into(),
        expect![[r#"the stop token "</s>" is neither a special nor a text token of the vocabulary"#]],
    );
    check_refused(
        |json| json["special_tokens"] = Value::Null,
        expect!["not a tekken.json: it lists no special tokens, which files of version v11 must"],
    );
    check_refused(
        |json| *json = json!([]),
        expect![
            "not a tekken.json: invalid length 0, expected struct File with 3 elements at line 1 column 2"
        ],
    );
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_a_typed_error() {
    let json = tekken().to_string();
    for len in (0..json.len()).filter(|len| len % 7 == 0 || json.len() - len < 400) {
        let error = from_tekken_bytes(&json.as_bytes()[..len]).unwrap_err();
        assert_eq!(error.kind(), TokenizerErrorKind::Format, "{len}");
    }
}

proptest! {
    #[test]
    fn a_damaged_file_never_panics(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut json = tekken().to_string().into_bytes();
        for (index, byte) in damage {
            let at = index.index(json.len());
            json[at] = byte;
        }
        let _ = from_tekken_bytes(&json);
    }
}
