//! The non-deterministic automaton between an expression and its deterministic automaton.
//!
//! Built backwards: a node is made for an expression *and what follows it*, and remembered under that pair.
//! So tails are shared whatever their shape (`n` optional properties of an object cost `n` nodes, not `n²`), and a rule
//! that is put in line in tail position is a jump.
//!
//! # Worked example
//! `root ::= "x"? "y"? "z"`, from its end: n0 is the end of the rule. `"z"` before n0 is n1, which reads z and goes to n0.
//! `"y"?` before n1 is n2, which goes on in n1, or in a node that reads y and goes to n1. `"x"?` before n2 likewise.
//! Every optional part has added one node that splits and one that reads, and all of them lead to the same n1. The states
//! are the sets of reading nodes: from {x, y, z} by x to {y, z}, from either by y to {z}, from all three by z to the end.
//!
//! A literal is one node until somebody follows it: read by its first letter, it becomes a node that reads that letter and
//! one for the rest. Names of members are most of what the automaton of a large object reads, and one output names a part
//! of them. Who has several letters at once [passes](Nfa::pass) them: the nodes between are never made.
//!
//! Built forwards, in Thompson's way, an optional part is a fragment with an exit of its own, and what follows it is built
//! once per exit or joined by hand.

use crate::choices::{Choices, Rest};
use crate::spelling::Spelling;
use formwork_grammar::{ExprId, HashMap};
use std::num::NonZeroU32;

/// A node, by its position.
pub(crate) type NodeId = u32;

/// A letter range of a node: bytes, or code points in an automaton over text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) low: u32,
    pub(crate) high: u32,
    pub(crate) target: NodeId,
}

/// A call of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NfaCall {
    /// The number of the automaton.
    pub(crate) unit: u32,
    /// One more than the number of the member that it is; 0 if it is none.
    pub(crate) member: u32,
    /// Where it goes on.
    pub(crate) target: NodeId,
}

/// What is known of the texts that may be read from a node as they stand in a JSON string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Unknown,
    /// Any text may be read.
    Any,
    /// Any text may be read, and behind each of its characters stands what stood before it.
    Free,
}

/// A node; what it has many of stands in the automaton's arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    /// Reads one letter, or what another automaton accepts: letters and calls, each `first..end`; and which texts may be
    /// read from here.
    Read { letters: (u32, u32), calls: (u32, u32), text: Text },
    /// Reads a literal.
    Literal(Rest),
    /// Reads one of several literals, a [list](crate::choices) of them, of which some letters that all begin with are passed.
    Choice { list: u32, n_passed: u32 },
    /// Reads an expression and goes on there: not written yet.
    Deferred { expr: ExprId, spelling: Spelling, next: NodeId },
    /// Is a state of an automaton over code points: not written yet.
    Text { text: u32, state: u32 },
    /// Reads what is left of an escape, one letter at least: not written yet.
    Spelled { rest: u32 },
    /// Goes on in all of these without reading: `first..end`.
    Split(u32, u32),
    /// One more repetition of the counted body is complete; goes on without reading.
    Tick(NodeId),
    /// The end of the rule.
    End,
}

/// A letter of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LiteralLetter {
    pub(crate) letter: u32,
    /// Whether one of its escapes in JSON, which another automaton accepts, may stand in its place. Then it is ASCII.
    pub(crate) has_escapes: bool,
}

impl Node {
    /// Whether it is to be written.
    pub(crate) fn is_deferred(self) -> bool {
        matches!(self, Self::Deferred { .. } | Self::Text { .. } | Self::Spelled { .. })
    }
}

/// Nodes; the entry and the end are kept by whoever builds it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nfa {
    pub(crate) nodes: Vec<Node>,
    /// Of literals, the last letter first.
    pub(crate) literals: Vec<LiteralLetter>,
    pub(crate) choices: Choices,
    /// By the position of a letter of a literal, the node that reads the rest from there, if there is one beside the whole.
    rests: Vec<Option<NonZeroU32>>,
    /// Nodes that literals are still to become.
    n_folded: usize,
    /// By letter the unit of its escapes, never the root; of those that were followed.
    ///
    /// PERF: of the letters of all names in an object an output follows a part. A unit for each, found in two numberings, was a
    /// sixth of building the automaton.
    escapes: Vec<Option<NonZeroU32>>,
    letters: Vec<Range>,
    calls: Vec<NfaCall>,
    targets: Vec<NodeId>,
    /// The nodes of optional rounds, by the repetition that they belong to. Of two of one repetition the later made, which is
    /// the earlier round, reads all that the other does.
    rounds: HashMap<NodeId, u32>,
    n_repetitions: u32,
}

impl Nfa {
    /// Without nodes, and with room for so many and for what they have.
    pub(crate) fn with_capacity(n_nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(n_nodes),
            literals: Vec::with_capacity(2 * n_nodes),
            letters: Vec::with_capacity(n_nodes),
            targets: Vec::with_capacity(n_nodes),
            ..Self::default()
        }
    }

    /// A node that does nothing yet.
    pub(crate) fn reserve(&mut self) -> NodeId {
        self.add(Node::Split(0, 0))
    }

    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).expect("max_nodes is far below 2³²");
        self.nodes.push(node);
        id
    }

    /// A node that reads one of these letters.
    pub(crate) fn read(&mut self, letters: &[Range]) -> Node {
        self.read_or_call(letters, &[])
    }

    /// A node that reads one of these letters, or what one of these automata accepts.
    pub(crate) fn read_or_call(&mut self, letters: &[Range], calls: &[(u32, NodeId)]) -> Node {
        let (first_letter, first_call) = (self.letters.len() as u32, self.calls.len() as u32);
        self.letters.extend_from_slice(letters);
        self.calls.extend(calls.iter().map(|&(unit, target)| NfaCall { unit, member: 0, target }));
        Node::Read {
            letters: (first_letter, self.letters.len() as u32),
            calls: (first_call, self.calls.len() as u32),
            text: Text::Unknown,
        }
    }

    /// A node that reads what another automaton accepts.
    pub(crate) fn call(&mut self, unit: u32, target: NodeId) -> Node {
        self.read_or_call(&[], &[(unit, target)])
    }

    /// A node that reads a member of a set, which another automaton accepts.
    pub(crate) fn call_member(&mut self, unit: u32, number: u32, target: NodeId) -> Node {
        let call = self.call(unit, target);
        if let Some(call) = self.calls.last_mut() {
            call.member = number + 1;
        }
        call
    }

    /// A node that reads a literal, which has two letters at least; the last letter comes first.
    pub(crate) fn literal(
        &mut self,
        letters: impl ExactSizeIterator<Item = LiteralLetter>,
        next: NodeId,
    ) -> Node {
        let first = self.literals.len() as u32;
        self.n_folded += letters.len() - 1;
        self.literals.extend(letters);
        Node::Literal(Rest { first, end: self.literals.len() as u32, next })
    }

    /// A letter of a literal whose escapes are a unit that is not [told](Self::set_escapes): one that a node may read first, if
    /// there is one.
    pub(crate) fn without_unit(&self, node: NodeId) -> Option<u32> {
        let without = |end: u32| {
            let first = self.literals[end as usize - 1];
            (first.has_escapes && self.escapes_of(first.letter).is_none()).then_some(first.letter)
        };
        match self.nodes[node as usize] {
            Node::Literal(rest) => without(rest.end),
            Node::Choice { list, n_passed } => {
                self.choices.rests(list).iter().find_map(|rest| without(rest.end - n_passed))
            }
            _ => None,
        }
    }

    /// Such letters of all nodes, some perhaps several times.
    pub(crate) fn all_without_unit(&self) -> Vec<u32> {
        let letters = self.literals.iter().filter(|letter| letter.has_escapes).map(|letter| letter.letter);
        letters.filter(|&letter| self.escapes_of(letter).is_none()).collect()
    }

    /// Tells the unit of a letter's escapes.
    pub(crate) fn set_escapes(&mut self, letter: u32, unit: u32) {
        self.escapes.resize(self.escapes.len().max(letter as usize + 1), None);
        self.escapes[letter as usize] = NonZeroU32::new(unit);
    }

    pub(crate) fn escapes_of(&self, letter: u32) -> Option<NonZeroU32> {
        self.escapes.get(letter as usize).copied().flatten()
    }

    /// Makes of a node that reads a literal one that reads its first letter, and one for the rest; of several literals likewise.
    pub(crate) fn unfold(&mut self, node: NodeId) {
        let (first, end, next) = match self.nodes[node as usize] {
            Node::Literal(Rest { first, end, next }) => (first, end, next),
            Node::Choice { list, n_passed } => return self.unfold_choice(node, list, n_passed),
            _ => return,
        };
        let target = self.rest(first, end - 1, next);
        let LiteralLetter { letter, has_escapes } = self.literals[end as usize - 1];
        let unit = self.escapes_of(letter).filter(|_| has_escapes);
        debug_assert_eq!(unit.is_some(), has_escapes, "its unit was told");
        let letters = [Range { low: letter, high: letter, target }];
        self.nodes[node as usize] = match unit {
            Some(unit) => self.read_or_call(&letters, &[(unit.get(), target)]),
            None => self.read(&letters),
        };
    }

    /// The letters that a node reads one after the other, with at least one more behind each, and nothing else but their escapes:
    /// of a literal all but its last, of a choice those that all of its literals have in common. At most so many, the last
    /// one first.
    pub(crate) fn ahead(&self, node: NodeId, most: usize) -> &[LiteralLetter] {
        let (end, n_ahead) = match self.nodes[node as usize] {
            Node::Literal(Rest { first, end, .. }) => (end, end - first - 1),
            Node::Choice { list, n_passed } => {
                let n_ahead = self.choices.n_common(list) - n_passed;
                (self.choices.rests(list)[0].end - n_passed, n_ahead)
            }
            _ => return &[],
        };
        &self.literals[end as usize - most.min(n_ahead as usize)..end as usize]
    }

    /// The node behind so many of the letters that are [ahead](Self::ahead) of one; `None` if these are fewer.
    pub(crate) fn pass(&mut self, node: NodeId, n_letters: u32) -> Option<NodeId> {
        let n_ahead = self.ahead(node, n_letters as usize).len();
        match self.nodes[node as usize] {
            _ if n_ahead < n_letters as usize => None,
            Node::Literal(Rest { first, end, next }) => Some(self.rest(first, end - n_letters, next)),
            Node::Choice { list, n_passed } => Some(self.passed(list, n_passed + n_letters)),
            _ => None,
        }
    }

    /// The node that reads what is left of a literal: each once, however it is reached.
    pub(crate) fn rest(&mut self, first: u32, end: u32, next: NodeId) -> NodeId {
        if end == first {
            return next;
        }
        let at = end as usize - 1;
        if let Some(known) = self.rests.get(at).copied().flatten() {
            return known.get() - 1;
        }
        self.n_folded -= 1;
        let node = self.add(Node::Literal(Rest { first, end, next }));
        self.rests.resize(self.rests.len().max(self.literals.len()), None);
        self.rests[at] = NonZeroU32::new(node + 1);
        node
    }

    /// The number of nodes once all literals are unfolded.
    pub(crate) fn n_nodes(&self) -> usize {
        self.nodes.len() + self.n_folded
    }

    /// Makes room for the nodes of all literals.
    pub(crate) fn reserve_literals(&mut self) {
        self.nodes.reserve(self.n_folded);
    }

    /// A node that goes on in all of these.
    pub(crate) fn split(&mut self, targets: &[NodeId]) -> Node {
        let first = self.targets.len() as u32;
        self.targets.extend_from_slice(targets);
        Node::Split(first, self.targets.len() as u32)
    }

    pub(crate) fn add_split(&mut self, targets: &[NodeId]) -> NodeId {
        let node = self.split(targets);
        self.add(node)
    }

    pub(crate) fn add_read(&mut self, letters: &[Range]) -> NodeId {
        let node = self.read(letters);
        self.add(node)
    }

    /// A new repetition whose rounds are [told](Self::set_round).
    pub(crate) fn add_repetition(&mut self) -> u32 {
        self.n_repetitions += 1;
        self.n_repetitions - 1
    }

    /// Says that a node is the next earlier optional round of a repetition.
    pub(crate) fn set_round(&mut self, node: NodeId, repetition: u32) {
        self.rounds.insert(node, repetition);
    }

    /// The repetition of which a node is an optional round.
    pub(crate) fn repetition(&self, node: NodeId) -> Option<u32> {
        self.rounds.get(&node).copied()
    }

    /// Repetitions whose rounds were told.
    pub(crate) fn n_repetitions(&self) -> usize {
        self.n_repetitions as usize
    }

    /// The lowest and the highest of all letters of all nodes.
    pub(crate) fn all_letters(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let of_literals = self.literals.iter().map(|letter| (letter.letter, letter.letter));
        self.letters.iter().map(|range| (range.low, range.high)).chain(of_literals)
    }

    /// Gives the units of all calls of all nodes other numbers; none of escapes is told yet.
    pub(crate) fn renumber_units(&mut self, mut number: impl FnMut(u32) -> u32) {
        self.calls.iter_mut().for_each(|call| call.unit = number(call.unit));
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<Node>() * self.nodes.capacity()
            + size_of::<LiteralLetter>() * self.literals.capacity()
            + size_of::<u32>() * (self.escapes.capacity() + self.rests.capacity())
            + size_of::<Range>() * self.letters.capacity()
            + size_of::<NfaCall>() * self.calls.capacity()
            + size_of::<NodeId>() * self.targets.capacity()
            + self.rounds.allocation_size()
            + self.choices.memory_size()
    }

    #[inline]
    pub(crate) fn letters(&self, (first, end): (u32, u32)) -> &[Range] {
        &self.letters[first as usize..end as usize]
    }

    #[inline]
    pub(crate) fn calls(&self, (first, end): (u32, u32)) -> &[NfaCall] {
        &self.calls[first as usize..end as usize]
    }

    #[inline]
    pub(crate) fn targets(&self, first: u32, end: u32) -> &[NodeId] {
        &self.targets[first as usize..end as usize]
    }
}
