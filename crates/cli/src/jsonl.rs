//! `formwork check --jsonl`: questions from another program, one line each, answered line by line.
//!
//! The program on the other side counts lines. So whatever comes, every line gets exactly one answer, and nothing ends the
//! process: not bytes that are no text, not endless lines, not deep ones, not an endless compile, not a bug in a library.

use crate::check::compiler;
use crate::deadline::Deadline;
use crate::problem::Problem;
use crate::source::{Loaded, Source, report_json};
use crate::verdict::{Verdict, verdict};
use formwork::Compiler;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::fmt;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The most bytes of a line; more are read and thrown away, and the line is answered as malformed.
const MAX_LINE: usize = 256 << 20;

/// Answers every line of `input`.
pub(crate) fn run(input: &mut dyn BufRead, out: &mut dyn Write, timeout: Duration) -> io::Result<()> {
    let compiler = compiler();
    let mut line = Vec::new();
    while let Some(is_whole) = next_line(input, &mut line, MAX_LINE)? {
        let answer = if is_whole {
            // A bug in a library must not lose the line, and not those that follow. What is shared between lines is
            // only read by them, so that nothing can be left half done.
            catch_unwind(AssertUnwindSafe(|| answer(&compiler, &line, timeout)))
                .unwrap_or_else(|panic| Err(Problem::internal(reason(&*panic))))
        } else {
            Err(Problem::usage(format!("the line is over the limit of {MAX_LINE} bytes")))
        };
        let answer =
            answer.unwrap_or_else(|problem| json!({"compile_error": problem.to_json(), "verdicts": []}));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// The next line without its end, up to `max` bytes of it; whether that is all of it. `None` at the end of the input.
fn next_line(input: &mut dyn BufRead, line: &mut Vec<u8>, max: usize) -> io::Result<Option<bool>> {
    line.clear();
    let (mut is_whole, mut is_empty) = (true, true);
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok((!is_empty).then_some(is_whole));
        }
        is_empty = false;
        let end = available.iter().position(|&b| b == b'\n');
        let bytes = &available[..end.unwrap_or(available.len())];
        let room = max - line.len();
        is_whole &= bytes.len() <= room;
        line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        let consumed = bytes.len() + usize::from(end.is_some());
        input.consume(consumed);
        if end.is_some() {
            return Ok(Some(is_whole));
        }
    }
}

/// What a panic said.
fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a bug in Formwork, please report it: {}", said.as_deref().unwrap_or("no message"))
}

fn answer(compiler: &Compiler, line: &[u8], timeout: Duration) -> Result<Value, Problem> {
    let question = Question::parse(line)?;
    let deadline = Deadline::after(timeout);
    let Loaded { grammar, report } = question.source.load()?;
    let compiled = compiler.compile_with(&grammar, &|| deadline.is_over())?;
    let verdicts: Vec<Value> = question
        .instances
        .iter()
        .map(|text| match verdict(&compiled, text.as_bytes(), Deadline::after(timeout)) {
            Verdict::Accepted(_) => true.into(),
            Verdict::Rejected { .. } => false.into(),
            Verdict::Limit(_) => "limit".into(),
        })
        .collect();
    Ok(json!({"compile_error": null, "verdicts": verdicts, "report": report_json(&report)}))
}

/// A line as it was meant.
struct Question {
    source: Source,
    instances: Vec<String>,
}

/// What every message about a malformed line ends with.
const SHAPE: &str = "a line is {\"schema\": …, \"instances\": [\"text\", …], \"options\": {…}}, \
                     or the same with \"ebnf\", \"gbnf\", \"lark\", \"regex\" or \"tag\" instead of \"schema\"";

impl Question {
    fn parse(line: &[u8]) -> Result<Self, Problem> {
        let text = std::str::from_utf8(line)
            .map_err(|error| Problem::usage(format!("the line is not UTF-8: {error}; {SHAPE}")))?;
        let Members(members) = members(text)
            .map_err(|error| Problem::usage(format!("the line is not a JSON object: {error}; {SHAPE}")))?;
        let (mut grammar, mut instances, mut options) = (None, None, None);
        for (name, value) in members {
            let slot = match &*name {
                "schema" | "ebnf" | "gbnf" | "lark" | "regex" | "tag" => {
                    if let Some((other, _)) = grammar.replace((name.clone(), value)) {
                        return Err(Problem::usage(format!("both \"{other}\" and \"{name}\" in one line")));
                    }
                    continue;
                }
                "instances" => &mut instances,
                "options" => &mut options,
                _ => return Err(Problem::usage(format!("unknown member {name:?}; {SHAPE}"))),
            };
            if slot.replace(value).is_some() {
                return Err(Problem::usage(format!("\"{name}\" twice in one line")));
            }
        }
        let Some((kind, text)) = grammar else {
            return Err(Problem::usage(format!("no grammar; {SHAPE}")));
        };
        let Some(instances) = instances else {
            return Err(Problem::usage(format!("no \"instances\"; {SHAPE}")));
        };
        let instances = serde_json::from_str(instances.get())
            .map_err(|error| Problem::usage(format!("\"instances\" is not a list of strings: {error}")))?;
        let options = match options {
            None => json!({}),
            Some(raw) => parsed("options", raw)?,
        };
        Ok(Self { source: source(&kind, text, options)?, instances })
    }
}

fn source(kind: &str, raw: &RawValue, options: Value) -> Result<Source, Problem> {
    match kind {
        "schema" => {
            // The frontend reads the text itself: exact numbers, any depth, places.
            let text = if raw.get().starts_with('"') { string(kind, raw)? } else { raw.get().to_owned() };
            Ok(Source::Schema { text, options })
        }
        "ebnf" | "gbnf" | "lark" => {
            let mut root = None;
            for (name, value) in object(&options)? {
                match (name.as_str(), value.as_str()) {
                    ("root", Some(name)) => root = Some(name.to_owned()),
                    ("root", None) => {
                        return Err(Problem::usage("option `root` is the name of a rule, a string"));
                    }
                    _ => {
                        let known = format!("the only option of \"{kind}\" is `root`");
                        return Err(unknown_option(name, &known));
                    }
                }
            }
            let text = string(kind, raw)?.into_bytes();
            Ok(match kind {
                "gbnf" => Source::Gbnf { text, root },
                "lark" => Source::Lark { text, root, folder: None },
                _ => Source::Ebnf { text, root },
            })
        }
        "regex" => match object(&options)?.keys().next() {
            Some(name) => Err(unknown_option(name, "\"regex\" has no options")),
            None => Ok(Source::Regex(string(kind, raw)?)),
        },
        _ => {
            let text = if raw.get().starts_with('"') { string(kind, raw)? } else { raw.get().to_owned() };
            Ok(Source::Tag { text, options })
        }
    }
}

fn unknown_option(name: &str, known: &str) -> Problem {
    Problem::usage(format!("unknown option {name:?}; {known}"))
}

fn object(options: &Value) -> Result<&serde_json::Map<String, Value>, Problem> {
    options.as_object().ok_or_else(|| Problem::usage("\"options\" is not a JSON object"))
}

fn string(name: &str, raw: &RawValue) -> Result<String, Problem> {
    serde_json::from_str(raw.get())
        .map_err(|error| Problem::usage(format!("\"{name}\" is not a string: {error}")))
}

/// A value that is small by its nature; `serde_json` refuses one that is nested deeply.
fn parsed(name: &str, raw: &RawValue) -> Result<Value, Problem> {
    serde_json::from_str(raw.get()).map_err(|error| Problem::usage(format!("\"{name}\": {error}")))
}

/// The members of an object, in order, duplicates included, their values as they are written.
struct Members<'a>(Vec<(String, &'a RawValue)>);

fn members(text: &str) -> serde_json::Result<Members<'_>> {
    struct Reader;
    impl<'a> Visitor<'a> for Reader {
        type Value = Members<'a>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }

        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(Members(members))
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let members = deserializer.deserialize_map(Reader)?;
    deserializer.end()?;
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], max: usize) -> Vec<(Vec<u8>, bool)> {
        // A tiny buffer, so that lines go over its ends.
        let mut input = io::BufReader::with_capacity(3, bytes);
        let (mut line, mut all) = (Vec::new(), Vec::new());
        while let Some(is_whole) = next_line(&mut input, &mut line, max).unwrap() {
            all.push((line.clone(), is_whole));
        }
        all
    }

    #[test]
    fn lines_are_cut_at_the_limit_and_counted_all_the_same() {
        let expected =
            [(b"ab".to_vec(), true), (vec![], true), (b"abcd".to_vec(), false), (b"x".to_vec(), true)];
        assert_eq!(lines(b"ab\n\nabcdefgh\nx", 4), expected);
        assert_eq!(lines(b"abcd\n", 4), [(b"abcd".to_vec(), true)]);
        assert_eq!(lines(b"", 4), []);
    }

    #[test]
    fn a_panic_is_told() {
        let panic = catch_unwind(|| std::panic::panic_any("no such row".to_owned())).unwrap_err();
        assert_eq!(reason(&*panic), "a bug in Formwork, please report it: no such row");
    }
}
