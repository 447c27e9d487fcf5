//! The workspace's hash maps: `hashbrown` with `ahash`.
//!
//! Seeds are fixed at build time, and keys are made of them once. A map with keys of its own costs as much to make as a few insertions, and a schema makes
//! thousands of small ones. No order may depend on them: iterate sorted data instead.

use ahash::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::OnceLock;

/// A hash map; never iterated into output.
pub type HashMap<K, V> = hashbrown::HashMap<K, V, Seeded>;
/// A hash set; never iterated into output.
pub type HashSet<K> = hashbrown::HashSet<K, Seeded>;

/// Makes hashers that all have the same keys.
#[derive(Clone, Debug)]
pub struct Seeded(RandomState);

impl Default for Seeded {
    #[inline]
    fn default() -> Self {
        static STATE: OnceLock<RandomState> = OnceLock::new();
        Self(STATE.get_or_init(RandomState::new).clone())
    }
}

impl BuildHasher for Seeded {
    type Hasher = ahash::AHasher;

    #[inline]
    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }

    #[inline]
    fn hash_one<T: Hash>(&self, value: T) -> u64 {
        self.0.hash_one(value)
    }
}
