//! The attributes of rules: `name[max_chars=80, lazy] ::= …`.

use crate::ErrorKind;
use crate::problem::{Problem, Problems, quote};
use crate::syntax::Attributes;
use std::ops::Range;

/// The attributes in brackets at `span`.
pub(super) fn read(text: &str, span: Range<usize>, problems: &mut Problems) -> Attributes {
    let mut attributes = Attributes { start: span.start, ..Attributes::default() };
    let mut at = span.start + 1;
    for attribute in text[at..span.end - 1].split(',') {
        let start = at + attribute.len() - attribute.trim_start().len();
        at += attribute.len() + 1;
        let attribute = attribute.trim();
        let place = start..start + attribute.len();
        let (name, value) = match attribute.split_once('=') {
            Some((name, value)) => (name.trim_end(), Some(value.trim_start())),
            None => (attribute, None),
        };
        let is_second = match name {
            "max_chars" => attributes.max_chars.is_some(),
            "lazy" => attributes.is_lazy,
            _ => false,
        };
        let problem = match (name, value) {
            _ if is_second => Problem::syntax(place, format!("the attribute `{name}` is given twice")),
            ("lazy", None) => {
                attributes.is_lazy = true;
                continue;
            }
            ("max_chars", Some(value)) if value.bytes().all(|b| b.is_ascii_digit()) && !value.is_empty() => {
                attributes.max_chars = Some(value.parse().unwrap_or(u32::MAX));
                continue;
            }
            ("lazy" | "max_chars", _) => {
                let message = format!("expected `max_chars=80` or `lazy`, found `{}`", quote(attribute));
                Problem::syntax(place, message)
            }
            ("max_tokens" | "capture" | "stop_capture" | "temperature", _) => {
                let message = format!("the attribute `{name}` of rules is not supported yet");
                let problem = Problem::new(ErrorKind::Unsupported, place, message);
                match name {
                    "max_tokens" => problem.help("`max_chars` bounds the characters instead"),
                    _ => problem,
                }
            }
            _ => {
                let message = format!("there is no attribute `{}`", quote(attribute));
                Problem::syntax(place, message).expected("`max_chars=80` or `lazy`")
            }
        };
        problems.add(problem);
    }
    attributes
}
