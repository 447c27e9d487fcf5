//! What budgets of regions mean, as derivatives of terms.
//!
//! After Brzozowski (*Derivatives of regular expressions*, 1964): what remains of a term after a byte is a term. A region is a
//! term around another that knows how many tokens it has left; one that a byte was read of is *open*. Where a token ends, open
//! regions lose one, and those that could then not end byte by byte are gone. So a budget is said in ten lines, without rows,
//! counts or masks.
//!
//! For small grammars without left recursion: classes are written out, and rules are what they stand for.

use formwork_grammar::{ByteSet, Expr, ExprId, Grammar, RuleId};
use std::collections::BTreeSet;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Empty,
    Byte([u64; 4]),
    Seq(Rc<Term>, Rc<Term>),
    /// None: nothing at all.
    Alt(Vec<Rc<Term>>),
    Star(Rc<Term>),
    Rule(usize),
    Region {
        body: Rc<Term>,
        left: u32,
        is_open: bool,
    },
}

/// No text at all.
const NONE: u32 = u32::MAX;

/// What is still to come of an output, by a grammar whose rules may have budgets.
#[derive(Clone, Debug)]
pub struct Remaining {
    rules: Rc<Vec<Facts>>,
    term: Rc<Term>,
}

#[derive(Clone, Debug)]
struct Facts {
    term: Rc<Term>,
    /// The length of the shortest text.
    shortest: u32,
}

impl Remaining {
    /// All of an output.
    ///
    /// # Panics
    /// If the grammar has more than literals, classes, sequences, alternatives, repetitions, rules and budgets.
    pub fn new(grammar: &Grammar) -> Self {
        let body = |rule: RuleId| term(grammar, grammar.rule(rule).body());
        let mut rules: Vec<Facts> =
            grammar.rule_ids().map(|rule| Facts { term: body(rule), shortest: NONE }).collect();
        // Lengths only get shorter, and one round settles at least one rule.
        for _ in 0..rules.len() {
            let lengths: Vec<u32> = rules.iter().map(|facts| shortest(&facts.term, &rules)).collect();
            rules.iter_mut().zip(lengths).for_each(|(facts, len)| facts.shortest = len);
        }
        let term = reference(grammar, grammar.root());
        Self { rules: Rc::new(rules), term }
    }

    /// Whether this is more than so many terms, written out. From some thousand on a byte takes long, and every further one
    /// longer: that many readings are for other oracles.
    pub fn exceeds(&self, n_terms: usize) -> bool {
        let mut left = vec![&self.term];
        for _ in 0..n_terms {
            let Some(term) = left.pop() else { return false };
            match &**term {
                Term::Empty | Term::Byte(_) | Term::Rule(_) => {}
                Term::Seq(first, rest) => left.extend([first, rest]),
                Term::Alt(parts) => left.extend(parts),
                Term::Star(body) | Term::Region { body, .. } => left.push(body),
            }
        }
        !left.is_empty()
    }

    /// Whether some text can still come.
    pub fn is_viable(&self) -> bool {
        self.shortest(&self.term) < NONE
    }

    /// Whether the output may end here.
    pub fn may_end(&self) -> bool {
        self.shortest(&self.term) == 0
    }

    /// What remains after a token of these bytes.
    #[must_use]
    pub fn after_token(&self, bytes: &[u8]) -> Self {
        let after = self.after_text(bytes);
        Self { term: after.tick(&after.term, 1), ..after }
    }

    /// What remains after bytes that are no token.
    #[must_use]
    pub fn after_bytes(&self, bytes: &[u8]) -> Self {
        let after = self.after_text(bytes);
        Self { term: after.tick(&after.term, 0), ..after }
    }

    fn after_text(&self, bytes: &[u8]) -> Self {
        let term = bytes.iter().fold(Rc::clone(&self.term), |term, &byte| self.derivative(&term, byte));
        Self { rules: Rc::clone(&self.rules), term }
    }

    fn shortest(&self, term: &Term) -> u32 {
        shortest(term, &self.rules)
    }

    fn derivative(&self, term: &Term, byte: u8) -> Rc<Term> {
        match term {
            Term::Empty => never(),
            Term::Byte(set) if set[usize::from(byte) / 64] >> (byte % 64) & 1 != 0 => Rc::new(Term::Empty),
            Term::Byte(_) => never(),
            Term::Seq(first, rest) => {
                let longer = self.seq(self.derivative(first, byte), Rc::clone(rest));
                match self.shortest(first) {
                    0 => alt([longer, self.derivative(rest, byte)]),
                    _ => longer,
                }
            }
            Term::Alt(parts) => alt(parts.iter().map(|part| self.derivative(part, byte))),
            Term::Star(body) => self.seq(self.derivative(body, byte), Rc::new(term.clone())),
            Term::Rule(rule) => self.derivative(&self.rules[*rule].term, byte),
            Term::Region { left: 0, is_open: true, .. } => never(),
            Term::Region { body, left, .. } => self.region(self.derivative(body, byte), *left),
        }
    }

    /// Ends a token, or none: what then cannot end byte by byte within its budget is gone.
    fn tick(&self, term: &Rc<Term>, n_tokens: u32) -> Rc<Term> {
        match &**term {
            Term::Seq(first, rest) => self.seq(self.tick(first, n_tokens), Rc::clone(rest)),
            Term::Alt(parts) => alt(parts.iter().map(|part| self.tick(part, n_tokens))),
            Term::Region { body, left, is_open: true } => match left.checked_sub(n_tokens) {
                Some(left) if self.shortest(body) <= left => self.region(Rc::clone(body), left),
                _ => never(),
            },
            _ => Rc::clone(term),
        }
    }

    fn region(&self, body: Rc<Term>, left: u32) -> Rc<Term> {
        match self.shortest(&body) {
            NONE => never(),
            _ => Rc::new(Term::Region { body, left, is_open: true }),
        }
    }

    fn seq(&self, first: Rc<Term>, rest: Rc<Term>) -> Rc<Term> {
        if self.shortest(&first) == NONE || self.shortest(&rest) == NONE {
            return never();
        }
        Rc::new(Term::Seq(first, rest))
    }
}

fn never() -> Rc<Term> {
    Rc::new(Term::Alt(Vec::new()))
}

fn alt(parts: impl IntoIterator<Item = Rc<Term>>) -> Rc<Term> {
    let mut all = BTreeSet::new();
    for part in parts {
        match &*part {
            Term::Alt(parts) => all.extend(parts.iter().cloned()),
            _ => {
                all.insert(part);
            }
        }
    }
    Rc::new(Term::Alt(all.into_iter().collect()))
}

fn shortest(term: &Term, rules: &[Facts]) -> u32 {
    match term {
        Term::Empty | Term::Star(_) => 0,
        Term::Byte(_) => 1,
        Term::Seq(first, rest) => shortest(first, rules).saturating_add(shortest(rest, rules)),
        Term::Alt(parts) => parts.iter().map(|part| shortest(part, rules)).min().unwrap_or(NONE),
        Term::Rule(rule) => rules[*rule].shortest,
        Term::Region { body, .. } => shortest(body, rules),
    }
}

fn reference(grammar: &Grammar, rule: RuleId) -> Rc<Term> {
    Rc::new(match grammar.rule(rule).budget() {
        None => Term::Rule(rule.index()),
        Some(left) => {
            let body = term(grammar, grammar.rule(rule).body());
            Term::Region { body, left: left.get(), is_open: false }
        }
    })
}

fn byte_set(set: &ByteSet) -> Rc<Term> {
    let mut words = [0u64; 4];
    set.iter().for_each(|byte| words[usize::from(byte) / 64] |= 1 << (byte % 64));
    Rc::new(Term::Byte(words))
}

fn seq_of(parts: impl DoubleEndedIterator<Item = Rc<Term>>) -> Rc<Term> {
    parts.rev().reduce(|rest, part| Rc::new(Term::Seq(part, rest))).unwrap_or_else(|| Rc::new(Term::Empty))
}

fn literal(bytes: &[u8]) -> Rc<Term> {
    seq_of(bytes.iter().map(|&byte| byte_set(&ByteSet::range(byte, byte))))
}

fn term(grammar: &Grammar, expr: ExprId) -> Rc<Term> {
    match grammar.expr(expr) {
        Expr::Empty => Rc::new(Term::Empty),
        Expr::Never => never(),
        Expr::Bytes(bytes) => literal(bytes),
        Expr::ByteClass(set) => byte_set(set),
        Expr::Class(class) => {
            let characters = class.ranges().iter().flat_map(|&(low, high)| low..=high);
            alt(characters.map(|c| literal(c.encode_utf8(&mut [0; 4]).as_bytes())))
        }
        Expr::Seq(parts) => seq_of(parts.iter().map(|&part| term(grammar, part))),
        Expr::Alt(parts) => alt(parts.iter().map(|&part| term(grammar, part))),
        Expr::Repeat { body, min, max } => {
            let body = term(grammar, *body);
            let rest = match max {
                None => Rc::new(Term::Star(Rc::clone(&body))),
                Some(max) => (*min..*max).fold(Rc::new(Term::Empty), |rest, _| {
                    alt([Rc::new(Term::Empty), Rc::new(Term::Seq(Rc::clone(&body), rest))])
                }),
            };
            let copies = std::iter::repeat_n(body, *min as usize);
            seq_of(copies.chain([rest]).collect::<Vec<_>>().into_iter())
        }
        Expr::Rule(rule) => reference(grammar, *rule),
        other => unimplemented!("terms have no {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_grammar::{CharClass, GrammarBuilder, Place};
    use std::num::NonZeroU32;

    #[test]
    fn a_region_ends_when_its_tokens_are_used_up() {
        let mut b = GrammarBuilder::new();
        let letters = b.class(CharClass::from_ranges([('a', 'b'), ('é', 'é')]));
        let letters = b.star(letters);
        let region = b.declare("region", Place::none());
        b.define(region, letters);
        b.set_budget(region, NonZeroU32::new(2).expect("two"));
        let root = b.declare("root", Place::none());
        let (open, region, close) = (b.literal("<"), b.rule(region), b.literal(">"));
        let body = b.seq([open, region, close]);
        b.define(root, body);
        let start = Remaining::new(&b.build(root).expect("a grammar"));
        let after = |tokens: &[&str]| {
            tokens.iter().fold(start.clone(), |here, token| here.after_token(token.as_bytes()))
        };
        assert!(!start.exceeds(1) && after(&["<"]).exceeds(3), "a reference, and what it stands for");
        assert!(after(&["<", "aaaa", "b>"]).may_end());
        assert!(!after(&["<", "a", "a", "a"]).is_viable());
        assert!(after(&["<", "a", "a", ">"]).may_end());
        // The opening token has a part in the region.
        assert!(!after(&["<a", "a", "a"]).is_viable() && after(&["<a", "a", ">"]).may_end());
        // Half a character needs another token.
        assert!(start.after_token(b"<").after_token(b"\xC3").is_viable());
        assert!(!start.after_token(b"<a").after_token(b"\xC3").is_viable());
        assert!(start.after_token(b"<").after_bytes(b"aaa").after_token(b"a").after_token(b"a>").may_end());
    }
}
