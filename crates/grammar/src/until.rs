//! Text up to a trigger.

use crate::ExprId;

/// Text in which no trigger and no excluded text has been completed yet; then a trigger, and what its arm says.
///
/// The text is well-formed UTF-8. Where a trigger is completed, the arm *must* follow: the first trigger that completes
/// decides, whatever would have completed later. If several complete with the same byte, each of their arms may follow.
/// A byte that would complete an excluded text is refused; so is one that would complete a trigger at the same time.
/// If [`ends`](Self::ends), nothing need follow the text; the beginning of a trigger at its end is text like any other.
///
/// Triggers are [tags](crate::Expr::Tag): the names of symbols in them mean those symbols. Spelled out in bytes, such a trigger
/// is excluded, so that it cannot be passed by unseen.
///
/// A loop is a rule: `r ::= Until(("<a>", x r), ends)`. A stop string is an arm with nothing behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Until {
    /// One per arm; none is empty.
    triggers: Box<[Box<str>]>,
    /// What follows each.
    continuations: Box<[ExprId]>,
    /// None is empty.
    excluded: Box<[Box<str>]>,
    ends: bool,
}

impl Until {
    pub(crate) fn new(arms: Vec<(Box<str>, ExprId)>, excluded: Vec<Box<str>>, ends: bool) -> Self {
        let (triggers, continuations): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
        Self {
            triggers: triggers.into(),
            continuations: continuations.into(),
            excluded: excluded.into(),
            ends,
        }
    }

    /// The triggers, and what follows each, in the order written.
    pub fn arms(&self) -> impl Iterator<Item = (&str, ExprId)> {
        self.triggers.iter().map(|trigger| &**trigger).zip(self.continuations.iter().copied())
    }

    /// What follows the triggers, one after the other.
    pub fn continuations(&self) -> &[ExprId] {
        &self.continuations
    }

    /// The texts that may not occur, ascending.
    pub fn excluded(&self) -> &[Box<str>] {
        &self.excluded
    }

    /// Whether nothing need follow the text.
    pub fn ends(&self) -> bool {
        self.ends
    }

    /// The bytes of triggers and excluded texts.
    pub fn n_bytes(&self) -> usize {
        self.triggers.iter().chain(&self.excluded).map(|text| text.len()).sum()
    }
}
