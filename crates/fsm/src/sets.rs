//! Sets of bytes by number: 4 bytes instead of 32 for each of the many that are equal.
//!
//! Most sets that something may begin with are one byte or none. These have fixed numbers, and nobody looks for them.

use formwork_grammar::{ByteSet, HashMap};

/// The number of a set: 0 for the empty one, `b + 1` for byte `b` alone, and from [`N_FIXED`] on the others in the order in
/// which they were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetId(u32);

const N_FIXED: usize = 257;

static FIXED: [ByteSet; N_FIXED] = {
    let mut sets = [ByteSet::EMPTY; N_FIXED];
    let mut byte = 0;
    while byte < 256 {
        let mut words = [0; 4];
        words[byte / 64] = 1 << (byte % 64);
        sets[byte + 1] = ByteSet::from_words(words);
        byte += 1;
    }
    sets
};

impl SetId {
    /// The empty set.
    pub(crate) const EMPTY: Self = Self(0);

    /// The set; `other` has those that have no fixed number, by position.
    #[inline]
    pub(crate) fn set<'a>(self, other: impl FnOnce(usize) -> &'a ByteSet) -> &'a ByteSet {
        match (self.0 as usize).checked_sub(N_FIXED) {
            None => &FIXED[self.0 as usize],
            Some(position) => other(position),
        }
    }
}

/// Gives numbers to sets.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    positions: HashMap<ByteSet, u32>,
}

impl Numbering {
    /// That of the sets that were given to whoever added them.
    pub(crate) fn of<'a>(others: impl Iterator<Item = &'a ByteSet>) -> Self {
        Self { positions: others.copied().zip(0..).collect() }
    }

    /// The number of a set. One that has none yet is given to `add`, with its position.
    pub(crate) fn number(&mut self, mut set: ByteSet, add: impl FnOnce(usize, ByteSet)) -> SetId {
        let whole = set;
        match set.pop_first() {
            None => return SetId::EMPTY,
            Some(byte) if set.is_empty() => return SetId(u32::from(byte) + 1),
            Some(_) => {}
        }
        let next = self.positions.len() as u32;
        let position = *self.positions.entry(whole).or_insert(next);
        if position == next {
            add(position as usize, whole);
        }
        SetId(N_FIXED as u32 + position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_found_by_their_numbers() {
        let sets = [(1, 0), (0, 0), (b'a', b'a'), (255, 255), (b'a', b'z'), (63, 64), (b'a', b'z')]
            .map(|(low, high)| ByteSet::range(low, high));
        let (mut numbering, mut list) = (Numbering::default(), Vec::new());
        let ids = sets.map(|set| numbering.number(set, |_, set| list.push(set)));
        assert!(sets.iter().zip(ids).all(|(set, id)| id.set(|position| &list[position]) == set));
        assert_eq!(list.len(), 2);
    }
}
