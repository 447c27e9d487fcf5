//! The arena of rows: start, advance, complete.
//!
//! # Rows as values
//! Earley's sets refer to each other by position in the input, so no two are alike. Only one thing is ever read through
//! such a reference: who waits there for a rule to end. A row therefore refers to *waiter tables*, and equal tables are
//! one table. Then a row is a pure function of its kernel (the items that the last byte made), and equal kernels are one
//! row: advancing by a byte is a lookup after the first time, repeating input revisits the same few rows, and the memory
//! of an output is bounded by its different contexts instead of its length.
//!
//! # The closure
//! ```text
//! close(kernel):                          items (state, origin, count); no origin: the row itself
//!   for each item, growing:
//!     for each rule edge that may still be completed:
//!       wait: (rule, target, origin, count + tick);  predict: (start of rule, here, 0)
//!     if it reads bytes: it is scannable
//!     if it accepts: for each waiter of its rule in its origin's table: (target, waiter's origin, count)
//! ```
//! Rules do not accept the empty text, so a rule never ends in the row in which it began, and the table that is being
//! made is never read.
//!
//! **Every item can be completed.** Bounds of counters are tested when an item is made, with the ticks that are still
//! needed, predictions included: a test at the end only would let a byte in that leads nowhere.
//!
//! # Sets
//! An item of a [set's](formwork_fsm::Counter::Members) rule counts by keeping the number of the set of members that
//! came; a member's call adds it where the member is predicted, and is not there if it came already. What a state asks of
//! the set is the automaton's to say (`guards.rs` of `formwork-fsm`), at every item that is made. Where members depend on
//! each other, it is what follows from those that came that is kept, and which may come is found out once for each set
//! (`membership.rs` of `formwork-grammar`). Such items are dropped where another is in the same state, from the same beginning,
//! and its set allows all that theirs does.
//!
//! # Distinct texts
//! An item of a rule that counts [text](formwork_fsm::Counter::Text) has for a count what it read and what came before,
//! and an item of the [list](formwork_fsm::Counter::Distinct) around it what came (`texts.rs`). A text is predicted with the
//! list of whom it is predicted for, and ends into those alone that wait with that list, which goes on with one text more.
//!
//! # Symbols
//! A rule that is [a symbol](Automata::symbols) is waited for like any other, but reads nothing and never ends by itself.
//! When a symbol comes, the rules that it belongs to are completed in the table of the row that it comes in: the next row
//! is the union of what waited there.
//!
//! # Worked example
//! `list ::= "[" (list ("," list)*)? "]"`, input `[[`. States of `list`: s0 `[` s1; s1 `list` s2, `]` s3; s2 `,` s4,
//! `]` s3; s4 `list` s2; s3 accepts. Row 0: {(s0, here)}, table t1 = {the output waits for list}.
//! `[`: kernel {(s1, t1)}; it waits for list, so table t2 = {list → s2 at t1}, scannable (s1, t1), (s0, here).
//! `[` again: kernel {(s1, t2)}, t3 = {list → s2 at t2}. `]`: kernel {(s3, t2)}, which accepts: t2's waiter gives (s2, t1).
//! Every further `[]` element reaches this same row again.

use crate::counts::{completable, next_may_end, saturated, ticked, within};
use crate::dominated::{drop_weaker_sets, sort_and_drop_dominated};
use crate::item::{Item, TableId, Waiter};
use crate::limits::{LimitExceeded, Limits};
use crate::memo::{Memo, Read};
use crate::sets::Sets;
use formwork_fsm::{Automata, Counter, RuleId, StateId};
use formwork_grammar::{ByteSet, HashSet, Seeded};
use hashbrown::HashTable;
use std::fmt;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

/// A row of an arena. Equal rows have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(u32);

impl RowId {
    /// No row's id: an arena has fewer.
    pub(crate) const NONE: Self = Self(u32::MAX);

    #[cfg(test)]
    pub(crate) fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// The position in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row{}", self.0)
    }
}

/// An arena of rows over one grammar's automata.
///
/// Rows and tables refer only to older tables. A row takes about 100 bytes, an item 12, a waiter 16.
#[derive(Clone)]
pub struct Rows {
    pub(crate) automata: Arc<Automata>,
    pub(crate) limits: Limits,
    pub(crate) rows: Vec<Row>,
    /// Kernels and scannable items of all rows.
    pub(crate) items: Vec<Item>,
    pub(crate) tables: Vec<Table>,
    pub(crate) waiters: Vec<Waiter>,
    /// Rows by kernel, tables by contents.
    pub(crate) by_kernel: HashTable<RowId>,
    pub(crate) by_waiters: HashTable<TableId>,
    hasher: Seeded,
    pub(crate) sets: Sets,
    pub(crate) scratch: Scratch,
    pub(crate) memo: Memo,
    /// The table of rows in which nobody waits, if there is one.
    pub(crate) nobody: Option<TableId>,
    /// Marks that are not released yet.
    pub(crate) n_marks: u32,
    /// Whether waiters whose target is finished are replaced by those that they would return to.
    pub(crate) forwards: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What the row was made of; sorted.
    pub(crate) kernel: Range<u32>,
    /// The items that read bytes; sorted.
    pub(crate) scannable: Range<u32>,
    pub(crate) table: TableId,
    next_bytes: ByteSet,
    pub(crate) hash: u64,
    flags: Flags,
    /// Of the floating items and waiters of the row: the greatest count + ticks needed, the least count + ticks possible.
    floating_ticks: (u32, u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    /// The output may end here.
    accepting: bool,
    /// A floating rule may end here.
    ends_floating: bool,
    /// Some scannable item counts, so that a byte of `next_bytes` may still be refused.
    counts: bool,
    /// Some item waits for a symbol.
    waits_for_symbols: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Sorted.
    pub(crate) waiters: Range<u32>,
    /// The end of the output waits here for the root.
    pub(crate) goal: bool,
    pub(crate) hash: u64,
}

/// Buffers of the closure, kept between calls.
#[derive(Clone, Default)]
pub(crate) struct Scratch {
    pub(crate) kernel: Vec<Item>,
    /// The kernel before, in a [stride](crate::strides).
    pub(crate) before: Vec<Item>,
    pub(crate) all: Vec<Item>,
    /// Members of `all`, once it is long.
    members: HashSet<Item>,
    scannable: Vec<Item>,
    waiters: Vec<Waiter>,
    completed: Vec<(RuleId, TableId)>,
}

/// Nothing floats: there are no ticks to be met.
const NO_TICKS: (u32, u32) = (0, u32::MAX);
/// Rows of a short output.
const USUAL: usize = 28;
/// Beyond so many items membership is looked up in a hash set.
const LINEAR: usize = 16;

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("n_rows", &self.rows.len())
            .field("n_tables", &self.tables.len())
            .finish()
    }
}

impl Rows {
    /// An empty arena.
    pub fn new(automata: Arc<Automata>, limits: Limits) -> Self {
        let floating = Table { waiters: 0..0, goal: false, hash: 0 };
        let mut tables = Vec::with_capacity(USUAL / 2);
        tables.push(floating);
        Self {
            automata,
            limits,
            rows: Vec::with_capacity(USUAL),
            items: Vec::with_capacity(2 * USUAL),
            // Never found by content: nobody else is the floating table.
            tables,
            waiters: Vec::with_capacity(USUAL),
            by_kernel: HashTable::with_capacity(USUAL),
            by_waiters: HashTable::new(),
            sets: Sets::default(),
            hasher: Seeded::default(),
            scratch: Scratch::default(),
            memo: Memo::default(),
            nobody: None,
            n_marks: 0,
            forwards: true,
        }
    }

    /// The automata that the rows are over.
    pub fn automata(&self) -> &Arc<Automata> {
        &self.automata
    }

    /// The limits on the arena.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The row before the first byte of the output.
    ///
    /// # Errors
    /// A limit.
    pub fn start(&mut self) -> Result<RowId, LimitExceeded> {
        let root = self.automata.root();
        self.scratch.kernel.clear();
        self.scratch.kernel.push(Item { state: self.automata.start(root), origin: None, count: 0 });
        let hash = self.hasher.hash_one("start");
        let row = self.close(hash, true)?;
        self.rows[row.index()].flags.accepting = self.automata.root_may_be_empty();
        Ok(row)
    }

    /// The row of one state alone, its rule's beginning unknown.
    ///
    /// # Errors
    /// A limit.
    pub fn floating(&mut self, state: StateId) -> Result<RowId, LimitExceeded> {
        self.alone(state, TableId::FLOATING)
    }

    /// The row of one state alone, of a rule that does not count and for which those wait in `origin`.
    ///
    /// # Errors
    /// A limit.
    pub fn alone(&mut self, state: StateId, origin: TableId) -> Result<RowId, LimitExceeded> {
        self.scratch.kernel.clear();
        self.scratch.kernel.push(Item { state, origin: Some(origin), count: 0 });
        self.intern_kernel()
    }

    /// The row after one more byte, or `None` if the byte is refused.
    ///
    /// Costs a few ns when the step was taken lately, some 50 when the row was made before, else the closure: about 0.2 µs
    /// for a handful of items.
    ///
    /// # Errors
    /// A limit; the arena is as before.
    #[inline]
    pub fn advance(&mut self, row: RowId, byte: u8) -> Result<Option<RowId>, LimitExceeded> {
        if self.n_marks > 0 {
            return self.make_next(row, byte);
        }
        if let Some(next) = self.memo.get(row, Read::byte(byte)) {
            return Ok(Some(next));
        }
        let next = self.make_next(row, byte)?;
        if let Some(next) = next {
            self.memo.insert(row, Read::byte(byte), next);
        }
        Ok(next)
    }

    fn make_next(&mut self, row: RowId, byte: u8) -> Result<Option<RowId>, LimitExceeded> {
        match self.next_kernel(row, byte)? {
            true => self.intern_kernel().map(Some),
            false => Ok(None),
        }
    }

    /// Puts into the scratch buffer what the row's items become with a byte; whether there is any.
    pub(crate) fn next_kernel(&mut self, row: RowId, byte: u8) -> Result<bool, LimitExceeded> {
        let from = &self.rows[row.index()];
        if !from.next_bytes.contains(byte) {
            return Ok(false);
        }
        let kernel = &mut self.scratch.kernel;
        kernel.clear();
        for item in &self.items[from.scannable.start as usize..from.scannable.end as usize] {
            let origin = item.origin.unwrap_or(from.table);
            read(&self.automata, &mut self.sets, item, origin, byte, kernel);
        }
        self.finish_kernel()
    }

    /// Sorts the kernel in the scratch buffer; whether there is any.
    pub(crate) fn finish_kernel(&mut self) -> Result<bool, LimitExceeded> {
        if self.sets.take_exceeded() {
            return Err(LimitExceeded::Work);
        }
        let kernel = &mut self.scratch.kernel;
        if kernel.len() > 1 {
            kernel.sort_unstable();
            kernel.dedup();
        }
        Ok(!kernel.is_empty())
    }

    /// The row of those who wait in `origin` for `rule`, as if it had just ended there; `None` if nobody does.
    ///
    /// # Errors
    /// A limit.
    pub fn complete(&mut self, rule: RuleId, origin: TableId) -> Result<Option<RowId>, LimitExceeded> {
        let range = self.waiters_for(origin, rule);
        self.scratch.kernel.clear();
        for waiter in &self.waiters[range] {
            self.scratch.kernel.push(Item {
                state: waiter.target,
                origin: Some(waiter.origin.unwrap_or(origin)),
                count: waiter.count,
            });
        }
        self.intern_scratch()
    }

    /// As [`complete`](Self::complete), for the rules of some scannable items of a row and where these began, together.
    ///
    /// # Errors
    /// A limit.
    pub fn complete_each(&mut self, row: RowId, items: &[usize]) -> Result<Option<RowId>, LimitExceeded> {
        let (mut kernel, mut members) =
            (std::mem::take(&mut self.scratch.kernel), std::mem::take(&mut self.scratch.members));
        kernel.clear();
        members.clear();
        for &i in items {
            let item = self.scannable(row)[i];
            let origin = item.origin.unwrap_or(self.table(row));
            let waiters = &self.waiters[self.waiters_for(origin, self.automata.rule_of(item.state))];
            let ended = waiters.iter().map(|waiter| Item {
                state: waiter.target,
                origin: Some(waiter.origin.unwrap_or(origin)),
                count: waiter.count,
            });
            // Many wait for the same at each place of a text that is read in many ways.
            kernel.extend(ended.filter(|&item| members.insert(item)));
            if kernel.len() > self.limits.max_items {
                break; // The closure refuses it.
            }
        }
        (self.scratch.kernel, self.scratch.members) = (kernel, members);
        self.intern_scratch()
    }

    /// The row after a symbol, or `None` if none of the symbols that the row waits for is it; `is_member` says to which
    /// [symbol rules](Self::symbol_rules) it belongs. `number` is the symbol's, if that decides what `is_member` says: then the
    /// step is remembered.
    ///
    /// # Errors
    /// A limit.
    pub fn advance_symbol(
        &mut self,
        row: RowId,
        number: Option<u32>,
        is_member: impl Fn(RuleId) -> bool,
    ) -> Result<Option<RowId>, LimitExceeded> {
        let symbol = number.filter(|_| self.n_marks == 0).and_then(Read::symbol);
        if let Some(known) = symbol.and_then(|symbol| self.memo.get(row, symbol)) {
            return Ok(Some(known));
        }
        let table = self.table(row);
        let rules: Vec<RuleId> = self.symbol_rules(row).filter(|&rule| is_member(rule)).collect();
        let mut after = None;
        for rule in rules {
            let Some(next) = self.complete(rule, table)? else { continue };
            after = Some(match after {
                None => next,
                Some(before) => self.union(before, next)?,
            });
        }
        if let (Some(symbol), Some(after)) = (symbol, after) {
            self.memo.insert(row, symbol, after);
        }
        Ok(after)
    }

    /// The symbol rules that the row waits for, ascending, each once.
    pub fn symbol_rules(&self, row: RowId) -> impl Iterator<Item = RuleId> + '_ {
        let waiters = if self.waits_for_symbols(row) { self.waiters(row) } else { &[] };
        let mut last = None;
        waiters
            .iter()
            .map(|waiter| waiter.rule)
            .filter(move |&rule| last.replace(rule) != Some(rule))
            .filter(|&rule| self.automata.symbols(rule).is_some())
    }

    /// The row of two rows' kernels together: what either allows.
    ///
    /// # Errors
    /// A limit.
    pub fn union(&mut self, a: RowId, b: RowId) -> Result<RowId, LimitExceeded> {
        if a == b {
            return Ok(a);
        }
        let kernel = &mut self.scratch.kernel;
        kernel.clear();
        for row in [a, b] {
            let range = &self.rows[row.index()].kernel;
            kernel.extend_from_slice(&self.items[range.start as usize..range.end as usize]);
        }
        Ok(self.intern_scratch()?.unwrap_or(a))
    }

    /// The row of some scannable items of `row` alone, by their positions.
    ///
    /// # Errors
    /// A limit.
    pub fn only(&mut self, row: RowId, items: &[usize]) -> Result<RowId, LimitExceeded> {
        let mut kernel = std::mem::take(&mut self.scratch.kernel);
        kernel.clear();
        kernel.extend(items.iter().map(|&i| {
            let item = self.scannable(row)[i];
            Item { origin: Some(item.origin.unwrap_or(self.table(row))), ..item }
        }));
        kernel.sort_unstable();
        kernel.dedup();
        self.scratch.kernel = kernel;
        self.intern_kernel()
    }

    /// The row of these items as the kernel; `None` if there are none.
    pub(crate) fn of_items(
        &mut self,
        items: impl IntoIterator<Item = Item>,
    ) -> Result<Option<RowId>, LimitExceeded> {
        self.scratch.kernel.clear();
        self.scratch.kernel.extend(items);
        self.intern_scratch()
    }

    /// What the row was made of, sorted.
    pub(crate) fn kernel(&self, row: RowId) -> &[Item] {
        let range = &self.rows[row.index()].kernel;
        &self.items[range.start as usize..range.end as usize]
    }

    fn intern_scratch(&mut self) -> Result<Option<RowId>, LimitExceeded> {
        let kernel = &mut self.scratch.kernel;
        if kernel.is_empty() {
            return Ok(None);
        }
        kernel.sort_unstable();
        kernel.dedup();
        self.intern_kernel().map(Some)
    }

    /// The items that read bytes.
    #[inline]
    pub fn scannable(&self, row: RowId) -> &[Item] {
        let range = &self.rows[row.index()].scannable;
        &self.items[range.start as usize..range.end as usize]
    }

    /// The table of who waits in this row.
    #[inline]
    pub fn table(&self, row: RowId) -> TableId {
        self.rows[row.index()].table
    }

    /// Who waits in this row, sorted.
    pub fn waiters(&self, row: RowId) -> &[Waiter] {
        let range = &self.tables[self.rows[row.index()].table.index()].waiters;
        &self.waiters[range.start as usize..range.end as usize]
    }

    /// The bytes that some item reads. If [`is_exact`](Self::is_exact), precisely those that may come next.
    #[inline]
    pub fn next_bytes(&self, row: RowId) -> &ByteSet {
        &self.rows[row.index()].next_bytes
    }

    /// Whether every byte of [`next_bytes`](Self::next_bytes) may come next; else counters may refuse some.
    #[inline]
    pub fn is_exact(&self, row: RowId) -> bool {
        !self.rows[row.index()].flags.counts
    }

    /// Whether the output may end here.
    #[inline]
    pub fn is_accepting(&self, row: RowId) -> bool {
        self.rows[row.index()].flags.accepting
    }

    /// Whether some symbol may come next.
    #[inline]
    pub fn waits_for_symbols(&self, row: RowId) -> bool {
        self.rows[row.index()].flags.waits_for_symbols
    }

    /// Whether a floating rule may end here.
    #[inline]
    pub fn ends_floating(&self, row: RowId) -> bool {
        self.rows[row.index()].flags.ends_floating
    }

    /// The members in the set of this number, for who prints rows.
    pub(crate) fn members(&self, set: u32) -> Vec<u32> {
        let bits = self.sets.get(set).iter().enumerate();
        bits.flat_map(|(i, word)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| i as u32 * 64 + bit)
        })
        .collect()
    }

    /// Over the floating items and waiters of the row: the greatest count plus ticks still needed, and the least count
    /// plus ticks still possible. What holds of a state's own count holds here too while these did not get worse.
    ///
    /// In a set's rule the greatest and the least [guard](Automata::guard) but 0; 0 and `u32::MAX` if there is none, the
    /// other way round if a member came on the way or may come here only if it did not before.
    pub fn floating_ticks(&self, row: RowId) -> (u32, u32) {
        self.rows[row.index()].floating_ticks
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Heap memory in bytes, about.
    pub fn memory_size(&self) -> usize {
        self.rows.len() * (size_of::<Row>() + 8)
            + self.items.len() * size_of::<Item>()
            + self.tables.len() * (size_of::<Table>() + 8)
            + self.waiters.len() * size_of::<Waiter>()
            + self.sets.memory_size()
    }

    /// The row of the sorted kernel in the scratch buffer.
    #[inline]
    pub(crate) fn intern_kernel(&mut self) -> Result<RowId, LimitExceeded> {
        let (found, hash) = self.find_kernel();
        match found {
            Some(row) => Ok(row),
            None => self.close(hash, false),
        }
    }

    /// The row of the sorted kernel in the scratch buffer, if it is there, and the kernel's hash.
    #[inline]
    pub(crate) fn find_kernel(&self) -> (Option<RowId>, u64) {
        let kernel = &self.scratch.kernel;
        let hash = self.hasher.hash_one(&kernel[..]);
        let found = self.by_kernel.find(hash, |id| {
            let range = &self.rows[id.index()].kernel;
            self.items[range.start as usize..range.end as usize] == kernel[..]
        });
        (found.copied(), hash)
    }

    pub(crate) fn waiters_for(&self, table: TableId, rule: RuleId) -> Range<usize> {
        let range = &self.tables[table.index()].waiters;
        let (start, end) = (range.start as usize, range.end as usize);
        let waiters = &self.waiters[start..end];
        if waiters.len() <= 8 {
            let first = waiters.iter().position(|waiter| waiter.rule >= rule).unwrap_or(waiters.len());
            let n = waiters[first..].iter().take_while(|waiter| waiter.rule == rule).count();
            return start + first..start + first + n;
        }
        let first = waiters.partition_point(|waiter| waiter.rule < rule);
        let n = waiters[first..].partition_point(|waiter| waiter.rule == rule);
        start + first..start + first + n
    }

    pub(crate) fn close(&mut self, hash: u64, goal: bool) -> Result<RowId, LimitExceeded> {
        if self.memory_size() > self.limits.max_bytes || self.rows.len() >= u32::MAX as usize {
            return Err(LimitExceeded::Bytes);
        }
        if let [Item { state, origin: Some(_), .. }] = self.scratch.kernel[..] {
            if let Some(&next_bytes) = self.automata.only_reads(state) {
                return self.close_alone(hash, next_bytes);
            }
        }
        self.close_any(hash, goal)
    }

    /// As `close`; `scratch.all` has all items then.
    pub(crate) fn close_any(&mut self, hash: u64, goal: bool) -> Result<RowId, LimitExceeded> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let result = self.close_with(&mut scratch, hash, goal);
        self.scratch = scratch;
        result
    }

    /// The row of one item that only reads bytes: most rows are, inside of names and texts, and nothing waits in them.
    fn close_alone(&mut self, hash: u64, next_bytes: ByteSet) -> Result<RowId, LimitExceeded> {
        let table = match self.nobody {
            Some(table) => table,
            None => self.intern_table(&[], false)?,
        };
        self.nobody = Some(table);
        let kernel = push_range(&mut self.items, &self.scratch.kernel);
        let scannable = kernel.clone();
        let (flags, floating_ticks) = (Flags::default(), NO_TICKS);
        Ok(self.push_row(Row { kernel, scannable, table, next_bytes, hash, flags, floating_ticks }))
    }

    fn close_with(&mut self, scratch: &mut Scratch, hash: u64, goal: bool) -> Result<RowId, LimitExceeded> {
        let automata = Arc::clone(&self.automata);
        let Scratch { kernel, all, members, scannable, waiters, completed, .. } = scratch;
        all.clear();
        members.clear();
        scannable.clear();
        waiters.clear();
        completed.clear();
        all.extend_from_slice(kernel);
        if all.len() > LINEAR {
            members.extend(all.iter().copied());
        }
        let mut flags = Flags::default();
        let mut next_bytes = ByteSet::EMPTY;
        let mut floating_ticks = NO_TICKS;
        let mut work = 0;
        let mut next = 0;
        while next < all.len() {
            let item = all[next];
            next += 1;
            let rule = automata.rule_of(item.state);
            let floats = item.origin == Some(TableId::FLOATING);
            let counter = automata.counter(rule);
            let is_set = counter == Some(Counter::Members);
            // What has no step left can only end.
            let is_spent = matches!(counter, Some(Counter::Steps { max }) if item.count >= max);
            let note_floating = |ticks: &mut (u32, u32), state: StateId, count: u32| {
                if is_set {
                    // The count says whether a member came since the beginning, of which nothing else is known.
                    *ticks = match automata.guard(state) {
                        0 => *ticks,
                        guard if count == 0 => (ticks.0.max(guard), ticks.1.min(guard)),
                        _ => (u32::MAX, 0),
                    };
                    return;
                }
                let (need, reach) = automata.ticks_ahead(state);
                *ticks = (ticks.0.max(count.saturating_add(need)), ticks.1.min(count.saturating_add(reach)));
            };
            let is_list = counter == Some(Counter::Distinct);
            if floats && !is_list {
                note_floating(&mut floating_ticks, item.state, item.count);
            }
            if floats && is_list && !self.sets.texts.always_goes_on(&automata, item.state) {
                // Which texts are left only the item knows.
                floating_ticks = (u32::MAX, 0);
            }
            for edge in automata.rule_edges(item.state).take(if is_spent { 0 } else { usize::MAX }) {
                work += 1;
                let mut count = item.count;
                if edge.tick != 0 && is_set {
                    let number = edge.tick - 1;
                    if floats {
                        if item.count != 0 || !automata.is_only_member(item.state, number) {
                            floating_ticks = (u32::MAX, 0);
                        }
                        count = 1;
                    } else {
                        match self.sets.more(&automata, rule, item.count, number) {
                            Some(more) => count = more,
                            None => continue,
                        }
                    }
                } else if edge.tick != 0 {
                    count = match item.origin {
                        Some(origin) => ticked(&automata, edge.target, origin, count),
                        None => saturated(&automata, edge.target, count + 1),
                    };
                }
                let possible = match item.origin {
                    Some(origin) => completable(&automata, &mut self.sets, edge.target, origin, count),
                    None => within(&automata, &mut self.sets, edge.target, count),
                };
                if !possible {
                    continue;
                }
                let mut begins = Item { state: automata.start(edge.rule), origin: None, count: 0 };
                if automata.counter(edge.rule) == Some(Counter::Text) {
                    automata.ready(edge.rule).map_err(|_| LimitExceeded::Automaton)?;
                    begins.count = self.sets.texts.begin(if is_list && !floats { count } else { 0 });
                    if !within(&automata, &mut self.sets, begins.state, begins.count) {
                        continue;
                    }
                    if floats && is_list && !automata.has_plenty(begins.state) {
                        floating_ticks = (u32::MAX, 0);
                    }
                }
                if floats && !is_list {
                    note_floating(&mut floating_ticks, edge.target, count);
                }
                waiters.push(Waiter { rule: edge.rule, target: edge.target, origin: item.origin, count });
                if automata.symbols(edge.rule).is_some() {
                    // Nothing is predicted: a symbol completes the rule from outside.
                    flags.waits_for_symbols = true;
                    continue;
                }
                automata.ready(edge.rule).map_err(|_| LimitExceeded::Automaton)?;
                add(all, members, begins);
            }
            let at = automata.at(item.state);
            if at.has_failed() {
                return Err(LimitExceeded::Automaton);
            }
            if at.reads_bytes() && !is_spent {
                scannable.push(item);
                // Of items in one state one stays at least.
                next_bytes = next_bytes.union(at.next_bytes());
                flags.counts |=
                    !floats && counter.is_some_and(|counter| !matches!(counter, Counter::Steps { .. }));
            }
            if at.is_accepting() && next_may_end(&automata, &mut self.sets, &item) {
                // Rules do not accept the empty text, so this one began in an older row.
                let Some(origin) = item.origin else { continue };
                let is_text = counter == Some(Counter::Text);
                if is_text || !completed.contains(&(rule, origin)) {
                    flags.ends_floating |= floats;
                    flags.accepting |= self.tables[origin.index()].goal && rule == automata.root();
                    completed.push((rule, origin));
                    let range = self.waiters_for(origin, rule);
                    work += range.len();
                    for at in range {
                        let waiter = self.waiters[at];
                        let mut count = waiter.count;
                        if is_text {
                            let Some(behind) = self.count_behind(&item, &waiter, origin) else { continue };
                            count = behind;
                        }
                        let origin = waiter.origin.unwrap_or(origin);
                        let lists = |rule| automata.counter(rule) == Some(Counter::Distinct);
                        if is_text && origin == TableId::FLOATING && lists(waiter.target.rule()) {
                            // What came before the text is not known.
                            floating_ticks = (u32::MAX, 0);
                        }
                        add(all, members, Item { state: waiter.target, origin: Some(origin), count });
                    }
                }
            }
            if all.len() > self.limits.max_items {
                return Err(LimitExceeded::Items);
            }
            if work > self.limits.max_work {
                return Err(LimitExceeded::Work);
            }
        }
        if self.sets.take_exceeded() {
            return Err(LimitExceeded::Work);
        }
        if self.forwards {
            self.forward(waiters, goal);
        }
        sort_and_drop_dominated(
            &automata,
            scannable,
            |item| (automata.rule_of(item.state), item.origin, item.count),
            |a, b| a.state == b.state && a.origin == b.origin,
        );
        sort_and_drop_dominated(
            &automata,
            waiters,
            |waiter| (automata.rule_of(waiter.target), waiter.origin, waiter.count),
            |a, b| a.rule == b.rule && a.target == b.target && a.origin == b.origin,
        );
        drop_weaker_sets(
            &automata,
            &self.sets,
            scannable,
            |item| (automata.rule_of(item.state), item.origin, item.count),
            |a, b| a.state == b.state && a.origin == b.origin,
        );
        drop_weaker_sets(
            &automata,
            &self.sets,
            waiters,
            |waiter| (automata.rule_of(waiter.target), waiter.origin, waiter.count),
            |a, b| a.rule == b.rule && a.target == b.target && a.origin == b.origin,
        );
        let table = self.intern_table(waiters, goal)?;
        let kernel = push_range(&mut self.items, kernel);
        let scannable = push_range(&mut self.items, scannable);
        Ok(self.push_row(Row { kernel, scannable, table, next_bytes, hash, flags, floating_ticks }))
    }

    fn push_row(&mut self, row: Row) -> RowId {
        let id = RowId(self.rows.len() as u32);
        let hash = row.hash;
        self.rows.push(row);
        // The start row has the kernel of no other: its item has no origin.
        let rows = &self.rows;
        self.by_kernel.insert_unique(hash, id, |id| rows[id.index()].hash);
        id
    }

    fn intern_table(&mut self, waiters: &[Waiter], goal: bool) -> Result<TableId, LimitExceeded> {
        let hash = self.hasher.hash_one((waiters, goal));
        let found = self.by_waiters.find(hash, |id| {
            let table = &self.tables[id.index()];
            table.goal == goal
                && self.waiters[table.waiters.start as usize..table.waiters.end as usize] == *waiters
        });
        if let Some(&table) = found {
            return Ok(table);
        }
        self.add_hashed_table(waiters, goal, hash).ok_or(LimitExceeded::Bytes)
    }

    /// Adds a table that the arena does not have; `None` if there are too many.
    pub(crate) fn add_table(&mut self, waiters: &[Waiter], goal: bool) -> Option<TableId> {
        let hash = self.hasher.hash_one((waiters, goal));
        self.add_hashed_table(waiters, goal, hash)
    }

    fn add_hashed_table(&mut self, waiters: &[Waiter], goal: bool, hash: u64) -> Option<TableId> {
        let id = TableId::from_index(self.tables.len())?;
        let waiters = push_range(&mut self.waiters, waiters);
        self.tables.push(Table { waiters, goal, hash });
        let tables = &self.tables;
        self.by_waiters.insert_unique(hash, id, |id| tables[id.index()].hash);
        Some(id)
    }

    /// Adds a row that the arena does not have, all but its items and table as in `like`.
    pub(crate) fn add_row(
        &mut self,
        kernel: &[Item],
        scannable: &[Item],
        table: TableId,
        like: Row,
    ) -> RowId {
        // The start row has the kernel of no other: its item has no origin.
        let is_start = kernel.iter().any(|item| item.origin.is_none());
        let hash = if is_start { like.hash } else { self.hasher.hash_one(kernel) };
        let kernel = push_range(&mut self.items, kernel);
        let scannable = push_range(&mut self.items, scannable);
        self.push_row(Row { kernel, scannable, table, hash, ..like })
    }
}

fn push_range<T: Copy>(arena: &mut Vec<T>, new: &[T]) -> Range<u32> {
    // `max_bytes` keeps arenas far below 2³² entries.
    let start = arena.len() as u32;
    arena.extend_from_slice(new);
    start..arena.len() as u32
}

/// Adds to a kernel what an item that began at `origin` becomes with a byte.
#[inline]
pub(crate) fn read(
    automata: &Automata,
    sets: &mut Sets,
    item: &Item,
    origin: TableId,
    byte: u8,
    kernel: &mut Vec<Item>,
) {
    if let Some(plain) = automata.step_uncounted(item.state, byte) {
        kernel.extend(plain.map(|state| Item { state, origin: Some(origin), count: item.count }));
        return;
    }
    let (plain, ticking) = automata.step(item.state, byte);
    if let Some(state) = plain {
        let count = match automata.counter(state.rule()) {
            Some(Counter::Text) if origin != TableId::FLOATING => sets.texts.read(item.count, byte),
            _ => item.count,
        };
        if completable(automata, sets, state, origin, count) {
            kernel.push(Item { state, origin: Some(origin), count });
        }
    }
    if let Some(state) = ticking {
        let count = ticked(automata, state, origin, item.count);
        if completable(automata, sets, state, origin, count) {
            kernel.push(Item { state, origin: Some(origin), count });
        }
    }
}

fn add(all: &mut Vec<Item>, members: &mut HashSet<Item>, item: Item) {
    if all.len() <= LINEAR {
        if all.contains(&item) {
            return;
        }
        all.push(item);
        if all.len() > LINEAR {
            members.extend(all.iter().copied());
        }
    } else if members.insert(item) {
        all.push(item);
    }
}
