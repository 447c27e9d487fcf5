//! One state at hand: what a walk asks of it at each byte, looked up once.
//!
//! Of a state that is [made when it is reached](crate::lazy) each question costs some loads that depend on each other, to find
//! where it is; a walk of a vocabulary asks half a dozen at each node.

use crate::automata;
use crate::lazy::{Lazy, LazyState};
use crate::loops::Loop;
use crate::tables::{ByteEdge, Tables};
use formwork_grammar::ByteSet;

/// A state of a rule that is [at hand](crate::RuleView::at), with its edges.
#[derive(Clone, Copy, Debug)]
pub struct StateView<'a> {
    tables: &'a Tables,
    number: u32,
    made: Option<(&'a Lazy, &'a LazyState)>,
}

impl<'a> StateView<'a> {
    /// A state; its edges are made if they are not yet.
    #[inline]
    pub(crate) fn of(tables: &'a Tables, number: u32) -> Self {
        let made = tables.as_lazy().map(|lazy| (lazy, lazy.state(number)));
        Self { tables, number, made }
    }

    /// The edges over bytes without a tick, ascending and disjoint.
    #[inline]
    pub fn plain_edges(&self) -> &'a [ByteEdge] {
        match self.made {
            None => self.tables.plain_edges(self.number),
            Some((_, state)) => state.byte_edges(),
        }
    }

    /// The number of the state to which a byte leads without a tick.
    #[inline]
    pub fn step(&self, byte: u8) -> Option<u32> {
        automata::find(self.plain_edges(), byte)
    }

    /// As [`Automata::next_bytes`](crate::Automata::next_bytes).
    #[inline]
    pub fn next_bytes(&self) -> &'a ByteSet {
        match self.made {
            None => self.tables.next_bytes(self.number),
            Some((lazy, state)) => lazy.next_bytes_of(state),
        }
    }

    /// As [`Automata::called_bytes`](crate::Automata::called_bytes).
    #[inline]
    pub fn called_bytes(&self) -> &'a ByteSet {
        match self.made {
            None => self.tables.called_bytes(self.number),
            Some((lazy, state)) => lazy.called_bytes_of(state),
        }
    }

    /// As [`Automata::own_loop`](crate::Automata::own_loop).
    #[inline]
    pub fn own_loop(&self) -> Loop {
        match self.made {
            None => *self.tables.own_loop(self.number),
            Some((lazy, state)) => *lazy.own_loop_of(self.tables, self.number, state),
        }
    }

    /// Whether it reads bytes.
    #[inline]
    pub fn reads_bytes(&self) -> bool {
        match self.made {
            None => self.tables.reads_bytes(self.number),
            Some((_, state)) => !state.byte_edges().is_empty(),
        }
    }

    /// As [`Automata::is_accepting`](crate::Automata::is_accepting).
    #[inline]
    pub fn is_accepting(&self) -> bool {
        self.tables.is_accepting(self.number)
    }

    /// As [`Automata::has_failed`](crate::Automata::has_failed), of its rule.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.tables.has_failed()
    }

    /// Whether reading is all that it does: it refers to no rule and cannot end, and none of the rule's states was beyond a limit.
    #[inline]
    pub(crate) fn only_reads(&self) -> bool {
        let reads = match self.made {
            None => self.tables.reads_bytes(self.number) && self.tables.call_edges(self.number).is_empty(),
            Some((_, state)) => !state.byte_edges().is_empty() && state.calls().is_empty(),
        };
        reads && !self.tables.is_accepting(self.number) && !self.tables.has_failed()
    }
}
