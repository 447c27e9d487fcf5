//! What the mask of a row is made of, laid out to be written again.
//!
//! A row met again has the mask that it had, and resolving it again would ask the row for its items, each item for its local
//! mask, that for its base, and each of them for its tokens: a dozen places in memory that other work has pushed out of the
//! caches since the last step. So they are put together once: one bitset that is shared, which is written, and one list.
//! Long lists stay where they are, since each row would have a copy.
//!
//! # Worked example
//! A row inside of a name that differs from the inside of any other name: its local mask is *the base's bitset, without
//! `b"`, and with `b":`*, and a boundary added `"}`. The recipe: that bitset; out `b"`; in `b":`, `"}`.

use crate::bitset::Bitset;
use crate::kept::{Base, Target};
use crate::local::{Counts, LocalMask, SHORT};
use formwork_vocab::TokenId;
use smallvec::SmallVec;
use std::sync::Arc;

/// How the mask of one row is written.
#[derive(Debug)]
pub struct Recipe {
    first: First,
    /// Tokens of the base that are set, those that are taken out, and those that are set after that.
    tokens: Box<[TokenId]>,
    n_of_base: u32,
    n_out: u32,
    /// Local masks with further bitsets or long lists, and those that count, with how often their items still may and must
    /// tick.
    others: Box<[Other]>,
}

const _: () = assert!(size_of::<Recipe>() <= 64, "a recipe");

/// What the mask holds before the tokens.
#[derive(Debug)]
enum First {
    Base(Base),
    /// It stands elsewhere: most rows have none, and each has a recipe.
    Local(Box<Other>),
}

impl First {
    fn base(&self) -> Option<&Base> {
        match self {
            Self::Base(base) => Some(base),
            Self::Local(_) => None,
        }
    }

    fn write_to(&self, mask: &mut [u32]) {
        match self {
            Self::Base(Base::Nothing) => mask.fill(0),
            Self::Base(Base::Words(words)) => words.write_to(mask),
            Self::Local(other) => other.local.write_to(mask, other.counts),
        }
    }
}

#[derive(Debug)]
struct Other {
    local: Arc<LocalMask>,
    counts: Counts,
}

impl Recipe {
    /// The recipe for the local masks of a row's items, with the counts of those that count, and the tokens that boundaries
    /// added.
    pub(crate) fn of<'a>(
        locals: impl Iterator<Item = (&'a Arc<LocalMask>, Counts)>,
        extra: &[TokenId],
    ) -> Self {
        let mut first = First::Base(Base::Nothing);
        let (mut of_base, mut out): (&[TokenId], &[TokenId]) = (&[], &[]);
        let mut then: SmallVec<[TokenId; 2 * SHORT]> = SmallVec::new();
        let mut others = Vec::new();
        for (local, counts) in locals {
            let other = || Other { local: Arc::clone(local), counts };
            let set = local.only_set(counts);
            if local.is_wide(counts) && matches!(first, First::Base(Base::Nothing)) {
                let (words, listed, less, more) = match (local.base(), set) {
                    (Some(base), _) => {
                        let of_base = &base.mask.accepted;
                        let only_one = of_base.words().filter(|_| !local.accepted.is_wide());
                        (only_one, of_base.listed(), &base.less[..], local.accepted.listed())
                    }
                    (None, Some(set)) => (set.words(), set.listed(), &[][..], &[][..]),
                    (None, None) => (None, &[][..], &[][..], &[][..]),
                };
                match words.filter(|_| listed.len() + less.len() + more.len() <= SHORT) {
                    Some(words) => {
                        first = First::Base(Base::Words(Arc::clone(words)));
                        (of_base, out) = (listed, less);
                        then.extend_from_slice(more);
                    }
                    None => first = First::Local(Box::new(other())),
                }
                continue;
            }
            match set.filter(|set| !set.is_wide() && set.listed().len() <= SHORT) {
                Some(set) => then.extend_from_slice(set.listed()),
                None => others.push(other()),
            }
        }
        then.extend_from_slice(extra);
        Self {
            first,
            tokens: [of_base, out, &then].concat().into(),
            n_of_base: of_base.len() as u32,
            n_out: out.len() as u32,
            others: others.into(),
        }
    }

    /// The recipe for a bitset and some tokens.
    pub(crate) fn of_union(words: &Arc<Bitset>, tokens: impl Iterator<Item = TokenId>) -> Self {
        let first = First::Base(Base::Words(Arc::clone(words)));
        Self { first, tokens: tokens.collect(), n_of_base: 0, n_out: 0, others: Box::default() }
    }

    /// Makes a mask hold the text tokens that the row allows.
    ///
    /// Cost: a copy of the bitset, unless the mask is kept and has it, and an operation for each token.
    pub fn write_to(&self, target: &mut Target<'_>) {
        target.begin(self.first.base(), |mask| self.first.write_to(mask));
        let (of_base, rest) = self.tokens.split_at(self.n_of_base as usize);
        let (out, then) = rest.split_at(self.n_out as usize);
        of_base.iter().for_each(|&token| target.set(token));
        out.iter().for_each(|&token| target.clear(token));
        then.iter().for_each(|&token| target.set(token));
        for Other { local, counts } in &self.others {
            // What it adds is not noted, so nothing is known of the mask afterwards.
            local.add_to(target.words(), *counts);
        }
    }

    /// Says of a mask that was just written otherwise that it is this one.
    pub fn was_written(&self, target: &mut Target<'_>) {
        if target.is_kept() {
            target.hold(self.first.base().filter(|_| self.others.is_empty()));
            self.tokens.iter().for_each(|&token| target.note(token));
        }
    }

    /// The number of tokens that are listed.
    pub fn n_tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Memory in bytes, without what it shares.
    pub fn memory_size(&self) -> usize {
        let first = match &self.first {
            First::Local(_) => size_of::<Other>(),
            // Rows that have the same share it.
            First::Base(_) => 0,
        };
        size_of::<Self>() + size_of_val(&self.tokens[..]) + size_of_val(&self.others[..]) + first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;
    use crate::bitset::Bitset;
    use crate::boundary::Boundaries;
    use crate::kept::Kept;
    use crate::local::{Base, Rare};
    use crate::token_set::TokenSet;

    fn tokens(ids: &[u32]) -> Box<[TokenId]> {
        ids.iter().map(|&id| TokenId::new(id)).collect()
    }

    fn bitset(words: &[u32]) -> Arc<Bitset> {
        Arc::new(words.to_vec().into())
    }

    fn written(recipe: &Recipe) -> Vec<u32> {
        // What was in the mask before does not matter, nor that it is longer than the vocabulary.
        let mut mask = vec![u32::MAX; 3];
        recipe.write_to(&mut Target::new(&mut mask));
        bits::tokens(&mask).map(TokenId::get).collect()
    }

    fn mask_of(accepted: TokenSet, base: Option<Base>) -> Arc<LocalMask> {
        Arc::new(LocalMask::new(accepted, Boundaries::default(), Rare { base, ..Rare::default() }))
    }

    #[test]
    fn a_state_beside_its_base_is_one_bitset_and_one_list() {
        let of_base =
            TokenSet::Bits { words: bitset(&[0b1111_0000, 0]), more: tokens(&[33, 34]), of_slice: false };
        let base = mask_of(of_base, None);
        let beside = Base { mask: base, less: tokens(&[4, 33]), excluded: Box::default() };
        let accepted = TokenSet::List(tokens(&[1]));
        let name = mask_of(accepted, Some(beside));
        let other = TokenSet::Bits { words: bitset(&[1 << 4, 0]), more: tokens(&[40]), of_slice: false };
        let other = mask_of(other, None);
        let list = TokenSet::List(tokens(&[33]));
        let list = mask_of(list, None);
        let alone = Recipe::of([(&name, None)].into_iter(), &tokens(&[50]));
        assert_eq!(written(&alone), [1, 5, 6, 7, 34, 50]);
        assert_eq!((alone.n_tokens(), alone.others.len()), (6, 0));
        // What one takes out another may put in.
        let both = Recipe::of([(&name, None), (&other, None), (&list, None)].into_iter(), &[]);
        assert_eq!(written(&both), [1, 4, 5, 6, 7, 33, 34, 40]);
        assert_eq!(both.others.len(), 1);
    }

    #[test]
    fn a_kept_mask_is_the_same_however_the_one_before_was_written() {
        let bits = |words: [u32; 3], more: &[u32]| {
            let accepted = TokenSet::Bits { words: bitset(&words), more: tokens(more), of_slice: false };
            mask_of(accepted, None)
        };
        let (text, other) = (bits([0b1111_0000, 0, 7], &[33]), bits([1 << 4, 0, 1 << 9], &[40]));
        let list = mask_of(TokenSet::List(tokens(&[33, 70])), None);
        let recipe = |locals: &[&Arc<LocalMask>], extra: &[u32]| {
            Recipe::of(locals.iter().map(|local| (*local, None)), &tokens(extra))
        };
        let recipes = [
            recipe(&[&text], &[2, 50]),
            recipe(&[&text], &[3]),
            recipe(&[&text, &other], &[]),
            recipe(&[&list], &[5]),
            recipe(&[&list, &text], &[65]),
            recipe(&[], &[1, 90]),
        ];
        assert!(recipes.iter().any(|recipe| !recipe.others.is_empty()));
        let whole = |recipe: &Recipe| {
            let mut mask = vec![u32::MAX; 4];
            recipe.write_to(&mut Target::new(&mut mask));
            mask
        };
        // Every pair, the first written by itself or as a mask that was put together elsewhere.
        for first in &recipes {
            for second in &recipes {
                for elsewhere in [false, true] {
                    let (mut kept, mut mask) = (Kept::default(), vec![u32::MAX; 4]);
                    let mut target = Target::keeping(&mut mask, &mut kept);
                    if elsewhere {
                        target.words().copy_from_slice(&whole(first));
                        first.was_written(&mut target);
                    } else {
                        first.write_to(&mut target);
                    }
                    second.write_to(&mut target);
                    assert_eq!(mask, whole(second), "{first:?}, then {second:?}");
                }
            }
        }
    }

    #[test]
    fn without_a_bitset_everything_is_listed() {
        let list = |ids| {
            let accepted = TokenSet::List(tokens(ids));
            mask_of(accepted, None)
        };
        let recipe = Recipe::of([(&list(&[2, 3]), None), (&list(&[3, 64]), None)].into_iter(), &[]);
        assert_eq!(written(&recipe), [2, 3, 64]);
    }
}
