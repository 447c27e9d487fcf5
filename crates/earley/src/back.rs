//! Where the items of a row came from: what a [trace](crate::Trace) asks rows.

use crate::counts::{next_may_end, saturated, ticked, within};
use crate::item::{Item, TableId, Waiter};
use crate::limits::LimitExceeded;
use crate::rows::{Row, RowId, Rows};
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

    /// The count with which a waiter waited that goes on with `count`.
    pub(crate) fn count_before(&self, waiter: &Waiter, count: u32) -> u32 {
        let counter = |rule| self.automata.counter(rule);
        match (counter(waiter.rule), counter(waiter.target.rule())) {
            (Some(Counter::Text), Some(Counter::Distinct)) => self.sets.texts.list_before(count),
            _ => count,
        }
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
    pub(crate) fn before_byte(&mut self, row: RowId, byte: u8, item: Item) -> Option<Item> {
        let table = self.table(row);
        let (automata, texts) = (&self.automata, &mut self.sets.texts);
        let is_text = automata.counter(item.state.rule()) == Some(Counter::Text);
        let mut leads = |before: &&Item| {
            let origin = before.origin.unwrap_or(table);
            let (plain, ticking) = automata.step(before.state, byte);
            let ticks = || ticked(automata, item.state, origin, before.count) == item.count;
            let mut stays = || match is_text {
                true => texts.read(before.count, byte) == item.count,
                false => before.count == item.count,
            };
            item.origin == Some(origin)
                && (plain == Some(item.state) && stays() || ticking == Some(item.state) && ticks())
        };
        let range = &self.rows[row.index()].scannable;
        let scannable = &self.items[range.start as usize..range.end as usize];
        let found: Vec<Item> = scannable.iter().filter(|before| leads(before)).copied().collect();
        let first = *found.first()?;
        Some(found.into_iter().find(|item| item.origin.is_none()).unwrap_or(first))
    }
}
