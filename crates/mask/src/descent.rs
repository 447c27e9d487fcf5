//! The children of a trie's node that a walk wants to see.
//!
//! A walk that follows a literal wants one child of two hundred, a walk inside free text wants nearly all. Of a node with many
//! children the wanted ones are looked up by byte, unless most are wanted; else all are passed over, and each says by its
//! byte whether it is wanted. So nothing is asked about a child that cannot be read.

use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, Trie};

/// What is left to visit of a node's children.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Descent {
    /// All of them, also those along bytes that are not [wanted](Self::wants).
    All { next: NodeId, end: NodeId, wanted: ByteSet },
    /// Those along these bytes.
    Along { node: NodeId, bytes: ByteSet },
}

impl Descent {
    /// The children of `node`, of which those along `bytes` are wanted.
    #[inline]
    pub(crate) fn new(trie: &Trie, node: NodeId, bytes: &ByteSet) -> Self {
        match trie.child_bytes(node).map(ByteSet::from_words) {
            Some(all) if 2 * all.intersection(bytes).len() <= all.len() => {
                Self::along(node, all.intersection(bytes))
            }
            _ => Self::all(trie, node, *bytes),
        }
    }

    /// The children of `node` along `bytes` and no others.
    pub(crate) fn along(node: NodeId, bytes: ByteSet) -> Self {
        Self::Along { node, bytes }
    }

    /// All children of `node`, of which those along `wanted` are wanted.
    #[inline]
    pub(crate) fn all(trie: &Trie, node: NodeId, wanted: ByteSet) -> Self {
        Self::All { next: node.next(), end: trie.end(node), wanted }
    }

    /// Whether children are left out.
    pub(crate) fn is_selective(&self) -> bool {
        matches!(self, Self::Along { .. })
    }

    /// Whether a child along this byte, one that was not left out, is wanted.
    #[inline]
    pub(crate) fn wants(&self, byte: u8) -> bool {
        match self {
            Self::All { wanted, .. } => wanted.contains(byte),
            Self::Along { .. } => true,
        }
    }

    #[inline]
    pub(crate) fn next(&mut self, trie: &Trie) -> Option<NodeId> {
        match self {
            Self::All { next, end, .. } => {
                let child = *next;
                if child >= *end {
                    return None;
                }
                *next = trie.end(child);
                Some(child)
            }
            Self::Along { node, bytes } => loop {
                let byte = bytes.pop_first()?;
                if let Some(child) = trie.child(*node, byte) {
                    return Some(child);
                }
            },
        }
    }
}
