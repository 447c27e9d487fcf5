//! Local masks: what one state alone says about every token.

use crate::bits;
use crate::bitset::Bitset;
use crate::boundary::Boundaries;
use crate::characters::Characters;
use crate::token_set::TokenSet;
use formwork_vocab::{NodeId, TokenId};
use smallvec::SmallVec;
use std::sync::Arc;

/// What one automaton state says about every token, whoever asked for the state's rule.
///
/// A token that stays inside the rule, or ends exactly with it, is *accepted*; one that dies without the rule having
/// been able to end is rejected and not mentioned; for the rest the rule may end inside the token, at a *boundary*, and
/// what follows is the parent's to decide.
///
/// The local mask depends on the state and what its rule calls, not on the parents and not on the bounds of the rule's own
/// counter. It is immutable and shared. A state of a rule that counts its letters has several, by how
/// [far](crate::MaskKind) the item is from the bounds.
#[derive(Debug, Default)]
pub struct LocalMask {
    /// Beside those of the base.
    pub(crate) accepted: TokenSet,
    pub(crate) boundaries: Boundaries,
    /// `None` if it has nothing of that.
    rare: Option<Box<Rare>>,
}

/// The longest list that is copied where a local mask is put together with others.
pub(crate) const SHORT: usize = 32;

/// Which of a state's masks is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "whoever keeps masks keeps all")]
pub enum MaskKind {
    /// What it says of items that no token brings to a bound: of every item, unless the rule counts letters.
    Usual,
    /// What it says of the longest tokens, by the item's count.
    Long,
    /// What it says of all tokens, by the item's count.
    Counted,
    /// What it says of tokens that are more than text of a JSON string. Beside an item that reads any such text, the inside of a
    /// name that is not declared, nothing else matters, and a name that is declared need not be followed letter by letter.
    BesideText,
}

impl MaskKind {
    /// All kinds; the first is the one that most states have.
    pub const ALL: [Self; 4] = [Self::Usual, Self::Long, Self::Counted, Self::BesideText];
}

/// How often an item may still tick and how often it must, if its state counts.
pub(crate) type Counts = Option<(u32, u32)>;

/// What few local masks have.
#[derive(Debug, Default)]
pub(crate) struct Rare {
    /// Subtrees of the vocabulary's trie whose tokens depend on the count of the item: to be walked from the item itself.
    pub(crate) rechecks: Box<[NodeId]>,
    /// Another state of the rule that says nearly the same.
    pub(crate) base: Option<Base>,
    /// For a state of a counted rule without calls: everything, by count.
    pub(crate) counted: Option<CountedMask>,
}

/// A state that says nearly the same; what it says holds, but for the [difference](crate::difference).
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) mask: Arc<LocalMask>,
    /// Tokens that the base accepts, and this state does not.
    pub(crate) less: Box<[TokenId]>,
    /// Nodes of the vocabulary's trie, ascending, at which the base's rule may end, and this state's may not, or not in the
    /// same way: the base's boundaries there do not hold.
    pub(crate) excluded: Box<[NodeId]>,
}

/// What a state of a counted rule says, for an item that has counted c of [m, n].
///
/// The walk starts at 0 and counts without bounds. A token that ends inside after k to l ticks in a state that still needs
/// `need` and can reach `reach` is allowed if c + k + need ≤ n and c + l + reach ≥ m: tokens are grouped by the two sums.
/// Boundaries are grouped by k and l, and kept for every token, accepted or not: accepted under a condition is not accepted.
#[derive(Clone, Debug)]
pub(crate) struct CountedMask {
    /// All tokens that it has.
    pub(crate) all: TokenSet,
    /// Those that are counted by their characters.
    pub(crate) text: Option<CountedText>,
    /// The greatest `most` and the least `least` of all groups: within them, `all` is the answer.
    pub(crate) most: u32,
    pub(crate) least: u32,
    /// Ascending by `most`.
    pub(crate) groups: Box<[Group]>,
    /// `steps[i]`: the union of the first groups up to some `most`, for groups that ask nothing of the least count.
    pub(crate) steps: Box<[Step]>,
    /// What lies behind the end of the rule, by the ticks up to it.
    pub(crate) ends: Box<[End]>,
}

/// Tokens each of whose characters ticks once and leads back to where it came from: neither walked nor grouped.
#[derive(Clone, Debug)]
pub(crate) struct CountedText {
    /// The slice of the loop.
    pub(crate) words: Arc<Bitset>,
    pub(crate) characters: Arc<Characters>,
    /// The most characters of one of them.
    pub(crate) longest: u32,
    /// The ticks needed behind them.
    pub(crate) need: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Ticks and needed ticks.
    pub(crate) most: u32,
    /// Ticks and possible ticks; `u32::MAX`: without end.
    pub(crate) least: u32,
    pub(crate) tokens: TokenSet,
}

/// A union of groups, so that few remain to be added.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The groups `0..n_groups` are in it.
    pub(crate) n_groups: usize,
    pub(crate) tokens: TokenSet,
}

#[derive(Clone, Debug)]
pub(crate) struct End {
    /// The least and the greatest number of ticks; all between are possible, too.
    pub(crate) least: u32,
    pub(crate) most: u32,
    pub(crate) boundaries: Boundaries,
}

impl End {
    /// Whether an item may get here that may still tick so often, and must tick so often.
    pub(crate) fn is_allowed(&self, left: u32, due: u32) -> bool {
        self.most >= due && self.least <= left
    }
}

impl LocalMask {
    pub(crate) fn new(accepted: TokenSet, boundaries: Boundaries, rare: Rare) -> Self {
        let Rare { rechecks, base, counted } = &rare;
        let has_some = !rechecks.is_empty() || base.is_some() || counted.is_some();
        Self { accepted, boundaries, rare: has_some.then(|| Box::new(rare)) }
    }

    #[inline]
    pub(crate) fn rechecks(&self) -> &[NodeId] {
        self.rare.as_ref().map_or(&[], |rare| &rare.rechecks)
    }

    #[inline]
    pub(crate) fn base(&self) -> Option<&Base> {
        self.rare.as_ref()?.base.as_ref()
    }

    #[inline]
    pub(crate) fn counted(&self) -> Option<&CountedMask> {
        self.rare.as_ref()?.counted.as_ref()
    }

    /// The number of tokens accepted (for a counted state: under some count).
    pub fn n_accepted(&self) -> usize {
        let of_base = |base: &Base| base.mask.n_accepted().saturating_sub(base.less.len());
        let base = self.base().map_or(0, of_base);
        base + self.counted().map_or_else(|| self.accepted.len(), |counted| counted.all.len())
    }

    /// The number of tokens kept as suffixes of this state's own, and the number of places in shared tries; those of the
    /// [base](Self::has_base) not counted.
    pub fn n_boundaries(&self) -> (usize, usize) {
        let (n_tokens, n_places) = self.boundaries.len();
        let mut n = (n_tokens, n_places + self.rechecks().len());
        for end in self.counted().into_iter().flat_map(|counted| &counted.ends) {
            let (n_tokens, n_places) = end.boundaries.len();
            n = (n.0 + n_tokens, n.1 + n_places);
        }
        n
    }

    /// Whether it is kept as the difference from another state's.
    pub fn has_base(&self) -> bool {
        self.base().is_some()
    }

    /// Whether it has nothing that few have: then others may be based on it.
    pub(crate) fn is_plain(&self) -> bool {
        self.rare.is_none()
    }

    /// Heap memory in bytes, without what it shares.
    pub fn memory_size(&self) -> usize {
        let mut size =
            self.accepted.memory_size() + self.boundaries.memory_size() + size_of_val(self.rechecks());
        if self.rare.is_some() {
            size += size_of::<Rare>();
        }
        if let Some(base) = self.base() {
            size += size_of_val(&base.less[..]) + size_of_val(&base.excluded[..]);
            // One that was [changed](crate::difference) is nobody else's.
            if Arc::strong_count(&base.mask) == 1 {
                size += size_of::<Self>() + base.mask.memory_size();
            }
        }
        if let Some(counted) = self.counted() {
            size += counted.all.memory_size();
            let groups = counted.groups.iter().map(|group| size_of::<Group>() + group.tokens.memory_size());
            let steps = counted.steps.iter().map(|step| size_of::<Step>() + step.tokens.memory_size());
            let ends = counted.ends.iter().map(|end| size_of::<End>() + end.boundaries.memory_size());
            size += groups.chain(steps).chain(ends).sum::<usize>();
        }
        size
    }

    /// What it accepts, if that is one set: without a base, and not of several groups. `counts` is how often the item may and must
    /// still tick, if the state counts.
    pub(crate) fn only_set(&self, counts: Counts) -> Option<&TokenSet> {
        match (self.counted(), counts) {
            (None, _) => self.base().is_none().then_some(&self.accepted),
            (Some(counted), Some((left, due))) => counted.allows_all(left, due).then_some(&counted.all),
            (Some(_), None) => None,
        }
    }

    /// Whether a bitset belongs to it: worth being written first.
    pub(crate) fn is_wide(&self, counts: Counts) -> bool {
        self.base().is_some() || self.only_set(counts).is_some_and(TokenSet::is_wide)
    }

    /// Whether it accepts, whatever is counted, more than a short list of tokens.
    pub(crate) fn is_large(&self) -> bool {
        self.base().is_some() || self.accepted.is_wide() || self.accepted.listed().len() > SHORT
    }

    /// Makes a mask hold the accepted tokens and nothing else.
    pub(crate) fn write_to(&self, mask: &mut [u32], counts: Counts) {
        if let Some(base) = self.base() {
            // A base has none itself.
            base.mask.accepted.write_to(mask);
            for &token in &base.less {
                bits::clear(mask, token);
            }
            self.accepted.add_to(mask);
        } else if let Some(set) = self.only_set(counts) {
            set.write_to(mask);
        } else {
            mask.fill(0);
            self.add_to(mask, counts);
        }
    }

    /// Adds the accepted tokens to a mask.
    pub(crate) fn add_to(&self, mask: &mut [u32], counts: Counts) {
        if let (Some(counted), Some((left, due))) = (self.counted(), counts) {
            return counted.add_to(mask, left, due);
        }
        if let Some(base) = self.base() {
            // Of what is taken out, others may have put some in before.
            let absent: SmallVec<[TokenId; 32]> =
                base.less.iter().copied().filter(|&token| !bits::get(mask, token)).collect();
            base.mask.accepted.add_to(mask);
            for token in absent {
                bits::clear(mask, token);
            }
        }
        self.accepted.add_to(mask);
    }
}
