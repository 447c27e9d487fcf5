//! The bounds that a vocabulary keeps, so that ids, offsets and node numbers fit their types and a foreign file
//! cannot ask for unbounded memory.

/// The bounds that a vocabulary keeps. Not public: they follow from the types, so nobody could raise them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The width of the logits; ids are below it.
    pub(crate) width: usize,
    /// The bytes of one token. Depths in the trie are `u16`.
    pub(crate) token_len: usize,
    /// The bytes of all tokens, names of special tokens included. Offsets are `u32`.
    pub(crate) total_bytes: usize,
    /// The nodes of the trie. Sixteen bytes each, so this is 1 GiB.
    pub(crate) trie_nodes: usize,
}

impl Limits {
    /// What [`Vocabulary::builder`](crate::Vocabulary::builder) keeps to.
    pub(crate) const DEFAULT: Self =
        Self { width: 1 << 24, token_len: u16::MAX as usize, total_bytes: 1 << 30, trie_nodes: 1 << 26 };
}
