//! A list that grows behind a shared reference and never moves what it holds.
//!
//! Entries stand in segments of doubling size, so a place is found by two loads and a count of leading zeros, without a
//! lock; only who appends needs one.

use std::fmt;
use std::sync::OnceLock;

const FIRST: usize = 16;
const N_SEGMENTS: usize = 28;

/// A list whose entries are set once, in any order, and read without a lock. Places that were never set cost nothing but
/// those between the greatest one set and the next power of two, 16 bytes or so each.
pub struct Segmented<T> {
    segments: [OnceLock<Box<[OnceLock<T>]>>; N_SEGMENTS],
}

impl<T: fmt::Debug> fmt::Debug for Segmented<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Default for Segmented<T> {
    fn default() -> Self {
        Self { segments: [const { OnceLock::new() }; N_SEGMENTS] }
    }
}

/// The segment of an index and the position in it.
#[inline]
fn place(index: usize) -> (usize, usize) {
    let shifted = index + FIRST;
    let segment = (usize::BITS - 1 - shifted.leading_zeros()) as usize - FIRST.trailing_zeros() as usize;
    (segment, shifted - (FIRST << segment))
}

impl<T> Segmented<T> {
    /// The entry at `index`, if it is there.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        let (segment, at) = place(index);
        self.segments[segment].get()?[at].get()
    }

    /// The entry at `index`, made if it is not there.
    pub fn get_or_init(&self, index: usize, make: impl FnOnce() -> T) -> &T {
        let (segment, at) = place(index);
        let slots =
            self.segments[segment].get_or_init(|| (0..FIRST << segment).map(|_| OnceLock::new()).collect());
        slots[at].get_or_init(make)
    }

    /// All entries that are there, ascending, with their positions.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &T)> {
        let segments = self.segments.iter().enumerate();
        let slots = segments.filter_map(|(i, segment)| Some(((FIRST << i) - FIRST, segment.get()?)));
        slots
            .flat_map(|(first, slots)| (first..).zip(slots.iter()))
            .filter_map(|(i, slot)| Some((i, slot.get()?)))
    }

    /// The entries from the first on, up to one that is not there.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..).map_while(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_is_set() {
        let list = Segmented::default();
        for i in 0..1_000 {
            assert_eq!(list.get(i), None);
            assert_eq!(*list.get_or_init(i, || i * 7), i * 7);
        }
        assert!((0..1_000).all(|i| list.get(i) == Some(&(i * 7))));
        assert_eq!(list.iter().count(), 1_000);
    }
}
