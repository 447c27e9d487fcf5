//! Pools as bytes: what is read again is what was written, and nothing else is read.

use formwork_engine::{Compiler, Config, Matcher, Pool, PoolFileErrorKind};
use formwork_grammar::Grammar;
use formwork_vocab::Vocabulary;
use proptest::prelude::*;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;
use std::sync::OnceLock;

/// All words of up to three letters of a small alphabet, and the bytes.
fn vocabulary() -> Vocabulary {
    static MADE: OnceLock<Vocabulary> = OnceLock::new();
    let make = || {
        let mut builder = Vocabulary::builder();
        (0..=255u8).for_each(|byte| {
            builder.token(u32::from(byte), [byte]);
        });
        let letters = b"abcxyz19\\ \"{}[]:,";
        let mut id = 256u32;
        let mut add = |text: &[u8]| {
            builder.token(id, text);
            id += 1;
        };
        for &a in letters {
            for &b in letters {
                add(&[a, b]);
                letters.iter().for_each(|&c| add(&[a, b, c]));
            }
        }
        add("é".as_bytes());
        builder.special(id, "<call>").special(id + 1, "<end>").stop(id + 1);
        builder.build().expect("a vocabulary")
    };
    MADE.get_or_init(make).clone()
}

/// Grammars with an output of each: strings, numbers, counted texts and arrays, keys that others exclude, members in any
/// order, circles of rules, a rule that ends anywhere, symbols and tags.
fn examples() -> Vec<(Grammar, &'static [u8])> {
    let schema = |text: &str| formwork_json_schema::grammar(text).expect("a grammar");
    let ebnf = |text: &str| formwork_ebnf::grammar(text).expect("a grammar");
    let any_order = formwork_json_schema::Options::default()
        .property_order(formwork_json_schema::PropertyOrder::Any)
        .grammar(r#"{"properties": {"ax": {"type": "string"}, "ab": {}}, "required": ["ab"]}"#)
        .expect("a grammar");
    vec![
        (formwork_json_schema::any_json(), br#"{"xyz": [1, "a\"b", {"": null}], "b": 1.9e1}"#),
        (
            schema(
                r#"{"properties": {"abc": {"type": "string", "maxLength": 100}, "abx": {"enum": ["a", "abc", 1]},
                    "c": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 1000},
                    "z": {"type": "string", "pattern": "^(abc|x)+$", "minLength": 5, "maxLength": 70}},
                    "required": ["abc"]}"#,
            ),
            br#"{"abc": "xyz", "abx": "abc", "c": [1, 9, 19], "z": "abcabc", "ab": true}"#,
        ),
        (any_order, br#"{"ab": {"a": 1}, "ax": "b", "axb": 1}"#),
        (
            ebnf("root ::= list\nlist ::= item | list \",\" item\nitem ::= [abc]+ | \"[\" list \"]\"\n"),
            b"abc,[c,[a,b]],x",
        ),
        (
            ebnf(
                "root ::= \"<\" think \">\" [a-z]*\nthink[max_tokens=9] ::= ([a-z] | \"é\" | \"[\" [0-9]* \"]\")*\n",
            ),
            "<abcé[19]x>y".as_bytes(),
        ),
        (ebnf("root ::= (word \" \")* word\nword ::= [a-z]{1,60}\n"), b"abc xyz x"),
        (ebnf("root ::= \"a\" [^\"]{0,3000} \"\\\"\" | \"x\" root \"y\"\n"), b"xxabc xyz\"yy"),
    ]
}

fn compiler(pool: &Pool) -> Compiler {
    Compiler::builder(pool.vocabulary().clone()).precompute(0).pool(pool).build()
}

/// The masks along an output, as far as it is accepted.
fn masks(compiler: &Compiler, grammar: &Grammar, output: &[u8]) -> Vec<Vec<u32>> {
    let Ok(compiled) = compiler.compile(grammar) else { return Vec::new() };
    let mut matcher = Matcher::new(&compiled);
    let mut masks = Vec::new();
    for &byte in output {
        let mut mask = vec![0; compiled.vocabulary().mask_words()];
        if matcher.fill_mask(&mut mask).is_err() || matcher.accept_bytes(&[byte]).is_err() {
            break;
        }
        masks.push(mask);
    }
    let _ = matcher.forced_bytes();
    masks
}

fn filled() -> Pool {
    let pool = Pool::new(vocabulary(), 16 << 20);
    for (grammar, output) in examples() {
        masks(&compiler(&pool), &grammar, output);
    }
    pool
}

fn file() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| filled().to_bytes())
}

fn read(bytes: &[u8]) -> Result<Pool, PoolFileErrorKind> {
    Pool::from_bytes(vocabulary(), 16 << 20, bytes).map_err(|error| error.kind())
}

#[test]
fn a_pool_that_is_read_has_the_masks_and_misses_none() {
    let pool = read(file()).expect("the pool");
    assert!(pool.stats().bytes > 0);
    let mut config = Config::default();
    (config.pool, config.precompute) = (false, 0);
    for (grammar, output) in examples() {
        let alone = Compiler::builder(vocabulary()).config(config.clone()).build();
        let expected = masks(&alone, &grammar, output);
        assert!(expected.len() > 5, "{expected:?}");
        assert!(alone.pool().stats().misses > 3);
        assert!(masks(&compiler(&pool), &grammar, output) == expected, "{grammar}");
        assert_eq!(pool.stats().misses, 0, "{grammar}");
    }
    // What nobody asked for is computed as ever.
    let other = formwork_ebnf::grammar("root ::= \"new\" [0-9]+ \"!\"").expect("a grammar");
    assert_eq!(masks(&compiler(&pool), &other, b"new9").len(), 4);
    assert!(pool.stats().misses > 0);
}

#[test]
fn writing_what_was_read_gives_the_same_bytes() {
    assert!(filled().to_bytes() == file(), "the same contents");
    assert!(read(file()).expect("the pool").to_bytes() == file(), "written again");
}

#[test]
fn a_pool_that_is_read_keeps_to_its_bytes() {
    let all = read(file()).expect("the pool").stats().bytes;
    let pool = Pool::from_bytes(vocabulary(), all / 2, file()).expect("the pool");
    assert!(pool.stats().bytes <= all / 2 + 4_096, "{} of {all}", pool.stats().bytes);
    for (grammar, output) in examples() {
        assert!(!masks(&compiler(&pool), &grammar, output).is_empty());
    }
}

#[test]
fn files_for_other_vocabularies_and_of_other_releases_are_refused() {
    let other = Vocabulary::bytes();
    let error = Pool::from_bytes(other, 1 << 20, file()).expect_err("another vocabulary");
    assert_eq!(error.kind(), PoolFileErrorKind::Vocabulary);
    assert_eq!(error.to_string(), "the pool's file is for another vocabulary");
    // Which of them stop the output is no matter.
    let stops = vocabulary().with_stop_tokens([0u32]).expect("a token");
    assert!(Pool::from_bytes(stops, 1 << 20, file()).is_ok());
    for at in [8, 14] {
        let mut newer = file().to_vec();
        newer[at] += 1;
        sign(&mut newer);
        assert_eq!(read(&newer).expect_err("another release"), PoolFileErrorKind::Version);
    }
    assert_eq!(read(b"{\"a\": 1}").expect_err("no pool"), PoolFileErrorKind::NotAPool);
    assert_eq!(read(b"").expect_err("no pool"), PoolFileErrorKind::NotAPool);
}

#[test]
fn what_is_cut_off_or_goes_on_is_refused() {
    for len in (0..200).chain((200..file().len()).step_by(97)).chain([file().len() - 1]) {
        assert!(read(&file()[..len]).is_err(), "{len} bytes");
    }
    let longer = [file(), &[0]].concat();
    assert_eq!(read(&longer).expect_err("too long"), PoolFileErrorKind::Damaged);
}

#[test]
fn every_changed_bit_is_found() {
    let mut bytes = file().to_vec();
    for at in (0..100).chain((100..bytes.len()).step_by(61)) {
        bytes[at] ^= 1 << (at % 8);
        assert!(read(&bytes).is_err(), "byte {at}");
        bytes[at] ^= 1 << (at % 8);
    }
    assert!(read(&bytes).is_ok());
}

/// Gives changed bytes the right length and hash.
fn sign(bytes: &mut Vec<u8>) {
    let end = bytes.len() - 16;
    let n_content = end - CONTENT;
    bytes[CONTENT - 8..CONTENT].copy_from_slice(&(n_content as u64).to_le_bytes());
    let mut hasher = SipHasher13::new();
    hasher.write(&bytes[..end]);
    let hash = hasher.finish128().as_u128().to_le_bytes();
    bytes.truncate(end);
    bytes.extend(hash);
}

/// Where the content begins: name, format, release, vocabulary, length.
const CONTENT: usize = 8 + 4 + 1 + env!("CARGO_PKG_VERSION").len() + 16 + 8;

/// One change of a file.
#[derive(Clone, Debug)]
enum Change {
    Set(prop::sample::Index, u8),
    Add(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Copy(prop::sample::Index, prop::sample::Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (at(), prop_oneof![Just(1u8), Just(255), Just(2)]).prop_map(|(at, n)| Change::Add(at, n)),
        (at(), 1..4usize).prop_map(|(at, n)| Change::Remove(at, n)),
        (at(), prop::collection::vec(any::<u8>(), 1..4)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (at(), at(), 1..20usize).prop_map(|(from, to, n)| Change::Copy(from, to, n)),
    ]
}

fn changed(changes: &[Change]) -> Vec<u8> {
    let end = file().len() - 16;
    let mut content = file()[CONTENT..end].to_vec();
    for change in changes {
        let n = content.len();
        match change {
            Change::Set(at, byte) => content[at.index(n)] = *byte,
            Change::Add(at, more) => {
                let byte = &mut content[at.index(n)];
                *byte = byte.wrapping_add(*more);
            }
            Change::Remove(at, len) => {
                let at = at.index(n);
                content.drain(at..(at + len).min(n));
            }
            Change::Insert(at, bytes) => {
                let at = at.index(n);
                content.splice(at..at, bytes.iter().copied());
            }
            Change::Copy(from, to, len) => {
                let (from, to) = (from.index(n), to.index(n));
                let len = (*len).min(n - from).min(n - to);
                content.copy_within(from..from + len, to);
            }
        }
    }
    let mut bytes = [&file()[..CONTENT], &content[..], &[0; 16]].concat();
    sign(&mut bytes);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("FORMWORK_POOL_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
    ))]

    /// With the right hash it is refused, or gives masks, perhaps wrong ones; it never panics.
    #[test]
    fn a_forged_file_does_no_harm(changes in prop::collection::vec(change(), 1..4)) {
        if let Ok(pool) = read(&changed(&changes)) {
            for (grammar, output) in examples() {
                masks(&compiler(&pool), &grammar, output);
            }
            prop_assert!(read(&pool.to_bytes()).is_ok());
        }
    }
}
