//! Local masks: what one state alone says about every token.

use crate::suffix::SuffixTrie;
use crate::token_set::TokenSet;
use formwork_grammar::ByteSet;
use formwork_vocab::NodeId;
use std::sync::Arc;

/// What one automaton state says about every token, whoever asked for the state's rule.
///
/// A token that stays inside the rule, or ends exactly with it, is *accepted*; one that dies without the rule having
/// been able to end is rejected and not mentioned; for the rest the rule may end inside the token, at a *boundary*, and
/// what follows is the parent's to decide. Those are kept as the bytes behind the boundary, in one of two forms:
/// a trie of suffixes, or, where many tokens lie below, the place in the vocabulary's trie
/// where the walk is to go on.
///
/// The local mask depends on the state and what its rule calls, not on the parents and not on the bounds of the rule's own
/// counter. It is immutable and shared.
#[derive(Clone, Debug)]
pub struct LocalMask {
    pub(crate) accepted: TokenSet,
    pub(crate) suffixes: SuffixTrie,
    pub(crate) references: Box<[Reference]>,
    /// Subtrees of the vocabulary's trie whose tokens depend on the count of the item: to be walked from the item itself.
    pub(crate) rechecks: Box<[NodeId]>,
    /// Another state of the rule with the same boundaries, but below some first bytes.
    pub(crate) base: Option<Base>,
    /// For a state of a counted rule without calls: everything, by count.
    pub(crate) counted: Option<Box<CountedMask>>,
}

/// A state whose boundaries a mask shares.
///
/// Where two states go to the same state on a byte, all tokens that begin with the byte fare alike. So a state in the
/// middle of a name that a property may not have differs from the inside of any other name below a byte or two, and keeps
/// only that difference: 3 µs and some hundred bytes instead of 100 µs and 16 KB.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) mask: Arc<LocalMask>,
    /// The first bytes below which the base does not hold; what does is the mask's own.
    pub(crate) except: ByteSet,
}

/// A boundary that is kept as a place in the vocabulary's trie.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The first byte on the way from the trie's root.
    pub(crate) first: u8,
    /// Where the rule ends.
    pub(crate) node: NodeId,
    /// The bytes below which tokens are undecided.
    pub(crate) undecided: ByteSet,
}

/// What a state of a counted rule says, for an item that has counted c of [m, n].
///
/// The walk starts at 0 and counts without bounds. A token that ends inside after k ticks in a state that still needs
/// `need` and can reach `reach` is allowed if c + k + need ≤ n and c + k + reach ≥ m: tokens are grouped by the two sums.
/// Boundaries are grouped by k, and kept for every token, accepted or not: accepted under a condition is not accepted.
#[derive(Clone, Debug)]
pub(crate) struct CountedMask {
    /// All tokens that some group has.
    pub(crate) all: TokenSet,
    /// The greatest `most` and the least `least` of all groups: within them, `all` is the answer.
    pub(crate) most: u32,
    pub(crate) least: u32,
    /// Ascending by `most`.
    pub(crate) groups: Box<[Group]>,
    /// `steps[i]`: the union of the first groups up to some `most`, for groups that ask nothing of the least count.
    pub(crate) steps: Box<[Step]>,
    /// What lies behind the end of the rule, by the ticks up to it.
    pub(crate) ends: Box<[End]>,
}

#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Ticks and needed ticks.
    pub(crate) most: u32,
    /// Ticks and possible ticks; `u32::MAX`: without end.
    pub(crate) least: u32,
    pub(crate) tokens: TokenSet,
}

/// A union of groups, so that few remain to be added.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The groups `0..n_groups` are in it.
    pub(crate) n_groups: usize,
    pub(crate) tokens: TokenSet,
}

#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) ticks: u32,
    pub(crate) suffixes: SuffixTrie,
    pub(crate) references: Box<[Reference]>,
}

impl LocalMask {
    /// The number of tokens accepted (for a counted state: under some count).
    pub fn n_accepted(&self) -> usize {
        self.counted.as_ref().map_or_else(|| self.accepted.len(), |counted| counted.all.len())
    }

    /// The number of tokens kept as suffixes and the number of places in the vocabulary's trie.
    pub fn n_boundaries(&self) -> (usize, usize) {
        let mut n = (self.suffixes.n_tokens(), self.references.len() + self.rechecks.len());
        for end in self.counted.iter().flat_map(|counted| &counted.ends) {
            n.0 += end.suffixes.n_tokens();
            n.1 += end.references.len();
        }
        n
    }

    /// Heap memory in bytes.
    pub fn memory_size(&self) -> usize {
        let mut size = self.accepted.memory_size()
            + self.suffixes.memory_size()
            + size_of_val(&self.references[..])
            + size_of_val(&self.rechecks[..]);
        if let Some(counted) = &self.counted {
            size += size_of::<CountedMask>() + counted.all.memory_size();
            size += counted
                .groups
                .iter()
                .map(|group| size_of::<Group>() + group.tokens.memory_size())
                .sum::<usize>();
            size +=
                counted.steps.iter().map(|step| size_of::<Step>() + step.tokens.memory_size()).sum::<usize>();
            for end in &counted.ends {
                size += size_of::<End>() + end.suffixes.memory_size() + size_of_val(&end.references[..]);
            }
        }
        size
    }
}
