//! A matcher for small grammars and short texts: slow, obvious, independent of the engine.
#![allow(dead_code, reason = "each test file uses its part")]

use formwork_grammar::{Expr, ExprId, Grammar};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn accepts(grammar: &Grammar, text: &str) -> bool {
    let mut matcher = Matcher { grammar, text: text.as_bytes(), known: BTreeMap::new() };
    let body = grammar.rule(grammar.root()).body();
    matcher.ends(body, 0).contains(&text.len())
}

struct Matcher<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    known: BTreeMap<(ExprId, usize), BTreeSet<usize>>,
}

impl Matcher<'_> {
    /// Where a match of `expr` that begins at `start` may end.
    fn ends(&mut self, expr: ExprId, start: usize) -> BTreeSet<usize> {
        if let Some(known) = self.known.get(&(expr, start)) {
            return known.clone();
        }
        let rest = &self.text[start..];
        let ends: BTreeSet<usize> = match self.grammar.expr(expr).clone() {
            Expr::Empty => [start].into(),
            Expr::Never => BTreeSet::new(),
            Expr::Bytes(bytes) if rest.starts_with(&bytes) => [start + bytes.len()].into(),
            Expr::Bytes(_) => BTreeSet::new(),
            Expr::Class(class) => {
                let c = std::str::from_utf8(rest).expect("whole characters").chars().next();
                c.filter(|&c| class.contains(c)).map(|c| start + c.len_utf8()).into_iter().collect()
            }
            Expr::Seq(parts) => parts.iter().fold([start].into(), |starts, &part| self.all(&starts, part)),
            Expr::Alt(parts) => parts.iter().flat_map(|&part| self.ends(part, start)).collect(),
            Expr::Repeat { body, min, max } => self.repeat(body, min, max, start),
            Expr::And(parts) => {
                let all: Vec<_> = parts.iter().map(|&part| self.ends(part, start)).collect();
                all[0].iter().copied().filter(|end| all.iter().all(|ends| ends.contains(end))).collect()
            }
            Expr::Not(body) => {
                let text = std::str::from_utf8(self.text).expect("a text");
                let not = self.ends(body, start);
                (start..=text.len()).filter(|end| text.is_char_boundary(*end) && !not.contains(end)).collect()
            }
            other => panic!("not in a regular expression: {other:?}"),
        };
        self.known.insert((expr, start), ends.clone());
        ends
    }

    fn all(&mut self, starts: &BTreeSet<usize>, expr: ExprId) -> BTreeSet<usize> {
        starts.iter().flat_map(|&start| self.ends(expr, start)).collect()
    }

    fn repeat(&mut self, body: ExprId, min: u32, max: Option<u32>, start: usize) -> BTreeSet<usize> {
        let mut at: BTreeSet<usize> = [start].into();
        let mut ends = BTreeSet::new();
        // After as many rounds as there are bytes and one, more rounds change nothing but what `min` demands.
        let rounds = self.text.len() as u32 + 1;
        for n in 0.. {
            if n >= min {
                ends.extend(at.iter().copied());
            }
            if max == Some(n) || at.is_empty() || n >= min.min(1_000) + rounds {
                break;
            }
            at = self.all(&at, body);
        }
        ends
    }
}
