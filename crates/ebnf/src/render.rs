//! How an error is shown: the message, the line, a mark under the place.

use crate::Error;
use std::fmt;

/// How much of a long line is shown, in characters.
const MAX_WIDTH: usize = 120;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.position.line.to_string();
        let margin = " ".repeat(number.len());
        let (start, width) = self.mark;
        writeln!(f, "error: {}", self.message)?;
        writeln!(f, "{margin}--> {}", self.position)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", self.line)?;
        write!(f, "{margin} | {}{}", " ".repeat(start), "^".repeat(width.max(1)))?;
        if let Some((position, what)) = &self.related {
            write!(f, "\n{margin} = note: {what} at {position}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n{margin} = help: {help}")?;
        }
        Ok(())
    }
}

/// The part of a line around a range of its bytes, and where in it the mark goes (start and width, in characters).
pub(crate) fn excerpt(line: &str, start: usize, end: usize) -> (String, (usize, usize)) {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let (head, rest) = line.split_at(start);
    let marked = &rest[..end.max(start) - start];
    // Only the neighbourhood of the place, in case somebody put everything on one line.
    let n_before = head.chars().rev().take(MAX_WIDTH / 2).count();
    let is_cut = n_before < head.len() && head.chars().rev().nth(n_before).is_some();
    let before: Vec<char> = head.chars().rev().take(n_before).collect();
    let mut shown: String = if is_cut { "…".to_owned() } else { String::new() };
    shown.extend(before.into_iter().rev().map(visible));
    let column = n_before + usize::from(is_cut);
    let room = MAX_WIDTH - n_before;
    shown.extend(rest.chars().take(room).map(visible));
    if rest.chars().nth(room).is_some() {
        shown.push('…');
    }
    let width = marked.chars().take(room).count();
    (shown.trim_end().to_owned(), (column, width))
}
