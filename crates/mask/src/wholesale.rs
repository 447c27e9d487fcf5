//! What a state takes wholesale: all tokens made of some characters, by a bitset instead of a walk.
//!
//! Four kinds of states do:
//! - one with a loop of its own: the [slice](crate::slices) of the loop;
//! - one of several that read any text of some characters, wherever these lead
//!   ([`live`](formwork_fsm::RuleView::live)): the slice of those characters;
//! - the first of a long [chain](crate::chains) of states: the slice of the chain's characters, but for the tokens that are longer
//!   than the chain. `[a-z_]{1,62}` that is not counted is 62 states, and each walked 10,000 nodes, half a millisecond, to
//!   find out that nearly all tokens of these characters fit;
//! - one that refuses few texts of some characters, only long ones that have certain characters, as a name may not have `tags` in
//!   it: the slice of all of them, but for the tokens that have those characters and are refused one by one. That is for
//!   states whose loop nearly all tokens leave, as it has no `t`: some 100,000 nodes were walked for each, about 10 ms.
//!
//! What is left are the tokens that begin with such characters and [leave](crate::slices::Slices::leaving) them, and those that
//! begin with another one.
//!
//! # Worked example
//! `"\"" [ab]{1,3} "\""` behind the first letter, tokens `a`, `ba`, `aba`, `a"`, `aba"`, `"`. Two letters are read in a row, and a
//! third one is refused: of the slice `a`, `ba`, `aba` the tokens of at most two bytes are taken. `a"` and `aba"` leave the
//! letters and are walked: the first is read, the second is not. `"` begins with another character, and is read.

use crate::bits;
use crate::bitset::Bitset;
use crate::boundary::Source;
use crate::chains::{self, AnyText, Chain};
use crate::slices::{BEHIND_BLANKS, JSON_BLANKS, JSON_TEXT, Opening, Slice};
use crate::token_set::TokenSet;
use crate::walk::{Start, WIDE, Walker, is_wide_loop};
use formwork_fsm::{Loop, RuleView};
use formwork_grammar::ByteSet;
use formwork_vocab::Trie;
use smallvec::SmallVec;
use std::sync::Arc;

/// What is taken, and what has to be known of who takes it.
#[derive(Debug)]
pub(crate) struct Wholesale {
    /// The characters.
    pub(crate) taken: Loop,
    pub(crate) tokens: TokenSet,
    /// The states that read any text of the characters, beside the state itself, ascending.
    pub(crate) alike: Vec<u32>,
    slice: Arc<Slice>,
    /// The states that the characters lead to.
    around: SmallVec<[u32; 8]>,
    /// Whether it is the state's own loop, so that all that matters of a token that leaves it is what stands behind.
    is_own_loop: bool,
}

/// What leaves a slice.
#[derive(Debug)]
pub(crate) struct Exit {
    /// In which form.
    pub(crate) source: Source,
    /// The texts.
    pub(crate) trie: Arc<Trie>,
    /// The bytes along which to walk them.
    pub(crate) first: ByteSet,
    /// Of blanks behind which any string [opens](crate::slices::Opening): the tokens that do that, too, which the trie has not. It
    /// has the others that begin with the quote.
    pub(crate) opening: Option<Arc<Bitset>>,
}

impl Exit {
    fn of(source: Source, trie: Arc<Trie>, first: ByteSet) -> Self {
        Self { source, trie, first, opening: None }
    }
}

/// A loop of so many characters, digits or blanks, has hundreds of tokens.
const WORTH_A_SLICE: u32 = 3;
/// Of fewer characters there are not so many tokens that all but few of them pay for a look around and a trie.
const NEARLY_ALL: u32 = 64;
/// More tokens are not looked at one by one.
const MAX_DOUBTFUL: usize = 5_000;
/// A chain of so many has thousands.
pub(crate) const WORTH_A_CHAIN: u32 = 24;

impl Walker {
    /// What the state takes wholesale, if it is worth it, and what [leaves](Self::leaving) that; `is_wide` if it reads much of a
    /// vocabulary.
    pub(crate) fn wholesale(
        &mut self,
        start: &Start<'_>,
        is_wide: bool,
    ) -> (Option<Wholesale>, Option<Exit>) {
        let wholesale = self.taken(start);
        let leaving = wholesale.as_ref().and_then(|wholesale| self.leaving(start, wholesale));
        if leaving.is_none() && is_wide && !start.is_text {
            if let Some((wholesale, exit)) = self.all_but_few(start) {
                return (Some(wholesale), Some(exit));
            }
        }
        (wholesale, leaving)
    }

    fn taken(&mut self, start: &Start<'_>) -> Option<Wholesale> {
        let (view, state) = (start.view, start.state.local());
        let own_loop = view.own_loop(state);
        let ascii = view.next_bytes(state).ascii();
        if ascii.count_ones() >= WIDE {
            let chain = self.chains.of(view, state);
            // Where a text may end within the chain, what stands behind is asked of the item.
            let ends =
                start.is_text && chains::along(view, state, chain).any(|state| view.is_accepting(state));
            let is_long = !ends
                && chain.ascii.count_ones() > own_loop.ascii.count_ones()
                && is_long(chain, ascii, self.slices.vocabulary().trie());
            // Of a chain at whose end characters are refused no text is read without end.
            let (live, alike) = match is_long && chain.is_cut {
                false => view.live(state),
                true => Default::default(),
            };
            if is_long && chain.ascii.count_ones() >= live.len() {
                return Some(self.of_chain(start, chain));
            }
            // A state that reads any text of more characters than its loop has is one of several that are alike. Where these read
            // mostly others, as all text behind the digits of an escape, nearly all tokens leave.
            let read = alike.iter().fold(ascii, |read, &state| read | view.next_bytes(state).ascii());
            if live.len() > own_loop.len() && 2 * live.ascii.count_ones() > read.count_ones() {
                let slice = self.slices.slice(live);
                let tokens = TokenSet::of_slice(&slice.words);
                let around = SmallVec::from_slice(&alike);
                return Some(Wholesale { taken: live, tokens, alike, slice, around, is_own_loop: false });
            }
        }
        (own_loop.len() >= WORTH_A_SLICE).then(|| {
            let slice = self.slices.slice(own_loop);
            let tokens = TokenSet::of_slice(&slice.words);
            let (alike, around) = (Vec::new(), SmallVec::new());
            Wholesale { taken: own_loop, tokens, alike, slice, around, is_own_loop: true }
        })
    }

    /// The same for a state that refuses few texts of some characters, and what leaves these; for one whose loop too many tokens
    /// leave. `None` if it is not known which texts are refused, or if something ends or begins within them.
    fn all_but_few(&mut self, start: &Start<'_>) -> Option<(Wholesale, Exit)> {
        let (view, state) = (start.view, start.state.local());
        if view.next_bytes(state).ascii().count_ones() < NEARLY_ALL {
            return None;
        }
        let AnyText { characters: taken, n, needed } = self.chains.any_text(view, state)?;
        if taken.ascii.count_ones() < NEARLY_ALL {
            return None;
        }
        let inside = taken.first_bytes();
        let slice = self.slices.slice(taken);
        let doubtful = self.slices.doubtful(&slice, n.into(), &needed);
        if bits::count(&doubtful) > MAX_DOUBTFUL {
            return None;
        }
        let mut words = slice.words.to_vec();
        for token in bits::tokens(&doubtful) {
            let text = self.slices.vocabulary().text(token).unwrap_or_default();
            self.n_visited += text.len() as u64;
            let mut at = Some(state);
            for (i, &byte) in text.iter().enumerate() {
                let Some(here) = at else { break };
                let is_begun = i > 0;
                if is_begun
                    && (view.called_bytes(here).contains(byte) || start.is_called && view.is_accepting(here))
                {
                    return None;
                }
                at = view.step(here, byte).0;
            }
            if at.is_none() {
                bits::clear(&mut words, token);
            }
        }
        let trie = self.slices.leaving(&slice, Source::Leaving, ByteSet::FULL.difference(&inside))?;
        let tokens = TokenSet::from_bits(&self.slices, &words);
        let first = view.next_bytes(state).intersection(&inside);
        let (alike, around) = Default::default();
        let wholesale = Wholesale { taken, tokens, alike, slice, around, is_own_loop: false };
        Some((wholesale, Exit::of(Source::Leaving, trie, first)))
    }

    fn of_chain(&self, start: &Start<'_>, chain: Chain) -> Wholesale {
        let taken = Loop { ascii: chain.ascii, leads: 0 };
        let slice = self.slices.slice(taken);
        let tokens = match chain.is_cut {
            true => TokenSet::from_bits(&self.slices, &self.slices.at_most(&slice, chain.n.into())),
            false => TokenSet::of_slice(&slice.words),
        };
        let around = chains::along(start.view, start.state.local(), chain).collect();
        Wholesale { taken, tokens, alike: Vec::new(), slice, around, is_own_loop: false }
    }

    /// The tokens that leave what is taken in a way that matters; they need not be looked for in the vocabulary then. `None`
    /// if these are very many.
    fn leaving(&self, start: &Start<'_>, wholesale: &Wholesale) -> Option<Exit> {
        let Start { view, is_called, is_text, .. } = *start;
        let Wholesale { taken, slice, around, .. } = wholesale;
        let inside = taken.first_bytes();
        let state = start.state.local();
        // What some state that reads the slice's characters reads besides, what it calls, and whether it ends.
        let own = *view.next_bytes(state);
        let (mut read, mut called) = (own, *view.called_bytes(state));
        // Where the rule may end after each of the loop's characters, there is a boundary before every one of them.
        let ends_here = is_called && view.is_accepting(state);
        let mut ends = ends_here;
        for &state in around {
            read = read.union(view.next_bytes(state));
            called = called.union(view.called_bytes(state));
            ends |= is_called && view.is_accepting(state);
        }
        // A rule that begins with a character of the loop may have begun anywhere before: then all that leaves is walked from its
        // beginning.
        if !called.intersection(&inside).is_empty() {
            let trie = self.slices.leaving(slice, Source::Leaving, ByteSet::FULL.difference(&inside))?;
            return Some(Exit::of(Source::Leaving, trie, own.intersection(&inside)));
        }
        let behind = read.union(&called).difference(&inside);
        // Behind the rule's end anything may be read. And what follows white space and digits is of many kinds, what follows the
        // inside of a string of few.
        let exits = match ends {
            true => ByteSet::FULL,
            false if is_wide_loop(*taken) => behind,
            false if behind.is_subset(&BEHIND_BLANKS) => BEHIND_BLANKS,
            false => ByteSet::FULL,
        };
        let exits = exits.difference(&inside);
        // The rest was read behind the loop, so rules that the state calls are read there too.
        // What stands behind the end of a text that must differ depends on all of it.
        let (source, first) = match ends_here || is_text || !wholesale.is_own_loop {
            true => (Source::Leaving, own.intersection(&inside)),
            false => (Source::Rest, behind),
        };
        let has_openings = source == Source::Rest && *taken == JSON_BLANKS && exits == BEHIND_BLANKS;
        if has_openings && self.opens(start, &called) {
            let Opening { words, others } = self.slices.opening();
            return Some(Exit { source, trie: Arc::clone(others), first, opening: Some(Arc::clone(words)) });
        }
        Some(Exit::of(source, self.slices.leaving(slice, source, exits)?, first))
    }

    /// Whether a quote leads to where any text of a string is read, by the state's own edges.
    ///
    /// PERF: where the string is a rule that is called, to ask it takes longer than to walk what opens it.
    fn opens(&self, start: &Start<'_>, called: &ByteSet) -> bool {
        !called.contains(b'"')
            && start.view.step(start.state.local(), b'"').0.is_some_and(|to| reads_text(start.view, to))
    }

    /// The tokens that leave the text of JSON strings, for a state [beside an item](crate::MaskKind::BesideText) that reads it
    /// all; and the bytes along which to walk them.
    pub(crate) fn leaving_text(&self, start: &Start<'_>) -> Option<Exit> {
        let inside = JSON_TEXT.first_bytes();
        let slice = self.slices.slice(JSON_TEXT);
        let trie = self.slices.leaving(&slice, Source::Leaving, ByteSet::FULL.difference(&inside))?;
        let own = start.view.next_bytes(start.state.local());
        Some(Exit::of(Source::Leaving, trie, own.intersection(&inside)))
    }
}

/// Whether the state reads any text of a JSON string.
fn reads_text(view: RuleView<'_>, state: u32) -> bool {
    let has_text =
        |Loop { ascii, leads }: Loop| JSON_TEXT.ascii & !ascii == 0 && JSON_TEXT.leads & !leads == 0;
    view.reads_any_text(state) || has_text(view.own_loop(state))
}

/// Whether a chain decides all texts of its characters, which are most of what the state reads and many.
fn is_long(chain: Chain, read: u128, trie: &Trie) -> bool {
    chain.ascii.count_ones() >= WORTH_A_CHAIN
        && 2 * chain.ascii.count_ones() > read.count_ones()
        && (chain.is_cut || chain.n >= trie.height(Trie::ROOT))
}
