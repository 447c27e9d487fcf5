//! Automata over code points: intersections and complements, and their nodes in other automata.

use super::{Builder, Context, Draft, literals};
use crate::cache::KeptText;
use crate::dfa::{Dfa, Letter};
use crate::facts::Told;
use crate::left_out::LeftOut;
use crate::nfa::{Node, NodeId, Range, Text};
use crate::plan::{Plan, operands};
use crate::spelling::Spelling;
use crate::subset::{Bounds, determinise};
use crate::text::{ANY, LAST, all_but, complement, intersection, tidy};
use crate::ticks::{longest_step, ticks};
use crate::unit::{Lengths, is_any_character, measured};
use crate::work::{Stop, Work};
use formwork_grammar::{Expr, ExprId, RuleId, TextLengths};
use smallvec::SmallVec;
use std::sync::Arc;

/// An automaton over code points in another's nodes.
#[derive(Clone, Debug)]
pub(super) struct Embedded {
    dfa: Arc<Dfa>,
    /// How its letters are spelled, and what follows its texts.
    spelling: Spelling,
    next: NodeId,
    /// What leads to its first state; what leads to the others stands behind.
    targets: NodeId,
    /// Whether every character ticks.
    ticks: bool,
    /// Whether all states read any text in JSON strings.
    any_text: bool,
}

/// A state of an automaton that [leaves out words](LeftOut), and the nodes that it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct InWords {
    node: NodeId,
    text: u32,
    state: u32,
}

/// States of an automaton over code points beyond which its JSON escapes are shared units.
const LARGE_TEXT: usize = 8;

impl Context<'_> {
    /// Of the intersections and complements that are used and whose extent does not show: whether they match any text, and any
    /// but the empty one. Those with a length that can be counted are found first. An error comes with the expression at
    /// hand.
    pub(crate) fn decide_texts(
        &mut self,
        plan: &Arc<Plan>,
        work: &mut Work<'_>,
    ) -> Result<Told, (Stop, ExprId)> {
        let facts = Arc::clone(self.facts);
        for &expr in facts.texts().iter().filter(|_| plan.counts()) {
            self.prepare_measured(expr, plan, work).map_err(|stop| (stop, expr))?;
        }
        let asked = facts.texts().iter().filter(|&&expr| !facts.is_infinite(expr));
        let told = |&expr| Ok((expr, self.text_facts(expr, plan, work).map_err(|stop| (stop, expr))?));
        asked.map(told).collect()
    }

    /// Notes how long the texts of an intersection with a length are, if they can be counted. The shape tells enough where one
    /// bound is to be kept; two must not fit into a gap, and which there are only the automaton shows.
    fn prepare_measured(&mut self, expr: ExprId, plan: &Plan, work: &mut Work<'_>) -> Result<(), Stop> {
        let Some((parts, min, max)) = measured(self.grammar, expr) else { return Ok(()) };
        let has_one_bound = min == 0 || max.is_none();
        let known = self.memory.measurable.get(&parts);
        if known.is_some_and(|known| known.step.is_some() || has_one_bound) {
            return Ok(());
        }
        let lengths = match has_one_bound {
            true => Some(self.lengths_of_shape(&parts)),
            false => match self.measured_text(&parts, self.grammar.root(), plan, work) {
                Ok(KeptText { lengths, .. }) => lengths,
                // Too large to be measured: whether that matters shows where the expression is used, if it is.
                Err(Stop::States | Stop::Nodes | Stop::Members) => None,
                Err(stop) => return Err(stop),
            },
        };
        Arc::make_mut(&mut self.memory.measurable).extend(lengths.map(|lengths| (parts, lengths)));
        Ok(())
    }

    /// What the shapes of several expressions tell of the lengths of the texts that all of them match.
    fn lengths_of_shape(&mut self, parts: &[ExprId]) -> Lengths {
        let number = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
        let of = |&part: &ExprId| self.text_lengths(part);
        let bounds = parts
            .iter()
            .map(of)
            .fold((0, u64::MAX), |(min, max), lengths| (lengths.min.max(min), lengths.max.min(max)));
        let bounds = (bounds.0 <= bounds.1).then(|| (number(bounds.0), number(bounds.1)));
        Lengths { bounds, step: None }
    }

    fn text_lengths(&mut self, text: ExprId) -> TextLengths {
        self.grammar.text_lengths(text, &mut self.memory.lengths)
    }

    /// How long the texts are, if `text` matches all texts of some lengths and says so by its shape.
    fn any_text_of(&mut self, text: ExprId) -> Option<TextLengths> {
        let grammar = self.grammar;
        let is_any = |part: ExprId| match grammar.expr(part) {
            Expr::Repeat { body, .. } => is_any_character(grammar, *body),
            _ => is_any_character(grammar, part),
        };
        let is_text = match grammar.expr(text) {
            Expr::Seq(parts) => parts.iter().all(|&part| is_any(part)),
            _ => is_any(text),
        };
        is_text.then(|| self.text_lengths(text))
    }

    /// The automaton over code points of texts that are measured, and how long they are.
    fn measured_text(
        &mut self,
        parts: &[ExprId],
        rule: RuleId,
        plan: &Plan,
        work: &mut Work<'_>,
    ) -> Result<KeptText, Stop> {
        if let Some(known) = self.memory.measured(parts) {
            return Ok(known);
        }
        let shared = self.memory.shared_text(self.grammar, plan, parts);
        if let Some(text) = shared.filter(|text| text.lengths.is_some()) {
            self.memory.keep_measured(parts, text.clone());
            return Ok(text);
        }
        for &part in parts {
            self.prepare_texts(part, rule, plan, work)?;
        }
        let dfa = self.intersection_of(parts, rule, plan, work)?;
        let bounds = ticks(&dfa, true, |_| true).first().copied().flatten();
        let lengths = Lengths { bounds, step: Some(longest_step(&dfa)) };
        let text = KeptText { dfa: Arc::new(dfa), lengths: Some(lengths) };
        self.memory.share_text(self.grammar, plan, parts, text.clone());
        self.memory.keep_measured(parts, text.clone());
        Ok(text)
    }

    /// The same without the lengths.
    pub(super) fn measured_dfa(
        &mut self,
        parts: &[ExprId],
        rule: RuleId,
        plan: &Plan,
        work: &mut Work<'_>,
    ) -> Result<Arc<Dfa>, Stop> {
        self.measured_text(parts, rule, plan, work).map(|text| text.dfa)
    }

    /// Of an intersection or a complement: whether it matches any text, and any but the empty one.
    fn text_facts(
        &mut self,
        expr: ExprId,
        plan: &Arc<Plan>,
        work: &mut Work<'_>,
    ) -> Result<(bool, bool), Stop> {
        if let Some(facts) = self.facts_of_shape(expr) {
            return Ok(facts);
        }
        if let Some((parts, min, max)) = measured(self.grammar, expr).filter(|_| plan.counts()) {
            let lengths = self.memory.measured(&parts).and_then(|text| text.lengths);
            if let Some(lengths) = lengths.filter(|lengths| lengths.decide(min, max)) {
                let within = lengths
                    .bounds
                    .filter(|&(least, greatest)| max.is_none_or(|max| least <= max) && greatest >= min);
                return Ok((within.is_some(), within.is_some_and(|(_, greatest)| greatest > 0)));
            }
        }
        if !self.finds_shared(expr, plan) {
            if let Some(facts) = self.witness(expr, plan, work)? {
                return Ok(facts);
            }
            self.prepare_texts(expr, self.grammar.root(), plan, work)?;
        }
        let dfa = self.memory.known_text(expr).unwrap_or_default();
        let nonempty = dfa.len() > 0 && !dfa.letters(0).is_empty();
        Ok((nonempty || dfa.len() > 0 && dfa.is_accepting(0), nonempty))
    }

    /// The same of what one expression matches within some lengths, but for what others match, if the shapes tell: some text is
    /// of another length than all of those.
    pub(super) fn facts_of_shape(&mut self, expr: ExprId) -> Option<(bool, bool)> {
        let operands = match self.grammar.expr(expr) {
            Expr::And(operands) => &operands[..],
            Expr::Not(_) => &[expr],
            _ => return None,
        };
        let (mut min, mut max) = (0, u64::MAX);
        let (mut text, mut others) = (None, None::<(u64, u64)>);
        for &operand in operands {
            if let Some(lengths) = self.any_text_of(operand) {
                (min, max) = (lengths.min.max(min), lengths.max.min(max));
            } else if let Expr::Not(body) = *self.grammar.expr(operand) {
                let lengths = self.text_lengths(body);
                let (low, high) = others.unwrap_or((u64::MAX, 0));
                others = Some((lengths.min.min(low), lengths.max.max(high)));
            } else if text.replace(operand).is_some() {
                return None;
            }
        }
        let lengths = text.map_or(TextLengths::ANY, |text| self.text_lengths(text));
        let Some((low, high)) = others else { return lengths.meet(min, max) };
        let shorter = low.checked_sub(1).and_then(|below| lengths.meet(min, max.min(below)));
        let longer = high.checked_add(1).and_then(|above| lengths.meet(min.max(above), max));
        [shorter, longer].contains(&Some((true, true))).then_some((true, true))
    }

    /// Whether an earlier grammar had the same intersection or complement, whose automaton is known now.
    fn finds_shared(&self, expr: ExprId, plan: &Plan) -> bool {
        match self.memory.shared_text(self.grammar, plan, &[expr]) {
            Some(text) => self.memory.keep_text(expr, text.dfa),
            None => return false,
        }
        true
    }

    /// The automaton over code points of what all of these expressions match, whose inner intersections and complements
    /// are known.
    fn intersection_of(
        &mut self,
        parts: &[ExprId],
        rule: RuleId,
        plan: &Plan,
        work: &mut Work<'_>,
    ) -> Result<Dfa, Stop> {
        let mut dfa: Option<Dfa> = None;
        for &part in parts {
            let next = self.text(part, rule, plan, work)?;
            dfa = Some(match dfa {
                None => next,
                Some(dfa) => intersection(&dfa, &next, self.limits.max_states, work)?,
            });
        }
        Ok(dfa.unwrap_or_default())
    }

    /// Makes sure that the automata over code points of all intersections and complements in `expr` exist.
    pub(super) fn prepare_texts(
        &mut self,
        expr: ExprId,
        rule: RuleId,
        plan: &Plan,
        work: &mut Work<'_>,
    ) -> Result<(), Stop> {
        let grammar = self.grammar;
        let mut found = Vec::new();
        let mut seen = formwork_grammar::HashSet::default();
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            if self.memory.known_text(expr).is_some() || !seen.insert(expr) {
                continue;
            }
            if matches!(grammar.expr(expr), Expr::And(_) | Expr::Not(_)) {
                if self.finds_shared(expr, plan) {
                    continue;
                }
                found.push(expr);
            }
            stack.extend_from_slice(operands(grammar.expr(expr)));
        }
        // Operands have lower ids, so in this order everything an automaton needs is there.
        found.sort_unstable();
        for expr in found {
            if let Some((parts, min, max)) = measured(self.grammar, expr) {
                let lengths = self.memory.measurable.get(&parts);
                if lengths.is_some_and(|lengths| lengths.are_within(min, max)) {
                    let dfa = self.measured_dfa(&parts, rule, plan, work)?;
                    self.memory.keep_text(expr, dfa);
                    continue;
                }
            }
            let mut is_shared = true;
            let dfa = match grammar.expr(expr) {
                Expr::Not(body) => match literals::words(grammar, *body, self.limits.max_states) {
                    Some(words) => {
                        // The names of one object's members: hardly another has the same.
                        is_shared = false;
                        all_but(words, work)?
                    }
                    None => complement(&self.text(*body, rule, plan, work)?, work)?,
                },
                expr => self.intersection_of(operands(expr), rule, plan, work)?,
            };
            let dfa = Arc::new(dfa);
            if is_shared {
                let text = KeptText { dfa: Arc::clone(&dfa), lengths: None };
                self.memory.share_text(grammar, plan, &[expr], text);
            }
            self.memory.keep_text(expr, dfa);
        }
        Ok(())
    }

    /// The minimal automaton over code points of a text expression whose inner intersections and complements are known.
    fn text(&mut self, expr: ExprId, rule: RuleId, plan: &Plan, work: &mut Work<'_>) -> Result<Dfa, Stop> {
        if let Some(dfa) = self.memory.known_text(expr) {
            return Ok(Dfa::clone(&dfa));
        }
        let bounds = Bounds { max_states: self.limits.max_states, max_members: self.max_members() };
        let (mut nfa, mut draft) = Draft::new(plan, rule);
        let mut builder = Builder { context: self, plan, nfa: &mut nfa, draft: &mut draft };
        let start = builder.node(expr, Spelling::CodePoints, builder.draft.end);
        builder.run(work)?;
        tidy(determinise(nfa, start, false, bounds, work)?, work)
    }
}

impl Builder<'_, '_> {
    /// The nodes of an automaton over code points, spelled, going on at `next`; with `ticks`, every character ticks.
    pub(super) fn embed(&mut self, dfa: Arc<Dfa>, spelling: Spelling, next: NodeId, ticks: bool) -> NodeId {
        if dfa.len() == 0 {
            return self.draft.dead;
        }
        let (text, first) = (self.draft.texts.len() as u32, self.nfa.nodes.len() as NodeId);
        self.nfa.nodes.reserve(dfa.len());
        for state in dfa.numbers() {
            self.nfa.add(Node::Text { text, state });
        }
        self.draft.todo.extend(dfa.numbers().rev().map(|state| first + state));
        let mut targets = first;
        if ticks {
            targets = self.nfa.nodes.len() as NodeId;
            for state in dfa.numbers() {
                self.nfa.add(Node::Tick(first + state));
            }
        }
        let reads_all = |state| {
            let next = |next, letter: &Letter| (letter.low == next).then_some(letter.high + 1);
            dfa.letters(state).iter().try_fold(0, next).is_some_and(|end| end > LAST)
        };
        let reads_any = || dfa.leaves_out_words || dfa.numbers().all(reads_all);
        let any_text = spelling == Spelling::Json && !ticks && reads_any();
        self.draft.texts.push(Embedded { dfa, spelling, next, targets, ticks, any_text });
        first
    }

    /// The node of a state of an automaton over code points.
    pub(super) fn text_state(&mut self, text: u32, state: u32) -> Node {
        let Embedded { dfa, spelling, next, targets, ticks, any_text } =
            self.draft.texts[text as usize].clone();
        let letters = dfa.letters(state);
        let edge =
            |letter: &Letter| Range { low: letter.low, high: letter.high, target: targets + letter.target };
        let edges: SmallVec<[Range; 8]> = letters.iter().map(edge).collect();
        // Escapes in line make a loop over nearly everything a plain one; elsewhere they multiply the states, unless these
        // are made when they are reached.
        let large = dfa.len() > LARGE_TEXT && !ticks && !self.draft.is_lazy;
        let loops = letters.iter().all(|letter| letter.target == state);
        let mut reads = self.characters(&edges, spelling, large && !loops);
        if let Node::Read { text, .. } = &mut reads {
            *text = match any_text {
                false => Text::Unknown,
                true if loops => Text::Free,
                true => Text::Any,
            };
        }
        if !dfa.is_accepting(state) {
            return reads;
        }
        let node = self.nfa.add(reads);
        if any_text && dfa.leaves_out_words && state != ANY {
            self.draft.in_words.push(InWords { node, text, state });
        }
        self.nfa.split(&[node, next])
    }
}

impl Draft {
    /// The words that are left out by a state of two nodes: one that is inside of the words, and one at which the texts go on that
    /// are none of them.
    pub(crate) fn left_out(&self, inside: NodeId, behind: NodeId) -> Option<LeftOut> {
        // They are noted as they are made.
        let at = self.in_words.binary_search_by_key(&inside, |at| at.node).ok()?;
        let InWords { text, state, .. } = self.in_words[at];
        let Embedded { dfa, next, targets, .. } = &self.texts[text as usize];
        (*next == behind).then(|| LeftOut::new(Arc::clone(dfa), state, *targets))
    }
}
