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

use crate::automata::{Automata, Counter, RuleId};
use crate::error::{Error, ErrorKind};
use crate::facts::Facts;
use crate::plan::Plan;
use crate::unit::Unit;
use formwork_grammar::{Expr, Grammar, HashSet};

/// The unit of a rule that must stay one by itself, whatever it is made of.
pub(crate) fn unit(grammar: &Grammar, plan: &Plan, rule: formwork_grammar::RuleId) -> Option<Unit> {
    if grammar.rule(rule).budget().is_some() {
        return Some(Unit::Region(rule));
    }
    plan.captures(grammar, rule).then_some(Unit::Rule(rule))
}

/// Whether some rule has a budget.
pub(crate) fn budgets(grammar: &Grammar) -> bool {
    grammar.rules().iter().any(|rule| rule.budget().is_some())
}

/// The rules with budgets that the root reaches and that have texts.
///
/// # Errors
/// One of them cannot be built.
pub(crate) fn find(
    grammar: &Grammar,
    plan: &Plan,
    facts: &Facts,
) -> Result<Vec<formwork_grammar::RuleId>, Error> {
    if !budgets(grammar) {
        return Ok(Vec::new());
    }
    let mut regions: Vec<_> = reached(grammar, grammar.root())
        .into_iter()
        .filter(|&rule| grammar.rule(rule).budget().is_some() && facts.nonempty(grammar.rule(rule).body()))
        .collect();
    regions.sort_unstable();
    for &region in &regions {
        let (named, place) = (grammar.rule(region).name(), grammar.rule(region).place());
        for below in reached(grammar, region) {
            let other = grammar.rule(below).name();
            let message = if below != region && grammar.rule(below).budget().is_some() {
                format!(
                    "rule `{named}` has a budget of steps, and so has rule `{other}` inside of it; give it to one of them"
                )
            } else if plan.is_circular(below) {
                format!(
                    "rule `{named}` has a budget of steps, but what it matches is not regular: rule `{other}` in it \
                     refers to itself"
                )
            } else {
                continue;
            };
            return Err(Error::new(ErrorKind::Budget, place.clone(), named, message));
        }
    }
    Ok(regions)
}

/// Whether the shortest text of a region is within its budget, however it is cut into steps.
pub(crate) fn check(automata: &Automata, region: RuleId) -> Result<(), Error> {
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

/// The rules that a rule refers to, itself first.
fn reached(grammar: &Grammar, rule: formwork_grammar::RuleId) -> Vec<formwork_grammar::RuleId> {
    let mut rules = vec![rule];
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
                expr => todo.extend_from_slice(expr.operands()),
            }
        }
    }
    rules
}
