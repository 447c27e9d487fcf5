//! Lists that are kept in place while they are short.

use smallvec::SmallVec;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// A list that does not change, in place up to `N` items.
///
/// PERF: a grammar is mostly short sequences, alternations and literals. An allocation for each was 5% of the instructions
/// that the grammar of a JSON Schema takes (callgrind over every 40th MaskBench file).
#[derive(Clone, PartialEq, Eq)]
pub struct List<T: Copy, const N: usize>(SmallVec<[T; N]>);

impl<T: Copy, const N: usize> Deref for List<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy, const N: usize> AsRef<[T]> for List<T, N> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Copy, const N: usize> From<&[T]> for List<T, N> {
    #[inline]
    fn from(items: &[T]) -> Self {
        Self(SmallVec::from_slice(items))
    }
}

impl<T: Copy, const N: usize> FromIterator<T> for List<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<'a, T: Copy, const N: usize> IntoIterator for &'a List<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Copy + Hash, const N: usize> Hash for List<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self[..].hash(state);
    }
}

impl<T: Copy + fmt::Debug, const N: usize> fmt::Debug for List<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}
