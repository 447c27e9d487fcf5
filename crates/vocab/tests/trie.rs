//! The trie against a naive model, its UTF-8 flag against brute force, and its dump.

use expect_test::expect;
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Every prefix of every text, and the tokens that are spelled exactly so. In bytewise order, which is preorder.
type Model = BTreeMap<Vec<u8>, Vec<TokenId>>;

fn model_of(texts: &[Vec<u8>]) -> Model {
    let mut model = Model::from([(Vec::new(), Vec::new())]);
    for (id, text) in (0..).zip(texts) {
        for len in 0..=text.len() {
            model.entry(text[..len].to_vec()).or_default();
        }
        if !text.is_empty() {
            model.entry(text.clone()).or_default().push(TokenId::new(id));
        }
    }
    model
}

fn vocabulary_of(texts: &[Vec<u8>]) -> Vocabulary {
    let mut builder = Vocabulary::builder();
    // Backwards, so that no order of the builder's input is relied on.
    for (id, text) in texts.iter().enumerate().rev() {
        builder.token(u32::try_from(id).unwrap(), text);
    }
    builder.build().unwrap()
}

/// Whether the standard library finds at most an unfinished character at the end.
fn is_utf8_prefix(text: &[u8]) -> bool {
    std::str::from_utf8(text).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Compares every answer of the trie with what the model says.
fn check(texts: &[Vec<u8>]) {
    let (vocabulary, model) = (vocabulary_of(texts), model_of(texts));
    let trie = vocabulary.trie();
    assert_eq!(trie.n_nodes(), model.len());
    assert_eq!(trie.end(Trie::ROOT).index(), model.len());
    let sorted: Vec<TokenId> = model.values().flatten().copied().collect();
    assert_eq!(trie.sorted_tokens(), sorted);

    let prefixes: Vec<&Vec<u8>> = model.keys().collect();
    let mut node = Trie::ROOT;
    for (text, tokens) in &model {
        let below: Vec<(&Vec<u8>, &Vec<TokenId>)> =
            model.range(text.clone()..).take_while(|(longer, _)| longer.starts_with(text)).collect();
        assert_eq!(trie.depth(node), text.len());
        assert_eq!(trie.byte(node), text.last().copied().unwrap_or(0));
        assert_eq!(trie.tokens_at(node), tokens);
        assert_eq!(trie.end(node).index(), node.index() + below.len());
        let tokens_below: Vec<TokenId> =
            below.iter().flat_map(|(_, tokens)| tokens.iter().copied()).collect();
        assert_eq!(trie.tokens_below(node), tokens_below);
        let lengths: Vec<usize> =
            tokens_below.iter().map(|token| texts[token.index()].len().min(255)).collect();
        assert_eq!(trie.lengths_below(node).iter().map(|&len| usize::from(len)).collect::<Vec<_>>(), lengths);
        let range = trie.token_range(node);
        assert_eq!(sorted[range.start as usize..range.end as usize], tokens_below);

        let children: Vec<&[u8]> =
            trie.children(node).map(|child| prefixes[child.index()].as_slice()).collect();
        let expected: Vec<&[u8]> = below
            .iter()
            .map(|(longer, _)| longer.as_slice())
            .filter(|longer| longer.len() == text.len() + 1)
            .collect();
        assert_eq!(children, expected);
        for byte in 0..=255 {
            let child = trie.child(node, byte).map(|child| prefixes[child.index()].clone());
            let expected = [text.as_slice(), &[byte]].concat();
            assert_eq!(child, model.contains_key(&expected).then_some(expected));
        }

        let suffixes = || below.iter().map(|(longer, _)| &longer[text.len()..]);
        assert_eq!(usize::from(trie.height(node)), suffixes().map(<[u8]>::len).max().unwrap_or(0).min(255));
        let mut set = [0; 4];
        for &byte in suffixes().flatten() {
            set[usize::from(byte) / 64] |= 1u64 << (byte % 64);
        }
        assert_eq!(trie.bytes_below(node), set);
        assert_eq!(trie.ascii_below(node), u128::from(set[0]) | u128::from(set[1]) << 64);
        assert_eq!(trie.is_utf8_below(node), suffixes().all(is_utf8_prefix), "below {text:x?}");
        node = node.next();
    }
}

/// Bytes that make prefixes, duplicates, characters and ill-formed text likely.
fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let byte = prop_oneof![
        4 => prop::sample::select(b"ab\0".to_vec()),
        2 => prop::sample::select(vec![0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf]),
        2 => prop::sample::select(vec![0xc1, 0xc2, 0xe0, 0xe2, 0xed, 0xf0, 0xf1, 0xf4, 0xf5]),
        1 => any::<u8>(),
    ];
    let pieces = prop_oneof![
        prop::collection::vec(byte, 0..6),
        prop::sample::select(vec!["é", "€", "😀", "\u{d7ff}", "a€", "\u{10ffff}"])
            .prop_map(|s| s.as_bytes().to_vec()),
    ];
    prop::collection::vec(pieces, 0..40)
}

proptest! {
    #[test]
    fn agrees_with_the_model(texts in texts()) {
        check(&texts);
    }
}

#[test]
fn zero_bytes_and_common_heads_are_sorted_by_all_their_bytes() {
    let texts = [
        &b"a"[..],
        b"a\0",
        b"a\0\0\0\0\0\0\0\0",
        b"a\0\0\0\0\0\0\0",
        b"12345678b",
        b"12345678",
        b"12345678a",
    ];
    check(&texts.map(<[u8]>::to_vec));
}

#[test]
fn every_token_with_the_same_bytes_is_found() {
    let vocabulary = vocabulary_of(&["ab", "a", "ab", "", "ab"].map(|text| text.as_bytes().to_vec()));
    let trie = vocabulary.trie();
    let ab = trie.child(Trie::ROOT, b'a').and_then(|a| trie.child(a, b'b')).unwrap();
    assert_eq!(trie.tokens_at(ab), [0, 2, 4].map(TokenId::new));
}

/// A character split over tokens: what is below the first byte is not text by itself, what is below the root is.
#[test]
fn the_utf8_flag_is_about_text_that_begins_at_the_node() {
    let vocabulary =
        vocabulary_of(&["€".as_bytes().to_vec(), "\u{e2}".as_bytes().to_vec(), b"\xe2\x82".to_vec()]);
    let trie = vocabulary.trie();
    let e2 = trie.child(Trie::ROOT, 0xe2).unwrap();
    assert!(trie.is_utf8_below(Trie::ROOT) && !trie.is_utf8_below(e2));
    let surrogate = vocabulary_of(&[b"\xed\xa0\x80".to_vec()]);
    assert!(!surrogate.trie().is_utf8_below(Trie::ROOT));
}

#[test]
fn a_node_from_elsewhere_is_a_leaf_without_tokens() {
    let vocabulary = Vocabulary::bytes();
    let trie = vocabulary.trie();
    let behind = trie.end(Trie::ROOT);
    for node in [behind, behind.next(), NodeId::new(u32::MAX)] {
        assert!(trie.end(node) >= node);
        assert!(trie.tokens_at(node).is_empty() && trie.tokens_below(node).is_empty());
        assert!(trie.token_range(node).is_empty());
        assert_eq!((trie.children(node).count(), trie.child(node, 0), trie.depth(node)), (0, None, 0));
        assert_eq!((trie.bytes_below(node), trie.is_utf8_below(node)), ([0; 4], true));
    }
}

#[test]
fn prints_as_a_tree() {
    let texts = ["a", "abc", "ab", "b\n", "ab"].map(|text| text.as_bytes().to_vec());
    let mut texts = texts.to_vec();
    texts.push(b"b\x80".to_vec());
    let vocabulary = vocabulary_of(&texts);
    expect![[r"
        . (not UTF-8 below)
          a t0
            b t2 t4
              c t1
          b (not UTF-8 below)
            \n t3
            \x80 t5
    "]]
    .assert_eq(&vocabulary.trie().to_string());
    expect!["Trie { n_nodes: 7, n_tokens: 6, n_byte_sets: 5 }"]
        .assert_eq(&format!("{:?}", vocabulary.trie()));
}
