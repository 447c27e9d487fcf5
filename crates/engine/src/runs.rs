//! Runs of blanks and digits, counted in the output instead of in the automata.
//!
//! `[ \t\r\n]{0,64}` between all tokens of JSON would be 64 states in every gap, or a counter that every mask there has to
//! ask, and so would digits be in every number. But how many of them stand side by side outside of strings shows from the
//! output's bytes alone. So where a grammar [promises](formwork_grammar::Grammar::bounded_runs) that bounds are there for
//! nothing else, the automata take runs of any length, and the matcher keeps a [`Run`] beside the row: inside a string or
//! not, and the length of the run just before. The tokens that would make a run too long are taken out of the mask: those
//! with long runs, a handful, unless the output is about to reach a bound. The promise includes that a run of the greatest
//! length can end, so no dead end comes of it.
//!
//! The language is the same either way; [`Config::runs`](crate::Config::runs) is the switch.

use formwork_fsm::RunBound;
use formwork_mask::Target;
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};

/// Where the output is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    place: Place,
    /// The bound that the run just before comes under, and its length; 0 if there is none.
    bound: u16,
    len: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    String,
    /// Behind a backslash in a string.
    Escape,
}

impl Run {
    fn at(place: Place) -> Self {
        Self { place, bound: 0, len: 0 }
    }

    /// After one more byte; `None` if it makes a run too long.
    #[inline]
    pub(crate) fn after(self, byte: u8, bounds: &[RunBound]) -> Option<Self> {
        Some(match (self.place, byte) {
            (Place::Outside, b'"') | (Place::Escape, _) => Self::at(Place::String),
            (Place::String, b'"') => Self::at(Place::Outside),
            (Place::String, b'\\') => Self::at(Place::Escape),
            (Place::String, _) => self,
            (Place::Outside, _) => {
                let Some(bound) = bounds.iter().position(|bound| bound.bytes.contains(byte)) else {
                    return Some(Self::at(Place::Outside));
                };
                let before = self.len_of(bound);
                if before >= bounds[bound].max {
                    return None;
                }
                Self { place: Place::Outside, bound: bound as u16, len: before + 1 }
            }
        })
    }

    /// The length of the run just before, if it comes under this bound.
    fn len_of(self, bound: usize) -> u32 {
        if usize::from(self.bound) == bound { self.len } else { 0 }
    }

    /// The bound that allows no longer run here.
    pub(crate) fn is_full(self, bounds: &[RunBound]) -> Option<&RunBound> {
        let bound = bounds.get(usize::from(self.bound))?;
        (self.place == Place::Outside && self.len >= bound.max).then_some(bound)
    }
}

/// Tokens with the length of the run that they begin with; those with the longest first.
type Leading = Box<[(u32, TokenId)]>;

/// The tokens of a vocabulary that bounds on runs may forbid.
#[derive(Debug)]
pub(crate) struct LongRuns {
    bounds: Box<[RunBound]>,
    /// Per bound the tokens that begin with a run of at least two.
    leading: Box<[Leading]>,
    /// Tokens with a run that is too long elsewhere, by where they begin: outside of strings, in one, behind a backslash.
    inside: [Box<[TokenId]>; 3],
}

const PLACES: [Place; 3] = [Place::Outside, Place::String, Place::Escape];

impl LongRuns {
    /// Cost: one look at the length of each token, and at the bytes of those that are long or begin with a run of two.
    pub(crate) fn of(vocabulary: &Vocabulary, bounds: &[RunBound]) -> Self {
        let trie = vocabulary.trie();
        let n_leading = |bound: &RunBound, text: &[u8]| {
            text.iter().take_while(|&&byte| bound.bytes.contains(byte)).count()
        };
        let mut leading = vec![Vec::new(); bounds.len()];
        for (bound, leading) in bounds.iter().zip(&mut leading) {
            let mut add = |tokens: &[TokenId], len: u32| {
                if len > 1 {
                    leading.extend(tokens.iter().map(|&token| (len, token)));
                }
            };
            // Nodes that are runs, and their lengths. PERF: half of a vocabulary begins with one blank.
            let mut runs = vec![(Trie::ROOT, 0)];
            while let Some((node, len)) = runs.pop() {
                add(trie.tokens_at(node), len);
                for child in trie.children(node) {
                    match bound.bytes.contains(trie.byte(child)) {
                        true => runs.push((child, len + 1)),
                        false => add(trie.tokens_below(child), len),
                    }
                }
            }
        }
        let mut inside: [Vec<TokenId>; 3] = Default::default();
        // A run that is too long by itself needs a token that is longer. Lengths are known up to 255.
        let shortest = bounds.iter().map(|bound| bound.max).min().unwrap_or(u32::MAX).min(254);
        let tokens = trie.tokens_below(Trie::ROOT).iter().zip(trie.lengths_below(Trie::ROOT));
        for (&token, _) in tokens.filter(|&(_, &len)| u32::from(len) > shortest) {
            let text = vocabulary.text(token).unwrap_or_default();
            let before = bounds.iter().map(|bound| n_leading(bound, text)).max().unwrap_or_default();
            for (list, place) in inside.iter_mut().zip(PLACES) {
                // The run at the beginning of what begins outside is counted together with the one before.
                let rest = if place == Place::Outside { &text[before..] } else { text };
                let run = rest.iter().try_fold(Run::at(place), |run, &byte| run.after(byte, bounds));
                if run.is_none() {
                    list.push(token);
                }
            }
        }
        let sorted = |mut tokens: Vec<(u32, TokenId)>| {
            tokens.sort_unstable_by(|a, b| b.cmp(a));
            tokens.into()
        };
        let leading = leading.into_iter().map(sorted).collect();
        Self { bounds: bounds.into(), leading, inside: inside.map(Into::into) }
    }

    pub(crate) fn bounds(&self) -> &[RunBound] {
        &self.bounds
    }

    /// Takes the tokens out of a mask that would make a run too long.
    pub(crate) fn forbid(&self, vocabulary: &Vocabulary, run: Run, mask: &mut Target<'_>) {
        for &token in &self.inside[run.place as usize] {
            mask.clear(token);
        }
        if run.place != Place::Outside {
            return;
        }
        for (i, (bound, leading)) in self.bounds.iter().zip(&self.leading).enumerate() {
            let left = bound.max.saturating_sub(run.len_of(i));
            if left == 0 {
                let trie = vocabulary.trie();
                let is_in_run = |&child: &NodeId| bound.bytes.contains(trie.byte(child));
                for child in trie.children(Trie::ROOT).filter(is_in_run) {
                    for &token in trie.tokens_below(child) {
                        mask.clear(token);
                    }
                }
            } else {
                for &(_, token) in leading.iter().take_while(|&&(n, _)| n > left) {
                    mask.clear(token);
                }
            }
        }
    }
}
