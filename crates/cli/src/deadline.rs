//! How long one piece of work may take.
#![expect(clippy::disallowed_types, reason = "the program, not the libraries, looks at the clock")]

use std::time::{Duration, Instant};

/// The moment at which a piece of work is given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// So long from now; a time beyond what the clock can count never comes.
    pub(crate) fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}
