//! Computes local masks: one walk of the vocabulary's trie from one state.
//!
//! The first byte is read by the state's own edges only, since rules that it predicts have states, and local masks, of
//! their own. After that sub-rules are predicted as usual, in rows whose outermost rule floats: where it began is unknown,
//! and where it ends is a boundary. While a single state is all there is, its automaton is stepped directly, on every byte
//! with which nothing that it calls begins; so is that of a rule that was called, up to where it may end or calls another.
//! Where nothing else is to be kept of the way, that is a [loop of its own](crate::plain).
//!
//! What is not walked:
//! - tokens that the state takes [wholesale](crate::wholesale), and of those that leave its [loop](crate::slices) the part before;
//! - subtrees all of whose texts a loop or a [chain](crate::chains) reads on the way;
//! - children along bytes that are not read, where there are many ([descent](crate::descent));
//! - for a state that differs little from one whose mask is known, the [first of its kin](crate::kin) for example, all but the
//!   [difference](crate::difference); for one that
//!   goes where [another](Walker::twin_of) goes, anything;
//! - beside an item that reads any text of a JSON string, such text ([`MaskKind::BesideText`]);
//! - what stays inside of what all tokens [leave](Left), where a state reads by no byte below that leaves it.
//!
//! # Worked example
//! State: after the opening quote of `string ::= "\"" [a-z]* "\""`. Tokens `ab`, `a"`, `a",`, `"}`, `a1`.
//! `ab` stays inside: accepted. `a"` ends with the rule: accepted, because whoever waits can go on. `a",` and `"}` end the
//! rule inside: behind the boundary stand `,` and `}`, two suffixes for the parent to decide. `a1` dies: rejected.

use crate::bits;
use crate::boundary::{Boundaries, Boundary, Source};
use crate::chains::{Chains, widest};
use crate::counted::counted_mask;
use crate::descent::Descent;
use crate::kin::Kin;
use crate::local::{LocalMask, MaskKind, Rare};
use crate::plain::Further;
use crate::slices::{JSON_TEXT, Slices, covers};
use crate::token_set::TokenSet;
use crate::wholesale::Exit;
use formwork_earley::{LimitExceeded, RowId, Rows, TableId};
use formwork_fsm::{Automata, Counter, Loop, RuleId, RuleView, StateId, StateView};
use formwork_grammar::{ByteSet, HashMap};
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use smallvec::SmallVec;
use std::sync::Arc;

/// Computes local masks of one grammar over one vocabulary; keeps buffers between calls.
#[derive(Debug)]
pub struct Walker {
    pub(crate) slices: Arc<Slices>,
    pub(crate) switches: Switches,
    pub(crate) rows: Rows,
    pub(crate) chains: Chains,
    /// Of each kin that was met, a state with a mask of its own.
    first_of_kin: HashMap<Kin, StateId>,
    /// The states of the start's rule that read any text of the slice's characters, ascending.
    pub(crate) alike: Vec<u32>,
    /// The tokens accepted so far, but for those of the start's slice.
    pub(crate) accepted: Vec<TokenId>,
    /// The same as a bitset, the slice included, where it is needed.
    pub(crate) accepted_bits: Vec<u32>,
    pending: Vec<Pending>,
    path: Vec<u8>,
    pub(crate) n_visited: u64,
}

/// What a [`Walker`] may use. The masks of rows are the same without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "whoever makes walkers decides about each")]
pub struct Switches {
    /// Loop slices, chains, bases and unions; else every token is walked.
    pub slices: bool,
    /// Suffix groups; else all boundaries are places in shared tries.
    pub suffixes: bool,
}

/// What has been reached at a node of the trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Config {
    /// One floating state; what it calls matters only on bytes with which something called begins.
    State(StateId),
    /// One state of something that was called, which reads bytes and nothing else, and who waits for its rule.
    Inside(StateId, TableId),
    Row(RowId),
}

#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    config: Config,
    /// The state, if it is a single one.
    at: Option<StateView<'a>>,
    /// Whether what a single state calls matters, and there may be something.
    calls: bool,
    children: Descent,
    /// The bytes read from the root to the node.
    depth: usize,
    /// Whether the node is a pending boundary.
    is_boundary: bool,
    /// Whether the way to the node is made of the slice's characters alone.
    in_slice: bool,
    /// The same of what all tokens of the trie [leave](Left).
    is_inside: bool,
}

/// What one walk is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a> {
    pub(crate) state: StateId,
    /// The states of its rule: while a single state is all there is, it is one of these.
    pub(crate) view: RuleView<'a>,
    /// In a counted rule: the ticks that the state still needs and can reach; in a set's, twice the state's guard.
    ahead: Option<(u32, u32)>,
    /// Whether the rule may end depends on what the item counted.
    end_depends: bool,
    /// Whether the rule's texts must differ from those before.
    pub(crate) is_text: bool,
    /// Whether anybody calls the rule; what lies behind the end of one that nobody calls is nobody's.
    pub(crate) is_called: bool,
    /// The slice that is taken, perhaps none.
    pub(crate) slice: Loop,
    /// What all tokens of the trie leave.
    pub(crate) left: Left,
    /// Whether it reads much of a vocabulary.
    pub(crate) is_wide: bool,
}

/// What all tokens of a trie leave: as long as a walk is inside of it, none of them can end there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Left {
    /// It is not known that they leave anything.
    Never,
    /// All begin with such characters.
    Always(Loop),
    /// Those that begin with a quote: the text of a JSON string.
    BehindQuote,
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

/// Whether a state loops over so many bytes, ticking or not, that its local mask is worth computing before it is needed.
pub fn is_wide(automata: &Automata, state: StateId) -> bool {
    is_wide_loop(automata.own_loop(state)) || is_wide_loop(automata.own_ticking_loop(state))
}

/// The rule's states, with or without their ticks; and whether what they say depends on a count.
pub(crate) fn view(automata: &Automata, rule: RuleId, kind: MaskKind) -> (RuleView<'_>, bool) {
    match (kind, automata.unticked(rule)) {
        (MaskKind::Usual | MaskKind::BesideText, Some(unticked)) => (unticked.view(), false),
        _ => (automata.view(rule), tested(automata.counter(rule)).is_some()),
    }
}

/// The node of the vocabulary's trie at the bytes of a node of another trie over some of its tokens.
fn in_vocabulary(vocabulary: &Vocabulary, trie: &Trie, node: NodeId) -> Option<NodeId> {
    let below = trie.tokens_below(node).first()?;
    let path = vocabulary.text(*below)?.get(..trie.depth(node))?;
    path.iter().try_fold(Trie::ROOT, |at, &byte| vocabulary.trie().child(at, byte))
}

/// What is counted inside of tokens. The steps of regions are tested where tokens end, by whoever fills masks; and of a text
/// that may not have come it is looked at only where it may be at its end.
fn tested(counter: Option<Counter>) -> Option<Counter> {
    counter.filter(|counter| !matches!(counter, Counter::Steps { .. } | Counter::Text))
}

/// Whether a rule's texts must differ from those before: then what a token says may depend on the item.
fn is_text(automata: &Automata, rule: RuleId) -> bool {
    automata.counter(rule) == Some(Counter::Text)
}

/// Whether a loop reads much of a vocabulary.
pub(crate) fn is_wide_loop(own_loop: Loop) -> bool {
    own_loop.ascii.count_ones() >= WIDE || own_loop.leads.count_ones() >= 32
}

/// Kins of which the first state is remembered.
const MAX_KINS: usize = 10_000;
/// Rows kept from one walk to the next; the same sub-rules recur.
const KEPT_ROWS: usize = 2_000;
/// Sets of fewer characters take too few tokens to be worth the question.
pub(crate) const MANY: usize = 8;
/// Subtrees of fewer nodes are walked rather than asked about chains.
pub(crate) const WORTH_A_CHAIN: u32 = 4;
/// A loop of so many ASCII characters reads much of a vocabulary.
pub(crate) const WIDE: u32 = 16;

impl Left {
    fn characters(self) -> Loop {
        match self {
            Self::Never => Loop::default(),
            Self::Always(characters) => characters,
            Self::BehindQuote => JSON_TEXT,
        }
    }

    /// Whether the way to the root is inside.
    fn at_root(self) -> bool {
        matches!(self, Self::Always(_))
    }

    /// Whether the way to a node is inside that is reached by a byte from another one at some depth.
    #[inline]
    pub(crate) fn goes_on(self, above: bool, depth: usize, byte: u8) -> bool {
        match self {
            Self::BehindQuote if depth == 0 => byte == b'"',
            _ => above && byte < 0x80 && self.characters().may_begin(byte),
        }
    }
}

impl Start<'_> {
    /// Whether a state loops over all that the trie's tokens leave, and reads by none of the bytes below the node else: the
    /// way there is [inside](Left), so all tokens below leave, and none may.
    #[inline]
    pub(crate) fn refuses_exits(&self, at: StateView<'_>, trie: &Trie, node: NodeId) -> bool {
        let (own_loop, left) = (at.own_loop(), self.left.characters());
        if left.ascii & !own_loop.ascii != 0 || left.leads & !own_loop.leads != 0 {
            return false;
        }
        // What is called may begin with a character of the loop, and leave it then.
        let exits = at.next_bytes().difference(&left.first_bytes()).union(at.called_bytes());
        exits.intersection(&ByteSet::from_words(trie.bytes_below(node))).is_empty()
    }
}

impl Walker {
    /// A walker over the automata of `rows`, which should be an arena of its own.
    pub fn new(slices: Arc<Slices>, switches: Switches, rows: Rows) -> Self {
        Self {
            slices,
            switches,
            rows,
            chains: Chains::default(),
            first_of_kin: HashMap::default(),
            alike: Vec::new(),
            accepted: Vec::new(),
            accepted_bits: Vec::new(),
            pending: Vec::new(),
            path: Vec::new(),
            n_visited: 0,
        }
    }

    /// Nodes of tries that were visited so far: what walks cost.
    pub fn n_visited(&self) -> u64 {
        self.n_visited
    }

    /// Another state of the same rule that goes where `state` goes, on all bytes: what the states call has local masks of its
    /// own, so theirs are the same. Behind a comma, say, and behind the first blank there.
    pub fn twin_of(&self, state: StateId, kind: MaskKind) -> Option<StateId> {
        let automata = self.rows.automata();
        let (view, counts) = view(automata, state.rule(), kind);
        if !self.switches.slices || counts || is_text(automata, state.rule()) {
            return None;
        }
        // PERF: to look at the target makes its edges; a twin loops on what leads to it, mostly several ranges.
        let edges = view.plain_edges(state.local());
        let [first, second, ..] = edges else { return None };
        let target = first.target;
        let is_twin = second.target == target && target != state.local() && view.plain_edges(target) == edges;
        (is_twin && (target as usize) < automata.n_states_of(state.rule())).then_some(state.sibling(target))
    }

    /// A state of the same rule that goes where `state` goes on most first bytes: its local mask can be the base of this
    /// one's. That is where most of its characters lead, if that is a state with a wide loop, or else the first of its [kin](Kin)
    /// that this walker met.
    pub fn base_of(&self, state: StateId, kind: MaskKind) -> Option<StateId> {
        let automata = self.rows.automata();
        let (view, counts) = view(automata, state.rule(), kind);
        // A state with a wide loop is one that others are based on, and never based itself.
        if !self.switches.slices
            || counts
            || kind == MaskKind::BesideText
            || is_text(automata, state.rule())
            || is_wide_loop(view.own_loop(state.local()))
        {
            return None;
        }
        // Where most characters lead, if it is a state with a wide loop, most of whose characters they are: behind an opening
        // quote everything else differs.
        // PERF: few characters cannot be most of a wide loop's; then edges are not looked at, nor the target, whose own that makes.
        let may_be = |characters: u128| 2 * characters.count_ones() > WIDE;
        let is_many = may_be(view.next_bytes(state.local()).ascii());
        let (characters, target) = if is_many { widest(view, state.local()) } else { (0, state.local()) };
        let is_base = may_be(characters) && {
            let of_base = view.own_loop(target);
            // Masks are of the rule's own states, not of sets of them.
            let is_state = (target as usize) < automata.n_states_of(state.rule());
            target != state.local()
                && is_state
                && is_wide_loop(of_base)
                && 2 * (characters & of_base.ascii).count_ones() > of_base.ascii.count_ones()
        };
        if !is_base {
            let first = self.first_of_kin.get(&Kin::of(view, state)?);
            return first.copied().filter(|&first| first != state);
        }
        Some(state.sibling(target))
    }

    /// The local mask of a state; `base` is its [base](Self::base_of) with that one's mask, if it has one. Both for the same
    /// `kind`.
    ///
    /// Cost: from half a microsecond for a state that few bytes leave to some hundreds for one that reads almost any text.
    ///
    /// # Errors
    /// A limit on rows: the sub-rules are too ambiguous.
    pub fn local_mask(
        &mut self,
        state: StateId,
        base: Option<(StateId, Arc<LocalMask>)>,
        kind: MaskKind,
    ) -> Result<LocalMask, LimitExceeded> {
        let local = self.computed(state, base, kind)?;
        let automata = self.rows.automata();
        if automata.has_failed(state.rule()) {
            return Err(LimitExceeded::Automaton);
        }
        let (view, counts) = view(automata, state.rule(), kind);
        if kind == MaskKind::Usual && !counts && local.is_plain() && self.first_of_kin.len() < MAX_KINS {
            if let Some(kin) = Kin::of(view, state) {
                self.first_of_kin.entry(kin).or_insert(state);
            }
        }
        Ok(local)
    }

    fn computed(
        &mut self,
        state: StateId,
        base: Option<(StateId, Arc<LocalMask>)>,
        kind: MaskKind,
    ) -> Result<LocalMask, LimitExceeded> {
        let automata = Arc::clone(self.rows.automata());
        let rule = automata.rule_of(state);
        let (view, counts) = view(&automata, rule, kind);
        let vocabulary = self.slices.vocabulary().clone();
        let by_letters = counts && matches!(automata.counter(rule), Some(Counter::Ticks { .. }));
        if by_letters && !automata.refers(rule) {
            let is_long = kind == MaskKind::Long;
            let counted = counted_mask(&self.slices, &automata, state, is_long, self.switches);
            let rare = Rare { counted: Some(counted), ..Rare::default() };
            return Ok(LocalMask::new(TokenSet::default(), Boundaries::default(), rare));
        }
        if self.rows.n_rows() > KEPT_ROWS {
            self.rows = Rows::new(Arc::clone(&automata), self.rows.limits().clone());
        }
        self.chains.turn_to(rule, kind, automata.is_called(rule));
        if let Some(local) = self.beside(&vocabulary, &automata, view, state, base)? {
            return Ok(local);
        }
        let start = Start {
            state,
            view,
            ahead: counts.then(|| automata.ticks_ahead(state)),
            end_depends: match automata.counter(rule).filter(|_| counts) {
                None | Some(Counter::Steps { .. } | Counter::Text | Counter::Distinct) => false,
                Some(Counter::Ticks { .. }) => automata.ticks_ahead(state).1 > 0,
                Some(Counter::Members) => !automata.asks_nothing(rule),
            },
            is_text: is_text(&automata, rule),
            is_called: automata.is_called(rule),
            slice: Loop::default(),
            left: Left::Never,
            is_wide: false,
        };
        self.accepted.clear();
        let mut findings = Findings::default();
        let mut bytes = *view.next_bytes(state.local());
        // What is decided by the count of the item is found in the vocabulary's trie only.
        let sliced = self.switches.slices && !counts;
        let is_wide = sliced && bytes.ascii().count_ones() >= WIDE;
        let is_beside = kind == MaskKind::BesideText;
        let (wholesale, leaving) = match (sliced, is_beside) {
            (true, false) => self.wholesale(&start, is_wide),
            (true, true) if is_wide => (None, self.leaving_text(&start)),
            _ => (None, None),
        };
        let (taken, mut tokens) = match &wholesale {
            Some(wholesale) => (wholesale.taken, wholesale.tokens.clone()),
            None if is_beside => (JSON_TEXT, TokenSet::default()),
            None => Default::default(),
        };
        self.alike = wholesale.map(|wholesale| wholesale.alike).unwrap_or_default();
        if let Some(Exit { source, trie, first, opening }) = &leaving {
            let left = match source {
                Source::Leaving => Left::Always(taken),
                _ if opening.is_some() => Left::BehindQuote,
                _ => Left::Never,
            };
            let start = Start { is_wide: is_wide && *source != Source::Rest, left, ..start };
            self.walk(&automata, trie, *source, start, first, &mut findings)?;
            // What is asked of items is asked where it stands in the vocabulary.
            findings.rechecks.retain_mut(|node| match in_vocabulary(&vocabulary, trie, *node) {
                Some(same) => {
                    *node = same;
                    true
                }
                None => false,
            });
            bytes = bytes.difference(&taken.first_bytes());
            if let Some(words) = opening {
                tokens = TokenSet::of_slice(words);
                bytes = bytes.difference(&[b'"'].into_iter().collect());
            }
        }
        let start = Start { slice: taken, is_wide, ..start };
        self.walk(&automata, vocabulary.trie(), Source::Vocabulary, start, &bytes, &mut findings)?;
        let rest = leaving.as_ref().map(|exit| &exit.trie);
        let (accepted, boundaries) = self.found(&vocabulary, tokens, rest, findings.boundaries);
        let rare = Rare { rechecks: findings.rechecks.into(), ..Rare::default() };
        Ok(LocalMask::new(accepted, boundaries, rare))
    }

    /// The tokens taken wholesale together with those accepted one by one, and the boundaries in their two forms: of tokens that
    /// are accepted anyway none is kept.
    fn found(
        &mut self,
        vocabulary: &Vocabulary,
        taken: TokenSet,
        rest: Option<&Arc<Trie>>,
        boundaries: Vec<Boundary>,
    ) -> (TokenSet, Boundaries) {
        let is_list = taken.has_room_for(self.accepted.len());
        let are_few = Boundaries::are_few(&boundaries);
        let bits = &mut self.accepted_bits;
        // PERF: of thousands of tokens both want the bitset; made for each it was a seventh of the instructions of wide masks.
        if !(is_list && are_few) {
            bits.resize(vocabulary.mask_words(), 0);
            taken.write_to(bits);
            for &token in &self.accepted {
                bits::set(bits, token);
            }
        }
        let known = (!are_few).then_some(&bits[..]);
        let boundaries = Boundaries::new(vocabulary, rest, boundaries, known, self.switches.suffixes);
        let accepted = match is_list {
            true => taken.with(&self.accepted),
            false => TokenSet::from_bits(&self.slices, bits),
        };
        (accepted, boundaries)
    }

    /// Walks the texts of a trie that begin with one of these bytes.
    fn walk<'a>(
        &mut self,
        automata: &'a Automata,
        trie: &Trie,
        source: Source,
        start: Start<'a>,
        bytes: &ByteSet,
        findings: &mut Findings,
    ) -> Result<(), LimitExceeded> {
        let Start { view, ahead, is_called, .. } = start;
        let mut frames: SmallVec<[Frame<'a>; 8]> = SmallVec::new();
        let mut further: Vec<Further<'a>> = Vec::new();
        self.pending.clear();
        self.path.clear();
        let children = Descent::along(Trie::ROOT, *bytes);
        let config = Config::State(start.state);
        let in_slice = !start.slice.is_empty() && source == Source::Vocabulary;
        // The first byte is the state's own; in the rest of a slice the loop was read before.
        let calls = source == Source::Rest;
        let at = Some(view.at(start.state.local()));
        let is_inside = start.left.at_root();
        frames.push(Frame { config, at, calls, children, depth: 0, is_boundary: false, in_slice, is_inside });
        while let Some(frame) = frames.last_mut() {
            let (from, at, calls) = (frame.config, frame.at, frame.calls);
            let (above, selective) = (frame.depth, frame.children.is_selective());
            let (above_in_slice, above_is_inside) = (frame.in_slice, frame.is_inside);
            let Some(node) = frame.children.next(trie) else {
                if frames.pop().is_some_and(|frame| frame.is_boundary) {
                    self.leave(&mut findings.boundaries);
                }
                continue;
            };
            self.n_visited += 1;
            let byte = trie.byte(node);
            let wanted = frame.children.wants(byte);
            let depth = above + 1;
            self.path.resize(above, 0);
            self.path.push(byte);
            if !wanted {
                self.undecided(trie, node);
                continue;
            }
            if selective {
                let n = trie.token_range(node).len();
                self.pending.iter_mut().for_each(|pending| pending.boundary.n_tokens -= n);
            }
            let in_slice = above_in_slice && byte < 0x80 && start.slice.may_begin(byte);
            let mut is_inside = start.left.goes_on(above_is_inside, above, byte);
            let is_leaf = trie.end(node) == node.next();
            if is_leaf && ahead.is_none() && !start.is_text && self.is_read(from, at, calls, byte) {
                // Most nodes are leaves: what lies behind the state does not matter.
                if !in_slice {
                    self.accept_at(trie, node);
                }
                continue;
            }
            let reached = match (from, at) {
                (Config::State(state), Some(at))
                    if ahead.is_none() && !(calls && at.called_bytes().contains(byte)) =>
                {
                    at.step(byte).map(|to| (Config::State(state.sibling(to)), view.is_accepting(to)))
                }
                _ => self.step(automata, view, from, byte, calls, ahead.is_some())?,
            };
            let Some((config, ends)) = reached else {
                self.undecided(trie, node);
                continue;
            };
            if let (Some((need, reach)), Config::Row(row)) = (ahead, config) {
                let (most, least) = self.rows.floating_ticks(row);
                if most > need || least < reach || ends && start.end_depends {
                    // Here the item's own count decides: whether it may go on, or whether it may end already.
                    findings.rechecks.push(node);
                    self.undecided(trie, node);
                    continue;
                }
            }
            if let (true, Config::State(_)) = (start.is_text, config) {
                if ends {
                    // What stands behind depends on the item's own text. While it goes on, it is taken to differ from those
                    // that came; where it may not, whoever resolves a row takes tokens out.
                    findings.rechecks.push(node);
                    continue;
                }
            }
            if is_leaf {
                if !in_slice {
                    self.accept_at(trie, node);
                }
                continue;
            }
            let alive = self.goes_on(view, config);
            let ends = ends && is_called;
            let may_be_short =
                self.switches.slices && !ends && !in_slice && !start.is_text && self.pending.is_empty();
            if let (Config::State(state), true) = (config, alive && !start.is_text && !in_slice) {
                if self.reads_all_below(view, state.local(), trie, node) {
                    self.accepted.extend_from_slice(trie.tokens_below(node));
                    continue;
                }
            }
            let (config, node) = match config {
                Config::State(state) if may_be_short && alive && ahead.is_none() => {
                    match self.along_literal(view, state.local(), trie, node) {
                        Some((state, passed)) => {
                            is_inside &= passed == node;
                            (Config::State(start.state.sibling(state)), passed)
                        }
                        None => continue,
                    }
                }
                _ => (config, node),
            };
            let at = if alive { at_hand(automata, view, config) } else { None };
            let (bytes, calls) = if alive { self.next_bytes(config, at) } else { (ByteSet::EMPTY, false) };
            let are_many = bytes.has_at_least(MANY);
            let is_worth = trie.end(node).get() - node.get() > WORTH_A_CHAIN;
            if let (Config::State(state), true) = (config, may_be_short && are_many && is_worth) {
                if self.chains.takes_short(view, state.local(), trie, node, &mut self.accepted) {
                    continue;
                }
            }
            if covers(start.slice, trie, node) {
                if in_slice {
                    continue;
                }
                if matches!(config, Config::State(state) if self.alike.binary_search(&state.local()).is_ok())
                {
                    self.accepted.extend_from_slice(trie.tokens_below(node));
                    continue;
                }
            }
            let in_any_order = |walker: &mut Self| match config {
                Config::State(state) if start.is_wide && !start.is_text && are_many => {
                    walker.chains.covers_in_any_order(view, state.local(), trie, node)
                }
                _ => false,
            };
            if let (Config::State(_) | Config::Inside(..), Some(at), true) = (config, at, is_inside && !ends)
            {
                if start.refuses_exits(at, trie, node) {
                    self.all_below_undecided(trie, node);
                    continue;
                }
            }
            if alive
                && (self.covered(automata, view, trie, (config, at), node, are_many) || in_any_order(self))
            {
                self.accepted.extend_from_slice(trie.tokens_below(node));
                continue;
            }
            if !in_slice {
                self.accept_at(trie, node);
            }
            if !alive {
                // All that is below is behind the boundary.
                self.all_below_undecided(trie, node);
                if ends {
                    let n_tokens = trie.token_range(node).len() - trie.tokens_at(node).len();
                    findings.boundaries.push(Boundary { source, node, undecided: ByteSet::FULL, n_tokens });
                }
                continue;
            }
            if ends {
                let boundary = Boundary { source, node, undecided: ByteSet::EMPTY, n_tokens: 0 };
                self.pending.push(Pending { boundary, depth });
            }
            let children = Descent::new(trie, node, &bytes);
            let is_plain = ahead.is_none() && !start.is_text && !in_slice && self.pending.is_empty();
            if let (Config::State(state), Some(at), true) = (config, at, is_plain) {
                self.plain(&start, trie, (state, at), (node, children, is_inside), &mut further);
                frames.extend(further.drain(..).map(|Further { state, at, node, byte, is_inside }| {
                    let children = Descent::along(node, [byte].into_iter().collect());
                    let (config, depth) = (Config::State(state), trie.depth(node));
                    let at = Some(at);
                    Frame {
                        config,
                        at,
                        calls: true,
                        children,
                        depth,
                        is_boundary: false,
                        in_slice,
                        is_inside,
                    }
                }));
                continue;
            }
            if children.is_selective() && !self.pending.is_empty() {
                // Children that are not visited are undecided.
                let n = trie.token_range(node).len() - trie.tokens_at(node).len();
                for Pending { boundary, depth: at } in &mut self.pending {
                    match self.path.get(*at) {
                        Some(&byte) => boundary.undecided.insert(byte),
                        None => boundary.undecided = ByteSet::FULL.difference(&bytes),
                    }
                    boundary.n_tokens += n;
                }
            }
            frames.push(Frame { config, at, calls, children, depth, is_boundary: ends, in_slice, is_inside });
        }
        Ok(())
    }

    /// Whether it is known without looking at what is reached that the byte may be read.
    #[inline]
    fn is_read(&self, from: Config, at: Option<StateView<'_>>, calls: bool, byte: u8) -> bool {
        match (from, at) {
            (Config::Row(row), _) => self.rows.is_exact(row) && self.rows.next_bytes(row).contains(byte),
            (_, Some(at)) => at.next_bytes().contains(byte) && !(calls && at.called_bytes().contains(byte)),
            _ => false,
        }
    }

    /// What is reached by one byte, and whether the floating rule may end there; without `calls` by the state's own edges.
    #[inline]
    pub(crate) fn step(
        &mut self,
        automata: &Automata,
        view: RuleView<'_>,
        from: Config,
        byte: u8,
        calls: bool,
        counts: bool,
    ) -> Result<Option<(Config, bool)>, LimitExceeded> {
        let row = match from {
            // Behind the first byte everything is in rows.
            Config::State(state) if counts => {
                // What the state calls has states of its own, but counts are kept in rows.
                let counter = automata.counter(state.rule());
                let members = matches!(counter, Some(Counter::Members | Counter::Distinct));
                match (members, view.step(state.local(), byte).0) {
                    // What the state calls is a member, too; the target's row has its guard.
                    (true, Some(target)) => Some(self.rows.floating(state.sibling(target))?),
                    (true, None) => None,
                    (false, _) => {
                        let row = self.rows.floating(state)?;
                        self.rows.advance(row, byte)?
                    }
                }
            }
            // The first byte is the state's own: the rules that it calls have states of their own.
            Config::State(state) if calls && view.called_bytes(state.local()).contains(byte) => {
                let row = self.rows.floating(state)?;
                self.rows.advance(row, byte)?
            }
            Config::State(state) => {
                let (plain, ticking) = view.step(state.local(), byte);
                debug_assert!(ticking.is_none(), "only counted rules tick");
                let Some(target) = plain else { return Ok(None) };
                return Ok(Some((Config::State(state.sibling(target)), view.is_accepting(target))));
            }
            Config::Inside(state, origin) => {
                let Some(target) = automata.step(state, byte).0 else { return Ok(None) };
                if automata.only_reads(target).is_some() {
                    return Ok(Some((Config::Inside(target, origin), false)));
                }
                Some(self.rows.alone(target, origin)?)
            }
            Config::Row(row) => self.rows.advance(row, byte)?,
        };
        let Some(row) = row else { return Ok(None) };
        let ends = self.rows.ends_floating(row);
        if !counts {
            if let [item] = self.rows.scannable(row) {
                // Calls of the state would be scannable too, unless they are of no byte at all.
                if item.origin == Some(TableId::FLOATING) && !automata.calls(item.state) {
                    return Ok(Some((Config::State(item.state), ends)));
                }
                // What is called is not walked by its own edges alone where it may end.
                if automata.only_reads(item.state).is_some() {
                    let origin = item.origin.unwrap_or(self.rows.table(row));
                    return Ok(Some((Config::Inside(item.state, origin), ends)));
                }
            }
        }
        Ok(Some((Config::Row(row), ends)))
    }

    /// Whether anything can be read.
    #[inline]
    pub(crate) fn goes_on(&self, view: RuleView<'_>, config: Config) -> bool {
        match config {
            Config::State(state) => view.goes_on(state.local()),
            Config::Inside(..) => true,
            Config::Row(row) => !self.rows.scannable(row).is_empty(),
        }
    }

    /// The bytes that may be read, behind the first; and whether a single state calls something.
    #[inline]
    pub(crate) fn next_bytes(&self, config: Config, at: Option<StateView<'_>>) -> (ByteSet, bool) {
        match (config, at) {
            (Config::State(_), Some(at)) => {
                (at.next_bytes().union(at.called_bytes()), !at.called_bytes().is_empty())
            }
            (Config::Row(row), _) => (*self.rows.next_bytes(row), false),
            (_, at) => (at.map_or(ByteSet::EMPTY, |at| *at.next_bytes()), false),
        }
    }

    /// Whether the state reads any text of a JSON string, and only such text is below the node.
    ///
    /// PERF: to be asked before the state's edges are made, which is most of the work.
    #[inline]
    pub(crate) fn reads_all_below(&self, view: RuleView<'_>, state: u32, trie: &Trie, node: NodeId) -> bool {
        self.switches.slices && view.reads_any_text(state) && covers(JSON_TEXT, trie, node)
    }

    /// Whether some state's loop or chain reads everything below the node, so that all tokens there stay inside; it reads [many](MANY)
    /// bytes or not.
    #[inline]
    pub(crate) fn covered(
        &mut self,
        automata: &Automata,
        view: RuleView<'_>,
        trie: &Trie,
        (config, at): (Config, Option<StateView<'_>>),
        node: NodeId,
        are_many: bool,
    ) -> bool {
        let is_loop = at.is_some_and(|at| covers(at.own_loop(), trie, node));
        match config {
            Config::State(state) => {
                let n_below = trie.end(node).get() - node.get();
                is_loop
                    || are_many
                        && n_below > WORTH_A_CHAIN
                        && self.switches.slices
                        && !is_text(automata, state.rule())
                        && self.chains.covers(view, state.local(), trie, node)
            }
            Config::Inside(..) => is_loop,
            Config::Row(row) => {
                self.rows.scannable(row).iter().any(|item| covers(automata.own_loop(item.state), trie, node))
            }
        }
    }

    /// Whether a single state reads all texts below the node since [none around](crate::chains) refuses any of them.
    pub(crate) fn reads_in_any_order(
        &mut self,
        view: RuleView<'_>,
        config: Config,
        trie: &Trie,
        node: NodeId,
    ) -> bool {
        let Config::State(state) = config else { return false };
        self.switches.slices && self.chains.covers_in_any_order(view, state.local(), trie, node)
    }

    /// Accepts the tokens that end at a node.
    #[inline]
    pub(crate) fn accept_at(&mut self, trie: &Trie, node: NodeId) {
        // PERF: mostly one, for which a copy of unknown length is a call.
        match trie.tokens_at(node) {
            [] => {}
            &[token] => self.accepted.push(token),
            tokens => self.accepted.extend_from_slice(tokens),
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

    /// The same for the tokens strictly below the node.
    fn all_below_undecided(&mut self, trie: &Trie, node: NodeId) {
        let n = trie.token_range(node).len() - trie.tokens_at(node).len();
        for Pending { boundary, depth } in &mut self.pending {
            boundary.undecided.insert(self.path[*depth]);
            boundary.n_tokens += n;
        }
    }

    fn leave(&mut self, boundaries: &mut Vec<Boundary>) {
        boundaries.extend(self.pending.pop().map(|pending| pending.boundary).filter(|b| b.n_tokens > 0));
    }
}

/// The state of a single one, looked up.
#[inline]
pub(crate) fn at_hand<'a>(
    automata: &'a Automata,
    view: RuleView<'a>,
    config: Config,
) -> Option<StateView<'a>> {
    match config {
        Config::State(state) => Some(view.at(state.local())),
        Config::Inside(state, _) => Some(automata.at(state)),
        Config::Row(_) => None,
    }
}
