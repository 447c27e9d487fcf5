//! A map that remembers what was used lately: two generations, of which the older one is forgotten.
//!
//! What is used is in the young generation. When its owner finds that enough has come, the generations change: the young
//! one grows old, and what was in the old one, not used since the last change, is forgotten. So nothing is written down
//! at a use, and what is kept is at most two generations.
//!
//! To forget a generation at once takes as long as it took to fill it, milliseconds for some tens of megabytes, and
//! somebody waits for that: forgotten entries are dropped a few at a time, when their owner [has time](Generations::take_forgotten)
//! or else, from the middle of the next generation on, whenever one is added.

use crate::Seeded;
use hashbrown::HashTable;
use hashbrown::hash_table::{Entry, IntoIter};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// A map in two generations. The owner says when they [change](Self::age), by whatever it counts.
pub struct Generations<K, V> {
    young: HashTable<(K, V)>,
    old: HashTable<(K, V)>,
    /// Forgotten and not dropped yet.
    leaving: IntoIter<(K, V)>,
    seeded: Seeded,
}

/// How many forgotten entries are dropped for each one that is added behind the middle of a generation: all are gone before a
/// generation of as many is.
const LEAVE: usize = 3;

impl<K, V> Default for Generations<K, V> {
    fn default() -> Self {
        let (young, old, none) = (HashTable::new(), HashTable::new(), HashTable::new());
        Self { young, old, leaving: none.into_iter(), seeded: Seeded::default() }
    }
}

impl<K: Hash + Eq, V> Generations<K, V> {
    /// The entry under a key, young from now on; and whether it was not before, so that its owner counts it again.
    ///
    /// Cost: the key is hashed once and compared once.
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<(&V, bool)>
    where
        K: Borrow<Q>,
    {
        let Self { young, old, seeded, .. } = self;
        let hash = seeded.hash_one(key);
        let is_it = |(other, _): &(K, V)| other.borrow() == key;
        match young.entry(hash, is_it, |(key, _)| seeded.hash_one(key)) {
            Entry::Occupied(entry) => Some((&entry.into_mut().1, false)),
            Entry::Vacant(place) => {
                let (moved, _) = old.find_entry(hash, is_it).ok()?.remove();
                Some((&place.insert(moved).into_mut().1, true))
            }
        }
    }

    /// Adds an entry to the young generation. One that is in it under the same key is returned; one in the old generation
    /// is left there, so [look](Self::get) first.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        // PERF: whoever adds one waits. That others were dropped here was a twentieth of compiling.
        if 2 * self.young.len() >= self.leaving.len() {
            self.leaving.by_ref().take(LEAVE).for_each(drop);
        }
        let Self { young, seeded, .. } = self;
        match young.entry(seeded.hash_one(&key), |(other, _)| *other == key, |(key, _)| seeded.hash_one(key))
        {
            Entry::Occupied(mut entry) => Some(std::mem::replace(&mut entry.get_mut().1, value)),
            Entry::Vacant(place) => {
                place.insert((key, value));
                None
            }
        }
    }

    /// Changes the generations.
    pub fn age(&mut self) {
        let old = std::mem::replace(&mut self.old, std::mem::take(&mut self.young));
        self.leaving = old.into_iter();
    }

    /// Some of what is forgotten and not dropped yet, for who has time to drop it.
    pub fn take_forgotten(&mut self, n_most: usize) -> Vec<(K, V)> {
        self.leaving.by_ref().take(n_most).collect()
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
