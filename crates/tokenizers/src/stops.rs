//! Stop tokens as people and files name them, and which tokens of a vocabulary they mean.

use crate::{TokenizerError, TokenizerErrorKind};
use formwork_vocab::{TokenId, Trie, Vocabulary};

/// A stop token as it was named.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Text(String),
    Id(TokenId),
}

/// The vocabulary with these stop tokens.
///
/// # Errors
/// [`UnknownStop`](TokenizerErrorKind::UnknownStop) for one that it does not have.
#[cfg_attr(
    not(any(feature = "hf", feature = "tiktoken")),
    expect(dead_code, reason = "no source is compiled in")
)]
pub(crate) fn stopping_at(vocabulary: &Vocabulary, stops: &[Stop]) -> Result<Vocabulary, TokenizerError> {
    let mut ids: Vec<TokenId> = Vec::new();
    for stop in stops {
        match stop {
            Stop::Id(id) => ids.push(*id),
            Stop::Text(text) => match vocabulary.special(text) {
                Some(id) => ids.push(id),
                None => match spelled(vocabulary.trie(), text.as_bytes()) {
                    [] => {
                        let message = format!(
                            "the stop token {text:?} is neither a special nor a text token of the vocabulary"
                        );
                        return Err(TokenizerError::new(TokenizerErrorKind::UnknownStop, message));
                    }
                    same => ids.extend_from_slice(same),
                },
            },
        }
    }
    Ok(vocabulary.with_stop_tokens(ids)?)
}

/// The text tokens that are spelled exactly so.
fn spelled<'t>(trie: &'t Trie, bytes: &[u8]) -> &'t [TokenId] {
    let node = bytes.iter().try_fold(Trie::ROOT, |node, &byte| trie.child(node, byte));
    node.map_or(&[], |node| trie.tokens_at(node))
}
