//! Local masks of counted states: the walk that counts.
//!
//! Only for rules without calls, which is where all the volume is: length-limited strings and classes. What has been
//! reached is a small set of states, each with the ticks that it may have been reached by; counts start at 0 and know no
//! bounds, so that the result serves every item of the state and every rule of the same shape. Counted rules with calls
//! (arrays with `maxItems`) are walked in rows, and subtrees that tick are looked up again from the item itself.
//!
//! Ticks are kept as intervals: behind n letters of `([a-z]+ " "?){0,20}` every number from 1 to n is possible. Of an
//! interval only the ends matter. An item that still may tick `left` times and must tick `due` times has some number k of
//! it with k + need ≤ left and k + reach ≥ due if it has one for each of the two: for the first the least k is best, for the
//! second the greatest, and as due ≤ left and need ≤ reach, what is between fits both.
//!
//! # Text that is not walked
//! Inside of a string of at most so many characters nearly all tokens are text whose every character ticks once and leads
//! back: the [slice](crate::slices) of the state's ticking loop. Which of those fit is a question of their
//! [characters](crate::characters) alone, and the same for all strings, so they are neither walked nor grouped: of the slice
//! those of few enough characters are allowed. What is walked are the tokens that leave the slice, and those that begin
//! with another character. Grouping them one by one was four fifths of what such a mask took.
//!
//! Worked example: `"\"" [a-z]{0,3} "\""` behind the quote, tokens `a`, `ab`, `abcd`, `ab"`, `"`. The slice is `a`, `ab` and
//! `abcd`; with two ticks left those of at most two characters are allowed. `ab"` leaves it and is walked: the rule may end
//! behind two ticks; `"` begins outside.

use crate::bitset::Bitset;
use crate::boundary::{Boundaries, Boundary, Source};
use crate::local::{CountedMask, CountedText, End, Group, Step};
use crate::reached::{Sets, Shifted};
use crate::slices::{Slices, covers};
use crate::token_set::TokenSet;
use crate::walk::{Switches, is_wide_loop};
use formwork_fsm::{Automata, StateId};
use formwork_grammar::{ByteSet, HashMap};
use formwork_vocab::{NodeId, TokenId, Trie};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tokens found so far, by condition.
#[derive(Default)]
struct Found {
    /// By the greatest count, where nothing is asked of the least.
    unasking: Vec<Vec<TokenId>>,
    asking: HashMap<(u32, u32), Vec<TokenId>>,
}

impl Found {
    fn group(&mut self, (most, least): (u32, u32)) -> &mut Vec<TokenId> {
        if least != u32::MAX {
            return self.asking.entry((most, least)).or_default();
        }
        let most = most as usize;
        if self.unasking.len() <= most {
            self.unasking.resize_with(most + 1, Vec::new);
        }
        &mut self.unasking[most]
    }

    /// Adds tokens, each with its greatest count.
    fn add_each(&mut self, tokens: impl Iterator<Item = (u32, TokenId)>, least: u32) {
        // PERF: to find the group of each by itself was a fifth of such a walk.
        let Self { unasking, asking } = self;
        for (most, token) in tokens {
            match unasking.get_mut(most as usize).filter(|_| least == u32::MAX) {
                Some(group) => group.push(token),
                None if least == u32::MAX => {
                    unasking.resize_with(most as usize + 1, Vec::new);
                    unasking[most as usize].push(token);
                }
                None => asking.entry((most, least)).or_default().push(token),
            }
        }
    }
}

struct Frame {
    end: NodeId,
    reached: Shifted,
    /// Characters begun on the way to the node.
    characters: u32,
}

/// What a state says by the item's count: of all tokens, or of the [long](crate::far) ones.
pub(crate) fn counted_mask(
    slices: &Slices,
    automata: &Automata,
    start: StateId,
    is_long: bool,
    switches: Switches,
) -> CountedMask {
    let (sets, first) = Sets::new(automata, start);
    let mut walk = Walk { sets, first, found: Found::default(), boundaries: BTreeMap::new() };
    if is_long {
        let long = &slices.long_tokens().trie;
        walk.tokens(long, Source::Rest, &ByteSet::FULL);
        return walk.finish(slices, None, Some(long), switches);
    }
    let vocabulary = slices.vocabulary().trie();
    let text = switches.slices.then(|| walk.text(slices, automata.next_bytes(start))).flatten();
    let Some((text, inside, leaving)) = text else {
        walk.tokens(vocabulary, Source::Vocabulary, &ByteSet::FULL);
        return walk.finish(slices, None, None, switches);
    };
    walk.tokens(&leaving, Source::Leaving, &inside);
    walk.tokens(vocabulary, Source::Vocabulary, &ByteSet::FULL.difference(&inside));
    walk.finish(slices, Some(text), Some(&leaving), switches)
}

/// What was found on the way.
struct Walk<'a> {
    sets: Sets<'a>,
    /// Where it begins.
    first: Shifted,
    found: Found,
    boundaries: BTreeMap<(u32, u32), Vec<Boundary>>,
}

impl Walk<'_> {
    /// The text that need not be walked, what its tokens begin with, and the tokens that leave it. `None` if the state has no
    /// loop of many characters that ticks, or if very many tokens leave it.
    fn text(&self, slices: &Slices, read: &ByteSet) -> Option<(CountedText, ByteSet, Arc<Trie>)> {
        let (own_loop, (need, reach)) = self.sets.known(self.first).ticking?;
        // A loop can go on without end.
        if !is_wide_loop(own_loop) || reach != u32::MAX {
            return None;
        }
        let slice = slices.slice(own_loop);
        let inside = own_loop.first_bytes();
        let leaving = slices.leaving(&slice, Source::Leaving, read.difference(&inside))?;
        Some((CountedText::new(slices, &slice.words, need), inside, leaving))
    }

    /// Walks the tokens that begin with some bytes.
    fn tokens(&mut self, trie: &Trie, source: Source, along: &ByteSet) {
        let Self { sets, first, found, boundaries } = self;
        let mut frames: Vec<Frame> = Vec::new();
        let end = trie.end(Trie::ROOT);
        let mut node = Trie::ROOT.next();
        while node < end {
            while frames.last().is_some_and(|frame| frame.end <= node) {
                frames.pop();
            }
            let (from, characters) =
                frames.last().map_or((*first, 0), |frame| (frame.reached, frame.characters));
            let byte = trie.byte(node);
            let is_read = !frames.is_empty() || along.contains(byte);
            let Some(reached) = is_read.then(|| sets.step(from, byte)).flatten() else {
                node = trie.end(node);
                continue;
            };
            let (known, by) = (sets.known(reached), reached.by);
            let shifted = |(a, b): (u32, u32)| (a.saturating_add(by), b.saturating_add(by));
            let characters = characters + u32::from(byte & 0xC0 != 0x80);
            if let Some((_, (need, reach))) =
                known.ticking.filter(|&(own_loop, _)| covers(own_loop, trie, node))
            {
                // Every character below ticks once, the last one too where it is unfinished: it still needs its tick. A loop
                // that ticks can go on without end, so that nothing is asked of the greatest number.
                let needed = by.saturating_add(need);
                let base = needed - characters.min(needed);
                let missing = characters - (needed - base);
                let tokens = trie.tokens_below(node).iter().zip(trie.characters_begun(node));
                let counted = tokens.map(|(&token, &begun)| (base + u32::from(begun) - missing, token));
                found.add_each(counted, reach);
                node = trie.end(node);
                continue;
            }
            // Nothing below ticks: all is as here.
            let may_end = !known.ends.is_empty();
            let loops = !may_end && !known.loops.is_empty();
            let tokens = match loops && known.loops.iter().all(|&own_loop| covers(own_loop, trie, node)) {
                true => trie.tokens_below(node),
                false => trie.tokens_at(node),
            };
            if !tokens.is_empty() {
                for &condition in &known.conditions {
                    found.group(shifted(condition)).extend_from_slice(tokens);
                }
            }
            if trie.end(node) == node.next() || tokens.len() == trie.token_range(node).len() {
                node = trie.end(node);
                continue;
            }
            for &ticks in &known.ends {
                let n_tokens = trie.token_range(node).len() - tokens.len();
                let boundary = Boundary { source, node, undecided: ByteSet::FULL, n_tokens };
                boundaries.entry(shifted(ticks)).or_default().push(boundary);
            }
            if known.goes_on {
                frames.push(Frame { end: trie.end(node), reached, characters });
                node = node.next();
            } else {
                node = trie.end(node);
            }
        }
    }

    /// `other` is the trie of the places that are not in the vocabulary's.
    fn finish(
        self,
        slices: &Slices,
        text: Option<CountedText>,
        other: Option<&Arc<Trie>>,
        switches: Switches,
    ) -> CountedMask {
        let Self { found, boundaries, .. } = self;
        let vocabulary = slices.vocabulary();
        let n_words = vocabulary.mask_words();
        // Groups that ask nothing of the least count come first, so that a union of the first ones is a prefix.
        let unasking = (0..).zip(found.unasking).map(|(most, tokens)| ((most, u32::MAX), tokens));
        let mut sorted: Vec<((u32, u32), Vec<TokenId>)> =
            unasking.filter(|(_, tokens)| !tokens.is_empty()).collect();
        let n_unasking = sorted.len();
        sorted.extend(found.asking);
        sorted[n_unasking..].sort_unstable_by_key(|&(pair, _)| pair);
        let mut words = vec![0u32; n_words];
        let (mut most, mut least) = (0, u32::MAX);
        let mut list = Vec::with_capacity(sorted.len());
        let mut steps = Vec::new();
        for (i, (pair, tokens)) in sorted.iter().enumerate() {
            (most, least) = (most.max(pair.0), least.min(pair.1));
            let tokens = TokenSet::of_tokens(slices, tokens);
            tokens.add_to(&mut words);
            list.push(Group { most: pair.0, least: pair.1, tokens });
            if pair.1 == u32::MAX && i < MAX_STEPPED && i % STEP == STEP - 1 {
                steps.push(Step { n_groups: i + 1, tokens: TokenSet::from_bits(slices, &words) });
            }
        }
        if let Some(text) = &text {
            most = most.max(text.most());
            text.words.add_to(&mut words);
        }
        let ends = boundaries
            .into_iter()
            .map(|((least, most), boundaries)| End {
                least,
                most,
                boundaries: Boundaries::new(vocabulary, other, boundaries, None, switches.suffixes),
            })
            .collect();
        CountedMask {
            all: TokenSet::from_bits(slices, &words),
            text,
            most,
            least,
            groups: list.into(),
            steps: steps.into(),
            ends,
        }
    }
}

/// After every so many groups stands a union of all before.
const STEP: usize = 2;
/// Unions are kept up to this group; few tokens have more characters.
const MAX_STEPPED: usize = 32;

impl CountedText {
    /// The tokens of a slice; an item must be able to tick so often behind them.
    pub(crate) fn new(slices: &Slices, words: &Arc<Bitset>, need: u32) -> Self {
        let characters = Arc::clone(slices.characters());
        let longest = characters.longest(words);
        Self { words: Arc::clone(words), characters, longest, need }
    }

    /// How often an item must be able to tick for all of them.
    fn most(&self) -> u32 {
        self.longest.saturating_add(self.need)
    }

    /// Adds the tokens allowed to an item that still may tick `left` times.
    fn add_to(&self, mask: &mut [u32], left: u32) {
        match left.checked_sub(self.need) {
            None => {}
            Some(n) if n >= self.longest => self.words.add_to(mask),
            Some(n) => self.characters.add_at_most(mask, &self.words, n),
        }
    }
}

impl CountedMask {
    /// Whether all its tokens are allowed to an item that still may tick `left` times and must tick `due` times.
    pub(crate) fn allows_all(&self, left: u32, due: u32) -> bool {
        self.most <= left && self.least >= due
    }

    /// Adds the tokens allowed to an item that still may tick `left` times and must tick `due` times.
    pub(crate) fn add_to(&self, mask: &mut [u32], left: u32, due: u32) {
        if self.allows_all(left, due) {
            return self.all.add_to(mask);
        }
        if let Some(text) = &self.text {
            text.add_to(mask, left);
        }
        let unasking = self.groups.partition_point(|group| group.least == u32::MAX);
        let fitting = self.groups[..unasking].partition_point(|group| group.most <= left);
        let step = self.steps[..self.steps.partition_point(|step| step.n_groups <= fitting)].last();
        let done = step.map_or(0, |step| step.n_groups);
        if let Some(step) = step {
            step.tokens.add_to(mask);
        }
        for group in &self.groups[done..fitting] {
            group.tokens.add_to(mask);
        }
        for group in &self.groups[unasking..] {
            if group.most <= left && group.least >= due {
                group.tokens.add_to(mask);
            }
        }
    }
}
