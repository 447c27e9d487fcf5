//! `formwork check`: whether a document is allowed, and if not, why.

use crate::args::CheckArgs;
use crate::blame::Blame;
use crate::colour::Palette;
use crate::deadline::Deadline;
use crate::explain::Rejection;
use crate::jsonl;
use crate::problem::Problem;
use crate::source::report_json;
use crate::verdict::{Verdict, verdict};
use crate::{Failure, Status, written};
use formwork::{Capture, Captures, Compiler, Vocabulary};
use serde_json::{Value, json};
use std::io::{Read, Write};

/// A compiler for bytes: a document is followed byte by byte, so there are no masks to prepare.
pub(crate) fn compiler() -> Compiler {
    Compiler::builder(Vocabulary::bytes()).precompute(0).build()
}

pub(crate) fn run(args: &CheckArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    if args.jsonl {
        if let Some(option) = args.beside_jsonl() {
            let message =
                format!("with --jsonl each line brings its own options; {option} means nothing here");
            return Err(Problem::usage(message).into());
        }
        return written(jsonl::run(&mut std::io::stdin().lock(), out, args.timeout)).map(|()| Status::Fine);
    }
    let source = args.grammar.source("; or --jsonl, to be asked line by line")?;
    let loaded = source.load().map_err(|problem| args.grammar.locate(problem))?;
    let deadline = Deadline::after(args.timeout);
    let compiled = compiler()
        .compile_with(&loaded.grammar, &|| deadline.is_over())
        .map_err(|error| args.grammar.locate(error.into()))?;
    let document = read(args)?;
    let document = without_final_newline(&document);
    let name = if is_stdin(args) { "standard input".into() } else { args.file.to_string_lossy() };
    let verdict = verdict(&compiled, document, Deadline::after(args.timeout));
    let mut captures = Captures::default();
    let (status, value, rejection) = match verdict {
        Verdict::Accepted(matcher) => {
            let found = matcher.captures();
            captures = found.map_err(|limit| Problem::limit(limit.to_string()).about(&name))?;
            (Status::Fine, Value::Bool(true), None)
        }
        Verdict::Rejected { offset, mut matcher } => {
            let head = document.get(..offset).unwrap_or_default();
            let blame = Blame::new(&loaded.grammar, &compiled, head, Deadline::after(args.timeout));
            let rejection = Rejection::new(document, offset, &mut matcher, blame);
            (Status::Rejected, Value::Bool(false), Some(rejection))
        }
        Verdict::Limit(message) => return Err(Problem::limit(message).about(name).into()),
    };
    if args.output.is_json() {
        let mut answer = json!({
            "compile_error": null,
            "verdict": value,
            "rejection": rejection.as_ref().map(Rejection::to_json),
            "report": report_json(&loaded.report),
        });
        if !captures.is_empty() {
            answer["captures"] = captures.iter().map(|capture| capture_json(&capture)).collect();
        }
        written(writeln!(out, "{answer}"))?;
    } else if let Some(rejection) = rejection {
        // To standard error, as all that went wrong; a pipe that reads standard output need not look at it.
        written(writeln!(std::io::stderr(), "{name}: {}", rejection.render(Palette::of_stderr())))?;
    } else {
        written(writeln!(out, "{name}: accepted"))?;
        for capture in captures.iter() {
            let (span, text) = (capture.span(), String::from_utf8_lossy(capture.bytes()));
            written(writeln!(out, "  {} (bytes {} to {}): {text:?}", capture.name(), span.start, span.end))?;
        }
    }
    Ok(status)
}

/// What the grammar captures, and where.
fn capture_json(capture: &Capture<'_>) -> Value {
    let (span, text) = (capture.span(), String::from_utf8_lossy(capture.bytes()));
    json!({"name": capture.name(), "start": span.start, "end": span.end, "text": text})
}

fn is_stdin(args: &CheckArgs) -> bool {
    args.file.as_os_str() == "-"
}

fn read(args: &CheckArgs) -> Result<Vec<u8>, Problem> {
    if is_stdin(args) {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Problem::file("standard input".as_ref(), error))?;
        Ok(bytes)
    } else {
        std::fs::read(&args.file).map_err(|error| Problem::file(&args.file, error))
    }
}

/// Editors and `echo` end files with a newline that is no part of what was meant.
fn without_final_newline(document: &[u8]) -> &[u8] {
    let without = document.strip_suffix(b"\n").unwrap_or(document);
    if without.len() < document.len() { without.strip_suffix(b"\r").unwrap_or(without) } else { without }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_final_newline_is_dropped() {
        assert_eq!(without_final_newline(b"a\n\n"), b"a\n");
        assert_eq!(without_final_newline(b"a\r\n"), b"a");
        assert_eq!(without_final_newline(b"a\r"), b"a\r");
        assert_eq!(without_final_newline(b""), b"");
    }
}
