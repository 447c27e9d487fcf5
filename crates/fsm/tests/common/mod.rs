//! What the tests of automata as text share.
#![allow(dead_code, reason = "each test binary uses a part")]

use expect_test::Expect;
use formwork_fsm::Config;

/// All states at once, minimised.
pub(crate) fn check(text: &str, expected: Expect) {
    let mut config = Config::default();
    config.lazy = false;
    check_with(&config, text, expected);
}

pub(crate) fn check_with(config: &Config, text: &str, expected: Expect) {
    let grammar = formwork_ebnf::grammar(text).expect("a grammar");
    let dump = match formwork_fsm::build(&grammar, config, &|| false) {
        Ok(automata) => automata.to_string(),
        Err(error) => format!("{:?}: {error}\n", error.kind()),
    };
    expected.assert_eq(&dump);
}
