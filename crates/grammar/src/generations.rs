//! A map that remembers what was used lately: entries in generations, of which the oldest is forgotten.
//!
//! What is used is in the youngest generation. When its owner finds that enough has come, the generations
//! [change](Generations::age): each grows older, and what was in the oldest, not used for as many changes as there are
//! generations, is forgotten. Nothing is written down at a use but the number of the generation.
//!
//! An owner with room for so many bytes changes generations whenever [a part](Filling) of them has come. The finer the parts,
//! the fuller the room is on average: of two generations one has just been begun half of the time, of eight seven are full.
//!
//! To forget a generation means to look at all entries, and to drop one takes as long as it took to make it; somebody would wait
//! for that. So it is done when the owner [has time](Generations::take_forgotten), or else at the next change, and what is
//! forgotten then is dropped a few at a time.

use crate::Seeded;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// How many generations there are.
const GENERATIONS: usize = 8;

/// A map in generations. The owner says when they [change](Self::age), by whatever it counts.
pub struct Generations<K, V> {
    all: HashTable<Aged<K, V>>,
    /// The number of the youngest generation.
    now: u32,
    /// Whether the generations have changed since it was last looked for what is forgotten.
    is_due: bool,
    /// Forgotten and not dropped yet.
    leaving: Vec<(K, V)>,
    seeded: Seeded,
}

struct Aged<K, V> {
    key: K,
    value: V,
    /// The generation in which it was last used.
    used: u32,
}

/// Bytes by generation, the youngest first, of maps whose generations change together.
#[derive(Clone, Debug, Default)]
pub struct Filling {
    bytes: [usize; GENERATIONS],
}

/// How many forgotten entries are dropped for each one that is added, where there is one for so many others: two generations of
/// them.
const LEAVE: usize = 3;
const MANY: usize = 4;

impl Filling {
    /// Adds bytes to the youngest generation; says how often the generations are to change before, of maps that may take so many
    /// bytes in all. They take no more then, unless one thing does.
    #[must_use]
    pub fn add(&mut self, n_bytes: usize, max_bytes: usize) -> usize {
        let n_changes = Self::changes(self.bytes[0], n_bytes, max_bytes);
        self.bytes.rotate_right(n_changes);
        self.bytes[..n_changes].fill(0);
        self.bytes[0] += n_bytes;
        n_changes
    }

    /// How often generations are to change, of which the youngest has so many bytes, before so many come: what is larger than a
    /// part of the room takes the place of several generations.
    pub fn changes(young: usize, n_bytes: usize, max_bytes: usize) -> usize {
        let each = (max_bytes / GENERATIONS).max(1);
        let n_parts = |n_bytes: usize| n_bytes.div_ceil(each).max(1);
        match young.saturating_add(n_bytes) <= each {
            true => 0,
            false => (n_parts(young) + n_parts(n_bytes) - 1).min(GENERATIONS),
        }
    }

    /// The bytes of all generations.
    pub fn n_bytes(&self) -> usize {
        self.bytes.iter().sum()
    }
}

impl<K, V> Default for Generations<K, V> {
    fn default() -> Self {
        let (all, leaving) = (HashTable::new(), Vec::new());
        Self { all, now: 0, is_due: false, leaving, seeded: Seeded::default() }
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
        let Self { all, now, seeded, .. } = self;
        let aged = all.find_mut(seeded.hash_one(key), |aged| aged.key.borrow() == key)?;
        let used = std::mem::replace(&mut aged.used, *now);
        Some((&aged.value, used != *now))
    }

    /// Adds an entry to the youngest generation. One that is there under the same key is returned.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        // PERF: whoever adds one waits. That all others were dropped here was a twentieth of compiling.
        if MANY * self.leaving.len() > self.all.len() {
            self.leaving.truncate(self.leaving.len().saturating_sub(LEAVE));
        }
        let Self { all, now, seeded, .. } = self;
        let hash = seeded.hash_one(&key);
        match all.entry(hash, |aged| aged.key == key, |aged| seeded.hash_one(&aged.key)) {
            Entry::Occupied(mut entry) => {
                let aged = entry.get_mut();
                aged.used = *now;
                Some(std::mem::replace(&mut aged.value, value))
            }
            Entry::Vacant(place) => {
                place.insert(Aged { key, value, used: *now });
                None
            }
        }
    }

    /// Changes the generations so many times.
    pub fn age(&mut self, n_changes: usize) {
        if n_changes == 0 {
            return;
        }
        if self.is_due {
            // Nobody had time since the last change.
            self.forget();
        }
        self.now = self.now.saturating_add(n_changes as u32);
        self.is_due = true;
    }

    /// Takes out what is forgotten.
    fn forget(&mut self) {
        self.is_due = false;
        let Self { all, now, leaving, .. } = self;
        let forgotten = all.extract_if(|aged| (*now - aged.used) as usize >= GENERATIONS);
        leaving.extend(forgotten.map(|Aged { key, value, .. }| (key, value)));
    }

    /// Some of what is forgotten and not dropped yet, for who has time to drop it.
    pub fn take_forgotten(&mut self, n_most: usize) -> Vec<(K, V)> {
        if self.is_due {
            self.forget();
        }
        self.leaving.split_off(self.leaving.len().saturating_sub(n_most))
    }

    /// By generation, the older ones first, and by key.
    pub fn sorted(&self) -> Vec<(K, V)>
    where
        K: Ord + Clone,
        V: Clone,
    {
        let mut sorted: Vec<&Aged<K, V>> = self.all.iter().collect();
        sorted.sort_unstable_by(|a, b| (a.used, &a.key).cmp(&(b.used, &b.key)));
        sorted.into_iter().map(|aged| (aged.key.clone(), aged.value.clone())).collect()
    }
}

impl<K, V> fmt::Debug for Generations<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generations")
            .field("all", &self.all.len())
            .field("leaving", &self.leaving.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_is_not_used_for_as_many_changes_as_there_are_generations_is_forgotten() {
        let mut map = Generations::default();
        map.insert("used", 1);
        map.insert("unused", 2);
        map.age(1);
        assert_eq!(map.get("used"), Some((&1, true)));
        assert_eq!(map.get("used"), Some((&1, false)));
        map.age(GENERATIONS - 2);
        map.take_forgotten(9);
        assert_eq!(map.sorted(), [("unused", 2), ("used", 1)]);
        map.age(1);
        assert_eq!(map.take_forgotten(9), [("unused", 2)]);
        assert_eq!(map.get("used"), Some((&1, true)));
        assert_eq!(map.get("unused"), None);
        map.age(GENERATIONS + 5);
        map.age(1);
        assert_eq!(map.get("used"), None);
        assert_eq!(map.sorted(), []);
    }

    #[test]
    fn what_is_forgotten_is_dropped_a_few_at_a_time() {
        let kept = Arc::new(());
        let mut map = Generations::default();
        for key in 0..10 {
            map.insert(key, Arc::clone(&kept));
        }
        map.age(GENERATIONS);
        assert_eq!(map.take_forgotten(4).len(), 4);
        assert_eq!(Arc::strong_count(&kept), 7);
        let other = Arc::new(());
        let counts: Vec<usize> = (0..9)
            .map(|key| {
                map.insert(key, Arc::clone(&other));
                Arc::strong_count(&kept)
            })
            .collect();
        // As long as they are many beside what is there.
        assert_eq!(counts, [4, 1, 1, 1, 1, 1, 1, 1, 1]);
        map.age(GENERATIONS);
        assert_eq!(map.take_forgotten(4).len(), 4);
        assert_eq!(Arc::strong_count(&other), 6);
        assert_eq!(map.take_forgotten(4).len(), 4);
        assert_eq!(map.take_forgotten(4).len(), 1);
        assert_eq!(map.take_forgotten(4).len(), 0);
    }

    #[test]
    fn generations_change_when_a_part_of_the_room_is_full() {
        let mut filling = Filling::default();
        let max = 10 * GENERATIONS;
        assert_eq!((filling.add(10, max), filling.n_bytes()), (0, 10));
        assert_eq!((filling.add(1, max), filling.n_bytes()), (1, 11));
        assert_eq!((filling.add(35, max), filling.n_bytes()), (4, 46));
        assert_eq!((filling.add(4, max), filling.n_bytes()), (4, 39));
        // One that is larger than all of the room.
        assert_eq!((filling.add(1_000, max), filling.n_bytes()), (GENERATIONS, 1_000));
        assert_eq!((filling.add(1, max), filling.n_bytes()), (GENERATIONS, 1));
        // However much comes at a time, all is within the room.
        for i in 0..1_000 {
            let _ = filling.add(i * i % (max + 1), max);
            assert!(filling.n_bytes() <= max, "{i}: {filling:?}");
        }
        // No room at all.
        assert_eq!((filling.add(100, 0), filling.n_bytes()), (GENERATIONS, 100));
    }
}
