//! What several local masks accept together, as one bitset.
//!
//! Where a value of any kind may come a row has a dozen items, and four of them accept many tokens: what may begin a string, blanks,
//! digits, what stands between brackets. Each next grammar has a row with the same local masks, which the pool shares, and beside
//! them short lists of its own. So the large masks of a row are looked up together, by their places in memory, and where
//! the same ones come for the second time, their union is kept as a bitset. A row that has one is written by it and its short lists;
//! met again, too.
//!
//! # Worked example
//! Behind a name's colon stand the rule of the name, with `{` and ` `, and those of strings and numbers, whose masks have a bitset
//! each, s and n. The first such row is put together from both, and notes (s, n). The second one has them united as u; its
//! [recipe](crate::Recipe) is u with `{` and ` `. Behind another name nothing but ` [` differs: u with ` [`.

use crate::bitset::Bitset;
use crate::local::LocalMask;
use formwork_grammar::{Filling, Generations};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The unions of large local masks of one vocabulary.
#[derive(Debug, Default)]
pub(crate) struct Unions {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    known: Generations<Key, Union>,
    filling: Filling,
}

/// The places of local masks in memory, ascending.
type Key = SmallVec<[usize; 6]>;

#[derive(Debug)]
struct Union {
    words: Option<Arc<Bitset>>,
    /// Keeps their places their own.
    _locals: SmallVec<[Arc<LocalMask>; 4]>,
}

/// What is known of some local masks.
#[derive(Debug)]
pub(crate) enum Asked {
    /// What they accept together.
    Known(Arc<Bitset>),
    /// They came before.
    Again,
    First,
}

/// Unions that are kept, and masks that are noted: most bitsets are [shared](crate::slices::Slices::shared), so 4 MiB at most.
const MAX_UNIONS: usize = 256;

impl Unions {
    /// What some local masks accept together, none of which counts.
    ///
    /// Cost: a lock and a lookup; for rows that are met for the first time, and of these where several masks are large.
    pub(crate) fn ask(&self, locals: &[&Arc<LocalMask>]) -> Asked {
        let key = key(locals);
        let mut inner = self.lock();
        let asked = match inner.known.get(&key) {
            Some((Union { words: Some(words), .. }, was_old)) => {
                let words = Arc::clone(words);
                if was_old {
                    inner.count();
                }
                return Asked::Known(words);
            }
            Some(_) => return Asked::Again,
            None => Asked::First,
        };
        inner.count();
        inner.known.insert(key, Union::of(locals, None));
        asked
    }

    /// Keeps what they accept together.
    pub(crate) fn keep(&self, locals: &[&Arc<LocalMask>], words: &Arc<Bitset>) {
        let mut inner = self.lock();
        inner.count();
        inner.known.insert(key(locals), Union::of(locals, Some(Arc::clone(words))));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // The map is whole at every moment, so a thread that panicked has left nothing half done.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn count(&mut self) {
        let n_changes = self.filling.add(1, MAX_UNIONS);
        self.known.age(n_changes);
    }
}

impl Union {
    fn of(locals: &[&Arc<LocalMask>], words: Option<Arc<Bitset>>) -> Self {
        Self { words, _locals: locals.iter().map(|&local| Arc::clone(local)).collect() }
    }
}

fn key(locals: &[&Arc<LocalMask>]) -> Key {
    let mut key: Key = locals.iter().map(|local| Arc::as_ptr(local).addr()).collect();
    key.sort_unstable();
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_known_from_then_on() {
        let unions = Unions::default();
        let locals = [(); 3].map(|()| Arc::new(LocalMask::default()));
        let [a, b, c] = [&locals[0], &locals[1], &locals[2]];
        assert!(matches!(unions.ask(&[a, b]), Asked::First));
        assert!(matches!(unions.ask(&[a, c]), Asked::First));
        assert!(matches!(unions.ask(&[b, a]), Asked::Again));
        let words = Arc::new(Bitset::from(vec![5]));
        unions.keep(&[a, b], &words);
        for order in [[a, b], [b, a]] {
            let Asked::Known(known) = unions.ask(&order) else { panic!("it was kept") };
            assert!(Arc::ptr_eq(&known, &words));
        }
        assert!(matches!(unions.ask(&[a, c]), Asked::Again));
        assert!(matches!(unions.ask(&[a, b, c]), Asked::First));
        // Nobody else can be where they are.
        assert!(locals.iter().all(|local| Arc::strong_count(local) > 1));
    }

    #[test]
    fn few_are_kept() {
        let unions = Unions::default();
        let locals: Vec<Arc<LocalMask>> = (0..3 * MAX_UNIONS).map(|_| Arc::default()).collect();
        locals.windows(2).for_each(|pair| _ = unions.ask(&[&pair[0], &pair[1]]));
        unions.lock().known.take_forgotten(locals.len());
        let n_held = locals.iter().filter(|local| Arc::strong_count(local) > 1).count();
        assert!((MAX_UNIONS / 2..=MAX_UNIONS + 1).contains(&n_held), "{n_held}");
    }
}
