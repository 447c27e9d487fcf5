//! Automata kept from one grammar to the next.
//!
//! The rules that all JSON grammars have, the escapes of their characters, the tools of the last request: a cache that
//! outlives one grammar builds each once. Units are found by their [forms](crate::form), compared in full. So are automata over
//! code points: an e-mail address of at most 255 characters is one of 1,500 states, which took 2.4 ms in each grammar that
//! asked for one; and what is known of the rules of a [library](crate::library).
//!
//! # Memory
//! [Generations] bound it: what was not used for longest is forgotten. Forms, identities and automata are counted together.
//! The states of a [lazy](crate::lazy) automaton are counted when they are made; what they are made from has a part of the
//! budget for itself ([`sources`](crate::sources)).

use crate::dfa::Dfa;
use crate::form::Portable;
use crate::library::KnownRule;
use crate::sources::Sources;
use crate::tables::Tables;
use crate::unit::Lengths;
use formwork_grammar::{Filling, Generations};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Automata kept from one grammar to the next; give the same one to every [`build_with`](crate::build_with) with the same
/// configuration. `Sync`.
#[derive(Debug)]
pub struct Cache {
    inner: Mutex<Inner>,
    sources: Arc<Sources>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Inner {
    /// Rules by their forms.
    identities: Generations<Box<[u8]>, u32>,
    units: Generations<Box<[u8]>, Kept>,
    texts: Generations<Box<[u8]>, KeptText>,
    libraries: Generations<Box<[u8]>, Arc<[KnownRule]>>,
    n_identities: u32,
    filling: Filling,
}

/// The tables of a unit and what they call, in terms of the unit's form.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) tables: Arc<Tables>,
    /// None where states are made when they are reached: then those find what they call.
    pub(crate) imports: Arc<[Portable]>,
}

/// What some expressions over code points all match.
#[derive(Clone, Debug)]
pub(crate) struct KeptText {
    pub(crate) dfa: Arc<Dfa>,
    /// Of those that are measured.
    pub(crate) lengths: Option<Lengths>,
}

/// Entries with their forms.
pub(crate) type Entries<V> = Vec<(Box<[u8]>, V)>;

impl Default for Cache {
    /// A cache of 32 MiB.
    fn default() -> Self {
        Self::new(32 << 20)
    }
}

/// What an entry takes in the map beside its form.
const FIXED: usize = 64;

impl Kept {
    fn size(&self) -> usize {
        size_of::<Tables>()
            + self.tables.memory_size()
            + self.imports.iter().map(Portable::memory_size).sum::<usize>()
    }
}

/// The part of the budget for what states are made from.
fn max_sources(max_bytes: usize) -> usize {
    (max_bytes / 8).min(8 << 20)
}

impl Cache {
    /// An empty cache that holds about so many bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self::with_identities(max_bytes, 0)
    }

    /// An empty cache that has given so many identities.
    pub(crate) fn with_identities(max_bytes: usize, n_identities: u32) -> Self {
        let inner = Inner { n_identities, ..Inner::default() };
        let sources = Arc::new(Sources::new(max_sources(max_bytes)));
        Self { inner: Mutex::new(inner), sources, max_bytes }
    }

    /// The bytes that it holds, about.
    pub fn memory_size(&self) -> usize {
        self.lock().filling.n_bytes() + self.sources.n_bytes()
    }

    /// Keeps the identity of a rule.
    pub(crate) fn insert_identity(&self, form: &[u8], identity: u32) {
        let mut inner = self.lock();
        self.count(&mut inner, FIXED + form.len());
        inner.identities.insert(form.into(), identity);
    }

    /// The number of identities given, and everything that is kept, by generation and form, the older one first.
    pub(crate) fn contents(&self) -> (u32, Entries<u32>, Entries<Kept>) {
        let inner = self.lock();
        (inner.n_identities, inner.identities.sorted(), inner.units.sorted())
    }

    /// The identity of the rule with this form: equal for equal forms, as long as the cache remembers it.
    pub(crate) fn identity(&self, form: &[u8]) -> u32 {
        let mut inner = self.lock();
        if let Some((&known, was_old)) = inner.identities.get(form) {
            if was_old {
                self.count(&mut inner, FIXED + form.len());
            }
            return known;
        }
        // Never used twice: what is kept by an identity that is forgotten is not found again.
        inner.n_identities = inner.n_identities.checked_add(1).unwrap_or_else(|| unreachable!("2³² rules"));
        let identity = inner.n_identities;
        self.count(&mut inner, FIXED + form.len());
        inner.identities.insert(form.into(), identity);
        identity
    }

    pub(crate) fn unit(&self, form: &[u8]) -> Option<Kept> {
        let mut inner = self.lock();
        self.known(&mut inner, form)
    }

    /// The unit of a form, with the lock held.
    fn known(&self, inner: &mut Inner, form: &[u8]) -> Option<Kept> {
        let (kept, was_old) = inner.units.get(form)?;
        let kept = kept.clone();
        if was_old {
            self.count(inner, FIXED + form.len() + kept.size());
        }
        Some(kept)
    }

    /// Keeps a unit, unless there is one of this form already, which is returned.
    pub(crate) fn keep(&self, form: &[u8], kept: Kept) -> Option<Kept> {
        let mut inner = self.lock();
        if let Some(known) = self.known(&mut inner, form) {
            return Some(known);
        }
        if let Some(lazy) = kept.tables.as_lazy() {
            lazy.join(&self.sources);
        }
        self.count(&mut inner, FIXED + form.len() + kept.size());
        inner.units.insert(form.into(), kept);
        None
    }

    pub(crate) fn text(&self, form: &[u8]) -> Option<KeptText> {
        let mut inner = self.lock();
        let (kept, was_old) = inner.texts.get(form)?;
        let kept = kept.clone();
        if was_old {
            self.count(&mut inner, FIXED + form.len() + kept.dfa.memory_size());
        }
        Some(kept)
    }

    /// Keeps an automaton over code points.
    pub(crate) fn keep_text(&self, form: &[u8], kept: KeptText) {
        let mut inner = self.lock();
        self.count(&mut inner, FIXED + form.len() + kept.dfa.memory_size());
        inner.texts.insert(form.into(), kept);
    }

    /// What is known of the rules of a [library](crate::library). What is old is to be found out anew: else the identities in
    /// it would be used on and on, and the forms that they stand for would be forgotten.
    pub(crate) fn library(&self, form: &[u8]) -> Option<Arc<[KnownRule]>> {
        let mut inner = self.lock();
        let (rules, was_old) = inner.libraries.get(form)?;
        (!was_old).then(|| Arc::clone(rules))
    }

    /// Keeps what is known of the rules of a library.
    pub(crate) fn keep_library(&self, form: &[u8], rules: Arc<[KnownRule]>) {
        let mut inner = self.lock();
        self.count(&mut inner, FIXED + form.len() + size_of_val(&*rules));
        inner.libraries.insert(form.into(), rules);
    }

    /// Drops some of what is forgotten: best called when nobody waits. Whether there was any.
    pub fn drop_some(&self) -> bool {
        self.sources.make_room_ahead();
        let mut inner = self.lock();
        let (identities, units) = (inner.identities.take_forgotten(64), inner.units.take_forgotten(16));
        let (texts, libraries) = (inner.texts.take_forgotten(16), inner.libraries.take_forgotten(16));
        drop(inner);
        !identities.is_empty() || !units.is_empty() || !texts.is_empty() || !libraries.is_empty()
    }

    /// Notes that so many bytes come into the youngest generation, and states that were made.
    fn count(&self, inner: &mut Inner, n_bytes: usize) {
        let n_bytes = n_bytes + self.sources.take_grown();
        let n_changes = inner.filling.add(n_bytes, self.max_bytes - max_sources(self.max_bytes));
        inner.identities.age(n_changes);
        inner.units.age(n_changes);
        inner.texts.age(n_changes);
        inner.libraries.age(n_changes);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // The maps are whole at every moment, so a thread that panicked has left nothing half done.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
