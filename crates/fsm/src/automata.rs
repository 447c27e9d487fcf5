//! The automata of a grammar, each built when it is first needed.
//!
//! # Just in time
//! Compiling decides which rules keep an automaton of their own ([`plan`](crate::plan)) and that the output can be finished
//! ([`facts`](crate::facts)); it builds the root's. The others are built when a row first predicts them: most rules of a
//! large schema are never reached by one output. Nothing about a rule depends on when it is built, since no automaton is
//! pruned by what another one turns out to be.
//!
//! A large rule is not even built then, but prepared: its states are made when they are reached ([`lazy`](crate::lazy)).
//!
//! # Shared tables
//! A rule of a grammar is a link: finished tables, which any number of grammars may use, and what the calls in them mean
//! here.

use crate::build::Construction;
use crate::error::Error;
use crate::form::Form;
use crate::lazy::Letters;
use crate::left_out::LeftOut;
use crate::loops::{self, Loop};
use crate::regions;
use crate::segmented::Segmented;
use crate::state_view::StateView;
use crate::tables::{ByteEdge, Tables};
use crate::work::Stop;
use formwork_grammar::{ByteSet, Grammar, Membership, Place, Standing, SymbolSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// An automaton: a rule of the grammar that kept its own, or a counted piece of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(u32);

impl RuleId {
    pub(crate) fn new(number: u32) -> Self {
        Self(number)
    }

    /// The position among the grammar's automata.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// A state: its rule, and its number among the rule's states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId {
    rule: RuleId,
    number: u32,
}

impl StateId {
    /// The rule that the state belongs to.
    #[inline]
    pub fn rule(self) -> RuleId {
        self.rule
    }

    /// The position among the states of its rule.
    #[inline]
    pub fn number(self) -> usize {
        self.number as usize
    }

    /// The same for a [`RuleView`].
    #[inline]
    pub fn local(self) -> u32 {
        self.number
    }

    /// Another state of the same rule.
    #[inline]
    pub fn sibling(self, number: u32) -> Self {
        Self { number, ..self }
    }
}

impl fmt::Debug for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}s{}", self.rule, self.number)
    }
}

/// The automata of a grammar: deterministic over bytes and rule references, free of ε, without dead states.
///
/// Every automaton accepts its rule's language *without the empty text*; only the [root](Self::root_may_be_empty)
/// remembers whether it may be empty. From every state an accepting one can be reached within the bounds of its counter,
/// and every rule that an edge refers to has texts. Rules that are [symbols](Self::symbols) are the exception: they are
/// completed from outside.
///
/// Immutable to its users and `Send + Sync`: rules are built behind a lock when they are first needed. About 150 bytes a
/// state.
pub struct Automata {
    grammar: Grammar,
    rules: Segmented<Rule>,
    construction: Mutex<Construction>,
    root_may_be_empty: bool,
    runs: Box<[RunBound]>,
    regions: Box<[RuleId]>,
}

/// A bound on runs of bytes that the automata leave to whoever runs them; see [`Config::runs`](crate::Config::runs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "whoever runs automata must know all of it")]
pub struct RunBound {
    /// What runs consist of.
    pub bytes: ByteSet,
    /// The longest run outside of JSON strings.
    pub max: u32,
}

/// Reads what another rule accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleEdge {
    /// The rule that is read.
    pub rule: RuleId,
    /// Where it leads.
    pub target: StateId,
    /// What it does to the count: 0 nothing; 1 completes one more repetition of a counted body; in a
    /// [set](Counter::Members), one more than the number of the member that it is.
    pub tick: u32,
}

/// What a rule keeps a count of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever runs automata must know all counters")]
pub enum Counter {
    /// How many ticks a text of it has.
    Ticks {
        /// The least number.
        min: u32,
        /// The greatest number; `None` means without end.
        max: Option<u32>,
    },
    /// Which members came: each at most once, and some must. See [`Automata::may_go_on`].
    Members,
    /// How many steps of the output, as whoever runs the automata counts them, have ended in a text of it: at most so
    /// many may have a part in it. No edge ticks; what a step may leave to be read, see [`Automata::units_to_end`].
    Steps {
        /// The greatest number; at least 1.
        max: u32,
    },
    /// The text read so far, and which texts came before it in the [`Distinct`](Self::Distinct) rule around it: it may not be
    /// one of these. See [`Automata::has_plenty`].
    Text,
    /// Which texts came of the rules that count [`Text`](Self::Text): each at most once.
    Distinct,
}

/// What is known of a rule before it is built, and the rule.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The grammar's rule whose name and place it has.
    pub(crate) of: formwork_grammar::RuleId,
    pub(crate) counter: Option<Counter>,
    /// Whether some rule refers to it.
    pub(crate) is_called: bool,
    /// If the rule is one symbol of a set: its automaton is a state that reads nothing and does not accept.
    pub(crate) symbols: Option<SymbolSet>,
    /// Empty tables if the construction failed.
    pub(crate) link: OnceLock<Link>,
    /// Whether it is a rule that captures, and captures are kept.
    pub(crate) captures: bool,
    /// The identity of its form, if it has one.
    pub(crate) identity: OnceLock<Option<u32>>,
}

/// Tables, and what their calls mean in one grammar.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) tables: Arc<Tables>,
    pub(crate) imports: Imports,
    /// Why there are no tables.
    pub(crate) error: Option<Box<Error>>,
}

/// What the calls of tables mean, by their numbers.
#[derive(Debug)]
pub(crate) enum Imports {
    All(Box<[RuleId]>),
    /// Of a rule whose states are made when they are reached.
    Reached(Box<Reached>),
}

/// What calls mean, as far as it was asked for.
#[derive(Debug)]
pub(crate) struct Reached {
    known: Segmented<RuleId>,
    /// What the positions in the rule's form name here, if the tables are made in another grammar; written when somebody asks.
    form: Option<OnceLock<Form>>,
}

impl Reached {
    /// Of tables that are made in this grammar.
    pub(crate) fn here() -> Self {
        Self { known: Segmented::default(), form: None }
    }

    /// Of tables that are made in another grammar.
    pub(crate) fn there() -> Self {
        Self { known: Segmented::default(), form: Some(OnceLock::new()) }
    }
}

impl Imports {
    #[inline]
    fn get(&self, call: u32) -> Option<RuleId> {
        match self {
            Self::All(imports) => imports.get(call as usize).copied(),
            Self::Reached(imports) => imports.known.get(call as usize).copied(),
        }
    }
}

impl fmt::Debug for Automata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Automata").field("n_rules", &self.n_rules()).finish_non_exhaustive()
    }
}

impl Automata {
    pub(crate) fn new(
        grammar: Grammar,
        construction: Construction,
        root_may_be_empty: bool,
        runs: Box<[RunBound]>,
    ) -> Self {
        Self {
            grammar,
            rules: Segmented::default(),
            construction: Mutex::new(construction),
            root_may_be_empty,
            runs,
            regions: Box::default(),
        }
    }

    pub(crate) fn add_rule(&self, number: u32, rule: Rule) {
        self.rules.get_or_init(number as usize, || rule);
    }

    // ---- building ----

    /// Makes sure that the rule is built.
    ///
    /// # Errors
    /// It exceeds a [limit](crate::Limits).
    #[inline]
    pub fn ready(&self, rule: RuleId) -> Result<(), &Error> {
        match &self.link(rule).error {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }

    /// Whether some state of the rule that was reached since it was built exceeds a limit: then it reads nothing, and what
    /// is found with it is not to be used.
    #[inline]
    pub fn has_failed(&self, rule: RuleId) -> bool {
        self.link(rule).tables.has_failed()
    }

    /// Whether the rule is built.
    pub fn is_ready(&self, rule: RuleId) -> bool {
        self.rule(rule).link.get().is_some()
    }

    /// Builds all rules that the root may reach.
    ///
    /// # Errors
    /// The first that exceeds a [limit](crate::Limits), or that the caller interrupted.
    pub fn complete(&self, interrupt: &dyn Fn() -> bool) -> Result<(), Error> {
        let mut next = 0;
        // Building a rule finds those that it calls.
        while self.rules.get(next).is_some() {
            if interrupt() {
                return Err(Error::interrupted());
            }
            let rule = RuleId(next as u32);
            self.ready(rule).map_err(Error::clone)?;
            self.link(rule)
                .tables
                .complete(interrupt)
                .map_err(|stop| self.construction().limit(rule.0, stop))?;
            if self.is_lazy(rule) {
                self.states_of(rule).for_each(|state| self.rule_edges(state).for_each(drop));
            }
            next += 1;
        }
        Ok(())
    }

    #[inline]
    fn rule(&self, rule: RuleId) -> &Rule {
        self.rules.get(rule.index()).unwrap_or_else(|| unreachable!("ids are of this grammar's rules"))
    }

    #[inline]
    pub(crate) fn link(&self, rule: RuleId) -> &Link {
        let entry = self.rule(rule);
        match entry.link.get() {
            Some(link) => link,
            None => self.build(rule, entry, &|| false),
        }
    }

    pub(crate) fn construction(&self) -> MutexGuard<'_, Construction> {
        // The construction is consistent between any two units, so a thread that panicked has left nothing half done.
        self.construction.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn build<'a>(&'a self, rule: RuleId, entry: &'a Rule, interrupt: &dyn Fn() -> bool) -> &'a Link {
        let mut construction = self.construction();
        entry.link.get_or_init(|| construction.link(self, rule.0, interrupt))
    }

    /// The rule that a call of linked tables means.
    #[inline]
    fn import(&self, caller: RuleId, link: &Link, call: u32) -> RuleId {
        link.imports.get(call).unwrap_or_else(|| self.find_import(caller, link, call))
    }

    #[cold]
    fn find_import(&self, caller: RuleId, link: &Link, call: u32) -> RuleId {
        let (Imports::Reached(reached), Some(lazy)) = (&link.imports, link.tables.as_lazy()) else {
            unreachable!("all calls are known")
        };
        let Reached { known, form } = &**reached;
        let mut construction = self.construction();
        *known.get_or_init(call as usize, || {
            let found = construction.import(self, caller, lazy, form.as_ref(), call);
            found.unwrap_or_else(|| {
                // Equal forms name the same, so this does not happen.
                lazy.fail(Stop::Nodes);
                self.root()
            })
        })
    }

    /// What the rule is, its counter's bounds aside: equal for rules of equal form of all grammars that share a
    /// [`Cache`](crate::Cache). `None` if it has no form.
    pub(crate) fn identity(&self, rule: RuleId) -> Option<u32> {
        *self.rule(rule).identity.get_or_init(|| self.construction().identity(rule.0))
    }

    /// What building rules took so far, in the units that [limits](crate::Limits::max_work) count, states that are made when they are
    /// reached aside.
    pub fn work_of_building(&self) -> u64 {
        self.construction().work_done()
    }

    /// Builds the root while the caller may still stop it.
    pub(crate) fn build_root(&self, interrupt: &dyn Fn() -> bool) -> Result<(), Error> {
        self.build_rule(self.root(), interrupt)
    }

    /// Builds a rule, unless it is built, while the caller may still stop it.
    ///
    /// # Errors
    /// It exceeds a [limit](crate::Limits), or the caller interrupted it; then the automata are of no further use.
    pub fn build_rule(&self, rule: RuleId, interrupt: &dyn Fn() -> bool) -> Result<(), Error> {
        match &self.build(rule, self.rule(rule), interrupt).error {
            None => Ok(()),
            Some(error) => Err(Error::clone(error)),
        }
    }

    /// Builds the rules that are [regions](crate::regions) or sets of distinct texts.
    pub(crate) fn build_regions(
        &mut self,
        regions: &[formwork_grammar::RuleId],
        interrupt: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let mut found = Vec::with_capacity(regions.len());
        for &rule in regions {
            let region = {
                let mut construction = self.construction.lock().unwrap_or_else(PoisonError::into_inner);
                RuleId(construction.unit_of(self, rule))
            };
            if let Some(error) = &self.build(region, self.rule(region), interrupt).error {
                return Err(Error::clone(error));
            }
            regions::check(self, region)?;
            if let Some(Counter::Steps { .. }) = self.counter(region) {
                found.push(region);
            }
        }
        self.regions = found.into();
        Ok(())
    }

    // ---- rules ----

    /// The rule that the whole output must match.
    pub fn root(&self) -> RuleId {
        RuleId(0)
    }

    /// Whether the empty output is complete.
    pub fn root_may_be_empty(&self) -> bool {
        self.root_may_be_empty
    }

    /// The runs that whoever runs the automata must bound. The grammar promises that where the output is at any time shows
    /// from its bytes: inside a JSON string or outside.
    pub fn runs(&self) -> &[RunBound] {
        &self.runs
    }

    /// The rules that count [steps](Counter::Steps); all are built.
    pub fn regions(&self) -> &[RuleId] {
        &self.regions
    }

    /// The grammar that the automata are of.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// The name under which the texts of the rule are captured, where automata are built
    /// [for that](crate::Config::captures).
    pub fn capture(&self, rule: RuleId) -> Option<&str> {
        let entry = self.rule(rule);
        if entry.captures { self.grammar.rule(entry.of).capture() } else { None }
    }

    /// The number of rules found so far; more are found as rules are built.
    pub fn n_rules(&self) -> usize {
        self.rules.iter().count()
    }

    /// The rules found so far, ascending.
    pub fn rules(&self) -> impl Iterator<Item = RuleId> + '_ {
        (0..).map(RuleId).take_while(|rule| self.rules.get(rule.index()).is_some())
    }

    /// What building took so far, in the units that [limits](crate::Limits::max_work) count; what was found in a
    /// [`Cache`](crate::Cache) took none, but for the states made when they are reached: those count whoever reached them.
    pub fn work(&self) -> u64 {
        let built = self.rules().filter(|&rule| self.is_ready(rule));
        let of_states =
            built.filter_map(|rule| Some(self.link(rule).tables.as_lazy()?.work_done())).sum::<u64>();
        of_states + self.construction().work_done()
    }

    /// The number of states of the rules built so far.
    pub fn n_states(&self) -> usize {
        self.rules().filter(|&rule| self.is_ready(rule)).map(|rule| self.n_states_of(rule)).sum()
    }

    /// The rule's name in the user's grammar.
    pub fn name(&self, rule: RuleId) -> &str {
        self.grammar.rule(self.rule(rule).of).name()
    }

    /// Where the rule came from.
    pub fn place(&self, rule: RuleId) -> &Place {
        self.grammar.rule(self.rule(rule).of).place()
    }

    /// What the rule counts, if it does.
    #[inline]
    pub fn counter(&self, rule: RuleId) -> Option<Counter> {
        self.rule(rule).counter
    }

    /// Whether some rule, perhaps itself, refers to the rule; only the root may be one that none does.
    pub fn is_called(&self, rule: RuleId) -> bool {
        self.rule(rule).is_called
    }

    /// The symbols, if the rule is one symbol of a set. Such a rule has one state, which reads nothing and does not accept:
    /// whoever runs the automata completes the rule when a symbol of the set comes.
    #[inline]
    pub fn symbols(&self, rule: RuleId) -> Option<&SymbolSet> {
        self.rule(rule).symbols.as_ref()
    }

    /// Names the rule's tables: rules of any grammars with equal names have the same states, and what they call is the
    /// same.
    pub fn tables(&self, rule: RuleId) -> u64 {
        self.link(rule).tables.uid
    }

    /// Whether the rule's states are made when they are reached; then there may be more than [`states_of`](Self::states_of)
    /// says, and equal ones among them.
    pub(crate) fn is_lazy(&self, rule: RuleId) -> bool {
        self.link(rule).tables.is_lazy()
    }

    /// Whether some state of the rule may refer to other rules.
    pub fn refers(&self, rule: RuleId) -> bool {
        !matches!(&self.link(rule).imports, Imports::All(imports) if imports.is_empty())
    }

    /// Where the rule begins. Never accepting.
    #[inline]
    pub fn start(&self, rule: RuleId) -> StateId {
        StateId { rule, number: 0 }
    }

    /// The number of states of a rule.
    pub fn n_states_of(&self, rule: RuleId) -> usize {
        self.link(rule).tables.n_states()
    }

    /// The states of a rule, ascending.
    pub fn states_of(&self, rule: RuleId) -> impl Iterator<Item = StateId> + use<> {
        (0..self.n_states_of(rule) as u32).map(move |number| StateId { rule, number })
    }

    /// Bytes that occur in some text of the rule, those of rules that it refers to aside; of states that were reached, or all
    /// once the automata are [complete](Self::complete).
    pub fn alphabet(&self, rule: RuleId) -> ByteSet {
        self.link(rule).tables.alphabet()
    }

    /// A position for what somebody keeps of the state, in lists that have no more of them than states were reached:
    /// the same for equal [tables](Self::tables). `None` if the state is beyond a limit.
    #[inline]
    pub fn slot(&self, state: StateId) -> Option<usize> {
        self.of(state).slot(state.number)
    }

    /// Whether the state's edges are made: those of some rules are when somebody first asks for them.
    pub fn is_made(&self, state: StateId) -> bool {
        self.of(state).is_made(state.number)
    }

    /// A state, for who asks much of it; its edges are made if they are not yet.
    #[inline]
    pub fn at(&self, state: StateId) -> StateView<'_> {
        StateView::of(self.of(state), state.number)
    }

    /// The states of a rule, for who asks about many.
    pub fn view(&self, rule: RuleId) -> RuleView<'_> {
        RuleView { tables: &self.link(rule).tables }
    }

    /// The states of a rule that counts the ticks of its own letters, as if nothing ticked. `None` if the rule does not count
    /// or calls others, or they would be very many.
    ///
    /// Cost: a load, or linear in the rule's edges the first time.
    pub fn unticked(&self, rule: RuleId) -> Option<Unticked<'_>> {
        if !matches!(self.counter(rule), Some(Counter::Ticks { .. })) {
            return None;
        }
        self.link(rule).tables.unticked().map(|unticked| Unticked { unticked })
    }

    // ---- states ----

    #[inline]
    fn of(&self, state: StateId) -> &Tables {
        &self.link(state.rule).tables
    }

    /// The rule that the state belongs to.
    #[inline]
    pub fn rule_of(&self, state: StateId) -> RuleId {
        state.rule
    }

    /// Whether the rule may end here, if its counter allows.
    #[inline]
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.of(state).is_accepting(state.number)
    }

    /// Whether the rule always ends here: accepting, without edges, not counted.
    #[inline]
    pub fn is_finished(&self, state: StateId) -> bool {
        let tables = self.of(state);
        tables.is_accepting(state.number)
            && !tables.goes_on(state.number)
            && self.counter(state.rule).is_none()
    }

    /// As [`Tables::is_free`].
    pub(crate) fn is_free(&self, state: StateId) -> bool {
        self.of(state).is_free(state.number)
    }

    /// Where `byte` leads: (without a tick, with a tick).
    #[inline]
    pub fn step(&self, state: StateId, byte: u8) -> (Option<StateId>, Option<StateId>) {
        let (plain, ticking) = step(self.of(state), state.number, byte);
        (plain.map(|number| state.sibling(number)), ticking.map(|number| state.sibling(number)))
    }

    /// Where a byte leads from a state of a rule that does not count; `None` of one that does.
    ///
    /// PERF: as [`step`](Self::step), with the rule looked up once.
    #[inline]
    pub fn step_uncounted(&self, state: StateId, byte: u8) -> Option<Option<StateId>> {
        let rule = self.rule(state.rule);
        if rule.counter.is_some() {
            return None;
        }
        let tables = &rule.link.get().unwrap_or_else(|| self.link(state.rule)).tables;
        Some(find(tables.plain_edges(state.number), byte).map(|number| state.sibling(number)))
    }

    /// The letters that a state reads one after the other, whose edges are not made: of a literal all but the last one, of several
    /// literals those that all have in common, or the first of very many. From the states between nothing else is read, but
    /// where it says so an escape of JSON, which begins with `\\`; and the rule cannot end there. `None` is always right.
    ///
    /// Cost: a load where it is none, else some dozen ns.
    #[inline]
    pub fn literal(&self, state: StateId) -> Option<Letters> {
        let letters = self.of(state).as_lazy()?.literal(state.number);
        letters.filter(|_| self.counter(state.rule).is_none())
    }

    /// The state behind so many of the letters of a [literal](Self::literal), one at least: the states between are not made.
    /// `None` if somebody else has made the edges since, or a limit is exceeded: then they are to be followed.
    ///
    /// Cost: some hundred ns, as [making](Self::at) the edges of one state.
    pub fn pass(&self, state: StateId, n_letters: u32) -> Option<StateId> {
        let passed = self.of(state).as_lazy()?.pass(state.number, n_letters)?;
        Some(state.sibling(passed))
    }

    /// The state behind some letters, for one that reads any text of a JSON string but some [words](RuleView::left_out): the states
    /// between are not made. `None` of any other, if what it calls may begin with one of the letters, or a limit is exceeded: then
    /// they are to be followed.
    ///
    /// Cost: as [`pass`](Self::pass).
    pub fn pass_words(&self, state: StateId, letters: &[u8]) -> Option<StateId> {
        let passed = self.of(state).as_lazy()?.pass_words(state.number, letters)?;
        Some(state.sibling(passed))
    }

    /// The edges over bytes: (without a tick, with a tick), each ascending and disjoint.
    pub fn byte_edges(&self, state: StateId) -> (&[ByteEdge], &[ByteEdge]) {
        let tables = self.of(state);
        (tables.plain_edges(state.number), tables.ticking_edges(state.number))
    }

    /// The edges over rules.
    #[inline]
    pub fn rule_edges(&self, state: StateId) -> impl ExactSizeIterator<Item = RuleEdge> + '_ {
        let link = self.link(state.rule);
        link.tables.call_edges(state.number).iter().map(move |call| RuleEdge {
            rule: self.import(state.rule, link, call.import),
            target: state.sibling(call.target),
            tick: call.tick,
        })
    }

    /// Whether the state has edges over rules.
    #[inline]
    pub fn calls(&self, state: StateId) -> bool {
        !self.of(state).call_edges(state.number).is_empty()
    }

    /// Bytes that some edge of the state reads.
    #[inline]
    pub fn next_bytes(&self, state: StateId) -> &ByteSet {
        self.of(state).next_bytes(state.number)
    }

    /// The bytes that the state reads, if that is all: it refers to no rule, cannot end, and does not count.
    #[inline]
    pub fn only_reads(&self, state: StateId) -> Option<&ByteSet> {
        let at = self.at(state);
        (self.counter(state.rule).is_none() && at.only_reads()).then(|| at.next_bytes())
    }

    /// Bytes with which a rule may begin that the state refers to, directly or at the beginning of one that it refers to;
    /// perhaps some more.
    ///
    /// On any other byte the state behaves as if it had no rule edges.
    #[inline]
    pub fn called_bytes(&self, state: StateId) -> &ByteSet {
        self.of(state).called_bytes(state.number)
    }

    /// Whether the state reads bytes.
    #[inline]
    pub fn is_scannable(&self, state: StateId) -> bool {
        self.of(state).reads_bytes(state.number)
    }

    /// The least and the greatest number of ticks on a way from the state to acceptance (`u32::MAX`: without end).
    #[inline]
    pub fn ticks_ahead(&self, state: StateId) -> (u32, u32) {
        self.of(state).ticks_ahead(state.number)
    }

    /// The least number of bytes and symbols on a way from the state to the end of its rule, in a rule that counts
    /// [steps](Counter::Steps).
    #[inline]
    pub fn units_to_end(&self, state: StateId) -> u32 {
        self.of(state).ticks_ahead(state.number).0
    }

    // ---- texts that differ ----

    /// Whether so many texts lead from the state of a rule that counts [`Text`](Counter::Text) to its end that some are left
    /// whichever came: at least [`PLENTY`](crate::PLENTY), of which an output can have no more. From other states some text must be looked for.
    #[inline]
    pub fn has_plenty(&self, state: StateId) -> bool {
        self.of(state).ticks_ahead(state.number).1 == u32::MAX
    }

    // ---- sets ----

    /// Whether a set's rule can be completed from the state, once these members came (bit = number; what is missing is 0).
    #[inline]
    pub fn may_go_on(&self, state: StateId, came: &[u64]) -> bool {
        self.of(state).guards.allow(self.guard(state), came)
    }

    /// Whether all members came that the rule of this set asks for, where it asks for nothing else.
    pub fn has_required(&self, rule: RuleId, came: &[u64]) -> bool {
        self.link(rule).tables.guards.has_required(came)
    }

    /// What decides which members of a set may come, if that takes more than to know which came. Then states are its own,
    /// not bits of members.
    #[inline]
    pub fn membership(&self, rule: RuleId) -> Option<&Membership> {
        self.link(rule).tables.guards.membership()
    }

    /// As [`may_go_on`](Self::may_go_on), where there is a [`Membership`].
    #[inline]
    pub fn may_go_on_in(&self, state: StateId, standing: &Standing) -> bool {
        self.of(state).guards.allow_in(self.guard(state), standing)
    }

    /// Whether the rule of a set may end whichever members came.
    pub fn asks_nothing(&self, rule: RuleId) -> bool {
        self.link(rule).tables.guards.asks_nothing()
    }

    /// What a state of a set's rule asks of the members that came: states with equal guards ask the same, and 0 asks
    /// nothing.
    #[inline]
    pub fn guard(&self, state: StateId) -> u32 {
        self.of(state).ticks_ahead(state.number).0
    }

    /// Whether the state can be gone on from only with this member, which then did not come yet.
    pub fn is_only_member(&self, state: StateId, number: u32) -> bool {
        self.of(state).guards.is_only(self.guard(state), number)
    }

    /// The state's loop: characters that lead only back to it, without a tick.
    #[inline]
    pub fn own_loop(&self, state: StateId) -> Loop {
        *self.of(state).own_loop(state.number)
    }

    /// The state's ticking loop: characters that lead only back to it and tick once, with their last byte.
    #[inline]
    pub fn own_ticking_loop(&self, state: StateId) -> Loop {
        *self.of(state).ticking_loop(state.number)
    }

    /// Heap memory in bytes of the rules built so far, shared tables included.
    pub fn memory_size(&self) -> usize {
        let built = self.rules().filter(|&rule| self.is_ready(rule));
        built.map(|rule| size_of::<Rule>() + self.link(rule).tables.memory_size()).sum()
    }
}

/// The states of a rule that counts its letters, as if nothing ticked.
///
/// The rule's own states have the same numbers. What they lead to may be a set of several of them, with a number above.
#[derive(Clone, Copy, Debug)]
pub struct Unticked<'a> {
    unticked: &'a crate::unticked::Unticked,
}

impl<'a> Unticked<'a> {
    /// The states.
    #[inline]
    pub fn view(self) -> RuleView<'a> {
        RuleView { tables: &self.unticked.tables }
    }

    /// How often an item of the rule ticks at most that reads a text of so many bytes and then goes to an end by the
    /// shortest way.
    ///
    /// If the item may tick as often, and [must](Automata::ticks_ahead) not more often than its state needs, the state says
    /// the same of every text of so many bytes with and without ticks.
    #[inline]
    pub fn most_ticks(self, n_bytes: usize) -> u32 {
        let n_bytes = u32::try_from(n_bytes).unwrap_or(u32::MAX);
        let in_text = n_bytes.checked_sub(1).map_or(0, |further| 1 + further / self.unticked.apart);
        self.unticked.most_needed.saturating_add(in_text)
    }

    /// Whether every state can be followed by any number of ticks: then what an item must count yet decides where the rule may end
    /// and nothing else.
    #[inline]
    pub fn ticks_on(self) -> bool {
        self.unticked.ticks_on
    }
}

/// One rule's states at hand: what [`Automata`] says of them, without looking the rule up each time.
#[derive(Clone, Copy, Debug)]
pub struct RuleView<'a> {
    tables: &'a Tables,
}

impl<'a> RuleView<'a> {
    /// One state, for who asks much of it; its edges are made if they are not yet.
    #[inline]
    pub fn at(&self, number: u32) -> StateView<'a> {
        StateView::of(self.tables, number)
    }

    /// As [`Automata::step`], by numbers.
    #[inline]
    pub fn step(&self, number: u32, byte: u8) -> (Option<u32>, Option<u32>) {
        step(self.tables, number, byte)
    }

    /// As [`Automata::is_accepting`].
    #[inline]
    pub fn is_accepting(&self, number: u32) -> bool {
        self.tables.is_accepting(number)
    }

    /// Whether the state has edges.
    #[inline]
    pub fn goes_on(&self, number: u32) -> bool {
        self.tables.goes_on(number)
    }

    /// Whether it is known that from the state any text may be read as it stands in a JSON string, without its edges being
    /// made: the inside of a name that is not declared, say. Some states of which it is so are not known.
    #[inline]
    pub fn reads_any_text(&self, number: u32) -> bool {
        self.tables.reads_any_text(number)
    }

    /// Whether the state's own edges are known to read any text of a JSON string and nothing else, each character back to the
    /// state: the inside of such a text, before which something else is called.
    pub fn is_free(&self, number: u32) -> bool {
        self.tables.is_free(number)
    }

    /// The words that a state leaves out which reads any other text of a JSON string, and then what it calls, if that is known.
    /// That behind a word by which such a state goes on is none itself.
    pub fn left_out(&self, number: u32) -> Option<LeftOut> {
        self.tables.as_lazy()?.left_out(number)
    }

    /// As [`Automata::literal`].
    #[inline]
    pub fn literal(&self, number: u32) -> Option<Letters> {
        self.tables.as_lazy()?.literal(number)
    }

    /// As [`Automata::pass`].
    pub fn pass(&self, number: u32, n_letters: u32) -> Option<u32> {
        self.tables.as_lazy()?.pass(number, n_letters)
    }

    /// As [`Automata::called_bytes`].
    #[inline]
    pub fn called_bytes(&self, number: u32) -> &ByteSet {
        self.tables.called_bytes(number)
    }

    /// As [`Automata::next_bytes`].
    #[inline]
    pub fn next_bytes(&self, number: u32) -> &ByteSet {
        self.tables.next_bytes(number)
    }

    /// As [`Automata::own_loop`].
    #[inline]
    pub fn own_loop(&self, number: u32) -> Loop {
        *self.tables.own_loop(number)
    }

    /// Characters of which the state reads any text by its own edges, however long: its loop, and more where the texts
    /// lead through several states; and those states. Of rules that do not count.
    ///
    /// Cost: some microseconds.
    pub fn live(&self, number: u32) -> (Loop, Vec<u32>) {
        loops::live(*self, number)
    }

    /// The lead bytes (bit = byte - 0xC0) all of whose characters lead by the state's own edges to where `goes` says. Of rules
    /// that do not count.
    pub fn leads_where(&self, number: u32, goes: impl FnMut(u32) -> bool) -> u64 {
        loops::leads_where(*self, number, goes)
    }

    /// The edges over bytes without a tick, ascending and disjoint.
    #[inline]
    pub fn plain_edges(&self, number: u32) -> &[ByteEdge] {
        self.tables.plain_edges(number)
    }
}

/// Where a byte leads: (without a tick, with a tick).
#[inline]
fn step(tables: &Tables, number: u32, byte: u8) -> (Option<u32>, Option<u32>) {
    let ticking = tables.ticking_edges(number);
    let ticking = if ticking.is_empty() { None } else { find(ticking, byte) };
    (find(tables.plain_edges(number), byte), ticking)
}

/// Binary above a dozen ranges, else linear: measured equal to dense tables, at a tenth of their memory.
#[inline]
pub(crate) fn find(edges: &[ByteEdge], byte: u8) -> Option<u32> {
    if edges.len() <= 12 {
        for edge in edges {
            if byte <= edge.high {
                return (edge.low <= byte).then_some(edge.target);
            }
        }
        return None;
    }
    let i = edges.partition_point(|edge| edge.high < byte);
    edges.get(i).filter(|edge| edge.low <= byte).map(|edge| edge.target)
}
