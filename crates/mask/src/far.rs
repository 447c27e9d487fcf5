//! Items far from their bounds: masks for which nothing is counted.
//!
//! What a counted state says of a token depends on how far the item has counted, and finding it for all counts at once is
//! a dear walk: 0.5 to 4 ms and 400 KB for a pattern with `maxLength`. But most items are so far from their bounds that no token
//! brings them there. For those the state is taken [without its ticks](formwork_fsm::Automata::unticked), as a state like
//! any other, with all that makes those cheap. Two numbers decide which it is: how many bytes long the longest token is, and how
//! often the item still may tick.
//!
//! A lower bound is near as long as an item must count more than its state needs, since the rule must not end before. Where every
//! state [ticks on](formwork_fsm::Unticked::ticks_on) it says where the rule may end and nothing else, and of a rule that nobody calls
//! no token gets behind that end: then it is never near.
//!
//! The longest tokens are runs of blanks and dashes, 128 bytes in many vocabularies, while all but some hundreds have at
//! most [`SHORT`] bytes. So there is a middle: where only long tokens can reach the bound, they are taken out of the
//! mask, and a counted mask of long tokens alone, which is small, says which of them fit.
//!
//! # Worked example
//! `"\"" [a-z]{1,40} "\""`, longest token 128 bytes. At the beginning 40 ticks are left: too few for 128, enough for 24. The
//! mask is that of `"\"" [a-z]+ "\""`, but of the tokens of more than 24 bytes those that fit into 40. When 20 are left, the
//! counted mask of all tokens says which fit.

use crate::bits;
use formwork_earley::{Item, Rows};
use formwork_fsm::Counter;
use formwork_vocab::{TokenId, Trie, Vocabulary};
use std::sync::Arc;

/// Tokens of more bytes are decided apart where only they can reach a bound.
pub(crate) const SHORT: usize = 24;
/// How far an item is from the bounds of its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    /// No token reaches them.
    Far,
    /// None but the [long](LongTokens) ones does.
    Middle,
    Near,
}

/// The tokens of more than [`SHORT`] bytes.
#[derive(Debug)]
pub(crate) struct LongTokens {
    pub(crate) trie: Arc<Trie>,
    words: Box<[u32]>,
}

impl LongTokens {
    pub(crate) fn of(vocabulary: &Vocabulary) -> Self {
        let trie = vocabulary.trie();
        // PERF: few are long, and lengths stand side by side.
        let tokens = trie.tokens_below(Trie::ROOT).iter().zip(trie.lengths_below(Trie::ROOT));
        let long = tokens.filter(|&(_, &len)| usize::from(len) > SHORT);
        let long: Vec<(TokenId, &[u8])> =
            long.filter_map(|(&token, _)| Some((token, vocabulary.text(token)?))).collect();
        let mut words = vec![0; vocabulary.mask_words()];
        for &(token, _) in &long {
            bits::set(&mut words, token);
        }
        Self { trie: Arc::new(Trie::over(long)), words: words.into() }
    }

    /// Takes them out of a mask.
    pub(crate) fn clear(&self, mask: &mut [u32]) {
        for (word, long) in mask.iter_mut().zip(&self.words) {
            *word &= !long;
        }
    }
}

/// How far the item is from its rule's bounds, where the longest token has so many bytes. Items of rules that do not
/// count are far.
pub(crate) fn distance(rows: &Rows, item: &Item, longest: usize) -> Distance {
    let automata = rows.automata();
    let rule = automata.rule_of(item.state);
    // Calls are counted in rows.
    if !matches!(automata.counter(rule), Some(Counter::Ticks { .. })) || automata.refers(rule) {
        return Distance::Far;
    }
    let Some(unticked) = automata.unticked(rule) else { return Distance::Near };
    let (left, due) = left_and_due(rows, item);
    // What an item must count yet decides where the rule may end, and behind the end of one that nobody calls stands nothing.
    let matters = automata.is_called(rule) || !unticked.ticks_on();
    if matters && due > automata.ticks_ahead(item.state).0 {
        return Distance::Near;
    }
    match left {
        _ if left >= unticked.most_ticks(longest) => Distance::Far,
        _ if left >= unticked.most_ticks(SHORT) => Distance::Middle,
        _ => Distance::Near,
    }
}

/// How many ticks the item may still make, and how many it must.
pub(crate) fn left_and_due(rows: &Rows, item: &Item) -> (u32, u32) {
    let automata = rows.automata();
    match automata.counter(automata.rule_of(item.state)) {
        Some(Counter::Ticks { min, max }) => {
            (max.map_or(u32::MAX, |max| max.saturating_sub(item.count)), min.saturating_sub(item.count))
        }
        _ => (u32::MAX, 0),
    }
}
