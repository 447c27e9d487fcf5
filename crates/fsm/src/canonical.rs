//! Canonical forms of rules: what makes rules of different grammars the same.
//!
//! What a state says about bytes depends on its rule's automaton, on those of the rules that it calls, and so on. The
//! canonical form of a rule writes them all down, the rule first, in an order that does not depend on how they are
//! numbered: states by a breadth-first search from the start along letters and then calls, calls by a hash of what they
//! call, rules as they are met. Equal forms mean equal automata; the bounds of the rule's own counter are left out,
//! since nothing that is kept by form depends on them (those of counters below are in).
//!
//! This is the place of *XGrammar 2*'s hierarchical hashing, for whole rules and all cycles: a form is compared in full,
//! so that no hash decides. Rules with equal meaning may still have different forms (calls with equal hashes in another
//! order); then nothing is shared, and nothing is wrong. Its length is that of all rules below, so it is cut off at a limit:
//! large rules are rarely shared anyway.
//!
//! # Worked example
//! `s ::= "\"" [a-z]* "\""` has the form: not counted, called; 3 states; state 0: 1 letter `"`→1; state 1: letters `"`→2,
//! `a`-`z`→1; state 2: accepts.

use crate::automata::{Automata, RuleId, StateId};
use formwork_grammar::HashMap;

/// The canonical form of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The form: rules are the same if and only if it is (up to orders that the hashes leave open).
    pub words: Vec<u32>,
    /// For each state of the rule, in the order of [`Automata::states_of`], its number in the form.
    pub order: Vec<u32>,
}

impl Automata {
    /// For each rule a hash of its own automaton without its calls: the order of calls in canonical forms.
    pub fn shallow_hashes(&self) -> Vec<u64> {
        self.rules()
            .map(|rule| {
                let base = self.start(rule).index();
                let mut hash = Fnv::new();
                for state in self.states_of(rule) {
                    hash.add(u64::from(self.is_accepting(state)));
                    for (edges, ticks) in [(self.byte_edges(state).0, 0), (self.byte_edges(state).1, 1)] {
                        for edge in edges {
                            let bytes = u64::from(edge.low) << 8 | u64::from(edge.high);
                            hash.add(bytes << 1 | ticks);
                            hash.add((edge.target.index() - base) as u64);
                        }
                    }
                }
                hash.0
            })
            .collect()
    }

    /// The canonical form of a rule, given all [shallow hashes](Self::shallow_hashes); `None` if it is longer than
    /// `max_words`.
    ///
    /// Cost: linear in the form.
    pub fn canonical(&self, rule: RuleId, hashes: &[u64], max_words: usize) -> Option<Canonical> {
        let mut words = vec![u32::from(self.is_called(rule))];
        let mut numbers: HashMap<RuleId, u32> = HashMap::default();
        let mut rules = vec![rule];
        numbers.insert(rule, 0);
        let mut order = Vec::new();
        let mut next = 0;
        while let Some(&current) = rules.get(next) {
            match self.counter(current) {
                None => words.push(0),
                // The rule's own bounds are not part of its form.
                Some(_) if next == 0 => words.push(1),
                Some(counter) => {
                    words.extend([2, counter.min, counter.max.map_or(0, |max| max.saturating_add(1))])
                }
            }
            let states =
                self.number_states(current, hashes, &mut words, &mut rules, &mut numbers, max_words)?;
            if next == 0 {
                order = states;
            }
            next += 1;
        }
        Some(Canonical { words, order })
    }

    /// Writes the states of one rule; returns their numbers.
    fn number_states(
        &self,
        rule: RuleId,
        hashes: &[u64],
        words: &mut Vec<u32>,
        rules: &mut Vec<RuleId>,
        numbers: &mut HashMap<RuleId, u32>,
        max_words: usize,
    ) -> Option<Vec<u32>> {
        let base = self.start(rule).index();
        let mut number = vec![u32::MAX; self.states_of(rule).count()];
        let mut queue: Vec<StateId> = vec![self.start(rule)];
        number[0] = 0;
        let mut meet = |state: StateId, queue: &mut Vec<StateId>| {
            let slot = &mut number[state.index() - base];
            if *slot == u32::MAX {
                *slot = queue.len() as u32;
                queue.push(state);
            }
            *slot
        };
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            next += 1;
            let (plain, ticking) = self.byte_edges(state);
            let mut calls = self.rule_edges(state).to_vec();
            calls.sort_by_key(|call| (hashes[call.rule.index()], call.ticks, call.rule));
            words.push(u32::from(self.is_accepting(state)));
            words.extend([plain.len() as u32, ticking.len() as u32, calls.len() as u32]);
            for edge in plain.iter().chain(ticking) {
                words.push(u32::from(edge.low) << 8 | u32::from(edge.high));
                words.push(meet(edge.target, &mut queue));
            }
            for call in calls {
                let n_rules = rules.len() as u32;
                let callee = *numbers.entry(call.rule).or_insert_with(|| {
                    rules.push(call.rule);
                    n_rules
                });
                words.extend([callee, u32::from(call.ticks), meet(call.target, &mut queue)]);
            }
            if words.len() > max_words {
                return None;
            }
        }
        // The numbering ends a rule, so that forms of different rules cannot run into each other.
        words.push(u32::MAX);
        Some(number)
    }
}

/// A fixed hash, the same on every machine: FNV-1a over words. It only orders; forms are compared in full.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01B3);
    }
}
