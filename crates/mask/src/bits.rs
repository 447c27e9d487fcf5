//! Operations on a mask's words: `u32`, least significant bit first, a set bit allows the token.

use formwork_vocab::TokenId;

/// Sets the bit of a token.
#[inline]
pub fn set(words: &mut [u32], token: TokenId) {
    if let Some(word) = words.get_mut(token.index() >> 5) {
        *word |= 1 << (token.get() & 31);
    }
}

/// Clears the bit of a token.
#[inline]
pub fn clear(words: &mut [u32], token: TokenId) {
    if let Some(word) = words.get_mut(token.index() >> 5) {
        *word &= !(1 << (token.get() & 31));
    }
}

/// Whether the bit of a token is set.
#[inline]
pub fn get(words: &[u32], token: TokenId) -> bool {
    words.get(token.index() >> 5).is_some_and(|word| word >> (token.get() & 31) & 1 != 0)
}

/// Sets all bits that are set in `other`.
#[inline]
pub fn or(words: &mut [u32], other: &[u32]) {
    for (word, other) in words.iter_mut().zip(other) {
        *word |= other;
    }
}

/// The number of set bits.
pub fn count(words: &[u32]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// Whether more than so many bits are set.
///
/// Cost: up to where that shows; to count all of a large vocabulary takes ten times as long as to copy it.
pub fn has_more(words: &[u32], n: usize) -> bool {
    let mut seen = 0;
    words.chunks(64).any(|chunk| {
        seen += count(chunk);
        seen > n
    })
}

/// The tokens whose bits are set, ascending.
pub fn tokens(words: &[u32]) -> impl Iterator<Item = TokenId> + '_ {
    words.iter().enumerate().flat_map(|(i, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            Some(TokenId::new(i as u32 * 32 + bit))
        })
    })
}
