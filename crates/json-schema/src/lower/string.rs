//! Strings: a formula over patterns, lengths and sets as one text expression, spelled as JSON.

use super::Lowering;
use crate::error::Error;
use crate::formats::Syntax;
use crate::normal::{Atom, Formula, FormulaId};
use formwork_grammar::{CharClass, Expr, ExprId, Sharing};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// Characters that must come are so few that they are not counted, where so many more may come.
const MAX_AHEAD: u32 = 8;
const FAR: u32 = 40;
/// Characters of an alternative that is long: as many states for whatever stands beside it.
const LONG: u64 = 16;

impl Lowering<'_> {
    pub(super) fn any_text(&mut self) -> ExprId {
        let any = self.b.class(CharClass::any());
        self.b.star(any)
    }

    /// The strings that satisfy a formula.
    pub(super) fn string(&mut self, formula: FormulaId, pointer: &str) -> Result<ExprId, Error> {
        if formula == FormulaId::TRUE {
            return Ok(self.any_string());
        }
        if let Some(syntax) = self.syntax(formula) {
            return Ok(self.string_of_syntax(syntax));
        }
        let formulas = &self.normal.formulas;
        let syntax = formulas.atom_ids(formula).into_iter().find_map(|atom| match formulas.get(atom) {
            Formula::Atom(Atom::Syntax(syntax, _)) => Some(*syntax),
            _ => None,
        });
        if let Some(syntax) = syntax {
            // Strings that are listed are looked at one by one.
            let Some(few) = self.normal.few_strings(formula) else { return self.refuse_syntax(syntax) };
            let text = self.names(&few);
            return Ok(self.quoted(text));
        }
        // Lengths alone count spelled characters, at a cost that does not depend on the bounds.
        let formulas = &self.normal.formulas;
        let conjuncts = formulas.few_conjuncts(formula);
        if let Some((min, max)) = lengths(conjuncts.iter().map(|&part| formulas.get(part))) {
            let (min, max) = bounds(min, max, pointer)?;
            let any = self.b.class(CharClass::any());
            let (quote, character) = (self.b.literal("\""), self.b.json_text(any));
            let text = self.b.repeat(character, min, max);
            return Ok(self.b.seq([quote, text, quote]));
        }
        let text = self.text(formula, pointer)?;
        Ok(self.string_of(text, pointer))
    }

    /// The language of a formula over the atoms of strings. The depth limit of formulas bounds the recursion.
    pub(super) fn text(&mut self, formula: FormulaId, pointer: &str) -> Result<ExprId, Error> {
        Ok(match self.normal.formulas.get(formula).clone() {
            Formula::True => self.any_text(),
            Formula::False => self.b.never(),
            Formula::Atom(atom) => self.text_atom(&atom, pointer)?,
            Formula::Or(parts) => {
                let parts =
                    parts.iter().map(|&part| self.text(part, pointer)).collect::<Result<Vec<_>, _>>()?;
                self.b.alt(parts)
            }
            Formula::And(parts) => self.text_and(formula, &parts, pointer)?,
        })
    }

    fn text_and(&mut self, formula: FormulaId, parts: &[FormulaId], pointer: &str) -> Result<ExprId, Error> {
        let set = parts.iter().find_map(|&part| match self.normal.formulas.get(part) {
            Formula::Atom(Atom::StringIn(set, true)) => Some(set.clone()),
            _ => None,
        });
        if let Some(set) = set {
            // A finite set is filtered by what else is asked; no product is needed.
            let kept: Vec<Rc<str>> =
                set.iter().filter(|&string| self.normal.string_satisfies(formula, string)).cloned().collect();
            return Ok(self.names(&kept));
        }
        let (mut min, mut max) = (0, u64::MAX);
        let mut texts = Vec::new();
        for &part in parts {
            match self.normal.formulas.get(part) {
                Formula::Atom(Atom::MinLength(n)) => min = min.max(*n),
                Formula::Atom(Atom::MaxLength(n)) => max = max.min(*n),
                _ => texts.push(self.text(part, pointer)?),
            }
        }
        for text in &mut texts {
            *text = self.long_enough(*text, min);
        }
        // Bounds that the patterns keep by themselves cost nothing. One repetition of any character beside the patterns is
        // what the engine counts, where the patterns' own lengths have no gaps.
        let (mut shape_min, mut shape_max) = self.shape(&texts);
        if max < shape_max {
            for text in &mut texts {
                *text = self.b.text_within(*text, max);
            }
            (shape_min, shape_max) = self.shape(&texts);
        }
        let min = if shape_min >= min { 0 } else { min };
        let max = if shape_max <= max { u64::MAX } else { max };
        if min == 0 && max == u64::MAX {
            return Ok(self.b.and(texts));
        }
        let fitting = match &mut texts[..] {
            [text] => self.take_fitting(text, min, max),
            _ => Vec::new(),
        };
        let (min, max) = bounds(min, max, pointer)?;
        texts.extend(self.lengths_beside(min, max));
        let rest = self.b.and(texts);
        Ok(self.b.alt(fitting.into_iter().chain([rest])))
    }

    /// The alternatives of a text that are not all too short.
    fn long_enough(&mut self, text: ExprId, min: u64) -> ExprId {
        let Expr::Alt(parts) = self.b.expr(text) else { return text };
        let long: SmallVec<[ExprId; 8]> =
            parts.iter().copied().filter(|&part| self.b.text_lengths(part).max >= min).collect();
        if long.len() == parts.len() { text } else { self.b.alt(long) }
    }

    /// Takes out of a text's alternatives the long ones that keep the bounds by themselves: side by side with a search for a
    /// word, a name of up to 128 characters has 128 states for each letter of the word.
    fn take_fitting(&mut self, text: &mut ExprId, min: u64, max: u64) -> Vec<ExprId> {
        let Expr::Alt(parts) = self.b.expr(*text) else { return Vec::new() };
        let fits = |part: &ExprId| {
            let lengths = self.b.text_lengths(*part);
            lengths.min >= min && lengths.max <= max && lengths.max >= LONG
        };
        let (fitting, others): (Vec<ExprId>, Vec<ExprId>) = parts.iter().partition(|part| fits(part));
        if !fitting.is_empty() {
            *text = self.b.alt(others);
        }
        fitting
    }

    /// Between which lengths the shapes of texts keep those that are all of them.
    fn shape(&self, texts: &[ExprId]) -> (u64, u64) {
        let lengths = texts.iter().map(|&text| self.b.text_lengths(text));
        lengths.fold((0, u64::MAX), |(low, high), lengths| (low.max(lengths.min), high.min(lengths.max)))
    }

    fn text_atom(&mut self, atom: &Atom, pointer: &str) -> Result<ExprId, Error> {
        Ok(match atom {
            Atom::Text(text, sign) => {
                let text = self.import(*text);
                if *sign { text } else { self.b.not(text) }
            }
            Atom::StringIn(set, sign) => {
                let names = self.names(set);
                if *sign { names } else { self.b.not(names) }
            }
            Atom::Syntax(syntax, _) => self.refuse_syntax(*syntax)?,
            Atom::MinLength(n) => self.length(*n, u64::MAX, pointer)?,
            Atom::MaxLength(n) => self.length(0, *n, pointer)?,
            _ => self.b.never(),
        })
    }

    /// The syntax that a formula is, if it is one.
    pub(super) fn syntax(&self, formula: FormulaId) -> Option<Syntax> {
        match self.normal.formulas.get(formula) {
            Formula::Atom(Atom::Syntax(syntax, true)) => Some(*syntax),
            _ => None,
        }
    }

    pub(super) fn string_of_syntax(&mut self, syntax: Syntax) -> ExprId {
        match syntax {
            Syntax::Regex => self.regex_syntax(),
            Syntax::IdnHostname => self.idn_hostname(),
        }
    }

    fn refuse_syntax(&mut self, syntax: Syntax) -> Result<ExprId, Error> {
        let pointer = self.normal.pointer_of(self.demand, "format")?;
        let why = format!(
            "{:?} is no regular language, so it stands only where nothing but an `enum` restricts the string",
            syntax.name()
        );
        Err(Error::unsupported(pointer, "format", &why))
    }

    fn length(&mut self, min: u64, max: u64, pointer: &str) -> Result<ExprId, Error> {
        let (min, max) = bounds(min, max, pointer)?;
        let any = self.b.class(CharClass::any());
        Ok(self.b.repeat(any, min, max))
    }

    /// One of these strings.
    pub(super) fn names(&mut self, names: &[Rc<str>]) -> ExprId {
        let names: Vec<ExprId> = names.iter().map(|name| self.b.literal(name.as_bytes())).collect();
        self.b.alt(names)
    }

    /// The texts of a language but for some strings.
    pub(super) fn but_for(&mut self, names: &[Rc<str>], text: ExprId) -> ExprId {
        if names.is_empty() {
            return text;
        }
        let names = self.names(names);
        let others = self.b.not(names);
        if text == self.any_text() {
            return others;
        }
        // As a length beside the characters, which the engine counts, a bound of 255 is not 255 states with a mask each.
        let parts = match *self.b.expr(text) {
            Expr::Repeat { body, min, max } if matches!(self.b.expr(body), Expr::Class(_)) => {
                let mut parts = vec![others, self.b.star(body)];
                parts.extend(self.lengths_beside(min, max));
                parts
            }
            _ => vec![others, text],
        };
        self.b.and(parts)
    }

    /// So many characters beside patterns. Few that must come where many may are not counted: the engine would have masks by the
    /// count as long as they are missing.
    fn lengths_beside(&mut self, min: u32, max: Option<u32>) -> SmallVec<[ExprId; 2]> {
        let any = self.b.class(CharClass::any());
        match max {
            Some(max) if (1..=MAX_AHEAD).contains(&min) && max >= min.saturating_add(FAR) => {
                let rest = self.b.star(any);
                let at_least = std::iter::repeat_n(any, min as usize).chain([rest]);
                let at_least = self.b.seq(at_least);
                smallvec![at_least, self.b.repeat(any, 0, Some(max))]
            }
            max => smallvec![self.b.repeat(any, min, max)],
        }
    }

    /// Copies an expression of the normal form's arena.
    pub(super) fn import(&mut self, text: ExprId) -> ExprId {
        self.b.import_from(self.normal.reader.texts.builder(), text, &mut self.imported)
    }

    /// A name of a class, as a rule of its own: it ends by its own quote.
    pub(super) fn key_rule(&mut self, text: ExprId, pointer: &str) -> ExprId {
        if let Some(&rule) = self.keys.get(&text) {
            return self.b.rule(rule);
        }
        let rule = self.b.declare("key", formwork_grammar::Place::Pointer(pointer.to_owned()));
        self.b.set_sharing(rule, Sharing::Keep);
        let body = self.quoted(text);
        self.b.define(rule, body);
        self.keys.insert(text, rule);
        self.b.rule(rule)
    }
}

/// The interval of lengths, if the atoms are lengths and nothing else.
fn lengths<'f>(atoms: impl Iterator<Item = &'f Formula>) -> Option<(u64, u64)> {
    let (mut min, mut max) = (0, u64::MAX);
    for atom in atoms {
        match atom {
            Formula::Atom(Atom::MinLength(n)) => min = min.max(*n),
            Formula::Atom(Atom::MaxLength(n)) => max = max.min(*n),
            _ => return None,
        }
    }
    Some((min, max))
}

/// Bounds in the width that grammars count with. No text is long enough to reach a maximum that does not fit.
pub(super) fn bounds(min: u64, max: u64, pointer: &str) -> Result<(u32, Option<u32>), Error> {
    let Ok(min) = u32::try_from(min) else {
        return Err(Error::limit(pointer, format!("a minimum of {min} is more than any text reaches")));
    };
    Ok((min, u32::try_from(max).ok()))
}
