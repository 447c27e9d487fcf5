//! A deterministic automaton of one rule, before it takes its place among the others.

/// Over bytes and calls, or over code points (then without calls and ticks). State 0 is the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dfa {
    pub(crate) states: Vec<State>,
}

/// Deterministic in the letter *with its tick*: one byte may lead to one state without and to another with a tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Ascending by `low`; ranges of equal `ticks` are disjoint.
    pub(crate) letters: Vec<Letter>,
    /// Ascending by unit and tick; each pair at most once.
    pub(crate) calls: Vec<Call>,
    pub(crate) accepting: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Letter {
    pub(crate) low: u32,
    pub(crate) high: u32,
    pub(crate) ticks: bool,
    pub(crate) target: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Call {
    pub(crate) unit: u32,
    pub(crate) ticks: bool,
    pub(crate) target: u32,
}

impl Dfa {
    /// Keeps what `keep` says of the letters, calls and states, in order, and renumbers. The start always stays.
    pub(crate) fn retain(&mut self, live: &[bool], mut keep_call: impl FnMut(&Call) -> bool) {
        let mut renumbered = vec![u32::MAX; self.states.len()];
        let mut next = 0u32;
        for (i, renumbered) in renumbered.iter_mut().enumerate() {
            if i == 0 || live[i] {
                *renumbered = next;
                next += 1;
            }
        }
        let mut index = 0;
        self.states.retain_mut(|state| {
            let stays = renumbered[index] != u32::MAX;
            index += 1;
            if stays {
                state.letters.retain(|letter| live[letter.target as usize]);
                state.calls.retain(|call| live[call.target as usize] && keep_call(call));
                for target in state
                    .letters
                    .iter_mut()
                    .map(|letter| &mut letter.target)
                    .chain(state.calls.iter_mut().map(|call| &mut call.target))
                {
                    *target = renumbered[*target as usize];
                }
            }
            stays
        });
    }
}
