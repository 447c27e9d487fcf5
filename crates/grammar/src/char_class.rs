//! A set of Unicode scalar values.

use smallvec::{SmallVec, smallvec};
use std::fmt;

/// A set of Unicode scalar values as sorted, disjoint, non-adjacent inclusive ranges.
///
/// Surrogates are not scalar values and cannot be members; a range across the gap is two ranges in UTF-8 but one here.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CharClass {
    /// Sorted, disjoint, and never adjacent (the surrogate gap counts as adjacent), so equal sets are equal values.
    ranges: SmallVec<[(char, char); 2]>,
}

const GAP: std::ops::RangeInclusive<u32> = 0xD800..=0xDFFF;

fn after(c: char) -> Option<char> {
    if c == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(u32::from(c) + 1) }
}

fn before(c: char) -> Option<char> {
    if c == '\u{E000}' { Some('\u{D7FF}') } else { u32::from(c).checked_sub(1).and_then(char::from_u32) }
}

impl CharClass {
    /// No character.
    pub fn none() -> Self {
        Self::default()
    }

    /// Every character.
    pub fn any() -> Self {
        Self::range('\0', char::MAX)
    }

    /// One character.
    pub fn single(c: char) -> Self {
        Self::range(c, c)
    }

    /// The characters from `low` to `high`, both included; none if `low > high`.
    pub fn range(low: char, high: char) -> Self {
        if low <= high { Self { ranges: smallvec![(low, high)] } } else { Self::none() }
    }

    /// The union of inclusive ranges in any order; ranges with `low > high` are empty.
    pub fn from_ranges(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        let mut sorted: SmallVec<[(char, char); 8]> =
            ranges.into_iter().filter(|(low, high)| low <= high).collect();
        sorted.sort_unstable();
        let mut merged: SmallVec<[(char, char); 2]> = SmallVec::with_capacity(sorted.len());
        for (low, high) in sorted {
            match merged.last_mut() {
                Some(last) if after(last.1).is_none_or(|next| low <= next) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Self { ranges: merged }
    }

    /// The union of inclusive ranges of code points; surrogates and what lies above U+10FFFF are dropped.
    pub fn from_code_points(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Self::from_ranges(ranges.into_iter().filter_map(|(low, high)| {
            let low = if GAP.contains(&low) { 0xE000 } else { low };
            let high = if GAP.contains(&high) { 0xD7FF } else { high.min(0x10_FFFF) };
            Some((char::from_u32(low)?, char::from_u32(high)?))
        }))
    }

    /// The ranges: sorted, disjoint, not adjacent, inclusive.
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// Whether no character is in the class.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The only member, if there is exactly one.
    pub fn as_single(&self) -> Option<char> {
        match self.ranges[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// Whether `c` is in the class.
    pub fn contains(&self, c: char) -> bool {
        let idx = self.ranges.partition_point(|&(_, high)| high < c);
        self.ranges.get(idx).is_some_and(|&(low, _)| low <= c)
    }

    /// The characters that are not in the class.
    #[must_use]
    pub fn negate(&self) -> Self {
        let mut ranges = SmallVec::with_capacity(self.ranges.len() + 1);
        let mut next = Some('\0');
        for &(low, high) in &self.ranges {
            if let (Some(start), Some(end)) = (next, before(low)) {
                if start <= end {
                    ranges.push((start, end));
                }
            }
            next = after(high);
        }
        if let Some(start) = next {
            ranges.push((start, char::MAX));
        }
        Self { ranges }
    }

    /// The characters in either class.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::from_ranges(self.ranges.iter().chain(&other.ranges).copied())
    }

    /// The characters in both classes.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut i, mut k, mut ranges) = (0, 0, SmallVec::new());
        while let (Some(a), Some(b)) = (self.ranges.get(i), other.ranges.get(k)) {
            let (low, high) = (a.0.max(b.0), a.1.min(b.1));
            if low <= high {
                ranges.push((low, high));
            }
            if a.1 < b.1 { i += 1 } else { k += 1 }
        }
        Self { ranges }
    }

    /// The characters in this class and not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.intersection(&other.negate())
    }
}

impl fmt::Debug for CharClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for &(low, high) in &self.ranges {
            if low == high {
                write!(f, "{}", low.escape_debug())?;
            } else {
                write!(f, "{}-{}", low.escape_debug(), high.escape_debug())?;
            }
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_is_an_involution_across_the_surrogate_gap() {
        for class in [
            CharClass::none(),
            CharClass::any(),
            CharClass::range('a', 'z'),
            CharClass::range('\u{D000}', '\u{D7FF}'),
            CharClass::range('\u{E000}', char::MAX),
            CharClass::from_ranges([('z', 'z'), ('\0', 'a'), ('中', '中')]),
        ] {
            assert_eq!(class.negate().negate(), class);
            assert!(class.intersection(&class.negate()).is_empty());
            assert_eq!(class.union(&class.negate()), CharClass::any());
        }
        assert_eq!(CharClass::from_code_points([(0xD800, 0xDFFF)]), CharClass::none());
        assert_eq!(CharClass::from_code_points([(0xD700, 0xDC00)]).ranges(), [('\u{D700}', '\u{D7FF}')]);
        assert!(CharClass::range('b', 'y').contains('b') && !CharClass::range('b', 'y').contains('z'));
    }
}
