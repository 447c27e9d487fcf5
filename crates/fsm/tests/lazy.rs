//! States that are made when they are reached.

use formwork_fsm::{Automata, Cache, Config, StateId};
use std::sync::Arc;

fn lazy(text: &str, max_states: usize) -> Automata {
    let grammar = formwork_ebnf::grammar(text).expect("a grammar");
    let mut config = Config::default();
    config.limits.max_states = max_states;
    config.limits.inline_states = usize::MAX;
    formwork_fsm::build(&grammar, &config, &|| false).expect("automata")
}

fn after(automata: &Automata, text: &[u8]) -> Option<StateId> {
    text.iter().try_fold(automata.start(automata.root()), |state, &byte| automata.step(state, byte).0)
}

const NAMES: &str = "root ::= \"name\" | \"number\" | \"note\"\n";

#[test]
fn a_state_is_made_when_it_is_reached() {
    let automata = lazy(NAMES, 1_000);
    assert_eq!(automata.n_states(), 1, "the start alone");
    let state = after(&automata, b"no").expect("a way");
    // n, then a, u and o behind it; of those only o was followed, and its edges were not asked for.
    assert_eq!(automata.n_states(), 5);
    assert!(!automata.is_accepting(state));
    assert!(automata.is_accepting(after(&automata, b"note").expect("a way")));
    assert_eq!(automata.n_states(), 7);
    assert_eq!(after(&automata, b"nob"), None);
    automata.complete(&|| false).expect("within limits");
    assert_eq!(automata.n_states(), 11, "the three end in one state");
    assert_eq!(automata.states_of(automata.root()).count(), 11);
}

#[test]
fn a_state_beyond_a_limit_marks_the_rule_as_failed() {
    let automata = lazy(NAMES, 4);
    let root = automata.root();
    assert!(after(&automata, b"n").is_some());
    assert!(!automata.has_failed(root));
    // The fifth state is one too many.
    assert_eq!(after(&automata, b"no"), None);
    assert!(automata.has_failed(root));
    assert!(automata.complete(&|| false).is_err());
}

#[test]
fn a_member_behind_a_comma_is_the_one_behind_the_brace() {
    // Blanks and literals are one node up to the next blanks, so that what follows is shared.
    let member = r#"[ \t]* "\"" "ab" "\"" [ \t]* ":" digit"#;
    let text = format!(
        "root ::= \"{{\" ([ \\t]* \",\" {member} | {member} | {member} [ \\t]* \",\" {member}) [ \\t]* \"}}\"\ndigit ::= [0-9]\n"
    );
    let automata = lazy(&text, 1_000);
    let at = |text: &str| after(&automata, text.as_bytes()).expect("a way");
    assert_eq!(at("{,\"a"), at("{ , \"a"));
    assert_eq!(at("{,\"a"), at("{\"ab\":1,\"a"));
    assert_eq!(at("{,\"ab\" :1"), at("{\"ab\":1 , \"ab\":2"));
    assert_ne!(at("{,\"a"), at("{\"a"), "only there a comma may follow");
    assert!(automata.is_accepting(at("{\"ab\":1 , \"ab\":2 }")));
}

#[test]
fn a_rule_with_too_many_nodes_in_line_calls_the_others() {
    // Written out, the root is fifty lists of fifty words.
    let list = |name: &str, item: &str| {
        let items: Vec<String> = (0..50).map(|i| format!("\"{i}\" {item}")).collect();
        format!("{name} ::= {}\n", items.join(" | "))
    };
    let text = format!("{}{}word ::= [a-z]+\n", list("root", "words"), list("words", "word"));
    let grammar = formwork_ebnf::grammar(&text).expect("a grammar");
    let mut config = Config::default();
    config.limits.max_nodes = 1_000;
    let automata = formwork_fsm::build(&grammar, &config, &|| false).expect("automata");
    automata.complete(&|| false).expect("within limits");
    assert!(automata.n_states() < 1_000, "{}", automata.n_states());
}

#[test]
fn what_is_called_shows_when_it_is_reached() {
    let list = |[root, list, pair]: [&str; 3]| {
        format!(
            "{root} ::= \"a\" {list} \"!\" | \"b\" {pair} | \"c\" [a-z]{{1,500}} \"!\"\n\
             {list} ::= \"[\" ({list} | {pair})* \"]\"\n\
             {pair} ::= \"(\" {list} \",\" ({pair} | \"x\") \")\"\n"
        )
    };
    let names = [["root", "l", "p"], ["root", "many", "two"]];
    let [one, other] = names.map(|names| formwork_ebnf::grammar(&list(names)).expect("a grammar"));
    let config = Config::default();
    let symbols: Arc<dyn formwork_fsm::Symbols> = Arc::new(formwork_fsm::AnySymbols);
    let alone = |grammar| formwork_fsm::build(grammar, &config, &|| false).expect("automata");
    let cache = Arc::default();
    let shared =
        |grammar| formwork_fsm::build_with(grammar, &config, &cache, &symbols, &|| false).expect("automata");
    let called = |automata: &Automata, text: &[u8]| -> Vec<String> {
        let state = after(automata, text).expect("a way");
        automata.rule_edges(state).map(|edge| automata.name(edge.rule).to_owned()).collect()
    };
    // What one of them reaches first is the first that is called in the tables of both.
    let (first, second) = (shared(&one), shared(&other));
    assert_eq!(first.tables(first.root()), second.tables(second.root()));
    assert_eq!(called(&second, b"b"), ["two"]);
    assert_eq!(called(&first, b"a"), ["l"]);
    assert_eq!(called(&first, b"b"), ["p"]);
    assert_eq!(called(&second, b"a"), ["many"]);
    assert_eq!(called(&second, b""), called(&alone(&other), b""));
    for (automata, grammar) in [(&first, &one), (&second, &other)] {
        automata.complete(&|| false).expect("within limits");
        let alone = alone(grammar);
        alone.complete(&|| false).expect("within limits");
        assert_eq!(automata.n_rules(), alone.n_rules());
        assert_eq!(automata.n_states(), alone.n_states());
    }
}

#[test]
fn letters_that_are_passed_lead_where_they_lead_one_by_one() {
    let text = "root ::= \"{\" (JsonText(\"identifier\") | JsonText(\"items\") | \"other\") \"}\"\n";
    let (passing, following) = (lazy(text, 1_000), lazy(text, 1_000));
    let state = after(&passing, b"{id").expect("a way");
    let letters = passing.literal(state).expect("the rest of a name");
    // All but the last one, each of which may be escaped.
    let (bytes, escaped): (Vec<u8>, Vec<bool>) = letters.iter().copied().unzip();
    assert_eq!((bytes.as_slice(), escaped), (&b"entifie"[..], vec![true; 7]));
    let before = passing.n_states();
    let behind = passing.pass(state, 7).expect("nobody made its edges");
    assert_eq!(passing.n_states(), before + 1, "the states between are not there");
    let n_behind = passing.n_states();
    assert_eq!(passing.pass(state, 7), Some(behind));
    assert_eq!(passing.n_states(), n_behind, "once more, it is the same one");
    // Whoever follows the letters gets there as well, and reads what is read without any passing.
    assert_eq!(after(&passing, b"{identifie"), Some(behind));
    assert_eq!(passing.literal(state), None, "its edges are made");
    assert_eq!(passing.pass(state, 7), None);
    let middle = after(&passing, b"{ident").expect("a way");
    assert_eq!(passing.literal(middle), None, "its edges are made, too");
    let other = after(&passing, b"{o").expect("a way");
    assert_eq!(
        passing.literal(other).expect("a literal").as_slice(),
        [(b't', false), (b'h', false), (b'e', false)]
    );
    for text in ["{identifier}", "{items}", "{other}", "{ident\\u0069fier}"] {
        let ends = |automata: &Automata| {
            after(automata, text.as_bytes()).is_some_and(|state| automata.is_accepting(state))
        };
        assert_eq!(ends(&passing), ends(&following), "{text}");
    }
    assert_eq!(passing.literal(passing.start(passing.root())), None, "its edges are made");
}

#[test]
fn words_that_are_passed_lead_where_they_lead_one_by_one() {
    let text = "root ::= \"<\" JsonText(Not(\"identifier\" | \"items\" | \"größe\")) rest\n\
        rest ::= \"\\\"\" (\"1\" | \"(\" rest \")\")\n";
    let mut config = Config::default();
    config.inlining = false;
    let grammar = formwork_ebnf::grammar(text).expect("a grammar");
    let build = || formwork_fsm::build(&grammar, &config, &|| false).expect("automata");
    let (passing, following) = (build(), build());
    let state = after(&passing, b"<i").expect("a way");
    let left_out =
        |state: StateId| passing.view(state.rule()).left_out(state.local()).map(|words| format!("{words:?}"));
    assert_eq!(left_out(state).as_deref(), Some(r#"["dentifier", "tems"]"#));
    let before = passing.n_states();
    let behind = passing.pass_words(state, b"dent").expect("letters");
    assert_eq!(passing.n_states(), before + 1, "the states between are not there");
    assert_eq!(left_out(behind).as_deref(), Some(r#"["ifier"]"#));
    assert_eq!(after(&passing, b"<ident"), Some(behind));
    // Where none of the words goes on it is the inside of any text.
    let inside = passing.pass_words(state, b"dex").expect("letters");
    assert_eq!(after(&passing, b"<x"), Some(inside));
    assert_eq!(left_out(inside), None);
    let whole = passing.pass_words(state, b"dentifier").expect("letters");
    assert_eq!((left_out(whole), passing.step(whole, b'x').0), (None, Some(inside)));
    // Not letters, or not only.
    for others in [&b"t\\"[..], b"\"", "é".as_bytes()] {
        assert_eq!(passing.pass_words(state, others), None, "{others:?}");
    }
    assert_eq!(passing.pass_words(passing.start(passing.root()), b"<"), None);
    for text in ["<identifier", "<items", "<größe", "<größer", "<ident\\u0069fier", "<identifie", "<id", "<"]
    {
        let calls = |automata: &Automata| {
            after(automata, text.as_bytes()).map(|state| automata.rule_edges(state).len())
        };
        assert_eq!(calls(&passing), calls(&following), "{text}");
    }
    // What follows begins with a letter, so one must not be passed without it.
    let text = text.replace("rest ::= \"\\\"\"", "rest ::= \"t\"");
    let grammar = formwork_ebnf::grammar(&text).expect("a grammar");
    let automata = formwork_fsm::build(&grammar, &config, &|| false).expect("automata");
    let state = after(&automata, b"<i").expect("a way");
    assert!(automata.pass_words(state, b"de").is_some());
    assert_eq!(automata.pass_words(state, b"dent"), None);
}

/// A cache of no bytes forgets what a rule's states are made from as soon as another rule makes one.
#[test]
fn what_states_are_made_from_is_forgotten_and_made_again() {
    let list = |names: [&str; 3], words: &str, letters: &str| {
        let [root, list, pair] = names;
        format!(
            "{root} ::= \"a\" {list} \"!\" | \"b\" {pair} | \"c\" [a-z]{{1,500}} \"!\" | {words} \
             | \"d\" JsonText(Not(\"many\" | \"more\" | \"song\")) {pair}\n\
             {list} ::= \"[\" ({list} | {pair} | {letters}+)* \"]\"\n\
             {pair} ::= \"(\" {list} \",\" ({pair} | {letters}) \")\"\n"
        )
    };
    let grammars = [
        list(["root", "l", "p"], "\"many\" | \"more\" | \"much\"", "[α-ω]"),
        list(["root", "m", "n"], "\"some\" | \"same\" | \"song\" root", "[а-я]"),
    ]
    .map(|text| formwork_ebnf::grammar(&text).expect("a grammar"));
    let config = Config::default();
    let symbols: Arc<dyn formwork_fsm::Symbols> = Arc::new(formwork_fsm::AnySymbols);
    let met = |max_bytes: usize| {
        let cache = Arc::new(Cache::new(max_bytes));
        let all = grammars.each_ref().map(|grammar| {
            formwork_fsm::build_with(grammar, &config, &cache, &symbols, &|| false).expect("automata")
        });
        let mut met = Vec::new();
        // Rules of both in turn, each further at a time.
        for n in 0..6 {
            for automata in &all {
                let rules: Vec<_> = automata.rules().collect();
                for rule in rules {
                    for state in automata.states_of(rule).take(n) {
                        let calls: Vec<_> = automata.rule_edges(state).collect();
                        let loops = automata.own_loop(state);
                        let targets =
                            automata.byte_edges(state).0.iter().map(|edge| state.sibling(edge.target));
                        let passed = targets.map(|target| {
                            let words = ["mo", "s", "xy"]
                                .map(|letters| automata.pass_words(target, letters.as_bytes()));
                            (automata.pass(target, 1), words)
                        });
                        let passed: Vec<_> = passed.collect();
                        met.push(format!("{passed:?}"));
                        met.push(format!("{state:?} {:?} {calls:?} {loops:?}", automata.byte_edges(state)));
                    }
                }
            }
        }
        let kept = cache.memory_size();
        for automata in &all {
            automata.complete(&|| false).expect("within limits");
            met.push(automata.to_string());
        }
        (met, kept)
    };
    let ((forgetful, little), (retentive, much)) = (met(0), met(32 << 20));
    assert_eq!(forgetful.len(), retentive.len());
    forgetful.iter().zip(&retentive).for_each(|(ours, theirs)| assert_eq!(ours, theirs));
    assert!(2 * little < much, "{little} of {much}");
}

/// What is kept of a rule's states must not keep the cache that it is kept in.
#[test]
fn a_cache_goes_when_nobody_has_it() {
    let text = "root ::= \"[\" (\"a\" item | \"b\" [a-z]{1,500} | \"c\" root)* \"]\"\nitem ::= \"(\" root \")\" | [0-9]+\n";
    let grammar = formwork_ebnf::grammar(text).expect("a grammar");
    let config = Config::default();
    let symbols: Arc<dyn formwork_fsm::Symbols> = Arc::new(formwork_fsm::AnySymbols);
    let cache = Arc::new(Cache::default());
    let build =
        || formwork_fsm::build_with(&grammar, &config, &cache, &symbols, &|| false).expect("automata");
    let automata = [build(), build()];
    automata.iter().for_each(|automata| automata.complete(&|| false).expect("within limits"));
    let known = Arc::downgrade(&cache);
    drop(automata);
    assert!(cache.memory_size() > 0);
    drop(cache);
    assert!(known.upgrade().is_none(), "something that is kept has the cache");
}

/// Follows both automata together, by every byte that either reads, and returns how many pairs of states there are.
fn alike(lazy: &Automata, whole: &Automata) -> usize {
    let mut pairs = vec![(lazy.start(lazy.root()), whole.start(whole.root()))];
    let mut next = 0;
    while let Some(&(a, b)) = pairs.get(next) {
        next += 1;
        assert_eq!(lazy.is_accepting(a), whole.is_accepting(b), "{a:?} and {b:?}");
        assert_eq!(lazy.next_bytes(a), whole.next_bytes(b), "{a:?} and {b:?}");
        assert_eq!(lazy.called_bytes(a), whole.called_bytes(b), "{a:?} and {b:?}");
        for byte in lazy.next_bytes(a).iter() {
            let (to_a, to_b) = (lazy.step(a, byte).0, whole.step(b, byte).0);
            let pair = to_a.zip(to_b).expect("both read it");
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs.len()
}

#[test]
fn names_side_by_side_are_read_as_each_by_itself() {
    // One a beginning of another, one twice, with and without escapes, and what follows in line and beside others.
    let names = |wrap: &dyn Fn(&str) -> String| -> String {
        let names = ["get_time", "get", "get_weather", "set", "get", "se", "x", "get_", "set_time"];
        let ways: Vec<String> =
            names.iter().enumerate().map(|(i, name)| format!("{} [{i}!] \"\\\"\"", wrap(name))).collect();
        ways.join(" | ")
    };
    let plain = names(&|name| format!("\"{name}\""));
    let json = names(&|name| format!("JsonText(\"{name}\")"));
    let texts = [
        format!("root ::= {plain}\n"),
        format!("root ::= {json}\n"),
        format!("root ::= \"\\\"\" ({json} | {plain})\n"),
        format!("root ::= ({plain} | \"s\" [a-z]+)? \"g\"\n"),
        format!("root ::= ({plain} | \"-\" ({plain}))+\n"),
    ];
    for text in texts {
        let grammar = formwork_ebnf::grammar(&text).expect("a grammar");
        let mut config = Config::default();
        config.lazy = false;
        let whole = formwork_fsm::build(&grammar, &config, &|| false).expect("automata");
        let lazy = lazy(&text, 1_000);
        assert!(alike(&lazy, &whole) >= whole.n_states_of(whole.root()), "{text}");
    }
}

#[test]
fn letters_that_names_have_in_common_are_passed() {
    let names = ["user_id", "user_ids", "user_name", "user-x", "other"];
    let texts = [names.map(|name| format!("\"{name}\"")), names.map(|name| format!("JsonText(\"{name}\")"))];
    for (names, escaped) in texts.iter().zip([false, true]) {
        let ways: Vec<String> = names.iter().enumerate().map(|(i, name)| format!("{name} [{i}!]")).collect();
        let text = format!("root ::= {}\n", ways.join(" | "));
        let (passing, following) = (lazy(&text, 1_000), lazy(&text, 1_000));
        let state = after(&passing, b"u").expect("a way");
        let letters = passing.literal(state).expect("what four have in common");
        assert_eq!(letters.as_slice(), [(b's', escaped), (b'e', escaped), (b'r', escaped)]);
        assert_eq!(passing.pass(state, 4), None, "not beyond where they part");
        let before = passing.n_states();
        let behind = passing.pass(state, 3).expect("nobody made its edges");
        assert_eq!((passing.pass(state, 3), passing.n_states()), (Some(behind), before + 1));
        assert_eq!(passing.literal(behind), None, "here they part");
        let three = after(&passing, b"user_").expect("a way");
        assert_eq!(passing.literal(three), None);
        // Where one is complete and another goes on, no more letters are ahead.
        let one = after(&passing, b"user_i").expect("a way");
        assert_eq!(passing.literal(one), None, "it is the last letter of one of them");
        // Who passes and who follows come to the same.
        let reached = after(&passing, b"user").expect("a way");
        assert_eq!(reached, behind);
        assert!(alike(&passing, &following) >= 20, "{text}");
    }
}

#[test]
fn what_is_left_of_the_same_names_is_one_state() {
    // Behind "a" and behind "b" the same three may come, and behind "c" one of them may not.
    let text = "root ::= [ab] names | \"c\" (\"name\" [12] | \"note\" [34] | \"x\" [56])\nnames ::= \"name\" [12] | \"number\" [78] | \"note\" [34]\n";
    let automata = lazy(text, 1_000);
    let at = |text: &str| after(&automata, text.as_bytes()).expect("a way");
    assert_eq!(at("an"), at("bn"));
    assert_ne!(at("an"), at("cn"));
    assert_eq!(at("anot"), at("cnot"));
    assert!(after(&automata, b"cnu").is_none());
}

#[test]
fn what_is_passed_is_what_parts_behind_other_names() {
    // Behind "a" all begin with `get_`, behind "b" another one parts at the first letter.
    let three = "\"get_ax\" [1!] | \"get_bx\" [2!] | \"get_cx\" [3!]";
    let text = format!("root ::= \"a\" names | \"b\" (names | \"set\" [4!])\nnames ::= {three}\n");
    for passes_first in [true, false] {
        let automata = lazy(&text, 1_000);
        let at = |text: &str| after(&automata, text.as_bytes()).expect("a way");
        let pass = || {
            let state = at("a");
            let letters = automata.literal(state).expect("what all begin with");
            assert_eq!(letters.len(), 4);
            automata.pass(state, 4).expect("nobody made its edges")
        };
        let (passed, followed) = match passes_first {
            true => (pass(), at("bget_")),
            false => {
                let followed = at("bget_");
                (pass(), followed)
            }
        };
        assert_eq!(passed, followed);
        assert_eq!(at("aget_b"), at("bget_b"));
    }
}

#[test]
fn names_side_by_side_are_within_the_limit_on_members() {
    let built = |names: Vec<String>, max_members: usize| {
        let text = format!("root ::= (\"{}\" [xy]) \"!\"\n", names.join("\" [xy] | \""));
        let grammar = formwork_ebnf::grammar(&text).expect("a grammar");
        let mut config = Config::default();
        // What a lazy rule has made it keeps, so it may have an eighth.
        config.limits.max_members = 8 * max_members;
        let automata = formwork_fsm::build(&grammar, &config, &|| false).expect("automata");
        let is_whole = automata.complete(&|| false).is_ok();
        assert_eq!(is_whole, !automata.has_failed(automata.root()));
        is_whole
    };
    // Of a hundred names another one parts at each letter.
    let parting = |i: usize| format!("{}b", "a".repeat(i));
    assert!(built((0..100).map(parting).collect(), 6_000));
    assert!(!built((0..100).map(parting).collect(), 5_000));
    // Fifty letters that all begin with take none.
    let alike = |i: usize| format!("{}{i}", "a".repeat(50));
    assert!(built((0..100).map(alike).collect(), 700));
}
