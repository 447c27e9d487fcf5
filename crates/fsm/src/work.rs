//! Counts the work of the construction, so that it ends within limits and can be interrupted, without a clock.

/// Why the construction of one automaton stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Too many states.
    States,
    /// Too many nodes.
    Nodes,
    /// Too many nodes in the states of one automaton.
    Members,
    /// The members of a set cannot come in any order.
    Order,
    /// Too many steps to find out whether the conditions of a set can be met.
    Conditions,
    /// Too much work in all.
    Work,
    /// The caller said stop.
    Interrupted,
}

/// The work left.
pub(crate) struct Work<'a> {
    left: u64,
    /// Work until the caller is asked again.
    until_asked: u64,
    interrupt: &'a dyn Fn() -> bool,
}

impl std::fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work").field("left", &self.left).finish_non_exhaustive()
    }
}

/// Work between two questions to the caller: some tens of microseconds.
const ASK_EVERY: u64 = 10_000;

impl<'a> Work<'a> {
    pub(crate) fn new(limit: u64, interrupt: &'a dyn Fn() -> bool) -> Self {
        Self { left: limit, until_asked: 0, interrupt }
    }

    /// The work left.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    pub(crate) fn spend(&mut self, amount: usize) -> Result<(), Stop> {
        let amount = amount as u64;
        self.left = self.left.checked_sub(amount).ok_or(Stop::Work)?;
        match self.until_asked.checked_sub(amount) {
            Some(rest) => self.until_asked = rest,
            None => {
                self.until_asked = ASK_EVERY;
                if (self.interrupt)() {
                    return Err(Stop::Interrupted);
                }
            }
        }
        Ok(())
    }
}
