//! The mask of a matcher by trying every token of a large vocabulary.
//!
//! The vocabulary's trie is walked with nothing but `accept_bytes` and `rollback`: a token is allowed if its bytes are
//! accepted, and below bytes that are not no token can be. So it shares no code with masks, and takes milliseconds where
//! trying 200,000 tokens one by one would take hundreds. Special tokens are accepted one by one; text tokens that the grammar
//! names as symbols are not tried as such.

use formwork_engine::{Matcher, RollbackError};
use formwork_vocab::{Trie, Vocabulary};

/// The mask by trying; the matcher is as before, and has not finished.
///
/// # Errors
/// The matcher may not roll back as far as its vocabulary's longest token.
pub fn brute_force(matcher: &mut Matcher, vocabulary: &Vocabulary) -> Result<Vec<u32>, RollbackError> {
    let trie = vocabulary.trie();
    let mut mask = vec![0u32; vocabulary.mask_words()];
    let mut put = |id: u32, allowed: bool| {
        let (word, bit) = (id as usize / 32, 1 << (id % 32));
        if allowed { mask[word] |= bit } else { mask[word] &= !bit }
    };
    let end = trie.end(Trie::ROOT);
    let mut node = Trie::ROOT.next();
    let mut depth = 0;
    while node < end {
        let above = trie.depth(node) - 1;
        matcher.rollback(depth - above)?;
        depth = above;
        if matcher.accept_bytes(&[trie.byte(node)]).is_err() {
            node = trie.end(node);
            continue;
        }
        depth += 1;
        trie.tokens_at(node).iter().for_each(|token| put(token.get(), true));
        node = node.next();
    }
    matcher.rollback(depth)?;
    let stops = matcher.stop_tokens().to_vec();
    for id in vocabulary.specials().map(|(id, _)| id).chain(stops) {
        let accepted = matcher.accept_token(id).is_ok();
        matcher.rollback(usize::from(accepted))?;
        put(id.get(), accepted);
    }
    Ok(mask)
}
