//! How many ticks lie between a state and acceptance.
//!
//! An item that counted c ticks may exist only if the bounds [m, n] can still be met: c + least ≤ n, and c + greatest ≥ m.
//! Between the least and the greatest every number is possible here, because every counter is a loop that ticks once
//! a round.

use crate::dfa::Dfa;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::VecDeque;

/// Per state the least and the greatest number of ticks on a way to acceptance (`u32::MAX`: without end), or `None` if
/// there is no way. Only calls that `may_call` permits are taken.
pub(crate) fn ticks(dfa: &Dfa, may_call: impl Fn(u32) -> bool) -> Vec<Option<(u32, u32)>> {
    let n = dfa.states.len();
    let mut edges: Vec<(u32, u32, bool)> = Vec::new();
    for (i, state) in dfa.states.iter().enumerate() {
        edges.extend(state.letters.iter().map(|letter| (i as u32, letter.target, letter.ticks)));
        let calls = state.calls.iter().filter(|call| may_call(call.unit));
        edges.extend(calls.map(|call| (i as u32, call.target, call.ticks)));
    }
    let mut sources: Vec<Vec<(u32, bool)>> = vec![Vec::new(); n];
    for &(source, target, ticks) in &edges {
        sources[target as usize].push((source, ticks));
    }
    // Least: a breadth-first search backwards in which an edge without a tick is free.
    let mut least: Vec<Option<u32>> = vec![None; n];
    let mut queue: VecDeque<(u32, u32)> =
        (0..n as u32).filter(|&i| dfa.states[i as usize].accepting).map(|i| (i, 0)).collect();
    while let Some((state, distance)) = queue.pop_front() {
        if least[state as usize].is_some() {
            continue;
        }
        least[state as usize] = Some(distance);
        for &(source, ticks) in &sources[state as usize] {
            if ticks { queue.push_back((source, distance + 1)) } else { queue.push_front((source, distance)) }
        }
    }
    // Greatest: over the components of the live part, callees first; a tick inside a component can be repeated.
    let live = |state: u32| least[state as usize].is_some();
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(n, edges.len());
    for _ in 0..n {
        graph.add_node(());
    }
    edges.retain(|&(source, target, _)| live(source) && live(target));
    for &(source, target, _) in &edges {
        graph.add_edge(NodeIndex::new(source as usize), NodeIndex::new(target as usize), ());
    }
    let mut outgoing: Vec<Vec<(u32, bool)>> = vec![Vec::new(); n];
    for &(source, target, ticks) in &edges {
        outgoing[source as usize].push((target, ticks));
    }
    let mut greatest = vec![0u32; n];
    let mut component_of = vec![usize::MAX; n];
    for (number, component) in petgraph::algo::kosaraju_scc(&graph).into_iter().enumerate() {
        for node in &component {
            component_of[node.index()] = number;
        }
        let mut best = 0u32;
        for node in &component {
            for &(target, ticks) in &outgoing[node.index()] {
                let inside = component_of[target as usize] == number;
                let ahead = match (inside, ticks) {
                    (true, true) => u32::MAX,
                    (true, false) => 0,
                    (false, _) => greatest[target as usize].saturating_add(u32::from(ticks)),
                };
                best = best.max(ahead);
            }
        }
        for node in component {
            greatest[node.index()] = best;
        }
    }
    least.into_iter().zip(greatest).map(|(least, greatest)| least.map(|least| (least, greatest))).collect()
}

/// Whether from every state of an automaton over code points the lengths of accepted texts have no gaps between the least
/// and the greatest.
///
/// By induction on the length: it is enough that each state's interval is covered by its own end and its successors'
/// intervals, one longer.
pub(crate) fn lengths_are_contiguous(dfa: &Dfa) -> bool {
    let mut ticking = dfa.clone();
    for letter in ticking.states.iter_mut().flat_map(|state| &mut state.letters) {
        letter.ticks = true;
    }
    let bounds = ticks(&ticking, |_| true);
    dfa.states.iter().zip(&bounds).all(|(state, bound)| {
        let Some((least, greatest)) = *bound else { return true };
        let mut intervals: Vec<(u32, u32)> = Vec::new();
        if state.accepting {
            intervals.push((0, 0));
        }
        let ahead = state.letters.iter().filter_map(|letter| bounds[letter.target as usize]);
        intervals.extend(ahead.map(|(least, greatest)| (least + 1, greatest.saturating_add(1))));
        intervals.sort_unstable();
        let mut next = least;
        for (low, high) in intervals {
            if low > next {
                return false;
            }
            if high == u32::MAX {
                return true;
            }
            next = next.max(high + 1);
        }
        next > greatest
    })
}
