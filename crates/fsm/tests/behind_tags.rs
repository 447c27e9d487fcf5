//! The rules that stand behind tags.

use formwork_fsm::{Automata, Config};
use formwork_grammar::{ExprId, GrammarBuilder, Place, Sharing};

fn automata(text: &str) -> Automata {
    let grammar = formwork_ebnf::grammar(text).expect("a grammar");
    formwork_fsm::build(&grammar, &Config::default(), &|| false).expect("automata")
}

const CALLS: &str = r#"
root ::= Until(("<", (Tag("a>") list Tag("</a>") | Tag("b>") other Tag("</b>") | Tag("c>") word | Tag("d>") "x")), ends=true)
other ::= same
same ::= map
list ::= "[" (list ("," list)*)? "]"
map ::= "{" (map ("," map)*)? "}"
word ::= [a-z] [a-z]
"#;

#[test]
fn rules_behind_tags_are_those_that_are_called() {
    let automata = automata(CALLS);
    let names = |most| -> Vec<String> {
        automata.behind_tags(most).into_iter().map(|rule| automata.name(rule).to_owned()).collect()
    };
    // Through rules that are another one's name; not what is in line.
    assert_eq!(names(3), ["list", "map"]);
    // Of many tags none.
    assert!(names(2).is_empty());
    // They are the ones that an output reaches, and nothing is built for having been asked for.
    let rules = automata.behind_tags(3);
    assert!(rules.iter().all(|&rule| !automata.is_ready(rule)));
    let n_rules = automata.n_rules();
    automata.complete(&|| false).expect("within limits");
    assert!(rules.iter().all(|&rule| automata.is_ready(rule)));
    assert_eq!(automata.behind_tags(3), rules);
    assert!(automata.n_rules() >= n_rules);
}

#[test]
fn states_behind_the_first_byte_are_made() {
    let text = "root ::= Until((\"<\", (Tag(\"a>\") names)), ends=true)\nnames ::= \"[\" ([a-z]* \",\" names)? \"]\"\n";
    let grammar = formwork_ebnf::grammar(text).expect("a grammar");
    let mut config = Config::default();
    // States are made when they are reached.
    config.limits.whole_nodes = 0;
    let automata = formwork_fsm::build(&grammar, &config, &|| false).expect("automata");
    let names = automata.behind_tags(1)[0];
    automata.build_behind_tags(1, u64::MAX, &|| false).expect("within limits");
    // The start, and what reads names behind its bracket.
    assert_eq!(automata.states_of(names).filter(|&state| automata.is_made(state)).count(), 2);
}

#[test]
fn what_frontends_share_goes_with_them() {
    let rules = |begin: fn(&mut GrammarBuilder) -> ExprId| -> Vec<String> {
        let mut b = GrammarBuilder::new();
        let [root, call, list, text] =
            ["root", "call", "list", "text"].map(|name| b.declare(name, Place::none()));
        let [open, close, dot, letter] = ["[", "]", ".", "a"].map(|literal| b.literal(literal));
        let [call_, list_, text_] = [call, list, text].map(|rule| b.rule(rule));
        let begin = begin(&mut b);
        let body = b.seq([begin, call_]);
        b.define(root, body);
        // Each calls itself in its middle, so that none is in line.
        let ways = [b.seq([open, list_, close]), b.seq([dot, call_, dot]), text_];
        let body = b.alt(ways);
        b.define(call, body);
        let ways = [b.seq([open, list_, close]), letter];
        let body = b.alt(ways);
        b.define(list, body);
        let ways = [b.seq([letter, text_]), dot];
        let body = b.alt(ways);
        b.define(text, body);
        // `text` is referred to in two places, `list` in one.
        b.set_sharing(text, Sharing::Keep);
        b.set_sharing(list, Sharing::Keep);
        let grammar = b.build(root).expect("a grammar");
        let automata = formwork_fsm::build(&grammar, &Config::default(), &|| false).expect("automata");
        automata.behind_tags(9).into_iter().map(|rule| automata.name(rule).to_owned()).collect()
    };
    assert_eq!(rules(|b| b.tag("<")), ["call", "text"]);
    assert!(rules(|b| b.literal("<")).is_empty());
}

#[test]
fn without_tags_there_are_none() {
    assert!(
        automata("root ::= \"a\" list\nlist ::= \"[\" (list (\",\" list)*)? \"]\"\n")
            .behind_tags(9)
            .is_empty()
    );
}

#[test]
fn what_chooses_between_tags_is_built_however_many_there_are() {
    let ways = |n: usize| -> String {
        let ways: Vec<String> = (0..n).map(|i| format!("Tag(\"\\\"tool{i}\\\"\") value")).collect();
        ways.join(" | ")
    };
    let text = format!(
        "root ::= Until((\"<\", (call \">\" root)), ends=true)\ncall ::= {} | \"(\" call \")\"\nvalue ::= \"[\" (value (\",\" value)*)? \"]\"\n",
        ways(30)
    );
    let automata = automata(&text);
    let names = |rules: Vec<_>| -> Vec<String> {
        rules.into_iter().map(|rule| automata.name(rule).to_owned()).collect()
    };
    let choices = automata.choices_of_tags(9);
    assert_eq!(names(choices.clone()), ["call"]);
    assert!(automata.choices_of_tags(0).is_empty() && !automata.is_ready(choices[0]));
    // Too many tags stand before the values.
    let begins = automata.build_behind_tags(9, u64::MAX, &|| false).expect("within limits");
    assert!(automata.is_ready(choices[0]));
    assert!(automata.behind_tags(30).iter().all(|&rule| !automata.is_ready(rule)));
    // The start, behind the quote, behind the bracket if it is in line; of nothing else.
    let start = automata.start(choices[0]);
    let behind = automata.step(start, b'"').0.expect("a quote");
    assert!(begins.contains(&start) && begins.contains(&behind), "{begins:?}");
    assert!(begins.iter().all(|state| state.rule() == choices[0]));
    assert!(begins.len() <= 4, "{begins:?}");
    assert!(begins.iter().all(|&state| automata.is_made(state)));
}
