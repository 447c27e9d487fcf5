//! Texts that must differ from those that came: which tokens of a local mask would only repeat one.
//!
//! The local mask of a state inside such a text has the tokens that go on in it as if nothing had come. An output differs from
//! all texts that came as soon as none of them begins like it, mostly with its first characters; then the mask is right. Where
//! some begin like it, the vocabulary's trie is followed along those alone, and what leads to a place from which no other text
//! is left is taken out. Tokens that end the text are walked from the item itself (`resolve.rs`), since what stands behind
//! depends on what the text was.
//!
//! # Worked example
//! `["ab","` where items have two letters, with the tokens `a`, `ab`, `b`, `ba`. All are in the local mask. `ab` came, so of
//! the trie `a` and `ab` are looked at: from `a` another text is left, from `ab` none. `b` begins no text that came: neither it
//! nor what is below it is looked at.

use crate::bits;
use crate::local::LocalMask;
use crate::resolve::add_accepted;
use formwork_earley::{LimitExceeded, RowId, Rows};
use formwork_vocab::{TokenId, Trie, Vocabulary};
use std::sync::Arc;

/// Per scannable item of a row the tokens that only repeat a text, by its position; those without any are left out.
///
/// Cost: linear in the nodes of the trie along the texts that came.
pub(crate) fn refused(
    vocabulary: &Vocabulary,
    rows: &mut Rows,
    row: RowId,
) -> Result<Vec<(usize, Vec<TokenId>)>, LimitExceeded> {
    let mut all = Vec::new();
    for i in 0..rows.scannable(row).len() {
        let Some(place) = rows.text_place(&rows.scannable(row)[i]) else { continue };
        if rows.is_new_text(place) {
            continue;
        }
        let trie = vocabulary.trie();
        let mut refused = Vec::new();
        let mut stack = vec![(Trie::ROOT, place)];
        while let Some((node, place)) = stack.pop() {
            for child in trie.children(node) {
                let Some(after) = rows.text_after(place, trie.byte(child)) else { continue };
                if rows.is_new_text(after) {
                    continue;
                }
                match rows.is_text_left(after)? {
                    true => stack.push((child, after)),
                    false => refused.extend_from_slice(trie.tokens_below(child)),
                }
            }
        }
        if !refused.is_empty() {
            all.push((i, refused));
        }
    }
    Ok(all)
}

/// Makes a mask hold what local masks accept, without the tokens that are refused to single items.
pub(crate) fn write_accepted(
    rows: &Rows,
    row: RowId,
    locals: &[Arc<LocalMask>],
    refused: &[(usize, Vec<TokenId>)],
    mask: &mut [u32],
) {
    mask.fill(0);
    let mut own = vec![0; mask.len()];
    for (i, (item, local)) in rows.scannable(row).iter().zip(locals).enumerate() {
        let Some((_, refused)) = refused.iter().find(|(of, _)| *of == i) else {
            add_accepted(rows, item, local, mask);
            continue;
        };
        own.fill(0);
        add_accepted(rows, item, local, &mut own);
        refused.iter().for_each(|&token| bits::clear(&mut own, token));
        bits::or(mask, &own);
    }
}
