//! Checks instances against the normal form directly, without a grammar and without automata.
//!
//! Reads members and items from left to right, as the machines do: derivative, choices, and for each alternative a
//! check of the value. It knows nothing of spellings and takes members in the order in which they come, so what it
//! accepts and the grammar does not differs in order or spelling only. For tests: not part of the public interface.

use crate::error::Error;
use crate::json::{Value, ValueId};
use crate::normal::{Alternative, FormulaId, Key, Kind, Normal};
use crate::options::Options;
use crate::schema::Registry;
use formwork_grammar::HashMap;

/// Levels of an instance; checking recurses on instances, which are ours.
const MAX_DEPTH: usize = 200;

/// A schema to check instances against.
#[doc(hidden)]
pub struct Checker<'o> {
    normal: Normal<'o>,
    demand: FormulaId,
    verdicts: HashMap<(FormulaId, ValueId), bool>,
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").field("demand", &self.normal.dump(self.demand)).finish()
    }
}

impl<'o> Checker<'o> {
    /// Reads the schema.
    ///
    /// # Errors
    /// As compiling it, except for what concerns machines.
    pub fn new(options: &'o Options, schema: &str) -> Result<Self, Error> {
        let mut registry = Registry::new(options, |forest| forest.read("", schema))?;
        let root = registry.root();
        let mut normal = Normal::new(options, registry);
        normal.reader.parse(root)?;
        let demand = normal.demand(root);
        Ok(Self { normal, demand, verdicts: HashMap::default() })
    }

    /// Whether an instance, as JSON text, satisfies the schema.
    ///
    /// # Errors
    /// Not JSON, too deep, a keyword that is not enforced, a limit.
    pub fn accepts(&mut self, instance: &str) -> Result<bool, Error> {
        let value = self.normal.reader.registry.forest.read("instance", instance)?;
        self.normal.formulas.count_steps_anew();
        let verdict = self.satisfies(self.demand, value, 0)?;
        match self.normal.formulas.overflow() {
            None => Ok(verdict),
            Some(overflow) => Err(Error::limit("", overflow.to_string())),
        }
    }

    fn satisfies(&mut self, demand: FormulaId, value: ValueId, depth: usize) -> Result<bool, Error> {
        if depth > MAX_DEPTH {
            return Err(Error::limit("", format!("the instance is more than {MAX_DEPTH} levels deep")));
        }
        match demand {
            FormulaId::TRUE => return Ok(true),
            FormulaId::FALSE => return Ok(false),
            _ => {}
        }
        if let Some(&known) = self.verdicts.get(&(demand, value)) {
            return Ok(known);
        }
        let kind = match self.normal.reader.registry.forest.get(value) {
            Value::Null => Kind::Null,
            Value::Bool(false) => Kind::False,
            Value::Bool(true) => Kind::True,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        };
        let component = self.normal.component(demand, kind)?;
        let pointer = self.normal.pointer(demand);
        let forest = &self.normal.reader.registry.forest;
        let verdict = match forest.get(value) {
            Value::Null | Value::Bool(_) => component == FormulaId::TRUE,
            Value::Number(number) => {
                let number = forest.number(number).value.clone();
                self.normal
                    .number_satisfies(component, &number)
                    .ok_or_else(|| Error::limit(&*pointer, "the number has too many digits"))?
            }
            Value::String(text) => {
                let text = forest.shared(text).clone();
                self.normal.string_satisfies(component, &text)
            }
            Value::Array(items) => {
                let items = items.to_vec();
                let distinct =
                    items.iter().enumerate().all(|(i, &a)| items[..i].iter().all(|&b| !self.equal(a, b)));
                let mut states = vec![self.normal.settle_unique(component, distinct)];
                for &item in &items {
                    let mut next = Vec::new();
                    for state in states {
                        let derivative = self.normal.after_item(state);
                        self.step(derivative, item, depth, &pointer, &mut next)?;
                    }
                    states = next;
                }
                states.into_iter().any(|state| self.normal.may_end(state))
            }
            Value::Object(members) => {
                let members = forest.named(members);
                let mut states = vec![component];
                for (name, member) in &members {
                    let mut next = Vec::new();
                    for state in states {
                        let derivative = self.normal.after_member(state, Key::Name { name, once: true });
                        self.step(derivative, *member, depth, &pointer, &mut next)?;
                    }
                    states = next;
                }
                states.into_iter().any(|state| self.normal.may_end(state))
            }
        };
        self.verdicts.insert((demand, value), verdict);
        Ok(verdict)
    }

    /// Whether two values are equal, as `uniqueItems` compares.
    fn equal(&self, a: ValueId, b: ValueId) -> bool {
        let forest = &self.normal.reader.registry.forest;
        match (forest.get(a), forest.get(b)) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => forest.number(a).value == forest.number(b).value,
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.equal(a, b))
            }
            (Value::Object(members), Value::Object(others)) => {
                let same = |(name, value): &(_, ValueId)| {
                    others.iter().any(|(other, twin)| other == name && self.equal(*value, *twin))
                };
                members.len() == others.len() && members.iter().all(same)
            }
            _ => false,
        }
    }

    fn step(
        &mut self,
        derivative: FormulaId,
        value: ValueId,
        depth: usize,
        pointer: &str,
        next: &mut Vec<FormulaId>,
    ) -> Result<(), Error> {
        for &Alternative { demand, rest } in self.normal.choices(FormulaId::TRUE, derivative, pointer)?.iter()
        {
            if !next.contains(&rest) && self.satisfies(demand, value, depth + 1)? {
                next.push(rest);
            }
        }
        Ok(())
    }
}
