//! A set of tokens in the smaller of two forms.

use crate::bits;
use formwork_vocab::TokenId;

/// Tokens as a list of ids, or as a bitset when the list would be long.
///
/// Most states allow a handful of tokens: as bitsets of 16 KB each, the masks of a large schema took 213 MB; a list of up
/// to 400 ids is faster to apply than a bitset besides.
#[derive(Clone, Debug)]
pub(crate) enum TokenSet {
    List(Box<[TokenId]>),
    Bits(Box<[u32]>),
}

/// The longest list.
const MAX_LIST: usize = 400;

impl TokenSet {
    /// The tokens of a bitset of which `n` bits are set.
    pub(crate) fn from_bits(words: &[u32]) -> Self {
        if bits::count(words) <= MAX_LIST {
            Self::List(bits::tokens(words).collect())
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
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::List(tokens) => tokens.len(),
            Self::Bits(words) => bits::count(words),
        }
    }

    pub(crate) fn memory_size(&self) -> usize {
        match self {
            Self::List(tokens) => size_of_val(&tokens[..]),
            Self::Bits(words) => size_of_val(&words[..]),
        }
    }
}
