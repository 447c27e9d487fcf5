//! Turns made of messages in channels: analysis, commentary, final.
//!
//! A message is a header and a content, and messages are joined by what begins the next one. Reasoning is messages in the
//! analysis channel; a call is a message whose header names its recipient, before or after the channel; a message of
//! commentary without a recipient is shown to the user; the answer is one message in the final channel.

use super::request::{Reasoning, Tool, Tools};
use super::string;
use crate::error::Error;
use crate::format::{Format, Marker, Tag};
use serde_json::Value;

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
        })
    }

    /// What the model may write.
    pub(super) fn format(&self, tools: &Tools, one_only: bool) -> Result<Format, Error> {
        let chosen = tools.chosen()?;
        let thinking = self.and_start(self.text("analysis", [&self.end]));
        let preamble = self.and_start(self.text("commentary", [&self.end]));
        let mut last = Vec::new();
        if !chosen.is_empty() {
            let calls: Vec<Format> = chosen.into_iter().map(|tool| self.call(tool)).collect();
            let call = Format::Or(calls);
            let more = Format::Sequence(vec![Format::text(&self.start), call.clone()]);
            let calls = if one_only { call } else { Format::Sequence(vec![call, Format::star(more)]) };
            last.push(Format::Sequence(vec![Format::optional(preamble), calls]));
        }
        if !tools.must_call() {
            last.push(self.text("final", [&self.answered, &self.end]));
        }
        let last = Format::Or(last);
        Ok(match tools.reasoning {
            Reasoning::Off => last,
            Reasoning::On => Format::Sequence(vec![Format::plus(thinking), last]),
            Reasoning::Auto => Format::Sequence(vec![Format::star(thinking), last]),
        })
    }

    /// A message of free text.
    fn text<const N: usize>(&self, channel: &str, ends: [&String; N]) -> Format {
        let begin = Marker::Text(format!("{}{channel}{}", self.channel, self.message));
        let end = ends.into_iter().map(|end| Marker::Text(end.clone())).collect();
        Tag { begin, content: Format::any_text(), end }.into()
    }

    /// A message and the beginning of the next.
    fn and_start(&self, message: Format) -> Format {
        Format::Sequence(vec![message, Format::text(&self.start)])
    }

    fn call(&self, tool: &Tool) -> Format {
        let channel = &self.channel;
        let to = format!(" to=functions.{}", tool.name());
        // Models call on either channel, and name the recipient on either side of it.
        let headers = ["commentary", "analysis"]
            .into_iter()
            .flat_map(|name| [format!("{channel}{name}{to}"), format!("{to}{channel}{name}")])
            .flat_map(|header| self.types.iter().map(move |kind| format!("{header}{kind}")))
            .map(|header| Format::text(format!("{header}{}", self.message)));
        Format::Sequence(vec![
            Format::Or(headers.collect()),
            Format::json_schema(tool.parameters().clone()),
            Format::text(&self.call),
        ])
    }
}
