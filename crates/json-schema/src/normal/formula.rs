//! Hash-consed formulas in negation normal form.
//!
//! One arena holds all formulas: the components of schemas (over the atoms of one kind of value), the languages of
//! keys (over the atoms of strings), and demands on a value (over [`Atom::Node`]).
//! Constructors simplify in linear time and no further: flatten, drop duplicates, constants, complements, and resolve
//! clauses against the literals beside them.
//! Every atom has a dual, so negation is De Morgan and stays inside the language.

use super::node::NodeId;
use crate::decimal::Decimal;
use crate::formats::Syntax;
use crate::json::Number;
use formwork_grammar::{ExprId, HashMap, HashSet};
use std::sync::Arc;

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
    And(Arc<[FormulaId]>),
    Or(Arc<[FormulaId]>),
}

/// A sorted set of strings.
pub(crate) type Names = Arc<[Arc<str>]>;
/// A sorted set of numbers.
pub(crate) type Numbers = Arc<[Number]>;

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
}

/// The arena.
#[derive(Debug)]
pub(crate) struct Formulas {
    formulas: Vec<Formula>,
    depths: Vec<u32>,
    ids: HashMap<Formula, FormulaId>,
    negations: HashMap<FormulaId, FormulaId>,
    max_formulas: usize,
    max_depth: u32,
    /// What grew too large, if anything; every result since is meaningless.
    overflow: Option<String>,
}

impl Formulas {
    pub(crate) fn new(max_formulas: usize, max_depth: usize) -> Self {
        let ids = [(Formula::False, FormulaId::FALSE), (Formula::True, FormulaId::TRUE)];
        Self {
            formulas: vec![Formula::False, Formula::True],
            depths: vec![0, 0],
            ids: ids.into_iter().collect(),
            negations: HashMap::default(),
            max_formulas,
            max_depth: u32::try_from(max_depth).unwrap_or(u32::MAX),
            overflow: None,
        }
    }

    pub(crate) fn get(&self, id: FormulaId) -> &Formula {
        &self.formulas[id.index()]
    }

    /// What grew past its limit, if anything did.
    pub(crate) fn overflow(&self) -> Option<&str> {
        self.overflow.as_deref()
    }

    fn intern(&mut self, formula: Formula) -> FormulaId {
        if let Some(&id) = self.ids.get(&formula) {
            return id;
        }
        let below = |id: &FormulaId| self.depths[id.index()];
        let depth = match &formula {
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(below).max().unwrap_or(0) + 1,
            Formula::Atom(
                Atom::All { demand, .. }
                | Atom::Some { demand, .. }
                | Atom::AtLeast { demand, .. }
                | Atom::AtMost { demand, .. }
                | Atom::Value(demand),
            ) => below(demand) + 1,
            Formula::Atom(Atom::AllKeys { keys, demand } | Atom::SomeKey { keys, demand }) => {
                below(keys).max(below(demand)) + 1
            }
            _ => 0,
        };
        if depth > self.max_depth || self.formulas.len() >= self.max_formulas {
            let message = if depth > self.max_depth {
                format!("conditions alternate more than {} levels deep within one value", self.max_depth)
            } else {
                format!("the normal form has more than {} formulas", self.max_formulas)
            };
            self.overflow.get_or_insert(message);
            return FormulaId::FALSE;
        }
        let id = FormulaId(u32::try_from(self.formulas.len()).unwrap_or(u32::MAX));
        self.formulas.push(formula.clone());
        self.depths.push(depth);
        self.ids.insert(formula, id);
        id
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
            Atom::Value(demand) if *demand == yes || *demand == no => *demand,
            _ => self.intern(Formula::Atom(atom)),
        }
    }

    pub(crate) fn all(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.join(parts, true)
    }

    pub(crate) fn any(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.join(parts, false)
    }

    /// `And` and `Or` are each other's mirror image: `zero` absorbs, `one` vanishes.
    fn join(&mut self, parts: impl IntoIterator<Item = FormulaId>, is_and: bool) -> FormulaId {
        let (zero, one) =
            if is_and { (FormulaId::FALSE, FormulaId::TRUE) } else { (FormulaId::TRUE, FormulaId::FALSE) };
        let mut flat: Vec<FormulaId> = Vec::new();
        let mut seen: HashSet<FormulaId> = HashSet::default();
        for part in parts {
            if part == zero {
                return zero;
            }
            match (self.get(part), is_and) {
                (Formula::And(inner), true) | (Formula::Or(inner), false) => {
                    flat.extend(inner.iter().copied().filter(|&part| seen.insert(part)));
                }
                _ if part == one => {}
                _ if seen.insert(part) => flat.push(part),
                _ => {}
            }
        }
        if flat.len() > 1 {
            match self.resolve(&mut flat, seen, is_and, zero) {
                Resolved::Zero => return zero,
                Resolved::Same => {}
                // A clause may have become a literal or a conjunction: join again, which ends because parts shrink.
                Resolved::Shrunk => return self.join(flat, is_and),
            }
        }
        match flat[..] {
            [] => one,
            [only] => only,
            _ if is_and => self.intern(Formula::And(flat.into())),
            _ => self.intern(Formula::Or(flat.into())),
        }
    }

    /// Complements, absorption, and literals resolved against the clauses beside them.
    fn resolve(
        &mut self,
        flat: &mut [FormulaId],
        seen: HashSet<FormulaId>,
        is_and: bool,
        zero: FormulaId,
    ) -> Resolved {
        let n_literals = flat.iter().filter(|&&part| matches!(self.get(part), Formula::Atom(_))).count();
        if n_literals > 1 && n_literals <= 32 {
            for &part in flat.iter() {
                if matches!(self.get(part), Formula::Atom(_)) {
                    let negation = self.negate(part);
                    if seen.contains(&negation) {
                        return Resolved::Zero;
                    }
                }
            }
        }
        if n_literals == flat.len() {
            return Resolved::Same;
        }
        let mut shrunk = false;
        for slot in flat.iter_mut() {
            let parts = match self.get(*slot) {
                Formula::And(parts) | Formula::Or(parts) => parts.clone(),
                _ => continue,
            };
            let one = if is_and { FormulaId::TRUE } else { FormulaId::FALSE };
            if parts.iter().any(|part| seen.contains(part)) {
                (*slot, shrunk) = (one, true);
                continue;
            }
            let mut kept = Vec::with_capacity(parts.len());
            for &part in parts.iter() {
                let falsified = match self.get(part).clone() {
                    Formula::Atom(_) => {
                        let negation = self.negate(part);
                        seen.contains(&negation)
                    }
                    // One level deeper: a conjunction with a literal that is excluded beside the clause.
                    Formula::And(inner) | Formula::Or(inner) if inner.len() <= 32 => {
                        inner.iter().any(|&literal| {
                            matches!(self.get(literal), Formula::Atom(_)) && {
                                let negation = self.negate(literal);
                                seen.contains(&negation)
                            }
                        })
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
                *slot = self.join(kept, !is_and);
                if *slot == zero {
                    return Resolved::Zero;
                }
                shrunk = true;
            }
        }
        if shrunk { Resolved::Shrunk } else { Resolved::Same }
    }

    /// The negation. The depth limit bounds the recursion.
    pub(crate) fn negate(&mut self, id: FormulaId) -> FormulaId {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let negation = match self.get(id).clone() {
            Formula::False => FormulaId::TRUE,
            Formula::True => FormulaId::FALSE,
            Formula::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.negate(part)).collect();
                self.any(parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.negate(part)).collect();
                self.all(parts)
            }
            Formula::Atom(atom) => self.negate_atom(atom),
        };
        self.negations.insert(id, negation);
        self.negations.insert(negation, id);
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
            Atom::Value(demand) => Atom::Value(self.negate(demand)),
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
        // PERF: most formulas are one atom, for which a memory is not worth its allocation.
        match self.get(id) {
            Formula::False | Formula::True => return id,
            Formula::Atom(atom) if memory.is_empty() => {
                let atom = atom.clone();
                return f(self, id, &atom);
            }
            _ => {}
        }
        if let Some(&known) = memory.get(&id) {
            return known;
        }
        let replaced = match self.get(id).clone() {
            Formula::False | Formula::True => id,
            Formula::Atom(atom) => f(self, id, &atom),
            Formula::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.replace(part, memory, f)).collect();
                self.all(parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.replace(part, memory, f)).collect();
                self.any(parts)
            }
        };
        memory.insert(id, replaced);
        replaced
    }

    /// The conjuncts of a formula; itself if it is no conjunction.
    pub(crate) fn conjuncts(&self, id: FormulaId) -> Vec<FormulaId> {
        match self.get(id) {
            Formula::True => Vec::new(),
            Formula::And(parts) => parts.to_vec(),
            _ => vec![id],
        }
    }

    /// The atoms of a formula, each once, in the order of their first occurrence.
    pub(crate) fn atoms(&self, id: FormulaId) -> Vec<(FormulaId, Atom)> {
        let mut seen: HashSet<FormulaId> = HashSet::default();
        let mut todo = vec![id];
        let mut atoms = Vec::new();
        while let Some(at) = todo.pop() {
            if !seen.insert(at) {
                continue;
            }
            match self.get(at) {
                Formula::Atom(atom) => atoms.push((at, atom.clone())),
                Formula::And(parts) | Formula::Or(parts) => todo.extend(parts.iter().rev()),
                Formula::False | Formula::True => {}
            }
        }
        atoms
    }
}

enum Resolved {
    Zero,
    Same,
    Shrunk,
}
