//! Intersections and complements: automata over code points.
//!
//! The operands are regular (no rules), so each has a deterministic automaton over code points; intersection is a product
//! of two of them, complement swaps acceptance after adding the state where everything has failed.
//! Minimised on the way, since products multiply.

use crate::dfa::{Dfa, Letter, State};
use crate::minimise::{Adjacency, merge_neighbours, minimise};
use crate::work::{Stop, Work};
use formwork_grammar::HashMap;

const LAST: u32 = 0x10_FFFF;

/// The texts that both accept.
pub(crate) fn intersection(a: &Dfa, b: &Dfa, max_states: usize, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    let mut ids: HashMap<(u32, u32), u32> = HashMap::default();
    let mut pairs = vec![(0u32, 0u32)];
    ids.insert((0, 0), 0);
    let mut states = Vec::new();
    while states.len() < pairs.len() {
        let (p, q) = pairs[states.len()];
        let (left, right) = (&a.states[p as usize], &b.states[q as usize]);
        work.spend(left.letters.len() + right.letters.len() + 1)?;
        let (mut i, mut k) = (0, 0);
        let mut letters = Vec::new();
        while let (Some(x), Some(y)) = (left.letters.get(i), right.letters.get(k)) {
            let (low, high) = (x.low.max(y.low), x.high.min(y.high));
            if low <= high {
                let pair = (x.target, y.target);
                let next = pairs.len() as u32;
                let target = *ids.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    next
                });
                letters.push(Letter { low, high, ticks: false, target });
            }
            if x.high < y.high { i += 1 } else { k += 1 }
        }
        if pairs.len() > max_states {
            return Err(Stop::States);
        }
        merge_neighbours(&mut letters);
        states.push(State { letters, calls: Vec::new(), accepting: left.accepting && right.accepting });
    }
    tidy(Dfa { states }, work)
}

/// The texts that it does not accept.
pub(crate) fn complement(dfa: &Dfa, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    let mut states = dfa.states.clone();
    let sink = states.len() as u32;
    states.push(State::default());
    for state in &mut states {
        work.spend(state.letters.len() + 1)?;
        state.accepting = !state.accepting;
        let mut letters = Vec::with_capacity(2 * state.letters.len() + 1);
        let mut next = 0;
        for &letter in &state.letters {
            if next < letter.low {
                letters.push(Letter { low: next, high: letter.low - 1, ticks: false, target: sink });
            }
            letters.push(letter);
            next = letter.high + 1;
        }
        if next <= LAST {
            letters.push(Letter { low: next, high: LAST, ticks: false, target: sink });
        }
        merge_neighbours(&mut letters);
        state.letters = letters;
    }
    tidy(Dfa { states }, work)
}

/// Drops states that cannot accept and merges equal ones.
pub(crate) fn tidy(mut dfa: Dfa, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    let live = accepting_reachable(&dfa, |_| true);
    dfa.retain(&live, |_| true);
    minimise(&dfa, work)
}

/// Per state whether an accepting state can be reached, along letters and the calls that may be used.
pub(crate) fn accepting_reachable(dfa: &Dfa, may_call: impl Fn(u32) -> bool) -> Vec<bool> {
    let n = dfa.states.len();
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (i, state) in dfa.states.iter().enumerate() {
        edges.extend(state.letters.iter().map(|letter| (i as u32, letter.target)));
        edges.extend(
            state.calls.iter().filter(|call| may_call(call.unit)).map(|call| (i as u32, call.target)),
        );
    }
    let incoming = Adjacency::new(n, edges.iter().map(|edge| edge.1));
    let mut live: Vec<bool> = dfa.states.iter().map(|state| state.accepting).collect();
    let mut stack: Vec<u32> = (0..n as u32).filter(|&i| live[i as usize]).collect();
    while let Some(i) = stack.pop() {
        for &edge in incoming.of(i) {
            let source = edges[edge as usize].0;
            if !std::mem::replace(&mut live[source as usize], true) {
                stack.push(source);
            }
        }
    }
    live
}
