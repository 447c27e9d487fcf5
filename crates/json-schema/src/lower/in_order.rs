//! Objects whose declared members come in the order of the schema, and the others behind them.
//!
//! A state is a position among the declared names and a residual of the core, the formula over members that are coupled.
//! Most objects have no core, and one state at each position. Where the core is a choice (`anyOf` of a hundred events, each
//! with members of its own) there are as many residuals as branches, and a branch that is closed can neither read the
//! members of the others nor does it matter to it that they are passed over. So a residual *stops* at some positions only,
//! and goes from one to the next: states are as many as the members of all branches, and not the branches times that.
//!
//! What stands between two members, a comma, white space and a quote, is written once before all names that may follow, and
//! what may come instead, other members and the end, beside it: behind a value an automaton need not know the names, and those
//! behind the quote are the same whether something came before.
//!
//! # Worked example
//! a and b optional, closed: behind the quote, *b* is `b": ...` and then the end, *a* is `a": ...` and then `, "` *b* or the
//! end, or *b*. The object is `{` and then `"` *a*, or the end.
//!
//! `anyOf: [{k: 1, a, b}, {k: 2, c}]`, closed, k required: declared are k, a, b, c. The core stops at k and leaves two
//! residuals. The first stops at a and b, then at the end; the second goes from k straight to c.

use super::Lowering;
use super::layout::{Close, Punctuation, Ways};
use super::machine::{Edges, Machine, MachineState};
use super::object::Parts;
use crate::distinct::DistinctIn;
use crate::error::Error;
use crate::normal::{Alternative, Atom, FewFormulas, Formula, FormulaId, Key};
use formwork_grammar::{ExprId, HashMap};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// Members one after the other in one rule, if the object has more than [`LONG`]. Tails are parts of what comes before them,
/// which without references would be quadratic.
const MAX_MEMBERS: usize = 32;
const LONG: usize = 48;

/// Expressions one after the other that are no sequence yet, the last first: most are a part of a longer one.
pub(super) type Chain = SmallVec<[ExprId; 24]>;

/// A position, and the number of a state there.
type At = (usize, usize);

/// Something of each state at a position, or of each way out of one.
///
/// PERF: without conditions between members there is one way, and one state at each position.
type PerState<T> = SmallVec<[T; 2]>;
/// A value to read, and what then.
type Takes = SmallVec<[(ExprId, At); 1]>;

/// The states at one position.
#[derive(Default)]
struct Layer {
    residuals: DistinctIn<FormulaId, 2>,
    states: PerState<State>,
}

struct State {
    /// The ways to read the member.
    takes: Takes,
    /// What then if it does not come, if it need not.
    pass: Option<At>,
    /// Members up to the next reference.
    n_members: usize,
    /// Whether there is a reference to it.
    is_cut: bool,
}

/// How many ask for what may come from a state on.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// For all of it, behind a member.
    whole: usize,
    /// For the names alone, since the member before them need not come.
    names: usize,
}

/// What may come from a state on.
#[derive(Default)]
struct Tail {
    /// Declared names, from behind the opening quote, each with all that follows it.
    names: Option<Chain>,
    /// What else may come after some member: other members, the end. `None` if a declared one must come.
    others: Option<ExprId>,
}

/// The positions at which residuals stop.
#[derive(Default)]
struct Stops {
    /// Of the declared names, once somebody asks.
    positions: HashMap<Rc<str>, usize>,
    /// Ascending; `None` for all of them.
    of: HashMap<FormulaId, Option<Rc<[usize]>>>,
}

impl Lowering<'_> {
    /// Declared names in order, then the others, up to the closing bracket.
    pub(super) fn in_order(&mut self, parts: &Parts, close: Close, pointer: &str) -> Result<Chain, Error> {
        if parts.core == FormulaId::TRUE {
            return self.in_plain_order(parts, close, pointer);
        }
        let n = parts.declared.len();
        let (first, mut layers) = self.layers(parts, pointer)?;
        cut(&mut layers);
        let uses = uses(&layers, first);
        let machine = self.machine_of_others(parts, layers[n].residuals.list(), pointer)?;
        let others = self.tails(&machine, close.after, pointer);
        let mut tails: Vec<PerState<Tail>> = std::iter::repeat_with(PerState::new).take(n).collect();
        tails.push(others.iter().map(|&others| Tail { names: None, others: Some(others) }).collect());
        // Backward: what may come from each position on.
        let punctuation = self.punctuation();
        for (i, name) in parts.declared.iter().enumerate().rev() {
            let states = &layers[i].states;
            if states.is_empty() {
                continue;
            }
            // States at one position may be side by side.
            let mut values = states.iter().flat_map(|state| state.takes.iter().map(|&(value, _)| value));
            let first_value = values.next();
            let n_ways = Ways::several_if(values.any(|value| Some(value) != first_value));
            let key = self.key(&name.name);
            for (State { takes, pass, is_cut, .. }, asked) in states.iter().zip(&uses[i]) {
                let mut ways = PerState::new();
                for &(value, (position, state)) in takes {
                    let way = self.after_member(&mut tails[position][state], &punctuation);
                    ways.push(self.member_before(way, key, value, n_ways));
                }
                let passed = pass.map(|(position, state)| &tails[position][state]);
                let is_shared = asked.whole > 1 || asked.names > 0;
                let tail = self.tail(ways, passed, *is_cut, is_shared, pointer);
                tails[i].push(tail);
            }
        }
        let head = passed_over(&layers, first).map(|state| self.head(&machine, state, &others, close.empty));
        Ok(self.opened(&tails[first.0][first.1], head, &punctuation))
    }

    /// [`Self::in_order`] without conditions between members: there is one state at each position.
    ///
    /// PERF: most objects are like this. They need no residuals, and little of the code for them.
    fn in_plain_order(&mut self, parts: &Parts, close: Close, pointer: &str) -> Result<Chain, Error> {
        let n = parts.declared.len();
        let mut values = SmallVec::<[Option<ExprId>; 16]>::with_capacity(n);
        for name in &parts.declared {
            self.count_states(1, pointer)?;
            values.push(match name.demand {
                FormulaId::FALSE => None,
                demand => Some(self.value(demand)?),
            });
        }
        let machine = self.machine_of_others(parts, &[FormulaId::TRUE], pointer)?;
        let others = self.tails(&machine, close.after, pointer);
        let punctuation = self.punctuation();
        let mut tail = Tail { names: None, others: others.first().copied() };
        let mut n_members = 0;
        for (i, name) in parts.declared.iter().enumerate().rev() {
            let key = self.key(&name.name);
            let mut ways = PerState::new();
            if let Some(value) = values[i] {
                let way = self.after_member(&mut tail, &punctuation);
                ways.push(self.member_before(way, key, value, Ways::One));
            }
            n_members += 1;
            let is_cut = is_cut(n, &mut n_members);
            let passed = if name.required { None } else { Some(&tail) };
            let is_shared = i > 0 && !parts.declared[i - 1].required;
            tail = self.tail(ways, passed, is_cut, is_shared, pointer);
        }
        let may_be_empty = parts.declared.iter().all(|name| !name.required);
        let head = may_be_empty.then(|| self.head(&machine, 0, &others, close.empty));
        Ok(self.opened(&tail, head, &punctuation))
    }

    /// The text of a name.
    fn key(&mut self, name: &str) -> ExprId {
        let name = self.b.literal(name);
        self.b.json_text(name)
    }

    /// A member, and what comes behind it.
    fn member_before(&mut self, mut behind: Chain, key: ExprId, value: ExprId, n_ways: Ways) -> Chain {
        behind.push(self.behind_name(value, n_ways));
        behind.push(key);
        behind
    }

    /// What may come from a state on: these members, each with what comes behind it, or what comes if they are passed over.
    fn tail(
        &mut self,
        mut ways: PerState<Chain>,
        passed: Option<&Tail>,
        is_cut: bool,
        is_shared: bool,
        pointer: &str,
    ) -> Tail {
        if let Some(names) = passed.and_then(|tail| tail.names.as_ref()) {
            ways.push(names.clone());
        }
        let mut names = self.one_of(ways);
        if is_cut {
            let whole = self.sequence(&names);
            names = smallvec![self.tail_rule(whole, pointer)];
        }
        if is_shared {
            names = smallvec![self.sequence(&names)];
        }
        Tail { names: Some(names), others: passed.and_then(|tail| tail.others) }
    }

    /// All members, the first with its quote; `head` is what comes if none of the declared ones does, if none must.
    fn opened(&mut self, tail: &Tail, head: Option<ExprId>, punctuation: &Punctuation) -> Chain {
        let mut ways = PerState::new();
        if let Some(mut names) = tail.names.clone() {
            punctuation.open(&mut names);
            ways.push(names);
        }
        if let Some(head) = head {
            ways.push(smallvec![head]);
        }
        self.one_of(ways)
    }

    /// What may come from a state on behind a member. The comma, the white space around it and the quote are written once, whatever
    /// name follows: behind a value an automaton would have to keep those of all members apart that may be left out.
    fn after_member(&mut self, tail: &mut Tail, punctuation: &Punctuation) -> Chain {
        let mut ways = PerState::new();
        // Names that somebody else asks for are one expression.
        let names = match &tail.names {
            Some(names) if names.len() > 1 => tail.names.take(),
            names => names.clone(),
        };
        if let Some(mut names) = names {
            punctuation.open(&mut names);
            punctuation.part(&mut names);
            ways.push(names);
        }
        if let Some(others) = tail.others {
            ways.push(smallvec![others]);
        }
        self.one_of(ways)
    }

    fn one_of(&mut self, mut ways: PerState<Chain>) -> Chain {
        match ways.len() {
            1 => ways.pop().unwrap_or_default(),
            _ => {
                let ways: PerState<ExprId> = ways.iter().map(|way| self.sequence(way)).collect();
                smallvec![self.b.alt(ways)]
            }
        }
    }

    /// The states at each position and the steps between them, and where it begins.
    fn layers(&mut self, parts: &Parts, pointer: &str) -> Result<(At, Vec<Layer>), Error> {
        let n = parts.declared.len();
        let mut layers: Vec<Layer> = std::iter::repeat_with(Layer::default).take(n + 1).collect();
        let mut stops = Stops::default();
        let first = self.next(parts, &mut layers, &mut stops, parts.core, 0);
        for (i, name) in parts.declared.iter().enumerate() {
            let residuals: FewFormulas = layers[i].residuals.list().into();
            self.count_states(residuals.len(), pointer)?;
            for residual in residuals {
                let key = Key::Name { name: &name.name, once: true };
                let mut takes = Takes::new();
                for Alternative { demand, rest } in self.ways(residual, key, name.demand, pointer)? {
                    takes.push((self.value(demand)?, self.next(parts, &mut layers, &mut stops, rest, i + 1)));
                }
                let passed = match name.required {
                    true => FormulaId::FALSE,
                    false => self.normal.without_member(residual, &name.name),
                };
                let pass = (passed != FormulaId::FALSE)
                    .then(|| self.next(parts, &mut layers, &mut stops, passed, i + 1));
                let state = State { takes, pass, n_members: 0, is_cut: false };
                layers[i].states.push(state);
            }
        }
        Ok((first, layers))
    }

    /// The state of a residual at the next position where it stops.
    fn next(
        &self,
        parts: &Parts,
        layers: &mut [Layer],
        stops: &mut Stops,
        residual: FormulaId,
        from: usize,
    ) -> At {
        let mut position = from;
        if residual != FormulaId::TRUE && from < parts.declared.len() {
            if !stops.of.contains_key(&residual) {
                let found = self.stops(parts, &mut stops.positions, residual);
                stops.of.insert(residual, found);
            }
            if let Some(positions) = &stops.of[&residual] {
                let at = positions.partition_point(|&position| position < from);
                position = positions.get(at).copied().unwrap_or(parts.declared.len());
            }
        }
        (position, layers[position].residuals.number(&residual))
    }

    /// The positions of the names that may come with a residual, or change it by not coming; `None` for all. Only what is
    /// closed stops at some: elsewhere every name may come.
    fn stops(
        &self,
        parts: &Parts,
        positions: &mut HashMap<Rc<str>, usize>,
        residual: FormulaId,
    ) -> Option<Rc<[usize]>> {
        let formulas = &self.normal.formulas;
        let only =
            formulas.few_conjuncts(residual).into_iter().find_map(|part| match formulas.get(part) {
                Formula::Atom(Atom::AllKeys { keys, demand: FormulaId::FALSE }) => {
                    match formulas.get(*keys) {
                        Formula::Atom(Atom::StringIn(names, false)) => Some(names),
                        _ => None,
                    }
                }
                _ => None,
            })?;
        if positions.is_empty() {
            positions.extend(parts.declared.iter().map(|name| name.name.clone()).zip(0..));
        }
        let mut stops: Vec<usize> = only.iter().filter_map(|name| positions.get(name).copied()).collect();
        for atom in formulas.atom_ids(residual) {
            if let Formula::Atom(Atom::AllKeys { keys, .. } | Atom::SomeKey { keys, .. }) = formulas.get(atom)
            {
                if let Formula::Atom(Atom::StringIn(names, true)) = formulas.get(*keys) {
                    stops.extend(names.iter().filter_map(|name| positions.get(name).copied()));
                }
            }
        }
        // Without those that must come no object is one.
        let required = parts.declared.iter().enumerate().filter(|(_, name)| name.required);
        stops.extend(required.map(|(position, _)| position));
        stops.sort_unstable();
        stops.dedup();
        Some(stops.into())
    }

    /// The undeclared names, from every residual that is left.
    fn machine_of_others(
        &mut self,
        parts: &Parts,
        residuals: &[FormulaId],
        pointer: &str,
    ) -> Result<Machine, Error> {
        let mut machine = Machine::default();
        let mut states = DistinctIn::<_, 2>::default();
        for residual in residuals {
            states.number(residual);
        }
        let mut at = 0;
        while let Some(&residual) = states.list().get(at) {
            at += 1;
            self.count_states(1, pointer)?;
            let mut edges = Edges::new();
            for (key, ways) in self.undeclared(parts, residual, pointer)? {
                let n_ways = Ways::several_if(ways.len() > 1 || parts.core != FormulaId::TRUE);
                for Alternative { demand, rest } in ways {
                    let value = self.value(demand)?;
                    edges.push((self.member(key, value, n_ways, pointer), states.number(&rest)));
                }
            }
            machine.states.push(MachineState { edges, end: self.normal.may_end(residual) });
        }
        Ok(machine)
    }

    pub(super) fn sequence(&mut self, chain: &Chain) -> ExprId {
        self.b.seq(chain.iter().rev().copied())
    }
}

/// Finds which states are cut.
fn cut(layers: &mut [Layer]) {
    let n = layers.len() - 1;
    for i in (0..n).rev() {
        let (here, later) = layers.split_at_mut(i + 1);
        let of = |(position, state): At| {
            later[position - i - 1].states.get(state).map_or(0, |state| state.n_members)
        };
        for state in &mut here[i].states {
            let targets = state.takes.iter().map(|&(_, target)| target).chain(state.pass);
            state.n_members = 1 + targets.map(of).max().unwrap_or(0);
            state.is_cut = is_cut(n, &mut state.n_members);
        }
    }
}

/// Whether a state before so many members is cut, which leaves none; `n` is the number of positions.
fn is_cut(n: usize, n_members: &mut usize) -> bool {
    let is_cut = n > LONG && *n_members >= MAX_MEMBERS;
    if is_cut {
        *n_members = 0;
    }
    is_cut
}

/// How often what comes from each state on is asked for.
fn uses(layers: &[Layer], first: At) -> Vec<PerState<Uses>> {
    let of_layer = |layer: &Layer| smallvec![Uses::default(); layer.residuals.list().len()];
    let mut uses: Vec<PerState<Uses>> = layers.iter().map(of_layer).collect();
    uses[first.0][first.1].whole = 1;
    for state in layers.iter().flat_map(|layer| &layer.states) {
        for &(_, (position, target)) in &state.takes {
            uses[position][target].whole += 1;
        }
        if let Some((position, target)) = state.pass {
            uses[position][target].names += 1;
        }
    }
    uses
}

/// The state behind all declared names if none of them comes, if none must.
fn passed_over(layers: &[Layer], first: At) -> Option<usize> {
    let (mut position, mut state) = first;
    while let Some(at) = layers[position].states.get(state) {
        (position, state) = at.pass?;
    }
    Some(state)
}
