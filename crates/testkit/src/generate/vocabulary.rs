//! Random vocabularies.
//!
//! Small, but with everything that real ones have and engines get wrong: tokens that split characters, two ids with the
//! same bytes, a token without bytes, ids without a meaning, special tokens, several stop tokens (one of them a text), and
//! logits wider than the ids.

use crate::Rng;
use formwork_vocab::Vocabulary;

/// What random vocabularies are made of.
#[derive(Clone, Debug)]
pub struct VocabularyShape {
    /// The bytes that are tokens by themselves.
    pub single_bytes: Vec<u8>,
    /// The bytes that longer tokens are made of.
    pub alphabet: Vec<u8>,
    /// At most so many tokens of several bytes.
    pub max_long_tokens: usize,
    /// The longest token.
    pub max_token_len: usize,
}

impl VocabularyShape {
    /// Every byte is a token, as in byte-level vocabularies, so that every text can be spelled; and up to 24 tokens are
    /// longer.
    pub fn complete(alphabet: impl Into<Vec<u8>>) -> Self {
        Self {
            single_bytes: (0..=u8::MAX).collect(),
            alphabet: alphabet.into(),
            max_long_tokens: 24,
            max_token_len: 5,
        }
    }

    /// Of single bytes only those of the alphabet are tokens: enough for grammars without negated classes, and small
    /// enough to try every token often.
    pub fn small(alphabet: impl Into<Vec<u8>>) -> Self {
        let alphabet = alphabet.into();
        Self { single_bytes: alphabet.clone(), ..Self::complete(alphabet) }
    }

    /// The same with one byte of the alphabet missing, so that the compiler has to refuse what needs it.
    pub fn incomplete(rng: &mut Rng, alphabet: impl Into<Vec<u8>>) -> Self {
        let mut shape = Self::small(alphabet);
        if !shape.single_bytes.is_empty() {
            shape.single_bytes.swap_remove(rng.below(shape.single_bytes.len()));
        }
        shape
    }
}

/// A vocabulary of the given shape, with at least one stop token.
pub fn random_vocabulary(rng: &mut Rng, shape: &VocabularyShape) -> Vocabulary {
    let mut texts: Vec<Vec<u8>> = shape.single_bytes.iter().map(|&byte| vec![byte]).collect();
    for _ in 0..rng.below(shape.max_long_tokens + 1) {
        let len = rng.between(2, shape.max_token_len.max(2));
        texts.push((0..len).filter_map(|_| rng.pick(&shape.alphabet).copied()).collect());
    }
    if rng.chance(1, 4) {
        texts.push(Vec::new());
    }
    if let (true, Some(again)) = (rng.chance(1, 2), rng.pick(&texts).cloned()) {
        texts.push(again);
    }
    let mut builder = Vocabulary::builder();
    let mut id = 0u32;
    let mut text_ids = Vec::new();
    while !texts.is_empty() {
        // Now and then an id is skipped.
        id += u32::from(rng.chance(1, 10));
        let text = texts.swap_remove(rng.below(texts.len()));
        // A single byte that only ends the output could not be spelled any more.
        if text.len() > 1 {
            text_ids.push(id);
        }
        builder.token(id, &text);
        id += 1;
    }
    for n in 0..rng.between(1, 3) {
        id += u32::from(rng.chance(1, 4));
        builder.special(id, format!("<|{n}|>"));
        if n == 0 || rng.chance(1, 2) {
            builder.stop(id);
        }
        id += 1;
    }
    if rng.chance(1, 6) {
        if let Some(&text) = rng.pick(&text_ids) {
            builder.stop(text);
        }
    }
    if rng.chance(1, 2) {
        builder.width((id as usize + rng.below(3)).next_multiple_of(rng.between(1, 64)));
    }
    builder.build().expect("ids differ, stops exist and the width covers the ids")
}
