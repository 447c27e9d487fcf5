//! Steps from row to row that were taken before.
//!
//! Even where all rows are known, finding the next one is stepping each item, sorting and hashing the kernel: 50 ns. What
//! follows a row never changes, so it is remembered in a small direct-mapped table, where the latest of the pairs that fall
//! on one place stays. A step of text inside a string, of digits, or of what an earlier output of the grammar had too is
//! then one comparison.
//!
//! Only rows that stay are remembered, not those between a [mark](crate::Rows::mark) and its release.

use crate::rows::RowId;

/// A row, a byte, and the row after it.
#[derive(Clone, Copy)]
struct Step {
    row: RowId,
    next: RowId,
    byte: u8,
}

/// Places of the table: 16 KB.
const N_STEPS: usize = 1 << 10;

/// Steps that were taken.
#[derive(Default)]
pub(crate) struct Memo {
    /// Empty until the first one.
    steps: Vec<Option<Step>>,
}

impl Memo {
    #[inline]
    fn place(row: RowId, byte: u8) -> usize {
        // Fibonacci hashing: the rows of an output follow each other.
        let key = (row.index() as u32) << 8 | u32::from(byte);
        (key.wrapping_mul(0x9e37_79b9) >> (32 - N_STEPS.trailing_zeros())) as usize
    }

    /// The row after a byte, if it is remembered.
    #[inline]
    pub(crate) fn get(&self, row: RowId, byte: u8) -> Option<RowId> {
        let step = (*self.steps.get(Self::place(row, byte))?)?;
        (step.row == row && step.byte == byte).then_some(step.next)
    }

    pub(crate) fn insert(&mut self, row: RowId, byte: u8, next: RowId) {
        if self.steps.is_empty() {
            self.steps.resize(N_STEPS, None);
        }
        self.steps[Self::place(row, byte)] = Some(Step { row, next, byte });
    }
}

impl Clone for Memo {
    /// A copy remembers nothing: it would cost more to copy than to find again.
    fn clone(&self) -> Self {
        Self::default()
    }
}
