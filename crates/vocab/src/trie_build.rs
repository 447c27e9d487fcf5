//! Builds the trie: one sort, then one pass over the sorted bytes with the path from the root as its stack.

use crate::byte_sets::{self, ByteSet, ByteSetInterner};
use crate::fans::{FEW, Fans};
use crate::trie::Node;
use crate::{TokenId, Trie, VocabularyError, VocabularyErrorKind, utf8};

/// A token, with its first eight bytes as a number that orders as they do.
///
/// PERF: nearly all comparisons of the sort are decided by the number, without a jump to the bytes; sorting is
/// otherwise most of the time that building takes.
struct Entry<'b> {
    head: u64,
    bytes: &'b [u8],
    token: TokenId,
}

/// A node on the path from the root to the last token: what is known of its subtree so far.
struct Open {
    position: usize,
    below: ByteSet,
    utf8_below: utf8::StateSet,
    height: u8,
}

/// The trie of these tokens; those without bytes are left out.
///
/// # Errors
/// [`Limit`](VocabularyErrorKind::Limit) for more than `max_nodes` nodes.
pub(crate) fn build_within(tokens: Vec<(TokenId, &[u8])>, max_nodes: usize) -> Result<Trie, VocabularyError> {
    let entries = sorted(tokens);
    let mut n_nodes = 1;
    let mut previous: &[u8] = &[];
    for entry in &entries {
        n_nodes += entry.bytes.len() - shared(previous, entry.bytes);
        if n_nodes > max_nodes {
            let message = format!("the trie of the tokens has more than {max_nodes} nodes");
            return Err(VocabularyError::new(VocabularyErrorKind::Limit, entry.token, message));
        }
        previous = entry.bytes;
    }
    Ok(of_sorted(&entries))
}

/// The trie of texts that are known to be few enough.
pub(crate) fn build(texts: Vec<(TokenId, &[u8])>) -> Trie {
    of_sorted(&sorted(texts))
}

/// How many bytes two texts begin with in common.
fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn of_sorted(entries: &[Entry<'_>]) -> Trie {
    let mut building =
        Building { nodes: Vec::new(), heights: Vec::new(), path: Vec::new(), sets: ByteSetInterner::new() };
    building.open(0, 0);
    let mut previous: &[u8] = &[];
    for (position, entry) in (0..).zip(entries) {
        let shared = shared(previous, entry.bytes);
        building.close_below(shared);
        for &byte in &entry.bytes[shared..] {
            building.open(byte, position);
        }
        previous = entry.bytes;
    }
    building.close_all();
    let n_nodes = building.nodes.len();
    building.nodes.push(behind_last(n_nodes as u32, entries.len() as u32));
    let nodes = building.nodes;
    let fans = match n_nodes > FEW * FEW {
        true => Fans::new(n_nodes, |node| nodes[node].end as usize, |node| nodes[node].byte),
        false => Fans::default(),
    };
    Trie {
        fans,
        heights: building.heights.into(),
        nodes: nodes.into(),
        sorted_tokens: entries.iter().map(|entry| entry.token).collect(),
        characters_begun: entries.iter().map(|entry| characters_begun(entry.bytes)).collect(),
        lengths: entries.iter().map(|entry| entry.bytes.len().min(255) as u8).collect(),
        byte_sets: building.sets.into_sets(),
    }
}

/// Bytes that begin a character. A token has fewer than 2¹⁶ bytes.
fn characters_begun(bytes: &[u8]) -> u16 {
    bytes.iter().map(|&byte| u16::from(byte & 0xC0 != 0x80)).sum()
}

/// What stands behind the last node, so that every node has a next one to say where its tokens end.
/// To those who ask it is a leaf without tokens.
fn behind_last(position: u32, n_tokens: u32) -> Node {
    Node { end: position, first_token: n_tokens, set_below: 0, depth: 0, byte: 0, utf8_below: utf8::ALL }
}

fn sorted(tokens: Vec<(TokenId, &[u8])>) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = tokens
        .into_iter()
        .filter(|(_, bytes)| !bytes.is_empty())
        .map(|(token, bytes)| Entry { head: head(bytes), bytes, token })
        .collect();
    // Equal heads decide nothing: a token may be shorter than eight bytes, or have zero bytes.
    entries.sort_unstable_by(|a, b| {
        a.head.cmp(&b.head).then_with(|| a.bytes.cmp(b.bytes)).then_with(|| a.token.cmp(&b.token))
    });
    entries
}

/// The first eight bytes, zero for those that are missing, most significant first.
fn head(bytes: &[u8]) -> u64 {
    let mut head = [0; 8];
    for (to, from) in head.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_be_bytes(head)
}

/// The nodes so far, and the path to the last one.
struct Building {
    nodes: Vec<Node>,
    heights: Vec<u8>,
    path: Vec<Open>,
    sets: ByteSetInterner,
}

impl Building {
    /// Adds a node below the end of the path, whose tokens begin at `first_token`.
    fn open(&mut self, byte: u8, first_token: u32) {
        let position = self.nodes.len();
        // Tokens are shorter than 64 KiB.
        let depth = self.path.len() as u16;
        self.nodes.push(Node { end: 0, first_token, set_below: 0, depth, byte, utf8_below: utf8::ALL });
        self.heights.push(0);
        self.path.push(Open { position, below: [0; 4], utf8_below: utf8::ALL, height: 0 });
    }

    /// Finishes the nodes deeper than `depth`.
    fn close_below(&mut self, depth: usize) {
        while self.path.len() > depth + 1 {
            self.close();
        }
    }

    fn close_all(&mut self) {
        while !self.path.is_empty() {
            self.close();
        }
    }

    /// Finishes the last node of the path: its subtree ends here, and what is known of it is passed to its parent.
    fn close(&mut self) {
        let end = self.nodes.len() as u32;
        let Some(open) = self.path.pop() else { return };
        let node = &mut self.nodes[open.position];
        node.end = end;
        node.set_below = self.sets.intern(open.below);
        node.utf8_below = open.utf8_below;
        self.heights[open.position] = open.height;
        if let Some(parent) = self.path.last_mut() {
            byte_sets::insert(&mut parent.below, node.byte);
            byte_sets::unite(&mut parent.below, &open.below);
            parent.height = parent.height.max(open.height.saturating_add(1));
            parent.utf8_below &= utf8::before(node.byte, open.utf8_below);
        }
    }
}
