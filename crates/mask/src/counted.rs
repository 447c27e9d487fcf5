//! Local masks of counted states: the walk that counts.
//!
//! Only for rules without calls, which is where all the volume is: length-limited strings and classes. What has been
//! reached is a small set of (state, ticks); counts start at 0 and know no bounds, so that the result serves every item of
//! the state and every rule of the same shape. Counted rules with calls (arrays with `maxItems`) are walked in rows, and
//! subtrees that tick are looked up again from the item itself.

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

/// States with the ticks counted on the way.
type Config = SmallVec<[(StateId, u32); 4]>;

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
    let mut boundaries: BTreeMap<u32, Vec<Boundary>> = BTreeMap::new();
    // What lies behind the end of a rule that nobody calls is nobody's.
    let is_called = automata.is_called(automata.rule_of(start));
    let mut frames: Vec<Frame> = Vec::new();
    let first: Config = SmallVec::from_slice(&[(start, 0)]);
    let end = trie.end(Trie::ROOT);
    let mut node = Trie::ROOT.next();
    let mut reached = Config::new();
    let mut pairs: SmallVec<[(u32, u32); 4]> = SmallVec::new();
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
        if let [(state, ticks)] = reached[..] {
            if (!is_called || !automata.is_accepting(state)) && ticks_all_below(automata, trie, state, node) {
                // Every character below ticks once, the last one too where it is unfinished: it still needs its tick.
                let (need, reach) = automata.ticks_ahead(state);
                let base = ticks.saturating_add(need) - characters.min(ticks.saturating_add(need));
                let missing = characters - (ticks.saturating_add(need) - base);
                for (&token, &begun) in trie.tokens_below(node).iter().zip(trie.characters_begun(node)) {
                    let most = base + u32::from(begun) - missing;
                    found.group((most, reach)).push(token);
                }
                node = trie.end(node);
                continue;
            }
        }
        let tokens = trie.tokens_at(node);
        if !tokens.is_empty() {
            conditions(automata, &reached, &mut pairs);
            for &pair in &pairs {
                found.group(pair).extend_from_slice(tokens);
            }
        }
        if trie.end(node) == node.next() {
            node = node.next();
            continue;
        }
        let mut last_ticks = None;
        for &(_, ticks) in reached.iter().filter(|(state, _)| is_called && automata.is_accepting(*state)) {
            // The states of a set are sorted by ticks first, so each number is met once.
            if last_ticks.replace(ticks) != Some(ticks) {
                let n_tokens = trie.token_range(node).len() - tokens.len();
                let boundary = Boundary { source, node, undecided: ByteSet::FULL, n_tokens };
                boundaries.entry(ticks).or_default().push(boundary);
            }
        }
        if reached.iter().any(|(state, _)| automata.is_scannable(*state)) {
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

fn step(automata: &Automata, from: &[(StateId, u32)], byte: u8, reached: &mut Config) {
    reached.clear();
    for &(state, ticks) in from {
        let (plain, ticking) = automata.step(state, byte);
        reached.extend(plain.map(|target| (target, ticks)));
        reached.extend(ticking.map(|target| (target, ticks + 1)));
    }
    if reached.len() > 1 {
        reached.sort_unstable_by_key(|&(state, ticks)| (ticks, state));
        reached.dedup();
    }
}

/// The conditions under which a token that ends in these states is allowed; any one suffices.
fn conditions(automata: &Automata, reached: &[(StateId, u32)], pairs: &mut SmallVec<[(u32, u32); 4]>) {
    pairs.clear();
    for &(state, ticks) in reached {
        let (need, reach) = automata.ticks_ahead(state);
        let pair = (ticks.saturating_add(need), ticks.saturating_add(reach));
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
    boundaries: BTreeMap<u32, Vec<Boundary>>,
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
        let tokens = TokenSet::from_tokens(slices, None, tokens);
        list.push(Group { most: pair.0, least: pair.1, tokens });
        if pair.1 == u32::MAX && i < MAX_STEPPED && i % STEP == STEP - 1 {
            steps.push(Step { n_groups: i + 1, tokens: TokenSet::from_bits(slices, &words) });
        }
    }
    let ends = boundaries
        .into_iter()
        .map(|(ticks, boundaries)| End {
            ticks,
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
