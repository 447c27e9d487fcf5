//! How many ticks lie between a state and acceptance.
//!
//! An item that counted c ticks may exist only if the bounds [m, n] can still be met: c + least ≤ n, and c + greatest ≥ m.
//! Between the least and the greatest every number is possible here, because every counter is a loop that ticks once
//! a round.

use crate::components::components;
use crate::dfa::Dfa;
use std::collections::VecDeque;

/// Per state the least and the greatest number of ticks on a way to acceptance (`u32::MAX`: without end), or `None` if
/// there is no way. Only calls that `may_call` permits are taken. With `always`, every letter and every call ticks.
pub(crate) fn ticks(dfa: &Dfa, always: bool, may_call: impl Fn(u32) -> bool) -> Vec<Option<(u32, u32)>> {
    let n = dfa.len();
    let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(dfa.n_edges());
    for state in dfa.numbers() {
        edges.extend(dfa.letters(state).iter().map(|letter| (state, letter.target, letter.ticks || always)));
        let calls = dfa.calls(state).iter().filter(|call| may_call(call.unit));
        edges.extend(calls.map(|call| (state, call.target, call.tick != 0 || always)));
    }
    let mut sources: Vec<Vec<(u32, bool)>> = vec![Vec::new(); n];
    for &(source, target, ticks) in &edges {
        sources[target as usize].push((source, ticks));
    }
    // Least: a breadth-first search backwards in which an edge without a tick is free.
    let mut least: Vec<Option<u32>> = vec![None; n];
    let mut queue: VecDeque<(u32, u32)> =
        dfa.numbers().filter(|&state| dfa.is_accepting(state)).map(|state| (state, 0)).collect();
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
    edges.retain(|&(source, target, _)| live(source) && live(target));
    let mut outgoing: Vec<Vec<(u32, bool)>> = vec![Vec::new(); n];
    for &(source, target, ticks) in &edges {
        outgoing[source as usize].push((target, ticks));
    }
    let mut greatest = vec![0u32; n];
    let mut component_of = vec![usize::MAX; n];
    let found = components(n, |state| outgoing[state as usize].iter().map(|edge| edge.0));
    for (number, component) in found.iter().enumerate() {
        for &state in component {
            component_of[state as usize] = number;
        }
        let mut best = 0u32;
        for &state in component {
            for &(target, ticks) in &outgoing[state as usize] {
                let inside = component_of[target as usize] == number;
                let ahead = match (inside, ticks) {
                    (true, true) => u32::MAX,
                    (true, false) => 0,
                    (false, _) => greatest[target as usize].saturating_add(u32::from(ticks)),
                };
                best = best.max(ahead);
            }
        }
        for &state in component {
            greatest[state as usize] = best;
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
    let bounds = ticks(dfa, true, |_| true);
    dfa.numbers().all(|state| {
        let Some((least, greatest)) = bounds[state as usize] else { return true };
        let mut intervals: Vec<(u32, u32)> = Vec::new();
        if dfa.is_accepting(state) {
            intervals.push((0, 0));
        }
        let ahead = dfa.letters(state).iter().filter_map(|letter| bounds[letter.target as usize]);
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
