//! Sets of members, interned: what an item of a set's rule has for a count.

use hashbrown::HashTable;

/// The sets that an arena has met. Number 0 is the empty one.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    /// Bit = number of the member; no trailing zeros.
    sets: Vec<Box<[u64]>>,
    ids: HashTable<u32>,
    n_words: usize,
    hasher: ahash::RandomState,
}

impl Sets {
    pub(crate) fn new(hasher: ahash::RandomState) -> Self {
        Self { sets: vec![Box::default()], ids: HashTable::new(), n_words: 0, hasher }
    }

    #[inline]
    pub(crate) fn get(&self, set: u32) -> &[u64] {
        &self.sets[set as usize]
    }

    /// The set with one more member; `None` if it has it already.
    pub(crate) fn with(&mut self, set: u32, member: u32) -> Option<u32> {
        let (word, bit) = (member as usize / 64, 1u64 << (member % 64));
        let mut more = self.sets[set as usize].to_vec();
        more.resize(more.len().max(word + 1), 0);
        if more[word] & bit != 0 {
            return None;
        }
        more[word] |= bit;
        let hash = self.hasher.hash_one(&more);
        if let Some(&known) = self.ids.find(hash, |&id| *self.sets[id as usize] == more[..]) {
            return Some(known);
        }
        let id = self.sets.len() as u32;
        self.n_words += more.len();
        self.sets.push(more.into());
        let (sets, hasher) = (&self.sets, &self.hasher);
        self.ids.insert_unique(hash, id, |&id| hasher.hash_one(&sets[id as usize]));
        Some(id)
    }

    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        (self.sets.len() - 1) * (size_of::<Box<[u64]>>() + 8) + self.n_words * size_of::<u64>()
    }
}
