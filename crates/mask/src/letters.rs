//! The local mask of a state inside of a literal, read off the vocabulary: the tokens along its letters.
//!
//! From such a state nothing is read but the next letter, or, by rules with local masks of their own, its escapes. So what it
//! accepts is what lies on one way through the vocabulary's trie, and no edges of the states behind need to be made.
//!
//! # Worked example
//! Behind `us` of the name `userId"`: tokens `e`, `er`, `erI`, `err`, `\u`. Along `e`, `r`, `I` the trie ends: `e`, `er`, `erI`.

use crate::boundary::Boundaries;
use crate::local::{LocalMask, MaskKind, Rare};
use crate::token_set::TokenSet;
use crate::walk::{Walker, view};
use formwork_fsm::{ByteEdge, StateId};
use formwork_vocab::{TokenId, Trie};
use smallvec::SmallVec;

impl Walker {
    /// The local mask of a state inside of a literal; `None` of any other, and where tokens go on behind the literal or may have
    /// escapes of a later letter.
    ///
    /// Cost: a look at the state, and some dozen ns a letter.
    pub fn along_letters(&mut self, state: StateId, kind: MaskKind) -> Option<LocalMask> {
        let automata = self.rows.automata();
        let (view, counts) = view(automata, state.rule(), kind);
        if !self.switches.slices || kind != MaskKind::Usual || counts {
            return None;
        }
        let trie = self.slices.vocabulary().trie();
        let mut accepted: SmallVec<[TokenId; 16]> = SmallVec::new();
        let [ByteEdge { low, high, target }] = *view.plain_edges(state.local()) else { return None };
        let mut next = (low == high).then(|| trie.child(Trie::ROOT, low))?;
        let letters = view.literal(target)?;
        let mut letters = letters.iter();
        while let Some(at) = next {
            self.n_visited += 1;
            accepted.extend_from_slice(trie.tokens_at(at));
            if trie.end(at) == at.next() {
                break;
            }
            let &(letter, has_escapes) = letters.next()?;
            if has_escapes && trie.child(at, b'\\').is_some() {
                return None;
            }
            next = trie.child(at, letter);
        }
        let accepted = TokenSet::List(accepted[..].into());
        Some(LocalMask::new(accepted, Boundaries::default(), Rare::default()))
    }
}
