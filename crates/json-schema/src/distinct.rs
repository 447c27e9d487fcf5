//! A list of distinct things, in the order in which they came.

use formwork_grammar::HashMap;
use smallvec::SmallVec;
use std::hash::Hash;

/// Things that are compared with each other; more are hashed.
pub(crate) const FEW: usize = 16;

/// A list of distinct things, in the order in which they came.
pub(crate) type Distinct<T> = DistinctIn<T, FEW>;

/// The same, with room for `N` of them in place.
///
/// PERF: mostly they are few, and for those nothing is hashed and little allocated.
#[derive(Debug)]
pub(crate) struct DistinctIn<T: Clone + Eq + Hash, const N: usize> {
    list: SmallVec<[T; N]>,
    /// Their numbers, once they are many.
    numbers: HashMap<T, usize>,
}

impl<T: Clone + Eq + Hash, const N: usize> Default for DistinctIn<T, N> {
    fn default() -> Self {
        Self { list: SmallVec::new(), numbers: HashMap::default() }
    }
}

impl<T: Clone + Eq + Hash, const N: usize> DistinctIn<T, N> {
    /// The number of a thing, which is added if it is new.
    pub(crate) fn number(&mut self, item: &T) -> usize {
        if let Some(known) = self.find(item) {
            return known;
        }
        let next = self.list.len();
        self.list.push(item.clone());
        if next == FEW {
            self.numbers.reserve(4 * FEW);
            self.numbers.extend(self.list.iter().cloned().zip(0..));
        } else if next > FEW {
            self.numbers.insert(item.clone(), next);
        }
        next
    }

    /// Adds one; whether it is new.
    pub(crate) fn insert(&mut self, item: T) -> bool {
        let n = self.list.len();
        self.number(&item) == n
    }

    /// The number of a thing.
    pub(crate) fn find(&self, item: &T) -> Option<usize> {
        match self.list.len() <= FEW {
            true => self.list.iter().position(|other| other == item),
            false => self.numbers.get(item).copied(),
        }
    }

    pub(crate) fn contains(&self, item: &T) -> bool {
        self.find(item).is_some()
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
                assert_eq!(distinct.find(&i), Some(3 * FEW - 1 - i));
                assert!(distinct.contains(&i) && !distinct.contains(&(3 * FEW)));
            }
        }
        assert!(distinct.list().iter().copied().eq((0..3 * FEW).rev()));
    }
}
