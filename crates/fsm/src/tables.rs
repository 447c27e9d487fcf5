//! A finished automaton of one rule in flat tables.
//!
//! Tables name their own states by number and what they call by position in a list that whoever uses them fills in. So
//! they belong to no grammar, and all grammars that have the rule share them.

use crate::dfa::Dfa;
use crate::guards::Guards;
use crate::ticks;
use formwork_grammar::ByteSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// The automaton of a rule. Immutable.
#[derive(Debug)]
pub(crate) struct Tables {
    /// Different for all tables of the process.
    pub(crate) uid: u64,
    /// One more than there are, so that every state's edges end where the next one's begin.
    pub(crate) states: Box<[State]>,
    pub(crate) byte_edges: Box<[ByteEdge]>,
    pub(crate) calls: Box<[CallEdge]>,
    /// Bytes on some edge.
    pub(crate) alphabet: ByteSet,
    /// What states ask of the members that came, if this is a set's.
    pub(crate) guards: Guards,
}

/// What the ticks of calls mean.
#[derive(Clone, Debug)]
pub(crate) enum Ticks {
    /// There are none.
    None,
    /// They are counted and tested against bounds.
    Counted,
    /// They are members of a set, which asks for these.
    Members(Vec<u32>),
}

/// What is known of one state. Ranges are into the edge tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Edges without a tick: `first_edge..first_ticking`; with a tick: `first_ticking..` up to the next state's first.
    /// Each part is ascending and disjoint.
    pub(crate) first_edge: u32,
    pub(crate) first_ticking: u32,
    pub(crate) first_call: u32,
    /// Least number of ticks on a way to acceptance; in a set the number of the state's guard, and so is `reach`.
    pub(crate) need: u32,
    /// Greatest number of ticks on a way to acceptance; `u32::MAX` means without end.
    pub(crate) reach: u32,
    pub(crate) accepting: bool,
    /// Whether every well-formed character beyond ASCII leads from the state back to itself without a tick.
    pub(crate) loops_utf8: bool,
    pub(crate) ticking_loops_utf8: bool,
    /// ASCII bytes that lead from the state to itself without a tick, and nowhere else.
    pub(crate) ascii_loop: [u64; 2],
    /// The same for bytes and characters that lead back with exactly one tick.
    pub(crate) ticking_ascii_loop: [u64; 2],
    pub(crate) next_bytes: ByteSet,
    /// Bytes with which a rule may begin that the state calls.
    pub(crate) called_bytes: ByteSet,
}

/// Reads a byte of `low..=high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteEdge {
    /// The lowest byte of the range.
    pub low: u8,
    /// The highest byte of the range.
    pub high: u8,
    /// The number of the state of the same rule to which it leads.
    pub target: u32,
}

/// Reads what another rule accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallEdge {
    /// The position of the rule among those that are called.
    pub(crate) import: u32,
    pub(crate) target: u32,
    /// As in [`Call`](crate::dfa::Call).
    pub(crate) tick: u32,
}

impl Tables {
    /// The tables of an automaton, and the units that it calls, by position; `first` says with which bytes the texts of a
    /// unit may begin, `ticks` what ticks mean. `None` if the members of a set cannot
    /// come in any order.
    pub(crate) fn of(
        dfa: &Dfa,
        ticks: &Ticks,
        mut first: impl FnMut(u32) -> ByteSet,
    ) -> Option<(Self, Vec<u32>)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut imports: Vec<u32> = dfa.all_calls().iter().map(|call| call.unit).collect();
        imports.sort_unstable();
        imports.dedup();
        let first: Vec<ByteSet> = imports.iter().map(|&unit| first(unit)).collect();
        let counted = matches!(ticks, Ticks::Counted);
        let (ahead, guards) = match ticks {
            Ticks::None => (Vec::new(), Guards::default()),
            Ticks::Counted => (ticks::ticks(dfa, false, |_| true), Guards::default()),
            Ticks::Members(required) => {
                let (of_states, guards) = Guards::of(dfa, required)?;
                (of_states.into_iter().map(|guard| Some((guard, guard))).collect(), guards)
            }
        };
        let mut states = Vec::with_capacity(dfa.len() + 1);
        let mut byte_edges = Vec::new();
        let mut calls = Vec::new();
        let mut alphabet = ByteSet::EMPTY;
        for state in dfa.numbers() {
            let first_edge = byte_edges.len() as u32;
            let mut next_bytes = ByteSet::EMPTY;
            let mut first_ticking = first_edge;
            for ticking in [false, true] {
                first_ticking = if ticking { byte_edges.len() as u32 } else { first_ticking };
                for letter in dfa.letters(state).iter().filter(|letter| letter.ticks == ticking) {
                    let (low, high) = (byte(letter.low), byte(letter.high));
                    next_bytes.insert_range(low, high);
                    byte_edges.push(ByteEdge { low, high, target: letter.target });
                }
            }
            alphabet = alphabet.union(&next_bytes);
            let first_call = calls.len() as u32;
            let mut called_bytes = ByteSet::EMPTY;
            for call in dfa.calls(state) {
                // Every call's unit is among the imports.
                let import = imports.partition_point(|&unit| unit < call.unit);
                called_bytes = called_bytes.union(&first[import]);
                calls.push(CallEdge { import: import as u32, target: call.target, tick: call.tick });
            }
            let (need, reach) = ahead.get(state as usize).copied().flatten().unwrap_or((0, u32::MAX));
            let (ascii_loop, loops_utf8) = own_loop(dfa, state, false);
            let (ticking_ascii_loop, ticking_loops_utf8) =
                if counted { own_loop(dfa, state, true) } else { (0, false) };
            states.push(State {
                first_edge,
                first_ticking,
                first_call,
                need,
                reach,
                accepting: dfa.is_accepting(state),
                loops_utf8,
                ticking_loops_utf8,
                ascii_loop: halves(ascii_loop),
                ticking_ascii_loop: halves(ticking_ascii_loop),
                next_bytes,
                called_bytes,
            });
        }
        let end = byte_edges.len() as u32;
        states.push(State {
            first_edge: end,
            first_ticking: end,
            first_call: calls.len() as u32,
            need: 0,
            reach: 0,
            accepting: false,
            loops_utf8: false,
            ticking_loops_utf8: false,
            ascii_loop: [0; 2],
            ticking_ascii_loop: [0; 2],
            next_bytes: ByteSet::EMPTY,
            called_bytes: ByteSet::EMPTY,
        });
        let uid = NEXT.fetch_add(1, Ordering::Relaxed);
        let tables = Self {
            uid,
            states: states.into(),
            byte_edges: byte_edges.into(),
            calls: calls.into(),
            alphabet,
            guards,
        };
        Some((tables, imports))
    }

    /// The tables of what has none: one state that reads nothing.
    pub(crate) fn dead() -> Self {
        let mut dead = Dfa::default();
        dead.finish_state(false);
        let none = Self::of(&dead, &Ticks::None, |_| ByteSet::EMPTY);
        none.map_or_else(|| unreachable!("only sets are refused"), |(tables, _)| tables)
    }

    /// The number of states.
    pub(crate) fn n_states(&self) -> usize {
        self.states.len() - 1
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.states[..])
            + size_of_val(&self.byte_edges[..])
            + size_of_val(&self.calls[..])
            + self.guards.memory_size()
    }
}

fn halves(set: u128) -> [u64; 2] {
    [set as u64, (set >> 64) as u64]
}

fn byte(letter: u32) -> u8 {
    u8::try_from(letter).expect("a rule's automaton reads bytes")
}

/// The ASCII bytes on which a state returns to itself and nothing else happens, and whether all other characters do too;
/// each with one tick, or each without.
fn own_loop(dfa: &Dfa, state: u32, ticks: bool) -> (u128, bool) {
    let mut own = ByteSet::EMPTY;
    let letters = dfa.letters(state);
    for letter in letters.iter().filter(|letter| letter.ticks == ticks && letter.target == state) {
        own.insert_range(byte(letter.low), byte(letter.high));
    }
    for letter in letters.iter().filter(|letter| letter.ticks != ticks) {
        own = own.difference(&ByteSet::range(byte(letter.low), byte(letter.high)));
    }
    (own.ascii(), loops_utf8(dfa, state, ticks))
}

/// The lead bytes of well-formed UTF-8 beyond ASCII, what may follow at once, and how many more continuation bytes do.
const LEADS: [(u8, u8, u8, u8, u32); 8] = [
    (0xC2, 0xDF, 0x80, 0xBF, 0),
    (0xE0, 0xE0, 0xA0, 0xBF, 1),
    (0xE1, 0xEC, 0x80, 0xBF, 1),
    (0xED, 0xED, 0x80, 0x9F, 1),
    (0xEE, 0xEF, 0x80, 0xBF, 1),
    (0xF0, 0xF0, 0x90, 0xBF, 2),
    (0xF1, 0xF3, 0x80, 0xBF, 2),
    (0xF4, 0xF4, 0x80, 0x8F, 2),
];

fn loops_utf8(dfa: &Dfa, home: u32, ticks: bool) -> bool {
    LEADS.iter().all(|&(low, high, second_low, second_high, more)| {
        let Some(mut at) = targets(dfa, &[home], low, high, false) else { return false };
        let Some(next) = targets(dfa, &at, second_low, second_high, ticks && more == 0) else { return false };
        at = next;
        for left in (0..more).rev() {
            match targets(dfa, &at, 0x80, 0xBF, ticks && left == 0) {
                Some(next) => at = next,
                None => return false,
            }
        }
        at == [home]
    })
}

/// Where all bytes of a range lead from all of these states; `None` if one leads nowhere, or its tick is not as asked, or
/// at more than four.
fn targets(dfa: &Dfa, from: &[u32], low: u8, high: u8, ticks: bool) -> Option<Vec<u32>> {
    let (low, high) = (u32::from(low), u32::from(high));
    let mut found = Vec::new();
    for &state in from {
        let mut next = low;
        for letter in dfa.letters(state).iter().filter(|l| l.high >= low && l.low <= high) {
            if letter.ticks != ticks || letter.low > next {
                return None;
            }
            next = letter.high + 1;
            if !found.contains(&letter.target) {
                found.push(letter.target);
            }
        }
        if next <= high || found.len() > 4 {
            return None;
        }
    }
    Some(found)
}
