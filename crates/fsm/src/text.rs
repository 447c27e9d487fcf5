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

/// The last code point.
pub(crate) const LAST: u32 = 0x10_FFFF;

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

/// The state of [`all_but`] from which any text is read.
pub(crate) const ANY: u32 = 1;

/// All texts but these words.
///
/// A state is the words that the text so far begins, as a part of them in order; what begins none may be any text. So "none of
/// these names" costs what the names' letters cost, instead of an automaton of the names that is then turned around. Names
/// that end alike end in states of their own: an output reaches those of a few names, and merging all would be most of the
/// work.
///
/// `{"ab", "b"}`: s0* a→s2, b→s3, else s1; s1* anything→s1; s2* b→s4, else s1; s3 and s4 anything→s1, since there one of
/// them ends.
pub(crate) fn all_but(mut words: Vec<Vec<u32>>, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    words.sort_unstable();
    words.dedup();
    let n_states = 2 + words.iter().map(Vec::len).sum::<usize>();
    // Most have one letter, and what stands before and behind it.
    let mut dfa = Dfa::with_capacity(n_states, 3 * n_states);
    dfa.leaves_out_words = true;
    // The words first..end, whose beginnings of this length are the same.
    let mut states = Vec::with_capacity(n_states);
    states.extend([(0, words.len(), 0), (0, 0, 0)]);
    while let Some(&(mut first, end, len)) = states.get(dfa.len()) {
        work.spend(1)?;
        // The shortest word stands first.
        let is_word = first < end && words[first].len() == len;
        first += usize::from(is_word);
        let mut low = 0;
        while first < end {
            let letter = words[first][len];
            if low < letter {
                dfa.add_letter(Letter { low, high: letter - 1, ticks: false, target: ANY });
            }
            dfa.add_letter(Letter { low: letter, high: letter, ticks: false, target: states.len() as u32 });
            // Most letters are of one word.
            let others = match first + 1 == end {
                true => end,
                false => first + words[first..end].partition_point(|word| word[len] == letter),
            };
            states.push((first, others, len + 1));
            (first, low) = (others, letter + 1);
        }
        if low <= LAST {
            dfa.add_letter(Letter { low, high: LAST, ticks: false, target: ANY });
        }
        dfa.finish_state(!is_word);
    }
    Ok(dfa)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_some_words() {
        let never = || false;
        let mut work = Work::new(10_000, &never);
        let letters = |word: &str| word.chars().map(u32::from).collect::<Vec<u32>>();
        let names = ["", "ab", "abc", "xbc", "é", "yabc", "abc"];
        let dfa = all_but(names.map(letters).to_vec(), &mut work).expect("enough work");
        let accepts = |text: &str| {
            let step = |state: u32, letter: u32| {
                let of = |edge: &&Letter| (edge.low..=edge.high).contains(&letter);
                dfa.letters(state).iter().find(of).map(|edge| edge.target)
            };
            letters(text).into_iter().try_fold(0, step).is_some_and(|state| dfa.is_accepting(state))
        };
        for text in
            ["", "a", "ab", "abc", "abcd", "bc", "é", "éé", "x", "xb", "xbc", "ya", "yabc", "\u{10ffff}"]
        {
            assert_eq!(accepts(text), !names.contains(&text), "{text:?}");
        }
        // The start, any text, and what is behind a, ab, abc, x, xb, xbc, y, ya, yab, yabc, and é.
        assert_eq!(dfa.len(), 13);
    }
}
