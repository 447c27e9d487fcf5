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
use crate::format::{AnyText, Dispatch, Format, Marker, Style, Tag, TagsWithSeparator, TriggeredTags};
use serde_json::{Value, json};

const FAMILIES: [&str; 41] = [
    include_str!("../families/llama3.json"),
    include_str!("../families/llama_pythonic.json"),
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
    include_str!("../families/glm_4_5.json"),
    include_str!("../families/mistral_v3.json"),
    include_str!("../families/mistral_v7.json"),
    include_str!("../families/mistral_v11.json"),
    include_str!("../families/mistral_v13.json"),
    include_str!("../families/cohere.json"),
    include_str!("../families/cohere_north.json"),
    include_str!("../families/granite3.json"),
    include_str!("../families/granite3_1.json"),
    include_str!("../families/kimi_k3.json"),
    include_str!("../families/lfm2.json"),
    include_str!("../families/olmo3.json"),
    include_str!("../families/deepseek_v4_1.json"),
    include_str!("../families/seed_oss.json"),
    include_str!("../families/nemotron_3.json"),
    include_str!("../families/step_3_5.json"),
    include_str!("../families/mimo_v2.json"),
    include_str!("../families/nemotron_nano_v2.json"),
    include_str!("../families/apertus.json"),
    include_str!("../families/apriel.json"),
    include_str!("../families/hunyuan_a13b.json"),
    include_str!("../families/minimax_m1.json"),
    include_str!("../families/jamba.json"),
    include_str!("../families/internlm2.json"),
    include_str!("../families/xlam_2.json"),
    include_str!("../families/granite_20b_fc.json"),
    include_str!("../families/phi4_mini.json"),
    include_str!("../families/gemma_4.json"),
    include_str!("../families/minimax_m3.json"),
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
    section: Option<Section>,
    /// What text that is no call stands in.
    answer: Option<Answer>,
    /// A pattern that all of such text matches, instead of having no trigger in it.
    free: Option<String>,
    /// Where such text may stand.
    text: Text,
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
    /// What ends every turn: texts and patterns.
    end: Vec<Format>,
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

/// What text that is no call stands in.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    begin: String,
    end: String,
    /// Whether the prompt ends with the begin already where the model does not think.
    prefilled: bool,
}

/// What all calls of a turn stand in.
#[derive(Clone, Debug, PartialEq)]
struct Section {
    begin: String,
    /// Between the begin and the first call: texts and patterns.
    between: Vec<Format>,
    /// Between the last call and the end: texts and patterns.
    after: Vec<Format>,
    end: String,
}

/// Where text that is no call may stand in a turn with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    /// Before, between and after calls; where calls stand in a section, before it.
    Around,
    /// Before the first call.
    Before,
    /// Before the section of calls, and behind it.
    Beside,
    /// First in every turn, with the marks of answers, be there calls or not.
    First,
    /// Nowhere.
    Nowhere,
}

/// How one call is written.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    /// Before the begin: texts and patterns.
    lead: Vec<Format>,
    /// Before the name.
    begin: String,
    /// Between name and arguments: texts and patterns.
    between: Vec<Format>,
    style: Style,
    /// Between arguments and end: texts and patterns.
    after: Vec<Format>,
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
            "answer",
            "free",
            "text",
            "before",
            "call",
            "trigger",
            "separator",
            "parallel",
            "excludes",
            "end",
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
        let pieces = |pointer: &str| match value.pointer(pointer) {
            None => Ok(Vec::new()),
            Some(list) => pieces(list, pointer),
        };
        let section = match members.get("section") {
            None => None,
            Some(_) => Some(Section {
                begin: string(&value, "/section/begin")?,
                between: pieces("/section/between")?,
                after: pieces("/section/after")?,
                end: string(&value, "/section/end")?,
            }),
        };
        let answer = match members.get("answer") {
            None => None,
            Some(_) => Some(Answer {
                begin: string(&value, "/answer/begin")?,
                end: string(&value, "/answer/end")?,
                prefilled: value.pointer("/answer/prefilled") == Some(&json!(true)),
            }),
        };
        let free = members.get("free").map(|_| string(&value, "/free")).transpose()?;
        let text = match members.get("text").map(|_| string(&value, "/text")).transpose()?.as_deref() {
            None => Text::Around,
            Some("before") => Text::Before,
            Some("beside") => Text::Beside,
            Some("first") => Text::First,
            Some("nowhere") => Text::Nowhere,
            Some(other) => {
                let message = format!("{other:?} is none of `before`, `beside`, `first` and `nowhere`");
                return Err(Error::invalid("/text", message));
            }
        };
        if value.pointer("/call/between").is_none() {
            return Err(Error::invalid("/call/between", "expected a list"));
        }
        let call = Call {
            lead: pieces("/call/lead")?,
            begin: string(&value, "/call/begin")?,
            between: pieces("/call/between")?,
            style: match string(&value, "/call/style")?.as_str() {
                "json" => Style::Json,
                "qwen_xml" => Style::QwenXml,
                "minimax_xml" => Style::MinimaxXml,
                "minimax_m3_xml" => Style::MinimaxM3Xml,
                "deepseek_xml" => Style::DeepseekXml,
                "deepseek_v4_1_xml" => Style::DeepseekV41Xml,
                "gemma_4" => Style::Gemma4,
                "glm_xml" => Style::GlmXml,
                "kimi_k3_xml" => Style::KimiK3Xml,
                "pythonic" => Style::Pythonic,
                "pythonic_or_json" => Style::PythonicOrJson,
                other => return Err(Error::invalid("/call/style", format!("there is no style {other:?}"))),
            },
            after: pieces("/call/after")?,
            end: string(&value, "/call/end")?,
        };
        let begin = section.as_ref().map_or(&call.begin, |section| &section.begin);
        let trigger = match members.contains_key("trigger") {
            true => string(&value, "/trigger")?,
            false => begin.clone(),
        };
        if trigger.is_empty() || !begin.starts_with(&trigger) {
            return Err(Error::invalid("/trigger", "a call does not begin with the trigger"));
        }
        if free.is_some() && text != Text::Nowhere {
            return Err(Error::invalid("/free", "only where no text stands beside calls"));
        }
        if section.is_none() && !call.lead.is_empty() {
            return Err(Error::invalid("/call/lead", "only calls in a section have a lead"));
        }
        if section.is_none() && text == Text::Before && trigger != *begin {
            let message = "where text comes before calls, all of a call's begin is the trigger";
            return Err(Error::invalid("/trigger", message));
        }
        if text == Text::Beside && section.is_none() {
            return Err(Error::invalid("/text", "only sections have something beside them"));
        }
        if text == Text::First && (section.is_none() || answer.is_none()) {
            return Err(Error::invalid(
                "/text",
                "only an `answer` comes first, and calls in a `section` behind it",
            ));
        }
        let envelope = Envelope {
            reasoning,
            section,
            answer,
            free,
            text,
            before: value.get("before").and_then(Value::as_str).unwrap_or_default().to_owned(),
            call,
            trigger,
            separator: value.get("separator").and_then(Value::as_str).unwrap_or_default().to_owned(),
            parallel: members.get("parallel") != Some(&json!(false)),
            excludes: strings("/excludes")?,
            end: pieces("/end")?,
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
                if !tools.builtin.is_empty() {
                    let message = format!("the family {:?} has no built-in tools", self.name);
                    return Err(Error::new(ErrorKind::Usage, "", message));
                }
                envelope.format(tools, one_only || !envelope.parallel)
            }
        }
    }
}

impl Envelope {
    fn format(&self, tools: &Tools, one_only: bool) -> Result<Format, Error> {
        let mut answer = self.answer(tools, one_only)?;
        if !self.end.is_empty() {
            answer = Format::Sequence([answer].into_iter().chain(self.end.iter().cloned()).collect());
        }
        let Some(thinking) = &self.reasoning else { return Ok(answer) };
        let think = |open: &str| {
            let tag = Tag::new(open, tools.thoughts(), thinking.close.as_str());
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
        if chosen.is_empty() {
            return Ok(self.free(tools));
        }
        let calls: Vec<Tag> = chosen.iter().map(|tool| self.call(&self.call.begin, tool)).collect();
        if self.text == Text::First {
            let calls = self.calls(calls, one_only);
            let calls = if tools.must_call() { calls } else { Format::optional(calls) };
            return Ok(Format::Sequence(vec![self.free(tools), calls]));
        }
        if tools.must_call() {
            return Ok(self.after_start(self.calls(calls, one_only)));
        }
        let (tags, stop_after_first) = match (&self.section, self.text) {
            (_, Text::Nowhere) => {
                return Ok(Format::Or(vec![self.after_start(self.calls(calls, one_only)), self.free(tools)]));
            }
            (Some(section), Text::Beside) => {
                let begin = Marker::Text(section.begin[self.trigger.len()..].to_owned());
                let rest = Tag { begin, ..self.section(section, calls, one_only) };
                let then = Format::Sequence(vec![rest.into(), self.free(tools)]);
                return Ok(Format::Dispatch(Dispatch {
                    rules: vec![(self.trigger.clone(), then)],
                    loops: false,
                    excludes: self.excludes.clone(),
                }));
            }
            (Some(section), _) => (vec![self.section(section, calls, one_only)], true),
            (None, Text::Before) => {
                let first = chosen.iter().map(|tool| self.call("", tool).into()).collect();
                let then = match one_only {
                    true => Format::Or(first),
                    false => {
                        let more = Format::Or(calls.into_iter().map(Format::from).collect());
                        let more = Format::Sequence(vec![Format::text(&self.separator), more]);
                        Format::Sequence(vec![Format::Or(first), Format::star(more)])
                    }
                };
                return Ok(Format::Dispatch(Dispatch {
                    rules: vec![(self.trigger.clone(), then)],
                    loops: false,
                    excludes: self.excludes.clone(),
                }));
            }
            (None, _) => (calls, one_only),
        };
        Ok(Format::TriggeredTags(TriggeredTags {
            triggers: vec![self.trigger.clone()],
            tags,
            excludes: self.excludes.clone(),
            at_least_one: false,
            stop_after_first,
        }))
    }

    /// Text that is no call: what would begin one does not come.
    fn free(&self, tools: &Tools) -> Format {
        if let Some(Answer { begin, end, prefilled }) = &self.answer {
            let is_begun = *prefilled && tools.reasoning == Reasoning::Off;
            return Tag::new(if is_begun { "" } else { begin }, Format::any_text(), end.as_str()).into();
        }
        if let Some(pattern) = &self.free {
            return Format::Regex(pattern.clone());
        }
        let excludes = self.excludes.iter().chain([&self.trigger]).cloned().collect();
        Format::AnyText(AnyText { excludes, max_chars: None })
    }

    /// At least one call, and nothing else.
    fn calls(&self, calls: Vec<Tag>, one_only: bool) -> Format {
        match &self.section {
            Some(section) => self.section(section, calls, one_only).into(),
            None => self.joined(calls, one_only),
        }
    }

    fn section(&self, section: &Section, calls: Vec<Tag>, one_only: bool) -> Tag {
        let mut content = section.between.clone();
        content.push(self.joined(calls, one_only));
        content.extend(section.after.iter().cloned());
        Tag::new(section.begin.as_str(), Format::Sequence(content), section.end.as_str())
    }

    fn joined(&self, calls: Vec<Tag>, one_only: bool) -> Format {
        if self.call.lead.is_empty() {
            return Format::TagsWithSeparator(TagsWithSeparator {
                tags: calls,
                separator: self.separator.clone(),
                at_least_one: true,
                stop_after_first: one_only,
            });
        }
        let mut one = self.call.lead.clone();
        one.push(Format::Or(calls.into_iter().map(Format::from).collect()));
        let one = Format::Sequence(one);
        if one_only {
            return one;
        }
        let more = Format::Sequence(vec![Format::text(&self.separator), one.clone()]);
        Format::Sequence(vec![one, Format::star(more)])
    }

    /// Calls that come first of all.
    fn after_start(&self, calls: Format) -> Format {
        match self.before.as_str() {
            "" => calls,
            before => Format::Sequence(vec![Format::optional(Format::text(before)), calls]),
        }
    }

    /// One call of a tool.
    fn call(&self, begin: &str, tool: &Tool) -> Tag {
        let mut content = self.call.between.clone();
        content.push(Format::styled(tool.parameters().clone(), self.call.style));
        content.extend(self.call.after.iter().cloned());
        // The name is the last of the begin, so that tools share what they begin with.
        Tag {
            begin: Marker::Text(format!("{begin}{}", tool.name())),
            content: Format::Sequence(content),
            end: vec![Marker::Text(self.call.end.clone())],
        }
    }
}

/// Texts, patterns, and lists of these that may be left out.
fn pieces(list: &Value, pointer: &str) -> Result<Vec<Format>, Error> {
    let list = list.as_array().ok_or_else(|| Error::invalid(pointer, "expected a list"))?;
    let piece = |(i, piece): (usize, &Value)| {
        let simple = |piece: &Value| match (piece.as_str(), piece.get("pattern").and_then(Value::as_str)) {
            (Some(text), _) => Some(Format::text(text)),
            (None, Some(pattern)) => Some(Format::Regex(pattern.to_owned())),
            _ => None,
        };
        let format = match piece.get("optional").and_then(Value::as_array) {
            None => simple(piece),
            Some(list) => {
                let list: Option<Vec<Format>> = list.iter().map(simple).collect();
                list.map(|list| Format::optional(Format::Sequence(list)))
            }
        };
        let message = "expected a text, a pattern, or a list of these that is optional";
        format.ok_or_else(|| Error::invalid(format!("{pointer}/{i}"), message))
    };
    list.iter().enumerate().map(piece).collect()
}

fn string(value: &Value, pointer: &str) -> Result<String, Error> {
    let string = value.pointer(pointer).and_then(Value::as_str);
    string.map(str::to_owned).ok_or_else(|| Error::invalid(pointer, "expected a string"))
}
