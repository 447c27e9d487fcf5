//! Looking ahead: rows made to find something out, and what becomes of them.
//!
//! Whoever looks ahead sets a mark, makes rows, and either forgets all that came since or keeps it. What stands behind the
//! boundaries of a mask is looked at so: an output mostly goes on through some of these rows, and the next mask looks at some of
//! them again, so they are kept where they are few. Marks are given up in the opposite order.

use crate::item::TableId;
use crate::rows::Rows;
use crate::texts::TextsMark;

/// How far an arena had grown; see [`Rows::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    n_rows: usize,
    n_tables: usize,
    n_items: usize,
    n_waiters: usize,
    texts: TextsMark,
}

/// Rows made on the way to something else of which so many are kept: some kilobytes.
const FEW_KEPT: usize = 64;

impl Rows {
    /// Remembers how far the arena has grown, for [`release`](Self::release).
    pub fn mark(&mut self) -> Mark {
        self.n_marks += 1;
        Mark {
            n_rows: self.rows.len(),
            n_tables: self.tables.len(),
            n_items: self.items.len(),
            n_waiters: self.waiters.len(),
            texts: self.sets.texts.mark(),
        }
    }

    /// Whether a table was there at `mark`, so that [`release`](Self::release) keeps it.
    pub fn outlives(&self, table: TableId, mark: Mark) -> bool {
        table.index() < mark.n_tables
    }

    /// Forgets all rows and tables made since `mark`; their ids must not be used any more.
    pub fn release(&mut self, mark: Mark) {
        self.n_marks = self.n_marks.saturating_sub(1);
        for (index, row) in self.rows.iter().enumerate().skip(mark.n_rows) {
            if let Ok(entry) = self.by_kernel.find_entry(row.hash, |id| id.index() == index) {
                entry.remove();
            }
        }
        for (index, table) in self.tables.iter().enumerate().skip(mark.n_tables) {
            if let Ok(entry) = self.by_waiters.find_entry(table.hash, |id| id.index() == index) {
                entry.remove();
            }
        }
        self.rows.truncate(mark.n_rows);
        self.tables.truncate(mark.n_tables);
        self.nobody = self.nobody.filter(|table| table.index() < mark.n_tables);
        self.items.truncate(mark.n_items);
        self.waiters.truncate(mark.n_waiters);
        self.sets.texts.release(mark.texts);
    }

    /// Keeps the rows and tables made since `mark` if they are of use and small: an output mostly goes on through rows that
    /// somebody has looked ahead to. Else [releases](Self::release) them.
    pub fn keep_few(&mut self, mark: Mark) {
        let n_new = self.rows.len() - mark.n_rows;
        if n_new > FEW_KEPT || self.items.len() - mark.n_items > 8 * FEW_KEPT {
            return self.release(mark);
        }
        self.n_marks = self.n_marks.saturating_sub(1);
    }
}
