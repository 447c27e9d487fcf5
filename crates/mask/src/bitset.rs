//! A bitset over the vocabulary that knows how it is best written.
//!
//! Copying reads as many bytes as it writes, and with 200,000 tokens the two are more than a core's first cache holds. Most
//! wide sets are *even*, though: of free text nearly every word is full, of white space or the digits of numbers nearly every
//! word is empty. Such a set is written without being read, by filling the mask and putting in the words that are exceptions;
//! and it is added to a mask by those alone. It is found once, when the set is made, and all who have the set share it.
//!
//! # Worked example
//! Words `F F F 7 F F 0 0` (`F` is full): full up to the sixth, empty from there on, and one exception, `7` at 3. Words
//! `0 0 5 0 0 0 0 0`: full up to none, and one exception, `5` at 2.

use crate::bits;
use std::ops::Deref;

/// The bits of many tokens, never changed.
#[derive(Debug)]
pub(crate) struct Bitset {
    words: Box<[u32]>,
    even: Option<Even>,
}

/// That most words are full, or empty.
#[derive(Debug)]
struct Even {
    /// The words before are full, but for the exceptions; those from here on are empty, but for the exceptions.
    n_full: usize,
    /// Words that are not, by position.
    exceptions: Box<[(u32, u32)]>,
}

/// Words that are looked at together, of which one may be an exception on average: of text in UTF-8 one word in twenty is, since no
/// token may begin within a character; of the inside of a JSON string two of three.
const CHUNK: usize = 16;
/// So many chunks may be exceptions besides, since tokens of single bytes come first in most vocabularies.
const MORE: usize = 4;
/// One word in so many may be an exception where the others are empty: the three digits of a number are in one of nine. To put
/// it in takes a cycle, and to add the whole set two for each of eight words.
const SPARSE: usize = 6;

impl Bitset {
    /// Makes a mask of any length hold the set and nothing else.
    ///
    /// PERF: copying a bitset instead of clearing the mask and adding it halves a warm mask, 0.45 to 0.20 µs
    /// (`cargo xtask bench masks`, schema).
    pub(crate) fn write_to(&self, mask: &mut [u32]) {
        match &self.even {
            Some(even) => even.write_to(mask),
            None => {
                let n = self.words.len().min(mask.len());
                mask[..n].copy_from_slice(&self.words[..n]);
                mask[n..].fill(0);
            }
        }
    }

    /// Adds the set to a mask.
    pub(crate) fn add_to(&self, mask: &mut [u32]) {
        match &self.even {
            Some(Even { n_full: 0, exceptions }) => {
                for &(at, more) in exceptions {
                    if let Some(word) = mask.get_mut(at as usize) {
                        *word |= more;
                    }
                }
            }
            _ => bits::or(mask, &self.words),
        }
    }

    /// Memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.words[..]) + self.even.as_ref().map_or(0, |even| size_of_val(&even.exceptions[..]))
    }
}

impl Deref for Bitset {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.words
    }
}

impl From<Vec<u32>> for Bitset {
    /// Cost: some dozen words tell of most sets that they are not even; else a pass.
    fn from(words: Vec<u32>) -> Self {
        Self { even: Even::nearly_all(&words).or_else(|| Even::nearly_none(&words)), words: words.into() }
    }
}

impl Even {
    fn nearly_all(words: &[u32]) -> Option<Self> {
        let is_exception = |word: &u32| *word != u32::MAX;
        let middle = words[words.len() / 2..].iter().take(MORE * CHUNK);
        if middle.map(|word| usize::from(is_exception(word))).sum::<usize>() > CHUNK {
            return None;
        }
        let n_full = words.iter().rposition(|&word| word != 0)? + 1;
        let words = &words[..n_full];
        let mut exceptions = Vec::new();
        for (i, chunk) in words.chunks(CHUNK).enumerate() {
            if chunk.iter().fold(u32::MAX, |all, word| all & word) == u32::MAX {
                continue;
            }
            let numbered = (i as u32 * CHUNK as u32..).zip(chunk.iter().copied());
            exceptions.extend(numbered.filter(|(_, word)| is_exception(word)));
            if exceptions.len() > i + MORE * CHUNK {
                return None;
            }
        }
        Some(Self { n_full, exceptions: exceptions.into() })
    }

    fn nearly_none(words: &[u32]) -> Option<Self> {
        let mut exceptions = Vec::new();
        for (i, chunk) in words.chunks(CHUNK).enumerate() {
            if chunk.iter().fold(0, |any, word| any | word) == 0 {
                continue;
            }
            let numbered = (i as u32 * CHUNK as u32..).zip(chunk.iter().copied());
            exceptions.extend(numbered.filter(|&(_, word)| word != 0));
            if exceptions.len() > words.len() / SPARSE {
                return None;
            }
        }
        Some(Self { n_full: 0, exceptions: exceptions.into() })
    }

    fn write_to(&self, mask: &mut [u32]) {
        let (full, empty) = mask.split_at_mut(self.n_full.min(mask.len()));
        full.fill(u32::MAX);
        empty.fill(0);
        for &(at, word) in &self.exceptions {
            if let Some(there) = mask.get_mut(at as usize) {
                *there = word;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_bitset_is_written_and_added_as_any_other() {
        // Words that are not full: none, the first, one in fifty, many before the middle, one in nine, all.
        let with_gaps = |gaps: &dyn Fn(u32) -> bool| -> Vec<u32> {
            let inside = (0..4_000).map(|at| if gaps(at) { u32::MAX - at } else { u32::MAX });
            inside.chain([0b1011, 0, 0]).collect()
        };
        // Words that are not empty.
        let with_some = |some: &dyn Fn(u32) -> bool| -> Vec<u32> {
            (0..4_000).map(|at| if some(at) { at } else { 0 }).chain([0b1011, 0]).collect()
        };
        let every = |n: u32| move |at: u32| at % n == 0;
        let sets = [
            (with_gaps(&|_| false), true),
            (with_gaps(&|at| at < 30), true),
            (with_gaps(&every(50)), true),
            (with_gaps(&|at| at < 1_000), false),
            (with_gaps(&every(9)), false),
            (with_gaps(&|_| true), false),
            (with_some(&|_| false), true),
            (with_some(&|at| at < 500), true),
            (with_some(&every(7)), true),
            (with_some(&every(5)), false),
            (vec![0; 100], true),
            (Vec::new(), true),
        ];
        for (words, is_even) in sets {
            let set = Bitset::from(words.clone());
            assert_eq!((set.even.is_some(), &set[..]), (is_even, &words[..]), "{:?}", words.get(..9));
            // Whatever was in the mask, shorter or longer than the vocabulary.
            for len in [0, 30, words.len(), words.len() + 1, words.len() + 70] {
                let before: Vec<u32> = (0..len as u32).map(|at| at.wrapping_mul(0x9E37_79B9)).collect();
                let at = |at: usize| words.get(at).copied().unwrap_or(0);
                let mut mask = before.clone();
                set.add_to(&mut mask);
                assert!(mask.iter().enumerate().all(|(i, &word)| word == before[i] | at(i)));
                set.write_to(&mut mask);
                assert!(mask.iter().enumerate().all(|(i, &word)| word == at(i)));
            }
        }
    }
}
