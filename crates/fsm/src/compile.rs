//! From a unit to its non-deterministic automaton.
//!
//! An expression becomes a node *for what follows it* (see [`nfa`](crate::nfa)). Nothing recurses: a node is allotted
//! first and filled from a work list.

mod leads;
mod literals;
mod tags;
mod texts;
mod witness;

use crate::build::Memory;
use crate::config::Limits;
use crate::deferred::Deferred;
use crate::dfa::Dfa;
use crate::escapes;
use crate::facts::Facts;
use crate::few::Few;
use crate::nfa::{Nfa, Node, NodeId, Range};
use crate::plan::{Plan, left_recursion, operands};
use crate::regions;
use crate::spelling::{Speller, Spelling};
use crate::subset::{Bounds, determinise};
use crate::symbols::Symbols;
use crate::unit::{Body, Entry, Piece, Shape, Spelled, Unit, apart, pieces};
use crate::work::{Stop, Work};
use formwork_grammar::{Expr, ExprId, Grammar, HashMap, RuleId, Seeded, SharedMachine};
use smallvec::SmallVec;
use std::sync::Arc;

/// What the building of all units shares.
#[derive(Debug)]
pub(crate) struct Context<'g> {
    pub(crate) grammar: &'g Grammar,
    pub(crate) facts: &'g Arc<Facts>,
    pub(crate) symbols: &'g Arc<dyn Symbols>,
    pub(crate) limits: &'g Limits,
    pub(crate) memory: &'g mut Memory,
}

/// What a unit is built to.
pub(crate) enum Built {
    /// An automaton, not yet minimised.
    Whole(Dfa),
    /// One that is minimal, and in which nothing is counted.
    Minimal(Dfa),
    /// What an automaton is made from as far as it is reached: what is read between the start and the end.
    Lazy { nfa: Box<Nfa>, deferred: Box<Deferred>, start: NodeId, bounds: Bounds },
    /// What makes the states itself.
    Machine(SharedMachine),
}

impl<'g> Context<'g> {
    pub(crate) fn new(
        grammar: &'g Grammar,
        facts: &'g Arc<Facts>,
        symbols: &'g Arc<dyn Symbols>,
        limits: &'g Limits,
        memory: &'g mut Memory,
    ) -> Self {
        Self { grammar, facts, symbols, limits, memory }
    }

    fn max_members(&self) -> usize {
        self.limits.max_members.min(u32::MAX as usize)
    }

    /// The automaton of `unit`; calls are numbers of units, which may be new. If it `may_be_lazy` it is, unless it counts.
    pub(crate) fn build(
        &mut self,
        unit: u32,
        plan: &Arc<Plan>,
        max_states: usize,
        may_be_lazy: bool,
        work: &mut Work<'_>,
    ) -> Result<Built, Stop> {
        let own = self.memory.units.list[unit as usize].unit.clone();
        if let Unit::Machine(expr) = own {
            if let Expr::Machine(machine) = self.grammar.expr(expr) {
                return Ok(Built::Machine(machine.clone()));
            }
        }
        if let Unit::Escape(Few::One((low, high))) = own {
            if let Some(dfa) = escapes::automaton(low).filter(|_| low == high) {
                work.spend(dfa.len())?;
                return if dfa.len() > max_states { Err(Stop::States) } else { Ok(Built::Minimal(dfa)) };
            }
        }
        let is_plain = matches!(own, Unit::Rule(_) | Unit::Recursive(_) | Unit::Body(..));
        let in_line = matches!(own, Unit::Region(_)).then(|| Arc::new(plan.in_line()));
        let plan = in_line.as_ref().unwrap_or(plan);
        let is_lazy = may_be_lazy && is_plain;
        let (mut nfa, draft, start) = self.begin(unit, plan, is_lazy, work)?;
        let bounds = Bounds { max_states, max_members: self.max_members() };
        if is_lazy {
            let deferred = Box::new(Deferred::new(self, plan, own, draft, &mut nfa));
            return Ok(Built::Lazy { nfa: Box::new(nfa), deferred, start, bounds });
        }
        for letter in nfa.all_without_unit() {
            nfa.set_escapes(letter, self.memory.escapes_of(letter, draft.rule()));
        }
        determinise(nfa, start, true, bounds, work).map(Built::Whole)
    }

    /// The nodes of a unit, and where they start; of a lazy one they are to be written when they are reached.
    pub(crate) fn begin(
        &mut self,
        unit: u32,
        plan: &Plan,
        is_lazy: bool,
        work: &mut Work<'_>,
    ) -> Result<(Nfa, Draft, NodeId), Stop> {
        let Entry { unit, rule } = self.memory.units.list[unit as usize].clone();
        let (mut nfa, mut draft) = Draft::new(plan, rule);
        let mut builder = Builder { context: self, plan, nfa: &mut nfa, draft: &mut draft };
        let start = builder.nfa.reserve();
        builder.draft.is_lazy = is_lazy;
        match unit {
            Unit::Rule(own) | Unit::Region(own) => {
                // What captures ends where it ends, and is then called again.
                builder.draft.own = (!plan.captures(builder.context.grammar, own)).then_some((own, start));
                builder.rule_body(start, own, builder.draft.end);
            }
            Unit::Recursive(own) => {
                builder.draft.own = Some((own, start));
                let end = builder.draft.end;
                let entries = match plan.split(own) {
                    None => Vec::new(),
                    Some(split) if split.tail.is_empty() => {
                        builder.alternatives(&split.recursive, Spelling::Utf8, end)
                    }
                    Some(split) => {
                        builder.draft.own = None;
                        builder.without_tail(&split.recursive, split.tail.len())
                    }
                };
                builder.nfa.nodes[start as usize] = builder.nfa.split(&entries);
            }
            Unit::Body(expr, spelling) => {
                let body = builder.node(expr, spelling, builder.draft.end);
                builder.nfa.nodes[start as usize] = builder.nfa.split(&[body]);
            }
            Unit::Counted { shape, .. } => {
                builder.draft.shares_escapes = false;
                builder.counted(start, &shape, work)?;
            }
            Unit::Set(set) => {
                let body = operands(builder.context.grammar.expr(set))[0];
                let body = builder.node(body, Spelling::Utf8, builder.draft.end);
                builder.nfa.nodes[start as usize] = builder.nfa.split(&[body]);
            }
            Unit::Symbols(_) | Unit::Machine(_) => {}
            Unit::Escape(ranges) => {
                let target = builder.draft.end;
                let edges: Vec<Range> =
                    ranges.iter().map(|&(low, high)| Range { low, high, target }).collect();
                let letters = builder.draft.speller.escapes(builder.nfa, &edges);
                builder.nfa.nodes[start as usize] = builder.nfa.read(letters.as_slice());
            }
        }
        if !is_lazy {
            builder.run(work)?;
        }
        Ok((nfa, draft, start))
    }

    /// The number of the unit behind a rule: a rule that is nothing but a counted piece is that piece.
    pub(crate) fn unit_of_rule(&mut self, plan: &Plan, rule: RuleId) -> u32 {
        let body = self.grammar.rule(rule).body();
        if let Some(unit) = regions::unit(self.grammar, plan, rule) {
            return self.memory.units.intern(unit, rule);
        }
        match self.grammar.expr(body) {
            Expr::Set { .. } => return self.memory.units.intern(Unit::Set(body), rule),
            Expr::Machine(_) => return self.memory.units.intern(Unit::Machine(body), rule),
            _ => {}
        }
        let whole = [body];
        let parts: &[ExprId] = match self.grammar.expr(body) {
            Expr::Seq(parts) => parts,
            _ => &whole,
        };
        let parts: SmallVec<[Spelled; 8]> = parts.iter().map(|&part| (part, Spelling::Utf8)).collect();
        let unit = match pieces(self.grammar, plan, &self.memory.measurable, &parts).as_deref() {
            Some([Piece::Counted { shape, min, max }]) => self.counted_unit(shape.clone(), *min, *max).0,
            _ => Unit::Rule(rule),
        };
        self.memory.units.intern(unit, rule)
    }

    /// The positions of rules that are called as a whole, by what they are.
    pub(crate) fn called_units(&mut self, plan: &Plan, rules: &[RuleId]) -> HashMap<u32, u32> {
        let (grammar, facts) = (self.grammar, self.facts);
        let is_whole = |rule| plan.split(rule).is_none() && facts.nonempty(grammar.rule(rule).body());
        let whole = (0..).zip(rules.iter().copied()).filter(|&(_, rule)| is_whole(rule));
        whole.map(|(position, rule)| (self.unit_of_rule(plan, rule), position)).collect()
    }

    /// The unit of a counted piece, and whether the piece may be empty.
    fn counted_unit(&self, shape: Shape, min: u32, max: Option<u32>) -> (Unit, bool) {
        let (min, empty_body) = match &shape.body {
            // A body that may be empty may as well not be there: the minimum is no bound.
            Body::Repeated(body) if self.facts.nullable(*body) => (0, true),
            Body::Repeated(_) => (min, min == 0),
            Body::Measured(parts) => (min, min == 0 && parts.iter().all(|part| self.facts.nullable(*part))),
        };
        let empty =
            empty_body && shape.before.iter().chain(&shape.after).all(|&(part, _)| self.facts.nullable(part));
        (Unit::Counted { shape: Box::new(shape), min, max }, empty)
    }
}

/// Builds the nodes of one automaton.
struct Builder<'a, 'g> {
    context: &'a mut Context<'g>,
    plan: &'a Plan,
    nfa: &'a mut Nfa,
    draft: &'a mut Draft,
}

/// Nodes of most units that are written at once.
const USUAL: usize = 28;

/// What is known between writing one node and the next.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The rule that messages name.
    rule: RuleId,
    /// Whether nodes are left unwritten until they are reached.
    is_lazy: bool,
    /// The rule being built and its start, for jumps instead of calls in tail position.
    own: Option<(RuleId, NodeId)>,
    /// Whether escapes of literals are calls. Not in counted units: one that calls nothing is walked by its counts alone.
    shares_escapes: bool,
    end: NodeId,
    /// Goes on nowhere.
    dead: NodeId,
    memo: HashMap<(ExprId, Spelling, NodeId), NodeId>,
    /// The same of [leads](leads).
    leads: HashMap<(leads::Lead, NodeId), NodeId>,
    /// Nodes to be written.
    todo: Vec<NodeId>,
    speller: Speller,
    /// Automata over code points that nodes are states of.
    texts: Vec<texts::Embedded>,
    /// Those of their states that were written and leave out words.
    in_words: Vec<texts::InWords>,
    /// Units of symbols, by name.
    symbols: HashMap<Box<str>, u32>,
    /// A buffer.
    letters: Vec<Range>,
}

impl Draft {
    /// An automaton without nodes but its end.
    fn new(plan: &Plan, rule: RuleId) -> (Nfa, Self) {
        let mut nfa = Nfa::with_capacity(USUAL);
        let end = nfa.add(Node::End);
        let dead = nfa.reserve();
        let draft = Self {
            rule,
            is_lazy: false,
            own: None,
            shares_escapes: plan.shares_escapes(),
            end,
            dead,
            memo: HashMap::with_capacity_and_hasher(USUAL, Seeded::default()),
            leads: HashMap::default(),
            todo: Vec::with_capacity(USUAL),
            speller: Speller::default(),
            texts: Vec::new(),
            in_words: Vec::new(),
            symbols: HashMap::default(),
            letters: Vec::new(),
        };
        (nfa, draft)
    }

    /// The rule that messages name.
    pub(crate) fn rule(&self) -> RuleId {
        self.rule
    }

    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        let in_words = self.in_words.capacity() * size_of::<texts::InWords>();
        self.memo.allocation_size() + self.leads.allocation_size() + self.speller.memory_size() + in_words
    }

    /// Units have other numbers from now on.
    pub(crate) fn forget_units(&mut self) {
        self.symbols.clear();
    }

    /// Writes a node; what it goes on with is left to do.
    pub(crate) fn write(
        &mut self,
        context: &mut Context<'_>,
        plan: &Plan,
        nfa: &mut Nfa,
        node: NodeId,
        work: &mut Work<'_>,
    ) -> Result<(), Stop> {
        let result = Builder { context, plan, nfa, draft: self }.write(node, work);
        self.todo.clear();
        self.speller.leave_unwritten();
        result
    }
}

impl Builder<'_, '_> {
    /// The node that reads `expr` and goes on at `next`; filled in by [`run`](Self::run). One that does nothing if `expr`
    /// matches nothing.
    fn node(&mut self, expr: ExprId, spelling: Spelling, next: NodeId) -> NodeId {
        if !self.context.facts.productive(expr) {
            return self.draft.dead;
        }
        match self.context.grammar.expr(expr) {
            Expr::Empty => return next,
            Expr::JsonText(body) => return self.node_in_json(*body, next),
            _ => {}
        }
        let nfa = &mut self.nfa;
        let todo = &mut self.draft.todo;
        *self.draft.memo.entry((expr, spelling, next)).or_insert_with(|| {
            let node = nfa.add(Node::Deferred { expr, spelling, next });
            todo.push(node);
            node
        })
    }

    /// A JSON text cannot be nested in another, so this is one level.
    fn node_in_json(&mut self, body: ExprId, next: NodeId) -> NodeId {
        self.node(body, Spelling::Json, next)
    }

    /// Writes all nodes.
    fn run(&mut self, work: &mut Work<'_>) -> Result<(), Stop> {
        while let Some(node) = self.draft.todo.pop().or_else(|| self.draft.speller.next_unwritten()) {
            self.write(node, work)?;
        }
        Ok(())
    }

    /// Writes a node that is not written yet; what it goes on with is left to do.
    fn write(&mut self, node: NodeId, work: &mut Work<'_>) -> Result<(), Stop> {
        work.spend(1)?;
        self.check_nodes()?;
        match self.nfa.nodes[node as usize] {
            Node::Deferred { expr, spelling, next } => self.fill(node, expr, spelling, next, work),
            Node::Text { text, state } => {
                self.nfa.nodes[node as usize] = self.text_state(text, state);
                Ok(())
            }
            Node::Spelled { rest } => {
                self.nfa.nodes[node as usize] = self.draft.speller.write(self.nfa, rest);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn fill(
        &mut self,
        node: NodeId,
        expr: ExprId,
        spelling: Spelling,
        next: NodeId,
        work: &mut Work<'_>,
    ) -> Result<(), Stop> {
        let grammar = self.context.grammar;
        let filled = match grammar.expr(expr) {
            Expr::Empty => self.nfa.split(&[next]),
            Expr::Bytes(bytes) => {
                work.spend(bytes.len())?;
                self.literal(bytes, spelling, next)
            }
            Expr::ByteClass(set) => {
                let range =
                    |(low, high): (u8, u8)| Range { low: low.into(), high: high.into(), target: next };
                let letters: Vec<Range> = set.ranges().into_iter().map(range).collect();
                self.nfa.read(&letters)
            }
            Expr::Class(class) => {
                let edges: Vec<Range> = class
                    .ranges()
                    .iter()
                    .map(|&(low, high)| Range { low: low.into(), high: high.into(), target: next })
                    .collect();
                work.spend(edges.len())?;
                self.characters(&edges, spelling, false)
            }
            Expr::Seq(parts) => {
                let first = self.sequence(parts, spelling, next);
                self.nfa.split(&[first])
            }
            Expr::Alt(parts) => {
                work.spend(parts.len())?;
                let nodes = self.alternatives(parts, spelling, next);
                self.nfa.split(&nodes)
            }
            Expr::Repeat { body, min, max } => {
                let bounds = (*body, *min, self.plan.max_of(expr, *max));
                return self.repeat(node, expr, bounds, spelling, next, work);
            }
            Expr::Rule(rule) => {
                self.reference(node, *rule, next);
                return Ok(());
            }
            Expr::And(_) | Expr::Not(_) => {
                self.context.prepare_texts(expr, self.draft.rule, self.plan, work)?;
                let dfa = self.context.memory.known_text(expr).unwrap_or_default();
                let first = self.embed(dfa, spelling, next, false);
                self.nfa.split(&[first])
            }
            Expr::Set { .. } | Expr::Machine(_) => {
                let unit = match grammar.expr(expr) {
                    Expr::Machine(_) => Unit::Machine(expr),
                    _ => Unit::Set(expr),
                };
                let unit = self.context.memory.units.intern(unit, self.draft.rule);
                let call = self.nfa.call(unit, next);
                match self.context.facts.nullable(expr) {
                    true => {
                        let call = self.nfa.add(call);
                        self.nfa.split(&[call, next])
                    }
                    false => call,
                }
            }
            Expr::Member { number, body } => {
                let unit = match grammar.expr(*body) {
                    Expr::Rule(rule) if self.plan.keeps(*rule) && self.plan.split(*rule).is_none() => {
                        self.context.unit_of_rule(self.plan, *rule)
                    }
                    _ => self.context.memory.units.intern(Unit::Body(*body, spelling), self.draft.rule),
                };
                self.nfa.call_member(unit, *number, next)
            }
            Expr::Symbols(set) => self.call_symbols(set.clone(), next),
            Expr::Tag(tag) => {
                work.spend(tag.len())?;
                let pieces = self.context.symbols.pieces(tag);
                let first = self.tag(&pieces, next);
                self.nfa.split(&[first])
            }
            Expr::Until(until) => {
                let first = self.until(until, next, work)?;
                self.nfa.split(&[first])
            }
            // Nothing is read: `Never`, and what the arena cannot hold here.
            _ => Node::Split(0, 0),
        };
        self.nfa.nodes[node as usize] = filled;
        Ok(())
    }

    fn sequence(&mut self, parts: &[ExprId], spelling: Spelling, next: NodeId) -> NodeId {
        let parts: SmallVec<[Spelled; 8]> = parts.iter().map(|&part| (part, spelling)).collect();
        let memory = &*self.context.memory;
        let Some(apart) = apart(self.context.grammar, self.plan, &memory.measurable, &parts) else {
            return self.in_pieces(&parts, next);
        };
        let nodes: Vec<NodeId> = apart.iter().map(|parts| self.in_pieces(parts, next)).collect();
        self.nfa.add_split(&nodes)
    }

    fn in_pieces(&mut self, parts: &[Spelled], next: NodeId) -> NodeId {
        let Some(pieces) = self.pieces(parts) else { return self.leads(parts, next) };
        pieces.into_iter().rev().fold(next, |next, piece| match piece {
            Piece::Plain((part, spelling)) => self.node(part, spelling, next),
            Piece::Counted { shape, min, max } => self.call_counted(shape, min, max, next),
        })
    }

    fn pieces(&self, parts: &[Spelled]) -> Option<Vec<Piece>> {
        pieces(self.context.grammar, self.plan, &self.context.memory.measurable, parts)
    }

    fn call_counted(&mut self, shape: Shape, min: u32, max: Option<u32>, next: NodeId) -> NodeId {
        let (unit, empty) = self.context.counted_unit(shape, min, max);
        let unit = self.context.memory.units.intern(unit, self.draft.rule);
        let call = self.nfa.call(unit, next);
        let call = self.nfa.add(call);
        if empty { self.nfa.add_split(&[call, next]) } else { call }
    }

    fn repeat(
        &mut self,
        node: NodeId,
        expr: ExprId,
        (body, min, max): (ExprId, u32, Option<u32>),
        spelling: Spelling,
        next: NodeId,
        work: &mut Work<'_>,
    ) -> Result<(), Stop> {
        if let Some([Piece::Counted { .. }]) = self.pieces(&[(expr, spelling)]).as_deref() {
            let target = self.sequence(&[expr], spelling, next);
            self.nfa.nodes[node as usize] = self.nfa.split(&[target]);
            return Ok(());
        }
        // From the end to the front: first what may be left out, then what must be there.
        let mut rest = next;
        match max {
            None => {
                let head = self.nfa.reserve();
                let again = self.node(body, spelling, head);
                self.nfa.nodes[head as usize] = self.nfa.split(&[again, next]);
                rest = head;
            }
            Some(max) => {
                let is_text = spelling == Spelling::CodePoints;
                let is_class = is_text && matches!(self.context.grammar.expr(body), Expr::Class(_));
                let repetition = is_class.then(|| self.nfa.add_repetition());
                for _ in min..max {
                    work.spend(1)?;
                    let once = self.node(body, spelling, rest);
                    if let Some(repetition) = repetition {
                        self.nfa.set_round(once, repetition);
                    }
                    rest = self.nfa.add_split(&[once, next]);
                    self.check_nodes()?;
                }
            }
        }
        for _ in 0..min {
            work.spend(1)?;
            rest = self.node(body, spelling, rest);
            self.check_nodes()?;
        }
        self.nfa.nodes[node as usize] = self.nfa.split(&[rest]);
        Ok(())
    }

    /// The nodes of sequences without their last operands.
    fn without_tail(&mut self, sequences: &[ExprId], n_last: usize) -> Vec<NodeId> {
        let (grammar, facts) = (self.context.grammar, self.context.facts);
        let end = self.draft.end;
        let heads = sequences.iter().filter_map(|&expr| match grammar.expr(expr) {
            Expr::Seq(parts) if facts.productive(expr) => Some(&parts[..parts.len() - n_last]),
            _ => None,
        });
        heads.map(|head| self.sequence(head, Spelling::Utf8, end)).collect()
    }

    fn check_nodes(&self) -> Result<(), Stop> {
        if self.nfa.n_nodes() > self.context.limits.max_nodes { Err(Stop::Nodes) } else { Ok(()) }
    }

    fn reference(&mut self, node: NodeId, rule: RuleId, next: NodeId) {
        if !self.plan.keeps(rule) {
            self.rule_body(node, rule, next);
            return;
        }
        let own = self.draft.own.filter(|&(own, _)| own == rule && next == self.draft.end);
        if let Some(split) = self.plan.split(rule) {
            let mut nodes = self.alternatives(&split.plain, Spelling::Utf8, next);
            match own {
                _ if !split.tail.is_empty() => {
                    let unit = self.context.memory.units.intern(Unit::Recursive(rule), rule);
                    let target = self.sequence(&split.tail, Spelling::Utf8, next);
                    let call = self.nfa.call(unit, target);
                    nodes.push(self.nfa.add(call));
                }
                Some((_, start)) => nodes.push(start),
                None => {
                    let unit = self.context.memory.units.intern(Unit::Recursive(rule), rule);
                    let call = self.nfa.call(unit, next);
                    nodes.push(self.nfa.add(call));
                    if split.recursive.iter().any(|&part| self.context.facts.nullable(part)) {
                        nodes.push(next);
                    }
                }
            }
            self.nfa.nodes[node as usize] = self.nfa.split(&nodes);
            return;
        }
        if let Some((_, start)) = own {
            // A rule that ends with itself starts again.
            self.nfa.nodes[node as usize] = self.nfa.split(&[start]);
            return;
        }
        let unit = self.context.unit_of_rule(self.plan, rule);
        let call = match self.context.facts.nonempty(self.context.grammar.rule(rule).body()) {
            true => self.nfa.call(unit, next),
            false => self.nfa.split(&[]),
        };
        self.nfa.nodes[node as usize] =
            match self.context.facts.nullable(self.context.grammar.rule(rule).body()) {
                true => {
                    let call = self.nfa.add(call);
                    self.nfa.split(&[call, next])
                }
                false => call,
            };
    }

    /// The body of a rule in line; direct left recursion becomes a loop.
    fn rule_body(&mut self, node: NodeId, rule: RuleId, next: NodeId) {
        let grammar = self.context.grammar;
        let recursion = left_recursion(grammar, rule).filter(|_| !self.plan.captures(grammar, rule));
        let Some((tails, others)) = recursion else {
            let body = self.node(grammar.rule(rule).body(), Spelling::Utf8, next);
            self.nfa.nodes[node as usize] = self.nfa.split(&[body]);
            return;
        };
        let head = self.nfa.reserve();
        let mut again = vec![next];
        let facts = self.context.facts;
        let goes_on = |tail: &&[ExprId]| !tail.is_empty() && tail.iter().all(|&part| facts.productive(part));
        for tail in tails.into_iter().filter(goes_on) {
            // `e ::= e "+" e`: what the last `e` reads already includes all further rounds of the loop, so it need not
            // come back to the head; as a tail call it is a jump, and the ambiguity is gone.
            let ends_with_itself =
                matches!(grammar.expr(tail[tail.len() - 1]), Expr::Rule(last) if *last == rule);
            again.push(self.sequence(tail, Spelling::Utf8, if ends_with_itself { next } else { head }));
        }
        self.nfa.nodes[head as usize] = self.nfa.split(&again);
        let entries = self.alternatives(&others, Spelling::Utf8, head);
        self.nfa.nodes[node as usize] = self.nfa.split(&entries);
    }

    fn counted(&mut self, start: NodeId, shape: &Shape, work: &mut Work<'_>) -> Result<(), Stop> {
        let exit = self.leads(&shape.after, self.draft.end);
        let head = match &shape.body {
            Body::Repeated(body) => {
                let head = self.nfa.reserve();
                let tick = self.nfa.add(Node::Tick(head));
                let body = if self.context.facts.nullable(*body) {
                    let unit = self
                        .context
                        .memory
                        .units
                        .intern(Unit::Body(*body, shape.body_spelling), self.draft.rule);
                    {
                        let call = self.nfa.call(unit, tick);
                        self.nfa.add(call)
                    }
                } else {
                    self.node(*body, shape.body_spelling, tick)
                };
                self.nfa.nodes[head as usize] = self.nfa.split(&[body, exit]);
                head
            }
            Body::Measured(parts) => {
                let dfa = self.context.measured_dfa(parts, self.draft.rule, self.plan, work)?;
                self.embed(dfa, shape.body_spelling, exit, true)
            }
        };
        let first = self.leads(&shape.before, head);
        self.nfa.nodes[start as usize] = self.nfa.split(&[first]);
        Ok(())
    }
}
