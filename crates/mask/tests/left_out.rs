//! Texts but some words: where no token spells one, they are any text.

mod common;

use common::{Fixture, fixture_of};
use formwork_fsm::Config;
use formwork_mask::MaskKind;

/// A name that is none of these, as a member has it, over some tokens; blanks may come before.
fn names(names: &str, tokens: &[&str]) -> Fixture {
    let grammar = format!(
        "root ::= \"{{\" other \"}}\"\n\
         other ::= [\\t\\n\\r ]* \"\\\"\" JsonText(Not({names})) rest\n\
         rest ::= \"\\\":\" ([0-9]+ | \"(\" rest \")\")\n"
    );
    let mut config = Config::default();
    config.inlining = false;
    fixture_of(&grammar, tokens, config)
}

/// Whether it is known without a walk that the state behind these bytes of the name says what any text says; all that may come is
/// what can be read, whether it is known or not.
fn leaves_out_nothing(fixture: &mut Fixture, bytes: &str) -> bool {
    let before = format!("{{{bytes}");
    assert_eq!(fixture.allowed(before.as_bytes()), fixture.readable(before.as_bytes()), "{bytes}");
    let state = fixture.state("other", bytes.as_bytes());
    let base = fixture.walker.base_of(state, MaskKind::Usual).expect("the inside of any text");
    fixture.walker.leaves_out_nothing(state, base, MaskKind::Usual)
}

/// Whether the mask of what stands before the quote is found under the form of any text there.
fn is_found(fixture: &mut Fixture) -> bool {
    for before in ["{", "{ "] {
        assert_eq!(fixture.allowed(before.as_bytes()), fixture.readable(before.as_bytes()), "{before}");
    }
    let state = fixture.state("other", b"");
    fixture.walker.form_but_for_words(state, MaskKind::Usual).is_some()
}

/// What is in every vocabulary below: it ends names, begins with them and goes beyond them, but spells none to its end.
const OTHERS: [&str; 14] = [
    "\"", "\":", "x\":1", "i", "id", "idea", "ident\"", " \"i", "\"idea", "\\", "\\u", "\\u00", "\\u0069",
    "é",
];

fn with(tokens: &[&'static str]) -> Vec<&'static str> {
    OTHERS.iter().chain(tokens).copied().collect()
}

#[test]
fn words_that_no_token_spells_are_not_left_out() {
    let mut fixture = names("\"identifier\" | \"größe\"", &with(&[]));
    for before in ["\"", "\"i", "\"iden", "\"gr", " \"ident"] {
        assert!(leaves_out_nothing(&mut fixture, before), "{before}");
    }
    assert!(is_found(&mut fixture));
    // Behind the whole name its end is refused.
    let whole = "{\"identifier".as_bytes();
    assert_eq!(fixture.allowed(whole), fixture.readable(whole));
    assert!(!fixture.allowed(whole).contains(&"\":".to_owned()));
}

#[test]
fn a_word_that_a_token_spells_to_its_end_is_left_out() {
    let spelled = [
        ("tifier\"", vec!["\"iden"]),
        ("tif\\u0069er\":", vec!["\"iden"]),
        ("\\u0074ifier\":1", vec!["\"iden"]),
        ("entifier\"x", vec!["\"id"]),
    ];
    for (token, left_out) in spelled {
        let mut fixture = names("\"identifier\"", &with(&[token]));
        for before in ["\"", "\"i", "\"id", "\"iden", "\"identi"] {
            let expected = !left_out.contains(&before);
            assert_eq!(leaves_out_nothing(&mut fixture, before), expected, "{token} behind {before}");
        }
        assert!(is_found(&mut fixture), "{token}");
    }
    // The word goes on, or ends without a quote, or another character stands there.
    for token in ["tifiers\"", "tifier", "tifie\"", "tif\\u0068er\""] {
        let mut fixture = names("\"identifier\"", &with(&[token]));
        assert!(leaves_out_nothing(&mut fixture, "\"iden"), "{token}");
    }
}

#[test]
fn every_spelling_of_a_character_is_looked_along() {
    for token in ["\\/b\":", "/b\":", "\\u002Fb\"", "\\u002fb\""] {
        let mut fixture = names("\"a/b\"", &with(&[token]));
        assert!(!leaves_out_nothing(&mut fixture, "\"a"), "{token}");
    }
    for token in ["ö\":", "\\u00f6\":", "\\u00F6\""] {
        let mut fixture = names("\"aö\"", &with(&[token]));
        assert!(!leaves_out_nothing(&mut fixture, "\"a"), "{token}");
    }
    for token in ["😀\"", "\\ud83d\\ude00\":", "\\uD83D\\uDE00\":1"] {
        let mut fixture = names("\"a😀\"", &with(&[token]));
        assert!(!leaves_out_nothing(&mut fixture, "\"a"), "{token}");
    }
    // One that never stands for itself.
    for (name, token) in
        [("a\\nb", "\\nb\":"), ("a\\nb", "\\u000ab\""), ("a\\\"b", "\\\"b\":"), ("a\\\\b", "\\\\b\"")]
    {
        let mut fixture = names(&format!("\"{name}\""), &with(&[token]));
        assert!(!leaves_out_nothing(&mut fixture, "\"a"), "{token}");
    }
}

#[test]
fn a_quoted_word_is_found_behind_blanks_and_without() {
    for token in ["\"id\"", "\"id\":1", " \"id\":", "\n\n\"id\"", "\"\\u0069d\":"] {
        let mut fixture = names("\"id\" | \"identifier\"", &with(&[token]));
        assert!(!is_found(&mut fixture), "{token}");
    }
    for token in ["\"ids\":", "\"i\":", "\"\":", "\"id", "x\"id\""] {
        let mut fixture = names("\"id\" | \"identifier\"", &with(&[token]));
        assert!(is_found(&mut fixture), "{token}");
    }
    // The empty name is left out: at its quote the text may not end.
    let mut fixture = names("\"\" | \"id\"", &with(&[]));
    assert!(!is_found(&mut fixture));
}
