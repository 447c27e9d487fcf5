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

use crate::boundary::{Boundaries, Boundary, Source};
use crate::local::{CountedMask, End, Group, Step};
use crate::slices::{Slices, covers};
use crate::token_set::TokenSet;
use formwork_fsm::{Automata, StateId};
use formwork_grammar::{ByteSet, HashMap};
use formwork_vocab::{NodeId, TokenId, Trie};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A state, and the least and the greatest number of ticks counted on the way; all between are possible, too.
type Reached = (StateId, u32, u32);

/// Ascending; the intervals of one state neither overlap nor touch.
type Config = SmallVec<[Reached; 4]>;

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
}

struct Frame {
    end: NodeId,
    config: Config,
    /// Characters begun on the way to the node.
    characters: u32,
}

/// What a state says by the item's count: of all tokens, or of the [long](crate::far) ones.
pub(crate) fn counted_mask(
    slices: &Slices,
    automata: &Automata,
    start: StateId,
    is_long: bool,
    groups_suffixes: bool,
) -> CountedMask {
    let long = is_long.then(|| &slices.long_tokens().trie);
    let (trie, source) = match long {
        Some(long) => (&**long, Source::Rest),
        None => (slices.vocabulary().trie(), Source::Vocabulary),
    };
    let mut found = Found::default();
    let mut boundaries: BTreeMap<(u32, u32), Vec<Boundary>> = BTreeMap::new();
    // What lies behind the end of a rule that nobody calls is nobody's.
    let is_called = automata.is_called(automata.rule_of(start));
    let mut frames: Vec<Frame> = Vec::new();
    let first: Config = SmallVec::from_slice(&[(start, 0, 0)]);
    let end = trie.end(Trie::ROOT);
    let mut node = Trie::ROOT.next();
    let mut reached = Config::new();
    let mut pairs: SmallVec<[(u32, u32); 4]> = SmallVec::new();
    let mut ends: SmallVec<[(u32, u32); 4]> = SmallVec::new();
    while node < end {
        while frames.last().is_some_and(|frame| frame.end <= node) {
            frames.pop();
        }
        let (from, characters) = frames.last().map_or((&first, 0), |frame| (&frame.config, frame.characters));
        let byte = trie.byte(node);
        step(automata, from, byte, &mut reached);
        if reached.is_empty() {
            node = trie.end(node);
            continue;
        }
        let characters = characters + u32::from(byte & 0xC0 != 0x80);
        let may_end = is_called && reached.iter().any(|&(state, ..)| automata.is_accepting(state));
        if let ([(state, least, _)], false) = (&reached[..], may_end) {
            if ticks_all_below(automata, trie, *state, node) {
                // Every character below ticks once, the last one too where it is unfinished: it still needs its tick. A loop
                // that ticks can go on without end, so that nothing is asked of the greatest number.
                let (need, reach) = automata.ticks_ahead(*state);
                let base = least.saturating_add(need) - characters.min(least.saturating_add(need));
                let missing = characters - (least.saturating_add(need) - base);
                for (&token, &begun) in trie.tokens_below(node).iter().zip(trie.characters_begun(node)) {
                    let most = base + u32::from(begun) - missing;
                    found.group((most, reach)).push(token);
                }
                node = trie.end(node);
                continue;
            }
        }
        // Nothing below ticks: all is as here.
        let loops = |&(state, ..): &Reached| covers(automata.own_loop(state), trie, node);
        let tokens = match !may_end && reached.iter().all(loops) {
            true => trie.tokens_below(node),
            false => trie.tokens_at(node),
        };
        if !tokens.is_empty() {
            conditions(automata, &reached, &mut pairs);
            for &pair in &pairs {
                found.group(pair).extend_from_slice(tokens);
            }
        }
        if trie.end(node) == node.next() || tokens.len() == trie.token_range(node).len() {
            node = trie.end(node);
            continue;
        }
        if may_end {
            ends.clear();
            let accepting = reached.iter().filter(|&&(state, ..)| automata.is_accepting(state));
            ends.extend(accepting.map(|&(_, least, most)| (least, most)));
            ends.sort_unstable();
            ends.dedup_by(|next, last| join(*next, last));
            for &end in &ends {
                let n_tokens = trie.token_range(node).len() - tokens.len();
                let boundary = Boundary { source, node, undecided: ByteSet::FULL, n_tokens };
                boundaries.entry(end).or_default().push(boundary);
            }
        }
        if reached.iter().any(|&(state, ..)| automata.is_scannable(state)) {
            frames.push(Frame { end: trie.end(node), config: reached.clone(), characters });
            node = node.next();
        } else {
            node = trie.end(node);
        }
    }
    finish(slices, found, boundaries, long, groups_suffixes)
}

/// Whether the state's ticking loop reads every text below the node. False for a state that has none, even where nothing
/// is below.
fn ticks_all_below(automata: &Automata, trie: &Trie, state: StateId, node: NodeId) -> bool {
    let ticking = automata.own_ticking_loop(state);
    !ticking.is_empty() && covers(ticking, trie, node)
}

fn step(automata: &Automata, from: &[Reached], byte: u8, reached: &mut Config) {
    reached.clear();
    for &(state, least, most) in from {
        let (plain, ticking) = automata.step(state, byte);
        reached.extend(plain.map(|target| (target, least, most)));
        reached.extend(ticking.map(|target| (target, least + 1, most + 1)));
    }
    if reached.len() > 1 {
        reached.sort_unstable();
        reached.dedup_by(|next, last| {
            let mut of_last = (last.1, last.2);
            let is_joined = next.0 == last.0 && join((next.1, next.2), &mut of_last);
            (last.1, last.2) = of_last;
            is_joined
        });
    }
}

/// Makes two intervals one, the second, if they overlap or touch; the first one does not begin before it.
fn join(next: (u32, u32), last: &mut (u32, u32)) -> bool {
    let touches = next.0 <= last.1.saturating_add(1);
    if touches {
        last.1 = last.1.max(next.1);
    }
    touches
}

/// The conditions under which a token that ends in these states is allowed; any one suffices.
fn conditions(automata: &Automata, reached: &[Reached], pairs: &mut SmallVec<[(u32, u32); 4]>) {
    pairs.clear();
    for &(state, least, most) in reached {
        let (need, reach) = automata.ticks_ahead(state);
        let pair = (least.saturating_add(need), most.saturating_add(reach));
        // A condition that another implies is not needed.
        if pairs.iter().any(|&(most, least)| most <= pair.0 && least >= pair.1) {
            continue;
        }
        pairs.retain(|&mut (most, least)| !(pair.0 <= most && pair.1 >= least));
        pairs.push(pair);
    }
}

/// After every so many groups stands a union of all before.
const STEP: usize = 2;
/// Unions are kept up to this group; few tokens have more characters.
const MAX_STEPPED: usize = 32;

fn finish(
    slices: &Slices,
    found: Found,
    boundaries: BTreeMap<(u32, u32), Vec<Boundary>>,
    long: Option<&Arc<Trie>>,
    groups_suffixes: bool,
) -> CountedMask {
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
        for &token in tokens {
            crate::bits::set(&mut words, token);
        }
        let tokens = TokenSet::default().with(slices, tokens);
        list.push(Group { most: pair.0, least: pair.1, tokens });
        if pair.1 == u32::MAX && i < MAX_STEPPED && i % STEP == STEP - 1 {
            steps.push(Step { n_groups: i + 1, tokens: TokenSet::from_bits(slices, &words) });
        }
    }
    let ends = boundaries
        .into_iter()
        .map(|((least, most), boundaries)| End {
            least,
            most,
            boundaries: Boundaries::new(vocabulary, long, boundaries, None, groups_suffixes),
        })
        .collect();
    CountedMask {
        all: TokenSet::from_bits(slices, &words),
        most,
        least,
        groups: list.into(),
        steps: steps.into(),
        ends,
    }
}

impl CountedMask {
    /// Adds the tokens allowed to an item that still may tick `left` times and must tick `due` times.
    pub(crate) fn add_to(&self, mask: &mut [u32], left: u32, due: u32) {
        if self.most <= left && self.least >= due {
            self.all.add_to(mask);
            return;
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
