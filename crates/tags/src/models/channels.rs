//! Turns made of messages in channels: analysis, commentary, final.
//!
//! A message is a header and a content, and messages are joined by what begins the next one. Reasoning is messages in the
//! analysis channel; a call is a message whose header names its recipient, before or after the channel; a message of
//! commentary without a recipient is shown to the user; the answer is one message in the final channel.

use super::request::{Reasoning, Tool, Tools};
use super::string;
use crate::error::{Error, ErrorKind};
use crate::format::{Format, Marker, Tag};
use serde_json::{Value, json};

/// The marks of messages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Channels {
    /// What begins every message but the first, whose beginning is the prompt's end.
    start: String,
    channel: String,
    message: String,
    end: String,
    /// What ends the answer.
    answered: String,
    /// What ends a call.
    call: String,
    /// How a header says that the content is JSON.
    types: Vec<String>,
    /// The tools that the model knows by itself.
    builtin: Vec<Builtin>,
}

/// A tool that a model knows by itself.
#[derive(Clone, Debug, PartialEq)]
struct Builtin {
    name: String,
    /// Who is called.
    to: Vec<String>,
    /// Whether the content is free text, and not a JSON object.
    is_text: bool,
}

impl Channels {
    pub(super) fn parse(family: &Value, types: Vec<String>) -> Result<Self, Error> {
        let mark = |name: &str| string(family, &format!("/channels/{name}"));
        Ok(Self {
            start: mark("start")?,
            channel: mark("channel")?,
            message: mark("message")?,
            end: mark("end")?,
            answered: mark("return")?,
            call: mark("call")?,
            types,
            builtin: builtin(family)?,
        })
    }

    /// What the model may write.
    pub(super) fn format(&self, tools: &Tools, one_only: bool) -> Result<Format, Error> {
        let chosen = tools.chosen()?;
        let thinking = self.and_start(self.text("analysis", tools.thoughts(), [&self.end]));
        let preamble = self.and_start(self.text("commentary", Format::any_text(), [&self.end]));
        let mut last = Vec::new();
        let mut calls: Vec<Format> = chosen.into_iter().map(|tool| self.call(tool)).collect();
        for name in &tools.builtin {
            let Some(builtin) = self.builtin.iter().find(|builtin| builtin.name == *name) else {
                let known: Vec<&str> = self.builtin.iter().map(|builtin| builtin.name.as_str()).collect();
                let message = format!("there is no built-in tool {name:?}; known are {}", known.join(", "));
                return Err(Error::new(ErrorKind::Usage, "", message));
            };
            if tools.may_call_builtin() {
                calls.extend(builtin.to.iter().map(|to| self.builtin_call(to, builtin.is_text)));
            }
        }
        if !calls.is_empty() {
            let call = Format::Or(calls);
            let more = Format::Sequence(vec![Format::text(&self.start), call.clone()]);
            let calls = if one_only { call } else { Format::Sequence(vec![call, Format::star(more)]) };
            last.push(Format::Sequence(vec![Format::optional(preamble), calls]));
        }
        if !tools.must_call() {
            last.push(self.text("final", Format::any_text(), [&self.answered, &self.end]));
        }
        let last = Format::Or(last);
        Ok(match tools.reasoning {
            Reasoning::Off => last,
            // Several messages would be several budgets.
            Reasoning::On if tools.bounds_reasoning() => Format::Sequence(vec![thinking, last]),
            Reasoning::Auto if tools.bounds_reasoning() => {
                Format::Sequence(vec![Format::optional(thinking), last])
            }
            Reasoning::On => Format::Sequence(vec![Format::plus(thinking), last]),
            Reasoning::Auto => Format::Sequence(vec![Format::star(thinking), last]),
        })
    }

    /// A message of free text.
    fn text<const N: usize>(&self, channel: &str, content: Format, ends: [&String; N]) -> Format {
        let begin = Marker::Text(format!("{}{channel}{}", self.channel, self.message));
        let end = ends.into_iter().map(|end| Marker::Text(end.clone())).collect();
        Tag { begin, content, end }.into()
    }

    /// A message and the beginning of the next.
    fn and_start(&self, message: Format) -> Format {
        Format::Sequence(vec![message, Format::text(&self.start)])
    }

    fn call(&self, tool: &Tool) -> Format {
        // Models call on either channel; where they think, they often call JSON code.
        let to = format!("functions.{}", tool.name());
        let headers = [("commentary", &[][..]), ("analysis", &[" code"])];
        let headers = headers.map(|(channel, types)| self.headers(&[channel], &to, types));
        Format::Sequence(vec![
            Format::Or(headers.into()),
            Format::json_schema(tool.parameters().clone()),
            Format::text(&self.call),
        ])
    }

    fn builtin_call(&self, to: &str, is_text: bool) -> Format {
        let headers = self.headers(&["analysis"], to, &["", " code"]);
        let rest = match is_text {
            true => Tag::new("", Format::any_text(), self.call.as_str()).into(),
            false => Format::Sequence(vec![
                Format::json_schema(json!({"type": "object"})),
                Format::text(&self.call),
            ]),
        };
        Format::Sequence(vec![headers, rest])
    }

    /// The headers of a message to somebody: models name the recipient on either side of the channel.
    fn headers(&self, channels: &[&str], to: &str, more_types: &[&str]) -> Format {
        let channel = &self.channel;
        let types = || self.types.iter().map(String::as_str).chain(more_types.iter().copied());
        let headers = channels
            .iter()
            .flat_map(|name| [format!("{channel}{name} to={to}"), format!(" to={to}{channel}{name}")])
            .flat_map(|header| types().map(move |kind| format!("{header}{kind}")))
            .map(|header| Format::text(format!("{header}{}", self.message)));
        Format::Or(headers.collect())
    }
}

/// The built-in tools of a family.
fn builtin(family: &Value) -> Result<Vec<Builtin>, Error> {
    let pointer = "/channels/builtin";
    let Some(tools) = family.pointer(pointer) else { return Ok(Vec::new()) };
    let tools = tools.as_object().ok_or_else(|| Error::invalid(pointer, "expected an object"))?;
    let tool = |(name, tool): (&String, &Value)| {
        let to = tool.get("to").and_then(Value::as_array);
        let to = to.and_then(|list| list.iter().map(|to| to.as_str().map(str::to_owned)).collect());
        let to =
            to.ok_or_else(|| Error::invalid(format!("{pointer}/{name}/to"), "expected a list of strings"))?;
        let is_text = tool.get("content").and_then(Value::as_str) == Some("text");
        Ok(Builtin { name: name.clone(), to, is_text })
    };
    tools.iter().map(tool).collect()
}
