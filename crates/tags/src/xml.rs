//! Objects as lists of parameters, the way models trained on XML-like calls write them.
//!
//! The outermost object is a list of parameters. A string stands in it as it is, without quotes and escapes, and so cannot
//! contain what closes the parameter; every other value is JSON. A property that may be a string or something else may be
//! either.
//!
//! Of a string the JSON Schema frontend says `"\"" JsonText(text) "\""`; the text is what stands here.

use crate::error::{Error, ErrorKind};
use crate::format::{JsonSchema, Style};
use crate::lower::{Here, Lowering};
use crate::object::{Object, Others, Property, ROOT};
use crate::pointer::escaped;
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, Place};
use serde_json::{Value, json};

/// How one parameter is written.
pub(crate) struct Markup {
    /// Before the key.
    pub(crate) open: &'static str,
    /// Between the key and a string: pieces with white space between them.
    pub(crate) before_text: &'static [&'static str],
    /// Values that are no strings: their types, and what stands between the key and one of them.
    pub(crate) before_json: &'static [(&'static [&'static str], &'static [&'static str])],
    pub(crate) close: &'static str,
    /// Whether `&` and `"` are escaped in keys, as in attributes of XML.
    pub(crate) escapes: bool,
}

/// All types but strings.
const JSON: &[&str] = &["number", "boolean", "null", "object", "array"];

fn markup(style: Style) -> Markup {
    let plain = Markup {
        open: "<parameter=",
        before_text: &[">"],
        before_json: &[(JSON, &[">"])],
        close: "</parameter>",
        escapes: false,
    };
    match style {
        Style::Json
        | Style::Pythonic
        | Style::PythonicOrJson
        | Style::Gemma4
        | Style::MinimaxM3Xml
        | Style::QwenXml => plain,
        Style::MinimaxXml => Markup {
            open: "<parameter name=\"",
            before_text: &["\">"],
            before_json: &[(JSON, &["\">"])],
            ..plain
        },
        Style::DeepseekXml => Markup {
            open: "<｜DSML｜parameter name=\"",
            before_text: &["\" string=\"true\">"],
            before_json: &[(JSON, &["\" string=\"false\">"])],
            close: "</｜DSML｜parameter>",
            ..plain
        },
        Style::DeepseekV41Xml => Markup {
            open: "<｜DSML｜ parameter name=\"",
            before_text: &["\" string=\"true\">"],
            before_json: &[(JSON, &["\" string=\"false\">"])],
            close: "</｜DSML｜ parameter>",
            ..plain
        },
        Style::GlmXml => Markup {
            open: "<arg_key>",
            before_text: &["</arg_key>", "<arg_value>"],
            before_json: &[(JSON, &["</arg_key>", "<arg_value>"])],
            close: "</arg_value>",
            ..plain
        },
        Style::KimiK3Xml => Markup {
            open: "<|open|>argument key=\"",
            before_text: &["\" type=\"string\"<|sep|>"],
            before_json: &[
                (&["number"], &["\" type=\"number\"<|sep|>"]),
                (&["boolean"], &["\" type=\"boolean\"<|sep|>"]),
                (&["null"], &["\" type=\"null\"<|sep|>"]),
                (&["object"], &["\" type=\"object\"<|sep|>"]),
                (&["array"], &["\" type=\"array\"<|sep|>"]),
            ],
            close: "<|close|>argument<|sep|>",
            escapes: true,
        },
    }
}

/// The most properties that may come in any order.
const MAX_ANY_ORDER: usize = 8;

/// What a parameter's value may be.
pub(crate) struct Values {
    /// The texts that a string may have; `None` if it cannot be one.
    pub(crate) text: Option<ExprId>,
    /// Whether that is any text.
    pub(crate) is_any_text: bool,
    /// What is no string, as JSON, with the number of its types in the markup.
    pub(crate) json: Vec<(usize, ExprId)>,
}

impl Lowering<'_> {
    /// An object in another style than JSON.
    pub(crate) fn xml(&mut self, schema: &JsonSchema, here: &Here<'_>) -> Result<ExprId, Error> {
        let here = here.at("json_schema");
        let markup = markup(schema.style);
        let value = schema.schema.value().map_err(|error| error.moved(|_| here.pointer.into()))?;
        let object = Object::read(value, self.options.strict_objects, &here)?;
        let mut parameters: Vec<(ExprId, bool)> = Vec::new();
        for property in &object.properties {
            let Property { key, is_required, .. } = *property;
            let key = self.key(key, &markup, &here)?;
            let values = match self.values(schema, &markup, &property.at, &here) {
                // A property that nothing satisfies cannot be there, and need not.
                Err(error) if error.kind() == ErrorKind::Unsatisfiable && !is_required => continue,
                values => values?,
            };
            let is_boolean = is_boolean(property.schema);
            let parameter = self.parameter(&markup, key, &values, schema.style, is_boolean);
            parameters.push((parameter, is_required));
        }
        let other = self.other_parameter(schema, &object, &markup, &here)?;
        for name in &object.required_others {
            // Whatever undeclared ones may be.
            if other.is_none() {
                let message = format!("`{name}` is required, but not declared, and others may not come");
                return Err(Error::new(ErrorKind::Unsatisfiable, here.at("required").pointer, message));
            }
            let key = self.key(name, &markup, &here)?;
            let values = self.any_value(schema, &markup, &here)?;
            parameters.push((self.parameter(&markup, key, &values, schema.style, false), true));
        }
        let gap = self.gap();
        let other = other.map(|other| {
            let other = self.b.seq([gap, other]);
            self.b.star(other)
        });
        let tail = self.b.seq(other.into_iter().chain([gap]));
        let with_gap: Vec<(ExprId, bool)> =
            parameters.into_iter().map(|(p, required)| (self.b.seq([gap, p]), required)).collect();
        if schema.any_order {
            return self.in_any_order(&with_gap, other, tail, &here);
        }
        let parts: Vec<ExprId> = with_gap
            .into_iter()
            .map(|(parameter, required)| if required { parameter } else { self.b.optional(parameter) })
            .collect();
        Ok(self.b.seq(parts.into_iter().chain([tail])))
    }

    fn gap(&mut self) -> ExprId {
        let white = self.b.class(CharClass::from_ranges([('\t', '\n'), ('\r', '\r'), (' ', ' ')]));
        self.b.star(white)
    }

    /// A key as it is written, if it can be.
    fn key(&mut self, key: &str, markup: &Markup, here: &Here<'_>) -> Result<ExprId, Error> {
        if key.is_empty() || key.contains(['<', '>', '\n']) || (key.contains('"') && !markup.escapes) {
            let message = "this key cannot be written in this style";
            let pointer = format!("{}/properties/{}", here.pointer, escaped(key));
            return Err(Error::new(ErrorKind::Unsupported, pointer, message));
        }
        let written = if markup.escapes { attribute(key) } else { key.to_owned() };
        Ok(self.b.literal(written))
    }

    /// One parameter with this key.
    fn parameter(
        &mut self,
        markup: &Markup,
        key: ExprId,
        values: &Values,
        style: Style,
        is_boolean: bool,
    ) -> ExprId {
        let open = self.b.tag(markup.open);
        let mut ways = Vec::new();
        if let Some(text) = values.text {
            let before = self.after_key(markup.before_text);
            let rest = if values.is_any_text {
                let empty = self.b.empty();
                self.b.until([(markup.close, empty)], [], false)
            } else {
                let without = self.without(markup.close);
                let text = self.b.and([text, without]);
                // A model that writes values on lines of their own does so for all of them.
                let line = self.b.literal("\n");
                let line = if style == Style::QwenXml { self.b.optional(line) } else { self.b.empty() };
                let close = self.b.tag(markup.close);
                self.b.seq([line, text, line, close])
            };
            ways.push(self.b.seq([before, rest]));
        }
        for &(i, mut json) in &values.json {
            let before = self.after_key(markup.before_json[i].1);
            if style == Style::QwenXml && is_boolean {
                // The templates of these models print values as Python does.
                let (yes, no) = (self.b.literal("True"), self.b.literal("False"));
                json = self.b.alt([json, yes, no]);
            }
            let (gap, close) = (self.gap(), self.b.tag(markup.close));
            ways.push(self.b.seq([before, gap, json, gap, close]));
        }
        let value = self.b.alt(ways);
        self.b.seq([open, key, value])
    }

    fn after_key(&mut self, pieces: &[&str]) -> ExprId {
        let mut parts = Vec::new();
        for (i, piece) in pieces.iter().enumerate() {
            if i > 0 {
                parts.push(self.gap());
            }
            parts.push(self.b.tag(piece));
        }
        self.b.seq(parts)
    }

    /// What the value may be whose schema stands at `at` in the whole schema.
    pub(crate) fn values(
        &mut self,
        schema: &JsonSchema,
        markup: &Markup,
        at: &str,
        here: &Here<'_>,
    ) -> Result<Values, Error> {
        let reference = json!({"$ref": format!("{ROOT}#{at}")});
        let values = self.values_of(schema, &reference, markup, at, here)?;
        if values.text.is_none() && values.json.is_empty() {
            let pointer = format!("{}{at}", here.pointer);
            return Err(Error::new(ErrorKind::Unsatisfiable, pointer, "nothing satisfies this schema"));
        }
        Ok(values)
    }

    /// What a value of a schema may be that refers into the whole one; `at` is where its errors are shown.
    fn values_of(
        &mut self,
        schema: &JsonSchema,
        value: &Value,
        markup: &Markup,
        at: &str,
        here: &Here<'_>,
    ) -> Result<Values, Error> {
        let options = self.options_inside(schema, here)?;
        let part = |types: Value| {
            let schema = json!({"allOf": [value], "type": types});
            match options.grammar_from_value(&schema) {
                Ok(grammar) => Ok(Some(grammar)),
                Err(error) if error.kind() == formwork_json_schema::ErrorKind::Unsatisfiable => Ok(None),
                Err(error) => {
                    let pointer = error.pointer().strip_prefix(&format!("{ROOT}#")).unwrap_or(at).to_owned();
                    let kind = Error::of_schema("", &error).kind();
                    Err(Error::new(kind, format!("{}{pointer}", here.pointer), error.message()))
                }
            }
        };
        let text = match part(json!("string"))? {
            None => None,
            Some(grammar) => Some(self.unquoted(&grammar).ok_or_else(|| {
                let message = "this string cannot be written in this style";
                Error::new(ErrorKind::Unsupported, format!("{}{at}", here.pointer), message)
            })?),
        };
        let mut json = Vec::new();
        for (i, (types, _)) in markup.before_json.iter().enumerate() {
            if let Some(grammar) = part(json!(types))? {
                let place = Place::Pointer((self.name)(&format!("{}{at}", here.pointer)));
                let rule = self.b.import(&grammar, |_| place.clone());
                json.push((i, self.b.rule(rule)));
            }
        }
        let any = self.any_text_value();
        Ok(Values { text, is_any_text: text == Some(any), json })
    }

    /// Any value. Where nothing says of which type a value is, any text is one, and JSON is text, too.
    fn any_value(&mut self, schema: &JsonSchema, markup: &Markup, here: &Here<'_>) -> Result<Values, Error> {
        if markup.before_json.iter().any(|(_, before)| *before != markup.before_text) {
            return self.values_of(schema, &Value::Bool(true), markup, "", here);
        }
        Ok(Values { text: Some(self.any_text_value()), is_any_text: true, json: Vec::new() })
    }

    fn any_text_value(&mut self) -> ExprId {
        let any = self.b.class(CharClass::any());
        self.b.star(any)
    }

    /// The texts of the strings that a grammar accepts, if it is of the shape that strings have.
    fn unquoted(&mut self, grammar: &Grammar) -> Option<ExprId> {
        let is_quote = |expr: ExprId| matches!(grammar.expr(expr), Expr::Bytes(bytes) if **bytes == *b"\"");
        let mut ways = Vec::new();
        let mut todo = vec![grammar.rule(grammar.root()).body()];
        // Rules of strings are not recursive; whatever else there is ends here.
        for _ in 0..10_000 {
            let Some(expr) = todo.pop() else { return Some(self.b.alt(ways)) };
            match grammar.expr(expr) {
                Expr::Rule(rule) => todo.push(grammar.rule(*rule).body()),
                Expr::Alt(parts) => todo.extend(parts.iter().rev()),
                Expr::Seq(parts)
                    if parts.len() >= 2 && is_quote(parts[0]) && is_quote(parts[parts.len() - 1]) =>
                {
                    let inner = &parts[1..parts.len() - 1];
                    let inner: Option<Vec<ExprId>> =
                        inner.iter().map(|&part| self.spelled(grammar, part, 0)).collect();
                    ways.push(self.b.seq(inner?));
                }
                Expr::Bytes(bytes) if **bytes == *b"\"\"" => ways.push(self.b.empty()),
                _ => return None,
            }
        }
        None
    }

    /// What JSON spellings spell.
    fn spelled(&mut self, grammar: &Grammar, expr: ExprId, depth: usize) -> Option<ExprId> {
        if depth > 8 {
            return None;
        }
        match grammar.expr(expr) {
            Expr::JsonText(text) => Some(self.b.import_expr(grammar, *text)),
            Expr::Empty => Some(self.b.empty()),
            Expr::Repeat { body, min, max } => {
                let body = self.spelled(grammar, *body, depth + 1)?;
                Some(self.b.repeat(body, *min, *max))
            }
            Expr::Seq(parts) => {
                let parts: Option<Vec<ExprId>> =
                    parts.iter().map(|&part| self.spelled(grammar, part, depth + 1)).collect();
                Some(self.b.seq(parts?))
            }
            Expr::Alt(parts) => {
                let parts: Option<Vec<ExprId>> =
                    parts.iter().map(|&part| self.spelled(grammar, part, depth + 1)).collect();
                Some(self.b.alt(parts?))
            }
            _ => None,
        }
    }

    /// A parameter that is not declared, if there may be one.
    fn other_parameter(
        &mut self,
        schema: &JsonSchema,
        object: &Object<'_>,
        markup: &Markup,
        here: &Here<'_>,
    ) -> Result<Option<ExprId>, Error> {
        let values = match &object.others {
            Others::None => return Ok(None),
            Others::Any => self.any_value(schema, markup, here)?,
            Others::Of(at) => self.values(schema, markup, at, here)?,
        };
        let first = self.b.class(CharClass::from_ranges([('A', 'Z'), ('_', '_'), ('a', 'z')]));
        let other = self.b.class(CharClass::from_ranges([
            ('-', '.'),
            ('0', '9'),
            ('A', 'Z'),
            ('_', '_'),
            ('a', 'z'),
        ]));
        let other = self.b.star(other);
        let name = self.b.seq([first, other]);
        let declared: Vec<ExprId> =
            object.properties.iter().map(|property| self.b.literal(property.key)).collect();
        let declared = self.b.alt(declared);
        let others = self.b.not(declared);
        let key = self.b.and([name, others]);
        Ok(Some(self.parameter(markup, key, &values, schema.style, false)))
    }

    /// The parameters in any order, each at most once, those that are required present.
    pub(crate) fn in_any_order(
        &mut self,
        parameters: &[(ExprId, bool)],
        other: Option<ExprId>,
        tail: ExprId,
        here: &Here<'_>,
    ) -> Result<ExprId, Error> {
        if parameters.len() > MAX_ANY_ORDER {
            let message = format!("more than {MAX_ANY_ORDER} properties in any order");
            return Err(Error::new(ErrorKind::Limit, here.pointer, message));
        }
        // What may come once all of a set have come; from the full set back.
        let full = (1usize << parameters.len()) - 1;
        let mut after: Vec<ExprId> = vec![tail; full + 1];
        for come in (0..full).rev() {
            let mut ways = Vec::new();
            if parameters.iter().enumerate().all(|(i, p)| !p.1 || come >> i & 1 != 0) {
                ways.push(tail);
            }
            for (i, &(parameter, _)) in parameters.iter().enumerate().filter(|(i, _)| come >> i & 1 == 0) {
                ways.push(self.b.seq(other.into_iter().chain([parameter, after[come | 1 << i]])));
            }
            after[come] = self.b.alt(ways);
        }
        Ok(after[0])
    }
}

/// A text as the value of an attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

/// Whether a schema is a plain boolean.
fn is_boolean(schema: &Value) -> bool {
    let Value::Object(members) = schema else { return false };
    members.get("type").is_some_and(|kind| kind == "boolean")
        && ["enum", "const", "allOf", "anyOf", "oneOf", "not", "$ref"]
            .iter()
            .all(|key| !members.contains_key(*key))
}
