//! What the tests share: a vocabulary of bytes and the special tokens that a test names, and texts that spell them.

use formwork_engine::{Compiler, Matcher};
use formwork_grammar::Grammar;
use formwork_vocab::Vocabulary;

/// Single bytes as tokens 0 to 255, `<eos>` as 256, and these special tokens from 257 on.
pub(crate) fn vocabulary(specials: &[&str]) -> Vocabulary {
    let mut builder = Vocabulary::builder();
    for byte in 0..=255u8 {
        builder.token(u32::from(byte), [byte]);
    }
    builder.special(256, "<eos>").stop(256);
    for (name, id) in specials.iter().zip(257..) {
        builder.special(id, *name);
    }
    builder.build().expect("a vocabulary")
}

/// Whether a text is a whole output; names of special tokens in it are those tokens.
pub(crate) fn accepts(grammar: &Grammar, specials: &[&str], text: &str) -> bool {
    let compiled = Compiler::new(vocabulary(specials)).compile(grammar);
    let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{grammar}"));
    let mut matcher = Matcher::new(&compiled);
    let mut rest = text;
    while !rest.is_empty() {
        let named = specials.iter().zip(257u32..).filter(|(name, _)| rest.starts_with(**name));
        let len = match named.max_by_key(|(name, _)| name.len()) {
            Some((name, id)) => matcher.accept_token(id).is_ok().then_some(name.len()),
            None => {
                let c = &rest[..rest.chars().next().map_or(1, char::len_utf8)];
                c.bytes().all(|byte| matcher.accept_token(u32::from(byte)).is_ok()).then_some(c.len())
            }
        };
        let Some(len) = len else { return false };
        rest = &rest[len..];
    }
    matcher.can_finish()
}
