//! Budgets of regions, counted in tokens.
//!
//! A token counts in a region if one of its bytes does, or if it is read there as a symbol. The count is kept in the items
//! of rows (`steps.rs` of `formwork-earley`): [`Rows::end_steps`](formwork_earley::Rows::end_steps) is called where a token
//! ends. So the history, rollback and forks know nothing of budgets. Pieces of bytes are no tokens and count as none, but
//! they too may not leave more to be read than there are tokens left for it.
//!
//! # Masks
//! Where many tokens are left, a mask with a budget is the mask without. How many are many says the *farthest end* of a
//! region: the greatest number of bytes and symbols that lie between one of its states and its end, 3 in free text. Only
//! where fewer are left after the next token can a token come [too late](formwork_mask::late_tokens), and a region with a
//! budget that is small from the beginning can be entered too late inside of a token. Those tokens are tried one by one.

use crate::matcher::Matcher;
use formwork_earley::{LimitExceeded, RowId};
use formwork_fsm::{Automata, Counter, RuleId};
use formwork_mask::{Target, bits, late_tokens, unfinished_tokens};
use formwork_vocab::TokenId;
use std::sync::OnceLock;

/// The regions of a grammar.
#[derive(Debug)]
pub(crate) struct Budgets {
    /// Each with its farthest end.
    regions: Box<[(RuleId, u32)]>,
    /// Whether some budget is so small that the region may be entered too late.
    some_are_small: bool,
    /// From when they are first asked for.
    unfinished: OnceLock<Box<[TokenId]>>,
}

impl Budgets {
    /// `None` if there are none.
    pub(crate) fn of(automata: &Automata) -> Option<Self> {
        let farthest = |rule| {
            let states = automata.states_of(rule);
            states.map(|state| automata.units_to_end(state)).max().unwrap_or_default()
        };
        let regions: Box<[_]> = automata.regions().iter().map(|&rule| (rule, farthest(rule))).collect();
        let is_small = |&(rule, farthest): &(RuleId, u32)| matches!(automata.counter(rule), Some(Counter::Steps { max }) if max <= farthest);
        let some_are_small = regions.iter().any(is_small);
        (!regions.is_empty()).then(|| Self { regions, some_are_small, unfinished: OnceLock::new() })
    }

    fn farthest(&self, rule: RuleId) -> u32 {
        self.regions.iter().find(|region| region.0 == rule).map_or(0, |region| region.1)
    }
}

impl Matcher {
    /// Takes the tokens out of the mask of a row after which a region could not end in time.
    pub(crate) fn forbid_late(&mut self, row: RowId, mask: &mut Target<'_>) -> Result<(), LimitExceeded> {
        let compiled = self.compiled().clone();
        let Some(budgets) = compiled.budgets() else { return Ok(()) };
        let is_near = |&(rule, left): &(RuleId, u32)| left < budgets.farthest(rule);
        if !budgets.some_are_small && !self.rows().open_regions(row).any(|open| is_near(&open)) {
            return Ok(());
        }
        let vocabulary = compiled.vocabulary();
        let tried: Vec<TokenId> = match self.rows().waits_for_symbols(row) {
            // Any token may be a symbol here.
            true => bits::tokens(mask.as_words()).collect(),
            false => {
                let unfinished = budgets.unfinished.get_or_init(|| unfinished_tokens(vocabulary).into());
                let late = late_tokens(vocabulary, unfinished, self.rows_mut(), row)?;
                late.into_iter().filter(|&token| bits::get(mask.as_words(), token)).collect()
            }
        };
        for token in tried {
            if !self.allows(row, token)? {
                mask.clear(token);
            }
        }
        Ok(())
    }
}
