//! JSON to formats.

use crate::error::{Error, ErrorKind};
use crate::format::{
    AnyText, Dispatch, Format, JsonSchema, Marker, Region, Style, Symbol, Tag, TagsWithSeparator,
    TokenDispatch, TokenTriggeredTags, TriggeredTags,
};
use serde_json::{Map, Value};
use std::num::NonZeroU32;

/// How deep formats may nest.
pub(crate) const MAX_NESTING: usize = 64;

/// The format of a whole document.
pub(crate) fn document(value: &Value) -> Result<Format, Error> {
    let mut members = Members::new(value, "", "a structural tag")?;
    if let Some(kind) = members.take("type") {
        if kind != "structural_tag" {
            return Err(Error::invalid("/type", format!("expected \"structural_tag\", found {kind}")));
        }
    }
    let Some(value) = members.take("format") else {
        return Err(Error::invalid("", "a structural tag has a `format`, or `structures` and `triggers`"));
    };
    members.finish()?;
    format(value, "/format", 0)
}

/// The members of an object, taken one by one, so that unknown ones are left over.
struct Members<'a> {
    map: &'a Map<String, Value>,
    taken: Vec<&'static str>,
    pointer: String,
}

impl<'a> Members<'a> {
    fn new(value: &'a Value, pointer: &str, what: &str) -> Result<Self, Error> {
        match value {
            Value::Object(map) => Ok(Self { map, taken: Vec::new(), pointer: pointer.to_owned() }),
            _ => Err(Error::invalid(pointer, format!("{what} is an object, not {}", kind_of(value)))),
        }
    }

    /// A member; `null` is as good as none.
    fn take(&mut self, name: &'static str) -> Option<&'a Value> {
        self.taken.push(name);
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }

    fn wrong(&self, name: &str, expected: &str, found: &Value) -> Error {
        Error::invalid(self.place(name), format!("expected {expected}, found {}", kind_of(found)))
    }

    fn required(&mut self, name: &'static str) -> Result<&'a Value, Error> {
        self.take(name).ok_or_else(|| Error::invalid(&self.pointer, format!("`{name}` is missing")))
    }

    fn string(&mut self, name: &'static str) -> Result<String, Error> {
        let value = self.required(name)?;
        value.as_str().map(str::to_owned).ok_or_else(|| self.wrong(name, "a string", value))
    }

    fn flag(&mut self, name: &'static str, default: bool) -> Result<bool, Error> {
        match self.take(name) {
            None => Ok(default),
            Some(value) => value.as_bool().ok_or_else(|| self.wrong(name, "true or false", value)),
        }
    }

    fn count(&mut self, name: &'static str) -> Result<Option<u32>, Error> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value.as_u64() {
            Some(count) => Ok(Some(u32::try_from(count).unwrap_or(u32::MAX))),
            None => Err(self.wrong(name, "a number of at least 0", value)),
        }
    }

    fn list(&mut self, name: &'static str) -> Result<&'a [Value], Error> {
        match self.take(name) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(value) => Err(self.wrong(name, "a list", value)),
        }
    }

    /// A list with something in it.
    fn some(&mut self, name: &'static str) -> Result<&'a [Value], Error> {
        self.required(name)?;
        let list = self.list(name)?;
        if list.is_empty() { Err(Error::invalid(self.place(name), "the list is empty")) } else { Ok(list) }
    }

    fn strings(&self, name: &str, list: &[Value]) -> Result<Vec<String>, Error> {
        let string = |(i, value): (usize, &Value)| match value.as_str() {
            Some("") => Err(Error::invalid(format!("{}/{i}", self.place(name)), "the text is empty")),
            Some(text) => Ok(text.to_owned()),
            None => Err(self.wrong(&format!("{name}/{i}"), "a string", value)),
        };
        list.iter().enumerate().map(string).collect()
    }

    fn symbols(&self, name: &str, list: &[Value]) -> Result<Vec<Symbol>, Error> {
        let place = self.place(name);
        list.iter().enumerate().map(|(i, value)| symbol(value, &format!("{place}/{i}"))).collect()
    }

    fn formats(&self, name: &str, list: &[Value], depth: usize) -> Result<Vec<Format>, Error> {
        let place = self.place(name);
        list.iter().enumerate().map(|(i, value)| format(value, &format!("{place}/{i}"), depth + 1)).collect()
    }

    fn tags(&self, name: &str, list: &[Value], depth: usize) -> Result<Vec<Tag>, Error> {
        let place = self.place(name);
        let tag = |(i, value): (usize, &Value)| tag(value, &format!("{place}/{i}"), depth + 1, &[]);
        list.iter().enumerate().map(tag).collect()
    }

    fn content(&mut self, depth: usize) -> Result<Box<Format>, Error> {
        let content = self.required("content")?;
        Ok(Box::new(format(content, &self.place("content"), depth + 1)?))
    }

    /// Nothing may be left: what is not understood is not passed over.
    fn finish(self) -> Result<(), Error> {
        match self.map.keys().find(|name| !self.taken.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let known = self.taken.join(", ");
                let message = format!("unknown member `{name}`; known here are {known}");
                Err(Error::invalid(format!("{}/{}", self.pointer, escaped(name)), message))
            }
        }
    }
}

/// A member's name in a JSON pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn symbol(value: &Value, pointer: &str) -> Result<Symbol, Error> {
    match (value.as_u64().map(u32::try_from), value.as_str()) {
        (Some(Ok(id)), _) => Ok(Symbol::Id(id)),
        (_, Some(name)) if !name.is_empty() => Ok(Symbol::from(name)),
        _ => Err(Error::invalid(pointer, "expected a token's id or its text")),
    }
}

/// A text, or an object that is a token.
fn marker(value: &Value, pointer: &str) -> Result<Marker, Error> {
    match value {
        Value::String(text) => Ok(Marker::Text(text.clone())),
        Value::Object(_) => match format(value, pointer, 0)? {
            Format::Token(token) => Ok(Marker::Token(token)),
            _ => Err(Error::invalid(pointer, "expected a text or a format of type `token`")),
        },
        _ => Err(Error::invalid(pointer, format!("expected a text or a token, found {}", kind_of(value)))),
    }
}

/// A tag; `others` are members that somebody else reads.
fn tag(value: &Value, pointer: &str, depth: usize, others: &[&'static str]) -> Result<Tag, Error> {
    let mut members = Members::new(value, pointer, "a tag")?;
    if let Some(kind) = members.take("type").filter(|kind| *kind != "tag") {
        return Err(Error::invalid(members.place("type"), format!("expected \"tag\", found {kind}")));
    }
    let begin = marker(members.required("begin")?, &members.place("begin"))?;
    let content = *members.content(depth)?;
    let (value, place) = (members.required("end")?, members.place("end"));
    let end = match value {
        Value::Array(list) if list.is_empty() => return Err(Error::invalid(place, "the list is empty")),
        Value::Array(list) => {
            let end = |(i, value): (usize, &Value)| marker(value, &format!("{place}/{i}"));
            list.iter().enumerate().map(end).collect::<Result<_, _>>()?
        }
        value => vec![marker(value, &place)?],
    };
    members.taken.extend(others);
    members.finish()?;
    Ok(Tag { begin, content, end })
}

/// What a format without a `type` must be, by the members that it has.
fn inferred(map: &Map<String, Value>) -> Option<&'static str> {
    let has = |names: &[&str]| names.iter().all(|name| map.contains_key(*name));
    let shapes: [(&[&str], &str); 14] = [
        (&["begin", "end"], "tag"),
        (&["value"], "const_string"),
        (&["json_schema"], "json_schema"),
        (&["grammar"], "grammar"),
        (&["pattern"], "regex"),
        (&["elements"], "sequence"),
        (&["triggers", "tags"], "triggered_tags"),
        (&["trigger_tokens", "tags"], "token_triggered_tags"),
        (&["tags", "separator"], "tags_with_separator"),
        (&["min", "max", "content"], "repeat"),
        (&["content"], "optional"),
        (&["token"], "token"),
        (&["rules", "exclude_tokens"], "token_dispatch"),
        (&["rules"], "dispatch"),
    ];
    shapes.into_iter().find(|(names, _)| has(names)).map(|(_, kind)| kind)
}

pub(crate) fn format(value: &Value, pointer: &str, depth: usize) -> Result<Format, Error> {
    if depth > MAX_NESTING {
        let message = format!("formats nest deeper than {MAX_NESTING}");
        return Err(Error::new(ErrorKind::Limit, pointer, message));
    }
    let mut members = Members::new(value, pointer, "a format")?;
    let kind = match members.take("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(other) => return Err(members.wrong("type", "the name of a format", other)),
        None => inferred(members.map)
            .ok_or_else(|| Error::invalid(pointer, "`type` is missing, and the members do not tell it"))?,
    };
    let format = match kind {
        "const_string" => Format::ConstString(members.string("value")?),
        "json_schema" | "qwen_xml_parameter" => {
            let schema = members.required("json_schema")?;
            if !schema.is_object() && !schema.is_boolean() {
                return Err(members.wrong("json_schema", "a schema, an object or a boolean", schema));
            }
            let is_xml = kind == "qwen_xml_parameter";
            let style = match members.take("style") {
                None if is_xml => Style::QwenXml,
                None => Style::Json,
                Some(name) => style(name, &members.place("style"))?,
            };
            let any_order = members.flag("any_order", false)?;
            let max_whitespace = members.count("max_whitespace_cnt")?;
            Format::JsonSchema(JsonSchema { schema: schema.clone(), style, any_order, max_whitespace })
        }
        "grammar" => Format::Grammar(members.string("grammar")?),
        "regex" => Format::Regex(members.string("pattern")?),
        "any_text" => {
            let excludes = members.list("excludes")?;
            let excludes = members.strings("excludes", excludes)?;
            let max_chars = match (members.count("max_chars")?, members.count("max_tokens")?) {
                (_, Some(0)) => Some(0),
                (max_chars, _) => max_chars,
            };
            Format::AnyText(AnyText { excludes, max_chars })
        }
        "sequence" | "or" => {
            let elements = members.some("elements")?;
            let elements = members.formats("elements", elements, depth)?;
            if kind == "or" { Format::Or(elements) } else { Format::Sequence(elements) }
        }
        "optional" => Format::Repeat { min: 0, max: Some(1), content: members.content(depth)? },
        "plus" => Format::Repeat { min: 1, max: None, content: members.content(depth)? },
        "star" => Format::Repeat { min: 0, max: None, content: members.content(depth)? },
        "repeat" => repeat(&mut members, depth)?,
        "tag" => {
            let read = tag(value, pointer, depth, &REGION)?;
            return region(read.into(), &mut members, kind);
        }
        "triggered_tags" => {
            let triggers = members.some("triggers")?;
            let triggers = members.strings("triggers", triggers)?;
            let tags = members.some("tags")?;
            let tags = members.tags("tags", tags, depth)?;
            let excludes = members.list("excludes")?;
            Format::TriggeredTags(TriggeredTags {
                triggers,
                tags,
                excludes: members.strings("excludes", excludes)?,
                at_least_one: members.flag("at_least_one", false)?,
                stop_after_first: members.flag("stop_after_first", false)?,
            })
        }
        "tags_with_separator" => {
            let tags = members.some("tags")?;
            Format::TagsWithSeparator(TagsWithSeparator {
                tags: members.tags("tags", tags, depth)?,
                separator: members.string("separator")?,
                at_least_one: members.flag("at_least_one", false)?,
                stop_after_first: members.flag("stop_after_first", false)?,
            })
        }
        "dispatch" => {
            let mut rules = Vec::new();
            for (i, rule) in members.some("rules")?.iter().enumerate() {
                let place = format!("{}/{i}", members.place("rules"));
                let (trigger, then) = pair(rule, &place)?;
                let trigger = trigger.as_str().filter(|trigger| !trigger.is_empty()).ok_or_else(|| {
                    Error::invalid(format!("{place}/0"), "a trigger is a text that is not empty")
                })?;
                rules.push((trigger.to_owned(), format(then, &format!("{place}/1"), depth + 1)?));
            }
            let excludes = members.list("excludes")?;
            let excludes = members.strings("excludes", excludes)?;
            Format::Dispatch(Dispatch { rules, loops: members.flag("loop", true)?, excludes })
        }
        "token" => {
            let token = members.required("token")?;
            Format::Token(symbol(token, &members.place("token"))?)
        }
        "exclude_token" => {
            let excludes = members.list("exclude_tokens")?;
            Format::ExcludeToken(members.symbols("exclude_tokens", excludes)?)
        }
        "any_tokens" => {
            let excludes = members.list("exclude_tokens")?;
            let excludes = members.symbols("exclude_tokens", excludes)?;
            Format::AnyTokens { excludes, max_tokens: members.count("max_tokens")? }
        }
        "token_triggered_tags" => {
            let triggers = members.some("trigger_tokens")?;
            let triggers = members.symbols("trigger_tokens", triggers)?;
            let tags = members.some("tags")?;
            let tags = members.tags("tags", tags, depth)?;
            let excludes = members.list("exclude_tokens")?;
            Format::TokenTriggeredTags(TokenTriggeredTags {
                triggers,
                tags,
                excludes: members.symbols("exclude_tokens", excludes)?,
                at_least_one: members.flag("at_least_one", false)?,
                stop_after_first: members.flag("stop_after_first", false)?,
            })
        }
        "token_dispatch" => {
            let mut rules = Vec::new();
            for (i, rule) in members.some("rules")?.iter().enumerate() {
                let place = format!("{}/{i}", members.place("rules"));
                let (token, then) = pair(rule, &place)?;
                let token = symbol(token, &format!("{place}/0"))?;
                rules.push((token, format(then, &format!("{place}/1"), depth + 1)?));
            }
            let excludes = members.list("exclude_tokens")?;
            let excludes = members.symbols("exclude_tokens", excludes)?;
            Format::TokenDispatch(TokenDispatch { rules, loops: members.flag("loop", true)?, excludes })
        }
        other => {
            return Err(Error::invalid(members.place("type"), format!("there is no format {other:?}")));
        }
    };
    let format = region(format, &mut members, kind)?;
    members.finish()?;
    Ok(format)
}

/// The members that every format may have.
const REGION: [&str; 2] = ["capture", "max_tokens"];

/// A format with what is asked of the part of the output that it matches.
fn region(content: Format, members: &mut Members<'_>, kind: &str) -> Result<Format, Error> {
    let capture = members.take("capture").is_some().then(|| members.string("capture")).transpose()?;
    if capture.as_deref() == Some("") {
        return Err(Error::invalid(members.place("capture"), "the name is empty"));
    }
    // `any_tokens` is so many tokens by itself.
    let max_tokens = if kind == "any_tokens" { None } else { members.count("max_tokens")? };
    let max_tokens = match max_tokens.map(NonZeroU32::new) {
        None => None,
        Some(Some(tokens)) => Some(tokens),
        Some(None) if kind == "any_text" => None,
        Some(None) => {
            let message = "a budget is at least one token; leave the format out instead, or make it optional";
            return Err(Error::invalid(members.place("max_tokens"), message));
        }
    };
    match (&max_tokens, &capture) {
        (None, None) => Ok(content),
        _ => Ok(Format::Region(Box::new(Region { content, max_tokens, capture }))),
    }
}

fn repeat(members: &mut Members<'_>, depth: usize) -> Result<Format, Error> {
    let bound = |value: &Value| value.as_i64().filter(|&n| n >= -1);
    let (min, max) = (members.required("min")?, members.required("max")?);
    let (Some(low), Some(high)) = (bound(min).filter(|&n| n >= 0), bound(max)) else {
        let (name, value) = if bound(min).is_none_or(|n| n < 0) { ("min", min) } else { ("max", max) };
        return Err(members.wrong(name, "a number of times", value));
    };
    if high != -1 && low > high {
        return Err(Error::invalid(members.place("min"), format!("{low} is more than `max`, {high}")));
    }
    let times = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
    let max = (0..=i64::from(u32::MAX)).contains(&high).then(|| times(high));
    Ok(Format::Repeat { min: times(low), max, content: members.content(depth)? })
}

/// The two members of a list.
fn pair<'a>(value: &'a Value, pointer: &str) -> Result<(&'a Value, &'a Value), Error> {
    match value.as_array().map(Vec::as_slice) {
        Some([first, second]) => Ok((first, second)),
        _ => Err(Error::invalid(pointer, "expected a list of two: what triggers, and the format")),
    }
}

fn style(name: &Value, pointer: &str) -> Result<Style, Error> {
    match name.as_str() {
        Some("json") => Ok(Style::Json),
        Some("qwen_xml") => Ok(Style::QwenXml),
        Some("minimax_xml") => Ok(Style::MinimaxXml),
        Some("deepseek_xml") => Ok(Style::DeepseekXml),
        Some("deepseek_v4_1_xml") => Ok(Style::DeepseekV41Xml),
        Some("gemma_4") => Ok(Style::Gemma4),
        Some("glm_xml") => Ok(Style::GlmXml),
        Some("kimi_k3_xml") => Ok(Style::KimiK3Xml),
        Some("pythonic") => Ok(Style::Pythonic),
        Some("pythonic_or_json") => Ok(Style::PythonicOrJson),
        Some("cohere_xml" | "minimax_m3_xml") => {
            Err(Error::new(ErrorKind::Unsupported, pointer, format!("the style {name} is not supported yet")))
        }
        _ => {
            let known = "json, pythonic, pythonic_or_json, gemma_4, qwen_xml, minimax_xml, deepseek_xml, \
                         deepseek_v4_1_xml, glm_xml, kimi_k3_xml";
            Err(Error::invalid(pointer, format!("there is no style {name}; known are {known}")))
        }
    }
}
