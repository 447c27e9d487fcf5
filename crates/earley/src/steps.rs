//! Where a step of the output ends: budgets of regions.
//!
//! A [region](formwork_fsm::Counter::Steps) calls no rule, so that while it is being read its items are what bytes and symbols
//! lead to: they are in the kernel of the row. The count of such an item is the number of steps that have ended in it, and
//! ending a step adds one to each that the step has led to. An item at the bound is *spent*: it reads nothing any more, and
//! the closure lets it do nothing but end. Of the others only those are kept that can end in time however the rest of the
//! text is cut into steps, each of its bytes a step at worst. So the next step can always be one that exists, and:
//!
//! **A row between two steps has no item that the budget keeps from being completed.** Inside of a step nothing is tested.
//!
//! Counts are in the items and rows are values, so rolling back and forking need nothing of their own, and a region that
//! could have begun in several places has an item for each. Of two that differ in their counts alone the lesser can do all
//! that the other can.

use crate::item::Item;
use crate::limits::LimitExceeded;
use crate::rows::{RowId, Rows};
use formwork_fsm::{Counter, RuleId, StateId};

impl Rows {
    /// The row after `n_steps` more steps of the output that ended here, 0 or 1: without the items whose regions could then
    /// not end in time. `None` if that leaves none.
    ///
    /// # Errors
    /// A limit.
    pub fn end_steps(&mut self, row: RowId, n_steps: u32) -> Result<Option<RowId>, LimitExceeded> {
        let automata = self.automata();
        if automata.regions().is_empty() {
            return Ok(Some(row));
        }
        let counts = |item: &Item| matches!(automata.counter(item.state.rule()), Some(Counter::Steps { .. }));
        let kernel = self.kernel(row);
        if !kernel.iter().any(counts) {
            return Ok(Some(row));
        }
        let left: Vec<Item> = kernel
            .iter()
            .filter_map(|item| {
                let n_steps = if counts(item) { n_steps } else { 0 };
                let item = Item { count: item.count + n_steps, ..*item };
                self.ends_in_time(item.state, item.count).then_some(item)
            })
            .collect();
        if left == self.kernel(row) {
            return Ok(Some(row));
        }
        self.of_items(left)
    }

    /// Whether a step may end here: whether [`end_steps`](Self::end_steps) with one step leaves an item.
    pub fn may_end_step(&self, row: RowId) -> bool {
        self.kernel(row).iter().any(|item| self.ends_in_time(item.state, item.count.saturating_add(1)))
    }

    /// Whether an item stays where a step ends in it.
    pub fn outlasts_step(&self, item: &Item) -> bool {
        self.ends_in_time(item.state, item.count.saturating_add(1))
    }

    /// Whether a region in which so many steps have ended can end in time from a state; yes of any other rule.
    fn ends_in_time(&self, state: StateId, count: u32) -> bool {
        match self.automata().counter(state.rule()) {
            Some(Counter::Steps { max }) => count.saturating_add(self.automata().units_to_end(state)) <= max,
            _ => true,
        }
    }

    /// The regions that one more step may have a part in, with the number of steps that they have left then: those being
    /// read, and those that begin here.
    pub fn open_regions(&self, row: RowId) -> impl Iterator<Item = (RuleId, u32)> + '_ {
        let states = self.scannable(row).iter().map(|item| (item.state, item.count));
        let waiting = if self.waits_for_symbols(row) { self.waiters(row) } else { &[] };
        let waiting = waiting.iter().map(|waiter| (waiter.target, waiter.count));
        states.chain(waiting).filter_map(|(state, count)| match self.automata().counter(state.rule()) {
            Some(Counter::Steps { max }) => Some((state.rule(), max.saturating_sub(count + 1))),
            _ => None,
        })
    }
}
