//! What a demand's schemas declare, and where their keywords stand.

use super::build::{Normal, excluded};
use super::formula::{Atom, FormulaId, Names};
use super::node::{Kind, NodeContent, NodeId};
use crate::error::Error;
use crate::json::{Value, ValueId};
use crate::schema::Assertion;
use formwork_grammar::HashSet;
use std::sync::Arc;

impl Normal<'_> {
    /// The declared names of the nodes that a demand mentions: own before referenced before branches.
    pub(crate) fn declared(&mut self, demand: FormulaId) -> Result<Names, Error> {
        let mut nodes = Vec::new();
        for (_, atom) in self.formulas.atoms(demand) {
            if let Atom::Node(node, true) = atom {
                nodes.push(node);
            }
        }
        if let [node] = nodes[..] {
            if let Some(names) = self.declared.get(&node) {
                return Ok(names.clone());
            }
        }
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut known: HashSet<Arc<str>> = HashSet::default();
        let mut seen: HashSet<NodeId> = HashSet::default();
        // Depth first in document order: what is pushed last is visited first.
        let mut todo: Vec<NodeId> = nodes.iter().rev().copied().collect();
        while let Some(node) = todo.pop() {
            if !seen.insert(node) {
                continue;
            }
            let schema = match self.nodes[node.0 as usize].content {
                NodeContent::Schema(schema) => schema,
                NodeContent::Constant(value) => {
                    self.constant_names(value, &mut names, &mut known);
                    continue;
                }
            };
            let parsed = self.parsed(node, schema)?;
            if parsed.is_false || excluded(&parsed, Kind::Object) {
                continue;
            }
            let mut below: Vec<NodeId> = Vec::new();
            for assertion in &parsed.assertions {
                match assertion {
                    Assertion::Members { declared, .. } => {
                        names.extend(
                            declared
                                .iter()
                                .map(|(name, _)| name)
                                .filter(|&name| known.insert(name.clone()))
                                .cloned(),
                        );
                    }
                    Assertion::Values(values) => {
                        for &value in values {
                            self.constant_names(value, &mut names, &mut known);
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
        let names = Names::from(names);
        if let [node] = nodes[..] {
            self.declared.insert(node, names.clone());
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

    fn constant_names(&self, value: ValueId, names: &mut Vec<Arc<str>>, known: &mut HashSet<Arc<str>>) {
        if let Value::Object(members) = self.reader.registry.forest.get(value) {
            names.extend(
                members.iter().map(|(name, _)| name).filter(|&name| known.insert(name.clone())).cloned(),
            );
        }
    }
}
