//! The local mask of a state that says nearly what another one says, as the difference.
//!
//! Where two states go to the same state on a byte, all tokens that begin with the byte fare alike. So a state in the middle
//! of a name that a property may not have, or that has a meaning of its own, differs from the inside of any other name only
//! along the few texts that go on with that name. Both are walked together, and wherever they meet, what lies below is
//! left out: two microseconds and some hundred bytes instead of 100 µs and 16 KB.
//!
//! Where both read any text, as inside of two names that are not declared, nothing differs below a place in the vocabulary
//! without quotes and escapes. Nor does it where no state around refuses what is below ([chains](crate::chains)): states that
//! search for digits and a dash lead elsewhere along each of a thousand numbers, and read them all. That takes a look around,
//! so it is asked for when the difference has become dear.
//!
//! What states are compared with is where most characters lead, and inside of escapes, where nothing loops, the first state of
//! their [kin](crate::kin).
//!
//! A difference of thousands of tokens is not kept as such: where 31 hexadecimal digits in a row have come of at most 31, all
//! tokens that begin with one are refused, whole subtrees that are found at once. They are taken out of the base's set, and
//! the mask is beside one with that set and the base's boundaries: 57,500 nodes were walked instead, 4.6 ms.
//!
//! # Worked example
//! A name other than `ab`: `s0 a→s1 else→s; s1 b→s2 else→s; s2 "→✗ else→s`, and the base is `s`. At s1, tokens `b`, `b"`, `c"`,
//! `bc`. Along `c` both go to s: left out. Along `b` s1 goes to s2, s to itself. Both are alive: `b` is no difference. Along
//! `b"` s may end and s2 may not: `b"` is in `less`, and the node `b"` is excluded from the boundaries of s. Along `bc` both
//! are in s again.

use crate::bits;
use crate::boundary::{Boundaries, Boundary, Source};
use crate::descent::Descent;
use crate::local::{Base, LocalMask, Rare};
use crate::token_set::TokenSet;
use crate::walk::{Config, Walker, at_hand};
use formwork_earley::LimitExceeded;
use formwork_fsm::{Automata, RuleView, StateId, StateView};
use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use std::sync::Arc;

/// Where the state or its base stands at a node, and the single state there, if it is one.
type Place<'a> = Option<(Config, Option<StateView<'a>>)>;

/// Where the state and its base stand at a node; neither is dead but one.
#[derive(Clone, Copy)]
struct Both<'a> {
    state: Place<'a>,
    base: Place<'a>,
}

#[derive(Default)]
struct Difference {
    more: Vec<TokenId>,
    less: Vec<TokenId>,
    boundaries: Vec<Boundary>,
    excluded: Vec<NodeId>,
}

impl Difference {
    fn n_tokens(&self) -> usize {
        self.more.len() + self.less.len()
    }
}

/// Behind so many nodes it is asked of subtrees of so many whether any text is read: it takes a look at dozens of states,
/// which serves those of the same rule that come after.
const DEAR: u64 = 256;
const WORTH_A_LOOK: u32 = 32;

/// With more differences a set of its own is as good, as long as it is not dear to find: to take out what begins with one of
/// sixteen digits is some dozen subtrees.
const MAX_DIFFERENT: usize = 1_000;
const MAX_NODES: u64 = 4_096;

impl Walker {
    /// The mask of a state beside its base's; `None` where there is none, or it would not be smaller.
    pub(crate) fn beside(
        &mut self,
        vocabulary: &Vocabulary,
        automata: &Automata,
        view: RuleView<'_>,
        state: StateId,
        base: Option<(StateId, Arc<LocalMask>)>,
    ) -> Result<Option<LocalMask>, LimitExceeded> {
        let Some((base, mask)) = base else { return Ok(None) };
        if mask.has_base() || mask.counted().is_some() || !mask.rechecks().is_empty() {
            return Ok(None);
        }
        let Some(mut found) = self.difference(vocabulary.trie(), automata, view, state, base)? else {
            return Ok(None);
        };
        if !automata.is_called(automata.rule_of(state)) {
            found.boundaries.clear();
            found.excluded.clear();
        }
        let mask = match found.n_tokens() > MAX_DIFFERENT {
            true => self.changed(vocabulary, &mask, &mut found),
            false => mask,
        };
        // The walk goes along bytes that are looked up before those that are passed over.
        found.excluded.sort_unstable();
        let boundaries = Boundaries::new(vocabulary, None, found.boundaries, None, self.switches.suffixes);
        let base = Some(Base { mask, less: found.less.into(), excluded: found.excluded.into() });
        let accepted = TokenSet::List(found.more.into());
        Ok(Some(LocalMask::new(accepted, boundaries, Rare { base, ..Rare::default() })))
    }

    /// The base's mask with the set that the state accepts, which is no difference any more.
    fn changed(
        &mut self,
        vocabulary: &Vocabulary,
        base: &LocalMask,
        found: &mut Difference,
    ) -> Arc<LocalMask> {
        let bits = &mut self.accepted_bits;
        bits.resize(vocabulary.mask_words(), 0);
        base.accepted.write_to(bits);
        found.less.drain(..).for_each(|token| bits::clear(bits, token));
        found.more.drain(..).for_each(|token| bits::set(bits, token));
        let accepted = TokenSet::from_bits(&self.slices, bits);
        Arc::new(LocalMask::new(accepted, base.boundaries.clone(), Rare::default()))
    }

    fn difference(
        &mut self,
        trie: &Trie,
        automata: &Automata,
        view: RuleView<'_>,
        state: StateId,
        base: StateId,
    ) -> Result<Option<Difference>, LimitExceeded> {
        let mut found = Difference::default();
        let [state, base] = [state, base].map(|state| (Config::State(state), view.at(state.local())));
        let bytes = differing(state.1, base.1);
        let place = |(config, at)| Some((config, Some(at)));
        let mut frames =
            vec![(Both { state: place(state), base: place(base) }, Descent::along(Trie::ROOT, bytes))];
        let before = self.n_visited;
        while let Some((from, children)) = frames.last_mut() {
            let from = *from;
            let Some(node) = children.next(trie) else {
                frames.pop();
                continue;
            };
            self.n_visited += 1;
            let byte = trie.byte(node);
            if !children.wants(byte) {
                continue;
            }
            // The first byte is the states' own.
            let calls = frames.len() > 1;
            let mut step = |from: Place<'_>| match from {
                // Most are, and to look at those at hand is half of the cost.
                Some((Config::State(state), Some(at))) if !(calls && at.called_bytes().contains(byte)) => {
                    Ok(at.step(byte).map(|to| (Config::State(state.sibling(to)), view.is_accepting(to))))
                }
                Some((from, _)) => self.step(automata, view, from, byte, calls, false),
                None => Ok(None),
            };
            let (of_state, of_base) = (step(from.state)?, step(from.base)?);
            if of_state == of_base {
                continue;
            }
            let has_below = trie.end(node) != node.next();
            let reads_all = |reached: Option<(Config, bool)>| match reached {
                Some((Config::State(state), false)) => self.reads_all_below(view, state.local(), trie, node),
                _ => false,
            };
            if has_below && reads_all(of_state) && reads_all(of_base) {
                continue;
            }
            if has_below && of_base.is_some_and(|(_, ends)| ends) {
                found.excluded.push(node);
            }
            if has_below && of_state.is_some_and(|(_, ends)| ends) {
                let n_tokens = trie.token_range(node).len() - trie.tokens_at(node).len();
                let (source, undecided) = (Source::Vocabulary, ByteSet::FULL);
                found.boundaries.push(Boundary { source, node, undecided, n_tokens });
            }
            let tokens = match has_below {
                true => trie.tokens_at(node),
                false => trie.tokens_below(node),
            };
            match (of_state, of_base) {
                (Some(_), None) => found.more.extend_from_slice(tokens),
                (None, Some(_)) => found.less.extend_from_slice(tokens),
                _ => {}
            }
            if found.n_tokens() > MAX_DIFFERENT && self.n_visited - before > MAX_NODES {
                return Ok(None);
            }
            if !has_below {
                continue;
            }
            // One that reads nothing more is as good as dead below.
            let place = |reached: Option<(Config, bool)>| {
                let (config, _) = reached.filter(|&(config, _)| self.goes_on(view, config))?;
                Some((config, at_hand(automata, view, config)))
            };
            let both = Both { state: place(of_state), base: place(of_base) };
            let is_large = self.n_visited - before > DEAR && trie.end(node).get() - node.get() > WORTH_A_LOOK;
            let mut covered = |place: Place<'_>| {
                let Some((config, at)) = place else { return false };
                self.covered(automata, view, trie, (config, at), node, true)
                    || is_large && self.reads_in_any_order(view, config, trie, node)
            };
            let covered = (covered(both.state), covered(both.base));
            let below = || &trie.tokens_below(node)[trie.tokens_at(node).len()..];
            match covered {
                (true, true) => continue,
                (true, false) if both.base.is_none() => {
                    found.more.extend_from_slice(below());
                    continue;
                }
                (false, true) if both.state.is_none() => {
                    found.less.extend_from_slice(below());
                    continue;
                }
                _ => {}
            }
            let read =
                |place: Place<'_>| place.map_or(ByteSet::EMPTY, |(config, at)| self.next_bytes(config, at).0);
            let bytes = match (both.state, both.base) {
                // Of few children it is seen as soon as they are met.
                (Some((Config::State(_), Some(a))), Some((Config::State(_), Some(b))))
                    if trie.child_bytes(node).is_some() =>
                {
                    differing(a, b).union(a.called_bytes()).union(b.called_bytes())
                }
                (a, b) => read(a).union(&read(b)),
            };
            if !bytes.is_empty() {
                frames.push((both, Descent::new(trie, node, &bytes)));
            }
        }
        Ok(Some(found))
    }
}

/// The bytes on which two states of a rule do not go to the same state by their own edges.
fn differing(a: StateView<'_>, b: StateView<'_>) -> ByteSet {
    let (mut a, mut b) = (a.plain_edges().iter(), b.plain_edges().iter());
    let (mut next_a, mut next_b) = (a.next(), b.next());
    let mut same = ByteSet::EMPTY;
    let mut all = ByteSet::EMPTY;
    while let (Some(left), Some(right)) = (next_a, next_b) {
        if left.target == right.target {
            same.insert_range(left.low.max(right.low), left.high.min(right.high));
        }
        all.insert_range(left.low, left.high);
        all.insert_range(right.low, right.high);
        if left.high <= right.high {
            next_a = a.next();
        }
        if right.high <= left.high {
            next_b = b.next();
        }
    }
    for edge in next_a.into_iter().chain(a).chain(next_b).chain(b) {
        all.insert_range(edge.low, edge.high);
    }
    all.difference(&same)
}
