//! One expression of a grammar as a grammar of its own.

use formwork_grammar::{
    ByteSet, Clause, Conditions, Expr, ExprId, Grammar, GrammarBuilder, HashMap, Place, RuleId, SharedMachine,
};
use std::collections::BTreeMap;

/// The grammar whose root rule is one expression of another grammar, with the rules that it reaches.
///
/// This is how a failing grammar is cut down to the part that fails, and how the operand of a text operator is looked at
/// by itself.
///
/// # Panics
/// If `expr` is of a larger grammar.
pub fn extract(grammar: &Grammar, expr: ExprId) -> Grammar {
    extract_with(grammar, expr, |_, body| body)
}

/// The same language with every set written out as alternatives, from the root's rule: all orders of its members, sharing
/// what follows the same set of them.
///
/// Meant for a handful of members; the result doubles with each.
pub fn expand_sets(grammar: &Grammar) -> Grammar {
    extract(grammar, grammar.rule(grammar.root()).body())
}

/// The same language with every count written out as copies, `x{2,4}` as `x x (x x?)?`, from the root's rule.
///
/// Meant for small counts; the result grows with them.
pub fn expand_counts(grammar: &Grammar) -> Grammar {
    let written_out = |builder: &mut GrammarBuilder, body: ExprId, min: u32, max: Option<u32>| {
        let mut tail = match max {
            None => builder.star(body),
            Some(_) => builder.empty(),
        };
        for _ in min..max.unwrap_or(min) {
            let more = builder.seq([body, tail]);
            let none = builder.empty();
            tail = builder.alt([more, none]);
        }
        for _ in 0..min {
            tail = builder.seq([body, tail]);
        }
        tail
    };
    copy(grammar, grammar.rule(grammar.root()).body(), written_out, |_, body| body)
}

/// The same with something done to the copy of `expr` before it becomes the root's body.
pub(super) fn extract_with(
    grammar: &Grammar,
    expr: ExprId,
    wrap: impl FnOnce(&mut GrammarBuilder, ExprId) -> ExprId,
) -> Grammar {
    copy(grammar, expr, |builder, body, min, max| builder.repeat(body, min, max), wrap)
}

fn copy(
    grammar: &Grammar,
    expr: ExprId,
    mut repeat: impl FnMut(&mut GrammarBuilder, ExprId, u32, Option<u32>) -> ExprId,
    wrap: impl FnOnce(&mut GrammarBuilder, ExprId) -> ExprId,
) -> Grammar {
    let mut builder = GrammarBuilder::new();
    let root = builder.declare("root", Place::none());
    let mut rules: HashMap<RuleId, RuleId> = HashMap::default();
    let mut copies: HashMap<ExprId, ExprId> = HashMap::default();
    let mut pending = vec![(root, expr)];
    while let Some((rule, body)) = pending.pop() {
        for id in below(grammar, body) {
            if copies.contains_key(&id) {
                continue;
            }
            // Has a meaning in its set only.
            if grammar.properties(id).has_members {
                continue;
            }
            let all = |parts: &[ExprId]| parts.iter().map(|part| copies[part]).collect::<Vec<_>>();
            let copy = match grammar.expr(id) {
                Expr::Empty => builder.empty(),
                Expr::Never => builder.never(),
                Expr::Bytes(bytes) => builder.literal(bytes),
                Expr::ByteClass(set) => builder.byte_class(*set),
                Expr::Class(class) => builder.class(class.clone()),
                Expr::Seq(parts) => builder.seq(all(parts)),
                Expr::Alt(parts) => builder.alt(all(parts)),
                Expr::And(parts) => builder.and(all(parts)),
                Expr::Repeat { body, min, max } => repeat(&mut builder, copies[body], *min, *max),
                Expr::Not(body) => builder.not(copies[body]),
                Expr::JsonText(body) => builder.json_text(copies[body]),
                Expr::Set { parts, conditions } => {
                    set(&mut builder, grammar, (parts[0], conditions), &copies, &mut repeat)
                }
                Expr::Machine(machine) => states_of(&mut builder, machine),
                Expr::Symbols(set) => builder.symbols(set.clone()),
                Expr::Tag(tag) => builder.tag(tag),
                Expr::Until(until) => {
                    let arms: Vec<_> = until.arms().map(|(trigger, then)| (trigger, copies[&then])).collect();
                    builder.until(arms, until.excluded().iter().map(|text| &**text), until.ends())
                }
                Expr::Rule(callee) => {
                    let copy = *rules.entry(*callee).or_insert_with(|| {
                        let from = grammar.rule(*callee);
                        let copy = builder.declare(from.name(), from.place().clone());
                        pending.push((copy, from.body()));
                        copy
                    });
                    builder.rule(copy)
                }
                other => unimplemented!("extraction does not know {other:?}"),
            };
            copies.insert(id, copy);
        }
        builder.define(rule, copies[&body]);
    }
    let body = wrap(&mut builder, copies[&expr]);
    builder.define(root, body);
    builder.build(root).expect("a part of a finished grammar is within the limits and well-formed")
}

/// A machine with a rule for each of its states, of which there must be few.
fn states_of(builder: &mut GrammarBuilder, machine: &SharedMachine) -> ExprId {
    let mut states: Vec<u128> = machine.start().into_iter().collect();
    let mut rules: HashMap<u128, RuleId> = HashMap::default();
    for &state in &states {
        rules.insert(state, builder.declare("state", Place::none()));
    }
    let mut next = 0;
    while let Some(&state) = states.get(next) {
        next += 1;
        let mut ways = Vec::new();
        for (byte, target) in machine.bytes_after(state) {
            let rule = *rules.entry(target).or_insert_with(|| {
                states.push(target);
                builder.declare("state", Place::none())
            });
            let (read, rest) = (builder.byte_class(ByteSet::range(byte, byte)), builder.rule(rule));
            ways.push(builder.seq([read, rest]));
        }
        if machine.may_end(state) {
            ways.push(builder.empty());
        }
        let body = builder.alt(ways);
        builder.define(rules[&state], body);
    }
    builder.rule(rules[&states[0]])
}

/// The expressions below `expr`, itself included, operands first; rules are not entered.
fn below(grammar: &Grammar, expr: ExprId) -> Vec<ExprId> {
    let mut found = vec![expr];
    let mut seen: HashMap<ExprId, ()> = HashMap::default();
    seen.insert(expr, ());
    let mut next = 0;
    while let Some(&here) = found.get(next) {
        next += 1;
        let mut visit = |id: ExprId| {
            if seen.insert(id, ()).is_none() {
                found.push(id);
            }
        };
        grammar.expr(here).operands().iter().copied().for_each(&mut visit);
    }
    found.sort_unstable();
    found
}

/// Where one of these sets of members leads: the sets after it, and the texts in between.
type Ways = BTreeMap<Came, ExprId>;

/// The members that came (bit = number), and how often members came that may come again, as far as it matters.
type Came = (u64, u32);

/// Whether the conditions of a set hold of the members that came: said a second time, and as simply as can be.
fn hold(conditions: &Conditions, (came, n_again): Came) -> bool {
    let has = |number: &u32| came >> number & 1 != 0;
    let once = came & !conditions.repeatable().iter().fold(0, |all, number| all | 1 << number);
    let n = once.count_ones() + n_again;
    let mut verdicts: Vec<bool> = Vec::new();
    for clause in conditions.clauses() {
        verdicts.push(match clause {
            Clause::All(list) => list.iter().all(|&at| verdicts[at as usize]),
            Clause::Any(list) => list.iter().any(|&at| verdicts[at as usize]),
            Clause::Some(list) => list.iter().any(has),
            Clause::None(list) => !list.iter().any(has),
            Clause::AtLeast(least) => n >= *least,
            Clause::AtMost(most) => n <= *most,
        });
    }
    conditions.required().iter().all(has) && verdicts.last().copied().unwrap_or(true)
}

/// What came once this member comes as well; `None` if it may not. Counts up to `most` matter.
fn came_also(conditions: &Conditions, (came, n_again): Came, number: u32, most: u32) -> Option<Came> {
    if conditions.repeatable().contains(&number) {
        return Some((came | 1 << number, (n_again + 1).min(most)));
    }
    let group = conditions.exclusive().iter().find(|group| group.contains(&number));
    let excludes = group.map_or(1 << number, |group| group.iter().fold(0, |all, number| all | 1 << number));
    (came & excludes == 0).then_some((came | 1 << number, n_again))
}

/// A set as alternatives: per expression with members and per set of members that came before (bit = number), what it may
/// read and which came then.
fn set(
    builder: &mut GrammarBuilder,
    grammar: &Grammar,
    (body, conditions): (ExprId, &Conditions),
    copies: &HashMap<ExprId, ExprId>,
    repeat: &mut impl FnMut(&mut GrammarBuilder, ExprId, u32, Option<u32>) -> ExprId,
) -> ExprId {
    let number = |expr: ExprId| match grammar.expr(expr) {
        Expr::Member { number, .. } => Some(*number),
        _ => None,
    };
    let inside = below(grammar, body);
    let n_members = inside.iter().filter_map(|&expr| number(expr)).max().map_or(0, |greatest| greatest + 1);
    let greatest = conditions.clauses().iter().map(|clause| match clause {
        Clause::AtLeast(n) => *n,
        Clause::AtMost(n) => n + 1,
        _ => 0,
    });
    let most = greatest.max().unwrap_or(0);
    // Later ones first, which is what repetitions lead to.
    let all: Vec<Came> =
        (0..1u64 << n_members).rev().flat_map(|came| (0..=most).rev().map(move |n| (came, n))).collect();
    let mut ways: HashMap<(ExprId, Came), Ways> = HashMap::default();
    for &expr in &inside {
        for &before in &all {
            let of = |part: ExprId, before: Came| match copies.get(&part) {
                Some(&copy) => Ways::from([(before, copy)]),
                None => ways.get(&(part, before)).cloned().unwrap_or_default(),
            };
            let found = match grammar.expr(expr) {
                _ if copies.contains_key(&expr) => continue,
                Expr::Member { number, body } => match came_also(conditions, before, *number, most) {
                    Some(after) => Ways::from([(after, copies[body])]),
                    None => Ways::default(),
                },
                Expr::Seq(parts) => {
                    let nothing = Ways::from([(before, builder.empty())]);
                    parts.iter().fold(nothing, |ways, &part| follow(builder, &ways, |after| of(part, after)))
                }
                Expr::Alt(parts) => {
                    parts.iter().fold(Ways::default(), |ways, &part| either(builder, ways, &of(part, before)))
                }
                &Expr::Repeat { body, min, max } => {
                    let nothing = Ways::from([(before, builder.empty())]);
                    let mut least = nothing;
                    for _ in 0..min {
                        least = follow(builder, &least, |after| of(body, after));
                    }
                    match max {
                        Some(max) => {
                            let mut all = least.clone();
                            for _ in min..max {
                                least = follow(builder, &least, |after| of(body, after));
                                all = either(builder, all, &least);
                            }
                            all
                        }
                        None => {
                            // Rounds after which no more members came, then one after which more did, and so on.
                            let mut stars: HashMap<Came, Ways> = HashMap::default();
                            for &before in &all {
                                let once = of(body, before);
                                let same = once.get(&before).copied().unwrap_or(builder.never());
                                let same = repeat(builder, same, 0, None);
                                let mut all = Ways::from([(before, same)]);
                                for (&after, &text) in once.iter().filter(|way| *way.0 != before) {
                                    let first = builder.seq([same, text]);
                                    let rest = follow(builder, &Ways::from([(after, first)]), |after| {
                                        stars[&after].clone()
                                    });
                                    all = either(builder, all, &rest);
                                }
                                stars.insert(before, all);
                            }
                            follow(builder, &least, |after| stars[&after].clone())
                        }
                    }
                }
                // The builder allows members below sequences, alternatives and repetitions only.
                other => unimplemented!("members do not stand below {other:?}"),
            };
            ways.insert((expr, before), found);
        }
    }
    let whole = match copies.get(&body) {
        Some(&copy) => Ways::from([((0, 0), copy)]),
        None => ways.remove(&(body, (0, 0))).unwrap_or_default(),
    };
    let complete = whole.into_iter().filter(|&(after, _)| hold(conditions, after));
    let texts: Vec<ExprId> = complete.map(|(_, text)| text).collect();
    builder.alt(texts)
}

fn follow(builder: &mut GrammarBuilder, ways: &Ways, next: impl Fn(Came) -> Ways) -> Ways {
    let mut all = Ways::default();
    for (&between, &head) in ways {
        let more: Ways =
            next(between).into_iter().map(|(after, tail)| (after, builder.seq([head, tail]))).collect();
        all = either(builder, all, &more);
    }
    all
}

fn either(builder: &mut GrammarBuilder, mut ways: Ways, more: &Ways) -> Ways {
    for (&after, &text) in more {
        let all = match ways.get(&after) {
            Some(&known) => builder.alt([known, text]),
            None => text,
        };
        ways.insert(after, all);
    }
    ways
}
