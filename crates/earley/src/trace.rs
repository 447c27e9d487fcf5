//! How an output can be read: where its rules begin and end.
//!
//! Rows know no positions and so cannot say where a rule began. A trace reads the output again, keeps the row after each byte
//! and symbol, and then walks back from the last row, from an item to one that it came from, until it is at the first row.
//! An item came from
//! - an item of the row before, if it is in the kernel;
//! - a rule that ended here, if it is what waited for that: then the walk goes on in that rule, and remembers what waited;
//! - nothing, if its rule begins here: then the walk goes on in an item that calls the rule, the one that waited if the rule
//!   has ended.
//!
//! A rule that is found to begin in a row whose waiter table is the one that it ended into did begin there in some reading,
//! since equal tables have equal waiters. So tables serve as well as positions would.
//!
//! **The walk ends.** In one row it goes only to items that the closure has met earlier, and where a rule has ended that began
//! in the same row it would have been empty, which no rule is.
//!
//! # Which reading
//! Where several are possible it is one of them, always the same for the same output.
//!
//! # Tail calls
//! Waiters whose target is finished are kept here: whoever is replaced would not be seen to end. So a right-recursive list
//! costs the square of its length.
//!
//! # Worked example
//! `root ::= a ";"`, `a ::= "x"+`, output `xx;`. Last row: the accepting item of `root`. Before `;` it was `root` behind `a`,
//! which is no kernel item: `a` ended there, and `root` waited. Before the second `x` that was `a` after one `x`, and before
//! the first one it was `a` at its beginning, in row 0. So `a` is 0..2.

use crate::item::{Item, TableId, Waiter};
use crate::limits::{LimitExceeded, Limits};
use crate::rows::{RowId, Rows};
use formwork_fsm::{Automata, Counter, RuleId};
use formwork_grammar::HashMap;
use std::sync::Arc;

/// An output that is read to find out where rules begin and end.
#[derive(Debug)]
pub struct Trace {
    rows: Rows,
    points: Vec<Point>,
    /// The items of rows that were asked for, in the order of the closure.
    items: HashMap<RowId, Arc<[Item]>>,
}

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointId(u32);

#[derive(Clone, Debug)]
struct Point {
    row: RowId,
    /// Bytes of output before it.
    position: u64,
    from: From,
}

/// How a point is reached.
#[derive(Clone, Debug)]
enum From {
    Start,
    Byte(PointId, u8),
    /// By a symbol that belongs to these rules.
    Symbol(PointId, Box<[RuleId]>),
    /// Either way.
    Both(PointId, PointId),
    /// So many steps ended.
    Steps(PointId, u32),
}

/// A rule with a capture, where it begins and where it ends, in bytes of output; no end if it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a result")]
pub struct Span {
    /// The rule.
    pub rule: RuleId,
    /// Where it begins.
    pub start: u64,
    /// Where it ends.
    pub end: Option<u64>,
}

/// A rule that has ended and whose beginning is looked for.
#[derive(Debug)]
struct Ended {
    end: u64,
    /// What waited for it: the item behind it. `None`: the whole output.
    behind: Option<Item>,
}

impl Trace {
    /// The beginning of an output. The automata should be built with [captures](formwork_fsm::Config::captures).
    ///
    /// # Errors
    /// A limit.
    pub fn new(automata: Arc<Automata>, limits: Limits) -> Result<Self, LimitExceeded> {
        let mut rows = Rows::new(automata, limits);
        rows.keep_finished_waiters();
        let row = rows.start()?;
        let points = vec![Point { row, position: 0, from: From::Start }];
        Ok(Self { rows, points, items: HashMap::default() })
    }

    /// The beginning of the output.
    pub fn start(&self) -> PointId {
        PointId(0)
    }

    /// The bytes before a point.
    pub fn position(&self, point: PointId) -> u64 {
        self.point(point).position
    }

    /// The point after these bytes, if they are read.
    ///
    /// # Errors
    /// A limit.
    pub fn bytes(&mut self, from: PointId, bytes: &[u8]) -> Result<Option<PointId>, LimitExceeded> {
        let mut at = from;
        for &byte in bytes {
            let Some(row) = self.rows.advance(self.point(at).row, byte)? else { return Ok(None) };
            at = self.add(row, self.position(at) + 1, From::Byte(at, byte))?;
        }
        Ok(Some(at))
    }

    /// The point after a symbol with so many bytes of output, if it is read; `is_member` as in
    /// [`Rows::advance_symbol`].
    ///
    /// # Errors
    /// A limit.
    pub fn symbol(
        &mut self,
        from: PointId,
        n_bytes: usize,
        is_member: impl Fn(RuleId) -> bool,
    ) -> Result<Option<PointId>, LimitExceeded> {
        let row = self.point(from).row;
        let rules: Box<[RuleId]> = self.rows.symbol_rules(row).filter(|&rule| is_member(rule)).collect();
        let Some(row) = self.rows.advance_symbol(row, None, |rule| rules.contains(&rule))? else {
            return Ok(None);
        };
        self.add(row, self.position(from) + n_bytes as u64, From::Symbol(from, rules)).map(Some)
    }

    /// The point that is both of these, which lie at one position.
    ///
    /// # Errors
    /// A limit.
    pub fn both(&mut self, a: PointId, b: PointId) -> Result<PointId, LimitExceeded> {
        let row = self.rows.union(self.point(a).row, self.point(b).row)?;
        self.add(row, self.position(a), From::Both(a, b))
    }

    /// The point after [the end of steps](Rows::end_steps), if there is one.
    ///
    /// # Errors
    /// A limit.
    pub fn end_steps(&mut self, from: PointId, n_steps: u32) -> Result<Option<PointId>, LimitExceeded> {
        let before = self.point(from).row;
        match self.rows.end_steps(before, n_steps)? {
            Some(row) if row == before => Ok(Some(from)),
            Some(row) => self.add(row, self.position(from), From::Steps(from, n_steps)).map(Some),
            None => Ok(None),
        }
    }

    /// The captures of the output up to a point, in the order of their beginnings, outer ones first: of a whole output if it
    /// may end there, else of one that can go on.
    ///
    /// Cost: linear in the output, but for right recursion; microseconds a byte.
    ///
    /// # Errors
    /// A limit.
    pub fn spans(&mut self, last: PointId) -> Result<Vec<Span>, LimitExceeded> {
        let automata = Arc::clone(self.rows.automata());
        let mut spans = Vec::new();
        let mut ended: Vec<Ended> = Vec::new();
        let mut at = last;
        let mut item = match self.last_item(last)? {
            None => return Ok(spans),
            Some((item, is_whole)) => {
                let end = self.position(last);
                ended.extend(is_whole.then_some(Ended { end, behind: None }));
                item
            }
        };
        loop {
            let Some(origin) = item.origin else {
                let rule = item.state.rule();
                let frame = ended.pop();
                if automata.capture(rule).is_some() {
                    let (start, end) = (self.position(at), frame.as_ref().map(|frame| frame.end));
                    spans.push(Span { rule, start, end });
                }
                let caller = match frame {
                    Some(Ended { behind: None, .. }) => break,
                    Some(Ended { behind: Some(behind), .. }) => self.caller(at, rule, Some(behind), None)?,
                    None if at == self.start() && rule == automata.root() => break,
                    None => self.caller(at, rule, None, Some(item))?,
                };
                match caller {
                    Some(caller) => item = caller,
                    None => break,
                }
                continue;
            };
            if self.rows.kernel(self.point(at).row).binary_search(&item).is_ok() {
                match self.before(at, item)? {
                    Some(before) => (at, item) = before,
                    None => break,
                }
                continue;
            }
            match self.ended_into(at, item, origin)? {
                Some(inner) => {
                    ended.push(Ended { end: self.position(at), behind: Some(item) });
                    item = inner;
                }
                None => break,
            }
        }
        // Found from the end: of those that begin together the outermost was found last.
        spans.reverse();
        spans.sort_by_key(|span| span.start);
        Ok(spans)
    }

    /// The item to begin with, and whether the output ends in it.
    fn last_item(&mut self, last: PointId) -> Result<Option<(Item, bool)>, LimitExceeded> {
        let row = self.point(last).row;
        let root = self.rows.automata().root();
        let items = self.items(row)?;
        if self.rows.is_accepting(row) {
            for item in items.iter().filter(|item| item.state.rule() == root) {
                if item.origin.is_some_and(|origin| self.rows.is_goal(origin)) && self.rows.may_end(item) {
                    return Ok(Some((*item, true)));
                }
            }
        }
        let goes_on = |item: &&Item| {
            let automata = self.rows.automata();
            !self.rows.is_spent(item) && (automata.is_scannable(item.state) || automata.calls(item.state))
        };
        let started = items.iter().filter(goes_on).find(|item| item.origin.is_some());
        Ok(started.or_else(|| items.iter().find(goes_on)).map(|item| (*item, false)))
    }

    /// An item that calls a rule here, to go on in `behind` if that is known, and met earlier than `inner`.
    fn caller(
        &mut self,
        at: PointId,
        rule: RuleId,
        behind: Option<Item>,
        inner: Option<Item>,
    ) -> Result<Option<Item>, LimitExceeded> {
        let row = self.point(at).row;
        let items = self.items(row)?;
        for item in items.iter().take_while(|item| inner != Some(**item)) {
            if self.leads(row, *item, behind, |called| called == rule) {
                return Ok(Some(*item));
            }
        }
        Ok(None)
    }

    /// Whether an item of a row calls such a rule, to go on in `behind` if that is known.
    fn leads(
        &mut self,
        row: RowId,
        item: Item,
        behind: Option<Item>,
        is_rule: impl Fn(RuleId) -> bool,
    ) -> bool {
        let table = self.rows.table(row);
        self.rows.waiters_of(item).iter().any(|waiter| {
            is_rule(waiter.rule)
                && behind.is_none_or(|behind| {
                    let count = self.rows.count_before(waiter, behind.count);
                    returned(waiter, table) == Item { count, ..behind }
                })
        })
    }

    /// An item of the point before from which a kernel item came.
    fn before(&mut self, at: PointId, item: Item) -> Result<Option<(PointId, Item)>, LimitExceeded> {
        Ok(match self.point(at).from.clone() {
            From::Start => None,
            From::Byte(from, byte) => {
                self.rows.before_byte(self.point(from).row, byte, item).map(|item| (from, item))
            }
            From::Symbol(from, rules) => {
                let row = self.point(from).row;
                let items = self.items(row)?;
                let mut callers = items.iter();
                let found = callers
                    .find(|caller| self.leads(row, **caller, Some(item), |called| rules.contains(&called)));
                found.map(|caller| (from, *caller))
            }
            From::Both(a, b) => {
                let of =
                    |point: PointId| self.rows.kernel(self.point(point).row).binary_search(&item).is_ok();
                [a, b].into_iter().find(|&point| of(point)).map(|point| (point, item))
            }
            From::Steps(from, n_steps) => {
                let counts =
                    matches!(self.rows.automata().counter(item.state.rule()), Some(Counter::Steps { .. }));
                let count = if counts { item.count - n_steps } else { item.count };
                Some((from, Item { count, ..item }))
            }
        })
    }

    /// An item whose rule ended here and that `item`, which began in `origin`, was waiting for.
    fn ended_into(
        &mut self,
        at: PointId,
        item: Item,
        origin: TableId,
    ) -> Result<Option<Item>, LimitExceeded> {
        let items = self.items(self.point(at).row)?;
        let ended = items.iter().take_while(|inner| **inner != item).find(|inner| {
            let Some(began) = inner.origin else { return false };
            let rule = inner.state.rule();
            let is_text = self.rows.automata().counter(rule) == Some(Counter::Text);
            let waits =
                |waiter: &&Waiter| waiter.target == item.state && waiter.origin.unwrap_or(began) == origin;
            let waiting: Vec<Waiter> =
                self.rows.who_waits(began, rule).iter().filter(waits).copied().collect();
            let mut goes_on = |waiter: &Waiter| match is_text {
                true => self.rows.count_behind(inner, waiter, began) == Some(item.count),
                false => waiter.count == item.count,
            };
            waiting.iter().any(&mut goes_on) && self.rows.may_end(inner)
        });
        Ok(ended.copied())
    }

    /// The items of a row in the order in which the closure met them.
    fn items(&mut self, row: RowId) -> Result<Arc<[Item]>, LimitExceeded> {
        if let Some(items) = self.items.get(&row) {
            return Ok(Arc::clone(items));
        }
        let items: Arc<[Item]> = self.rows.closure(row)?.into();
        self.items.insert(row, Arc::clone(&items));
        Ok(items)
    }

    fn add(&mut self, row: RowId, position: u64, from: From) -> Result<PointId, LimitExceeded> {
        let id = u32::try_from(self.points.len()).map_err(|_| LimitExceeded::Bytes)?;
        self.points.push(Point { row, position, from });
        Ok(PointId(id))
    }

    fn point(&self, point: PointId) -> &Point {
        &self.points[point.0 as usize]
    }
}

/// What a waiter of a table goes on in.
fn returned(waiter: &Waiter, table: TableId) -> Item {
    Item { state: waiter.target, origin: Some(waiter.origin.unwrap_or(table)), count: waiter.count }
}
