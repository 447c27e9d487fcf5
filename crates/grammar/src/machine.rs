//! Languages given by an automaton that is never written down.

use crate::ByteSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A deterministic automaton over bytes whose states are computed when they are reached.
///
/// It is for languages that have too many states to be written as rules and need few of them for one output: decimals
/// that are multiples of 123,456,789, say, which need a remainder. A state is a number that only the machine understands.
///
/// From every state that [`start`](Self::start) and [`next`](Self::next) give, some text must be completed: nobody who has
/// not all states can find out, and masks would run empty.
pub trait Machine: fmt::Debug + Send + Sync {
    /// What it is, in full: machines of one name have the same states and texts.
    fn name(&self) -> &str;

    /// The state before anything was read; `None` if there are no texts at all.
    fn start(&self) -> Option<u128>;

    /// The state behind one more byte; `None` if no text goes on with it.
    fn next(&self, state: u128, byte: u8) -> Option<u128>;

    /// Whether a text may end in a state.
    fn may_end(&self, state: u128) -> bool;

    /// The bytes that texts are made of.
    fn alphabet(&self) -> ByteSet;
}

/// A shared [`Machine`], compared by its name.
#[derive(Clone, Debug)]
pub struct SharedMachine(Arc<dyn Machine>);

impl SharedMachine {
    /// Shares a machine.
    pub fn new(machine: impl Machine + 'static) -> Self {
        Self(Arc::new(machine))
    }

    /// The bytes that may come in a state.
    pub fn bytes_after(&self, state: u128) -> impl Iterator<Item = (u8, u128)> + '_ {
        let bytes = self.alphabet().ranges().into_iter().flat_map(|(low, high)| low..=high);
        bytes.filter_map(move |byte| Some((byte, self.next(state, byte)?)))
    }
}

impl std::ops::Deref for SharedMachine {
    type Target = dyn Machine;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for SharedMachine {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.name() == other.name()
    }
}

impl Eq for SharedMachine {}

impl Hash for SharedMachine {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.name().hash(hasher);
    }
}
