//! What a vocabulary says about ids: text, specials, holes, stops, widths; and what it refuses.

use expect_test::{Expect, expect};
use formwork_vocab::{TokenId, TokenKind, Vocabulary, VocabularyBuilder, VocabularyErrorKind};

fn t(id: u32) -> TokenId {
    TokenId::new(id)
}

fn check_error(builder: &VocabularyBuilder, kind: VocabularyErrorKind, token: Option<u32>, message: &Expect) {
    let error = builder.build().unwrap_err();
    assert_eq!((error.kind(), error.token()), (kind, token.map(t)));
    message.assert_eq(&error.to_string());
}

#[test]
fn bytes_has_every_byte_and_a_stop_token() {
    let vocabulary = Vocabulary::bytes();
    for byte in 0..=255u8 {
        assert_eq!(vocabulary.text(t(byte.into())), Some(&[byte][..]));
        assert!(vocabulary.has_single_byte(byte));
    }
    assert_eq!(vocabulary.special("<eos>"), Some(t(256)));
    assert_eq!(vocabulary.stop_tokens(), [t(256)]);
    assert_eq!((vocabulary.width(), vocabulary.mask_words(), vocabulary.max_token_len()), (257, 9, 1));
}

#[test]
fn ids_are_text_special_or_holes_whatever_their_number() {
    let vocabulary = Vocabulary::builder()
        .token(1, "a")
        .token(4, "")
        .special(3, "<x>")
        .token(6, "bcd")
        .width(64)
        .build()
        .unwrap();
    let kinds: Vec<TokenKind> = (0..8).map(|id| vocabulary.kind(t(id))).collect();
    use TokenKind::{Hole, Special, Text};
    assert_eq!(kinds, [Hole, Text, Hole, Special, Text, Hole, Text, Hole]);
    let texts: Vec<Option<&[u8]>> = (0..8).map(|id| vocabulary.text(t(id))).collect();
    assert_eq!(texts, [None, Some(&b"a"[..]), None, None, Some(b""), None, Some(b"bcd"), None]);
    for id in [63, 64, 65, u32::MAX] {
        assert_eq!((vocabulary.kind(t(id)), vocabulary.text(t(id))), (Hole, None));
        assert_eq!(vocabulary.special_name(t(id)), None);
        assert!(!vocabulary.is_stop(t(id)));
    }
    assert_eq!((vocabulary.n_text(), vocabulary.max_token_len(), vocabulary.mask_words()), (3, 3, 2));
}

#[test]
fn a_token_without_bytes_is_text_but_not_in_the_trie() {
    let vocabulary = Vocabulary::builder().token(0, "").token(1, "a").build().unwrap();
    assert_eq!(vocabulary.kind(t(0)), TokenKind::Text);
    assert_eq!(vocabulary.trie().sorted_tokens(), [t(1)]);
}

#[test]
fn specials_are_found_by_id_and_by_name_and_are_not_in_the_trie() {
    let vocabulary = Vocabulary::builder()
        .special(7, "<b>")
        .special(2, "<c>")
        .special(5, "<a>")
        .token(0, "<a>")
        .build()
        .unwrap();
    let specials: Vec<(u32, &str)> = vocabulary.specials().map(|(id, name)| (id.get(), name)).collect();
    assert_eq!(specials, [(2, "<c>"), (5, "<a>"), (7, "<b>")]);
    for (id, name) in specials {
        assert_eq!((vocabulary.special(name), vocabulary.special_name(t(id))), (Some(t(id)), Some(name)));
        assert_eq!(vocabulary.text(t(id)), None);
    }
    assert_eq!((vocabulary.special("<d>"), vocabulary.special_name(t(0))), (None, None));
    assert_eq!(vocabulary.trie().sorted_tokens(), [t(0)]);
}

#[test]
fn an_id_given_as_text_and_as_special_is_special_in_either_order() {
    let first = Vocabulary::builder().token(0, "<s>").special(0, "<s>").token(1, "a").build().unwrap();
    let second = Vocabulary::builder().token(1, "a").special(0, "<s>").token(0, "<s>").build().unwrap();
    for vocabulary in [first, second] {
        assert_eq!((vocabulary.kind(t(0)), vocabulary.text(t(0))), (TokenKind::Special, None));
        assert_eq!(vocabulary.trie().sorted_tokens(), [t(1)]);
        assert_eq!(vocabulary.n_text(), 1);
    }
}

#[test]
fn stop_tokens_may_be_text_or_special_and_text_stays_text() {
    let vocabulary = Vocabulary::builder()
        .stop(2)
        .stop(0)
        .stop(2)
        .token(0, "\n")
        .token(1, "a")
        .special(2, "<e>")
        .build()
        .unwrap();
    assert_eq!(vocabulary.stop_tokens(), [t(0), t(2)]);
    assert!(vocabulary.is_stop(t(0)) && !vocabulary.is_stop(t(1)) && vocabulary.is_stop(t(2)));
    assert_eq!((vocabulary.kind(t(0)), vocabulary.text(t(0))), (TokenKind::Text, Some(&b"\n"[..])));
    assert_eq!(vocabulary.trie().sorted_tokens(), [t(0), t(1)]);
}

#[test]
fn other_stop_tokens_share_everything_else() {
    let vocabulary = Vocabulary::bytes();
    let other = vocabulary.with_stop_tokens([65u32, 10]).unwrap();
    assert_eq!(other.stop_tokens(), [t(10), t(65)]);
    assert!(std::ptr::eq(vocabulary.trie(), other.trie()));
    assert_eq!(vocabulary.stop_tokens(), [t(256)], "the original keeps its own");
    assert!(vocabulary.with_stop_tokens([0u32; 0]).unwrap().stop_tokens().is_empty());
    let error = vocabulary.with_stop_tokens([1u32, 257]).unwrap_err();
    assert_eq!((error.kind(), error.token()), (VocabularyErrorKind::UnknownStop, Some(t(257))));
}

#[test]
fn the_same_token_twice_is_harmless() {
    let vocabulary = Vocabulary::builder()
        .token(0, "a")
        .token(0, "a")
        .special(1, "<e>")
        .special(1, "<e>")
        .build()
        .unwrap();
    assert_eq!(vocabulary.to_string(), "width 2, 1 text token, 1 special token, 0 holes, no stop token");
    assert_eq!(vocabulary.trie().sorted_tokens(), [t(0)]);
}

#[test]
fn contradictions_are_refused_and_named() {
    use VocabularyErrorKind::{Conflict, UnknownStop, Width};
    check_error(
        Vocabulary::builder().token(3, "a").token(0, "x").token(3, b"\xff\""),
        Conflict,
        Some(3),
        &expect![[r#"token 3 is given twice, as "a" and as "\xff\"""#]],
    );
    check_error(
        Vocabulary::builder().special(3, "<a>").special(3, "<b>"),
        Conflict,
        Some(3),
        &expect![[r#"token 3 is given twice, as "<a>" and as "<b>""#]],
    );
    check_error(
        Vocabulary::builder().special(3, "<a>").special(4, "<a>"),
        Conflict,
        Some(4),
        &expect![[r#"the special tokens 3 and 4 have the same name "<a>""#]],
    );
    check_error(
        Vocabulary::builder().token(0, "a").stop(1).width(8),
        UnknownStop,
        Some(1),
        &expect!["stop token 1 is neither a text nor a special token of the vocabulary"],
    );
    check_error(
        Vocabulary::builder().token(5, "a").special(7, "<a>").width(7),
        Width,
        Some(7),
        &expect!["the width is 7, but the largest token id is 7"],
    );
}

#[test]
fn an_empty_vocabulary_is_legal() {
    let vocabulary = Vocabulary::builder().build().unwrap();
    assert_eq!((vocabulary.width(), vocabulary.mask_words(), vocabulary.max_token_len()), (0, 0, 0));
    assert_eq!((vocabulary.trie().n_nodes(), vocabulary.n_text()), (1, 0));
    assert!(!vocabulary.has_single_byte(b'a'));
}

#[test]
fn a_builder_can_go_on_after_building() {
    let mut builder = Vocabulary::builder();
    assert_eq!(builder.token(0, "a").build().unwrap().n_text(), 1);
    assert_eq!(builder.token(1, "b").build().unwrap().n_text(), 2);
}

#[test]
fn a_width_may_be_a_lower_bound() {
    let mut builder = Vocabulary::builder();
    builder.token(9, "a");
    assert_eq!(builder.width_at_least(4).build().unwrap().width(), 10);
    assert_eq!(builder.width_at_least(40).build().unwrap().width(), 40);
    assert_eq!(builder.width(32).build().unwrap().width(), 32, "what is said exactly counts");
}

#[test]
fn prints_as_one_line() {
    let vocabulary = Vocabulary::bytes().with_stop_tokens([256u32, 10]).unwrap();
    expect!["Vocabulary(width 257, 256 text tokens, 1 special token, 0 holes, stops at 10, 256)"]
        .assert_eq(&format!("{vocabulary:?}"));
}

#[test]
fn vocabularies_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync + Clone + 'static>(_: &T) {}
    shareable(&Vocabulary::bytes());
}
