//! A deterministic automaton of one rule, before it takes its place among the others.

use std::hash::{Hash, Hasher};

/// Over bytes and calls, or over code points (then without calls and ticks). State 0 is the start.
///
/// The edges of all states stand in two arrays, state after state: building one allocates a handful of times, whatever
/// its size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dfa {
    states: Vec<State>,
    letters: Vec<Letter>,
    calls: Vec<Call>,
    /// Whether it reads [all texts but some words](crate::text::all_but).
    pub(crate) leaves_out_words: bool,
}

/// Where the edges of a state end; they begin where those of the state before it end.
#[derive(Clone, Copy, Debug)]
struct State {
    letters_end: u32,
    calls_end: u32,
    accepting: bool,
}

/// Deterministic *with its tick*: one byte may lead to one state without and to another with a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Letter {
    pub(crate) low: u32,
    pub(crate) high: u32,
    pub(crate) ticks: bool,
    pub(crate) target: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call {
    pub(crate) unit: u32,
    /// What it does to the count: 0 nothing; in a counted automaton 1 is a tick, in a set's one more than the member's number.
    pub(crate) tick: u32,
    pub(crate) target: u32,
}

// PERF: two words each instead of a field at a time; minimising is mostly hashing, and a fifth of compiling.
impl Hash for Letter {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.low) << 32 | u64::from(self.high));
        state.write_u64(u64::from(self.ticks) << 32 | u64::from(self.target));
    }
}

impl Hash for Call {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.unit) << 32 | u64::from(self.target));
        state.write_u32(self.tick);
    }
}

impl Dfa {
    /// Without states, and with room for so many and their letters.
    pub(crate) fn with_capacity(n_states: usize, n_letters: usize) -> Self {
        let (states, letters) = (Vec::with_capacity(n_states), Vec::with_capacity(n_letters));
        Self { states, letters, ..Self::default() }
    }

    /// The number of states.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// Ascending by `low`; ranges of equal `ticks` are disjoint.
    #[inline]
    pub(crate) fn letters(&self, state: u32) -> &[Letter] {
        let i = state as usize;
        let start = if i == 0 { 0 } else { self.states[i - 1].letters_end };
        &self.letters[start as usize..self.states[i].letters_end as usize]
    }

    /// Ascending by unit and tick; each pair at most once.
    #[inline]
    pub(crate) fn calls(&self, state: u32) -> &[Call] {
        let i = state as usize;
        let start = if i == 0 { 0 } else { self.states[i - 1].calls_end };
        &self.calls[start as usize..self.states[i].calls_end as usize]
    }

    #[inline]
    pub(crate) fn is_accepting(&self, state: u32) -> bool {
        self.states[state as usize].accepting
    }

    /// The numbers of the states.
    pub(crate) fn numbers(&self) -> std::ops::Range<u32> {
        0..self.states.len() as u32
    }

    /// Where the edges of a state lead; repeats what several lead to.
    #[inline]
    pub(crate) fn targets(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let letters = self.letters(state).iter().map(|letter| letter.target);
        letters.chain(self.calls(state).iter().map(|call| call.target))
    }

    /// All calls of all states.
    pub(crate) fn all_calls(&self) -> &[Call] {
        &self.calls
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<State>() * self.states.capacity()
            + size_of::<Letter>() * self.letters.capacity()
            + size_of::<Call>() * self.calls.capacity()
    }

    /// Letters and calls of all states.
    pub(crate) fn n_edges(&self) -> usize {
        self.letters.len() + self.calls.len()
    }

    /// Adds a letter to the state that is being made.
    #[inline]
    pub(crate) fn add_letter(&mut self, letter: Letter) {
        self.letters.push(letter);
    }

    /// Adds a call to the state that is being made.
    #[inline]
    pub(crate) fn add_call(&mut self, call: Call) {
        self.calls.push(call);
    }

    /// The letters so far of the state that is being made.
    #[inline]
    pub(crate) fn open_letters(&mut self) -> &mut [Letter] {
        let start = self.states.last().map_or(0, |state| state.letters_end);
        &mut self.letters[start as usize..]
    }

    /// The letters and calls so far of the state that is being made.
    pub(crate) fn open(&self) -> (&[Letter], &[Call]) {
        let (letters, calls) =
            self.states.last().map_or((0, 0), |state| (state.letters_end, state.calls_end));
        (&self.letters[letters as usize..], &self.calls[calls as usize..])
    }

    /// Forgets all states and edges.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
        self.letters.clear();
        self.calls.clear();
    }

    /// Ends the state that is being made: it has the letters and calls added since the last one.
    pub(crate) fn finish_state(&mut self, accepting: bool) {
        self.states.push(State {
            letters_end: self.letters.len() as u32,
            calls_end: self.calls.len() as u32,
            accepting,
        });
    }

    /// Ends the state that is being made, joining neighbouring letters that lead to the same state.
    pub(crate) fn finish_merged(&mut self, accepting: bool) {
        let start = self.states.last().map_or(0, |state| state.letters_end) as usize;
        if self.letters.len() - start > 1 {
            self.letters[start..].sort_unstable_by_key(|letter| (letter.ticks, letter.low));
            let mut kept = start;
            for i in start + 1..self.letters.len() {
                let (last, next) = (self.letters[kept], self.letters[i]);
                if last.ticks == next.ticks && last.target == next.target && last.high + 1 == next.low {
                    self.letters[kept].high = next.high;
                } else {
                    kept += 1;
                    self.letters[kept] = next;
                }
            }
            self.letters.truncate(kept + 1);
            if self.letters[start..].iter().any(|letter| letter.ticks) {
                self.letters[start..].sort_unstable();
            }
        }
        self.finish_state(accepting);
    }

    /// Keeps what `keep` says of the calls, the live states and the start, in order, and renumbers.
    pub(crate) fn retain(&mut self, live: &[bool], keep_call: impl Fn(&Call) -> bool) {
        if live.iter().all(|&live| live) && self.calls.iter().all(&keep_call) {
            return;
        }
        let mut renumbered = vec![u32::MAX; self.len()];
        let mut next = 0u32;
        for (i, renumbered) in renumbered.iter_mut().enumerate() {
            if i == 0 || live[i] {
                *renumbered = next;
                next += 1;
            }
        }
        let old = std::mem::take(self);
        for state in old.numbers().filter(|&state| renumbered[state as usize] != u32::MAX) {
            for letter in old.letters(state).iter().filter(|letter| live[letter.target as usize]) {
                self.add_letter(Letter { target: renumbered[letter.target as usize], ..*letter });
            }
            for call in old.calls(state).iter().filter(|call| live[call.target as usize] && keep_call(call)) {
                self.add_call(Call { target: renumbered[call.target as usize], ..*call });
            }
            self.finish_state(old.is_accepting(state));
        }
    }
}
