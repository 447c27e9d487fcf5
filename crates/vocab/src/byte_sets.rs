//! Sets of bytes, each stored once.
//!
//! A trie has one set per node and few different ones (most nodes are leaves or have one child), so nodes hold the
//! number of a set.

use crate::collections::HashMap;

/// A set of bytes: bit `b % 64` of word `b / 64` is byte `b`.
pub(crate) type ByteSet = [u64; 4];

/// Stores each set once, while a trie is being built. Set 0 is the empty one.
#[derive(Debug)]
pub(crate) struct ByteSetInterner {
    sets: Vec<ByteSet>,
    numbers: HashMap<ByteSet, u32>,
}

impl ByteSetInterner {
    pub(crate) fn new() -> Self {
        Self { sets: vec![[0; 4]], numbers: HashMap::default() }
    }

    /// The number of the set. There are at most as many as nodes, so it fits.
    pub(crate) fn intern(&mut self, set: ByteSet) -> u32 {
        if set == [0; 4] {
            return 0;
        }
        *self.numbers.entry(set).or_insert_with(|| {
            self.sets.push(set);
            (self.sets.len() - 1) as u32
        })
    }

    pub(crate) fn into_sets(self) -> Box<[ByteSet]> {
        self.sets.into()
    }
}

pub(crate) fn insert(set: &mut ByteSet, byte: u8) {
    set[usize::from(byte >> 6)] |= 1 << (byte & 63);
}

pub(crate) fn unite(set: &mut ByteSet, other: &ByteSet) {
    for (word, other) in set.iter_mut().zip(other) {
        *word |= other;
    }
}
