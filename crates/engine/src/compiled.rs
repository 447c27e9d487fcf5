//! A compiled grammar: automata over a vocabulary, with local masks that fill in as they are needed.

use crate::config::Config;
use formwork_earley::{LimitExceeded, Rows};
use formwork_fsm::{Automata, StateId};
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
    /// One slot per state; those of a class use the first one's.
    locals: Box<[OnceLock<Arc<LocalMask>>]>,
    /// The bits of all ids that are tokens.
    real: Arc<[u32]>,
}

impl fmt::Debug for CompiledGrammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledGrammar")
            .field("n_rules", &self.inner.automata.n_rules())
            .field("n_states", &self.inner.automata.n_states())
            .finish_non_exhaustive()
    }
}

impl CompiledGrammar {
    pub(crate) fn new(automata: Automata, slices: Arc<Slices>, config: Config, real: Arc<[u32]>) -> Self {
        let locals = (0..automata.n_states()).map(|_| OnceLock::new()).collect();
        Self { inner: Arc::new(Inner { automata: Arc::new(automata), slices, config, locals, real }) }
    }

    /// Whether the mask forbids some real id.
    pub(crate) fn is_partial(&self, mask: &[u32]) -> bool {
        self.inner.real.iter().zip(mask).any(|(real, allowed)| real & !allowed != 0)
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

    /// Heap memory in bytes, local masks computed so far included, the vocabulary not.
    pub fn memory_size(&self) -> usize {
        let locals = self.inner.locals.iter().filter_map(OnceLock::get);
        self.inner.automata.memory_size()
            + size_of_val(&self.inner.locals[..])
            + locals.map(|local| size_of::<LocalMask>() + local.memory_size()).sum::<usize>()
    }

    /// How many local masks are computed, of how many there are.
    pub fn n_local_masks(&self) -> (usize, usize) {
        let classes = self.inner.automata.states().filter(|&state| self.inner.automata.class(state) == state);
        let scannable = classes.filter(|&state| self.inner.automata.is_scannable(state)).count();
        (self.inner.locals.iter().filter(|slot| slot.get().is_some()).count(), scannable)
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
        let slot = &self.inner.locals[self.inner.automata.class(state).index()];
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
        self.inner.locals[self.inner.automata.class(state).index()].get().is_some()
    }
}
