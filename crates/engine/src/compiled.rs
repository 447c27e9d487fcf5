//! A compiled grammar: automata over a vocabulary, with local masks that fill in as they are needed.

use crate::config::Config;
use crate::pool::{Pool, Slots, private};
use crate::symbols::{self, SymbolIds};
use formwork_earley::{LimitExceeded, Rows};
use formwork_fsm::{Automata, RuleId, StateId};
use formwork_mask::{LocalMask, Slices, Walker};
use formwork_vocab::Vocabulary;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A grammar compiled for a vocabulary. Immutable to its users, `Send + Sync`, cheap to clone.
#[derive(Clone)]
pub struct CompiledGrammar {
    inner: Arc<Inner>,
}

struct Inner {
    automata: Arc<Automata>,
    slices: Arc<Slices>,
    config: Config,
    /// Per rule the local masks of its states.
    slots: Box<[Slots]>,
    /// Per state its position among its rule's slots.
    slot_of: Box<[u32]>,
    /// The ids of the rules that are symbols, ascending by rule.
    symbols: Box<[(RuleId, SymbolIds)]>,
    /// The bits of all ids that are tokens.
    real: Arc<[u32]>,
}

/// The longest canonical form of a rule that is looked up in the pool, in words: some hundred states.
const MAX_FORM: usize = 4_000;

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
        slices: Arc<Slices>,
        config: Config,
        real: Arc<[u32]>,
        pool: &Pool,
    ) -> Self {
        let hashes = if config.pool { automata.shallow_hashes() } else { Vec::new() };
        let mut slot_of = vec![0; automata.n_states()];
        let slots = automata
            .rules()
            .map(|rule| {
                let n_states = automata.states_of(rule).count();
                let form = if config.pool { automata.canonical(rule, &hashes, MAX_FORM) } else { None };
                let base = automata.start(rule).index();
                match form {
                    Some(form) => {
                        slot_of[base..base + n_states].copy_from_slice(&form.order);
                        pool.slots(form.words, n_states)
                    }
                    None => {
                        for (slot, i) in slot_of[base..base + n_states].iter_mut().zip(0..) {
                            *slot = i;
                        }
                        private(n_states)
                    }
                }
            })
            .collect();
        let symbols = symbols::resolve(&automata, slices.vocabulary());
        let automata = Arc::new(automata);
        let slot_of = slot_of.into();
        Self { inner: Arc::new(Inner { automata, slices, config, slots, slot_of, symbols, real }) }
    }

    fn slot(&self, state: StateId) -> &OnceLock<Arc<LocalMask>> {
        let inner = &self.inner;
        let state = inner.automata.class(state);
        &inner.slots[inner.automata.rule_of(state).index()][inner.slot_of[state.index()] as usize]
    }

    /// Whether the mask forbids some real id.
    pub(crate) fn is_partial(&self, mask: &[u32]) -> bool {
        self.inner.real.iter().zip(mask).any(|(real, allowed)| real & !allowed != 0)
    }

    /// The ids of a rule that is a symbol.
    pub(crate) fn symbol_ids(&self, rule: RuleId) -> Option<&SymbolIds> {
        let symbols = &self.inner.symbols;
        symbols.binary_search_by_key(&rule, |entry| entry.0).ok().map(|i| &symbols[i].1)
    }

    /// The bits of all ids that are tokens.
    pub(crate) fn real(&self) -> &[u32] {
        &self.inner.real
    }

    /// The vocabulary it was compiled for.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.inner.slices.vocabulary()
    }

    /// The grammar's automata.
    pub fn automata(&self) -> &Arc<Automata> {
        &self.inner.automata
    }

    /// How it was compiled.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// Heap memory in bytes, local masks computed so far included (shared ones too), the vocabulary not.
    pub fn memory_size(&self) -> usize {
        let locals = self.inner.slots.iter().flat_map(|slots| slots.iter()).filter_map(OnceLock::get);
        self.inner.automata.memory_size()
            + size_of_val(&self.inner.slot_of[..])
            + locals.map(|local| size_of::<LocalMask>() + local.memory_size()).sum::<usize>()
    }

    /// How many local masks are computed, of how many there are.
    pub fn n_local_masks(&self) -> (usize, usize) {
        let classes = self.inner.automata.states().filter(|&state| self.inner.automata.class(state) == state);
        let scannable = classes.filter(|&state| self.inner.automata.is_scannable(state)).count();
        let slots = self.inner.slots.iter().flat_map(|slots| slots.iter());
        (slots.filter(|slot| slot.get().is_some()).count(), scannable)
    }

    /// A fresh arena of rows.
    pub(crate) fn rows(&self) -> Rows {
        Rows::new(Arc::clone(&self.inner.automata), self.inner.config.rows.clone())
    }

    pub(crate) fn walker(&self) -> Walker {
        Walker::new(Arc::clone(&self.inner.slices), self.inner.config.slices, self.rows())
    }

    /// The local mask of a state, computed with the caller's walker if it is not there yet.
    ///
    /// Two threads that miss at once both compute it, and the first result stays: a lock would cost every hit.
    pub(crate) fn local(
        &self,
        state: StateId,
        walker: &mut Option<Walker>,
    ) -> Result<Arc<LocalMask>, LimitExceeded> {
        let slot = self.slot(state);
        if let Some(local) = slot.get() {
            return Ok(Arc::clone(local));
        }
        let state = self.inner.automata.class(state);
        let base = walker.get_or_insert_with(|| self.walker()).base_of(state);
        // A base has none itself, so this goes one level deep.
        let base = match base {
            Some((base, except)) => Some((base, except, self.local(base, walker)?)),
            None => None,
        };
        let walker = walker.get_or_insert_with(|| self.walker());
        let local = Arc::new(walker.local_mask(state, base)?);
        Ok(Arc::clone(slot.get_or_init(|| local)))
    }

    pub(crate) fn has_local(&self, state: StateId) -> bool {
        self.slot(state).get().is_some()
    }
}
