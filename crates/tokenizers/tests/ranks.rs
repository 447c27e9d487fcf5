//! tiktoken rank files written here: what is read from them, and what is refused.

#[path = "common/folder.rs"]
mod folder;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use expect_test::{Expect, expect};
use folder::folder;
use formwork_tokenizers::{
    Options, TokenizerErrorKind, Vocabulary, embedded, embedded_names, from_tiktoken, from_tiktoken_bytes,
};
use formwork_vocab::TokenId;
use proptest::prelude::*;

const RANKS: &[u8] = b"YQ== 0\nYg== 1\r\n\nIGI= 2\n4oI= 5\n";

#[test]
fn lines_are_tokens_and_ranks_are_ids() {
    let vocabulary = from_tiktoken_bytes(RANKS).unwrap();
    expect!["width 6, 4 text tokens, 0 special tokens, 2 holes, no stop token"]
        .assert_eq(&vocabulary.to_string());
    assert_eq!(vocabulary.text(TokenId::new(2)), Some(&b" b"[..]));
    assert_eq!(vocabulary.text(TokenId::new(5)), Some(&b"\xe2\x82"[..]));
    let options = Options::default().special(7u32, "<|end|>").stop("<|end|>").width(8);
    expect!["width 8, 4 text tokens, 1 special token, 3 holes, stops at 7"]
        .assert_eq(&options.from_tiktoken_bytes(RANKS).unwrap().to_string());
}

/// As Kimi's: the special tokens stand in the configuration beside it.
#[test]
fn the_files_beside_it_add_tokens_stops_and_width() {
    let config = br#"{"eos_token": "[EOS]", "added_tokens_decoder":
        {"6": {"content": "[EOS]", "special": true}, "7": {"content": "<tool>", "special": false}}}"#;
    let files: [(&str, &[u8]); 4] = [
        ("tiktoken.model", RANKS),
        ("tokenizer_config.json", config),
        ("generation_config.json", br#"{"eos_token_id": [6, 7]}"#),
        ("config.json", br#"{"vocab_size": 3, "text_config": {"vocab_size": 64}}"#),
    ];
    let path = folder("ranks_beside", &files).join("tiktoken.model");
    expect!["width 64, 5 text tokens, 1 special token, 58 holes, stops at 6, 7"]
        .assert_eq(&from_tiktoken(&path).unwrap().to_string());
    std::fs::write(path.with_file_name("config.json"), br#"{"vocab_size": 3}"#).unwrap();
    assert_eq!(from_tiktoken(&path).unwrap().width(), 8, "it cannot leave out tokens");
    for (config, message) in [
        (&br#"{"vocab_size": "many"}"#[..], "config.json: its vocab_size is not a number of tokens"),
        (br#"{"vocab_size": -1}"#, "config.json: its vocab_size is not a number of tokens"),
        (
            br#"{"vocab_size": 99999999}"#,
            "tiktoken.model: the width is 99999999: at most 16777216 is supported",
        ),
    ] {
        std::fs::write(path.with_file_name("config.json"), config).unwrap();
        let error = from_tiktoken(&path).unwrap_err().to_string();
        assert!(error.ends_with(message), "{error}");
        assert_eq!(Options::default().width(32).from_tiktoken(&path).unwrap().width(), 32, "not read");
    }
    std::fs::write(path.with_file_name("tokenizer_config.json"), br#"{"added_tokens_decoder": {"x": 1}}"#)
        .unwrap();
    let error = Options::default().width(32).from_tiktoken(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("tokenizer_config.json: its added_tokens_decoder does not map ids to tokens"),
        "{error}"
    );
}

/// What is embedded, written as a rank file and read back.
#[test]
fn the_embedded_encodings_survive_the_format() {
    for name in embedded_names() {
        let own = embedded(name).unwrap();
        let mut ranks = String::new();
        for id in (0..).map(TokenId::new).take(own.width()) {
            if let Some(text) = own.text(id) {
                ranks.push_str(&format!("{} {id}\n", STANDARD.encode(text)));
            }
        }
        let mut options = Options::default();
        options = own.specials().fold(options, |options, (id, name)| options.special(id, name));
        options = own.stop_tokens().iter().fold(options, |options, id| options.stop_id(*id));
        let read: Vocabulary = options.from_tiktoken_bytes(ranks.as_bytes()).unwrap();
        assert_eq!(read.to_string(), own.to_string(), "{name}");
        assert_eq!(read.trie().sorted_tokens(), own.trie().sorted_tokens(), "{name}");
    }
}

fn check_refused(ranks: &[u8], kind: TokenizerErrorKind, message: &Expect) {
    let error = from_tiktoken_bytes(ranks).unwrap_err();
    message.assert_eq(&error.to_string());
    assert_eq!(error.kind(), kind);
}

#[test]
fn foreign_files_are_refused_with_the_line() {
    let check = |ranks: &[u8], message: Expect| check_refused(ranks, TokenizerErrorKind::Format, &message);
    check(b"", expect!["not a tiktoken rank file: it is empty"]);
    check(b"\n \n", expect!["not a tiktoken rank file: it is empty"]);
    check(
        b"YQ== 0\nYg==\n",
        expect![[r#"not a tiktoken rank file: line 2 is not a token in base64 and its rank, but "Yg==""#]],
    );
    check(
        b"YQ== 0\nYg== x\n",
        expect![[r#"not a tiktoken rank file: line 2 is not a token in base64 and its rank, but "Yg== x""#]],
    );
    check(
        b"YQ== +1\n",
        expect![[r#"not a tiktoken rank file: line 1 is not a token in base64 and its rank, but "YQ== +1""#]],
    );
    check(
        b"YQ== 4294967296\n",
        expect![[
            r#"not a tiktoken rank file: line 1 is not a token in base64 and its rank, but "YQ== 4294967296""#
        ]],
    );
    check(
        b"Y? 0\n",
        expect![[r#"not a tiktoken rank file: line 1 is not a token in base64 and its rank, but "Y? 0""#]],
    );
    check(
        b"YQ== 0 1\n",
        expect![[
            r#"not a tiktoken rank file: line 1 is not a token in base64 and its rank, but "YQ== 0 1""#
        ]],
    );
    check(
        &[0xff; 1000],
        expect![[
            r#"not a tiktoken rank file: line 1 is not a token in base64 and its rank, but "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff""#
        ]],
    );
    check_refused(
        b"YQ== 0\nYg== 0\n",
        TokenizerErrorKind::Vocabulary,
        &expect![[r#"token 0 is given twice, as "a" and as "b""#]],
    );
    check_refused(
        b"YQ== 99999999\n",
        TokenizerErrorKind::Vocabulary,
        &expect!["token id 99999999 is too large: ids are below 16777216"],
    );
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_read_or_a_typed_error() {
    for len in 0..RANKS.len() {
        if let Err(error) = from_tiktoken_bytes(&RANKS[..len]) {
            assert_eq!(error.kind(), TokenizerErrorKind::Format, "{len}: {error}");
        }
    }
}

proptest! {
    #[test]
    fn a_damaged_file_never_panics(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut ranks = RANKS.to_vec();
        for (index, byte) in damage {
            let at = index.index(ranks.len());
            ranks[at] = byte;
        }
        let _ = from_tiktoken_bytes(&ranks);
    }
}
