//! The crate's hash map: `hashbrown` with `ahash`.
//!
//! No order may depend on it: it is looked up in, never iterated.

/// A hash map; never iterated into output.
pub(crate) type HashMap<K, V> = hashbrown::HashMap<K, V, ahash::RandomState>;
