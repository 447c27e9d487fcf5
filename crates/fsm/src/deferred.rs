//! Nodes that are written when they are first reached.
//!
//! The automaton of a large rule makes its states when they are reached ([`lazy`](crate::lazy)), and an output reaches few of
//! them. So its nodes need not be there before, either: a node says which expression it reads and where it goes on, and
//! becomes what that takes when the subset construction follows it. Nodes are the same whenever they are written, since a
//! node depends on its expression and on what follows alone ([`nfa`](crate::nfa)).
//!
//! # What is called
//! Writing nodes finds what they call, so a rule does not know beforehand what it will call. It numbers the units as they are
//! met, and grammars that share the tables learn what a number means when an edge has it: the unit in the grammar that the
//! nodes are written from is named by positions in the [form](crate::form), and found in theirs.
//!
//! # Worked example
//! `{"a": 1, "b": {"c": [ ... ]}}` as one rule: written are the brace, the quote, and the names' first letters, each a literal
//! before a node that is to read the rest. What `"b"` is to be followed by is written once `"b"` has come.

use crate::build::Memory;
use crate::compile::{Context, Draft};
use crate::config::Limits;
use crate::facts::{Facts, first_bytes};
use crate::form::{Form, Former, Identities, Portable};
use crate::left_out::LeftOut;
use crate::nfa::{Nfa, NodeId};
use crate::plan::Plan;
use crate::symbols::Symbols;
use crate::unit::{Entry, Unit};
use crate::work::{Stop, Work};
use formwork_grammar::{ByteSet, ExprId, Grammar, HashMap, RuleId};
use std::sync::Arc;

/// Writes the nodes of one automaton.
#[derive(Debug)]
pub(crate) struct Deferred {
    grammar: Grammar,
    facts: Arc<Facts>,
    plan: Arc<Plan>,
    symbols: Arc<dyn Symbols>,
    limits: Limits,
    /// Its units are numbered for this automaton alone, which is the first itself.
    memory: Memory,
    /// What is known between writing one node and the next; nothing if the nodes are forgotten.
    draft: Option<Draft>,
    /// What positions in the automaton's form name here, if others may have the same.
    named: Option<Named>,
    /// Whether the grammar is counted here: the first of its automata that keeps it does.
    counts_grammar: bool,
    /// Made when first asked for: the positions in the form, and of units that are whole rules.
    positions: Option<Positions>,
}

/// What positions in a form name.
///
/// PERF: hardly a rule's states are made for another grammar, so nobody asks what its form names.
#[derive(Debug)]
pub(crate) enum Named {
    /// That of this rule, among rules with these identities: not written yet.
    Rule(RuleId, Arc<Identities>),
    Written(Form),
}

#[derive(Debug)]
struct Positions {
    exprs: HashMap<ExprId, u32>,
    called: HashMap<u32, u32>,
}

impl Deferred {
    /// The nodes begun by `draft` in `context`, which are given units of their own.
    pub(crate) fn new(
        context: &mut Context<'_>,
        plan: &Arc<Plan>,
        own: Unit,
        mut draft: Draft,
        nfa: &mut Nfa,
    ) -> Self {
        let mut memory = context.memory.without_units();
        memory.units.intern(own, draft.rule());
        let all = &context.memory.units.list;
        nfa.renumber_units(|unit| {
            let Entry { unit, rule } = &all[unit as usize];
            memory.units.intern(unit.clone(), *rule)
        });
        draft.forget_units();
        Self {
            grammar: context.grammar.clone(),
            facts: Arc::clone(context.facts),
            plan: Arc::clone(plan),
            symbols: Arc::clone(context.symbols),
            limits: context.limits.clone(),
            memory,
            draft: Some(draft),
            named: None,
            counts_grammar: context.memory.first_to_count(),
            positions: None,
        }
    }

    /// Others may have the automaton, whose form names this.
    pub(crate) fn share(&mut self, named: Named) {
        self.named = Some(named);
    }

    /// What positions in the form name.
    fn take_form(&mut self) -> Option<Form> {
        match self.named.take()? {
            Named::Written(form) => Some(form),
            Named::Rule(rule, identities) => {
                let mut former = Former::default();
                former.rule(&self.grammar, &self.plan, &identities, rule).then(|| former.form())
            }
        }
    }

    /// Begins the nodes once more; units keep their numbers.
    pub(crate) fn restart(&mut self, work: &mut Work<'_>) -> Result<(Nfa, NodeId), Stop> {
        let Self { grammar, facts, plan, symbols, limits, memory, draft, .. } = self;
        let mut context = Context::new(grammar, facts, symbols, limits, memory);
        // The automaton is its first unit.
        let (nfa, begun, start) = context.begin(0, plan, true, work)?;
        *draft = Some(begun);
        Ok((nfa, start))
    }

    /// Forgets what only writing nodes needs: the nodes are forgotten, too.
    pub(crate) fn forget(&mut self) {
        self.draft = None;
        self.positions = None;
        self.memory.forget_texts();
    }

    /// Writes a node.
    pub(crate) fn write(&mut self, nfa: &mut Nfa, node: NodeId, work: &mut Work<'_>) -> Result<(), Stop> {
        let Self { grammar, facts, plan, symbols, limits, memory, draft, .. } = self;
        let Some(draft) = draft else { unreachable!("there are nodes") };
        draft.write(&mut Context::new(grammar, facts, symbols, limits, memory), plan, nfa, node, work)
    }

    /// As [`Draft::left_out`].
    pub(crate) fn left_out(&self, inside: NodeId, behind: NodeId) -> Option<LeftOut> {
        self.draft.as_ref()?.left_out(inside, behind)
    }

    /// The unit of the escapes of a letter.
    pub(crate) fn escapes_of(&mut self, letter: u32) -> u32 {
        let Some(draft) = &self.draft else { unreachable!("there are nodes") };
        self.memory.escapes_of(letter, draft.rule())
    }

    /// The units met so far.
    pub(crate) fn n_units(&self) -> usize {
        self.memory.units.list.len()
    }

    /// A unit in the grammar that the nodes are written from.
    pub(crate) fn unit(&self, unit: u32) -> &Entry {
        &self.memory.units.list[unit as usize]
    }

    /// The bytes with which the texts of a unit may begin.
    pub(crate) fn first_bytes(&self, unit: u32) -> ByteSet {
        first_bytes(&self.grammar, &self.facts, &self.plan, &self.unit(unit).unit)
    }

    /// A unit for grammars that share the automaton. `None` if it is not shared.
    pub(crate) fn portable(&mut self, unit: u32) -> Option<Portable> {
        let form = self.take_form()?;
        let positions = self.positions.take().unwrap_or_else(|| {
            let Self { grammar, facts, plan, symbols, limits, memory, .. } = &mut *self;
            let mut context = Context::new(grammar, facts, symbols, limits, memory);
            let called = context.called_units(plan, &form.rules);
            Positions { exprs: form.exprs.iter().copied().zip(0..).collect(), called }
        });
        let rule_position = |rule| form.rules.iter().position(|&other| other == rule).map(|i| i as u32);
        let portable =
            Portable::of(&self.unit(unit).unit, |expr| positions.exprs.get(&expr).copied(), rule_position)
                .or_else(|| positions.called.get(&unit).map(|&position| Portable::Called(position)));
        (self.named, self.positions) = (Some(Named::Written(form)), Some(positions));
        portable
    }

    /// Heap memory in bytes of what only writing nodes needs, about.
    pub(crate) fn source_size(&self) -> usize {
        let positions = self.positions.as_ref();
        positions
            .map_or(0, |positions| positions.exprs.allocation_size() + positions.called.allocation_size())
            + self.draft.as_ref().map_or(0, Draft::memory_size)
    }

    /// Heap memory in bytes of the units met so far.
    pub(crate) fn units_size(&self) -> usize {
        self.memory.units.memory_size()
    }

    /// Heap memory in bytes of the rest, about: the grammar and what is known of it, if nobody else counts them.
    pub(crate) fn memory_size(&self) -> usize {
        let form = match &self.named {
            Some(Named::Written(form)) => 4 * (form.exprs.len() + form.rules.len()),
            _ => 0,
        };
        size_of::<Self>() + form + if self.counts_grammar { self.grammar_size() } else { 0 }
    }

    fn grammar_size(&self) -> usize {
        let n_rules = self.grammar.rules().len();
        self.grammar.n_exprs() * BYTES_PER_EXPR + n_rules * BYTES_PER_RULE + self.facts.memory_size()
    }
}

/// What an expression takes with its operands or bytes, about, and what a rule takes with its name and place.
const BYTES_PER_EXPR: usize = 80;
const BYTES_PER_RULE: usize = 160;
