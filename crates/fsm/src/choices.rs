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
//! choice behind them is the same list with so many letters passed. It is found where an equal one is that was written down
//! itself: by how far the ends of its literals are from each other, which passing does not change, and by where the first one is.
//!
//! Cost: to pass letters, a look into a table; to follow a choice, some instructions for each of its literals; a set of as many
//! nodes takes some hundred each.
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
    /// Of all lists, the literals of each in the order in which they were written down.
    rests: Vec<Rest>,
    lists: Vec<List>,
    known: HashTable<Known>,
    hasher: Seeded,
}

/// Literals side by side, `first..end`.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    end: u32,
    /// A hash of how far their ends are from each other.
    distances: u64,
    /// How many letters all of them begin with, and go on behind.
    n_common: u32,
}

/// A choice that there is: a list, of whose literals so many letters are passed.
#[derive(Clone, Copy, Debug)]
struct Known {
    node: NodeId,
    list: u32,
    n_passed: u32,
    hash: u64,
}

impl Choices {
    /// The literals of a list, with no letter passed.
    pub(crate) fn rests(&self, list: u32) -> &[Rest] {
        let List { first, end, .. } = self.lists[list as usize];
        &self.rests[first as usize..end as usize]
    }

    /// How many letters all literals of a list begin with, and go on behind.
    pub(crate) fn n_common(&self, list: u32) -> u32 {
        self.lists[list as usize].n_common
    }

    /// The literals of all lists.
    pub(crate) fn n_rests(&self) -> usize {
        self.rests.len()
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<Rest>() * self.rests.capacity()
            + size_of::<List>() * self.lists.capacity()
            + self.known.allocation_size()
    }

    /// A hash of how far the ends of literals are from each other: where its letters end tells literals apart.
    fn distances(&self, rests: &[Rest]) -> u64 {
        let distances: SmallVec<[u32; 64]> = rests.iter().map(|rest| rest.end - rests[0].end).collect();
        self.hasher.hash_one(&distances[..])
    }

    /// The choice of these literals with so many letters passed, if there is one, and the hash under which it is found.
    fn find(&self, rests: &[Rest], n_passed: u32, distances: u64) -> (Option<NodeId>, u64) {
        let hash = self.hasher.hash_one((distances, rests[0].end - n_passed));
        let is_it = |known: &Known| {
            let others = self.rests(known.list);
            if std::ptr::eq(rests, others) && known.n_passed == n_passed {
                return true;
            }
            let is_same = |(one, other): (&Rest, &Rest)| {
                let ends = (one.end - n_passed, other.end - known.n_passed);
                ends.0 == ends.1 && (one.first, one.next) == (other.first, other.next)
            };
            rests.len() == others.len() && rests.iter().zip(others).all(is_same)
        };
        (self.known.find(hash, is_it).map(|known| known.node), hash)
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
        let rests = &self.choices.rests[first..];
        let distances = self.choices.distances(rests);
        let (found, hash) = self.choices.find(rests, 0, distances);
        if let Some(known) = found {
            self.choices.rests.truncate(first);
            return known;
        }
        let n_common = self.n_common(rests);
        let (first, end) = (first as u32, self.choices.rests.len() as u32);
        self.choices.lists.push(List { first, end, distances, n_common });
        self.add_choice(self.choices.lists.len() as u32 - 1, 0, hash)
    }

    /// The choice behind some of the letters that all literals of a list begin with.
    pub(crate) fn passed(&mut self, list: u32, n_passed: u32) -> NodeId {
        let distances = self.choices.lists[list as usize].distances;
        match self.choices.find(self.choices.rests(list), n_passed, distances) {
            (Some(known), _) => known,
            (None, hash) => self.add_choice(list, n_passed, hash),
        }
    }

    fn add_choice(&mut self, list: u32, n_passed: u32, hash: u64) -> NodeId {
        let node = self.add(Node::Choice { list, n_passed });
        let known = Known { node, list, n_passed, hash };
        self.choices.known.insert_unique(hash, known, |known| known.hash);
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
    pub(crate) fn unfold_choice(&mut self, node: NodeId, list: u32, n_passed: u32) {
        let rests = self.choices.rests(list).iter().map(|&Rest { first, end, next }| {
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
            let target = match n_passed < self.choices.n_common(list) {
                true => self.passed(list, n_passed + 1),
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
