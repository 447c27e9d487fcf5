//! Where the items of a row came from: what a [trace](crate::Trace) asks rows.

use crate::item::{Item, TableId, Waiter};
use crate::limits::LimitExceeded;
use crate::rows::{Row, RowId, Rows, next_may_end, saturated, ticked, within};
use formwork_fsm::{Counter, RuleId};
use std::sync::Arc;

impl Rows {
    /// Keeps waiters whose target is finished, from the beginning on.
    pub(crate) fn keep_finished_waiters(&mut self) {
        self.forwards = false;
    }

    /// All items of a row, in the order in which the closure meets them.
    pub(crate) fn closure(&mut self, row: RowId) -> Result<Vec<Item>, LimitExceeded> {
        let mark = self.mark();
        let Row { hash, table, kernel, .. } = self.rows[row.index()].clone();
        let goal = self.is_goal(table);
        self.scratch.kernel.clear();
        self.scratch.kernel.extend_from_slice(&self.items[kernel.start as usize..kernel.end as usize]);
        let closed = self.close_any(hash, goal);
        let items = self.scratch.all.clone();
        self.release(mark);
        closed.map(|_| items)
    }

    /// Whether the end of the output waits in a table.
    pub(crate) fn is_goal(&self, table: TableId) -> bool {
        self.tables[table.index()].goal
    }

    /// Whether the item's rule may end in it.
    pub(crate) fn may_end(&mut self, item: &Item) -> bool {
        self.automata.is_accepting(item.state) && next_may_end(&self.automata, &mut self.sets, item)
    }

    /// Whether the item's region has no step left.
    pub(crate) fn is_spent(&self, item: &Item) -> bool {
        let counter = self.automata.counter(item.state.rule());
        matches!(counter, Some(Counter::Steps { max }) if item.count >= max)
    }

    /// Who waits in a table for a rule.
    pub(crate) fn who_waits(&self, table: TableId, rule: RuleId) -> &[Waiter] {
        &self.waiters[self.waiters_for(table, rule)]
    }

    /// What waits for the rules that an item calls.
    pub(crate) fn waiters_of(&mut self, item: Item) -> Vec<Waiter> {
        let automata = Arc::clone(&self.automata);
        let mut waiters = Vec::new();
        if self.is_spent(&item) {
            return waiters;
        }
        let is_set = automata.counter(item.state.rule()) == Some(Counter::Members);
        for edge in automata.rule_edges(item.state) {
            let count = match (edge.tick, is_set, item.origin) {
                (0, ..) => item.count,
                (tick, true, _) => match self.sets.more(&automata, item.state.rule(), item.count, tick - 1) {
                    Some(more) => more,
                    None => continue,
                },
                (_, false, Some(origin)) => ticked(&automata, edge.target, origin, item.count),
                (_, false, None) => saturated(&automata, edge.target, item.count + 1),
            };
            if within(&automata, &mut self.sets, edge.target, count) {
                waiters.push(Waiter { rule: edge.rule, target: edge.target, origin: item.origin, count });
            }
        }
        waiters
    }

    /// An item of a row that a byte leads to `item`, one that begins there if there is such.
    pub(crate) fn before_byte(&self, row: RowId, byte: u8, item: Item) -> Option<Item> {
        let table = self.table(row);
        let leads = |before: &&Item| {
            let origin = before.origin.unwrap_or(table);
            let (plain, ticking) = self.automata.step(before.state, byte);
            let ticks = || ticked(&self.automata, item.state, origin, before.count) == item.count;
            item.origin == Some(origin)
                && (plain == Some(item.state) && before.count == item.count
                    || ticking == Some(item.state) && ticks())
        };
        let mut found = self.scannable(row).iter().filter(leads);
        let first = found.next()?;
        Some(*found.chain([first]).find(|item| item.origin.is_none()).unwrap_or(first))
    }
}
