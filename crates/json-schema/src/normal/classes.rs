//! Splitting a value by what it is, where demands on it only tell scalars apart.
//!
//! `allOf: [if type = c₁ then …, if type = c₂ then …, …]` leaves after `type` a formula with a demand for each branch. Claimed one
//! by one they would make 2ⁿ alternatives, though the value is at most one of the constants. So where all open demands
//! can be decided for each constant that they mention (and for all other values at once), the value is split into the
//! classes that they tell apart: n + 1 alternatives, no two of which a value satisfies.

use super::build::Normal;
use super::formula::{Atom, FormulaId};
use super::node::Kind;
use crate::decimal::Decimal;
use formwork_grammar::HashMap;
use std::rc::Rc;

/// Constants that one value is compared with.
const MAX_CONSTANTS: usize = 2_000;

/// One of the values that stand for all.
enum Sample {
    /// Any value of a kind whose values are all alike to the demands.
    Any(Kind),
    String(Rc<str>),
    Number(Decimal),
    /// Strings or numbers that no demand mentions.
    Other(Kind),
}

impl Normal<'_> {
    /// The classes of values that satisfy `claim`, as truth values of the demands; `None` if these ask for more than
    /// constants and kinds.
    pub(super) fn value_classes(
        &mut self,
        claim: FormulaId,
        demands: &[FormulaId],
    ) -> Option<Vec<Vec<bool>>> {
        let mut samples = Vec::new();
        // The components of the demands by kind, for the kinds that the claim leaves.
        let mut components: HashMap<Kind, Vec<FormulaId>> = HashMap::default();
        for kind in Kind::ALL {
            if self.component(claim, kind).ok()? == FormulaId::FALSE {
                continue;
            }
            let of_kind: Vec<FormulaId> =
                demands.iter().map(|&demand| self.component(demand, kind).ok()).collect::<Option<_>>()?;
            match kind {
                Kind::String => {
                    let mut names: Vec<Rc<str>> = Vec::new();
                    for &component in &of_kind {
                        for (_, atom) in self.formulas.atoms(component) {
                            let Atom::StringIn(set, _) = atom else { return None };
                            names.extend(set.iter().cloned());
                        }
                    }
                    names.sort_unstable();
                    names.dedup();
                    samples.extend(names.into_iter().map(Sample::String));
                    samples.push(Sample::Other(kind));
                }
                Kind::Number => {
                    let mut numbers: Vec<Decimal> = Vec::new();
                    for &component in &of_kind {
                        for (_, atom) in self.formulas.atoms(component) {
                            let Atom::NumberIn(set, _) = atom else { return None };
                            numbers.extend(set.iter().map(|number| number.value.clone()));
                        }
                    }
                    numbers.sort_unstable();
                    numbers.dedup();
                    samples.extend(numbers.into_iter().map(Sample::Number));
                    samples.push(Sample::Other(kind));
                }
                _ if of_kind.iter().all(|&part| part == FormulaId::TRUE || part == FormulaId::FALSE) => {
                    samples.push(Sample::Any(kind));
                }
                _ => return None,
            }
            components.insert(kind, of_kind);
            if samples.len() > MAX_CONSTANTS {
                return None;
            }
        }
        let mut classes: Vec<Vec<bool>> = Vec::new();
        for sample in samples {
            let kind = match &sample {
                Sample::Any(kind) | Sample::Other(kind) => *kind,
                Sample::String(_) => Kind::String,
                Sample::Number(_) => Kind::Number,
            };
            let mut class = Vec::with_capacity(demands.len());
            for i in 0..demands.len() {
                let component = components[&kind][i];
                class.push(match &sample {
                    Sample::Any(_) => component == FormulaId::TRUE,
                    Sample::String(string) => self.string_satisfies(component, string),
                    Sample::Number(number) => self.number_satisfies(component, number)?,
                    Sample::Other(_) => self.holds_for_others(component),
                });
            }
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        Some(classes)
    }

    /// Whether a formula over sets holds for what none of them contains.
    fn holds_for_others(&self, formula: FormulaId) -> bool {
        self.formulas.holds(formula, &mut |_, atom| {
            matches!(atom, Atom::StringIn(_, false) | Atom::NumberIn(_, false))
        })
    }
}
