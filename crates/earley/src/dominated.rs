//! What another entry makes needless: items and waiters that are the same but for their counts.
//!
//! They are alike in all that may follow, but that one has counted more or has other members; where one can do all that
//! the other can, the other goes. That is what keeps `([a-z]+ ?){1,500}` at three items a row, and an object whose
//! values are members in several ways at one item where one of the ways is the best.

use crate::item::TableId;
use crate::sets::Sets;
use formwork_fsm::{Automata, Counter, RuleId};

/// Of sorted entries that differ in their sets alone, drops those whose set allows nothing that another's does not.
pub(crate) fn drop_weaker_sets<T: Copy>(
    automata: &Automata,
    sets: &Sets,
    entries: &mut Vec<T>,
    facts: impl Fn(&T) -> (RuleId, Option<TableId>, u32),
    same: impl Fn(&T, &T) -> bool,
) {
    let membership = |entry: &T| match facts(entry) {
        (_, Some(TableId::FLOATING), _) => None,
        (rule, ..) => automata.membership(rule),
    };
    if !entries.windows(2).any(|pair| same(&pair[0], &pair[1]) && membership(&pair[0]).is_some()) {
        return;
    }
    let mut kept = Vec::with_capacity(entries.len());
    // The count is the last field, so entries that are the same but for it are neighbours.
    for alike in entries.chunk_by(&same) {
        let set = |entry: &T| sets.get(facts(entry).2);
        kept.extend(alike.iter().filter(|entry| {
            membership(entry).is_none_or(|membership| {
                let stronger =
                    |other: &T| set(entry) != set(other) && membership.is_weaker(set(entry), set(other));
                !alike.iter().any(stronger)
            })
        }));
    }
    *entries = kept;
}

/// Sorts, and of entries that differ in their counts alone drops those that another can replace: among counts that
/// have reached the lower bound the least can do all that the others can; without an upper bound the greatest can.
pub(crate) fn sort_and_drop_dominated<T: Ord + Copy>(
    automata: &Automata,
    entries: &mut Vec<T>,
    facts: impl Fn(&T) -> (RuleId, Option<TableId>, u32),
    same: impl Fn(&T, &T) -> bool,
) {
    entries.sort_unstable();
    // The count is the last field, so equal entries but for the count are neighbours, the least count first.
    entries.dedup_by(|next, last| {
        if next == last {
            return true;
        }
        let (rule, origin, least) = facts(last);
        let (min, max) = match automata.counter(rule) {
            Some(Counter::Ticks { min, max }) => (min, max),
            Some(Counter::Steps { max }) => (0, Some(max)),
            _ => return false,
        };
        if origin == Some(TableId::FLOATING) || !same(last, next) {
            return false;
        }
        if max.is_none() {
            *last = *next;
        }
        max.is_none() || least >= min
    });
}
