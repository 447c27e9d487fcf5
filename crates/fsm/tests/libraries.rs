//! Rules that grammars have whole are known from one grammar to the next, and it makes no difference.

use formwork_fsm::{AnySymbols, Automata, Cache, Config, Symbols};
use formwork_grammar::{ByteSet, CharClass, ExprId, Grammar, GrammarBuilder, Place, RuleId, Sharing};
use std::sync::Arc;

/// `value`, `list`, `pair` and `word`, which refer to each other and are kept, and a root.
struct Values {
    b: GrammarBuilder,
    value: ExprId,
    pair: ExprId,
}

fn values(n_letters: u32) -> Values {
    let mut b = GrammarBuilder::new();
    let rules = ["value", "list", "pair", "word"].map(|name| {
        let rule = b.declare(name, Place::none());
        b.set_sharing(rule, Sharing::Keep);
        rule
    });
    let [value, list, pair, word] = rules.map(|rule| b.rule(rule));
    let [open, close, left, comma, right] = ["[", "]", "(", ",", ")"].map(|text| b.literal(text));
    let letter = b.class(CharClass::range('a', 'z'));
    let letters = b.repeat(letter, 0, Some(n_letters));
    let blank = b.byte_class(ByteSet::range(b' ', b' '));
    let blanks = b.star(blank);
    let text = b.json_text(letters);
    let quote = b.literal("\"");
    let bodies = [
        b.alt([list, pair, word]),
        {
            let values = b.star(value);
            b.seq([open, values, blanks, close])
        },
        b.seq([left, value, comma, blanks, pair, right]),
        b.seq([quote, text, quote]),
    ];
    // A pair may end in a list instead of a pair.
    let last = b.alt([bodies[2], list]);
    for (rule, body) in rules.into_iter().zip([bodies[0], bodies[1], last, bodies[3]]) {
        b.define(rule, body);
    }
    Values { b, value, pair }
}

fn with_root(
    mut values: Values,
    root: impl FnOnce(&mut GrammarBuilder, ExprId, ExprId) -> ExprId,
) -> Grammar {
    let Values { b, value, pair } = &mut values;
    let rule: RuleId = b.declare("root", Place::none());
    let body = root(b, *value, *pair);
    b.define(rule, body);
    values.b.build(rule).expect("a grammar")
}

/// Grammars that have the same values, and one that has others.
fn grammars() -> Vec<Grammar> {
    let between = |low: &'static str, high: &'static str| {
        move |b: &mut GrammarBuilder, value: ExprId, _: ExprId| {
            let (low, high) = (b.literal(low), b.literal(high));
            b.seq([low, value, high])
        }
    };
    vec![
        with_root(values(3), between("<", ">")),
        with_root(values(3), between("{", "}")),
        with_root(values(3), |b, value, pair| {
            let not = b.literal("no");
            let values = b.star(value);
            b.alt([not, pair, values])
        }),
        with_root(values(4), between("<", ">")),
        with_root(values(3), |_, value, _| value),
        // The values are there and nobody uses them.
        with_root(values(3), |b, _, _| b.literal("none")),
    ]
}

fn build(grammar: &Grammar, cache: &Arc<Cache>) -> Automata {
    let symbols: Arc<dyn Symbols> = Arc::new(AnySymbols);
    formwork_fsm::build_with(grammar, &Config::default(), cache, &symbols, &|| false).expect("automata")
}

/// All states, with rules by name: their numbers depend on which grammar's were met first.
fn completed(automata: &Automata) -> String {
    automata.complete(&|| false).expect("within limits");
    let mut dump = automata.to_string();
    for rule in automata.rules() {
        let (number, name) = (format!("{{{rule:?}}}"), format!("{{{}}}", automata.name(rule)));
        assert!(automata.rules().all(|other| other == rule || automata.name(other) != automata.name(rule)));
        dump = dump.replace(&number, &name);
    }
    let mut rules: Vec<String> = Vec::new();
    for line in dump.lines() {
        let Some((state, edges)) = line.split_once(": ") else {
            // The first word is the number.
            match line.starts_with(' ') {
                true => rules.last_mut().expect("a rule").push_str(line),
                false => rules.push(line.split_once(' ').expect("a name").1.to_owned()),
            }
            continue;
        };
        let mut edges: Vec<&str> = edges.split(", ").collect();
        edges.sort_unstable();
        *rules.last_mut().expect("a rule") += &format!("\n{state}: {}", edges.join(", "));
    }
    rules.sort_unstable();
    rules.join("\n")
}

#[test]
fn rules_that_are_known_are_what_they_would_be() {
    let grammars = grammars();
    let alone: Vec<String> =
        grammars.iter().map(|grammar| completed(&build(grammar, &Arc::default()))).collect();
    // Every order of two, with what is inside of the values built by the first, or by nobody before the second.
    for first in 0..grammars.len() {
        for is_completed in [true, false] {
            let cache = Arc::default();
            let one = build(&grammars[first], &cache);
            if is_completed {
                completed(&one);
            }
            for (second, grammar) in grammars.iter().enumerate() {
                assert_eq!(completed(&build(grammar, &cache)), alone[second], "{second} after {first}");
            }
            assert_eq!(completed(&one), alone[first], "{first}");
        }
    }
}
