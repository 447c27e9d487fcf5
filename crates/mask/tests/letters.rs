//! Local masks inside of literals.

mod common;

use common::fixture_of;
use formwork_fsm::Config;
use formwork_mask::MaskKind;

/// The number of tokens along the letters after `us`; all that may come there is what can be read, whether it is known or not.
fn along(grammar: &str, tokens: &[&str]) -> Option<usize> {
    let config = Config::default();
    let mut fixture = fixture_of(grammar, tokens, config);
    let state = fixture.state("root", b"us");
    // Before reading makes the states behind.
    let along = fixture.walker.along_letters(state, MaskKind::Usual);
    assert_eq!(fixture.allowed(b"us"), fixture.readable(b"us"));
    along.map(|local| local.n_accepted())
}

#[test]
fn the_tokens_along_the_letters_are_all() {
    let grammar = "root ::= (\"userId:\" | \"x\") [0-9]+\n";
    assert_eq!(along(grammar, &["e", "er", "er", "erId", "err", "x", "s", "\\", "e\\"]), Some(4));
    assert_eq!(along(grammar, &["a"]), Some(0));
    // What goes on behind the literal is not on the way.
    assert_eq!(along(grammar, &["e", "erId:1"]), None);
    // Nor is there one way where two names are still possible.
    assert_eq!(along("root ::= \"used\" | \"userId:\" [0-9]+\n", &["e", "er", "ed"]), None);
    assert_eq!(along("root ::= \"us\" [d-f] \"rId:\" [0-9]+\n", &["d", "dr", "e", "er", "g"]), None);
}

#[test]
fn escapes_of_later_letters_are_not_on_the_way() {
    let grammar = "root ::= (JsonText(\"userId\") | \"x\") \":\" [0-9]+\n";
    // The escapes of the next letter are another rule's, with a mask of its own.
    assert_eq!(along(grammar, &["e", "er", "\\", "\\u00", "\\u0065", "\\u0065r"]), Some(2));
    assert_eq!(along(grammar, &["e", "er", "e\\", "e\\u0072I", "e\\u0073"]), None);
}

#[test]
fn what_names_have_in_common_is_one_way() {
    let names = |name: &dyn Fn(&str) -> String| {
        let ways = ["user_id", "user_ids", "user_name", "user-x"].map(name);
        let ways = ways.iter().enumerate().map(|(i, way)| format!("{way} [{i}!]"));
        format!("root ::= {}\n", ways.collect::<Vec<_>>().join(" | "))
    };
    for names in [names(&|name| format!("\"{name}\"")), names(&|name| format!("JsonText(\"{name}\")"))] {
        assert_eq!(along(&names, &["e", "er", "es", "x"]), Some(2), "{names}");
        // Where they part it is walked.
        assert_eq!(along(&names, &["e", "er_i"]), None, "{names}");
    }
}
