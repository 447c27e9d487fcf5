//! Loop slices: the tokens that a loop takes wholesale.
//!
//! A state that returns to itself on a set of ASCII bytes, and perhaps on every other character, accepts every token made
//! of nothing else. That is one bitset per (bytes, other characters), whatever grammar the state is of: three serve the
//! states of 400 real schemas. So the widest states, the inside of a string or of free text, share their 16 KB and the
//! walk skips what the slice holds.

use crate::bits;
use crate::walk::loop_covers;
use formwork_grammar::HashMap;
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use std::sync::{Arc, Mutex, PoisonError};

/// A loop: ASCII bytes (bit = byte), and whether every well-formed character beyond ASCII belongs to it.
pub(crate) type Loop = (u128, bool);

/// The slices of one vocabulary, computed when first needed and shared by all grammars and threads.
#[derive(Debug)]
pub struct Slices {
    vocabulary: Vocabulary,
    known: Mutex<HashMap<Loop, Arc<[u32]>>>,
}

/// Slices that are kept; further ones are computed for whoever asks. 1 MiB for a vocabulary of 128,000.
const MAX_KEPT: usize = 64;

impl Slices {
    /// No slices yet.
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self { vocabulary, known: Mutex::default() }
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The tokens made of the loop's characters alone, the last of which may be unfinished.
    ///
    /// Cost: a lookup, or about 0.2 ms the first time.
    pub(crate) fn slice(&self, slice: Loop) -> Arc<[u32]> {
        if let Some(known) = self.lock().get(&slice) {
            return Arc::clone(known);
        }
        // Not under the lock: two threads may compute the same slice, but none waits.
        let computed: Arc<[u32]> = compute(&self.vocabulary, slice).into();
        let mut known = self.lock();
        if known.len() < MAX_KEPT {
            known.insert(slice, Arc::clone(&computed));
        }
        computed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Loop, Arc<[u32]>>> {
        // The map is whole at every moment, so a thread that panicked has left nothing half done.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn compute(vocabulary: &Vocabulary, slice: Loop) -> Vec<u32> {
    let trie = vocabulary.trie();
    let mut words = vec![0u32; vocabulary.mask_words()];
    let set =
        |words: &mut [u32], tokens: &[TokenId]| tokens.iter().for_each(|&token| bits::set(words, token));
    let end = trie.end(Trie::ROOT);
    let mut node: NodeId = Trie::ROOT.next();
    while node < end {
        let byte = trie.byte(node);
        if byte >= 0x80 {
            // Below a byte beyond ASCII, tokens are looked at one by one: few are not wholly one thing or the other.
            if slice.1 {
                for &token in trie.tokens_below(node) {
                    if is_made_of(vocabulary.text(token).unwrap_or_default(), slice.0) {
                        bits::set(&mut words, token);
                    }
                }
            }
            node = trie.end(node);
        } else if slice.0 >> byte & 1 == 0 {
            node = trie.end(node);
        } else if loop_covers(slice, trie, node, trie.bytes_below(node)) {
            set(&mut words, trie.tokens_below(node));
            node = trie.end(node);
        } else {
            set(&mut words, trie.tokens_at(node));
            node = node.next();
        }
    }
    words
}

/// Whether a text is well-formed UTF-8, its last character perhaps unfinished, with these ASCII bytes only.
fn is_made_of(text: &[u8], ascii: u128) -> bool {
    let whole = match std::str::from_utf8(text) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    whole && text.iter().all(|&byte| byte >= 0x80 || ascii >> byte & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_holds_exactly_the_tokens_of_its_characters() {
        let texts: [&[u8]; 8] =
            [b"ab", b"a1", "é".as_bytes(), b"a\xC3", b"\xC3(", b"\xA9", "aéb".as_bytes(), b"ba\xE2\x82"];
        let mut builder = Vocabulary::builder();
        for (id, text) in (0..).zip(texts) {
            builder.token(id, text);
        }
        let slices = Slices::new(builder.build().expect("a vocabulary"));
        let letters = (1 << b'a') | (1 << b'b');
        let tokens = |slice: &[u32]| bits::tokens(slice).map(TokenId::get).collect::<Vec<_>>();
        assert_eq!(tokens(&slices.slice((letters, false))), [0]);
        assert_eq!(tokens(&slices.slice((letters, true))), [0, 2, 3, 6, 7]);
        assert_eq!(tokens(&slices.slice((0, true))), [2]);
        assert_eq!(slices.lock().len(), 3);
    }
}
