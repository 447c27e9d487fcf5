//! How a schema is to be read.

use crate::draft::Draft;
use crate::error::Error;
use crate::library::Library;
use crate::limits::Limits;
use crate::report::Report;
use formwork_grammar::{Grammar, Part};
use serde_json::Value;

/// How a schema is to be read and which spellings its values may take.
///
/// The defaults follow the standard where it says something and typed clients where it does not.
///
/// ```
/// use formwork_json_schema::{Numbers, Options, PropertyOrder};
/// let options = Options::default().property_order(PropertyOrder::Any).numbers(Numbers::Any);
/// let (grammar, report) = options.grammar_with_report(r#"{"type": "integer", "x-unit": "mm"}"#)?;
/// assert_eq!(report.ignored()[0].pointer(), "/x-unit");
/// # drop(grammar);
/// # Ok::<(), formwork_json_schema::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) draft: Option<Draft>,
    pub(crate) property_order: PropertyOrder,
    pub(crate) formats: Formats,
    pub(crate) whitespace: Whitespace,
    pub(crate) numbers: Numbers,
    pub(crate) max_digits: Digits,
    pub(crate) strict_objects: bool,
    pub(crate) relax: Vec<String>,
    pub(crate) resources: Vec<(String, Value)>,
    pub(crate) limits: Limits,
}

/// The order of an object's members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PropertyOrder {
    /// Declared properties in the order in which the schema declares them, then undeclared ones.
    #[default]
    Schema,
    /// Any order, each declared key at most once.
    ///
    /// Keys on which nothing hangs but their own value cost no more than in order. Of those that depend on each other
    /// (`dependentRequired`, `oneOf` over properties, `maxProperties` and the like) there may be a dozen in one object.
    /// Masks near the beginning and the end of a member take some tens of microseconds, once per output.
    Any,
}

/// Whether `format` restricts strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Formats {
    /// The standard's formats restrict; unknown ones do not, and are reported.
    ///
    /// `regex` and `idn-hostname` are more than regular languages: beside a pattern, a length or the like they are refused.
    /// They and, from draft 7 on, `hostname` leave some out, and the report says which; strings that are listed are looked
    /// at in full. The first use of `idn-hostname` takes a second or two.
    /// Some are wider than the standard: the domain of `email` is bounded label by label, and not to 253 characters in
    /// all; that of `idn-email` may have any character beyond ASCII.
    #[default]
    Assert,
    /// `format` never restricts.
    Annotate,
}

/// The white space between tokens. There is none outside the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Whitespace {
    /// Any amount of blanks, tabs and line ends.
    Any,
    /// At most so many bytes of blanks, tabs and line ends in each gap, so that no model goes on for ever with them.
    /// The default, with 64. It costs nothing where the schema is the whole grammar.
    AtMost(u32),
    /// None at all.
    Compact,
    /// One blank after each of these and none elsewhere, as Python's `json.dumps` writes with `separators` and without
    /// `indent`; both are its default.
    Blanks {
        /// After the comma between members or items.
        after_comma: bool,
        /// After the colon of a member.
        after_colon: bool,
    },
    /// Each member and item on a line of its own, as `json.dumps` writes with `indent`; a blank after the colon is its
    /// default.
    ///
    /// How far a line is indented depends on how deep it stands, so a demand on values at three depths is three rules.
    /// Values that may nest without end, as those of undeclared properties do, are left out from
    /// [`max_indented_depth`](Limits::max_indented_depth) on, and the report says so.
    Lines {
        /// Blanks for each array or object that a line stands in; at most 64.
        indent: u32,
        /// A blank after the comma between members or items, at the end of the line.
        after_comma: bool,
        /// A blank after the colon of a member.
        after_colon: bool,
    },
}

/// The most blanks that a line is indented by for each depth.
const MAX_INDENT: u32 = 64;

impl Default for Whitespace {
    fn default() -> Self {
        Self::AtMost(64)
    }
}

/// The most digits that stand side by side in a number; `None` means without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits(Option<u32>);

impl Default for Digits {
    fn default() -> Self {
        Self(Some(64))
    }
}

/// The spellings of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Numbers {
    /// Whole numbers without fraction and exponent, which is what typed clients can read, and at most
    /// [64 digits](Options::max_digits) side by side;
    /// numbers with bounds with an exponent only after one non-zero digit (`1.5e-7`), other numbers as JSON allows. Multiples
    /// of 0.0001 or more, beside bounds below 10¹⁶, have one only where they are farther from zero than any bound, since
    /// serialisers write nearer ones without.
    #[default]
    Plain,
    /// Also `1.0` and `1e2` where a whole number is asked for. Numbers that are compared (with bounds and constants) have an
    /// exponent only after one digit that is not zero, and those with `multipleOf` may have none; the report says where.
    Any,
    /// One spelling for each value, the shortest: no needless zero, no plus, no `-0`.
    ///
    /// From 10⁻⁶ up to 10²¹, where ECMAScript and RFC 8785 draw the lines, numbers have no exponent; beyond they have one
    /// after one digit and a fraction, if any (`1e21`, `1.5e-7`). Whole numbers where no others may stand have none,
    /// and neither do numbers with `multipleOf`.
    Canonical,
}

impl Options {
    /// Reads the schema as this draft, whatever its `$schema` says.
    #[must_use]
    pub fn draft(mut self, draft: Draft) -> Self {
        self.draft = Some(draft);
        self
    }

    /// Sets the order of an object's members.
    #[must_use]
    pub fn property_order(mut self, order: PropertyOrder) -> Self {
        self.property_order = order;
        self
    }

    /// Sets whether `format` restricts strings.
    #[must_use]
    pub fn formats(mut self, formats: Formats) -> Self {
        self.formats = formats;
        self
    }

    /// Sets the white space between tokens.
    #[must_use]
    pub fn whitespace(mut self, whitespace: Whitespace) -> Self {
        self.whitespace = whitespace;
        self
    }

    /// Sets the spellings of numbers.
    #[must_use]
    pub fn numbers(mut self, numbers: Numbers) -> Self {
        self.numbers = numbers;
        self
    }

    /// Sets the most digits that stand side by side in a number, but under [`Numbers::Any`], so that no model goes on for
    /// ever with them; `None` means without end. Default 64; fewer than 32 are 32.
    ///
    /// Numbers of which more is asked than multiples and bounds (`not` a multiple) are without this bound, and so are numbers
    /// beside constants and bounds of nearly as many digits; the report says where.
    #[must_use]
    pub fn max_digits(mut self, max: Option<u32>) -> Self {
        self.max_digits = Digits(max.map(|max| max.max(32)));
        self
    }

    /// The bound on digits, where there is one.
    pub(crate) fn digits_in_a_row(&self) -> Option<u32> {
        if self.numbers == Numbers::Any { None } else { self.max_digits.0 }
    }

    /// Refuses what no grammar can be made with.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.whitespace {
            Whitespace::Lines { indent, .. } if indent > MAX_INDENT => {
                Err(Error::usage(format!("an indent of {indent} blanks is more than {MAX_INDENT}")))
            }
            _ => Ok(()),
        }
    }

    /// Closes objects that declare properties and do not say whether others may come.
    #[must_use]
    pub fn strict_objects(mut self, strict: bool) -> Self {
        self.strict_objects = strict;
        self
    }

    /// Leaves these keywords out, wherever they stand; each place is listed in the report as relaxed. `oneOf` is read as `anyOf`:
    /// that no other alternative holds is what is hard about it.
    #[must_use]
    pub fn relax<S: Into<String>>(mut self, keywords: impl IntoIterator<Item = S>) -> Self {
        self.relax.extend(keywords.into_iter().map(Into::into));
        self
    }

    /// Schemas that references may lead to, by URI. Nothing is ever fetched.
    #[must_use]
    pub fn resources<S: Into<String>>(mut self, resources: impl IntoIterator<Item = (S, Value)>) -> Self {
        self.resources.extend(resources.into_iter().map(|(uri, schema)| (uri.into(), schema)));
        self
    }

    /// Sets the bounds on growth.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The grammar of the JSON texts that satisfy the schema.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn grammar(&self, text: &str) -> Result<Grammar, Error> {
        Ok(crate::compile::compile(self, |forest| forest.read("", text))?.grammar)
    }

    /// [`Self::grammar`] of a schema that is parsed already.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn grammar_from_value(&self, value: &Value) -> Result<Grammar, Error> {
        Ok(crate::compile::compile(self, |forest| forest.convert("", value))?.grammar)
    }

    /// The rules that the grammars of schemas have in common, for [parts](Self::part) to borrow; none where white space depends on
    /// how deep a value stands.
    ///
    /// Cost: as [`grammar`](Self::grammar) of the schema `true`.
    pub fn library(&self) -> Option<Library> {
        Some(Library::new(self, crate::compile::library(self)?))
    }

    /// [`Self::grammar`] as a part of other grammars, which borrows from a [library](Self::library) if that is of options that
    /// mean the same to it.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn part(&self, text: &str, library: Option<&Library>) -> Result<Part, Error> {
        crate::compile::part(self, library, |forest| forest.read("", text))
    }

    /// [`Self::part`] of a schema that is parsed already.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn part_from_value(&self, value: &Value, library: Option<&Library>) -> Result<Part, Error> {
        crate::compile::part(self, library, |forest| forest.convert("", value))
    }

    /// The grammar, and what became of each keyword.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn grammar_with_report(&self, text: &str) -> Result<(Grammar, Report), Error> {
        let lowered = crate::compile::compile(self, |forest| forest.read("", text))?;
        Ok((lowered.grammar.clone(), crate::compile::report(lowered)))
    }

    /// [`Self::grammar_with_report`] of a schema that is parsed already.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn grammar_with_report_from_value(&self, value: &Value) -> Result<(Grammar, Report), Error> {
        let lowered = crate::compile::compile(self, |forest| forest.convert("", value))?;
        Ok((lowered.grammar.clone(), crate::compile::report(lowered)))
    }

    /// Reads options from a JSON object, as the command line takes them.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) for an unknown name or value, naming it.
    pub fn from_json(options: &Value) -> Result<Self, Error> {
        let Value::Object(members) = options else {
            return Err(Error::usage("options must be a JSON object"));
        };
        let mut out = Self::default();
        for (name, value) in members {
            let word = value.as_str();
            match (name.as_str(), word) {
                ("property_order", Some("schema")) => out.property_order = PropertyOrder::Schema,
                ("property_order", Some("any")) => out.property_order = PropertyOrder::Any,
                ("formats", Some("assert")) => out.formats = Formats::Assert,
                ("formats", Some("annotate")) => out.formats = Formats::Annotate,
                ("whitespace", Some("any")) => out.whitespace = Whitespace::Any,
                ("whitespace", Some("compact")) => out.whitespace = Whitespace::Compact,
                ("whitespace", Some("bounded")) => out.whitespace = Whitespace::AtMost(64),
                ("whitespace", _) => {
                    out.whitespace = spaced(value)?;
                    out.check()?;
                }
                ("numbers", Some("plain")) => out.numbers = Numbers::Plain,
                ("numbers", Some("any")) => out.numbers = Numbers::Any,
                ("numbers", Some("canonical")) => out.numbers = Numbers::Canonical,
                ("max_digits", Some("any")) => out = out.max_digits(None),
                ("max_digits", _) => {
                    let max = value.as_u64().and_then(|max| u32::try_from(max).ok());
                    out = out.max_digits(Some(max.ok_or_else(|| wrong(name, value))?));
                }
                ("draft", _) => out.draft = Some(draft(value)?),
                ("strict_objects", _) => {
                    out.strict_objects = value.as_bool().ok_or_else(|| wrong(name, value))?
                }
                ("relax", _) => {
                    let names = value.as_array().ok_or_else(|| wrong(name, value))?;
                    for keyword in names {
                        out.relax.push(keyword.as_str().ok_or_else(|| wrong(name, keyword))?.to_owned());
                    }
                }
                ("resources", _) => {
                    let map = value.as_object().ok_or_else(|| wrong(name, value))?;
                    out.resources.extend(map.iter().map(|(uri, schema)| (uri.clone(), schema.clone())));
                }
                ("property_order" | "formats" | "numbers", _) => return Err(wrong(name, value)),
                _ => {
                    let known = "draft, property_order, formats, whitespace, numbers, max_digits, strict_objects, relax, resources";
                    return Err(Error::usage(format!("unknown option `{name}`; the options are {known}")));
                }
            }
        }
        Ok(out)
    }
}

/// White space given as an object: `{"max": n}`, or as the arguments of Python's `json.dumps`.
fn spaced(value: &Value) -> Result<Whitespace, Error> {
    let members = value.as_object();
    let of = |name: &str| members.and_then(|members| members.get(name));
    let n_members = members.map_or(0, serde_json::Map::len);
    let known = usize::from(of("indent").is_some()) + usize::from(of("separators").is_some());
    let indent = match of("indent") {
        None | Some(Value::Null) => Some(None),
        Some(indent) => indent.as_u64().and_then(|indent| u32::try_from(indent).ok()).map(Some),
    };
    if let Some(indent) = indent.filter(|_| known > 0 && known == n_members) {
        let given = of("separators").filter(|separators| !separators.is_null());
        let texts: Option<Vec<&str>> = match given {
            None => Some(vec![if indent.is_some() { "," } else { ", " }, ": "]),
            Some(given) => given.as_array().map(|given| given.iter().filter_map(Value::as_str).collect()),
        };
        let has_blank = |text: &str, mark: &str| match text.strip_prefix(mark) {
            Some("") => Some(false),
            Some(" ") => Some(true),
            _ => None,
        };
        if let Some([comma, colon]) = texts.as_deref() {
            if let (Some(after_comma), Some(after_colon)) = (has_blank(comma, ","), has_blank(colon, ":")) {
                return Ok(match indent {
                    None => Whitespace::Blanks { after_comma, after_colon },
                    Some(indent) => Whitespace::Lines { indent, after_comma, after_colon },
                });
            }
        }
    }
    let max = of("max").filter(|_| n_members == 1);
    let max = max.and_then(Value::as_u64).and_then(|max| u32::try_from(max).ok());
    max.map(Whitespace::AtMost).ok_or_else(|| {
        let known = "\"any\", \"bounded\", \"compact\", {\"max\": n} and {\"indent\": n or null, \"separators\": [\", \" or \",\", \": \" or \":\"]} are";
        Error::usage(format!("whitespace: {value} is not available; {known}"))
    })
}

fn wrong(name: &str, value: &Value) -> Error {
    Error::usage(format!("option `{name}` cannot be {value}"))
}

fn draft(value: &Value) -> Result<Draft, Error> {
    let name = match value {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    };
    Draft::from_name(&name).or_else(|| Draft::from_uri(&name)).ok_or_else(|| wrong("draft", value))
}
