//! A set of tokens in the smallest of three forms.

use crate::bits;
use formwork_vocab::TokenId;
use std::sync::Arc;

/// Tokens as a list of ids, or as a bitset when the list would be long, or as what a shared bitset has, some more and some
/// less.
///
/// Most states allow a handful of tokens: as bitsets of 16 KB each, the masks of a large schema took 213 MB; a list of up
/// to 400 ids is faster to apply than a bitset besides.
#[derive(Clone, Debug)]
pub(crate) enum TokenSet {
    List(Box<[TokenId]>),
    Bits(Arc<[u32]>),
    Near { words: Arc<[u32]>, more: Box<[TokenId]>, less: Box<[TokenId]> },
}

/// The longest lists beside the bitset of a mask that has a base: there are many of those, and a bitset is four times as
/// large.
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
            return Self::Near { words: slice, more: more.into(), less: Box::default() };
        }
        let mut words: Vec<u32> = slice.to_vec();
        for &token in more {
            bits::set(&mut words, token);
        }
        Self::Bits(words.into())
    }

    /// The tokens of a bitset, as another one with the differences, if that is smaller.
    pub(crate) fn near(other: &Self, words: &[u32]) -> Self {
        let (Self::Bits(shared) | Self::Near { words: shared, .. }) = other else {
            return Self::from_bits(words);
        };
        let missing = |(shared, word): (&u32, &u32)| (shared & !word).count_ones() as usize;
        let added = |(shared, word): (&u32, &u32)| (word & !shared).count_ones() as usize;
        let n: usize = shared.iter().zip(words).map(|pair| missing(pair) + added(pair)).sum();
        if n > MAX_MORE {
            return Self::from_bits(words);
        }
        let of = |difference: fn(u32, u32) -> u32| {
            let words: Vec<u32> =
                shared.iter().zip(words).map(|(&shared, &word)| difference(shared, word)).collect();
            bits::tokens(&words).collect()
        };
        let (more, less) = (of(|shared, word| word & !shared), of(|shared, word| shared & !word));
        Self::Near { words: Arc::clone(shared), more, less }
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
            Self::Near { words, more, less } => {
                // Of what is taken out, others may have put some in before.
                let absent: smallvec::SmallVec<[TokenId; 32]> =
                    less.iter().copied().filter(|&token| !bits::get(mask, token)).collect();
                bits::or(mask, words);
                for token in absent {
                    bits::clear(mask, token);
                }
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
            Self::Bits(words) | Self::Near { words, .. } => words,
        };
        let n = words.len().min(mask.len());
        mask[..n].copy_from_slice(&words[..n]);
        mask[n..].fill(0);
        if let Self::Near { less, .. } = self {
            for &token in less {
                bits::clear(mask, token);
            }
        }
        if let Self::List(more) | Self::Near { more, .. } = self {
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
            Self::Near { words, more, less } => bits::count(words) + more.len() - less.len(),
        }
    }

    pub(crate) fn memory_size(&self) -> usize {
        match self {
            Self::List(tokens) => size_of_val(&tokens[..]),
            Self::Bits(words) => size_of_val(&words[..]),
            // The bitset belongs to the vocabulary, or to another set.
            Self::Near { more, less, .. } => size_of_val(&more[..]) + size_of_val(&less[..]),
        }
    }
}
