//! A set of bytes.

use std::fmt;

/// A set of bytes, 32 bytes in size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ByteSet {
    words: [u64; 4],
}

impl ByteSet {
    /// The empty set.
    pub const EMPTY: Self = Self { words: [0; 4] };
    /// All 256 bytes.
    pub const FULL: Self = Self { words: [u64::MAX; 4] };

    /// The bytes `b` whose bit `b % 64` is set in word `b / 64`.
    pub const fn from_words(words: [u64; 4]) -> Self {
        Self { words }
    }

    /// The words that [make](Self::from_words) the set.
    pub const fn words(&self) -> [u64; 4] {
        self.words
    }

    /// The bytes from `low` to `high`, both included.
    pub fn range(low: u8, high: u8) -> Self {
        let mut set = Self::EMPTY;
        set.insert_range(low, high);
        set
    }

    /// Adds one byte.
    pub fn insert(&mut self, byte: u8) {
        self.words[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Adds the bytes from `low` to `high`, both included.
    pub fn insert_range(&mut self, low: u8, high: u8) {
        if low > high {
            return;
        }
        // PERF: mostly one byte, or some in a row.
        if low >> 6 == high >> 6 {
            self.words[usize::from(low >> 6)] |= (u64::MAX >> (63 - (high - low))) << (low & 63);
            return;
        }
        for (i, word) in self.words.iter_mut().enumerate() {
            let (first, last) = (i * 64, i * 64 + 63);
            let (low, high) = (usize::from(low).max(first), usize::from(high).min(last));
            if low <= high {
                *word |= (u64::MAX >> (63 - (high - low))) << (low - first);
            }
        }
    }

    /// Whether `byte` is in the set.
    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.words[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
    }

    /// Takes the lowest byte out.
    #[inline]
    pub fn pop_first(&mut self) -> Option<u8> {
        let at = self.words.iter().position(|&word| word != 0)?;
        let bit = self.words[at].trailing_zeros();
        self.words[at] &= self.words[at] - 1;
        Some((at as u32 * 64 + bit) as u8)
    }

    /// How many bytes are in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether there are so many bytes; cheaper than to count them all.
    #[inline]
    pub fn has_at_least(&self, n: usize) -> bool {
        let mut left = n;
        for mut word in self.words {
            while word != 0 && left > 0 {
                word &= word - 1;
                left -= 1;
            }
        }
        left == 0
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// The bytes in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// The bytes in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// The bytes in this set and not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// Whether every byte of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }

    fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self { words: std::array::from_fn(|i| f(self.words[i], other.words[i])) }
    }

    /// The bytes of the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255u8).filter(|&b| self.contains(b))
    }

    /// The maximal runs of the set, ascending, as inclusive ranges.
    pub fn ranges(&self) -> Vec<(u8, u8)> {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for byte in self.iter() {
            match ranges.last_mut() {
                Some((_, high)) if *high + 1 == byte => *high = byte,
                _ => ranges.push((byte, byte)),
            }
        }
        ranges
    }

    /// The set of ASCII bytes as a 128-bit mask, bit = byte.
    pub fn ascii(&self) -> u128 {
        u128::from(self.words[0]) | u128::from(self.words[1]) << 64
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::EMPTY;
        for byte in bytes {
            set.insert(byte);
        }
        set
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (low, high) in self.ranges() {
            if low == high { write!(f, " {low:02x}")? } else { write!(f, " {low:02x}-{high:02x}")? }
        }
        f.write_str(" }")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_what_was_inserted() {
        for (low, high) in [(0, 255), (63, 64), (0, 0), (255, 255), (10, 200), (128, 191)] {
            let set = ByteSet::range(low, high);
            assert_eq!(set.ranges(), [(low, high)]);
            assert_eq!(set.len(), usize::from(high) - usize::from(low) + 1);
            assert!(set.is_subset(&ByteSet::FULL) && !set.is_empty());
            assert_eq!(set.difference(&set), ByteSet::EMPTY);
        }
        assert!(ByteSet::range(5, 4).is_empty());
    }
}
