//! The attributes of rules: `name[max_chars=80, capture] ::= …`.

use crate::ErrorKind;
use crate::dialect::Table;
use crate::literal;
use crate::problem::{Problem, Problems, quote};
use crate::syntax::Attributes;
use std::num::NonZeroU32;
use std::ops::Range;

/// What one may look like.
const FORMS: &str = "`max_chars=80`, `max_tokens=50`, `capture`, `capture=\"name\"` or `lazy`";

/// The attributes in brackets at `span`, of which the closing one may be missing.
pub(crate) fn read(text: &str, span: Range<usize>, table: &Table, problems: &mut Problems) -> Attributes {
    let mut attributes = Attributes { start: span.start, ..Attributes::default() };
    let end = span.end - usize::from(text[span.clone()].ends_with(']'));
    for place in split(text, span.start + 1..end) {
        if let Err(problem) = one(text, place, table, &mut attributes) {
            problems.add(problem);
        }
    }
    attributes
}

/// The places between commas that are not in quotes, without blanks around.
fn split(text: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (span.start, false, false);
    let mut add = |from: usize, to: usize| {
        let part = &text[from..to];
        let from = from + part.len() - part.trim_start().len();
        places.push(from..from + part.trim().len());
    };
    for (i, c) in text[span.clone()].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                add(start, span.start + i);
                start = span.start + i + 1;
            }
            _ => {}
        }
    }
    add(start, span.end);
    places
}

fn one(text: &str, place: Range<usize>, table: &Table, attributes: &mut Attributes) -> Result<(), Problem> {
    let attribute = &text[place.clone()];
    let (name, value) = match attribute.split_once('=') {
        Some((name, value)) => (name.trim_end(), Some(value.trim_start())),
        None => (attribute, None),
    };
    let is_second = match name {
        "max_chars" => attributes.max_chars.is_some(),
        "max_tokens" => attributes.max_tokens.is_some(),
        "capture" => attributes.capture.is_some(),
        "lazy" => attributes.is_lazy,
        _ => false,
    };
    if is_second {
        return Err(Problem::syntax(place, format!("the attribute `{name}` is given twice")));
    }
    let number = |value: &str| {
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| value.parse().unwrap_or(u32::MAX))
    };
    let start = place.end - value.map_or(0, str::len);
    let found = match (name, value) {
        ("lazy", None) => {
            attributes.is_lazy = true;
            true
        }
        ("max_chars", Some(value)) => {
            attributes.max_chars = number(value);
            attributes.max_chars.is_some()
        }
        ("max_tokens", Some(value)) => {
            attributes.max_tokens = number(value).and_then(NonZeroU32::new);
            attributes.max_tokens.is_some()
        }
        ("capture", None) => {
            attributes.capture = Some(String::new());
            true
        }
        ("capture", Some(value)) if value.len() > 2 && value.starts_with('"') && value.ends_with('"') => {
            attributes.capture = Some(literal::text(text, start..place.end, table)?);
            true
        }
        ("stop_capture" | "temperature" | "suffix" | "stop", _) => {
            let message = format!("the attribute `{name}` of rules is not supported");
            let help = match name {
                "temperature" => "how tokens are drawn is for the sampler to decide",
                _ => "write what ends the rule behind it, and make the rule `lazy`",
            };
            return Err(Problem::new(ErrorKind::Unsupported, place, message).help(help));
        }
        ("lazy" | "max_chars" | "max_tokens" | "capture", _) => false,
        _ => {
            let message = format!("there is no attribute `{}`", quote(attribute));
            return Err(Problem::syntax(place, message).expected(FORMS));
        }
    };
    match found {
        true => Ok(()),
        false => {
            let help = "the least number of tokens is 1; a rule that may be empty can be left out";
            let problem = Problem::syntax(place, format!("expected {FORMS}, found `{}`", quote(attribute)));
            Err(if name == "max_tokens" && value == Some("0") { problem.help(help) } else { problem })
        }
    }
}
