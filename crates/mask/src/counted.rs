//! Local masks of counted states: the walk that counts.
//!
//! Only for rules without calls, which is where all the volume is: length-limited strings and classes. What has been
//! reached is a small set of (state, ticks); counts start at 0 and know no bounds, so that the result serves every item of
//! the state and every rule of the same shape. Counted rules with calls (arrays with `maxItems`) are walked in rows, and
//! subtrees that tick are looked up again from the item itself.

use crate::boundary::{Boundary, split};
use crate::local::{CountedMask, End, Group, Step};
use crate::token_set::TokenSet;
use formwork_fsm::{Automata, StateId};
use formwork_grammar::{ByteSet, HashMap};
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// States with the ticks counted on the way.
type Config = SmallVec<[(StateId, u32); 4]>;

pub(crate) fn counted_mask(vocabulary: &Vocabulary, automata: &Automata, start: StateId) -> CountedMask {
    let trie = vocabulary.trie();
    let mut groups: HashMap<(u32, u32), Vec<TokenId>> = HashMap::default();
    let mut boundaries: BTreeMap<u32, Vec<Boundary>> = BTreeMap::new();
    let mut frames: Vec<(NodeId, Config)> = Vec::new();
    let first: Config = SmallVec::from_slice(&[(start, 0)]);
    let end = trie.end(Trie::ROOT);
    let mut node = Trie::ROOT.next();
    let mut reached = Config::new();
    let mut pairs: SmallVec<[(u32, u32); 4]> = SmallVec::new();
    while node < end {
        while frames.last().is_some_and(|frame| frame.0 <= node) {
            frames.pop();
        }
        let from = frames.last().map_or(&first, |frame| &frame.1);
        step(automata, from, trie.byte(node), &mut reached);
        if reached.is_empty() {
            node = trie.end(node);
            continue;
        }
        let tokens = trie.tokens_at(node);
        if !tokens.is_empty() {
            conditions(automata, &reached, &mut pairs);
            for &pair in &pairs {
                groups.entry(pair).or_default().extend_from_slice(tokens);
            }
        }
        if trie.end(node) == node.next() {
            node = node.next();
            continue;
        }
        let mut last_ticks = None;
        for &(_, ticks) in reached.iter().filter(|(state, _)| automata.is_accepting(*state)) {
            // The states of a set are sorted by ticks first, so each number is met once.
            if last_ticks.replace(ticks) != Some(ticks) {
                let n_tokens = trie.token_range(node).len() - tokens.len();
                let boundary = Boundary { node, undecided: ByteSet::FULL, n_tokens };
                boundaries.entry(ticks).or_default().push(boundary);
            }
        }
        if reached.iter().any(|(state, _)| automata.is_scannable(*state)) {
            frames.push((trie.end(node), reached.clone()));
            node = node.next();
        } else {
            node = trie.end(node);
        }
    }
    finish(vocabulary, groups, boundaries)
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
    vocabulary: &Vocabulary,
    groups: HashMap<(u32, u32), Vec<TokenId>>,
    boundaries: BTreeMap<u32, Vec<Boundary>>,
) -> CountedMask {
    let n_words = vocabulary.mask_words();
    let mut sorted: Vec<((u32, u32), Vec<TokenId>)> = groups.into_iter().collect();
    // Groups that ask nothing of the least count come first, so that a union of the first ones is a prefix.
    sorted.sort_unstable_by_key(|&((most, least), _)| (least != u32::MAX, most, least));
    let mut words = vec![0u32; n_words];
    let (mut most, mut least) = (0, u32::MAX);
    let mut list = Vec::with_capacity(sorted.len());
    let mut steps = Vec::new();
    for (i, (pair, tokens)) in sorted.iter().enumerate() {
        (most, least) = (most.max(pair.0), least.min(pair.1));
        for &token in tokens {
            crate::bits::set(&mut words, token);
        }
        let tokens = TokenSet::from_tokens(tokens, n_words);
        list.push(Group { most: pair.0, least: pair.1, tokens });
        if pair.1 == u32::MAX && i < MAX_STEPPED && i % STEP == STEP - 1 {
            steps.push(Step { n_groups: i + 1, tokens: TokenSet::from_bits(&words) });
        }
    }
    let ends = boundaries
        .into_iter()
        .map(|(ticks, boundaries)| {
            let (suffixes, references) = split(vocabulary, boundaries, None);
            End { ticks, suffixes, references }
        })
        .collect();
    CountedMask {
        all: TokenSet::from_bits(&words),
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
