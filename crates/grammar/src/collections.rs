//! The workspace's hash maps: `hashbrown` with `ahash`.
//!
//! The hasher's seeds are fixed at build time, but no order may depend on them: iterate sorted data instead.

/// A hash map; never iterated into output.
pub type HashMap<K, V> = hashbrown::HashMap<K, V, ahash::RandomState>;
/// A hash set; never iterated into output.
pub type HashSet<K> = hashbrown::HashSet<K, ahash::RandomState>;
