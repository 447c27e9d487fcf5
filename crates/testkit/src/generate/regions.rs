//! Random grammars with regions: budgets and captures.

use crate::Rng;
use formwork_grammar::{CharClass, ExprId, Grammar, GrammarBuilder, Place, RuleId};
use std::num::NonZeroU32;

/// What random regions are spelled with.
pub const REGION_ALPHABET: &str = "ab(é";

/// A grammar of one to three regular regions with small budgets, in a root that may nest and repeat them. Without left
/// recursion.
pub fn random_regions(rng: &mut Rng) -> Grammar {
    let mut b = GrammarBuilder::new();
    let root = b.declare("root", Place::none());
    let mut regions: Vec<RuleId> = Vec::new();
    for _ in 0..rng.between(1, 3) {
        let rule = b.declare("region", Place::none());
        let body = regular(rng, &mut b, 3, &[]);
        b.define(rule, body);
        if let Some(budget) = NonZeroU32::new(rng.between(0, 5) as u32) {
            b.set_budget(rule, budget);
        }
        if rng.chance(1, 2) {
            b.set_capture(rule, if rng.chance(1, 2) { "x" } else { "y" });
        }
        regions.push(rule);
    }
    let mut used: Vec<ExprId> = regions.iter().map(|&rule| b.rule(rule)).collect();
    if rng.chance(1, 3) {
        // Not left-recursive: something is read first.
        let (open, again) = (b.literal("("), b.rule(root));
        let end = regular(rng, &mut b, 1, &[]);
        used.push(b.seq([open, again, end]));
    }
    let body = regular(rng, &mut b, 3, &used);
    b.define(root, body);
    b.build(root).unwrap_or_else(|error| unreachable!("a small grammar: {error}"))
}

/// A regular expression over the alphabet and these.
fn regular(rng: &mut Rng, b: &mut GrammarBuilder, depth: usize, others: &[ExprId]) -> ExprId {
    if let (true, Some(&other)) = (rng.chance(1, 3), rng.pick(others)) {
        return other;
    }
    let below = |rng: &mut Rng, b: &mut GrammarBuilder| regular(rng, b, depth.saturating_sub(1), others);
    match if depth == 0 { rng.below(4) } else { rng.below(10) } {
        0 => b.literal(if rng.chance(1, 2) { "a" } else { "b" }),
        1 => b.literal(if rng.chance(1, 2) { "ab" } else { "aab" }),
        2 => b.class(CharClass::from_ranges([('a', 'b'), ('é', 'é')])),
        3 => b.class(CharClass::from_ranges([('a', 'a'), ('é', 'é')])),
        4 | 5 => {
            let parts = [below(rng, b), below(rng, b)];
            b.seq(parts)
        }
        6 | 7 => {
            let parts = [below(rng, b), below(rng, b)];
            b.alt(parts)
        }
        8 => {
            let body = below(rng, b);
            b.star(body)
        }
        _ => {
            let (body, min) = (below(rng, b), rng.between(0, 2) as u32);
            let max = min + rng.between(1, 2) as u32;
            b.repeat(body, min, Some(max))
        }
    }
}
