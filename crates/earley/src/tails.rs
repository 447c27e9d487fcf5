//! Tail calls: waiters that would do nothing but end their own rule.
//!
//! A waiter whose target is finished is replaced by the waiters that it would return to. So right recursion costs nothing,
//! and `elements ::= value | value "," elements` over 200 elements needs 16 rows instead of 2,404.

use crate::item::{TableId, Waiter};
use crate::rows::Rows;
use formwork_fsm::{Counter, RuleId};
use formwork_grammar::HashSet;

/// A waiter is forwarded to at most so many others; more would multiply the tables of ambiguous grammars.
const MAX_FORWARDED: usize = 8;

impl Rows {
    /// Replaces waiters whose target is finished by those that it would return to.
    pub(crate) fn forward(&self, waiters: &mut Vec<Waiter>, goal: bool) {
        let automata = &self.automata;
        let root = automata.root();
        if !waiters.iter().any(|waiter| automata.is_finished(waiter.target)) {
            return;
        }
        let own = waiters.clone();
        let mut result: Vec<Waiter> = Vec::with_capacity(own.len());
        let mut stack: Vec<Waiter> = own.clone();
        // Rules of this table that a waiter was already forwarded through: unit cycles end here.
        let mut through: HashSet<(RuleId, RuleId)> = HashSet::default();
        while let Some(waiter) = stack.pop() {
            let keeps = !automata.is_finished(waiter.target)
                || waiter.origin == Some(TableId::FLOATING)
                || automata.counter(waiter.rule) == Some(Counter::Text);
            if keeps {
                result.push(waiter);
                continue;
            }
            let parent = automata.rule_of(waiter.target);
            match waiter.origin {
                Some(origin) => {
                    let range = self.waiters_for(origin, parent);
                    if range.len() > MAX_FORWARDED || (self.tables[origin.index()].goal && parent == root) {
                        result.push(waiter);
                        continue;
                    }
                    // Older tables are forwarded already: nothing here is finished, or it is kept on purpose.
                    result.extend(self.waiters[range].iter().map(|next| Waiter {
                        rule: waiter.rule,
                        target: next.target,
                        origin: Some(next.origin.unwrap_or(origin)),
                        count: next.count,
                    }));
                }
                None => {
                    let n = own.iter().filter(|next| next.rule == parent).count();
                    if n > MAX_FORWARDED || (goal && parent == root) {
                        result.push(waiter);
                    } else if through.insert((waiter.rule, parent)) {
                        stack.extend(
                            own.iter()
                                .filter(|next| next.rule == parent)
                                .map(|next| Waiter { rule: waiter.rule, ..*next }),
                        );
                    }
                }
            }
        }
        *waiters = result;
    }
}
