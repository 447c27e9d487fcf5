//! A fast, sound and incomplete test for what cannot be satisfied.
//!
//! It keeps the machines small: disjoint branches of `oneOf` need no negations, alternatives that nothing satisfies
//! are dropped. "Not certainly empty" is always a right answer; what is empty after all is found by the engine.

use super::build::Normal;
use super::formula::{Atom, FewFormulas, Formula, FormulaId};
use super::node::Kind;
use crate::decimal::Decimal;
use crate::json::Number;
use formwork_grammar::HashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// How many levels of members the test looks into.
const DEPTH: u32 = 3;
/// Members of an enumeration, clauses and disjuncts looked at before "don't know".
const MAX_SET: usize = 4096;
const MAX_CLAUSES: usize = 4;
const MAX_DISJUNCTS: usize = 64;

impl Normal<'_> {
    /// Whether certainly no value satisfies both formulas.
    pub(crate) fn are_disjoint(&mut self, kind: Kind, a: FormulaId, b: FormulaId) -> bool {
        let both = self.formulas.all([a, b]);
        self.is_empty_component(kind, both, DEPTH)
    }

    /// Whether certainly no value satisfies the demand.
    pub(crate) fn is_empty_demand(&mut self, demand: FormulaId) -> bool {
        self.is_empty_demand_within(demand, DEPTH)
    }

    fn is_empty_demand_within(&mut self, demand: FormulaId, depth: u32) -> bool {
        match demand {
            FormulaId::FALSE => return true,
            FormulaId::TRUE => return false,
            _ => {}
        }
        if let Some(known) = self.empty_demands.get(demand) {
            return known;
        }
        if depth == 0 {
            return false;
        }
        // A demand inside itself is in progress: "don't know", and the answer for it stands only at this depth.
        let mut verdict = true;
        for kind in Kind::ALL {
            // An error here is a loop or a limit that the caller meets by itself, if at all.
            let empty = match self.component(demand, kind) {
                Ok(component) => self.is_empty_component(kind, component, depth - 1),
                Err(_) => false,
            };
            if !empty {
                verdict = false;
                break;
            }
        }
        if verdict || depth == DEPTH {
            self.empty_demands.insert(demand, verdict);
        }
        verdict
    }

    /// Whether certainly no value of a kind satisfies the formula.
    pub(crate) fn is_empty_component(&mut self, kind: Kind, formula: FormulaId, depth: u32) -> bool {
        match self.formulas.get(formula) {
            Formula::False => return true,
            Formula::True => return false,
            // Atoms that nothing satisfies are not made; only what some item must satisfy is looked into.
            Formula::Atom(atom) if !matches!(atom, Atom::AtLeast { .. } | Atom::Some { .. }) => return false,
            Formula::Or(parts) => {
                let parts = parts.clone();
                return parts.len() <= MAX_DISJUNCTS
                    && parts.iter().all(|&part| self.is_empty_component(kind, part, depth));
            }
            _ => {}
        }
        let (mut literals, mut clauses) = (FewFormulas::new(), SmallVec::<[Rc<[FormulaId]>; 4]>::new());
        for part in self.formulas.few_conjuncts(formula) {
            match self.formulas.get(part) {
                Formula::Atom(_) => literals.push(part),
                Formula::Or(parts) => clauses.push(parts.clone()),
                _ => {}
            }
        }
        let empty = match kind {
            Kind::Number => self.no_number(formula, &literals),
            Kind::String => self.no_string(formula, &literals),
            Kind::Array => self.no_array(&literals, depth),
            Kind::Object => self.no_object(&literals, depth),
            Kind::Null | Kind::False | Kind::True => false,
        };
        if empty {
            return true;
        }
        if depth == 0 || clauses.is_empty() || clauses.len() > MAX_CLAUSES {
            return false;
        }
        // Every way to satisfy one clause clashes with the literals.
        clauses.into_iter().any(|clause| {
            clause.len() <= MAX_DISJUNCTS
                && clause.iter().all(|&way| {
                    let both = self.formulas.all(std::iter::once(way).chain(literals.iter().copied()));
                    self.is_empty_component(kind, both, depth - 1)
                })
        })
    }

    /// Whether a number satisfies a formula over the atoms of numbers; `None` if the arithmetic is too large.
    pub(crate) fn number_satisfies(&mut self, formula: FormulaId, number: &Decimal) -> Option<bool> {
        let mut unknown = false;
        let result = self.formulas.replace(formula, &mut HashMap::default(), &mut |_, _, atom| {
            let holds = match atom {
                Atom::Integer(sign) => number.is_integer() == *sign,
                Atom::Above { bound, strict } => number > bound || (!strict && number == bound),
                Atom::Below { bound, strict } => number < bound || (!strict && number == bound),
                Atom::Multiple(of, sign) => match number.is_multiple_of(of) {
                    Some(multiple) => multiple == *sign,
                    None => {
                        unknown = true;
                        false
                    }
                },
                Atom::NumberIn(set, sign) => contains(set, number) == *sign,
                _ => false,
            };
            if holds { FormulaId::TRUE } else { FormulaId::FALSE }
        });
        if unknown { None } else { Some(result == FormulaId::TRUE) }
    }

    fn no_number(&mut self, formula: FormulaId, literals: &[FormulaId]) -> bool {
        let sets = literals.iter().filter_map(|&part| match self.formulas.get(part) {
            Formula::Atom(Atom::NumberIn(set, true)) => Some(set.clone()),
            _ => None,
        });
        if let Some(set) = sets.min_by_key(|set| set.len()) {
            return set.len() <= MAX_SET
                && set.iter().all(|number| self.number_satisfies(formula, &number.value) == Some(false));
        }
        let asks = |whole: bool| {
            literals.iter().any(|&part| *self.formulas.get(part) == Formula::Atom(Atom::Integer(whole)))
        };
        let integer = asks(true);
        if integer && asks(false) {
            return true;
        }
        let mut above: Option<(Decimal, bool)> = None;
        let mut below: Option<(Decimal, bool)> = None;
        for &part in literals {
            match self.formulas.get(part) {
                Formula::Atom(Atom::Above { bound, strict }) => {
                    let (bound, strict) = whole_above(bound, *strict, integer);
                    if above.as_ref().is_none_or(|(old, old_strict)| (&bound, strict) > (old, *old_strict)) {
                        above = Some((bound, strict));
                    }
                }
                Formula::Atom(Atom::Below { bound, strict }) => {
                    let (bound, strict) = whole_above(&bound.negate(), *strict, integer);
                    let bound = bound.negate();
                    if below.as_ref().is_none_or(|(old, old_strict)| (old, strict) > (&bound, *old_strict)) {
                        below = Some((bound, strict));
                    }
                }
                _ => {}
            }
        }
        match (above, below) {
            (Some((low, low_strict)), Some((high, high_strict))) => {
                low > high || (low == high && (low_strict || high_strict))
            }
            _ => false,
        }
    }

    /// The strings that satisfy a formula, if a set leaves only few.
    pub(crate) fn few_strings(&mut self, formula: FormulaId) -> Option<Vec<Rc<str>>> {
        let candidates: Vec<Rc<str>> = match self.formulas.get(formula) {
            Formula::Or(parts) => {
                let parts = parts.clone();
                let mut all = Vec::new();
                for &part in parts.iter() {
                    all.extend(self.few_strings(part)?);
                }
                all
            }
            _ => {
                let parts = self.formulas.conjuncts(formula);
                let set = parts.into_iter().find_map(|part| match self.formulas.get(part) {
                    Formula::Atom(Atom::StringIn(set, true)) => Some(set.clone()),
                    _ => None,
                });
                set?.iter().cloned().collect()
            }
        };
        let mut few: Vec<Rc<str>> =
            candidates.into_iter().filter(|string| self.string_satisfies(formula, string)).collect();
        few.sort_unstable();
        few.dedup();
        Some(few)
    }

    fn no_string(&mut self, formula: FormulaId, literals: &[FormulaId]) -> bool {
        let sets = literals.iter().filter_map(|&part| match self.formulas.get(part) {
            Formula::Atom(Atom::StringIn(set, true)) => Some(set.clone()),
            _ => None,
        });
        if let Some(set) = sets.min_by_key(|set| set.len()) {
            return set.len() <= MAX_SET && set.iter().all(|string| !self.string_satisfies(formula, string));
        }
        let (mut min, mut max) = (0, u64::MAX);
        let mut texts = Vec::new();
        for &part in literals {
            match *self.formulas.get(part) {
                Formula::Atom(Atom::MinLength(n)) => min = min.max(n),
                Formula::Atom(Atom::MaxLength(n)) => max = max.min(n),
                Formula::Atom(Atom::Text(text, true)) => texts.push(text),
                Formula::Atom(Atom::Text(text, false)) => texts.push(self.reader.texts.builder().not(text)),
                _ => {}
            }
        }
        if min > max {
            return true;
        }
        if texts.len() < 2 {
            return false;
        }
        let all = self.reader.texts.builder().and(texts);
        self.reader.texts.is_empty(all) == Some(true)
    }

    fn no_array(&mut self, literals: &[FormulaId], depth: u32) -> bool {
        let (mut min, mut max) = (0, u64::MAX);
        let mut everywhere = FewFormulas::new();
        for &part in literals {
            match *self.formulas.get(part) {
                Formula::Atom(Atom::MinItems(n) | Atom::AtLeast { n, .. }) => min = min.max(n),
                Formula::Atom(Atom::MaxItems(n)) => max = max.min(n),
                Formula::Atom(Atom::All { from: 0, to: None, demand }) => everywhere.push(demand),
                _ => {}
            }
        }
        if min > max {
            return true;
        }
        if depth == 0 {
            return false;
        }
        for position in 0..min.min(8) {
            let here = literals.iter().filter_map(|&part| match *self.formulas.get(part) {
                Formula::Atom(Atom::All { from, to, demand })
                    if from <= position && to.is_none_or(|to| position < to) =>
                {
                    Some(demand)
                }
                _ => None,
            });
            let here: FewFormulas = here.collect();
            let demand = self.formulas.all(here);
            if self.is_empty_demand_within(demand, depth) {
                return true;
            }
        }
        literals.iter().any(|&part| match *self.formulas.get(part) {
            Formula::Atom(Atom::AtLeast { demand, .. } | Atom::Some { demand, .. }) => {
                let all = self.formulas.all(everywhere.iter().copied().chain([demand]));
                self.is_empty_demand_within(all, depth)
            }
            _ => false,
        })
    }

    fn no_object(&mut self, literals: &[FormulaId], depth: u32) -> bool {
        let (mut min, mut max) = (0, u64::MAX);
        let mut required = SmallVec::<[(Rc<str>, FormulaId); 4]>::new();
        for &part in literals {
            match *self.formulas.get(part) {
                Formula::Atom(Atom::MinMembers(n)) => min = min.max(n),
                Formula::Atom(Atom::MaxMembers(n)) => max = max.min(n),
                Formula::Atom(Atom::SomeKey { keys, demand }) => {
                    if let Formula::Atom(Atom::StringIn(set, true)) = self.formulas.get(keys) {
                        if let [name] = &set[..] {
                            required.push((name.clone(), demand));
                        }
                    }
                }
                _ => {}
            }
        }
        if min > max {
            return true;
        }
        // Names are counted only if that may matter.
        if required.len() as u64 > max {
            let mut names: Vec<&Rc<str>> = required.iter().map(|(name, _)| name).collect();
            names.sort_unstable();
            names.dedup();
            if names.len() as u64 > max {
                return true;
            }
        }
        for (name, own) in &required {
            let mut demands = FewFormulas::from_slice(&[*own]);
            for &part in literals {
                if let Formula::Atom(Atom::AllKeys { keys, demand }) = *self.formulas.get(part) {
                    if self.key_in(keys, name) {
                        demands.push(demand);
                    }
                }
            }
            if demands.contains(&FormulaId::FALSE) {
                return true;
            }
            if depth > 0 && demands.len() > 1 {
                let demand = self.formulas.all(demands);
                if self.is_empty_demand_within(demand, depth) {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether a sorted set contains a number.
pub(crate) fn contains(set: &[Number], number: &Decimal) -> bool {
    set.binary_search_by(|member| member.value.cmp(number)).is_ok()
}

/// A lower bound, tightened to the next whole number if only those count.
fn whole_above(bound: &Decimal, strict: bool, integer: bool) -> (Decimal, bool) {
    if integer && !bound.is_integer() { (bound.ceil(), false) } else { (bound.clone(), strict) }
}
