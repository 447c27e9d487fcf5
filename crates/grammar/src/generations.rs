//! A map that remembers what was used lately: two generations, of which the older one is forgotten.
//!
//! What is used is in the young generation. When its owner finds that enough has come, the generations change: the young
//! one grows old, and what was in the old one, not used since the last change, is forgotten. So nothing is written down
//! at a use, and what is kept is at most two generations.
//!
//! To forget a generation at once takes as long as it took to fill it, milliseconds for some tens of megabytes, and
//! somebody waits for that: forgotten entries are dropped a few at a time, in the order in which they came, when their owner [has time](Generations::take_forgotten)
//! or else, from the middle of the next generation on, whenever one is added.

use crate::Seeded;
use hashbrown::HashTable;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::vec::IntoIter;

/// A map in two generations. The owner says when they [change](Self::age), by whatever it counts.
pub struct Generations<K, V> {
    young: Generation<K, V>,
    old: Generation<K, V>,
    /// Forgotten and not dropped yet.
    leaving: IntoIter<Option<(K, V)>>,
    seeded: Seeded,
}

/// Entries as they came.
///
/// PERF: they are dropped in that order, since those that came one after the other mostly have memory side by side. In the order of
/// their hashes what they left was a hole here and there in all of it, and whatever was made after that was scattered over them.
struct Generation<K, V> {
    /// `None` where one has been moved to the young generation.
    entries: Vec<Option<(K, V)>>,
    /// Positions by key.
    positions: HashTable<u32>,
}

/// How many forgotten entries are dropped for each one that is added behind the middle of a generation: all are gone before a
/// generation of as many is.
const LEAVE: usize = 3;

impl<K, V> Default for Generation<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), positions: HashTable::new() }
    }
}

impl<K, V> Default for Generations<K, V> {
    fn default() -> Self {
        let (young, old) = (Generation::default(), Generation::default());
        Self { young, old, leaving: Vec::new().into_iter(), seeded: Seeded::default() }
    }
}

impl<K, V> Generation<K, V> {
    /// The position of the entry under a key.
    fn find<Q: Eq + ?Sized>(&self, hash: u64, key: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
    {
        let is_it =
            |&at: &u32| matches!(&self.entries[at as usize], Some((other, _)) if other.borrow() == key);
        self.positions.find(hash, is_it).copied()
    }

    /// Takes the entry under a key out.
    fn take<Q: Eq + ?Sized>(&mut self, hash: u64, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let at = self.find(hash, key)?;
        if let Ok(place) = self.positions.find_entry(hash, |&other| other == at) {
            place.remove();
        }
        self.entries[at as usize].take()
    }

    fn len(&self) -> usize {
        self.positions.len()
    }

    fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.entries.iter().flatten()
    }
}

impl<K: Hash + Eq, V> Generation<K, V> {
    /// Adds an entry under a key that has none; its position.
    fn add(&mut self, hash: u64, entry: (K, V), seeded: &Seeded) -> u32 {
        let Self { entries, positions } = self;
        let at =
            u32::try_from(entries.len()).unwrap_or_else(|_| unreachable!("memory has no room for so many"));
        entries.push(Some(entry));
        let hash_of = |&at: &u32| entries[at as usize].as_ref().map_or(0, |(key, _)| seeded.hash_one(key));
        positions.insert_unique(hash, at, hash_of);
        at
    }
}

impl<K: Hash + Eq, V> Generations<K, V> {
    /// The entry under a key, young from now on; and whether it was not before, so that its owner counts it again.
    ///
    /// Cost: the key is hashed once and compared once or twice.
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<(&V, bool)>
    where
        K: Borrow<Q>,
    {
        let Self { young, old, seeded, .. } = self;
        let hash = seeded.hash_one(key);
        let (at, was_old) = match young.find(hash, key) {
            Some(at) => (at, false),
            None => (young.add(hash, old.take(hash, key)?, seeded), true),
        };
        young.entries[at as usize].as_ref().map(|(_, value)| (value, was_old))
    }

    /// Adds an entry to the young generation. One that is in it under the same key is returned; one in the old generation
    /// is left there, so [look](Self::get) first.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        // PERF: whoever adds one waits. That others were dropped here was a twentieth of compiling.
        if 2 * self.young.len() >= self.leaving.len() {
            self.leaving.by_ref().flatten().take(LEAVE).for_each(drop);
        }
        let Self { young, seeded, .. } = self;
        let hash = seeded.hash_one(&key);
        match young.find(hash, &key) {
            Some(at) => {
                let entry = young.entries[at as usize].as_mut()?;
                Some(std::mem::replace(&mut entry.1, value))
            }
            None => {
                young.add(hash, (key, value), seeded);
                None
            }
        }
    }

    /// Changes the generations.
    pub fn age(&mut self) {
        let old = std::mem::replace(&mut self.old, std::mem::take(&mut self.young));
        self.leaving = old.entries.into_iter();
    }

    /// Some of what is forgotten and not dropped yet, for who has time to drop it.
    pub fn take_forgotten(&mut self, n_most: usize) -> Vec<(K, V)> {
        self.leaving.by_ref().flatten().take(n_most).collect()
    }

    /// By generation, the older one first, and by key.
    pub fn sorted(&self) -> Vec<(K, V)>
    where
        K: Ord + Clone,
        V: Clone,
    {
        let mut sorted = Vec::with_capacity(self.old.len() + self.young.len());
        for generation in [&self.old, &self.young] {
            let first = sorted.len();
            sorted.extend(generation.iter().cloned());
            sorted[first..].sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        }
        sorted
    }
}

impl<K, V> fmt::Debug for Generations<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generations")
            .field("young", &self.young.len())
            .field("old", &self.old.len())
            .field("leaving", &self.leaving.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_is_not_used_in_a_generation_is_forgotten_at_the_next_change() {
        let mut map = Generations::default();
        map.insert("used", 1);
        map.insert("unused", 2);
        map.age();
        assert_eq!(map.get("used"), Some((&1, true)));
        assert_eq!(map.get("used"), Some((&1, false)));
        map.age();
        assert_eq!(map.get("used"), Some((&1, true)));
        assert_eq!(map.get("unused"), None);
        assert_eq!(map.sorted(), [("used", 1)]);
    }

    #[test]
    fn what_is_forgotten_is_dropped_as_it_came() {
        let mut map = Generations::default();
        for key in [7, 3, 9, 1, 5] {
            map.insert(key, ());
        }
        map.age();
        // What is used is young again; another key under its place is not found.
        assert_eq!(map.get(&9), Some((&(), true)));
        map.age();
        let forgotten = map.take_forgotten(3).into_iter().chain(map.take_forgotten(3));
        assert_eq!(forgotten.map(|(key, ())| key).collect::<Vec<_>>(), [7, 3, 1, 5]);
        assert_eq!(map.get(&7), None);
        assert_eq!(map.get(&9), Some((&(), true)));
    }

    #[test]
    fn what_is_forgotten_is_dropped_a_few_at_a_time() {
        let kept = Arc::new(());
        let mut map = Generations::default();
        for key in 0..10 {
            map.insert(key, Arc::clone(&kept));
        }
        map.age();
        map.age();
        assert_eq!(Arc::strong_count(&kept), 11);
        let other = Arc::new(());
        let counts: Vec<usize> = (0..9)
            .map(|key| {
                map.insert(key, Arc::clone(&other));
                Arc::strong_count(&kept)
            })
            .collect();
        assert_eq!(counts, [11, 11, 11, 11, 11, 8, 5, 2, 1]);
        map.age();
        map.age();
        assert_eq!(map.take_forgotten(4).len(), 4);
        assert_eq!(Arc::strong_count(&other), 6);
        assert_eq!(map.take_forgotten(4).len(), 4);
        assert_eq!(map.take_forgotten(4).len(), 1);
        assert_eq!(map.take_forgotten(4).len(), 0);
    }
}
