//! One formula settled in many ways that are nearly the same.
//!
//! Where a value tells branches apart (`anyOf` of a thousand tools, each with its own `name`) a derivative has an atom for
//! each branch, and each of a thousand classes of values makes one of them true. Settled from the root each time that is
//! a million atoms. But almost all are what they are for a value that no branch mentions, the *base*: so the formula is
//! settled once for it, each part is remembered with what is left of its own parts, and a class goes from the atoms in
//! which it differs up to the root. Of parts that became constants nothing is left to go through.
//!
//! # Worked example
//! (V₁ ∧ a) ∨ (V₂ ∧ b) ∨ (V₃ ∧ c), base: all false. The disjunction has nothing left in it. With V₂ true V₂ ∧ b becomes b,
//! and the disjunction, of nothing and b, b.

use super::formula::{Dependence, FewFormulas, Formula, FormulaId, Formulas};
use formwork_grammar::HashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A part of the formula that some of the atoms are in.
#[derive(Debug)]
struct Part {
    /// The parts that it is in, and at which of their places.
    above: SmallVec<[(usize, u32); 2]>,
    /// What it is with the base.
    settled: FormulaId,
    inside: Inside,
}

#[derive(Debug)]
enum Inside {
    /// One of the atoms, by its number.
    Atom(usize),
    Join(Join),
}

/// A conjunction or a disjunction.
#[derive(Debug)]
struct Join {
    is_and: bool,
    places: Rc<[FormulaId]>,
    /// The parts at its places, where some atom is in them.
    parts: Vec<Option<usize>>,
    /// With the base: the places that are no constants, with what they are.
    left: Vec<(u32, FormulaId)>,
    /// With the base: the places that decide it.
    n_deciding: usize,
}

/// A formula that is settled again and again.
#[derive(Debug)]
pub(super) struct Settling {
    formula: FormulaId,
    /// What lies in a part has a lower number; the whole formula is the last.
    parts: Vec<Part>,
    numbers: HashMap<FormulaId, Option<usize>>,
    /// Of each atom, if it is in the formula.
    leaves: Vec<Option<usize>>,
}

/// A place in a part, and what is there with the base and now.
type Change = (u32, FormulaId, FormulaId);
type Changes = SmallVec<[Change; 2]>;

fn constant(holds: bool) -> FormulaId {
    if holds { FormulaId::TRUE } else { FormulaId::FALSE }
}

impl Settling {
    /// Of a formula, in these atoms. Cost: that of the parts that the atoms may be in.
    pub(super) fn new(formulas: &Formulas, formula: FormulaId, atoms: &[FormulaId]) -> Self {
        let mut this =
            Self { formula, parts: Vec::new(), numbers: HashMap::default(), leaves: vec![None; atoms.len()] };
        let atoms: HashMap<FormulaId, usize> = atoms.iter().copied().zip(0..).collect();
        let on = atoms.keys().fold(Dependence::default(), |on, &atom| on | formulas.dependence(atom));
        this.find(formulas, formula, on, &atoms);
        this
    }

    /// The number of a part; `None` if no atom is in it. The depth limit of formulas bounds the recursion.
    fn find(
        &mut self,
        formulas: &Formulas,
        id: FormulaId,
        on: Dependence,
        atoms: &HashMap<FormulaId, usize>,
    ) -> Option<usize> {
        // Atoms that depend on no member may be anywhere.
        if formulas.dependence(id).excludes(on) && on != Dependence::default() {
            return None;
        }
        if let Some(&known) = self.numbers.get(&id) {
            return known;
        }
        let inside = match formulas.get(id) {
            Formula::Atom(_) => atoms.get(&id).map(|&atom| Inside::Atom(atom)),
            Formula::False | Formula::True => None,
            Formula::And(places) | Formula::Or(places) => {
                let is_and = matches!(formulas.get(id), Formula::And(_));
                let places = places.clone();
                let parts: Vec<Option<usize>> =
                    places.iter().map(|&place| self.find(formulas, place, on, atoms)).collect();
                let join = Join { is_and, places, parts, left: Vec::new(), n_deciding: 0 };
                join.parts.iter().any(Option::is_some).then_some(Inside::Join(join))
            }
        };
        let number = inside.map(|inside| {
            let number = self.parts.len();
            match &inside {
                Inside::Atom(atom) => self.leaves[*atom] = Some(number),
                Inside::Join(join) => {
                    for (place, &part) in (0..).zip(&join.parts) {
                        if let Some(part) = part {
                            self.parts[part].above.push((number, place));
                        }
                    }
                }
            }
            self.parts.push(Part { above: SmallVec::new(), settled: id, inside });
            number
        });
        self.numbers.insert(id, number);
        number
    }

    /// Sets what the atoms are from which others differ. Cost: that of the parts with atoms in them.
    pub(super) fn set_base(&mut self, formulas: &mut Formulas, truths: &[bool]) {
        for number in 0..self.parts.len() {
            let (below, rest) = self.parts.split_at_mut(number);
            let part = &mut rest[0];
            part.settled = match &mut part.inside {
                Inside::Atom(atom) => constant(truths[*atom]),
                Inside::Join(join) => {
                    join.left.clear();
                    join.n_deciding = 0;
                    for ((place, &id), part) in (0..).zip(join.places.iter()).zip(&join.parts) {
                        let id = part.map_or(id, |part| below[part].settled);
                        if id == constant(!join.is_and) {
                            join.n_deciding += 1;
                        } else if id != constant(join.is_and) {
                            join.left.push((place, id));
                        }
                    }
                    match join.n_deciding {
                        0 => formulas.join_all(join.left.iter().map(|&(_, id)| id), join.is_and),
                        _ => constant(!join.is_and),
                    }
                }
            };
        }
    }

    /// The formula with all atoms as in the base but these. Cost: of each part above one of them, what the base left of it.
    pub(super) fn settled(
        &self,
        formulas: &mut Formulas,
        truths: &[bool],
        flipped: impl IntoIterator<Item = usize>,
    ) -> FormulaId {
        let Some(last) = self.parts.len().checked_sub(1) else { return self.formula };
        // By number, so that a part comes after all that lies in it.
        let mut changed: BTreeMap<usize, Changes> = BTreeMap::new();
        let change = |changed: &mut BTreeMap<usize, Changes>, number: usize, new: FormulaId| {
            let part = &self.parts[number];
            for &(above, place) in part.above.iter().filter(|_| part.settled != new) {
                changed.entry(above).or_default().push((place, part.settled, new));
            }
        };
        for atom in flipped {
            let Some(leaf) = self.leaves[atom] else { continue };
            if leaf == last {
                return constant(!truths[atom]);
            }
            change(&mut changed, leaf, constant(!truths[atom]));
        }
        while let Some((number, mut changes)) = changed.pop_first() {
            let Inside::Join(join) = &self.parts[number].inside else { continue };
            changes.sort_unstable_by_key(|&(place, ..)| place);
            let deciding = constant(!join.is_and);
            let mut n_deciding = join.n_deciding;
            n_deciding += changes.iter().filter(|&&(_, _, new)| new == deciding).count();
            n_deciding -= changes.iter().filter(|&&(_, old, _)| old == deciding).count();
            let new = match n_deciding {
                0 => formulas.join_all(merged(&join.left, &changes), join.is_and),
                _ => deciding,
            };
            if number == last {
                return new;
            }
            change(&mut changed, number, new);
        }
        self.parts[last].settled
    }
}

/// What is at the places, some of them changed.
fn merged(left: &[(u32, FormulaId)], changes: &[Change]) -> FewFormulas {
    let mut all = FewFormulas::with_capacity(left.len() + changes.len());
    let mut changes = changes.iter().peekable();
    for &(place, id) in left {
        while let Some(&(_, _, new)) = changes.next_if(|&&(other, ..)| other < place) {
            all.push(new);
        }
        match changes.next_if(|&&(other, ..)| other == place) {
            Some(&(_, _, new)) => all.push(new),
            None => all.push(id),
        }
    }
    all.extend(changes.map(|&(_, _, new)| new));
    all
}
