//! Which form a boundary is kept in: suffixes or a place in the vocabulary's trie.
//!
//! A boundary inside a token is where a rule may end before the token does. [Suffixes](crate::suffix) are grouped and
//! small, but have to be made and kept: right for boundaries with few tokens, of which a string has hundreds. A place is
//! nothing but a node of the vocabulary's trie, below which the parent walks as it would from its own start: right where
//! half the vocabulary is undecided, as behind white space that ends a rule.

use crate::bits;
use crate::local::Reference;
use crate::suffix::SuffixTrie;
use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, TokenId, Vocabulary};

/// A place where a rule may end inside tokens.
#[derive(Clone, Debug)]
pub(crate) struct Boundary {
    pub(crate) node: NodeId,
    /// The bytes below which tokens are undecided.
    pub(crate) undecided: ByteSet,
    /// How many tokens that are.
    pub(crate) n_tokens: usize,
}

/// Up to so many boundaries are all kept as places: walking two is cheaper than a trie of their suffixes.
const FEW: usize = 2;
/// The most tokens of one boundary, and of all, that are kept as suffixes.
const MAX_TOKENS: usize = 1_000;
const MAX_TOKENS_IN_ALL: usize = 2_500;

/// Sorts boundaries into the two forms. Tokens set in `accepted` need not be kept.
pub(crate) fn split(
    vocabulary: &Vocabulary,
    mut boundaries: Vec<Boundary>,
    accepted: Option<&[u32]>,
) -> (SuffixTrie, Box<[Reference]>) {
    let trie = vocabulary.trie();
    let mut references = Vec::new();
    let mut entries: Vec<(&[u8], TokenId)> = Vec::new();
    let few = boundaries.len() <= FEW;
    boundaries.sort_by_key(|boundary| (boundary.n_tokens, boundary.node));
    let mut n_tokens = 0;
    for Boundary { node, undecided, n_tokens: n } in boundaries {
        n_tokens += n;
        if few || n > MAX_TOKENS || n_tokens > MAX_TOKENS_IN_ALL {
            let below = trie.tokens_below(node).first().and_then(|&token| vocabulary.text(token));
            let first = below.and_then(|text| text.first()).copied().unwrap_or_default();
            references.push(Reference { first, node, undecided });
            continue;
        }
        let depth = trie.depth(node);
        for child in trie.children(node).filter(|&child| undecided.contains(trie.byte(child))) {
            for &token in trie.tokens_below(child) {
                if accepted.is_some_and(|accepted| bits::get(accepted, token)) {
                    continue;
                }
                let text = vocabulary.text(token).unwrap_or_default();
                entries.push((text.get(depth..).unwrap_or_default(), token));
            }
        }
    }
    references.sort_by_key(|reference| reference.node);
    (SuffixTrie::new(entries), references.into())
}
