//! What a report finds, and how it prints.

use expect_test::{Expect, expect};
use formwork_vocab::{LeadingSpace, Vocabulary, VocabularyBuilder};

fn check(builder: &VocabularyBuilder, expected: &Expect) {
    expected.assert_eq(&builder.build().unwrap().report().to_string());
}

#[test]
fn an_ordinary_vocabulary() {
    let report = Vocabulary::bytes().report();
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
    "#]]
    .assert_eq(&report.to_string());
}

#[test]
fn every_oddity_is_counted_and_shown() {
    let mut builder = Vocabulary::builder();
    builder.origin("by hand").leading_space(LeadingSpace::Stripped);
    for byte in (0..=255u8).filter(|byte| !matches!(byte, b'q' | b'r' | 0xff)) {
        builder.token(u32::from(byte), [byte]);
    }
    builder.token(300, "a").token(301, b"a\xff").token(302, b"\xe2\x82").token(303, "").token(304, "a");
    builder.token(310, " the longest\u{7}\u{1b}[31m").special(311, "<e\n>").stop(311).stop(10).width(320);
    check(
        &builder,
        &expect![[r#"
            kind           by hand
            width          320 (312 ids, 8 padding)
            text tokens    259 (273 trie nodes)
            holes          52: 113-114, 255-299, 305-309
            special tokens 1: 311 <e\n>
            stop tokens    10 "\n", 311 <e\n>
            duplicates     3: "a" 97, 300, 304
            empty tokens   1
            not UTF-8      129 (13 in no UTF-8 text)
            missing bytes  71-72, ff (of UTF-8: 71-72)
            longest, bytes 310 " the longest\u{7}\u{1b}[31m" 18, 301 "a\xff" 2, 302 "\xe2\x82" 2, 0 "\0" 1, 1 "\u{1}" 1, 2 "\u{2}" 1, 3 "\u{3}" 1, 4 "\u{4}" 1
            leading space  stripped at the start of the output by the tokenizer's decoder
        "#]],
    );
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let mut builder = Vocabulary::builder();
    for i in 0..20u32 {
        let text = format!("{i}{}", "x".repeat(100));
        builder.token(4 * i, &text).token(4 * i + 1, &text).special(4 * i + 2, format!("<{i}>"));
    }
    let report = builder.build().unwrap().report();
    assert_eq!((report.n_duplicates, report.duplicates.len(), report.specials.len()), (40, 8, 20));
    assert_eq!((report.n_holes, report.holes.n_ranges(), report.holes.listed().count()), (19, 19, 8));
    let text = report.to_string();
    for shown in ["19: 3, 7, 11, 15, 19, 23, 27, 31, …", "20: 2 <0>", "30 <7>, …", "xxx\"… 40, 41, "] {
        assert!(text.contains(shown), "{shown} in\n{text}");
    }
    assert!(text.lines().all(|line| line.len() < 700), "{text}");
}

#[test]
fn an_empty_vocabulary_has_a_report_too() {
    let report = Vocabulary::builder().width(3).build().unwrap().report();
    assert_eq!((report.n_holes, report.holes.is_empty(), report.missing_bytes.n_ranges()), (3, true, 1));
    assert!(report.to_string().contains("missing bytes  00-ff (of UTF-8: 00-bf, c2-f4)"));
}
