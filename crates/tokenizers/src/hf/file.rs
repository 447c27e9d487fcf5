//! What a `tokenizer.json` says, as far as a vocabulary needs it. Merges, normalisers and templates are passed over.

use crate::{TokenizerError, TokenizerErrorKind};
use formwork_vocab::TokenId;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// A `tokenizer.json`.
#[derive(Debug, Deserialize)]
pub(super) struct File {
    #[serde(default)]
    pub(super) added_tokens: Vec<AddedToken>,
    pub(super) pre_tokenizer: Option<Value>,
    pub(super) decoder: Option<Value>,
    pub(super) model: Model,
}

/// A token that is matched as a whole, before the model sees the text.
#[derive(Debug, Deserialize)]
pub(super) struct AddedToken {
    pub(super) id: u32,
    pub(super) content: String,
    #[serde(default)]
    pub(super) special: bool,
}

/// The model: how text becomes tokens, of which only the tokens matter here.
#[derive(Debug, Deserialize)]
pub(super) struct Model {
    /// Absent in old files.
    #[serde(rename = "type")]
    name: Option<String>,
    vocab: Pieces,
    merges: Option<IgnoredAny>,
    /// The piece for text that cannot be spelled, in BPE.
    unk_token: Option<String>,
    /// The same in Unigram.
    unk_id: Option<u32>,
    pub(super) continuing_subword_prefix: Option<String>,
    pub(super) end_of_word_suffix: Option<String>,
}

impl File {
    pub(super) fn parse(json: &[u8]) -> Result<Self, TokenizerError> {
        serde_json::from_slice(json).map_err(|error| {
            let message = format!("not a Hugging Face tokenizer.json: {error}");
            TokenizerError::new(TokenizerErrorKind::Format, message).with_source(error)
        })
    }
}

impl Model {
    /// `BPE`, `Unigram`, `WordPiece`, …; old files do not say, but only BPE has merges.
    pub(super) fn name(&self) -> &str {
        match (&self.name, &self.merges) {
            (Some(name), _) => name,
            (None, Some(_)) => "BPE",
            (None, None) => "unnamed",
        }
    }

    /// The tokens as the file writes them, in its order.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&str, TokenId)> {
        self.vocab.0.iter().map(|(piece, id)| (piece.as_str(), *id))
    }

    /// Whether this token stands for text that cannot be spelled.
    pub(super) fn is_unknown(&self, piece: &str, id: TokenId) -> bool {
        self.unk_token.as_deref() == Some(piece) || self.unk_id == Some(id.get())
    }
}

/// The tokens as the file writes them. BPE has them as an object from token to id, Unigram as a list of tokens with
/// scores, whose positions are the ids. Not a map: nothing is looked up, and duplicates are for the builder to find.
#[derive(Debug)]
struct Pieces(Vec<(String, TokenId)>);

impl<'de> Deserialize<'de> for Pieces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PiecesVisitor)
    }
}

struct PiecesVisitor;

impl<'de> Visitor<'de> for PiecesVisitor {
    type Value = Pieces;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object from tokens to ids, or a list of tokens with scores")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pieces, A::Error> {
        let mut pieces = Vec::new();
        while let Some((piece, id)) = map.next_entry::<String, u32>()? {
            pieces.push((piece, TokenId::new(id)));
        }
        Ok(Pieces(pieces))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Pieces, A::Error> {
        let mut pieces = Vec::new();
        for id in 0..=u32::MAX {
            let Some((piece, _score)) = seq.next_element::<(String, f64)>()? else { break };
            pieces.push((piece, TokenId::new(id)));
        }
        Ok(Pieces(pieces))
    }
}
