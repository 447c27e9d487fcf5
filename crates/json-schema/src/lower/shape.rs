//! What the shape of a text expression tells without an automaton.

use formwork_grammar::{Expr, ExprId, GrammarBuilder, HashMap};

/// Bounds on the lengths of an expression's texts.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// No text has fewer characters.
    pub(super) min: u64,
    /// No text has more.
    pub(super) max: u64,
}

impl Shape {
    /// The shape of an expression, with an explicit stack.
    pub(super) fn of(b: &GrammarBuilder, text: ExprId) -> Self {
        let mut known: HashMap<ExprId, Self> = HashMap::default();
        let mut todo = vec![text];
        while let Some(&at) = todo.last() {
            let parts: &[ExprId] = match b.expr(at) {
                Expr::Seq(parts) | Expr::Alt(parts) | Expr::And(parts) => parts,
                Expr::Repeat { body, .. } | Expr::Not(body) => std::slice::from_ref(body),
                _ => &[],
            };
            let missing: Vec<ExprId> =
                parts.iter().copied().filter(|part| !known.contains_key(part)).collect();
            if missing.is_empty() {
                let parts: Vec<Self> = parts.iter().map(|part| known[part]).collect();
                known.insert(at, Self::put_together(b.expr(at), &parts));
                todo.pop();
            } else {
                todo.extend(missing);
            }
        }
        known[&text]
    }

    fn put_together(expr: &Expr, parts: &[Self]) -> Self {
        let least = || parts.iter().map(|part| part.min).min().unwrap_or(u64::MAX);
        let most = || parts.iter().map(|part| part.max).max().unwrap_or(0);
        let sum = |f: fn(&Self) -> u64| parts.iter().map(f).fold(0, u64::saturating_add);
        match expr {
            Expr::Empty => Self { min: 0, max: 0 },
            Expr::Never => Self { min: u64::MAX, max: 0 },
            Expr::Bytes(bytes) => {
                let n = std::str::from_utf8(bytes).map_or(0, |text| text.chars().count()) as u64;
                Self { min: n, max: n }
            }
            Expr::Class(_) => Self { min: 1, max: 1 },
            Expr::Seq(_) => Self { min: sum(|part| part.min), max: sum(|part| part.max) },
            Expr::Alt(_) => Self { min: least(), max: most() },
            Expr::And(_) => Self {
                min: parts.iter().map(|part| part.min).max().unwrap_or(0),
                max: parts.iter().map(|part| part.max).min().unwrap_or(u64::MAX),
            },
            Expr::Repeat { min, max, .. } => {
                let longest = max.map_or(u64::MAX, u64::from);
                Self {
                    min: sum(|part| part.min).saturating_mul(u64::from(*min)),
                    max: if most() == 0 { 0 } else { most().saturating_mul(longest) },
                }
            }
            _ => Self { min: 0, max: u64::MAX },
        }
    }
}
