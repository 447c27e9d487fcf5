//! States made when they are first reached.
//!
//! Most states of a large object are never reached by one output: the names of the members that are left out, what
//! would follow them. So the automaton of a large rule is determinised as it is walked: the sets of nodes that states stand
//! for are kept, and a state's edges are made when somebody first asks for them. That costs what the state costs in the
//! whole [subset construction](crate::subset), once, under a lock; asked again it costs two loads.
//!
//! The nodes are made in the same way ([`deferred`](crate::deferred)): to prepare a rule costs next to nothing.
//!
//! Not minimised, since that needs all states. Nodes are shared by what follows them, so equal states are rare where rules
//! are large: names and literals. Rules that count need the number of ticks ahead of each state, sets need its guards: those
//! are built whole, and so are small rules, for which equal states matter and the others cost little.
//!
//! A [machine](formwork_grammar::Machine) makes its states itself; what is kept of it is the same.
//!
//! # Limits
//! A state beyond the [limits](crate::Limits) reads nothing and marks the rule as [failed](Lazy::stop): whoever made
//! a row or a mask asks, and reports it.
//!
//! # Worked example
//! `{"ab": 1, "cd": 2}` in any of its prefixes: at `{` there is one state, that reads `"`. Asked for its edges, it makes the
//! state behind the quote, which will read `a` and `c`, but not yet those behind `a` and `c`.

use crate::deferred::Deferred;
use crate::form::Portable;
use crate::loops::{self, Loop};
use crate::nfa::{Nfa, NodeId};
use crate::segmented::Segmented;
use crate::subset::{Bounds, Subset};
use crate::tables::{ByteEdge, CallEdge, Tables};
use crate::unit::Entry;
use crate::work::{Stop, Work};
use formwork_grammar::{ByteSet, HashMap, SharedMachine};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The states of a rule that were reached so far, and how to make the others.
pub(crate) struct Lazy {
    states: Segmented<LazyState>,
    /// Of all states that some edge leads to.
    headers: Segmented<Header>,
    making: Mutex<Making>,
    /// States that some edge leads to, whether their own edges are made or not.
    n_states: AtomicUsize,
    /// Which limit some state was beyond.
    stop: OnceLock<Stop>,
    /// What a state is that is beyond a limit.
    failed: LazyState,
    /// Heap memory of what states are made from, about.
    source_size: usize,
    is_machine: bool,
}

/// What is known of a state before its edges are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) accepting: bool,
    /// Whether it has edges.
    pub(crate) goes_on: bool,
}

/// A state whose edges are made; it does not count.
#[derive(Debug, Default)]
pub(crate) struct LazyState {
    /// Ascending and disjoint.
    pub(crate) byte_edges: Box<[ByteEdge]>,
    pub(crate) calls: Box<[CallEdge]>,
    pub(crate) next_bytes: ByteSet,
    pub(crate) called_bytes: ByteSet,
    own_loop: OnceLock<Loop>,
}

struct Making {
    source: Source,
    /// The bytes with which the texts of the units may begin that were met so far.
    first_bytes: Vec<ByteSet>,
    work_left: u64,
}

/// What makes the states.
enum Source {
    Subset(Box<Subset>),
    Machine(Numbered),
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").field("n_states", &self.n_states()).finish_non_exhaustive()
    }
}

impl Lazy {
    /// What is read between `start` and the end, without the empty text.
    pub(crate) fn new(
        nfa: Nfa,
        deferred: Box<Deferred>,
        start: NodeId,
        bounds: Bounds,
        work: &mut Work<'_>,
    ) -> Result<Self, Stop> {
        let size = nfa.memory_size() + deferred.memory_size();
        let source = Source::Subset(Box::new(Subset::new(nfa, Some(deferred), start, true, bounds, work)?));
        Ok(Self::of(source, work.left(), size))
    }

    /// The states of a machine, without the empty text, at most so many.
    pub(crate) fn machine(machine: SharedMachine, max_states: usize) -> Self {
        let size = size_of::<Numbered>() + machine.name().len();
        Self::of(Source::Machine(Numbered::new(machine, max_states)), u64::MAX, size)
    }

    fn of(source: Source, work_left: u64, source_size: usize) -> Self {
        let is_machine = matches!(source, Source::Machine(_));
        let lazy = Self {
            is_machine,
            states: Segmented::default(),
            headers: Segmented::default(),
            n_states: AtomicUsize::new(0),
            making: Mutex::new(Making { source, first_bytes: Vec::new(), work_left }),
            stop: OnceLock::new(),
            failed: LazyState::default(),
            source_size,
        };
        lazy.add_headers(&lazy.lock().source);
        lazy
    }

    /// Whether a machine makes the states.
    pub(crate) fn is_machine(&self) -> bool {
        self.is_machine
    }

    /// States that some edge leads to so far.
    pub(crate) fn n_states(&self) -> usize {
        self.n_states.load(Ordering::Acquire)
    }

    /// The limit that some state was beyond, if one was.
    #[inline]
    pub(crate) fn stop(&self) -> Option<Stop> {
        self.stop.get().copied()
    }

    /// A state with its edges.
    #[inline]
    pub(crate) fn state(&self, number: u32) -> &LazyState {
        match self.states.get(number as usize) {
            Some(state) => state,
            None => self.make(number),
        }
    }

    #[inline]
    pub(crate) fn header(&self, number: u32) -> Header {
        // Nobody knows the number of a state before it has one.
        self.headers.get(number as usize).copied().unwrap_or(Header { accepting: false, goes_on: false })
    }

    /// The bytes with which the texts of a unit begin that is called.
    pub(crate) fn first_bytes(&self, unit: u32) -> ByteSet {
        self.lock().first_bytes.get(unit as usize).copied().unwrap_or(ByteSet::EMPTY)
    }

    /// A unit that is called, in the grammar that the rule was first met in, and the rule that messages about it name.
    pub(crate) fn unit(&self, unit: u32) -> Option<Entry> {
        self.lock().source.deferred().map(|deferred| deferred.unit(unit).clone())
    }

    /// A unit that is called, for other grammars with the same rule. `None` if there are none.
    pub(crate) fn portable(&self, unit: u32) -> Option<Portable> {
        match &mut self.lock().source {
            Source::Subset(subset) => subset.deferred_mut()?.portable(unit),
            Source::Machine(_) => None,
        }
    }

    /// The bytes on edges, of states whose edges are made at least.
    pub(crate) fn alphabet(&self) -> ByteSet {
        let mut alphabet = ByteSet::EMPTY;
        match &self.lock().source {
            Source::Subset(subset) => {
                subset.all_letters().for_each(|(low, high)| alphabet.insert_range(byte(low), byte(high)));
            }
            Source::Machine(numbered) => alphabet = numbered.machine.alphabet(),
        }
        alphabet
    }

    /// From now on the rule is beyond a limit.
    pub(crate) fn fail(&self, stop: Stop) {
        self.stop.get_or_init(|| stop);
    }

    fn lock(&self) -> MutexGuard<'_, Making> {
        // Edges of a state are added all or not at all, so a thread that panicked has left nothing half done.
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_headers(&self, source: &Source) {
        let n_states = source.n_states();
        for number in self.n_states()..n_states {
            let (accepting, goes_on) = source.header(number as u32);
            self.headers.get_or_init(number, || Header { accepting, goes_on });
        }
        self.n_states.store(n_states, Ordering::Release);
    }

    #[cold]
    fn make(&self, number: u32) -> &LazyState {
        let mut making = self.lock();
        if let Some(state) = self.states.get(number as usize) {
            return state;
        }
        match self.stop().map_or_else(|| making.make(number), Err) {
            Ok(state) => {
                self.add_headers(&making.source);
                self.states.get_or_init(number as usize, || state)
            }
            Err(stop) => {
                self.fail(stop);
                &self.failed
            }
        }
    }

    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        self.source_size + self.n_states() * (size_of::<LazyState>() + 60)
    }
}

impl Source {
    fn deferred(&self) -> Option<&Deferred> {
        match self {
            Self::Subset(subset) => subset.deferred(),
            Self::Machine(_) => None,
        }
    }

    fn n_states(&self) -> usize {
        match self {
            Self::Subset(subset) => subset.n_states(),
            Self::Machine(numbered) => numbered.states.len(),
        }
    }

    fn header(&self, number: u32) -> (bool, bool) {
        match self {
            Self::Subset(subset) => subset.header(number),
            Self::Machine(numbered) => numbered.header(number),
        }
    }
}

impl Making {
    fn make(&mut self, number: u32) -> Result<LazyState, Stop> {
        let subset = match &mut self.source {
            Source::Subset(subset) => subset,
            Source::Machine(numbered) => return numbered.make(number),
        };
        let mut work = Work::new(self.work_left, &|| false);
        subset.forget();
        subset.expand(number, &mut work)?;
        self.work_left = work.left();
        if let Some(deferred) = subset.deferred() {
            let first_bytes = &mut self.first_bytes;
            let new = first_bytes.len() as u32..deferred.n_units() as u32;
            first_bytes.extend(new.map(|unit| deferred.first_bytes(unit)));
        }
        let (letters, called) = subset.made();
        let mut byte_edges = Vec::with_capacity(letters.len());
        let mut next_bytes = ByteSet::EMPTY;
        for letter in letters {
            let (low, high) = (byte(letter.low), byte(letter.high));
            next_bytes.insert_range(low, high);
            byte_edges.push(ByteEdge { low, high, target: letter.target });
        }
        let mut called_bytes = ByteSet::EMPTY;
        let mut calls = Vec::with_capacity(called.len());
        for call in called {
            called_bytes = called_bytes.union(&self.first_bytes[call.unit as usize]);
            calls.push(CallEdge { import: call.unit, target: call.target, tick: call.tick });
        }
        Ok(LazyState {
            byte_edges: byte_edges.into(),
            calls: calls.into(),
            next_bytes,
            called_bytes,
            own_loop: OnceLock::new(),
        })
    }
}

/// The states of a machine that some edge leads to, numbered as they were met.
struct Numbered {
    machine: SharedMachine,
    states: Vec<u128>,
    numbers: HashMap<u128, u32>,
    max: usize,
}

impl Numbered {
    fn new(machine: SharedMachine, max: usize) -> Self {
        // The start by itself does not accept; should an edge lead back to it, that is another state.
        let states = machine.start().into_iter().collect();
        Self { machine, states, numbers: HashMap::default(), max }
    }

    fn header(&self, number: u32) -> (bool, bool) {
        let state = self.states[number as usize];
        (number > 0 && self.machine.may_end(state), self.machine.bytes_after(state).next().is_some())
    }

    fn make(&mut self, number: u32) -> Result<LazyState, Stop> {
        let Some(&state) = self.states.get(number as usize) else { return Ok(LazyState::default()) };
        let mut byte_edges: Vec<ByteEdge> = Vec::new();
        let mut next_bytes = ByteSet::EMPTY;
        for (byte, next) in self.machine.bytes_after(state) {
            next_bytes.insert_range(byte, byte);
            let new = self.states.len() as u32;
            let target = *self.numbers.entry(next).or_insert(new);
            if target == new {
                self.states.push(next);
            }
            match byte_edges.last_mut() {
                Some(last) if last.target == target && last.high + 1 == byte => last.high = byte,
                _ => byte_edges.push(ByteEdge { low: byte, high: byte, target }),
            }
        }
        if self.states.len() > self.max {
            return Err(Stop::States);
        }
        Ok(LazyState { byte_edges: byte_edges.into(), next_bytes, ..LazyState::default() })
    }
}

impl LazyState {
    /// The state's loop; `number` is its own, of these tables.
    #[inline]
    pub(crate) fn own_loop(&self, tables: &Tables, number: u32) -> &Loop {
        self.own_loop.get_or_init(|| loops::loop_of(tables, number))
    }
}

fn byte(letter: u32) -> u8 {
    u8::try_from(letter).expect("a rule's automaton reads bytes")
}
