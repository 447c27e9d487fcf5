//! Many literals side by side, as one node.
//!
//! Behind an opening quote any name of an object may come, and behind the trigger of a call the name of any tool. As a set of
//! nodes, one for each name, a state costs what all of its names cost, and so does each state behind another letter that they
//! have in common. A *choice* is one node for the rests of several literals: followed, it becomes a node that reads their next
//! letters, and behind each letter stands what is left of those that have it, a choice again where these are several. That is
//! the trie of the names, made as far as it is reached; and a state inside of it is one node.
//!
//! Equal choices are one node, however they are reached: the names of an object that are left behind one member and behind the
//! next have most of their trie in common. A choice lists its literals in the order in which they were written down, and so do
//! those behind it, since all that is read of them before is the same.
//!
//! Letters that all literals of a choice have in common are passed like those of a single literal, without the nodes between; the
//! choice behind them is the same one with so many letters passed.
//!
//! Cost: to pass letters, a look into a table; to follow a choice, some instructions for each of its literals; a set of as many nodes takes some hundred each.
//!
//! # Worked example
//! `get_time`, `get_weather`, `set_time` before n1, n2, n3: a choice c1 of the three. Followed it reads `g` and goes to c2, the
//! choice of `et_time` before n1 and `et_weather` before n2; or `s`, behind which the literal `et_time` before n3 is left alone.
//! c2 leads through `e`, `t`, `_` to the choice of `time` and `weather`, behind whose letters all are alone.

use crate::nfa::{LiteralLetter, Nfa, Node, NodeId, Range};
use formwork_grammar::{HashMap, Seeded};
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::hash::BuildHasher;

/// What is left of a literal: the letters `first..end`, one at least, the last first; and where it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) first: u32,
    pub(crate) end: u32,
    pub(crate) next: NodeId,
}

/// The choices of an automaton.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    /// Of all choices, those of each in the order in which they were written down.
    rests: Vec<Rest>,
    list: Vec<Choice>,
    /// Choices by their rests.
    known: HashTable<u32>,
    /// The nodes of choices with so many letters passed.
    passed: HashMap<(u32, u32), NodeId>,
    hasher: Seeded,
}

/// A choice of the literals `first..end`.
#[derive(Clone, Copy, Debug)]
struct Choice {
    first: u32,
    end: u32,
    hash: u64,
    /// How many letters all literals begin with, and go on behind.
    n_common: u32,
}

impl Choices {
    /// The literals of a choice, with no letter passed.
    pub(crate) fn rests(&self, choice: u32) -> &[Rest] {
        let Choice { first, end, .. } = self.list[choice as usize];
        &self.rests[first as usize..end as usize]
    }

    /// How many letters all literals of a choice begin with, and go on behind.
    pub(crate) fn n_common(&self, choice: u32) -> u32 {
        self.list[choice as usize].n_common
    }

    /// The literals of all choices.
    pub(crate) fn n_rests(&self) -> usize {
        self.rests.len()
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<Rest>() * self.rests.capacity()
            + size_of::<Choice>() * self.list.capacity()
            + self.known.allocation_size()
            + self.passed.allocation_size()
    }

    /// The choice of all literals from a position on, if there is one, and the hash under which it is found.
    fn find(&self, first: usize) -> (Option<u32>, u64) {
        let rests = &self.rests[first..];
        // Where its letters end tells literals apart.
        let ends: SmallVec<[u32; 64]> = rests.iter().map(|rest| rest.end).collect();
        let hash = self.hasher.hash_one(&ends[..]);
        (self.known.find(hash, |&known| self.rests(known) == rests).copied(), hash)
    }
}

impl Nfa {
    /// The node that reads one of these literals, which are several; they are sorted.
    pub(crate) fn choice(&mut self, literals: &mut [Rest]) -> NodeId {
        literals.sort_unstable_by_key(|rest| rest.end);
        let first = self.choices.rests.len();
        self.choices.rests.extend_from_slice(literals);
        self.choice_from(first)
    }

    /// The choice of all literals from a position on, which were just added and are forgotten if there is one already.
    fn choice_from(&mut self, first: usize) -> NodeId {
        let (found, hash) = self.choices.find(first);
        let choice = match found {
            Some(known) => {
                self.choices.rests.truncate(first);
                known
            }
            None => {
                let n_common = self.n_common(&self.choices.rests[first..]);
                let Choices { rests, list, known, .. } = &mut self.choices;
                let choice = list.len() as u32;
                list.push(Choice { first: first as u32, end: rests.len() as u32, hash, n_common });
                known.insert_unique(hash, choice, |&known| list[known as usize].hash);
                choice
            }
        };
        self.passed(choice, 0)
    }

    /// The node of a choice behind some of the letters that all literals begin with.
    pub(crate) fn passed(&mut self, choice: u32, n_passed: u32) -> NodeId {
        if let Some(&known) = self.choices.passed.get(&(choice, n_passed)) {
            return known;
        }
        let node = self.add(Node::Choice { choice, n_passed });
        self.choices.passed.insert((choice, n_passed), node);
        node
    }

    /// How many letters these literals begin with, and go on behind.
    fn n_common(&self, rests: &[Rest]) -> u32 {
        let last = |rest: &Rest, n: u32| &self.literals[(rest.end - n) as usize..rest.end as usize];
        let n_ahead = |rest: &Rest| rest.end - rest.first - 1;
        let mut n = n_ahead(&rests[0]);
        for other in &rests[1..] {
            n = n.min(n_ahead(other));
            let pairs = last(&rests[0], n).iter().rev().zip(last(other, n).iter().rev());
            n = pairs.take_while(|(one, other)| one == other).count() as u32;
            if n == 0 {
                break;
            }
        }
        n
    }

    /// Makes of a choice a node that reads the first letters of its literals that are not passed.
    pub(crate) fn unfold_choice(&mut self, node: NodeId, choice: u32, n_passed: u32) {
        let rests = self.choices.rests(choice).iter().map(|&Rest { first, end, next }| {
            let end = end - n_passed;
            (self.literals[end as usize - 1], Rest { first, end, next })
        });
        let mut rests: SmallVec<[(LiteralLetter, Rest); 32]> = rests.collect();
        // Stable: those with one letter stay in their order.
        rests.sort_by_key(|&(next, _)| next);
        let mut letters: SmallVec<[Range; 16]> = SmallVec::new();
        let mut calls: SmallVec<[(u32, NodeId); 16]> = SmallVec::new();
        for group in rests.chunk_by(|(one, _), (other, _)| one == other) {
            let LiteralLetter { letter, has_escapes } = group[0].0;
            let target = match n_passed < self.choices.n_common(choice) {
                true => self.passed(choice, n_passed + 1),
                false => self.behind_letter(group),
            };
            letters.push(Range { low: letter, high: letter, target });
            let unit = self.escapes_of(letter).filter(|_| has_escapes);
            debug_assert_eq!(unit.is_some(), has_escapes, "its unit was told");
            calls.extend(unit.map(|unit| (unit.get(), target)));
        }
        self.nodes[node as usize] = self.read_or_call(&letters, &calls);
    }

    /// The node that goes on behind the next letter of these literals.
    fn behind_letter(&mut self, literals: &[(LiteralLetter, Rest)]) -> NodeId {
        if let [(_, Rest { first, end, next })] = *literals {
            return self.rest(first, end - 1, next);
        }
        let mut complete: SmallVec<[NodeId; 4]> = SmallVec::new();
        let before = self.choices.rests.len();
        for &(_, Rest { first, end, next }) in literals {
            match end - 1 > first {
                true => self.choices.rests.push(Rest { first, end: end - 1, next }),
                false => complete.push(next),
            }
        }
        let going_on = match self.choices.rests[before..] {
            [] => None,
            [Rest { first, end, next }] => {
                self.choices.rests.truncate(before);
                Some(self.rest(first, end, next))
            }
            _ => Some(self.choice_from(before)),
        };
        match (complete.is_empty(), going_on) {
            (true, Some(node)) => node,
            _ => {
                complete.extend(going_on);
                self.add_split(&complete)
            }
        }
    }
}
