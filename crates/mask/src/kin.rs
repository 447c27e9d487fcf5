//! States that read the same bytes, nearly all of which lead to the same state: their local masks differ along the others only.
//!
//! Inside of an escape in a name nothing loops, so there is no state with a wide loop that a mask could be based on. But of all
//! hexadecimal digits behind `\u00` in the middle of any name, at most that of the next declared letter leads elsewhere than to
//! where an escape of no declared name is. So the first state of a kin that a walker met is walked, and the others are the
//! [difference](crate::difference) from it.
//!
//! Half of all states of the rules of MaskBench's objects are inside of escapes. Outputs meet few; but who computes all masks took
//! 27 µs for each of them, nine tenths of the time, and takes 1.3.
//!
//! # Worked example
//! Names other than `n`, which is `\u006e`, and other than `z`, `\u007a`. Behind `\u00` the digit 6 leads to where `n` may still
//! come, 7 to where `z` may, each of the others of 22 to s, where one more digit completes a character that is in neither
//! name. Behind `a\u00`, all lead to s. Both states are of the kin (s, 22 digits). If the second one's mask is known, the first one's
//! is that, but for what differs below 6 and 7: behind `e`, `E` and `a`, `A` a quote is refused.

use crate::chains::widest;
use crate::walk::MANY;
use formwork_fsm::{RuleId, RuleView, StateId};
use formwork_grammar::ByteSet;

/// What states of one kin have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kin {
    rule: RuleId,
    /// Where nearly all bytes lead.
    target: u32,
    next_bytes: ByteSet,
}

/// One that reads more bytes is based on a state with a wide loop, if on any.
const MOST: usize = 32;

impl Kin {
    /// The kin of a state of a rule with these states, if three quarters of its bytes, of which there are some but not many, lead
    /// to one other state.
    ///
    /// Cost: a look at the number of bytes, and for few states at their edges.
    pub fn of(view: RuleView<'_>, state: StateId) -> Option<Self> {
        let next_bytes = *view.next_bytes(state.local());
        // PERF: most states read one byte, or nearly all.
        if !next_bytes.has_at_least(MANY) || next_bytes.has_at_least(MOST + 1) {
            return None;
        }
        let (characters, target) = widest(view, state.local());
        let n = characters.count_ones() as usize;
        let is_most = n >= MANY && 4 * n >= 3 * next_bytes.len() && target != state.local();
        is_most.then(|| Self { rule: state.rule(), target, next_bytes })
    }

    /// Where nearly all bytes lead.
    pub fn target(&self) -> u32 {
        self.target
    }
}
