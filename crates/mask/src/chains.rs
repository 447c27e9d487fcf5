//! Chains of states that read the same characters, whichever of them come.
//!
//! A text of at most eight hexadecimal digits is eight states that all read the same digits. No state has a
//! [loop](formwork_fsm::Loop), yet every text of up to eight digits stays inside. So the chain of a state is a set of
//! ASCII characters and how many of them in a row, in any order, are read for certain; subtrees of a trie that are not higher and
//! made of these characters alone are taken whole.
//!
//! Where characters part, as in a search for 32 hexadecimal digits, or names that are not such digits, what is known is how
//! far the nearest state is that refuses one of them: shorter texts are read whatever they are made of. That takes a look at
//! all states around, so it is asked for where much of a vocabulary is walked.
//!
//! # Worked example
//! Names without 32 digits in a row: in s0 to s31, for as many digits, all characters are read, and another one than a
//! digit leads back to s0; s31 refuses digits. From s0 any text of up to 31 characters is read, from s30 one of 1.

use crate::far::Ticks;
use formwork_fsm::{ByteEdge, RuleId, RuleView};
use formwork_grammar::HashMap;
use formwork_vocab::{NodeId, TokenId, Trie};
use smallvec::SmallVec;

/// The chain that begins with a state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    /// The characters, bit = byte.
    ascii: u128,
    /// How many in a row; `u8::MAX` means any number.
    n: u8,
    /// Whether a further one of them is refused, with nothing having ended and nothing been called on the way.
    is_cut: bool,
}

/// The chains of one rule's states, found when asked for.
#[derive(Debug, Default)]
pub(crate) struct Chains {
    of: Option<(RuleId, Ticks)>,
    known: HashMap<u32, Chain>,
    /// Nearly all ASCII characters that the state reads, and how many of them are read in a row, in any order.
    any_order: HashMap<u32, Chain>,
    /// How often states were looked around for that.
    n_looks: usize,
}

/// Sets of fewer characters take too few tokens to be worth the question.
const FEW: u32 = 8;
/// The longest chain that is followed; few tokens are longer.
const LONGEST: u8 = 40;
/// How often states of a rule are looked around, and how many are looked at each time.
const MAX_LOOKS: usize = 16;
const MAX_AROUND: usize = 64;

impl Chains {
    /// From now on the states of this rule are meant.
    pub(crate) fn turn_to(&mut self, rule: RuleId, ticks: Ticks) {
        if self.of.replace((rule, ticks)) != Some((rule, ticks)) {
            self.known.clear();
            self.any_order.clear();
            self.n_looks = 0;
        }
    }

    fn of(&mut self, view: RuleView<'_>, state: u32) -> Chain {
        *self.known.entry(state).or_insert_with(|| chain(view, state))
    }

    /// Whether the state's chain reads every text below the node.
    #[inline]
    pub(crate) fn covers(&mut self, view: RuleView<'_>, state: u32, trie: &Trie, node: NodeId) -> bool {
        let [low, high, beyond_a, beyond_b] = trie.bytes_below(node);
        if beyond_a | beyond_b != 0 {
            return false;
        }
        let chain = self.of(view, state);
        (u128::from(low) | u128::from(high) << 64) & !chain.ascii == 0
            && (trie.height(node) <= chain.n || chain.n == u8::MAX)
    }

    /// Whether the state reads every text below the node, as no state that refuses one of its characters is near enough.
    #[inline]
    pub(crate) fn covers_in_any_order(
        &mut self,
        view: RuleView<'_>,
        state: u32,
        trie: &Trie,
        node: NodeId,
    ) -> bool {
        let [low, high, beyond_a, beyond_b] = trie.bytes_below(node);
        if beyond_a | beyond_b != 0 {
            return false;
        }
        let chain = match self.any_order.get(&state) {
            Some(&known) => known,
            None if self.n_looks == MAX_LOOKS => return false,
            None => {
                self.n_looks += 1;
                any_order(view, state, &mut self.any_order);
                self.any_order.get(&state).copied().unwrap_or_default()
            }
        };
        (u128::from(low) | u128::from(high) << 64) & !chain.ascii == 0 && trie.height(node) <= chain.n
    }

    /// If everything from the node on is the chain's characters, and what is longer than the chain is refused: takes the tokens
    /// that are not.
    #[inline]
    pub(crate) fn takes_short(
        &mut self,
        view: RuleView<'_>,
        state: u32,
        trie: &Trie,
        node: NodeId,
        accepted: &mut Vec<TokenId>,
    ) -> bool {
        let [low, high, beyond_a, beyond_b] = trie.bytes_below(node);
        if beyond_a | beyond_b != 0 || trie.height(node) == u8::MAX {
            return false;
        }
        let chain = self.of(view, state);
        if !chain.is_cut || (u128::from(low) | u128::from(high) << 64) & !chain.ascii != 0 {
            return false;
        }
        let longest = trie.depth(node) + usize::from(chain.n);
        let tokens = trie.tokens_below(node).iter().zip(trie.lengths_below(node));
        accepted.extend(tokens.filter(|&(_, &len)| usize::from(len) <= longest).map(|(&token, _)| token));
        true
    }
}

/// The ASCII characters of a range of bytes.
fn ascii(low: u8, high: u8) -> u128 {
    match low {
        0..=0x7F => (u128::MAX >> (0x7F - high.min(0x7F))) & (u128::MAX << low),
        _ => 0,
    }
}

/// The state to which most ASCII characters lead, and those.
pub(crate) fn widest(view: RuleView<'_>, state: u32) -> (u128, u32) {
    let mut best = (0, state);
    let mut targets: SmallVec<[(u32, u128); 8]> = SmallVec::new();
    for edge in view.plain_edges(state).iter().filter(|edge| edge.low < 0x80) {
        let own = ascii(edge.low, edge.high);
        let known = targets.iter().position(|&(target, _)| target == edge.target);
        let at = known.unwrap_or_else(|| {
            targets.push((edge.target, 0));
            targets.len() - 1
        });
        targets[at].1 |= own;
        if targets[at].1.count_ones() > u128::count_ones(best.0) {
            best = (targets[at].1, edge.target);
        }
    }
    best
}

fn chain(view: RuleView<'_>, state: u32) -> Chain {
    let (characters, mut at) = widest(view, state);
    if characters.count_ones() < FEW {
        return Chain::default();
    }
    let touches = |state: u32| view.is_accepting(state) || view.called_bytes(state).ascii() & characters != 0;
    // The first state may have ended: what comes then is decided behind it.
    let mut is_free = view.called_bytes(state).ascii() & characters == 0;
    let mut n = 1;
    while n < LONGEST {
        is_free &= !touches(at);
        match follow(view, at, characters) {
            Followed::To(next) if next == at => {
                return Chain { ascii: characters, n: u8::MAX, is_cut: false };
            }
            Followed::To(next) => at = next,
            Followed::Nowhere => return Chain { ascii: characters, n, is_cut: is_free },
            Followed::Apart => break,
        }
        n += 1;
    }
    Chain { ascii: characters, n, is_cut: false }
}

/// Finds for the state, and for those around it that read the same ASCII characters, how many of these are read in a row,
/// whatever their order.
///
/// Cost: linear in the edges of some dozen states.
fn any_order(view: RuleView<'_>, start: u32, known: &mut HashMap<u32, Chain>) {
    let read = |state: u32| {
        let edges = view.plain_edges(state).iter().filter(|edge| edge.low < 0x80);
        edges.fold(0, |all, edge| all | ascii(edge.low, edge.high))
    };
    // Of what ends something, a quote, no text is made.
    let all = read(start);
    let goes_on =
        |edge: &&ByteEdge| edge.low < 0x80 && 2 * (read(edge.target) & all).count_ones() >= all.count_ones();
    let characters =
        view.plain_edges(start).iter().filter(goes_on).fold(0, |all, edge| all | ascii(edge.low, edge.high));
    known.insert(start, Chain::default());
    if characters.count_ones() < FEW {
        return;
    }
    // The states around, each with those that lead to it; those that refuse a character, or are one too many, come first.
    let mut numbers: HashMap<u32, usize> = HashMap::default();
    let mut states = vec![start];
    numbers.insert(start, 0);
    let mut sources: Vec<Vec<usize>> = vec![Vec::new()];
    let mut at_hand: Vec<usize> = Vec::new();
    let mut next = 0;
    while let Some(&state) = states.get(next) {
        if next >= MAX_AROUND || characters & !read(state) != 0 {
            at_hand.push(next);
        } else {
            for edge in view.plain_edges(state).iter().filter(|edge| edge.low < 0x80) {
                let target = *numbers.entry(edge.target).or_insert_with(|| {
                    states.push(edge.target);
                    sources.push(Vec::new());
                    states.len() - 1
                });
                if ascii(edge.low, edge.high) & characters != 0 && sources[target].last() != Some(&next) {
                    sources[target].push(next);
                }
            }
        }
        next += 1;
    }
    let mut n_read: Vec<Option<u8>> = vec![None; states.len()];
    for n in 0..LONGEST {
        let here: Vec<usize> = at_hand.drain(..).filter(|&i| n_read[i].replace(n).is_none()).collect();
        at_hand = here
            .into_iter()
            .flat_map(|i| sources[i].iter().copied())
            .filter(|&i| n_read[i].is_none())
            .collect();
    }
    for (&state, n) in states.iter().zip(n_read).filter(|&(&state, _)| characters & !read(state) == 0) {
        known.insert(state, Chain { ascii: characters, n: n.unwrap_or(LONGEST), is_cut: false });
    }
}

/// Where all of some characters lead.
enum Followed {
    To(u32),
    /// All are refused.
    Nowhere,
    /// Not all to the same state.
    Apart,
}

fn follow(view: RuleView<'_>, state: u32, characters: u128) -> Followed {
    let mut left = characters;
    let mut target = None;
    for edge in view.plain_edges(state).iter().filter(|edge| edge.low < 0x80) {
        let own = ascii(edge.low, edge.high) & characters;
        if own == 0 {
            continue;
        }
        if target.is_some_and(|target| target != edge.target) {
            return Followed::Apart;
        }
        target = Some(edge.target);
        left &= !own;
    }
    match target {
        None => Followed::Nowhere,
        Some(target) if left == 0 => Followed::To(target),
        Some(_) => Followed::Apart,
    }
}
