//! JSON to formats.

use crate::cache::Cache;
use crate::error::{Error, ErrorKind};
use crate::format::{
    AnyText, Dispatch, Format, JsonSchema, Marker, Region, Style, Symbol, Tag, TagsWithSeparator,
    TokenDispatch, TokenTriggeredTags, TriggeredTags,
};
use crate::node::{Kind, Node, Unread};
use crate::pointer::{Pointer, escaped};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::num::NonZeroU32;

/// How deep formats may nest.
pub(crate) const MAX_NESTING: usize = 64;

/// Where in a document a format stands, as far as reading it depends on that.
#[derive(Clone, Copy, Debug)]
struct Place<'c> {
    /// Formats around it.
    depth: usize,
    /// What the texts of tags are.
    known: Option<&'c Cache>,
}

impl Place<'_> {
    const INNERMOST: Self = Place { depth: 0, known: None };

    fn below(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// The format of a whole document; tags that `known` has are not read again.
pub(crate) fn document(node: &Node<'_>, known: Option<&Cache>) -> Result<Format, Error> {
    let mut members = Members::new(node, Pointer::DOCUMENT, "a structural tag")?;
    if let Some(kind) = members.take("type") {
        if kind.as_str() != Some("structural_tag") {
            return Err(Error::invalid("/type", format!("expected \"structural_tag\", found {kind}")));
        }
    }
    let Some(node) = members.take("format") else {
        return Err(Error::invalid("", "a structural tag has a `format`, or `structures` and `triggers`"));
    };
    members.finish()?;
    format(node, Pointer::DOCUMENT.at("format"), Place { depth: 0, known })
}

/// The members of an object, taken one by one, so that unknown ones are left over.
struct Members<'n> {
    all: &'n [(Cow<'n, str>, Node<'n>)],
    taken: SmallVec<[&'static str; 12]>,
    here: Pointer<'n>,
}

impl<'n> Members<'n> {
    fn new(node: &'n Node<'n>, here: Pointer<'n>, what: &str) -> Result<Self, Error> {
        match node {
            Node::Object(all) => Ok(Self { all, taken: SmallVec::new(), here }),
            _ => Err(Error::invalid(here, format!("{what} is an object, not {}", node.kind()))),
        }
    }

    /// A member; `null` is as good as none.
    fn take(&mut self, name: &'static str) -> Option<&'n Node<'n>> {
        self.taken.push(name);
        let of_name = self.all.iter().rev().find(|member| member.0 == name);
        of_name.map(|member| &member.1).filter(|node| !node.is_null())
    }

    fn wrong(&self, name: &str, expected: &str, found: &Node<'_>) -> Error {
        Error::invalid(self.here.at(name), format!("expected {expected}, found {}", found.kind()))
    }

    fn required(&mut self, name: &'static str) -> Result<&'n Node<'n>, Error> {
        self.take(name).ok_or_else(|| Error::invalid(self.here, format!("`{name}` is missing")))
    }

    fn string(&mut self, name: &'static str) -> Result<String, Error> {
        let node = self.required(name)?;
        node.as_str().map(str::to_owned).ok_or_else(|| self.wrong(name, "a string", node))
    }

    fn flag(&mut self, name: &'static str, default: bool) -> Result<bool, Error> {
        match self.take(name) {
            None => Ok(default),
            Some(node) => node.as_bool().ok_or_else(|| self.wrong(name, "true or false", node)),
        }
    }

    fn count(&mut self, name: &'static str) -> Result<Option<u32>, Error> {
        let Some(node) = self.take(name) else { return Ok(None) };
        match node.as_number().and_then(|number| number.as_u64()) {
            Some(count) => Ok(Some(u32::try_from(count).unwrap_or(u32::MAX))),
            None => Err(self.wrong(name, "a number of at least 0", node)),
        }
    }

    fn list(&mut self, name: &'static str) -> Result<&'n [Node<'n>], Error> {
        match self.take(name) {
            None => Ok(&[]),
            Some(node) => node.as_list().ok_or_else(|| self.wrong(name, "a list", node)),
        }
    }

    /// A list with something in it.
    fn some(&mut self, name: &'static str) -> Result<&'n [Node<'n>], Error> {
        self.required(name)?;
        let list = self.list(name)?;
        if list.is_empty() { Err(Error::invalid(self.here.at(name), "the list is empty")) } else { Ok(list) }
    }

    /// What each element of a list is.
    fn each<T>(
        &self,
        name: &str,
        list: &[Node<'_>],
        read: impl Fn(&Node<'_>, Pointer<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        list.iter().enumerate().map(|(i, node)| read(node, self.here.element(name, i))).collect()
    }

    fn strings(&self, name: &str, list: &[Node<'_>]) -> Result<Vec<String>, Error> {
        self.each(name, list, |node, here| match node.as_str() {
            Some("") => Err(Error::invalid(here, "the text is empty")),
            Some(text) => Ok(text.to_owned()),
            None => Err(Error::invalid(here, format!("expected a string, found {}", node.kind()))),
        })
    }

    fn symbols(&self, name: &str, list: &[Node<'_>]) -> Result<Vec<Symbol>, Error> {
        self.each(name, list, symbol)
    }

    fn formats(&self, name: &str, list: &[Node<'_>], place: Place<'_>) -> Result<Vec<Format>, Error> {
        self.each(name, list, |node, here| format(node, here, place.below()))
    }

    fn tags(&self, name: &str, list: &[Node<'_>], place: Place<'_>) -> Result<Vec<Tag>, Error> {
        self.each(name, list, |node, here| listed_tag(node, here, place.below()))
    }

    fn content(&mut self, place: Place<'_>) -> Result<Box<Format>, Error> {
        let content = self.required("content")?;
        Ok(Box::new(format(content, self.here.at("content"), place.below())?))
    }

    /// Nothing may be left: what is not understood is not passed over.
    fn finish(self) -> Result<(), Error> {
        match self.all.iter().find(|(name, _)| !self.taken.contains(&&**name)) {
            None => Ok(()),
            Some((name, _)) => {
                let known = self.taken.join(", ");
                let message = format!("unknown member `{name}`; known here are {known}");
                Err(Error::invalid(self.here.at(&escaped(name)), message))
            }
        }
    }
}

fn symbol(node: &Node<'_>, here: Pointer<'_>) -> Result<Symbol, Error> {
    let id = node.as_number().and_then(|number| number.as_u64()).map(u32::try_from);
    match (id, node.as_str()) {
        (Some(Ok(id)), _) => Ok(Symbol::Id(id)),
        (_, Some(name)) if !name.is_empty() => Ok(Symbol::from(name)),
        _ => Err(Error::invalid(here, "expected a token's id or its text")),
    }
}

/// A text, or an object that is a token.
fn marker(node: &Node<'_>, here: Pointer<'_>) -> Result<Marker, Error> {
    match node {
        Node::String(text) => Ok(Marker::Text(text.clone().into_owned())),
        Node::Object(_) => match format(node, here, Place::INNERMOST)? {
            Format::Token(token) => Ok(Marker::Token(token)),
            _ => Err(Error::invalid(here, "expected a text or a format of type `token`")),
        },
        _ => Err(Error::invalid(here, format!("expected a text or a token, found {}", node.kind()))),
    }
}

/// A tag; `others` are members that somebody else reads.
fn tag(node: &Node<'_>, here: Pointer<'_>, place: Place<'_>, others: &[&'static str]) -> Result<Tag, Error> {
    let mut members = Members::new(node, here, "a tag")?;
    if let Some(kind) = members.take("type").filter(|kind| kind.as_str() != Some("tag")) {
        return Err(Error::invalid(here.at("type"), format!("expected \"tag\", found {kind}")));
    }
    let begin = marker(members.required("begin")?, here.at("begin"))?;
    let content = *members.content(place)?;
    let end = match members.required("end")? {
        Node::List(list) if list.is_empty() => {
            return Err(Error::invalid(here.at("end"), "the list is empty"));
        }
        Node::List(list) => members.each("end", list, marker)?,
        node => vec![marker(node, here.at("end"))?],
    };
    members.taken.extend_from_slice(others);
    members.finish()?;
    Ok(Tag { begin, content, end })
}

/// An element of a list of tags, which is a text where the document was one.
fn listed_tag(node: &Node<'_>, here: Pointer<'_>, place: Place<'_>) -> Result<Tag, Error> {
    let &Node::Unread(Unread::Text(text)) = node else { return tag(node, here, place, &[]) };
    if let Some(tag) = place.known.and_then(|known| known.tag(place.depth, text)) {
        return Ok(tag);
    }
    let node = serde_json::from_str(text)
        .map_err(|error| Error::invalid(here, format!("the tag is no JSON: {error}")))?;
    let tag = tag(&node, here, place, &[])?;
    if let Some(known) = place.known {
        known.keep_tag(place.depth, text, &tag);
    }
    Ok(tag)
}

/// What a format without a `type` must be, by the members that it has.
fn inferred(node: &Node<'_>) -> Option<&'static str> {
    let has = |names: &[&str]| names.iter().all(|name| node.get(name).is_some());
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

fn format(node: &Node<'_>, here: Pointer<'_>, place: Place<'_>) -> Result<Format, Error> {
    if place.depth > MAX_NESTING {
        let message = format!("formats nest deeper than {MAX_NESTING}");
        return Err(Error::new(ErrorKind::Limit, here, message));
    }
    let mut members = Members::new(node, here, "a format")?;
    let kind = match members.take("type") {
        Some(Node::String(kind)) => &**kind,
        Some(other) => return Err(members.wrong("type", "the name of a format", other)),
        None => inferred(node)
            .ok_or_else(|| Error::invalid(here, "`type` is missing, and the members do not tell it"))?,
    };
    let format = match kind {
        "const_string" => Format::ConstString(members.string("value")?),
        "json_schema" | "qwen_xml_parameter" => {
            let schema = match members.required("json_schema")? {
                Node::Unread(schema) if matches!(schema.kind(), Kind::Object | Kind::Boolean) => schema,
                other => return Err(members.wrong("json_schema", "a schema, an object or a boolean", other)),
            };
            let is_xml = kind == "qwen_xml_parameter";
            let style = match members.take("style") {
                None if is_xml => Style::QwenXml,
                None => Style::Json,
                Some(name) => style(name, here.at("style"))?,
            };
            let any_order = members.flag("any_order", false)?;
            let max_whitespace = members.count("max_whitespace_cnt")?;
            Format::JsonSchema(JsonSchema { schema: schema.schema(), style, any_order, max_whitespace })
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
            let elements = members.formats("elements", elements, place)?;
            if kind == "or" { Format::Or(elements) } else { Format::Sequence(elements) }
        }
        "optional" => Format::Repeat { min: 0, max: Some(1), content: members.content(place)? },
        "plus" => Format::Repeat { min: 1, max: None, content: members.content(place)? },
        "star" => Format::Repeat { min: 0, max: None, content: members.content(place)? },
        "repeat" => repeat(&mut members, place)?,
        "tag" => {
            let read = tag(node, here, place, &REGION)?;
            return region(read.into(), &mut members, kind);
        }
        "triggered_tags" => {
            let triggers = members.some("triggers")?;
            let triggers = members.strings("triggers", triggers)?;
            let tags = members.some("tags")?;
            let tags = members.tags("tags", tags, place)?;
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
                tags: members.tags("tags", tags, place)?,
                separator: members.string("separator")?,
                at_least_one: members.flag("at_least_one", false)?,
                stop_after_first: members.flag("stop_after_first", false)?,
            })
        }
        "dispatch" => {
            let rules = members.some("rules")?;
            let rules = members.each("rules", rules, |rule, here| {
                let (trigger, then) = pair(rule, here)?;
                let trigger = trigger
                    .as_str()
                    .filter(|trigger| !trigger.is_empty())
                    .ok_or_else(|| Error::invalid(here.at("0"), "a trigger is a text that is not empty"))?;
                Ok((trigger.to_owned(), format(then, here.at("1"), place.below())?))
            })?;
            let excludes = members.list("excludes")?;
            let excludes = members.strings("excludes", excludes)?;
            Format::Dispatch(Dispatch { rules, loops: members.flag("loop", true)?, excludes })
        }
        "token" => {
            let token = members.required("token")?;
            Format::Token(symbol(token, here.at("token"))?)
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
            let tags = members.tags("tags", tags, place)?;
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
            let rules = members.some("rules")?;
            let rules = members.each("rules", rules, |rule, here| {
                let (token, then) = pair(rule, here)?;
                Ok((symbol(token, here.at("0"))?, format(then, here.at("1"), place.below())?))
            })?;
            let excludes = members.list("exclude_tokens")?;
            let excludes = members.symbols("exclude_tokens", excludes)?;
            Format::TokenDispatch(TokenDispatch { rules, loops: members.flag("loop", true)?, excludes })
        }
        other => {
            return Err(Error::invalid(here.at("type"), format!("there is no format {other:?}")));
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
        return Err(Error::invalid(members.here.at("capture"), "the name is empty"));
    }
    // `any_tokens` is so many tokens by itself.
    let max_tokens = if kind == "any_tokens" { None } else { members.count("max_tokens")? };
    let max_tokens = match max_tokens.map(NonZeroU32::new) {
        None => None,
        Some(Some(tokens)) => Some(tokens),
        Some(None) if kind == "any_text" => None,
        Some(None) => {
            let message = "a budget is at least one token; leave the format out instead, or make it optional";
            return Err(Error::invalid(members.here.at("max_tokens"), message));
        }
    };
    match (&max_tokens, &capture) {
        (None, None) => Ok(content),
        _ => Ok(Format::Region(Box::new(Region { content, max_tokens, capture }))),
    }
}

fn repeat(members: &mut Members<'_>, place: Place<'_>) -> Result<Format, Error> {
    let bound = |node: &Node<'_>| node.as_number()?.as_i64().filter(|&n| n >= -1);
    let (min, max) = (members.required("min")?, members.required("max")?);
    let (Some(low), Some(high)) = (bound(min).filter(|&n| n >= 0), bound(max)) else {
        let (name, node) = if bound(min).is_none_or(|n| n < 0) { ("min", min) } else { ("max", max) };
        return Err(members.wrong(name, "a number of times", node));
    };
    if high != -1 && low > high {
        return Err(Error::invalid(members.here.at("min"), format!("{low} is more than `max`, {high}")));
    }
    let times = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
    let max = (0..=i64::from(u32::MAX)).contains(&high).then(|| times(high));
    Ok(Format::Repeat { min: times(low), max, content: members.content(place)? })
}

/// The two members of a list.
fn pair<'n>(node: &'n Node<'n>, here: Pointer<'_>) -> Result<(&'n Node<'n>, &'n Node<'n>), Error> {
    match node.as_list() {
        Some([first, second]) => Ok((first, second)),
        _ => Err(Error::invalid(here, "expected a list of two: what triggers, and the format")),
    }
}

fn style(name: &Node<'_>, here: Pointer<'_>) -> Result<Style, Error> {
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
        Some("minimax_m3_xml") => Ok(Style::MinimaxM3Xml),
        Some("cohere_xml") => {
            Err(Error::new(ErrorKind::Unsupported, here, format!("the style {name} is not supported yet")))
        }
        _ => {
            let known = "json, pythonic, pythonic_or_json, gemma_4, qwen_xml, minimax_xml, minimax_m3_xml, deepseek_xml, \
                         deepseek_v4_1_xml, glm_xml, kimi_k3_xml";
            Err(Error::invalid(here, format!("there is no style {name}; known are {known}")))
        }
    }
}
