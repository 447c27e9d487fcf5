//! How many ticks lie between a state and acceptance.
//!
//! An item that counted c ticks may exist only if the bounds [m, n] can still be met: c + least ≤ n, and c + greatest ≥ m.
//! Between the least and the greatest every number is possible here, because every counter is a loop that ticks once
//! a round; of the lengths of texts, which are counted, too, no [gap](longest_step) is as wide as the bounds lie apart.

use crate::adjacency::Adjacency;
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
    let sources = Adjacency::new(n, edges.iter().map(|edge| edge.1));
    // Least: a breadth-first search backwards in which an edge without a tick is free.
    let mut least: Vec<Option<u32>> = vec![None; n];
    let mut queue: VecDeque<(u32, u32)> =
        dfa.numbers().filter(|&state| dfa.is_accepting(state)).map(|state| (state, 0)).collect();
    while let Some((state, distance)) = queue.pop_front() {
        if least[state as usize].is_some() {
            continue;
        }
        least[state as usize] = Some(distance);
        for &edge in sources.of(state) {
            let (source, _, ticks) = edges[edge as usize];
            if ticks { queue.push_back((source, distance + 1)) } else { queue.push_front((source, distance)) }
        }
    }
    // Greatest: over the components of the live part, callees first; a tick inside a component can be repeated.
    let live = |state: u32| least[state as usize].is_some();
    edges.retain(|&(source, target, _)| live(source) && live(target));
    let outgoing = Adjacency::new(n, edges.iter().map(|edge| edge.0));
    let mut greatest = vec![0u32; n];
    let mut component_of = vec![usize::MAX; n];
    let found = components(n, |state| outgoing.of(state).iter().map(|&edge| edges[edge as usize].1));
    for (number, component) in found.iter().enumerate() {
        for &state in component {
            component_of[state as usize] = number;
        }
        let mut best = 0u32;
        for &state in component {
            for &edge in outgoing.of(state) {
                let (_, target, ticks) = edges[edge as usize];
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

/// From the length of a text that is accepted from some state of an automaton over code points, unless it is the greatest,
/// to the next: the most. 1 if there are no gaps.
///
/// By induction on the length: of what a state accepts a length that is not the greatest behind its letter has the next
/// behind that letter, and from one that is the next stands behind another letter, at most a hole away.
///
/// In the middle of a character, of an escape mostly, only some of the letters are left: there a hole may be that others fill.
/// So for any two letters the hole between them counts, too: of `a` and four letters, `b` and up to two, `z` and three,
/// behind `\u006` there is nothing of length 4.
pub(crate) fn longest_step(dfa: &Dfa) -> u32 {
    let bounds = ticks(dfa, true, |_| true);
    let mut longest = 1;
    let mut intervals: Vec<(u32, u32)> = Vec::new();
    for state in dfa.numbers() {
        intervals.clear();
        let ahead = dfa.letters(state).iter().filter_map(|letter| bounds[letter.target as usize]);
        intervals.extend(ahead.map(|(least, greatest)| (least + 1, greatest.saturating_add(1))));
        let latest = intervals.iter().map(|interval| interval.0).max();
        let soonest = intervals.iter().map(|interval| interval.1).min();
        longest = longest.max(latest.unwrap_or(0).saturating_sub(soonest.unwrap_or(0)));
        if dfa.is_accepting(state) {
            intervals.push((0, 0));
        }
        intervals.sort_unstable();
        let mut end = intervals.first().map_or(0, |interval| interval.1);
        for &(low, high) in &intervals {
            longest = longest.max(low.saturating_sub(end));
            end = end.max(high);
        }
    }
    longest
}
