//! A set of tokens in the smallest of three forms.

use crate::bits;
use crate::slices::Slices;
use formwork_grammar::HashSet;
use formwork_vocab::TokenId;
use std::sync::Arc;

/// Tokens as a list of ids, or as a bitset when the list would be long, or as what a shared bitset has and some more.
///
/// Most states allow a handful of tokens: as bitsets of 16 KB each, the masks of a large schema took 213 MB; a list of up
/// to 400 ids is faster to apply than a bitset besides.
#[derive(Clone, Debug)]
pub(crate) enum TokenSet {
    List(Box<[TokenId]>),
    Bits(Arc<[u32]>),
    Slice { words: Arc<[u32]>, more: Box<[TokenId]> },
}

impl Default for TokenSet {
    fn default() -> Self {
        Self::List(Box::default())
    }
}

/// The longest list.
const MAX_LIST: usize = 400;

impl TokenSet {
    /// The tokens of a bitset.
    pub(crate) fn from_bits(slices: &Slices, words: &[u32]) -> Self {
        if bits::count(words) <= MAX_LIST {
            Self::List(bits::tokens(words).collect())
        } else {
            Self::Bits(slices.shared(words))
        }
    }

    /// The tokens of a slice, if there is one, and some more.
    pub(crate) fn from_tokens(slices: &Slices, slice: Option<&Arc<[u32]>>, more: &[TokenId]) -> Self {
        if more.len() <= MAX_LIST {
            let more = more.into();
            return match slice {
                Some(words) => Self::Slice { words: Arc::clone(words), more },
                None => Self::List(more),
            };
        }
        let mut words = match slice {
            Some(words) => words.to_vec(),
            None => vec![0; slices.vocabulary().mask_words()],
        };
        for &token in more {
            bits::set(&mut words, token);
        }
        Self::Bits(slices.shared(&words))
    }

    /// Adds the set to a mask.
    #[inline]
    pub(crate) fn add_to(&self, mask: &mut [u32]) {
        match self {
            Self::List(_) => {}
            Self::Bits(words) => bits::or(mask, words),
            Self::Slice { words, .. } => bits::or(mask, words),
        }
        for &token in self.listed() {
            bits::set(mask, token);
        }
    }

    /// Makes a mask hold this set and nothing else.
    ///
    /// PERF: copying a bitset instead of clearing the mask and adding it halves a warm mask, 0.45 to 0.20 µs
    /// (`cargo xtask bench masks`, schema).
    pub(crate) fn write_to(&self, mask: &mut [u32]) {
        let words = self.words();
        let n = words.len().min(mask.len());
        mask[..n].copy_from_slice(&words[..n]);
        mask[n..].fill(0);
        for &token in self.listed() {
            bits::set(mask, token);
        }
    }

    /// The bitset that it is or has.
    fn words(&self) -> &[u32] {
        match self {
            Self::List(_) => &[],
            Self::Bits(words) => words,
            Self::Slice { words, .. } => words,
        }
    }

    /// The tokens that are kept as ids.
    fn listed(&self) -> &[TokenId] {
        match self {
            Self::List(tokens) | Self::Slice { more: tokens, .. } => tokens,
            Self::Bits(_) => &[],
        }
    }

    /// Whether it is a bitset, or has one: worth being written first.
    pub(crate) fn is_wide(&self) -> bool {
        !matches!(self, Self::List(_))
    }

    pub(crate) fn len(&self) -> usize {
        // No token is listed that the bitset has.
        bits::count(self.words()) + self.listed().len()
    }

    /// Heap memory in bytes; a bitset counts for the first who has it.
    pub(crate) fn memory_size(&self) -> usize {
        let own = match self {
            Self::Bits(words) if Arc::strong_count(words) <= 2 => size_of_val(&words[..]),
            _ => 0,
        };
        own + size_of_val(self.listed())
    }
}

/// Bitsets, each once: what states accept is often the same though the states are not, all that may begin a string, say.
///
/// Of 20 wide masks some 19 have a set that was there. Two generations, of which the older is forgotten.
#[derive(Debug, Default)]
pub(crate) struct SharedSets {
    young: HashSet<Arc<[u32]>>,
    old: HashSet<Arc<[u32]>>,
}

/// How many sets a generation has: 8 MiB for a vocabulary of 128,000.
const MAX_SHARED: usize = 512;

impl SharedSets {
    pub(crate) fn get(&mut self, words: &[u32]) -> Arc<[u32]> {
        if let Some(known) = self.young.get(words) {
            return Arc::clone(known);
        }
        let set = self.old.get(words).cloned().unwrap_or_else(|| words.into());
        if self.young.len() >= MAX_SHARED {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(Arc::clone(&set));
        set
    }
}
