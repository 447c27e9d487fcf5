//! Random grammars, printed, read and printed again.

use formwork_ebnf::Options;
use formwork_grammar::{
    ByteSet, CharClass, Expr, ExprId, Grammar, GrammarBuilder, HashMap, Place, RuleId, Symbol, SymbolSet,
};
use proptest::prelude::*;

/// One step of building: an operation and numbers that choose its operands among what has been built.
#[derive(Clone, Debug)]
struct Step {
    operation: u8,
    operands: Vec<usize>,
    text: String,
    bytes: Vec<u8>,
    bounds: (u32, Option<u32>),
}

fn step() -> impl Strategy<Value = Step> {
    let bounds =
        (0..4_u32, proptest::option::of(0..4_u32)).prop_map(|(min, more)| (min, more.map(|more| min + more)));
    let text = "[ab\"\\\\\\]\\[^\\- \\n\u{7f}é中\u{301}\u{1F600}\u{200b}]{0,4}";
    (
        0..17_u8,
        prop::collection::vec(any::<usize>(), 1..4),
        text,
        prop::collection::vec(any::<u8>(), 1..3),
        bounds,
    )
        .prop_map(|(operation, operands, text, bytes, bounds)| Step {
            operation,
            operands,
            text,
            bytes,
            bounds,
        })
}

fn build(steps: &[Step], names: &[String]) -> Grammar {
    let mut b = GrammarBuilder::new();
    let rules: Vec<RuleId> = names.iter().map(|name| b.declare(name, Place::none())).collect();
    let mut exprs = vec![b.empty(), b.never()];
    for step in steps {
        let pick = |i: usize| exprs[step.operands[i % step.operands.len()] % exprs.len()];
        let all: Vec<ExprId> = (0..step.operands.len()).map(pick).collect();
        let texts: Vec<ExprId> = all.iter().copied().filter(|&expr| b.properties(expr).is_text).collect();
        let chars = || step.text.chars().map(|c| (c, c));
        let expr = match step.operation {
            0 | 1 => b.literal(&step.text),
            2 => b.literal(&step.bytes),
            3 => b.class(CharClass::from_ranges(chars())),
            4 => {
                b.class(CharClass::from_ranges(chars().chain([('d', 'x'), ('\u{300}', '\u{FFFF}')])).negate())
            }
            5 => b.byte_class(step.bytes.iter().copied().collect::<ByteSet>()),
            6 | 7 => b.seq(all),
            8 | 9 => b.alt(all),
            10 => b.repeat(all[0], step.bounds.0, step.bounds.1),
            11 => b.rule(rules[step.operands[0] % rules.len()]),
            12 => b.and(texts),
            14 => {
                let ids = step.bytes.iter().map(|&byte| Symbol::Id(byte.into()));
                let members = ids.chain([Symbol::from(step.text.as_str())]);
                b.symbols(if step.bounds.0 > 1 {
                    SymbolSet::of(members)
                } else {
                    SymbolSet::all_but(members)
                })
            }
            15 => b.tag(&step.text),
            16 => {
                let n_excluded = step.bounds.0 as usize;
                let excluded: Vec<String> =
                    step.bytes.iter().take(n_excluded).map(|&byte| char::from(byte).to_string()).collect();
                let triggers: Vec<String> = (0..all.len()).map(|i| format!("{i}{}", step.text)).collect();
                let arms = triggers.iter().map(String::as_str).zip(all.iter().copied());
                b.until(arms, excluded.iter().map(String::as_str), step.bounds.1.is_some())
            }
            _ => match texts.first() {
                Some(&text) if step.bounds.0 > 1 => b.json_text(text),
                Some(&text) => b.not(text),
                None => b.empty(),
            },
        };
        exprs.push(expr);
    }
    for (i, &rule) in rules.iter().enumerate() {
        b.define(rule, exprs[exprs.len() - 1 - i % exprs.len()]);
    }
    b.build(rules[0]).unwrap_or_else(|error| panic!("{error}"))
}

/// Whether two grammars say the same with the same expressions, whatever their numbers; `None` if some rules of the
/// second have been added by the printer, so that there is nothing to compare.
fn same(a: &Grammar, b: &Grammar) -> Option<bool> {
    if a.rules().len() != b.rules().len() {
        return None;
    }
    let mut known: HashMap<ExprId, ExprId> = HashMap::default();
    let mut todo: Vec<(ExprId, ExprId)> =
        a.rules().iter().zip(b.rules()).map(|(a, b)| (a.body(), b.body())).collect();
    while let Some((x, y)) = todo.pop() {
        // A shared body is printed as the name of its rule.
        if matches!(b.expr(y), Expr::Rule(_)) && !matches!(a.expr(x), Expr::Rule(_)) {
            return None;
        }
        if let Some(&seen) = known.get(&x) {
            if seen != y {
                return Some(false);
            }
            continue;
        }
        known.insert(x, y);
        match (a.expr(x), b.expr(y)) {
            (Expr::Seq(x), Expr::Seq(y)) | (Expr::Alt(x), Expr::Alt(y)) if x.len() == y.len() => {
                todo.extend(x.iter().copied().zip(y.iter().copied()));
            }
            // Operands of an intersection are ordered by number, so only their count can be compared.
            (Expr::And(x), Expr::And(y)) if x.len() == y.len() => {}
            (Expr::Not(x), Expr::Not(y)) | (Expr::JsonText(x), Expr::JsonText(y)) => todo.push((*x, *y)),
            (Expr::Repeat { body: x, min: m, max: n }, Expr::Repeat { body: y, min: o, max: p })
                if (m, n) == (o, p) =>
            {
                todo.push((*x, *y));
            }
            (Expr::Until(x), Expr::Until(y))
                if x.excluded() == y.excluded()
                    && x.ends() == y.ends()
                    && x.arms().count() == y.arms().count() =>
            {
                if x.arms().zip(y.arms()).any(|(x, y)| x.0 != y.0) {
                    return Some(false);
                }
                todo.extend(x.continuations().iter().copied().zip(y.continuations().iter().copied()));
            }
            (x, y) if x == y => {}
            _ => return Some(false),
        }
    }
    Some(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_reading_lose_nothing(
        steps in prop::collection::vec(step(), 1..40),
        names in prop::collection::vec("root|a|true|And|b c|\\[x\\]|shared_1|é|1|", 1..5),
    ) {
        let grammar = build(&steps, &names);
        let printed = grammar.to_string();
        let root = printed.split(" ::=").next().unwrap_or_default().to_owned();
        let again = Options::new().root(root).grammar(&printed);
        let again = again.unwrap_or_else(|errors| panic!("{printed}\n{errors}"));
        prop_assert!(same(&grammar, &again) != Some(false), "{}\n{:?}\n{:?}", printed, grammar, again);
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[ab:=\"\\[\\]{}(),|*+?#\\\\ \\n\\-^0-9é]{0,60}", head in any::<bool>()) {
        let text = if head { format!("root ::= {text}") } else { text };
        match formwork_ebnf::grammar(&text) {
            Ok(grammar) => drop(grammar.to_string()),
            Err(errors) => prop_assert!(errors.count() > 0 && !errors.to_string().is_empty()),
        }
    }
}
