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
use crate::nfa::{Nfa, Node, NodeId, Range};
use crate::work::{Stop, Work};
use formwork_grammar::HashMap;

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
        sets: Vec::new(),
        ids: HashMap::default(),
        by_targets: HashMap::default(),
        seen: vec![0; nfa.nodes.len()],
        stamp: 0,
        stack: Vec::new(),
        max_states,
    };
    let (set, _) = subset.closure(&[start]);
    let first = if without_empty {
        subset.push(set)?
    } else {
        match subset.intern(set)? {
            Some(id) => id,
            None => subset.push(Vec::new())?,
        }
    };
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

#[derive(Debug)]
struct Subset<'a> {
    nfa: &'a Nfa,
    dfa: Dfa,
    /// The nodes of each state, ascending.
    sets: Vec<Vec<NodeId>>,
    ids: HashMap<Vec<NodeId>, u32>,
    /// Where a sorted list of direct targets leads: (without tick, with tick).
    by_targets: HashMap<Vec<NodeId>, (Option<u32>, Option<u32>)>,
    /// Per node the stamp of the closure that last met it.
    seen: Vec<u32>,
    stamp: u32,
    stack: Vec<NodeId>,
    max_states: usize,
}

impl Subset<'_> {
    /// The reading nodes reached from `seeds` without a letter: (without passing a tick, after passing one).
    fn closure(&mut self, seeds: &[NodeId]) -> (Vec<NodeId>, Vec<NodeId>) {
        let mut ticked = Vec::new();
        let plain = self.close(seeds, Some(&mut ticked));
        let ticked = if ticked.is_empty() { ticked } else { self.close(&ticked, None) };
        (plain, ticked)
    }

    fn close(&mut self, seeds: &[NodeId], mut ticked: Option<&mut Vec<NodeId>>) -> Vec<NodeId> {
        self.stamp += 1;
        let mut set = Vec::new();
        self.stack.extend_from_slice(seeds);
        while let Some(node) = self.stack.pop() {
            let seen = &mut self.seen[node as usize];
            if *seen == self.stamp {
                continue;
            }
            *seen = self.stamp;
            match &self.nfa.nodes[node as usize] {
                Node::Split(targets) => self.stack.extend_from_slice(targets),
                Node::Tick(target) => {
                    if let Some(ticked) = ticked.as_deref_mut() {
                        ticked.push(*target);
                    }
                }
                Node::Letters(letters) if letters.is_empty() => {}
                Node::Letters(_) | Node::Call(..) | Node::End => set.push(node),
            }
        }
        set.sort_unstable();
        set
    }

    fn push(&mut self, set: Vec<NodeId>) -> Result<u32, Stop> {
        let id = u32::try_from(self.sets.len()).map_err(|_| Stop::States)?;
        if self.sets.len() >= self.max_states {
            return Err(Stop::States);
        }
        let accepting = set.iter().any(|node| matches!(self.nfa.nodes[*node as usize], Node::End));
        self.sets.push(set);
        self.dfa.states.push(State { accepting, ..State::default() });
        Ok(id)
    }

    fn intern(&mut self, set: Vec<NodeId>) -> Result<Option<u32>, Stop> {
        if set.is_empty() {
            return Ok(None);
        }
        if let Some(&id) = self.ids.get(&set) {
            return Ok(Some(id));
        }
        let id = self.push(set.clone())?;
        self.ids.insert(set, id);
        Ok(Some(id))
    }

    fn follow(&mut self, mut targets: Vec<NodeId>) -> Result<(Option<u32>, Option<u32>), Stop> {
        targets.sort_unstable();
        targets.dedup();
        if let Some(&known) = self.by_targets.get(&targets) {
            return Ok(known);
        }
        let (plain, ticked) = self.closure(&targets);
        let result = (self.intern(plain)?, self.intern(ticked)?);
        self.by_targets.insert(targets, result);
        Ok(result)
    }

    fn expand(&mut self, state: usize, work: &mut Work<'_>) -> Result<(), Stop> {
        let nfa = self.nfa;
        let set = std::mem::take(&mut self.sets[state]);
        let mut letters: Vec<Range> = Vec::new();
        let mut calls: Vec<(u32, NodeId)> = Vec::new();
        for node in &set {
            match &nfa.nodes[*node as usize] {
                Node::Letters(ranges) => letters.extend_from_slice(ranges),
                Node::Call(unit, target) => calls.push((*unit, *target)),
                _ => {}
            }
        }
        self.sets[state] = set;
        work.spend(letters.len() + calls.len() + 1)?;
        self.expand_letters(state, letters, work)?;
        calls.sort_unstable();
        for chunk in calls.chunk_by(|a, b| a.0 == b.0) {
            let (plain, ticked) = self.follow(chunk.iter().map(|call| call.1).collect())?;
            for (target, ticks) in [(plain, false), (ticked, true)] {
                if let Some(target) = target {
                    self.dfa.states[state].calls.push(Call { unit: chunk[0].0, ticks, target });
                }
            }
        }
        Ok(())
    }

    /// Sweeps the ranges: between two neighbouring boundaries the set of targets does not change.
    fn expand_letters(&mut self, state: usize, letters: Vec<Range>, work: &mut Work<'_>) -> Result<(), Stop> {
        let mut out: Vec<Letter> = Vec::new();
        let mut emit = |low: u32, high: u32, target: Option<u32>, ticks: bool| {
            let Some(target) = target else { return };
            // The last letter of the same tick can only be among the last two.
            for last in out.iter_mut().rev().take(2) {
                if last.ticks == ticks && last.target == target && last.high + 1 == low {
                    last.high = high;
                    return;
                }
            }
            out.push(Letter { low, high, ticks, target });
        };
        if let [only] = letters[..] {
            let (plain, ticked) = self.follow(vec![only.target])?;
            emit(only.low, only.high, plain, false);
            emit(only.low, only.high, ticked, true);
        } else if !letters.is_empty() {
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
            for (i, targets) in cells.into_iter().enumerate() {
                if !targets.is_empty() {
                    let (low, high) = (bounds[i], bounds[i + 1] - 1);
                    let (plain, ticked) = self.follow(targets)?;
                    emit(low, high, plain, false);
                    emit(low, high, ticked, true);
                }
            }
        }
        out.sort_unstable();
        self.dfa.states[state].letters = out;
        Ok(())
    }
}
