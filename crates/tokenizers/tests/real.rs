//! Real tokenizers, where there are any: in `$FORMWORK_TOKENIZERS`, `.cache/tokenizers` or `/work/tokenizers`, one folder
//! each.
//!
//! They are under their models' licences and too large to commit; `cargo xtask tokenizers fetch` gets them. Without them
//! the tests pass and say loudly that they were skipped.
#![allow(clippy::print_stderr, reason = "a skipped test must be seen")]

mod common;

use common::{TEXTS, check_spelling};
use expect_test::{Expect, expect};
use formwork_tokenizers::{
    TokenizerErrorKind, Vocabulary, embedded, from_gguf_reader, from_hf_bytes, from_path, from_tekken_bytes,
    hf_encoder,
};
use formwork_vocab::{LeadingSpace, TokenId};
use std::path::{Path, PathBuf};

/// The folder of the tokenizer of this name.
fn folder(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os("FORMWORK_TOKENIZERS").map(PathBuf::from);
    let cache = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cache/tokenizers");
    let places = match &given {
        Some(given) => vec![given.as_path()],
        None => vec![Path::new(cache), Path::new("/work/tokenizers")],
    };
    let found = places.iter().map(|place| place.join(name)).find(|folder| folder.is_dir());
    if found.is_none() {
        eprintln!("SKIPPED: there is no {name}; `cargo xtask tokenizers fetch {name}` gets it");
    }
    found
}

fn check(name: &str, summary: &Expect) -> Option<Vocabulary> {
    let folder = folder(name)?;
    let vocabulary = from_path(&folder).unwrap();
    let encoder = hf_encoder(folder.join("tokenizer.json")).unwrap();
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
fn gemma_3() {
    check("gemma3", &expect!["width 262145, 262136 text tokens, 9 special tokens, 0 holes, stops at 106"]);
}

#[test]
fn deepseek_v3() {
    let Some(vocabulary) = check(
        "deepseek_v3",
        &expect!["width 128815, 128011 text tokens, 804 special tokens, 0 holes, stops at 1"],
    ) else {
        return;
    };
    let begin = TokenId::new(128_806);
    assert_eq!(
        vocabulary.text(begin),
        Some("<｜tool▁calls▁begin｜>".as_bytes()),
        "not special, so it is text"
    );
}

#[test]
fn command_r_plus() {
    check(
        "command_r_plus",
        &expect!["width 255029, 255021 text tokens, 8 special tokens, 0 holes, stops at 255001"],
    );
}

/// Two files of the same tokenizer must say the same.
fn check_same_text(a: &str, b: &str, n_ids: u32) -> Option<(Vocabulary, Vocabulary)> {
    let (a, b) = (from_path(folder(a)?).unwrap(), from_path(folder(b)?).unwrap());
    for id in (0..n_ids).map(TokenId::new) {
        assert_eq!(a.text(id), b.text(id), "{id}");
    }
    Some((a, b))
}

#[test]
fn tekken_is_mistral_nemo() {
    let Some((tekken, nemo)) = check_same_text("tekken_240718", "mistral_nemo", 131_072) else { return };
    assert_eq!(tekken.to_string(), nemo.to_string());
    assert_eq!(tekken.special("[TOOL_CALLS]"), nemo.special("[TOOL_CALLS]"));
    check_same_text("tekken_240718", "tekken_240911", 131_072);
}

#[test]
fn gguf_files_are_the_models_that_they_were_converted_from() {
    if let Some((gguf, json)) = check_same_text("gguf_llama_bpe", "llama3_1", 128_256) {
        assert_eq!(gguf.special("<|eot_id|>"), json.special("<|eot_id|>"));
    }
    if let Some((gguf, json)) = check_same_text("gguf_qwen2", "qwen2_5", 151_643) {
        assert_eq!(gguf.special("<|im_end|>"), json.special("<|im_end|>"));
        assert_eq!((gguf.width(), gguf.text(TokenId::new(151_935))), (151_936, None));
    }
}

/// The report of a SentencePiece vocabulary, which has all that can be odd.
#[test]
fn gguf_llama_spm() {
    let Some(folder) = folder("gguf_llama_spm") else { return };
    let vocabulary = from_path(folder).unwrap();
    assert_eq!(vocabulary.leading_space(), LeadingSpace::Stripped);
    expect![[r##"
        kind           GGUF, byte-fallback llama
        width          32000 (32000 ids, 0 padding)
        text tokens    31997 (57507 trie nodes)
        holes          0
        special tokens 3: 0 <unk>, 1 <s>, 2 </s>
        stop tokens    2 </s>
        duplicates     192: "\r" 16, 30004, " " 35, 29871, "!" 36, 29991, "\"" 37, 29908, "#" 38, 29937, "$" 39, 29938, "%" 40, 29995, "&" 41, 29987, …
        empty tokens   0
        not UTF-8      128 (13 in no UTF-8 text)
        missing bytes  none
        longest, bytes 23409 " административ" 27, 18044 " Становништво" 25, 28851 " университета" 25, 26720 " використову" 23, 27918 " Хронологија" 23, 28718 " энциклопеди" 23, 18092 "министратив" 22, 11229 " становника" 21
        leading space  stripped at the start of the output by the tokenizer's decoder
    "##]].assert_eq(&vocabulary.report().to_string());
}

/// Whatever is left of a real file, it is a typed error; files of several formats, cut at some hundred places.
#[test]
fn real_files_that_are_cut_off_are_typed_errors() {
    for (name, file) in [
        ("gguf_llama_spm", "ggml-vocab-llama-spm.gguf"),
        ("tekken_240718", "tekken.json"),
        ("llama3_1", "tokenizer.json"),
    ] {
        let Some(folder) = folder(name) else { continue };
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let metadata_len = if file.ends_with("gguf") { bytes.len() / 2 } else { bytes.len() - 100 };
        for len in (0..metadata_len).step_by(metadata_len / 50) {
            let bytes = &bytes[..len];
            let read = match file {
                "tekken.json" => from_tekken_bytes(bytes),
                "tokenizer.json" => from_hf_bytes(bytes),
                _ => from_gguf_reader(bytes),
            };
            assert_eq!(read.unwrap_err().kind(), TokenizerErrorKind::Format, "{name} {len}");
        }
    }
}

#[test]
fn gguf_gemma_4() {
    let Some(folder) = folder("gguf_gemma4") else { return };
    let report = from_path(folder).unwrap().report();
    assert!(report.missing_bytes.is_empty(), "{report}");
    assert_eq!(report.n_never_utf8, 13, "the single bytes that UTF-8 never has");
    expect![[r#"
        kind           GGUF, byte-fallback gemma4
        width          262144 (262144 ids, 0 padding)
        text tokens    262127 (600414 trie nodes)
        holes          0
        special tokens 17: 0 <pad>, 1 <eos>, 2 <bos>, 3 <unk>, 4 <mask>, 46 <|tool>, 47 <tool|>, 98 <|think|>, …
        stop tokens    1 <eos>
        duplicates     220: "\u{1}" 239, 249732, "\u{2}" 240, 241247, "\u{3}" 241, 247953, "\u{5}" 243, 251303, "\u{8}" 246, 243480, "\t" 247, 255968, "\n" 107, 248, "\u{12}" 256, 248894, …
        empty tokens   0
        not UTF-8      128 (13 in no UTF-8 text)
        missing bytes  none
        longest, bytes 118132 "…………………………………………" 48, 136816 "────────────────" 48, 140237 "————————————————" 48, 80645 " বিশ্ববিদ্যালয়ের" 46, 125294 " குறிப்பிடத்தக்க" 46, 163304 " विश्वविद्यालयों" 46, 168586 " মুক্তিযোদ্ধাদের" 46, 186967 " विद्यार्थ्यांना" 46
        leading space  kept at the start of the output
    "#]].assert_eq(&report.to_string());
}

/// What is embedded of other models against their own files.
#[test]
fn embedded_models_are_the_real_ones() {
    for (name, real) in [
        ("llama3", "llama3_2"),
        ("qwen2_5", "qwen2_5"),
        ("qwen3", "qwen3"),
        ("deepseek_v3", "deepseek_v3"),
        ("tekken", "tekken_240718"),
    ] {
        let Some(folder) = folder(real) else { continue };
        let (own, real) = (embedded(name).unwrap(), from_path(folder).unwrap());
        assert_eq!(own.width(), real.width(), "{name}");
        for id in (0..).map(TokenId::new).take(own.width()) {
            assert_eq!(own.text(id), real.text(id), "{name} {id}");
            assert_eq!(own.special_name(id), real.special_name(id), "{name} {id}");
        }
        assert!(real.stop_tokens().iter().all(|&id| own.is_stop(id)), "{name}");
    }
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
