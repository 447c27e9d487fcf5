//! States made when they are first reached.
//!
//! Most states of a large object are never reached by one output: the names of the members that are left out, what
//! would follow them. So the automaton of a large rule is determinised as it is walked: the sets of nodes that states stand
//! for are kept, and a state's edges are made when somebody first asks for them. That costs what the state costs in the
//! whole [subset construction](crate::subset), once, under a lock; asked again it costs two loads.
//!
//! The nodes are made in the same way ([`deferred`](crate::deferred)): to prepare a rule costs next to nothing. Nodes and sets
//! are forgotten where nobody asked for a further state for long, and made again when somebody does
//! ([`sources`](crate::sources)); the states stay.
//!
//! Who reads several letters of a literal at once [passes](Lazy::pass) them: the states between them are not made.
//!
//! Not minimised, since that needs all states. Nodes are shared by what follows them, so equal states are rare where rules
//! are large: names and literals. Rules that count need the number of ticks ahead of each state, sets need its guards: those
//! are built whole. Small rules were, too: to determinise and minimise up to 24 nodes at once was a quarter of compiling, and much
//! code that nothing else runs; with them 0.05% fewer local masks were computed.
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
use crate::left_out::LeftOut;
use crate::loops::{self, Loop};
use crate::nfa::{LiteralLetter, Nfa, NodeId};
use crate::segmented::{Segmented, Segments};
use crate::sets::{Numbering, SetId};
use crate::sources::{Share, Sources};
use crate::subset::{Bounds, Subset};
use crate::tables::{ByteEdge, CallEdge, Tables};
use crate::unit::Entry;
use crate::work::{Stop, Work};
use formwork_grammar::{ByteSet, HashMap, SharedMachine};
use smallvec::SmallVec;
use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The states of a rule that were reached so far, and how to make the others.
pub(crate) struct Lazy {
    /// What is known of all states that some edge leads to before their edges are made, and where these are then: each in one
    /// word, since there are many. 0 is no state yet.
    headers: Segments<AtomicU32, 32>,
    /// Those whose edges are made, in the order in which they were: few of the others ever are.
    made: Segmented<LazyState>,
    /// The sets that states say by number.
    sets: Segmented<ByteSet>,
    loops: Segmented<Loop>,
    making: Arc<Mutex<Making>>,
    /// Heap memory in bytes of states, and of what making them needs and never forgets, about.
    n_bytes: AtomicUsize,
    /// States that some edge leads to, whether their own edges are made or not.
    n_states: AtomicUsize,
    /// Which limit some state was beyond.
    stop: OnceLock<Stop>,
    /// What a state is that is beyond a limit.
    failed: LazyState,
    is_machine: bool,
}

const ACCEPTING: u32 = 1;
/// It has edges.
const GOES_ON: u32 = 2;
/// It reads any text of a JSON string.
const ANY_TEXT: u32 = 4;
/// There are [letters](Lazy::literal) ahead, as long as its edges are not made.
const LITERAL: u32 = 8;
/// One more than the position among the states that are made begins at this bit.
const POSITION: u32 = 4;
/// So that positions fit.
const MAX_STATES: usize = 1 << 27;

/// The first letters of a literal, and whether escapes in JSON may stand in a letter's place.
pub type Letters = SmallVec<[(u8, bool); 32]>;

/// It has no loop.
const NO_LOOP: u32 = 0;
/// It may have one, for which nobody asked.
const SOME_LOOP: u32 = 1;
/// It is [free](Lazy::is_free): its loop is that of any text.
const FREE_LOOP: u32 = u32::MAX;

/// A state whose edges are made; it does not count.
#[derive(Debug, Default)]
pub(crate) struct LazyState {
    next_bytes: SetId,
    called_bytes: SetId,
    /// [`NO_LOOP`], [`FREE_LOOP`] or [`SOME_LOOP`], or that and one more than the position of its loop.
    own_loop: AtomicU32,
    /// One more than its [slot](Lazy::slot); 0 if nobody asked for it.
    slot: AtomicU32,
    /// Ascending and disjoint.
    byte_edges: Few<ByteEdge>,
    calls: Few<CallEdge>,
}

pub(crate) struct Making {
    source: Source,
    bounds: Bounds,
    /// The states whose edges are made, in the order in which they were.
    made: Vec<u32>,
    /// Letters that were passed.
    passed: Vec<Passed>,
    /// The states that somebody keeps something for, by slot.
    slots: Vec<u32>,
    /// The bytes with which the texts of the units may begin that were met so far.
    first_bytes: Vec<SetId>,
    numbering: Numbering,
    loops: HashMap<Loop, u32>,
    work_left: u64,
    /// What states took so far.
    work_done: u64,
    /// Whether a state was made since somebody last asked to [forget](Self::forget).
    is_used: bool,
    /// What the [lists](Lazy::lists_size) took when they were last looked at.
    lists_size: usize,
    share: Share,
}

/// Letters that were passed.
#[derive(Clone, Copy)]
struct Passed {
    /// How many states were made before.
    n_made: u32,
    state: u32,
    way: Way,
}

/// What was passed.
#[derive(Clone, Copy)]
enum Way {
    /// So many letters of a literal.
    Literal(u32),
    /// The letters up to a place among the words that the state [leaves out](Subset::left_out).
    Words(u32),
}

impl Way {
    /// The state to which it leads.
    fn pass(self, subset: &mut Subset, state: u32, work: &mut Work<'_>) -> Result<Option<u32>, Stop> {
        match self {
            Self::Literal(n_letters) => subset.pass(state, n_letters, work),
            Self::Words(place) => subset.pass_words(state, place, work),
        }
    }
}

/// What makes the states.
enum Source {
    Subset(Box<Subset>),
    /// The subset construction was forgotten; this begins it anew. `None` if that was beyond a limit.
    Forgotten(Option<Box<Deferred>>),
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
        let bounds = Bounds { max_states: bounds.max_states.min(MAX_STATES), ..bounds };
        let kept_size = size_of::<Deferred>() + deferred.memory_size();
        let source = Source::Subset(Box::new(Subset::new(nfa, Some(deferred), start, true, bounds, work)?));
        Ok(Self::of(source, bounds, work.left(), kept_size))
    }

    /// The states of a machine, without the empty text, at most so many.
    pub(crate) fn machine(machine: SharedMachine, max_states: usize) -> Self {
        let bounds = Bounds { max_states, max_members: usize::MAX };
        Self::of(Source::Machine(Numbered::new(machine, max_states)), bounds, u64::MAX, 0)
    }

    fn of(source: Source, bounds: Bounds, work_left: u64, kept_size: usize) -> Self {
        let is_machine = matches!(source, Source::Machine(_));
        let making = Making {
            source,
            bounds,
            made: Vec::new(),
            passed: Vec::new(),
            slots: Vec::new(),
            first_bytes: Vec::new(),
            numbering: Numbering::default(),
            loops: HashMap::default(),
            work_left,
            work_done: 0,
            is_used: true,
            lists_size: 0,
            share: Share::default(),
        };
        let lazy = Self {
            headers: Segments::default(),
            made: Segmented::default(),
            sets: Segmented::default(),
            loops: Segmented::default(),
            making: Arc::new(Mutex::new(making)),
            n_bytes: AtomicUsize::new(size_of::<Self>() + size_of::<Making>() + kept_size),
            n_states: AtomicUsize::new(0),
            stop: OnceLock::new(),
            failed: LazyState::default(),
            is_machine,
        };
        lazy.add_headers(&lazy.lock().source);
        lazy
    }

    /// From now on what states are made from is forgotten and made again as `sources` say.
    pub(crate) fn join(&self, sources: &Arc<Sources>) {
        let mut making = self.lock();
        if making.share.sources().is_none() {
            making.share.join(sources);
            self.share_sources(&mut making, sources);
        }
    }

    /// Counts what states are made from.
    fn share_sources(&self, making: &mut Making, sources: &Sources) {
        let source_size = making.source_size();
        if making.share.is_empty() && source_size > 0 {
            sources.add(Arc::downgrade(&self.making));
        }
        making.share.set(source_size);
        sources.make_room();
    }

    /// What making states took so far, whoever reached them.
    pub(crate) fn work_done(&self) -> u64 {
        self.lock().work_done
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

    /// Whether the state's edges are made.
    pub(crate) fn is_made(&self, number: u32) -> bool {
        self.position(number).is_some()
    }

    /// A state with its edges.
    #[inline]
    pub(crate) fn state(&self, number: u32) -> &LazyState {
        match self.position(number).and_then(|position| self.made.get(position)) {
            Some(state) => state,
            None => self.make(number),
        }
    }

    #[inline]
    fn header(&self, number: u32) -> u32 {
        // Nobody knows the number of a state before it has one.
        self.headers.get(number as usize).map_or(0, |header| header.load(Ordering::Acquire))
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

    /// Whether the state reads any text of a JSON string.
    #[inline]
    pub(crate) fn reads_any_text(&self, number: u32) -> bool {
        self.header(number) & ANY_TEXT != 0
    }

    /// The letters that come one after the other from a state whose edges are not made, in their order, with at least one more
    /// behind each: nothing but these, or their escapes, is read from the states between.
    pub(crate) fn literal(&self, number: u32) -> Option<Letters> {
        let header = self.header(number);
        if header & LITERAL == 0 || header >> POSITION != 0 {
            return None;
        }
        let making = self.lock();
        let Source::Subset(subset) = &making.source else { return None };
        let of = |letter: &LiteralLetter| (byte(letter.letter), letter.has_escapes);
        let letters: Letters = subset.ahead(number, MAX_LETTERS).iter().rev().map(of).collect();
        (!letters.is_empty()).then_some(letters)
    }

    /// The state behind some of the letters of a [literal](Self::literal). `None` if somebody has made the state's edges, or a
    /// limit is exceeded: then they are to be followed.
    pub(crate) fn pass(&self, number: u32, n_letters: u32) -> Option<u32> {
        self.pass_along(number, |_| Some(Way::Literal(n_letters)))
    }

    /// The state behind some letters, for one that reads any text but some [words](Self::left_out), without the states between.
    /// `None` if it is no such state, if something that it calls may begin with one of the letters, or a limit is exceeded: then
    /// they are to be followed.
    pub(crate) fn pass_words(&self, number: u32, letters: &[u8]) -> Option<u32> {
        if !self.reads_any_text(number) {
            return None;
        }
        self.pass_along(number, |making| {
            let Source::Subset(subset) = &making.source else { return None };
            let place = subset.left_out(number)?.behind(letters)?;
            let deferred = subset.deferred()?;
            let begins = |unit| letters.iter().any(|&letter| deferred.first_bytes(unit).contains(letter));
            (!subset.called_units(number).any(begins)).then_some(Way::Words(place))
        })
    }

    fn pass_along(&self, number: u32, way: impl FnOnce(&Making) -> Option<Way>) -> Option<u32> {
        let mut making = self.lock();
        if self.stop().is_some() {
            return None;
        }
        let way = way(&making)?;
        match making.pass(number, way, &self.sets) {
            Ok(passed) => {
                self.add_headers(&making.source);
                passed
            }
            Err(stop) => {
                self.fail(stop);
                None
            }
        }
    }

    /// As [`RuleView::left_out`](crate::RuleView::left_out).
    pub(crate) fn left_out(&self, number: u32) -> Option<LeftOut> {
        if !self.reads_any_text(number) {
            return None;
        }
        match &self.lock().source {
            Source::Subset(subset) => subset.left_out(number),
            Source::Forgotten(_) | Source::Machine(_) => None,
        }
    }

    /// Whether it is known that the state's own edges read the text of a JSON string and lead back to it behind each character,
    /// an escaped one, too, and that this is all that they read.
    pub(crate) fn is_free(&self, number: u32) -> bool {
        self.state(number).own_loop.load(Ordering::Acquire) == FREE_LOOP
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
        self.next_bytes_of(self.state(number))
    }

    #[inline]
    pub(crate) fn next_bytes_of(&self, state: &LazyState) -> &ByteSet {
        self.set(state.next_bytes)
    }

    #[inline]
    pub(crate) fn called_bytes(&self, number: u32) -> &ByteSet {
        self.called_bytes_of(self.state(number))
    }

    #[inline]
    pub(crate) fn called_bytes_of(&self, state: &LazyState) -> &ByteSet {
        self.set(state.called_bytes)
    }

    #[inline]
    fn set(&self, set: SetId) -> &ByteSet {
        set.set(|position| self.sets.get(position).unwrap_or(&ByteSet::FULL))
    }

    /// The state's loop, of these tables.
    #[inline]
    pub(crate) fn own_loop(&self, tables: &Tables, number: u32) -> &Loop {
        self.own_loop_of(tables, number, self.state(number))
    }

    /// The same of a state that was looked up.
    #[inline]
    pub(crate) fn own_loop_of(&self, tables: &Tables, number: u32, state: &LazyState) -> &Loop {
        match state.own_loop.load(Ordering::Acquire) {
            NO_LOOP => &Loop::EMPTY,
            FREE_LOOP => &Loop::JSON_TEXT,
            SOME_LOOP => self.find_loop(tables, number, state),
            position => self.loops.get((position - SOME_LOOP - 1) as usize).unwrap_or(&Loop::EMPTY),
        }
    }

    #[cold]
    fn find_loop(&self, tables: &Tables, number: u32, state: &LazyState) -> &Loop {
        // It asks for other states, so not under the lock.
        let own_loop = loops::loop_of(tables, number);
        if own_loop.is_empty() {
            state.own_loop.store(NO_LOOP, Ordering::Release);
            return &Loop::EMPTY;
        }
        let mut making = self.lock();
        let next = making.loops.len() as u32;
        let position = *making.loops.entry(own_loop).or_insert(next);
        let found = self.loops.get_or_init(position as usize, || own_loop);
        state.own_loop.store(position + SOME_LOOP + 1, Ordering::Release);
        found
    }

    /// A number of the state among those that were asked for one, which are few; `None` if its edges are beyond a limit.
    #[inline]
    pub(crate) fn slot(&self, number: u32) -> Option<usize> {
        let state = self.state(number);
        match state.slot.load(Ordering::Acquire).checked_sub(1) {
            Some(slot) => Some(slot as usize),
            None => self.new_slot(number),
        }
    }

    #[cold]
    fn new_slot(&self, number: u32) -> Option<usize> {
        let mut making = self.lock();
        let state = self.position(number).and_then(|position| self.made.get(position))?;
        if state.slot.load(Ordering::Acquire) == 0 {
            making.slots.push(number);
            state.slot.store(making.slots.len() as u32, Ordering::Release);
        }
        state.slot.load(Ordering::Acquire).checked_sub(1).map(|slot| slot as usize)
    }

    /// The state with this [slot](Self::slot).
    pub(crate) fn number_at(&self, slot: usize) -> Option<u32> {
        self.lock().slots.get(slot).copied()
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
            Source::Forgotten(deferred) => deferred.as_mut()?.portable(unit),
            Source::Machine(_) => None,
        }
    }

    /// The bytes on edges, of states whose edges are made at least.
    pub(crate) fn alphabet(&self) -> ByteSet {
        match &self.lock().source {
            Source::Subset(subset) => {
                let mut alphabet = ByteSet::EMPTY;
                subset.all_letters().for_each(|(low, high)| alphabet.insert_range(byte(low), byte(high)));
                alphabet
            }
            Source::Forgotten(_) => {
                let sets = self.made.iter().map(|state| self.set(state.next_bytes));
                sets.fold(ByteSet::EMPTY, |all, set| all.union(set))
            }
            Source::Machine(numbered) => numbered.machine.alphabet(),
        }
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
            let header =
                source.header(number as u32).into_iter().zip([ACCEPTING, GOES_ON, ANY_TEXT, LITERAL]);
            let bits = header.filter(|(is_so, _)| *is_so).fold(0, |bits, (_, bit)| bits | bit);
            self.headers.get_or_make(number).store(bits, Ordering::Release);
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
                let (position, own_bytes) = (making.made.len(), state.memory_size());
                making.made.push(number);
                let state = self.made.get_or_init(position, || state);
                if let Some(header) = self.headers.get(number as usize) {
                    header.fetch_add((position as u32 + 1) << POSITION, Ordering::Release);
                }
                let mut n_bytes = own_bytes;
                let counts = position % COUNT_EVERY == 0;
                if counts {
                    let lists_size = self.lists_size(&making);
                    n_bytes += lists_size.saturating_sub(making.lists_size);
                    making.lists_size = lists_size;
                }
                self.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
                making.is_used = true;
                if let Some(sources) = making.share.sources() {
                    sources.grow(n_bytes);
                    if counts {
                        let sources = Arc::clone(sources);
                        self.share_sources(&mut making, &sources);
                    }
                }
                state
            }
            Err(stop) => {
                self.fail(stop);
                &self.failed
            }
        }
    }

    /// Heap memory in bytes of the lists that grow with the states.
    fn lists_size(&self, making: &Making) -> usize {
        let units = making.source.deferred().map_or(0, Deferred::units_size);
        let numbered = match &making.source {
            Source::Machine(numbered) => numbered.memory_size(),
            _ => 0,
        };
        self.headers.memory_size()
            + self.made.memory_size()
            + self.sets.memory_size()
            + self.loops.memory_size()
            + making.memory_size()
            + units
            + numbered
    }

    /// Heap memory in bytes, about; what states are made from is counted by whom it is [shared](Self::join) with.
    pub(crate) fn memory_size(&self) -> usize {
        self.n_bytes.load(Ordering::Relaxed)
    }
}

/// The letters that are asked for at once; few read more.
const MAX_LETTERS: usize = 32;

/// Lists are looked at once for so many states that are made.
///
/// PERF: at each state, counting what states are made from was a thirtieth of filling masks.
const COUNT_EVERY: usize = 16;

impl Source {
    fn deferred(&self) -> Option<&Deferred> {
        match self {
            Self::Subset(subset) => subset.deferred(),
            Self::Forgotten(deferred) => deferred.as_deref(),
            Self::Machine(_) => None,
        }
    }

    fn n_states(&self) -> usize {
        match self {
            Self::Subset(subset) => subset.n_states(),
            Self::Forgotten(_) => 0,
            Self::Machine(numbered) => numbered.states.len(),
        }
    }

    fn header(&self, number: u32) -> [bool; 4] {
        match self {
            Self::Subset(subset) => subset.header(number),
            Self::Forgotten(_) => [false; 4],
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
        self.restart(sets)?;
        let Self { source, numbering, first_bytes, .. } = self;
        let own_loop = |byte_edges: &[ByteEdge]| {
            let returns = byte_edges.iter().any(|edge| edge.target == number && edge.low < 0x80);
            AtomicU32::new(if returns { SOME_LOOP } else { NO_LOOP })
        };
        let subset = match source {
            Source::Subset(subset) => subset,
            Source::Forgotten(_) => return Err(Stop::Work),
            Source::Machine(numbered) => {
                let (byte_edges, next_bytes) = numbered.make(number)?;
                let next_bytes = numbering.number(next_bytes, add);
                let own_loop = own_loop(&byte_edges);
                return Ok(LazyState { next_bytes, own_loop, byte_edges, ..LazyState::default() });
            }
        };
        let mut work = Work::new(self.work_left, &|| false);
        subset.forget();
        subset.expand(number, &mut work)?;
        self.work_done += self.work_left - work.left();
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
        let mut own_loop = own_loop(&byte_edges);
        if *own_loop.get_mut() != NO_LOOP && subset.is_free(number) {
            own_loop = AtomicU32::new(FREE_LOOP);
        }
        Ok(LazyState { next_bytes, called_bytes, own_loop, slot: AtomicU32::new(0), byte_edges, calls })
    }

    /// The state behind some letters ahead, if they still are.
    fn pass(&mut self, state: u32, way: Way, sets: &Segmented<ByteSet>) -> Result<Option<u32>, Stop> {
        self.restart(sets)?;
        let Source::Subset(subset) = &mut self.source else { return Ok(None) };
        let mut work = Work::new(self.work_left, &|| false);
        let passed = way.pass(subset, state, &mut work)?;
        self.work_done += self.work_left - work.left();
        self.work_left = work.left();
        if passed.is_some() {
            self.passed.push(Passed { n_made: self.made.len() as u32, state, way });
        }
        self.is_used = true;
        Ok(passed)
    }

    /// Makes what states are made from, if it is forgotten.
    fn restart(&mut self, sets: &Segmented<ByteSet>) -> Result<(), Stop> {
        let Source::Forgotten(deferred) = &mut self.source else { return Ok(()) };
        // It was within the limits before.
        let mut work = Work::new(u64::MAX, &|| false);
        let mut deferred = deferred.take().ok_or(Stop::Work)?;
        let (nfa, start) = deferred.restart(&mut work)?;
        let mut subset = Subset::new(nfa, Some(deferred), start, true, self.bounds, &mut work)?;
        let mut passed = self.passed.iter().peekable();
        for (n_made, &number) in (0..).zip(&self.made) {
            while let Some(next) = passed.next_if(|next| next.n_made <= n_made) {
                next.way.pass(&mut subset, next.state, &mut work)?;
            }
            subset.forget();
            subset.expand(number, &mut work)?;
        }
        for next in passed {
            next.way.pass(&mut subset, next.state, &mut work)?;
        }
        self.numbering = Numbering::of(sets.iter());
        self.source = Source::Subset(Box::new(subset));
        Ok(())
    }

    /// Forgets what states are made from, unless some was made since this was last asked; whether it did.
    pub(crate) fn forget(&mut self) -> bool {
        if std::mem::take(&mut self.is_used) {
            return false;
        }
        if let Source::Subset(subset) = &mut self.source {
            let Some(mut deferred) = subset.take_deferred() else { return false };
            deferred.forget();
            self.source = Source::Forgotten(Some(deferred));
        }
        self.numbering = Numbering::default();
        self.share.set(0);
        true
    }

    /// Heap memory in bytes of its own lists, which stay.
    fn memory_size(&self) -> usize {
        size_of::<u32>() * (self.made.capacity() + self.slots.capacity())
            + size_of::<Passed>() * self.passed.capacity()
            + size_of::<SetId>() * self.first_bytes.capacity()
            + self.loops.allocation_size()
    }

    /// Heap memory in bytes of what states are made from and may be forgotten, about.
    fn source_size(&self) -> usize {
        match &self.source {
            Source::Subset(subset) => size_of::<Subset>() + subset.memory_size(),
            Source::Forgotten(_) | Source::Machine(_) => 0,
        }
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

    fn header(&self, number: u32) -> [bool; 4] {
        let state = self.states[number as usize];
        let goes_on = self.machine.bytes_after(state).next().is_some();
        [number > 0 && self.machine.may_end(state), goes_on, false, false]
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
    /// The edges over bytes, ascending and disjoint.
    #[inline]
    pub(crate) fn byte_edges(&self) -> &[ByteEdge] {
        &self.byte_edges
    }

    #[inline]
    pub(crate) fn calls(&self) -> &[CallEdge] {
        &self.calls
    }

    /// Heap memory in bytes.
    fn memory_size(&self) -> usize {
        self.byte_edges.memory_size() + self.calls.memory_size()
    }
}

fn byte(letter: u32) -> u8 {
    u8::try_from(letter).expect("a rule's automaton reads bytes")
}
