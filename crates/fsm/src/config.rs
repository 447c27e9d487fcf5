//! Switches and limits of the construction.

/// How automata are built. Every switch changes cost only: the language and the masks stay the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Put small, open and singly used rules into the automata that refer to them. Default on; without it, a rule
    /// boundary behind every character of a user's `char` rule makes masks thousands of times slower.
    pub inlining: bool,
    /// Merge states of equal future within each automaton. Default on.
    pub minimisation: bool,
    /// Compile large repetitions to counters instead of copies. Default on; without it `x{0,100000}` runs into limits.
    pub counters: bool,
    /// Give the JSON escapes of a character one automaton, which all literals call, instead of states in every literal.
    /// Default on; it makes the automata of property names five times smaller.
    pub shared_escapes: bool,
    /// Keep the automata of rules and pieces of rules for other grammars that have the same. Default on.
    pub shared_rules: bool,
    /// Make the states of rules when they are first reached, unless they count. Default on; most states of large objects never
    /// are.
    pub lazy: bool,
    /// Leave [bounds on runs](formwork_grammar::Grammar::bounded_runs) to whoever runs the automata, which then accept runs
    /// of any length; see [`Automata::runs`](crate::Automata::runs). Default off.
    pub runs: bool,
    /// Keep every rule that [captures](formwork_grammar::Rule::capture) as an automaton of its own, so that where it begins
    /// and ends can be read off. Default off; the language is the same.
    pub captures: bool,
    /// Bounds on growth.
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            inlining: true,
            minimisation: true,
            counters: true,
            shared_escapes: true,
            shared_rules: true,
            lazy: true,
            runs: false,
            captures: false,
            limits: Limits::default(),
        }
    }
}

/// Bounds on what is built; exceeding one is an error that names the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// States of all automata together, before minimisation; default 2,000,000.
    pub max_states: usize,
    /// Nodes of the non-deterministic automaton of one rule; default 4,000,000.
    pub max_nodes: usize,
    /// Members of the sets of nodes that the states of one rule's automaton stand for, while it is determinised; default
    /// 50,000,000 (some 200 MB).
    pub max_members: usize,
    /// Units of work (edges followed) of the whole construction; default 400,000,000 (some seconds).
    pub max_work: u64,
    /// States of one rule's automaton beyond which it is built again without inlining; default 20,000.
    pub inline_states: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_states: 2_000_000,
            max_nodes: 4_000_000,
            max_members: 50_000_000,
            max_work: 400_000_000,
            inline_states: 20_000,
        }
    }
}
