//! What the mask of a row is made of, laid out to be written again.
//!
//! A row met again has the mask that it had, and resolving it again would ask the row for its items, each item for its local
//! mask, that for its base, and each of them for its tokens: a dozen places in memory that other work has pushed out of the
//! caches since the last step. So they are put together once: one bitset that is shared, which is copied, and one list. The
//! bitset of free text, which nearly all tokens are, is written without being read.
//! Long lists stay where they are, since each row would have a copy.
//!
//! # Worked example
//! A row inside of a name that differs from the inside of any other name: its local mask is *the base's bitset, without
//! `b"`, and with `b":`*, and a boundary added `"}`. The recipe: that bitset; out `b"`; in `b":`, `"}`.

use crate::kept::{Base, Target};
use crate::local::{Counts, LocalMask};
use crate::token_set::TokenSet;
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
    /// These two stand elsewhere: most rows have neither, and each has a recipe.
    NearlyAll(Arc<NearlyAll>),
    Local(Box<Other>),
}

impl First {
    fn base(&self) -> Option<&Base> {
        match self {
            Self::Base(base) => Some(base),
            Self::NearlyAll(nearly_all) => Some(&nearly_all.base),
            Self::Local(_) => None,
        }
    }

    fn write_to(&self, mask: &mut [u32]) {
        match self {
            Self::Base(Base::Nothing) => mask.fill(0),
            Self::Base(Base::Words(words)) => TokenSet::copy(words, mask),
            Self::NearlyAll(nearly_all) => nearly_all.write_to(mask),
            Self::Local(other) => other.local.write_to(mask, other.counts),
        }
    }
}

/// A bitset most of whose words are full, as that of free text is: written without being read.
///
/// PERF: copying reads as many bytes as it writes, and the two are more than a core's first cache holds.
#[derive(Debug)]
pub(crate) struct NearlyAll {
    /// What it is.
    base: Base,
    /// The words before are full, but for the exceptions; those from here on are empty.
    n_full: usize,
    /// Words that are not, by position.
    exceptions: Box<[(u32, u32)]>,
}

#[derive(Debug)]
struct Other {
    local: Arc<LocalMask>,
    counts: Counts,
}

/// The longest list of a local mask that is copied.
const MAX_COPIED: usize = 32;
/// Words that are looked at together, of which one may be an exception on average: of text in UTF-8 one word in twenty is, since no
/// token may begin within a character; of the inside of a JSON string two of three.
const CHUNK: usize = 16;
/// So many chunks may be exceptions besides, since tokens of single bytes come first in most vocabularies.
const MORE: usize = 4;

impl NearlyAll {
    /// That of a bitset; `last` is the one that was asked for last, which one row after the other has.
    fn shared(words: &Arc<[u32]>, last: &mut Option<Arc<Self>>) -> Option<Arc<Self>> {
        let is_same =
            |known: &&Arc<Self>| matches!(&known.base, Base::Words(base) if Arc::ptr_eq(base, words));
        if let Some(known) = last.as_ref().filter(is_same) {
            return Some(Arc::clone(known));
        }
        let found = Self::of(words).map(Arc::new)?;
        *last = Some(Arc::clone(&found));
        Some(found)
    }

    /// `None` if too many words are neither full nor at the end.
    ///
    /// Cost: some dozen words in the middle tell of most bitsets that it is not so; else a pass.
    fn of(all: &Arc<[u32]>) -> Option<Self> {
        let words = &all[..];
        let is_exception = |word: &u32| *word != u32::MAX;
        let middle = words[words.len() / 2..].iter().take(MORE * CHUNK);
        if middle.map(|word| usize::from(is_exception(word))).sum::<usize>() > CHUNK {
            return None;
        }
        let n_full = words.iter().rposition(|&word| word != 0)? + 1;
        let words = &words[..n_full];
        let mut exceptions = Vec::new();
        for (i, chunk) in words.chunks(CHUNK).enumerate() {
            if chunk.iter().fold(u32::MAX, |all, word| all & word) == u32::MAX {
                continue;
            }
            let numbered = (i as u32 * CHUNK as u32..).zip(chunk.iter().copied());
            exceptions.extend(numbered.filter(|(_, word)| is_exception(word)));
            if exceptions.len() > i + MORE * CHUNK {
                return None;
            }
        }
        Some(Self { base: Base::Words(Arc::clone(all)), n_full, exceptions: exceptions.into() })
    }

    fn write_to(&self, mask: &mut [u32]) {
        let (full, empty) = mask.split_at_mut(self.n_full.min(mask.len()));
        full.fill(u32::MAX);
        empty.fill(0);
        for &(at, word) in &self.exceptions {
            if let Some(there) = full.get_mut(at as usize) {
                *there = word;
            }
        }
    }
}

impl Recipe {
    /// The recipe for the local masks of a row's items, with the counts of those that count, and the tokens that boundaries
    /// added. `last` is the bitset of nearly all tokens that was met last.
    pub(crate) fn of<'a>(
        locals: impl Iterator<Item = (&'a Arc<LocalMask>, Counts)>,
        extra: &[TokenId],
        last: &mut Option<Arc<NearlyAll>>,
    ) -> Self {
        let mut first = First::Base(Base::Nothing);
        let (mut of_base, mut out): (&[TokenId], &[TokenId]) = (&[], &[]);
        let mut then: SmallVec<[TokenId; 2 * MAX_COPIED]> = SmallVec::new();
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
                match words.filter(|_| listed.len() + less.len() + more.len() <= MAX_COPIED) {
                    Some(words) => {
                        first = match NearlyAll::shared(words, last) {
                            Some(nearly_all) => First::NearlyAll(nearly_all),
                            None => First::Base(Base::Words(Arc::clone(words))),
                        };
                        (of_base, out) = (listed, less);
                        then.extend_from_slice(more);
                    }
                    None => first = First::Local(Box::new(other())),
                }
                continue;
            }
            match set.filter(|set| !set.is_wide() && set.listed().len() <= MAX_COPIED) {
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
        target.hold(self.first.base().filter(|_| self.others.is_empty()));
        self.tokens.iter().for_each(|&token| target.note(token));
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
            First::NearlyAll(_) | First::Base(_) => 0,
        };
        size_of::<Self>() + size_of_val(&self.tokens[..]) + size_of_val(&self.others[..]) + first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;
    use crate::boundary::Boundaries;
    use crate::kept::Kept;
    use crate::local::{Base, Rare};

    fn tokens(ids: &[u32]) -> Box<[TokenId]> {
        ids.iter().map(|&id| TokenId::new(id)).collect()
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
            TokenSet::Bits { words: [0b1111_0000, 0].into(), more: tokens(&[33, 34]), of_slice: false };
        let base = mask_of(of_base, None);
        let beside = Base { mask: base, less: tokens(&[4, 33]), excluded: Box::default() };
        let accepted = TokenSet::List(tokens(&[1]));
        let name = mask_of(accepted, Some(beside));
        let other = TokenSet::Bits { words: [1 << 4, 0].into(), more: tokens(&[40]), of_slice: false };
        let other = mask_of(other, None);
        let list = TokenSet::List(tokens(&[33]));
        let list = mask_of(list, None);
        let alone = Recipe::of([(&name, None)].into_iter(), &tokens(&[50]), &mut None);
        assert_eq!(written(&alone), [1, 5, 6, 7, 34, 50]);
        assert_eq!((alone.n_tokens(), alone.others.len()), (6, 0));
        // What one takes out another may put in.
        let both = Recipe::of([(&name, None), (&other, None), (&list, None)].into_iter(), &[], &mut None);
        assert_eq!(written(&both), [1, 4, 5, 6, 7, 33, 34, 40]);
        assert_eq!(both.others.len(), 1);
    }

    #[test]
    fn a_kept_mask_is_the_same_however_the_one_before_was_written() {
        let bits = |words: [u32; 3], more: &[u32]| {
            let accepted = TokenSet::Bits { words: words.into(), more: tokens(more), of_slice: false };
            mask_of(accepted, None)
        };
        let (text, other) = (bits([0b1111_0000, 0, 7], &[33]), bits([1 << 4, 0, 1 << 9], &[40]));
        let list = mask_of(TokenSet::List(tokens(&[33, 70])), None);
        let recipe = |locals: &[&Arc<LocalMask>], extra: &[u32]| {
            Recipe::of(locals.iter().map(|local| (*local, None)), &tokens(extra), &mut None)
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
    fn a_bitset_of_nearly_all_tokens_is_written_as_it_is_copied() {
        // Words that are not full: none, the first, one in fifty, many before the middle, one in nine, all.
        let with_gaps = |gaps: &dyn Fn(u32) -> bool| -> Vec<u32> {
            let inside = (0..4_000).map(|at| if gaps(at) { u32::MAX - at } else { u32::MAX });
            inside.chain([0b1011, 0, 0]).collect()
        };
        let every = |n: u32| move |at: u32| at % n == 0;
        let sets = [
            (with_gaps(&|_| false), true),
            (with_gaps(&|at| at < 30), true),
            (with_gaps(&every(50)), true),
            (with_gaps(&|at| at < 1_000), false),
            (with_gaps(&every(9)), false),
            (with_gaps(&|_| true), false),
            (vec![0; 100], false),
        ];
        for (words, is_nearly_all) in sets {
            let words: Arc<[u32]> = words.into();
            let mut last = None;
            let found = NearlyAll::shared(&words, &mut last);
            assert_eq!(found.is_some(), is_nearly_all, "{:?}", &words[..9]);
            let Some(found) = found else { continue };
            let again = NearlyAll::shared(&words, &mut last).expect("it was found");
            let equal = NearlyAll::shared(&words.to_vec().into(), &mut last).expect("it is equal");
            assert!(Arc::ptr_eq(&found, &again) && !Arc::ptr_eq(&found, &equal));
            // Whatever was in the mask, also behind the vocabulary.
            for more in [0, 1, 70] {
                let (mut written, mut copied) =
                    (vec![0x5555; words.len() + more], vec![7; words.len() + more]);
                found.write_to(&mut written);
                TokenSet::copy(&words, &mut copied);
                assert!(written == copied);
            }
        }
    }

    #[test]
    fn without_a_bitset_everything_is_listed() {
        let list = |ids| {
            let accepted = TokenSet::List(tokens(ids));
            mask_of(accepted, None)
        };
        let recipe =
            Recipe::of([(&list(&[2, 3]), None), (&list(&[3, 64]), None)].into_iter(), &[], &mut None);
        assert_eq!(written(&recipe), [2, 3, 64]);
    }
}
