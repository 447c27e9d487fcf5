//! The dialect of ECMA-262, read by a parser of our own that folds terms as it goes.
//!
//! Translating the text into the syntax of the `regex` crate was the alternative. It leaves too little of the original:
//! positions in messages, pairs of surrogate escapes, `[^]`, and the exact meaning of case-insensitive classes.
//!
//! The parser keeps the open groups on a stack of its own. Characters and classes become expressions at once,
//! so nothing is built but the terms of the open groups.

mod class;
mod cursor;
mod escape;
mod sets;

use crate::error::help;
use crate::term::Term;
use crate::{Error, ErrorKind, Limits};
use cursor::Cursor;
use escape::Escape;
use formwork_grammar::{CharClass, GrammarBuilder};
use sets::Sets;

/// Reads a pattern. Its length has been checked.
pub(crate) fn read(b: &mut GrammarBuilder, text: &str, limits: &Limits) -> Result<Term, Error> {
    let parser = Parser {
        b,
        cursor: Cursor::new(text),
        max_nesting: usize::try_from(limits.max_nesting).unwrap_or(usize::MAX),
        flags: Flags::default(),
        open: Vec::new(),
        alternatives: Vec::new(),
        sequence: Vec::new(),
        sets: Sets::default(),
    };
    parser.pattern()
}

/// What inline flags say.
#[derive(Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    dot_all: bool,
}

/// What to go on with when a group closes.
struct Open {
    offset: usize,
    flags: Flags,
    alternatives: Vec<Term>,
    sequence: Vec<Term>,
}

struct Parser<'a> {
    b: &'a mut GrammarBuilder,
    cursor: Cursor<'a>,
    max_nesting: usize,
    /// The flags here, and below them the innermost group's alternatives and the last one's parts.
    flags: Flags,
    alternatives: Vec<Term>,
    sequence: Vec<Term>,
    /// The groups around, outermost first.
    open: Vec<Open>,
    sets: Sets,
}

impl Parser<'_> {
    fn pattern(mut self) -> Result<Term, Error> {
        self.leading_flags()?;
        while let Some(c) = self.cursor.peek() {
            let offset = self.cursor.offset();
            match c {
                '|' => {
                    self.cursor.bump();
                    self.end_alternative();
                }
                '(' => self.open_group(offset)?,
                ')' => {
                    self.cursor.bump();
                    let group = self.close_group(offset)?;
                    self.push_quantified(group)?;
                }
                '^' | '$' => {
                    self.cursor.bump();
                    let anchor = if c == '^' { Term::start(self.b) } else { Term::end(self.b) };
                    self.sequence.push(anchor);
                    // A quantifier that follows finds nothing to repeat, as the standard says.
                }
                _ => {
                    let atom = self.atom(c, offset)?;
                    self.push_quantified(atom)?;
                }
            }
        }
        if let Some(open) = self.open.last() {
            return Err(self.cursor.syntax(open.offset, "this group is not closed"));
        }
        self.end_alternative();
        Ok(Term::alt(self.b, &self.alternatives))
    }

    fn end_alternative(&mut self) {
        let parts = std::mem::take(&mut self.sequence);
        let term = Term::concat(self.b, parts);
        self.alternatives.push(term);
    }

    fn atom(&mut self, c: char, offset: usize) -> Result<Term, Error> {
        match c {
            '.' => {
                self.cursor.bump();
                let class =
                    if self.flags.dot_all { CharClass::any() } else { sets::line_terminators().negate() };
                Ok(self.class(class))
            }
            '[' => {
                let class = class::read(&mut self.cursor, &mut self.sets, self.flags.ignore_case)?;
                Ok(self.class(class))
            }
            '\\' => match escape::read(&mut self.cursor, &mut self.sets, self.flags.ignore_case, false)? {
                Escape::Char(c) => Ok(self.char(c)),
                Escape::Set(class) => Ok(self.class(class)),
            },
            '*' | '+' | '?' => Err(self.nothing_to_repeat(offset)),
            '{' if self.cursor.quantifier()?.is_some() => Err(self.nothing_to_repeat(offset)),
            _ => {
                self.cursor.bump();
                Ok(self.char(c))
            }
        }
    }

    fn nothing_to_repeat(&self, offset: usize) -> Error {
        let follows_quantifier = matches!(self.cursor.before(offset), Some('*' | '+' | '?' | '}'));
        if follows_quantifier && self.cursor.char_at(offset) == Some('+') {
            let message = "possessive repetition is not supported";
            return Error::new(ErrorKind::Unsupported, self.cursor.text(), offset, message);
        }
        self.cursor
            .syntax(offset, "there is nothing to repeat here")
            .with_help("write `\\` before it to mean itself")
    }

    fn char(&mut self, c: char) -> Term {
        if self.flags.ignore_case {
            return self.class(sets::fold(&CharClass::single(c)));
        }
        Term::plain(self.b.literal(c.encode_utf8(&mut [0; 4])), false)
    }

    fn class(&mut self, class: CharClass) -> Term {
        Term::plain(self.b.class(class), false)
    }

    fn push_quantified(&mut self, atom: Term) -> Result<(), Error> {
        let term = match self.cursor.quantifier()? {
            None => atom,
            Some((min, max)) => Term::repeat(self.b, &atom, min, max),
        };
        self.sequence.push(term);
        Ok(())
    }

    // ---- groups ----

    fn close_group(&mut self, offset: usize) -> Result<Term, Error> {
        let Some(open) = self.open.pop() else {
            let error = self.cursor.syntax(offset, "this `)` closes nothing");
            return Err(error.with_help("write `\\)` to mean the character"));
        };
        self.end_alternative();
        let group = Term::alt(self.b, &self.alternatives);
        self.flags = open.flags;
        self.alternatives = open.alternatives;
        self.sequence = open.sequence;
        Ok(group)
    }

    fn open_group(&mut self, offset: usize) -> Result<(), Error> {
        if self.open.len() >= self.max_nesting {
            let message = format!("groups nest deeper than {}", self.max_nesting);
            return Err(Error::new(ErrorKind::Limit, self.cursor.text(), offset, message));
        }
        self.cursor.bump();
        let outside = self.flags;
        if self.cursor.eat("?") {
            self.group_kind(offset)?;
        }
        self.open.push(Open {
            offset,
            flags: outside,
            alternatives: std::mem::take(&mut self.alternatives),
            sequence: std::mem::take(&mut self.sequence),
        });
        Ok(())
    }

    /// What follows `(?`.
    fn group_kind(&mut self, offset: usize) -> Result<(), Error> {
        let refuse = |parser: &Self, kind, message: &str| {
            Err(Error::new(kind, parser.cursor.text(), offset, message.to_owned()))
        };
        if self.cursor.eat(":") {
            return Ok(());
        }
        for (start, what) in
            [("=", "look-ahead"), ("!", "look-ahead"), ("<=", "look-behind"), ("<!", "look-behind")]
        {
            if self.cursor.eat(start) {
                let refused = refuse(self, ErrorKind::LookAround, &format!("{what} is not supported"));
                return refused.map_err(|error: Error| error.with_help(help::LOOK_AROUND));
            }
        }
        if self.cursor.eat("<") || self.cursor.eat("P<") {
            return self.group_name();
        }
        if self.cursor.eat(">") {
            return refuse(self, ErrorKind::Unsupported, "atomic groups are not supported");
        }
        if self.cursor.eat("P=") {
            let refused = refuse(self, ErrorKind::BackReference, "back-references are not supported");
            return refused.map_err(|error: Error| error.with_help(help::BACK_REFERENCE));
        }
        self.flags(offset)?;
        if self.cursor.eat(":") {
            return Ok(());
        }
        refuse(self, ErrorKind::Syntax, "flags in the middle of a pattern need a group: `(?i:…)`")
    }

    fn group_name(&mut self) -> Result<(), Error> {
        let start = self.cursor.offset();
        while let Some(c) = self.cursor.peek() {
            let first = self.cursor.offset() == start;
            if c == '>' && !first {
                self.cursor.bump();
                return Ok(());
            }
            if !(c.is_alphabetic() || "_$".contains(c) || !first && c.is_alphanumeric()) {
                break;
            }
            self.cursor.bump();
        }
        Err(self.cursor.syntax(self.cursor.offset(), "a group's name is letters and digits, then `>`"))
    }

    /// `(?i)` at the start of the pattern, which many dialects have.
    fn leading_flags(&mut self) -> Result<(), Error> {
        let start = self.cursor;
        let has_flags =
            self.cursor.eat("(?") && self.cursor.peek().is_some_and(|c| c.is_ascii_lowercase() || c == '-');
        if has_flags {
            self.flags(start.offset())?;
            if self.cursor.eat(")") {
                return Ok(());
            }
            // `(?i:…)`: not ours, and the group will read its flags again.
            self.flags = Flags::default();
        }
        self.cursor = start;
        Ok(())
    }

    /// Letters that switch flags on, then perhaps `-` and letters that switch them off.
    fn flags(&mut self, group: usize) -> Result<(), Error> {
        let mut on = true;
        while let Some(c) = self.cursor.peek() {
            let offset = self.cursor.offset();
            match c {
                'i' => self.flags.ignore_case = on,
                's' => self.flags.dot_all = on,
                // What the dialect does anyway.
                'u' if on => {}
                'm' if !on => {}
                'm' => {
                    let message = "`^` and `$` at lines (the `m` flag) are not supported";
                    return Err(Error::new(ErrorKind::LineAnchor, self.cursor.text(), offset, message)
                        .with_help(help::LINE_ANCHOR));
                }
                '-' if on => on = false,
                ':' | ')' => return Ok(()),
                'a'..='z' | 'A'..='Z' => {
                    let message = format!("the flag `{c}` is not supported");
                    return Err(Error::new(ErrorKind::Unsupported, self.cursor.text(), offset, message));
                }
                _ => return Err(self.cursor.syntax(group, "no kind of group begins like this")),
            }
            self.cursor.bump();
        }
        Err(self.cursor.syntax(group, "this group is not closed"))
    }
}
