//! Tokens that come too late: where they end, a region cannot end any more within its budget.
//!
//! Local masks know nothing of budgets, so that a token of a region's text is in the mask as long as the region reads it.
//! That is right until few tokens are left. Then tokens that leave something to be read, an unfinished character in free
//! text, may leave too much. They are found by a walk of the vocabulary's trie in rows, which leaves out what a loop reads
//! to a place where the region may end. It is made only where few tokens are left of a budget.

use crate::descent::Descent;
use formwork_earley::{LimitExceeded, RowId, Rows};
use formwork_fsm::Loop;
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};

/// The tokens whose bytes the row reads, but after which [no step may end](Rows::may_end_step).
///
/// Cost: up to the walk of the whole vocabulary, a few milliseconds.
///
/// # Errors
/// A limit on rows.
pub fn late_tokens(
    vocabulary: &Vocabulary,
    rows: &mut Rows,
    row: RowId,
) -> Result<Vec<TokenId>, LimitExceeded> {
    let mark = rows.mark();
    let result = walk(vocabulary.trie(), rows, row);
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
        let Some(next) = rows.advance(row, trie.byte(node))? else { continue };
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

/// Whether some item reads every text below the node and comes back to where it is, which is in time.
fn is_in_time(trie: &Trie, rows: &Rows, row: RowId, node: NodeId) -> bool {
    let automata = rows.automata();
    let items = rows.scannable(row).iter();
    items.filter(|item| rows.outlasts_step(item)).any(|item| loops(automata.own_loop(item.state), trie, node))
}

/// Whether a loop reads every text below the node to its end: characters of one byte have no middle.
fn loops(own_loop: Loop, trie: &Trie, node: NodeId) -> bool {
    let below = trie.bytes_below(node);
    own_loop.has_bytes(below) && below[2] | below[3] == 0
}
