//! Which tokens have how many characters, for states whose loop ticks once for each.
//!
//! Of a string of at most n characters, k of which have come, the tokens of n − k characters fit and longer ones do not,
//! whatever the string is otherwise. So the tokens of at most so many characters are a bitset for each number, once for a
//! vocabulary, and what fits of a [slice](crate::slices) is what both have. Some hundred tokens, runs of blanks and
//! dashes mostly, have more characters than there are bitsets, and are a list.
//!
//! # Worked example
//! Tokens `a`, `bc`, `é`, `x…x` (40 of them) and `b` with the first byte of `é` behind it: a character that is begun counts, so
//! at most one have `a` and `é`, at most two all but `x…x`, which is in the list.

use crate::bits;
use formwork_vocab::{TokenId, Trie, Vocabulary};

/// There is a bitset for each number below: half a mebibyte for a vocabulary of 128,000.
const N_SETS: usize = 33;

/// The tokens of a vocabulary by their characters, an unfinished one at the end among them.
#[derive(Debug)]
pub(crate) struct Characters {
    /// By number: the tokens of at most so many characters.
    at_most: Vec<Box<[u32]>>,
    /// Those of more characters than there are sets for, ascending by them.
    longer: Box<[(u32, TokenId)]>,
}

impl Characters {
    /// Cost: a pass over the tokens, about 0.3 ms for 128,000.
    pub(crate) fn of(vocabulary: &Vocabulary) -> Self {
        let trie = vocabulary.trie();
        let mut at_most = vec![vec![0; vocabulary.mask_words()].into_boxed_slice(); N_SETS];
        let mut longer = Vec::new();
        let tokens = trie.tokens_below(Trie::ROOT).iter().zip(trie.characters_begun(Trie::ROOT));
        for (&token, &n) in tokens {
            match at_most.get_mut(usize::from(n)) {
                Some(words) => bits::set(words, token),
                None => longer.push((n.into(), token)),
            }
        }
        for n in 1..N_SETS {
            let (fewer, more) = at_most.split_at_mut(n);
            bits::or(&mut more[0], &fewer[n - 1]);
        }
        longer.sort_unstable();
        Self { at_most, longer: longer.into() }
    }

    /// The most characters of one of these tokens.
    pub(crate) fn longest(&self, words: &[u32]) -> u32 {
        if let Some(&(n, _)) = self.longer.iter().rfind(|&&(_, token)| bits::get(words, token)) {
            return n;
        }
        let has_more = |fewer: &[u32]| words.iter().zip(fewer).any(|(word, fewer)| word & !fewer != 0);
        self.at_most.iter().rposition(|fewer| has_more(fewer)).map_or(0, |n| n as u32 + 1)
    }

    /// Adds those of some tokens to a mask that have at most so many characters.
    ///
    /// Cost: a pass over two bitsets.
    pub(crate) fn add_at_most(&self, mask: &mut [u32], words: &[u32], n: u32) {
        let last = self.at_most.len() - 1;
        let fewer = &self.at_most[last.min(n as usize)];
        for ((mask, word), fewer) in mask.iter_mut().zip(words).zip(fewer) {
            *mask |= word & fewer;
        }
        let fitting = self.longer.iter().take_while(|&&(longer, _)| longer <= n);
        fitting.filter(|&&(_, token)| bits::get(words, token)).for_each(|&(_, token)| bits::set(mask, token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        let mut builder = Vocabulary::builder();
        let long = "x".repeat(40);
        let longer = "x".repeat(50);
        let texts: [&[u8]; 6] =
            [b"a", b"bc", "é".as_bytes(), long.as_bytes(), &[b'b', 0xC3], longer.as_bytes()];
        for (id, text) in (0..).zip(texts) {
            builder.token(id, text);
        }
        let characters = Characters::of(&builder.build().expect("a vocabulary"));
        let at_most = |among: u32, n: u32| {
            let mut mask = [0];
            characters.add_at_most(&mut mask, &[among], n);
            mask[0]
        };
        assert_eq!(
            [0, 1, 2, 39, 40, 49, 50].map(|n| at_most(0b111_111, n)),
            [0, 0b101, 0b10111, 0b10111, 0b11111, 0b11111, 0b111_111]
        );
        assert_eq!([0, 1, 40].map(|n| at_most(0b11010, n)), [0, 0, 0b11010]);
        assert_eq!(
            [0, 0b101, 0b111, 0b10000, 0b1111, 0b111_111].map(|among| characters.longest(&[among])),
            [0, 1, 2, 2, 40, 50]
        );
    }
}
