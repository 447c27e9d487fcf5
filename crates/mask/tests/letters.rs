//! Local masks inside of literals.

mod common;

use common::fixture_of;
use formwork_fsm::Config;
use formwork_mask::MaskKind;

#[test]
fn inside_of_a_literal_the_tokens_along_its_letters_are_all() {
    let after = |tokens: &[&str], bytes: &[u8]| {
        let mut config = Config::default();
        config.limits.whole_nodes = 0;
        let mut fixture = fixture_of("root ::= (\"userId:\" | \"x\") [0-9]+\n", tokens, config);
        let state = fixture.state("root", bytes);
        let along = fixture.walker.along_letters(state, MaskKind::Usual).map(|local| local.n_accepted());
        assert_eq!(fixture.allowed(bytes), fixture.readable(bytes));
        along
    };
    let tokens = ["e", "er", "er", "erId", "err", "x", "s", "\\", "e\\"];
    assert_eq!(after(&tokens, b"us"), Some(4));
    assert_eq!(after(&["a"], b"us"), Some(0));
    // What goes on behind the literal is not on the way, nor is another way.
    assert_eq!(after(&["e", "erId:1"], b"us"), None);
    assert_eq!(after(&tokens, b""), None);
}
