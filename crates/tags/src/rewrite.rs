//! Expressions made again over other operands: what every writing of values that goes through a grammar of JSON does where
//! it has nothing to say itself.

use formwork_grammar::{Expr, ExprId, Grammar, GrammarBuilder};

/// The same expression over what its operands have become, in another grammar; `None` if one of them has become nothing,
/// or if the expression is of a kind that means something else over other operands.
pub(crate) fn over(
    b: &mut GrammarBuilder,
    grammar: &Grammar,
    expr: ExprId,
    of: impl Fn(ExprId) -> Option<ExprId>,
) -> Option<ExprId> {
    let operands: Option<Vec<ExprId>> = grammar.expr(expr).operands().iter().map(|&part| of(part)).collect();
    let operands = operands?;
    Some(match grammar.expr(expr) {
        Expr::Empty => b.empty(),
        Expr::Seq(_) => b.seq(operands),
        Expr::Alt(_) => b.alt(operands),
        Expr::Repeat { min, max, .. } => b.repeat(operands[0], *min, *max),
        Expr::Set { conditions, .. } => b.set_with(operands[0], (**conditions).clone()),
        Expr::Member { number, .. } => b.member(*number, operands[0]),
        _ => return None,
    })
}
