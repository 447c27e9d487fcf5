#![doc = include_str!("../../../README.md")]
//!
//! # This crate
//! The facade: it re-exports the crates of the workspace and has no logic of its own. Each of them can be used alone.
//!
//! # Features
//! - `ebnf`, `json-schema`, `regex`, `tags` (default): the frontends, as modules of these names.
//! - `tokenizers`: vocabularies from Hugging Face `tokenizer.json` files and embedded ones, as module `tokenizers`.
//! - `full`: all of them.
//! - `models`: embedded tokenizers of Llama 3, Qwen, DeepSeek and Mistral as well; 3 MB more, and Rust 1.87.
#![forbid(unsafe_code)]

pub use formwork_engine::*;
pub use formwork_grammar::{ByteSet, Grammar, GrammarBuilder, Place, Position};
pub use formwork_vocab::{TokenId, TokenKind, Vocabulary, VocabularyError};

/// Operations on masks: `u32` words, least significant bit first.
pub use formwork_mask::bits;

/// Recognising bytes row by row, without a vocabulary; for looking into a grammar.
pub use formwork_earley as earley;
/// The automata of a grammar; for looking into it.
pub use formwork_fsm as fsm;
/// Local masks of automata states; for looking into a grammar.
pub use formwork_mask as mask;

/// EBNF text as grammars.
#[cfg(feature = "ebnf")]
pub use formwork_ebnf as ebnf;
/// The representation that frontends produce, for writing grammars in Rust or a frontend of one's own.
pub use formwork_grammar as grammar;
/// JSON Schema as grammars.
#[cfg(feature = "json-schema")]
pub use formwork_json_schema as json_schema;
/// Regular expressions as grammars.
#[cfg(feature = "regex")]
pub use formwork_regex as regex;
/// Structural tags as grammars.
#[cfg(feature = "tags")]
pub use formwork_tags as tags;
/// Vocabularies from tokenizer files, and embedded ones.
#[cfg(feature = "tokenizers")]
pub use formwork_tokenizers as tokenizers;
/// Token bytes, specials, stop tokens.
pub use formwork_vocab as vocab;
