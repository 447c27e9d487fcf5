//! One schema's keywords, parsed and checked, in a form that no longer knows about drafts.

use super::registry::{Dialect, Registry, SchemaAt, ScopeId};
use crate::decimal::Decimal;
use crate::draft::{Draft, Role};
use crate::error::{Error, ErrorKind};
use crate::formats;
use crate::formats::Syntax;
use crate::json::{StringId, Value, ValueId};
use crate::options::{Formats, Options};
use crate::text::{PatternError, Texts};
use formwork_grammar::ExprId;
use smallvec::SmallVec;
use std::rc::Rc;

/// A set of the seven kinds of values, plus "number, but whole".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct TypeSet {
    pub(crate) null: bool,
    pub(crate) boolean: bool,
    pub(crate) number: bool,
    pub(crate) integer: bool,
    pub(crate) string: bool,
    pub(crate) array: bool,
    pub(crate) object: bool,
}

impl TypeSet {
    /// What is in both; all numbers of a set that has those that are whole alone count.
    fn and(self, other: Self) -> Self {
        Self {
            null: self.null && other.null,
            boolean: self.boolean && other.boolean,
            number: (self.number || self.integer) && (other.number || other.integer),
            integer: false,
            string: self.string && other.string,
            array: self.array && other.array,
            object: self.object && other.object,
        }
    }
}

/// One demand of a schema. Sub-schemas are the values where they stand.
#[derive(Clone, Debug)]
pub(crate) enum Assertion {
    /// Of one of these types.
    Types(TypeSet),
    /// Equal to one of these.
    Values(Vec<ValueId>),
    /// At least (or more than, if strict) this.
    Minimum { bound: Decimal, strict: bool },
    /// At most (or less than, if strict) this.
    Maximum { bound: Decimal, strict: bool },
    /// A whole multiple of this.
    MultipleOf(Decimal),
    /// A string of this language.
    Text(ExprId),
    /// A string of this syntax.
    Syntax(Syntax),
    /// At least this many characters.
    MinLength(u64),
    /// At most this many characters.
    MaxLength(u64),
    /// Items by position, and the rest.
    Items { prefix: Vec<SchemaAt>, rest: Option<SchemaAt> },
    /// At least this many items.
    MinItems(u64),
    /// At most this many items.
    MaxItems(u64),
    /// No two items equal.
    UniqueItems,
    /// So many items satisfy a schema; if it `evaluates`, `unevaluatedItems` does not concern those that do.
    Contains { schema: SchemaAt, min: u64, max: Option<u64>, evaluates: bool },
    /// What items satisfy that nothing else in the schema looked at.
    UnevaluatedItems(SchemaAt),
    /// Members by name, by pattern, and the rest.
    Members {
        declared: Vec<(Rc<str>, SchemaAt)>,
        patterns: Vec<(ExprId, SchemaAt)>,
        additional: Option<Additional>,
    },
    /// These names are present.
    Required(Vec<Rc<str>>),
    /// All names satisfy a schema.
    PropertyNames(SchemaAt),
    /// What members satisfy that nothing else in the schema looked at.
    UnevaluatedProperties(SchemaAt),
    /// At least this many members.
    MinProperties(u64),
    /// At most this many members.
    MaxProperties(u64),
    /// If the name is present, so are these.
    DependentRequired(Rc<str>, Vec<Rc<str>>),
    /// If the name is present, the whole object satisfies a schema.
    DependentSchema(Rc<str>, SchemaAt),
    /// What another schema demands.
    Reference(SchemaAt),
    /// All of these.
    AllOf(Vec<SchemaAt>),
    /// At least one of these.
    AnyOf(Vec<SchemaAt>),
    /// Exactly one of these.
    OneOf(Vec<SchemaAt>),
    /// Not this.
    Not(SchemaAt),
    /// One schema or another, depending on a third.
    If { test: SchemaAt, then: Option<SchemaAt>, otherwise: Option<SchemaAt> },
}

impl Assertion {
    /// Whether it speaks of the value itself by other schemas.
    fn has_parts_in_place(&self) -> bool {
        matches!(
            self,
            Self::Reference(_)
                | Self::AllOf(_)
                | Self::AnyOf(_)
                | Self::OneOf(_)
                | Self::Not(_)
                | Self::If { .. }
                | Self::PropertyNames(_)
                | Self::DependentSchema(..)
        )
    }
}

/// What undeclared members are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Additional {
    /// Of a schema.
    Schema(SchemaAt),
    /// Not allowed, because the options close objects that do not say.
    Closed,
}

/// A schema's demands, and what became of its keywords.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parsed {
    /// Nothing satisfies the schema `false`.
    pub(crate) is_false: bool,
    pub(crate) assertions: Vec<Assertion>,
    /// The types of values that the schema leaves, if it says; whole numbers count as numbers.
    pub(crate) types: Option<TypeSet>,
    /// Some assertion speaks of the value itself by other schemas.
    pub(crate) has_parts_in_place: bool,
}

/// What a schema says about each of its keywords, for the report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fates {
    pub(crate) enforced: Vec<(ValueId, &'static str)>,
    pub(crate) relaxed: Vec<(ValueId, &'static str)>,
    /// With the explanation.
    pub(crate) ignored: Vec<(ValueId, Ignored, &'static str)>,
    /// Keywords that are enforced with a difference, and which.
    pub(crate) notes: Vec<(ValueId, &'static str, &'static str)>,
}

/// A member of a schema that says nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ignored {
    /// A keyword.
    Known(&'static str),
    /// None.
    Unknown(StringId),
}

/// Parses schemas.
pub(crate) struct Reader<'o> {
    pub(crate) options: &'o Options,
    pub(crate) registry: Registry,
    pub(crate) texts: Texts,
    pub(crate) fates: Fates,
}

/// One object schema being read.
struct Keywords {
    schema: ValueId,
    scope: ScopeId,
    dialect: Dialect,
    /// The members in force.
    active: SmallVec<[(&'static str, ValueId); 8]>,
    /// The lengths of their names, a bit each.
    lengths: u32,
    /// Whether several alternatives of `oneOf` may hold.
    may_overlap: bool,
}

impl Keywords {
    fn push(&mut self, name: &'static str, value: ValueId) {
        self.active.push((name, value));
        self.lengths |= 1 << (name.len() % 32);
    }

    // PERF: every schema is asked for every keyword, and has a few.
    #[inline]
    fn get(&self, name: &str) -> Option<ValueId> {
        if self.lengths >> (name.len() % 32) & 1 == 0 { None } else { self.find(name) }
    }

    // The rest of it, once.
    #[inline(never)]
    fn find(&self, name: &str) -> Option<ValueId> {
        self.active.iter().find(|(key, _)| *key == name).map(|&(_, value)| value)
    }
}

impl Reader<'_> {
    fn error(&self, keywords: &Keywords, keyword: &str, what: &str) -> Error {
        Error::invalid(
            self.registry.forest.pointer_to(keywords.schema, keyword),
            format!("`{keyword}` must be {what}"),
        )
    }

    /// Parses the schema at a value.
    pub(crate) fn parse(&mut self, schema: SchemaAt) -> Result<Parsed, Error> {
        let SchemaAt { value: schema, scope } = schema;
        let members = match self.registry.forest.get(schema) {
            Value::Bool(b) => return Ok(Parsed { is_false: !b, ..Parsed::default() }),
            Value::Object(members) => members,
            _ => {
                return Err(Error::invalid(
                    self.registry.forest.pointer(schema),
                    "a schema must be an object, `true` or `false`",
                ));
            }
        };
        let dialect = self.registry.dialect(schema);
        let mut keywords =
            Keywords { schema, scope, dialect, active: SmallVec::new(), lengths: 0, may_overlap: false };
        let lone_reference =
            dialect.draft <= Draft::Draft7 && self.registry.forest.member(schema, "$ref").is_some();
        let fates = &mut self.fates;
        for &(key, value) in members {
            let Some(known) = self.registry.keyword(key) else {
                fates.ignored.push((schema, Ignored::Unknown(key), "unknown"));
                continue;
            };
            let name = known.name;
            let assertion = known.role == Role::Assertion
                || matches!(name, "$ref" | "$dynamicRef" | "$recursiveRef")
                || (name == "contentEncoding" && dialect.draft == Draft::Draft7);
            if !assertion {
                continue;
            }
            if lone_reference && name != "$ref" {
                fates.ignored.push((schema, Ignored::Known(name), "stands beside `$ref`"));
            } else if dialect.stated && known.since > dialect.draft {
                fates.ignored.push((schema, Ignored::Known(name), "newer than the draft"));
            } else if !dialect.validates && !is_applicator(name) {
                fates.ignored.push((
                    schema,
                    Ignored::Known(name),
                    "not in the vocabularies of the meta-schema",
                ));
            } else if self.options.relax.iter().any(|relaxed| relaxed == name) {
                fates.relaxed.push((schema, name));
                if name == "oneOf" {
                    // What is asked besides `anyOf`, that the others do not hold, is left out.
                    keywords.push(name, value);
                    keywords.may_overlap = true;
                }
            } else {
                fates.enforced.push((schema, name));
                keywords.push(name, value);
            }
        }
        let mut out = Vec::with_capacity(keywords.active.len());
        self.members(&keywords, &mut out)?;
        self.scalars(&keywords, &mut out)?;
        self.items(&keywords, &mut out)?;
        self.objects(&keywords, &mut out)?;
        self.references(&keywords, &mut out)?;
        self.combinations(&keywords, &mut out)?;
        let has_parts_in_place = out.iter().any(Assertion::has_parts_in_place);
        let types = self.types_left(&out);
        Ok(Parsed { is_false: false, assertions: out, types, has_parts_in_place })
    }

    /// The types of values that assertions leave, if they say: by `type`, and where that is all, by `enum` and `const`.
    fn types_left(&self, assertions: &[Assertion]) -> Option<TypeSet> {
        let of = |values: &[ValueId]| self.types_of(values);
        match assertions {
            [Assertion::Values(values)] => Some(of(values)),
            [Assertion::Types(types), Assertion::Values(values)] => Some(types.and(of(values))),
            _ => assertions.iter().find_map(|assertion| match assertion {
                Assertion::Types(types) => Some(*types),
                _ => None,
            }),
        }
    }

    /// The types of these values.
    fn types_of(&self, values: &[ValueId]) -> TypeSet {
        let mut set = TypeSet::default();
        for &value in values {
            match self.registry.forest.get(value) {
                Value::Null => set.null = true,
                Value::Bool(_) => set.boolean = true,
                Value::Number(_) => set.number = true,
                Value::String(_) => set.string = true,
                Value::Array(_) => set.array = true,
                Value::Object(_) => set.object = true,
            }
        }
        set
    }

    fn references(&mut self, k: &Keywords, out: &mut Vec<Assertion>) -> Result<(), Error> {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(value) = k.get(keyword) else { continue };
            let reference = self.string(k, keyword, value)?;
            if keyword == "$recursiveRef" && k.dialect.draft != Draft::Draft201909 && k.dialect.stated {
                self.unenforce(k, keyword, "of draft 2019-09 alone");
                continue;
            }
            let Some(target) = self.registry.resolve(k.schema, &reference)? else {
                let pointer = self.registry.forest.pointer_to(k.schema, keyword);
                let message = format!(
                    "`{keyword}` leads to {reference:?}, which is nowhere; nothing is fetched, so other documents must be given as `resources`"
                );
                return Err(Error::invalid(pointer, message));
            };
            let target = match keyword {
                "$dynamicRef" => {
                    let anchor = crate::uri::split_fragment(&reference).1;
                    self.registry.outermost(k.scope, target, anchor)
                }
                "$recursiveRef" => self.registry.outermost(k.scope, target, ""),
                _ => target,
            };
            out.push(Assertion::Reference(self.below(k, target)));
        }
        Ok(())
    }

    fn combinations(&mut self, k: &Keywords, out: &mut Vec<Assertion>) -> Result<(), Error> {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(value) = k.get(keyword) else { continue };
            let list = self.schemas(k, keyword, value)?;
            out.push(match keyword {
                "allOf" => Assertion::AllOf(list),
                "anyOf" => Assertion::AnyOf(list),
                "oneOf" if k.may_overlap => Assertion::AnyOf(list),
                _ => Assertion::OneOf(list),
            });
        }
        if let Some(schema) = k.get("not") {
            out.push(Assertion::Not(self.below(k, schema)));
        }
        if let Some(test) = k.get("if") {
            // Without `then` and `else` it still counts for what is unevaluated.
            let mut schema = |value: Option<ValueId>| value.map(|value| self.below(k, value));
            let (then, otherwise) = (schema(k.get("then")), schema(k.get("else")));
            out.push(Assertion::If { test: self.below(k, test), then, otherwise });
        }
        Ok(())
    }

    fn scalars(&mut self, k: &Keywords, out: &mut Vec<Assertion>) -> Result<(), Error> {
        if let Some(value) = k.get("type") {
            out.push(Assertion::Types(self.types(k, value)?));
        }
        if let Some(value) = k.get("enum") {
            match self.registry.forest.get(value) {
                Value::Array(items) => out.push(Assertion::Values(items.to_vec())),
                _ => return Err(self.error(k, "enum", "a list")),
            }
        }
        if let Some(value) = k.get("const") {
            out.push(Assertion::Values(vec![value]));
        }
        self.bounds(k, out)?;
        if let Some(value) = k.get("multipleOf") {
            let of = self.number(k, "multipleOf", value)?;
            if of.is_zero() || of.is_negative() {
                return Err(self.error(k, "multipleOf", "greater than 0"));
            }
            if !of.divides_a_power_of_ten() {
                self.note(k, "multipleOf", "multiples with an exponent are left out");
            }
            out.push(Assertion::MultipleOf(of));
        }
        if let Some(value) = k.get("minLength") {
            out.push(Assertion::MinLength(self.count(k, "minLength", value)?));
        }
        if let Some(value) = k.get("maxLength") {
            out.push(Assertion::MaxLength(self.count(k, "maxLength", value)?));
        }
        if let Some(value) = k.get("pattern") {
            let pattern = self.string(k, "pattern", value)?;
            out.push(Assertion::Text(self.pattern(value, "pattern", &pattern)?));
        }
        if let Some(value) = k.get("contentEncoding") {
            // An assertion in draft 7 alone.
            let name = self.string(k, "contentEncoding", value)?;
            if self.options.formats == Formats::Annotate {
                self.unenforce(k, "contentEncoding", "formats annotate");
            } else if let Some((name, format)) = formats::encoding(&name) {
                out.push(Assertion::Text(self.texts.format(name, format)?));
            } else {
                self.unenforce(k, "contentEncoding", "unknown encoding");
            }
        }
        if let Some(value) = k.get("format") {
            let name = self.string(k, "format", value)?;
            if self.options.formats == Formats::Annotate {
                self.unenforce(k, "format", "formats annotate");
            } else if let Some((name, format)) = formats::find(&name, k.dialect.draft) {
                if let Some(why) = formats::narrowed(name, k.dialect.draft) {
                    self.note(k, "format", why);
                }
                out.push(Assertion::Text(self.texts.format(name, format)?));
            } else if let Some(syntax) = Syntax::of(&name) {
                self.note(k, "format", syntax.left_out());
                out.push(Assertion::Syntax(syntax));
            } else {
                self.unenforce(k, "format", "unknown format");
            }
        }
        Ok(())
    }

    fn bounds(&self, k: &Keywords, out: &mut Vec<Assertion>) -> Result<(), Error> {
        for (keyword, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            let mut strict = false;
            let mut bounds = Vec::new();
            if let Some(value) = k.get(exclusive) {
                // A boolean in draft 4, a number since.
                match self.registry.forest.get(value) {
                    Value::Bool(b) if k.dialect.draft == Draft::Draft4 || !k.dialect.stated => strict = b,
                    _ => bounds.push((self.number(k, exclusive, value)?, true)),
                }
            }
            if let Some(value) = k.get(keyword) {
                bounds.push((self.number(k, keyword, value)?, strict));
            }
            out.extend(bounds.into_iter().map(|(bound, strict)| match keyword {
                "minimum" => Assertion::Minimum { bound, strict },
                _ => Assertion::Maximum { bound, strict },
            }));
        }
        Ok(())
    }

    fn items(&mut self, k: &Keywords, out: &mut Vec<Assertion>) -> Result<(), Error> {
        let mut prefix = Vec::new();
        let mut rest = k.get("items");
        let is_list = rest.is_some_and(|id| matches!(self.registry.forest.get(id), Value::Array(_)));
        if let Some(value) = k.get("prefixItems") {
            prefix = self.schemas(k, "prefixItems", value)?;
        }
        if is_list {
            if let Some(value) = rest {
                let tuple = match self.registry.forest.get(value) {
                    Value::Array(items) => items.to_vec(),
                    _ => Vec::new(),
                };
                if !prefix.is_empty() {
                    return Err(self.error(k, "items", "a schema beside `prefixItems`"));
                }
                prefix = tuple.into_iter().map(|item| self.below(k, item)).collect();
            }
            rest = k.get("additionalItems");
        } else if k.get("additionalItems").is_some() {
            self.unenforce(k, "additionalItems", "needs a list of `items`");
        }
        if !prefix.is_empty() || rest.is_some() {
            let rest = rest.map(|rest| self.below(k, rest));
            out.push(Assertion::Items { prefix, rest });
        }
        if let Some(value) = k.get("minItems") {
            out.push(Assertion::MinItems(self.count(k, "minItems", value)?));
        }
        if let Some(value) = k.get("maxItems") {
            out.push(Assertion::MaxItems(self.count(k, "maxItems", value)?));
        }
        if let Some(value) = k.get("uniqueItems") {
            match self.registry.forest.get(value) {
                Value::Bool(true) => out.push(Assertion::UniqueItems),
                Value::Bool(false) => {}
                _ => return Err(self.error(k, "uniqueItems", "true or false")),
            }
        }
        if let Some(schema) = k.get("contains") {
            let min = k.get("minContains").map(|v| self.count(k, "minContains", v)).transpose()?;
            let max = k.get("maxContains").map(|v| self.count(k, "maxContains", v)).transpose()?;
            let evaluates = k.dialect.draft >= Draft::Draft202012;
            let schema = self.below(k, schema);
            out.push(Assertion::Contains { schema, min: min.unwrap_or(1), max, evaluates });
        }
        if let Some(schema) = k.get("unevaluatedItems") {
            out.push(Assertion::UnevaluatedItems(self.below(k, schema)));
        }
        Ok(())
    }

    /// The declared names and what undeclared ones are; first, so that a schema's own names come before all others.
    fn members(&mut self, k: &Keywords, out: &mut Vec<Assertion>) -> Result<(), Error> {
        let mut declared = Vec::new();
        if let Some(value) = k.get("properties") {
            let all = self.map(k, "properties", value)?.into_iter();
            declared = all.map(|(name, schema)| (name, self.below(k, schema))).collect();
        }
        let mut patterns = Vec::new();
        if let Some(value) = k.get("patternProperties") {
            for (pattern, schema) in self.map(k, "patternProperties", value)? {
                let text = self.pattern(schema, "patternProperties", &pattern)?;
                patterns.push((text, self.below(k, schema)));
            }
        }
        let additional = k.get("additionalProperties");
        let mut additional = additional.map(|schema| Additional::Schema(self.below(k, schema)));
        if additional.is_none()
            && self.options.strict_objects
            && (k.get("properties").is_some() || k.get("patternProperties").is_some())
            && k.get("unevaluatedProperties").is_none()
        {
            additional = Some(Additional::Closed);
        }
        if !declared.is_empty() || !patterns.is_empty() || additional.is_some() {
            out.push(Assertion::Members { declared, patterns, additional });
        }
        Ok(())
    }

    fn objects(&mut self, k: &Keywords, out: &mut Vec<Assertion>) -> Result<(), Error> {
        if let Some(value) = k.get("required") {
            // Draft 3 had a boolean here; it stands in documents to this day and says nothing.
            if matches!(self.registry.forest.get(value), Value::Bool(_)) {
                self.unenforce(k, "required", "a boolean, as in draft 3");
            } else {
                out.push(Assertion::Required(self.names(k, "required", value)?));
            }
        }
        if let Some(schema) = k.get("propertyNames") {
            out.push(Assertion::PropertyNames(self.below(k, schema)));
        }
        if let Some(value) = k.get("minProperties") {
            let min = self.count(k, "minProperties", value)?;
            let additional = k.get("additionalProperties").map(|id| self.registry.forest.get(id));
            if min > 0 && !matches!(additional, Some(Value::Bool(false))) {
                self.note(
                    k,
                    "minProperties",
                    "counted in the text: an undeclared name that repeats counts each time",
                );
            }
            out.push(Assertion::MinProperties(min));
        }
        if let Some(value) = k.get("maxProperties") {
            out.push(Assertion::MaxProperties(self.count(k, "maxProperties", value)?));
        }
        if let Some(value) = k.get("dependentRequired") {
            for (name, value) in self.map(k, "dependentRequired", value)? {
                let names = self.names(k, "dependentRequired", value)?;
                out.push(Assertion::DependentRequired(name, names));
            }
        }
        if let Some(value) = k.get("dependentSchemas") {
            for (name, schema) in self.map(k, "dependentSchemas", value)? {
                out.push(Assertion::DependentSchema(name, self.below(k, schema)));
            }
        }
        if let Some(value) = k.get("dependencies") {
            for (name, value) in self.map(k, "dependencies", value)? {
                out.push(match self.registry.forest.get(value) {
                    Value::Array(_) => {
                        Assertion::DependentRequired(name, self.names(k, "dependencies", value)?)
                    }
                    // Draft 3 wrote one name as a string.
                    Value::String(one) => {
                        Assertion::DependentRequired(name, vec![self.registry.forest.shared(one).clone()])
                    }
                    _ => Assertion::DependentSchema(name, self.below(k, value)),
                });
            }
        }
        if let Some(schema) = k.get("unevaluatedProperties") {
            out.push(Assertion::UnevaluatedProperties(self.below(k, schema)));
        }
        Ok(())
    }

    /// A sub-schema, or what a reference leads to.
    fn below(&mut self, k: &Keywords, schema: ValueId) -> SchemaAt {
        self.registry.entered(k.scope, schema)
    }

    /// Says how a keyword that is enforced differs from what the standard says.
    fn note(&mut self, k: &Keywords, keyword: &'static str, why: &'static str) {
        self.fates.notes.push((k.schema, keyword, why));
    }

    /// Moves a keyword from the enforced to the ignored.
    fn unenforce(&mut self, k: &Keywords, keyword: &'static str, why: &'static str) {
        // Those of the schema being read are the last.
        let is_it = |&(schema, key): &(ValueId, &str)| schema == k.schema && key == keyword;
        if let Some(at) = self.fates.enforced.iter().rposition(is_it) {
            self.fates.enforced.remove(at);
        }
        self.fates.ignored.push((k.schema, Ignored::Known(keyword), why));
    }

    /// A pattern; `at` is the value to point at in errors.
    fn pattern(&mut self, at: ValueId, keyword: &str, pattern: &Rc<str>) -> Result<ExprId, Error> {
        let pointer = || self.registry.forest.pointer(at);
        self.texts.pattern(pattern).map_err(|error| match error {
            PatternError::Unsupported(why) => {
                Error::unsupported(pointer(), keyword, &format!("is not regular here: {why}"))
            }
            PatternError::Invalid(why) => Error::invalid(pointer(), format!("`{keyword}`: {why}")),
            PatternError::Limit(why) => {
                Error::new(ErrorKind::Limit, pointer(), format!("`{keyword}`: {why}"))
            }
        })
    }

    fn types(&self, k: &Keywords, value: ValueId) -> Result<TypeSet, Error> {
        let names = match self.registry.forest.get(value) {
            Value::Array(items) => items,
            _ => std::slice::from_ref(&value),
        };
        let mut set = TypeSet::default();
        for &name in names {
            match self.registry.forest.as_str(name) {
                Some("null") => set.null = true,
                Some("boolean") => set.boolean = true,
                Some("number") => set.number = true,
                Some("integer") => set.integer = true,
                Some("string") => set.string = true,
                Some("array") => set.array = true,
                Some("object") => set.object = true,
                _ => return Err(self.error(k, "type", "one of the seven types, or a list of them")),
            }
        }
        Ok(set)
    }

    fn string(&self, k: &Keywords, keyword: &str, value: ValueId) -> Result<Rc<str>, Error> {
        self.registry.forest.as_shared(value).cloned().ok_or_else(|| self.error(k, keyword, "a string"))
    }

    fn number(&self, k: &Keywords, keyword: &str, value: ValueId) -> Result<Decimal, Error> {
        match self.registry.forest.get(value) {
            Value::Number(number) => Ok(self.registry.forest.number(number).value.clone()),
            _ => Err(self.error(k, keyword, "a number")),
        }
    }

    /// A count; one beyond what anything can reach is that.
    fn count(&self, k: &Keywords, keyword: &str, value: ValueId) -> Result<u64, Error> {
        let number = self.number(k, keyword, value)?;
        if number.is_negative() || !number.is_integer() {
            return Err(self.error(k, keyword, "a whole number that is not negative"));
        }
        Ok(number.as_u64().unwrap_or(u64::MAX))
    }

    fn schemas(&mut self, k: &Keywords, keyword: &str, value: ValueId) -> Result<Vec<SchemaAt>, Error> {
        let items = match self.registry.forest.get(value) {
            Value::Array(items) if !items.is_empty() => items.to_vec(),
            _ => return Err(self.error(k, keyword, "a list of schemas that is not empty")),
        };
        Ok(items.iter().map(|&item| self.below(k, item)).collect())
    }

    fn map(&self, k: &Keywords, keyword: &str, value: ValueId) -> Result<Vec<(Rc<str>, ValueId)>, Error> {
        match self.registry.forest.get(value) {
            Value::Object(members) => Ok(self.registry.forest.named(members)),
            _ => Err(self.error(k, keyword, "an object")),
        }
    }

    fn names(&self, k: &Keywords, keyword: &str, value: ValueId) -> Result<Vec<Rc<str>>, Error> {
        let Value::Array(items) = self.registry.forest.get(value) else {
            return Err(self.error(k, keyword, "a list of names"));
        };
        let names = items
            .iter()
            .map(|&item| self.registry.forest.as_shared(item).cloned())
            .collect::<Option<Vec<_>>>();
        names.ok_or_else(|| self.error(k, keyword, "a list of names"))
    }
}

/// Keywords of the vocabularies `core`, `applicator` and `unevaluated`; the others need `validation` (or `format`).
fn is_applicator(key: &str) -> bool {
    key.starts_with('$')
        || matches!(
            key,
            "properties"
                | "patternProperties"
                | "additionalProperties"
                | "items"
                | "prefixItems"
                | "additionalItems"
                | "contains"
                | "propertyNames"
                | "if"
                | "then"
                | "else"
                | "dependentSchemas"
                | "allOf"
                | "anyOf"
                | "oneOf"
                | "not"
                | "unevaluatedProperties"
                | "unevaluatedItems"
                | "format"
        )
}
