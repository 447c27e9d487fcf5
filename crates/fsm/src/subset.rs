//! Determinisation: the subset construction with ticks and calls as letters.
//!
//! A state of the result is a set of nodes that read something, or the end.
//! Following a letter leads to two sets: what is reached without passing a tick, and what is reached by passing one.
//! They are different states, since the count is part of what they mean; a letter together with its tick is
//! deterministic. Two ticks without a letter between cannot happen: a counted body that may be empty is made a unit of
//! its own, which cannot.
//!
//! Cost: proportional to the edges of all member nodes over all states built; letters are swept in ranges, never one by
//! one, so an automaton over code points costs no more than one over bytes.

use crate::dfa::{Call, Dfa, Letter, State};
use crate::nfa::{self, Nfa, Node, NodeId};
use crate::work::{Stop, Work};
use formwork_grammar::HashMap;
use hashbrown::HashTable;
use std::ops::Range;

/// The deterministic automaton of what is read between `start` and [`Node::End`].
///
/// With `without_empty`, the empty text is taken out of the language: the start gets a state of its own that does not
/// accept. Stops at more than `max_states` states.
pub(crate) fn determinise(
    nfa: &Nfa,
    start: NodeId,
    without_empty: bool,
    max_states: usize,
    work: &mut Work<'_>,
) -> Result<Dfa, Stop> {
    let mut subset = Subset {
        nfa,
        dfa: Dfa::default(),
        nodes: Vec::new(),
        sets: Vec::new(),
        ids: HashTable::new(),
        by_targets: HashMap::default(),
        by_target: vec![None; nfa.nodes.len()],
        hasher: ahash::RandomState::with_seeds(1, 2, 3, 4),
        seen: vec![0; nfa.nodes.len()],
        stamp: 0,
        stack: Vec::new(),
        set: Vec::new(),
        ticked: Vec::new(),
        max_states,
    };
    subset.close(&[start]);
    let first =
        if without_empty || subset.set.is_empty() { subset.push()? } else { subset.intern()?.unwrap_or(0) };
    debug_assert_eq!(first, 0, "the start is the first state");
    if without_empty {
        subset.dfa.states[0].accepting = false;
    }
    let mut next = 0;
    while next < subset.dfa.states.len() {
        subset.expand(next, work)?;
        next += 1;
    }
    Ok(subset.dfa)
}

/// Where a letter leads: (without a tick, with a tick).
type Reached = (Option<u32>, Option<u32>);

#[derive(Debug)]
struct Subset<'a> {
    nfa: &'a Nfa,
    dfa: Dfa,
    /// The members of all states, each state's ascending, one after the other.
    nodes: Vec<NodeId>,
    /// Per state its part of `nodes`.
    sets: Vec<Range<usize>>,
    /// States by their members.
    ids: HashTable<u32>,
    /// Where a sorted list of direct targets leads, and where a single one does.
    by_targets: HashMap<Vec<NodeId>, Reached>,
    by_target: Vec<Option<Reached>>,
    hasher: ahash::RandomState,
    /// Per node the stamp of the closure that last met it.
    seen: Vec<u32>,
    stamp: u32,
    stack: Vec<NodeId>,
    /// The result of the last closure, and the nodes behind the ticks that it met.
    set: Vec<NodeId>,
    ticked: Vec<NodeId>,
    max_states: usize,
}

impl Subset<'_> {
    /// Puts into `set` the reading nodes reached from `seeds` without a letter or a tick, into `ticked` what lies behind
    /// ticks.
    fn close(&mut self, seeds: &[NodeId]) {
        self.stamp += 1;
        self.set.clear();
        self.ticked.clear();
        self.stack.extend_from_slice(seeds);
        while let Some(node) = self.stack.pop() {
            let seen = &mut self.seen[node as usize];
            if *seen == self.stamp {
                continue;
            }
            *seen = self.stamp;
            match &self.nfa.nodes[node as usize] {
                Node::Split(targets) => self.stack.extend_from_slice(targets),
                Node::Tick(target) => self.ticked.push(*target),
                Node::Letters(letters) if letters.is_empty() => {}
                Node::Letters(_) | Node::Call(..) | Node::End => self.set.push(node),
            }
        }
        self.set.sort_unstable();
    }

    /// A new state of the nodes in `set`.
    fn push(&mut self) -> Result<u32, Stop> {
        let id = u32::try_from(self.sets.len()).map_err(|_| Stop::States)?;
        if self.sets.len() >= self.max_states {
            return Err(Stop::States);
        }
        let accepting = self.set.iter().any(|node| matches!(self.nfa.nodes[*node as usize], Node::End));
        let start = self.nodes.len();
        self.nodes.extend_from_slice(&self.set);
        self.sets.push(start..self.nodes.len());
        self.dfa.states.push(State { accepting, ..State::default() });
        Ok(id)
    }

    /// The state of the nodes in `set`; none if there are none.
    fn intern(&mut self) -> Result<Option<u32>, Stop> {
        if self.set.is_empty() {
            return Ok(None);
        }
        let hash = self.hasher.hash_one(&self.set);
        let (sets, nodes) = (&self.sets, &self.nodes);
        if let Some(&id) = self.ids.find(hash, |&id| nodes[sets[id as usize].clone()] == self.set[..]) {
            return Ok(Some(id));
        }
        let id = self.push()?;
        let (sets, nodes, hasher) = (&self.sets, &self.nodes, &self.hasher);
        self.ids.insert_unique(hash, id, |&id| hasher.hash_one(&nodes[sets[id as usize].clone()]));
        Ok(Some(id))
    }

    fn follow_one(&mut self, target: NodeId) -> Result<Reached, Stop> {
        if let Some(known) = self.by_target[target as usize] {
            return Ok(known);
        }
        let reached = self.reach(&[target])?;
        self.by_target[target as usize] = Some(reached);
        Ok(reached)
    }

    fn follow(&mut self, targets: &mut Vec<NodeId>) -> Result<Reached, Stop> {
        if targets.len() > 1 {
            targets.sort_unstable();
            targets.dedup();
        }
        if let [only] = targets[..] {
            return self.follow_one(only);
        }
        if let Some(&known) = self.by_targets.get(targets) {
            return Ok(known);
        }
        let reached = self.reach(targets)?;
        self.by_targets.insert(targets.clone(), reached);
        Ok(reached)
    }

    fn reach(&mut self, targets: &[NodeId]) -> Result<Reached, Stop> {
        self.close(targets);
        let ticked = std::mem::take(&mut self.ticked);
        let plain = self.intern()?;
        if ticked.is_empty() {
            return Ok((plain, None));
        }
        // What lies behind a second tick cannot be reached without a letter: see above.
        self.close(&ticked);
        Ok((plain, self.intern()?))
    }

    fn expand(&mut self, state: usize, work: &mut Work<'_>) -> Result<(), Stop> {
        let nfa = self.nfa;
        let mut letters: Vec<nfa::Range> = Vec::new();
        let mut calls: Vec<(u32, NodeId)> = Vec::new();
        for &node in &self.nodes[self.sets[state].clone()] {
            match &nfa.nodes[node as usize] {
                Node::Letters(ranges) => letters.extend_from_slice(ranges),
                Node::Call(unit, target) => calls.push((*unit, *target)),
                _ => {}
            }
        }
        work.spend(letters.len() + calls.len() + 1)?;
        self.expand_letters(state, letters, work)?;
        calls.sort_unstable();
        for chunk in calls.chunk_by(|a, b| a.0 == b.0) {
            let mut targets = chunk.iter().map(|call| call.1).collect();
            let (plain, ticked) = self.follow(&mut targets)?;
            for (target, ticks) in [(plain, false), (ticked, true)] {
                if let Some(target) = target {
                    self.dfa.states[state].calls.push(Call { unit: chunk[0].0, ticks, target });
                }
            }
        }
        Ok(())
    }

    /// Sweeps the ranges: between two neighbouring boundaries the set of targets does not change.
    fn expand_letters(
        &mut self,
        state: usize,
        mut letters: Vec<nfa::Range>,
        work: &mut Work<'_>,
    ) -> Result<(), Stop> {
        let mut out: Vec<Letter> = Vec::with_capacity(letters.len());
        letters.sort_unstable();
        if letters.windows(2).all(|pair| pair[0].high < pair[1].low) {
            // Most states read each letter in one way: nothing to sweep.
            for range in letters {
                let reached = self.follow_one(range.target)?;
                emit(&mut out, range.low, range.high, reached);
            }
        } else {
            let mut bounds: Vec<u32> = letters.iter().flat_map(|range| [range.low, range.high + 1]).collect();
            bounds.sort_unstable();
            bounds.dedup();
            let mut cells: Vec<Vec<NodeId>> = vec![Vec::new(); bounds.len()];
            for range in &letters {
                let first = bounds.partition_point(|&bound| bound < range.low);
                let last = bounds.partition_point(|&bound| bound <= range.high);
                work.spend(last - first)?;
                for cell in &mut cells[first..last] {
                    cell.push(range.target);
                }
            }
            for (i, mut targets) in cells.into_iter().enumerate() {
                if !targets.is_empty() {
                    let reached = self.follow(&mut targets)?;
                    emit(&mut out, bounds[i], bounds[i + 1] - 1, reached);
                }
            }
        }
        out.sort_unstable();
        self.dfa.states[state].letters = out;
        Ok(())
    }
}

/// Adds the letters of a range, joined with what stands just before it.
fn emit(out: &mut Vec<Letter>, low: u32, high: u32, (plain, ticked): Reached) {
    for (target, ticks) in [(plain, false), (ticked, true)] {
        let Some(target) = target else { continue };
        // The last letter of the same tick can only be among the last two.
        let joins = |last: &&mut Letter| last.ticks == ticks && last.target == target && last.high + 1 == low;
        match out.iter_mut().rev().take(2).find(joins) {
            Some(last) => last.high = high,
            None => out.push(Letter { low, high, ticks, target }),
        }
    }
}
