//! A counted rule without its counting.
//!
//! An item of `"\"" [a-z]{1,320} "\""` that has counted 10 is so far from 320 that no short text brings it there: what its state
//! says of short texts is what the state of `"\"" [a-z]+ "\""` says, which is found without counting. So the tables of a
//! counted rule have a second form in which nothing ticks, and this says for which items it holds:
//! - from a state that needs `need` more ticks (see [`ticks`](crate::ticks)) every way to an end makes as many, so that for
//!   an item whose lower bound asks for no more, no end comes too early;
//! - where every state [reaches](Unticked::ticks_on) any number of ticks a lower bound matters to ends alone, and to nobody if what
//!   stands behind the rule's end is nobody's;
//! - between two ticks lie at least [`apart`](Unticked::apart) bytes, so that a text ticks at most so often;
//! - behind any text the most that any state needs is [`most_needed`](Unticked::most_needed), so that an item which still may tick as
//!   often as the text does, and so many times more, can end.
//!
//! Only for rules without calls, whose ticks are letters.
//!
//! # Sets of states
//! Where a byte may tick and may not (a blank behind a word may be the last of its gap, or not), what is reached without
//! counting is a set of states, and the tables are those of the subset construction: the rule's states keep their numbers,
//! as sets of one, and sets of several come behind them. Whoever asks about an item asks about its state, so sets of
//! several are met on the way only.
//!
//! # Worked example
//! `([a-z]+ " "+){0,99} [a-z]+ "."`: behind a letter the rule is in s1, from which a blank leads to s2, without a tick, as the
//! gap goes on, and to s3 with one, as it ends. Without ticks it leads to {s2, s3}, from which further blanks lead back, and
//! letters to s1. Two ticks are two bytes apart, and from s2 one is needed: a text of 24 bytes ticks at most 12 times, and
//! whoever may tick 13 times more need not count in it.

use crate::dfa::{Dfa, Letter};
use crate::tables::{ByteEdge, Tables, Ticks};
use formwork_grammar::{ByteSet, HashMap};
use std::collections::VecDeque;
use std::sync::Arc;

/// A counted rule's tables without ticks.
#[derive(Debug)]
pub(crate) struct Unticked {
    pub(crate) tables: Tables,
    /// The most ticks that any state needs to an end.
    pub(crate) most_needed: u32,
    /// The least number of bytes from one tick to the next; `u32::MAX` if there is never a next one.
    pub(crate) apart: u32,
    /// Whether every state reaches any number of ticks.
    pub(crate) ticks_on: bool,
}

/// Sets of several states, at most: those of ordinary patterns are fewer than the states.
const MAX_SETS: usize = 2_000;
/// States of a set, at most.
const MAX_MEMBERS: usize = 16;

impl Unticked {
    /// The states keep their numbers; sets of several stand behind them. `None` if the rule calls others, or there are too
    /// many sets.
    ///
    /// Cost: linear in the edges of all states and sets, but for those of the sets, which are sorted.
    pub(crate) fn of(tables: &Tables) -> Option<Self> {
        if !tables.calls.is_empty() {
            return None;
        }
        let n_states = tables.n_states() as u32;
        let mut sets = Sets { n_states, numbers: HashMap::default(), list: Vec::new() };
        let mut dfa = Dfa::default();
        for state in 0..n_states {
            sets.letters(tables, &[state], &mut dfa)?;
        }
        let mut next = 0;
        while let Some(set) = sets.list.get(next).cloned() {
            sets.letters(tables, &set, &mut dfa)?;
            next += 1;
        }
        let most_needed = (0..n_states).map(|state| tables.ticks_ahead(state).0).max().unwrap_or(0);
        let (apart, ticks_on) =
            (apart(tables), (0..n_states).all(|state| tables.ticks_ahead(state).1 == u32::MAX));
        let (tables, _) = Tables::of(&dfa, &Ticks::None, |_| ByteSet::EMPTY).ok()?;
        Some(Self { tables, most_needed, apart, ticks_on })
    }
}

/// The sets of several states that were met.
struct Sets {
    n_states: u32,
    numbers: HashMap<Arc<[u32]>, u32>,
    list: Vec<Arc<[u32]>>,
}

impl Sets {
    /// Adds the state that the set is.
    fn letters(&mut self, tables: &Tables, set: &[u32], dfa: &mut Dfa) -> Option<()> {
        let edges = |&state: &u32| [tables.plain_edges(state), tables.ticking_edges(state)];
        let mut edges: Vec<ByteEdge> = set.iter().flat_map(edges).flatten().copied().collect();
        edges.sort_unstable_by_key(|edge| (edge.low, edge.high, edge.target));
        edges.dedup();
        let mut add = |low: u8, high: u8, target| {
            dfa.add_letter(Letter { low: low.into(), high: high.into(), ticks: false, target });
        };
        if edges.windows(2).all(|pair| pair[0].high < pair[1].low) {
            edges.iter().for_each(|edge| add(edge.low, edge.high, edge.target));
        } else {
            // Where an edge begins or has ended; between two such places all bytes lead alike.
            let mut places: Vec<u16> =
                edges.iter().flat_map(|edge| [edge.low.into(), u16::from(edge.high) + 1]).collect();
            places.sort_unstable();
            places.dedup();
            for pair in places.windows(2) {
                let (low, high) = (pair[0] as u8, (pair[1] - 1) as u8);
                let here = edges.iter().take_while(|edge| edge.low <= low).filter(|edge| edge.high >= high);
                let mut targets: Vec<u32> = here.map(|edge| edge.target).collect();
                if !targets.is_empty() {
                    targets.sort_unstable();
                    targets.dedup();
                    add(low, high, self.number(targets)?);
                }
            }
        }
        dfa.finish_merged(set.iter().any(|&state| tables.is_accepting(state)));
        Some(())
    }

    fn number(&mut self, set: Vec<u32>) -> Option<u32> {
        if let [state] = set[..] {
            return Some(state);
        }
        if let Some(&known) = self.numbers.get(&set[..]) {
            return Some(known);
        }
        if set.len() > MAX_MEMBERS || self.list.len() == MAX_SETS {
            return None;
        }
        let number = self.n_states + self.list.len() as u32;
        let set: Arc<[u32]> = set.into();
        self.list.push(Arc::clone(&set));
        self.numbers.insert(set, number);
        Some(number)
    }
}

/// The least number of bytes from one tick to the next.
fn apart(tables: &Tables) -> u32 {
    let n_states = tables.n_states() as u32;
    let mut seen = vec![false; n_states as usize];
    // What stands behind a tick, and then by the bytes read since.
    let mut queue: VecDeque<(u32, u32)> = VecDeque::new();
    let behind_ticks = (0..n_states).flat_map(|state| tables.ticking_edges(state));
    queue.extend(behind_ticks.map(|edge| (edge.target, 1)));
    while let Some((state, n_bytes)) = queue.pop_front() {
        if std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        if !tables.ticking_edges(state).is_empty() {
            return n_bytes;
        }
        queue.extend(tables.plain_edges(state).iter().map(|edge| (edge.target, n_bytes + 1)));
    }
    u32::MAX
}

#[cfg(test)]
mod tests {
    use formwork_grammar::{ByteSet, CharClass, Grammar, GrammarBuilder, Place};

    /// `([a-z]+ " "+){0,99} [a-z]+ "."`.
    fn words() -> Grammar {
        let mut b = GrammarBuilder::new();
        let root = b.declare("root", Place::none());
        let (letter, blank, end) =
            (b.class(CharClass::range('a', 'z')), b.class(CharClass::range(' ', ' ')), b.literal("."));
        let (word, gap) = (b.plus(letter), b.plus(blank));
        let body = b.seq([word, gap]);
        let words = b.repeat(body, 0, Some(99));
        let body = b.seq([words, word, end]);
        b.define(root, body);
        b.build(root).expect("a grammar")
    }

    #[test]
    fn the_worked_example() {
        let automata = crate::build(&words(), &crate::Config::default(), &|| false).expect("automata");
        let root = automata.root();
        let unticked = automata.unticked(root).expect("a counted rule without calls");
        let behind = |text: &str| {
            let step = |state, byte| unticked.view().step(state, byte).0.expect("it is read");
            text.bytes().fold(automata.start(root).local(), step)
        };
        let n_states = automata.n_states_of(root) as u32;
        assert!(behind("ab") < n_states, "one state");
        assert!(behind("ab ") >= n_states, "a set of two");
        assert_eq!(behind("ab "), behind("ab   "));
        assert_eq!(behind("ab c"), behind("ab"));
        let next = |text| *unticked.view().next_bytes(behind(text));
        assert_eq!(next("ab "), ByteSet::range(b'a', b'z').union(&ByteSet::range(b' ', b' ')));
        assert_eq!([1, 2, 3, 24].map(|n_bytes| unticked.most_ticks(n_bytes)), [2, 2, 3, 13]);
    }
}
