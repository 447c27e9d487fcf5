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
use crate::few::Few;
use crate::form::Portable;
use crate::loops::{self, Loop};
use crate::nfa::{Nfa, NodeId};
use crate::segmented::Segmented;
use crate::sets::{Numbering, SetId};
use crate::subset::{Bounds, Subset};
use crate::tables::{ByteEdge, CallEdge, Tables};
use crate::unit::Entry;
use crate::work::{Stop, Work};
use formwork_grammar::{ByteSet, HashMap, SharedMachine};
use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The states of a rule that were reached so far, and how to make the others.
pub(crate) struct Lazy {
    /// Of all states that some edge leads to.
    headers: Segmented<Header>,
    /// Those whose edges are made, in the order in which they were: few of the others ever are.
    made: Segmented<LazyState>,
    /// The sets that states say by number.
    sets: Segmented<ByteSet>,
    making: Mutex<Making>,
    /// States that some edge leads to, whether their own edges are made or not.
    n_states: AtomicUsize,
    /// Which limit some state was beyond.
    stop: OnceLock<Stop>,
    /// What a state is that is beyond a limit.
    failed: LazyState,
    is_machine: bool,
}

/// What is known of a state before its edges are made, and where these are then: in one word, since there are many.
#[derive(Debug)]
struct Header(AtomicU32);

const ACCEPTING: u32 = 1;
/// It has edges.
const GOES_ON: u32 = 2;
/// One more than the position among the states that are made begins at this bit.
const POSITION: u32 = 2;
/// So that positions fit.
const MAX_STATES: usize = 1 << 29;

/// A state whose edges are made; it does not count.
#[derive(Debug)]
pub(crate) struct LazyState {
    number: u32,
    next_bytes: SetId,
    called_bytes: SetId,
    /// Ascending and disjoint.
    byte_edges: Few<ByteEdge>,
    calls: Few<CallEdge>,
    own_loop: OnceLock<Option<Box<Loop>>>,
}

struct Making {
    source: Source,
    /// The bytes with which the texts of the units may begin that were met so far.
    first_bytes: Vec<SetId>,
    numbering: Numbering,
    n_made: usize,
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
        let source = Source::Subset(Box::new(Subset::new(nfa, Some(deferred), start, true, bounds, work)?));
        Ok(Self::of(source, work.left()))
    }

    /// The states of a machine, without the empty text, at most so many.
    pub(crate) fn machine(machine: SharedMachine, max_states: usize) -> Self {
        Self::of(Source::Machine(Numbered::new(machine, max_states)), u64::MAX)
    }

    fn of(source: Source, work_left: u64) -> Self {
        let is_machine = matches!(source, Source::Machine(_));
        let (first_bytes, numbering) = (Vec::new(), Numbering::default());
        let lazy = Self {
            headers: Segmented::default(),
            made: Segmented::default(),
            sets: Segmented::default(),
            making: Mutex::new(Making { source, first_bytes, numbering, n_made: 0, work_left }),
            n_states: AtomicUsize::new(0),
            stop: OnceLock::new(),
            failed: LazyState::without_edges(),
            is_machine,
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

    /// Where the state stands among those whose edges are made, if its are.
    #[inline]
    fn position(&self, number: u32) -> Option<usize> {
        self.header(number).checked_sub(1 << POSITION).map(|rest| (rest >> POSITION) as usize)
    }

    /// A state with its edges.
    #[inline]
    fn state(&self, number: u32) -> &LazyState {
        match self.position(number).and_then(|position| self.made.get(position)) {
            Some(state) => state,
            None => self.make(number),
        }
    }

    #[inline]
    fn header(&self, number: u32) -> u32 {
        // Nobody knows the number of a state before it has one.
        self.headers.get(number as usize).map_or(0, |header| header.0.load(Ordering::Acquire))
    }

    #[inline]
    pub(crate) fn is_accepting(&self, number: u32) -> bool {
        self.header(number) & ACCEPTING != 0
    }

    /// Whether the state has edges.
    #[inline]
    pub(crate) fn goes_on(&self, number: u32) -> bool {
        self.header(number) & GOES_ON != 0
    }

    /// The edges over bytes, ascending and disjoint.
    #[inline]
    pub(crate) fn byte_edges(&self, number: u32) -> &[ByteEdge] {
        &self.state(number).byte_edges
    }

    #[inline]
    pub(crate) fn calls(&self, number: u32) -> &[CallEdge] {
        &self.state(number).calls
    }

    #[inline]
    pub(crate) fn next_bytes(&self, number: u32) -> &ByteSet {
        self.set(self.state(number).next_bytes)
    }

    #[inline]
    pub(crate) fn called_bytes(&self, number: u32) -> &ByteSet {
        self.set(self.state(number).called_bytes)
    }

    #[inline]
    fn set(&self, set: SetId) -> &ByteSet {
        set.set(|position| self.sets.get(position).unwrap_or(&ByteSet::FULL))
    }

    /// The state's loop, of these tables.
    #[inline]
    pub(crate) fn own_loop(&self, tables: &Tables, number: u32) -> &Loop {
        let own_loop = self.state(number).own_loop.get_or_init(|| {
            let own_loop = loops::loop_of(tables, number);
            (!own_loop.is_empty()).then(|| Box::new(own_loop))
        });
        own_loop.as_deref().unwrap_or(&Loop::EMPTY)
    }

    /// Where the state stands among those whose edges are made; `None` if its are beyond a limit.
    pub(crate) fn slot(&self, number: u32) -> Option<usize> {
        self.position(number).or_else(|| {
            self.make(number);
            self.position(number)
        })
    }

    /// The number of the state that stands there among those whose edges are made.
    pub(crate) fn number_at(&self, slot: usize) -> Option<u32> {
        self.made.get(slot).map(|state| state.number)
    }

    /// The bytes with which the texts of a unit begin that is called.
    pub(crate) fn first_bytes(&self, unit: u32) -> ByteSet {
        let first_bytes = self.lock().first_bytes.get(unit as usize).copied();
        first_bytes.map_or(ByteSet::EMPTY, |set| *self.set(set))
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
            let bits = if accepting { ACCEPTING } else { 0 } | if goes_on { GOES_ON } else { 0 };
            self.headers.get_or_init(number, || Header(AtomicU32::new(bits)));
        }
        self.n_states.store(n_states, Ordering::Release);
    }

    #[cold]
    fn make(&self, number: u32) -> &LazyState {
        let mut making = self.lock();
        if let Some(state) = self.position(number).and_then(|position| self.made.get(position)) {
            return state;
        }
        match self.stop().map_or_else(|| making.make(number, &self.sets), Err) {
            Ok(state) => {
                self.add_headers(&making.source);
                let position = making.n_made;
                making.n_made += 1;
                let state = self.made.get_or_init(position, || state);
                if let Some(header) = self.headers.get(number as usize) {
                    header.0.fetch_add((position as u32 + 1) << POSITION, Ordering::Release);
                }
                state
            }
            Err(stop) => {
                self.fail(stop);
                &self.failed
            }
        }
    }

    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        let states = self.made.iter().map(LazyState::memory_size).sum::<usize>();
        let lists = self.headers.memory_size() + self.made.memory_size() + self.sets.memory_size();
        let making = self.lock();
        states + lists + making.memory_size()
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
    /// The state with its edges; `sets` are those that states say by number.
    fn make(&mut self, number: u32, sets: &Segmented<ByteSet>) -> Result<LazyState, Stop> {
        let add = |position: usize, set: ByteSet| {
            sets.get_or_init(position, || set);
        };
        let Self { source, numbering, first_bytes, .. } = self;
        let subset = match source {
            Source::Subset(subset) => subset,
            Source::Machine(numbered) => {
                let (byte_edges, next_bytes) = numbered.make(number)?;
                let next_bytes = numbering.number(next_bytes, add);
                return Ok(LazyState { number, byte_edges, next_bytes, ..LazyState::without_edges() });
            }
        };
        let mut work = Work::new(self.work_left, &|| false);
        subset.forget();
        subset.expand(number, &mut work)?;
        self.work_left = work.left();
        if let Some(deferred) = subset.deferred() {
            let new = first_bytes.len() as u32..deferred.n_units() as u32;
            first_bytes.extend(new.map(|unit| numbering.number(deferred.first_bytes(unit), add)));
        }
        let (letters, called) = subset.made();
        let mut next_bytes = ByteSet::EMPTY;
        let byte_edges = Few::of(letters.iter().map(|letter| {
            let (low, high) = (byte(letter.low), byte(letter.high));
            next_bytes.insert_range(low, high);
            ByteEdge { low, high, target: letter.target }
        }));
        let mut called_bytes = ByteSet::EMPTY;
        let calls = Few::of(called.iter().map(|call| {
            let first = first_bytes[call.unit as usize].set(|position| {
                sets.get(position).unwrap_or_else(|| unreachable!("it was added with its number"))
            });
            called_bytes = called_bytes.union(first);
            CallEdge { import: call.unit, target: call.target, tick: call.tick }
        }));
        let [next_bytes, called_bytes] = [next_bytes, called_bytes].map(|set| numbering.number(set, add));
        Ok(LazyState { number, next_bytes, called_bytes, byte_edges, calls, own_loop: OnceLock::new() })
    }

    fn memory_size(&self) -> usize {
        let source = match &self.source {
            Source::Subset(subset) => size_of::<Subset>() + subset.memory_size(),
            Source::Machine(numbered) => numbered.memory_size(),
        };
        source + size_of::<SetId>() * self.first_bytes.capacity() + self.numbering.memory_size()
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
        Self { machine, states, numbers: HashMap::default(), max: max.min(MAX_STATES) }
    }

    fn header(&self, number: u32) -> (bool, bool) {
        let state = self.states[number as usize];
        (number > 0 && self.machine.may_end(state), self.machine.bytes_after(state).next().is_some())
    }

    /// The edges of a state, and the bytes on them.
    fn make(&mut self, number: u32) -> Result<(Few<ByteEdge>, ByteSet), Stop> {
        let Some(&state) = self.states.get(number as usize) else {
            return Ok((Few::default(), ByteSet::EMPTY));
        };
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
        Ok((Few::of(byte_edges.into_iter()), next_bytes))
    }

    fn memory_size(&self) -> usize {
        size_of::<u128>() * self.states.capacity() + self.numbers.allocation_size()
    }
}

impl LazyState {
    fn without_edges() -> Self {
        Self {
            number: 0,
            next_bytes: SetId::EMPTY,
            called_bytes: SetId::EMPTY,
            byte_edges: Few::default(),
            calls: Few::default(),
            own_loop: OnceLock::new(),
        }
    }

    fn memory_size(&self) -> usize {
        let own_loop = self.own_loop.get().is_some_and(Option::is_some);
        self.byte_edges.memory_size()
            + self.calls.memory_size()
            + if own_loop { size_of::<Loop>() } else { 0 }
    }
}

fn byte(letter: u32) -> u8 {
    u8::try_from(letter).expect("a rule's automaton reads bytes")
}
