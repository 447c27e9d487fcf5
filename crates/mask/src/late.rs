//! Tokens that come too late: where they end, a region cannot end any more within its budget.
//!
//! Local masks know nothing of budgets, so that a token of a region's text is in the mask as long as the region reads it.
//! That is right until few tokens are left. Then tokens that leave something to be read, an unfinished character in free
//! text, may leave too much. They are found by a walk of the vocabulary's trie in rows, which leaves out what a loop reads
//! to a place where the region may end; of what it reads there, tokens that end inside of a character are tried one by one.
//! It is made only where few tokens are left of a budget.

use crate::descent::Descent;
use crate::slices::covers;
use formwork_earley::{LimitExceeded, RowId, Rows};
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};

/// The tokens that end inside of a character.
///
/// Cost: a look at the last bytes of each token.
pub fn unfinished_tokens(vocabulary: &Vocabulary) -> Vec<TokenId> {
    let is_unfinished = |text: &[u8]| {
        let n_after = text.iter().rev().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
        let lead = text.len().checked_sub(n_after + 1).map_or(0, |i| text[i]);
        let n_needed = match lead {
            0xF0.. => 3,
            0xE0.. => 2,
            0xC0.. => 1,
            _ => 0,
        };
        n_after < n_needed
    };
    let tokens = vocabulary.trie().tokens_below(Trie::ROOT).iter().copied();
    tokens.filter(|&token| vocabulary.text(token).is_some_and(is_unfinished)).collect()
}

/// The tokens whose bytes the row reads, but after which [no step may end](Rows::may_end_step); some perhaps twice.
/// `unfinished` are those that [end inside of a character](unfinished_tokens).
///
/// Cost: some hundred microseconds in free text, elsewhere up to the walk of the whole vocabulary, a few milliseconds.
///
/// # Errors
/// A limit on rows.
pub fn late_tokens(
    vocabulary: &Vocabulary,
    unfinished: &[TokenId],
    rows: &mut Rows,
    row: RowId,
) -> Result<Vec<TokenId>, LimitExceeded> {
    let mark = rows.mark();
    let result = walk(vocabulary.trie(), rows, row).and_then(|mut late| {
        for &token in unfinished {
            let text = vocabulary.text(token).unwrap_or_default();
            let mut at = Some(row);
            for &byte in text {
                let Some(row) = at else { break };
                at = rows.advance(row, byte)?;
            }
            late.extend(at.filter(|&end| !rows.may_end_step(end)).map(|_| token));
        }
        Ok(late)
    });
    rows.release(mark);
    result
}

fn walk(trie: &Trie, rows: &mut Rows, start: RowId) -> Result<Vec<TokenId>, LimitExceeded> {
    let mut late = Vec::new();
    let mut frames = vec![(start, Descent::new(trie, Trie::ROOT, rows.next_bytes(start)))];
    while let Some((row, children)) = frames.last_mut() {
        let row = *row;
        let Some(node) = children.next(trie) else {
            frames.pop();
            continue;
        };
        let byte = trie.byte(node);
        let read = children.wants(byte).then(|| rows.advance(row, byte)).transpose()?;
        let Some(next) = read.flatten() else { continue };
        let tokens = trie.tokens_at(node);
        if !tokens.is_empty() && !rows.may_end_step(next) {
            late.extend_from_slice(tokens);
        }
        if trie.end(node) > node.next() && !is_in_time(trie, rows, next, node) {
            frames.push((next, Descent::new(trie, node, rows.next_bytes(next))));
        }
    }
    Ok(late)
}

/// Whether some item reads every text below the node and comes back to where it is, which is in time, but for what ends
/// inside of a character.
fn is_in_time(trie: &Trie, rows: &Rows, row: RowId, node: NodeId) -> bool {
    let automata = rows.automata();
    let items = rows.scannable(row).iter();
    items
        .filter(|item| rows.outlasts_step(item))
        .any(|item| covers(automata.own_loop(item.state), trie, node))
}
