//! What Formwork is tested with: a second opinion, generators, and the properties that tie them together.
//!
//! - [`Reference`] says what a [`Grammar`](formwork_grammar::Grammar) means, slowly and without sharing code with the
//!   engine; [`language`] writes small languages out, as a third opinion.
//! - [`generate`] makes random grammars, texts and vocabularies from an [`Rng`], which is a seed or a fuzzer's bytes.
#![forbid(unsafe_code)]

mod rng;

pub mod generate;
pub mod language;
mod reference;

pub use reference::{Reference, Verdict};
pub use rng::Rng;
