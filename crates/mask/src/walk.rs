//! Computes local masks: one walk of the vocabulary's trie from one state.
//!
//! The first byte is read by the state's own edges only, since rules that it predicts have states, and local masks, of
//! their own. After that sub-rules are predicted as usual, in rows whose outermost rule floats: where it began is unknown,
//! and where it ends is a boundary. While a single state is all there is, its automaton is stepped directly, on every byte
//! with which nothing that it calls begins.
//!
//! Whole subtrees are taken at once where a state's loop covers all bytes below.
//!
//! # Worked example
//! State: after the opening quote of `string ::= "\"" [a-z]* "\""`. Tokens `ab`, `a"`, `a",`, `"}`, `a1`.
//! `ab` stays inside: accepted. `a"` ends with the rule: accepted, because whoever waits can go on. `a",` and `"}` end the
//! rule inside: behind the boundary stand `,` and `}`, two suffixes for the parent to decide. `a1` dies: rejected.

use crate::bits;
use crate::boundary::{Boundary, split};
use crate::counted::counted_mask;
use crate::local::{Base, LocalMask, Reference};
use crate::slices::{Loop, Slices};
use crate::suffix::SuffixTrie;
use crate::token_set::TokenSet;
use formwork_earley::{LimitExceeded, RowId, Rows, TableId};
use formwork_fsm::{Automata, Counter, RuleView, StateId};
use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use std::sync::Arc;

/// Computes local masks of one grammar over one vocabulary; keeps buffers between calls.
#[derive(Debug)]
pub struct Walker {
    slices: Arc<Slices>,
    /// Whether loop slices may be used.
    uses_slices: bool,
    rows: Rows,
    /// The tokens accepted so far, but for those of the start's slice.
    accepted: Vec<TokenId>,
    /// The same as a bitset, the slice included, where it is needed.
    accepted_bits: Vec<u32>,
    frames: Vec<Frame>,
    pending: Vec<Pending>,
    path: Vec<u8>,
}

/// What has been reached at a node of the trie.
#[derive(Clone, Copy, Debug)]
enum Config {
    /// One floating state; what it calls matters only on bytes with which something called begins.
    State(StateId),
    Row(RowId),
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The position behind the node's subtree.
    end: NodeId,
    config: Config,
    /// Whether the node is a pending boundary.
    is_boundary: bool,
    /// Whether the way to the node is made of the start's loop alone.
    in_slice: bool,
}

/// What one walk is about.
#[derive(Clone, Copy, Debug)]
struct Start {
    state: StateId,
    /// The state's loop, if its slice is taken.
    slice: Option<Loop>,
    /// In a counted rule: the ticks that the state still needs and can reach; in a set's, twice the state's guard.
    ahead: Option<(u32, u32)>,
    /// Whether the rule may end depends on what the item counted.
    end_depends: bool,
    /// Whether anybody calls the rule; what lies behind the end of one that nobody calls is nobody's.
    is_called: bool,
}

/// What a walk finds besides accepted tokens.
#[derive(Debug, Default)]
struct Findings {
    boundaries: Vec<Boundary>,
    rechecks: Vec<NodeId>,
}

/// A boundary whose subtree is being walked.
#[derive(Clone, Debug)]
struct Pending {
    boundary: Boundary,
    depth: usize,
}

/// The most first bytes below which a mask may differ from its base.
const MAX_DIFFERENT: usize = 48;

/// Whether a state loops over so many bytes, ticking or not, that its local mask is worth computing before it is needed.
pub fn is_wide(automata: &Automata, state: StateId) -> bool {
    is_wide_loop(automata.own_loop(state)) || is_wide_loop(automata.own_ticking_loop(state))
}

/// Whether a loop takes enough tokens for a slice of its own.
fn is_wide_loop((ascii, utf8): Loop) -> bool {
    ascii.count_ones() >= 16 || utf8
}

/// Rows kept from one walk to the next; the same sub-rules recur.
const KEPT_ROWS: usize = 2_000;

impl Walker {
    /// A walker over the automata of `rows`, which should be an arena of its own. Without `uses_slices` every token is
    /// walked; the masks are the same.
    pub fn new(slices: Arc<Slices>, uses_slices: bool, rows: Rows) -> Self {
        Self {
            accepted: Vec::new(),
            accepted_bits: Vec::new(),
            slices,
            uses_slices,
            rows,
            frames: Vec::new(),
            pending: Vec::new(),
            path: Vec::new(),
        }
    }

    /// A state of the same rule that goes where `state` goes on all but some first bytes, and those bytes: its local mask
    /// can be the base of this one's.
    pub fn base_of(&self, state: StateId) -> Option<(StateId, ByteSet)> {
        let automata = self.rows.automata();
        // A state with a wide loop is one that others are based on, and never based itself.
        let counts = automata.counter(automata.rule_of(state)).is_some();
        if !self.uses_slices || counts || is_wide_loop(automata.own_loop(state)) {
            return None;
        }
        // Where most bytes lead, if it is a state with a wide loop.
        let (edges, _) = automata.byte_edges(state);
        let widest = edges.iter().max_by_key(|edge| edge.high - edge.low)?;
        let base = state.sibling(widest.target);
        if base == state || !is_wide_loop(automata.own_loop(base)) {
            return None;
        }
        let different = (0..=255).filter(|&byte| automata.step(state, byte).0 != automata.step(base, byte).0);
        let different: ByteSet = different.collect();
        (different.len() <= MAX_DIFFERENT).then_some((base, different))
    }

    /// The local mask of a state; `base` is the mask of its
    /// [base](Self::base_of), if it has one.
    ///
    /// Cost: from a microsecond for a state that few bytes leave to some milliseconds for one that reads almost any text.
    ///
    /// # Errors
    /// A limit on rows: the sub-rules are too ambiguous.
    pub fn local_mask(
        &mut self,
        state: StateId,
        base: Option<(StateId, ByteSet, Arc<LocalMask>)>,
    ) -> Result<LocalMask, LimitExceeded> {
        let automata = Arc::clone(self.rows.automata());
        let rule = automata.rule_of(state);
        let counter = automata.counter(rule);
        let counts = counter.is_some();
        let vocabulary = self.slices.vocabulary().clone();
        if matches!(counter, Some(Counter::Ticks { .. })) && !automata.refers(rule) {
            let counted = counted_mask(&vocabulary, &automata, state);
            return Ok(LocalMask {
                accepted: TokenSet::List(Box::default()),
                suffixes: SuffixTrie::default(),
                references: Box::default(),
                rechecks: Box::default(),
                base: None,
                counted: Some(Box::new(counted)),
            });
        }
        if self.rows.n_rows() > KEPT_ROWS {
            self.rows = Rows::new(Arc::clone(&automata), self.rows.limits().clone());
        }
        let own_loop = automata.own_loop(state);
        let start = Start {
            state,
            slice: (self.uses_slices && is_wide_loop(own_loop)).then_some(own_loop),
            ahead: counts.then(|| automata.ticks_ahead(state)),
            end_depends: match counter {
                None => false,
                Some(Counter::Ticks { .. }) => automata.ticks_ahead(state).1 > 0,
                Some(Counter::Members) => !automata.has_required(rule, &[]),
            },
            is_called: automata.is_called(rule),
        };
        let next_bytes = *automata.next_bytes(state);
        if let Some((_, except, mask)) = base {
            let findings = self.walk(&automata, start, &next_bytes.intersection(&except))?;
            if let Some(local) = self.beside_base(&vocabulary, findings, mask, except) {
                return Ok(local);
            }
        }
        let findings = self.walk(&automata, start, &next_bytes)?;
        let slice = start.slice.map(|slice| self.slices.slice(slice));
        let (suffixes, references) = self.split(&vocabulary, findings.boundaries, slice.as_deref());
        let accepted = match slice {
            Some(slice) => TokenSet::from_slice(slice, &self.accepted),
            None => TokenSet::from_tokens(&self.accepted, vocabulary.mask_words()),
        };
        let rechecks = findings.rechecks.into();
        Ok(LocalMask { accepted, suffixes, references, rechecks, base: None, counted: None })
    }

    /// What was found below the bytes on which the state and its base differ, beside the base's mask; `None` where counts
    /// decide.
    fn beside_base(
        &mut self,
        vocabulary: &Vocabulary,
        findings: Findings,
        mask: Arc<LocalMask>,
        except: ByteSet,
    ) -> Option<LocalMask> {
        if mask.base.is_some() || !mask.rechecks.is_empty() || !findings.rechecks.is_empty() {
            return None;
        }
        let trie = vocabulary.trie();
        let (suffixes, references) = self.split(vocabulary, findings.boundaries, None);
        let bits = &mut self.accepted_bits;
        bits.resize(vocabulary.mask_words(), 0);
        mask.accepted.write_to(bits);
        for child in trie.children(Trie::ROOT).filter(|&child| except.contains(trie.byte(child))) {
            for &token in trie.tokens_below(child) {
                bits::clear(bits, token);
            }
        }
        for &token in &self.accepted {
            bits::set(bits, token);
        }
        let accepted = TokenSet::near(&mask.accepted, bits);
        let base = Some(Base { mask, except });
        Some(LocalMask { accepted, suffixes, references, rechecks: Box::default(), base, counted: None })
    }

    /// The boundaries in their two forms; tokens that are accepted anyway, also by the slice, are left out.
    fn split(
        &mut self,
        vocabulary: &Vocabulary,
        boundaries: Vec<Boundary>,
        slice: Option<&[u32]>,
    ) -> (SuffixTrie, Box<[Reference]>) {
        if boundaries.is_empty() {
            return (SuffixTrie::default(), Box::default());
        }
        let bits = &mut self.accepted_bits;
        bits.clear();
        bits.extend_from_slice(slice.unwrap_or_default());
        bits.resize(vocabulary.mask_words(), 0);
        for &token in &self.accepted {
            bits::set(bits, token);
        }
        split(vocabulary, boundaries, Some(bits))
    }

    /// Walks the tokens that begin with one of these bytes.
    fn walk(
        &mut self,
        automata: &Automata,
        start: Start,
        bytes: &ByteSet,
    ) -> Result<Findings, LimitExceeded> {
        self.accepted.clear();
        self.frames.clear();
        self.pending.clear();
        self.path.clear();
        let mut findings = Findings::default();
        let vocabulary = self.slices.vocabulary().clone();
        let trie = vocabulary.trie();
        // While a single state is all there is, it is one of the start's rule.
        let view = automata.view(start.state.rule());
        for child in trie.children(Trie::ROOT).filter(|&child| bytes.contains(trie.byte(child))) {
            self.walk_child(automata, view, trie, start, child, &mut findings)?;
        }
        Ok(findings)
    }

    /// Walks the subtree of one child of the trie's root.
    fn walk_child(
        &mut self,
        automata: &Automata,
        view: RuleView<'_>,
        trie: &Trie,
        start: Start,
        root: NodeId,
        findings: &mut Findings,
    ) -> Result<(), LimitExceeded> {
        let Start { ahead, is_called, .. } = start;
        let mut node = root;
        let end = trie.end(root);
        while node < end || !self.frames.is_empty() {
            while self.frames.last().is_some_and(|frame| frame.end <= node) {
                self.leave(&mut findings.boundaries);
            }
            if node >= end {
                break;
            }
            let byte = trie.byte(node);
            let (from, above_in_slice) = self
                .frames
                .last()
                .map_or((Config::State(start.state), true), |frame| (frame.config, frame.in_slice));
            let in_slice = above_in_slice
                && start
                    .slice
                    .is_some_and(|(ascii, utf8)| if byte < 0x80 { ascii >> byte & 1 != 0 } else { utf8 });
            let depth = trie.depth(node);
            self.path.truncate(depth - 1);
            self.path.push(byte);
            let reached = self.step(automata, view, from, byte, ahead)?;
            let Some((config, ends)) = reached else {
                self.undecided(trie, node);
                node = trie.end(node);
                continue;
            };
            if let (Some((need, reach)), Config::Row(row)) = (ahead, config) {
                let (most, least) = self.rows.floating_ticks(row);
                if most > need || least < reach || ends && start.end_depends {
                    // Here the item's own count decides: whether it may go on, or whether it may end already.
                    findings.rechecks.push(node);
                    self.undecided(trie, node);
                    node = trie.end(node);
                    continue;
                }
            }
            let alive = match config {
                Config::State(state) => view.goes_on(state.local()),
                Config::Row(row) => !self.rows.scannable(row).is_empty(),
            };
            // Back at the start along its own loop: whatever the loop goes on to read is in the slice.
            let is_back = in_slice && matches!(config, Config::State(state) if state == start.state);
            if alive && self.covered(automata, view, trie, config, node) {
                if !is_back {
                    self.accepted.extend_from_slice(trie.tokens_below(node));
                }
                node = trie.end(node);
                continue;
            }
            if !is_back {
                self.accepted.extend_from_slice(trie.tokens_at(node));
            }
            if trie.end(node) == node.next() {
                node = node.next();
                continue;
            }
            let ends = ends && is_called;
            if ends {
                let boundary = Boundary { node, undecided: ByteSet::EMPTY, n_tokens: 0 };
                self.pending.push(Pending { boundary, depth });
            }
            if !alive {
                // All that is below is behind the boundary.
                for child in trie.children(node) {
                    self.path.truncate(depth);
                    self.path.push(trie.byte(child));
                    self.undecided(trie, child);
                }
                if ends {
                    self.pop_boundary(&mut findings.boundaries);
                }
                node = trie.end(node);
                continue;
            }
            self.frames.push(Frame { end: trie.end(node), config, is_boundary: ends, in_slice });
            node = node.next();
        }
        Ok(())
    }

    /// What is reached by one byte, and whether the floating rule may end there.
    #[inline]
    fn step(
        &mut self,
        automata: &Automata,
        view: RuleView<'_>,
        from: Config,
        byte: u8,
        ahead: Option<(u32, u32)>,
    ) -> Result<Option<(Config, bool)>, LimitExceeded> {
        let row = match from {
            Config::State(state) => {
                let (plain, ticking) = view.step(state.local(), byte);
                // The first byte is the state's own: the rules that it calls have states of their own.
                if !self.frames.is_empty() && view.called_bytes(state.local()).contains(byte) {
                    let row = self.rows.floating(state)?;
                    match self.rows.advance(row, byte)? {
                        Some(row) => row,
                        None => return Ok(None),
                    }
                } else if self.frames.is_empty() && automata.counter(state.rule()) == Some(Counter::Members) {
                    // What the state calls is a member, or has states of its own; the target's row has its guard.
                    let Some(target) = plain else { return Ok(None) };
                    self.rows.floating(state.sibling(target))?
                } else if ahead.is_some() {
                    // Counts are kept in rows.
                    let row = self.rows.floating(state)?;
                    match self.rows.advance(row, byte)? {
                        Some(row) => row,
                        None => return Ok(None),
                    }
                } else {
                    debug_assert!(ticking.is_none(), "only counted rules tick");
                    let Some(target) = plain else { return Ok(None) };
                    return Ok(Some((Config::State(state.sibling(target)), view.is_accepting(target))));
                }
            }
            Config::Row(row) => match self.rows.advance(row, byte)? {
                Some(row) => row,
                None => return Ok(None),
            },
        };
        let ends = self.rows.ends_floating(row);
        if ahead.is_none() {
            if let [item] = self.rows.scannable(row) {
                // Calls of the state would be scannable too, unless they are of no byte at all.
                if item.origin == Some(TableId::FLOATING) && !automata.calls(item.state) {
                    return Ok(Some((Config::State(item.state), ends)));
                }
            }
        }
        Ok(Some((Config::Row(row), ends)))
    }

    /// Whether some state's loop reads everything below the node, so that all tokens there stay inside.
    #[inline]
    fn covered(
        &self,
        automata: &Automata,
        view: RuleView<'_>,
        trie: &Trie,
        config: Config,
        node: NodeId,
    ) -> bool {
        let below = trie.bytes_below(node);
        match config {
            Config::State(state) => loop_covers(view.own_loop(state.local()), trie, node, below),
            Config::Row(row) => {
                self.rows.scannable(row).iter().any(|item| covers(automata, trie, item.state, node, below))
            }
        }
    }

    /// Notes that all tokens from `node` on are decided by whatever boundary lies above.
    fn undecided(&mut self, trie: &Trie, node: NodeId) {
        if self.pending.is_empty() {
            return;
        }
        let n = trie.token_range(node).len();
        for Pending { boundary, depth } in &mut self.pending {
            boundary.undecided.insert(self.path[*depth]);
            boundary.n_tokens += n;
        }
    }

    fn leave(&mut self, boundaries: &mut Vec<Boundary>) {
        if self.frames.pop().is_some_and(|frame| frame.is_boundary) {
            self.pop_boundary(boundaries);
        }
    }

    fn pop_boundary(&mut self, boundaries: &mut Vec<Boundary>) {
        if let Some(Pending { boundary, .. }) = self.pending.pop() {
            if boundary.n_tokens > 0 {
                boundaries.push(boundary);
            }
        }
    }
}

/// Whether the state's own loop reads every text below the node.
#[inline]
pub(crate) fn covers(
    automata: &Automata,
    trie: &Trie,
    state: StateId,
    node: NodeId,
    below: [u64; 4],
) -> bool {
    loop_covers(automata.own_loop(state), trie, node, below)
}

/// Whether a loop over these ASCII bytes, and perhaps all other characters, reads every text below the node.
#[inline]
pub(crate) fn loop_covers((ascii, utf8): (u128, bool), trie: &Trie, node: NodeId, below: [u64; 4]) -> bool {
    let [low, high, beyond_a, beyond_b] = below;
    let ascii_below = u128::from(low) | u128::from(high) << 64;
    ascii_below & !ascii == 0 && (beyond_a | beyond_b == 0 || utf8 && trie.is_utf8_below(node))
}
