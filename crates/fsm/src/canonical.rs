//! Canonical forms of states: what makes states of different automata the same.
//!
//! What a state says about bytes depends on the part of its rule's automaton that can be reached from it and on *what* the
//! rules are that are called there. The canonical form writes that part down in an order that does not depend on any
//! numbering: states by a breadth-first search from the state in question along letters and then calls, calls by the
//! identity of what they call (see [`form`](crate::form)). An automaton is deterministic and minimal, so states have equal
//! forms if and only if their futures are equal, up to two things that only cost sharing: rules with one meaning and two
//! identities, and two calls of one identity from one state.
//!
//! The bounds of the state's own counter are left out, since nothing that is kept by form depends on them; those of
//! counters that are called are in.
//!
//! This is the place of *XGrammar 2*'s hierarchical hashing for states. Its hashes are computed bottom-up and need a
//! refinement wherever automata have circles; a search from one state needs neither, and a form is compared in full, so
//! that no hash decides. It costs as much as the part that is reached, so it is asked for where something expensive
//! is to be shared: the inside of a string, free text.
//!
//! Of a state that is known to read any text of a JSON string and then what it calls, that is the form
//! ([`free_form`](Automata::free_form)); where words are [left out](crate::LeftOut) of such a text, it is the form of states
//! that differ in these alone, for who knows that they do not matter.
//!
//! # Worked example
//! In `s ::= "\"" [a-z]* "\""` the state after the quote has the form: called, not counted; state 0: 2 letters, 0 calls,
//! `"`→1, `a`-`z`→0; state 1: accepts. After any number of letters it is the same state, and in every other rule that ends
//! like this one the state has the same form.

use crate::automata::{Automata, Counter, RuleEdge, StateId};
use crate::left_out::LeftOut;
use formwork_grammar::HashMap;
use smallvec::SmallVec;

/// The longest form of a state of a rule whose states are made when they are reached, in words: some dozen states.
const MAX_LAZY: usize = 400;

/// Stands where other forms say whether the state accepts.
const FREE: u32 = u32::MAX;

/// The form of a state but for words that are left out: states with equal ones differ in these words alone.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "it is the two of them")]
pub struct ButForWords {
    /// The form, in words of 32 bits.
    pub form: Vec<u32>,
    /// Where words are left out, and which.
    pub left_out: Vec<(StateId, LeftOut)>,
}

impl Automata {
    /// The canonical form of a state, in words: states of any automata that were built with one [`Cache`](crate::Cache)
    /// and have equal forms have equal futures, the bounds of their own rules' counters aside.
    ///
    /// `None` if it is longer than `max_words`, or a rule that is called has no identity. Cost: linear in the form, a few
    /// nanoseconds a word.
    pub fn canonical(&self, state: StateId, max_words: usize) -> Option<Vec<u32>> {
        self.form(state, max_words, None)
    }

    /// The same, as if nothing were [left out](crate::RuleView::left_out) where any other text is read.
    pub fn canonical_but_for_words(&self, state: StateId, max_words: usize) -> Option<ButForWords> {
        let mut left_out = Vec::new();
        let form = self.form(state, max_words, Some(&mut left_out))?;
        Some(ButForWords { form, left_out })
    }

    fn form(
        &self,
        state: StateId,
        max_words: usize,
        mut left_out: Option<&mut Vec<(StateId, LeftOut)>>,
    ) -> Option<Vec<u32>> {
        let rule = state.rule();
        // What states of sets have in common is in their tables, which are shared already.
        if let Some(Counter::Members | Counter::Distinct) = self.counter(rule) {
            return None;
        }
        // Of a large rule only what is near.
        let max_words = if self.is_lazy(rule) { max_words.min(MAX_LAZY) } else { max_words };
        let counts = matches!(self.counter(rule), Some(Counter::Ticks { .. }));
        let is_text = self.counter(rule) == Some(Counter::Text);
        let kind = u32::from(counts) << 1 | u32::from(is_text) << 2;
        let kind = u32::from(self.is_called(rule)) | kind;
        let mut words = vec![kind];
        if self.counter(rule).is_none() && self.is_free(state) {
            if let Some(free) = self.free_form(state) {
                words.extend(free);
                return Some(words);
            }
        }
        let mut numbers: HashMap<u32, u32> = HashMap::default();
        let mut queue: Vec<u32> = Vec::new();
        let mut meet = |number: usize, queue: &mut Vec<u32>| {
            *numbers.entry(number as u32).or_insert_with(|| {
                queue.push(number as u32);
                queue.len() as u32 - 1
            })
        };
        meet(state.number(), &mut queue);
        let mut next = 0;
        let mut calls: Vec<([u32; 5], usize)> = Vec::new();
        while let Some(&number) = queue.get(next) {
            next += 1;
            let current = state.sibling(number);
            if let Some(left_out) = &mut left_out {
                if let Some(words_here) = self.view(rule).left_out(number) {
                    words.extend(self.free_form(current)?);
                    left_out.push((current, words_here));
                    continue;
                }
            }
            let (plain, ticking) = self.byte_edges(current);
            let edges = self.rule_edges(current);
            words.push(u32::from(self.is_accepting(current)));
            words.extend([plain.len() as u32, ticking.len() as u32, edges.len() as u32]);
            for edge in plain.iter().chain(ticking) {
                words.push(u32::from(edge.low) << 8 | u32::from(edge.high));
                words.push(meet(edge.target as usize, &mut queue));
            }
            calls.clear();
            for edge in edges {
                calls.push((self.label(&edge)?, edge.target.number()));
            }
            calls.sort_unstable();
            for (label, target) in &calls {
                words.extend(label);
                words.push(meet(*target, &mut queue));
            }
            if words.len() > max_words {
                return None;
            }
        }
        Some(words)
    }

    /// The form of a state that reads any text of a JSON string and then what it calls: the inside of a name that is not
    /// declared. Its escapes alone are a dozen states, which every object that takes further members has.
    fn free_form(&self, state: StateId) -> Option<SmallVec<[u32; 12]>> {
        let mut labels: SmallVec<[[u32; 5]; 2]> = SmallVec::new();
        for edge in self.rule_edges(state) {
            if !self.is_finished(edge.target) {
                return None;
            }
            labels.push(self.label(&edge)?);
        }
        labels.sort_unstable();
        let head = [FREE, u32::from(self.is_accepting(state)), labels.len() as u32];
        Some(head.into_iter().chain(labels.into_iter().flatten()).collect())
    }

    /// What is called, in words.
    fn label(&self, edge: &RuleEdge) -> Option<[u32; 5]> {
        let (kind, min, max) = match self.counter(edge.rule) {
            None => (0, 0, 0),
            Some(Counter::Ticks { min, max }) => (1, min, max.map_or(u32::MAX, |max| max.saturating_add(1))),
            Some(Counter::Members) => (2, 0, 0),
            // Neither has an identity.
            Some(Counter::Text | Counter::Distinct) => (3, 0, 0),
            // Where steps end is nothing that a state says.
            Some(Counter::Steps { .. }) => (0, 0, 0),
        };
        Some([self.identity(edge.rule)?, edge.tick, kind, min, max])
    }
}
