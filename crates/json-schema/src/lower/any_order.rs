//! Objects whose members come in any order, each declared name at most once.
//!
//! A name on which nothing hangs but its own value is *free*: a [member](formwork_grammar::Expr::Member) of the object's
//! set, which the engine remembers in one bit. So 200 properties cost as many states as in one order. The other names,
//! those that the core asks about, are *tracked*: the states of the machine are the subsets of them that came, times the
//! residuals of the core.
//!
//! A set demands that behind each member all others may follow and the object may end. Where the core counts members that
//! is not so: the last that a maximum allows must be one that is required. Then all names are tracked, and so they are
//! where there are few, since a handful of states costs less than to look at a set.

use super::Lowering;
use super::layout::Close;
use super::machine::{Machine, MachineState};
use super::object::{Name, Parts};
use crate::error::Error;
use crate::normal::{Alternative, Atom, FormulaId, Key};
use formwork_grammar::{ExprId, HashMap};

/// Names that are tracked: their subsets are states.
const MAX_TRACKED: usize = 12;
/// Free names up to which they are tracked all the same.
const FEW: usize = 2;
/// States of a machine with free names; a reference cannot cut it.
const MAX_STATES: usize = 512;

impl Lowering<'_> {
    /// The objects of these parts between their brackets.
    pub(super) fn in_any_order(
        &mut self,
        parts: &Parts,
        (open, close): (ExprId, Close),
        pointer: &str,
    ) -> Result<ExprId, Error> {
        // Names that cannot come need no bit.
        let names = parts.declared.iter().filter(|name| name.demand != FormulaId::FALSE);
        let (mut tracked, mut free): (Vec<&Name>, Vec<&Name>) =
            names.partition(|name| self.is_tracked(parts.core, name));
        let counts = self.counts_members(parts);
        if counts || free.len() <= FEW {
            tracked.append(&mut free);
        }
        if tracked.len() > MAX_TRACKED {
            let (n, why) = match counts {
                true => (tracked.len(), "whose number is bounded"),
                false => (tracked.len(), "that depend on each other"),
            };
            let message = format!(
                "{n} properties in any order {why} need a state for each subset; up to {MAX_TRACKED} work, or `property_order: schema`"
            );
            return Err(Error::limit(pointer, message));
        }
        let required = tracked
            .iter()
            .enumerate()
            .filter(|(_, name)| name.required)
            .fold(0u32, |set, (i, _)| set | 1 << i);
        let mut machine = Machine::default();
        let mut order: Vec<(u32, FormulaId)> = vec![(0, parts.core)];
        let mut ids: HashMap<(u32, FormulaId), usize> = HashMap::default();
        ids.insert(order[0], 0);
        let mut at = 0;
        while let Some(&(seen, residual)) = order.get(at) {
            at += 1;
            self.count_states(1, pointer)?;
            if at > MAX_STATES && !free.is_empty() {
                let message = format!(
                    "properties that depend on each other in any order need more than {MAX_STATES} states"
                );
                return Err(Error::limit(pointer, message));
            }
            let mut steps: Vec<(ExprId, Option<u32>, u32, Alternative)> = Vec::new();
            for (i, name) in tracked.iter().enumerate().filter(|(i, _)| seen >> i & 1 == 0) {
                let way = Key::Name { name: &name.name, once: true };
                let ways = self.ways(residual, way, name.demand, pointer)?;
                let key = self.name_key(&name.name);
                steps.extend(ways.into_iter().map(|way| (key, None, seen | 1 << i, way)));
            }
            for (number, name) in (0..).zip(&free) {
                let way = Key::Name { name: &name.name, once: true };
                let ways = self.ways(residual, way, name.demand, pointer)?;
                let key = self.name_key(&name.name);
                steps.extend(ways.into_iter().map(|way| (key, Some(number), seen, way)));
            }
            let undeclared = self.undeclared(parts, residual, pointer)?;
            steps.extend(undeclared.into_iter().map(|(key, way)| (key, None, seen, way)));
            let mut edges = Vec::new();
            for (key, number, seen, Alternative { demand, rest }) in steps {
                let mut value = self.value(demand)?;
                if let Some(number) = number {
                    value = self.b.member(number, value);
                }
                let target = *ids.entry((seen, rest)).or_insert_with(|| {
                    order.push((seen, rest));
                    order.len() - 1
                });
                edges.push((self.member(key, value), target));
            }
            let end = seen & required == required && self.normal.may_end(residual);
            machine.states.push(MachineState { edges, end });
        }
        let tails = self.tails(&machine, close.after, pointer);
        let members = self.head(&machine, 0, &tails, close.empty);
        let object = self.b.seq([open, members]);
        let required = (0..).zip(&free).filter(|(_, name)| name.required).map(|(number, _)| number);
        Ok(self.b.set(object, required))
    }

    /// Whether the core asks about a name.
    fn is_tracked(&mut self, core: FormulaId, name: &Name) -> bool {
        self.normal.formulas.atoms(core).into_iter().any(|(_, atom)| match atom {
            Atom::AllKeys { keys, .. } | Atom::SomeKey { keys, .. } => self.normal.key_in(keys, &name.name),
            _ => false,
        })
    }

    /// Whether the core bounds the number of members in a way that free names cannot meet. A minimum of one is met by any
    /// member, and where names are open there are always more.
    fn counts_members(&self, parts: &Parts) -> bool {
        self.normal.formulas.atoms(parts.core).iter().any(|(_, atom)| match atom {
            Atom::MaxMembers(_) => true,
            Atom::MinMembers(n) => *n > 1 && parts.classes.is_empty(),
            _ => false,
        })
    }
}
