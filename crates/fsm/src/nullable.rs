//! Which expressions can match the empty text, and how that leaves the automata.
//!
//! # Why no automaton accepts the empty text
//! A rule that ends where it began is what makes Earley's algorithm go wrong: it is completed in a row that is still being
//! made, before everybody who waits for it has been written down (Aycock and Horspool, *Practical Earley Parsing*, 2002,
//! collect the ways out). Ours is that there are no such rules below this crate:
//! 1. Which rules may be empty is decided here, beforehand: a least fixpoint over expressions and rules, propagated along a
//!    list of parents, so it is linear in the grammar whatever the order of its rules. (Looking at a rule's own automaton
//!    alone is wrong: `a ::= b`, `b ::= "x"?`.)
//! 2. Where such a rule is referred to, an edge that skips it stands beside the call.
//! 3. Determinisation takes the empty text out of every rule: its start gets a state of its own that does not accept.
//! 4. Whether the root may be empty is one bit beside the automata.
//!
//! # Worked example
//! `root ::= a b "!"`, `a ::= "x"?`, `b ::= a a`. `"x"?` may be empty, so `a` may, so both operands of `b` may and `b` may;
//! `"!"` may not, so `root` may not. With every rule kept as one:
//!
//! ```text
//! root  s0: ! -> s1, {a} -> s2, {b} -> s3      `a` skipped; `a` and `b` skipped
//!       s1*
//!       s2: ! -> s1, {b} -> s3
//!       s3: ! -> s1
//! a     s4: x -> s5                            "x"? without the empty text is "x"
//!       s5*
//! b     s6: {a} -> s7                          one `a` or two
//!       s7*: {a} -> s8
//!       s8*
//! ```
//! `xx!` has two readings still, as it should (`a` reads x, `b` reads x; or `b` reads both); only the empty ones are gone.

use formwork_grammar::{Expr, ExprId, Grammar, RuleId};

/// The expressions of one grammar that can match the empty text.
#[derive(Debug)]
pub(crate) struct Nullable {
    exprs: Vec<bool>,
}

impl Nullable {
    pub(crate) fn expr(&self, expr: ExprId) -> bool {
        self.exprs[expr.index()]
    }

    pub(crate) fn rule(&self, grammar: &Grammar, rule: RuleId) -> bool {
        self.expr(grammar.rule(rule).body())
    }

    pub(crate) fn of(grammar: &Grammar) -> Self {
        let n = grammar.n_exprs();
        let ids = || (0..n).filter_map(ExprId::from_index);
        let mut nullable = vec![false; n];
        // How many operands still have to become nullable; a sequence waits for all of them, an alternation for one.
        let mut waiting = vec![0u32; n];
        let mut parents: Vec<Vec<ExprId>> = vec![Vec::new(); n];
        let mut stack = Vec::new();
        for id in ids() {
            let known = match grammar.expr(id) {
                Expr::Empty => true,
                Expr::Repeat { min: 0, .. } => true,
                Expr::Until(until) => until.ends(),
                Expr::Repeat { body, .. } | Expr::JsonText(body) => {
                    parents[body.index()].push(id);
                    waiting[id.index()] = 1;
                    false
                }
                Expr::Seq(parts) => {
                    for part in parts {
                        parents[part.index()].push(id);
                    }
                    waiting[id.index()] = u32::try_from(parts.len()).unwrap_or(u32::MAX);
                    false
                }
                Expr::Alt(parts) => {
                    for part in parts {
                        parents[part.index()].push(id);
                    }
                    waiting[id.index()] = 1;
                    false
                }
                Expr::Rule(rule) => {
                    parents[grammar.rule(*rule).body().index()].push(id);
                    waiting[id.index()] = 1;
                    false
                }
                _ => false,
            };
            if known {
                stack.push(id);
            }
        }
        // Text expressions contain no rules, so one pass in order of ids decides them; it must be done for complements,
        // which are not monotone.
        for id in ids().filter(|id| grammar.properties(*id).is_text) {
            let value = match grammar.expr(id) {
                Expr::Empty => true,
                Expr::Seq(parts) | Expr::And(parts) => parts.iter().all(|part| nullable[part.index()]),
                Expr::Alt(parts) => parts.iter().any(|part| nullable[part.index()]),
                Expr::Repeat { body, min, .. } => *min == 0 || nullable[body.index()],
                Expr::Not(body) => !nullable[body.index()],
                _ => false,
            };
            nullable[id.index()] = value;
        }
        stack.extend(ids().filter(|id| nullable[id.index()]));
        for id in &stack {
            nullable[id.index()] = true;
        }
        let mut done = vec![false; n];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut done[id.index()], true) {
                continue;
            }
            nullable[id.index()] = true;
            for &parent in &parents[id.index()] {
                let waiting = &mut waiting[parent.index()];
                *waiting = waiting.saturating_sub(1);
                if *waiting == 0 && !grammar.properties(parent).is_text {
                    stack.push(parent);
                }
            }
        }
        Self { exprs: nullable }
    }
}
