//! Grammars in other notations than EBNF, which is what [`Grammar`]'s `Display` prints.
//!
//! A grammar goes through as a whole or not at all: what the notation has no words for is refused, with the rule that
//! has it, and never written as something that means nearly the same.

mod cycle;
mod error;
mod gbnf;
mod left_recursion;
mod regex;

pub use error::{ConvertError, ConvertErrorKind};
pub use gbnf::to_gbnf;
pub use regex::to_regex;

use formwork_grammar::{Expr, ExprId, Grammar, RuleId};

/// The operands of an expression.
fn operands(expr: &Expr) -> &[ExprId] {
    expr.operands()
}

/// Why an expression itself, without its operands, cannot be written with characters, sequences, alternatives and
/// repetitions alone.
fn obstacle(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::And(_) => Some("an intersection (`And`)"),
        Expr::Not(_) => Some("a complement (`Not`)"),
        Expr::JsonText(_) => Some("a JSON spelling (`JsonText`)"),
        Expr::Symbols(_) => Some("tokens (`Token`)"),
        Expr::Tag(_) => Some("a tag, in which names of tokens may be (`Tag`)"),
        Expr::Set { .. } | Expr::Member { .. } => Some("a set of members in any order (`Set`)"),
        Expr::Machine(_) => Some("an automaton that is not written down (`Machine`)"),
        Expr::Until(_) => Some("text up to a trigger (`Until`, `TagDispatch`)"),
        Expr::ByteClass(_) => Some("a class of bytes (`ByteClass`)"),
        Expr::Bytes(bytes) if std::str::from_utf8(bytes).is_err() => Some("bytes that are no text (`Bytes`)"),
        _ => None,
    }
}

/// The first of these rules that asks more of the output than its language, as an error; `notation` has no words for it.
fn region(
    grammar: &Grammar,
    rules: impl IntoIterator<Item = RuleId>,
    notation: &str,
) -> Option<ConvertError> {
    rules.into_iter().find_map(|id| {
        let rule = grammar.rule(id);
        let what = match (rule.budget(), rule.capture()) {
            (Some(_), _) => "a budget of tokens (`max_tokens`)",
            (None, Some(_)) => "captures (`capture`)",
            (None, None) => return None,
        };
        let message = format!("{notation} no words for {what}");
        Some(ConvertError::new(ConvertErrorKind::NotExpressible, grammar, id, message))
    })
}

/// Visits the expressions of rules, each expression once, with the first rule that has it; stops at the first answer.
fn find<T>(
    grammar: &Grammar,
    rules: impl IntoIterator<Item = RuleId>,
    mut visit: impl FnMut(RuleId, &Expr) -> Option<T>,
) -> Option<T> {
    let mut is_seen = vec![false; grammar.n_exprs()];
    let mut todo = Vec::new();
    for rule in rules {
        todo.push(grammar.rule(rule).body());
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut is_seen[id.index()], true) {
                continue;
            }
            let expr = grammar.expr(id);
            if let Some(found) = visit(rule, expr) {
                return Some(found);
            }
            todo.extend_from_slice(operands(expr));
        }
    }
    None
}
