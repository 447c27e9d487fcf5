//! Canonical forms of states: what makes states of different automata the same.
//!
//! What a state says about bytes depends on the part of its rule's automaton that can be reached from it and on *what* the
//! rules are that are called there. The canonical form writes that part down in an order that does not depend on any
//! numbering: states by a breadth-first search from the state in question along letters and then calls, calls by the
//! identity of what they call (see [`form`](crate::form)). An automaton is deterministic, and minimal; of one whose states are
//! made when they are reached, what was written down is minimised first. So states have equal forms if and only if their futures
//! are equal, up to two things that only cost sharing: rules with one meaning and two identities, and two calls of one identity
//! from one state that lead to different ones.
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
        let mut part = Part::default();
        part.meet(state.number() as u32);
        let mut n_words = 0;
        while let Some(&number) = part.numbers.get(part.states.len()) {
            let current = state.sibling(number);
            if let Some(left_out) = &mut left_out {
                if let Some(words_here) = self.view(rule).left_out(number) {
                    let head = self.free_form(current)?;
                    n_words += head.len();
                    part.states.push(Reached { head, ..Reached::default() });
                    left_out.push((current, words_here));
                    continue;
                }
            }
            let (plain, ticking) = self.byte_edges(current);
            let mut reached = Reached::default();
            reached.head.push(u32::from(self.is_accepting(current)));
            let plain = plain.iter().map(|edge| (edge, 0));
            for (edge, ticks) in plain.chain(ticking.iter().map(|edge| (edge, 1))) {
                let label = [u32::from(edge.low) << 8 | u32::from(edge.high), ticks];
                reached.letters.push((label, part.meet(edge.target)));
            }
            for edge in self.rule_edges(current) {
                reached.calls.push((self.label(&edge)?, part.meet(edge.target.number() as u32)));
            }
            n_words += 4 + 2 * reached.letters.len() + 6 * reached.calls.len();
            if n_words > max_words {
                return None;
            }
            part.states.push(reached);
        }
        if self.is_lazy(rule) {
            part.merge();
        }
        part.write(&mut words);
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

/// The part of an automaton that can be reached from a state, the first of them.
#[derive(Default)]
struct Part {
    /// The numbers of its states in the automaton, and where they stand here.
    numbers: Vec<u32>,
    positions: HashMap<u32, u32>,
    states: Vec<Reached>,
}

/// A state of a part: what it is by itself, and where its edges lead, by position.
#[derive(Default)]
struct Reached {
    head: SmallVec<[u32; 12]>,
    /// Ranges of bytes, and whether they tick.
    letters: Vec<([u32; 2], u32)>,
    calls: Vec<([u32; 5], u32)>,
}

impl Part {
    fn meet(&mut self, number: u32) -> u32 {
        let new = self.numbers.len() as u32;
        let position = *self.positions.entry(number).or_insert(new);
        if position == new {
            self.numbers.push(number);
        }
        position
    }

    /// Makes one of states that cannot be told apart. An automaton whose states are made when they are reached is not minimal; the
    /// part that is looked at is small.
    ///
    /// Moore's algorithm: states are told apart by what they are, then by the classes that their edges lead to, until no class
    /// parts any more.
    fn merge(&mut self) {
        let (mut classes, mut n_classes) = (vec![0; self.states.len()], 0);
        loop {
            let mut known: HashMap<Vec<u32>, u32> = HashMap::default();
            let next: Vec<u32> = (0..self.states.len())
                .map(|state| {
                    let new = known.len() as u32;
                    *known.entry(self.signature(state, &classes)).or_insert(new)
                })
                .collect();
            let n_before = std::mem::replace(&mut n_classes, known.len());
            classes = next;
            if n_classes == self.states.len() {
                return;
            }
            if n_classes == n_before {
                break;
            }
        }
        let mut first = vec![usize::MAX; n_classes];
        for (state, &class) in classes.iter().enumerate().rev() {
            first[class as usize] = state;
        }
        let old = std::mem::take(&mut self.states);
        let mut old: Vec<Option<Reached>> = old.into_iter().map(Some).collect();
        // Classes are numbered as their first states were met.
        for state in first {
            let Some(mut reached) = old.get_mut(state).and_then(Option::take) else { continue };
            reached.letters.iter_mut().for_each(|(_, target)| *target = classes[*target as usize]);
            reached.calls.iter_mut().for_each(|(_, target)| *target = classes[*target as usize]);
            self.states.push(reached);
        }
    }

    fn signature(&self, state: usize, classes: &[u32]) -> Vec<u32> {
        let Reached { head, letters, calls } = &self.states[state];
        let letters = joined(letters, |target| classes[target as usize]);
        let mut calls: Vec<_> =
            calls.iter().map(|(label, target)| (*label, classes[*target as usize])).collect();
        calls.sort_unstable();
        calls.dedup();
        let mut words = head.to_vec();
        words.extend([letters.len() as u32, calls.len() as u32]);
        words.extend(letters.iter().flat_map(|(label, target)| label.iter().chain([target])));
        words.extend(calls.iter().flat_map(|(label, target)| label.iter().chain([target])));
        words
    }

    /// Writes the states in the order in which they are met along letters and then calls.
    fn write(mut self, words: &mut Vec<u32>) {
        let mut order = vec![u32::MAX; self.states.len()];
        let mut queue: Vec<u32> = Vec::new();
        let mut meet = |state: u32, queue: &mut Vec<u32>| {
            let slot = &mut order[state as usize];
            if *slot == u32::MAX {
                *slot = queue.len() as u32;
                queue.push(state);
            }
            *slot
        };
        meet(0, &mut queue);
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            next += 1;
            let Reached { head, letters, mut calls } = std::mem::take(&mut self.states[state as usize]);
            words.extend(&head);
            if head[0] == FREE {
                continue;
            }
            let letters = joined(&letters, |target| target);
            calls.sort_unstable();
            calls.dedup();
            words.extend([letters.len() as u32, calls.len() as u32]);
            for (label, target) in letters {
                words.extend(label);
                words.push(meet(target, &mut queue));
            }
            for (label, target) in calls {
                words.extend(label);
                words.push(meet(target, &mut queue));
            }
        }
    }
}

/// Letters that lead to one target, as ranges that do not touch.
fn joined(letters: &[([u32; 2], u32)], target_of: impl Fn(u32) -> u32) -> Vec<([u32; 2], u32)> {
    let mut joined: Vec<([u32; 2], u32)> = Vec::with_capacity(letters.len());
    for &([range, ticks], target) in letters {
        let target = target_of(target);
        match joined.last_mut() {
            Some(([last, last_ticks], last_target))
                if *last_ticks == ticks && *last_target == target && (*last & 0xFF) + 1 == range >> 8 =>
            {
                *last = *last & 0xFF00 | range & 0xFF;
            }
            _ => joined.push(([range, ticks], target)),
        }
    }
    joined
}
