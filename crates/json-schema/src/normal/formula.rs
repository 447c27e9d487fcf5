//! Hash-consed formulas in negation normal form.
//!
//! One arena holds all formulas: the components of schemas (over the atoms of one kind of value), the languages of
//! keys (over the atoms of strings), and demands on a value (over [`Atom::Node`]).
//! Constructors simplify in linear time and no further: flatten, drop duplicates, constants, complements, and resolve
//! clauses against the literals beside them.
//! Every atom has a dual, so negation is De Morgan and stays inside the language.

use super::node::NodeId;
use crate::decimal::Decimal;
use crate::distinct::{Distinct, FEW};
use crate::formats::Syntax;
use crate::json::Number;
use crate::limits::Limits;
use formwork_grammar::{ExprId, HashMap, Seeded};
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::cell::Cell;
use std::fmt;
use std::hash::BuildHasher;
use std::ops::{BitOr, Deref};
use std::rc::Rc;

/// A formula of a [`Formulas`] arena; equal formulas have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FormulaId(u32);

impl FormulaId {
    /// What nothing satisfies.
    pub(crate) const FALSE: Self = Self(0);
    /// What everything satisfies.
    pub(crate) const TRUE: Self = Self(1);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula; parts are ids, in the order in which they were put together.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Formula {
    False,
    True,
    Atom(Atom),
    And(Rc<[FormulaId]>),
    Or(Rc<[FormulaId]>),
}

/// A sorted set of strings.
pub(crate) type Names = Rc<[Rc<str>]>;
/// A sorted set of numbers.
pub(crate) type Numbers = Rc<[Number]>;

/// What formulas are made of. `bool` says whether the atom is meant as it stands (`true`) or negated.
/// Ranges of positions are half open; `None` is without end.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Atom {
    // ---- numbers ----
    /// A whole number.
    Integer(bool),
    /// At least the bound; more than it if strict.
    Above { bound: Decimal, strict: bool },
    /// At most the bound; less than it if strict.
    Below { bound: Decimal, strict: bool },
    /// A whole multiple.
    Multiple(Decimal, bool),
    /// One of these.
    NumberIn(Numbers, bool),
    // ---- strings ----
    /// A string of this language.
    Text(ExprId, bool),
    /// A string of this syntax, or none.
    Syntax(Syntax, bool),
    /// At least this many characters.
    MinLength(u64),
    /// At most this many characters.
    MaxLength(u64),
    /// One of these.
    StringIn(Names, bool),
    // ---- arrays ----
    /// At least this many items.
    MinItems(u64),
    /// At most this many items.
    MaxItems(u64),
    /// Every item at these positions satisfies the demand.
    All { from: u64, to: Option<u64>, demand: FormulaId },
    /// At least `n` of the items satisfy the demand.
    AtLeast { n: u64, demand: FormulaId },
    /// At most `n` of the items satisfy the demand.
    AtMost { n: u64, demand: FormulaId },
    /// Some item at these positions satisfies the demand; the dual of `All`.
    Some { from: u64, to: Option<u64>, demand: FormulaId },
    /// No two items are equal.
    Unique(bool),
    // ---- objects ----
    /// At least this many members.
    MinMembers(u64),
    /// At most this many members.
    MaxMembers(u64),
    /// Every member whose key is in the language satisfies the demand.
    AllKeys { keys: FormulaId, demand: FormulaId },
    /// Some member whose key is in the language satisfies the demand.
    SomeKey { keys: FormulaId, demand: FormulaId },
    // ---- demands ----
    /// The value satisfies the node, or does not.
    Node(NodeId, bool),
    /// In a derivative: the member or item just read satisfies the demand.
    Value(FormulaId),
    /// The same, where it does not count how demands relate to each other: a value may satisfy neither a demand nor its
    /// negation, as far as anybody claims.
    Claim(FormulaId),
}

/// What is known of formulas.
#[derive(Debug)]
pub(crate) struct PerFormula<T>(Vec<Option<T>>);

impl<T> Default for PerFormula<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> PerFormula<T> {
    pub(crate) fn get(&self, id: FormulaId) -> Option<T> {
        self.0.get(id.index()).copied().flatten()
    }

    pub(crate) fn insert(&mut self, id: FormulaId, value: T) {
        if self.0.len() <= id.index() {
            self.0.resize((id.index() + 1).next_multiple_of(SMALL), None);
        }
        self.0[id.index()] = Some(value);
    }
}

/// What an object's formula depends on: members by their names, a bit for each of 62 sets of names, and one for formulas
/// that depend on every member; and in a derivative, the value that was just read.
///
/// PERF: of the conditions of a large object each member concerns few.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Dependence(u64);

impl Dependence {
    const NONE: Self = Self(0);
    const ANY: Self = Self(u64::MAX);
    /// On members whatever their names.
    pub(crate) const EVERY: Self = Self(1 << 63);
    /// On the value that was just read.
    pub(crate) const VALUE: Self = Self(1 << 62);

    /// On members of this name.
    ///
    /// Which names have a bit together shows in what is made of a formula, if not in what it means; so the hash (FNV-1a, of G.
    /// Fowler, L. Noll and P. Vo) is the same in every build.
    pub(crate) fn on(name: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325, step);
        Self(1 << (hash % 62))
    }

    /// Whether it is on nothing at all.
    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Whether they certainly have nothing in common.
    pub(crate) fn excludes(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }
}

impl BitOr for Dependence {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Mostly few formulas.
pub(crate) type FewFormulas = SmallVec<[FormulaId; FEW]>;
/// Formulas that there is room for from the start.
const SMALL: usize = 112;

/// A formula that is looked for, its list borrowed: most are in the arena already.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sketch<'a> {
    And(&'a [FormulaId]),
    Or(&'a [FormulaId]),
    /// One string.
    Name(&'a Rc<str>),
    Other(&'a Formula),
}

impl<'a> Sketch<'a> {
    fn of(formula: &'a Formula) -> Self {
        match formula {
            Formula::And(parts) => Self::And(parts),
            Formula::Or(parts) => Self::Or(parts),
            Formula::Atom(Atom::StringIn(names, true)) if names.len() == 1 => Self::Name(&names[0]),
            other => Self::Other(other),
        }
    }

    fn to_formula(self) -> Formula {
        match self {
            Self::And(parts) => Formula::And(parts.into()),
            Self::Or(parts) => Formula::Or(parts.into()),
            Self::Name(name) => Formula::Atom(Atom::StringIn([name.clone()].into(), true)),
            Self::Other(formula) => formula.clone(),
        }
    }
}

/// A formula, and what is known of it.
#[derive(Debug)]
struct Known {
    formula: Formula,
    depth: u32,
    negation: Option<FormulaId>,
    dependence: Dependence,
    hash: u64,
}

/// The arena.
#[derive(Debug)]
pub(crate) struct Formulas {
    formulas: Vec<Known>,
    ids: HashTable<FormulaId>,
    hasher: Seeded,
    /// Parts of formulas that were gone through.
    n_steps: Cell<usize>,
    limits: Limits,
    /// What grew too large, if anything; every result since is meaningless.
    overflow: Cell<Option<Overflow>>,
}

/// What grew past its limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overflow {
    Depth(usize),
    Formulas(usize),
    Steps(usize),
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth(n) => write!(f, "conditions alternate more than {n} levels deep within one value"),
            Self::Formulas(n) => write!(f, "the normal form has more than {n} formulas"),
            Self::Steps(n) => write!(
                f,
                "conditions take more than {n} steps to work out; fewer of them on one value, or a required first property that tells alternatives apart, help"
            ),
        }
    }
}

impl Formulas {
    pub(crate) fn new(limits: &Limits) -> Self {
        let mut formulas = Self {
            formulas: Vec::with_capacity(SMALL),
            ids: HashTable::with_capacity(SMALL),
            hasher: Seeded::default(),
            n_steps: Cell::new(0),
            limits: limits.clone(),
            overflow: Cell::new(None),
        };
        for (formula, negation) in [(Formula::False, FormulaId::TRUE), (Formula::True, FormulaId::FALSE)] {
            let hash = formulas.hasher.hash_one(Sketch::of(&formula));
            let id = formulas.push(formula, 0, Dependence::NONE, hash);
            formulas.formulas[id.index()].negation = Some(negation);
        }
        formulas
    }

    fn push(&mut self, formula: Formula, depth: u32, dependence: Dependence, hash: u64) -> FormulaId {
        let id = FormulaId(u32::try_from(self.formulas.len()).unwrap_or(u32::MAX));
        self.formulas.push(Known { formula, depth, negation: None, dependence, hash });
        let formulas = &self.formulas;
        self.ids.insert_unique(hash, id, |id| formulas[id.index()].hash);
        id
    }

    pub(crate) fn get(&self, id: FormulaId) -> &Formula {
        &self.formulas[id.index()].formula
    }

    /// What grew past its limit, if anything did.
    pub(crate) fn overflow(&self) -> Option<Overflow> {
        self.overflow.get()
    }

    /// Parts of formulas that were gone through so far.
    pub(crate) fn n_steps(&self) -> usize {
        self.n_steps.get()
    }

    /// Begins to count for another instance. What grew past its limit has.
    pub(crate) fn count_steps_anew(&self) {
        self.n_steps.set(0);
    }

    /// Counts parts that are gone through; whether there may be so many.
    fn step(&self, n: usize) -> bool {
        let n_steps = self.n_steps.get() + n;
        self.n_steps.set(n_steps);
        if n_steps > self.limits.max_steps && self.overflow.get().is_none() {
            self.overflow.set(Some(Overflow::Steps(self.limits.max_steps)));
        }
        n_steps <= self.limits.max_steps
    }

    fn look_up(&self, sketch: Sketch<'_>) -> (u64, Option<FormulaId>) {
        let hash = self.hasher.hash_one(sketch);
        let is_it = |id: &FormulaId| Sketch::of(self.get(*id)) == sketch;
        (hash, self.ids.find(hash, is_it).copied())
    }

    fn intern(&mut self, formula: Formula) -> FormulaId {
        let (hash, known) = self.look_up(Sketch::of(&formula));
        known.unwrap_or_else(|| self.add(formula, hash))
    }

    fn intern_sketch(&mut self, sketch: Sketch<'_>) -> FormulaId {
        let (hash, known) = self.look_up(sketch);
        known.unwrap_or_else(|| self.add(sketch.to_formula(), hash))
    }

    fn add(&mut self, formula: Formula, hash: u64) -> FormulaId {
        let below = |id: &FormulaId| self.formulas[id.index()].depth;
        let depth = match &formula {
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(below).max().unwrap_or(0) + 1,
            Formula::Atom(
                Atom::All { demand, .. }
                | Atom::Some { demand, .. }
                | Atom::AtLeast { demand, .. }
                | Atom::AtMost { demand, .. }
                | Atom::Value(demand)
                | Atom::Claim(demand),
            ) => below(demand) + 1,
            Formula::Atom(Atom::AllKeys { keys, demand } | Atom::SomeKey { keys, demand }) => {
                below(keys).max(below(demand)) + 1
            }
            _ => 0,
        };
        let Limits { max_depth, max_formulas, .. } = self.limits;
        let overflow = match depth as usize > max_depth {
            true => Some(Overflow::Depth(max_depth)),
            false => (self.formulas.len() >= max_formulas).then_some(Overflow::Formulas(max_formulas)),
        };
        if overflow.is_some() {
            self.overflow.set(self.overflow.get().or(overflow));
            return FormulaId::FALSE;
        }
        let dependence = self.dependence_of(&formula);
        self.push(formula, depth, dependence, hash)
    }

    fn dependence_of(&self, formula: &Formula) -> Dependence {
        match formula {
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().fold(Dependence::NONE, |all, &part| all | self.dependence(part))
            }
            Formula::Atom(Atom::AllKeys { keys, .. } | Atom::SomeKey { keys, .. }) => match self.get(*keys) {
                Formula::Atom(Atom::StringIn(names, true)) => {
                    names.iter().fold(Dependence::NONE, |all, name| all | Dependence::on(name))
                }
                _ => Dependence::EVERY,
            },
            Formula::Atom(Atom::MinMembers(_) | Atom::MaxMembers(_)) => Dependence::EVERY,
            Formula::Atom(Atom::Value(_) | Atom::Claim(_)) => Dependence::VALUE,
            _ => Dependence::NONE,
        }
    }

    /// What a formula depends on, or what is left of it after a member.
    pub(crate) fn dependence(&self, id: FormulaId) -> Dependence {
        self.formulas[id.index()].dependence
    }

    /// The language of one string.
    pub(crate) fn name(&mut self, name: &Rc<str>) -> FormulaId {
        self.intern_sketch(Sketch::Name(name))
    }

    /// An atom, unless it says nothing or cannot be.
    pub(crate) fn atom(&mut self, atom: Atom) -> FormulaId {
        let (yes, no) = (FormulaId::TRUE, FormulaId::FALSE);
        match &atom {
            Atom::MinLength(0) | Atom::MinItems(0) | Atom::MinMembers(0) => yes,
            Atom::NumberIn(set, sign) if set.is_empty() => {
                if *sign {
                    no
                } else {
                    yes
                }
            }
            Atom::StringIn(set, sign) if set.is_empty() => {
                if *sign {
                    no
                } else {
                    yes
                }
            }
            Atom::All { from, to, demand } => {
                if *demand == yes || to.is_some_and(|to| to <= *from) {
                    yes
                } else if *demand == no && to.is_none() {
                    self.intern(Formula::Atom(Atom::MaxItems(*from)))
                } else {
                    self.intern(Formula::Atom(atom))
                }
            }
            Atom::Some { from, to, demand } => {
                if *demand == no || to.is_some_and(|to| to <= *from) {
                    no
                } else if *demand == yes {
                    self.intern(Formula::Atom(Atom::MinItems(from.saturating_add(1))))
                } else {
                    self.intern(Formula::Atom(atom))
                }
            }
            Atom::AtLeast { n: 0, .. } => yes,
            Atom::AtLeast { demand, .. } if *demand == no => no,
            Atom::AtLeast { n, demand } if *demand == yes => self.intern(Formula::Atom(Atom::MinItems(*n))),
            Atom::AtMost { demand, .. } if *demand == no => yes,
            Atom::AtMost { n: u64::MAX, .. } => yes,
            Atom::AtMost { n, demand } if *demand == yes => self.intern(Formula::Atom(Atom::MaxItems(*n))),
            Atom::AtMost { n: 0, demand } => {
                let demand = self.negate(*demand);
                self.atom(Atom::All { from: 0, to: None, demand })
            }
            Atom::AllKeys { keys, demand } if *demand == yes || *keys == no => yes,
            Atom::SomeKey { keys, demand } if *demand == no || *keys == no => no,
            Atom::AllKeys { keys, demand } if *keys == yes && *demand == no => {
                self.intern(Formula::Atom(Atom::MaxMembers(0)))
            }
            Atom::SomeKey { keys, demand } if *keys == yes && *demand == yes => {
                self.intern(Formula::Atom(Atom::MinMembers(1)))
            }
            Atom::Value(demand) | Atom::Claim(demand) if *demand == yes || *demand == no => *demand,
            _ => self.intern(Formula::Atom(atom)),
        }
    }

    pub(crate) fn all(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.join(&mut parts.into_iter(), true)
    }

    pub(crate) fn any(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.join(&mut parts.into_iter(), false)
    }

    /// The conjunction or the disjunction.
    pub(crate) fn join_all(&mut self, parts: impl IntoIterator<Item = FormulaId>, is_and: bool) -> FormulaId {
        self.join(&mut parts.into_iter(), is_and)
    }

    /// The conjunction of some of the conjuncts of one formula, in their order: what made them simple together keeps them so.
    pub(crate) fn some_of(&mut self, conjuncts: &[FormulaId]) -> FormulaId {
        match *conjuncts {
            [] => FormulaId::TRUE,
            [only] => only,
            _ => self.intern_sketch(Sketch::And(conjuncts)),
        }
    }

    /// `And` and `Or` are each other's mirror image: `zero` absorbs, `one` vanishes.
    // PERF: one function for all lists, since the code that schemas need is more than caches hold.
    fn join(&mut self, parts: &mut dyn Iterator<Item = FormulaId>, is_and: bool) -> FormulaId {
        let (zero, one) =
            if is_and { (FormulaId::FALSE, FormulaId::TRUE) } else { (FormulaId::TRUE, FormulaId::FALSE) };
        let mut flat = Distinct::default();
        for part in parts {
            if part == zero {
                return zero;
            }
            match (self.get(part), is_and) {
                (Formula::And(inner), true) | (Formula::Or(inner), false) => {
                    for &part in inner.iter() {
                        flat.insert(part);
                    }
                }
                _ if part == one => {}
                _ => {
                    flat.insert(part);
                }
            }
        }
        if !self.step(flat.list().len()) {
            return FormulaId::FALSE;
        }
        if flat.list().len() > 1 {
            match self.resolve(&flat, is_and, zero) {
                Resolved::Zero => return zero,
                Resolved::Same => {}
                // A clause may have become a literal or a conjunction: join again, which ends because parts shrink.
                Resolved::Shrunk(parts) => return self.join(&mut parts.into_iter(), is_and),
            }
        }
        match *flat.list() {
            [] => one,
            [only] => only,
            _ if is_and => self.intern_sketch(Sketch::And(flat.list())),
            _ => self.intern_sketch(Sketch::Or(flat.list())),
        }
    }

    /// Complements, absorption, and literals resolved against the clauses beside them.
    fn resolve(&mut self, all: &Distinct<FormulaId>, is_and: bool, zero: FormulaId) -> Resolved {
        let is_literal = |this: &Self, part: FormulaId| matches!(this.get(part), Formula::Atom(_));
        let mut n_literals = 0;
        // The keys of which all members, and of which some member is spoken of.
        let (mut every, mut some) = (Dependence::NONE, Dependence::NONE);
        for &part in all.list() {
            match self.get(part) {
                Formula::Atom(Atom::AllKeys { .. }) => every = every | self.dependence(part),
                Formula::Atom(Atom::SomeKey { .. }) => some = some | self.dependence(part),
                Formula::Atom(_) => {}
                _ => continue,
            }
            n_literals += 1;
        }
        let all = Beside { all, every, some };
        if n_literals > 1 && n_literals <= 32 {
            for &part in all.list() {
                if is_literal(self, part) && self.has_negation_in(part, &all) {
                    return Resolved::Zero;
                }
            }
        }
        if n_literals == all.list().len() {
            return Resolved::Same;
        }
        let mut shrunk: Option<FewFormulas> = None;
        for (i, &clause) in all.list().iter().enumerate() {
            let parts = match self.get(clause) {
                Formula::And(parts) | Formula::Or(parts) => parts.clone(),
                _ => continue,
            };
            let one = if is_and { FormulaId::TRUE } else { FormulaId::FALSE };
            if parts.iter().any(|part| all.contains(part)) {
                shrunk.get_or_insert_with(|| all.list().into())[i] = one;
                continue;
            }
            let mut kept = FewFormulas::with_capacity(parts.len());
            for &part in parts.iter() {
                let falsified = match self.get(part) {
                    Formula::Atom(_) => self.has_negation_in(part, &all),
                    // One level deeper: a conjunction with a literal that is excluded beside the clause.
                    Formula::And(inner) | Formula::Or(inner) if inner.len() <= 32 => {
                        let inner = inner.clone();
                        inner
                            .iter()
                            .any(|&literal| is_literal(self, literal) && self.has_negation_in(literal, &all))
                    }
                    _ => false,
                };
                if !falsified {
                    kept.push(part);
                }
            }
            if kept.len() < parts.len() {
                if kept.is_empty() {
                    return Resolved::Zero;
                }
                let rest = self.join(&mut kept.into_iter(), !is_and);
                if rest == zero {
                    return Resolved::Zero;
                }
                shrunk.get_or_insert_with(|| all.list().into())[i] = rest;
            }
        }
        shrunk.map_or(Resolved::Same, Resolved::Shrunk)
    }

    /// Whether the negation of a literal is among these parts.
    fn has_negation_in(&mut self, literal: FormulaId, parts: &Beside<'_>) -> bool {
        // PERF: of the members of an object few are spoken of in both ways.
        let opposed = match self.get(literal) {
            Formula::Atom(Atom::AllKeys { .. }) => parts.some,
            Formula::Atom(Atom::SomeKey { .. }) => parts.every,
            _ => Dependence::ANY,
        };
        (opposed == Dependence::ANY || !self.dependence(literal).excludes(opposed))
            && self.negation_if_made(literal).is_some_and(|negation| parts.contains(&negation))
    }

    /// The negation; `None` only if it is in no formula yet.
    ///
    /// PERF: of the members of an object none is asked for by negation, mostly, and there are many.
    fn negation_if_made(&mut self, id: FormulaId) -> Option<FormulaId> {
        if let Some(known) = self.formulas[id.index()].negation {
            return Some(known);
        }
        let dual = match *self.get(id) {
            Formula::Atom(Atom::AllKeys { keys, demand }) => {
                Atom::SomeKey { keys, demand: self.negation_if_made(demand)? }
            }
            Formula::Atom(Atom::SomeKey { keys, demand }) => {
                Atom::AllKeys { keys, demand: self.negation_if_made(demand)? }
            }
            Formula::Atom(Atom::Node(node, sign)) => Atom::Node(node, !sign),
            Formula::Atom(Atom::Claim(_)) => return None,
            _ => return Some(self.negate(id)),
        };
        self.look_up(Sketch::Other(&Formula::Atom(dual))).1
    }

    /// The negation. The depth limit bounds the recursion.
    pub(crate) fn negate(&mut self, id: FormulaId) -> FormulaId {
        if let Some(known) = self.formulas[id.index()].negation {
            return known;
        }
        let negation = match self.get(id).clone() {
            Formula::False => FormulaId::TRUE,
            Formula::True => FormulaId::FALSE,
            Formula::And(parts) => {
                let parts: SmallVec<[_; FEW]> = parts.iter().map(|&part| self.negate(part)).collect();
                self.any(parts)
            }
            Formula::Or(parts) => {
                let parts: SmallVec<[_; FEW]> = parts.iter().map(|&part| self.negate(part)).collect();
                self.all(parts)
            }
            Formula::Atom(atom) => self.negate_atom(atom),
        };
        self.formulas[id.index()].negation = Some(negation);
        self.formulas[negation.index()].negation = Some(id);
        negation
    }

    fn negate_atom(&mut self, atom: Atom) -> FormulaId {
        let no = FormulaId::FALSE;
        let dual = match atom {
            Atom::Integer(sign) => Atom::Integer(!sign),
            Atom::Above { bound, strict } => Atom::Below { bound, strict: !strict },
            Atom::Below { bound, strict } => Atom::Above { bound, strict: !strict },
            Atom::Multiple(of, sign) => Atom::Multiple(of, !sign),
            Atom::NumberIn(set, sign) => Atom::NumberIn(set, !sign),
            Atom::Text(text, sign) => Atom::Text(text, !sign),
            Atom::Syntax(syntax, sign) => Atom::Syntax(syntax, !sign),
            Atom::StringIn(set, sign) => Atom::StringIn(set, !sign),
            Atom::MinLength(n) => Atom::MaxLength(n - 1),
            Atom::MaxLength(u64::MAX) | Atom::MaxItems(u64::MAX) | Atom::MaxMembers(u64::MAX) => return no,
            Atom::MaxLength(n) => Atom::MinLength(n + 1),
            Atom::MinItems(n) => Atom::MaxItems(n - 1),
            Atom::MaxItems(n) => Atom::MinItems(n + 1),
            Atom::All { from, to, demand } => Atom::Some { from, to, demand: self.negate(demand) },
            Atom::Some { from, to, demand } => Atom::All { from, to, demand: self.negate(demand) },
            Atom::AtLeast { n, demand } => Atom::AtMost { n: n - 1, demand },
            Atom::AtMost { n, demand } => Atom::AtLeast { n: n + 1, demand },
            Atom::Unique(sign) => Atom::Unique(!sign),
            Atom::MinMembers(n) => Atom::MaxMembers(n - 1),
            Atom::MaxMembers(n) => Atom::MinMembers(n + 1),
            Atom::AllKeys { keys, demand } => Atom::SomeKey { keys, demand: self.negate(demand) },
            Atom::SomeKey { keys, demand } => Atom::AllKeys { keys, demand: self.negate(demand) },
            Atom::Node(node, sign) => Atom::Node(node, !sign),
            Atom::Value(demand) | Atom::Claim(demand) => Atom::Value(self.negate(demand)),
        };
        self.atom(dual)
    }

    /// The formula with every atom replaced; constants and simplification propagate.
    /// The depth limit bounds the recursion; the memory makes shared parts cost once.
    pub(crate) fn replace(
        &mut self,
        id: FormulaId,
        memory: &mut HashMap<FormulaId, FormulaId>,
        f: &mut impl FnMut(&mut Self, FormulaId, &Atom) -> FormulaId,
    ) -> FormulaId {
        self.replace_in(id, None, memory, f)
    }

    /// [`Self::replace`] for what a member does to an object's formula: parts that do not depend on it stay.
    pub(crate) fn replace_dependent(
        &mut self,
        id: FormulaId,
        on: Dependence,
        f: &mut impl FnMut(&mut Self, FormulaId, &Atom) -> FormulaId,
    ) -> FormulaId {
        self.replace_in(id, Some(on), &mut HashMap::default(), f)
    }

    fn replace_in(
        &mut self,
        id: FormulaId,
        on: Option<Dependence>,
        memory: &mut HashMap<FormulaId, FormulaId>,
        f: &mut impl FnMut(&mut Self, FormulaId, &Atom) -> FormulaId,
    ) -> FormulaId {
        if on.is_some_and(|on| on.excludes(self.dependence(id))) {
            return id;
        }
        if let Some(&known) = memory.get(&id) {
            return known;
        }
        let (parts, is_and) = match self.get(id) {
            Formula::False | Formula::True => return id,
            Formula::Atom(atom) => {
                let atom = atom.clone();
                return f(self, id, &atom);
            }
            Formula::And(parts) => (parts.clone(), true),
            Formula::Or(parts) => (parts.clone(), false),
        };
        if !self.step(parts.len()) {
            return FormulaId::FALSE;
        }
        let mut replaced = FewFormulas::with_capacity(parts.len());
        for &part in parts.iter() {
            if on.is_some_and(|on| on.excludes(self.dependence(part))) {
                replaced.push(part);
                continue;
            }
            let new = self.replace_in(part, on, memory, f);
            // PERF: most formulas are a few atoms, for which a memory is not worth its allocation.
            if !matches!(self.get(part), Formula::Atom(_)) || !memory.is_empty() {
                memory.insert(part, new);
            }
            replaced.push(new);
        }
        // PERF: one member touches few of the conjuncts of a large object.
        if replaced[..] == parts[..] {
            return id;
        }
        self.join(&mut replaced.into_iter(), is_and)
    }

    /// Whether the formula holds where atoms hold as `f` says; no further atoms are asked once that is decided.
    /// The depth limit bounds the recursion.
    pub(crate) fn holds(&self, id: FormulaId, f: &mut impl FnMut(FormulaId, &Atom) -> bool) -> bool {
        self.step(1);
        self.holds_in(id, &mut HashMap::default(), f)
    }

    fn holds_in(
        &self,
        id: FormulaId,
        memory: &mut HashMap<FormulaId, bool>,
        f: &mut impl FnMut(FormulaId, &Atom) -> bool,
    ) -> bool {
        let (parts, is_and) = match self.get(id) {
            Formula::False => return false,
            Formula::True => return true,
            Formula::Atom(atom) => return f(id, atom),
            Formula::And(parts) => (parts, true),
            Formula::Or(parts) => (parts, false),
        };
        for &part in parts.iter() {
            if !self.step(1) {
                return false;
            }
            let holds = match self.get(part) {
                Formula::And(_) | Formula::Or(_) => match memory.get(&part) {
                    Some(&known) => known,
                    None => {
                        let holds = self.holds_in(part, memory, f);
                        memory.insert(part, holds);
                        holds
                    }
                },
                _ => self.holds_in(part, memory, f),
            };
            if holds != is_and {
                return !is_and;
            }
        }
        is_and
    }

    /// The conjuncts of a formula; itself if it is no conjunction.
    pub(crate) fn conjuncts(&self, id: FormulaId) -> Vec<FormulaId> {
        self.few_conjuncts(id).into_vec()
    }

    /// [`Self::conjuncts`] without an allocation where there are few.
    pub(crate) fn few_conjuncts(&self, id: FormulaId) -> FewFormulas {
        match self.get(id) {
            Formula::True => SmallVec::new(),
            Formula::And(parts) => SmallVec::from_slice(parts),
            _ => SmallVec::from_slice(&[id]),
        }
    }

    /// The atoms of a formula, each once, in the order of their first occurrence.
    pub(crate) fn atoms(&self, id: FormulaId) -> Vec<(FormulaId, Atom)> {
        let atom = |id: FormulaId| match self.get(id) {
            Formula::Atom(atom) => Some((id, atom.clone())),
            _ => None,
        };
        self.atom_ids(id).into_iter().filter_map(atom).collect()
    }

    /// The ids of [`Self::atoms`].
    pub(crate) fn atom_ids(&self, id: FormulaId) -> FewFormulas {
        let is_atom = |part: &FormulaId| matches!(self.get(*part), Formula::Atom(_));
        match self.get(id) {
            Formula::False | Formula::True => return SmallVec::new(),
            Formula::Atom(_) => return SmallVec::from_slice(&[id]),
            Formula::And(parts) | Formula::Or(parts) if parts.iter().all(is_atom) => {
                return SmallVec::from_slice(parts);
            }
            _ => {}
        }
        let mut seen = Distinct::default();
        let mut todo = FewFormulas::from_slice(&[id]);
        let mut atoms = FewFormulas::new();
        while let Some(at) = todo.pop() {
            if !seen.insert(at) {
                continue;
            }
            match self.get(at) {
                Formula::Atom(_) => atoms.push(at),
                Formula::And(parts) | Formula::Or(parts) => todo.extend(parts.iter().rev().copied()),
                Formula::False | Formula::True => {}
            }
        }
        self.step(seen.list().len());
        atoms
    }
}

/// The parts that stand beside each other in a formula.
struct Beside<'a> {
    all: &'a Distinct<FormulaId>,
    /// The keys of which all members are spoken of, and those of which some member is.
    every: Dependence,
    some: Dependence,
}

impl Deref for Beside<'_> {
    type Target = Distinct<FormulaId>;

    fn deref(&self) -> &Distinct<FormulaId> {
        self.all
    }
}

enum Resolved {
    Zero,
    Same,
    Shrunk(FewFormulas),
}
