//! Many matchers at a time, and masks applied to logits.

use crate::error::MaskError;
use crate::matcher::Matcher;
use std::fmt;

/// Why a batch could not be filled: the row, and what [`Matcher::fill_mask`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchError {
    row: usize,
    error: MaskError,
}

impl BatchError {
    /// The row of the buffer that was to be filled.
    pub fn row(&self) -> usize {
        self.row
    }

    /// What went wrong with it.
    pub fn error(&self) -> &MaskError {
        &self.error
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {} of the batch: {}", self.row, self.error)
    }
}

impl std::error::Error for BatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Writes the masks of many matchers into one buffer: that of a matcher with row r into
/// `buffer[r * stride .. (r + 1) * stride]`, as [`Matcher::fill_mask`] does. Rows that no matcher has stay as they are.
///
/// `stride` is in words, at least [`Vocabulary::mask_words`](formwork_vocab::Vocabulary::mask_words). Allocates nothing of
/// its own. One thread: a caller with more splits the matchers and the buffer.
///
/// # Errors
/// A row lies outside of the buffer, or a matcher fails; rows before it are filled.
pub fn fill_masks<'m>(
    matchers: impl IntoIterator<Item = (usize, &'m mut Matcher)>,
    buffer: &mut [u32],
    stride: usize,
) -> Result<(), BatchError> {
    for (row, matcher) in matchers {
        let words =
            row.checked_mul(stride).and_then(|start| buffer.get_mut(start..start.checked_add(stride)?));
        let filled = match words {
            Some(words) => matcher.fill_mask(words).map(|_| ()),
            None => {
                let needed = matcher.compiled().vocabulary().mask_words();
                Err(MaskError::BufferTooShort { needed, given: 0 })
            }
        };
        filled.map_err(|error| BatchError { row, error })?;
    }
    Ok(())
}

/// Makes the logits of forbidden tokens −∞: those whose bit is 0, and those beyond the mask.
///
/// Cost: one pass over the logits; words that allow all 32 tokens are skipped.
pub fn apply_mask(mask: &[u32], logits: &mut [f32]) {
    let covered = logits.len().min(mask.len().saturating_mul(32));
    let (covered, beyond) = logits.split_at_mut(covered);
    for (word, logits) in mask.iter().zip(covered.chunks_mut(32)) {
        if *word == u32::MAX {
            continue;
        }
        for (bit, logit) in logits.iter_mut().enumerate() {
            if word >> bit & 1 == 0 {
                *logit = f32::NEG_INFINITY;
            }
        }
    }
    beyond.fill(f32::NEG_INFINITY);
}
