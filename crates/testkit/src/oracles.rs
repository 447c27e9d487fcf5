//! One file per property.
//!
//! An oracle takes what it checks and answers with an [`Outcome`](crate::Outcome), so that the same function runs under
//! proptest, in a fuzz target and over a suite.
//! A [limit](formwork_grammar::Limits) that is reached is never a failure: the answer was refused, not wrong.

#[cfg(feature = "oracles-rows")]
mod rows_vs_reference;

#[cfg(feature = "oracles-ebnf")]
mod print_parse_roundtrip;

#[cfg(feature = "oracles-engine")]
mod brute_force;
#[cfg(feature = "oracles-engine")]
mod budgets_vs_terms;
#[cfg(feature = "oracles-engine")]
mod captures_vs_readings;
#[cfg(feature = "oracles-engine")]
mod case;
#[cfg(feature = "oracles-engine")]
mod counted_vs_expanded;
#[cfg(feature = "oracles-engine")]
mod earley_vs_reference;
#[cfg(feature = "oracles-engine")]
mod forced_text_is_forced;
#[cfg(feature = "oracles-engine")]
mod fork_independent;
#[cfg(feature = "oracles-engine")]
mod hostile_input_terminates;
#[cfg(feature = "oracles-engine")]
mod mask_has_no_dead_end;
#[cfg(feature = "oracles-engine")]
mod mask_vs_brute_force;
#[cfg(feature = "oracles-engine")]
mod pool_changes_nothing;
#[cfg(feature = "oracles-engine")]
mod readings;
#[cfg(feature = "oracles-engine")]
mod rollback_replay;
#[cfg(feature = "oracles-engine")]
mod switches_change_nothing;

#[cfg(feature = "oracles-rows")]
pub use rows_vs_reference::{RowCheck, rows_vs_reference};

#[cfg(feature = "oracles-ebnf")]
pub use print_parse_roundtrip::print_parse_roundtrip;

#[cfg(feature = "oracles-engine")]
pub use {
    brute_force::brute_force,
    budgets_vs_terms::budgets_vs_terms,
    captures_vs_readings::captures_vs_readings,
    case::{EngineCase, allows, ids, mask, random_config},
    counted_vs_expanded::counted_vs_expanded,
    earley_vs_reference::earley_vs_reference,
    forced_text_is_forced::forced_text_is_forced,
    fork_independent::fork_independent,
    hostile_input_terminates::hostile_input_terminates,
    mask_has_no_dead_end::mask_has_no_dead_end,
    mask_vs_brute_force::mask_vs_brute_force,
    pool_changes_nothing::pool_changes_nothing,
    rollback_replay::rollback_replay,
    switches_change_nothing::same_masks,
    switches_change_nothing::switches_change_nothing,
};
