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

/// Per scannable item of a row the tokens that only repeat a text, by its position; items without any are left out.
pub(crate) struct Refused(Vec<(usize, Vec<TokenId>)>);

impl Refused {
    /// Those of a row.
    ///
    /// Cost: linear in the nodes of the trie along the texts that came.
    pub(crate) fn of(vocabulary: &Vocabulary, rows: &mut Rows, row: RowId) -> Result<Self, LimitExceeded> {
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
        Ok(Self(all))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what a local mask accepts for an item, but what is refused to it; another item may have added that.
    pub(crate) fn add_others(&self, rows: &Rows, row: RowId, i: usize, local: &LocalMask, mask: &mut [u32]) {
        let item = &rows.scannable(row)[i];
        let Some((_, refused)) = self.0.iter().find(|(of, _)| *of == i) else {
            return add_accepted(rows, item, local, mask);
        };
        let mut own = vec![0; mask.len()];
        add_accepted(rows, item, local, &mut own);
        refused.iter().for_each(|&token| bits::clear(&mut own, token));
        bits::or(mask, &own);
    }
}
