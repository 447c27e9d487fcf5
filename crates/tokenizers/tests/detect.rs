//! Which tokenizer a path turns out to be.

#[path = "common/folder.rs"]
mod folder;

use folder::folder;
use formwork_tokenizers::{Options, TokenizerErrorKind, from_path};

const HF: &[u8] = br#" {"decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}}"#;
const TEKKEN: &[u8] = br#"{"config": {"default_vocab_size": 2, "default_num_special_tokens": 1},
    "vocab": [{"rank": 0, "token_bytes": "YQ=="}], "special_tokens": [{"rank": 0, "token_str": "</s>"}]}"#;
const RANKS: &[u8] = b"YQ== 0\nYg== 1\n";

/// No tokenizer at all, but one that is found out to be GGUF.
const GGUF: &[u8] = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

fn check(name: &str, files: &[(&str, &[u8])], expected: &str) {
    let folder = folder(&format!("detect_{name}"), files);
    let answer = |result: Result<formwork_tokenizers::Vocabulary, formwork_tokenizers::TokenizerError>| {
        let answer =
            result.map_or_else(|error| error.to_string(), |found| found.origin().unwrap().to_owned());
        answer.replace(&folder.display().to_string(), "DIR")
    };
    assert_eq!(answer(from_path(&folder)), expected, "{name}");
    // Whatever it is called: the name of a file says nothing.
    if let [(name, bytes)] = files {
        let path = folder.join("renamed");
        std::fs::write(&path, bytes).unwrap();
        if expected.starts_with("DIR: ") {
            return;
        }
        let expected = expected.replace(&format!("DIR/{name}"), "DIR/renamed");
        assert_eq!(answer(from_path(&path)), expected, "{name}");
    }
}

#[test]
fn a_folder_holds_the_first_tokenizer_of_the_list() {
    check("hf", &[("tokenizer.json", HF)], "tokenizer.json, byte-level BPE");
    check(
        "several",
        &[("tokenizer.json", HF), ("tekken.json", TEKKEN), ("a.gguf", GGUF)],
        "tokenizer.json, byte-level BPE",
    );
    check("tekken", &[("tekken.json", TEKKEN), ("tokenizer.model", RANKS)], "tekken.json");
    check("ranks", &[("tokenizer.model", RANKS)], "tiktoken ranks");
    check("tiktoken", &[("x.tiktoken", RANKS), ("a.gguf", GGUF)], "tiktoken ranks");
    check(
        "gguf",
        &[("m.gguf", GGUF), ("readme.md", b"x")],
        "DIR/m.gguf: not a GGUF file with a vocabulary: it has no tokenizer.ggml.model",
    );
    check(
        "parts",
        &[("m-00002-of-00002.gguf", b"x"), ("m-00001-of-00002.gguf", GGUF)],
        "DIR/m-00001-of-00002.gguf: not a GGUF file with a vocabulary: it has no tokenizer.ggml.model",
    );
    check("two", &[("a.gguf", GGUF), ("b.gguf", GGUF)], "DIR: there are 2 files *.gguf: say which");
}

#[test]
fn what_is_no_tokenizer_is_a_typed_error() {
    check(
        "none",
        &[("readme.md", b"x"), ("a.txt", b"")],
        "DIR: there is no tokenizer in it: no tokenizer.json, tekken.json, tiktoken.model, tokenizer.model, *.tiktoken or *.gguf",
    );
    check(
        "sentencepiece",
        &[("tokenizer.model", b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02")],
        "DIR/tokenizer.model: is no tokenizer that is known here; a SentencePiece model has to be converted to a tokenizer.json",
    );
    check(
        "foreign",
        &[("tokenizer.json", b"[]")],
        "DIR/tokenizer.json: is neither a tokenizer.json, a tekken.json, tiktoken ranks nor a GGUF file",
    );
    let error = from_path(folder("detect_missing", &[]).join("no")).unwrap_err();
    assert_eq!(error.kind(), TokenizerErrorKind::Io, "{error}");
}

#[test]
fn options_reach_every_format() {
    for (name, bytes) in [("tokenizer.json", HF), ("tekken.json", TEKKEN), ("tokenizer.model", RANKS)] {
        let folder = folder("detect_options", &[(name, bytes)]);
        let options = Options::default().width(32).stop("a").special(9u32, "<new>");
        let vocabulary = options.from_path(folder).unwrap();
        assert_eq!((vocabulary.width(), vocabulary.stop_tokens().len()), (32, 1), "{name}");
        assert!(vocabulary.special("<new>").is_some());
    }
}

#[test]
fn every_format_cut_off_anywhere_is_read_or_a_typed_error() {
    for (name, bytes) in [("hf", HF), ("tekken", TEKKEN), ("ranks", RANKS), ("gguf", GGUF)] {
        for len in 0..bytes.len() {
            let path = folder(&format!("detect_cut_{name}"), &[("file", &bytes[..len])]).join("file");
            if let Err(error) = from_path(&path) {
                assert_eq!(error.kind(), TokenizerErrorKind::Format, "{name} {len}: {error}");
            }
        }
    }
}
