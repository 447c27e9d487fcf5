//! Objects as keyword arguments: `a=1, b='x'`.
//!
//! The outermost object is a list of arguments, each value a [Python literal](crate::python).

use crate::error::{Error, ErrorKind};
use crate::format::{JsonSchema, Style};
use crate::lower::{Here, Lowering};
use crate::object::{Object, Others, Property, ROOT};
use crate::python::{Words, literals};
use formwork_grammar::{CharClass, ExprId, Place};
use formwork_json_schema::Whitespace;
use serde_json::{Value, json};

impl Lowering<'_> {
    /// An object as keyword arguments, without the parentheses.
    pub(crate) fn keywords(&mut self, schema: &JsonSchema, here: &Here<'_>) -> Result<ExprId, Error> {
        let here = here.at("json_schema");
        let value = schema.schema.value().map_err(|error| error.moved(|_| here.pointer.into()))?;
        let object = Object::read(value, self.options.strict_objects, &here)?;
        let mut arguments: Vec<(ExprId, bool)> = Vec::new();
        for Property { key, at, is_required, .. } in &object.properties {
            if !is_identifier(key) {
                let message = "this key cannot be the name of an argument";
                return Err(Error::new(ErrorKind::Unsupported, format!("{}{at}", here.pointer), message));
            }
            let value = match self.literal_at(schema, at, &here) {
                // A property that nothing satisfies cannot be there, and need not.
                Err(error) if error.kind() == ErrorKind::Unsatisfiable && !is_required => continue,
                value => value?,
            };
            let name = self.b.literal(format!("{key}="));
            arguments.push((self.b.seq([name, value]), *is_required));
        }
        let other = self.other_argument(schema, &object, &here)?;
        if let Some(name) = object.required_others.first() {
            let pointer = here.at("required").pointer;
            let (kind, message) = match other.is_some() && is_identifier(name) {
                true => (ErrorKind::Unsupported, "which this style does not support"),
                false => (ErrorKind::Unsatisfiable, "and it may not come"),
            };
            return Err(Error::new(
                kind,
                pointer,
                format!("`{name}` is required and not declared, {message}"),
            ));
        }
        let blank = self.b.literal(" ");
        let (comma, blank) = (self.b.literal(","), self.b.optional(blank));
        let comma = self.b.seq([comma, blank]);
        Ok(match schema.any_order {
            true => self.as_a_set(&arguments, other, comma),
            false => self.in_order(&arguments, other, comma),
        })
    }

    /// Arguments in the order of the schema, then others.
    fn in_order(&mut self, arguments: &[(ExprId, bool)], other: Option<ExprId>, comma: ExprId) -> ExprId {
        // What may come behind nothing, and behind an argument.
        let mut rest = [self.b.empty(); 2];
        if let Some(other) = other {
            let more = self.b.seq([comma, other]);
            let more = self.b.star(more);
            let some = self.b.seq([other, more]);
            rest = [self.b.optional(some), more];
        }
        for &(argument, is_required) in arguments.iter().rev() {
            let first = self.b.seq([argument, rest[1]]);
            let next = self.b.seq([comma, argument, rest[1]]);
            rest = match is_required {
                true => [first, next],
                false => [self.b.alt([first, rest[0]]), self.b.alt([next, rest[1]])],
            };
        }
        rest[0]
    }

    /// Arguments in any order, each at most once.
    fn as_a_set(&mut self, arguments: &[(ExprId, bool)], other: Option<ExprId>, comma: ExprId) -> ExprId {
        let mut ways: Vec<ExprId> =
            (0..).zip(arguments).map(|(number, &(argument, _))| self.b.member(number, argument)).collect();
        ways.extend(other);
        let one = self.b.alt(ways);
        let more = self.b.seq([comma, one]);
        let more = self.b.star(more);
        let some = self.b.seq([one, more]);
        let body = self.b.optional(some);
        let required: Vec<u32> =
            (0..).zip(arguments).filter(|(_, argument)| argument.1).map(|(number, _)| number).collect();
        self.b.set(body, required)
    }

    /// The value whose schema stands at `at` in the whole schema.
    fn literal_at(&mut self, schema: &JsonSchema, at: &str, here: &Here<'_>) -> Result<ExprId, Error> {
        self.literal(schema, &json!({"$ref": format!("{ROOT}#{at}")}), at, here)
    }

    fn literal(
        &mut self,
        schema: &JsonSchema,
        value: &Value,
        at: &str,
        here: &Here<'_>,
    ) -> Result<ExprId, Error> {
        let options = self.options_inside(schema, here)?;
        // One blank, as Python writes behind commas and colons.
        let options = options.whitespace(Whitespace::AtMost(1));
        let pointer = format!("{}{at}", here.pointer);
        let grammar = options.grammar_from_value(value).map_err(|error| {
            let inner = error.pointer().strip_prefix(&format!("{ROOT}#")).unwrap_or(at);
            Error::new(
                Error::of_schema("", &error).kind(),
                format!("{}{inner}", here.pointer),
                error.message(),
            )
        })?;
        let words = if schema.style == Style::PythonicOrJson { Words::Either } else { Words::Python };
        let Some(grammar) = literals(&grammar, words) else {
            let message = "the values of this schema cannot be written as Python literals yet";
            return Err(Error::new(ErrorKind::Unsupported, pointer, message));
        };
        let place = Place::Pointer((self.name)(&pointer));
        let rule = self.b.import(&grammar, |_| place.clone());
        Ok(self.b.rule(rule))
    }

    /// An argument that is not declared, if there may be one.
    fn other_argument(
        &mut self,
        schema: &JsonSchema,
        object: &Object<'_>,
        here: &Here<'_>,
    ) -> Result<Option<ExprId>, Error> {
        let value = match &object.others {
            Others::None => return Ok(None),
            Others::Any => self.literal(schema, &Value::Bool(true), "/additionalProperties", here)?,
            Others::Of(at) => self.literal_at(schema, at, here)?,
        };
        let first = [('A', 'Z'), ('_', '_'), ('a', 'z')];
        let (first, digits) = (CharClass::from_ranges(first), CharClass::range('0', '9'));
        let (other, first) = (self.b.class(first.union(&digits)), self.b.class(first));
        let other = self.b.star(other);
        let name = self.b.seq([first, other]);
        let declared: Vec<ExprId> =
            object.properties.iter().map(|property| self.b.literal(property.key)).collect();
        let declared = self.b.alt(declared);
        let undeclared = self.b.not(declared);
        let (name, equals) = (self.b.and([name, undeclared]), self.b.literal("="));
        Ok(Some(self.b.seq([name, equals, value])))
    }
}

/// Whether a key can be the name of an argument.
fn is_identifier(key: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    key.chars().all(is_word) && !key.is_empty() && !key.starts_with(|c: char| c.is_ascii_digit())
}
