//! Which branches of `oneOf` a value may satisfy at once.
//!
//! Each branch must exclude those that it overlaps with, and whether two do is a question for the oracle. Asked of all
//! pairs that is half a million questions for a thousand branches. But branches are made to be told apart, by the
//! constants that they are or by a member that each of them has with constants of its own (`kind`, `type`, `op`): those
//! with no constant in common are disjoint, and only the others are asked about.

use super::build::Normal;
use super::formula::{Atom, Formula, FormulaId};
use super::node::Kind;
use crate::decimal::Decimal;
use formwork_grammar::HashMap;
use std::rc::Rc;

/// Names that are tried.
const MAX_NAMES: usize = 8;

/// A scalar.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Constant {
    Null,
    Bool(bool),
    Number(Decimal),
    String(Rc<str>),
}

impl Normal<'_> {
    /// For each of the branches those that come before it and may hold for the same value of a kind, ascending.
    ///
    /// Cost: that of the constants of the branches, and a question to the oracle for each pair that they do not tell apart.
    /// It stops with the formulas' limit.
    pub(super) fn overlaps(&mut self, kind: Kind, branches: &[FormulaId]) -> Vec<Vec<usize>> {
        let constants = self.telling(kind, branches);
        let mut with: HashMap<&Constant, Vec<usize>> = HashMap::default();
        let mut wide: Vec<usize> = Vec::new();
        let mut overlaps = Vec::with_capacity(branches.len());
        for (i, own) in constants.iter().enumerate() {
            let mut others = match own {
                Some(own) => {
                    let mut others = wide.clone();
                    for constant in own {
                        let same = with.entry(constant).or_default();
                        others.extend(same.iter().copied());
                        same.push(i);
                    }
                    others.sort_unstable();
                    others.dedup();
                    others
                }
                None => {
                    wide.push(i);
                    (0..i).collect()
                }
            };
            others.retain(|&other| !self.are_disjoint(kind, branches[i], branches[other]));
            overlaps.push(others);
            if self.formulas.overflow().is_some() {
                break;
            }
        }
        overlaps
    }

    /// The constants that tell branches apart: of each branch those that its values are, or that one member of them is, the
    /// same for all branches; `None` for a branch that says no such thing.
    fn telling(&mut self, kind: Kind, branches: &[FormulaId]) -> Vec<Option<Vec<Constant>>> {
        if kind != Kind::Object {
            let of_branch = |&branch: &FormulaId| self.constants_of(kind, branch);
            return branches.iter().map(of_branch).collect();
        }
        let required: Vec<Vec<(FormulaId, FormulaId)>> =
            branches.iter().map(|&branch| self.required(branch)).collect();
        let mut all: Vec<FormulaId> = required.iter().flatten().map(|&(name, _)| name).collect();
        all.sort_unstable();
        let of_one = all.chunk_by(|one, other| one == other).filter(|of_one| of_one.len() > 1);
        let mut names: Vec<(FormulaId, usize)> = of_one.map(|of_one| (of_one[0], of_one.len())).collect();
        names.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
        // Of the names that most branches have, one tells them apart, mostly the first.
        let mut best: (usize, Vec<Option<Vec<Constant>>>) = (0, vec![None; branches.len()]);
        for (name, n) in names.into_iter().take(MAX_NAMES) {
            if best.0 >= n {
                break;
            }
            let of_branch = |required: &Vec<(FormulaId, FormulaId)>| {
                let (_, demand) = required.iter().find(|(other, _)| *other == name)?;
                self.scalars(*demand)
            };
            let told: Vec<Option<Vec<Constant>>> = required.iter().map(of_branch).collect();
            let n_told = told.iter().flatten().count();
            if n_told > best.0 {
                best = (n_told, told);
            }
        }
        best.1
    }

    /// The members that an object of the formula has: the language of one name, and what is asked of its value.
    fn required(&self, formula: FormulaId) -> Vec<(FormulaId, FormulaId)> {
        let mut present: Vec<FormulaId> = Vec::new();
        let mut asked: Vec<(FormulaId, FormulaId)> = Vec::new();
        for part in self.formulas.few_conjuncts(formula) {
            match *self.formulas.get(part) {
                Formula::Atom(Atom::SomeKey { keys, .. }) => present.push(keys),
                Formula::Atom(Atom::AllKeys { keys, demand }) => asked.push((keys, demand)),
                _ => {}
            }
        }
        present.sort_unstable();
        let is_name = |keys: FormulaId| matches!(self.formulas.get(keys), Formula::Atom(Atom::StringIn(names, true)) if names.len() == 1);
        asked.retain(|(keys, _)| present.binary_search(keys).is_ok() && is_name(*keys));
        asked
    }

    /// The values that satisfy a demand, if it leaves some constants only.
    fn scalars(&mut self, demand: FormulaId) -> Option<Vec<Constant>> {
        let mut all = Vec::new();
        for kind in Kind::ALL {
            let component = self.component(demand, kind).ok()?;
            all.extend(self.constants_of(kind, component)?);
        }
        Some(all)
    }

    /// The values of a kind that satisfy a formula, if that says so outright.
    fn constants_of(&self, kind: Kind, formula: FormulaId) -> Option<Vec<Constant>> {
        Some(match self.formulas.get(formula) {
            Formula::False => Vec::new(),
            Formula::True => match kind {
                Kind::Null => vec![Constant::Null],
                Kind::False | Kind::True => vec![Constant::Bool(kind == Kind::True)],
                _ => return None,
            },
            Formula::Atom(Atom::StringIn(names, true)) => {
                names.iter().cloned().map(Constant::String).collect()
            }
            Formula::Atom(Atom::NumberIn(numbers, true)) => {
                numbers.iter().map(|number| Constant::Number(number.value.clone())).collect()
            }
            _ => return None,
        })
    }
}
