//! `unevaluatedProperties` and `unevaluatedItems` as formulas.
//!
//! The standard tells them by annotations that are collected while an instance is validated. Here nothing is collected:
//! what a schema looks at follows from the schema. Along the applicators in place (`$ref`, `allOf`, `anyOf`, `if`, …)
//! every keyword that looks at members is an *evaluator*: a set of keys and the condition under which it counts, a
//! formula over the same object. A branch of `anyOf` counts if it holds, `then` if `if` does, a dependent schema if its
//! name is there. The keys fall into classes that the same evaluators cover, and for each class κ
//!
//! > ∀κ: S  ∨  some evaluator of κ counts
//!
//! is what `unevaluatedProperties: S` says. A class that an unconditional evaluator covers says nothing. The formula is
//! linear in classes and evaluators, and since it says exactly when the keyword holds, its negation is right too.
//! For items the classes are intervals of positions. In 2020-12 `contains` evaluates the items that it finds, wherever
//! they stand: where it counts, the others alone must satisfy S, so κ's items satisfy S or what is contained.

use super::build::{Normal, excluded};
use super::formula::{Atom, Formula, FormulaId};
use super::node::{Kind, NodeContent, NodeId};
use crate::error::Error;
use crate::schema::{Assertion, SchemaAt};
use formwork_grammar::{HashMap, HashSet};
use std::rc::Rc;

/// Key patterns under conditions: classes are what they tell apart.
const MAX_PATTERNS: usize = 8;
/// `contains` under conditions: each subset of them is a way.
const MAX_CONTAINS: usize = 4;

/// What a schema looks at, and when.
#[derive(Default)]
struct Evaluators {
    /// Sets of keys (formulas over strings) with their conditions.
    keys: Vec<(FormulaId, FormulaId)>,
    /// Half-open ranges of positions with their conditions.
    positions: Vec<(u64, u64, FormulaId)>,
    /// Demands of `contains` with their conditions.
    contains: Vec<(FormulaId, FormulaId)>,
}

impl Normal<'_> {
    /// What `unevaluatedProperties` of a node says of objects.
    pub(super) fn unevaluated_properties(
        &mut self,
        node: NodeId,
        schema: SchemaAt,
    ) -> Result<FormulaId, Error> {
        let demand = self.demand(schema);
        if demand == FormulaId::TRUE {
            return Ok(demand);
        }
        let evaluators = self.evaluators(node, Kind::Object)?.keys;
        let yes = FormulaId::TRUE;
        let everywhere: Vec<FormulaId> =
            evaluators.iter().filter(|(keys, _)| *keys == yes).map(|&(_, condition)| condition).collect();
        if everywhere.contains(&yes) {
            return Ok(yes);
        }
        let (mut names, mut patterns): (Vec<Rc<str>>, Vec<FormulaId>) = (Vec::new(), Vec::new());
        for &(keys, _) in &evaluators {
            match self.formulas.get(keys) {
                Formula::Atom(Atom::StringIn(set, true)) => names.extend(set.iter().cloned()),
                _ if keys != yes && !patterns.contains(&keys) => patterns.push(keys),
                _ => {}
            }
        }
        names.sort_unstable();
        names.dedup();
        if patterns.len() > MAX_PATTERNS {
            let pointer = self.reader.registry.forest.pointer_to(self.place(node), "unevaluatedProperties");
            let message = format!("more than {MAX_PATTERNS} patterns of keys stand beside it");
            return Err(Error::limit(pointer, message));
        }
        // Names that the same evaluators cover, in the order in which the first of each was met.
        let mut classes: Vec<(Vec<FormulaId>, Vec<Rc<str>>)> = Vec::new();
        let mut known: HashMap<Vec<FormulaId>, usize> = HashMap::default();
        for name in &names {
            let mut conditions = Vec::new();
            for &(keys, condition) in &evaluators {
                if keys == yes || self.key_in(keys, name) {
                    conditions.push(condition);
                }
            }
            if !conditions.contains(&yes) {
                let class = *known.entry(conditions.clone()).or_insert_with(|| {
                    classes.push((conditions, Vec::new()));
                    classes.len() - 1
                });
                classes[class].1.push(name.clone());
            }
        }
        let mut parts = Vec::new();
        for (conditions, names) in classes {
            let keys = self.formulas.atom(Atom::StringIn(names.into(), true));
            let all = self.formulas.atom(Atom::AllKeys { keys, demand });
            parts.push(self.formulas.any(conditions.into_iter().chain([all])));
        }
        let others = self.formulas.atom(Atom::StringIn(names.into(), false));
        for subset in 0..1u32 << patterns.len() {
            let mut sides = vec![others];
            let mut conditions = everywhere.clone();
            for (i, &pattern) in patterns.iter().enumerate() {
                if subset >> i & 1 == 1 {
                    sides.push(pattern);
                    let own = evaluators.iter().filter(|(keys, _)| *keys == pattern);
                    conditions.extend(own.map(|&(_, condition)| condition));
                } else {
                    sides.push(self.formulas.negate(pattern));
                }
            }
            let keys = self.formulas.all(sides);
            if conditions.contains(&yes) || self.is_empty_component(Kind::String, keys, 0) {
                continue;
            }
            let all = self.formulas.atom(Atom::AllKeys { keys, demand });
            parts.push(self.formulas.any(conditions.into_iter().chain([all])));
        }
        Ok(self.formulas.all(parts))
    }

    /// What `unevaluatedItems` of a node says of arrays.
    pub(super) fn unevaluated_items(&mut self, node: NodeId, schema: SchemaAt) -> Result<FormulaId, Error> {
        let demand = self.demand(schema);
        let Evaluators { positions, contains, .. } = self.evaluators(node, Kind::Array)?;
        let (always, sometimes): (Vec<_>, Vec<_>) =
            contains.into_iter().partition(|&(_, condition)| condition == FormulaId::TRUE);
        let demand = self.formulas.any(always.into_iter().map(|(found, _)| found).chain([demand]));
        if sometimes.len() > MAX_CONTAINS {
            let pointer = self.reader.registry.forest.pointer_to(self.place(node), "unevaluatedItems");
            let message = format!("more than {MAX_CONTAINS} `contains` under conditions stand beside it");
            return Err(Error::limit(pointer, message));
        }
        let mut ends: Vec<u64> = positions.iter().flat_map(|&(from, to, _)| [from, to]).collect();
        ends.extend([0, u64::MAX]);
        ends.sort_unstable();
        ends.dedup();
        let mut parts = Vec::new();
        for range in ends.windows(2) {
            let (from, to) = (range[0], range[1]);
            let mut ways: Vec<FormulaId> = positions
                .iter()
                .filter(|&&(low, high, _)| low <= from && to <= high)
                .map(|&(_, _, condition)| condition)
                .collect();
            for subset in 0..1u32 << sometimes.len() {
                let (mut all, mut demands) = (Vec::new(), vec![demand]);
                for (i, &(found, condition)) in sometimes.iter().enumerate() {
                    if subset >> i & 1 == 1 {
                        all.push(condition);
                        demands.push(found);
                    }
                }
                let demand = self.formulas.any(demands);
                let to = (to < u64::MAX).then_some(to);
                all.push(self.formulas.atom(Atom::All { from, to, demand }));
                ways.push(self.formulas.all(all));
            }
            parts.push(self.formulas.any(ways));
        }
        Ok(self.formulas.all(parts))
    }

    /// What a node looks at, its own `unevaluated…` left aside. The components of what applies in place are done.
    fn evaluators(&mut self, node: NodeId, kind: Kind) -> Result<Evaluators, Error> {
        let mut out = Evaluators::default();
        let mut seen: HashSet<(NodeId, FormulaId)> = HashSet::default();
        let mut todo = vec![(node, FormulaId::TRUE)];
        while let Some((at, condition)) = todo.pop() {
            if condition == FormulaId::FALSE || !seen.insert((at, condition)) {
                continue;
            }
            let NodeContent::Schema(schema) = self.nodes[at.0 as usize].content else { continue };
            let parsed = self.parsed(at, schema)?;
            if excluded(&parsed, kind) {
                continue;
            }
            for assertion in &parsed.assertions {
                match assertion {
                    Assertion::Reference(target) => todo.push((self.schema(*target), condition)),
                    Assertion::AllOf(list) => {
                        for &branch in list {
                            todo.push((self.schema(branch), condition));
                        }
                    }
                    Assertion::AnyOf(list) | Assertion::OneOf(list) => {
                        for &branch in list {
                            let holds = self.done(branch, kind)?;
                            todo.push((self.schema(branch), self.formulas.all([condition, holds])));
                        }
                    }
                    Assertion::If { test, then, otherwise } => {
                        let holds = self.done(*test, kind)?;
                        let fails = self.formulas.negate(holds);
                        let branches =
                            [(Some(test), holds), (then.as_ref(), holds), (otherwise.as_ref(), fails)];
                        for (branch, holds) in branches {
                            if let Some(&branch) = branch {
                                todo.push((self.schema(branch), self.formulas.all([condition, holds])));
                            }
                        }
                    }
                    Assertion::DependentSchema(name, schema) if kind == Kind::Object => {
                        let present = self.present(name);
                        todo.push((self.schema(*schema), self.formulas.all([condition, present])));
                    }
                    Assertion::Members { declared, patterns, additional } if kind == Kind::Object => {
                        if additional.is_some() {
                            out.keys.push((FormulaId::TRUE, condition));
                            continue;
                        }
                        if !declared.is_empty() {
                            let mut names: Vec<Rc<str>> =
                                declared.iter().map(|(name, _)| name.clone()).collect();
                            names.sort_unstable();
                            let keys = self.formulas.atom(Atom::StringIn(names.into(), true));
                            out.keys.push((keys, condition));
                        }
                        for &(text, _) in patterns {
                            let keys = self.formulas.atom(Atom::Text(text, true));
                            out.keys.push((keys, condition));
                        }
                    }
                    Assertion::UnevaluatedProperties(_) if kind == Kind::Object && at != node => {
                        out.keys.push((FormulaId::TRUE, condition));
                    }
                    Assertion::Items { prefix, rest } if kind == Kind::Array => {
                        let to = if rest.is_some() { u64::MAX } else { prefix.len() as u64 };
                        out.positions.push((0, to, condition));
                    }
                    Assertion::UnevaluatedItems(_) if kind == Kind::Array && at != node => {
                        out.positions.push((0, u64::MAX, condition));
                    }
                    Assertion::Contains { schema, evaluates: true, .. } if kind == Kind::Array => {
                        let found = self.demand(*schema);
                        out.contains.push((found, condition));
                    }
                    _ => {}
                }
            }
        }
        Ok(out)
    }
}
