//! Finds rules that lead back to themselves, by a depth-first search with a path of its own instead of recursion.

use super::operands;
use formwork_grammar::{Expr, ExprId, Grammar, RuleId};

/// The operand of this number; that of a reference is the body of its rule.
pub(super) fn operand(grammar: &Grammar, id: ExprId, n: usize) -> Option<ExprId> {
    match grammar.expr(id) {
        Expr::Rule(rule) if n == 0 => Some(grammar.rule(*rule).body()),
        expr => operands(expr).get(n).copied(),
    }
}

/// A rule that leads back to itself from one of these, along operands up to the first that does not count.
pub(super) fn cycle(
    grammar: &Grammar,
    rules: impl IntoIterator<Item = RuleId>,
    counts: impl Fn(ExprId, usize) -> bool,
) -> Option<RuleId> {
    let mut state = vec![State::New; grammar.n_exprs()];
    for rule in rules {
        let mut path = vec![(grammar.rule(rule).body(), 0)];
        while let Some((id, n)) = path.pop() {
            if n == 0 && state[id.index()] == State::Done {
                continue;
            }
            state[id.index()] = State::Open;
            let Some(part) = operand(grammar, id, n).filter(|_| counts(id, n)) else {
                state[id.index()] = State::Done;
                continue;
            };
            path.push((id, n + 1));
            match state[part.index()] {
                State::New => path.push((part, 0)),
                State::Done => {}
                // Operands are older than what they are operands of, so there is a reference on every cycle.
                State::Open => {
                    let cycle = path.iter().rev().map(|&(id, _)| grammar.expr(id));
                    return cycle.into_iter().find_map(|expr| match expr {
                        Expr::Rule(rule) => Some(*rule),
                        _ => None,
                    });
                }
            }
        }
    }
    None
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}
