//! Symbols are tokens: which ids the symbols of a grammar are.
//!
//! A name is that of a special token, or else the bytes of a text token (of each that has them). What the vocabulary does
//! not have is left out: a set of which nothing remains matches nothing. *All but some* means every token, special ones
//! included, but no hole, and not the stop tokens of the request: a grammar that reads past the end of the output names the
//! stop token.

use aho_corasick::{AhoCorasick, MatchKind};
use formwork_fsm::{Symbols, TagPiece};
use formwork_grammar::{Symbol, SymbolSet};
use formwork_mask::{Target, bits};
use formwork_vocab::{TokenId, TokenKind, Trie, Vocabulary};

/// Where the names of a vocabulary's special tokens stand in texts.
#[derive(Debug)]
pub(crate) struct Names {
    /// The longest name that begins first wins; none if there are no names.
    finder: Option<AhoCorasick>,
}

impl Names {
    pub(crate) fn of(vocabulary: &Vocabulary) -> Self {
        let names: Vec<&str> =
            vocabulary.specials().map(|(_, name)| name).filter(|name| !name.is_empty()).collect();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&names);
        // Only absurdly many names fail, more than a vocabulary can have.
        Self { finder: finder.ok().filter(|_| !names.is_empty()) }
    }
}

/// A vocabulary's tokens as symbols.
#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) names: Names,
}

impl Symbols for Tokens {
    fn exists(&self, set: &SymbolSet) -> bool {
        let ids = SymbolIds::of(&self.vocabulary, set);
        let width = u32::try_from(self.vocabulary.width()).unwrap_or(u32::MAX);
        match ids.is_negated {
            false => !ids.named.is_empty(),
            true => (0..width)
                .map(TokenId::new)
                .any(|id| ids.contains(&self.vocabulary, self.vocabulary.stop_tokens(), id)),
        }
    }

    fn pieces<'t>(&self, tag: &'t str) -> Vec<TagPiece<'t>> {
        // PERF: a message's beginning has some five; with a thousand of them growing is felt.
        let mut pieces = Vec::with_capacity(8);
        let mut from = 0;
        for found in self.names.finder.iter().flat_map(|finder| finder.find_iter(tag)) {
            if from < found.start() {
                pieces.push(TagPiece::Text(&tag[from..found.start()]));
            }
            pieces.push(TagPiece::Symbol(&tag[found.range()]));
            from = found.end();
        }
        if from < tag.len() {
            pieces.push(TagPiece::Text(&tag[from..]));
        }
        pieces
    }
}

/// The ids of a set of symbols.
#[derive(Clone, Debug)]
pub(crate) struct SymbolIds {
    /// Ascending, without holes.
    named: Box<[TokenId]>,
    /// Whether all ids but these are meant.
    is_negated: bool,
}

impl SymbolIds {
    pub(crate) fn of(vocabulary: &Vocabulary, set: &SymbolSet) -> Self {
        let mut named: Vec<TokenId> = Vec::new();
        for symbol in set.members() {
            match symbol {
                Symbol::Id(id) => named.push(TokenId::new(*id)),
                Symbol::Name(name) => match vocabulary.special(name) {
                    Some(id) => named.push(id),
                    None => named.extend_from_slice(tokens_of(vocabulary, name.as_bytes())),
                },
                _ => {}
            }
        }
        named.retain(|&id| vocabulary.kind(id) != TokenKind::Hole);
        named.sort_unstable();
        named.dedup();
        Self { named: named.into(), is_negated: set.is_negated() }
    }

    /// Whether the set is given by what is not in it.
    pub(crate) fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// Whether an id is in the set.
    pub(crate) fn contains(&self, vocabulary: &Vocabulary, stops: &[TokenId], id: TokenId) -> bool {
        let is_named = self.named.binary_search(&id).is_ok();
        match self.is_negated {
            false => is_named,
            true => !is_named && vocabulary.kind(id) != TokenKind::Hole && stops.binary_search(&id).is_err(),
        }
    }

    /// Adds the set to a mask; of one that is negated stop tokens are still to be taken out. `real` has the ids that are
    /// tokens.
    pub(crate) fn add_to(&self, mask: &mut Target<'_>, real: &[u32]) {
        if !self.is_negated {
            self.named.iter().for_each(|&id| mask.set(id));
            return;
        }
        let mask = mask.words();
        let forbidden: Vec<TokenId> = self.named.iter().copied().filter(|&id| !bits::get(mask, id)).collect();
        bits::or(mask, real);
        forbidden.into_iter().for_each(|id| bits::clear(mask, id));
    }
}

/// The text tokens with exactly these bytes.
fn tokens_of<'v>(vocabulary: &'v Vocabulary, bytes: &[u8]) -> &'v [TokenId] {
    let trie = vocabulary.trie();
    let node = bytes.iter().try_fold(Trie::ROOT, |node, &byte| trie.child(node, byte));
    node.map_or(&[], |node| trie.tokens_at(node))
}
