//! A compiled grammar: automata over a vocabulary, with local masks that fill in as they are needed.

use crate::arena::{Arena, Held, Shelf};
use crate::budget::Budgets;
use crate::captures::Capturing;
use crate::config::Config;
use crate::estimates::Estimates;
use crate::pool::{Pool, Slot, Slots};
use crate::recent::Came;
use crate::runs::LongRuns;
use crate::symbols::SymbolIds;
use formwork_earley::{LimitExceeded, Rows};
use formwork_fsm::{Automata, Cache, RuleId, Segmented, StateId, Symbols};
use formwork_mask::{LocalMask, MaskKind, Slices, Switches, Walker};
use formwork_vocab::Vocabulary;
use std::fmt;
use std::sync::{Arc, Weak};

/// A grammar compiled for a vocabulary. Immutable to its users, `Send + Sync`, cheap to clone.
#[derive(Clone)]
pub struct CompiledGrammar {
    inner: Arc<Inner>,
}

struct Inner {
    automata: Arc<Automata>,
    config: Config,
    /// Per rule the local masks of its states, from when they are first asked for.
    slots: Segmented<Arc<Slots>>,
    /// The ids of the rules that are symbols, from when they are first asked for.
    symbols: Segmented<Option<SymbolIds>>,
    pool: Pool,
    /// The bits of all ids that are tokens.
    real: Arc<[u32]>,
    /// The tokens that may make runs too long, if matchers keep bounds on runs.
    long_runs: Option<Arc<LongRuns>>,
    budgets: Option<Budgets>,
    capturing: Option<Capturing>,
    /// Arenas of matchers that are dropped.
    shelf: Shelf,
    came: Came,
}

/// A compiled grammar that may have been dropped.
#[derive(Clone)]
pub(crate) struct WeakGrammar {
    inner: Weak<Inner>,
}

impl WeakGrammar {
    pub(crate) fn upgrade(&self) -> Option<CompiledGrammar> {
        self.inner.upgrade().map(|inner| CompiledGrammar { inner })
    }

    /// Whether nobody but who asks has it.
    pub(crate) fn is_dropped(&self) -> bool {
        self.inner.strong_count() <= 1
    }
}

/// The longest form of a state that is looked up in the pool, in words: some hundred states.
const MAX_FORM: usize = 4_000;

/// What a local mask takes beside its own memory: its counters and its slot.
const MASK_FIXED: usize = size_of::<LocalMask>() + 2 * size_of::<usize>() + SLOT_SIZE;
/// A slot with its part of those that are empty: the lists double, and most are short.
const SLOT_SIZE: usize = size_of::<Slot>() * 5 / 2;

impl fmt::Debug for CompiledGrammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledGrammar")
            .field("n_rules", &self.inner.automata.n_rules())
            .field("n_states", &self.inner.automata.n_states())
            .finish_non_exhaustive()
    }
}

impl CompiledGrammar {
    pub(crate) fn new(
        automata: Automata,
        names: &Arc<dyn Symbols>,
        config: Config,
        real: Arc<[u32]>,
        pool: Pool,
        came: &Came,
    ) -> Self {
        let (automata, slots) = (Arc::new(automata), Segmented::default());
        let symbols = Segmented::default();
        let bounds = automata.runs();
        let long_runs = (!bounds.is_empty()).then(|| pool.long_runs(bounds));
        let (budgets, capturing) = (Budgets::of(&automata), Capturing::of(&automata, names));
        let (shelf, came) = (Shelf::default(), came.clone());
        let inner = Inner {
            automata,
            config,
            slots,
            symbols,
            pool,
            real,
            long_runs,
            budgets,
            capturing,
            shelf,
            came,
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn downgrade(&self) -> WeakGrammar {
        WeakGrammar { inner: Arc::downgrade(&self.inner) }
    }

    fn slots_of(&self, rule: RuleId) -> &Slots {
        let inner = &self.inner;
        inner.slots.get(rule.index()).unwrap_or_else(|| {
            inner.slots.get_or_init(rule.index(), || match inner.config.pool {
                true => {
                    let key = (inner.automata.tables(rule), inner.automata.is_called(rule));
                    inner.pool.slots(key)
                }
                false => Arc::default(),
            })
        })
    }

    /// Whether the mask forbids some real id.
    pub(crate) fn is_partial(&self, mask: &[u32]) -> bool {
        self.inner.real.iter().zip(mask).any(|(real, allowed)| real & !allowed != 0)
    }

    /// The ids of a rule that is a symbol.
    pub(crate) fn symbol_ids(&self, rule: RuleId) -> Option<&SymbolIds> {
        let ids = self.inner.symbols.get_or_init(rule.index(), || {
            self.inner.automata.symbols(rule).map(|set| SymbolIds::of(self.vocabulary(), set))
        });
        ids.as_ref()
    }

    /// The bits of all ids that are tokens.
    pub(crate) fn real(&self) -> &[u32] {
        &self.inner.real
    }

    /// The tokens that may make runs too long, if matchers keep bounds on runs.
    #[inline]
    pub(crate) fn long_runs(&self) -> Option<&LongRuns> {
        self.inner.long_runs.as_deref()
    }

    /// What captures need, if the grammar has some.
    pub(crate) fn capturing(&self) -> Option<&Capturing> {
        self.inner.capturing.as_ref()
    }

    /// Automata that all grammars of the pool share.
    pub(crate) fn cache(&self) -> &Arc<Cache> {
        self.inner.pool.automata()
    }

    /// The budgets of regions, if the grammar has some.
    #[inline]
    pub(crate) fn budgets(&self) -> Option<&Budgets> {
        self.inner.budgets.as_ref()
    }

    /// The vocabulary it was compiled for.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.inner.pool.vocabulary()
    }

    /// The grammar's automata.
    pub fn automata(&self) -> &Arc<Automata> {
        &self.inner.automata
    }

    /// How it was compiled.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// Heap memory in bytes, local masks computed so far (shared ones too) and the rows left by matchers included,
    /// the vocabulary not.
    pub fn memory_size(&self) -> usize {
        self.inner.automata.memory_size() + self.local_masks_size() + self.inner.shelf.memory_size()
    }

    /// Heap memory in bytes of the local masks that are [computed](Self::n_local_masks); those that other grammars have, too, are
    /// counted.
    pub fn local_masks_size(&self) -> usize {
        let locals = self.slots().flat_map(Slots::made).map(|(_, _, local)| local);
        locals.map(|local| size_of::<LocalMask>() + local.memory_size()).sum()
    }

    /// How many local masks are computed, of how many there are in the rules that are built.
    pub fn n_local_masks(&self) -> (usize, usize) {
        let automata = &self.inner.automata;
        let built = automata.rules().filter(|&rule| automata.is_ready(rule));
        let states = built.flat_map(|rule| automata.states_of(rule));
        let scannable = states.filter(|&state| automata.is_scannable(state)).count();
        (self.slots().flat_map(Slots::made).count(), scannable)
    }

    /// The slots of rules that some were asked of.
    fn slots(&self) -> impl Iterator<Item = &Slots> {
        self.inner.slots.entries().map(|(_, slots)| &**slots)
    }

    /// A fresh arena of rows.
    pub(crate) fn rows(&self) -> Rows {
        Rows::new(Arc::clone(&self.inner.automata), self.inner.config.rows.clone())
    }

    /// An arena for a matcher: that of one that was dropped, if there is one.
    pub(crate) fn arena(&self) -> Result<Box<Arena>, LimitExceeded> {
        self.inner.shelf.take(&self.inner.came).map_or_else(|| Arena::new(self), Ok)
    }

    /// Makes the arena of the first matcher, and keeps it if arenas are kept.
    pub(crate) fn keep_first(&self) -> Result<(), LimitExceeded> {
        let arena = Arena::new(self)?;
        if self.inner.config.arenas && arena.is_small() {
            let n_bytes = arena.memory_size();
            self.inner.shelf.put(arena, n_bytes, &self.inner.came);
        }
        Ok(())
    }

    /// Keeps the arena of a matcher that is dropped for the next one, if it is small.
    pub(crate) fn keep(&self, arena: &mut Held) {
        let arena = arena.take().filter(|_| self.inner.config.arenas && !std::thread::panicking());
        if let Some(mut arena) = arena.filter(|arena| arena.is_small()) {
            arena.leave();
            let n_bytes = arena.shrink();
            self.inner.shelf.put(arena, n_bytes, &self.inner.came);
        }
        // An output has ended: nobody waits for what comes next.
        self.inner.came.drop_some();
        self.inner.pool.drop_some();
    }

    pub(crate) fn walker(&self) -> Walker {
        Walker::new(Arc::clone(self.slices()), self.switches(), self.rows())
    }

    pub(crate) fn switches(&self) -> Switches {
        let Config { slices, suffixes, .. } = self.inner.config;
        Switches { slices, suffixes }
    }

    /// What local masks are expected to cost.
    pub(crate) fn estimates(&self) -> &Estimates {
        self.inner.pool.estimates()
    }

    pub(crate) fn slices(&self) -> &Arc<Slices> {
        self.inner.pool.slices()
    }

    /// The local mask of a state, computed with the caller's walker if it is not there yet.
    pub(crate) fn local(
        &self,
        state: StateId,
        kind: MaskKind,
        walker: &mut Option<Walker>,
    ) -> Result<Arc<LocalMask>, LimitExceeded> {
        let slots = self.slots_of(state.rule()).of(kind);
        let Some(slot) = self.inner.automata.slot(state) else { return Err(LimitExceeded::Automaton) };
        match slots.get(slot) {
            Some(local) => local.clone(),
            None => slots.get_or_init(slot, || self.find_local(state, kind, walker)).clone(),
        }
    }

    /// The local mask of a state that has none yet, from the pool where it is dear.
    fn find_local(
        &self,
        state: StateId,
        kind: MaskKind,
        walker: &mut Option<Walker>,
    ) -> Result<Arc<LocalMask>, LimitExceeded> {
        let Inner { automata, config, pool, .. } = &*self.inner;
        let along = walker.get_or_insert_with(|| self.walker()).along_letters(state, kind);
        if let Some(local) = along {
            return Ok(self.counted(local));
        }
        if !config.pool {
            return self.compute_local(state, kind, walker);
        }
        if !formwork_mask::is_wide(automata, state) {
            let form = walker.as_ref().and_then(|walker| walker.form_but_for_words(state, kind));
            let Some(mut form) = form else { return self.compute_local(state, kind, walker) };
            form.push(kind as u32);
            let shared = pool.shared(form);
            if let Some(local) = shared.get() {
                return self.found(local);
            }
            // It is another state's mask: whoever computes it may come to one that is found here, so it is not waited for.
            let local = self.compute_local(state, kind, walker)?;
            return shared.get_or_init(|| Ok(local)).clone();
        }
        let Some(mut form) = automata.canonical(state, MAX_FORM) else {
            return self.compute_local(state, kind, walker);
        };
        form.push(kind as u32);
        let shared = pool.shared(form);
        match shared.get() {
            Some(local) => self.found(local),
            None => shared.get_or_init(|| self.compute_local(state, kind, walker)).clone(),
        }
    }

    fn compute_local(
        &self,
        state: StateId,
        kind: MaskKind,
        walker: &mut Option<Walker>,
    ) -> Result<Arc<LocalMask>, LimitExceeded> {
        if let Some(twin) = walker.get_or_insert_with(|| self.walker()).twin_of(state, kind) {
            // It loops on what leads to it, so it has no twin itself.
            self.count_grown(SLOT_SIZE);
            return self.local(twin, kind, walker);
        }
        let base = walker.get_or_insert_with(|| self.walker()).base_of(state, kind);
        // A base has none itself, so this goes one level deep.
        let base = match base {
            Some(base) => Some((base, self.local(base, kind, walker)?)),
            None => None,
        };
        let walker = walker.get_or_insert_with(|| self.walker());
        if let Some((_, local)) =
            base.as_ref().filter(|(base, _)| walker.leaves_out_nothing(state, *base, kind))
        {
            self.count_grown(SLOT_SIZE);
            return Ok(Arc::clone(local));
        }
        let local = walker.local_mask(state, base, kind)?;
        Ok(self.counted(local))
    }

    /// A local mask that the pool had.
    fn found(&self, local: &Result<Arc<LocalMask>, LimitExceeded>) -> Result<Arc<LocalMask>, LimitExceeded> {
        self.inner.pool.count_hit();
        self.count_grown(SLOT_SIZE);
        local.clone()
    }

    /// A local mask that was just computed.
    fn counted(&self, local: LocalMask) -> Arc<LocalMask> {
        let n_bytes = MASK_FIXED + local.memory_size();
        self.inner.pool.count_miss(n_bytes);
        self.inner.came.add(n_bytes);
        Arc::new(local)
    }

    /// Notes that local masks have become larger by so many bytes.
    pub(crate) fn count_grown(&self, n_bytes: usize) {
        self.inner.pool.count_grown(n_bytes);
        self.inner.came.add(n_bytes);
    }

    /// Whether nobody has [prepared](crate::behind_tags) a rule that is this.
    pub(crate) fn is_to_prepare(&self, identity: u32) -> bool {
        !self.inner.config.pool || self.inner.pool.is_to_prepare(identity)
    }

    /// Whether a rule that is this is the caller's to prepare, and nobody's after that.
    pub(crate) fn prepares(&self, identity: u32) -> bool {
        !self.inner.config.pool || self.inner.pool.prepares(identity)
    }

    pub(crate) fn has_local(&self, state: StateId) -> bool {
        let slots = self.slots_of(state.rule()).of(MaskKind::Usual);
        self.inner.automata.slot(state).is_some_and(|slot| slots.get(slot).is_some())
    }
}
