//! Proptest strategies over the generators.
//!
//! A failing case shrinks towards a smaller seed, which is no smaller grammar; what helps is that grammars are small to
//! begin with and that every report prints the grammar, so it can be cut down by hand.

use super::{GrammarShape, random_grammar};
use crate::Rng;
use formwork_grammar::Grammar;
use proptest::prelude::*;

/// How many cases a property is tried on: `usual`, or what `FORMWORK_CASES` says, for nights.
///
/// Failures are reported with their seed, so nothing is written beside the sources.
pub fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("FORMWORK_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

/// Any seed.
pub fn seeds() -> impl Strategy<Value = Rng> {
    any::<u64>().prop_map(Rng::seeded)
}

/// Whatever `generate` makes of a random seed.
pub fn strategy_of<T: std::fmt::Debug>(generate: impl Fn(&mut Rng) -> T) -> impl Strategy<Value = T> {
    seeds().prop_map(move |mut rng| generate(&mut rng))
}

/// Random grammars of a shape.
pub fn grammars(shape: GrammarShape) -> impl Strategy<Value = Grammar> {
    strategy_of(move |rng| random_grammar(rng, &shape))
}
