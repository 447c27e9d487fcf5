//! How a derivative splits into demands on the value just read and what must hold afterwards.
//!
//! A derivative is a monotone formula over demands and residual atoms. Wanted are pairs (demand, residual) whose union
//! it is. Conjuncts that speak of the value alone are claimed at once: on ordinary schemas that is all there is.
//! What only compares the value with constants splits it into classes ([`Normal::value_classes`]).
//! Else one demand is picked, and either claimed or left out; by monotonicity the branch that leaves it out imposes
//! nothing, so no complement is needed.
//!
//! That tells apart which of several overlapping demands a value satisfies, of which there are as many as there are sets of
//! them: too many where seventeen builders of an application have options of their own, and nothing before says whose these are.
//! Then disjunctions are split instead, each part with what it demands itself: as many ways as there are parts, though a value may
//! go several of them.

use super::build::Normal;
use super::classes::Classes;
use super::formula::{Atom, Dependence, FewFormulas, Formula, FormulaId, Formulas};
use super::settling::Settling;
use crate::distinct::Distinct;
use crate::error::Error;
use formwork_grammar::HashMap;
use std::rc::Rc;

/// One way to read a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alternative {
    /// What the value must satisfy.
    pub(crate) demand: FormulaId,
    /// What must hold after it.
    pub(crate) rest: FormulaId,
}

impl Normal<'_> {
    /// The ways to read a value that satisfies `claim` and with which the derivative holds; `pointer` names the schema in
    /// errors.
    pub(crate) fn choices(
        &mut self,
        claim: FormulaId,
        derivative: FormulaId,
        pointer: &str,
    ) -> Result<Rc<[Alternative]>, Error> {
        // Where values are indented, each depth has rules of its own, and asks again.
        if let Some(known) = self.known_choices.get(&(claim, derivative)) {
            return Ok(known.clone());
        }
        let ways: Rc<[Alternative]> = self.find_choices(claim, derivative, pointer)?.into();
        self.known_choices.insert((claim, derivative), ways.clone());
        Ok(ways)
    }

    fn find_choices(
        &mut self,
        claim: FormulaId,
        derivative: FormulaId,
        pointer: &str,
    ) -> Result<Vec<Alternative>, Error> {
        if let Some(ways) = self.ways(claim, derivative, false, pointer)? {
            return Ok(ways);
        }
        if let Some(ways) = self.ways(claim, derivative, true, pointer)? {
            return Ok(ways);
        }
        Err(self.too_many_ways("it", "a required first property that tells them apart", pointer))
    }

    /// The conditions on a member leave too many ways to satisfy them.
    pub(super) fn too_many_ways(&self, on: &str, apart: &str, pointer: &str) -> Error {
        let limit = self.reader.options.limits.max_alternatives;
        let mut message = format!(
            "a member has more than {limit} ways to satisfy the conditions on {on}; fewer overlapping alternatives, or {apart}, help"
        );
        if self.reader.fates.enforced.iter().any(|(_, keyword)| *keyword == "oneOf") {
            message += ", and so may `relax: [\"oneOf\"]`, which reads `oneOf` as `anyOf` and reports it";
        }
        Error::limit(pointer, message)
    }

    /// The ways, found by picking demands or by splitting disjunctions; `None` if there are too many.
    fn ways(
        &mut self,
        claim: FormulaId,
        derivative: FormulaId,
        splits: bool,
        pointer: &str,
    ) -> Result<Option<Vec<Alternative>>, Error> {
        let limit = self.reader.options.limits.max_alternatives;
        let mut out: Vec<Alternative> = Vec::new();
        let mut by_rest = Distinct::default();
        let mut n_steps = 0usize;
        let mut todo = vec![(claim, derivative)];
        while let Some((claim, formula)) = todo.pop() {
            // What was put there for later knows its claim.
            let is_new = n_steps == 0 && claim != FormulaId::TRUE;
            n_steps += 1;
            if n_steps > 16 * limit {
                return Ok(None);
            }
            let (claim, rest) = self.claim(claim, formula, is_new);
            if rest == FormulaId::FALSE || claim == FormulaId::FALSE {
                continue;
            }
            let (atoms, demands): (Vec<_>, Vec<_>) = self.open(rest).into_iter().unzip();
            let (Some(&atom), Some(&demand)) = (atoms.first(), demands.first()) else {
                if claim == FormulaId::TRUE || !self.is_empty_demand(claim) {
                    match out.get_mut(by_rest.number(&rest)) {
                        Some(other) => other.demand = self.formulas.any([other.demand, claim]),
                        None => out.push(Alternative { demand: claim, rest }),
                    }
                }
                continue;
            };
            if let Some(classes) = self.value_classes(claim, &demands) {
                let rests = self.settled_by(rest, &atoms, &classes);
                let ways = classes.classes.iter().zip(rests).rev();
                todo.extend(
                    ways.filter(|(_, rest)| *rest != FormulaId::FALSE)
                        .map(|(class, rest)| (class.demand, rest)),
                );
                continue;
            }
            if splits {
                for part in self.split(rest).into_iter().rev() {
                    todo.push((claim, self.known(claim, part)));
                }
            } else {
                let left_out = self.settle(rest, atom, FormulaId::FALSE);
                let claimed = self.settle(rest, atom, FormulaId::TRUE);
                todo.push((claim, left_out));
                if claimed != left_out {
                    let claim = self.formulas.all([claim, demand]);
                    todo.push((claim, self.known(claim, claimed)));
                }
            }
            if let Some(overflow) = self.formulas.overflow() {
                return Err(Error::limit(pointer, overflow.to_string()));
            }
        }
        // Alternatives are found last first.
        out.reverse();
        Ok(Some(out))
    }

    /// Formulas whose disjunction it is, one for each part of a disjunction in it that asks something of the value.
    fn split(&mut self, formula: FormulaId) -> Vec<FormulaId> {
        let parts = self.formulas.conjuncts(formula);
        let disjuncts = |this: &Self, part: FormulaId| match this.formulas.get(part) {
            Formula::Or(parts) if !this.formulas.dependence(part).excludes(Dependence::VALUE) => {
                Some(parts.clone())
            }
            _ => None,
        };
        let found = parts.iter().enumerate().find_map(|(i, &part)| Some((i, disjuncts(self, part)?)));
        let Some((i, disjuncts)) = found else { return vec![formula] };
        let others = |&j: &usize| j != i;
        let others: Vec<FormulaId> = (0..parts.len()).filter(others).map(|j| parts[j]).collect();
        disjuncts
            .iter()
            .map(|&disjunct| self.formulas.all(others.iter().copied().chain([disjunct])))
            .collect()
    }

    fn settle(&mut self, formula: FormulaId, atom: FormulaId, value: FormulaId) -> FormulaId {
        let settle = &mut |_: &mut Formulas, id, _: &Atom| if id == atom { value } else { id };
        self.formulas.replace_dependent(formula, Dependence::VALUE, settle)
    }

    /// What is left of a formula for each class of a value, with what the class says of these atoms.
    pub(super) fn settled_by(
        &mut self,
        formula: FormulaId,
        atoms: &[FormulaId],
        classes: &Classes,
    ) -> Vec<FormulaId> {
        let mut settling = Settling::new(&self.formulas, formula, atoms);
        let mut rests = vec![FormulaId::FALSE; classes.classes.len()];
        for (number, base) in classes.bases.iter().enumerate() {
            settling.set_base(&mut self.formulas, base);
            for (class, rest) in
                classes.classes.iter().zip(&mut rests).filter(|(class, _)| class.base == number)
            {
                *rest = settling.settled(&mut self.formulas, base, class.flipped.iter().copied());
            }
        }
        rests
    }

    /// [`Self::settle_all`] for what is asked of the value just read.
    ///
    /// PERF: of the conditions of a large object few ask anything of one value.
    fn settle_values(&mut self, formula: FormulaId, settled: &HashMap<FormulaId, FormulaId>) -> FormulaId {
        self.formulas.replace_dependent(formula, Dependence::VALUE, &mut |_, id, _| {
            settled.get(&id).copied().unwrap_or(id)
        })
    }

    pub(super) fn settle_all(
        &mut self,
        formula: FormulaId,
        settled: &HashMap<FormulaId, FormulaId>,
    ) -> FormulaId {
        self.formulas.replace(formula, &mut HashMap::default(), &mut |_, id, _| {
            settled.get(&id).copied().unwrap_or(id)
        })
    }

    /// The atoms that ask something of the value just read, with what they ask.
    fn open(&self, formula: FormulaId) -> Vec<(FormulaId, FormulaId)> {
        if self.formulas.dependence(formula).excludes(Dependence::VALUE) {
            return Vec::new();
        }
        let asked = |atom: FormulaId| match self.formulas.get(atom) {
            Formula::Atom(Atom::Value(demand)) => Some((atom, *demand)),
            _ => None,
        };
        self.formulas.atom_ids(formula).into_iter().filter_map(asked).collect()
    }

    /// Moves the conjuncts that speak of the value alone into the claim, of which the formula knows nothing yet if it
    /// `is_new`.
    fn claim(
        &mut self,
        mut claim: FormulaId,
        mut formula: FormulaId,
        mut is_new: bool,
    ) -> (FormulaId, FormulaId) {
        loop {
            if self.formulas.dependence(formula).excludes(Dependence::VALUE) {
                return (claim, formula);
            }
            let (mut own, mut rest) = (FewFormulas::new(), FewFormulas::new());
            for part in self.formulas.few_conjuncts(formula) {
                let is_value =
                    |atom: &FormulaId| matches!(self.formulas.get(*atom), Formula::Atom(Atom::Value(_)));
                let alone = !self.formulas.dependence(part).excludes(Dependence::VALUE)
                    && self.formulas.atom_ids(part).iter().all(is_value);
                if alone { own.push(part) } else { rest.push(part) }
            }
            if own.is_empty() && !is_new {
                return (claim, formula);
            }
            is_new = false;
            let own = self.formulas.all(own);
            let own = self.formulas.replace(own, &mut HashMap::default(), &mut |_, id, atom| match atom {
                Atom::Value(demand) => *demand,
                _ => id,
            });
            claim = self.formulas.all([claim, own]);
            formula = self.formulas.some_of(&rest);
            formula = self.known(claim, formula);
        }
    }

    /// Settles the demands of a formula that a claim implies or excludes.
    fn known(&mut self, claim: FormulaId, formula: FormulaId) -> FormulaId {
        let mut settled: HashMap<FormulaId, FormulaId> = HashMap::default();
        for (id, demand) in self.open(formula) {
            let both = self.formulas.all([claim, demand]);
            if self.is_empty_demand(both) {
                settled.insert(id, FormulaId::FALSE);
                continue;
            }
            let negation = self.formulas.negate(demand);
            let other = self.formulas.all([claim, negation]);
            if self.is_empty_demand(other) {
                settled.insert(id, FormulaId::TRUE);
            }
        }
        if settled.is_empty() {
            return formula;
        }
        self.settle_values(formula, &settled)
    }
}
