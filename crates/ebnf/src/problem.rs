//! Problems as they are found: by byte offsets, in any order. Places are worked out once, at the end.

use crate::render::excerpt;
use crate::{Error, ErrorKind, Errors};
use formwork_grammar::Position;
use std::ops::Range;

/// How much of what was found is quoted, in characters.
const MAX_QUOTED: usize = 40;

/// Something that is wrong with the text.
pub(crate) struct Problem {
    kind: ErrorKind,
    /// Where, in bytes.
    span: Range<usize>,
    message: String,
    expected: Option<String>,
    help: Option<String>,
    related: Option<(usize, &'static str)>,
}

impl Problem {
    pub(crate) fn new(kind: ErrorKind, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { kind, span, message: message.into(), expected: None, help: None, related: None }
    }

    pub(crate) fn syntax(span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Syntax, span, message)
    }

    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn help_if_none(self, help: &str) -> Self {
        if self.help.is_some() { self } else { self.help(help) }
    }

    pub(crate) fn related(mut self, offset: usize, what: &'static str) -> Self {
        self.related = Some((offset, what));
        self
    }
}

/// All problems of a text, up to a limit.
pub(crate) struct Problems {
    list: Vec<Problem>,
    max: usize,
}

impl Problems {
    pub(crate) fn new(max: usize) -> Self {
        Self { list: Vec::new(), max: max.max(1) }
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        if !self.is_full() {
            self.list.push(problem);
        }
    }

    /// Whether enough was found to stop.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= self.max
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn into_errors(mut self, text: &str) -> Errors {
        if self.is_full() && self.max > 1 {
            let message =
                format!("more than {} errors; the rest of the text was not looked at", self.max - 1);
            let end = self.list.iter().map(|problem| problem.span.start).max().unwrap_or(0);
            self.list.pop();
            self.list.push(Problem::new(ErrorKind::Limit, end..end, message));
        }
        self.list.sort_by_key(|problem| problem.span.start);
        let mut offsets: Vec<usize> = self.list.iter().map(|problem| problem.span.start).collect();
        offsets.extend(self.list.iter().filter_map(|problem| problem.related).map(|(offset, _)| offset));
        offsets.sort_unstable();
        offsets.dedup();
        let mut sweep = Sweep::new(text);
        let positions: Vec<Position> = offsets.iter().map(|&offset| sweep.position(offset)).collect();
        let position_of = |offset: usize| {
            let idx = offsets.partition_point(|&other| other < offset);
            positions.get(idx).copied().unwrap_or(Position { offset, line: 1, column: 1 })
        };
        let errors = self.list.into_iter().map(|problem| {
            let Problem { kind, span, message, expected, help, related } = problem;
            let position = position_of(span.start);
            let (line, start) = line_around(text, span.start);
            let end = (span.end - span.start + start).min(line.len());
            let (line, mark) = excerpt(line, start, end);
            Error {
                kind,
                position,
                message,
                found: quote(&text[span]),
                expected,
                help,
                related: related.map(|(offset, what)| (position_of(offset), what)),
                line,
                mark,
            }
        });
        Errors { errors: errors.collect() }
    }
}

/// The line around an offset, and where in it the offset is; of long lines a part that is more than what is shown.
fn line_around(text: &str, offset: usize) -> (&str, usize) {
    const REACH: usize = 1_000;
    let (mut from, mut to) = (offset.saturating_sub(REACH), text.len().min(offset + REACH));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let start = text[from..offset].rfind('\n').map_or(from, |i| from + i + 1);
    let end = text[offset..to].find('\n').map_or(to, |i| offset + i);
    (&text[start..end], offset - start)
}

/// A text, shortened if it is long.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Works out positions in ascending order in one pass over the text.
pub(crate) struct Sweep<'a> {
    text: &'a str,
    position: Position,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, position: Position { offset: 0, line: 1, column: 1 } }
    }

    /// The position of an offset that is not below the last one asked for.
    pub(crate) fn position(&mut self, offset: usize) -> Position {
        let at = &mut self.position;
        for c in self.text.get(at.offset..offset).unwrap_or_default().chars() {
            if c == '\n' {
                (at.line, at.column) = (at.line + 1, 1);
            } else {
                at.column += 1;
            }
        }
        at.offset = offset.max(at.offset);
        *at
    }
}
