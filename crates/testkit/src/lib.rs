//! What Formwork is tested with: a second opinion, generators, and the properties that tie them together.
//!
//! - [`Reference`] says what a [`Grammar`](formwork_grammar::Grammar) means, slowly and without sharing code with the
//!   engine; [`language`] writes small languages out, as a third opinion.
//! - [`generate`] makes random grammars, texts and vocabularies from an [`Rng`], which is a seed or a fuzzer's bytes.
//! - [`oracles`] are the properties, one file each, behind features that say what they need.
//! - `fuzz` (a feature) is what the fuzz targets do with their bytes; [`mutate`](fn@mutate) is for machines without a fuzzer.
#![forbid(unsafe_code)]

mod failure;
mod rng;

#[cfg(feature = "documents")]
pub mod document;
#[cfg(feature = "fuzz")]
pub mod fuzz;
pub mod generate;
#[cfg(feature = "json-text")]
pub mod json_text;
pub mod language;
mod mutate;
pub mod oracles;
mod reference;
mod symbols;
#[cfg(feature = "oracles-engine")]
pub mod walk;

pub use failure::{Failure, Outcome, shown, with_seed};
pub use mutate::mutate;
pub use reference::{Reference, Remaining, Verdict};
pub use rng::Rng;
pub use symbols::SpelledSymbols;
