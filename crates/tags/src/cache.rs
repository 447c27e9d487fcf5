//! Grammars of schemas, kept from one document to the next.
//!
//! A server gets the same tools with every turn of a conversation, and sometimes one more. What a schema becomes depends on
//! its text and on how it is read, so that is the key, compared in full. Two generations bound it: what is used is in the
//! young one, and what was not used since the last change of generations is forgotten at the next.

use formwork_grammar::{HashMap, Part};
use std::sync::{Arc, Mutex, PoisonError};

/// Grammars of schemas, kept from one document to the next: give the same one to all [`Options`](crate::Options). `Sync`,
/// cheap to clone; what it holds depends on no vocabulary.
#[derive(Clone, Debug)]
pub struct Cache {
    inner: Arc<Mutex<Generations>>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Box<str>, Arc<Part>>,
    old: HashMap<Box<str>, Arc<Part>>,
    /// Of the young ones.
    n_bytes: usize,
}

impl Default for Cache {
    /// A cache of 16 MiB.
    fn default() -> Self {
        Self::new(16 << 20)
    }
}

impl Cache {
    /// A cache of about so many bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self { inner: Arc::default(), max_bytes }
    }

    /// How many schemas it holds.
    pub fn len(&self) -> usize {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.young.len() + inner.old.len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get(&self, key: &str) -> Option<Arc<Part>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = inner.young.get(key) {
            return Some(Arc::clone(found));
        }
        let (key, found) = inner.old.remove_entry(key)?;
        inner.insert(key, Arc::clone(&found), self.max_bytes);
        Some(found)
    }

    pub(crate) fn insert(&self, key: &str, part: Arc<Part>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.insert(key.into(), part, self.max_bytes);
    }
}

impl Generations {
    fn insert(&mut self, key: Box<str>, part: Arc<Part>, max_bytes: usize) {
        let grammar = part.grammar();
        // About: an expression with its operands, a rule with its name and place.
        let size = key.len() + 96 * grammar.n_exprs() + 256 * grammar.rules().len();
        if self.n_bytes + size > max_bytes / 2 {
            self.old = std::mem::take(&mut self.young);
            self.n_bytes = 0;
        }
        self.n_bytes += size;
        self.young.insert(key, part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_grammar::{GrammarBuilder, Place};

    fn part() -> Arc<Part> {
        let mut b = GrammarBuilder::new();
        let root = b.declare("root", Place::none());
        let body = b.literal("a");
        b.define(root, body);
        Arc::new(Part::new(b.build(root).expect("a grammar")))
    }

    #[test]
    fn what_is_used_stays_and_the_rest_is_forgotten() {
        let cache = Cache::new(20_000);
        cache.insert("used", part());
        for i in 0..1_000 {
            cache.insert(&format!("{i}"), part());
            assert!(cache.get("used").is_some(), "{i}");
        }
        assert!(cache.get("0").is_none());
        assert!(cache.len() < 60, "{}", cache.len());
    }
}
