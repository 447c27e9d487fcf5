//! Objects: declared names in order, or as a set; undeclared names by class; what couples members as a core formula.
//!
//! Conjuncts about all members of a key language are settled per name before anything is explored; what is left, the
//! *core*, is empty for nineteen of twenty real objects. The machines are built from these parts: with declared names in
//! their order by `in_order.rs`, in any order, and where conditions are many and no name is declared, by `any_order.rs`.

use super::Lowering;
use super::layout::Brackets;
use crate::distinct::{Distinct, FEW};
use crate::error::Error;
use crate::normal::{Alternative, Atom, FewFormulas, Formula, FormulaId, Key, Kind, Names};
use crate::options::PropertyOrder;
use formwork_grammar::{ExprId, HashMap};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// Names that no schema declares, but on which conditions hang (they are required, or stand under a `not`), come in any
/// order among the undeclared ones, as long as there are no more of them than this; beyond it, after the declared ones
/// in the order in which the schema mentions them, or the states would be their subsets.
const MAX_FREE: usize = 4;

/// A name that a formula mentions.
pub(super) struct Name {
    pub(super) name: Rc<str>,
    /// What the conjuncts demand of its value.
    pub(super) demand: FormulaId,
    pub(super) required: bool,
}

/// How the name of a member is written.
#[derive(Clone, Copy)]
pub(super) enum KeyText {
    /// The text of one name, or of one of a few.
    Name(ExprId),
    /// The texts of a class, which are without number.
    Class(ExprId),
    /// A string, quotes and all.
    Quoted(ExprId),
}

/// A class of names that no formula mentions.
pub(super) struct Class {
    pub(super) key: KeyText,
    pub(super) demand: FormulaId,
    /// The key languages of the core that contain it.
    pub(super) inside: Vec<FormulaId>,
}

/// An object's formula, taken apart.
pub(super) struct Parts {
    pub(super) declared: Vec<Name>,
    /// Mentioned but not declared: they come among the undeclared ones.
    pub(super) extra: Vec<Name>,
    pub(super) classes: Vec<Class>,
    pub(super) core: FormulaId,
}

/// What is asked of the values of names, in the order in which the names were met.
#[derive(Default)]
struct Asks {
    names: Distinct<Rc<str>>,
    asked: Vec<Asked>,
}

#[derive(Default)]
struct Asked {
    /// By the conjuncts about all members of a name.
    demands: SmallVec<[FormulaId; 2]>,
    /// What some member must satisfy, if one must come.
    need: Option<FormulaId>,
}

impl Asks {
    fn of(&mut self, name: &Rc<str>) -> &mut Asked {
        let number = self.names.number(name);
        if number == self.asked.len() {
            self.asked.push(Asked::default());
        }
        &mut self.asked[number]
    }

    fn extend<'n>(&mut self, names: impl Iterator<Item = &'n Rc<str>>) {
        names.for_each(|name| {
            self.of(name);
        });
    }
}

impl Lowering<'_> {
    /// The objects that satisfy a formula.
    pub(super) fn object(
        &mut self,
        formula: FormulaId,
        declared: &Names,
        pointer: &str,
    ) -> Result<ExprId, Error> {
        if formula == FormulaId::TRUE && declared.is_empty() {
            return Ok(self.any_object());
        }
        let formula = self.normal.absorbed(formula);
        self.object_machine(formula, declared, pointer)
    }

    fn object_machine(
        &mut self,
        formula: FormulaId,
        declared: &Names,
        pointer: &str,
    ) -> Result<ExprId, Error> {
        let Some(parts) = self.take_apart(formula, declared, pointer)? else { return Ok(self.b.never()) };
        let (open, close) = self.brackets(Brackets::OBJECT);
        // Where no name is declared there is no order either, and what is asked of many members is rather a condition.
        let is_set = parts.declared.is_empty() && !self.is_small(parts.core);
        match self.options.property_order {
            PropertyOrder::Schema if !is_set => {
                let mut members = self.in_order(&parts, close, pointer)?;
                members.push(open);
                Ok(self.sequence(&members))
            }
            _ => self.in_any_order(&parts, (open, close), pointer),
        }
    }

    // ---- taking the formula apart ----

    /// The parts; `None` if a required member cannot be.
    pub(super) fn take_apart(
        &mut self,
        formula: FormulaId,
        declared: &Names,
        pointer: &str,
    ) -> Result<Option<Parts>, Error> {
        let mut names = Asks::default();
        names.asked.reserve(declared.len());
        names.extend(declared.iter());
        let mut n_declared = names.asked.len();
        let mut statics = SmallVec::<[(FormulaId, FormulaId); FEW]>::new();
        let mut core = FewFormulas::new();
        let mut n_required = 0;
        for part in self.normal.formulas.few_conjuncts(formula) {
            match *self.normal.formulas.get(part) {
                Formula::Atom(Atom::AllKeys { keys, demand }) => statics.push((keys, demand)),
                Formula::Atom(Atom::SomeKey { keys, demand }) => match self.only_name(keys) {
                    // The required ones come first among those that are not declared.
                    Some(name) => {
                        let need = &mut names.of(&name).need;
                        n_required += u64::from(need.is_none());
                        let old = need.unwrap_or(FormulaId::TRUE);
                        *need = Some(self.normal.formulas.all([old, demand]));
                    }
                    None => core.push(part),
                },
                Formula::Atom(Atom::MaxMembers(0)) => statics.push((FormulaId::TRUE, FormulaId::FALSE)),
                _ => core.push(part),
            }
        }
        core.retain(|part| match self.normal.formulas.get(*part) {
            Formula::Atom(Atom::MinMembers(n)) => *n > n_required,
            _ => true,
        });
        // Then those of the core: these are tracked; then the others.
        for &part in &core {
            self.mentioned(part, &mut names);
        }
        if self.options.property_order == PropertyOrder::Schema && names.asked.len() - n_declared > MAX_FREE {
            n_declared = names.asked.len();
        }
        // PERF: without a core the conjuncts below mention all names, in the same order.
        let is_plain = core.is_empty();
        if !is_plain {
            self.mentioned(formula, &mut names);
        }
        // Finite key languages concern their names only; the others are asked about each.
        let mut wide = SmallVec::<[(FormulaId, FormulaId); 4]>::new();
        for &(keys, demand) in &statics {
            match self.normal.formulas.get(keys) {
                Formula::Atom(Atom::StringIn(set, true)) => {
                    for name in set.iter() {
                        names.of(name).demands.push(demand);
                    }
                }
                _ => {
                    if is_plain {
                        self.mentioned_by(keys, &mut names);
                    }
                    wide.push((keys, demand));
                }
            }
        }
        let mut declared: Vec<Name> = Vec::with_capacity(names.asked.len());
        for (name, Asked { mut demands, need }) in names.names.list().iter().zip(names.asked) {
            for &(keys, demand) in &wide {
                if self.normal.key_in(keys, name) {
                    demands.push(demand);
                }
            }
            demands.extend(need);
            let demand = self.normal.formulas.all(demands);
            let demand = if self.normal.is_empty_demand(demand) { FormulaId::FALSE } else { demand };
            declared.push(Name { name: name.clone(), demand, required: need.is_some() });
        }
        let extra = declared.split_off(n_declared);
        if declared.iter().chain(&extra).any(|name| name.required && name.demand == FormulaId::FALSE) {
            return Ok(None);
        }
        for name in &extra {
            if name.required {
                let keys = self.normal.name(&name.name);
                core.push(self.normal.formulas.atom(Atom::SomeKey { keys, demand: FormulaId::TRUE }));
            }
        }
        let mut core = self.normal.formulas.all(core);
        let classes = self.classes(&wide, core, &declared, &extra, pointer)?;
        // A maximum that all names together do not reach says nothing.
        if classes.is_empty() {
            let n_names =
                declared.iter().chain(&extra).filter(|name| name.demand != FormulaId::FALSE).count() as u64;
            if extra.is_empty() {
                core =
                    self.normal.formulas.replace(
                        core,
                        &mut HashMap::default(),
                        &mut |_, id, atom| match atom {
                            Atom::MaxMembers(n) if *n >= n_names => FormulaId::TRUE,
                            _ => id,
                        },
                    );
            }
        }
        if core == FormulaId::FALSE {
            return Ok(None);
        }
        Ok(Some(Parts { declared, extra, classes, core }))
    }

    /// Adds the names that a formula's key languages mention.
    fn mentioned(&self, formula: FormulaId, names: &mut Asks) {
        let formulas = &self.normal.formulas;
        for atom in formulas.atom_ids(formula) {
            let Formula::Atom(Atom::AllKeys { keys, .. } | Atom::SomeKey { keys, .. }) = formulas.get(atom)
            else {
                continue;
            };
            self.mentioned_by(*keys, names);
        }
    }

    /// Adds the names that a key language mentions.
    fn mentioned_by(&self, keys: FormulaId, names: &mut Asks) {
        let formulas = &self.normal.formulas;
        for atom in formulas.atom_ids(keys) {
            if let Formula::Atom(Atom::StringIn(set, _)) = formulas.get(atom) {
                names.extend(set.iter());
            }
        }
    }

    fn only_name(&self, keys: FormulaId) -> Option<Rc<str>> {
        match self.normal.formulas.get(keys) {
            Formula::Atom(Atom::StringIn(set, true)) if set.len() == 1 => set.first().cloned(),
            _ => None,
        }
    }

    /// A key language as it is for names that no formula mentions.
    fn for_unknown(&mut self, keys: FormulaId) -> FormulaId {
        self.normal.formulas.replace(keys, &mut HashMap::default(), &mut |_, id, atom| match atom {
            Atom::StringIn(_, true) => FormulaId::FALSE,
            Atom::StringIn(_, false) => FormulaId::TRUE,
            _ => id,
        })
    }

    /// The classes of names that no formula mentions: what the key languages tell apart.
    fn classes(
        &mut self,
        wide: &[(FormulaId, FormulaId)],
        core: FormulaId,
        declared: &[Name],
        extra: &[Name],
        pointer: &str,
    ) -> Result<Vec<Class>, Error> {
        // PERF: a closed object has no undeclared names, whatever else is asked of them.
        let is_closed = wide.iter().any(|&(keys, demand)| {
            let every_other = matches!(
                self.normal.formulas.get(keys),
                Formula::True | Formula::Atom(Atom::StringIn(_, false))
            );
            every_other && demand == FormulaId::FALSE
        });
        if is_closed {
            return Ok(Vec::new());
        }
        let mut core_keys = FewFormulas::new();
        for atom in self.normal.formulas.atom_ids(core) {
            if let Formula::Atom(Atom::AllKeys { keys, .. } | Atom::SomeKey { keys, .. }) =
                self.normal.formulas.get(atom)
            {
                if !core_keys.contains(keys) {
                    core_keys.push(*keys);
                }
            }
        }
        // What each is for those names: of the conjuncts, then of the core.
        let mut languages = FewFormulas::new();
        // Of each language and its complement the one that stands for both.
        let mut variables: Vec<(FormulaId, FormulaId)> = Vec::new();
        for keys in wide.iter().map(|&(keys, _)| keys).chain(core_keys.iter().copied()) {
            let language = self.for_unknown(keys);
            languages.push(language);
            if language == FormulaId::TRUE || language == FormulaId::FALSE {
                continue;
            }
            let complement = self.normal.formulas.negate(language);
            if !variables.iter().any(|&(yes, no)| yes == language || no == language) {
                variables.push((language, complement));
            }
        }
        let inside =
            |language: FormulaId, cell: &[FormulaId]| language == FormulaId::TRUE || cell.contains(&language);
        let of_wide = || wide.iter().map(|&(_, demand)| demand).zip(languages.iter().copied());
        let of_core = || core_keys.iter().copied().zip(languages[wide.len()..].iter().copied());
        let mut cells: Vec<Vec<FormulaId>> = vec![Vec::new()];
        for (yes, no) in variables {
            let mut split = Vec::with_capacity(2 * cells.len());
            for cell in cells {
                for side in [yes, no] {
                    let mut parts = cell.clone();
                    parts.push(side);
                    let all = self.normal.formulas.all(parts.iter().copied());
                    // What nothing may be needs no splitting either: a closed object has no undeclared names.
                    let closed = of_wide()
                        .any(|(demand, language)| demand == FormulaId::FALSE && inside(language, &parts));
                    if !closed && !self.normal.is_empty_component(Kind::String, all, 0) {
                        split.push(parts);
                    }
                }
            }
            cells = split;
            if cells.len() > self.options.limits.max_key_classes {
                let message = format!(
                    "the patterns of keys make more than {} classes of names",
                    self.options.limits.max_key_classes
                );
                return Err(Error::limit(pointer, message));
            }
        }
        // Classes that are treated alike are one.
        let mut groups: Vec<(FormulaId, Vec<FormulaId>, Vec<FormulaId>)> = Vec::new();
        for cell in cells {
            let demands: FewFormulas = of_wide()
                .filter(|&(_, language)| inside(language, &cell))
                .map(|(demand, _)| demand)
                .collect();
            let core_inside: Vec<FormulaId> =
                of_core().filter(|&(_, language)| inside(language, &cell)).map(|(keys, _)| keys).collect();
            let demand = self.normal.formulas.all(demands);
            if self.normal.is_empty_demand(demand) {
                continue;
            }
            let language = self.normal.formulas.all(cell);
            match groups.iter_mut().find(|(other, sides, _)| *other == demand && *sides == core_inside) {
                Some((_, _, languages)) => languages.push(language),
                None => groups.push((demand, core_inside, vec![language])),
            }
        }
        if groups.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<Rc<str>> = declared.iter().chain(extra).map(|name| name.name.clone()).collect();
        let mut classes = Vec::new();
        for (demand, inside, languages) in groups {
            let language = self.normal.formulas.any(languages);
            let syntax = self.syntax(language);
            let key = if names.is_empty() && language == FormulaId::TRUE {
                KeyText::Quoted(self.any_string())
            } else if let Some(syntax) = syntax.filter(|_| names.is_empty()) {
                KeyText::Quoted(self.string_of_syntax(syntax))
            } else {
                let is_one = |name: &&Rc<str>| self.normal.string_satisfies(language, name);
                let names: Vec<Rc<str>> = names.iter().filter(is_one).cloned().collect();
                let text = self.text(language, pointer)?;
                KeyText::Class(self.but_for(&names, text))
            };
            classes.push(Class { key, demand, inside });
        }
        Ok(classes)
    }

    // ---- the machines ----

    pub(super) fn name_key(&mut self, name: &Rc<str>) -> KeyText {
        KeyText::Name(self.b.literal(name.as_bytes()))
    }

    /// The ways to read the value of a key: what it must satisfy, and the core after it.
    pub(super) fn ways(
        &mut self,
        core: FormulaId,
        key: Key<'_>,
        demand: FormulaId,
        pointer: &str,
    ) -> Result<Alternatives, Error> {
        if demand == FormulaId::FALSE {
            return Ok(Alternatives::new());
        }
        if self.normal.is_indifferent(core, key) {
            return Ok(smallvec![Alternative { demand, rest: core }]);
        }
        let after = self.normal.after_member(core, key);
        Ok(Alternatives::from_slice(&self.normal.choices(demand, after, pointer)?))
    }

    /// The edges of undeclared members from a residual: keys, and the ways to read the value of each.
    pub(super) fn undeclared(
        &mut self,
        parts: &Parts,
        core: FormulaId,
        pointer: &str,
    ) -> Result<Vec<(KeyText, Alternatives)>, Error> {
        let mut edges = Vec::new();
        // They may repeat, and what some member must satisfy is asked of the text: one of the repetitions will do.
        // Extra names that are treated alike share an edge.
        let mut groups: Vec<(Alternatives, Vec<Rc<str>>)> = Vec::new();
        for extra in &parts.extra {
            let key = Key::Name { name: &extra.name, once: false };
            let ways = self.ways(core, key, extra.demand, pointer)?;
            match groups.iter_mut().find(|(other, _)| *other == ways) {
                Some((_, names)) => names.push(extra.name.clone()),
                None => groups.push((ways, vec![extra.name.clone()])),
            }
        }
        for (ways, names) in groups {
            let key = KeyText::Name(self.names(&names));
            edges.push((key, ways));
        }
        for class in &parts.classes {
            let ways = self.ways(core, Key::Class(&class.inside), class.demand, pointer)?;
            edges.push((class.key, ways));
        }
        Ok(edges)
    }
}

/// Ways to read a value.
///
/// PERF: without conditions between members there is one way.
pub(super) type Alternatives = SmallVec<[Alternative; 1]>;
