//! Automata kept from one grammar to the next.
//!
//! The rules that all JSON grammars have, the escapes of their characters, the tools of the last request: a cache that
//! outlives one grammar builds each once. Units are found by their [forms](crate::form), compared in full.
//!
//! Two [generations](Generations) bound it: what was not used since the last change is forgotten at the next.

use crate::form::Portable;
use crate::tables::Tables;
use formwork_grammar::Generations;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Automata kept from one grammar to the next; give the same one to every [`build_with`](crate::build_with) with the same
/// configuration. `Sync`.
#[derive(Debug)]
pub struct Cache {
    inner: Mutex<Inner>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Inner {
    /// Rules by their forms.
    identities: Forms<u32>,
    units: Forms<Kept>,
    n_identities: u32,
}

/// The tables of a unit and what they call, in terms of the unit's form.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) tables: Arc<Tables>,
    /// None where states are made when they are reached: then those find what they call.
    pub(crate) imports: Arc<[Portable]>,
}

/// Entries with their forms.
pub(crate) type Entries<V> = Vec<(Box<[u32]>, V)>;

/// Entries by form.
#[derive(Debug)]
struct Forms<V> {
    generations: Generations<Box<[u32]>, V>,
    /// Of the young ones.
    n_bytes: usize,
}

impl<V> Default for Forms<V> {
    fn default() -> Self {
        Self { generations: Generations::default(), n_bytes: 0 }
    }
}

impl<V: Clone> Forms<V> {
    fn get(&mut self, form: &[u32], size: impl Fn(&V) -> usize) -> Option<V> {
        let (found, was_old) = self.generations.get(form)?;
        if was_old {
            self.n_bytes += size(found) + size_of_val(form);
        }
        Some(found.clone())
    }

    fn insert(&mut self, form: &[u32], entry: V, size: usize, max_bytes: usize) {
        if self.n_bytes > max_bytes / 2 {
            self.generations.age();
            self.n_bytes = 0;
        }
        self.n_bytes += size + size_of_val(form);
        self.generations.insert(form.into(), entry);
    }
}

impl Default for Cache {
    /// A cache of 32 MiB.
    fn default() -> Self {
        Self::new(32 << 20)
    }
}

impl Kept {
    fn size(&self) -> usize {
        self.tables.memory_size() + size_of_val(&self.imports[..]) + 100
    }
}

impl Cache {
    /// An empty cache that holds about so many bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self { inner: Mutex::default(), max_bytes }
    }

    /// An empty cache that has given so many identities.
    pub(crate) fn with_identities(max_bytes: usize, n_identities: u32) -> Self {
        let inner = Inner { n_identities, ..Inner::default() };
        Self { inner: Mutex::new(inner), max_bytes }
    }

    /// Keeps the identity of a rule.
    pub(crate) fn insert_identity(&self, form: &[u32], identity: u32) {
        self.lock().identities.insert(form, identity, 16, self.max_bytes);
    }

    /// The number of identities given, and everything that is kept, by generation and form, the older one first.
    pub(crate) fn contents(&self) -> (u32, Entries<u32>, Entries<Kept>) {
        let inner = self.lock();
        (inner.n_identities, inner.identities.generations.sorted(), inner.units.generations.sorted())
    }

    /// The identity of the rule with this form: equal for equal forms, as long as the cache remembers it.
    pub(crate) fn identity(&self, form: &[u32]) -> u32 {
        let mut inner = self.lock();
        if let Some(known) = inner.identities.get(form, |_| 16) {
            return known;
        }
        // Never used twice: what is kept by an identity that is forgotten is not found again.
        inner.n_identities = inner.n_identities.checked_add(1).unwrap_or_else(|| unreachable!("2³² rules"));
        let identity = inner.n_identities;
        inner.identities.insert(form, identity, 16, self.max_bytes);
        identity
    }

    pub(crate) fn unit(&self, form: &[u32]) -> Option<Kept> {
        self.lock().units.get(form, Kept::size)
    }

    /// Keeps a unit, unless there is one of this form already, which is returned.
    pub(crate) fn keep(&self, form: &[u32], kept: Kept) -> Option<Kept> {
        let mut inner = self.lock();
        let known = inner.units.get(form, Kept::size);
        if known.is_none() {
            let size = kept.size();
            inner.units.insert(form, kept, size, self.max_bytes);
        }
        known
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // The maps are whole at every moment, so a thread that panicked has left nothing half done.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
