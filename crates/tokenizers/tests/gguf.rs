//! Small GGUF files written here: what is read from them, and what is refused.

use expect_test::{Expect, expect};
use formwork_tokenizers::{Options, TokenizerError, TokenizerErrorKind, Vocabulary, from_gguf_reader};
use formwork_vocab::{LeadingSpace, TokenId, TokenKind};
use proptest::prelude::*;

/// A value of a file.
#[derive(Clone)]
enum Meta {
    U32(u32),
    I32(i32),
    Bool(bool),
    F64(f64),
    Text(&'static str),
    Texts(Vec<&'static str>),
    I32s(Vec<i32>),
    /// Arrays within each other, this many, the innermost empty.
    Nested(u32),
    /// Of this type, these bytes.
    Raw(u32, Vec<u8>),
}

type Entry = (&'static str, Meta);

fn write_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn write_array(out: &mut Vec<u8>, element: u32, n: usize) {
    out.extend(element.to_le_bytes());
    out.extend((n as u64).to_le_bytes());
}

/// The bytes of a file of version 3 with these entries and a tensor count that is a lie.
fn file(entries: &[Entry]) -> Vec<u8> {
    let mut out = b"GGUF".to_vec();
    out.extend(3u32.to_le_bytes());
    out.extend(77u64.to_le_bytes());
    out.extend((entries.len() as u64).to_le_bytes());
    for (key, value) in entries {
        write_text(&mut out, key);
        let number: u32 = match value {
            Meta::U32(_) => 4,
            Meta::I32(_) => 5,
            Meta::Bool(_) => 7,
            Meta::Text(_) => 8,
            Meta::Texts(_) | Meta::I32s(_) | Meta::Nested(_) => 9,
            Meta::F64(_) => 12,
            Meta::Raw(number, _) => *number,
        };
        out.extend(number.to_le_bytes());
        match value {
            Meta::U32(value) => out.extend(value.to_le_bytes()),
            Meta::I32(value) => out.extend(value.to_le_bytes()),
            Meta::Bool(value) => out.push(u8::from(*value)),
            Meta::F64(value) => out.extend(value.to_le_bytes()),
            Meta::Text(text) => write_text(&mut out, text),
            Meta::Texts(texts) => {
                write_array(&mut out, 8, texts.len());
                texts.iter().for_each(|text| write_text(&mut out, text));
            }
            Meta::I32s(numbers) => {
                write_array(&mut out, 5, numbers.len());
                numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
            }
            Meta::Nested(depth) => {
                (1..*depth).for_each(|_| write_array(&mut out, 9, 1));
                write_array(&mut out, 4, 0);
            }
            Meta::Raw(_, bytes) => out.extend(bytes),
        }
    }
    out
}

const MODEL: &str = "tokenizer.ggml.model";
const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";

/// Byte-level, with what llama.cpp's files have besides.
fn gpt2() -> Vec<Entry> {
    vec![
        ("general.architecture", Meta::Text("llama")),
        ("llama.vocab_size", Meta::U32(16)),
        ("llama.rope.freq_base", Meta::F64(1e4)),
        ("odd.arrays", Meta::Nested(7)),
        (MODEL, Meta::Text("gpt2")),
        ("tokenizer.ggml.pre", Meta::Text("llama-bpe")),
        (
            TOKENS,
            Meta::Texts(vec!["a", "Ġb", "Ã©", "<|end|>", "<tool é>", "[PAD5]", "[PAD7]", "gone", "<|eot|>"]),
        ),
        (TYPES, Meta::I32s(vec![1, 1, 1, 3, 4, 4, 4, 5, 3])),
        ("tokenizer.ggml.merges", Meta::Texts(vec!["Ġ b", "Ã ©"])),
        ("tokenizer.ggml.eos_token_id", Meta::U32(3)),
        ("tokenizer.ggml.eot_token_id", Meta::I32(8)),
        ("tokenizer.ggml.eom_token_id", Meta::I32(-1)),
    ]
}

/// SentencePiece.
fn llama() -> Vec<Entry> {
    vec![
        (TYPES, Meta::I32s(vec![2, 3, 3, 6, 6, 1, 1, 4])),
        (TOKENS, Meta::Texts(vec!["<unk>", "<s>", "</s>", "<0x0A>", "<0xE2>", "▁a", "▁▁", "▁user"])),
        (MODEL, Meta::Text("llama")),
        ("tokenizer.ggml.eos_token_id", Meta::U32(2)),
    ]
}

fn read(entries: &[Entry]) -> Result<Vocabulary, TokenizerError> {
    from_gguf_reader(&file(entries)[..])
}

fn texts(vocabulary: &Vocabulary) -> Vec<Option<String>> {
    let text = |id| vocabulary.text(id).map(|text| text.escape_ascii().to_string());
    (0..).map(TokenId::new).take(vocabulary.width()).map(text).collect()
}

#[test]
fn byte_level_tokens() {
    let vocabulary = read(&gpt2()).unwrap();
    expect!["width 16, 5 text tokens, 2 special tokens, 9 holes, stops at 3, 8"]
        .assert_eq(&vocabulary.to_string());
    let expected =
        [Some("a"), Some(" b"), Some("\\xc3\\xa9"), None, Some("<tool \\xc3\\xa9>"), None, Some("[PAD7]")];
    assert_eq!(texts(&vocabulary)[..7], expected.map(|text| text.map(str::to_owned)));
    assert_eq!(vocabulary.kind(TokenId::new(5)), TokenKind::Hole, "padding is called after its own id");
    assert_eq!(
        (vocabulary.leading_space(), vocabulary.origin()),
        (LeadingSpace::Kept, Some("GGUF, byte-level gpt2"))
    );
}

#[test]
fn sentencepiece_tokens() {
    let vocabulary = read(&llama()).unwrap();
    expect!["width 8, 5 text tokens, 3 special tokens, 0 holes, stops at 2"]
        .assert_eq(&vocabulary.to_string());
    let expected = ["\\n", "\\xe2", " a", "  ", "\\xe2\\x96\\x81user"].map(|text| Some(text.to_owned()));
    assert_eq!(texts(&vocabulary)[3..], expected, "user-defined tokens are literal");
    assert_eq!(vocabulary.leading_space(), LeadingSpace::Stripped);
    let mut entries = llama();
    entries.push(("tokenizer.ggml.add_space_prefix", Meta::Bool(false)));
    assert_eq!(read(&entries).unwrap().leading_space(), LeadingSpace::Kept);
    entries[2].1 = Meta::Text("gemma4");
    entries.pop();
    assert_eq!(read(&entries).unwrap().leading_space(), LeadingSpace::Kept);
    entries[2].1 = Meta::Text("gpt2");
    entries.push(("tokenizer.ggml.pre", Meta::Text("gemma4")));
    assert_eq!(texts(&read(&entries).unwrap())[5], Some(" a".to_owned()));
}

#[test]
fn options_count_more_than_the_file() {
    let options = Options::default().width(64).stop(" b").special(4u32, "<tool é>");
    let vocabulary = options.from_gguf_reader(&file(&gpt2())[..]).unwrap();
    expect!["width 64, 4 text tokens, 3 special tokens, 57 holes, stops at 1"]
        .assert_eq(&vocabulary.to_string());
}

fn check_refused(change: impl FnOnce(&mut Vec<Entry>), kind: TokenizerErrorKind, message: &Expect) {
    let mut entries = gpt2();
    change(&mut entries);
    let error = read(&entries).unwrap_err();
    message.assert_eq(&error.to_string());
    assert_eq!(error.kind(), kind);
}

fn replace(entries: &mut [Entry], key: &str, value: Meta) {
    entries.iter_mut().find(|entry| entry.0 == key).unwrap().1 = value;
}

#[test]
fn files_that_say_too_little_or_something_else_are_refused() {
    let format = |change: fn(&mut Vec<Entry>), message: Expect| {
        check_refused(change, TokenizerErrorKind::Format, &message);
    };
    format(
        |e| e.retain(|entry| entry.0 != MODEL),
        expect!["not a GGUF file with a vocabulary: it has no tokenizer.ggml.model"],
    );
    format(
        |e| e.retain(|entry| entry.0 != TOKENS),
        expect!["not a GGUF file with a vocabulary: it has no tokenizer.ggml.tokens"],
    );
    format(
        |e| e.retain(|entry| entry.0 != TYPES),
        expect!["not a GGUF file with a vocabulary: it has no tokenizer.ggml.token_type"],
    );
    format(
        |e| e.push((MODEL, Meta::Text("gpt2"))),
        expect!["not a GGUF file with a vocabulary: it has tokenizer.ggml.model twice"],
    );
    format(
        |e| replace(e, MODEL, Meta::U32(3)),
        expect![
            "not a GGUF file with a vocabulary: tokenizer.ggml.model is of another type than it should be"
        ],
    );
    format(
        |e| replace(e, TOKENS, Meta::I32s(vec![1])),
        expect![
            "not a GGUF file with a vocabulary: tokenizer.ggml.tokens is of another type than it should be"
        ],
    );
    format(
        |e| replace(e, TYPES, Meta::Text("x")),
        expect![
            "not a GGUF file with a vocabulary: tokenizer.ggml.token_type is of another type than it should be"
        ],
    );
    format(
        |e| replace(e, TYPES, Meta::I32s(vec![1])),
        expect!["not a GGUF file with a vocabulary: it has 9 tokens, and types of 1"],
    );
    format(
        |e| replace(e, TYPES, Meta::I32s(vec![7; 9])),
        expect!["not a GGUF file with a vocabulary: token 0 is of type 7"],
    );
    format(
        |e| replace(e, TYPES, Meta::I32s(vec![6; 9])),
        expect![[r#"not a GGUF file with a vocabulary: token 0 is a byte, and called "a""#]],
    );
    format(
        |e| replace(e, "odd.arrays", Meta::Nested(100)),
        expect!["not a GGUF file with a vocabulary: its arrays lie too deep within each other"],
    );
    format(
        |e| replace(e, "odd.arrays", Meta::Raw(13, Vec::new())),
        expect!["not a GGUF file with a vocabulary: there is no type 13"],
    );
    check_refused(
        |e| replace(e, MODEL, Meta::Text("bert")),
        TokenizerErrorKind::Unsupported,
        &expect![[
            r#"this GGUF file is not supported: its model is "bert", and supported are gpt2, llama and gemma4"#
        ]],
    );
    check_refused(
        |e| replace(e, "tokenizer.ggml.eos_token_id", Meta::U32(7)),
        TokenizerErrorKind::UnknownStop,
        &expect!["stop token 7 is neither a text nor a special token of the vocabulary"],
    );
    check_refused(
        |e| replace(e, TOKENS, Meta::Texts(vec!["<|end|>"; 9])),
        TokenizerErrorKind::Vocabulary,
        &expect![[r#"the special tokens 3 and 8 have the same name "<|end|>""#]],
    );
    check_refused(
        |e| replace(e, "llama.vocab_size", Meta::U32(u32::MAX)),
        TokenizerErrorKind::Vocabulary,
        &expect!["the width is 4294967295: at most 16777216 is supported"],
    );
}

#[test]
fn other_versions_and_byte_orders_are_refused() {
    let check = |at: usize, bytes: [u8; 4], kind: TokenizerErrorKind, message: Expect| {
        let mut file = file(&gpt2());
        file[at..at + 4].copy_from_slice(&bytes);
        let error = from_gguf_reader(&file[..]).unwrap_err();
        message.assert_eq(&error.to_string());
        assert_eq!(error.kind(), kind);
    };
    check(
        0,
        *b"GGML",
        TokenizerErrorKind::Format,
        expect!["not a GGUF file with a vocabulary: it does not begin with `GGUF`"],
    );
    check(
        4,
        1u32.to_le_bytes(),
        TokenizerErrorKind::Unsupported,
        expect!["this GGUF file is not supported: its version is 1, and supported are 2 and 3"],
    );
    check(
        4,
        3u32.to_be_bytes(),
        TokenizerErrorKind::Unsupported,
        expect!["this GGUF file is not supported: it is big-endian"],
    );
}

/// Lengths are claims: none of these may be believed before the bytes have come.
#[test]
fn lengths_that_lie_are_typed_errors_and_cost_nothing() {
    let huge = u64::MAX.to_le_bytes();
    let mut text = huge.to_vec();
    text.extend(b"abc");
    let array = |element: u32| [&element.to_le_bytes()[..], &huge].concat();
    for (key, value) in [
        (MODEL, Meta::Raw(8, text.clone())),
        ("other.text", Meta::Raw(8, text)),
        (TOKENS, Meta::Raw(9, array(8))),
        (TYPES, Meta::Raw(9, array(5))),
        ("other.texts", Meta::Raw(9, array(8))),
        ("other.numbers", Meta::Raw(9, array(12))),
        ("other.arrays", Meta::Raw(9, array(9))),
    ] {
        let error = read(&[(key, value)]).unwrap_err();
        assert_eq!(error.kind(), TokenizerErrorKind::Format, "{key}: {error}");
    }
    let mut entries = file(&[]);
    entries[16..24].copy_from_slice(&huge);
    assert_eq!(from_gguf_reader(&entries[..]).unwrap_err().kind(), TokenizerErrorKind::Format);
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_a_typed_error() {
    for entries in [gpt2(), llama()] {
        let file = file(&entries);
        for len in 0..file.len() {
            let error = from_gguf_reader(&file[..len]).unwrap_err();
            assert_eq!(error.kind(), TokenizerErrorKind::Format, "{len}: {error}");
        }
        assert!(from_gguf_reader(&[&file[..], b"tensors"].concat()[..]).is_ok());
    }
}

proptest! {
    #[test]
    fn a_damaged_file_never_panics(
        is_llama: bool,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut file = file(&if is_llama { llama() } else { gpt2() });
        for (index, byte) in damage {
            let at = index.index(file.len());
            file[at] = byte;
        }
        // Either is fine: some damage only makes another vocabulary.
        let _ = from_gguf_reader(&file[..]);
    }
}
