//! The finished automata of a grammar, in flat tables.

use formwork_grammar::{ByteSet, Place, SymbolSet};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id of entry number `index`.
            ///
            /// # Panics
            /// Past 2³² entries, which the limits of the construction exclude.
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("limits keep indices below 2³²"))
            }

            /// The position in the table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id! {
    /// A state; numbered across all automata of a grammar.
    StateId, "s"
}
id! {
    /// An automaton: a rule of the grammar that kept its own, or a counted piece of one.
    RuleId, "r"
}

/// The automata of a grammar: deterministic over bytes and rule references, free of ε, without dead states.
///
/// Every automaton accepts its rule's language *without the empty text*; only the [root](Self::root_may_be_empty)
/// remembers whether it may be empty. From every state an accepting one can be reached within the bounds of its counter,
/// and every rule that an edge refers to has texts. Rules that are [symbols](Self::symbols) are the exception: they are
/// completed from outside.
///
/// Immutable and `Send + Sync`. About 90 bytes a state.
#[derive(Clone, Debug)]
pub struct Automata {
    pub(crate) states: Vec<State>,
    pub(crate) byte_edges: Vec<ByteEdge>,
    pub(crate) rule_edges: Vec<RuleEdge>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) root_may_be_empty: bool,
    /// Bytes on some edge.
    pub(crate) alphabet: ByteSet,
}

/// What is known of one state. Ranges are into the shared edge tables.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) rule: RuleId,
    /// Edges without a tick: `first_edge..first_ticking`; with a tick: `first_ticking..` up to the next state's first.
    /// Each part is ascending and disjoint.
    pub(crate) first_edge: u32,
    pub(crate) first_ticking: u32,
    pub(crate) first_call: u32,
    /// Least number of ticks on a way to acceptance.
    pub(crate) need: u32,
    /// Greatest number of ticks on a way to acceptance; `u32::MAX` means without end.
    pub(crate) reach: u32,
    pub(crate) accepting: bool,
    /// Whether every well-formed character beyond ASCII leads from the state back to itself without a tick.
    pub(crate) loops_utf8: bool,
    /// ASCII bytes that lead from the state to itself without a tick, and nowhere else.
    pub(crate) ascii_loop: u128,
    /// The same for bytes and characters that lead back with exactly one tick.
    pub(crate) ticking_ascii_loop: u128,
    pub(crate) ticking_loops_utf8: bool,
    pub(crate) next_bytes: ByteSet,
    /// Bytes with which a rule may begin that the state calls.
    pub(crate) called_bytes: ByteSet,
    /// The first state with the same future but for the bounds of its own rule's counter.
    pub(crate) class: StateId,
}

/// Reads a byte of `low..=high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteEdge {
    /// The lowest byte of the range.
    pub low: u8,
    /// The highest byte of the range.
    pub high: u8,
    /// Where it leads.
    pub target: StateId,
}

/// Reads what another rule accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleEdge {
    /// The rule that is read.
    pub rule: RuleId,
    /// Where it leads.
    pub target: StateId,
    /// Whether it completes one more repetition of the counted body.
    pub ticks: bool,
}

/// The bounds of a counted rule: how many ticks a text of it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The least number.
    pub min: u32,
    /// The greatest number; `None` means without end.
    pub max: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) start: StateId,
    pub(crate) counter: Option<Counter>,
    /// Whether some state of the automaton has rule edges.
    pub(crate) refers: bool,
    /// Whether some rule refers to it.
    pub(crate) is_called: bool,
    /// If the rule is one symbol of a set: its automaton is a state that reads nothing and does not accept.
    pub(crate) symbols: Option<SymbolSet>,
}

impl Automata {
    /// The rule that the whole output must match.
    pub fn root(&self) -> RuleId {
        RuleId(0)
    }

    /// Whether the empty output is complete.
    pub fn root_may_be_empty(&self) -> bool {
        self.root_may_be_empty
    }

    /// The number of states; ids are below it.
    pub fn n_states(&self) -> usize {
        self.states.len() - 1
    }

    /// The number of rules; ids are below it.
    pub fn n_rules(&self) -> usize {
        self.rules.len()
    }

    /// Bytes that occur in some text of the grammar.
    pub fn alphabet(&self) -> ByteSet {
        self.alphabet
    }

    /// The rule's name in the user's grammar.
    pub fn name(&self, rule: RuleId) -> &str {
        &self.rules[rule.index()].name
    }

    /// Where the rule came from.
    pub fn place(&self, rule: RuleId) -> &Place {
        &self.rules[rule.index()].place
    }

    /// Where the rule begins. Never accepting.
    #[inline]
    pub fn start(&self, rule: RuleId) -> StateId {
        self.rules[rule.index()].start
    }

    /// The bounds on the rule's ticks, if it counts.
    #[inline]
    pub fn counter(&self, rule: RuleId) -> Option<Counter> {
        self.rules[rule.index()].counter
    }

    /// Whether some state of the rule refers to other rules.
    pub fn refers(&self, rule: RuleId) -> bool {
        self.rules[rule.index()].refers
    }

    /// Whether some rule, perhaps itself, refers to the rule; only the root may be one that none does.
    pub fn is_called(&self, rule: RuleId) -> bool {
        self.rules[rule.index()].is_called
    }

    /// The symbols, if the rule is one symbol of a set. Such a rule has one state, which reads nothing and does not accept:
    /// whoever runs the automata completes the rule when a symbol of the set comes.
    #[inline]
    pub fn symbols(&self, rule: RuleId) -> Option<&SymbolSet> {
        self.rules[rule.index()].symbols.as_ref()
    }

    /// The rule that the state belongs to.
    #[inline]
    pub fn rule_of(&self, state: StateId) -> RuleId {
        self.states[state.index()].rule
    }

    /// Whether the rule may end here, if its counter allows.
    #[inline]
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.states[state.index()].accepting
    }

    /// Whether the rule always ends here: accepting, without edges, not counted.
    #[inline]
    pub fn is_finished(&self, state: StateId) -> bool {
        let i = state.index();
        self.states[i].accepting
            && self.states[i].first_edge == self.states[i + 1].first_edge
            && self.states[i].first_call == self.states[i + 1].first_call
            && self.counter(self.states[i].rule).is_none()
    }

    /// Where `byte` leads: (without a tick, with a tick).
    #[inline]
    pub fn step(&self, state: StateId, byte: u8) -> (Option<StateId>, Option<StateId>) {
        let i = state.index();
        let (this, end) = (&self.states[i], self.states[i + 1].first_edge as usize);
        let ticking = this.first_ticking as usize;
        let plain = find(&self.byte_edges[this.first_edge as usize..ticking], byte);
        if ticking == end {
            return (plain, None);
        }
        (plain, find(&self.byte_edges[ticking..end], byte))
    }

    /// The edges over bytes: (without a tick, with a tick), each ascending and disjoint.
    pub fn byte_edges(&self, state: StateId) -> (&[ByteEdge], &[ByteEdge]) {
        let i = state.index();
        let (this, end) = (&self.states[i], self.states[i + 1].first_edge as usize);
        let ticking = this.first_ticking as usize;
        (&self.byte_edges[this.first_edge as usize..ticking], &self.byte_edges[ticking..end])
    }

    /// The edges over rules, ascending by rule.
    #[inline]
    pub fn rule_edges(&self, state: StateId) -> &[RuleEdge] {
        let i = state.index();
        &self.rule_edges[self.states[i].first_call as usize..self.states[i + 1].first_call as usize]
    }

    /// Bytes that some edge of the state reads.
    #[inline]
    pub fn next_bytes(&self, state: StateId) -> &ByteSet {
        &self.states[state.index()].next_bytes
    }

    /// Bytes with which a rule may begin that the state refers to, directly or at the beginning of one that it refers to.
    ///
    /// On any other byte the state behaves as if it had no rule edges.
    #[inline]
    pub fn called_bytes(&self, state: StateId) -> &ByteSet {
        &self.states[state.index()].called_bytes
    }

    /// Whether the state reads bytes.
    #[inline]
    pub fn is_scannable(&self, state: StateId) -> bool {
        let i = state.index();
        self.states[i].first_edge != self.states[i + 1].first_edge
    }

    /// The least and the greatest number of ticks on a way from the state to acceptance (`u32::MAX`: without end).
    #[inline]
    pub fn ticks_ahead(&self, state: StateId) -> (u32, u32) {
        let state = &self.states[state.index()];
        (state.need, state.reach)
    }

    /// The state's loop: ASCII bytes that lead only back to it without a tick (bit = byte), and whether every
    /// well-formed character beyond ASCII does too.
    #[inline]
    pub fn own_loop(&self, state: StateId) -> (u128, bool) {
        let state = &self.states[state.index()];
        (state.ascii_loop, state.loops_utf8)
    }

    /// The state's ticking loop: ASCII bytes that lead only back to it and tick, and whether every well-formed character
    /// beyond ASCII does too, ticking once, with its last byte.
    #[inline]
    pub fn own_ticking_loop(&self, state: StateId) -> (u128, bool) {
        let state = &self.states[state.index()];
        (state.ticking_ascii_loop, state.ticking_loops_utf8)
    }

    /// The first state that has the same future, the bounds of its own rule's counter left aside.
    ///
    /// What is computed for a state without regard to those bounds holds for the whole class.
    pub fn class(&self, state: StateId) -> StateId {
        self.states[state.index()].class
    }

    /// All states, ascending.
    pub fn states(&self) -> impl Iterator<Item = StateId> + '_ {
        (0..self.n_states()).map(StateId::from_index)
    }

    /// All rules, ascending.
    pub fn rules(&self) -> impl Iterator<Item = RuleId> + '_ {
        (0..self.n_rules()).map(RuleId::from_index)
    }

    /// The states of a rule, ascending; they are contiguous.
    pub fn states_of(&self, rule: RuleId) -> impl Iterator<Item = StateId> + '_ {
        let start = self.start(rule).index();
        let end = self.rules.get(rule.index() + 1).map_or(self.n_states(), |next| next.start.index());
        (start..end).map(StateId::from_index)
    }

    /// Heap memory in bytes.
    pub fn memory_size(&self) -> usize {
        size_of_val(&self.states[..])
            + size_of_val(&self.byte_edges[..])
            + size_of_val(&self.rule_edges[..])
            + size_of_val(&self.rules[..])
    }
}

/// Binary above a dozen ranges, else linear: measured equal to dense tables, at a tenth of their memory.
#[inline]
fn find(edges: &[ByteEdge], byte: u8) -> Option<StateId> {
    if edges.len() <= 12 {
        for edge in edges {
            if byte <= edge.high {
                return (edge.low <= byte).then_some(edge.target);
            }
        }
        return None;
    }
    let i = edges.partition_point(|edge| edge.high < byte);
    edges.get(i).filter(|edge| edge.low <= byte).map(|edge| edge.target)
}
