//! What a demand's schemas declare, and where their keywords stand.

use super::build::{Normal, excluded};
use super::formula::{Atom, Formula, FormulaId, Names};
use super::node::{Kind, NodeContent, NodeId};
use crate::distinct::Distinct;
use crate::error::Error;
use crate::json::{Value, ValueId};
use crate::schema::Assertion;
use formwork_grammar::{HashMap, HashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::rc::Rc;

impl Normal<'_> {
    /// The declared names of the nodes that a demand mentions, in an order that keeps to each schema's own as far as one
    /// order can; where they leave it open, own before referenced before branches.
    pub(crate) fn declared(&mut self, demand: FormulaId) -> Result<Names, Error> {
        let mut nodes = SmallVec::<[NodeId; 4]>::new();
        for atom in self.formulas.atom_ids(demand) {
            if let Formula::Atom(Atom::Node(node, true)) = self.formulas.get(atom) {
                nodes.push(*node);
            }
        }
        if let [node] = nodes[..] {
            if let Some(names) = &self.nodes[node.0 as usize].declared {
                return Ok(names.clone());
            }
        }
        let mut order = Order::default();
        let mut seen = Distinct::default();
        // Depth first in document order: what is pushed last is visited first.
        let mut todo: SmallVec<[NodeId; 16]> = nodes.iter().rev().copied().collect();
        while let Some(node) = todo.pop() {
            if !seen.insert(node) {
                continue;
            }
            let schema = match self.nodes[node.0 as usize].content {
                NodeContent::Schema(schema) => schema,
                NodeContent::Constant(value) => {
                    self.constant_names(value, &mut order);
                    continue;
                }
            };
            let parsed = self.parsed(node, schema)?;
            if excluded(&parsed, Kind::Object) {
                continue;
            }
            let mut below = SmallVec::<[NodeId; 16]>::new();
            for assertion in &parsed.assertions {
                match assertion {
                    Assertion::Members { declared, .. } => {
                        order.chain(declared.iter().map(|(name, _)| name));
                    }
                    Assertion::Values(values) => {
                        for &value in values {
                            self.constant_names(value, &mut order);
                        }
                    }
                    Assertion::Reference(target) => below.push(self.schema(*target)),
                    Assertion::AllOf(list) | Assertion::AnyOf(list) | Assertion::OneOf(list) => {
                        for &branch in list {
                            below.push(self.schema(branch));
                        }
                    }
                    Assertion::If { test, then, otherwise } => {
                        for schema in [Some(test), then.as_ref(), otherwise.as_ref()].into_iter().flatten() {
                            below.push(self.schema(*schema));
                        }
                    }
                    Assertion::DependentSchema(_, schema) => below.push(self.schema(*schema)),
                    _ => {}
                }
            }
            todo.extend(below.into_iter().rev());
        }
        let names = Names::from(order.names());
        if let [node] = nodes[..] {
            self.nodes[node.0 as usize].declared = Some(names.clone());
        }
        Ok(names)
    }

    /// The pointer of a keyword in one of the schemas that a demand mentions or that apply in place below them; the
    /// demand's own pointer if none has it.
    pub(crate) fn pointer_of(&mut self, demand: FormulaId, keyword: &str) -> Result<String, Error> {
        let mut seen: HashSet<NodeId> = HashSet::default();
        let mut todo: Vec<NodeId> = Vec::new();
        for (_, atom) in self.formulas.atoms(demand).into_iter().rev() {
            if let Atom::Node(node, _) = atom {
                todo.push(node);
            }
        }
        while let Some(node) = todo.pop() {
            if !seen.insert(node) {
                continue;
            }
            let place = self.place(node);
            if self.reader.registry.forest.member(place, keyword).is_some() {
                return Ok(self.reader.registry.forest.pointer_to(place, keyword));
            }
            for kind in [Kind::Number, Kind::String, Kind::Array, Kind::Object] {
                let below = self.parts_in_place(node, kind)?;
                todo.extend(below.into_iter().rev().map(|(node, _)| node));
            }
        }
        Ok(self.pointer(demand))
    }

    fn constant_names(&self, value: ValueId, order: &mut Order) {
        let forest = &self.reader.registry.forest;
        if let Value::Object(members) = forest.get(value) {
            order.chain(members.iter().map(|&(name, _)| forest.shared(name)));
        }
    }
}

/// Several lists of names on their way to one: two branches of `anyOf` may declare the same names with others between.
#[derive(Default)]
struct Order {
    /// Each name once in each list.
    lists: Vec<Vec<Rc<str>>>,
}

impl Order {
    fn chain<'n>(&mut self, names: impl Iterator<Item = &'n Rc<str>>) {
        self.lists.push(names.cloned().collect());
    }

    /// The names, each after all that precede it in some list; of those that may come next, the one met first. Where the
    /// lists contradict each other, the name met first comes first.
    fn names(mut self) -> Vec<Rc<str>> {
        if self.lists.len() < 2 {
            return self.lists.pop().unwrap_or_default();
        }
        let mut names: Vec<Rc<str>> = Vec::new();
        let mut numbers: HashMap<Rc<str>, usize> = HashMap::default();
        // For each name those that follow it somewhere.
        let mut after: Vec<Vec<usize>> = Vec::new();
        let mut overlaps = false;
        for list in self.lists {
            let mut last: Option<usize> = None;
            for name in list {
                let next = names.len();
                let number = *numbers.entry(name.clone()).or_insert(next);
                if number == next {
                    names.push(name);
                    after.push(Vec::new());
                } else {
                    overlaps = true;
                }
                if let Some(last) = last {
                    after[last].push(number);
                }
                last = Some(number);
            }
        }
        if !overlaps {
            return names;
        }
        let n = names.len();
        let mut n_before = vec![0usize; n];
        for &number in after.iter().flatten() {
            n_before[number] += 1;
        }
        let mut free: BTreeSet<usize> = (0..n).filter(|&number| n_before[number] == 0).collect();
        let mut placed = vec![false; n];
        let mut out = Vec::with_capacity(n);
        let mut first_left = 0;
        while out.len() < n {
            let next = free.pop_first().unwrap_or_else(|| {
                while placed[first_left] {
                    first_left += 1;
                }
                first_left
            });
            placed[next] = true;
            out.push(names[next].clone());
            for &number in &after[next] {
                n_before[number] -= 1;
                if n_before[number] == 0 && !placed[number] {
                    free.insert(number);
                }
            }
        }
        out
    }
}
