//! Why nothing satisfies a schema: the constraints that clash.
//!
//! Only on the way to an error. A schema is unsatisfiable because some demand is that it cannot do without: its rule has no
//! text. That demand is taken apart into what single keywords ask, and constraints are left out as long as the rest still
//! allows nothing: first half of them, then a quarter, down to single ones (Zeller and Hildebrandt, *Simplifying and
//! Isolating Failure-Inducing Input*, 2002). What is left clashes, and no part of it does; mostly it is two keywords. Whether
//! something is allowed is asked of the lowering itself.

use super::Lowering;
use crate::error::{Error, ErrorKind};
use crate::normal::{Constraint, FormulaId, Kind};
use formwork_grammar::{Expr, ExprId, Grammar, HashSet, RuleId};

/// How many members down a clash is followed.
const MAX_DEPTH: usize = 100;
/// Levels of members that the fast test looks into.
const LEVELS: u32 = 3;

impl Lowering<'_> {
    /// The error for a demand that nothing satisfies.
    pub(super) fn clash(&mut self, mut demand: FormulaId) -> Error {
        let mut asked_for = None;
        for _ in 0..MAX_DEPTH {
            let Ok(all) = self.normal.constraints(demand) else { break };
            let Some(core) = self.least_clash(all, demand) else { break };
            // A member that must come and that nothing satisfies: the clash is inside of it.
            let mut below = core.iter().filter_map(|constraint| constraint.below);
            let (inside, more) = (below.next(), below.next());
            if let (Some(inside), None) = (inside, more) {
                if inside != FormulaId::FALSE && self.normal.is_empty_demand(inside) {
                    let asks = core.into_iter().find(|constraint| constraint.below.is_none());
                    asked_for = asked_for.or(asks);
                    demand = inside;
                    continue;
                }
            }
            return clash_of(&core, asked_for.as_ref());
        }
        Error::new(ErrorKind::Unsatisfiable, self.normal.pointer(demand), "no value satisfies the schema")
    }

    /// The fewest constraints found that together allow nothing; `None` if all together seem to allow something.
    ///
    /// That a value is an object goes without saying where keywords about objects clash with each other.
    fn least_clash(&mut self, all: Vec<Constraint>, demand: FormulaId) -> Option<Vec<Constraint>> {
        if !self.allows_nothing(&all, demand) {
            return None;
        }
        let (types, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|constraint| constraint.keyword == "type");
        let others = self.needed(others, &types, demand);
        if others.len() > 1 {
            return Some(others);
        }
        let types = self.needed(types, &others, demand);
        Some([types, others].concat())
    }

    /// As few of these constraints as allow nothing together with others.
    fn needed(
        &mut self,
        mut all: Vec<Constraint>,
        others: &[Constraint],
        demand: FormulaId,
    ) -> Vec<Constraint> {
        let mut chunk = all.len().div_ceil(2);
        while chunk > 0 {
            let mut at = 0;
            while at < all.len() {
                let rest = [&all[..at], &all[(at + chunk).min(all.len())..]].concat();
                if self.allows_nothing(&[&rest[..], others].concat(), demand) {
                    all = rest;
                } else {
                    at += chunk;
                }
            }
            chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
        }
        all
    }

    fn allows_nothing(&mut self, constraints: &[Constraint], demand: FormulaId) -> bool {
        Kind::ALL.into_iter().all(|kind| {
            let parts = constraints.iter().map(|constraint| constraint.components[kind as usize]);
            let component = self.normal.formulas.all(parts);
            if self.normal.is_empty_component(kind, component, LEVELS) {
                return true;
            }
            if matches!(kind, Kind::Null | Kind::False | Kind::True) {
                return false;
            }
            let mut components = [FormulaId::FALSE; 7];
            components[kind as usize] = component;
            let Ok(declared) = self.normal.declared(demand) else { return false };
            let pointer = self.normal.pointer(demand);
            self.body((components, declared, 0), demand, pointer).is_ok_and(|body| body == self.b.never())
        })
    }
}

/// The demand that makes a grammar empty, if one of the rules in `dead` does, which turned out to have no text.
pub(super) fn culprit(grammar: &Grammar, dead: &[(RuleId, FormulaId)]) -> Option<FormulaId> {
    if dead.is_empty() {
        return None;
    }
    let productive = productive(grammar);
    let is_dead = |expr: ExprId| !productive[expr.index()];
    let mut todo = vec![grammar.rule(grammar.root()).body()];
    let mut seen: HashSet<ExprId> = HashSet::default();
    while let Some(expr) = todo.pop() {
        if !is_dead(expr) || !seen.insert(expr) {
            continue;
        }
        match grammar.expr(expr) {
            Expr::Rule(rule) => {
                if let Some((_, demand)) = dead.iter().find(|(dead, _)| dead == rule) {
                    return Some(*demand);
                }
                todo.push(grammar.rule(*rule).body());
            }
            other => todo.extend(other.operands().iter().rev()),
        }
    }
    None
}

/// Per expression whether some text matches it, as far as shapes tell: text expressions are taken to match something.
fn productive(grammar: &Grammar) -> Vec<bool> {
    let mut productive = vec![false; grammar.n_exprs()];
    loop {
        let mut changed = false;
        for id in (0..grammar.n_exprs()).filter_map(ExprId::from_index) {
            let of = |part: &ExprId| productive[part.index()];
            let of_rule = |rule: &RuleId| productive[grammar.rule(*rule).body().index()];
            if productive[id.index()] {
                // PERF: what a set asks may be a search.
                continue;
            }
            let now = match grammar.expr(id) {
                Expr::Never => false,
                Expr::Seq(parts) => parts.iter().all(of),
                Expr::Alt(parts) => parts.iter().any(of),
                Expr::Repeat { body, min, .. } => *min == 0 || of(body),
                Expr::Rule(rule) => of_rule(rule),
                Expr::Member { body, .. } => of(body),
                Expr::Set { parts, conditions } => {
                    let possible = parts[1..].iter().filter_map(|part| match grammar.expr(*part) {
                        Expr::Member { number, .. } => of(part).then_some(*number),
                        _ => None,
                    });
                    of(&parts[0]) && conditions.may_be_met(possible).unwrap_or(true)
                }
                _ => true,
            };
            productive[id.index()] = now;
            changed |= now;
        }
        if !changed {
            return productive;
        }
    }
}

fn clash_of(core: &[Constraint], asked_for: Option<&Constraint>) -> Error {
    let Some((first, others)) = core.split_first() else {
        return Error::new(ErrorKind::Unsatisfiable, "", "no value satisfies the schema");
    };
    let place = |constraint: &Constraint| format!("`{}` at {}", constraint.keyword, constraint.pointer);
    let mut message = match (others, &*first.keyword) {
        ([], "false") => "the schema `false` allows no value".to_owned(),
        ([], keyword) => format!("`{keyword}` allows no value"),
        ([other], keyword) => format!(
            "`{keyword}` clashes with {}: no value satisfies both; change or remove one of them",
            place(other)
        ),
        (others, keyword) => {
            let shown: Vec<String> = others.iter().take(4).map(place).collect();
            let more = if others.len() > shown.len() { " and others" } else { "" };
            format!(
                "`{keyword}` clashes with {}{more}: no value satisfies all of them; change or remove one of them",
                shown.join(" and ")
            )
        }
    };
    if let Some(asked_for) = asked_for {
        message.push_str(&format!(" ({} asks for such a value)", place(asked_for)));
    }
    let others = others.iter().map(|constraint| constraint.pointer.clone()).collect();
    Error::clash(first.pointer.clone(), message, others)
}
