//! Reads tokenizers into Formwork [vocabularies](Vocabulary).
//!
//! - [`from_hf_json`]: a Hugging Face `tokenizer.json`, with the stop tokens that the files beside it name;
//!   [`from_hf_bytes`]: the same from memory, without files beside it.
//! - [`embedded`]: OpenAI's `o200k_base` and `cl100k_base`, which need no file.
//! - [`Options`]: the same with the width of the model's logits and stop tokens of one's own.
//! - [`Encoder`]: text to token ids, for tests and benchmarks; decoding under a grammar needs none.
//!
//! For a vocabulary of your own use [`Vocabulary::builder`].
//!
//! ```
//! # #[cfg(feature = "tiktoken")] {
//! use formwork_tokenizers::Options;
//! let vocabulary = Options::default().width(200_064).stop("<|endofprompt|>").embedded("o200k_base")?;
//! assert_eq!(vocabulary.width(), 200_064);
//! assert_eq!(vocabulary.special("<|endofprompt|>"), Some(vocabulary.stop_tokens()[0]));
//! # }
//! # Ok::<(), formwork_tokenizers::TokenizerError>(())
//! ```
//!
//! # Which Hugging Face files
//! Those whose tokens spell bytes, which all current language models' do:
//! - **byte-level**: each character of a token stands for one byte, in GPT-2's alphabet (`Ġ` is a space);
//!   a token with any other character is taken literally;
//! - **byte-fallback**: tokens are text in which `▁` (U+2581) stands for a space, and `<0xHH>` is one byte.
//!
//! Which of the two it is says the `decoder`, or, where there is none, the pre-tokenizer.
//! Everything else (WordPiece, word-final suffixes, CTC, …) is an error of kind
//! [`Unsupported`](TokenizerErrorKind::Unsupported) that says what was found.
//! Added tokens are special if the file says so and text otherwise; ids that nobody names are holes.
//! The `▁` that SentencePiece puts before a text, and its decoder removes again, is a space like any other here.
//!
//! # Costs
//! Files are read once, up to 1 GiB. In this workspace's `dev` profile, whose dependencies are optimised, Llama 3.1's 9 MB
//! take about 55 ms (the `tokenizers` crate 220), Gemma 2's 17 MB 90 ms (470), `embedded("o200k_base")` 170 ms, most of
//! which `tiktoken-rs` spends on tables for encoding. So keep the vocabulary.
//!
//! # Features and dependencies
//! - `hf` (default): `tokenizer.json`. The file is read with `serde_json`, not with the `tokenizers` crate: that one
//!   panics where a file is cut off inside its decoder, renumbers added tokens that do not follow the vocabulary
//!   without a gap (only a log line tells), and builds merge tables that a vocabulary has no use for.
//! - `hf-encoder`: `hf_encoder`, for which the `tokenizers` crate does come in, with some 90 others.
//! - `tiktoken` (default): the embedded encodings, from `tiktoken-rs`. The alternative, `tiktoken` 4.1, is smaller and
//!   has more encodings, but it answers unknown ids with empty text and does not list special tokens, so that holes
//!   and specials could not be told from text; its own changelog warns of ids that changed between versions; it
//!   declares no minimal Rust version. `tiktoken-rs` is OpenAI's own core, enumerates every id, and declares 1.85.
//!
//! Nothing here reaches for the network.
#![forbid(unsafe_code)]

mod options;
mod stops;

#[cfg(feature = "hf")]
mod detect;

#[cfg(feature = "hf")]
mod gguf;
#[cfg(feature = "hf")]
mod hf;
#[cfg(feature = "hf")]
mod ranks;
#[cfg(feature = "hf")]
mod tekken;

#[cfg(feature = "tiktoken")]
mod embedded;
#[cfg(any(feature = "tiktoken", feature = "hf-encoder"))]
mod encoder;

#[cfg(feature = "hf")]
mod alphabet;
#[cfg(feature = "hf")]
mod beside;
#[cfg(feature = "hf")]
mod files;

mod error;

#[cfg(feature = "hf")]
pub use detect::from_path;
#[cfg(feature = "tiktoken")]
pub use embedded::{embedded, embedded_encoder, embedded_names};
#[cfg(any(feature = "tiktoken", feature = "hf-encoder"))]
pub use encoder::Encoder;
pub use error::{TokenizerError, TokenizerErrorKind};
pub use formwork_vocab::Vocabulary;
#[cfg(feature = "hf")]
pub use gguf::{from_gguf, from_gguf_reader};
#[cfg(feature = "hf-encoder")]
pub use hf::hf_encoder;
#[cfg(feature = "hf")]
pub use hf::{from_hf_bytes, from_hf_json};
pub use options::Options;
#[cfg(feature = "hf")]
pub use ranks::{from_tiktoken, from_tiktoken_bytes};
#[cfg(feature = "hf")]
pub use tekken::{from_tekken_bytes, from_tekken_json};
