//! Regions: rules whose texts have a budget of steps.
//!
//! A step is what whoever runs the automata counts. It may begin anywhere and end anywhere, so where
//! steps end is no property of the bytes, and no automaton over bytes can count them. What can be said here is how soon a
//! region can end from each of its states: the least number of bytes and symbols that are still to be read. A region that
//! at the end of a step has `left` steps left can go on if that number is not greater: a byte is never more than a step.
//!
//! **All that a region reads is its own.** Whoever counts steps counts them in items, and an item that waits for a rule to
//! end would have to count on while others read. So everything that a region refers to is put in line, large repetitions are
//! written out, and what cannot be put in line is refused: rules that lead back to themselves other than at their ends, and
//! regions inside a region.
//!
//! Rules whose [texts must differ](crate::distinct) are regions too, without a budget: their text is kept byte by byte.
//!
//! # What is not regular, and what it would take
//! That refusal is no limit of the idea: a region that calls rules, and one inside of another, can be counted exactly with
//! rows that stay values. What follows was thought through and is not built.
//!
//! *Counts of their own.* Each circular rule that a region reaches is copied for the region, so that its items count there
//! and nowhere else (outside, counting would tell apart rows that are equal now). An item of such a copy counts the steps
//! that have ended since *it* began, from 0, whoever called it. A waiter keeps the count that its own rule had where the
//! callee began. When the callee ends, the caller goes on with the sum of both. A step that begins in the caller and ends in
//! the callee is counted once, by the callee, since at its end the callee's item is in the kernel and the caller's is not.
//! Counts that were handed down instead would be wrong where two callers with different counts share one callee.
//!
//! *What is used and still needed.* For a waiter table `t` and a copy `c` let
//! `owed(t, c) = min over waiters w of c in t: w.count + units_to_end(w.target) + owed(w.origin, rule of w.target)`,
//! where the last is 0 if the target is the region's own. It is a shortest path: origins are older tables, but for those in
//! the table itself (left recursion), so that each table is closed under it once, when it is made. An item of `c` with
//! origin `t` stays at the end of a step if `count + units_to_end(state) + owed(t, c)` is within the budget. It is enough to
//! ask the kernel: among what an item can end for there is then one that ends in time, and others are found out at the end
//! of the next step.
//!
//! *Worked example.* `r[max=6] ::= v`, `v ::= "[" v "]" | "x"`, one byte a step, `[[`: the waiter for the second `v` has
//! count 1 and needs `]`; the one for the third, in the next row, as well, so `owed` of the third is 2 + 2 = 4; the third has
//! count 0 and needs 1 byte: 5 of 6, and so `[` may not come once more, since it would make it 7, but `x` may.
//!
//! *What stands in the way* is the rest of what reads items: completing in a table is asked for by the masks without the
//! count of what ended (`complete` of `formwork-earley`, and the boundaries of `formwork-mask`), tail calls replace waiters
//! whose counts are then not added up (they would have to be), captures read counts back (`trace.rs`), and *near the
//! bound*, which decides when steps are tried one by one, is no longer a property of the region: each byte of a step may
//! open a level that has to be closed, so that a mask would have to try steps from the length of the longest one times
//! the dearest call before the end. A walk over all steps that carries what each byte adds to `owed` would bound that.

use crate::automata::{self, Automata, Counter};
use crate::distinct;
use crate::error::{Error, ErrorKind};
use crate::facts::Facts;
use crate::plan::Plan;
use crate::unit::Unit;
use formwork_grammar::{Expr, ExprId, Grammar, HashSet, Rule, RuleId};

/// Whether a rule reads all its bytes itself: since it has a budget, or since its text is looked at.
pub(crate) fn is_region(rule: &Rule) -> bool {
    rule.budget().is_some() || rule.is_distinct()
}

/// The unit of a rule that must stay one by itself, whatever it is made of.
pub(crate) fn unit(grammar: &Grammar, plan: &Plan, rule: RuleId) -> Option<Unit> {
    if is_region(grammar.rule(rule)) {
        return Some(Unit::Region(rule));
    }
    plan.captures(grammar, rule).then_some(Unit::Rule(rule))
}

/// Whether some rule is a region.
pub(crate) fn exist(grammar: &Grammar) -> bool {
    grammar.rules().iter().any(is_region)
}

/// Whether an expression is a set of distinct texts.
pub(crate) fn is_distinct(grammar: &Grammar, expr: ExprId) -> bool {
    matches!(grammar.expr(expr), Expr::Set { conditions, .. } if conditions.is_distinct())
}

/// The regions that the root reaches and that have texts, then the rules that are sets of distinct texts.
///
/// # Errors
/// One of them cannot be built.
pub(crate) fn find(grammar: &Grammar, plan: &Plan, facts: &Facts) -> Result<Vec<RuleId>, Error> {
    if !exist(grammar) {
        return Ok(Vec::new());
    }
    let all = reached(grammar, grammar.root()).0;
    let has_texts = |rule: &RuleId| facts.nonempty(grammar.rule(*rule).body());
    let is_there = |rule: &RuleId| is_region(grammar.rule(*rule)) && has_texts(rule);
    let mut regions: Vec<_> = all.iter().copied().filter(is_there).collect();
    regions.sort_unstable();
    for &region in &regions {
        let rule = grammar.rule(region);
        let (named, place) = (rule.name(), rule.place());
        let (kind, what, it) = match (rule.budget(), rule.is_distinct()) {
            (Some(_), false) => (ErrorKind::Budget, "a budget of steps", "the budget"),
            (None, _) => (ErrorKind::Set, "texts that must differ", "that"),
            (Some(_), true) => {
                let message = format!("rule `{named}` has a budget of steps and texts that must differ");
                return Err(Error::new(ErrorKind::Set, place.clone(), named, message));
            }
        };
        let (below, machine) = reached(grammar, region);
        if machine {
            let message = format!(
                "rule `{named}` has {what}, but has numbers in it that cannot be put in line: multiples of too large a number"
            );
            return Err(Error::new(kind, place.clone(), named, message));
        }
        for below in below {
            let other = grammar.rule(below).name();
            let message = if below != region && is_region(grammar.rule(below)) {
                format!(
                    "rule `{named}` has {what}, and so has rule `{other}` inside of it; give it to one of them"
                )
            } else if plan.is_circular(below) {
                format!(
                    "rule `{named}` has {what}, but what it matches is not regular: rule `{other}` in it refers to itself; \
                     give {it} to a part that does not nest, or write out how deep it may nest"
                )
            } else {
                continue;
            };
            return Err(Error::new(kind, place.clone(), named, message));
        }
    }
    let is_set = |rule: &RuleId| is_distinct(grammar, grammar.rule(*rule).body()) && has_texts(rule);
    regions.extend(all.iter().copied().filter(is_set));
    Ok(regions)
}

/// Whether the shortest text of a region is within its budget, however it is cut into steps, and whether a set of distinct
/// texts never runs out of them.
pub(crate) fn check(automata: &Automata, region: automata::RuleId) -> Result<(), Error> {
    if automata.counter(region) == Some(Counter::Distinct) {
        return distinct::check(automata, region);
    }
    let Some(Counter::Steps { max }) = automata.counter(region) else { return Ok(()) };
    let shortest = automata.units_to_end(automata.start(region));
    if shortest <= max {
        return Ok(());
    }
    let name = automata.name(region);
    let message = format!(
        "rule `{name}` has a budget of {max} steps, but its shortest text may need {shortest}, one for each byte"
    );
    Err(Error::new(ErrorKind::Budget, automata.place(region).clone(), name, message))
}

/// The rules that a rule refers to, itself first, and whether there is a machine in them.
fn reached(grammar: &Grammar, rule: RuleId) -> (Vec<RuleId>, bool) {
    let mut rules = vec![rule];
    let mut has_machine = false;
    let mut is_met: HashSet<_> = rules.iter().copied().collect();
    let mut is_seen = vec![false; grammar.n_exprs()];
    let mut next = 0;
    while let Some(&rule) = rules.get(next) {
        next += 1;
        let mut todo = vec![grammar.rule(rule).body()];
        while let Some(expr) = todo.pop() {
            if std::mem::replace(&mut is_seen[expr.index()], true) {
                continue;
            }
            match grammar.expr(expr) {
                Expr::Rule(callee) => rules.extend(is_met.insert(*callee).then_some(*callee)),
                Expr::Machine(_) => has_machine = true,
                expr => todo.extend_from_slice(expr.operands()),
            }
        }
    }
    (rules, has_machine)
}
