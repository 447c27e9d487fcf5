//! A list that mostly has one entry, which then needs no memory of its own.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// Some entries, fixed in number.
#[derive(Clone)]
pub(crate) enum Few<T> {
    One(T),
    Many(Box<[T]>),
}

impl<T> Few<T> {
    /// These entries.
    pub(crate) fn of(mut entries: impl ExactSizeIterator<Item = T>) -> Self {
        if entries.len() > 1 {
            return Self::Many(entries.collect());
        }
        entries.next().map_or_else(Self::default, Self::One)
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        match self {
            Self::One(_) => 0,
            Self::Many(all) => size_of_val(&all[..]),
        }
    }
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self::Many(Box::default())
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::One(only) => std::slice::from_ref(only),
            Self::Many(all) => all,
        }
    }
}

impl<T: PartialEq> PartialEq for Few<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for Few<T> {}

impl<T: Hash> Hash for Few<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self[..].hash(state);
    }
}

impl<T: fmt::Debug> fmt::Debug for Few<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_entry_takes_no_memory_of_its_own() {
        let few = |n: u32| Few::of(0..n);
        let sizes = [0, 1, 2, 3].map(|n| (few(n).len(), few(n).memory_size()));
        assert_eq!(sizes, [(0, 0), (1, 0), (2, 8), (3, 12)]);
        assert_eq!(few(3)[..], [0, 1, 2]);
        assert_eq!(few(1), Few::Many([0].into()));
        assert_eq!(size_of::<Few<(u32, u32)>>(), size_of::<Box<[(u32, u32)]>>());
    }
}
