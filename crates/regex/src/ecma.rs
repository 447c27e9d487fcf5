//! The dialect of ECMA-262, read by a parser of our own that folds terms as it goes.
//!
//! Translating the text into the syntax of the `regex` crate was the alternative. It leaves too little of the original:
//! positions in messages, pairs of surrogate escapes, `[^]`, and the exact meaning of case-insensitive classes.
//!
//! The parser keeps the open groups on a stack of its own. Characters and classes become expressions at once,
//! so nothing is built but the terms of the open groups.
//!
//! Look-ahead speaks of all that follows, so a sequence that contains one is kept in parts until all that follows is
//! known, which is at the end of the pattern; it is exact anywhere but in a repetition. What it costs is an intersection.

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

/// Reads a pattern. Its length has been checked. `tail` is what may follow its match.
pub(crate) fn read(b: &mut GrammarBuilder, text: &str, limits: &Limits, tail: Term) -> Result<Term, Error> {
    let is_search = tail.as_whole_text() != b.empty();
    let parser = Parser {
        b,
        is_search,
        cursor: Cursor::new(text),
        max_nesting: usize::try_from(limits.max_nesting).unwrap_or(usize::MAX),
        flags: Flags::default(),
        open: Vec::new(),
        alternatives: Vec::new(),
        sequence: Vec::new(),
        sets: Sets::default(),
    };
    parser.pattern(tail)
}

/// Groups around a look-ahead, innermost included.
const MAX_GROUPS_AROUND_LOOK_AHEAD: usize = 32;

/// A part of a sequence.
#[derive(Clone)]
enum Part {
    Term(Term),
    /// Some character, so that what follows is not at the text's start.
    PastStart,
    /// A look-ahead, reaching to the end of the text; where it stands, for messages.
    Ahead {
        ahead: Term,
        negative: bool,
        offset: usize,
    },
    /// A group with a look-ahead inside: its alternatives.
    Group(Vec<Vec<Part>>),
}

/// Where alternatives begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// Where the pattern does: of it nothing stands before.
    First,
    /// Where the text does: `^` stands before, and nothing else.
    AtStart,
    Anywhere,
}

/// What a group's brackets mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    Plain,
    Ahead {
        negative: bool,
    },
    /// `(?i)`, which many dialects have: no group.
    Flags,
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
    kind: GroupKind,
    flags: Flags,
    alternatives: Vec<Vec<Part>>,
    sequence: Vec<Part>,
}

struct Parser<'a> {
    b: &'a mut GrammarBuilder,
    cursor: Cursor<'a>,
    max_nesting: usize,
    /// Whether any text may stand before the pattern's match.
    is_search: bool,
    /// The flags here, and below them the innermost group's alternatives and the last one's parts.
    flags: Flags,
    alternatives: Vec<Vec<Part>>,
    sequence: Vec<Part>,
    /// The groups around, outermost first.
    open: Vec<Open>,
    sets: Sets,
}

impl Parser<'_> {
    fn pattern(mut self, tail: Term) -> Result<Term, Error> {
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
                    self.close_group(offset)?;
                }
                '^' | '$' => {
                    self.cursor.bump();
                    let anchor = if c == '^' { Term::start(self.b) } else { Term::end(self.b) };
                    self.sequence.push(Part::Term(anchor));
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
        let alternatives = std::mem::take(&mut self.alternatives);
        match plain(&alternatives) {
            Some(terms) => Ok(Term::alt(self.b, &terms)),
            None => self.with_rest(alternatives, &tail, Begins::First, 0),
        }
    }

    fn end_alternative(&mut self) {
        let parts = std::mem::take(&mut self.sequence);
        let terms = parts.iter().map(|part| if let Part::Term(term) = part { Some(*term) } else { None });
        let parts = match terms.collect::<Option<Vec<Term>>>() {
            Some(terms) => vec![Part::Term(Term::concat(self.b, terms))],
            None => parts,
        };
        self.alternatives.push(parts);
    }

    /// The alternatives followed by `rest`, which reaches to the end of the text. Recursion is as deep as groups with
    /// look-aheads nest, which is bounded.
    fn with_rest(
        &mut self,
        alternatives: Vec<Vec<Part>>,
        rest: &Term,
        begins: Begins,
        depth: usize,
    ) -> Result<Term, Error> {
        let alternatives = match begins {
            Begins::First => self.told_where(alternatives),
            _ => alternatives,
        };
        let mut ways = Vec::with_capacity(alternatives.len());
        for parts in alternatives {
            // Whether all parts before this one are `^`, or one character that leaves the text's start behind.
            let mut behind_start = Vec::with_capacity(parts.len());
            let mut before = begins != Begins::Anywhere;
            for (i, part) in parts.iter().enumerate() {
                let is_behind = i > 0 || begins == Begins::AtStart;
                behind_start.push(before && is_behind);
                before &= match part {
                    Part::Term(term) => term.is_start(self.b),
                    Part::PastStart => true,
                    Part::Ahead { .. } => is_behind,
                    Part::Group(_) => false,
                };
            }
            let (mut all, mut run) = (*rest, Vec::new());
            for (i, (part, behind_start)) in parts.into_iter().zip(behind_start).enumerate().rev() {
                let (ahead, negative, offset) = match part {
                    Part::Term(term) => {
                        run.push(term);
                        continue;
                    }
                    Part::PastStart => {
                        run.push(self.class(CharClass::any()));
                        continue;
                    }
                    Part::Group(inner) => {
                        all = self.followed(&mut run, all);
                        let inner_begins = match begins {
                            _ if behind_start => Begins::AtStart,
                            Begins::First if i == 0 => Begins::First,
                            _ => Begins::Anywhere,
                        };
                        if depth >= MAX_GROUPS_AROUND_LOOK_AHEAD {
                            let message = "look-ahead inside too many groups is not supported";
                            return Err(Error::new(ErrorKind::LookAround, self.cursor.text(), 0, message));
                        }
                        all = self.with_rest(inner, &all, inner_begins, depth + 1)?;
                        continue;
                    }
                    Part::Ahead { ahead, negative, offset } => (ahead, negative, offset),
                };
                if negative && !ahead.ends_alike() && !behind_start {
                    let message = "`^` in a negative look-ahead is supported only where the pattern begins";
                    return Err(Error::new(ErrorKind::LookAround, self.cursor.text(), offset, message)
                        .with_help(help::LOOK_AROUND));
                }
                all = self.followed(&mut run, all);
                all = Term::ahead(self.b, &all, &ahead, negative);
            }
            ways.push(self.followed(&mut run, all));
        }
        Ok(Term::alt(self.b, &ways))
    }

    /// The alternatives, where those that begin with a look-ahead that asks about `^` are told where they stand: at the text's
    /// start, or, where the pattern is searched for, behind some character, which is one of those that the search skips.
    fn told_where(&self, alternatives: Vec<Vec<Part>>) -> Vec<Vec<Part>> {
        let mut told = Vec::with_capacity(alternatives.len());
        for parts in alternatives {
            let mut leading = parts.iter().map_while(|part| match part {
                Part::Ahead { ahead, negative, .. } => Some(*negative && !ahead.ends_alike()),
                _ => None,
            });
            if !leading.any(|asks| asks) {
                told.push(parts);
                continue;
            }
            if self.is_search {
                told.push(std::iter::once(Part::PastStart).chain(parts.iter().cloned()).collect());
            }
            let start = Part::Term(Term::start(self.b));
            told.push(std::iter::once(start).chain(parts).collect());
        }
        told
    }

    /// The parts of a run, last first, followed by `rest`.
    fn followed(&mut self, run: &mut Vec<Term>, rest: Term) -> Term {
        let parts: Vec<Term> = run.drain(..).rev().chain([rest]).collect();
        Term::concat(self.b, parts)
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
                Escape::Half(_) => Err(escape::half_of_a_pair(&self.cursor, offset)),
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
        self.sequence.push(Part::Term(term));
        Ok(())
    }

    // ---- groups ----

    fn close_group(&mut self, offset: usize) -> Result<(), Error> {
        let Some(open) = self.open.pop() else {
            let error = self.cursor.syntax(offset, "this `)` closes nothing");
            return Err(error.with_help("write `\\)` to mean the character"));
        };
        self.end_alternative();
        let alternatives = std::mem::replace(&mut self.alternatives, open.alternatives);
        self.flags = open.flags;
        self.sequence = open.sequence;
        let plain = plain(&alternatives);
        let part = match (open.kind, plain) {
            (GroupKind::Plain | GroupKind::Flags, Some(terms)) => {
                let group = Term::alt(self.b, &terms);
                return self.push_quantified(group);
            }
            (GroupKind::Plain | GroupKind::Flags, None) => Part::Group(alternatives),
            (GroupKind::Ahead { negative }, plain) => {
                let any = self.b.class(CharClass::any());
                let any = Term::plain(self.b.star(any), true);
                let ahead = match plain {
                    Some(terms) => {
                        let ahead = Term::alt(self.b, &terms);
                        Term::concat(self.b, vec![ahead, any])
                    }
                    None => self.with_rest(alternatives, &any, Begins::Anywhere, 1)?,
                };
                Part::Ahead { ahead, negative, offset: open.offset }
            }
        };
        if self.cursor.quantifier()?.is_some() {
            let message = "look-ahead in a repetition is not supported";
            return Err(Error::new(ErrorKind::LookAround, self.cursor.text(), open.offset, message)
                .with_help(help::LOOK_AROUND));
        }
        self.sequence.push(part);
        Ok(())
    }

    fn open_group(&mut self, offset: usize) -> Result<(), Error> {
        if self.open.len() >= self.max_nesting {
            let message = format!("groups nest deeper than {}", self.max_nesting);
            return Err(Error::new(ErrorKind::Limit, self.cursor.text(), offset, message));
        }
        self.cursor.bump();
        let outside = self.flags;
        let kind = if self.cursor.eat("?") { self.group_kind(offset)? } else { GroupKind::Plain };
        if kind == GroupKind::Flags {
            // For the rest of the group around, or of the pattern.
            return Ok(());
        }
        self.open.push(Open {
            offset,
            kind,
            flags: outside,
            alternatives: std::mem::take(&mut self.alternatives),
            sequence: std::mem::take(&mut self.sequence),
        });
        Ok(())
    }

    /// What follows `(?`.
    fn group_kind(&mut self, offset: usize) -> Result<GroupKind, Error> {
        let refuse = |parser: &Self, kind, message: &str| {
            Err(Error::new(kind, parser.cursor.text(), offset, message.to_owned()))
        };
        if self.cursor.eat(":") {
            return Ok(GroupKind::Plain);
        }
        for (start, negative) in [("=", false), ("!", true)] {
            if self.cursor.eat(start) {
                return Ok(GroupKind::Ahead { negative });
            }
        }
        for start in ["<=", "<!"] {
            if self.cursor.eat(start) {
                let refused = refuse(self, ErrorKind::LookAround, "look-behind is not supported");
                return refused.map_err(|error: Error| error.with_help(help::LOOK_AROUND));
            }
        }
        if self.cursor.eat("<") || self.cursor.eat("P<") {
            return self.group_name().map(|()| GroupKind::Plain);
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
            return Ok(GroupKind::Plain);
        }
        if self.cursor.eat(")") {
            return Ok(GroupKind::Flags);
        }
        Err(self.cursor.syntax(offset, "this group is not closed"))
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

/// The terms of alternatives without look-ahead; `None` if there is one.
fn plain(alternatives: &[Vec<Part>]) -> Option<Vec<Term>> {
    alternatives
        .iter()
        .map(|parts| match parts[..] {
            [Part::Term(term)] => Some(term),
            _ => None,
        })
        .collect()
}
