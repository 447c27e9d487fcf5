//! What the tests share: a vocabulary of bytes and the special tokens that a test names, and texts that spell them.

#![allow(dead_code, reason = "each test uses some of it")]

use formwork_engine::{Compiler, Matcher};
use formwork_grammar::Grammar;
use formwork_vocab::Vocabulary;

/// Single bytes as tokens 0 to 255, `<eos>` as 256, and these special tokens from 257 on.
pub(crate) fn vocabulary(specials: &[&str]) -> Vocabulary {
    vocabulary_with(specials, &[])
}

/// The same, and behind the special tokens these texts.
pub(crate) fn vocabulary_with(specials: &[&str], texts: &[&str]) -> Vocabulary {
    let mut builder = Vocabulary::builder();
    for byte in 0..=255u8 {
        builder.token(u32::from(byte), [byte]);
    }
    builder.special(256, "<eos>").stop(256);
    for (name, id) in specials.iter().zip(257..) {
        builder.special(id, *name);
    }
    for (text, id) in texts.iter().zip(257 + specials.len() as u32..) {
        builder.token(id, text.as_bytes());
    }
    builder.build().expect("a vocabulary")
}

/// A text as tokens: special tokens where their names stand, else bytes.
pub(crate) fn tokens(specials: &[&str], text: &str) -> Vec<u32> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let named = specials.iter().zip(257u32..).filter(|(name, _)| rest.starts_with(**name));
        let len = match named.max_by_key(|(name, _)| name.len()) {
            Some((name, id)) => {
                tokens.push(id);
                name.len()
            }
            None => {
                tokens.extend(rest.bytes().take(first.len_utf8()).map(u32::from));
                first.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    tokens
}

/// Whether a text is a whole output; names of special tokens in it are those tokens.
pub(crate) fn accepts(grammar: &Grammar, specials: &[&str], text: &str) -> bool {
    let compiled = Compiler::new(vocabulary(specials)).compile(grammar);
    let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{grammar}"));
    let mut matcher = Matcher::new(&compiled);
    tokens(specials, text).into_iter().all(|token| matcher.accept_token(token).is_ok())
        && matcher.can_finish()
}
