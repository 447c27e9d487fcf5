//! Intersections and complements: automata over code points.
//!
//! The operands are regular (no rules), so each has a deterministic automaton over code points; intersection is a product
//! of two of them, complement swaps acceptance after adding the state where everything has failed.
//! Minimised on the way, since products multiply.

use crate::adjacency::Adjacency;
use crate::dfa::{Dfa, Letter};
use crate::minimise::minimise;
use crate::work::{Stop, Work};
use formwork_grammar::HashMap;

const LAST: u32 = 0x10_FFFF;

/// The texts that both accept.
pub(crate) fn intersection(a: &Dfa, b: &Dfa, max_states: usize, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    let mut ids: HashMap<(u32, u32), u32> = HashMap::default();
    let mut pairs = vec![(0u32, 0u32)];
    ids.insert((0, 0), 0);
    let mut product = Dfa::default();
    while product.len() < pairs.len() {
        let (p, q) = pairs[product.len()];
        let (left, right) = (a.letters(p), b.letters(q));
        work.spend(left.len() + right.len() + 1)?;
        let (mut i, mut k) = (0, 0);
        while let (Some(x), Some(y)) = (left.get(i), right.get(k)) {
            let (low, high) = (x.low.max(y.low), x.high.min(y.high));
            if low <= high {
                let pair = (x.target, y.target);
                let next = pairs.len() as u32;
                let target = *ids.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    next
                });
                product.add_letter(Letter { low, high, ticks: false, target });
            }
            if x.high < y.high { i += 1 } else { k += 1 }
        }
        if pairs.len() > max_states {
            return Err(Stop::States);
        }
        product.finish_merged(a.is_accepting(p) && b.is_accepting(q));
    }
    tidy(product, work)
}

/// The texts that it does not accept.
pub(crate) fn complement(dfa: &Dfa, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    let sink = dfa.len() as u32;
    let mut result = Dfa::default();
    for state in dfa.numbers() {
        let letters = dfa.letters(state);
        work.spend(letters.len() + 1)?;
        let mut next = 0;
        for &letter in letters {
            if next < letter.low {
                result.add_letter(Letter { low: next, high: letter.low - 1, ticks: false, target: sink });
            }
            result.add_letter(letter);
            next = letter.high + 1;
        }
        if next <= LAST {
            result.add_letter(Letter { low: next, high: LAST, ticks: false, target: sink });
        }
        result.finish_merged(!dfa.is_accepting(state));
    }
    result.add_letter(Letter { low: 0, high: LAST, ticks: false, target: sink });
    result.finish_state(true);
    tidy(result, work)
}

/// Drops states that cannot accept and merges equal ones.
pub(crate) fn tidy(mut dfa: Dfa, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    let live = accepting_reachable(&dfa, |_| true);
    dfa.retain(&live, |_| true);
    minimise(dfa, work)
}

/// Per state whether an accepting state can be reached, along letters and the calls that may be used.
pub(crate) fn accepting_reachable(dfa: &Dfa, may_call: impl Fn(u32) -> bool) -> Vec<bool> {
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(dfa.n_edges());
    for state in dfa.numbers() {
        edges.extend(dfa.letters(state).iter().map(|letter| (state, letter.target)));
        let calls = dfa.calls(state).iter().filter(|call| may_call(call.unit));
        edges.extend(calls.map(|call| (state, call.target)));
    }
    let incoming = Adjacency::new(dfa.len(), edges.iter().map(|edge| edge.1));
    let mut live: Vec<bool> = dfa.numbers().map(|state| dfa.is_accepting(state)).collect();
    let mut stack: Vec<u32> = dfa.numbers().filter(|&i| live[i as usize]).collect();
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
