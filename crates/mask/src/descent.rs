//! The children of a trie's node that a walk wants to see.
//!
//! A walk that follows a literal wants one child of two hundred, a walk inside free text wants nearly all. The first looks
//! its children up by byte, the second passes over them all.

use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, Trie};

/// What is left to visit of a node's children.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Descent {
    /// All of them, also those along bytes that were not asked for.
    All { next: NodeId, end: NodeId },
    /// Those along these bytes.
    Along { node: NodeId, bytes: ByteSet },
}

/// Up to so many bytes are looked up.
const FEW_BYTES: usize = 8;
/// Nodes of at most so many descendants are passed over: there are not many children.
const FEW_NODES: u32 = 8;

impl Descent {
    /// The children of `node`, of which those along `bytes` are wanted.
    #[inline]
    pub(crate) fn new(trie: &Trie, node: NodeId, bytes: &ByteSet) -> Self {
        let end = trie.end(node);
        if end.get() - node.get() > FEW_NODES && bytes.len() <= FEW_BYTES {
            Self::along(node, *bytes)
        } else {
            Self::All { next: node.next(), end }
        }
    }

    /// The children of `node` along `bytes` and no others.
    pub(crate) fn along(node: NodeId, bytes: ByteSet) -> Self {
        Self::Along { node, bytes }
    }

    /// Whether children are left out.
    pub(crate) fn is_selective(&self) -> bool {
        matches!(self, Self::Along { .. })
    }

    #[inline]
    pub(crate) fn next(&mut self, trie: &Trie) -> Option<NodeId> {
        match self {
            Self::All { next, end } => {
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
