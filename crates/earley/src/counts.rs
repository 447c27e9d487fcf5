//! What the count of an item lets it do: go on, end, tick once more.

use crate::item::{Item, TableId};
use crate::sets::Sets;
use formwork_fsm::{Automata, Counter, StateId};

/// Whether an item in an accepting state has counted enough and not too much.
pub(crate) fn next_may_end(automata: &Automata, sets: &mut Sets, item: &Item) -> bool {
    let rule = automata.rule_of(item.state);
    match automata.counter(rule) {
        None | Some(Counter::Steps { .. } | Counter::Distinct) => true,
        Some(_) if item.origin == Some(TableId::FLOATING) => true,
        Some(Counter::Text) => !sets.texts.came(item.count),
        Some(Counter::Ticks { min, max }) => item.count >= min && max.is_none_or(|max| item.count <= max),
        Some(Counter::Members) => match automata.membership(rule) {
            None => automata.has_required(rule, sets.get(item.count)),
            Some(membership) => {
                sets.standing(rule, membership, item.count).is_some_and(|standing| standing.may_end)
            }
        },
    }
}

/// Whether the rule of `state` can still end within its bounds. The beginning's place decides whether bounds apply.
#[inline]
pub(crate) fn completable(
    automata: &Automata,
    sets: &mut Sets,
    state: StateId,
    origin: TableId,
    count: u32,
) -> bool {
    origin == TableId::FLOATING || within(automata, sets, state, count)
}

#[inline]
pub(crate) fn within(automata: &Automata, sets: &mut Sets, state: StateId, count: u32) -> bool {
    let rule = automata.rule_of(state);
    match automata.counter(rule) {
        None | Some(Counter::Steps { .. }) => true,
        Some(counter @ (Counter::Text | Counter::Distinct)) => {
            let found = match counter {
                Counter::Text => sets.texts.is_left(automata, state, count),
                _ => sets.texts.goes_on(automata, state, count),
            };
            sets.exceeded |= found.is_none();
            found.unwrap_or(false)
        }
        Some(Counter::Ticks { min, max }) => {
            let (need, reach) = automata.ticks_ahead(state);
            max.is_none_or(|max| count.saturating_add(need) <= max) && count.saturating_add(reach) >= min
        }
        Some(Counter::Members) => match automata.membership(rule) {
            None => automata.may_go_on(state, sets.get(count)),
            // What asks nothing does not depend on what may come.
            Some(_) if automata.guard(state) == 0 => true,
            Some(membership) => sets
                .standing(rule, membership, count)
                .is_some_and(|standing| automata.may_go_on_in(state, &standing)),
        },
    }
}

/// The count after a tick.
pub(crate) fn ticked(automata: &Automata, state: StateId, origin: TableId, count: u32) -> u32 {
    if origin == TableId::FLOATING { count.saturating_add(1) } else { saturated(automata, state, count + 1) }
}

/// Without an upper bound, counts beyond the lower one are all the same.
pub(crate) fn saturated(automata: &Automata, state: StateId, count: u32) -> u32 {
    match automata.counter(automata.rule_of(state)) {
        Some(Counter::Ticks { min, max: None }) => count.min(min),
        _ => count,
    }
}
