//! A demand taken apart into what single keywords ask, each with its place: for saying which of them clash.

use super::build::Normal;
use super::formula::{Atom, Formula, FormulaId};
use super::node::{Kind, NodeContent, NodeId};
use crate::error::Error;
use crate::json::Value;
use crate::schema::{Additional, Assertion, SchemaAt, TypeSet};
use formwork_grammar::HashSet;
use std::rc::Rc;

/// What one keyword asks of a value.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    /// Its name, or `false` for the schema that nothing satisfies.
    pub(crate) keyword: String,
    /// Where it stands.
    pub(crate) pointer: String,
    /// What it says of values of each kind.
    pub(crate) components: [FormulaId; 7],
    /// What it asks of a member or item by itself, if it asks nothing else.
    pub(crate) below: Option<FormulaId>,
}

impl Normal<'_> {
    /// The constraints whose conjunction a demand is; those that apply in place are taken apart, branches are not.
    ///
    /// # Errors
    /// A loop or a limit.
    pub(crate) fn constraints(&mut self, demand: FormulaId) -> Result<Vec<Constraint>, Error> {
        let mut constraints = Vec::new();
        if demand == FormulaId::FALSE {
            let components = [FormulaId::FALSE; 7];
            constraints.push(Constraint {
                keyword: "false".into(),
                pointer: String::new(),
                components,
                below: None,
            });
            return Ok(constraints);
        }
        for part in self.formulas.conjuncts(demand) {
            match *self.formulas.get(part) {
                Formula::Atom(Atom::Node(node, true)) => self.constraints_of(node, &mut constraints)?,
                Formula::Atom(Atom::Node(_, false)) => constraints.push(self.whole("not", part)?),
                _ => constraints.push(self.whole("anyOf", part)?),
            }
        }
        Ok(constraints)
    }

    fn constraints_of(&mut self, node: NodeId, constraints: &mut Vec<Constraint>) -> Result<(), Error> {
        let mut seen: HashSet<NodeId> = HashSet::default();
        // Depth first in document order: what is pushed last is visited first.
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            if !seen.insert(node) {
                continue;
            }
            let NodeContent::Schema(schema) = self.nodes[node.0 as usize].content else {
                let atom = self.formulas.atom(Atom::Node(node, true));
                constraints.push(self.whole("const", atom)?);
                continue;
            };
            let parsed = self.parsed(node, schema)?;
            if parsed.is_false {
                let pointer = self.reader.registry.forest.pointer(schema.value);
                let components = [FormulaId::FALSE; 7];
                constraints.push(Constraint { keyword: "false".into(), pointer, components, below: None });
            }
            let mut below = Vec::new();
            let mut n_texts = 0;
            for assertion in &parsed.assertions {
                match assertion {
                    Assertion::Reference(target) => below.push(self.schema(*target)),
                    Assertion::AllOf(list) => {
                        for &branch in list {
                            below.push(self.schema(branch));
                        }
                    }
                    Assertion::Members { declared, patterns, additional } => {
                        for (name, member) in declared {
                            let part = Assertion::Members {
                                declared: vec![(name.clone(), *member)],
                                patterns: Vec::new(),
                                additional: None,
                            };
                            let mut constraint = self.constraint(&part, node, schema, "properties")?;
                            constraint.pointer = self.reader.registry.forest.pointer(member.value);
                            constraint.below = Some(self.demand(*member));
                            constraints.push(constraint);
                        }
                        if !patterns.is_empty() {
                            let part = Assertion::Members {
                                declared: Vec::new(),
                                patterns: patterns.clone(),
                                additional: None,
                            };
                            constraints.push(self.constraint(&part, node, schema, "patternProperties")?);
                        }
                        if let Some(additional) = additional {
                            let (keyword, demand) = match additional {
                                Additional::Closed => ("strict_objects", FormulaId::FALSE),
                                Additional::Schema(schema) => ("additionalProperties", self.demand(*schema)),
                            };
                            let mut names: Vec<Rc<str>> =
                                declared.iter().map(|(name, _)| name.clone()).collect();
                            names.sort_unstable();
                            let mut keys = vec![self.formulas.atom(Atom::StringIn(names.into(), false))];
                            for &(text, _) in patterns {
                                keys.push(self.formulas.atom(Atom::Text(text, false)));
                            }
                            let keys = self.formulas.all(keys);
                            let mut components = [FormulaId::TRUE; 7];
                            components[Kind::Object as usize] =
                                self.formulas.atom(Atom::AllKeys { keys, demand });
                            let pointer = self.reader.registry.forest.pointer_to(schema.value, keyword);
                            constraints.push(Constraint {
                                keyword: keyword.into(),
                                pointer,
                                components,
                                below: None,
                            });
                        }
                    }
                    _ => {
                        let keyword = self.keyword(assertion, schema, &mut n_texts);
                        let mut constraint = self.constraint(assertion, node, schema, keyword)?;
                        constraint.below = match assertion {
                            Assertion::Items { prefix, rest: Some(rest) } if prefix.is_empty() => {
                                Some(self.demand(*rest))
                            }
                            Assertion::Contains { schema, .. } => Some(self.demand(*schema)),
                            _ => None,
                        };
                        constraints.push(constraint);
                    }
                }
            }
            todo.extend(below.into_iter().rev());
        }
        Ok(())
    }

    fn constraint(
        &mut self,
        assertion: &Assertion,
        node: NodeId,
        schema: SchemaAt,
        keyword: &str,
    ) -> Result<Constraint, Error> {
        let mut components = [FormulaId::TRUE; 7];
        for kind in Kind::ALL {
            let excluded = matches!(assertion, Assertion::Types(types) if !allows(types, kind));
            components[kind as usize] = match excluded {
                true => FormulaId::FALSE,
                false => self.assertion_component(assertion, kind, node)?,
            };
        }
        let pointer = self.reader.registry.forest.pointer_to(schema.value, keyword);
        Ok(Constraint { keyword: keyword.to_owned(), pointer, components, below: None })
    }

    /// A demand that is not taken apart.
    fn whole(&mut self, keyword: &str, demand: FormulaId) -> Result<Constraint, Error> {
        let mut components = [FormulaId::TRUE; 7];
        for kind in Kind::ALL {
            components[kind as usize] = self.component(demand, kind)?;
        }
        let pointer = self.pointer(demand);
        Ok(Constraint { keyword: keyword.to_owned(), pointer, components, below: None })
    }

    /// The keyword that an assertion comes from.
    fn keyword(&self, assertion: &Assertion, schema: SchemaAt, n_texts: &mut usize) -> &'static str {
        let forest = &self.reader.registry.forest;
        let has = |keyword: &str| forest.member(schema.value, keyword).is_some();
        let is_number = |keyword: &str| {
            let value = forest.member(schema.value, keyword);
            value.is_some_and(|value| matches!(forest.get(value), Value::Number(_)))
        };
        let first =
            |names: [&'static str; 2]| if has(names[0]) || !has(names[1]) { names[0] } else { names[1] };
        match assertion {
            Assertion::Types(_) => "type",
            Assertion::Values(_) => first(["enum", "const"]),
            Assertion::Minimum { strict: true, .. } if is_number("exclusiveMinimum") => "exclusiveMinimum",
            Assertion::Minimum { .. } => "minimum",
            Assertion::Maximum { strict: true, .. } if is_number("exclusiveMaximum") => "exclusiveMaximum",
            Assertion::Maximum { .. } => "maximum",
            Assertion::MultipleOf(_) => first(["multipleOf", "divisibleBy"]),
            Assertion::Text(_) => {
                *n_texts += 1;
                // Patterns are read before formats.
                if *n_texts == 1 { first(["pattern", "format"]) } else { "format" }
            }
            Assertion::Syntax(_) => "format",
            Assertion::MinLength(_) => "minLength",
            Assertion::MaxLength(_) => "maxLength",
            Assertion::Items { .. } => first(["prefixItems", "items"]),
            Assertion::MinItems(_) => "minItems",
            Assertion::MaxItems(_) => "maxItems",
            Assertion::UniqueItems => "uniqueItems",
            Assertion::Contains { .. } => "contains",
            Assertion::UnevaluatedItems(_) => "unevaluatedItems",
            Assertion::Members { .. } => "properties",
            Assertion::Required(_) => "required",
            Assertion::PropertyNames(_) => "propertyNames",
            Assertion::UnevaluatedProperties(_) => "unevaluatedProperties",
            Assertion::MinProperties(_) => "minProperties",
            Assertion::MaxProperties(_) => "maxProperties",
            Assertion::DependentRequired(..) => first(["dependentRequired", "dependencies"]),
            Assertion::DependentSchema(..) => first(["dependentSchemas", "dependencies"]),
            Assertion::Reference(_) => "$ref",
            Assertion::AllOf(_) => "allOf",
            Assertion::AnyOf(_) => "anyOf",
            Assertion::OneOf(_) => "oneOf",
            Assertion::Not(_) => "not",
            Assertion::If { .. } => "if",
        }
    }
}

/// Whether a `type` leaves values of a kind.
pub(super) fn allows(types: &TypeSet, kind: Kind) -> bool {
    match kind {
        Kind::Null => types.null,
        Kind::False | Kind::True => types.boolean,
        Kind::Number => types.number || types.integer,
        Kind::String => types.string,
        Kind::Array => types.array,
        Kind::Object => types.object,
    }
}
