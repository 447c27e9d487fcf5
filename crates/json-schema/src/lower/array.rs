//! Arrays: positions, a rest and a length as sequences and repeats; anything else as a machine of derivatives.

use super::Lowering;
use super::layout::Brackets;
use super::machine::{Edges, Machine, MachineState};
use super::string::bounds;
use crate::error::Error;
use crate::json::Number;
use crate::normal::{Alternative, Atom, Formula, FormulaId, Kind};
use formwork_grammar::{Clause, Conditions, ExprId, HashMap, Place};
use std::rc::Rc;

/// Positions with a demand of their own.
const MAX_PREFIX: u64 = 20_000;

impl Lowering<'_> {
    /// The arrays that satisfy a formula.
    pub(super) fn array(&mut self, formula: FormulaId, pointer: &str) -> Result<ExprId, Error> {
        if formula == FormulaId::TRUE {
            return Ok(self.any_array());
        }
        match self.positions(formula) {
            Some(positions) => self.simple_array(&positions, pointer),
            None => self.array_machine(formula, pointer),
        }
    }

    /// The lengths and the demands on positions that a formula is, if it is nothing else.
    pub(super) fn positions(&self, formula: FormulaId) -> Option<Positions> {
        let mut all = Positions { min: 0, max: u64::MAX, ranges: Vec::new() };
        for part in self.normal.formulas.conjuncts(formula) {
            match *self.normal.formulas.get(part) {
                Formula::Atom(Atom::MinItems(n)) => all.min = all.min.max(n),
                Formula::Atom(Atom::MaxItems(n)) => all.max = all.max.min(n),
                Formula::Atom(Atom::All { from, to, demand }) => all.ranges.push((from, to, demand)),
                // One item is always different from itself alone.
                Formula::Atom(Atom::Unique(true)) if self.at_most_one(formula) => {}
                _ => return None,
            }
        }
        Some(all)
    }

    /// What the item at a position must satisfy.
    pub(super) fn demand_at(&mut self, position: u64, positions: &Positions) -> FormulaId {
        let covers = |&&(from, to, _): &&(u64, Option<u64>, FormulaId)| {
            from <= position && to.is_none_or(|to| position < to)
        };
        let here = positions.ranges.iter().filter(covers).map(|&(_, _, demand)| demand);
        self.normal.formulas.all(here)
    }

    fn at_most_one(&self, formula: FormulaId) -> bool {
        let parts = self.normal.formulas.conjuncts(formula);
        parts
            .into_iter()
            .any(|part| matches!(self.normal.formulas.get(part), Formula::Atom(Atom::MaxItems(0 | 1))))
    }

    fn simple_array(&mut self, positions: &Positions, pointer: &str) -> Result<ExprId, Error> {
        let Positions { min, mut max, ref ranges } = *positions;
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
            let demand = self.demand_at(position, positions);
            if position >= max {
                break;
            }
            if self.normal.is_empty_demand(demand) {
                max = position;
                break;
            }
            let value = self.value(demand)?;
            items.push(self.item(value));
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
            }
        }
        for position in (0..n_single).rev() {
            let item = items[position];
            tail.push(if position > 0 { self.after_comma(item) } else { item });
            if position > 0 && position as u64 >= min {
                let all = self.b.seq(tail.drain(..).rev());
                tail.push(self.b.optional(all));
            }
        }
        if items.is_empty() {
            let (open, close) = self.brackets(Brackets::ARRAY);
            return Ok(self.b.seq([open, close.empty]));
        }
        let all = self.b.seq(tail.into_iter().rev());
        Ok(self.bracketed(Brackets::ARRAY, all, min == 0))
    }

    /// States are residuals, and while distinctness is still open, the values that came.
    fn array_machine(&mut self, formula: FormulaId, pointer: &str) -> Result<ExprId, Error> {
        if let Some(set) = self.array_set(formula, pointer)? {
            return Ok(set);
        }
        if let Some(texts) = self.array_of_texts(formula, pointer)? {
            return Ok(texts);
        }
        let mut machine = Machine::default();
        let mut values = Values::default();
        let mut ids: HashMap<State, usize> = HashMap::default();
        let mut order = vec![(formula, 0u32)];
        ids.insert(order[0], 0);
        let mut next = 0;
        while let Some(&(residual, seen)) = order.get(next) {
            next += 1;
            self.count_states(1, pointer)?;
            let derivative = self.normal.after_item(residual);
            let mut edges = Edges::new();
            for &Alternative { demand, rest } in
                self.normal.choices(FormulaId::TRUE, derivative, pointer)?.iter()
            {
                let steps = match self.has_unique(rest) {
                    true => self.distinct_steps(demand, (rest, seen), &mut values)?,
                    false => vec![(self.value(demand)?, (rest, 0))],
                };
                for (value, state) in steps {
                    let item = self.item(value);
                    let target = *ids.entry(state).or_insert_with(|| {
                        order.push(state);
                        order.len() - 1
                    });
                    edges.push((item, target));
                }
            }
            machine.states.push(MachineState { edges, end: self.normal.may_end(residual) });
        }
        let (open, close) = self.brackets(Brackets::ARRAY);
        let tails = self.tails(&machine, close.after, pointer);
        let head = self.head(&machine, 0, &tails, close.empty);
        Ok(self.b.seq([open, head]))
    }

    // ---- distinct items ----

    /// What else an array must satisfy that asks for distinct items and that alone.
    fn but_unique(&mut self, formula: FormulaId) -> Option<Vec<FormulaId>> {
        let mut parts = self.normal.formulas.conjuncts(formula);
        let n_before = parts.len();
        parts.retain(|&part| self.normal.formulas.get(part) != &Formula::Atom(Atom::Unique(true)));
        let whole = self.normal.formulas.all(parts.iter().copied());
        (parts.len() < n_before && !self.has_unique(whole)).then_some(parts)
    }

    /// Distinct items of few values as a set, each value a member; `None` if distinctness is not just asked for, or the
    /// array may not end after every item, as a set may. A length is a condition on the set, where nothing else depends on
    /// positions.
    fn array_set(&mut self, formula: FormulaId, pointer: &str) -> Result<Option<ExprId>, Error> {
        let Some(mut parts) = self.but_unique(formula) else { return Ok(None) };
        let whole = self.normal.formulas.all(parts.iter().copied());
        // States that say how many items came ask nothing when a mask is filled.
        if let Some(set) = self.array_set_of(whole, None, pointer)? {
            return Ok(Some(set));
        }
        let mut lengths = Vec::new();
        parts.retain(|&part| match self.normal.formulas.get(part) {
            Formula::Atom(Atom::MinItems(n)) => {
                lengths.push(Clause::AtLeast(u32::try_from(*n).unwrap_or(u32::MAX)));
                false
            }
            Formula::Atom(Atom::MaxItems(n)) => {
                lengths.push(Clause::AtMost(u32::try_from(*n).unwrap_or(u32::MAX)));
                false
            }
            _ => true,
        });
        let rest = self.normal.formulas.all(parts.iter().copied());
        let everywhere = |part: &FormulaId| {
            matches!(self.normal.formulas.get(*part), Formula::Atom(Atom::All { from: 0, to: None, .. }))
        };
        if lengths.is_empty() || !parts.iter().all(everywhere) {
            return Ok(None);
        }
        let all = (0..lengths.len() as u32).collect();
        lengths.push(Clause::All(all));
        self.array_set_of(rest, Some(Conditions::default().asks(lengths)), pointer)
    }

    fn array_set_of(
        &mut self,
        rest: FormulaId,
        conditions: Option<Conditions>,
        pointer: &str,
    ) -> Result<Option<ExprId>, Error> {
        let mut machine = Machine::default();
        let mut values = Values { max: MAX_MEMBERS, ..Values::default() };
        let mut ids: HashMap<FormulaId, usize> = HashMap::default();
        ids.insert(rest, 0);
        let mut order = vec![rest];
        while let Some(&residual) = order.get(machine.states.len()) {
            self.count_states(1, pointer)?;
            let end = self.normal.may_end(residual);
            let derivative = self.normal.after_item(residual);
            let mut edges = Edges::new();
            for &Alternative { demand, rest } in
                self.normal.choices(FormulaId::TRUE, derivative, pointer)?.iter()
            {
                // The start may be reached again, so what counts is whether a state is reached by an item, not which it is.
                if !self.normal.may_end(rest) {
                    return Ok(None);
                }
                let Some(domain) = self.domain(demand, 0)? else { return Ok(None) };
                self.count_states(domain.len() / 8, pointer)?;
                let target = *ids.entry(rest).or_insert_with(|| {
                    order.push(rest);
                    order.len() - 1
                });
                for scalar in domain {
                    let Some(number) = values.bit(&scalar) else { return Ok(None) };
                    let value = self.scalar_member(&scalar, number as u32);
                    edges.push((self.item(value), target));
                }
            }
            machine.states.push(MachineState { edges, end });
        }
        let (open, close) = self.brackets(Brackets::ARRAY);
        let tails = self.tails(&machine, close.after, pointer);
        let head = self.head(&machine, 0, &tails, close.empty);
        let array = self.b.seq([open, head]);
        Ok(Some(self.b.set_with(array, conditions.unwrap_or_default())))
    }

    /// Distinct items as texts that differ; `None` if values of theirs may be [spelled](super::spelled) in several ways that the
    /// engine tells apart, or distinctness is not just asked for.
    fn array_of_texts(&mut self, formula: FormulaId, pointer: &str) -> Result<Option<ExprId>, Error> {
        let Some(parts) = self.but_unique(formula) else { return Ok(None) };
        let whole = self.normal.formulas.all(parts.iter().copied());
        let mut machine = Machine { in_one_rule: true, ..Machine::default() };
        let mut ids: HashMap<FormulaId, usize> = HashMap::default();
        ids.insert(whole, 0);
        let mut order = vec![whole];
        // Whether some item has few values, and whether behind some item another must come. Then it would have to be known how
        // many are left, not only whether one is.
        let (mut may_run_out, mut must_go_on) = (false, false);
        while let Some(&residual) = order.get(machine.states.len()) {
            self.count_states(1, pointer)?;
            if order.len() > MAX_TEXT_STATES {
                return Ok(None);
            }
            let derivative = self.normal.after_item(residual);
            let mut edges = Edges::new();
            for &Alternative { demand, rest } in
                self.normal.choices(FormulaId::TRUE, derivative, pointer)?.iter()
            {
                let Some((text, has_plenty)) = self.distinct_text(demand)? else { return Ok(None) };
                may_run_out |= text != self.b.never() && !has_plenty;
                must_go_on |= !self.normal.may_end(rest);
                if may_run_out && must_go_on {
                    return Ok(None);
                }
                let target = *ids.entry(rest).or_insert_with(|| {
                    order.push(rest);
                    order.len() - 1
                });
                edges.push((self.item(text), target));
            }
            machine.states.push(MachineState { edges, end: self.normal.may_end(residual) });
        }
        if !machine.has_order() {
            return Ok(None);
        }
        let (open, close) = self.brackets(Brackets::ARRAY);
        let tails = self.tails(&machine, close.after, pointer);
        let head = self.head(&machine, 0, &tails, close.empty);
        let array = self.b.seq([open, head]);
        let array = self.b.set_with(array, Conditions::distinct());
        let place = Place::Pointer(self.normal.pointer_of(self.demand, "uniqueItems")?);
        let rule = self.b.declare("distinct_items", place);
        self.b.define(rule, array);
        Ok(Some(self.b.rule(rule)))
    }

    /// The values that satisfy a demand, each of which comes once, and whether they are so many that they cannot run out; `None`
    /// if a value may be spelled in several ways, or lengths are bounded beyond what is written out.
    fn distinct_text(&mut self, demand: FormulaId) -> Result<Option<(ExprId, bool)>, Error> {
        let Some(spelled) = self.spelled_once(demand)? else { return Ok(None) };
        let body = match spelled.is_scalar {
            // In line, so that equal texts of different demands are one rule.
            true => self.scalars(demand)?,
            false => self.value(demand)?,
        };
        if body == self.b.never() {
            return Ok(Some((body, false)));
        }
        if let Some(&rule) = self.distinct_texts.get(&body) {
            return Ok(Some((self.b.rule(rule), spelled.has_plenty)));
        }
        let place = Place::Pointer(self.normal.pointer_of(self.demand, "uniqueItems")?);
        let rule = self.b.declare("distinct_item", place);
        self.b.set_distinct(rule);
        self.b.define(rule, body);
        self.distinct_texts.insert(body, rule);
        Ok(Some((self.b.rule(rule), spelled.has_plenty)))
    }

    /// The words and strings that satisfy a demand.
    fn scalars(&mut self, demand: FormulaId) -> Result<ExprId, Error> {
        let mut ways = Vec::new();
        for kind in [Kind::Null, Kind::False, Kind::True, Kind::String] {
            let component = self.normal.component(demand, kind)?;
            if component == FormulaId::FALSE || self.normal.is_empty_component(kind, component, 1) {
                continue;
            }
            ways.push(match kind {
                Kind::String => {
                    let pointer = self.normal.pointer(demand);
                    self.string(component, &pointer)?
                }
                _ => self.scalar(&Scalar::Word(kind)),
            });
        }
        Ok(self.b.alt(ways))
    }

    /// A value as a member; a string is one from its last quote on, so that all share the states of their characters.
    fn scalar_member(&mut self, scalar: &Scalar, number: u32) -> ExprId {
        match scalar {
            Scalar::String(text) => {
                let (quote, text) = (self.b.literal("\""), self.b.literal(text.as_bytes()));
                let (text, end) = (self.b.json_text(text), self.b.member(number, quote));
                self.b.seq([quote, text, end])
            }
            _ => {
                let value = self.scalar(scalar);
                self.b.member(number, value)
            }
        }
    }

    fn has_unique(&self, formula: FormulaId) -> bool {
        self.normal.formulas.atoms(formula).iter().any(|(_, atom)| matches!(atom, Atom::Unique(_)))
    }

    /// The steps that read an item where distinctness is open: one for each value that the item can have.
    fn distinct_steps(
        &mut self,
        demand: FormulaId,
        (rest, seen): State,
        values: &mut Values,
    ) -> Result<Vec<(ExprId, State)>, Error> {
        if self.is_last(rest) && seen == 0 {
            // The only item there is.
            return Ok(vec![(self.value(demand)?, (self.normal.settle_unique(rest, true), 0))]);
        }
        let Some(domain) = self.domain(demand, 0)? else {
            let why = "cannot be decided from left to right where items may take too many values; bound them by `enum`, or \
                       let them be strings, whole numbers, and arrays and objects of these without undeclared members";
            return Err(Error::unsupported(
                self.normal.pointer_of(self.demand, "uniqueItems")?,
                "uniqueItems",
                why,
            ));
        };
        let mut steps = Vec::with_capacity(domain.len());
        for scalar in domain {
            let Some(bit) = values.bit(&scalar) else {
                let why = format!(
                    "needs a state for each subset of the items' values where they depend on anything else; up to {MAX_VALUES} work"
                );
                return Err(Error::unsupported(
                    self.normal.pointer_of(self.demand, "uniqueItems")?,
                    "uniqueItems",
                    &why,
                ));
            };
            let state = match seen >> bit & 1 {
                0 if self.is_last(rest) => (self.normal.settle_unique(rest, true), 0),
                0 => (rest, seen | 1 << bit),
                _ => (self.normal.settle_unique(rest, false), 0),
            };
            if state.0 != FormulaId::FALSE {
                steps.push((self.scalar(&scalar), state));
            }
        }
        Ok(steps)
    }

    /// Whether no item can come any more.
    fn is_last(&self, rest: FormulaId) -> bool {
        let parts = self.normal.formulas.conjuncts(rest);
        parts
            .into_iter()
            .any(|part| matches!(self.normal.formulas.get(part), Formula::Atom(Atom::MaxItems(0))))
    }

    /// The values that satisfy a demand, if they are few: scalars, and tuples of such values; `depth` tuples deep.
    fn domain(&mut self, demand: FormulaId, depth: usize) -> Result<Option<Vec<Scalar>>, Error> {
        let mut domain = Vec::new();
        for kind in Kind::ALL {
            let component = self.normal.component(demand, kind)?;
            match (kind, component) {
                (_, FormulaId::FALSE) => {}
                (Kind::Null | Kind::False | Kind::True, _) => domain.push(Scalar::Word(kind)),
                (Kind::String, _) => {
                    let Some(strings) = self.normal.few_strings(component) else { return Ok(None) };
                    domain.extend(strings.into_iter().map(Scalar::String));
                }
                (Kind::Number, _) => {
                    let Some(numbers) = self.few_numbers(component) else { return Ok(None) };
                    domain.extend(numbers.into_iter().map(Scalar::Number));
                }
                (Kind::Array | Kind::Object, _) if self.normal.is_empty_component(kind, component, 1) => {}
                (Kind::Object, _) => return Ok(None),
                (Kind::Array, _) => {
                    let ways = match self.normal.formulas.get(component) {
                        Formula::Or(parts) => parts.to_vec(),
                        _ => vec![component],
                    };
                    for way in ways {
                        let Some(tuples) = self.tuples(way, depth)? else { return Ok(None) };
                        domain.extend(tuples.into_iter().map(Scalar::Tuple));
                    }
                }
            }
        }
        Ok((domain.len() <= MAX_MEMBERS).then_some(domain))
    }

    /// The arrays that satisfy a conjunction, if they are short, with few values at each position.
    fn tuples(&mut self, formula: FormulaId, depth: usize) -> Result<Option<Vec<Vec<Scalar>>>, Error> {
        let Some(positions) = self.positions(formula) else { return Ok(None) };
        let Positions { min, max, .. } = positions;
        if max > MAX_TUPLE || depth >= MAX_NESTED {
            return Ok(None);
        }
        let mut all: Vec<Vec<Scalar>> = Vec::new();
        let mut longest: Vec<Vec<Scalar>> = vec![Vec::new()];
        for position in 0..=max {
            if position >= min {
                all.extend(longest.iter().cloned());
            }
            if position == max || longest.is_empty() {
                break;
            }
            let demand = self.demand_at(position, &positions);
            let Some(values) = self.domain(demand, depth + 1)? else { return Ok(None) };
            if longest.len() * values.len() > MAX_MEMBERS || all.len() > MAX_MEMBERS {
                return Ok(None);
            }
            let longer = longest.iter().flat_map(|tuple| {
                values.iter().map(|value| tuple.iter().chain([value]).cloned().collect::<Vec<Scalar>>())
            });
            longest = longer.collect();
        }
        Ok(Some(all))
    }

    fn scalar(&mut self, scalar: &Scalar) -> ExprId {
        match scalar {
            Scalar::Word(Kind::Null) => self.b.literal("null"),
            Scalar::Word(Kind::False) => self.b.literal("false"),
            Scalar::Word(_) => self.b.literal("true"),
            Scalar::String(text) => {
                let text = self.b.literal(text.as_bytes());
                self.quoted(text)
            }
            Scalar::Number(number) => {
                let bound = self.runs.max;
                let constant = self.constant(number, false);
                self.runs.max = bound;
                constant
            }
            Scalar::Tuple(items) => {
                let depth = self.inner_depth();
                self.at_depth(depth, |this| {
                    let (open, close) = this.brackets(Brackets::ARRAY);
                    let mut parts = vec![open];
                    for (i, item) in items.iter().enumerate() {
                        let value = this.scalar(item);
                        let item = this.item(value);
                        parts.push(if i == 0 { item } else { this.after_comma(item) });
                    }
                    parts.push(if items.is_empty() { close.empty } else { close.after });
                    this.b.seq(parts)
                })
            }
        }
    }
}

/// How long an array is, and what its items satisfy: demands from a position on, up to another or without end.
pub(super) struct Positions {
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) ranges: Vec<(u64, Option<u64>, FormulaId)>,
}

/// What must hold of the rest, and the set of values that came.
type State = (FormulaId, u32);

/// Distinct values that items are told apart by, each a bit of a state.
const MAX_VALUES: usize = 10;
/// The same where each is a member of a set.
const MAX_MEMBERS: usize = 2_000;

/// States of an array of distinct texts.
const MAX_TEXT_STATES: usize = 1_000;

/// Items of a tuple that is written out, and how many tuples deep.
const MAX_TUPLE: u64 = 16;
const MAX_NESTED: usize = 4;

/// A value that an item can have.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Scalar {
    Word(Kind),
    String(Rc<str>),
    Number(Number),
    Tuple(Vec<Scalar>),
}

impl Scalar {
    /// The same for values that are the same: numbers however they are written.
    fn by_value(&self) -> Self {
        match self {
            Self::Number(number) => Self::Number(Number { written_plain: true, ..number.clone() }),
            Self::Tuple(items) => Self::Tuple(items.iter().map(Self::by_value).collect()),
            _ => self.clone(),
        }
    }
}

/// The values met so far.
struct Values {
    met: HashMap<Scalar, usize>,
    /// At most so many.
    max: usize,
}

impl Default for Values {
    fn default() -> Self {
        Self { met: HashMap::default(), max: MAX_VALUES }
    }
}

impl Values {
    fn bit(&mut self, scalar: &Scalar) -> Option<usize> {
        let key = scalar.by_value();
        let n = self.met.len();
        if n >= self.max {
            return self.met.get(&key).copied();
        }
        Some(*self.met.entry(key).or_insert(n))
    }
}
