//! What is left of a formula after one member or one item, and whether it holds at the closing bracket.
//!
//! A component of an array or object *is* the state of its machine: reading a member replaces every atom by what the
//! member settles ([`Atom::Value`], a demand on its value) and what remains.

use super::build::Normal;
use super::formula::{Atom, Dependence, Formula, FormulaId, Formulas};
use formwork_grammar::HashMap;
use std::rc::Rc;

/// The key of a member: a known name, or one of a class of unknown names.
#[derive(Clone, Copy)]
pub(crate) enum Key<'k> {
    /// A name that some formula mentions. `once` says that it cannot come again.
    Name { name: &'k Rc<str>, once: bool },
    /// Any name of a class, given by the key languages that contain it.
    Class(&'k [FormulaId]),
}

impl Key<'_> {
    /// The formulas that a member with this key concerns.
    fn dependence(self) -> Dependence {
        match self {
            Self::Name { name, .. } => Dependence::on(name) | Dependence::EVERY,
            // No name that a formula mentions is in the class.
            Self::Class(_) => Dependence::EVERY,
        }
    }
}

impl Normal<'_> {
    /// Whether a member with this key changes nothing about a formula.
    pub(crate) fn is_indifferent(&self, formula: FormulaId, key: Key<'_>) -> bool {
        let dependence = self.formulas.dependence(formula);
        // PERF: mostly there is no condition between members, and then no name need be hashed.
        dependence.is_none() || dependence.excludes(key.dependence())
    }

    /// Whether a name is in a language of keys.
    pub(crate) fn key_in(&mut self, keys: FormulaId, name: &Rc<str>) -> bool {
        if let Formula::Atom(Atom::StringIn(set, sign)) = self.formulas.get(keys) {
            return set.binary_search(name).is_ok() == *sign;
        }
        let memo = (keys, name.clone());
        if let Some(&known) = self.key_verdicts.get(&memo) {
            return known;
        }
        let verdict = self.string_satisfies(keys, name);
        self.key_verdicts.insert(memo, verdict);
        verdict
    }

    /// Whether a string satisfies a formula over the atoms of strings.
    pub(crate) fn string_satisfies(&mut self, formula: FormulaId, string: &Rc<str>) -> bool {
        let texts = &mut self.reader.texts;
        let length = string.chars().count() as u64;
        self.formulas.holds(formula, &mut |_, atom| match atom {
            Atom::Text(text, sign) => texts.matches(*text, string) == *sign,
            Atom::Syntax(syntax, sign) => texts.has_syntax(*syntax, string) == *sign,
            Atom::MinLength(n) => length >= *n,
            Atom::MaxLength(n) => length <= *n,
            Atom::StringIn(set, sign) => set.binary_search(string).is_ok() == *sign,
            _ => false,
        })
    }

    /// The formula after a member.
    pub(crate) fn after_member(&mut self, formula: FormulaId, key: Key<'_>) -> FormulaId {
        self.after_member_with(formula, key, Atom::Value)
    }

    /// The formula after a member, with this atom for what is asked of its value.
    pub(super) fn after_member_with(
        &mut self,
        formula: FormulaId,
        key: Key<'_>,
        value: fn(FormulaId) -> Atom,
    ) -> FormulaId {
        if self.is_indifferent(formula, key) {
            return formula;
        }
        // Of key languages that are no sets of names, whether the name is in them.
        let mut inside: HashMap<FormulaId, bool> = HashMap::default();
        let is_narrow = self.formulas.dependence(formula).excludes(Dependence::EVERY);
        if let (Key::Name { name, .. }, false) = (key, is_narrow) {
            for atom in self.formulas.atom_ids(formula) {
                if let Formula::Atom(Atom::AllKeys { keys, .. } | Atom::SomeKey { keys, .. }) =
                    *self.formulas.get(atom)
                {
                    if !matches!(self.formulas.get(keys), Formula::Atom(Atom::StringIn(..))) {
                        inside.insert(keys, self.key_in(keys, name));
                    }
                }
            }
        }
        let is_in = |formulas: &Formulas, keys: FormulaId| match (formulas.get(keys), key) {
            (_, Key::Class(classes)) => classes.contains(&keys),
            (Formula::Atom(Atom::StringIn(set, sign)), Key::Name { name, .. }) => {
                set.binary_search(name).is_ok() == *sign
            }
            _ => inside[&keys],
        };
        self.formulas.replace_dependent(formula, key.dependence(), &mut |formulas, id, atom| match atom {
            Atom::AllKeys { keys, demand } => {
                let rest = without(formulas, *keys, key)
                    .map_or(id, |keys| formulas.atom(Atom::AllKeys { keys, demand: *demand }));
                if !is_in(formulas, *keys) {
                    return rest;
                }
                let now = formulas.atom(value(*demand));
                formulas.all([now, rest])
            }
            Atom::SomeKey { keys, demand } => {
                let rest = without(formulas, *keys, key)
                    .map_or(id, |keys| formulas.atom(Atom::SomeKey { keys, demand: *demand }));
                if !is_in(formulas, *keys) {
                    return rest;
                }
                let now = formulas.atom(value(*demand));
                formulas.any([now, rest])
            }
            Atom::MinMembers(n) => formulas.atom(Atom::MinMembers(n - 1)),
            Atom::MaxMembers(0) => FormulaId::FALSE,
            Atom::MaxMembers(n) => formulas.atom(Atom::MaxMembers(n - 1)),
            _ => id,
        })
    }

    /// The formula once it is clear that a declared name does not come.
    pub(crate) fn without_member(&mut self, formula: FormulaId, name: &Rc<str>) -> FormulaId {
        if self.formulas.dependence(formula).is_none() {
            return formula;
        }
        let key = Key::Name { name, once: true };
        let on = Dependence::on(name);
        self.formulas.replace_dependent(formula, on, &mut |formulas, id, atom| match *atom {
            Atom::AllKeys { keys, demand } => {
                without(formulas, keys, key).map_or(id, |keys| formulas.atom(Atom::AllKeys { keys, demand }))
            }
            Atom::SomeKey { keys, demand } => {
                without(formulas, keys, key).map_or(id, |keys| formulas.atom(Atom::SomeKey { keys, demand }))
            }
            _ => id,
        })
    }

    /// The formula after an item.
    pub(crate) fn after_item(&mut self, formula: FormulaId) -> FormulaId {
        if let Some(known) = self.known_items.get(formula) {
            return known;
        }
        let after = self.find_after_item(formula);
        self.known_items.insert(formula, after);
        after
    }

    fn find_after_item(&mut self, formula: FormulaId) -> FormulaId {
        self.formulas.replace(formula, &mut HashMap::default(), &mut |formulas, id, atom| match *atom {
            Atom::All { from, to, demand } => {
                let rest = shifted(from, to);
                let rest =
                    rest.map_or(FormulaId::TRUE, |(from, to)| formulas.atom(Atom::All { from, to, demand }));
                if from > 0 {
                    return rest;
                }
                let now = formulas.atom(Atom::Value(demand));
                formulas.all([now, rest])
            }
            Atom::Some { from, to, demand } => {
                let rest = shifted(from, to);
                let rest = rest
                    .map_or(FormulaId::FALSE, |(from, to)| formulas.atom(Atom::Some { from, to, demand }));
                if from > 0 {
                    return rest;
                }
                let now = formulas.atom(Atom::Value(demand));
                formulas.any([now, rest])
            }
            Atom::AtLeast { n, demand } => {
                let now = formulas.atom(Atom::Value(demand));
                let rest = formulas.atom(Atom::AtLeast { n: n - 1, demand });
                let counted = formulas.all([now, rest]);
                formulas.any([counted, id])
            }
            Atom::AtMost { n, demand } => {
                let negation = formulas.negate(demand);
                let now = formulas.atom(Atom::Value(negation));
                let spared = formulas.all([now, id]);
                let rest = formulas.atom(Atom::AtMost { n: n.saturating_sub(1), demand });
                formulas.any([spared, rest])
            }
            Atom::MinItems(n) => formulas.atom(Atom::MinItems(n - 1)),
            Atom::MaxItems(0) => FormulaId::FALSE,
            Atom::MaxItems(n) => formulas.atom(Atom::MaxItems(n - 1)),
            _ => id,
        })
    }

    /// The formula once it is clear whether the items are distinct.
    pub(crate) fn settle_unique(&mut self, formula: FormulaId, distinct: bool) -> FormulaId {
        self.formulas.replace(formula, &mut HashMap::default(), &mut |_, id, atom| match atom {
            Atom::Unique(sign) if *sign == distinct => FormulaId::TRUE,
            Atom::Unique(_) => FormulaId::FALSE,
            _ => id,
        })
    }

    /// Whether the array or object may end here.
    pub(crate) fn may_end(&self, formula: FormulaId) -> bool {
        self.formulas.holds(formula, &mut |_, atom| {
            !matches!(
                atom,
                Atom::SomeKey { .. }
                    | Atom::Some { .. }
                    | Atom::AtLeast { .. }
                    | Atom::MinItems(_)
                    | Atom::MinMembers(_)
                    | Atom::Unique(false)
            )
        })
    }
}

/// A language of keys without a name that cannot come again, if that changes it in a way worth recording:
/// only finite sets lose names, so that residuals become equal; infinite languages are asked about other names only.
fn without(formulas: &mut Formulas, keys: FormulaId, key: Key<'_>) -> Option<FormulaId> {
    let Key::Name { name, once: true } = key else { return None };
    let Formula::Atom(Atom::StringIn(set, true)) = formulas.get(keys) else { return None };
    let at = set.binary_search(name).ok()?;
    let mut rest = set.to_vec();
    rest.remove(at);
    Some(formulas.atom(Atom::StringIn(rest.into(), true)))
}

/// A range of positions one further on; `None` if nothing is left of it.
fn shifted(from: u64, to: Option<u64>) -> Option<(u64, Option<u64>)> {
    match to {
        Some(0 | 1) => None,
        Some(to) => Some((from.saturating_sub(1), Some(to - 1))),
        None => Some((from.saturating_sub(1), None)),
    }
}
