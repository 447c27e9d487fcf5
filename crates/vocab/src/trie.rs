//! The trie over the bytes of all text tokens, as flat arrays in depth-first order.

use crate::byte_sets::ByteSet;
use crate::fans::{FEW, Fans};
use crate::{TokenId, trie_build, utf8};
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

/// A trie over the bytes of all text tokens, as one flat array of nodes in depth-first preorder.
///
/// Node 0 is the root, the empty string; children follow their parent directly, ascending by byte; what is below a node
/// is the run of nodes from it to its [`end`](Self::end). So a walk is one loop without a stack:
/// after a node that was taken comes the [next](NodeId::next) one, after a node that was refused its
/// [`end`](Self::end).
///
/// ```
/// use formwork_vocab::{Trie, Vocabulary};
/// let vocabulary = Vocabulary::builder().token(0, "a").token(1, "ab").token(2, "b").token(3, "ba").build()?;
/// let trie = vocabulary.trie();
/// // Which tokens consist of `a` and `b` and begin with `b`?
/// let mut found = Vec::new();
/// let mut node = Trie::ROOT.next();
/// while node < trie.end(Trie::ROOT) {
///     if trie.depth(node) == 1 && trie.byte(node) != b'b' {
///         node = trie.end(node); // leaves out everything below, whatever its size
///     } else {
///         found.extend(trie.tokens_at(node).iter().map(|token| token.get()));
///         node = node.next();
///     }
/// }
/// assert_eq!(found, [2, 3]);
/// # Ok::<(), formwork_vocab::VocabularyError>(())
/// ```
///
/// # Layout and cost
/// A node is 16 bytes in one array, not one array per field: the walk jumps, and at each node it needs the byte, the end
/// and the set below together, which are then in one cache line, four nodes to a line.
/// Tokens stand in [bytewise order](Self::sorted_tokens), which is the trie's own order, so the tokens of a subtree are
/// one range of that list, and a node only stores where its range begins: it ends where that of the next node, or of
/// its end, begins. Sets of bytes are stored once each, and nodes hold their numbers, because most nodes are leaves or
/// have only few below them:
///
/// | vocabulary | tokens | nodes | sets | sets and their numbers | one set in each node |
/// |---|---|---|---|---|---|
/// | Llama 3.1 | 128,000 | 274,521 | 34,319 | 2.2 MB | 8.8 MB |
/// | o200k_base | 199,998 | 421,661 | 53,183 | 3.4 MB | 13.5 MB |
/// | Gemma 2 | 255,994 | 502,618 | 57,527 | 3.9 MB | 16.1 MB |
///
/// A walk over every node of `o200k_base`, skipping nothing, takes 0.4 ms.
///
/// # Ids from elsewhere
/// Node ids are only meaningful for the trie that handed them out. For one beyond its nodes every method answers as for
/// a leaf without tokens, at no cost over the bounds check that stands there anyway; nothing panics.
pub struct Trie {
    /// In preorder, and one more behind the last, whose `first_token` is the number of tokens.
    pub(crate) nodes: Box<[Node]>,
    /// The text tokens with at least one byte, by their bytes, then by id.
    pub(crate) sorted_tokens: Box<[TokenId]>,
    /// Per sorted token the number of characters that begin in it; see [`Trie::characters_begun`].
    pub(crate) characters_begun: Box<[u16]>,
    /// Per sorted token its number of bytes, up to 255.
    pub(crate) lengths: Box<[u8]>,
    /// The sets that nodes name, each once.
    pub(crate) byte_sets: Box<[ByteSet]>,
    /// Per node the longest text below it, up to 255 bytes.
    pub(crate) heights: Box<[u8]>,
    pub(crate) fans: Fans,
}

/// A node of the trie.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    /// The first node after the subtree.
    pub(crate) end: u32,
    /// Where the subtree's tokens begin in `sorted_tokens`.
    pub(crate) first_token: u32,
    /// The bytes on the edges strictly below, as an index into `byte_sets`.
    pub(crate) set_below: u32,
    pub(crate) depth: u16,
    /// The byte on the edge into this node.
    pub(crate) byte: u8,
    /// The states of the UTF-8 automaton from which everything below stays well formed.
    pub(crate) utf8_below: utf8::StateSet,
}

const _: () = assert!(size_of::<Node>() == 16, "four nodes to a cache line");

/// What a node id beyond the nodes stands for.
const BEYOND: Node =
    Node { end: u32::MAX, first_token: u32::MAX, set_below: 0, depth: 0, byte: 0, utf8_below: utf8::ALL };

/// A node of a [`Trie`]: its position in preorder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The node at this position. Only meaningful for positions that the trie has.
    #[inline]
    pub const fn new(position: u32) -> Self {
        Self(position)
    }

    /// The position in preorder.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The position in preorder, as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The next node in preorder: the first child if there is one, else the node where this one ends.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl Trie {
    /// The root: the empty string.
    pub const ROOT: NodeId = NodeId(0);

    /// A trie over other texts than the tokens' own, say the parts of tokens behind some place. A token may have several
    /// texts; those without bytes are left out.
    ///
    /// Cost: a sort; about 0.1 µs a text.
    pub fn over(texts: Vec<(TokenId, &[u8])>) -> Self {
        trie_build::build(texts)
    }

    #[inline]
    fn node(&self, node: NodeId) -> &Node {
        self.nodes.get(node.index()).unwrap_or(&BEYOND)
    }

    /// The number of nodes, the root included. At least 1.
    #[inline]
    pub fn n_nodes(&self) -> usize {
        // The one behind the last is no node.
        self.nodes.len() - 1
    }

    /// The byte on the edge into the node; 0 at the root.
    #[inline]
    pub fn byte(&self, node: NodeId) -> u8 {
        self.node(node).byte
    }

    /// The first node after the subtree, in preorder; behind the last node for the root.
    ///
    /// It may be the position behind the last node, so compare before use: `node < trie.end(Trie::ROOT)`.
    #[inline]
    pub fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.node(node).end)
    }

    /// The number of bytes from the root to the node.
    #[inline]
    pub fn depth(&self, node: NodeId) -> usize {
        usize::from(self.node(node).depth)
    }

    /// The children of the node, ascending by byte.
    #[inline]
    pub fn children(&self, node: NodeId) -> Children<'_> {
        // A node from elsewhere ends nowhere; the bound keeps it from having children.
        let end = self.end(node).min(NodeId(self.n_nodes() as u32));
        Children { trie: self, next: node.next(), end }
    }

    /// The child along `byte`.
    ///
    /// Cost: a few loads, however many children there are.
    #[inline]
    pub fn child(&self, node: NodeId, byte: u8) -> Option<NodeId> {
        // So few nodes are so few children.
        if self.end(node).index() > node.index() + 1 + FEW {
            if let Some(child) = self.fans.child(node.index(), byte) {
                return child.map(NodeId);
            }
        }
        self.children(node).find(|&child| self.byte(child) >= byte).filter(|&child| self.byte(child) == byte)
    }

    /// The bytes of the node's children, bit `b % 64` of word `b / 64` is byte `b`, where they are many; `None` where passing
    /// over the [children](Self::children) tells as much.
    ///
    /// Cost: a load or two.
    #[inline]
    pub fn child_bytes(&self, node: NodeId) -> Option<[u64; 4]> {
        match self.end(node).index() > node.index() + 1 + FEW {
            true => self.fans.bytes(node.index()).copied(),
            false => None,
        }
    }

    /// The tokens whose bytes are exactly those from the root to the node, ascending; empty for most inner nodes.
    #[inline]
    pub fn tokens_at(&self, node: NodeId) -> &[TokenId] {
        // The next node's tokens begin where this one's own end, whether it is a child or not.
        let range = self.node(node).first_token as usize..self.node(node.next()).first_token as usize;
        self.sorted_tokens.get(range).unwrap_or(&[])
    }

    /// All tokens of the subtree: those of the node itself first, then in bytewise order.
    #[inline]
    pub fn tokens_below(&self, node: NodeId) -> &[TokenId] {
        let range = self.token_range(node);
        self.sorted_tokens.get(range.start as usize..range.end as usize).unwrap_or(&[])
    }

    /// Where the tokens of the subtree, the node's own included, stand in [`sorted_tokens`](Self::sorted_tokens).
    #[inline]
    pub fn token_range(&self, node: NodeId) -> Range<u32> {
        self.node(node).first_token..self.node(self.end(node)).first_token
    }

    /// All text tokens with at least one byte, by their bytes, then by id.
    #[inline]
    pub fn sorted_tokens(&self) -> &[TokenId] {
        &self.sorted_tokens
    }

    /// For each token of the subtree, in the order of [`tokens_below`](Self::tokens_below), how many characters begin in
    /// its whole text: its bytes that are no UTF-8 continuation bytes.
    #[inline]
    pub fn characters_begun(&self, node: NodeId) -> &[u16] {
        let range = self.token_range(node);
        self.characters_begun.get(range.start as usize..range.end as usize).unwrap_or(&[])
    }

    /// For each token of the subtree, in the order of [`tokens_below`](Self::tokens_below), the bytes of its whole text,
    /// up to 255.
    #[inline]
    pub fn lengths_below(&self, node: NodeId) -> &[u8] {
        let range = self.token_range(node);
        self.lengths.get(range.start as usize..range.end as usize).unwrap_or(&[])
    }

    /// The bytes on the edges strictly below the node: bit `b % 64` of word `b / 64` is byte `b`.
    #[inline]
    pub fn bytes_below(&self, node: NodeId) -> [u64; 4] {
        self.byte_sets.get(self.node(node).set_below as usize).copied().unwrap_or([0; 4])
    }

    /// The ASCII bytes on the edges strictly below the node: bit `b` is byte `b`.
    #[inline]
    pub fn ascii_below(&self, node: NodeId) -> u128 {
        let [low, high, ..] = self.bytes_below(node);
        u128::from(low) | u128::from(high) << 64
    }

    /// The bytes of the longest text below the node, up to 255; 0 for a leaf.
    #[inline]
    pub fn height(&self, node: NodeId) -> u8 {
        self.heights.get(node.index()).copied().unwrap_or_default()
    }

    /// Heap memory in bytes.
    pub fn memory_size(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.sorted_tokens[..])
            + size_of_val(&self.characters_begun[..])
            + size_of_val(&self.lengths[..])
            + size_of_val(&self.byte_sets[..])
            + size_of_val(&self.heights[..])
            + self.fans.memory_size()
    }

    /// Whether every text from the node (exclusive) down to a token below it consists of whole, well-formed UTF-8
    /// characters, the last of which may be unfinished but can be finished. True for a leaf.
    ///
    /// What was read above the node does not count: the question is about text that begins between characters there.
    #[inline]
    pub fn is_utf8_below(&self, node: NodeId) -> bool {
        utf8::holds_between(self.node(node).utf8_below)
    }
}

/// The children of a [`Trie`] node, ascending by byte.
#[derive(Clone, Debug)]
pub struct Children<'t> {
    trie: &'t Trie,
    next: NodeId,
    end: NodeId,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let child = self.next;
        self.next = self.trie.end(child);
        Some(child)
    }
}

impl FusedIterator for Children<'_> {}

impl fmt::Debug for Trie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trie")
            .field("n_nodes", &self.n_nodes())
            .field("n_tokens", &self.sorted_tokens.len())
            .field("n_byte_sets", &self.byte_sets.len())
            .finish()
    }
}

/// One line per node, indented by depth (up to 32, so that long tokens stay printable): its byte, the tokens that end
/// there, and whether what is below is well-formed UTF-8. For small tries.
impl fmt::Display for Trie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut node = Self::ROOT;
        while node < self.end(Self::ROOT) {
            let indent = 2 * self.depth(node).min(32);
            write!(f, "{:indent$}", "")?;
            if node == Self::ROOT {
                f.write_str(".")?
            } else {
                write!(f, "{}", self.byte(node).escape_ascii())?
            }
            for token in self.tokens_at(node) {
                write!(f, " {token:?}")?;
            }
            f.write_str(if self.is_utf8_below(node) { "\n" } else { " (not UTF-8 below)\n" })?;
            node = node.next();
        }
        Ok(())
    }
}
