//! A set of tokens in the smallest of three forms.

use crate::bits;
use formwork_vocab::TokenId;
use std::sync::Arc;

/// Tokens as a list of ids, or as a bitset when the list would be long, or as a shared slice and a list.
///
/// Most states allow a handful of tokens: as bitsets of 16 KB each, the masks of a large schema took 213 MB; a list of up
/// to 400 ids is faster to apply than a bitset besides.
#[derive(Clone, Debug)]
pub(crate) enum TokenSet {
    List(Box<[TokenId]>),
    Bits(Box<[u32]>),
    Slice(Arc<[u32]>, Box<[TokenId]>),
}

/// The longest list beside a slice of a mask that has a base: there are many of those, and a bitset is four times as large.
const MAX_MORE: usize = 1_000;
/// The longest list.
const MAX_LIST: usize = 400;

impl TokenSet {
    /// The tokens of a bitset.
    pub(crate) fn from_bits(words: &[u32]) -> Self {
        if bits::count(words) <= MAX_LIST {
            Self::List(bits::tokens(words).collect())
        } else {
            Self::Bits(words.into())
        }
    }

    /// The tokens of a slice and some more.
    pub(crate) fn from_slice(slice: Arc<[u32]>, more: &[TokenId]) -> Self {
        if more.len() <= MAX_LIST {
            return Self::Slice(slice, more.into());
        }
        let mut words: Box<[u32]> = (*slice).into();
        for &token in more {
            bits::set(&mut words, token);
        }
        Self::Bits(words)
    }

    /// The tokens of a bitset that holds a slice, or nearly: as the slice and a list, if that is smaller.
    pub(crate) fn near_slice(slice: Arc<[u32]>, words: &[u32]) -> Self {
        if slice.iter().zip(words).any(|(slice, word)| slice & !word != 0) {
            return Self::from_bits(words);
        }
        let more: Vec<u32> = slice.iter().zip(words).map(|(slice, word)| word & !slice).collect();
        if bits::count(&more) <= MAX_MORE {
            Self::Slice(slice, bits::tokens(&more).collect())
        } else {
            Self::Bits(words.into())
        }
    }

    pub(crate) fn from_tokens(tokens: &[TokenId], n_words: usize) -> Self {
        if tokens.len() <= MAX_LIST {
            return Self::List(tokens.into());
        }
        let mut words = vec![0; n_words];
        for &token in tokens {
            bits::set(&mut words, token);
        }
        Self::Bits(words.into())
    }

    /// Adds the set to a mask.
    #[inline]
    pub(crate) fn add_to(&self, mask: &mut [u32]) {
        match self {
            Self::List(tokens) => {
                for &token in tokens {
                    bits::set(mask, token);
                }
            }
            Self::Bits(words) => bits::or(mask, words),
            Self::Slice(slice, more) => {
                bits::or(mask, slice);
                for &token in more {
                    bits::set(mask, token);
                }
            }
        }
    }

    /// Makes a mask hold this set and nothing else.
    ///
    /// PERF: copying a bitset instead of clearing the mask and adding it halves a warm mask, 0.45 to 0.20 µs
    /// (`cargo xtask bench masks`, schema).
    pub(crate) fn write_to(&self, mask: &mut [u32]) {
        let words = match self {
            Self::List(_) => &[][..],
            Self::Bits(words) => words,
            Self::Slice(slice, _) => slice,
        };
        let n = words.len().min(mask.len());
        mask[..n].copy_from_slice(&words[..n]);
        mask[n..].fill(0);
        if let Self::List(more) | Self::Slice(_, more) = self {
            for &token in more {
                bits::set(mask, token);
            }
        }
    }

    /// Whether it is a bitset, or has one: worth being written first.
    pub(crate) fn is_wide(&self) -> bool {
        !matches!(self, Self::List(_))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::List(tokens) => tokens.len(),
            Self::Bits(words) => bits::count(words),
            Self::Slice(slice, more) => bits::count(slice) + more.len(),
        }
    }

    pub(crate) fn memory_size(&self) -> usize {
        match self {
            Self::List(tokens) => size_of_val(&tokens[..]),
            Self::Bits(words) => size_of_val(&words[..]),
            // The slice belongs to the vocabulary.
            Self::Slice(_, more) => size_of_val(&more[..]),
        }
    }
}
