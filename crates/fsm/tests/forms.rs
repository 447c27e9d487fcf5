//! What is the same: rules by their forms, states by their canonical forms.

use formwork_fsm::{AnySymbols, Automata, ButForWords, Cache, Config, Loop, RuleId, StateId, Symbols};
use std::sync::Arc;

/// Builds grammars that share a cache.
struct Builder {
    cache: Arc<Cache>,
    config: Config,
}

impl Builder {
    fn new() -> Self {
        Self { cache: Arc::default(), config: Config::default() }
    }

    fn build(&self, grammar: &str) -> Automata {
        let grammar = formwork_ebnf::grammar(grammar).expect("a grammar");
        let symbols: Arc<dyn Symbols> = Arc::new(AnySymbols);
        let automata = formwork_fsm::build_with(&grammar, &self.config, &self.cache, &symbols, &|| false)
            .expect("automata");
        automata.complete(&|| false).expect("within limits");
        automata
    }
}

fn rule(automata: &Automata, name: &str) -> RuleId {
    automata.rules().find(|&rule| automata.name(rule) == name).expect("a rule of that name")
}

/// The state of a rule after some of its own bytes.
fn state(automata: &Automata, name: &str, bytes: &[u8]) -> StateId {
    let start = automata.start(rule(automata, name));
    bytes.iter().fold(start, |state, &byte| automata.step(state, byte).0.expect("the rule's own bytes"))
}

fn form(automata: &Automata, state: StateId) -> Vec<u32> {
    automata.canonical(state, 10_000).expect("a form")
}

const JSON: &str = "root ::= value\n\
    value ::= \"true\" | string | array | object\n\
    array ::= \"[\" (value (\",\" value)*)? \"]\"\n\
    object ::= \"{\" (string \":\" value (\",\" string \":\" value)*)? \"}\"\n\
    string ::= \"\\\"\" [^\\\"]* \"\\\"\"\n";

#[test]
fn a_circle_of_rules_under_other_names_and_in_another_order_is_the_same() {
    let builder = Builder::new();
    let one = builder.build(JSON);
    let other = builder.build(
        "root ::= \"=\" v \";\"\n\
         s ::= \"\\\"\" [^\\\"]* \"\\\"\"\n\
         o ::= \"{\" (s \":\" v (\",\" s \":\" v)*)? \"}\"\n\
         v ::= \"true\" | s | a | o\n\
         a ::= \"[\" (v (\",\" v)*)? \"]\"\n",
    );
    // The rules that are kept may differ where more uses them; those that both keep are one.
    let tables = |automata: &Automata| automata.rules().map(|rule| automata.tables(rule)).collect::<Vec<_>>();
    let (one, other) = (tables(&one), tables(&other));
    assert!(other.iter().any(|tables| one.contains(tables)), "{one:?} {other:?}");
    // Without the cache nothing is.
    let alone = tables(&Builder::new().build(JSON));
    assert!(alone.iter().all(|tables| !one.contains(tables)));
}

/// A text that is not `name`, and what follows it.
fn text_but(name: &str) -> String {
    format!(
        "root ::= other | rest\nother ::= \"<\" JsonText(Not(\"{name}\")) rest\nrest ::= \"\\\"\" (\"1\" | \"(\" rest \")\")\n"
    )
}

#[test]
fn behind_what_is_not_meant_any_text_is_the_same() {
    let mut builder = Builder::new();
    builder.config.inlining = false;
    let one = builder.build(&text_but("identifier"));
    let inside = form(&one, state(&one, "other", b"<x"));
    assert!(inside.len() < 10, "its escapes are not looked at: {inside:?}");
    assert_eq!(one.own_loop(state(&one, "other", b"<x")), Loop::JSON_TEXT);
    let other = builder.build(&text_but("something else"));
    for bytes in [&b"<identifier, or"[..], b"<\\u0069", b"<x\\n", b"<\xC3\xA9"] {
        assert_eq!(form(&other, state(&other, "other", bytes)), inside, "{bytes:?}");
    }
    // On the way to what is not meant it is not.
    for bytes in [&b"<"[..], b"<some", b"<something else"] {
        let form = other.canonical(state(&other, "other", bytes), 10_000);
        assert_ne!(form.as_ref(), Some(&inside), "{bytes:?}");
    }
    // Nor where something else follows.
    let followed = builder.build(&text_but("identifier").replace("(\"1\"", "(\"2\""));
    assert_ne!(form(&followed, state(&followed, "other", b"<x")), inside);
    builder.config.lazy = false;
    let whole = builder.build(&text_but("identifier"));
    assert_eq!(whole.own_loop(state(&whole, "other", b"<x")), Loop::JSON_TEXT, "as it is found by looking");
}

#[test]
fn before_what_is_not_meant_the_form_without_it_is_the_same() {
    let mut builder = Builder::new();
    builder.config.inlining = false;
    let but_for_words = |name: &str, bytes: &[u8]| {
        let automata = builder.build(&text_but(name));
        let ButForWords { form, left_out } =
            automata.canonical_but_for_words(state(&automata, "other", bytes), 100).expect("a form");
        (form, left_out.into_iter().map(|(_, words)| format!("{words:?}")).collect::<Vec<_>>())
    };
    let (form, left_out) = but_for_words("identifier", b"");
    assert_eq!(left_out, [r#"["identifier"]"#]);
    let (of_other, left_out) = but_for_words("something else", b"");
    assert_eq!((&of_other, &left_out[..]), (&form, &[r#"["something else"]"#.to_owned()][..]));
    // On the way along a name it is that of the inside of any text, and one letter of the name less.
    let automata = builder.build(&text_but("identifier"));
    let (inside, left_out) = but_for_words("identifier", b"<iden");
    assert_eq!(left_out, [r#"["tifier"]"#]);
    assert_eq!(Some(inside), automata.canonical(state(&automata, "other", b"<x"), 100));
    // What follows matters, as ever.
    let followed = builder.build(&text_but("identifier").replace("(\"1\"", "(\"2\""));
    let of_followed = followed.canonical_but_for_words(state(&followed, "other", b""), 100).expect("a form");
    assert_ne!(of_followed.form, form);
    // Behind the whole name nothing is read that follows: this is no inside of a text.
    let whole = state(&automata, "other", b"<identifier");
    assert!(automata.view(whole.rule()).left_out(whole.local()).is_none());
}

#[test]
fn the_same_grammar_twice_is_one() {
    let builder = Builder::new();
    let (one, other) = (builder.build(JSON), builder.build(JSON));
    for rule in one.rules() {
        assert_eq!(one.tables(rule), other.tables(rule));
    }
}

#[test]
fn a_rule_that_calls_what_is_nothing_but_counted_is_the_same_in_the_next_grammar() {
    // Large enough to be kept.
    let words: Vec<String> = (0..40).map(|i| format!("\"w{i}\"")).collect();
    let word = format!("\"<\" ({}){{0,1000}} \">\"", words.join(" | "));
    let text = &format!("root ::= word \";\" (word \",\")* | \"!\" root\nword ::= {word}\n");
    let builder = Builder::new();
    let tables = |automata: Automata| automata.rules().map(|rule| automata.tables(rule)).collect::<Vec<_>>();
    let one = tables(builder.build(text));
    assert!(one.len() > 1, "the counted rule is one by itself");
    assert_eq!(one, tables(builder.build(text)));
}

#[test]
fn equal_futures_have_equal_forms_wherever_they_stand() {
    let builder = Builder::new();
    let list = builder.build("root ::= \"<\" [a-z]* \">\"\n");
    let inside = form(&list, state(&list, "root", b"<"));
    // After more of the loop, in a rule that begins otherwise, with the loop unrolled, with its alternatives turned round.
    for (grammar, bytes) in [
        ("root ::= \"<\" [a-z]* \">\"\n", &b"<abc"[..]),
        ("root ::= \"begin<\" [a-z]* \">\"\n", b"begin<"),
        ("root ::= \"<\" ([a-z] ([a-z] [a-z]*)?)? \">\"\n", b"<a"),
        ("root ::= \"<\" ([n-z] | [a-m])* \">\"\n", b"<"),
        (
            "root ::= open letters \">\"\nopen ::= \"<\"\nletters ::= letter letters | \"\"\nletter ::= [a-z]\n",
            b"<",
        ),
    ] {
        let automata = builder.build(grammar);
        assert_eq!(form(&automata, state(&automata, "root", bytes)), inside, "{grammar}");
    }
}

#[test]
fn loops_that_differ_only_far_away_differ() {
    let builder = Builder::new();
    let with = |end: &str| builder.build(&format!("root ::= (\"{}\" \"-\")* \"{end}\"\n", "a".repeat(60)));
    let (one, other) = (with("x"), with("y"));
    for n in [0, 1, 30, 59] {
        let bytes = vec![b'a'; n];
        assert_ne!(
            form(&one, state(&one, "root", &bytes)),
            form(&other, state(&other, "root", &bytes)),
            "after {n} letters"
        );
    }
}

#[test]
fn bounds_of_the_own_counter_do_not_matter_those_of_others_do() {
    let builder = Builder::new();
    let text = |max: u32| builder.build(&format!("root ::= \"<\" [a-z]{{2,{max}}} \">\"\n"));
    let (one, other) = (text(100), text(200));
    assert_eq!(one.tables(one.root()), other.tables(other.root()));
    let list = |max: u32| {
        builder.build(&format!(
            "root ::= \"[\" (item (\",\" item)*)? \"]\"\nitem ::= \"<\" [a-z]{{2,{max}}} \">\"\n"
        ))
    };
    let (one, other) = (list(100), list(200));
    assert_ne!(form(&one, state(&one, "root", b"[")), form(&other, state(&other, "root", b"[")));
    assert_eq!(form(&one, state(&one, "root", b"[")), form(&list(100), state(&list(100), "root", b"[")));
}

#[test]
fn what_is_built_with_other_switches_is_not_the_same() {
    let mut builder = Builder::new();
    let one = builder.build(JSON);
    builder.config.minimisation = false;
    let other = builder.build(JSON);
    assert!(one.rules().zip(other.rules()).all(|(a, b)| one.tables(a) != other.tables(b)));
    builder.config.shared_rules = false;
    let alone = builder.build(JSON);
    assert!(other.rules().zip(alone.rules()).all(|(a, b)| other.tables(a) != alone.tables(b)));
}

#[test]
fn a_rule_is_built_when_it_is_reached() {
    let grammar = formwork_ebnf::grammar(JSON).expect("a grammar");
    let automata = formwork_fsm::build(&grammar, &Config::default(), &|| false).expect("automata");
    assert!(automata.is_ready(automata.root()));
    assert_eq!(automata.n_rules(), 1, "what the root calls shows when its states are made");
    let start = automata.start(automata.root());
    assert_eq!(
        automata.rule_edges(start).map(|edge| automata.name(edge.rule)).collect::<Vec<_>>(),
        ["value"]
    );
    let later = automata.rules().find(|&rule| !automata.is_ready(rule)).expect("a rule that is called");
    assert_eq!(automata.ready(later), Ok(()));
    assert!(automata.is_ready(later));
}

#[test]
fn what_a_text_matches_is_found_once_for_all_grammars() {
    let not = "And([a-z ]*, Not([a-z ]* \"ab\" [a-z ]{9} \"c\" [a-z ]*))";
    let measured = "And([a-z]+ (\"-\" [a-z]+ \"ab\" [a-z]{20})*, [^]{0,200})";
    let reads = |automata: &Automata, text: &str| {
        let mut state = automata.start(automata.root());
        text.bytes().all(|byte| match automata.step(state, byte) {
            (None, None) => false,
            (plain, ticking) => {
                state = plain.or(ticking).expect("one of them");
                true
            }
        })
    };
    for text in [not, measured] {
        let [mut builder, alone] = [Builder::new(), Builder::new()];
        let (before, after) =
            (format!("root ::= \"<\" {text} \">\"\n"), format!("root ::= \"[\" {text} \"]\"\n"));
        let first = builder.build(&before);
        let again = builder.build(&after);
        let alone = alone.build(&after);
        assert!(again.work() * 2 < alone.work(), "{} instead of {} steps", again.work(), alone.work());
        assert!(first.work() * 3 > alone.work() * 2, "{} and {} steps", first.work(), alone.work());
        for text in [
            "[ab",
            "[abcabc",
            "[x-yab",
            "[xabcdefghijkc",
            "[xabcdefghijcd",
            "[x-abaaaaaaaaaaaaaaaaaaaa-b",
            "[A",
        ] {
            assert_eq!(reads(&again, text), reads(&alone, text), "{text}");
        }
        // Not where nothing is shared, and not what is another text.
        let other = after.replace("{9}", "{8}").replace("{20}", "{19}");
        let other_alone = Builder::new().build(&other).work();
        assert!(builder.build(&other).work() * 3 > other_alone * 2);
        builder.config.shared_rules = false;
        assert!(builder.build(&after).work() * 2 > alone.work());
    }
}
