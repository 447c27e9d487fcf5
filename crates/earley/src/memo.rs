//! Steps from row to row that were taken before, by a byte, or by a text or a symbol that has a number.
//!
//! Even where all rows are known, finding the next one is stepping each item, sorting and hashing the kernel: 50 ns. What
//! follows a row never changes, so it is remembered in a small direct-mapped table, where the latest of the pairs that fall
//! on one place stays. A step of text inside a string, of digits, or of what an earlier output of the grammar had too is
//! then one comparison.
//!
//! Only rows that stay are remembered, not those between a [mark](crate::Rows::mark) and its release.

use crate::rows::RowId;

/// What a step reads: a byte, or beyond the bytes the number of a text, or beyond these that of a symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Read(u32);

impl Read {
    pub(crate) fn byte(byte: u8) -> Self {
        Self(u32::from(byte))
    }

    /// A text; `None` if its number is too large to be told from others.
    pub(crate) fn text(number: u32) -> Option<Self> {
        (number < SYMBOLS - TEXTS).then(|| Self(number + TEXTS))
    }

    /// A symbol; likewise.
    pub(crate) fn symbol(number: u32) -> Option<Self> {
        number.checked_add(SYMBOLS).map(Self)
    }
}

/// Where the numbers of texts and of symbols begin.
const TEXTS: u32 = 1 << 8;
const SYMBOLS: u32 = 1 << 31;

/// A row, what is read, and the row after it.
#[derive(Clone, Copy)]
struct Step {
    row: RowId,
    next: RowId,
    read: Read,
}

/// What a place holds before a step comes to it: no row has this id.
const NO_STEP: Step = Step { row: RowId::NONE, next: RowId::NONE, read: Read(0) };

/// Places of the table at first: 768 bytes.
const FEW_STEPS: usize = 1 << 6;
/// Places of the table when many steps were taken: 48 KB.
///
/// PERF: a thousand texts of one schema's documents take some two thousand different steps; with 1,024 places two of three steps of a
/// second request were taken anew.
const MANY_STEPS: usize = 1 << 12;

/// Steps that were taken.
#[derive(Default)]
pub(crate) struct Memo {
    /// Empty until the first one; then a power of two.
    steps: Vec<Step>,
    /// Those that came since the table has its size.
    n_new: usize,
}

impl Memo {
    #[inline]
    fn place(&self, row: RowId, read: Read) -> usize {
        // Fibonacci hashing: the rows of an output follow each other.
        let key = (row.index() as u64) << 32 | u64::from(read.0);
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - MANY_STEPS.trailing_zeros());
        hash as usize & self.steps.len().wrapping_sub(1)
    }

    /// The row after what is read, if it is remembered.
    #[inline]
    pub(crate) fn get(&self, row: RowId, read: Read) -> Option<RowId> {
        let step = self.steps.get(self.place(row, read))?;
        (step.row == row && step.read == read).then_some(step.next)
    }

    pub(crate) fn insert(&mut self, row: RowId, read: Read, next: RowId) {
        self.n_new += 1;
        if 2 * self.n_new > self.steps.len() && self.steps.len() < MANY_STEPS {
            self.grow();
        }
        let place = self.place(row, read);
        self.steps[place] = Step { row, next, read };
    }

    #[cold]
    fn grow(&mut self) {
        let n_known = self.steps.len();
        self.steps.resize((2 * n_known).clamp(FEW_STEPS, MANY_STEPS), NO_STEP);
        // A step stays or goes to the same place of the new half.
        for known in 0..n_known {
            let step = self.steps[known];
            let place = self.place(step.row, step.read);
            if step.row != RowId::NONE && place != known {
                self.steps[place] = step;
                self.steps[known] = NO_STEP;
            }
        }
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.steps[..])
    }
}

impl Clone for Memo {
    /// A copy remembers nothing: it would cost more to copy than to find again.
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_remembered_is_found_until_its_place_is_taken() {
        let (mut memo, row) = (Memo::default(), RowId::from_number);
        assert_eq!(memo.get(row(0), Read::byte(0)), None);
        let found = |memo: &Memo, n: u32| -> Vec<bool> {
            (0..n).map(|i| memo.get(row(i), Read::byte(i as u8)) == Some(row(i + 1))).collect()
        };
        let mut n_grown = 0;
        for i in 0..5_000 {
            // Growing loses nothing, and what comes takes one place at most.
            let (before, size) = (found(&memo, if i < 2_100 { i } else { 0 }), memo.memory_size());
            memo.insert(row(i), Read::byte(i as u8), row(i + 1));
            let after = found(&memo, before.len() as u32);
            let n_lost = before.iter().zip(&after).filter(|&(&before, &after)| before && !after).count();
            assert!(n_lost <= 1, "{n_lost} at {i}");
            n_grown += usize::from(memo.memory_size() > size);
            assert_eq!(memo.get(row(i), Read::byte(i as u8)), Some(row(i + 1)));
            assert_eq!(memo.get(row(i + 1), Read::byte(i as u8)), None);
        }
        assert_eq!(n_grown, 7, "from 64 to 4,096");
        assert_eq!(memo.memory_size(), MANY_STEPS * size_of::<Step>());
    }
}
