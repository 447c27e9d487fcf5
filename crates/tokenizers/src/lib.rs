//! Reads tokenizers into Formwork [vocabularies](Vocabulary).
//!
//! - [`from_path`]: a tokenizer file of any format, or a model's folder; the formats one by one are
//!   [`from_hf_json`] (Hugging Face `tokenizer.json`), [`from_tekken_json`] (Mistral), [`from_tiktoken`] (rank files) and
//!   [`from_gguf`] (llama.cpp), each also from memory;
//! - [`embedded`]: OpenAI's encodings, which need no file;
//! - [`Options`]: the same with the width of the model's logits, and stop and special tokens of one's own;
//! - [`Encoder`]: text to token ids, for tests and benchmarks; decoding under a grammar needs none.
//!
//! For a vocabulary of your own use [`Vocabulary::builder`]. What came of a file says
//! [`Vocabulary::report`](formwork_vocab::Vocabulary::report): look at it once for a tokenizer that is new to you.
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
//! - **byte-fallback**: tokens are text in which `▁` (U+2581) stands for a space, and `<0xHH>` is one byte;
//! - **text**: the same without such bytes, as older SentencePiece models have it. What has no token cannot be written
//!   then; the report lists the missing bytes.
//!
//! The `decoder` says which, step by step, or, where there is none, the pre-tokenizer.
//! Steps that look at more than one token (WordPiece, word-final suffixes, CTC, …) are an error of kind
//! [`Unsupported`](TokenizerErrorKind::Unsupported) that says what was found.
//! Added tokens are special if the file says so and text otherwise; ids that nobody names are holes.
//!
//! Token bytes are those in the middle of an output: the `▁` that SentencePiece puts before a text, and its decoder removes
//! again, is a space like any other. Whether the decoder does remove it is
//! [`Vocabulary::leading_space`](formwork_vocab::Vocabulary::leading_space).
//!
//! # The files beside a tokenizer
//! Functions that take a path also read, where they exist and the [`Options`] leave the question open:
//! - `tokenizer_config.json` (`eos_token`) and `generation_config.json` (`eos_token_id`): the stop tokens, together;
//!   for rank files `added_tokens_decoder` as well;
//! - `config.json` (`text_config.vocab_size`, else `vocab_size`): the width of the logits, which is padded up to it. It never
//!   leaves out tokens: if it is less than the largest id, the largest id counts.
//!
//! Beside a GGUF file nothing is read: it says all this itself.
//!
//! # Embedded encodings
//! `tiktoken-rs` has `o200k_base`, `o200k_harmony` (gpt-oss), `cl100k_base`, `p50k_base`, `p50k_edit` and `r50k_base` (GPT-2).
//! The feature `models` adds `llama3` (3.1 to 3.3), `qwen2_5`, `qwen3`, `deepseek_v3` and `tekken` (Mistral's, as of 2024-07):
//! their text comes from the crate `tiktoken`, which has it as the models' files do, their special and added tokens from
//! here, because that crate knows 8 of Llama 3's 256 and makes special what is text in the models' own files
//! (`<tool_call>` in Qwen, `<｜tool▁sep｜>` in DeepSeek). Other crates looked at (`tekken`, `kitoken`, `splintr`,
//! `shimmytok`) contain no vocabularies.
//! A model's own files are better where there are any, because models add tokens to these: [`from_path`] reads them.
//!
//! # Costs
//! Files are read once, up to 1 GiB, GGUF up to 256 MiB of metadata; lengths that a file claims are never believed before
//! the bytes have come.
//! In this workspace's `dev` profile, whose dependencies are optimised, Llama 3.1's 9 MB
//! take about 55 ms (the `tokenizers` crate 220), Gemma 2's 17 MB 90 ms (470), `embedded("o200k_base")` 170 ms, most of
//! which `tiktoken-rs` spends on tables for encoding. So keep the vocabulary.
//!
//! # Features and dependencies
//! - `hf` (default): the files that models come with. They are read with `serde_json`, not with the `tokenizers` crate:
//!   that one panics where a file is cut off inside its decoder, renumbers added tokens that do not follow the vocabulary
//!   without a gap (only a log line tells), and builds merge tables that a vocabulary has no use for.
//! - `hf-encoder`: `hf_encoder`, for which the `tokenizers` crate does come in, with some 90 others.
//! - `tiktoken` (default): OpenAI's encodings, from `tiktoken-rs`. It is OpenAI's own core, enumerates every id, and
//!   declares Rust 1.85. `tiktoken` 4.1 has them too, smaller, but it answers unknown ids with empty text and does not list
//!   special tokens, so that holes and specials could not be told from text.
//! - `models`: the encodings of other models, from `tiktoken` all the same, because ids and special tokens are known here.
//!   Its changelog tells of encodings that changed between versions: an [`Encoder`] of these is for tests. What unpacks its
//!   data needs Rust 1.87.
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

#[cfg(any(feature = "tiktoken", feature = "models"))]
mod embedded;
#[cfg(any(feature = "tiktoken", feature = "models", feature = "hf-encoder"))]
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
#[cfg(any(feature = "tiktoken", feature = "models"))]
pub use embedded::{embedded, embedded_encoder, embedded_names};
#[cfg(any(feature = "tiktoken", feature = "models", feature = "hf-encoder"))]
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
