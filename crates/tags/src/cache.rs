//! Grammars of schemas, kept from one document to the next.
//!
//! A server gets the same tools with every turn of a conversation, and sometimes one more. What a schema becomes depends on
//! its text and on how it is read, so that is the key, compared in full. Two generations bound it: what is used is in the
//! young one, and what was not used since the last change of generations is forgotten at the next.

use crate::format::{JsonSchema, Style};
use formwork_grammar::{HashMap, Part, Seeded};
use std::hash::{BuildHasher, Hash, Hasher};
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
    young: HashMap<Key, Arc<Part>>,
    old: HashMap<Key, Arc<Part>>,
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

    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Part>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = inner.young.get(key) {
            return Some(Arc::clone(found));
        }
        let (key, found) = inner.old.remove_entry(key)?;
        inner.insert(key, Arc::clone(&found), self.max_bytes);
        Some(found)
    }

    pub(crate) fn insert(&self, key: Key, part: Arc<Part>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.insert(key, part, self.max_bytes);
    }
}

impl Generations {
    fn insert(&mut self, key: Key, part: Arc<Part>, max_bytes: usize) {
        let grammar = part.grammar();
        // About: an expression with its operands, a rule with its name and place.
        let size = key.schema.text.len() + 96 * grammar.n_exprs() + 256 * grammar.rules().len();
        if self.n_bytes + size > max_bytes / 2 {
            self.old = std::mem::take(&mut self.young);
            self.n_bytes = 0;
        }
        self.n_bytes += size;
        self.young.insert(key, part);
    }
}

/// What tells apart what schemas become in all documents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) reading: Hashed,
    pub(crate) schema: SchemaKey,
}

/// What tells apart what schemas become in one document. Property order means something, so it is the text, not the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SchemaKey {
    style: Style,
    any_order: bool,
    max_whitespace: Option<u32>,
    text: Hashed,
}

impl SchemaKey {
    pub(crate) fn of(schema: &JsonSchema) -> Self {
        let JsonSchema { style, any_order, max_whitespace, .. } = *schema;
        Self { style, any_order, max_whitespace, text: Hashed::new(Arc::clone(schema.schema.shared_text())) }
    }
}

/// A text that is hashed once, however often it is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Hashed {
    text: Arc<str>,
    hash: u64,
}

impl Hashed {
    pub(crate) fn new(text: Arc<str>) -> Self {
        let hash = Seeded::default().hash_one(&*text);
        Self { text, hash }
    }

    fn len(&self) -> usize {
        self.text.len()
    }
}

impl PartialEq for Hashed {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }
}

impl Eq for Hashed {}

impl Hash for Hashed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;
    use formwork_grammar::{GrammarBuilder, Place};

    fn key(text: &str) -> Key {
        let (style, any_order, max_whitespace) = (Style::Json, false, None);
        let schema = JsonSchema { schema: Schema::unread(text), style, any_order, max_whitespace };
        Key { reading: Hashed::new("".into()), schema: SchemaKey::of(&schema) }
    }

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
        cache.insert(key("used"), part());
        for i in 0..1_000 {
            cache.insert(key(&format!("{i}")), part());
            assert!(cache.get(&key("used")).is_some(), "{i}");
        }
        assert!(cache.get(&key("0")).is_none());
        assert!(cache.len() < 60, "{}", cache.len());
    }
}
