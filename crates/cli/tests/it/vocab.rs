//! `formwork vocab`: what is in a tokenizer.

use crate::program::{File, check, formwork};
use expect_test::expect;

#[test]
fn vocabularies_are_shown() {
    check(
        &["vocab", "show", "--tokenizer", "bytes"],
        0,
        expect![[r#"
        kind           not said
        width          257 (257 ids, 0 padding)
        text tokens    256 (257 trie nodes)
        holes          0
        special tokens 1: 256 <eos>
        stop tokens    256 <eos>
        duplicates     0
        empty tokens   0
        not UTF-8      128 (13 in no UTF-8 text)
        missing bytes  none
        longest, bytes 0 "\0" 1, 1 "\u{1}" 1, 2 "\u{2}" 1, 3 "\u{3}" 1, 4 "\u{4}" 1, 5 "\u{5}" 1, 6 "\u{6}" 1, 7 "\u{7}" 1
        leading space  kept at the start of the output
    "#]],
    );
    check(
        &["vocab", "show", "--tokenizer", "llama3"],
        0,
        expect![[r#"
        kind           embedded llama3
        width          128256 (128256 ids, 0 padding)
        text tokens    128000 (274521 trie nodes)
        holes          0
        special tokens 256: 128000 <|begin_of_text|>, 128001 <|end_of_text|>, 128002 <|reserved_special_token_0|>, 128003 <|reserved_special_token_1|>, 128004 <|finetune_right_pad_id|>, 128005 <|reserved_special_token_2|>, 128006 <|start_header_id|>, 128007 <|end_header_id|>, …
        stop tokens    128001 <|end_of_text|>, 128008 <|eom_id|>, 128009 <|eot_id|>
        duplicates     0
        empty tokens   0
        not UTF-8      1352 (13 in no UTF-8 text)
        missing bytes  none
        longest, bytes 58040 "                                                "… 128, 90280 "//----------------------------------------------"… 114, 67307 " -----------------------------------------------"… 113, 57442 "//----------------------------------------------"… 98, 60909 " -----------------------------------------------"… 97, 87644 "/***********************************************"… 97, 61729 "////////////////////////////////////////////////"… 96, 99574 "------------------------------------------------"… 96
        leading space  kept at the start of the output
    "#]],
    );
}

#[test]
fn a_path_is_a_file_of_any_format_or_a_folder() {
    // Ranks as tiktoken has them: the token in base64, and its id.
    let ranks = File::new("tiktoken.model", "YQ== 0\nYg== 1\nYWI= 2\n");
    let args = ["vocab", "show", "--tokenizer", ranks.folder().to_str().unwrap()];
    check(
        &args,
        0,
        expect![[r#"
        kind           tiktoken ranks
        width          3 (3 ids, 0 padding)
        text tokens    3 (4 trie nodes)
        holes          0
        special tokens 0
        stop tokens    none
        duplicates     0
        empty tokens   0
        not UTF-8      0 (0 in no UTF-8 text)
        missing bytes  00-60, 63-ff (of UTF-8: 00-60, 63-bf, c2-f4)
        longest, bytes 2 "ab" 2, 0 "a" 1, 1 "b" 1
        leading space  kept at the start of the output
    "#]],
    );
    let by_file = formwork(&["vocab", "show", "--tokenizer", ranks.path(), "--stop", "ab"], b"");
    assert_eq!(by_file.status, 0, "{by_file:?}");
    assert!(by_file.out.contains("stop tokens    2 \"ab\"\n"), "{}", by_file.out);
}

#[test]
fn what_is_no_tokenizer_is_told() {
    let text = File::new("notes.txt", "no tokenizer\n");
    for tokenizer in [text.path(), text.folder().to_str().unwrap(), "gpt-17"] {
        let answer = formwork(&["vocab", "show", "--tokenizer", tokenizer], b"");
        assert_eq!((answer.status, answer.out.as_str()), (2, ""));
        assert!(answer.err.starts_with("error: ") && answer.err.contains(tokenizer), "{}", answer.err);
    }
}
