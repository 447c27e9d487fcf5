//! Objects as MiniMax M3 writes them: each property an element of its name, at every depth.
//!
//! `]<]minimax[>[<q>tea]<]minimax[>[</q>`: before each tag stands a mark. Lists are `<item>` elements, objects in objects are
//! elements in elements, strings stand as they are, and other values are JSON. The name of an element closes it, so that
//! properties must be declared; and since nothing says which type a value has, it is an object, or a list, or neither.
//!
//! The JSON Schema frontend says which of these a value can be; what is inside of objects and lists is read here.

use crate::error::{Error, ErrorKind};
use crate::format::JsonSchema;
use crate::lower::{Here, Lowering};
use crate::object::{Object, Others, Property, resolve};
use crate::xml::Markup;
use formwork_grammar::{ExprId, HashMap};
use serde_json::{Map, Value};

/// What stands before each tag.
const MARK: &str = "]<]minimax[>[";
/// How deep elements may stand in elements.
const MAX_DEPTH: usize = 16;
/// The number of objects among [`KINDS`].
const OBJECT: usize = 1;
/// The number of lists among them.
const ARRAY: usize = 2;

/// The kinds of values: those that are JSON, objects, lists.
const KINDS: Markup = Markup {
    open: "",
    before_text: &[],
    before_json: &[(&["number", "boolean", "null"], &[]), (&["object"], &[]), (&["array"], &[])],
    close: MARK,
    escapes: false,
};

impl Lowering<'_> {
    /// The elements of an object.
    pub(crate) fn nested(&mut self, schema: &JsonSchema, here: &Here<'_>) -> Result<ExprId, Error> {
        let here = &here.at("json_schema");
        let value = schema.schema.value().map_err(|error| error.moved(|_| here.pointer.into()))?;
        Nested { lowering: self, schema, value, here, built: HashMap::default() }.elements("", 0)
    }
}

/// The elements of one schema while they are built.
struct Nested<'a, 'b> {
    lowering: &'a mut Lowering<'b>,
    schema: &'a JsonSchema,
    value: &'a Value,
    here: &'a Here<'a>,
    /// What objects and lists became, by their place in the schema and their depth: several references may lead to one.
    built: HashMap<(String, usize), Result<ExprId, Error>>,
}

impl Nested<'_, '_> {
    /// Where something stands that stands at `at` in the schema.
    fn pointer(&self, at: &str) -> String {
        format!("{}{at}", self.here.pointer)
    }

    /// The elements of the object whose schema stands at `at`.
    fn elements(&mut self, at: &str, depth: usize) -> Result<ExprId, Error> {
        let object = Object::read_at(self.value, at, self.lowering.options.strict_objects, self.here)?;
        let place = (object.at.clone(), depth);
        if let Some(built) = self.built.get(&place) {
            return built.clone();
        }
        let built = self.elements_of(&object, depth);
        self.built.insert(place, built.clone());
        built
    }

    fn elements_of(&mut self, object: &Object<'_>, depth: usize) -> Result<ExprId, Error> {
        if !matches!(object.others, Others::None) {
            let message = "in this style no undeclared properties can come; declare them, or forbid them with \
                           `additionalProperties`";
            return Err(Error::new(ErrorKind::Unsupported, self.pointer(&object.at), message));
        }
        if let Some(name) = object.required_others.first() {
            let message = format!("`{name}` is required, but not declared, and others may not come");
            let pointer = self.pointer(&format!("{}/required", object.at));
            return Err(Error::new(ErrorKind::Unsatisfiable, pointer, message));
        }
        let mut elements: Vec<(ExprId, bool)> = Vec::new();
        for Property { key, at, is_required, .. } in &object.properties {
            if key.is_empty() || key.contains(|c: char| c.is_whitespace() || "<>/[]".contains(c)) {
                let message = "this key cannot be written in this style";
                return Err(Error::new(ErrorKind::Unsupported, self.pointer(at), message));
            }
            let element = match self.element(key, at, depth) {
                // A property that nothing satisfies cannot be there, and need not.
                Err(error) if error.kind() == ErrorKind::Unsatisfiable && !is_required => continue,
                element => element?,
            };
            elements.push((element, *is_required));
        }
        let b = &mut self.lowering.b;
        if self.schema.any_order {
            let nothing = b.empty();
            return self.lowering.in_any_order(&elements, None, nothing, self.here);
        }
        let parts: Vec<ExprId> = elements
            .into_iter()
            .map(|(element, required)| if required { element } else { b.optional(element) })
            .collect();
        Ok(b.seq(parts))
    }

    /// One element with a value whose schema stands at `at`.
    fn element(&mut self, name: &str, at: &str, depth: usize) -> Result<ExprId, Error> {
        if depth >= MAX_DEPTH {
            let message = format!("elements nest deeper than {MAX_DEPTH}, or for ever");
            return Err(Error::new(ErrorKind::Limit, self.pointer(at), message));
        }
        let values = self.lowering.values(self.schema, &KINDS, at, self.here)?;
        let kinds: Vec<usize> = values.json.iter().map(|value| value.0).collect();
        let mark = self.lowering.b.tag(MARK);
        let value_and_mark = match (values.text, &kinds[..]) {
            (None, [OBJECT]) => {
                let elements = self.elements(at, depth + 1)?;
                self.lowering.b.seq([elements, mark])
            }
            (None, [ARRAY]) => {
                let items = self.items(at, depth + 1)?;
                self.lowering.b.seq([items, mark])
            }
            (text, kinds) if !kinds.contains(&OBJECT) && !kinds.contains(&ARRAY) => {
                let mut ways = Vec::new();
                if let Some(text) = text {
                    ways.push(if values.is_any_text {
                        let empty = self.lowering.b.empty();
                        self.lowering.b.until([(MARK, empty)], [], false)
                    } else {
                        let without = self.lowering.without(MARK);
                        let text = self.lowering.b.and([text, without]);
                        self.lowering.b.seq([text, mark])
                    });
                }
                for &(_, value) in &values.json {
                    ways.push(self.lowering.b.seq([value, mark]));
                }
                self.lowering.b.alt(ways)
            }
            _ => {
                let message = "in this style a value is an object, a list or neither, not one of them or something \
                               else: nothing would tell them apart";
                return Err(Error::new(ErrorKind::Unsupported, self.pointer(at), message));
            }
        };
        let b = &mut self.lowering.b;
        let (open, close) = (b.literal(format!("<{name}>")), b.literal(format!("</{name}>")));
        Ok(b.seq([mark, open, value_and_mark, close]))
    }

    /// The items of the list whose schema stands at `at`.
    fn items(&mut self, at: &str, depth: usize) -> Result<ExprId, Error> {
        let known = ["type", "items", "minItems", "maxItems"];
        let (members, path) = resolve(self.value, at, "array", &known, self.here)?;
        let place = (path, depth);
        if let Some(built) = self.built.get(&place) {
            return built.clone();
        }
        let built = self.items_of(members, &place.0, depth);
        self.built.insert(place, built.clone());
        built
    }

    fn items_of(
        &mut self,
        members: Option<&Map<String, Value>>,
        path: &str,
        depth: usize,
    ) -> Result<ExprId, Error> {
        let Some(members) = members.filter(|members| members.get("items").is_some_and(Value::is_object))
        else {
            let message = "in this style lists say what their `items` are";
            return Err(Error::new(ErrorKind::Unsupported, self.pointer(path), message));
        };
        let bound = |name: &str| match members.get(name) {
            None => Ok(None),
            Some(value) => match value.as_u64().map(u32::try_from) {
                Some(Ok(bound)) => Ok(Some(bound)),
                _ => {
                    Err(Error::invalid(self.pointer(&format!("{path}/{name}")), "expected a number of items"))
                }
            },
        };
        let (min, max) = (bound("minItems")?.unwrap_or(0), bound("maxItems")?);
        let item = self.element("item", &format!("{path}/items"), depth)?;
        Ok(self.lowering.b.repeat(item, min, max))
    }
}
