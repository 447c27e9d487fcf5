//! The pool: what the grammars of one vocabulary share.
//!
//! A local mask knows no parent, so the same state in two grammars has the same local mask. The pool keeps
//! - the automata of rules, and what makes them the same ([`Cache`]);
//! - by a rule's [tables](formwork_fsm::Automata::tables), one slot per state. A compiled grammar holds the slots of its
//!   rules, so a hit costs two loads and no lock;
//! - by a state's [canonical form](formwork_fsm::Automata::canonical), the local masks that are dear (the inside of a
//!   string, free text, counted texts), wherever in whatever rule the state occurs;
//! - the bitsets of loops ([`Slices`]).
//!
//! So strings, numbers, dates and "any value" are computed once per vocabulary, whichever grammar needs them first.
//! A miss is computed by one thread, and others that want the same state wait for it; nobody else waits.
//!
//! What is in it can be [kept in a file](Pool::to_bytes) for the next process.
//!
//! # Memory
//! [Generations] of local masks, which share a third of the budget, and others of automata, which have the rest: masks are found
//! by their rule's tables, so more of them than of what they belong to are of no use. Over MaskBench automata take five times what the masks of their states do that outputs meet, but eager compiling and
//! wide masks want more. Compiled grammars keep what they hold. What is forgotten is dropped a few entries at a time, when an output
//! ends.

use crate::estimates::Estimates;
use crate::runs::LongRuns;
use formwork_earley::LimitExceeded;
use formwork_fsm::{Cache, RunBound, Segmented};
use formwork_grammar::{Filling, Generations};
use formwork_mask::{LocalMask, MaskKind, Slices};
use formwork_vocab::Vocabulary;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A local mask, or why there is none.
pub(crate) type Local = Result<Arc<LocalMask>, LimitExceeded>;

/// One that is made once.
pub(crate) type Slot = OnceLock<Local>;

/// The local masks of a rule's states, by number, each made once.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    usual: Segmented<Local>,
    /// Of the other [kinds](MaskKind), one after the other.
    others: OnceLock<Box<[Segmented<Local>; MaskKind::ALL.len() - 1]>>,
}

impl Slots {
    pub(crate) fn of(&self, kind: MaskKind) -> &Segmented<Local> {
        match (kind as usize).checked_sub(1) {
            None => &self.usual,
            Some(other) => &self.others.get_or_init(Box::default)[other],
        }
    }

    /// All that are made, with the numbers of their states.
    pub(crate) fn made(&self) -> impl Iterator<Item = (MaskKind, usize, &Arc<LocalMask>)> {
        let kinds = match self.others.get() {
            None => &MaskKind::ALL[..1],
            Some(_) => &MaskKind::ALL[..],
        };
        let entries =
            kinds.iter().flat_map(|&kind| self.of(kind).entries().map(move |(i, local)| (kind, i, local)));
        entries.filter_map(|(kind, i, local)| Some((kind, i, local.as_ref().ok()?)))
    }
}

/// By tables, and whether anybody calls the rule.
pub(crate) type RuleSlots = Vec<((u64, bool), Arc<Slots>)>;

/// By canonical form.
pub(crate) type StateSlots = Vec<(Box<[u32]>, Arc<Slot>)>;

/// What the grammars of one vocabulary share: automata, local masks, loop slices. `Send + Sync`, cheap to clone.
///
/// Every [`Compiler`](crate::Compiler) has one; give several compilers the same one with
/// [`CompilerBuilder::pool`](crate::CompilerBuilder::pool).
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    slices: Arc<Slices>,
    automata: Arc<Cache>,
    masks: Mutex<Masks>,
    estimates: Estimates,
    /// By bounds; few are ever asked for.
    long_runs: Mutex<Vec<Arc<LongRuns>>>,
    max_masks: usize,
    hits: AtomicU64,
    misses: AtomicU64,
    missed_bytes: AtomicU64,
}

/// How a [`Pool`] has been used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Local masks that were found under a state's form.
    pub hits: u64,
    /// Local masks that had to be computed, cheap ones included.
    pub misses: u64,
    /// What these took, in bytes, whether they are still there or not; with what finds them, and what they share once.
    pub missed_bytes: u64,
    /// Bytes of local masks in the pool, about.
    pub bytes: usize,
    /// Bytes of automata in the pool, about, and of what finds them.
    pub automata_bytes: usize,
}

#[derive(Default)]
struct Masks {
    /// By tables, and whether anybody calls the rule: what lies behind the end of one that nobody calls is nobody's.
    rules: Generations<(u64, bool), Arc<Slots>>,
    /// By the state's canonical form.
    states: Generations<Box<[u32]>, Arc<Slot>>,
    /// What the rules are that were [prepared](crate::behind_tags).
    prepared: Generations<u32, ()>,
    filling: Filling,
}

/// What the slots of a rule take with the first ones of them, and what the slot of a form does.
const SLOTS: usize = size_of::<Slots>() + 8 * size_of::<Slot>() + 48;
const SLOT: usize = size_of::<Slot>() + 48;
/// What it takes to note that a rule was prepared.
const PREPARED: usize = 8;

/// Forgotten entries that are dropped when an output ends.
const LEAVE: usize = 16;

/// Lists of bounds on runs whose tokens are kept.
const MAX_BOUNDS: usize = 8;

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

impl Pool {
    /// An empty pool for a vocabulary, of about so many bytes: a third for local masks, the rest for automata.
    ///
    /// Cost: what is known of a vocabulary once for all grammars, some milliseconds.
    pub fn new(vocabulary: Vocabulary, max_bytes: usize) -> Self {
        let slices = Slices::new(vocabulary);
        slices.prepare();
        Self::with_automata(slices, Cache::new(Self::max_automata(max_bytes)), max_bytes)
    }

    /// The bytes of all that automata may take; the rest is for local masks.
    pub(crate) fn max_automata(max_bytes: usize) -> usize {
        max_bytes / 3 * 2
    }

    pub(crate) fn with_automata(slices: Slices, automata: Cache, max_bytes: usize) -> Self {
        let estimates = Estimates::new(slices.vocabulary().trie());
        let inner = Inner {
            slices: Arc::new(slices),
            automata: Arc::new(automata),
            masks: Mutex::default(),
            estimates,
            long_runs: Mutex::default(),
            max_masks: max_bytes - Self::max_automata(max_bytes),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            missed_bytes: AtomicU64::new(0),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The vocabulary that the pool belongs to.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.inner.slices.vocabulary()
    }

    /// How the pool has been used so far.
    pub fn stats(&self) -> PoolStats {
        PoolStats {
            hits: self.inner.hits.load(Ordering::Relaxed),
            misses: self.inner.misses.load(Ordering::Relaxed),
            missed_bytes: self.inner.missed_bytes.load(Ordering::Relaxed),
            bytes: self.lock().filling.n_bytes(),
            automata_bytes: self.inner.automata.memory_size(),
        }
    }

    pub(crate) fn slices(&self) -> &Arc<Slices> {
        &self.inner.slices
    }

    pub(crate) fn automata(&self) -> &Arc<Cache> {
        &self.inner.automata
    }

    /// What local masks are expected to cost.
    pub(crate) fn estimates(&self) -> &Estimates {
        &self.inner.estimates
    }

    /// The tokens that these bounds on runs may forbid.
    pub(crate) fn long_runs(&self, bounds: &[RunBound]) -> Arc<LongRuns> {
        let mut known = self.inner.long_runs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.iter().find(|other| other.bounds() == bounds) {
            return Arc::clone(found);
        }
        let made = Arc::new(LongRuns::of(self.vocabulary(), bounds));
        known.truncate(MAX_BOUNDS - 1);
        known.insert(0, Arc::clone(&made));
        made
    }

    /// The slots of a rule.
    pub(crate) fn slots(&self, rule: (u64, bool)) -> Arc<Slots> {
        let mut masks = self.lock();
        if let Some((found, was_old)) = masks.rules.get(&rule) {
            let found = Arc::clone(found);
            if was_old {
                let sizes = found.made().map(|(_, _, mask)| size_of::<LocalMask>() + mask.memory_size());
                let n_bytes = SLOTS + sizes.sum::<usize>();
                self.count(&mut masks, n_bytes);
            }
            return found;
        }
        self.count(&mut masks, SLOTS);
        let new = Arc::default();
        masks.rules.insert(rule, Arc::clone(&new));
        new
    }

    /// Drops some of what is forgotten: best called when nobody waits.
    pub(crate) fn drop_some(&self) {
        let Ok(mut masks) = self.inner.masks.try_lock() else { return };
        masks.prepared.take_forgotten(LEAVE);
        let forgotten = (masks.rules.take_forgotten(LEAVE), masks.states.take_forgotten(LEAVE));
        drop(masks);
        drop(forgotten);
        self.inner.automata.drop_some();
    }

    /// Whether nobody has [prepared](crate::behind_tags) a rule.
    pub(crate) fn is_to_prepare(&self, identity: u32) -> bool {
        self.lock().prepared.get(&identity).is_none()
    }

    /// Whether a rule is the caller's to [prepare](crate::behind_tags), and nobody's after that.
    pub(crate) fn prepares(&self, identity: u32) -> bool {
        let mut masks = self.lock();
        if masks.prepared.get(&identity).is_some() {
            return false;
        }
        self.count(&mut masks, PREPARED);
        masks.prepared.insert(identity, ());
        true
    }

    /// The slot of all states with this form.
    pub(crate) fn shared(&self, form: Vec<u32>) -> Arc<Slot> {
        let mut masks = self.lock();
        if let Some((found, _)) = masks.states.get(&form[..]) {
            return Arc::clone(found);
        }
        self.count(&mut masks, SLOT + size_of_val(&form[..]));
        let new = Arc::default();
        masks.states.insert(form.into(), Arc::clone(&new));
        new
    }

    pub(crate) fn count_hit(&self) {
        self.inner.hits.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes a local mask that was computed.
    pub(crate) fn count_miss(&self, n_bytes: usize) {
        self.inner.misses.fetch_add(1, Ordering::Relaxed);
        self.count_grown(n_bytes);
    }

    /// Notes that local masks that were computed have become larger by so many bytes.
    pub(crate) fn count_grown(&self, n_bytes: usize) {
        self.inner.missed_bytes.fetch_add(n_bytes as u64, Ordering::Relaxed);
        self.count_bytes(n_bytes);
    }

    /// Notes that so many bytes came into the youngest generation.
    pub(crate) fn count_bytes(&self, n_bytes: usize) {
        self.count(&mut self.lock(), n_bytes);
    }

    fn count(&self, masks: &mut Masks, n_bytes: usize) {
        let n_changes = masks.filling.add(n_bytes, self.inner.max_masks);
        masks.rules.age(n_changes);
        masks.states.age(n_changes);
        masks.prepared.age(n_changes);
    }

    /// All slots of rules, and of states by form, what was used longest ago first.
    pub(crate) fn contents(&self) -> (RuleSlots, StateSlots) {
        let masks = self.lock();
        (masks.rules.sorted(), masks.states.sorted())
    }

    /// The bounds on runs whose tokens are known, the latest first.
    pub(crate) fn run_bounds(&self) -> Vec<Vec<RunBound>> {
        let known = self.inner.long_runs.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|runs| runs.bounds().to_vec()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Masks> {
        // The maps are whole at every moment, so a thread that panicked has left nothing half done.
        self.inner.masks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
