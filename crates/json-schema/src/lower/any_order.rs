//! Objects whose members come in any order, each declared name at most once; in schema order those without declared names.
//!
//! They are a [set](formwork_grammar::Expr::Set): one loop over all names, and the engine remembers in its items what came.
//! So 200 properties cost as many states as in one order. A name on which nothing hangs but its own value is one member. A
//! name that the core asks about has a member for each of the [ways](Normal::claims) to read its value, of which one comes;
//! undeclared names that it asks about have members that may come again and again. Then the core, a formula over what all
//! members with certain keys satisfy, is a [condition](Conditions) on the members that came, atom by atom:
//!
//! | of the core | of the condition |
//! |---|---|
//! | every member with a key in K satisfies e | none of the members with a key in K came whose way does not satisfy e |
//! | some member with a key in K satisfies e | one of the members with a key in K came whose way satisfies e |
//! | at least, at most n members | the same |
//!
//! Objects of one or two names with few conditions are machines as in one order, whose states are the subsets of the names
//! times the residuals of the core: a handful of states costs less than to look at a set.
//!
//! # Worked example
//! `oneOf: [{properties: {k: {const: 1}, v: A}}, {properties: {k: {const: 2}, v: B}}]`, k required, both closed. The ways to
//! read k are {=1} and {=2}, members 0 and 1; those to read v are {A} and {B}, members 2 and 3. The condition is
//! none(1) ∧ none(3) ∨ none(0) ∧ none(2), and some(0, 1). If v comes first and is in A and B, items with member 2 and with
//! member 3 go on side by side until k decides.

use super::Lowering;
use super::layout::{Brackets, Close, Ways};
use super::machine::{Edges, Machine, MachineState};
use super::object::{KeyText, Name, Parts};
use crate::error::Error;
use crate::normal::{Alternative, Atom, Claims, Formula, FormulaId, Key, Tags};
use formwork_grammar::{Clause, Conditions, ExprId, HashMap};
use std::rc::Rc;

/// Names whose subsets are states.
const FEW: usize = 2;
/// Atoms of a core whose residuals are states: a name that is read first leaves as many as the demands on it have subsets.
const SMALL: usize = 16;
/// Members of a set, as many as grammars may have.
const MAX_MEMBERS: u32 = 4_096;

/// One way to be a member: its number, the demands that it satisfies, and its value.
struct Member {
    number: u32,
    claims: Claims,
    value: ExprId,
}

/// The members with one key.
struct Way<'p> {
    key: WayKey<'p>,
    members: Vec<Member>,
}

enum WayKey<'p> {
    Name(&'p Rc<str>),
    Class(&'p [FormulaId]),
}

impl Lowering<'_> {
    /// The objects of these parts between their brackets.
    pub(super) fn in_any_order(
        &mut self,
        parts: &Parts,
        brackets: (ExprId, Close),
        pointer: &str,
    ) -> Result<ExprId, Error> {
        // Names that cannot come need nothing.
        let names: Vec<&Name> =
            parts.declared.iter().filter(|name| name.demand != FormulaId::FALSE).collect();
        match names.len() + parts.extra.len() <= FEW && self.is_small(parts.core) {
            true => self.subsets_of_names(parts, &names, brackets, pointer),
            false => self.set_of_names(parts, &names, pointer),
        }
    }

    /// Whether the residuals of a core are few enough to be states.
    pub(super) fn is_small(&self, core: FormulaId) -> bool {
        self.normal.formulas.atom_ids(core).len() <= SMALL
    }

    // ---- sets ----

    fn set_of_names(&mut self, parts: &Parts, names: &[&Name], pointer: &str) -> Result<ExprId, Error> {
        self.count_states(names.len() + parts.extra.len() + parts.classes.len(), pointer)?;
        let counts = self.counts_members(parts.core);
        let mut tags: Tags = names.iter().map(|name| (name.name.clone(), name.demand)).collect();
        let mut n_members = 0;
        let mut ways: Vec<Way<'_>> = Vec::new();
        let mut items = Vec::new();
        let (mut groups, mut repeatable, mut required) = (Vec::new(), Vec::new(), Vec::new());
        for &name in names {
            tags.remove(&name.name);
            let key = Key::Name { name: &name.name, once: true };
            let claims = self.normal.claims(parts.core, key, name.demand, &tags, pointer)?;
            tags.insert(name.name.clone(), name.demand);
            let text = self.name_key(&name.name);
            let (item, members) = self.ways_to_come(text, claims, &mut n_members, pointer)?;
            items.push(item);
            let numbers: Vec<u32> = members.iter().map(|member| member.number).collect();
            if name.required {
                required.push(numbers.clone());
            }
            groups.push(numbers);
            ways.push(Way { key: WayKey::Name(&name.name), members });
        }
        // Those that may come again: members only where something is asked about them.
        let extra = parts.extra.iter().map(|name| {
            let key = Key::Name { name: &name.name, once: false };
            (WayKey::Name(&name.name), key, name.demand, None)
        });
        let classes = parts.classes.iter().map(|class| {
            (WayKey::Class(&class.inside), Key::Class(&class.inside), class.demand, Some(class.key))
        });
        for (way, key, demand, text) in extra.chain(classes) {
            if demand == FormulaId::FALSE {
                continue;
            }
            let text = match (text, &way) {
                (None, WayKey::Name(name)) => self.name_key(name),
                (text, _) => text.unwrap_or_else(|| KeyText::Name(self.b.never())),
            };
            if !counts && !self.is_asked_about(parts.core, &way) {
                let value = self.value(demand)?;
                items.push(self.member(text, value, Ways::One, pointer));
                continue;
            }
            let claims = self.normal.claims(parts.core, key, demand, &tags, pointer)?;
            let (item, members) = self.ways_to_come(text, claims, &mut n_members, pointer)?;
            items.push(item);
            repeatable.extend(members.iter().map(|member| member.number));
            ways.push(Way { key: way, members });
        }
        let mut clauses = Clauses::default();
        let core = self.clause(parts.core, &ways, &mut clauses, pointer)?;
        let mut all = vec![core];
        let mut single = Vec::new();
        for numbers in required {
            match numbers[..] {
                [number] => single.push(number),
                _ => all.push(clauses.add(Clause::Some(numbers.into()))),
            }
        }
        let mut conditions = Conditions::requires(single).excludes(groups).repeats(repeatable);
        if parts.core != FormulaId::TRUE || all.len() > 1 {
            clauses.add(Clause::All(all.into()));
            conditions = conditions.asks(clauses.list);
        }
        let never = self.b.never();
        let members = ways.iter().flat_map(|way| &way.members);
        let possible = members.filter(|member| member.value != never).map(|member| member.number);
        if conditions.may_be_met(possible) == Ok(false) {
            // Known here, it can be said which constraints clash.
            return Ok(never);
        }
        let item = self.b.alt(items);
        let object = self.list(Brackets::OBJECT, item);
        Ok(self.b.set_with(object, conditions))
    }

    /// A key and the ways to read its value, as members.
    fn ways_to_come(
        &mut self,
        key: KeyText,
        claims: Vec<Claims>,
        n_members: &mut u32,
        pointer: &str,
    ) -> Result<(ExprId, Vec<Member>), Error> {
        let mut values = Vec::with_capacity(claims.len());
        let mut members = Vec::with_capacity(claims.len());
        for claims in claims {
            if *n_members >= MAX_MEMBERS {
                let message = format!(
                    "the properties of an object in any order have more than {MAX_MEMBERS} ways to come"
                );
                return Err(Error::limit(pointer, message));
            }
            let value = self.value(claims.demand)?;
            values.push(self.b.member(*n_members, value));
            members.push(Member { number: *n_members, claims, value });
            *n_members += 1;
        }
        let value = self.b.alt(values);
        Ok((self.member(key, value, Ways::One, pointer), members))
    }

    fn is_asked_about(&mut self, core: FormulaId, way: &WayKey<'_>) -> bool {
        self.normal.formulas.atoms(core).into_iter().any(|(_, atom)| match atom {
            Atom::AllKeys { keys, .. } | Atom::SomeKey { keys, .. } => self.is_in(keys, way),
            _ => false,
        })
    }

    fn is_in(&mut self, keys: FormulaId, way: &WayKey<'_>) -> bool {
        match way {
            WayKey::Name(name) => self.normal.key_in(keys, name),
            WayKey::Class(inside) => inside.contains(&keys),
        }
    }

    fn counts_members(&self, core: FormulaId) -> bool {
        let counts = |atom: &Atom| matches!(atom, Atom::MinMembers(_) | Atom::MaxMembers(_));
        self.normal.formulas.atoms(core).iter().any(|(_, atom)| counts(atom))
    }

    /// The clause that a formula is, its operands first. The depth limit of formulas bounds the recursion.
    fn clause(
        &mut self,
        formula: FormulaId,
        ways: &[Way<'_>],
        clauses: &mut Clauses,
        pointer: &str,
    ) -> Result<u32, Error> {
        if let Some(&known) = clauses.known.get(&formula) {
            return Ok(known);
        }
        let clause = match self.normal.formulas.get(formula).clone() {
            Formula::True => Clause::All([].into()),
            Formula::False => Clause::Any([].into()),
            Formula::And(parts) => Clause::All(self.clauses(&parts, ways, clauses, pointer)?),
            Formula::Or(parts) => Clause::Any(self.clauses(&parts, ways, clauses, pointer)?),
            Formula::Atom(Atom::MinMembers(n)) => Clause::AtLeast(members_counted(n, pointer)?),
            Formula::Atom(Atom::MaxMembers(n)) => Clause::AtMost(members_counted(n, pointer)?),
            Formula::Atom(Atom::AllKeys { keys, demand }) => {
                Clause::None(self.members_of(keys, ways, |claims| !claims.satisfies(demand)))
            }
            Formula::Atom(Atom::SomeKey { keys, demand }) => {
                Clause::Some(self.members_of(keys, ways, |claims| claims.satisfies(demand)))
            }
            // No other atom speaks of objects.
            Formula::Atom(_) => Clause::All([].into()),
        };
        let at = clauses.add(clause);
        clauses.known.insert(formula, at);
        Ok(at)
    }

    fn clauses(
        &mut self,
        parts: &[FormulaId],
        ways: &[Way<'_>],
        clauses: &mut Clauses,
        pointer: &str,
    ) -> Result<Box<[u32]>, Error> {
        parts.iter().map(|&part| self.clause(part, ways, clauses, pointer)).collect()
    }

    /// The members with a key in a language whose claims are such.
    fn members_of(
        &mut self,
        keys: FormulaId,
        ways: &[Way<'_>],
        such: impl Fn(&Claims) -> bool,
    ) -> Box<[u32]> {
        let mut numbers = Vec::new();
        for way in ways {
            if self.is_in(keys, &way.key) {
                let members = way.members.iter().filter(|member| such(&member.claims));
                numbers.extend(members.map(|member| member.number));
            }
        }
        numbers.into()
    }

    // ---- machines ----

    /// States are the subsets of a few names, times the residuals of the core.
    fn subsets_of_names(
        &mut self,
        parts: &Parts,
        names: &[&Name],
        (open, close): (ExprId, Close),
        pointer: &str,
    ) -> Result<ExprId, Error> {
        let is_required = |(i, name): (usize, &&Name)| u32::from(name.required) << i;
        let required = names.iter().enumerate().map(is_required).sum::<u32>();
        let mut machine = Machine::default();
        let mut order: Vec<(u32, FormulaId)> = vec![(0, parts.core)];
        let mut ids: HashMap<(u32, FormulaId), usize> = HashMap::default();
        ids.insert(order[0], 0);
        let mut at = 0;
        while let Some(&(seen, residual)) = order.get(at) {
            at += 1;
            self.count_states(1, pointer)?;
            let mut steps = Vec::new();
            for (i, name) in names.iter().enumerate().filter(|(i, _)| seen >> i & 1 == 0) {
                let way = Key::Name { name: &name.name, once: true };
                let ways = self.ways(residual, way, name.demand, pointer)?;
                let key = self.name_key(&name.name);
                steps.push((key, seen | 1 << i, ways));
            }
            let undeclared = self.undeclared(parts, residual, pointer)?;
            steps.extend(undeclared.into_iter().map(|(key, ways)| (key, seen, ways)));
            let mut edges = Edges::new();
            for (key, seen, ways) in steps {
                let n_ways = Ways::several_if(ways.len() > 1 || parts.core != FormulaId::TRUE);
                for Alternative { demand, rest } in ways {
                    let value = self.value(demand)?;
                    let target = *ids.entry((seen, rest)).or_insert_with(|| {
                        order.push((seen, rest));
                        order.len() - 1
                    });
                    edges.push((self.member(key, value, n_ways, pointer), target));
                }
            }
            let end = seen & required == required && self.normal.may_end(residual);
            machine.states.push(MachineState { edges, end });
        }
        let tails = self.tails(&machine, close.after, pointer);
        let members = self.head(&machine, 0, &tails, close.empty);
        Ok(self.b.seq([open, members]))
    }
}

impl Claims {
    fn satisfies(&self, demand: FormulaId) -> bool {
        demand == FormulaId::TRUE || self.satisfied.contains(&demand)
    }
}

/// The clauses of a condition.
#[derive(Default)]
struct Clauses {
    list: Vec<Clause>,
    known: HashMap<FormulaId, u32>,
}

impl Clauses {
    fn add(&mut self, clause: Clause) -> u32 {
        self.list.push(clause);
        self.list.len() as u32 - 1
    }
}

/// A number that members are counted up to.
fn members_counted(n: u64, pointer: &str) -> Result<u32, Error> {
    u32::try_from(n).ok().filter(|&n| n <= MAX_MEMBERS).ok_or_else(|| {
        Error::limit(pointer, format!("properties in any order can be counted up to {MAX_MEMBERS}, not {n}"))
    })
}
