//! Finds rules that can begin with themselves.
//!
//! Both steps are linear in the size of the arena. First, which expressions may be empty: facts spread from operands to
//! what they are operands of. Then a search for a cycle along "begins with".

use super::cycle::{cycle, operand};
use formwork_grammar::{Expr, ExprId, Grammar, RuleId};

/// A rule that can begin with itself; or one that repeats without end what may be empty, which is the same to a
/// recogniser that writes repetitions as rules.
pub(super) fn left_recursive(grammar: &Grammar) -> Option<RuleId> {
    let is_nullable = nullable(grammar);
    let endless = |rule: RuleId, expr: &Expr| match expr {
        Expr::Repeat { body, max: None, .. } if is_nullable[body.index()] => Some(rule),
        _ => None,
    };
    // An operand of a sequence comes first if all before it may be empty, and the search stops at the first that does not.
    let counts = |id: ExprId, n: usize| match grammar.expr(id) {
        Expr::Seq(parts) if n > 0 => is_nullable[parts[n - 1].index()],
        _ => true,
    };
    super::find(grammar, grammar.rule_ids(), endless).or_else(|| cycle(grammar, grammar.rule_ids(), counts))
}

/// Which expressions may be empty.
fn nullable(grammar: &Grammar) -> Vec<bool> {
    let n = grammar.n_exprs();
    let ids = || (0..n).filter_map(ExprId::from_index);
    let mut users: Vec<Vec<ExprId>> = vec![Vec::new(); n];
    // How many more operands must turn out nullable before the expression is.
    let mut missing = vec![0_usize; n];
    let mut todo = Vec::new();
    for id in ids() {
        let expr = grammar.expr(id);
        let needs = match expr {
            Expr::Empty | Expr::Repeat { min: 0, .. } => 0,
            Expr::Seq(parts) | Expr::And(parts) => parts.len(),
            Expr::Alt(_) | Expr::Repeat { .. } | Expr::JsonText(_) | Expr::Rule(_) => 1,
            // A complement is refused before anybody asks.
            _ => usize::MAX,
        };
        missing[id.index()] = needs;
        if needs == 0 {
            todo.push(id);
        }
        for n in 0.. {
            let Some(operand) = operand(grammar, id, n) else { break };
            users[operand.index()].push(id);
        }
    }
    let mut is_nullable = vec![false; n];
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut is_nullable[id.index()], true) {
            continue;
        }
        for &user in &users[id.index()] {
            missing[user.index()] = missing[user.index()].saturating_sub(1);
            if missing[user.index()] == 0 {
                todo.push(user);
            }
        }
    }
    is_nullable
}
