//! Splitting a value by what it is, where demands on it only tell scalars apart.
//!
//! `allOf: [if type = c₁ then …, if type = c₂ then …, …]` leaves after `type` a formula with a demand for each branch. Claimed one
//! by one they would make 2ⁿ alternatives, though the value is at most one of the constants. So where all open demands
//! can be decided for each constant that they mention (and for all other values at once), the value is split into the
//! classes that they tell apart: n + 1 alternatives, no two of which a value satisfies.
//!
//! A constant is in few demands, and all the others are for it what they are for values that nobody mentions. So a class is
//! what the demands are for those, the *base* (of which there is one for each kind at most), and the demands that differ
//! from it: n classes of n demands take n steps, and a formula is settled for each by what differs ([`Settling`]).
//! What a value of a class satisfies needs no n demands either. A demand that is otherwise in every base is satisfied, or
//! not, by the constants alone that it mentions; it says the class, with one more demand for each of those constants that
//! is in another class.
//!
//! [`Settling`]: super::settling::Settling

use super::build::Normal;
use super::formula::{Atom, FewFormulas, Formula, FormulaId};
use super::node::Kind;
use crate::decimal::Decimal;
use formwork_grammar::HashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Constants that one value is compared with, those that several demands mention once for each.
const MAX_CONSTANTS: usize = 20_000;

/// The classes of values that demands tell apart.
#[derive(Debug)]
pub(super) struct Classes {
    /// What the demands are for values of some kind that none of them mentions.
    pub(super) bases: Vec<Vec<bool>>,
    /// The classes of each base one after the other.
    pub(super) classes: Vec<Class>,
}

/// Values for which the same demands hold.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) base: usize,
    /// The demands that are not what they are in the base, ascending.
    pub(super) flipped: Demands,
    /// What the values of the class satisfy, and no others that satisfy what all values do.
    pub(super) demand: FormulaId,
}

/// Demands by their numbers.
type Demands = SmallVec<[usize; 4]>;

impl Classes {
    /// The demands that hold for a class.
    pub(super) fn holding(&self, class: &Class) -> Vec<usize> {
        let base = &self.bases[class.base];
        (0..base.len()).filter(|i| base[*i] != class.flipped.binary_search(i).is_ok()).collect()
    }
}

/// A constant that a demand mentions, and the demand.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Mention<C> {
    constant: C,
    demand: usize,
}

/// A constant that demands mention.
struct Sample {
    base: usize,
    /// The demands that are for it not what they are in the base.
    flipped: Demands,
    class: usize,
}

impl Normal<'_> {
    /// The classes of values that satisfy `claim`; `None` if the demands ask for more than constants and kinds.
    pub(super) fn value_classes(&mut self, claim: FormulaId, demands: &[FormulaId]) -> Option<Classes> {
        let mut bases: Vec<Vec<bool>> = Vec::new();
        let mut samples: Vec<Sample> = Vec::new();
        for kind in Kind::ALL {
            if self.component(claim, kind).ok()? == FormulaId::FALSE {
                continue;
            }
            let of_kind = demands.iter().map(|&demand| self.component(demand, kind).ok());
            let of_kind: FewFormulas = of_kind.collect::<Option<_>>()?;
            let is_constant = |part: &FormulaId| *part == FormulaId::TRUE || *part == FormulaId::FALSE;
            let all_alike = of_kind.iter().all(is_constant);
            if !all_alike && !matches!(kind, Kind::String | Kind::Number) {
                return None;
            }
            let base: Vec<bool> = of_kind.iter().map(|&part| self.holds_for_others(part)).collect();
            let base = bases.iter().position(|other| *other == base).unwrap_or_else(|| {
                bases.push(base);
                bases.len() - 1
            });
            if all_alike {
                continue;
            }
            let left = MAX_CONSTANTS - samples.len();
            match kind {
                Kind::String => {
                    let mentions = self.mentions(&of_kind, left, |atom| match atom {
                        Atom::StringIn(set, _) => Some(set.to_vec()),
                        _ => None,
                    })?;
                    let holds =
                        |this: &mut Self, part, name: &Rc<str>| Some(this.string_satisfies(part, name));
                    self.add_samples(&of_kind, mentions, (base, &bases[base]), &mut samples, holds)?;
                }
                _ => {
                    let mentions = self.mentions(&of_kind, left, |atom| match atom {
                        Atom::NumberIn(set, _) => {
                            Some(set.iter().map(|number| number.value.clone()).collect())
                        }
                        _ => None,
                    })?;
                    let holds = |this: &mut Self, part, number: &Decimal| this.number_satisfies(part, number);
                    self.add_samples(&of_kind, mentions, (base, &bases[base]), &mut samples, holds)?;
                }
            }
        }
        Some(self.classes_of(claim, demands, bases, samples))
    }

    /// The constants that demands mention, with who mentions them, ascending; `None` if a demand asks for something else,
    /// or there are more than `limit`.
    fn mentions<C: Ord>(
        &self,
        demands: &[FormulaId],
        limit: usize,
        of_atom: impl Fn(&Atom) -> Option<Vec<C>>,
    ) -> Option<Vec<Mention<C>>> {
        let mut mentions = Vec::new();
        for (demand, &component) in demands.iter().enumerate() {
            for atom in self.formulas.atom_ids(component) {
                let Formula::Atom(atom) = self.formulas.get(atom) else { continue };
                mentions.extend(of_atom(atom)?.into_iter().map(|constant| Mention { constant, demand }));
                if mentions.len() > limit {
                    return None;
                }
            }
        }
        mentions.sort_unstable();
        mentions.dedup();
        Some(mentions)
    }

    /// Adds the constants for which some demand is not what it is in the base; `None` if that cannot be said.
    fn add_samples<C: Ord>(
        &mut self,
        demands: &[FormulaId],
        mentions: Vec<Mention<C>>,
        (base, truths): (usize, &[bool]),
        samples: &mut Vec<Sample>,
        mut holds: impl FnMut(&mut Self, FormulaId, &C) -> Option<bool>,
    ) -> Option<()> {
        for of_one in mentions.chunk_by(|one, other| one.constant == other.constant) {
            let mut flipped = Demands::new();
            for Mention { constant, demand } in of_one {
                if holds(self, demands[*demand], constant)? != truths[*demand] {
                    flipped.push(*demand);
                }
            }
            samples.push(Sample { base, flipped, class: 0 });
        }
        Some(())
    }

    /// Puts constants into classes, and says of each what its values satisfy.
    fn classes_of(
        &mut self,
        claim: FormulaId,
        demands: &[FormulaId],
        bases: Vec<Vec<bool>>,
        mut samples: Vec<Sample>,
    ) -> Classes {
        let others = (0..bases.len()).map(|base| Class { base, flipped: Demands::new(), demand: claim });
        let mut classes: Vec<Class> = others.collect();
        let mut numbers: HashMap<(usize, Demands), usize> = HashMap::default();
        let n_bases = classes.len();
        // The constants for which a demand is not what it is in their base.
        let mut flips: Vec<Vec<usize>> = vec![Vec::new(); demands.len()];
        for (i, sample) in samples.iter_mut().enumerate() {
            for &demand in &sample.flipped {
                flips[demand].push(i);
            }
            if sample.flipped.is_empty() {
                sample.class = sample.base;
                continue;
            }
            let next = n_bases + numbers.len();
            sample.class = *numbers.entry((sample.base, sample.flipped.clone())).or_insert(next);
            if sample.class == next {
                classes.push(Class { base: sample.base, flipped: sample.flipped.clone(), demand: claim });
            }
        }
        // Demands that are in every base the same.
        let is_same = |demand: usize| bases.iter().all(|base| base[demand] == bases[0][demand]);
        for (number, class) in classes.iter_mut().enumerate() {
            let Class { base, flipped, .. } = &*class;
            let holds = |demand: usize| bases[*base][demand] != flipped.binary_search(&demand).is_ok();
            let of_constants = flipped.iter().copied().filter(|&demand| is_same(demand));
            let mut said = Demands::new();
            match of_constants.min_by_key(|&demand| flips[demand].len()) {
                Some(demand) => {
                    said.push(demand);
                    for &sample in &flips[demand] {
                        let Sample { base: of, flipped: other, class: of_sample } = &samples[sample];
                        let differs = |demand: &usize| {
                            holds(*demand) != (bases[*of][*demand] != other.binary_search(demand).is_ok())
                        };
                        if *of_sample == number || said.iter().any(differs) {
                            continue;
                        }
                        said.extend(match of == base {
                            true => flipped.iter().chain(other).copied().find(|demand| differs(demand)),
                            false => (0..demands.len()).find(differs),
                        });
                    }
                    said.sort_unstable();
                }
                None => said.extend(0..demands.len()),
            }
            let said: FewFormulas = said
                .into_iter()
                .map(|demand| match holds(demand) {
                    true => demands[demand],
                    false => self.formulas.negate(demands[demand]),
                })
                .collect();
            class.demand = self.formulas.all([claim].into_iter().chain(said));
        }
        Classes { bases, classes }
    }

    /// Whether a formula over sets holds for what none of them contains.
    fn holds_for_others(&self, formula: FormulaId) -> bool {
        self.formulas.holds(formula, &mut |_, atom| {
            matches!(atom, Atom::StringIn(_, false) | Atom::NumberIn(_, false))
        })
    }
}
