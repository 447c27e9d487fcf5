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

/// Whether an expression goes on with a string that a quote before it has begun.
///
/// JSON Schema's frontend writes the quote before several names once (`"\"" (JsonText("a") a_member | JsonText("b") b_member)`).
/// As a part of a value such an expression is read [with the quote](quoted).
pub(crate) fn continues_string(grammar: &Grammar, expr: ExprId) -> bool {
    let mut at = expr;
    // The first operand tells of all; rules that begin with each other do not go on for ever.
    for _ in 0..=grammar.rules().len() + grammar.n_exprs() {
        at = match grammar.expr(at) {
            Expr::JsonText(_) => return true,
            Expr::Seq(parts) | Expr::Alt(parts) => match parts.first() {
                Some(&first) => first,
                None => return false,
            },
            Expr::Rule(rule) => grammar.rule(*rule).body(),
            _ => return false,
        };
    }
    false
}

/// What stands behind a quote, if it is several strings with all that follows each.
pub(crate) fn several_strings(grammar: &Grammar, behind: &[ExprId]) -> Option<ExprId> {
    let &[all] = behind else { return None };
    let is_one = matches!(grammar.expr(all), Expr::JsonText(_));
    (!is_one && continues_string(grammar, all)).then_some(all)
}

/// The parts of a sequence that goes on with a string, with the quote before it.
pub(crate) fn quoted(grammar: &Grammar, parts: &[ExprId]) -> Option<Vec<ExprId>> {
    let mut exprs = (0..grammar.n_exprs()).filter_map(ExprId::from_index);
    let quote = exprs.find(|&expr| is_quote(grammar, expr))?;
    Some([&[quote], parts].concat())
}

/// Whether an expression is the quote of JSON's strings.
pub(crate) fn is_quote(grammar: &Grammar, expr: ExprId) -> bool {
    matches!(grammar.expr(expr), Expr::Bytes(bytes) if **bytes == *b"\"")
}
