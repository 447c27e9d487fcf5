//! The pool: local masks that grammars share.
//!
//! A local mask knows no parent, so two grammars with the same rule have the same local masks for its states. The pool
//! keeps, by a rule's [canonical form](formwork_fsm::Canonical), one slot per state; a compiled grammar holds the slots of its
//! rules. So strings, numbers, dates and "any value" are computed once per vocabulary, not once per schema, whichever
//! grammar needs them first.
//!
//! Bounded by the number of slots: when it is full it starts anew, and grammars keep what they hold.

use formwork_grammar::HashMap;
use formwork_mask::LocalMask;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The local masks of a rule, by the state's number in the rule's canonical form; filled in when needed.
pub(crate) type Slots = Arc<[OnceLock<Arc<LocalMask>>]>;

/// Slots by canonical form.
#[derive(Debug)]
pub(crate) struct Pool {
    inner: Mutex<Inner>,
    max_slots: usize,
}

#[derive(Debug, Default)]
struct Inner {
    rules: HashMap<Box<[u32]>, Slots>,
    n_slots: usize,
}

/// Slots of a rule that is shared with nobody.
pub(crate) fn private(n_states: usize) -> Slots {
    (0..n_states).map(|_| OnceLock::new()).collect()
}

impl Pool {
    pub(crate) fn new(max_slots: usize) -> Self {
        Self { inner: Mutex::default(), max_slots }
    }

    /// The slots of the rule with this form, which has so many states.
    pub(crate) fn slots(&self, form: Vec<u32>, n_states: usize) -> Slots {
        // The map is whole at every moment, so a thread that panicked has left nothing half done.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slots) = inner.rules.get(&form[..]) {
            return Arc::clone(slots);
        }
        if inner.n_slots + n_states > self.max_slots {
            *inner = Inner::default();
        }
        inner.n_slots += n_states;
        let slots = private(n_states);
        inner.rules.insert(form.into(), Arc::clone(&slots));
        slots
    }
}
