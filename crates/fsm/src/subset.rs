//! Determinisation: the subset construction with ticks and calls as letters.
//!
//! A state of the result is a set of nodes that read something, or the end.
//! Following a letter leads to two sets: what is reached without passing a tick, and what is reached by passing one.
//! They are different states, since the count is part of what they mean; a letter together with its tick is
//! deterministic. Two ticks without a letter between cannot happen: a counted body that may be empty is made a unit of
//! its own, which cannot.
//!
//! Of the optional rounds of a repetition only the earliest that a state has is kept, in automata over code points: the
//! others read nothing that it does not (`[^.]{1,63}` behind any of the last 63 places, say, is one node for each state and
//! not a subset of 63).
//!
//! In automata that are made state by state, the literals of a set are gathered into one node ([`choices`](crate::choices)):
//! most sets of many members are names side by side.
//!
//! Cost: proportional to the edges of all member nodes over all states built, in time and in memory, which is why members
//! have a limit of their own; letters are swept in ranges, never one by one, so an automaton over code points costs no more
//! than one over bytes.

use crate::choices::Rest;
use crate::deferred::Deferred;
use crate::dfa::{Call, Dfa, Letter};
use crate::left_out::LeftOut;
use crate::nfa::{self, LiteralLetter, Nfa, NfaCall, Node, NodeId, Text};
use crate::work::{Stop, Work};
use formwork_grammar::{HashMap, Seeded};
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::ops::Range;

/// The deterministic automaton of what is read between `start` and [`Node::End`].
///
/// With `without_empty`, the empty text is taken out of the language: the start gets a state of its own that does not
/// accept. Stops at more than the states or members of `bounds`.
pub(crate) fn determinise(
    nfa: Nfa,
    start: NodeId,
    without_empty: bool,
    bounds: Bounds,
    work: &mut Work<'_>,
) -> Result<Dfa, Stop> {
    let mut subset = Subset::new(nfa, None, start, without_empty, bounds, work)?;
    // Most nodes that read are a state by themselves.
    let n_likely = subset.nfa.n_nodes() / 2;
    subset.nfa.reserve_literals();
    subset.sets.reserve(n_likely);
    subset.nodes.reserve(n_likely);
    let mut next = 0;
    while (next as usize) < subset.n_states() {
        let accepting = subset.expand(next, work)?;
        subset.dfa.finish_state(accepting);
        next += 1;
    }
    Ok(subset.dfa)
}

/// What one automaton may grow to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) max_states: usize,
    /// Members of all states together, of the lists of targets that are remembered, and of choices: what takes the memory when states
    /// have many members. Below 2³².
    pub(crate) max_members: usize,
}

/// Visiting a node costs little beside following an edge.
const VISITS_PER_EDGE: usize = 8;

/// Where a letter leads without a tick, and with one; `NOWHERE` if it does not.
type Reached = (u32, u32);

const NOWHERE: u32 = u32::MAX;
const UNKNOWN: Reached = (u32::MAX - 1, 0);

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
struct About {
    /// Where it leads as a target.
    reached: Reached,
    /// The state of this node alone.
    alone: u32,
    /// The stamp of the closure that last met it.
    seen: u32,
}

const NOTHING: About = About { reached: UNKNOWN, alone: NOWHERE, seen: 0 };

/// The construction between two states: sets of nodes, and the states that they are.
#[derive(Debug)]
pub(crate) struct Subset {
    nfa: Nfa,
    /// What writes the nodes that are not written yet.
    deferred: Option<Box<Deferred>>,
    without_empty: bool,
    /// The edges made so far.
    dfa: Dfa,
    /// The members of all states, each state's ascending, one after the other.
    nodes: Vec<NodeId>,
    /// Per state its part of `nodes`.
    sets: Vec<Range<u32>>,
    /// States of several members by these.
    ids: HashTable<u32>,
    /// Where a sorted list of several direct targets leads.
    by_targets: HashMap<Vec<NodeId>, Reached>,
    hasher: Seeded,
    /// Per node.
    about: Vec<About>,
    /// Per repetition the stamp of the closure that last met a round of it.
    repetitions_seen: Vec<u32>,
    stamp: u32,
    stack: Vec<NodeId>,
    /// The result of the last closure, and the nodes behind the ticks that it met.
    set: Vec<NodeId>,
    ticked: Vec<NodeId>,
    /// A buffer of `close`.
    literals: Vec<Rest>,
    /// Buffers of `expand`.
    letters: Vec<nfa::Range>,
    calls: Vec<NfaCall>,
    cells: Vec<u32>,
    open: Vec<nfa::Range>,
    targets: Vec<NodeId>,
    /// Members of the keys of `by_targets`.
    n_targets: usize,
    bounds: Bounds,
}

/// Fewer literals side by side are as well a node each.
const WORTH_A_CHOICE: usize = 3;

/// Room that most automata made state by state need.
const FEW: usize = 16;

fn members_of<'a>(sets: &[Range<u32>], nodes: &'a [NodeId], state: u32) -> &'a [NodeId] {
    let range = &sets[state as usize];
    &nodes[range.start as usize..range.end as usize]
}

/// What is known of the texts that a node reads.
fn text_of(node: &Node) -> Text {
    match node {
        Node::Read { text, .. } => *text,
        _ => Text::Unknown,
    }
}

impl Subset {
    /// The construction with its first state, whose edges are not made.
    pub(crate) fn new(
        nfa: Nfa,
        deferred: Option<Box<Deferred>>,
        start: NodeId,
        without_empty: bool,
        bounds: Bounds,
        work: &mut Work<'_>,
    ) -> Result<Self, Stop> {
        let n_nodes = nfa.nodes.len();
        let mut subset = Self {
            nfa,
            deferred,
            without_empty,
            dfa: Dfa::default(),
            nodes: Vec::with_capacity(FEW),
            sets: Vec::with_capacity(FEW),
            ids: HashTable::new(),
            by_targets: HashMap::default(),
            hasher: Seeded::default(),
            about: vec![NOTHING; n_nodes],
            repetitions_seen: Vec::new(),
            stamp: 0,
            stack: Vec::new(),
            set: Vec::new(),
            ticked: Vec::new(),
            literals: Vec::new(),
            letters: Vec::new(),
            calls: Vec::new(),
            cells: Vec::new(),
            open: Vec::new(),
            targets: Vec::new(),
            n_targets: 0,
            bounds,
        };
        subset.close(&[start], work)?;
        let first = if without_empty || subset.set.is_empty() { subset.push()? } else { subset.intern()? };
        debug_assert_eq!(first, 0, "the start is the first state");
        Ok(subset)
    }

    /// What writes the nodes, if they are written when they are reached.
    pub(crate) fn deferred(&self) -> Option<&Deferred> {
        self.deferred.as_deref()
    }

    /// What writes the nodes, for who begins anew: this is of no use any more.
    pub(crate) fn take_deferred(&mut self) -> Option<Box<Deferred>> {
        self.deferred.take()
    }

    /// The same, to ask it for more.
    pub(crate) fn deferred_mut(&mut self) -> Option<&mut Deferred> {
        self.deferred.as_deref_mut()
    }

    /// The lowest and the highest of the letters of all nodes written so far.
    pub(crate) fn all_letters(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.nfa.all_letters()
    }

    /// States that some edge leads to.
    pub(crate) fn n_states(&self) -> usize {
        self.sets.len()
    }

    /// What a state is, as far as that is known without its edges: whether it accepts, whether it reads anything, and whether
    /// it reads any text of a JSON string.
    /// And whether letters are [ahead](Self::ahead) of it.
    pub(crate) fn header(&self, state: u32) -> [bool; 4] {
        let members = self.members(state);
        let node = |node: &NodeId| self.nfa.nodes[*node as usize];
        let accepts = members.iter().any(|member| matches!(node(member), Node::End));
        let any_text = members.iter().any(|member| text_of(&node(member)) != Text::Unknown);
        let accepts_here = accepts && !(self.without_empty && state == 0);
        [accepts_here, members.len() > usize::from(accepts), any_text, !self.ahead(state, 1).is_empty()]
    }

    /// The letters that a state reads one after the other, with at least one more behind each, and nothing else but their
    /// escapes: at most so many, the last one first.
    pub(crate) fn ahead(&self, state: u32, most: usize) -> &[LiteralLetter] {
        match *self.members(state) {
            [node] => self.nfa.ahead(node, most),
            _ => &[],
        }
    }

    /// The words that a state leaves out which reads any other text, and then what it calls.
    pub(crate) fn left_out(&self, state: u32) -> Option<LeftOut> {
        let &[first, second] = self.members(state) else { return None };
        let calls_only = |node: NodeId| match self.nfa.nodes[node as usize] {
            Node::Read { letters, text: Text::Unknown, .. } => letters.0 == letters.1,
            _ => false,
        };
        let (inside, behind) = match (calls_only(first), calls_only(second)) {
            (true, false) => (second, first),
            (false, true) => (first, second),
            _ => return None,
        };
        self.deferred.as_ref()?.left_out(inside, behind)
    }

    /// The state at a place among the words that a state [leaves out](Self::left_out), without the states between.
    pub(crate) fn pass_words(
        &mut self,
        state: u32,
        place: u32,
        work: &mut Work<'_>,
    ) -> Result<Option<u32>, Stop> {
        let Some(words) = self.left_out(state) else { return Ok(None) };
        work.spend(1)?;
        self.follow_one(words.node(place), work).map(|(plain, _)| Some(plain))
    }

    /// What a state calls.
    pub(crate) fn called_units(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let calls = |&node: &NodeId| match self.nfa.nodes[node as usize] {
            Node::Read { calls, .. } => self.nfa.calls(calls),
            _ => &[],
        };
        self.members(state).iter().flat_map(calls).map(|call| call.unit)
    }

    /// The state behind some of the letters [ahead](Self::ahead), without the states between. `None` if there are not so many.
    pub(crate) fn pass(
        &mut self,
        state: u32,
        n_letters: u32,
        work: &mut Work<'_>,
    ) -> Result<Option<u32>, Stop> {
        let &[node] = self.members(state) else { return Ok(None) };
        let Some(target) = self.nfa.pass(node, n_letters) else { return Ok(None) };
        self.note_nodes();
        work.spend(1)?;
        self.follow_one(target, work).map(|(plain, _)| Some(plain))
    }

    /// Whether a state whose edges are made reads by its own edges the text of a JSON string and nothing else, and behind
    /// each character all that it does itself; which letters lead back to it, the caller has seen.
    pub(crate) fn is_free(&self, state: u32) -> bool {
        let mut is_free = false;
        self.members(state).iter().all(|&member| match self.nfa.nodes[member as usize] {
            Node::Read { text: Text::Free, .. } => !std::mem::replace(&mut is_free, true),
            Node::Read { letters, .. } => letters.0 == letters.1,
            Node::End => true,
            _ => false,
        }) && is_free
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        let lists = [
            (self.nodes.capacity(), size_of::<NodeId>()),
            (self.sets.capacity(), size_of::<Range<u32>>()),
            (self.n_targets, size_of::<NodeId>()),
            (self.about.capacity(), size_of::<About>()),
            (self.letters.capacity() + self.open.capacity(), size_of::<nfa::Range>()),
        ];
        lists.map(|(n, size)| n * size).iter().sum::<usize>()
            + self.nfa.memory_size()
            + self.ids.allocation_size()
            + self.by_targets.allocation_size()
            + self.deferred.as_ref().map_or(0, |deferred| deferred.source_size())
    }

    /// The edges made by [`expand`](Self::expand) since they were last [forgotten](Self::forget).
    pub(crate) fn made(&self) -> (&[Letter], &[Call]) {
        self.dfa.open()
    }

    /// Forgets the edges made so far.
    pub(crate) fn forget(&mut self) {
        self.dfa.clear();
    }

    /// Puts into `set` the reading nodes reached from `seeds` without a letter or a tick, into `ticked` what lies behind
    /// ticks.
    fn close(&mut self, seeds: &[NodeId], work: &mut Work<'_>) -> Result<(), Stop> {
        self.set.clear();
        self.ticked.clear();
        if let &[seed] = seeds {
            // Most targets read at once.
            let node = self.nfa.nodes[seed as usize];
            if let Node::Read { .. }
            | Node::Literal(_)
            | Node::Choice { .. }
            | Node::Spelled { .. }
            | Node::End = node
            {
                self.set.push(seed);
                return Ok(());
            }
        }
        self.stamp += 1;
        self.stack.extend_from_slice(seeds);
        let mut n_visits = 0;
        while let Some(node) = self.stack.pop() {
            n_visits += 1;
            if std::mem::replace(&mut self.about[node as usize].seen, self.stamp) == self.stamp {
                continue;
            }
            if !matches!(self.nfa.nodes[node as usize], Node::Spelled { .. }) {
                self.write(node, work)?;
            }
            match self.nfa.nodes[node as usize] {
                Node::Split(first, end) => self.stack.extend_from_slice(self.nfa.targets(first, end)),
                Node::Tick(target) => self.ticked.push(target),
                Node::Read { letters, calls, .. } if letters.0 == letters.1 && calls.0 == calls.1 => {}
                Node::Read { .. }
                | Node::Literal(_)
                | Node::Choice { .. }
                | Node::Spelled { .. }
                | Node::End => self.set.push(node),
                Node::Deferred { .. } | Node::Text { .. } => unreachable!("it was written"),
            }
        }
        if self.deferred.is_some() {
            self.gather_literals();
        }
        if self.set.len() > 1 {
            self.set.sort_unstable();
        }
        if self.nfa.n_repetitions() > 0 {
            self.drop_later_rounds();
        }
        work.spend(n_visits / VISITS_PER_EDGE)
    }

    /// Puts one [choice](crate::choices) into `set` for its literals, if they are several.
    fn gather_literals(&mut self) {
        let is_literal = |node: &&NodeId| matches!(self.nfa.nodes[**node as usize], Node::Literal(_));
        if self.set.iter().filter(is_literal).count() < WORTH_A_CHOICE {
            return;
        }
        let mut literals = std::mem::take(&mut self.literals);
        literals.clear();
        let nfa = &self.nfa;
        self.set.retain(|&node| {
            let Node::Literal(literal) = nfa.nodes[node as usize] else { return true };
            literals.push(literal);
            false
        });
        self.set.push(self.nfa.choice(&mut literals));
        self.literals = literals;
        self.note_nodes();
    }

    /// Keeps in `set`, which is sorted, the earliest round of each repetition: the last one made.
    fn drop_later_rounds(&mut self) {
        self.repetitions_seen.resize(self.nfa.n_repetitions(), 0);
        let mut kept = self.set.len();
        for i in (0..self.set.len()).rev() {
            let node = self.set[i];
            if let Some(repetition) = self.nfa.repetition(node) {
                let seen = &mut self.repetitions_seen[repetition as usize];
                if std::mem::replace(seen, self.stamp) == self.stamp {
                    continue;
                }
            }
            kept -= 1;
            self.set[kept] = node;
        }
        self.set.drain(..kept);
    }

    /// A new state of the nodes in `set`.
    fn push(&mut self) -> Result<u32, Stop> {
        let id = u32::try_from(self.sets.len()).map_err(|_| Stop::States)?;
        if self.sets.len() >= self.bounds.max_states {
            return Err(Stop::States);
        }
        let n_members = self.nodes.len() + self.n_targets + self.nfa.choices.n_rests() + self.set.len();
        if n_members > self.bounds.max_members {
            return Err(Stop::Members);
        }
        let start = self.nodes.len() as u32;
        self.nodes.extend_from_slice(&self.set);
        self.sets.push(start..self.nodes.len() as u32);
        Ok(id)
    }

    /// The state of the nodes in `set`; `NOWHERE` if there are none.
    fn intern(&mut self) -> Result<u32, Stop> {
        let node = match self.set[..] {
            [] => return Ok(NOWHERE),
            [node] => node as usize,
            _ => return self.intern_several(),
        };
        if self.about[node].alone == NOWHERE {
            self.about[node].alone = self.push()?;
        }
        Ok(self.about[node].alone)
    }

    fn intern_several(&mut self) -> Result<u32, Stop> {
        let hash = self.hasher.hash_one(&self.set);
        if let Some(&id) = self.ids.find(hash, |&id| self.members(id) == self.set) {
            return Ok(id);
        }
        let id = self.push()?;
        let Self { ids, sets, nodes, hasher, .. } = self;
        ids.insert_unique(hash, id, |&id| hasher.hash_one(members_of(sets, nodes, id)));
        Ok(id)
    }

    fn members(&self, state: u32) -> &[NodeId] {
        members_of(&self.sets, &self.nodes, state)
    }

    /// Makes room for what is known of nodes that were added.
    fn note_nodes(&mut self) {
        self.about.resize(self.nfa.nodes.len(), NOTHING);
    }

    /// Makes sure that a node is written.
    fn write(&mut self, node: NodeId, work: &mut Work<'_>) -> Result<(), Stop> {
        let is_deferred = self.nfa.nodes[node as usize].is_deferred();
        let Some(deferred) = self.deferred.as_mut().filter(|_| is_deferred) else { return Ok(()) };
        deferred.write(&mut self.nfa, node, work)?;
        self.note_nodes();
        Ok(())
    }

    /// Makes sure that a node has its letters.
    fn unfold(&mut self, node: NodeId, work: &mut Work<'_>) -> Result<(), Stop> {
        match self.nfa.nodes[node as usize] {
            Node::Literal(_) | Node::Choice { .. } => {
                while let (Some(letter), Some(deferred)) = (self.nfa.without_unit(node), &mut self.deferred) {
                    self.nfa.set_escapes(letter, deferred.escapes_of(letter));
                }
                let before = self.nfa.choices.n_rests();
                self.nfa.unfold(node);
                self.note_nodes();
                work.spend((self.nfa.choices.n_rests() - before) / VISITS_PER_EDGE)
            }
            // It reads whatever it is, so until now nobody needed to know what.
            Node::Spelled { .. } => self.write(node, work),
            _ => Ok(()),
        }
    }

    fn follow_one(&mut self, target: NodeId, work: &mut Work<'_>) -> Result<Reached, Stop> {
        let known = self.about[target as usize].reached;
        if known != UNKNOWN {
            return Ok(known);
        }
        let reached = self.reach(&[target], work)?;
        self.about[target as usize].reached = reached;
        Ok(reached)
    }

    fn follow(&mut self, targets: &mut Vec<NodeId>, work: &mut Work<'_>) -> Result<Reached, Stop> {
        if targets.len() > 1 {
            targets.sort_unstable();
            targets.dedup();
        }
        if let [only] = targets[..] {
            return self.follow_one(only, work);
        }
        if let Some(&known) = self.by_targets.get(targets) {
            return Ok(known);
        }
        let reached = self.reach(targets, work)?;
        self.n_targets += targets.len();
        self.by_targets.insert(targets.clone(), reached);
        Ok(reached)
    }

    fn reach(&mut self, targets: &[NodeId], work: &mut Work<'_>) -> Result<Reached, Stop> {
        self.close(targets, work)?;
        if self.ticked.is_empty() {
            return Ok((self.intern()?, NOWHERE));
        }
        let ticked = std::mem::take(&mut self.ticked);
        let plain = self.intern()?;
        // What lies behind a second tick cannot be reached without a letter: see above.
        self.close(&ticked, work)?;
        Ok((plain, self.intern()?))
    }

    /// Adds the edges of a state to the automaton; returns whether it accepts. After an error the construction is of no use.
    pub(crate) fn expand(&mut self, state: u32, work: &mut Work<'_>) -> Result<bool, Stop> {
        let mut letters = std::mem::take(&mut self.letters);
        let mut calls = std::mem::take(&mut self.calls);
        letters.clear();
        calls.clear();
        let mut accepting = false;
        let range = self.sets[state as usize].clone();
        for member in range {
            let node = self.nodes[member as usize];
            self.unfold(node, work)?;
            match self.nfa.nodes[node as usize] {
                Node::Read { letters: own_letters, calls: own_calls, .. } => {
                    letters.extend_from_slice(self.nfa.letters(own_letters));
                    calls.extend_from_slice(self.nfa.calls(own_calls));
                }
                Node::End => accepting = true,
                _ => {}
            }
        }
        work.spend(letters.len() + calls.len() + 1)?;
        self.expand_letters(&mut letters, work)?;
        if calls.len() > 1 {
            calls.sort_unstable();
        }
        let mut targets = Vec::new();
        for chunk in calls.chunk_by(|a, b| (a.unit, a.member) == (b.unit, b.member)) {
            let (plain, ticked) = match *chunk {
                [NfaCall { target, .. }] => self.follow_one(target, work)?,
                _ => {
                    targets.clear();
                    targets.extend(chunk.iter().map(|call| call.target));
                    self.follow(&mut targets, work)?
                }
            };
            // Members stand in sets only, in which nothing ticks.
            let member = chunk[0].member;
            for (target, tick) in [(plain, member), (ticked, 1)] {
                if target != NOWHERE {
                    self.dfa.add_call(Call { unit: chunk[0].unit, tick, target });
                }
            }
        }
        self.letters = letters;
        self.calls = calls;
        Ok(accepting && !(self.without_empty && state == 0))
    }

    /// Sweeps the ranges: between two neighbouring boundaries the set of targets does not change.
    fn expand_letters(&mut self, letters: &mut [nfa::Range], work: &mut Work<'_>) -> Result<(), Stop> {
        if letters.len() > 1 {
            letters.sort_unstable();
        }
        if letters.windows(2).all(|pair| pair[0].high < pair[1].low) {
            // Most states read each letter in one way: nothing to sweep.
            for range in letters.iter() {
                let reached = self.follow_one(range.target, work)?;
                self.emit(range.low, range.high, reached);
            }
        } else {
            let mut bounds = std::mem::take(&mut self.cells);
            bounds.clear();
            bounds.extend(letters.iter().flat_map(|range| [range.low, range.high + 1]));
            bounds.sort_unstable();
            bounds.dedup();
            // The ranges that cover the current cell, by a sweep: each enters once and leaves once.
            let mut open = std::mem::take(&mut self.open);
            let mut targets = std::mem::take(&mut self.targets);
            open.clear();
            let mut next = 0;
            for pair in bounds.windows(2) {
                open.retain(|range| range.high >= pair[0]);
                while letters.get(next).is_some_and(|range| range.low == pair[0]) {
                    open.push(letters[next]);
                    next += 1;
                }
                work.spend(open.len())?;
                if open.is_empty() {
                    continue;
                }
                targets.clear();
                targets.extend(open.iter().map(|range| range.target));
                let reached = self.follow(&mut targets, work)?;
                self.emit(pair[0], pair[1] - 1, reached);
            }
            (self.cells, self.open, self.targets) = (bounds, open, targets);
        }
        let open = self.dfa.open_letters();
        if open.iter().any(|letter| letter.ticks) {
            open.sort_unstable();
        }
        Ok(())
    }

    /// Adds the letters of a range, joined with what stands just before it.
    fn emit(&mut self, low: u32, high: u32, (plain, ticked): Reached) {
        for (target, ticks) in [(plain, false), (ticked, true)] {
            if target == NOWHERE {
                continue;
            }
            // The last letter of the same tick can only be among the last two.
            let joins =
                |last: &&mut Letter| last.ticks == ticks && last.target == target && last.high + 1 == low;
            match self.dfa.open_letters().iter_mut().rev().take(2).find(joins) {
                Some(last) => last.high = high,
                None => self.dfa.add_letter(Letter { low, high, ticks, target }),
            }
        }
    }
}
