//! The reference recogniser against languages written out.

use formwork_grammar::{CharClass, ExprId, Grammar, GrammarBuilder, Place};
use formwork_testkit::generate::{GrammarShape, cases, random_grammar};
use formwork_testkit::{Reference, Rng, language};
use proptest::prelude::*;

/// Members up to `max_len` are exactly what the reference accepts, and their prefixes are viable; a viable prefix can be
/// walked to a member.
fn check(grammar: &Grammar, alphabet: &[u8], max_len: usize) {
    let reference = Reference::new(grammar);
    let members = language::enumerate(grammar, alphabet, max_len);
    let prefixes = language::prefixes(&members);
    // Each search is slow, so only some of the prefixes whose completion is too long to be listed are followed up.
    let mut searches = 0;
    for bytes in language::all_strings(alphabet, max_len) {
        let accepted = members.binary_search(&bytes).is_ok();
        let shown = bytes.escape_ascii();
        assert_eq!(reference.accepts(&bytes), accepted, "accepts \"{shown}\"\n{grammar}");
        let verdicts = reference.verdicts(&bytes);
        let last = verdicts[bytes.len()];
        assert_eq!(last.accepted, accepted, "verdict on \"{shown}\"\n{grammar}");
        assert_eq!(last.viable, reference.is_viable(&bytes), "verdict on \"{shown}\"\n{grammar}");
        if prefixes.binary_search(&bytes).is_ok() {
            assert!(last.viable, "\"{shown}\" is a prefix of a member\n{grammar}");
        } else if last.viable && searches < 4 {
            searches += 1;
            assert!(completes(&reference, alphabet, &bytes), "\"{shown}\" has no completion\n{grammar}");
        }
    }
}

/// Whether the search for a completion along viable bytes finds one or runs out of patience; it must never run dry.
fn completes(reference: &Reference, alphabet: &[u8], prefix: &[u8]) -> bool {
    let mut queue = vec![prefix.to_vec()];
    let mut next = 0;
    while let Some(here) = queue.get(next).cloned() {
        next += 1;
        if next > 40 || reference.accepts(&here) {
            return true;
        }
        let longer = |byte: u8| [here.as_slice(), &[byte]].concat();
        let mut more: Vec<Vec<u8>> =
            alphabet.iter().map(|&byte| longer(byte)).filter(|bytes| reference.is_viable(bytes)).collect();
        if more.is_empty() {
            more.extend(reference.next_bytes(&here).iter().take(2).map(longer));
        }
        if more.is_empty() {
            return false;
        }
        queue.extend(more);
    }
    false
}

fn grammar(define: impl FnOnce(&mut GrammarBuilder, ExprId) -> ExprId) -> Grammar {
    let mut b = GrammarBuilder::new();
    let root = b.declare("root", Place::none());
    let this = b.rule(root);
    let body = define(&mut b, this);
    b.define(root, body);
    b.build(root).expect("a grammar of this test")
}

#[test]
fn left_recursion_cycles_and_ambiguity() {
    let plain = grammar(|b, this| {
        let a = b.literal("a");
        let more = b.seq([this, a]);
        b.alt([more, a])
    });
    check(&plain, b"ab", 5);
    let hidden = grammar(|b, this| {
        let (a, c) = (b.literal("a"), b.literal("b"));
        let maybe = b.optional(c);
        let more = b.seq([maybe, this, a]);
        let empty = b.empty();
        b.alt([more, empty])
    });
    check(&hidden, b"ab", 6);
    let ambiguous = grammar(|b, this| {
        let (a, empty) = (b.literal("a"), b.empty());
        let twice = b.seq([this, this]);
        b.alt([this, twice, a, empty])
    });
    check(&ambiguous, b"ab", 5);
    let nothing = grammar(|_, this| this);
    check(&nothing, b"a", 3);
    assert!(!Reference::new(&nothing).is_productive());
}

#[test]
fn counts_of_any_size() {
    let nullable = grammar(|b, _| {
        let a = b.literal("a");
        let maybe = b.optional(a);
        b.repeat(maybe, 100_000, Some(200_000))
    });
    check(&nullable, b"a", 4);
    let huge = grammar(|b, _| {
        let a = b.literal("a");
        b.repeat(a, 3, Some(4_000_000_000))
    });
    check(&huge, b"ab", 6);
    let gaps = grammar(|b, _| {
        let (two, three) = (b.literal("aa"), b.literal("aaa"));
        let either = b.alt([two, three]);
        let counted = b.repeat(either, 2, Some(2));
        let end = b.literal("b");
        b.seq([counted, end])
    });
    check(&gaps, b"ab", 8);
}

#[test]
fn texts_are_whole_characters() {
    let complement = grammar(|b, _| {
        let a = b.literal("é");
        b.not(a)
    });
    check(&complement, "éa".as_bytes(), 4);
    let reference = Reference::new(&complement);
    assert!(
        reference.accepts(b"") && !reference.accepts("é".as_bytes()) && reference.accepts("éé".as_bytes())
    );
    assert!(!reference.accepts(b"\xC3") && reference.is_viable(b"\xC3") && !reference.is_viable(b"\xC3\xC3"));
    let nothing = grammar(|b, _| {
        let any = b.class(CharClass::any());
        let all = b.star(any);
        b.not(all)
    });
    assert!(!Reference::new(&nothing).is_viable(b""));
}

#[test]
fn json_spellings() {
    let spelled = grammar(|b, _| {
        let text = b.literal("a\"😀\n");
        let text = b.json_text(text);
        let quote = b.literal("\"");
        b.seq([quote, text, quote])
    });
    let reference = Reference::new(&spelled);
    for accepted in [r#""a\"😀\n""#, r#""\u0061\u0022\uD83D\ude00\u000a""#, r#""a\u0022\uD83d\uDE00\u000A""#]
    {
        assert!(reference.verdicts(accepted.as_bytes()).iter().all(|verdict| verdict.viable), "{accepted}");
        assert!(reference.accepts(accepted.as_bytes()), "{accepted}");
    }
    for refused in
        ["\"a\"", r#""A"#, r#""\u0062"#, r#""a\"\uD83E"#, r#""a\"\uDE00"#, "\"a\\\"😀\n", r#""\/"#, r#""\x"#]
    {
        assert!(!reference.is_viable(refused.as_bytes()), "{refused}");
    }
    let only = |prefix: &str| reference.next_bytes(prefix.as_bytes()).iter().collect::<Vec<u8>>();
    assert_eq!(only(r#""a"#), b"\\");
    assert_eq!(only(r#""a\"\"#), b"u");
    assert_eq!(only(r#""a\"\ud83"#), b"Dd");
    assert_eq!(only(r#""a\"\ud83d"#), b"\\");
}

#[test]
fn json_spellings_are_enumerated_alike() {
    let no_newline = grammar(|b, _| {
        let newline = b.literal("\n");
        let any = b.class(CharClass::any());
        let (one, not) = (b.repeat(any, 0, Some(2)), b.not(newline));
        let both = b.and([one, not]);
        b.json_text(both)
    });
    check(&no_newline, b"\\nu\"", 5);
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn random_grammars(seed: u64) {
        let shape = GrammarShape::default();
        check(&random_grammar(&mut Rng::seeded(seed), &shape), &shape.alphabet(), 4);
    }

    #[test]
    fn random_context_free_grammars(seed: u64) {
        let shape = GrammarShape { max_count: 3, ..GrammarShape::context_free("ab") };
        check(&random_grammar(&mut Rng::seeded(seed), &shape), &shape.alphabet(), 6);
    }

    #[test]
    fn random_tags(seed: u64) {
        let shape = GrammarShape { max_count: 3, ..GrammarShape::tags("ab") };
        check(&random_grammar(&mut Rng::seeded(seed), &shape), &shape.alphabet(), 5);
    }

    #[test]
    fn random_texts(seed: u64) {
        let shape = GrammarShape::texts();
        check(&random_grammar(&mut Rng::seeded(seed), &shape), b"a\\n\"", 4);
    }
}
