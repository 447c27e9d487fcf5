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
//! Letters that all literals of a choice have in common are passed like those of a single literal, without the choices between.
//!
//! Cost: to follow a choice, some instructions for each of its literals; a set of as many nodes takes some hundred each.
//!
//! # Worked example
//! `get_time`, `get_weather`, `set_time` before n1, n2, n3: a choice c1 of the three. Followed it reads `g` and goes to c2, the
//! choice of `et_time` before n1 and `et_weather` before n2; or `s`, behind which the literal `et_time` before n3 is left alone.
//! c2 leads through `e`, `t`, `_` to the choice of `time` and `weather`, behind whose letters all are alone.

use crate::nfa::{LiteralLetter, Nfa, Node, NodeId, Range};
use formwork_grammar::Seeded;
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
    known: HashTable<Known>,
    hasher: Seeded,
}

/// A choice that there is, of the literals `first..end`.
#[derive(Clone, Copy, Debug)]
struct Known {
    node: NodeId,
    first: u32,
    end: u32,
    hash: u64,
}

impl Choices {
    /// The literals of a choice.
    pub(crate) fn rests(&self, first: u32, end: u32) -> &[Rest] {
        &self.rests[first as usize..end as usize]
    }

    /// The literals of all choices.
    pub(crate) fn n_rests(&self) -> usize {
        self.rests.len()
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<Rest>() * self.rests.capacity() + self.known.allocation_size()
    }

    /// The choice of all literals from a position on, if there is one, and the hash under which it is found.
    fn find(&self, first: usize) -> (Option<NodeId>, u64) {
        let rests = &self.rests[first..];
        // Where its letters end tells literals apart.
        let ends: SmallVec<[u32; 64]> = rests.iter().map(|rest| rest.end).collect();
        let hash = self.hasher.hash_one(&ends[..]);
        let found = self.known.find(hash, |known| self.rests(known.first, known.end) == rests);
        (found.map(|known| known.node), hash)
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
        if let Some(known) = found {
            self.choices.rests.truncate(first);
            return known;
        }
        let (first, end) = (first as u32, self.choices.rests.len() as u32);
        let node = self.add(Node::Choice { first, end });
        let known = Known { node, first, end, hash };
        self.choices.known.insert_unique(hash, known, |known| known.hash);
        node
    }

    /// The choice behind some letters that all literals of one have in common, with more behind them.
    pub(crate) fn pass_choice(&mut self, (first, end): (u32, u32), n_letters: u32) -> NodeId {
        let before = self.choices.rests.len();
        for at in first..end {
            let rest = self.choices.rests[at as usize];
            self.choices.rests.push(Rest { end: rest.end - n_letters, ..rest });
        }
        self.choice_from(before)
    }

    /// Makes of a choice a node that reads the first letters of its literals.
    pub(crate) fn unfold_choice(&mut self, node: NodeId, (first, end): (u32, u32)) {
        let rests = self.choices.rests(first, end).iter();
        let mut rests: SmallVec<[(LiteralLetter, Rest); 32]> =
            rests.map(|rest| (self.literals[rest.end as usize - 1], *rest)).collect();
        // Stable: those with one letter stay in their order.
        rests.sort_by_key(|&(next, _)| next);
        let mut letters: SmallVec<[Range; 16]> = SmallVec::new();
        let mut calls: SmallVec<[(u32, NodeId); 16]> = SmallVec::new();
        for group in rests.chunk_by(|(one, _), (other, _)| one == other) {
            let LiteralLetter { letter, has_escapes } = group[0].0;
            let target = self.behind_letter(group);
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
