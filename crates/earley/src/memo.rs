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

/// Places of the table at first: 1 KB.
const FEW_STEPS: usize = 1 << 6;
/// Places of the table when many steps were taken: 16 KB.
const MANY_STEPS: usize = 1 << 10;

/// Steps that were taken.
#[derive(Default)]
pub(crate) struct Memo {
    /// Empty until the first one; then a power of two.
    steps: Vec<Option<Step>>,
    /// Those that came since the table has its size.
    n_new: usize,
}

impl Memo {
    #[inline]
    fn place(&self, row: RowId, byte: u8) -> usize {
        // Fibonacci hashing: the rows of an output follow each other.
        let key = (row.index() as u32) << 8 | u32::from(byte);
        let hash = key.wrapping_mul(0x9e37_79b9) >> (32 - MANY_STEPS.trailing_zeros());
        hash as usize & self.steps.len().wrapping_sub(1)
    }

    /// The row after a byte, if it is remembered.
    #[inline]
    pub(crate) fn get(&self, row: RowId, byte: u8) -> Option<RowId> {
        let step = (*self.steps.get(self.place(row, byte))?)?;
        (step.row == row && step.byte == byte).then_some(step.next)
    }

    pub(crate) fn insert(&mut self, row: RowId, byte: u8, next: RowId) {
        self.n_new += 1;
        if 2 * self.n_new > self.steps.len() && self.steps.len() < MANY_STEPS {
            self.grow();
        }
        let place = self.place(row, byte);
        self.steps[place] = Some(Step { row, next, byte });
    }

    #[cold]
    fn grow(&mut self) {
        let n_steps = (4 * self.steps.len()).clamp(FEW_STEPS, MANY_STEPS);
        let known = std::mem::replace(&mut self.steps, vec![None; n_steps]);
        for step in known.into_iter().flatten() {
            let place = self.place(step.row, step.byte);
            self.steps[place] = Some(step);
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
