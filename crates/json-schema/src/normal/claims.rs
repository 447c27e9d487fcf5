//! The ways to read a member where members come in any order.
//!
//! In one order the state of an object's machine is a residual, and each residual has its own ways to read the next member
//! ([`Normal::choices`]). In any order there are as many residuals as subsets of the members. So the ways are found once
//! for each name, before anything came: lists of *claims*, sets of demands that the value is known to satisfy, such that
//! whatever else comes, a value that helps the formula helps it by one of them. Then the formula itself is a condition on
//! which names came with which claims, and the engine decides it (`lower/any_order.rs`).
//!
//! The derivative by the name is monotone in its demands, so its structure says which claims are enough:
//! - of a disjunction, the claims of each part: one part that holds is enough;
//! - of a conjunction, the unions of one of each part's;
//! - where a conjunction has several parts with demands, and another name's value is compared with constants in it, the
//!   claims for each of that value's classes and for its absence: `if kind = c₁ then …, if kind = c₂ then …` asks only one
//!   `then` of a value, and n + 1 claims are enough instead of 2ⁿ;
//! - where all demands only compare the value with constants, its own classes.
//!
//! Claims that leave the same residual are one way, whose value satisfies either.
//!
//! The condition knows of a value what its way claims, and no more: of a demand and its negation it may know neither. So
//! the derivative is not simplified by the one being the other's negation ([`Atom::Claim`]): what would be left of
//! (value: S ∧ r) ∨ (value: ¬S ∧ r), claims nothing, and the condition would find neither part.
//!
//! # Worked example
//! `anyOf: [{a: S, b: T}, {a: U}]` (`a: S` meaning that a, if it comes, satisfies S): the derivative by `a` is
//! (value: S ∧ b: T) ∨ value: U. Claims are {S} and {U}. Not {S, U}: what it leaves is what {U} leaves. By `b`: value: T
//! ∧ a: S, or a: U alone; claims are {T} and {}. An object with `a` in U only and `b` not in T came with the claims {U}
//! and {}, of which the second branch holds.

use super::build::Normal;
use super::derive::Key;
use super::formula::{Atom, Formula, FormulaId};
use super::settling::Settling;
use crate::error::Error;
use formwork_grammar::{HashMap, HashSet};
use std::rc::Rc;

/// How many names one after the other are told apart by their values.
const MAX_TAGS: usize = 3;

/// One way to read a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claims {
    /// What the value must satisfy.
    pub(crate) demand: FormulaId,
    /// The formula's demands on members of this key that such a value is known to satisfy.
    pub(crate) satisfied: HashSet<FormulaId>,
}

/// Claimed atoms, ascending.
type Set = Vec<FormulaId>;

/// An atom about one name: itself, its demand, and whether it speaks of every member.
type TagAtom = (FormulaId, FormulaId, bool);

/// What is known of names that come at most once: what their values satisfy in any case.
pub(crate) type Tags = HashMap<Rc<str>, FormulaId>;

impl Normal<'_> {
    /// The ways to read the value of a key that satisfies `demand`, under a formula over all members; `tags` are the other
    /// names that come at most once. `pointer` names the schema in errors.
    pub(crate) fn claims(
        &mut self,
        formula: FormulaId,
        key: Key<'_>,
        demand: FormulaId,
        tags: &Tags,
        pointer: &str,
    ) -> Result<Vec<Claims>, Error> {
        // Of the conditions of a large object a member concerns few; the others stay what they are, whatever its value.
        let mut concerned = self.formulas.few_conjuncts(formula);
        concerned.retain(|part| !self.is_indifferent(*part, key));
        let formula = self.formulas.some_of(&concerned);
        let mut after = self.after_member_with(formula, key, Atom::Claim);
        // What the value satisfies or cannot satisfy in any case.
        let mut settled: HashMap<FormulaId, FormulaId> = HashMap::default();
        let mut satisfied: HashSet<FormulaId> = HashSet::default();
        let (mut atoms, mut demands) = (Vec::new(), Vec::new());
        for (id, atom) in self.formulas.atoms(after) {
            let Atom::Claim(asked) = atom else { continue };
            let both = self.formulas.all([demand, asked]);
            let negation = self.formulas.negate(asked);
            let other = self.formulas.all([demand, negation]);
            if self.is_empty_demand(both) {
                settled.insert(id, FormulaId::FALSE);
            } else if self.is_empty_demand(other) {
                settled.insert(id, FormulaId::TRUE);
                satisfied.insert(asked);
            } else {
                atoms.push(id);
                demands.push(asked);
            }
        }
        after = self.settle_all(after, &settled);
        if atoms.is_empty() {
            return Ok(vec![Claims { demand, satisfied }]);
        }
        let mut ways: Vec<(FormulaId, Set, FormulaId)> = Vec::new();
        let mut limit = self.reader.options.limits.max_alternatives;
        if let Some(classes) = self.value_classes(demand, &demands) {
            // As many as there are constants, and no product of anything.
            limit = usize::MAX;
            let rests = self.settled_by(after, &atoms, &classes);
            for (class, rest) in classes.classes.iter().zip(rests) {
                let claimed = classes.holding(class).into_iter().map(|i| atoms[i]).collect();
                ways.push((class.demand, claimed, rest));
            }
        } else {
            let sets = self.claim_sets(after, tags, 0, limit).ok_or_else(|| self.too_many(pointer))?;
            let none = vec![false; atoms.len()];
            let mut settling = Settling::new(&self.formulas, after, &atoms);
            settling.set_base(&mut self.formulas, &none);
            let numbers: HashMap<FormulaId, usize> = atoms.iter().copied().zip(0..).collect();
            for set in sets {
                let claimed: Vec<usize> = set.iter().filter_map(|atom| numbers.get(atom)).copied().collect();
                let all: Vec<FormulaId> = claimed.iter().map(|&i| demands[i]).chain([demand]).collect();
                let rest = settling.settled(&mut self.formulas, &none, claimed);
                ways.push((self.formulas.all(all), set, rest));
            }
        }
        // By what they leave.
        let mut merged: Vec<(FormulaId, FormulaId, Set)> = Vec::new();
        let mut by_rest: HashMap<FormulaId, usize> = HashMap::default();
        for (demand, claimed, rest) in ways {
            if rest == FormulaId::FALSE || self.is_empty_demand(demand) {
                continue;
            }
            match by_rest.get(&rest) {
                Some(&at) => merged[at].1 = self.formulas.any([merged[at].1, demand]),
                None => {
                    by_rest.insert(rest, merged.len());
                    merged.push((rest, demand, claimed));
                }
            }
        }
        if let Some(overflow) = self.formulas.overflow() {
            return Err(Error::limit(pointer, overflow.to_string()));
        }
        if merged.len() > limit {
            return Err(self.too_many(pointer));
        }
        let of: HashMap<FormulaId, FormulaId> = atoms.into_iter().zip(demands).collect();
        let claims = merged.into_iter().map(|(_, demand, claimed)| {
            let claimed = claimed.iter().filter_map(|atom| of.get(atom)).copied();
            Claims { demand, satisfied: satisfied.iter().copied().chain(claimed).collect() }
        });
        Ok(claims.collect())
    }

    fn too_many(&self, pointer: &str) -> Error {
        self.too_many_ways("it in any order", "a property whose constants tell them apart", pointer)
    }

    /// Claims that are enough for a derivative; `None` if there are too many. The depth limit of formulas and
    /// [`MAX_TAGS`] bound the recursion.
    fn claim_sets(
        &mut self,
        formula: FormulaId,
        tags: &Tags,
        n_tags: usize,
        limit: usize,
    ) -> Option<Vec<Set>> {
        let has_values = |this: &Self, formula: FormulaId| {
            this.formulas.atoms(formula).iter().any(|(_, atom)| matches!(atom, Atom::Claim(_)))
        };
        let parts: Rc<[FormulaId]> = match self.formulas.get(formula) {
            Formula::False => return Some(Vec::new()),
            Formula::Atom(Atom::Claim(_)) => return Some(vec![vec![formula]]),
            Formula::True | Formula::Atom(_) => return Some(vec![Set::new()]),
            Formula::Or(parts) => {
                let parts = parts.clone();
                let mut all: Vec<Set> = Vec::new();
                for &part in parts.iter() {
                    all.extend(self.claim_sets(part, tags, n_tags, limit)?);
                    if all.len() > 16 * limit {
                        return None;
                    }
                }
                distinct(&mut all);
                return (all.len() <= 4 * limit).then_some(all);
            }
            Formula::And(parts) => parts.clone(),
        };
        let parts: Vec<FormulaId> = parts.iter().copied().filter(|&part| has_values(self, part)).collect();
        if parts.len() > 1 && n_tags < MAX_TAGS {
            if let Some(cases) = self.cases(formula, tags) {
                let mut all: Vec<Set> = Vec::new();
                for case in cases {
                    all.extend(self.claim_sets(case, tags, n_tags + 1, limit)?);
                    distinct(&mut all);
                }
                return (all.len() <= 4 * limit).then_some(all);
            }
        }
        let mut all = vec![Set::new()];
        for part in parts {
            let ways = self.claim_sets(part, tags, n_tags, limit)?;
            if all.len() * ways.len() > 16 * limit {
                return None;
            }
            let pairs = all.iter().flat_map(|one| ways.iter().map(move |other| [&one[..], other].concat()));
            all = pairs.collect();
            distinct(&mut all);
        }
        (all.len() <= 4 * limit).then_some(all)
    }

    /// The formula for each class of the value of one other name, and for its absence: of the name that most of it depends on.
    fn cases(&mut self, formula: FormulaId, tags: &Tags) -> Option<Vec<FormulaId>> {
        let mut names: Vec<(Rc<str>, Vec<TagAtom>)> = Vec::new();
        for (id, atom) in self.formulas.atoms(formula) {
            let (keys, demand, every) = match atom {
                Atom::AllKeys { keys, demand } => (keys, demand, true),
                Atom::SomeKey { keys, demand } => (keys, demand, false),
                _ => continue,
            };
            let Formula::Atom(Atom::StringIn(set, true)) = self.formulas.get(keys) else { continue };
            let [name] = &set[..] else { continue };
            if !tags.contains_key(name) {
                continue;
            }
            match names.iter_mut().find(|(other, _)| other == name) {
                Some((_, atoms)) => atoms.push((id, demand, every)),
                None => names.push((name.clone(), vec![(id, demand, every)])),
            }
        }
        names.sort_by_key(|(_, atoms)| std::cmp::Reverse(atoms.len()));
        for (name, atoms) in names {
            let demands: Vec<FormulaId> = atoms.iter().map(|&(_, demand, _)| demand).collect();
            let constant = |demand: &FormulaId| matches!(*demand, FormulaId::TRUE | FormulaId::FALSE);
            if demands.iter().all(constant) {
                continue;
            }
            let Some(classes) = self.value_classes(tags[&name], &demands) else { continue };
            let truth = |holds: bool| if holds { FormulaId::TRUE } else { FormulaId::FALSE };
            let absent = atoms.iter().map(|&(id, _, every)| (id, truth(every))).collect();
            let ids: Vec<FormulaId> = atoms.iter().map(|&(id, ..)| id).collect();
            let mut cases = self.settled_by(formula, &ids, &classes);
            cases.push(self.settle_all(formula, &absent));
            cases.sort_unstable();
            cases.dedup();
            return Some(cases);
        }
        None
    }
}

/// Sorts sets, and drops those that are there twice.
fn distinct(sets: &mut Vec<Set>) {
    for set in sets.iter_mut() {
        set.sort_unstable();
        set.dedup();
    }
    let mut seen: HashSet<Set> = HashSet::default();
    sets.retain(|set| seen.insert(set.clone()));
}
