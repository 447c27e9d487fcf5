//! Grammars as regular expressions.

use super::cycle::cycle;
use super::{ConvertError, ConvertErrorKind, find, obstacle, operands, region};
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, RuleId};
use std::fmt::Write;

/// The most that is written, in bytes; as many steps are taken for each rule and operand.
const MAX_LENGTH: usize = 16 << 20;

/// A grammar as a regular expression over characters, to be matched against the whole text.
///
/// It is one in the syntax of the `regex` crate and in that of ECMA-262 with the `u` flag, and means the same in both.
/// Rules are put in place of their names, so the result can be much larger than the grammar.
///
/// ```
/// let grammar = formwork_ebnf::grammar("root ::= n (\".\" n)? | \"∞\"\nn ::= [0-9]+")?;
/// assert_eq!(formwork_ebnf::to_regex(&grammar)?, r"[0-9]+(?:\.[0-9]+)?|∞");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A rule that the root needs is recursive, or has what regular expressions have no words for: intersections,
/// complements, JSON spellings, bytes, budgets and captures. The result would be longer than 16 MiB.
pub fn to_regex(grammar: &Grammar) -> Result<String, ConvertError> {
    if let Some(rule) = cycle(grammar, [grammar.root()], |_, _| true) {
        let message = "regular expressions have no recursion";
        return Err(ConvertError::new(ConvertErrorKind::Recursive, grammar, rule, message));
    }
    let refused = find(grammar, needed_rules(grammar), |rule, expr| {
        obstacle(expr).map(|what| {
            let message = format!("regular expressions have no words for {what}");
            ConvertError::new(ConvertErrorKind::NotExpressible, grammar, rule, message)
        })
    });
    match refused.or_else(|| region(grammar, needed_rules(grammar), "regular expressions have")) {
        Some(error) => Err(error),
        None => write_root(grammar),
    }
}

/// The rules that the root needs, itself first.
fn needed_rules(grammar: &Grammar) -> Vec<RuleId> {
    let mut is_known = vec![false; grammar.rules().len()];
    let mut is_seen = vec![false; grammar.n_exprs()];
    let mut rules = vec![grammar.root()];
    is_known[grammar.root().index()] = true;
    let mut n_done = 0;
    while let Some(&rule) = rules.get(n_done) {
        n_done += 1;
        let mut todo = vec![grammar.rule(rule).body()];
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut is_seen[id.index()], true) {
                continue;
            }
            match grammar.expr(id) {
                Expr::Rule(next) if !std::mem::replace(&mut is_known[next.index()], true) => {
                    rules.push(*next)
                }
                expr => todo.extend_from_slice(operands(expr)),
            }
        }
    }
    rules
}

/// What remains to be written.
enum Todo {
    Text(&'static str),
    Bounds(u32, Option<u32>),
    /// An expression where at least this tightness is needed.
    Expr(ExprId, Tightness),
}

/// How tightly the parts of an expression hold together; what is looser than its place needs a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Alternation,
    Sequence,
    Atom,
}

fn write_root(grammar: &Grammar) -> Result<String, ConvertError> {
    let mut text = String::new();
    let mut todo = vec![Todo::Expr(grammar.rule(grammar.root()).body(), Tightness::Alternation)];
    let mut n_steps = 0_usize;
    while let Some(next) = todo.pop() {
        n_steps += 1;
        if text.len() > MAX_LENGTH || n_steps > MAX_LENGTH {
            let message = "with its rules in place of their names it is longer than 16 MiB";
            return Err(ConvertError::new(ConvertErrorKind::Limit, grammar, grammar.root(), message));
        }
        match next {
            Todo::Text(piece) => text.push_str(piece),
            Todo::Bounds(min, max) => write_bounds(&mut text, min, max),
            Todo::Expr(id, tightness) => write_expr(grammar, id, tightness, &mut text, &mut todo),
        }
    }
    Ok(text)
}

fn write_expr(grammar: &Grammar, id: ExprId, needed: Tightness, text: &mut String, todo: &mut Vec<Todo>) {
    let expr = grammar.expr(id);
    let tightness = match expr {
        Expr::Alt(_) => Tightness::Alternation,
        Expr::Bytes(bytes) if std::str::from_utf8(bytes).is_ok_and(|text| text.chars().nth(1).is_none()) => {
            Tightness::Atom
        }
        Expr::Bytes(_) | Expr::Seq(_) | Expr::Empty | Expr::Repeat { .. } => Tightness::Sequence,
        _ => Tightness::Atom,
    };
    if tightness < needed {
        text.push_str("(?:");
        todo.push(Todo::Text(")"));
    }
    match expr {
        Expr::Rule(rule) => todo.push(Todo::Expr(grammar.rule(*rule).body(), needed)),
        Expr::Never => text.push_str("[^\\s\\S]"),
        Expr::Bytes(bytes) => {
            let chars = String::from_utf8_lossy(bytes);
            chars.chars().for_each(|c| write_char(text, c, "^$\\.*+?()[]{}|"));
        }
        Expr::Class(class) => write_class(text, class),
        Expr::Seq(parts) => {
            todo.extend(parts.iter().rev().map(|&part| Todo::Expr(part, Tightness::Sequence)))
        }
        Expr::Alt(parts) => {
            for (i, &part) in parts.iter().enumerate().rev() {
                todo.push(Todo::Expr(part, Tightness::Alternation));
                if i > 0 {
                    todo.push(Todo::Text("|"));
                }
            }
        }
        Expr::Repeat { body, min, max } => {
            todo.push(Todo::Bounds(*min, *max));
            todo.push(Todo::Expr(*body, Tightness::Atom));
        }
        // The others have been refused.
        _ => {}
    }
}

fn write_bounds(text: &mut String, min: u32, max: Option<u32>) {
    // Writing to a string cannot fail.
    let _ = match (min, max) {
        (0, None) => text.write_str("*"),
        (1, None) => text.write_str("+"),
        (0, Some(1)) => text.write_str("?"),
        (min, None) => write!(text, "{{{min},}}"),
        (min, Some(max)) if min == max => write!(text, "{{{min}}}"),
        (min, Some(max)) => write!(text, "{{{min},{max}}}"),
    };
}

fn write_class(text: &mut String, class: &CharClass) {
    const SPECIAL: &str = "[]\\^-";
    let negated = class.contains(char::MAX).then(|| class.negate());
    let ranges = negated.as_ref().unwrap_or(class).ranges();
    if ranges.is_empty() {
        text.push_str("[\\s\\S]");
        return;
    }
    text.push_str(if negated.is_some() { "[^" } else { "[" });
    for &(low, high) in ranges {
        write_char(text, low, SPECIAL);
        if low < high {
            text.push('-');
            write_char(text, high, SPECIAL);
        }
    }
    text.push(']');
}

/// A character, escaped if it is special here or could not be seen.
fn write_char(text: &mut String, c: char, special: &str) {
    let is_visible = c.is_ascii_graphic() || c == ' ' || !c.is_ascii() && c.escape_debug().len() == 1;
    match c {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        _ if special.contains(c) => text.extend(['\\', c]),
        _ if is_visible => text.push(c),
        _ => text.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
    }
}
