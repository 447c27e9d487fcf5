//! A counted rule without its counting.
//!
//! An item of `"\"" [a-z]{1,320} "\""` that has counted 10 is so far from 320 that no short text brings it there: what its state
//! says of short texts is what the state of `"\"" [a-z]+ "\""` says, which is found without counting. So the tables of a
//! counted rule have a second form in which nothing ticks, and two numbers say for which items it holds:
//! - from a state that needs `need` more ticks (see [`ticks`](crate::ticks)) every way to an end makes as many, so that for
//!   an item whose lower bound asks for no more, no end comes too early;
//! - behind any text the most that any state needs is [`most_needed`](Unticked::most_needed), so that an item which still may tick as
//!   often as the text is long, and so many times more, can end.
//!
//! Only for rules without calls, whose ticks are letters, and only where no byte leads to one state with and to another
//! without a tick: then the states stay what they are.

use crate::dfa::{Dfa, Letter};
use crate::tables::{Tables, Ticks};
use formwork_grammar::ByteSet;

/// A counted rule's tables without ticks.
#[derive(Debug)]
pub(crate) struct Unticked {
    pub(crate) tables: Tables,
    /// The most ticks that any state needs to an end.
    pub(crate) most_needed: u32,
}

impl Unticked {
    /// The same states with the same numbers; `None` if the rule calls others, or a byte leads both ways.
    ///
    /// Cost: linear in the edges.
    pub(crate) fn of(tables: &Tables) -> Option<Self> {
        if !tables.calls.is_empty() {
            return None;
        }
        let mut dfa = Dfa::default();
        let mut most_needed = 0;
        for pair in tables.states.windows(2) {
            let [this, next] = pair else { continue };
            most_needed = most_needed.max(this.need);
            let edges = &tables.byte_edges[this.first_edge as usize..next.first_edge as usize];
            let mut bytes = ByteSet::EMPTY;
            for edge in edges {
                let own = ByteSet::range(edge.low, edge.high);
                if !bytes.intersection(&own).is_empty() {
                    return None;
                }
                bytes = bytes.union(&own);
                let (low, high) = (u32::from(edge.low), u32::from(edge.high));
                dfa.add_letter(Letter { low, high, ticks: false, target: edge.target });
            }
            dfa.finish_merged(this.accepting);
        }
        let (tables, _) = Tables::of(&dfa, &Ticks::None, |_| ByteSet::EMPTY).ok()?;
        Some(Self { tables, most_needed })
    }
}
