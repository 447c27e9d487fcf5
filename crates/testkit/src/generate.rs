//! Random grammars, texts and vocabularies.
//!
//! All of them are functions of an [`Rng`](crate::Rng) and a configuration; with the feature `proptest` there are
//! strategies over the same functions.
//! Small on purpose: most mistakes of engines of this kind show in three rules over three letters.

mod extract;
mod grammar;
mod regions;
#[cfg(feature = "schemas")]
mod schema;
mod set;
#[cfg(feature = "schemas")]
mod shrink;
mod text;
mod vocabulary;

#[cfg(feature = "proptest")]
mod strategy;

pub use extract::{expand_counts, expand_sets, extract};
pub use grammar::{GrammarShape, random_grammar};
pub use regions::{REGION_ALPHABET, random_regions};
#[cfg(feature = "schemas")]
pub use schema::{random_instance, random_schema, schemas_with_instances};
pub use set::random_set;
#[cfg(feature = "schemas")]
pub use shrink::{Json, shrinking};
#[cfg(feature = "proptest")]
pub use strategy::{cases, grammars, seeds, strategy_of};
pub use text::{random_bytes, random_walk};
pub use vocabulary::{VocabularyShape, random_vocabulary};
