//! Nodes with many children, by byte: finds one child without passing its siblings.
//!
//! A walk that follows a literal wants one child of each node. The children of a node stand behind each other's subtrees, so
//! the way to the last of 200 touches 200 cache lines; most nodes have one or two. Only those with more than
//! [`FEW`] children are *fans*: they have the set of their children's bytes and the children's positions, and a child is
//! found by its rank in the set. Which nodes are fans is a bit each, and ranks of those bits number the fans.

use crate::byte_sets::{self, ByteSet};

/// Up to so many children are found by passing over them.
pub(crate) const FEW: usize = 6;

/// The fans of a trie.
#[derive(Default)]
pub(crate) struct Fans {
    /// Bit per node.
    is_fan: Box<[u64]>,
    /// Per word of `is_fan` the number of fans before it.
    before: Box<[u32]>,
    fans: Box<[Fan]>,
    /// The positions of the children of all fans.
    children: Box<[u32]>,
}

struct Fan {
    bytes: ByteSet,
    /// Where its children begin in `children`.
    first: u32,
}

impl Fans {
    /// The fans among `n_nodes` nodes, given the nodes' ends and bytes in preorder.
    pub(crate) fn new(n_nodes: usize, end: impl Fn(usize) -> usize, byte: impl Fn(usize) -> u8) -> Self {
        let mut is_fan = vec![0u64; n_nodes.div_ceil(64)];
        let mut before = vec![0u32; is_fan.len()];
        let (mut fans, mut children) = (Vec::new(), Vec::new());
        for node in 0..n_nodes {
            if node % 64 == 0 {
                before[node / 64] = fans.len() as u32;
            }
            let (first, mut bytes) = (children.len(), [0; 4]);
            let mut child = node + 1;
            while child < end(node) {
                children.push(child as u32);
                byte_sets::insert(&mut bytes, byte(child));
                child = end(child);
            }
            if children.len() - first > FEW {
                is_fan[node / 64] |= 1 << (node % 64);
                fans.push(Fan { bytes, first: first as u32 });
            } else {
                children.truncate(first);
            }
        }
        Self { is_fan: is_fan.into(), before: before.into(), fans: fans.into(), children: children.into() }
    }

    #[inline]
    fn fan(&self, node: usize) -> Option<&Fan> {
        let word = *self.is_fan.get(node / 64)?;
        if word >> (node % 64) & 1 == 0 {
            return None;
        }
        let rank = self.before[node / 64] + (word & ((1 << (node % 64)) - 1)).count_ones();
        self.fans.get(rank as usize)
    }

    /// The bytes of a fan's children; `None` if the node is no fan.
    #[inline]
    pub(crate) fn bytes(&self, node: usize) -> Option<&ByteSet> {
        self.fan(node).map(|fan| &fan.bytes)
    }

    /// The child of a fan along `byte`; `None` if the node is no fan.
    #[inline]
    pub(crate) fn child(&self, node: usize, byte: u8) -> Option<Option<u32>> {
        let fan = self.fan(node)?;
        let (at, bit) = (usize::from(byte / 64), byte % 64);
        if fan.bytes[at] >> bit & 1 == 0 {
            return Some(None);
        }
        let lower: u32 = fan.bytes[..at].iter().map(|word| word.count_ones()).sum();
        let lower = lower + (fan.bytes[at] & ((1 << bit) - 1)).count_ones();
        Some(self.children.get((fan.first + lower) as usize).copied())
    }

    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.is_fan[..])
            + size_of_val(&self.before[..])
            + size_of_val(&self.fans[..])
            + size_of_val(&self.children[..])
    }
}
