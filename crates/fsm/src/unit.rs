//! Units: the pieces of a grammar that get an automaton of their own.
//!
//! Most are rules. The others are *counted* pieces: a large repetition `x{m,n}` becomes an automaton that loops over `x`
//! and ticks, with the bounds tested where it ends, so that its cost does not depend on m and n.
//! A counted piece takes the literals around it along (`"\"" char{1,500} "\""` is one unit), because a unit whose end is
//! decided by its own last byte is a good boundary and one that may end after every character is a bad one. A JSON text is
//! looked into for that: of `"\"" JsonText("" | word{0,99} last) "\""` the unit is `"\"" word{0,99} last "\""`, and `"\"\""`
//! stays beside it. The first characters of `char{1,500}`, which must come, are among these literals. Without the quotes each mask inside walked what stands behind 60,000 boundaries, 0.9 ms.

use crate::few::Few;
use crate::plan::Plan;
use crate::spelling::Spelling;
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, HashMap, RuleId, Seeded, SymbolSet};
use hashbrown::HashTable;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// Copies times size beyond which a repetition is counted instead of copied.
const MAX_COPIED: u64 = 48;
/// The same for a class of few characters: 64 copies are 64 states that read the same, a hostname's label for one.
const MAX_COPIED_NARROW: u64 = 64;

/// Characters that must come anyway are not counted, if they are so few and so many more may come: behind a quote that a
/// quote may not follow at once each mask would depend on the count (2 ms, and 0.5 MB), where from the first character on
/// the bounds are far.
const MAX_AHEAD: u32 = 8;
const FAR: u32 = 40;

/// What an automaton is built from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// A rule of the grammar.
    Rule(RuleId),
    /// A rule with a budget, everything that it refers to in line.
    Region(RuleId),
    /// The alternatives of a rule that are on a cycle; the others go in line.
    Recursive(RuleId),
    /// An expression by itself, without the empty text: a counted body that may be empty.
    Body(ExprId, Spelling),
    /// A counted repetition and its bounds; `None` means without end.
    Counted { shape: Box<Shape>, min: u32, max: Option<u32> },
    /// A set of members, without the empty text.
    Set(ExprId),
    /// A machine, without the empty text.
    Machine(ExprId),
    /// The JSON escapes of the characters in these ranges.
    Escape(Few<(u32, u32)>),
    /// One symbol of a set: an automaton that reads nothing.
    Symbols(SymbolSet),
}

/// A counted repetition without its bounds: units that differ in bounds alone have the same states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub(crate) before: Vec<Spelled>,
    pub(crate) body: Body,
    pub(crate) after: Vec<Spelled>,
    /// How `body` is spelled.
    pub(crate) body_spelling: Spelling,
}

/// An operand of a sequence, and how it is spelled.
pub(crate) type Spelled = (ExprId, Spelling);

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Body {
    /// One tick for each time that the expression is read.
    Repeated(ExprId),
    /// One tick for each character of a text that all of these expressions match: a pattern with a length.
    Measured(Vec<ExprId>),
}

/// Intersections with a length, by the other operands: what is [measured](Body::Measured).
pub(crate) type Measurable = HashMap<Vec<ExprId>, Lengths>;

/// How long measured texts are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    /// No length is less, none greater (`u32::MAX`: without end). `None` if there is no text.
    pub(crate) bounds: Option<(u32, u32)>,
    /// From every state: to a possible length but the greatest there is another at most so much greater. `None` if that is not
    /// known.
    pub(crate) step: Option<u32>,
}

impl Lengths {
    /// Whether the least and the greatest length from a state tell if some length is within these bounds: with one bound
    /// they do, and two must not fit into a gap.
    pub(crate) fn decide(&self, min: u32, max: Option<u32>) -> bool {
        max.is_none_or(|max| min == 0 || self.step.is_some_and(|step| step - 1 <= max - min))
    }

    /// Whether every text has such a length anyway.
    pub(crate) fn are_within(&self, min: u32, max: Option<u32>) -> bool {
        self.bounds.is_some_and(|(least, greatest)| least >= min && max.is_none_or(|max| greatest <= max))
    }
}

/// The operands of `expr` that are no length, and the length, if it is an intersection with one that is worth counting.
pub(crate) fn measured(grammar: &Grammar, expr: ExprId) -> Option<(Vec<ExprId>, u32, Option<u32>)> {
    let Expr::And(operands) = grammar.expr(expr) else { return None };
    let length = |operand: &ExprId| match *grammar.expr(*operand) {
        Expr::Repeat { body, min, max } => is_any_character(grammar, body).then_some((min, max)),
        _ => None,
    };
    // Several lengths are one.
    let lengths = operands.iter().filter_map(length);
    let both = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
    let (min, max) = lengths.reduce(|a, b| (a.0.max(b.0), both(a.1, b.1)))?;
    let rest: Vec<ExprId> = operands.iter().copied().filter(|operand| length(operand).is_none()).collect();
    if rest.is_empty() || max.is_some_and(|max| max < min) {
        return None;
    }
    (u64::from(max.unwrap_or(min)) * 4 > MAX_COPIED).then_some((rest, min, max))
}

/// Units of most grammars and of most rules whose states are made when they are reached.
const USUAL: usize = 7;

/// All units met so far; each is built once.
#[derive(Debug, Default)]
pub(crate) struct Units {
    pub(crate) list: Vec<Entry>,
    /// By the unit.
    ids: HashTable<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) unit: Unit,
    /// The rule whose name and place messages use.
    pub(crate) rule: RuleId,
}

impl Units {
    pub(crate) fn intern(&mut self, unit: Unit, rule: RuleId) -> u32 {
        let (list, seeded) = (&mut self.list, Seeded::default());
        let hash = seeded.hash_one(&unit);
        if let Some(&id) = self.ids.find(hash, |&id| list[id as usize].unit == unit) {
            return id;
        }
        let id = list.len() as u32;
        if id == 0 {
            list.reserve(USUAL);
            self.ids.reserve(USUAL, |_| 0);
        }
        list.push(Entry { unit, rule });
        self.ids.insert_unique(hash, id, |&id| seeded.hash_one(&list[id as usize].unit));
        id
    }

    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<Entry>() * self.list.capacity() + self.ids.allocation_size()
    }
}

/// A run of operands of a sequence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Plain(Spelled),
    Counted { shape: Shape, min: u32, max: Option<u32> },
}

/// Cuts a sequence into plain operands and counted pieces. `None` if nothing in it is counted.
pub(crate) fn pieces(
    grammar: &Grammar,
    plan: &Plan,
    measurable: &Measurable,
    parts: &[Spelled],
) -> Option<Vec<Piece>> {
    let counted = |part| counted(grammar, plan, measurable, part);
    let parts = &flattened(grammar, parts, |part| counted(part).is_some())[..];
    // PERF: hardly any sequence counts.
    parts.iter().find(|&&part| counted(part).is_some())?;
    let mut pieces = Vec::new();
    let mut next = 0;
    for (i, &part) in parts.iter().enumerate() {
        let Some((body, min, max, body_spelling)) = counted(part) else { continue };
        if i < next {
            continue;
        }
        let mut start = i;
        while start > next && is_literal(grammar, parts[start - 1]) {
            start -= 1;
        }
        // Up to the first literal behind, unless another counted piece stands before it.
        let mut end = i + 1;
        let is_exact = matches!(body, Body::Measured(_)) && min > 0 && max.is_some();
        let goes_along = !is_exact || parts.get(end).is_some_and(|&part| is_ascii(grammar, part));
        for (k, &other) in parts.iter().enumerate().skip(i + 1).filter(|_| goes_along) {
            if is_literal(grammar, other) {
                end = k + 1;
                break;
            }
            if counted(other).is_some() {
                break;
            }
        }
        pieces.extend(parts[next..start].iter().map(|&part| Piece::Plain(part)));
        let (mut before, after) = (parts[start..i].to_vec(), parts[i + 1..end].to_vec());
        let mut bounds = (min, max);
        if let Body::Repeated(body) = body {
            let is_far = max.is_none_or(|max| max >= min.saturating_add(FAR));
            if min <= MAX_AHEAD && is_far && is_literal(grammar, (body, body_spelling)) {
                before.extend(std::iter::repeat_n((body, body_spelling), min as usize));
                bounds = (0, max.map(|max| max - min));
            }
        }
        let (min, max) = bounds;
        pieces.push(Piece::Counted { shape: Shape { before, body, after, body_spelling }, min, max });
        next = end;
    }
    pieces.extend(parts[next..].iter().map(|&part| Piece::Plain(part)));
    Some(pieces)
}

/// Whether an operand begins with an ASCII character that is no backslash.
///
/// Such a one can stand behind a measured text of two bounds in the same unit. In the middle of a character or of an escape a
/// state would stand for that of the text and that of what follows, so no more ticks or as many as the text goes on with, and
/// none between: of 20 characters, of which rounds take at least 6, `\u006` would be read as the 19th, though neither `a` nor
/// anything else can be it.
fn is_ascii(grammar: &Grammar, (expr, spelling): Spelled) -> bool {
    let first = match grammar.expr(expr) {
        Expr::Bytes(bytes) => bytes.first(),
        _ => None,
    };
    spelling != Spelling::Json && first.is_some_and(|&byte| byte.is_ascii() && byte != b'\\')
}

/// A JSON text of a sequence that counts is the sequence of its operands' JSON texts: the quotes around it are literals that
/// its counted piece may take along.
fn flattened<'a>(
    grammar: &Grammar,
    parts: &'a [Spelled],
    counts: impl Fn(Spelled) -> bool,
) -> Cow<'a, [Spelled]> {
    let inner = |part: Spelled| match in_text(grammar, part) {
        (Expr::Seq(inner), spelling) => {
            inner.iter().any(|&part| counts((part, spelling))).then_some((&inner[..], spelling))
        }
        _ => None,
    };
    if !parts.iter().any(|&part| inner(part).is_some()) {
        return Cow::Borrowed(parts);
    }
    let mut flat = Vec::new();
    for &part in parts {
        match inner(part) {
            Some((inner, spelling)) => flat.extend(inner.iter().map(|&part| (part, spelling))),
            None => flat.push(part),
        }
    }
    Cow::Owned(flat)
}

/// Alternatives between literals that are looked at for counted pieces.
const MAX_APART: usize = 8;

/// A sequence whose operand between literals has alternatives that count, as a sequence for each alternative: in
/// `"\"" ("" | word{0,99} last) "\""` the quotes are to go along with the counted piece. `None` if it has none.
pub(crate) fn apart(
    grammar: &Grammar,
    plan: &Plan,
    measurable: &Measurable,
    parts: &[Spelled],
) -> Option<Vec<Vec<Spelled>>> {
    let counts = |part: Spelled| match in_text(grammar, part) {
        (Expr::Seq(inner), spelling) => {
            inner.iter().any(|&part| counted(grammar, plan, measurable, (part, spelling)).is_some())
        }
        _ => counted(grammar, plan, measurable, part).is_some(),
    };
    let is_literal = |i: usize| parts.get(i).is_some_and(|&part| is_literal(grammar, part));
    for (i, &part) in
        parts.iter().enumerate().filter(|&(i, _)| is_literal(i.wrapping_sub(1)) || is_literal(i + 1))
    {
        let (alternatives, spelling) = match in_text(grammar, part) {
            (Expr::Alt(alternatives), spelling) => (&alternatives[..], spelling),
            _ => continue,
        };
        if alternatives.len() > MAX_APART || !alternatives.iter().any(|&part| counts((part, spelling))) {
            continue;
        }
        let with = |alternative: &ExprId| {
            let mut all = parts.to_vec();
            all[i] = (*alternative, spelling);
            all
        };
        return Some(alternatives.iter().map(with).collect());
    }
    None
}

/// What an operand is, and how that is spelled.
fn in_text(grammar: &Grammar, (part, spelling): Spelled) -> (&Expr, Spelling) {
    match grammar.expr(part) {
        Expr::JsonText(text) => (grammar.expr(*text), Spelling::Json),
        expr => (expr, spelling),
    }
}

/// What `expr` counts, its bounds and its spelling, if it is a repetition or a measured text that is better counted than
/// copied.
fn counted(
    grammar: &Grammar,
    plan: &Plan,
    measurable: &Measurable,
    (expr, spelling): Spelled,
) -> Option<(Body, u32, Option<u32>, Spelling)> {
    // Members are their set's, which a counted piece would be between.
    if !plan.counts() || spelling == Spelling::CodePoints || grammar.properties(expr).has_members {
        return None;
    }
    match grammar.expr(expr) {
        &Expr::Repeat { body, min, max } if !plan.is_unbounded(expr) => {
            let times = u64::from(max.unwrap_or(min));
            let text = match grammar.expr(body) {
                Expr::JsonText(text) => *text,
                _ => body,
            };
            // Copies of a wide class would each be a wide state without a loop, the dearest there is; those of a narrow
            // one are narrow.
            let (factor, most) = match grammar.expr(text) {
                Expr::Class(class) if is_narrow(class) => (1, MAX_COPIED_NARROW),
                Expr::Class(_) => (16, MAX_COPIED),
                _ if spelling == Spelling::Json || text != body => (16, MAX_COPIED),
                _ => (1, MAX_COPIED),
            };
            let size = u64::from(grammar.properties(body).tree_size) * factor;
            let counts = times > 1 && times.saturating_mul(size) > most;
            counts.then_some((Body::Repeated(body), min, max, spelling))
        }
        Expr::And(_) => {
            let (rest, min, max) = measured(grammar, expr)?;
            let lengths = measurable.get(&rest)?;
            // An address of at most 320 characters need not be counted up to 1,024.
            (lengths.decide(min, max) && !lengths.are_within(min, max)).then_some((
                Body::Measured(rest),
                min,
                max,
                spelling,
            ))
        }
        Expr::JsonText(text) if matches!(grammar.expr(*text), Expr::And(_) | Expr::Repeat { .. }) => {
            counted(grammar, plan, measurable, (*text, Spelling::Json))
        }
        _ => None,
    }
}

/// Whether `text` is one character, whichever.
pub(crate) fn is_any_character(grammar: &Grammar, text: ExprId) -> bool {
    matches!(grammar.expr(text), Expr::Class(class) if *class == CharClass::any())
}

/// Whether a class has few characters.
fn is_narrow(class: &CharClass) -> bool {
    let size = |&(low, high): &(char, char)| u32::from(high) - u32::from(low) + 1;
    class.ranges().iter().map(size).fold(0, u32::saturating_add) <= 64
}

fn is_literal(grammar: &Grammar, (expr, _): Spelled) -> bool {
    match grammar.expr(expr) {
        Expr::Bytes(_) | Expr::ByteClass(_) | Expr::Class(_) | Expr::Symbols(_) | Expr::Tag(_) => true,
        Expr::JsonText(body) => matches!(grammar.expr(*body), Expr::Bytes(_) | Expr::Class(_)),
        _ => false,
    }
}
