//! Python's regular expressions, in which Lark's terminals are written, in the words of the `regex` crate.
//!
//! The two agree in most of what people write, and where they do not, most texts are patterns of both with different
//! meanings: `[[a]` is a class of two characters in Python, `\w` has no combining marks, `{` is itself where no count
//! follows. So a pattern is not handed on as it stands, but read here and written anew: every character that could mean
//! something by its code, every class escape as the characters that it means, `.` as a class. What is left for the other
//! side is groups, alternatives, classes and counts.
//!
//! What a terminal matches must not depend on what stands around it, so assertions about that are refused: `^`, `$`, `\b`
//! and look-around. So is what makes a choice that cannot be taken back (possessive quantifiers, atomic groups), since then
//! the texts of a pattern are not those of its parts. Lazy quantifiers are read: they change which text a search finds, not
//! which texts match.

use super::literal;
use crate::ErrorKind;
use crate::problem::{Problem, quote};
use std::ops::Range;

/// What Python's `\s` matches beyond Unicode's white space, and the digits and words of ASCII.
const SPACE: &str = r"\s\x1c-\x1f";
const WORD: &str = r"\p{L}\p{N}_";
const ASCII_SPACE: &str = r"\x09-\x0d\x20";
const ASCII_WORD: &str = "0-9A-Za-z_";

/// A pattern in the words of the `regex` crate.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) text: String,
    /// For each piece where it begins and where in the source what it came from begins; ascending.
    origins: Vec<(usize, usize)>,
}

impl Translated {
    /// Where in the source an offset of the text comes from.
    pub(super) fn origin(&self, offset: usize) -> usize {
        let next = self.origins.partition_point(|&(start, _)| start <= offset);
        next.checked_sub(1).map_or(0, |i| self.origins[i].1)
    }
}

/// The pattern that matches a text whatever the case of its letters.
pub(super) fn any_case(text: &str) -> String {
    let mut out = "(?i:".to_owned();
    text.chars().for_each(|c| push_char(&mut out, c));
    out.push(')');
    out
}

/// Translates the regular expression with slashes and flags at `span`.
pub(super) fn translate(source: &str, span: Range<usize>) -> Result<Translated, Problem> {
    let (inside, flags) = literal::pattern(source, span);
    let has = |flag| flags.contains(flag);
    let modes = Modes { dot_is_any: has('s'), is_verbose: has('x'), is_ascii: false };
    let mut translation = Translation {
        source,
        start: inside.start,
        end: inside.end,
        at: inside.start,
        modes,
        outer: Vec::new(),
        item: Item::None,
        out: Translated { text: String::new(), origins: Vec::new() },
    };
    translation.origin(inside.start);
    translation.out.text.push_str(if has('i') { "(?i:" } else { "(?:" });
    while translation.at < translation.end {
        translation.next()?;
    }
    translation.out.text.push(')');
    if let Some((start, _)) = translation.outer.first() {
        return Err(Problem::syntax(*start..start + 1, "this group is not closed"));
    }
    Ok(translation.out)
}

/// The flags that matter here; case is left to the other side.
#[derive(Clone, Copy)]
struct Modes {
    dot_is_any: bool,
    is_verbose: bool,
    is_ascii: bool,
}

/// What stands before the place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    /// Nothing that could be repeated.
    None,
    Atom,
    /// A quantifier, perhaps with `?`.
    Quantified,
}

struct Translation<'a> {
    source: &'a str,
    start: usize,
    end: usize,
    at: usize,
    modes: Modes,
    /// Where the open groups begin, and the modes around them.
    outer: Vec<(usize, Modes)>,
    item: Item,
    out: Translated,
}

impl Translation<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..self.end]
    }

    fn origin(&mut self, at: usize) {
        self.out.origins.push((self.out.text.len(), at));
    }

    /// An atom of this text that comes from the next `length` bytes.
    fn atom(&mut self, text: &str, length: usize) {
        self.out.text.push_str(text);
        self.item = Item::Atom;
        self.at += length;
    }

    fn refuse(&self, length: usize, what: &str, help: &str) -> Problem {
        let message = format!("{what} not supported in terminals");
        Problem::new(ErrorKind::Unsupported, self.at..self.at + length, message).help(help)
    }

    fn next(&mut self) -> Result<(), Problem> {
        self.origin(self.at);
        let c = self.rest().chars().next().unwrap_or_default();
        match c {
            '\\' => self.escape()?,
            '[' => self.class()?,
            '(' => self.group()?,
            ')' => match self.outer.pop() {
                Some((_, modes)) => {
                    self.modes = modes;
                    self.atom(")", 1);
                }
                None => return Err(Problem::syntax(self.at..self.at + 1, "this `)` closes no group")),
            },
            '|' => {
                self.atom("|", 1);
                self.item = Item::None;
            }
            '.' if self.modes.dot_is_any => self.atom("(?s:.)", 1),
            '.' => self.atom(r"[^\n]", 1),
            '^' | '$' => {
                let what = if c == '^' { "`^` is" } else { "`$` is" };
                return Err(self.refuse(1, what, "a terminal matches from end to end; leave it out"));
            }
            '*' | '+' | '?' => {
                let length = 1;
                self.quantifier(&c.to_string(), length)?;
            }
            '{' => match counts(self.rest()) {
                Some((counts, length)) => self.quantifier(&counts, length)?,
                None => self.char(c),
            },
            _ if self.modes.is_verbose && c.is_ascii_whitespace() => self.at += 1,
            '#' if self.modes.is_verbose => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            _ => self.char(c),
        }
        Ok(())
    }

    fn char(&mut self, c: char) {
        let mut text = String::new();
        push_char(&mut text, c);
        self.atom(&text, c.len_utf8());
    }

    fn quantifier(&mut self, quantifier: &str, length: usize) -> Result<(), Problem> {
        let span = self.at..self.at + length;
        match self.item {
            Item::Atom => {}
            Item::None => {
                return Err(Problem::syntax(
                    span,
                    format!("there is nothing that `{quantifier}` could repeat"),
                ));
            }
            Item::Quantified => return Err(Problem::syntax(span, "two quantifiers in a row")),
        }
        self.out.text.push_str(quantifier);
        self.item = Item::Quantified;
        self.at += length;
        match self.rest().chars().next() {
            // Greed does not change the language.
            Some('?') => self.at += 1,
            Some('+') => {
                let help = "leave the second `+` out: a possessive quantifier gives nothing back";
                return Err(self.refuse(1, "possessive quantifiers are", help));
            }
            _ => {}
        }
        Ok(())
    }

    // ---- escapes ----

    fn escape(&mut self) -> Result<(), Problem> {
        let Some(c) = self.rest()[1..].chars().next() else {
            return Err(Problem::syntax(self.at..self.at + 1, "a backslash at the end"));
        };
        if let Some(set) = self.set(c) {
            let text = format!("[{}{set}]", if c.is_ascii_uppercase() { "^" } else { "" });
            self.atom(&text, 2);
            return Ok(());
        }
        match c {
            'b' | 'B' => {
                let help = "write the characters that may stand beside the word";
                return Err(self.refuse(2, "word boundaries are", help));
            }
            'A' | 'Z' => {
                let help = "a terminal matches from end to end; leave it out";
                return Err(self.refuse(2, "assertions about the ends are", help));
            }
            '1'..='9' if !is_octal(&self.rest()[1..]) => {
                let help = "no grammar can repeat what was captured; list the alternatives instead";
                return Err(self.refuse(2, "back-references are", help));
            }
            _ => {}
        }
        let (c, length) = self.escaped_char(c, false)?;
        let mut text = String::new();
        push_char(&mut text, c);
        self.atom(&text, length);
        Ok(())
    }

    /// The members of `\d`, `\w` and `\s`, and those that `\D`, `\W` and `\S` leave out.
    fn set(&self, c: char) -> Option<&'static str> {
        Some(match (c.to_ascii_lowercase(), self.modes.is_ascii) {
            ('d', false) => r"\d",
            ('d', true) => "0-9",
            ('w', false) => WORD,
            ('w', true) => ASCII_WORD,
            ('s', false) => SPACE,
            ('s', true) => ASCII_SPACE,
            _ => return None,
        })
    }

    /// The character of an escape whose first is `c`, and the escape's length.
    fn escaped_char(&self, c: char, in_class: bool) -> Result<(char, usize), Problem> {
        let escape = &self.rest()[1..];
        let single = |c| Ok((c, 2));
        match c {
            // These Lark replaces before anything is read as a regular expression.
            'n' => self.replaced('\n', 2, in_class),
            't' => self.replaced('\t', 2, in_class),
            'r' => self.replaced('\r', 2, in_class),
            'f' => self.replaced('\u{c}', 2, in_class),
            'x' | 'u' | 'U' => match literal::hex(escape, c) {
                Some((c, length)) => self.replaced(c, length + 1, in_class),
                None => {
                    let message = format!("`\\{c}` wants the digits of a character");
                    let expected = "`\\xHH`, `\\uHHHH` or `\\UHHHHHHHH`";
                    Err(Problem::syntax(self.at..self.at + 2, message).expected(expected))
                }
            },
            'v' => single('\u{b}'),
            'a' => single('\u{7}'),
            'b' if in_class => single('\u{8}'),
            '0'..='7' => {
                let digits = escape.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let code = u32::from_str_radix(&escape[..digits], 8).ok().filter(|&code| code <= 0o377);
                code.and_then(char::from_u32).map(|c| (c, digits + 1)).ok_or_else(|| {
                    let span = self.at..self.at + 1 + digits;
                    Problem::syntax(span, "an octal escape goes up to `\\377`")
                })
            }
            _ if c.is_ascii_alphanumeric() => {
                let message = format!("the escape `\\{c}` means nothing");
                Err(Problem::syntax(self.at..self.at + 2, message))
            }
            _ => Ok((c, 1 + c.len_utf8())),
        }
    }

    /// A character that Lark puts in the place of an escape: refused where it would mean something else than itself.
    fn replaced(&self, c: char, length: usize, in_class: bool) -> Result<(char, usize), Problem> {
        let is_special = if in_class {
            r"\]^-".contains(c)
        } else {
            r"\.^$*+?{}[]|()".contains(c) || self.modes.is_verbose && (c.is_ascii_whitespace() || c == '#')
        };
        if !is_special {
            return Ok((c, length));
        }
        let span = self.at..self.at + length;
        let message = format!("`{}` would not mean the character itself", quote(&self.source[span.clone()]));
        let help = match c.is_ascii_whitespace() {
            true => "Lark replaces the escape before it reads the regular expression, in which white space means nothing; write a class".to_owned(),
            false => format!("Lark replaces the escape before it reads the regular expression; write `\\{c}`"),
        };
        Err(Problem::syntax(span, message).help(help))
    }

    // ---- classes ----

    fn class(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let mut text = "[".to_owned();
        self.at += 1;
        if self.rest().starts_with('^') {
            text.push('^');
            self.at += 1;
        }
        let first = self.at;
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(Problem::syntax(start..start + 1, "this class is not closed"));
            };
            if c == ']' && self.at > first {
                self.at += 1;
                break;
            }
            let member = self.at;
            let Some(low) = self.member(&mut text)? else { continue };
            let mut rest = self.rest().chars();
            if rest.next() != Some('-') || matches!(rest.next(), None | Some(']')) {
                push_char(&mut text, low);
                continue;
            }
            self.at += 1;
            let high_at = self.at;
            let Some(high) = self.member(&mut String::new())? else {
                let message = "a range ends with a character, not with a class";
                return Err(Problem::syntax(high_at..self.at, message));
            };
            if low > high {
                let message = "this range ends before it starts";
                return Err(
                    Problem::syntax(member..self.at, message).help("write `\\-` to mean the character")
                );
            }
            push_char(&mut text, low);
            text.push('-');
            push_char(&mut text, high);
        }
        text.push(']');
        self.atom(&text, 0);
        Ok(())
    }

    /// The next member, if it is a character; the members of a class escape go into `text`.
    fn member(&mut self, text: &mut String) -> Result<Option<char>, Problem> {
        let c = self.rest().chars().next().unwrap_or_default();
        if c != '\\' {
            self.at += c.len_utf8();
            return Ok(Some(c));
        }
        let Some(c) = self.rest()[1..].chars().next() else {
            return Err(Problem::syntax(self.at..self.at + 1, "a backslash at the end"));
        };
        if let Some(set) = self.set(c) {
            text.push_str(&if c.is_ascii_uppercase() { format!("[^{set}]") } else { set.to_owned() });
            self.at += 2;
            return Ok(None);
        }
        let (c, length) = self.escaped_char(c, true)?;
        self.at += length;
        Ok(Some(c))
    }

    // ---- groups ----

    fn group(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let rest = self.rest();
        let look_around =
            "say what may come here with alternatives and classes, or check it after generating";
        let Some(extension) = rest.strip_prefix("(?") else {
            self.open(start, "(?:", 1, self.modes);
            return Ok(());
        };
        if let Some(name) = extension.strip_prefix("P<") {
            let Some(length) = name.find('>') else {
                return Err(Problem::syntax(start..start + 4, "the name of this group is not closed"));
            };
            self.open(start, "(?:", length + 5, self.modes);
            return Ok(());
        }
        if extension.starts_with('#') {
            let Some(length) = rest.find(')') else {
                return Err(Problem::syntax(start..start + 3, "this comment is not closed"));
            };
            self.at += length + 1;
            return Ok(());
        }
        match extension.bytes().next() {
            Some(b'=' | b'!') => Err(self.refuse(3, "look-ahead is", look_around)),
            Some(b'<') => Err(self.refuse(3, "look-behind is", look_around)),
            Some(b'>') => {
                Err(self.refuse(3, "atomic groups are", "write `(?:` instead if nothing depends on it"))
            }
            Some(b'P') => {
                let help = "no grammar can repeat what was captured; list the alternatives instead";
                Err(self.refuse(3, "back-references are", help))
            }
            Some(b'(') => Err(self.refuse(3, "conditions are", "write both cases as alternatives")),
            _ => self.flags(start),
        }
    }

    fn open(&mut self, start: usize, text: &str, length: usize, modes: Modes) {
        self.outer.push((start, self.modes));
        self.modes = modes;
        self.atom(text, length);
        self.item = Item::None;
    }

    /// `(?:`, `(?is-x:` and, at the very start, `(?is)`.
    fn flags(&mut self, start: usize) -> Result<(), Problem> {
        let mut modes = self.modes;
        let (mut is_on, mut case) = (true, None);
        let flags = &self.rest()[2..];
        for (i, flag) in flags.char_indices() {
            match flag {
                'i' => case = Some(is_on),
                's' => modes.dot_is_any = is_on,
                'x' => modes.is_verbose = is_on,
                'a' => modes.is_ascii = true,
                'u' => modes.is_ascii = false,
                // `^` and `$` are refused anyway.
                'm' => {}
                '-' if is_on => is_on = false,
                ':' => {
                    let text = match case {
                        Some(true) => "(?i:",
                        Some(false) => "(?-i:",
                        None => "(?:",
                    };
                    self.open(start, text, i + 3, modes);
                    return Ok(());
                }
                ')' if start == self.start && is_on => {
                    // Of the whole pattern, which is in a group already.
                    if case == Some(true) {
                        self.out.text = "(?i:".to_owned();
                    }
                    self.modes = modes;
                    self.at += i + 3;
                    return Ok(());
                }
                _ => break,
            }
        }
        Err(Problem::syntax(start..start + 2, "this group means nothing"))
    }
}

/// Whether the three digits of a character's code stand here, not the number of a group.
fn is_octal(digits: &str) -> bool {
    matches!(digits.as_bytes(), [b'0'..=b'3', b'0'..=b'7', b'0'..=b'7', ..])
}

/// The counts `{n}`, `{n,}`, `{,m}` or `{n,m}` at the start of a text, and their length.
fn counts(rest: &str) -> Option<(String, usize)> {
    let end = 1 + rest[1..].bytes().take_while(|&b| b.is_ascii_digit() || b == b',').count();
    let inside = rest[1..end].split_once(',');
    let (min, max) = inside.map_or((&rest[1..end], None), |(min, max)| (min, Some(max)));
    if !rest[end..].starts_with('}') || end == 1 || max.is_some_and(|max| max.contains(',')) {
        return None;
    }
    let min = if min.is_empty() { "0" } else { min };
    let counts = match max {
        Some(max) => format!("{{{min},{max}}}"),
        None => format!("{{{min}}}"),
    };
    Some((counts, end + 1))
}

/// Writes a character that means itself, in classes and outside.
fn push_char(text: &mut String, c: char) {
    match c {
        _ if c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() => text.push(c),
        _ => text.push_str(&format!("\\x{:02x}", u32::from(c))),
    }
}
