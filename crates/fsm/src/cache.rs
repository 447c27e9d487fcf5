//! Automata that every JSON grammar needs again.
//!
//! The escapes of a character are the same in all grammars, and a grammar's property names and enums need those of some
//! twenty characters: a third of the states of an ordinary schema. A cache that outlives one grammar builds each once.

use crate::dfa::Dfa;
use formwork_grammar::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Automata kept from one grammar to the next; give the same one to every [`build_with`](crate::build_with). `Sync`;
/// bounded at some hundred kilobytes.
#[derive(Debug, Default)]
pub struct Cache {
    escapes: Mutex<Escapes>,
}

/// By the ranges of the characters.
type Escapes = HashMap<Vec<(u32, u32)>, Arc<Dfa>>;

/// Entries; further ones are built for each grammar.
const MAX_ENTRIES: usize = 2_000;
/// Ranges of an entry.
const MAX_RANGES: usize = 16;

impl Cache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// The finished automaton of the escapes of these characters.
    pub(crate) fn escape(&self, ranges: &[(u32, u32)]) -> Option<Arc<Dfa>> {
        self.lock().get(ranges).cloned()
    }

    pub(crate) fn keep_escape(&self, ranges: &[(u32, u32)], dfa: &Dfa) {
        let mut escapes = self.lock();
        if escapes.len() < MAX_ENTRIES && ranges.len() <= MAX_RANGES {
            escapes.insert(ranges.to_vec(), Arc::new(dfa.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Escapes> {
        // The map is whole at every moment, so a thread that panicked has left nothing half done.
        self.escapes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
