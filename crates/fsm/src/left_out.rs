//! The words that a state leaves out which else reads any text.
//!
//! Inside of the name of a member that is not declared any text may be read but the declared names. Between two letters of one of
//! these the state differs from the inside of any text in nothing but what would end the name there. Whoever knows the words need
//! not follow the states along them to see whether that matters, and may [pass](crate::Automata::pass_words) their letters.
//!
//! # Worked example
//! A name other than `ab` and `b`: the state at its start leaves out `ab` and `b`, that behind `a` leaves out `b`, and that
//! behind `c` nothing: it is the inside of any text. The one behind `ab` has the empty word left out, and is not asked.

use crate::dfa::Dfa;
use crate::nfa::NodeId;
use crate::text::ANY;
use std::fmt;
use std::sync::Arc;

/// The words that a state leaves out, as a tree of their characters.
///
/// A place in the tree is a number.
#[derive(Clone)]
pub struct LeftOut {
    dfa: Arc<Dfa>,
    root: u32,
    /// The node of the first place; those of the others stand behind.
    first_node: NodeId,
}

impl LeftOut {
    /// What a state of an automaton that leaves out words leaves out.
    pub(crate) fn new(dfa: Arc<Dfa>, root: u32, first_node: NodeId) -> Self {
        Self { dfa, root, first_node }
    }

    /// The node that reads what may be read from a place.
    pub(crate) fn node(&self, place: u32) -> NodeId {
        self.first_node + place
    }

    /// Where letters lead that stand for themselves in a JSON string; perhaps to where nothing is left out any more. `None` if one
    /// of them does not, or is no ASCII.
    pub(crate) fn behind(&self, letters: &[u8]) -> Option<u32> {
        letters.iter().try_fold(self.root, |place, &letter| {
            if !(0x20..0x7F).contains(&letter) || matches!(letter, b'"' | b'\\') {
                return None;
            }
            // All are disjoint, ascending, and every character is in one.
            let edges = self.dfa.letters(place);
            let at = edges.partition_point(|edge| edge.high < u32::from(letter));
            Some(edges.get(at)?.target)
        })
    }

    /// The place before all words.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// Whether the characters up to a place are a word.
    pub fn is_word(&self, place: u32) -> bool {
        !self.dfa.is_accepting(place)
    }

    /// The characters by which words go on behind a place, and the places that these lead to.
    pub fn characters(&self, place: u32) -> impl Iterator<Item = (char, u32)> + '_ {
        let on = self.dfa.letters(place).iter().filter(|letter| letter.target != ANY);
        on.filter_map(|letter| Some((char::from_u32(letter.low)?, letter.target)))
    }

    /// The words, in order.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut places = vec![(self.root, String::new())];
        while let Some((place, text)) = places.pop() {
            places.extend(self.characters(place).map(|(character, to)| (to, format!("{text}{character}"))));
            if self.is_word(place) {
                words.push(text);
            }
        }
        words.sort_unstable();
        words
    }
}

impl fmt::Debug for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.words()).finish()
    }
}
