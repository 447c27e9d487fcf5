//! Grammars written in other notations: what is written, what is refused, and that the language stays the same.

use expect_test::{Expect, expect};
use formwork_ebnf::{ConvertErrorKind, gbnf, to_gbnf, to_regex};
use formwork_grammar::{Grammar, GrammarBuilder, Place};
use formwork_testkit::generate::{GrammarShape, grammars, random_bytes, seeds};
use formwork_testkit::{Reference, shown};
use proptest::prelude::*;

fn ebnf(text: &str) -> Grammar {
    formwork_ebnf::grammar(text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Both notations, or what is said instead.
fn check(text: &str, expected: Expect) {
    let grammar = ebnf(text);
    let say = |result: Result<String, formwork_ebnf::ConvertError>| match result {
        Ok(text) => text,
        Err(error) => format!("error: {error}"),
    };
    let (gbnf, regex) = (say(to_gbnf(&grammar)), say(to_regex(&grammar)));
    expected.assert_eq(&format!("{}\n----\n{}\n", gbnf.trim_end(), regex));
}

#[test]
fn what_is_written() {
    check(
        r#"root ::= é.b root_2 ("x" | [^\n]{2,} | "" | é.b*)
           é.b ::= [^] [\]\-^a-z] "a\"\\[^.\u0007\u200b\U000e0001" "?"?
           root_2 ::= ("ab" | [^a-z\\])+ (é.b{3})?"#,
        expect![[r#"
            root ::= --b root-2 ("x" | [^\n]{2,} | "" | --b*)
            --b ::= . [\x2D\]-\x5Ea-z] "a\"\\[^.\x07\u200B\U000E0001" "?"?
            root-2 ::= ("ab" | [^\\a-z])+ (--b{3})?
            ----
            [\s\S][\-\]-\^a-z]a"\\\[\^\.\u{7}\u{200b}\u{e0001}\??(?:ab|[^\\a-z])+(?:(?:[\s\S][\-\]-\^a-z]a"\\\[\^\.\u{7}\u{200b}\u{e0001}\??){3})?(?:x|[^\n]{2,}||(?:[\s\S][\-\]-\^a-z]a"\\\[\^\.\u{7}\u{200b}\u{e0001}\??)*)
        "#]],
    );
    check(
        "root ::= a a\na ::= b \"\"\nb ::= \"\" | c\nc ::= \"x\"{2,3} | \"yz\"*",
        expect![[r#"
        root ::= a a
        a ::= b
        b ::= "" | c
        c ::= "x"{2,3} | "yz"*
        ----
        (?:|x{2,3}|(?:yz)*)(?:|x{2,3}|(?:yz)*)
    "#]],
    );
}

#[test]
fn the_root_is_called_root() {
    let mut b = GrammarBuilder::new();
    let (root, other) = (b.declare("root", Place::none()), b.declare("start here", Place::none()));
    let x = b.literal("x");
    let reference = b.rule(root);
    let body = b.plus(reference);
    b.define(root, x);
    b.define(other, body);
    let grammar = b.build(other).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(to_gbnf(&grammar).as_deref(), Ok("root-2 ::= \"x\"\nroot ::= root-2+\n"));
    assert_eq!(to_regex(&grammar).as_deref(), Ok("x+"));
}

#[test]
fn what_is_refused() {
    for text in [
        "root ::= \"a\" a\na ::= And([a-z]{2}, Not(\"if\"))",
        "root ::= \"\\\"\" a \"\\\"\"\na ::= JsonText([a-z]*)",
        "root ::= ByteClass(\"\\x80-\\xff\")",
        "root ::= Bytes(\"\\xff\")",
    ] {
        let grammar = ebnf(text);
        for error in [to_gbnf(&grammar).expect_err(text), to_regex(&grammar).expect_err(text)] {
            assert_eq!(error.kind(), ConvertErrorKind::NotExpressible, "{text}: {error}");
        }
    }
    check(
        "root ::= \"a\" b\nb ::= \"x\" | Not(\"a\")",
        expect![[r#"
        error: rule `b` (line 2, column 1): GBNF has no words for a complement (`Not`)
        ----
        error: rule `b` (line 2, column 1): regular expressions have no words for a complement (`Not`)
    "#]],
    );
    check(
        "root ::= \"a\" n\nn ::= []",
        expect![[r#"
        error: rule `n` (line 2, column 1): GBNF has no words for what matches nothing (`[]`)
        ----
        a[^\s\S]
    "#]],
    );
    check(
        "root ::= e\ne ::= e \"+\" t | t\nt ::= [0-9]+",
        expect![[r#"
        error: rule `e` (line 2, column 1): llama.cpp refuses rules that can begin with themselves (left recursion), and `*` over what may be empty; write the repetition as `a (b a)*`
        ----
        error: rule `e` (line 2, column 1): regular expressions have no recursion
    "#]],
    );
    check(
        "root ::= \"(\" list \")\"\nlist ::= ws item list?\nitem ::= list2\nlist2 ::= ws list\nws ::= \" \"*",
        expect![[r#"
            error: rule `list` (line 2, column 1): llama.cpp refuses rules that can begin with themselves (left recursion), and `*` over what may be empty; write the repetition as `a (b a)*`
            ----
            error: rule `list2` (line 4, column 1): regular expressions have no recursion
        "#]],
    );
    check(
        "root ::= (\"a\"?)*",
        expect![[r#"
        error: rule `root` (line 1, column 1): llama.cpp refuses rules that can begin with themselves (left recursion), and `*` over what may be empty; write the repetition as `a (b a)*`
        ----
        (?:a?)*
    "#]],
    );
}

#[test]
fn rules_in_place_of_their_names_are_bounded() {
    let doubling = |last: &str| {
        let rules: String = (0..40).map(|i| format!("r{i} ::= r{} r{}\n", i + 1, i + 1)).collect();
        ebnf(&format!("root ::= r0\n{rules}r40 ::= {last}"))
    };
    for last in ["\"a\"", "\"\""] {
        assert_eq!(to_regex(&doubling(last)).map_err(|error| error.kind()), Err(ConvertErrorKind::Limit));
        assert!(to_gbnf(&doubling(last)).is_ok());
    }
}

#[test]
fn deep_grammars_need_no_deep_stack() {
    let work = || {
        let rules: String = (0..50_000).map(|i| format!("r{i} ::= \"x\" r{} | \"z\"\n", i + 1)).collect();
        let grammar = ebnf(&format!("root ::= r0\n{rules}r50000 ::= \"y\""));
        assert!(to_gbnf(&grammar).is_ok());
        assert!(to_regex(&grammar).is_ok());
        let rules: String = (0..50_000).map(|i| format!("r{i} ::= r{} \"x\"\n", i + 1)).collect();
        let grammar = ebnf(&format!("root ::= r0\n{rules}r50000 ::= \"y\" | r0"));
        assert!(to_gbnf(&grammar).is_err());
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(work).expect("a thread");
    thread.join().expect("no panic and no overflow");
}

/// Whether two grammars give the same verdict on every prefix of the texts.
fn same_language(a: &Grammar, b: &Grammar, texts: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let (before, after) = (Reference::new(a), Reference::new(b));
    for text in texts {
        prop_assert_eq!(before.verdicts(text), after.verdicts(text), "{}:\n{}\n----\n{}", shown(text), a, b);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_language_stays_the_same(grammar in grammars(GrammarShape::context_free("abé]")), mut rng in seeds()) {
        let alphabet = GrammarShape::context_free("abé]").alphabet();
        let texts: Vec<Vec<u8>> = (0..6).map(|_| random_bytes(&mut rng, &alphabet, 8)).collect();
        match to_gbnf(&grammar) {
            Ok(text) => {
                let again = gbnf::grammar(&text);
                let again = again.map_err(|errors| TestCaseError::fail(format!("{text}\n{errors}")))?;
                let twice = to_gbnf(&again);
                prop_assert_eq!(twice, Ok(text));
                same_language(&grammar, &again, &texts)?;
            }
            Err(error) => prop_assert_ne!(error.kind(), ConvertErrorKind::Limit),
        }
        match to_regex(&grammar) {
            Ok(text) => {
                for dialect in [formwork_regex::Dialect::Rust, formwork_regex::Dialect::Ecma] {
                    let again = formwork_regex::Options::new().dialect(dialect).grammar(&text);
                    let again = again.map_err(|error| TestCaseError::fail(format!("{text}\n{error}")))?;
                    same_language(&grammar, &again, &texts)?;
                }
            }
            Err(error) => prop_assert_eq!(error.kind(), ConvertErrorKind::Recursive),
        }
    }
}

/// Enough random grammars get through for the property to say something.
#[test]
fn random_grammars_can_be_written() {
    let shape = GrammarShape::context_free("abé]");
    let all: Vec<Grammar> = (0..300)
        .map(|seed| {
            formwork_testkit::generate::random_grammar(&mut formwork_testkit::Rng::seeded(seed), &shape)
        })
        .collect();
    let n_gbnf = all.iter().filter(|grammar| to_gbnf(grammar).is_ok()).count();
    let n_regex = all.iter().filter(|grammar| to_regex(grammar).is_ok()).count();
    assert!(n_gbnf > 50 && n_regex > 30, "{n_gbnf}, {n_regex}");
}

#[test]
fn regions_are_refused() {
    let budget = "root ::= a 'b'\na[max_tokens=3] ::= 'x'*".replace('\'', "\"");
    check(
        &budget,
        expect![[r#"
        error: rule `a` (line 2, column 1): GBNF has no words for a budget of tokens (`max_tokens`)
        ----
        error: rule `a` (line 2, column 1): regular expressions have no words for a budget of tokens (`max_tokens`)
    "#]],
    );
    let capture = "root[capture] ::= 'x'*".replace('\'', "\"");
    check(
        &capture,
        expect![[r#"
        error: rule `root` (line 1, column 1): GBNF has no words for captures (`capture`)
        ----
        error: rule `root` (line 1, column 1): regular expressions have no words for captures (`capture`)
    "#]],
    );
}
