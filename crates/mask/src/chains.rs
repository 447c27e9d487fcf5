//! Chains of states that read the same characters, whichever of them come.
//!
//! A text of at most eight hexadecimal digits is eight states that all read the same digits. No state has a
//! [loop](formwork_fsm::Loop), yet every text of up to eight digits stays inside. So the chain of a state is a set of
//! ASCII characters and how many of them in a row, in any order, are read for certain; subtrees of a trie that are not higher and
//! made of these characters alone are taken whole.

use crate::far::Ticks;
use formwork_fsm::{RuleId, RuleView};
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
}

/// Sets of fewer characters take too few tokens to be worth the question.
const FEW: u32 = 8;
/// The longest chain that is followed; few tokens are longer.
const LONGEST: u8 = 40;

impl Chains {
    /// From now on the states of this rule are meant.
    pub(crate) fn turn_to(&mut self, rule: RuleId, ticks: Ticks) {
        if self.of.replace((rule, ticks)) != Some((rule, ticks)) {
            self.known.clear();
        }
    }

    fn of(&mut self, view: RuleView<'_>, state: u32) -> Chain {
        *self.known.entry(state).or_insert_with(|| chain(view, state))
    }

    /// Whether the state's chain reads every text below the node.
    #[inline]
    pub(crate) fn covers(&mut self, view: RuleView<'_>, state: u32, trie: &Trie, node: NodeId) -> bool {
        let [low, high, beyond_a, beyond_b] = trie.bytes_below(node);
        if beyond_a | beyond_b != 0 || view.next_bytes(state).len() < FEW as usize {
            return false;
        }
        let chain = self.of(view, state);
        (u128::from(low) | u128::from(high) << 64) & !chain.ascii == 0
            && (trie.height(node) <= chain.n || chain.n == u8::MAX)
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
        let is_narrow = view.next_bytes(state).len() < FEW as usize;
        if beyond_a | beyond_b != 0 || is_narrow || trie.height(node) == u8::MAX {
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
