//! One expression of a grammar as a grammar of its own.

use formwork_grammar::{Expr, ExprId, Grammar, GrammarBuilder, HashMap, Place, RuleId};

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
        match grammar.expr(here) {
            Expr::Seq(parts) | Expr::Alt(parts) | Expr::And(parts) => parts.iter().copied().for_each(visit),
            Expr::Repeat { body, .. } | Expr::Not(body) | Expr::JsonText(body) => visit(*body),
            Expr::Until(until) => until.continuations().iter().copied().for_each(visit),
            _ => {}
        }
    }
    found.sort_unstable();
    found
}
