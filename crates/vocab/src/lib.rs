//! Tokenizer vocabularies as the Formwork engine needs them.
//!
//! A [`Vocabulary`] says which bytes each token id stands for, which ids are special, which of them stop the output
//! and how wide the model's logits are. Beside that it carries a [`Trie`] over the bytes of all text tokens,
//! laid out for the one thing that is done with it at every step: walking all of it while skipping most of it.
//!
//! # Who should use something else
//! To read a `tokenizer.json` or take an embedded vocabulary, use `formwork-tokenizers`, which ends in this type.
//! Use this crate for a vocabulary of your own: [`Vocabulary::builder`].
//! It does not tokenise text; a vocabulary knows what ids mean, not how a tokenizer chooses them.
//!
//! # Concepts
//! - **Text token**: an id with bytes. Two ids may have the same bytes. Bytes need not be whole UTF-8 characters.
//! - **Special token**: an id with a name, such as `<|eot_id|>`, and no bytes. It never matches text.
//! - **Hole**: an id without a meaning: one that the tokenizer skips, or padding between its last id and the width.
//! - **Stop token**: a text or special token that ends the output.
//! - **Width**: the number of logits, and so of mask bits; a multiple of 32, 64 or 128 in many models, which is more
//!   than the tokenizer has ids.
//!
//! ```
//! use formwork_vocab::{TokenId, TokenKind, Vocabulary};
//! let vocabulary = Vocabulary::builder()
//!     .token(0, "ab")
//!     .token(1, b"\xe2\x82") // the first two bytes of the euro sign
//!     .special(3, "<eos>")
//!     .stop(3)
//!     .width(32)
//!     .build()?;
//! assert_eq!(vocabulary.text(TokenId::new(1)), Some(&b"\xe2\x82"[..]));
//! assert_eq!(vocabulary.kind(TokenId::new(2)), TokenKind::Hole);
//! assert_eq!(vocabulary.special("<eos>"), Some(TokenId::new(3)));
//! assert_eq!(vocabulary.to_string(), "width 32, 2 text tokens, 1 special token, 29 holes, stops at 3");
//! # Ok::<(), formwork_vocab::VocabularyError>(())
//! ```
//!
//! [`Vocabulary::report`] says what is odd about a vocabulary: holes, duplicates, missing bytes.
//!
//! # Costs and limits
//! A vocabulary is immutable and shared: a clone is two reference counts.
//! Building sorts the tokens and is then linear in their bytes.
//! For the 200,000 tokens of `o200k_base` that takes 25 ms on one core in a release build, and the vocabulary holds
//! 12 MB, 9 of them the trie.
//! Ids are below 2²⁴, a token is shorter than 64 KiB, all tokens together are at most 1 GiB and the trie at most 2²⁶
//! nodes of 16 bytes; what exceeds this is a [`VocabularyError`] of kind [`Limit`](VocabularyErrorKind::Limit).
#![forbid(unsafe_code)]

mod collections;
mod token_id;

mod builder;
mod vocabulary;

mod byte_sets;
mod fans;
mod trie;
mod trie_build;
mod utf8;

mod report;

mod error;
mod limits;

pub use builder::VocabularyBuilder;
pub use error::{VocabularyError, VocabularyErrorKind};
pub use report::{Duplicate, Ranges, Report};
pub use token_id::TokenId;
pub use trie::{Children, NodeId, Trie};
pub use vocabulary::{LeadingSpace, TokenKind, Vocabulary};
