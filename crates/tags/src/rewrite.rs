//! Expressions made again over other operands: what every writing of values that goes through a grammar of JSON does where
//! it has nothing to say itself.

use formwork_grammar::{Expr, ExprId, Grammar, GrammarBuilder, Rule};

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

/// The parts of a sequence, with those rules in line that [close a string](closes_string): between two quotes is a string
/// then.
///
/// JSON Schema's frontend has a rule for what stands behind a name, its closing quote and all (`name_member ::= "\"" ":" name`).
/// Its parts are made before what refers to it.
pub(crate) fn with_strings_whole(grammar: &Grammar, parts: &[ExprId]) -> Vec<ExprId> {
    let mut whole = Vec::with_capacity(parts.len());
    for &part in parts {
        match grammar.expr(part) {
            &Expr::Rule(rule) if closes_string(grammar, grammar.rule(rule)) => {
                whole.extend_from_slice(grammar.expr(grammar.rule(rule).body()).operands());
            }
            _ => whole.push(part),
        }
    }
    whole
}

/// Whether a rule begins with the end of a string: with a quote that no text follows, and no other quote.
pub(crate) fn closes_string(grammar: &Grammar, rule: &Rule) -> bool {
    let Expr::Seq(parts) = grammar.expr(rule.body()) else { return false };
    let [first, second, ..] = parts[..] else { return false };
    is_quote(grammar, first)
        && !matches!(grammar.expr(second), Expr::JsonText(_))
        && !parts[1..].iter().any(|&part| is_quote(grammar, part))
}

/// Whether an expression is the quote of JSON's strings.
pub(crate) fn is_quote(grammar: &Grammar, expr: ExprId) -> bool {
    matches!(grammar.expr(expr), Expr::Bytes(bytes) if **bytes == *b"\"")
}
