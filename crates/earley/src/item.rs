//! Items and waiters, the contents of a row.

use formwork_fsm::{RuleId, StateId};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;

/// A waiter table of an arena. Equal tables have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(NonZeroU32);

impl TableId {
    /// The table of nobody: where a rule began whose beginning is not known.
    ///
    /// Items with this origin are *floating*. They make up rows that say what one state alone allows, whoever the rule's
    /// parent may be; the bounds of the floating rule's own counter do not apply to them.
    pub const FLOATING: Self = Self(NonZeroU32::MIN);

    pub(crate) fn from_index(index: usize) -> Option<Self> {
        NonZeroU32::new(u32::try_from(index).ok()?.checked_add(1)?).map(Self)
    }

    pub(crate) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Debug for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.index())
    }
}

/// A position in a rule that some parse of the output so far has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// The state of the rule's automaton.
    pub state: StateId,
    /// The waiter table of the row where the rule began; `None` means the row that the item is in.
    pub origin: Option<TableId>,
    /// The ticks counted so far, or the steps that have ended in a region, or the number of the set of members that came, or
    /// of the text that was read, or of the list of texts that came; 0 in a rule that does not count.
    pub count: u32,
}

impl Hash for Item {
    /// In two words: kernels are hashed at each byte of the output.
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(words(self.state.rule().index() as u32, self.state.number() as u32));
        hasher.write_u64(words(number(self.origin), self.count));
    }
}

#[inline]
fn words(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The origin's number; 0 is nobody's.
#[inline]
fn number(origin: Option<TableId>) -> u32 {
    origin.map_or(0, |table| table.0.get())
}

/// What goes on when a rule that began in this row ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiter {
    /// The rule that is waited for.
    pub rule: RuleId,
    /// The state in which the waiting rule goes on.
    pub target: StateId,
    /// Where the waiting rule began; `None` means in the table's own row.
    pub origin: Option<TableId>,
    /// The waiting rule's ticks, those of the edge included.
    pub count: u32,
}

impl Hash for Waiter {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(words(self.target.rule().index() as u32, self.target.number() as u32));
        hasher.write_u64(words(number(self.origin), self.count));
        hasher.write_u32(self.rule.index() as u32);
    }
}
