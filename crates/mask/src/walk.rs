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
use crate::local::LocalMask;
use crate::suffix::SuffixTrie;
use crate::token_set::TokenSet;
use formwork_earley::{LimitExceeded, RowId, Rows, TableId};
use formwork_fsm::{Automata, StateId};
use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, Trie, Vocabulary};

/// Computes local masks of one grammar over one vocabulary; keeps buffers between calls.
#[derive(Debug)]
pub struct Walker {
    vocabulary: Vocabulary,
    rows: Rows,
    /// The tokens accepted so far, as a bitset.
    accepted: Vec<u32>,
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
}

/// A boundary whose subtree is being walked.
#[derive(Clone, Debug)]
struct Pending {
    boundary: Boundary,
    depth: usize,
}

/// Rows kept from one walk to the next; the same sub-rules recur.
const KEPT_ROWS: usize = 2_000;

impl Walker {
    /// A walker over the automata of `rows`, which should be an arena of its own.
    pub fn new(vocabulary: Vocabulary, rows: Rows) -> Self {
        Self {
            accepted: vec![0; vocabulary.mask_words()],
            vocabulary,
            rows,
            frames: Vec::new(),
            pending: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The local mask of a state (of its [class](Automata::class)).
    ///
    /// Cost: from a microsecond for a state that few bytes leave to some milliseconds for one that reads almost any text.
    ///
    /// # Errors
    /// A limit on rows: the sub-rules are too ambiguous.
    pub fn local_mask(&mut self, state: StateId) -> Result<LocalMask, LimitExceeded> {
        let automata = std::sync::Arc::clone(self.rows.automata());
        let rule = automata.rule_of(state);
        let counts = automata.counter(rule).is_some();
        if counts && !automata.refers(rule) {
            let counted = counted_mask(&self.vocabulary, &automata, state);
            return Ok(LocalMask {
                accepted: TokenSet::List(Box::default()),
                suffixes: SuffixTrie::default(),
                references: Box::default(),
                rechecks: Box::default(),
                counted: Some(Box::new(counted)),
            });
        }
        if self.rows.n_rows() > KEPT_ROWS {
            self.rows = Rows::new(std::sync::Arc::clone(&automata), self.rows.limits().clone());
        }
        let mut boundaries = Vec::new();
        let mut rechecks = Vec::new();
        self.accepted.fill(0);
        self.frames.clear();
        self.pending.clear();
        self.path.clear();
        self.walk(&automata, state, counts, &mut boundaries, &mut rechecks)?;
        let (suffixes, references) = split(&self.vocabulary, boundaries, Some(&self.accepted));
        Ok(LocalMask {
            accepted: TokenSet::from_bits(&self.accepted),
            suffixes,
            references,
            rechecks: rechecks.into(),
            counted: None,
        })
    }

    fn walk(
        &mut self,
        automata: &Automata,
        start: StateId,
        counts: bool,
        boundaries: &mut Vec<Boundary>,
        rechecks: &mut Vec<NodeId>,
    ) -> Result<(), LimitExceeded> {
        let vocabulary = self.vocabulary.clone();
        let trie = vocabulary.trie();
        let ahead = automata.ticks_ahead(start);
        let next_bytes = *automata.next_bytes(start);
        for child in trie.children(Trie::ROOT) {
            if next_bytes.contains(trie.byte(child)) {
                self.walk_child(automata, trie, start, counts.then_some(ahead), child, boundaries, rechecks)?;
            }
        }
        Ok(())
    }

    /// Walks the subtree of one child of the trie's root.
    #[allow(
        clippy::too_many_arguments,
        reason = "the loop's context; a struct for it would be built for one call"
    )]
    fn walk_child(
        &mut self,
        automata: &Automata,
        trie: &Trie,
        start: StateId,
        ahead: Option<(u32, u32)>,
        root: NodeId,
        boundaries: &mut Vec<Boundary>,
        rechecks: &mut Vec<NodeId>,
    ) -> Result<(), LimitExceeded> {
        // What lies behind the end of a rule that nobody calls is nobody's.
        let is_called = automata.is_called(automata.rule_of(start));
        let mut node = root;
        let end = trie.end(root);
        while node < end || !self.frames.is_empty() {
            while self.frames.last().is_some_and(|frame| frame.end <= node) {
                self.leave(boundaries);
            }
            if node >= end {
                break;
            }
            let byte = trie.byte(node);
            let from = self.frames.last().map_or(Config::State(start), |frame| frame.config);
            let depth = trie.depth(node);
            self.path.truncate(depth - 1);
            self.path.push(byte);
            let reached = self.step(automata, from, byte, ahead)?;
            let Some((config, ends)) = reached else {
                self.undecided(trie, node);
                node = trie.end(node);
                continue;
            };
            if let (Some((need, reach)), Config::Row(row)) = (ahead, config) {
                let (most, least) = self.rows.floating_ticks(row);
                if most > need || least < reach || ends && reach > 0 {
                    // Here the item's own count decides: whether it may go on, or whether it may end already.
                    rechecks.push(node);
                    self.undecided(trie, node);
                    node = trie.end(node);
                    continue;
                }
            }
            let alive = match config {
                Config::State(state) => {
                    automata.is_scannable(state) || !automata.rule_edges(state).is_empty()
                }
                Config::Row(row) => !self.rows.scannable(row).is_empty(),
            };
            if alive && self.covered(automata, trie, config, node) {
                for &token in trie.tokens_below(node) {
                    bits::set(&mut self.accepted, token);
                }
                node = trie.end(node);
                continue;
            }
            for &token in trie.tokens_at(node) {
                bits::set(&mut self.accepted, token);
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
                    self.pop_boundary(boundaries);
                }
                node = trie.end(node);
                continue;
            }
            self.frames.push(Frame { end: trie.end(node), config, is_boundary: ends });
            node = node.next();
        }
        Ok(())
    }

    /// What is reached by one byte, and whether the floating rule may end there.
    #[inline]
    fn step(
        &mut self,
        automata: &Automata,
        from: Config,
        byte: u8,
        ahead: Option<(u32, u32)>,
    ) -> Result<Option<(Config, bool)>, LimitExceeded> {
        let row = match from {
            Config::State(state) => {
                let (plain, ticking) = automata.step(state, byte);
                // The first byte is the state's own: the rules that it calls have states of their own.
                if !self.frames.is_empty() && automata.called_bytes(state).contains(byte) {
                    let row = self.rows.floating(state)?;
                    match self.rows.advance(row, byte)? {
                        Some(row) => row,
                        None => return Ok(None),
                    }
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
                    return Ok(Some((Config::State(target), automata.is_accepting(target))));
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
                if item.origin == Some(TableId::FLOATING) && automata.rule_edges(item.state).is_empty() {
                    return Ok(Some((Config::State(item.state), ends)));
                }
            }
        }
        Ok(Some((Config::Row(row), ends)))
    }

    /// Whether some state's loop reads everything below the node, so that all tokens there stay inside.
    #[inline]
    fn covered(&self, automata: &Automata, trie: &Trie, config: Config, node: NodeId) -> bool {
        let below = trie.bytes_below(node);
        match config {
            Config::State(state) => covers(automata, trie, state, node, below),
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
