//! Grammars that were compiled lately: a server meets the same few schemas in most requests.
//!
//! A grammar is found by a few numbers of it and compared as a whole, places and names included, so what is returned is
//! what compiling again would have made, down to the words of its errors. With it come its automata, the local masks that
//! outputs have needed so far, and the [rows](crate::arena) that they left: the second request of a schema finds its masks
//! ready.
//!
//! # Memory
//! [Generations], as in the [pool](crate::Pool). What comes are compiled grammars, and later the local masks that their
//! outputs need and the rows that they leave. Automata count for each grammar that has them, masks where they were computed. What is
//! forgotten is dropped when an output ends, one or two grammars at a time: each is some hundred allocations.

use crate::compiled::CompiledGrammar;
use formwork_grammar::{Expr, Filling, Generations, Grammar, Properties, Rule, Seeded};
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Compiled grammars of one compiler.
#[derive(Debug)]
pub(crate) struct Recent {
    generations: Arc<Mutex<Generations<Key, Entry>>>,
    came: Came,
    max_bytes: usize,
}

#[derive(Debug)]
struct Entry {
    compiled: CompiledGrammar,
    /// As it was compiled.
    n_bytes: usize,
}

/// What the grammars of one compiler know of where they are kept.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    /// Bytes that have come since the youngest generation was begun.
    n_bytes: Arc<AtomicUsize>,
    /// They are kept there themselves.
    generations: Weak<Mutex<Generations<Key, Entry>>>,
}

/// Forgotten grammars that are dropped when an output ends.
const LEAVE: usize = 2;

impl Came {
    pub(crate) fn add(&self, n_bytes: usize) {
        self.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
    }

    pub(crate) fn subtract(&self, n_bytes: usize) {
        let less = |all: usize| Some(all.saturating_sub(n_bytes));
        let _ = self.n_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Drops some of the grammars that are forgotten: best called when nobody waits.
    pub(crate) fn drop_some(&self) {
        let Some(generations) = self.generations.upgrade() else { return };
        // Not under the lock; and whoever has it will do as well.
        let forgotten = generations.try_lock().map(|mut generations| generations.take_forgotten(LEAVE));
        drop(forgotten);
    }
}

/// What a compiled grammar's maps take beside automata and masks.
const FIXED: usize = 4 << 10;
/// What an expression takes with its list of operands, and a rule with its name and place, about.
const EXPR: usize = size_of::<Expr>() + size_of::<Properties>() + 32;
const RULE: usize = size_of::<Rule>() + 64;

/// A grammar, equal to what is written the same.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    hash: u64,
    grammar: Grammar,
}

/// What of a grammar is hashed: the sizes, a few expressions from the end, where the root's are, and all literals. Grammars that
/// are alike differ in a name somewhere, and those of one hash are compared one by one.
struct Sketch<'a>(&'a Grammar);

impl Hash for Sketch<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self(grammar) = self;
        (grammar.n_exprs(), grammar.rules().len(), grammar.root()).hash(state);
        for expr in grammar.expr_ids().rev().take(16) {
            grammar.expr(expr).hash(state);
        }
        for expr in grammar.expr_ids() {
            if let Expr::Bytes(bytes) = grammar.expr(expr) {
                state.write(bytes);
            }
        }
    }
}

impl Key {
    fn of(grammar: &Grammar) -> Self {
        Self { hash: Seeded::default().hash_one(Sketch(grammar)), grammar: grammar.clone() }
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Recent {
    /// Keeps grammars of about so many bytes; of 0 none.
    pub(crate) fn new(max_bytes: usize) -> Self {
        let generations = Arc::default();
        let came = Came { n_bytes: Arc::default(), generations: Arc::downgrade(&generations) };
        Self { generations, came, max_bytes }
    }

    /// What counts the bytes that come.
    pub(crate) fn came(&self) -> &Came {
        &self.came
    }

    /// What finds a grammar, unless none is kept.
    pub(crate) fn key(&self, grammar: &Grammar) -> Option<Key> {
        (self.max_bytes > 0).then(|| Key::of(grammar))
    }

    /// The compiled grammar, if it was compiled lately.
    pub(crate) fn get(&self, key: &Key) -> Option<CompiledGrammar> {
        let mut generations = self.lock();
        let (entry, was_old) = generations.get(key)?;
        let (found, n_bytes) = (entry.compiled.clone(), entry.n_bytes);
        if was_old {
            self.count(&mut generations, n_bytes);
        }
        Some(found)
    }

    /// Keeps a grammar that was compiled.
    pub(crate) fn insert(&self, key: Key, compiled: &CompiledGrammar) {
        let compiled = compiled.clone();
        let grammar = EXPR * key.grammar.n_exprs() + RULE * key.grammar.rules().len();
        let n_bytes = compiled.memory_size() + grammar + FIXED;
        if n_bytes <= self.max_bytes / 2 {
            let mut generations = self.lock();
            self.count(&mut generations, n_bytes);
            if let Some(replaced) = generations.insert(key, Entry { compiled, n_bytes }) {
                self.came.subtract(replaced.n_bytes);
            }
        }
    }

    /// Notes that so many bytes come, and changes the generations if they are too many for the youngest.
    fn count(&self, generations: &mut Generations<Key, Entry>, n_bytes: usize) {
        let young = self.came.n_bytes.load(Ordering::Relaxed);
        let n_changes = Filling::changes(young, n_bytes, self.max_bytes);
        if n_changes > 0 {
            self.came.n_bytes.store(0, Ordering::Relaxed);
            generations.age(n_changes);
        }
        self.came.add(n_bytes);
    }

    fn lock(&self) -> MutexGuard<'_, Generations<Key, Entry>> {
        // The maps are whole at every moment, so a thread that panicked has left nothing half done.
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammars_that_differ_in_a_name_have_different_hashes() {
        let key = |name: &str| {
            let properties: Vec<String> = (0..100).map(|i| format!("\"p{i}\"")).collect();
            let text = format!("root ::= \"{name}\" rest\nrest ::= {}\n", properties.join(" item "));
            let item = "item ::= \"(\" root \")\" | [a-z]+\n";
            Key::of(&formwork_ebnf::grammar(&(text + item)).expect("a grammar"))
        };
        let hashes = ["first", "other", "third"].map(|name| key(name).hash);
        assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
        assert_eq!(key("first").hash, hashes[0]);
    }
}
