//! The tokenizer that documents are split with, the same for all engines.

use anyhow::{Context, Result, ensure};
use formwork::vocab::Trie;
use formwork::{TokenId, Vocabulary};
use formwork_tokenizers::{Encoder, embedded_encoder, hf_encoder};
use std::path::Path;

/// A vocabulary and its encoder.
#[derive(Debug)]
pub struct Tokenizer {
    /// What it is called in reports.
    pub name: String,
    /// As the user gave it: what workers load.
    pub given: String,
    /// Its tokens.
    pub vocabulary: Vocabulary,
    /// `None` where the tokens are the bytes.
    encoder: Option<Encoder>,
}

impl Tokenizer {
    /// A `tokenizer.json`, an embedded encoding's name, or [`BYTES`].
    ///
    /// # Errors
    /// It is none of these, or it names no stop token.
    pub fn load(given: &str) -> Result<Self> {
        let path = Path::new(given);
        let (name, encoder) = if path.is_file() {
            // Every model calls its file the same, so the folder says which one it is.
            let folder = path.canonicalize()?.parent().and_then(Path::file_name).map(ToOwned::to_owned);
            (folder.unwrap_or_default().to_string_lossy().into_owned(), Some(hf_encoder(path)?))
        } else if given == BYTES {
            (given.to_owned(), None)
        } else {
            (given.to_owned(), Some(embedded_encoder(given)?))
        };
        let vocabulary = vocabulary(given)?;
        ensure!(!vocabulary.stop_tokens().is_empty(), "no stop token is known for {given}");
        Ok(Self { name, given: given.to_owned(), vocabulary, encoder })
    }

    /// The ids that end an output.
    pub fn stops(&self) -> Vec<u32> {
        self.vocabulary.stop_tokens().iter().map(|stop| stop.get()).collect()
    }

    /// The text's tokens, as the tokenizer itself splits it; the longest first, if what it makes of the text spells
    /// something else (some put a space in front).
    ///
    /// # Errors
    /// Neither spells the text.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let tokens = match &self.encoder {
            Some(encoder) => encoder.encode(text)?,
            None => Vec::new(),
        };
        let own: Vec<u8> = tokens.iter().flat_map(|&token| self.bytes(token)).copied().collect();
        if own == text.as_bytes() {
            return Ok(tokens.into_iter().map(TokenId::get).collect());
        }
        self.longest_first(text.as_bytes()).context("the vocabulary cannot spell a document")
    }

    /// The tokens of a text in which the names of special tokens are those tokens, each with the bytes of the text that it
    /// stands for.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_marked(&self, text: &str) -> Result<Vec<(u32, usize)>> {
        let specials: Vec<(TokenId, &str)> = self.vocabulary.specials().collect();
        let mut tokens = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let found = specials.iter().filter(|(_, name)| !name.is_empty());
            let found =
                found.filter_map(|&(id, name)| Some((rest.find(name)?, std::cmp::Reverse(name.len()), id)));
            let first = found.min();
            let (plain, after) = rest.split_at(first.map_or(rest.len(), |(start, ..)| start));
            let len = |token: &u32| self.bytes(TokenId::new(*token)).len();
            tokens.extend(self.encode(plain)?.iter().map(|token| (*token, len(token))));
            rest = after;
            if let Some((_, std::cmp::Reverse(len), id)) = first {
                tokens.push((id.get(), len));
                rest = &rest[len..];
            }
        }
        Ok(tokens)
    }

    fn bytes(&self, token: TokenId) -> &[u8] {
        self.vocabulary.text(token).unwrap_or_default()
    }

    fn longest_first(&self, mut text: &[u8]) -> Option<Vec<u32>> {
        let trie = self.vocabulary.trie();
        let mut tokens = Vec::new();
        while !text.is_empty() {
            let mut node = Trie::ROOT;
            let mut longest = None;
            for (i, &byte) in text.iter().enumerate() {
                let Some(child) = trie.child(node, byte) else { break };
                node = child;
                longest = trie.tokens_at(node).first().map(|token| (token.get(), i + 1)).or(longest);
            }
            let (token, length) = longest?;
            tokens.push(token);
            text = &text[length..];
        }
        Some(tokens)
    }

    /// The end of what the tokens spell, for a person to recognise the place.
    pub fn tail(&self, tokens: &[u32], n_chars: usize) -> String {
        let last = &tokens[tokens.len().saturating_sub(n_chars)..];
        let bytes: Vec<u8> =
            last.iter().flat_map(|&token| self.bytes(TokenId::new(token))).copied().collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let skip = text.chars().count().saturating_sub(n_chars);
        text.chars().skip(skip).collect()
    }
}

/// The tokenizer whose tokens are the bytes: for smoke tests, since it is there at once.
pub const BYTES: &str = "bytes";

/// The vocabulary of a `tokenizer.json`, of an embedded encoding, or the [bytes](BYTES).
///
/// # Errors
/// It is none of these.
pub fn vocabulary(given: &str) -> Result<Vocabulary> {
    if given == BYTES {
        return Ok(Vocabulary::bytes());
    }
    if Path::new(given).is_file() {
        return Ok(formwork_tokenizers::from_hf_json(given)?);
    }
    formwork_tokenizers::embedded(given)
        .with_context(|| format!("`{given}` is neither a file nor an embedded tokenizer"))
}
