//! Every short text, accepted exactly when the `regex` crate (Rust dialect) or `regress` (ECMA-262) matches it.

mod common;

use common::accepts;
use formwork_regex::{Dialect, Matching, Options};
use proptest::prelude::*;

/// All texts of up to `max` of these characters.
fn texts(alphabet: &[char], max: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..max {
        let to = texts.len();
        for i in from..to {
            for c in alphabet {
                texts.push(format!("{}{c}", texts[i]));
            }
        }
        from = to;
    }
    texts
}

/// Patterns in the syntax that both dialects share, full of anchors.
fn shared_pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => Just("a".to_owned()),
        2 => Just("b".to_owned()),
        1 => Just("[ab]".to_owned()),
        1 => Just("[^a]".to_owned()),
        1 => Just(String::new()),
        2 => Just("^".to_owned()),
        2 => Just("$".to_owned()),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        prop_oneof![
            4 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("{l}{r}")),
            2 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("(?:{l}|{r})")),
            2 => (inner.clone(), "[*+?]|[{][0-3][}]|[{][0-2],[}]|[{][01],[23][}]", "\\??")
                .prop_map(|(body, q, lazy)| format!("(?:{body}){q}{lazy}")),
            1 => inner.prop_map(|body| format!("({body})")),
        ]
    })
}

fn check(dialect: Dialect, pattern: &str, texts: &[String], is_match: impl Fn(&str, Matching) -> bool) {
    for matching in [Matching::Full, Matching::Search] {
        let grammar = Options::new().dialect(dialect).matching(matching).grammar(pattern);
        let grammar = grammar.unwrap_or_else(|error| panic!("{pattern}: {error}"));
        for text in texts {
            assert_eq!(
                accepts(&grammar, text),
                is_match(text, matching),
                "{dialect:?} {matching:?} {pattern:?} on {text:?}\n{grammar}"
            );
        }
    }
}

fn check_regex(dialect: Dialect, pattern: &str, texts: &[String]) {
    let full = regex::Regex::new(&format!(r"\A(?:{pattern})\z")).expect("a pattern");
    let search = regex::Regex::new(pattern).expect("a pattern");
    check(dialect, pattern, texts, |text, matching| match matching {
        Matching::Full => full.is_match(text),
        _ => search.is_match(text),
    });
}

fn check_ecma(pattern: &str, texts: &[String]) {
    // Inline flags stand at the start only, so they go to the oracle as flags.
    let (flags, body) = match pattern.strip_prefix("(?i)") {
        Some(body) => ("iu", body),
        None => ("u", pattern),
    };
    let new = |p: &str| regress::Regex::with_flags(p, flags).unwrap_or_else(|e| panic!("{p}: {e}"));
    let (full, search) = (new(&format!("^(?:{body})$")), new(body));
    check(Dialect::Ecma, pattern, texts, |text, matching| match matching {
        Matching::Full => full.find(text).is_some(),
        _ => search.find(text).is_some(),
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anchors_anywhere_are_exact(pattern in shared_pattern()) {
        let texts = texts(&['a', 'b', 'c'], 4);
        check_regex(Dialect::Rust, &pattern, &texts);
        // What the dialects share means the same; `regress` never ends on some nested loops over the empty text.
        check_regex(Dialect::Ecma, &pattern, &texts);
    }

    #[test]
    fn look_ahead_is_exact(pattern in ahead_pattern()) {
        let options = Options::new().dialect(Dialect::Ecma);
        // `^` in a negative look-ahead is refused in most places.
        if options.grammar(&pattern).is_ok() {
            check_ecma(&pattern, &texts(&['a', 'b', 'c'], 4));
        }
    }

    #[test]
    fn ecma_syntax_is_exact(pattern in ecma_pattern()) {
        let mut texts = interesting_texts();
        if pattern.contains(r"\W") {
            // The standard counts U+017F and U+212A as word characters when case is ignored, since they fold to
            // letters (ECMA-262, WordCharacters). The oracle forgets that in `[\W]`, and folds them to `s` and `K`.
            texts.retain(|text| !text.contains(['\u{17F}', '\u{212A}', 'K']));
        }
        check_ecma(&pattern, &texts);
    }
}

#[test]
fn a_look_ahead_that_asks_where_the_text_starts_is_exact() {
    let texts = texts(&['a', 'b', 'c'], 5);
    for pattern in [
        "(?!^[ab]+$)([abc]+)",
        "(?=^.{1,3}$)(?!^(a+b)+$)(^([ab]|c(a|b))+$)",
        "((?!^a+$)^[ab]+$)",
        "^((?!.*(^|b)aa?(b|$))(?!.*cc)[abc]+|c)$",
        "(?!^ab)b|(?!^b)a$",
        "(?!^)a",
        "(?!(?:^a|b))[ab]c",
    ] {
        check_ecma(pattern, &texts);
    }
}

#[test]
fn flags_hold_for_the_rest_of_their_group() {
    let texts = texts(&['a', 'A', 'b', 'B'], 3);
    for pattern in ["a(?i)b", "a(?i)b|a", "(?:a(?i)b|a)b", "(?i)a(?-i)b", "(?i)(?-i:a)b", "b(?i)"] {
        check_regex(Dialect::Ecma, pattern, &texts);
    }
}

/// Patterns full of look-ahead, none of it repeated.
fn ahead_pattern() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec![
        "a",
        "b",
        "[ab]",
        "[^a]",
        "^",
        "$",
        "a*",
        "[bc]+",
        "b?",
        "",
        "(?:ab|c)*",
        // Bounds, some of which a length ahead makes needless.
        "[ab]{0,3}",
        "[^c]{1,2}",
        "(?:a|bc){1,2}",
        "(?:b?[ac]{1,2}){1,3}",
        "(?=.{1,3}$)",
        "(?=[ab]{0,2}$)",
        "(?!^[ab]+$)",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            5 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("{l}{r}")),
            2 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("(?:{l}|{r})")),
            2 => inner.clone().prop_map(|body| format!("(?={body})")),
            3 => inner.clone().prop_map(|body| format!("(?!{body})")),
            1 => inner.prop_map(|body| format!("^{body}")),
        ]
    })
}

/// Classes and escapes on which dialects differ.
fn ecma_pattern() -> impl Strategy<Value = String> {
    let escapes = [
        r"\d",
        r"\D",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        r"\t",
        r"\n",
        r"\v",
        r"\f",
        r"\r",
        r"\x00",
        r"\cJ",
        r"\x41",
        r"\u0061",
        r"\u{1F600}",
        r"\u{00061}",
        r"\uD83D\uDE00",
        r"\/",
        r"\.",
        r"\p{L}",
        r"\P{L}",
        r"\p{Lu}",
        r"\p{Script=Greek}",
        r"\p{ASCII}",
        r"\p{White_Space}",
        "a",
        "Z",
        "é",
        "😀",
        "K",
        "ſ",
        "_",
        "-",
        " ",
        "7",
    ];
    let escape = proptest::sample::select(escapes.to_vec()).prop_map(str::to_owned);
    let member = escape.clone().prop_filter("a lone - is a member only at the ends", |e| e != "-");
    let range = proptest::sample::select(vec![
        "a-z",
        "0-9",
        "α-ω",
        r"\x00-\x1F",
        r"\u{1F600}-\u{1F64F}",
        r"\b",
        "A-_",
    ]);
    let item = prop_oneof![3 => member, 2 => range.prop_map(str::to_owned)];
    let class =
        (any::<bool>(), prop::collection::vec(item, 0..4), any::<bool>()).prop_map(|(neg, items, dash)| {
            format!("[{}{}{}]", if neg { "^" } else { "" }, items.concat(), if dash { "-" } else { "" })
        });
    let atom =
        prop_oneof![4 => escape, 4 => class, 1 => Just(".".to_owned()), 1 => Just("(?:a|)".to_owned())];
    let part = (
        atom,
        prop_oneof![4 => Just(""), 1 => Just("*"), 1 => Just("+?"), 1 => Just("{2}"), 1 => Just("{0,2}?")],
    )
        .prop_map(|(atom, q)| format!("{atom}{q}"));
    (any::<bool>(), prop::collection::vec(part, 1..4))
        .prop_map(|(fold, parts)| format!("{}{}", if fold { "(?i)" } else { "" }, parts.join("")))
}

fn interesting_texts() -> Vec<String> {
    let alphabet: Vec<char> =
        "aAzZ7_- \t\n\r\u{B}\u{8}\0/.éαΩ😀\u{212A}\u{17F}\u{2028}\u{A0}\u{FEFF}\u{180E}\u{85}K٣"
            .chars()
            .collect();
    texts(&alphabet, 2)
}
