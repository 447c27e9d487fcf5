//! Boundaries: where a rule may end inside tokens, in one of two forms.
//!
//! To the parent of a rule only that matters of a token which stands behind the rule's end: after a string has ended,
//! `a",` and `b",` are the same question. So boundaries are *places* in tries below which the parent walks: of the vocabulary's
//! trie, of the [rest](crate::slices) of a slice, where all tokens that leave a loop in the same way are together, or of a
//! trie of suffixes that the boundaries of one state have for themselves. A place in a shared trie costs nothing to keep,
//! and is right where half the vocabulary is undecided, as behind white space that ends a rule; suffixes are right for many
//! boundaries with few tokens each, which would otherwise be walked one by one.
//!
//! # Worked example
//! Inside of `string ::= "\"" [a-z]* "\""`, the undecided tokens `a",`, `b",`, `","`, `",b` and `a"}` have the suffixes
//! `,`, `,`, `,"`, `,b` and `}`: four nodes in preorder, of which the first holds two tokens.
//!
//! ```text
//! ,        a",  b",
//!   "      ","
//!   b      ",b
//! }        a"}
//! ```
//! A parent that goes on with `,"` reads `,` and allows two tokens, reads `"` below and allows one, does not read `b`, and
//! does not read `}`. One that goes on with `}` dies at `,`, jumps over its subtree, and allows `a"}`.

use crate::bits;
use crate::suffixes::{Suffix, Suffixes};
use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, Trie, Vocabulary};
use std::sync::Arc;

/// Which trie a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Vocabulary,
    /// The rest of the state's slice.
    Rest,
    /// The tokens that leave the state's slice.
    Leaving,
}

/// A place where a rule may end inside tokens, as the walk finds it.
#[derive(Clone, Debug)]
pub(crate) struct Boundary {
    pub(crate) source: Source,
    pub(crate) node: NodeId,
    /// The bytes below which tokens are undecided.
    pub(crate) undecided: ByteSet,
    /// How many tokens that are, about.
    pub(crate) n_tokens: usize,
}

/// A place in a shared trie from which the parent walks.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) source: Source,
    /// Where the rule ends.
    pub(crate) node: NodeId,
    /// The bytes below which tokens are undecided.
    pub(crate) undecided: ByteSet,
}

/// All boundaries of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boundaries {
    pub(crate) places: Box<[Place]>,
    /// The trie of places that are not in the vocabulary's.
    pub(crate) rest: Option<Arc<Trie>>,
    /// The suffixes of undecided tokens.
    pub(crate) suffixes: Option<Arc<Suffixes>>,
}

/// Up to so many boundaries are all kept as places: walking two is cheaper than a trie of their suffixes.
const FEW: usize = 2;
/// The most tokens of one boundary, and of all, that are kept as suffixes.
const MAX_TOKENS: usize = 1_000;
const MAX_TOKENS_IN_REST: usize = 50;
const MAX_TOKENS_IN_ALL: usize = 2_500;

impl Boundaries {
    /// Whether all are kept as places.
    pub(crate) fn are_few(boundaries: &[Boundary]) -> bool {
        boundaries.len() <= FEW
    }

    /// Sorts boundaries into the two forms, or keeps all as places unless suffixes are grouped. Tokens set in `accepted` need
    /// not be kept.
    pub(crate) fn new(
        vocabulary: &Vocabulary,
        rest: Option<&Arc<Trie>>,
        mut boundaries: Vec<Boundary>,
        accepted: Option<&[u32]>,
        groups_suffixes: bool,
    ) -> Self {
        let mut places = Vec::new();
        let mut entries = Vec::new();
        let few = Self::are_few(&boundaries) || !groups_suffixes;
        boundaries.sort_by_key(|boundary| (boundary.n_tokens, boundary.source, boundary.node));
        let mut n_tokens = 0;
        for Boundary { source, node, undecided, n_tokens: n } in boundaries {
            n_tokens += n;
            let trie = match (source, rest) {
                (Source::Rest | Source::Leaving, Some(rest)) => rest,
                _ => vocabulary.trie(),
            };
            // In the rest of a slice equal suffixes are together already.
            let most = if source == Source::Rest { MAX_TOKENS_IN_REST } else { MAX_TOKENS };
            if few || n > most || n_tokens > MAX_TOKENS_IN_ALL {
                places.push(Place { source, node, undecided });
                continue;
            }
            let depth = trie.depth(node);
            for child in trie.children(node).filter(|&child| undecided.contains(trie.byte(child))) {
                let mut at = child;
                while at < trie.end(child) {
                    for &token in trie.tokens_at(at) {
                        if accepted.is_some_and(|accepted| bits::get(accepted, token)) {
                            continue;
                        }
                        entries.extend(Suffix::new(vocabulary, token, trie.depth(at) - depth));
                    }
                    at = at.next();
                }
            }
        }
        places.sort_by_key(|place| (place.source, place.node));
        let uses_rest = places.iter().any(|place| place.source != Source::Vocabulary);
        Self {
            rest: rest.filter(|_| uses_rest).cloned(),
            places: places.into(),
            suffixes: (!entries.is_empty()).then(|| Arc::new(Suffixes::new(entries))),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.suffixes.is_none()
    }

    /// The number of tokens kept as suffixes, and of places.
    pub(crate) fn len(&self) -> (usize, usize) {
        (self.suffixes.as_ref().map_or(0, |suffixes| suffixes.entries().len()), self.places.len())
    }

    /// Heap memory in bytes; what is shared is not counted.
    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.places[..]) + self.suffixes.as_ref().map_or(0, |suffixes| suffixes.memory_size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_vocab::TokenId;

    #[test]
    fn the_worked_example() {
        let token = TokenId::new;
        let suffixes: [&[u8]; 5] = [b",", b",", b",\"", b",b", b"}"];
        let trie = Trie::over((0..).map(token).zip(suffixes).collect());
        expect_test::expect![[r#"
            .
              , t0 t1
                \" t2
                b t3
              } t4
        "#]]
        .assert_eq(&trie.to_string());
    }

    #[test]
    fn few_boundaries_are_places_and_many_are_suffixes() {
        let mut builder = Vocabulary::builder();
        let texts = ["a", "a,", "b", "b,", "c", "c,", "c;"];
        for (id, text) in (0..).zip(texts) {
            builder.token(id, text);
        }
        let vocabulary = builder.build().expect("a vocabulary");
        let trie = vocabulary.trie();
        let boundary = |byte| Boundary {
            source: Source::Vocabulary,
            node: trie.child(Trie::ROOT, byte).expect("a node"),
            undecided: ByteSet::range(b',', b','),
            n_tokens: 1,
        };
        let two = Boundaries::new(&vocabulary, None, vec![boundary(b'a'), boundary(b'b')], None, true);
        assert_eq!(two.len(), (0, 2));
        let three = vec![boundary(b'a'), boundary(b'b'), boundary(b'c')];
        assert_eq!(Boundaries::new(&vocabulary, None, three.clone(), None, true).len(), (3, 0));
        assert_eq!(Boundaries::new(&vocabulary, None, three, None, false).len(), (0, 3));
    }
}
