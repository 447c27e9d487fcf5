//! Arrays: positions, a rest and a length as sequences and repeats; anything else as a machine of derivatives.

use super::Lowering;
use super::machine::{Machine, MachineState};
use super::string::bounds;
use crate::error::Error;
use crate::normal::{Alternative, Atom, Formula, FormulaId};
use formwork_grammar::{ExprId, HashMap};

/// Positions with a demand of their own.
const MAX_PREFIX: u64 = 20_000;

impl Lowering<'_> {
    /// The arrays that satisfy a formula.
    pub(super) fn array(&mut self, formula: FormulaId, pointer: &str) -> Result<ExprId, Error> {
        if formula == FormulaId::TRUE {
            return Ok(self.any_array());
        }
        let (mut min, mut max) = (0, u64::MAX);
        let mut ranges = Vec::new();
        for part in self.normal.formulas.conjuncts(formula) {
            match *self.normal.formulas.get(part) {
                Formula::Atom(Atom::MinItems(n)) => min = min.max(n),
                Formula::Atom(Atom::MaxItems(n)) => max = max.min(n),
                Formula::Atom(Atom::All { from, to, demand }) => ranges.push((from, to, demand)),
                // One item is always different from itself alone.
                Formula::Atom(Atom::Unique(true)) if self.at_most_one(formula) => {}
                _ => return self.array_machine(formula, pointer),
            }
        }
        self.simple_array(min, max, &ranges, pointer)
    }

    fn at_most_one(&self, formula: FormulaId) -> bool {
        let parts = self.normal.formulas.conjuncts(formula);
        parts
            .into_iter()
            .any(|part| matches!(self.normal.formulas.get(part), Formula::Atom(Atom::MaxItems(0 | 1))))
    }

    fn simple_array(
        &mut self,
        min: u64,
        mut max: u64,
        ranges: &[(u64, Option<u64>, FormulaId)],
        pointer: &str,
    ) -> Result<ExprId, Error> {
        let n_prefix = ranges.iter().map(|&(from, to, _)| to.unwrap_or(from)).max().unwrap_or(0).min(max);
        if n_prefix > MAX_PREFIX {
            return Err(Error::limit(
                pointer,
                format!("more than {MAX_PREFIX} positions have a demand of their own"),
            ));
        }
        let mut items = Vec::new();
        // Position `n_prefix` stands for all the rest.
        for position in 0..=n_prefix {
            let here =
                ranges.iter().filter(|&&(from, to, _)| from <= position && to.is_none_or(|to| position < to));
            let here: Vec<FormulaId> = here.map(|&(_, _, demand)| demand).collect();
            let demand = self.normal.formulas.all(here);
            if position >= max {
                break;
            }
            if self.normal.is_empty_demand(demand) {
                max = position;
                break;
            }
            let value = self.value(demand)?;
            items.push(self.b.seq([self.ws, value]));
        }
        if min > max {
            return Ok(self.b.never());
        }
        self.count_states(items.len(), pointer)?;
        // From the end: `tail` is what may come after position `i`, its parts last first.
        let mut tail: Vec<ExprId> = Vec::new();
        let has_rest = items.len() as u64 > n_prefix;
        let n_single = if has_rest { items.len() - 1 } else { items.len() };
        if has_rest {
            // The first of the rest has no comma before it if there is no prefix.
            let rest = items[n_single];
            let more = self.after_comma(rest);
            let taken = (n_single as u64).max(1);
            let (low, high) = bounds(min.saturating_sub(taken), max.saturating_sub(taken), pointer)?;
            let high = if max == u64::MAX { None } else { high };
            let more = self.b.repeat(more, low, high);
            tail.push(more);
            if n_single == 0 {
                tail.push(rest);
                if min == 0 {
                    let all = self.b.seq(tail.drain(..).rev());
                    tail.push(self.b.optional(all));
                }
            }
        }
        for position in (0..n_single).rev() {
            let item = items[position];
            tail.push(if position > 0 { self.after_comma(item) } else { item });
            if position as u64 >= min {
                let all = self.b.seq(tail.drain(..).rev());
                tail.push(self.b.optional(all));
            }
        }
        let (open, close) = (self.b.literal("["), self.b.literal("]"));
        let items = self.b.seq(tail.into_iter().rev());
        Ok(self.b.seq([open, items, self.ws, close]))
    }

    fn array_machine(&mut self, formula: FormulaId, pointer: &str) -> Result<ExprId, Error> {
        self.normal.refuse_unique(formula, self.demand)?;
        let mut machine = Machine::default();
        let mut ids: HashMap<FormulaId, usize> = HashMap::default();
        let mut residuals = vec![formula];
        ids.insert(formula, 0);
        let mut next = 0;
        while let Some(&residual) = residuals.get(next) {
            next += 1;
            self.count_states(1, pointer)?;
            let derivative = self.normal.after_item(residual);
            let mut edges = Vec::new();
            for Alternative { demand, rest } in self.normal.choices(derivative, pointer)? {
                let value = self.value(demand)?;
                let item = self.b.seq([self.ws, value]);
                let target = *ids.entry(rest).or_insert_with(|| {
                    residuals.push(rest);
                    residuals.len() - 1
                });
                edges.push((item, target));
            }
            machine.states.push(MachineState { edges, end: self.normal.may_end(residual) });
        }
        let (open, close) = (self.b.literal("["), self.b.literal("]"));
        let close = self.b.seq([self.ws, close]);
        let tails = self.tails(&machine, close, pointer);
        let head = self.head(&machine, 0, &tails, close);
        Ok(self.b.seq([open, head]))
    }
}
