//! Forgetting rows: a copying collection.
//!
//! Where nothing counts, equal contexts are equal rows and an arena stays small however long the output is. Counted
//! contexts defeat that: after each character of a string with `maxLength`, and each element of an array with `maxItems`,
//! the row is another one. What a matcher needs of them are the rows that it may be rolled back to, and what these refer to.
//!
//! Rows refer to tables, and tables to older tables, so one pass from the newest table to the oldest finds what is
//! reached, and one in the other direction copies it. Order is kept, so what was sorted by ids stays sorted.

use crate::item::{Item, TableId};
use crate::rows::{RowId, Rows};

impl Rows {
    /// Gives back the room for rows to come, and says how much heap memory the others take, in bytes.
    ///
    /// Cost: a copy at most.
    pub fn shrink(&mut self) -> usize {
        self.rows.shrink_to_fit();
        self.items.shrink_to_fit();
        self.tables.shrink_to_fit();
        self.waiters.shrink_to_fit();
        size_of_val(&self.rows[..])
            + size_of_val(&self.items[..])
            + size_of_val(&self.tables[..])
            + size_of_val(&self.waiters[..])
            + self.by_kernel.allocation_size()
            + self.by_waiters.allocation_size()
            + self.memo.memory_size()
            + self.sets.memory_size()
    }

    /// Forgets all rows but `kept` and what they refer to, and says in `kept` what these are called from now on. All other ids
    /// of rows and tables, and [marks](crate::Mark), must not be used any more.
    ///
    /// Cost: linear in the arena; about 1 ms for 10 MB.
    pub fn collect(&mut self, kept: &mut [RowId]) {
        let mut needed_rows = vec![false; self.rows.len()];
        for row in &*kept {
            needed_rows[row.index()] = true;
        }
        let mut needed = vec![false; self.tables.len()];
        needed[TableId::FLOATING.index()] = true;
        for (row, _) in self.rows.iter().zip(&needed_rows).filter(|(_, needed)| **needed) {
            needed[row.table.index()] = true;
            for range in [&row.kernel, &row.scannable] {
                let items = &self.items[range.start as usize..range.end as usize];
                items.iter().filter_map(|item| item.origin).for_each(|origin| needed[origin.index()] = true);
            }
        }
        for table in (0..needed.len()).rev() {
            if needed[table] {
                let range = &self.tables[table].waiters;
                let waiters = &self.waiters[range.start as usize..range.end as usize];
                waiters
                    .iter()
                    .filter_map(|waiter| waiter.origin)
                    .for_each(|origin| needed[origin.index()] = true);
            }
        }

        let old = std::mem::replace(self, Self::new(self.automata.clone(), self.limits.clone()));
        self.sets = old.sets;
        self.scratch = old.scratch;
        let mut tables: Vec<Option<TableId>> = vec![None; old.tables.len()];
        tables[TableId::FLOATING.index()] = Some(TableId::FLOATING);
        let renamed =
            |tables: &[Option<TableId>], table: Option<TableId>| table.and_then(|t| tables[t.index()]);
        for (i, table) in old.tables.iter().enumerate().skip(1).filter(|&(i, _)| needed[i]) {
            let range = table.waiters.start as usize..table.waiters.end as usize;
            let mut waiters = old.waiters[range].to_vec();
            waiters.iter_mut().for_each(|waiter| waiter.origin = renamed(&tables, waiter.origin));
            tables[i] = self.add_table(&waiters, table.goal);
        }
        let mut rows: Vec<Option<RowId>> = vec![None; old.rows.len()];
        for (i, row) in old.rows.into_iter().enumerate().filter(|&(i, _)| needed_rows[i]) {
            let items = |range: &std::ops::Range<u32>| -> Vec<Item> {
                let items = old.items[range.start as usize..range.end as usize].iter();
                items.map(|item| Item { origin: renamed(&tables, item.origin), ..*item }).collect()
            };
            let (kernel, scannable) = (items(&row.kernel), items(&row.scannable));
            let table = tables[row.table.index()].unwrap_or(TableId::FLOATING);
            rows[i] = Some(self.add_row(&kernel, &scannable, table, row));
        }
        for row in kept {
            *row = rows[row.index()].unwrap_or(*row);
        }
    }
}
