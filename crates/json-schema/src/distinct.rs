//! A list of distinct things, in the order in which they came.

use formwork_grammar::HashSet;
use smallvec::SmallVec;
use std::hash::Hash;

/// Things that are compared with each other; more are hashed.
pub(crate) const FEW: usize = 16;

/// A list of distinct things, in the order in which they came.
///
/// PERF: mostly they are few, and for those nothing is allocated.
#[derive(Debug)]
pub(crate) struct Distinct<T: Copy + Eq + Hash> {
    list: SmallVec<[T; FEW]>,
    /// The same, once they are many.
    set: HashSet<T>,
}

impl<T: Copy + Eq + Hash> Default for Distinct<T> {
    fn default() -> Self {
        Self { list: SmallVec::new(), set: HashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> Distinct<T> {
    /// Adds one; whether it is new.
    pub(crate) fn insert(&mut self, item: T) -> bool {
        if self.list.len() == FEW {
            self.set.extend(self.list.iter().copied());
        }
        let is_new = if self.list.len() < FEW { !self.list.contains(&item) } else { self.set.insert(item) };
        if is_new {
            self.list.push(item);
        }
        is_new
    }

    pub(crate) fn contains(&self, item: T) -> bool {
        if self.set.is_empty() { self.list.contains(&item) } else { self.set.contains(&item) }
    }

    pub(crate) fn list(&self) -> &[T] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_distinct_and_in_order() {
        let mut distinct = Distinct::default();
        for round in 0..2 {
            for i in (0..3 * FEW).rev() {
                assert_eq!(distinct.insert(i), round == 0);
                assert!(distinct.contains(i) && !distinct.contains(3 * FEW));
            }
        }
        assert!(distinct.list().iter().copied().eq((0..3 * FEW).rev()));
    }
}
