//! A finished automaton of one rule in flat tables.
//!
//! Tables name their own states by number and what they call by position in a list that whoever uses them fills in. So
//! they belong to no grammar, and all grammars that have the rule share them.

use crate::dfa::{Call, Dfa, Letter};
use crate::distinct;
use crate::guards::Guards;
use crate::lazy::Lazy;
use crate::loops::{Loop, own_loop};
use crate::ticks;
use crate::unticked::Unticked;
use crate::work::Stop;
use formwork_grammar::{ByteSet, Conditions, HashMap, SharedMachine};
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::OnceLock;
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
    /// What states say by number.
    pub(crate) loops: Distinct<Loop>,
    pub(crate) sets: Distinct<ByteSet>,
    /// Bytes on some edge.
    alphabet: ByteSet,
    /// What states ask of the members that came, if this is a set's.
    pub(crate) guards: Guards,
    /// Instead of all that: states made when they are reached.
    lazy: Option<Box<Lazy>>,
    /// The same without ticks, if that is asked for and can be had.
    unticked: OnceLock<Option<Box<Unticked>>>,
}

/// States that are made for the sake of writing them down.
const MAX_WHOLE: usize = 20_000;

/// What the ticks of calls mean.
#[derive(Clone, Debug)]
pub(crate) enum Ticks<'a> {
    /// There are none.
    None,
    /// They are counted and tested against bounds.
    Counted,
    /// They are the bytes and symbols that are read: the least number of them says how soon the rule can end.
    Units,
    /// There are none; what is counted is how many texts there are.
    Texts,
    /// There are none; but from these states the rule cannot end before another distinct text comes.
    Distinct(Vec<bool>),
    /// They are members of a set, which asks this of them.
    Members(&'a Conditions),
}

/// What is known of one state. Ranges are into the edge tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Edges without a tick: `first_edge..first_ticking`; with a tick: `first_ticking..` up to the next state's first.
    /// Each part is ascending and disjoint.
    pub(crate) first_edge: u32,
    pub(crate) first_ticking: u32,
    pub(crate) first_call: u32,
    /// Least number of ticks on a way to acceptance, of bytes and symbols in a region; in a set the number of the state's guard, and so is `reach`.
    pub(crate) need: u32,
    /// Greatest number of ticks on a way to acceptance; `u32::MAX` means without end.
    pub(crate) reach: u32,
    pub(crate) accepting: bool,
    /// Whether it is known to read any text of a JSON string: of what was [made whole](Tables::whole).
    pub(crate) any_text: bool,
    /// Likewise whether it is known to be [free](Lazy::is_free).
    pub(crate) is_free: bool,
    /// Characters that lead from the state to itself without a tick, and nowhere else; and with exactly one tick.
    pub(crate) own_loop: Number<Loop>,
    pub(crate) ticking_loop: Number<Loop>,
    pub(crate) next_bytes: Number<ByteSet>,
    /// Bytes with which a rule may begin that the state calls.
    pub(crate) called_bytes: Number<ByteSet>,
}

impl State {
    /// What stands behind the last state, where its edges end.
    pub(crate) fn end(n_byte_edges: usize, n_calls: usize) -> Self {
        Self {
            first_edge: n_byte_edges as u32,
            first_ticking: n_byte_edges as u32,
            first_call: n_calls as u32,
            need: 0,
            reach: 0,
            accepting: false,
            any_text: false,
            is_free: false,
            own_loop: Number::FIRST,
            ticking_loop: Number::FIRST,
            next_bytes: Number::FIRST,
            called_bytes: Number::FIRST,
        }
    }
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
    /// unit may begin, `ticks` what ticks mean. Stops if the members of a set cannot come in any order, or their conditions
    /// are too hard.
    pub(crate) fn of(
        dfa: &Dfa,
        ticks: &Ticks<'_>,
        mut first: impl FnMut(u32) -> ByteSet,
    ) -> Result<(Self, Vec<u32>), Stop> {
        let mut imports: Vec<u32> = dfa.all_calls().iter().map(|call| call.unit).collect();
        imports.sort_unstable();
        imports.dedup();
        let first: Vec<ByteSet> = imports.iter().map(|&unit| first(unit)).collect();
        let counted = matches!(ticks, Ticks::Counted);
        let (ahead, guards) = match ticks {
            Ticks::None => (Vec::new(), Guards::default()),
            Ticks::Counted => (ticks::ticks(dfa, false, |_| true), Guards::default()),
            Ticks::Units => {
                let ends = ticks::ticks(dfa, true, |_| true);
                (
                    ends.into_iter().map(|ahead| ahead.map(|(need, _)| (need, u32::MAX))).collect(),
                    Guards::default(),
                )
            }
            Ticks::Texts => {
                let n_texts = distinct::n_texts(dfa).into_iter();
                (n_texts.map(|n_texts| Some((0, n_texts))).collect(), Guards::default())
            }
            Ticks::Distinct(ends) => {
                (ends.iter().map(|&ends| Some((u32::from(!ends), u32::MAX))).collect(), Guards::default())
            }
            Ticks::Members(conditions) => {
                let (of_states, guards) = Guards::of(dfa, conditions)?;
                (of_states.into_iter().map(|guard| Some((guard, guard))).collect(), guards)
            }
        };
        let mut states = Vec::with_capacity(dfa.len() + 1);
        let mut byte_edges = Vec::new();
        let mut calls = Vec::new();
        let (mut loops, mut sets) = (Numbering::new(), Numbering::new());
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
            let ticking_loop = if counted { own_loop(dfa, state, true) } else { Loop::default() };
            let (own_loop, ticking_loop) =
                (loops.number(own_loop(dfa, state, false)), loops.number(ticking_loop));
            let (next_bytes, called_bytes) = (sets.number(next_bytes), sets.number(called_bytes));
            states.push(State {
                first_edge,
                first_ticking,
                first_call,
                need,
                reach,
                accepting: dfa.is_accepting(state),
                any_text: false,
                is_free: false,
                own_loop,
                ticking_loop,
                next_bytes,
                called_bytes,
            });
        }
        states.push(State::end(byte_edges.len(), calls.len()));
        let (states, byte_edges, calls) = (states.into(), byte_edges.into(), calls.into());
        let values = (loops.finished(), sets.finished());
        let tables = Self::of_parts(states, byte_edges, calls, values, alphabet, guards);
        Ok((tables, imports))
    }

    /// The tables with these parts, under a name that no others have.
    pub(crate) fn of_parts(
        states: Box<[State]>,
        byte_edges: Box<[ByteEdge]>,
        calls: Box<[CallEdge]>,
        (loops, sets): (Distinct<Loop>, Distinct<ByteSet>),
        alphabet: ByteSet,
        guards: Guards,
    ) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let uid = NEXT.fetch_add(1, Ordering::Relaxed);
        let (lazy, unticked) = (None, OnceLock::new());
        Self { uid, states, byte_edges, calls, loops, sets, alphabet, guards, lazy, unticked }
    }

    /// The tables of an automaton whose states are made when they are reached.
    pub(crate) fn lazy(lazy: Lazy) -> Self {
        let values = (Distinct::of_values(Vec::new()), Distinct::of_values(Vec::new()));
        let none = (Box::default(), Box::default(), Box::default());
        let tables = Self::of_parts(none.0, none.1, none.2, values, ByteSet::EMPTY, Guards::default());
        Self { lazy: Some(Box::new(lazy)), ..tables }
    }

    /// The tables of a machine, with at most so many states.
    pub(crate) fn machine(machine: SharedMachine, max_states: usize) -> Self {
        Self::lazy(Lazy::machine(machine, max_states))
    }

    /// The tables of what has none: one state that reads nothing.
    pub(crate) fn dead() -> Self {
        let mut dead = Dfa::default();
        dead.finish_state(false);
        let none = Self::of(&dead, &Ticks::None, |_| ByteSet::EMPTY);
        none.map_or_else(|_| unreachable!("only sets are refused"), |(tables, _)| tables)
    }

    /// The tables without ticks, if there are any.
    ///
    /// Cost: a load, or linear in the edges the first time.
    pub(crate) fn unticked(&self) -> Option<&Unticked> {
        self.unticked.get_or_init(|| Unticked::of(self).map(Box::new)).as_deref()
    }

    /// The number of states; of those made when they are reached, the number that some edge leads to so far.
    pub(crate) fn n_states(&self) -> usize {
        match &self.lazy {
            None => self.states.len() - 1,
            Some(lazy) => lazy.n_states(),
        }
    }

    /// Makes the edges of all states; not those of a machine, which may have any number.
    pub(crate) fn complete(&self, interrupt: &dyn Fn() -> bool) -> Result<(), Stop> {
        let Some(lazy) = self.lazy.as_ref().filter(|lazy| !lazy.is_machine()) else { return Ok(()) };
        let mut next = 0;
        while next < lazy.n_states() {
            lazy.byte_edges(next as u32);
            if let Some(stop) = lazy.stop() {
                return Err(stop);
            }
            if next % 256 == 0 && interrupt() {
                return Err(Stop::Interrupted);
            }
            next += 1;
        }
        Ok(())
    }

    /// Of states that are made when they are reached: the same with the same numbers, all made at once, and which of the
    /// units that are called are called in them. `None` if these are very many or beyond a limit, or a machine's.
    pub(crate) fn whole(&self) -> Option<(Self, Vec<u32>)> {
        let lazy = self.lazy.as_ref().filter(|lazy| !lazy.is_machine())?;
        self.complete(&|| lazy.n_states() > MAX_WHOLE).ok()?;
        let mut dfa = Dfa::default();
        for number in 0..lazy.n_states() as u32 {
            for &ByteEdge { low, high, target } in lazy.byte_edges(number) {
                dfa.add_letter(Letter { low: low.into(), high: high.into(), ticks: false, target });
            }
            for &CallEdge { import, target, tick } in lazy.calls(number) {
                dfa.add_call(Call { unit: import, tick, target });
            }
            dfa.finish_state(lazy.is_accepting(number));
        }
        let (mut tables, imports) = Self::of(&dfa, &Ticks::None, |import| lazy.first_bytes(import)).ok()?;
        for (number, state) in (0..).zip(&mut tables.states[..dfa.len()]) {
            (state.any_text, state.is_free) = (lazy.reads_any_text(number), lazy.is_free(number));
        }
        Some((tables, imports))
    }

    /// Whether states are made when they are reached.
    pub(crate) fn is_lazy(&self) -> bool {
        self.lazy.is_some()
    }

    /// What makes the states when they are reached.
    pub(crate) fn as_lazy(&self) -> Option<&Lazy> {
        self.lazy.as_deref()
    }

    /// Bytes on some edge; where states are made when they are reached, of those that were.
    pub(crate) fn alphabet(&self) -> ByteSet {
        self.as_lazy().map_or(self.alphabet, Lazy::alphabet)
    }

    /// Whether some state that was reached is beyond a limit.
    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        self.lazy.as_ref().is_some_and(|lazy| lazy.stop().is_some())
    }

    // ---- states, by number ----

    #[inline]
    fn state(&self, number: u32) -> (&State, &State) {
        let i = number as usize;
        (&self.states[i], &self.states[i + 1])
    }

    /// The position of a state among those that somebody keeps something for: its number, or where states are made when they
    /// are reached, its position among those that were. `None` if it is beyond a limit.
    #[inline]
    pub(crate) fn slot(&self, number: u32) -> Option<usize> {
        match &self.lazy {
            None => Some(number as usize),
            Some(lazy) => lazy.slot(number),
        }
    }

    /// Whether the state's edges are made.
    pub(crate) fn is_made(&self, number: u32) -> bool {
        self.lazy.as_ref().is_none_or(|lazy| lazy.is_made(number))
    }

    #[inline]
    pub(crate) fn is_accepting(&self, number: u32) -> bool {
        match &self.lazy {
            None => self.state(number).0.accepting,
            Some(lazy) => lazy.is_accepting(number),
        }
    }

    /// The edges over bytes without a tick, ascending and disjoint.
    #[inline]
    pub(crate) fn plain_edges(&self, number: u32) -> &[ByteEdge] {
        match &self.lazy {
            None => {
                let (this, _) = self.state(number);
                &self.byte_edges[this.first_edge as usize..this.first_ticking as usize]
            }
            Some(lazy) => lazy.byte_edges(number),
        }
    }

    /// The edges over bytes with a tick, ascending and disjoint.
    #[inline]
    pub(crate) fn ticking_edges(&self, number: u32) -> &[ByteEdge] {
        match &self.lazy {
            None => {
                let (this, next) = self.state(number);
                &self.byte_edges[this.first_ticking as usize..next.first_edge as usize]
            }
            Some(_) => &[],
        }
    }

    #[inline]
    pub(crate) fn call_edges(&self, number: u32) -> &[CallEdge] {
        match &self.lazy {
            None => {
                let (this, next) = self.state(number);
                &self.calls[this.first_call as usize..next.first_call as usize]
            }
            Some(lazy) => lazy.calls(number),
        }
    }

    #[inline]
    pub(crate) fn reads_bytes(&self, number: u32) -> bool {
        match &self.lazy {
            None => {
                let (this, next) = self.state(number);
                this.first_edge != next.first_edge
            }
            Some(lazy) => !lazy.byte_edges(number).is_empty(),
        }
    }

    /// Whether the state has edges.
    #[inline]
    pub(crate) fn goes_on(&self, number: u32) -> bool {
        match &self.lazy {
            None => {
                let (this, next) = self.state(number);
                this.first_edge != next.first_edge || this.first_call != next.first_call
            }
            Some(lazy) => lazy.goes_on(number),
        }
    }

    /// Whether it is known that the state reads any text of a JSON string, before its edges are made.
    #[inline]
    pub(crate) fn reads_any_text(&self, number: u32) -> bool {
        match &self.lazy {
            None => self.state(number).0.any_text,
            Some(lazy) => lazy.reads_any_text(number),
        }
    }

    /// Whether the state's own edges are known to read any text of a JSON string and nothing else, each character back to the
    /// state.
    pub(crate) fn is_free(&self, number: u32) -> bool {
        match &self.lazy {
            None => self.state(number).0.is_free,
            Some(lazy) => lazy.is_free(number),
        }
    }

    #[inline]
    pub(crate) fn next_bytes(&self, number: u32) -> &ByteSet {
        match &self.lazy {
            None => self.sets.get(self.state(number).0.next_bytes),
            Some(lazy) => lazy.next_bytes(number),
        }
    }

    #[inline]
    pub(crate) fn called_bytes(&self, number: u32) -> &ByteSet {
        match &self.lazy {
            None => self.sets.get(self.state(number).0.called_bytes),
            Some(lazy) => lazy.called_bytes(number),
        }
    }

    #[inline]
    pub(crate) fn own_loop(&self, number: u32) -> &Loop {
        match &self.lazy {
            None => self.loops.get(self.state(number).0.own_loop),
            Some(lazy) => lazy.own_loop(self, number),
        }
    }

    #[inline]
    pub(crate) fn ticking_loop(&self, number: u32) -> &Loop {
        match &self.lazy {
            None => self.loops.get(self.state(number).0.ticking_loop),
            Some(_) => &Loop::EMPTY,
        }
    }

    /// The least and the greatest number of ticks on a way to acceptance; in a set, twice the number of the guard.
    #[inline]
    pub(crate) fn ticks_ahead(&self, number: u32) -> (u32, u32) {
        match &self.lazy {
            None => {
                let (this, _) = self.state(number);
                (this.need, this.reach)
            }
            // As where nothing is counted.
            Some(_) => (0, u32::MAX),
        }
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.states[..])
            + size_of_val(&self.loops.list[..])
            + size_of_val(&self.sets.list[..])
            + size_of_val(&self.byte_edges[..])
            + size_of_val(&self.calls[..])
            + self.guards.memory_size()
            + self.lazy.as_ref().map_or(0, |lazy| lazy.memory_size())
            + self.unticked.get().and_then(Option::as_ref).map_or(0, |unticked| unticked.tables.memory_size())
    }
}

/// Values that many states have, each once: a state keeps a number instead of 32 bytes.
#[derive(Debug)]
pub(crate) struct Distinct<T> {
    list: Box<[T]>,
}

/// Gives numbers to values.
struct Numbering<T> {
    list: Vec<T>,
    numbers: HashMap<T, u32>,
}

/// The number of a value among the distinct ones.
#[derive(Debug)]
pub(crate) struct Number<T>(u32, PhantomData<T>);

impl<T> Number<T> {
    const FIRST: Self = Self(0, PhantomData);
}

impl<T> Clone for Number<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Number<T> {}

impl<T: Copy + Eq + Hash> Numbering<T> {
    fn new() -> Self {
        Self { list: Vec::new(), numbers: HashMap::default() }
    }

    fn number(&mut self, value: T) -> Number<T> {
        // Neighbours are alike.
        if self.list.last() == Some(&value) {
            return Number(self.list.len() as u32 - 1, PhantomData);
        }
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(value).or_insert(next);
        if number == next {
            self.list.push(value);
        }
        Number(number, PhantomData)
    }

    /// All values are known: what finds their numbers is not needed any more.
    fn finished(self) -> Distinct<T> {
        Distinct { list: self.list.into() }
    }
}

impl<T> Distinct<T> {
    #[inline]
    pub(crate) fn get(&self, number: Number<T>) -> &T {
        &self.list[number.0 as usize]
    }

    /// The values, by number.
    pub(crate) fn values(&self) -> &[T] {
        &self.list
    }

    /// The values with these numbers.
    pub(crate) fn of_values(list: Vec<T>) -> Self {
        Self { list: list.into() }
    }

    /// The value's number, if there is one with it.
    pub(crate) fn checked(&self, number: u32) -> Option<Number<T>> {
        ((number as usize) < self.list.len()).then_some(Number(number, PhantomData))
    }
}

impl<T> Number<T> {
    /// The position of the value among the distinct ones.
    pub(crate) fn get(self) -> u32 {
        self.0
    }
}

fn byte(letter: u32) -> u8 {
    u8::try_from(letter).expect("a rule's automaton reads bytes")
}
