//! Conjuncts of objects that other conjuncts imply.
//!
//! An object that must not satisfy several schemas breaks each of them by some member. A member that breaks one often
//! breaks another, because that one does not know its name; then the other asks nothing. It matters where what it asks
//! cannot be said: that a member is *no* regular expression, say, which is no regular language.
//!
//! # Worked example
//! Neither `{properties: {type: S}}` nor `{properties: {pattern: P}, additionalProperties: false}`: some `type` is not in S;
//! and some name is not `pattern`, or some `pattern` is not in P. The first is a member that is not `pattern`, so the second
//! goes.

use super::build::Normal;
use super::formula::{Atom, Formula, FormulaId};

/// Conjuncts that are compared with each other.
const MAX_CONJUNCTS: usize = 32;

/// A member that must come: the language of its key, and what its value satisfies.
type Member = (FormulaId, FormulaId);

impl Normal<'_> {
    /// A formula without those choices among its conjuncts that another conjunct implies, as far as keys tell.
    ///
    /// Cost: that of looking at the conjuncts once, if there is no choice among them.
    pub(crate) fn absorbed(&mut self, formula: FormulaId) -> FormulaId {
        let Formula::And(parts) = self.formulas.get(formula) else { return formula };
        let is_choice = |part: &FormulaId| matches!(self.formulas.get(*part), Formula::Or(_));
        if parts.len() > MAX_CONJUNCTS || !parts.iter().any(is_choice) {
            return formula;
        }
        let mut parts = parts.to_vec();
        // The members of which one must come, and whether nothing else will do.
        let choices: Vec<(Vec<Member>, bool)> = parts.iter().map(|&part| self.members_of(part)).collect();
        let mut kept = vec![true; parts.len()];
        for (i, (weak, _)) in choices.iter().enumerate() {
            if weak.is_empty() || !matches!(self.formulas.get(parts[i]), Formula::Or(_)) {
                continue;
            }
            for (k, (strong, only)) in choices.iter().enumerate() {
                let is_implied = |this: &mut Self, member: &Member| {
                    weak.iter().any(|&other| this.is_such_a_member(*member, other))
                };
                let comparable = i != k && kept[k] && *only && !strong.is_empty();
                if comparable && strong.iter().all(|member| is_implied(self, member)) {
                    kept[i] = false;
                    break;
                }
            }
        }
        let mut kept = kept.into_iter();
        parts.retain(|_| kept.next() == Some(true));
        self.formulas.all(parts)
    }

    /// The members of which one satisfies the formula, and whether nothing else does.
    fn members_of(&self, formula: FormulaId) -> (Vec<Member>, bool) {
        let parts = match self.formulas.get(formula) {
            Formula::Or(parts) => parts.to_vec(),
            _ => vec![formula],
        };
        let members = parts.iter().filter_map(|&part| match *self.formulas.get(part) {
            Formula::Atom(Atom::SomeKey { keys, demand }) => Some((keys, demand)),
            _ => None,
        });
        let members: Vec<Member> = members.collect();
        let only = members.len() == parts.len();
        (members, only)
    }

    /// Whether every member of one kind is of the other kind as well.
    fn is_such_a_member(&mut self, (keys, demand): Member, (other_keys, other_demand): Member) -> bool {
        if other_demand != FormulaId::TRUE && other_demand != demand {
            return false;
        }
        if other_keys == keys || other_keys == FormulaId::TRUE {
            return true;
        }
        let Formula::Atom(Atom::StringIn(names, true)) = self.formulas.get(keys) else { return false };
        let names = names.clone();
        names.iter().all(|name| self.string_satisfies(other_keys, name))
    }
}
