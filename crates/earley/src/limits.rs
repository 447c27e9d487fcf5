//! Bounds on the growth of rows.

use std::fmt;

/// Bounds on the growth of rows. Past one, advancing is an error and nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Items of one row, predicted and completed ones included; default 10,000.
    /// Only grammars that are ambiguous without bound (`root ::= root root | "a"`) reach it.
    pub max_items: usize,
    /// Steps of the closure of one row; default 200,000.
    pub max_work: usize,
    /// Memory of one arena in bytes; default 256 MiB.
    pub max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_items: 10_000, max_work: 200_000, max_bytes: 256 << 20 }
    }
}

/// A [limit](Limits) was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitExceeded {
    /// Too many items in one row: the grammar is too ambiguous here.
    Items,
    /// Too many steps for one row: the grammar is too ambiguous here.
    Work,
    /// The arena is full.
    Bytes,
    /// A rule that may begin here has too large an automaton; [`Automata::ready`](formwork_fsm::Automata::ready) says which.
    Automaton,
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Items => "the grammar is too ambiguous here: too many items in one row",
            Self::Work => "the grammar is too ambiguous here: too many steps for one row",
            Self::Bytes => "the rows of this output exceed their memory limit",
            Self::Automaton => "a rule that may begin here needs a larger automaton than the limits allow",
        })
    }
}

impl std::error::Error for LimitExceeded {}
