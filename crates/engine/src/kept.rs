//! A mask that stays with one output.

use formwork_mask::{Kept, Target};

/// A buffer for masks that only [`Matcher::fill_kept`](crate::Matcher::fill_kept) writes to.
///
/// `M` is where the words are: a `Vec<u32>`, or a slice of memory that a GPU reads. They can be looked at and not changed, so
/// what one mask has in common with the next need not be written again.
///
/// ```
/// # use formwork_engine::{Compiler, KeptMask, Matcher};
/// # use formwork_grammar::{GrammarBuilder, Place};
/// # use formwork_vocab::Vocabulary;
/// # let mut b = GrammarBuilder::new();
/// # let word = b.declare("word", Place::none());
/// # let body = b.literal("aab");
/// # b.define(word, body);
/// # let vocabulary = Vocabulary::builder().token(0, "a").token(1, "b").special(2, "<end>").stop(2).build()?;
/// # let compiled = Compiler::new(vocabulary).compile(&b.build(word)?)?;
/// let mut matcher = Matcher::new(&compiled);
/// let mut mask = KeptMask::new(vec![0; compiled.vocabulary().mask_words()]);
/// for token in [0, 0, 1, 2] {
///     matcher.fill_kept(&mut mask)?;
///     assert_eq!(mask.words(), [1 << token]);
///     matcher.accept_token(token)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeptMask<M = Vec<u32>> {
    words: M,
    kept: Kept,
}

impl<M: AsRef<[u32]> + AsMut<[u32]>> KeptMask<M> {
    /// A buffer that may hold anything yet, of at least [`mask_words`](formwork_vocab::Vocabulary::mask_words) words.
    pub fn new(words: M) -> Self {
        Self { words, kept: Kept::default() }
    }

    /// The mask that was written last: one bit per id, least significant first.
    pub fn words(&self) -> &[u32] {
        self.words.as_ref()
    }

    /// The buffer, for whatever else.
    pub fn into_inner(self) -> M {
        self.words
    }

    pub(crate) fn target(&mut self) -> Target<'_> {
        Target::keeping(self.words.as_mut(), &mut self.kept)
    }
}
