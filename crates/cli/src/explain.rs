//! Where a document goes wrong and what could have come instead, for people and for programs.

use crate::blame::Blame;
use crate::colour::{Palette, Tone};
use formwork::{ByteSet, Matcher};
use serde_json::{Value, json};

/// Where a document goes wrong and what could have come instead.
#[derive(Debug)]
pub(crate) struct Rejection {
    offset: usize,
    /// From 1.
    line: usize,
    /// From 1, in characters.
    column: usize,
    /// The line up to the place, shortened at its start.
    before: String,
    /// What stands at the place; `None` at the end of the document.
    found: Option<String>,
    /// The rest of the line, shortened at its end.
    after: String,
    /// What could have come instead, each as it would be typed.
    expected: Vec<String>,
    /// Whether the document could have ended here.
    can_finish: bool,
    blame: Blame,
}

/// How much of the line is shown before and after the place, in characters.
const BEFORE: usize = 60;
const AFTER: usize = 20;
/// Up to so many bytes are shown with what must follow them; more are shown as ranges.
const MAX_LISTED: usize = 12;
/// How much of what must follow is shown, in characters.
const MAX_SHOWN: usize = 40;

impl Rejection {
    /// Explains why `text` is refused at `offset`; the matcher stands right before it.
    pub(crate) fn new(text: &[u8], offset: usize, matcher: &mut Matcher, blame: Blame) -> Self {
        let (head, tail) = text.split_at(offset.min(text.len()));
        let line_start = head.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let before = String::from_utf8_lossy(&head[line_start..]);
        let column = before.chars().count() + 1;
        let line_end = tail.iter().position(|&b| b == b'\n').unwrap_or(tail.len());
        // Long enough for what is shown, short enough not to read a megabyte for it.
        let after = String::from_utf8_lossy(&tail[..line_end.min(8 * AFTER)]);
        Self {
            offset: head.len(),
            line: head.iter().filter(|&&b| b == b'\n').count() + 1,
            column,
            before: last_chars(&before, BEFORE),
            found: found(tail),
            after: first_chars(&after, AFTER),
            expected: expected(matcher),
            can_finish: matcher.can_finish(),
            blame,
        }
    }

    /// What is wrong, in one line.
    pub(crate) fn message(&self) -> String {
        format!("{}; expected {}", self.what(), self.expectation())
    }

    fn what(&self) -> String {
        match &self.found {
            Some(found) => format!("{found} cannot come here"),
            None => "the document ends too early".to_owned(),
        }
    }

    fn expectation(&self) -> String {
        let mut all = self.expected.clone();
        if self.can_finish {
            all.push("the end of the document".to_owned());
        }
        match &all[..] {
            [] => "nothing: no document begins like this".to_owned(),
            [one] => one.clone(),
            [head @ .., last] => format!("{} or {last}", head.join(", ")),
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "offset": self.offset,
            "line": self.line,
            "column": self.column,
            "before": self.before,
            "found": self.found,
            "expected": self.expected,
            "can_finish": self.can_finish,
            "rules": self.blame.to_json(),
            "message": self.message(),
        })
    }
}

impl Rejection {
    /// With the line, a mark under the place, what could have come, and in which rule.
    pub(crate) fn render(&self, palette: Palette) -> String {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let bar = palette.paint(Tone::Margin, "|");
        let equals = palette.paint(Tone::Margin, "=");
        let indent = " ".repeat(self.before.chars().count());
        let mut lines = vec![
            format!(
                "{} at line {}, column {} (byte {})",
                palette.paint(Tone::Wrong, "rejected"),
                self.line,
                self.column,
                self.offset
            ),
            format!("{margin} {bar}"),
            format!("{} {bar} {}{}", palette.paint(Tone::Margin, &number), self.before, self.after),
            format!("{margin} {bar} {indent}{}", palette.paint(Tone::Wrong, &format!("^ {}", self.what()))),
            format!("{margin} {equals} expected {}", palette.paint(Tone::Right, &self.expectation())),
        ];
        if !self.blame.is_empty() {
            lines.push(format!("{margin} {equals} {}", self.blame));
        }
        lines.join("\n")
    }
}

/// What could come next, each as it would be typed.
fn expected(matcher: &mut Matcher) -> Vec<String> {
    let possible = possible(matcher);
    let white: Vec<u8> = possible.iter().filter(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).collect();
    let mut out = Vec::new();
    let listed: Vec<u8> = plain(matcher, &possible).iter().filter(|b| b.is_ascii_graphic()).collect();
    if listed.len() <= MAX_LISTED {
        for &byte in &listed {
            out.push(format!("`{}`", continuation(matcher, byte)));
        }
    } else {
        let mut set = ByteSet::default();
        listed.iter().for_each(|&b| set.insert(b));
        for (low, high) in set.ranges() {
            let (low, high) = (char::from(low), char::from(high));
            out.push(if low == high { format!("`{low}`") } else { format!("`{low}` to `{high}`") });
        }
    }
    match white[..] {
        [] => {}
        [b' '] => out.push("a space".to_owned()),
        [b'\t'] => out.push("a tab".to_owned()),
        [b'\n'] | [b'\n', b'\r'] => out.push("a line break".to_owned()),
        _ => out.push("white space".to_owned()),
    }
    if possible.iter().any(|b| b >= 0x80) {
        out.push(
            if listed.is_empty() { "characters beyond ASCII" } else { "others beyond ASCII" }.to_owned(),
        );
    }
    if possible.iter().any(|b| b < 0x20 && !b.is_ascii_whitespace() || b == 0x7f) {
        out.push("control characters".to_owned());
    }
    out
}

/// The bytes that can come next, exactly: what an error lists may be too much.
fn possible(matcher: &mut Matcher) -> ByteSet {
    let mut set = ByteSet::default();
    for byte in 0..=255 {
        if matcher.accept_bytes(&[byte]).is_ok() {
            let _ = matcher.rollback(1);
            set.insert(byte);
        }
    }
    set
}

/// The set without a backslash that only begins other spellings of the rest: inside a JSON string every character can be
/// written as an escape, which is no news to anybody.
fn plain(matcher: &mut Matcher, set: &ByteSet) -> ByteSet {
    let mut backslash = ByteSet::default();
    backslash.insert(b'\\');
    let rest = set.difference(&backslash);
    let is_escape = !rest.is_empty() && matcher.accept_bytes(b"\\u00").is_ok();
    if is_escape {
        let _ = matcher.rollback(1);
        return rest;
    }
    *set
}

/// The byte and what must follow it, as far as it is worth showing.
fn continuation(matcher: &mut Matcher, byte: u8) -> String {
    let mut text = vec![byte];
    let mut n_steps = 0;
    while let Some(last) = text.last()
        && matcher.accept_bytes(&[*last]).is_ok()
    {
        n_steps += 1;
        if matcher.can_finish() || text.len() > MAX_SHOWN {
            break;
        }
        let set = possible(matcher);
        let set = plain(matcher, &set);
        let mut bytes = set.iter();
        let (Some(only), None) = (bytes.next(), bytes.next()) else { break };
        text.push(only);
    }
    let _ = matcher.rollback(n_steps);
    first_chars(&String::from_utf8_lossy(&text), MAX_SHOWN)
}

/// The first character, as it would be called in a message.
fn found(tail: &[u8]) -> Option<String> {
    let &byte = tail.first()?;
    let head = &tail[..tail.len().min(4)];
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    Some(match valid.chars().next() {
        Some('\n') => "a line break".to_owned(),
        Some('\t') => "a tab".to_owned(),
        Some(' ') => "a space".to_owned(),
        Some(c) if !c.is_control() => format!("`{c}`"),
        // Within a character, or no character at all.
        _ => format!("byte 0x{byte:02x}"),
    })
}

fn last_chars(text: &str, n: usize) -> String {
    match text.char_indices().rev().nth(n) {
        Some((cut, c)) => format!("…{}", shown(&text[cut + c.len_utf8()..])),
        None => shown(text),
    }
}

fn first_chars(text: &str, n: usize) -> String {
    match text.char_indices().nth(n) {
        Some((cut, _)) => format!("{}…", shown(&text[..cut])),
        None => shown(text),
    }
}

/// Control characters would move the cursor and so the mark under the line.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork::{Compiler, Vocabulary, regex};

    #[test]
    fn colours_add_nothing_but_colours() {
        let grammar = regex::grammar("ab").unwrap();
        let compiled = Compiler::new(Vocabulary::bytes()).compile(&grammar).unwrap();
        let mut matcher = Matcher::new(&compiled);
        matcher.accept_bytes(b"a").unwrap();
        let rejection = Rejection::new(b"ax", 1, &mut matcher, Blame::default());
        let coloured = rejection.render(Palette::COLOURED);
        assert!(coloured.contains("\x1b[1;31m^ `x` cannot come here\x1b[0m"), "{coloured:?}");
        let mut stripped = coloured;
        for code in ["\x1b[1;31m", "\x1b[32m", "\x1b[1;34m", "\x1b[0m"] {
            stripped = stripped.replace(code, "");
        }
        assert_eq!(stripped, rejection.render(Palette::PLAIN));
    }
}
