//! A small trie of what tokens hold behind a boundary.
//!
//! To the parent of a rule only that matters of a token which stands behind the rule's end: after a string has ended,
//! `a",` and `b",` are the same question. So undecided tokens are grouped by that suffix, and the suffixes are a trie: one
//! walk from the row of whoever waits for the rule decides them all, and a byte that the parent does not read takes
//! everything below with it.
//!
//! # Worked example
//! Inside of `string ::= "\"" [a-z]* "\""`, the undecided tokens `a",`, `b",`, `","`, `",b` and `a"}` have the suffixes
//! `,`, `,`, `,"`, `,b` and `}`: four nodes in preorder, of which the first holds two tokens.
//!
//! ```text
//! ,        a",  b",
//!   "      ","
//!   b      ",b
//! }        a"}
//! ```
//! A parent that goes on with `,"` reads `,` and allows two tokens, reads `"` below and allows one, does not read `b`, and
//! does not read `}`. One that goes on with `}` dies at `,`, jumps over its subtree, and allows `a"}`.

use formwork_vocab::TokenId;
use std::ops::Range;

/// The suffixes of tokens behind a boundary, as a trie in preorder. Tokens with the same suffix share a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct SuffixTrie {
    pub(crate) nodes: Box<[SuffixNode]>,
    tokens: Box<[TokenId]>,
}

#[derive(Clone, Debug)]
pub(crate) struct SuffixNode {
    /// The byte on the edge into the node.
    pub(crate) byte: u8,
    /// The position behind the subtree.
    pub(crate) end: u32,
    /// The tokens whose suffix ends here.
    tokens: Range<u32>,
}

impl SuffixTrie {
    /// The trie of these suffixes; none may be empty. Linear but for the sort.
    pub(crate) fn new(mut entries: Vec<(&[u8], TokenId)>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let mut nodes: Vec<SuffixNode> = Vec::new();
        let mut tokens: Vec<TokenId> = Vec::with_capacity(entries.len());
        // The nodes on the way to the last suffix.
        let mut path: Vec<u32> = Vec::new();
        let mut last: &[u8] = &[];
        for (suffix, token) in entries {
            let common = last.iter().zip(suffix).take_while(|(a, b)| a == b).count();
            let n_nodes = nodes.len() as u32;
            for node in path.drain(common..) {
                nodes[node as usize].end = n_nodes;
            }
            for &byte in &suffix[common..] {
                path.push(nodes.len() as u32);
                let at = tokens.len() as u32;
                nodes.push(SuffixNode { byte, end: 0, tokens: at..at });
            }
            tokens.push(token);
            if let Some(&node) = path.last() {
                nodes[node as usize].tokens.end = tokens.len() as u32;
            }
            last = suffix;
        }
        let n_nodes = nodes.len() as u32;
        for node in path {
            nodes[node as usize].end = n_nodes;
        }
        Self { nodes: nodes.into(), tokens: tokens.into() }
    }

    pub(crate) fn tokens(&self, node: &SuffixNode) -> &[TokenId] {
        &self.tokens[node.tokens.start as usize..node.tokens.end as usize]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn n_tokens(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.tokens[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        let token = TokenId::new;
        let suffixes: [&[u8]; 5] = [b",", b",", b",\"", b",b", b"}"];
        let trie = SuffixTrie::new(suffixes.into_iter().zip((0..).map(token)).collect());
        let dump: Vec<(char, u32, usize)> = trie
            .nodes
            .iter()
            .map(|node| (char::from(node.byte), node.end, trie.tokens(node).len()))
            .collect();
        assert_eq!(dump, [(',', 3, 2), ('"', 2, 1), ('b', 3, 1), ('}', 4, 1)]);
    }

    #[test]
    fn equal_suffixes_share_a_node_and_subtrees_are_contiguous() {
        let token = TokenId::new;
        let trie = SuffixTrie::new(vec![
            (b"b", token(4)),
            (b"ab", token(1)),
            (b"a", token(0)),
            (b"abc", token(2)),
            (b"ab", token(3)),
        ]);
        let dump: Vec<(u8, u32, &[TokenId])> =
            trie.nodes.iter().map(|node| (node.byte, node.end, trie.tokens(node))).collect();
        let (a, ab, abc, b) = ([token(0)], [token(1), token(3)], [token(2)], [token(4)]);
        let expected: [(u8, u32, &[TokenId]); 4] =
            [(b'a', 3, &a), (b'b', 3, &ab), (b'c', 3, &abc), (b'b', 4, &b)];
        assert_eq!(dump, expected);
    }
}
