//! States that leave out words no token spells: they say what the inside of any text says.
//!
//! Inside of a name that is not declared a state knows the declared names that may still come. It differs from the inside of any
//! text in tokens alone that spell the rest of such a name and then end it, with a quote and perhaps more; and there are next to
//! no such tokens, since names are longer than what stands before a quote in one token. So the words are looked for in the
//! vocabulary's trie, in each of their spellings, and where none is found, the state's mask is the other one's: no states are
//! made along the names, and no walk is needed that finds out that nothing differs. Over MaskBench 9,600 of 9,700 masks of such
//! states were equal.
//!
//! The same holds of white space before the quote of such a name. There the other state is none of the automaton, but the pool
//! has the mask of one: it is found by the state's form without the words
//! ([`canonical_but_for_words`](formwork_fsm::Automata::canonical_but_for_words)).
//!
//! # Worked example
//! A name other than `id` and `ideal`, behind its quote, tokens `i`, `id`, `idea`, `id":`, `x":`. Along `i`, `d` stands a word, and
//! behind it a quote: `id":` is not accepted, so this state has a mask of its own. Behind `i`, where `d` and `deal` are left out,
//! nothing in the vocabulary ends a word: what the inside of any text says holds there.

use crate::local::MaskKind;
use crate::slices::JSON_BLANKS;
use crate::walk::{Walker, view};
use formwork_fsm::{ButForWords, LeftOut, RuleView, StateId};
use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, Trie};
use smallvec::SmallVec;

/// The longest form of white space before a name, in words.
const MAX_FORM: usize = 80;
/// With more characters of words to look along, states are followed.
const MAX_LOOKED_AT: usize = 4_096;

impl Walker {
    /// Whether a state says what its [base](Self::base_of) says, and it is known without following it: it leaves out words that
    /// no token spells.
    pub fn leaves_out_nothing(&self, state: StateId, base: StateId, kind: MaskKind) -> bool {
        let automata = self.rows.automata();
        let view = automata.view(state.rule());
        if !self.switches.slices || kind != MaskKind::Usual || !view.is_free(base.local()) {
            return false;
        }
        let Some(words) = view.left_out(state.local()) else { return false };
        let ends = view.called_bytes(base.local());
        !spells(self.slices.vocabulary().trie(), Trie::ROOT, &words, ends)
    }

    /// The form under which a pool has the mask of a state from which white space and a quote are read and then any text but some
    /// words, if no token spells one.
    pub fn form_but_for_words(&self, state: StateId, kind: MaskKind) -> Option<Vec<u32>> {
        let automata = self.rows.automata();
        let (view, counts) = view(automata, state.rule(), kind);
        if !self.switches.slices || counts || kind != MaskKind::Usual || !opens_text(view, state.local()) {
            return None;
        }
        let ButForWords { form, left_out } = automata.canonical_but_for_words(state, MAX_FORM)?;
        let [(inside, words)] = &left_out[..] else { return None };
        let ends = automata.called_bytes(*inside);
        // What begins with white space and a quote stands there from the quote on.
        let others = &self.slices.opening().others;
        let spelled = others.child(Trie::ROOT, b'"').is_some_and(|quote| spells(others, quote, words, ends));
        (!spelled).then_some(form)
    }
}

/// Whether nothing but white space and a quote are read, and any text of a JSON string behind the quote.
fn opens_text(view: RuleView<'_>, state: u32) -> bool {
    let [.., last] = *view.plain_edges(state) else { return false };
    let blanks = JSON_BLANKS.first_bytes();
    let opening = blanks.union(&[b'"'].into_iter().collect());
    (last.low, last.high) == (b'"', b'"')
        && view.reads_any_text(last.target)
        && view.next_bytes(state).is_subset(&opening)
        && view.called_bytes(state).is_empty()
}

/// Whether some text below a node spells one of the words and goes on with one of the bytes that may end it; also if there is too
/// much to be looked at.
fn spells(trie: &Trie, node: NodeId, words: &LeftOut, ends: &ByteSet) -> bool {
    let mut n_looked_at = 0;
    let mut places = vec![(node, words.root())];
    while let Some((node, place)) = places.pop() {
        let below = ByteSet::from_words(trie.bytes_below(node));
        if below.intersection(ends).is_empty() {
            continue;
        }
        if words.is_word(place) && trie.children(node).any(|child| ends.contains(trie.byte(child))) {
            return true;
        }
        for (character, to) in words.characters(place) {
            n_looked_at += 1;
            places
                .extend(spelled(trie, node, character, below.contains(b'\\')).into_iter().map(|at| (at, to)));
        }
        if n_looked_at > MAX_LOOKED_AT {
            return true;
        }
    }
    false
}

/// The nodes below one at which a character of a JSON string has been read, in each of its spellings.
fn spelled(trie: &Trie, node: NodeId, character: char, has_escapes: bool) -> SmallVec<[NodeId; 4]> {
    let along = |node: NodeId, bytes: &[u8]| bytes.iter().try_fold(node, |at, &byte| trie.child(at, byte));
    let mut nodes = SmallVec::new();
    let stands_for_itself = character >= ' ' && !matches!(character, '"' | '\\');
    if stands_for_itself {
        nodes.extend(along(node, character.encode_utf8(&mut [0; 4]).as_bytes()));
    }
    let Some(escape) = trie.child(node, b'\\').filter(|_| has_escapes) else { return nodes };
    let short = formwork_fsm::short_escape(character);
    nodes.extend(short.and_then(|letter| trie.child(escape, letter)));
    let mut at: SmallVec<[NodeId; 4]> = SmallVec::from_slice(&[escape]);
    for (i, &unit) in character.encode_utf16(&mut [0; 2]).iter().enumerate() {
        let begin: &[u8] = if i == 0 { b"u" } else { b"\\u" };
        at = at.into_iter().filter_map(|node| along(node, begin)).collect();
        for shift in [12, 8, 4, 0] {
            let digit = u32::from(unit >> shift & 15);
            let letter = char::from_digit(digit, 16).unwrap_or_default() as u8;
            let cases = [letter, letter.to_ascii_uppercase()];
            let cases = &cases[..if digit < 10 { 1 } else { 2 }];
            let next = |&node: &NodeId| cases.iter().filter_map(move |&byte| trie.child(node, byte));
            at = at.iter().flat_map(next).collect();
        }
    }
    nodes.extend(at);
    nodes
}
