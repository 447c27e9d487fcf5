//! Prints rows for people and expect tests.

use crate::item::{Item, TableId};
use crate::rows::{RowId, Rows};
use formwork_fsm::Counter;
use std::fmt::Write;

impl Rows {
    /// A row as text: its scannable items, its waiters, what may come next.
    pub fn dump(&self, row: RowId) -> String {
        let mut out = String::new();
        let accepts = if self.is_accepting(row) { " accepts" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{row:?}{accepts} next {:?}", self.next_bytes(row));
        for item in self.scannable(row) {
            let _ = writeln!(out, "  {}", self.show(*item));
        }
        for waiter in self.waiters(row) {
            let automata = self.automata();
            let item = Item { state: waiter.target, origin: waiter.origin, count: waiter.count };
            let rule = match automata.symbols(waiter.rule) {
                Some(symbols) => symbols.to_string(),
                None => automata.name(waiter.rule).to_owned(),
            };
            let _ = writeln!(out, "  waits for {rule}, then {}", self.show(item));
        }
        out
    }

    fn show(&self, item: Item) -> String {
        let automata = self.automata();
        let rule = automata.rule_of(item.state);
        let origin = match item.origin {
            None => "here".to_owned(),
            Some(TableId::FLOATING) => "floating".to_owned(),
            Some(table) => format!("{table:?}"),
        };
        let count = match automata.counter(rule) {
            Some(Counter::Members) => format!(", members {:?}", self.members(item.count)),
            Some(Counter::Text | Counter::Distinct) => format!(", texts {}", item.count),
            Some(Counter::Steps { .. }) => format!(", {} steps", item.count),
            Some(_) => format!(", {} ticks", item.count),
            None => String::new(),
        };
        format!("{:?} of {} from {origin}{count}", item.state, automata.name(rule))
    }
}
