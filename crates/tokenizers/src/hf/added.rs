//! Added tokens, and whether the model's own tokens agree with them.

use super::file::AddedToken;
use crate::{TokenizerError, TokenizerErrorKind};
use formwork_vocab::TokenId;

/// The added tokens of a file, to be found by their text and by their id.
pub(super) struct AddedTokens<'f> {
    by_content: Vec<&'f AddedToken>,
    by_id: Vec<&'f AddedToken>,
}

impl<'f> AddedTokens<'f> {
    /// # Errors
    /// [`Vocabulary`](TokenizerErrorKind::Vocabulary) for two tokens of the same id or the same text.
    pub(super) fn new(tokens: &'f [AddedToken]) -> Result<Self, TokenizerError> {
        let mut by_content: Vec<&AddedToken> = tokens.iter().collect();
        by_content.sort_by(|a, b| (&a.content, a.id).cmp(&(&b.content, b.id)));
        // The same token listed twice is harmless.
        by_content.dedup_by(|a, b| (a.id, &a.content, a.special) == (b.id, &b.content, b.special));
        let mut by_id = by_content.clone();
        by_id.sort_by_key(|token| token.id);
        let same = |pair: &&[&AddedToken]| pair[0].id == pair[1].id || pair[0].content == pair[1].content;
        if let Some([a, b]) = by_content.windows(2).chain(by_id.windows(2)).find(same) {
            let (AddedToken { id: a_id, content: a, .. }, AddedToken { id: b_id, content: b, .. }) = (a, b);
            return Err(contradiction(format!("the added tokens {a:?} ({a_id}) and {b:?} ({b_id}) clash")));
        }
        Ok(Self { by_content, by_id })
    }

    /// The added token that this token of the model also is, if any.
    ///
    /// # Errors
    /// [`Vocabulary`](TokenizerErrorKind::Vocabulary) where the two parts of the file contradict each other: then nobody
    /// can say which of the two ids the model has learnt, and a wrong guess would show up as wrong output only.
    pub(super) fn of_piece(
        &self,
        piece: &str,
        id: TokenId,
    ) -> Result<Option<&'f AddedToken>, TokenizerError> {
        let same_content = self.by_content.binary_search_by(|token| token.content.as_str().cmp(piece));
        if let Some(token) = same_content.ok().and_then(|idx| self.by_content.get(idx)) {
            if token.id == id.get() {
                return Ok(Some(token));
            }
            return Err(contradiction(format!(
                "the token {piece:?} has the id {id} in the model and {} among the added tokens",
                token.id
            )));
        }
        let same_id = self.by_id.binary_search_by_key(&id.get(), |token| token.id);
        match same_id.ok().and_then(|idx| self.by_id.get(idx)) {
            Some(token) => Err(contradiction(format!(
                "token {id} is {piece:?} in the model and {:?} among the added tokens",
                token.content
            ))),
            None => Ok(None),
        }
    }
}

fn contradiction(message: String) -> TokenizerError {
    TokenizerError::new(TokenizerErrorKind::Vocabulary, message)
}
