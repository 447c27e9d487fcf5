//! What stands in tokens behind the ends of a rule, as tries of the parts that somebody may read.
//!
//! Behind a string may stand whatever stands behind a quote in some token, `)`, `>` and `]` more often than anything else; a
//! parent that reads JSON goes on with `,`, `}` and blanks. Behind a number that may end after each digit nearly all that
//! stands there are digits, which no parent reads. So suffixes are kept as a list, and a trie is made of those that begin with a
//! byte that is read when somebody who stands behind the rule asks. There are few such sets of bytes.
//!
//! # Worked example
//! The suffixes `,`, `,"`, `)`, `);`, `}`. A parent that reads `,` and blanks asks for the bytes `,`: the trie of `,` and `,"`. One
//! that reads digits asks for nothing, and there is nothing to walk.

use formwork_grammar::ByteSet;
use formwork_vocab::{TokenId, Trie, Vocabulary};
use std::sync::{Arc, OnceLock};

/// The suffixes behind all boundaries of a state that are kept as such.
#[derive(Debug, Default)]
pub(crate) struct Suffixes {
    entries: Box<[Suffix]>,
    /// What they begin with.
    first: ByteSet,
    /// Of those that begin with one of these bytes.
    some: [Kind; N_KINDS],
    /// The same for further kinds.
    further: OnceLock<Box<[Kind; N_FURTHER]>>,
    /// Of all, where more kinds are asked for.
    all: OnceLock<Arc<Trie>>,
}

/// The end of a token; at least a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suffix {
    pub(crate) token: TokenId,
    pub(crate) n_bytes: u16,
    first: u8,
}

/// A trie of the suffixes that begin with one of these bytes, once it is made.
type Kind = OnceLock<(ByteSet, Arc<Trie>)>;

/// Sets of bytes that have tries of their own. What stands behind a value of an object and behind one of a list are two.
const N_KINDS: usize = 3;
/// Further ones, behind what all grammars have: a string may be a name, an element, any member or the last one.
///
/// PERF: the trie of all suffixes behind a string took 90 µs, one of those that somebody reads takes 5.
const N_FURTHER: usize = 5;

impl Suffix {
    /// The last bytes of a token; `None` if the token has not so many, or if they are none.
    pub(crate) fn new(vocabulary: &Vocabulary, token: TokenId, n_bytes: usize) -> Option<Self> {
        let text = vocabulary.text(token)?;
        let first = *text.get(text.len().checked_sub(n_bytes)?)?;
        Some(Self { token, n_bytes: u16::try_from(n_bytes).ok()?, first })
    }
}

impl Suffixes {
    pub(crate) fn new(entries: Vec<Suffix>) -> Self {
        let first = entries.iter().map(|suffix| suffix.first).collect();
        Self { entries: entries.into(), first, ..Self::default() }
    }

    pub(crate) fn entries(&self) -> &[Suffix] {
        &self.entries
    }

    /// A trie that has all suffixes that begin with one of these bytes, and the bytes along which to walk it; `None` if there are
    /// none. `grown` becomes larger by the bytes of what had to be made.
    ///
    /// Cost: a few comparisons, or the making of the trie.
    pub(crate) fn along<'a>(
        &'a self,
        vocabulary: &Vocabulary,
        bytes: &ByteSet,
        grown: &mut usize,
    ) -> Option<(&'a Arc<Trie>, ByteSet)> {
        let wanted = self.first.intersection(bytes);
        if wanted.is_empty() {
            return None;
        }
        let grown = std::cell::Cell::from_mut(grown);
        let make = |wanted: &ByteSet| {
            let texts = self.entries.iter().filter(|suffix| wanted.contains(suffix.first)).map(|suffix| {
                let text = vocabulary.text(suffix.token).unwrap_or_default();
                (suffix.token, &text[text.len().saturating_sub(suffix.n_bytes.into())..])
            });
            let trie = Trie::over(texts.collect());
            grown.set(grown.get() + trie.memory_size());
            Arc::new(trie)
        };
        let find = |kind: &'a Kind| {
            let (kind, trie) = kind.get_or_init(|| (wanted, make(&wanted)));
            (*kind == wanted).then_some(trie)
        };
        let further = || {
            grown.set(grown.get() + size_of::<[Kind; N_FURTHER]>());
            Box::default()
        };
        let some = self.some.iter().find_map(find);
        let some = some.or_else(|| self.further.get_or_init(further).iter().find_map(find));
        Some((some.unwrap_or_else(|| self.all.get_or_init(|| make(&self.first))), wanted))
    }

    /// Heap memory in bytes, with the tries that were made.
    pub(crate) fn memory_size(&self) -> usize {
        let further = self.further.get();
        let kinds = self.some.iter().chain(further.into_iter().flat_map(|further| further.iter()));
        let tries = kinds.filter_map(|kind| kind.get().map(|(_, trie)| trie)).chain(self.all.get());
        let tries: usize = tries.map(|trie| trie.memory_size()).sum();
        let further = further.map_or(0, |further| size_of_val(&**further));
        size_of::<Self>() + size_of_val(&self.entries[..]) + further + tries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        let mut builder = Vocabulary::builder();
        for (id, text) in (0..).zip(["a,", "b,\"", "c)", "d);", "e}", "f", "g]"]) {
            builder.token(id, text);
        }
        let vocabulary = builder.build().expect("a vocabulary");
        let suffix =
            |(token, n): (u32, usize)| Suffix::new(&vocabulary, TokenId::new(token), n).expect("a suffix");
        let suffixes = Suffixes::new([(0, 1), (1, 2), (2, 1), (3, 2), (4, 1), (6, 1)].map(suffix).to_vec());
        let before = suffixes.memory_size();
        let mut grown = 0;
        let mut of = |bytes: &[u8]| {
            let found = suffixes.along(&vocabulary, &bytes.iter().copied().collect(), &mut grown);
            found.map(|(trie, along)| (trie.to_string().lines().skip(1).collect::<Vec<_>>().join("|"), along))
        };
        let set = |bytes: &[u8]| bytes.iter().copied().collect::<ByteSet>();
        assert_eq!(of(b", "), Some(("  , t0|    \\\" t1".to_owned(), set(b","))));
        assert_eq!(of(b"0123456789"), None);
        // Not more kinds than there is room for; then all are in one.
        assert_eq!(of(b",}"), Some(("  , t0|    \\\" t1|  } t4".to_owned(), set(b",}"))));
        assert_eq!(of(b"}"), Some(("  } t4".to_owned(), set(b"}"))));
        for (other, n_lines) in [(&b",)"[..], 4), (b")}", 3), (b",)}", 5), (b"]", 1), (b",]", 3)] {
            assert_eq!(
                of(other).map(|(trie, along)| (trie.split('|').count(), along)),
                Some((n_lines, set(other)))
            );
        }
        let all = "  ) t2|    ; t3|  , t0|    \\\" t1|  ] t6|  } t4".to_owned();
        assert_eq!(of(b")"), Some((all, set(b")"))));
        let again = [of(b","), of(b", ")];
        assert_eq!(again[0], again[1]);
        // What was made is counted once.
        assert!(grown > 0);
        assert_eq!(suffixes.memory_size(), before + grown);
        // What a token has not.
        assert_eq!(Suffix::new(&vocabulary, TokenId::new(0), 0), None);
        assert_eq!(Suffix::new(&vocabulary, TokenId::new(0), 3), None);
        assert_eq!(Suffix::new(&vocabulary, TokenId::new(9), 1), None);
    }
}
