//! The workspace's hash maps: `hashbrown` with `ahash`.
//!
//! Seeds are fixed at build time, and keys are made of them once. A map with keys of its own costs as much to make as a few insertions, and a schema makes
//! thousands of small ones. No order may depend on them: iterate sorted data instead.
//!
//! A hash finds a candidate, and equality decides. That is easily claimed and hard to test, since hashes of 64 bits do not
//! collide while somebody watches. So the feature `few-hashes` leaves 256 hashes in all, for every map, table and key
//! of the workspace: automata kept by their forms, states by their nodes, rows, texts, local masks. CI runs the tests of
//! the crates that intern and share once more with it.

use ahash::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::OnceLock;

/// A hash map; never iterated into output.
pub type HashMap<K, V> = hashbrown::HashMap<K, V, Seeded>;
/// A hash set; never iterated into output.
pub type HashSet<K> = hashbrown::HashSet<K, Seeded>;

/// Makes hashers that all have the same keys.
#[derive(Clone, Copy, Debug)]
pub struct Seeded(&'static RandomState);

impl Default for Seeded {
    #[inline]
    fn default() -> Self {
        static STATE: OnceLock<RandomState> = OnceLock::new();
        Self(STATE.get_or_init(RandomState::new))
    }
}

#[cfg(not(feature = "few-hashes"))]
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

#[cfg(feature = "few-hashes")]
impl BuildHasher for Seeded {
    type Hasher = few::FewHashes;

    fn build_hasher(&self) -> Self::Hasher {
        few::FewHashes(self.0.build_hasher())
    }

    fn hash_one<T: Hash>(&self, value: T) -> u64 {
        few::one_of_few(self.0.hash_one(value))
    }
}

#[cfg(feature = "few-hashes")]
mod few {
    use std::hash::Hasher;

    /// What is left of a hash: hashbrown looks at the lowest bits and the highest seven, so equal keys of equal hashes are
    /// all that tells entries apart.
    pub(super) fn one_of_few(hash: u64) -> u64 {
        hash & 255
    }

    /// A hasher of which few hashes are left.
    #[derive(Clone, Debug)]
    pub struct FewHashes(pub(super) ahash::AHasher);

    impl Hasher for FewHashes {
        fn write(&mut self, bytes: &[u8]) {
            self.0.write(bytes);
        }

        fn finish(&self) -> u64 {
            one_of_few(self.0.finish())
        }
    }
}

#[cfg(all(test, feature = "few-hashes"))]
mod tests {
    use super::*;

    #[test]
    fn few_hashes_are_left() {
        let hashes: HashSet<u64> = (0..10_000).map(|i| Seeded::default().hash_one(i)).collect();
        assert_eq!(hashes.len(), 256);
    }
}
