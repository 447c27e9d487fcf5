//! The rules that stand behind tags.

use formwork_fsm::{AnySymbols, Automata, Cache, Config, RuleId, Symbols};
use formwork_grammar::{ExprId, GrammarBuilder, Place, Sharing};
use std::sync::Arc;

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
    let behind = || -> Vec<RuleId> {
        automata.behind_tags().into_iter().map(|rule| automata.automaton_of(rule)).collect()
    };
    // Through rules that are another one's name; not what is in line.
    let rules = behind();
    let names: Vec<&str> = rules.iter().map(|&rule| automata.name(rule)).collect();
    assert_eq!(names, ["list", "map"]);
    // They are the ones that an output reaches, and nothing is built for having been asked for.
    assert!(rules.iter().all(|&rule| !automata.is_ready(rule)));
    let n_rules = automata.n_rules();
    automata.complete(&|| false).expect("within limits");
    assert!(rules.iter().all(|&rule| automata.is_ready(rule)));
    assert_eq!(behind(), rules);
    assert!(automata.n_rules() >= n_rules);
}

#[test]
fn what_a_rule_is_does_not_depend_on_its_grammar() {
    let cache = Arc::<Cache>::default();
    let symbols: Arc<dyn Symbols> = Arc::new(AnySymbols);
    let behind = |text: &str| -> Vec<Option<u32>> {
        let grammar = formwork_ebnf::grammar(text).expect("a grammar");
        let automata = formwork_fsm::build_with(&grammar, &Config::default(), &cache, &symbols, &|| false)
            .expect("automata");
        automata.behind_tags().into_iter().map(|(_, identity)| identity).collect()
    };
    let first = behind(CALLS);
    assert!(first.iter().all(Option::is_some) && first[0] != first[1]);
    // Under another name, behind other tags, with another one beside it.
    let second = behind(
        "root ::= Tag(\"x\") nest | Tag(\"y\") nest | Tag(\"z\") other\nnest ::= \"[\" (nest (\",\" nest)*)? \"]\"\nother ::= \"[\" other? \"]\"\n",
    );
    assert_eq!(second[..2], [first[0]; 2]);
    assert!(!first.contains(&second[2]));
}

#[test]
fn what_frontends_share_is_told() {
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
        let known = automata.behind_tags().into_iter().chain(automata.shared());
        known.map(|rule| automata.name(automata.automaton_of(rule)).to_owned()).collect()
    };
    assert_eq!(rules(|b| b.tag("<")), ["call", "text"]);
    assert_eq!(rules(|b| b.literal("<")), ["text"]);
}

#[test]
fn without_tags_there_are_none() {
    assert!(
        automata("root ::= \"a\" list\nlist ::= \"[\" (list (\",\" list)*)? \"]\"\n")
            .behind_tags()
            .is_empty()
    );
}

#[test]
fn what_chooses_between_tags_is_told() {
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
}
