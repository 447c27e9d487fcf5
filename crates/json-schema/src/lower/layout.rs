//! White space: the gaps between tokens, and lines as `json.dumps` writes them with `indent`.
//!
//! How far a line is indented depends on how deep its value stands, and a rule has one text. So with lines each rule is
//! one of a depth: the same demand at two depths is two rules. A schema that is not recursive has as many depths as it
//! nests; one that is (any value is) would have rules without end, so from
//! [`max_indented_depth`](crate::Limits::max_indented_depth) on what lies inside of itself is left out, and the report
//! says so. Without lines there is one depth, and nothing of this costs anything.

use super::Lowering;
use super::in_order::Chain;
use super::object::KeyText;
use crate::normal::FormulaId;
use crate::options::Whitespace;
use crate::report::ReportEntry;
use formwork_grammar::{Expr, ExprId, Place, RuleId, Sharing};

/// How many arrays and objects a value stands in, if white space depends on it; else 0.
pub(super) type Depth = u32;

/// In how many ways the value of a member may be read at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ways {
    One,
    Several,
}

impl Ways {
    pub(super) fn several_if(several: bool) -> Self {
        if several { Self::Several } else { Self::One }
    }
}

/// What stands in all arrays and objects.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    Quote,
    /// Between members or items.
    Comma,
    /// Between the name and the value of a member.
    Colon,
}

/// The marks that are made already.
pub(super) type Marks = [Option<ExprId>; 3];

/// What begins an array or object and what ends it.
#[derive(Clone, Copy)]
pub(super) struct Brackets {
    open: &'static str,
    close: &'static str,
}

impl Brackets {
    pub(super) const ARRAY: Self = Self { open: "[", close: "]" };
    pub(super) const OBJECT: Self = Self { open: "{", close: "}" };
}

/// What ends an array or object, with the white space before it.
#[derive(Clone, Copy)]
pub(super) struct Close {
    /// After nothing.
    pub(super) empty: ExprId,
    /// After items or members.
    pub(super) after: ExprId,
}

/// What stands around the names of members.
pub(super) struct Punctuation {
    quote: ExprId,
    line: ExprId,
    comma: ExprId,
    ws: ExprId,
}

impl Punctuation {
    /// Puts what stands before a name before it: its quote and white space.
    pub(super) fn open(&self, name: &mut Chain) {
        name.push(self.quote);
        name.push(self.line);
    }

    /// Puts a comma, with the white space before it, before a member.
    pub(super) fn part(&self, member: &mut Chain) {
        member.push(self.comma);
        member.push(self.ws);
    }
}

impl Lowering<'_> {
    fn indent(&self) -> Option<u32> {
        match self.options.whitespace {
            Whitespace::Lines { indent, .. } => Some(indent),
            _ => None,
        }
    }

    // ---- depths ----

    /// Where the values inside the present one stand.
    pub(super) fn inner_depth(&self) -> Depth {
        if self.indent().is_some() { self.depth + 1 } else { 0 }
    }

    pub(super) fn at_depth<T>(&mut self, depth: Depth, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.depth, depth);
        let result = work(self);
        self.depth = outer;
        result
    }

    /// Notes which rule first asked for a rule, and keeps it a rule: depths that refer to each other in line, several times
    /// each, would multiply.
    pub(super) fn keep_apart(&mut self, rule: RuleId, key: &super::RuleKey) {
        if self.indent().is_none() {
            return;
        }
        self.b.set_sharing(rule, Sharing::Keep);
        if let Some(present) = &self.present {
            self.parents.insert(key.clone(), present.clone());
        }
    }

    /// Whether a value is left out for being too deep inside values like itself; the report says so then.
    pub(super) fn is_too_deep(&mut self, demand: FormulaId, depth: Depth) -> bool {
        let max = self.options.limits.max_indented_depth;
        if depth as usize <= max || (demand != FormulaId::TRUE && !self.is_inside_itself()) {
            return false;
        }
        self.notes.push(ReportEntry {
            pointer: self.normal.pointer(self.demand),
            what: format!(
                "values that stand in more than {max} arrays and objects are left out under `indent`"
            ),
        });
        true
    }

    /// Whether one of the rules that lead to the present one came twice.
    fn is_inside_itself(&self) -> bool {
        let mut seen = formwork_grammar::HashSet::default();
        let mut at = self.present.as_ref();
        while let Some(key) = at {
            if !seen.insert((&key.0, &key.1)) {
                return true;
            }
            at = self.parents.get(key);
        }
        false
    }

    // ---- gaps ----

    /// The beginning of a line, or the gap that stands for it.
    fn line(&mut self, depth: Depth) -> ExprId {
        match self.indent() {
            None => self.ws,
            Some(indent) => {
                let blanks = u64::from(indent) * u64::from(depth);
                let blanks = " ".repeat(usize::try_from(blanks).unwrap_or(usize::MAX));
                self.b.literal(format!("\n{blanks}"))
            }
        }
    }

    /// An item with the white space before it.
    pub(super) fn item(&mut self, value: ExprId) -> ExprId {
        let line = self.line(self.inner_depth());
        self.b.seq([line, value])
    }

    /// A key, a colon and a value with the white space before and between them.
    ///
    /// A member whose name is one of a class is a rule of its own, the white space before it included: past the declared names
    /// the inside of its name is that of any string, and what stands behind it that of any member, wherever it comes. In line,
    /// the inside of such a name would be another one before each property. A member of a set stays in the set's rule, so of it
    /// the name alone is a rule, and likewise where there are several ways to read the value.
    pub(super) fn member(&mut self, key: KeyText, value: ExprId, ways: Ways, pointer: &str) -> ExprId {
        let (line, colon) = (self.line(self.inner_depth()), self.mark(Mark::Colon));
        let is_apart = ways == Ways::One && !self.b.properties(value).has_members;
        let key = match key {
            KeyText::Quoted(key) => key,
            KeyText::Class(text) if !is_apart => self.key_rule(text, pointer),
            KeyText::Name(text) | KeyText::Class(text) => {
                let (quote, spelled) = (self.mark(Mark::Quote), self.b.json_text(text));
                let behind = self.behind_name(value, ways);
                let is_class = matches!(key, KeyText::Class(_));
                return match is_class {
                    false => self.b.seq([line, quote, spelled, behind]),
                    true => self.class_member([line, quote, spelled, behind], pointer),
                };
            }
        };
        self.b.seq([line, key, self.ws, colon, self.ws, value])
    }

    fn class_member(&mut self, parts: [ExprId; 4], pointer: &str) -> ExprId {
        let rule = match self.class_members.get(&parts) {
            Some(&rule) => rule,
            None => {
                let rule = self.b.declare("other", Place::Pointer(pointer.to_owned()));
                self.b.set_sharing(rule, Sharing::Keep);
                let body = self.b.seq(parts);
                self.b.define(rule, body);
                self.class_members.insert(parts, rule);
                rule
            }
        };
        self.b.rule(rule)
    }

    /// A mark, with the blank after it, if any.
    pub(super) fn mark(&mut self, mark: Mark) -> ExprId {
        if let Some(known) = self.marks[mark as usize] {
            return known;
        }
        let (comma, colon) = match self.options.whitespace {
            Whitespace::Blanks { after_comma, after_colon } => (after_comma, after_colon),
            Whitespace::Lines { after_comma, after_colon, .. } => (after_comma, after_colon),
            _ => (false, false),
        };
        let made = self.b.literal(match mark {
            Mark::Quote => "\"",
            Mark::Comma if comma => ", ",
            Mark::Comma => ",",
            Mark::Colon if colon => ": ",
            Mark::Colon => ":",
        });
        self.marks[mark as usize] = Some(made);
        made
    }

    /// What stands around the keys and values of the present object.
    pub(super) fn punctuation(&mut self) -> Punctuation {
        let (line, comma) = (self.line(self.inner_depth()), self.mark(Mark::Comma));
        Punctuation { quote: self.mark(Mark::Quote), line, comma, ws: self.ws }
    }

    /// What stands behind the name of a member: its closing quote, a colon and the value.
    ///
    /// It is a rule for each value, since it is the same behind all names, in all objects and in all grammars that have such
    /// a value: a place behind a name is then one that the engine has met. In line each member had states and local masks of
    /// its own, up to where the value begins and, of numbers, words and patterns, within it. Over MaskBench that is an
    /// eighth of what first masks cost.
    ///
    /// Where a value may be read in several ways, which others will tell apart, it stays in line: a thousand branches would be
    /// a thousand rules side by side, where one automaton follows the letters that they have in common.
    pub(super) fn behind_name(&mut self, value: ExprId, ways: Ways) -> ExprId {
        let rule_of = match self.b.expr(value) {
            &Expr::Rule(of) if ways == Ways::One => Some(of),
            _ => None,
        };
        if let Some(&known) = rule_of.and_then(|of| self.behind_names.get(&of)) {
            return known;
        }
        let (quote, colon) = (self.mark(Mark::Quote), self.mark(Mark::Colon));
        let body = self.b.seq([quote, self.ws, colon, self.ws, value]);
        // One of several, what no value is, and members of a set, which stay in the set's rule.
        let Some(of) = rule_of else { return body };
        let name = [self.b.name(of), "_member"].concat();
        let rule = self.b.declare(name, self.b.place(of).clone());
        self.b.set_sharing(rule, Sharing::Keep);
        self.b.define(rule, body);
        let behind = self.b.rule(rule);
        self.behind_names.insert(of, behind);
        behind
    }

    /// The brackets of an array or object.
    pub(super) fn brackets(&mut self, brackets: Brackets) -> (ExprId, Close) {
        let (open, close) = (self.b.literal(brackets.open), self.b.literal(brackets.close));
        let line = self.line(self.depth);
        let after = self.b.seq([line, close]);
        // Python writes nothing between brackets that hold nothing.
        let empty = if self.indent().is_some() { close } else { after };
        (open, Close { empty, after })
    }

    /// Brackets around items, of which there may be none if `may_be_empty`.
    pub(super) fn bracketed(&mut self, brackets: Brackets, items: ExprId, may_be_empty: bool) -> ExprId {
        let (open, close) = self.brackets(brackets);
        if !may_be_empty {
            return self.b.seq([open, items, close.after]);
        }
        if close.empty == close.after {
            let items = self.b.optional(items);
            return self.b.seq([open, items, close.after]);
        }
        let some = self.b.seq([items, close.after]);
        let inside = self.b.alt([close.empty, some]);
        self.b.seq([open, inside])
    }

    /// Any number of items.
    pub(super) fn list(&mut self, brackets: Brackets, item: ExprId) -> ExprId {
        let more = self.after_comma(item);
        let more = self.b.star(more);
        let items = self.b.seq([item, more]);
        self.bracketed(brackets, items, true)
    }
}
