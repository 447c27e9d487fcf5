//! A set of tokens in the smallest of three forms.

use crate::bits;
use crate::bitset::Bitset;
use crate::slices::Slices;
use formwork_grammar::{Filling, Generations, Seeded};
use formwork_vocab::TokenId;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Tokens as a list of ids, or as a bitset when the list would be long, perhaps that of a slice, with some more ids.
///
/// Most states allow a handful of tokens: as bitsets of 16 KB each, the masks of a large schema took 213 MB; a list of up
/// to 400 ids is faster to apply than a bitset besides. Bitsets are [shared](SharedSets).
#[derive(Clone, Debug)]
pub(crate) enum TokenSet {
    List(Box<[TokenId]>),
    Bits {
        words: Arc<Bitset>,
        more: Box<[TokenId]>,
        /// Whether the bitset is a slice's, which counts its memory.
        of_slice: bool,
    },
}

impl Default for TokenSet {
    fn default() -> Self {
        Self::List(Box::default())
    }
}

/// The longest list.
const MAX_LIST: usize = 400;
/// The longest list beside a bitset.
///
/// PERF: the inside of a JSON string, half of all steps, had some 300 tokens beside its slice, which took as long to set one by
/// one as the slice to copy; equal bitsets are shared.
const MAX_BESIDE: usize = 200;

impl TokenSet {
    /// The tokens of a bitset.
    pub(crate) fn from_bits(slices: &Slices, words: &[u32]) -> Self {
        if bits::has_more(words, MAX_LIST) {
            Self::Bits { words: slices.shared(words), more: Box::default(), of_slice: false }
        } else {
            Self::List(bits::tokens(words).collect())
        }
    }

    /// The tokens of a slice.
    pub(crate) fn of_slice(words: &Arc<Bitset>) -> Self {
        Self::Bits { words: Arc::clone(words), more: Box::default(), of_slice: true }
    }

    /// These tokens, each of which comes once.
    pub(crate) fn of_tokens(slices: &Slices, tokens: &[TokenId]) -> Self {
        if tokens.len() <= MAX_LIST {
            return Self::List(tokens.into());
        }
        let mut words = vec![0; slices.vocabulary().mask_words()];
        tokens.iter().for_each(|&token| bits::set(&mut words, token));
        Self::Bits { words: slices.shared(&words), more: Box::default(), of_slice: false }
    }

    /// Whether so many more tokens may be listed; with others it is to be a bitset.
    pub(crate) fn has_room_for(&self, n_more: usize) -> bool {
        let most = if self.is_wide() { MAX_BESIDE } else { MAX_LIST };
        self.listed().len() + n_more <= most
    }

    /// The set with some more tokens, which it does not have; there is [room](Self::has_room_for) for them.
    pub(crate) fn with(self, more: &[TokenId]) -> Self {
        let more = [self.listed(), more].concat().into();
        match self {
            Self::List(_) => Self::List(more),
            Self::Bits { words, of_slice, .. } => Self::Bits { words, more, of_slice },
        }
    }

    /// Adds the set to a mask.
    #[inline]
    pub(crate) fn add_to(&self, mask: &mut [u32]) {
        if let Some(words) = self.words() {
            words.add_to(mask);
        }
        for &token in self.listed() {
            bits::set(mask, token);
        }
    }

    /// Makes a mask hold this set and nothing else.
    pub(crate) fn write_to(&self, mask: &mut [u32]) {
        match self.words() {
            Some(words) => words.write_to(mask),
            None => mask.fill(0),
        }
        for &token in self.listed() {
            bits::set(mask, token);
        }
    }

    /// The bitset, if there is one.
    pub(crate) fn words(&self) -> Option<&Arc<Bitset>> {
        match self {
            Self::List(_) => None,
            Self::Bits { words, .. } => Some(words),
        }
    }

    /// The tokens that are kept as ids.
    pub(crate) fn listed(&self) -> &[TokenId] {
        match self {
            Self::List(tokens) | Self::Bits { more: tokens, .. } => tokens,
        }
    }

    /// Whether it is a bitset, or has one: worth being written first.
    pub(crate) fn is_wide(&self) -> bool {
        !matches!(self, Self::List(_))
    }

    pub(crate) fn len(&self) -> usize {
        // No token is listed that the bitset has.
        self.words().map_or(0, |words| bits::count(words)) + self.listed().len()
    }

    /// Heap memory in bytes; a bitset counts for the first who has it.
    pub(crate) fn memory_size(&self) -> usize {
        let own = match self {
            Self::Bits { words, of_slice: false, .. } if SharedSets::is_new(words) => words.memory_size(),
            _ => 0,
        };
        own + size_of_val(self.listed())
    }
}

/// Bitsets, each once: what states accept is often the same though the states are not, all that may begin a string, say.
///
/// Of 20 wide masks some 19 have a set that was there.
#[derive(Debug, Default)]
pub(crate) struct SharedSets {
    /// By hash, and those of one hash one after the other.
    ///
    /// PERF: to hash a set takes longer than to copy it, so the map is not to do it again.
    generations: Generations<(u64, u32), Arc<Bitset>>,
    /// In sets.
    filling: Filling,
}

/// How many sets there are: 12 MiB for a vocabulary of 128,000.
const MAX_SHARED: usize = 768;

impl SharedSets {
    /// How often a set is held here.
    const HOLDERS: usize = 1;

    /// Whether only one has a set beside these.
    pub(crate) fn is_new(set: &Arc<Bitset>) -> bool {
        Arc::strong_count(set) <= Self::HOLDERS + 1
    }

    pub(crate) fn get(&mut self, words: &[u32]) -> Arc<Bitset> {
        let mut key = (Seeded::default().hash_one(words), 0);
        while let Some((known, was_old)) = self.generations.get(&key) {
            let known = Arc::clone(known);
            if was_old {
                self.count();
            }
            if known[..] == *words {
                return known;
            }
            key.1 += 1;
        }
        self.count();
        let set = Arc::new(Bitset::from(words.to_vec()));
        self.generations.insert(key, Arc::clone(&set));
        set
    }

    /// Notes that a set came into the youngest generation.
    fn count(&mut self) {
        let n_changes = self.filling.add(1, MAX_SHARED);
        self.generations.age(n_changes);
    }
}
