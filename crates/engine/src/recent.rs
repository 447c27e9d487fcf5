//! Grammars that were compiled lately: a server meets the same few schemas in most requests.
//!
//! A grammar is found by a few numbers of it and compared as a whole, places and names included, so what is returned is
//! what compiling again would have made, down to the words of its errors. With it come its automata, the local masks that
//! outputs have needed so far, and the [rows](crate::arena) that they left: the second request of a schema finds its masks
//! ready.
//!
//! # Memory
//! Two generations, as in the [pool](crate::Pool): what is used is in the young one; when it holds half of the budget the old
//! one is forgotten. The rows that outputs leave are counted when their grammar is asked for again; local masks that it
//! needs later are the pool's.

use crate::compiled::CompiledGrammar;
use formwork_grammar::{Grammar, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Compiled grammars of one compiler.
#[derive(Debug)]
pub(crate) struct Recent {
    generations: Mutex<Generations>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Key, Entry>,
    old: HashMap<Key, Entry>,
    /// Of the young ones.
    n_bytes: usize,
}

#[derive(Debug)]
struct Entry {
    compiled: CompiledGrammar,
    /// Without the rows on its shelf, and those when it was last asked for.
    n_bytes: usize,
    shelf_bytes: usize,
}

/// What a grammar and its maps take beside automata and masks.
const FIXED: usize = 4 << 10;

/// A grammar, equal to what is written the same.
#[derive(Debug, PartialEq, Eq)]
struct Key(Grammar);

impl Hash for Key {
    /// The sizes, and a few expressions from the end, where the root's are.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self(grammar) = self;
        (grammar.n_exprs(), grammar.rules().len(), grammar.root()).hash(state);
        for expr in grammar.expr_ids().rev().take(16) {
            grammar.expr(expr).hash(state);
        }
    }
}

impl Recent {
    /// Keeps grammars of about so many bytes; of 0 none.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { generations: Mutex::default(), max_bytes }
    }

    /// The compiled grammar, if it was compiled lately.
    pub(crate) fn get(&self, grammar: &Grammar) -> Option<CompiledGrammar> {
        if self.max_bytes == 0 {
            return None;
        }
        let key = Key(grammar.clone());
        let mut generations = self.lock();
        let Generations { young, old, n_bytes } = &mut *generations;
        if let Some(entry) = young.get_mut(&key) {
            *n_bytes -= entry.shelf_bytes;
            entry.shelf_bytes = entry.compiled.shelf_size();
            *n_bytes += entry.shelf_bytes;
            return Some(entry.compiled.clone());
        }
        let (key, mut entry) = old.remove_entry(&key)?;
        entry.shelf_bytes = entry.compiled.shelf_size();
        let found = entry.compiled.clone();
        let forgotten = generations.insert(key, entry, self.max_bytes);
        drop((generations, forgotten));
        Some(found)
    }

    /// Keeps a grammar that was compiled.
    pub(crate) fn insert(&self, grammar: &Grammar, compiled: &CompiledGrammar) {
        if self.max_bytes == 0 {
            return;
        }
        let (key, compiled) = (Key(grammar.clone()), compiled.clone());
        let n_bytes = compiled.memory_size() + FIXED;
        let entry = Entry { n_bytes, shelf_bytes: 0, compiled };
        let forgotten = self.lock().insert(key, entry, self.max_bytes);
        drop(forgotten);
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        // The maps are whole at every moment, so a thread that panicked has left nothing half done.
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    /// Adds a grammar; returns what is forgotten for it, to be dropped where nobody waits.
    fn insert(&mut self, key: Key, entry: Entry, max_bytes: usize) -> HashMap<Key, Entry> {
        let n_bytes = entry.n_bytes + entry.shelf_bytes;
        if n_bytes > max_bytes / 2 {
            return HashMap::default();
        }
        self.n_bytes += n_bytes;
        if let Some(replaced) = self.young.insert(key, entry) {
            self.n_bytes -= replaced.n_bytes + replaced.shelf_bytes;
        }
        if self.n_bytes <= max_bytes / 2 {
            return HashMap::default();
        }
        self.n_bytes = 0;
        std::mem::replace(&mut self.old, std::mem::take(&mut self.young))
    }
}
