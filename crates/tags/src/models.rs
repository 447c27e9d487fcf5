//! What the families of models write when they think and call tools.
//!
//! A family is a file of facts under `families/`: how a call begins and ends, what stands between the tool's name and its
//! arguments, how the arguments are written, what calls are joined by and wrapped in, and how reasoning is marked. The
//! shapes that the facts fill are few, and they are the code here. To add a family, add a file, name it in `FAMILIES`, and write
//! cases for it under `data/models/`.
//!
//! ```
//! use formwork_tags::{Model, ToolChoice, Tools};
//! let tools = Tools::from_json(&serde_json::json!([
//!     {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}
//! ]))?;
//! let model = Model::named("qwen3")?;
//! let format = model.format(&tools.choice(ToolChoice::Required))?;
//! let grammar = formwork_tags::Options::default().grammar_of(&format)?;
//! # drop(grammar);
//! # Ok::<(), formwork_tags::Error>(())
//! ```

mod channels;
mod request;

use channels::Channels;
pub use request::{Reasoning, Tool, ToolChoice, Tools};

use crate::error::{Error, ErrorKind};
use crate::format::{AnyText, Format, Marker, Style, Tag, TagsWithSeparator, TriggeredTags};
use serde_json::{Value, json};

const FAMILIES: [&str; 11] = [
    include_str!("../families/llama3.json"),
    include_str!("../families/qwen3.json"),
    include_str!("../families/qwen3_coder.json"),
    include_str!("../families/deepseek_r1.json"),
    include_str!("../families/deepseek_v3_1.json"),
    include_str!("../families/deepseek_v3_2.json"),
    include_str!("../families/deepseek_v4.json"),
    include_str!("../families/kimi_k2.json"),
    include_str!("../families/glm_4_7.json"),
    include_str!("../families/minimax_m2.json"),
    include_str!("../families/harmony.json"),
];

/// What a family of models writes when it thinks and calls tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    name: String,
    /// Other names of it.
    also: Vec<String>,
    shape: Shape,
}

/// What turns are made of.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// Text with calls in it.
    Envelope(Box<Envelope>),
    /// Messages in channels.
    Channels(Channels),
}

/// Text with calls in it.
#[derive(Clone, Debug, PartialEq)]
struct Envelope {
    reasoning: Option<Thinking>,
    /// What all calls together stand in.
    section: Option<(String, String)>,
    /// What the model likes to write before calls that come first of all.
    before: String,
    call: Call,
    /// What makes calls begin in free text: how they begin, or the beginning of that.
    trigger: String,
    /// What stands between two calls.
    separator: String,
    /// Whether it can make several calls at once.
    parallel: bool,
    /// What free text does not contain.
    excludes: Vec<String>,
}

/// How reasoning is marked.
#[derive(Clone, Debug, PartialEq)]
struct Thinking {
    open: String,
    close: String,
    /// What follows the close.
    after: String,
    /// Whether the prompt ends with the open already.
    prefilled: bool,
}

/// How one call is written.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    /// Before the name.
    begin: String,
    /// Between name and arguments: texts and patterns.
    between: Vec<Format>,
    style: Style,
    end: String,
}

impl Model {
    /// The family with this name, or with a model of this name.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage): there is none; the message lists those that there are.
    pub fn named(name: &str) -> Result<Self, Error> {
        let mut names = Vec::new();
        for text in FAMILIES {
            let model = Self::parse(text)?;
            if model.name == name || model.also.iter().any(|other| other == name) {
                return Ok(model);
            }
            names.push(model.name);
        }
        let message = format!("there is no model family {name:?}; known are {}", names.join(", "));
        Err(Error::new(ErrorKind::Usage, "", message))
    }

    /// The names of all families.
    ///
    /// # Errors
    /// Never, as long as the files of the families are what they should be.
    pub fn names() -> Result<Vec<String>, Error> {
        FAMILIES.into_iter().map(|text| Self::parse(text).map(|model| model.name)).collect()
    }

    /// A family from a text such as those of the built-in ones.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid), with the member's pointer.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Error::invalid("", format!("the family is no JSON: {error}")))?;
        let known = [
            "name",
            "also",
            "channels",
            "reasoning",
            "section",
            "before",
            "call",
            "trigger",
            "separator",
            "parallel",
            "excludes",
        ];
        let members = value.as_object().ok_or_else(|| Error::invalid("", "a family is an object"))?;
        if let Some(name) = members.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(Error::invalid(
                format!("/{name}"),
                format!("unknown member; known are {}", known.join(", ")),
            ));
        }
        let strings = |pointer: &str| match value.pointer(pointer) {
            None => Ok(Vec::new()),
            Some(list) => {
                let strings =
                    list.as_array().map(|list| list.iter().map(|s| s.as_str().map(str::to_owned)).collect());
                strings.flatten().ok_or_else(|| Error::invalid(pointer, "expected a list of strings"))
            }
        };
        let (name, also) = (string(&value, "/name")?, strings("/also")?);
        if members.contains_key("channels") {
            let channels = Channels::parse(&value, strings("/channels/types")?)?;
            return Ok(Self { name, also, shape: Shape::Channels(channels) });
        }
        let reasoning = match members.get("reasoning") {
            None => None,
            Some(_) => Some(Thinking {
                open: string(&value, "/reasoning/open")?,
                close: string(&value, "/reasoning/close")?,
                after: string(&value, "/reasoning/after")?,
                prefilled: value.pointer("/reasoning/prefilled") == Some(&json!(true)),
            }),
        };
        let section = match members.get("section") {
            None => None,
            Some(_) => Some((string(&value, "/section/begin")?, string(&value, "/section/end")?)),
        };
        let between = value.pointer("/call/between").and_then(Value::as_array);
        let between = between.ok_or_else(|| Error::invalid("/call/between", "expected a list"))?;
        let piece = |(i, piece): (usize, &Value)| match (
            piece.as_str(),
            piece.get("pattern").and_then(Value::as_str),
        ) {
            (Some(text), _) => Ok(Format::text(text)),
            (None, Some(pattern)) => Ok(Format::Regex(pattern.to_owned())),
            _ => Err(Error::invalid(format!("/call/between/{i}"), "expected a text or a pattern")),
        };
        let call = Call {
            begin: string(&value, "/call/begin")?,
            between: between.iter().enumerate().map(piece).collect::<Result<_, _>>()?,
            style: match string(&value, "/call/style")?.as_str() {
                "json" => Style::Json,
                "qwen_xml" => Style::QwenXml,
                "minimax_xml" => Style::MinimaxXml,
                "deepseek_xml" => Style::DeepseekXml,
                "glm_xml" => Style::GlmXml,
                other => return Err(Error::invalid("/call/style", format!("there is no style {other:?}"))),
            },
            end: string(&value, "/call/end")?,
        };
        let begin = section.as_ref().map_or(&call.begin, |section| &section.0);
        let trigger = match members.contains_key("trigger") {
            true => string(&value, "/trigger")?,
            false => begin.clone(),
        };
        if trigger.is_empty() || !begin.starts_with(&trigger) {
            return Err(Error::invalid("/trigger", "a call does not begin with the trigger"));
        }
        let envelope = Envelope {
            reasoning,
            section,
            before: value.get("before").and_then(Value::as_str).unwrap_or_default().to_owned(),
            call,
            trigger,
            separator: value.get("separator").and_then(Value::as_str).unwrap_or_default().to_owned(),
            parallel: members.get("parallel") != Some(&json!(false)),
            excludes: strings("/excludes")?,
        };
        Ok(Self { name, also, shape: Shape::Envelope(Box::new(envelope)) })
    }

    /// The family's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the model may write, from where the prompt ends to the end of its turn.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage): the choice names a tool that is not there, or demands a call where there is no tool; or
    /// reasoning is demanded of a family that does not mark it.
    pub fn format(&self, tools: &Tools) -> Result<Format, Error> {
        let one_only = !tools.parallel || matches!(tools.choice, ToolChoice::Named(_));
        match &self.shape {
            Shape::Channels(channels) => channels.format(tools, one_only),
            Shape::Envelope(envelope) => {
                if envelope.reasoning.is_none() && tools.reasoning == Reasoning::On {
                    let message = format!("the family {:?} does not mark reasoning", self.name);
                    return Err(Error::new(ErrorKind::Usage, "", message));
                }
                envelope.format(tools, one_only || !envelope.parallel)
            }
        }
    }
}

impl Envelope {
    fn format(&self, tools: &Tools, one_only: bool) -> Result<Format, Error> {
        let answer = self.answer(tools, one_only)?;
        let Some(thinking) = &self.reasoning else { return Ok(answer) };
        let think = |open: &str| {
            let tag = Tag::new(open, Format::any_text(), thinking.close.as_str());
            Format::Sequence(vec![tag.into(), Format::text(&thinking.after)])
        };
        Ok(match tools.reasoning {
            Reasoning::Off => answer,
            Reasoning::On if thinking.prefilled => Format::Sequence(vec![think(""), answer]),
            Reasoning::On => Format::Sequence(vec![think(&thinking.open), answer]),
            Reasoning::Auto => Format::Sequence(vec![Format::optional(think(&thinking.open)), answer]),
        })
    }

    /// What follows reasoning.
    fn answer(&self, tools: &Tools, one_only: bool) -> Result<Format, Error> {
        let chosen = tools.chosen()?;
        let must = tools.must_call();
        if chosen.is_empty() {
            // Text that is no call: what would begin one does not come.
            let excludes = self.excludes.iter().chain([&self.trigger]).cloned().collect();
            return Ok(Format::AnyText(AnyText { excludes, max_chars: None }));
        }
        let calls: Vec<Tag> = chosen.into_iter().map(|tool| self.call(tool)).collect();
        let joined = |tags: Vec<Tag>| {
            Format::TagsWithSeparator(TagsWithSeparator {
                tags,
                separator: self.separator.clone(),
                at_least_one: true,
                stop_after_first: one_only,
            })
        };
        let (tags, stop_after_first) = match &self.section {
            None if must => return Ok(self.after_start(joined(calls))),
            None => (calls, one_only),
            Some((begin, end)) => {
                let section = Tag::new(begin.as_str(), joined(calls), end.as_str());
                if must {
                    return Ok(self.after_start(section.into()));
                }
                (vec![section], true)
            }
        };
        Ok(Format::TriggeredTags(TriggeredTags {
            triggers: vec![self.trigger.clone()],
            tags,
            excludes: self.excludes.clone(),
            at_least_one: false,
            stop_after_first,
        }))
    }

    /// Calls that come first of all.
    fn after_start(&self, calls: Format) -> Format {
        match self.before.as_str() {
            "" => calls,
            before => Format::Sequence(vec![Format::optional(Format::text(before)), calls]),
        }
    }

    /// One call of a tool.
    fn call(&self, tool: &Tool) -> Tag {
        let mut content = self.call.between.clone();
        content.push(Format::styled(tool.parameters().clone(), self.call.style));
        // The name is the last of the begin, so that tools share what they begin with.
        Tag {
            begin: Marker::Text(format!("{}{}", self.call.begin, tool.name())),
            content: Format::Sequence(content),
            end: vec![Marker::Text(self.call.end.clone())],
        }
    }
}

fn string(value: &Value, pointer: &str) -> Result<String, Error> {
    let string = value.pointer(pointer).and_then(Value::as_str);
    string.map(str::to_owned).ok_or_else(|| Error::invalid(pointer, "expected a string"))
}
