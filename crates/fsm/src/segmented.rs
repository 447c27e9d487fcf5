//! A list that grows behind a shared reference and never moves what it holds.
//!
//! Entries stand in segments of doubling size, so a place is found by two loads and a count of leading zeros, without a
//! lock; only who appends needs one.

use std::fmt;
use std::sync::OnceLock;

/// Segments whose places are in the list itself; most lists need no others.
const N_INLINE: usize = 3;
/// The others.
const N_FURTHER: usize = 26;

type Segment<S> = OnceLock<Box<[S]>>;

/// Slots with successive indices; the first segment has `FIRST` of them, a power of two.
pub(crate) struct Segments<S, const FIRST: usize> {
    segments: [Segment<S>; N_INLINE],
    further: OnceLock<Box<[Segment<S>; N_FURTHER]>>,
}

impl<S, const FIRST: usize> Default for Segments<S, FIRST> {
    fn default() -> Self {
        Self { segments: [const { OnceLock::new() }; N_INLINE], further: OnceLock::new() }
    }
}

impl<S: Default, const FIRST: usize> Segments<S, FIRST> {
    /// The segment of an index and the position in it.
    #[inline]
    fn place(index: usize) -> (usize, usize) {
        let shifted = index + FIRST;
        let segment = (usize::BITS - 1 - shifted.leading_zeros()) as usize - FIRST.trailing_zeros() as usize;
        (segment, shifted - (FIRST << segment))
    }

    /// The slot at `index`, if its segment is there.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&S> {
        let (segment, at) = Self::place(index);
        let segment = match self.segments.get(segment) {
            Some(segment) => segment,
            None => &self.further.get()?[segment - N_INLINE],
        };
        segment.get()?.get(at)
    }

    /// The slot at `index`; those of its segment are made if they are not there.
    pub(crate) fn get_or_make(&self, index: usize) -> &S {
        let (number, at) = Self::place(index);
        let segment = match self.segments.get(number) {
            Some(segment) => segment,
            None => {
                let further = self.further.get_or_init(|| Box::new([const { OnceLock::new() }; N_FURTHER]));
                &further[number - N_INLINE]
            }
        };
        &segment.get_or_init(|| (0..FIRST << number).map(|_| S::default()).collect())[at]
    }

    fn segments(&self) -> impl Iterator<Item = (usize, &[S])> {
        let further = self.further.get().into_iter().flat_map(|further| further.iter());
        let segments = self.segments.iter().chain(further).enumerate();
        segments.filter_map(|(i, segment)| Some(((FIRST << i) - FIRST, &segment.get()?[..])))
    }

    /// Heap memory in bytes, what the slots have elsewhere not counted.
    ///
    /// Cost: a look at each segment, some dozens at most.
    pub(crate) fn memory_size(&self) -> usize {
        let further = self.further.get().map_or(0, |further| size_of_val(&**further));
        further + self.segments().map(|(_, slots)| size_of_val(slots)).sum::<usize>()
    }
}

/// A list whose entries are set once, in any order, and read without a lock. Places that were never set cost nothing but
/// those in segments of which some are, 16 bytes or so each.
pub struct Segmented<T> {
    slots: Segments<OnceLock<T>, 8>,
}

impl<T: fmt::Debug> fmt::Debug for Segmented<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Default for Segmented<T> {
    fn default() -> Self {
        Self { slots: Segments::default() }
    }
}

impl<T> Segmented<T> {
    /// The entry at `index`, if it is there.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.slots.get(index)?.get()
    }

    /// The entry at `index`, made if it is not there.
    pub fn get_or_init(&self, index: usize, make: impl FnOnce() -> T) -> &T {
        self.slots.get_or_make(index).get_or_init(make)
    }

    /// All entries that are there, ascending, with their positions.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &T)> {
        let slots = self.slots.segments().flat_map(|(first, slots)| (first..).zip(slots));
        slots.filter_map(|(i, slot)| Some((i, slot.get()?)))
    }

    /// Heap memory in bytes, that of the entries themselves not counted.
    ///
    /// Cost: a look at each segment, some dozens at most.
    pub fn memory_size(&self) -> usize {
        self.slots.memory_size()
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
