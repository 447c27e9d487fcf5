//! A small random number generator, seeded or fed by a fuzzer.
//!
//! Generators take this rather than a registry crate's type, so that the same functions serve proptest (a seed), xtask
//! (a seed on the command line) and fuzz targets (the fuzzer's bytes: one decision per byte or two, so that mutating a
//! byte mutates a decision).

/// Where generators get their decisions from.
///
/// Deterministic: the same seed or bytes give the same decisions on every machine and in every version of this crate.
#[derive(Clone, Debug)]
pub struct Rng {
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// The state of SplitMix64.
    Seed(u64),
    /// What is left of a fuzzer's bytes, last first. When it is used up all decisions are 0, the simplest choice.
    Bytes(Vec<u8>),
}

impl Rng {
    /// Decisions from a seed.
    pub fn seeded(seed: u64) -> Self {
        Self { source: Source::Seed(seed) }
    }

    /// Decisions from a fuzzer's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self { source: Source::Bytes(bytes.iter().rev().copied().collect()) }
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound_u64 = bound.max(1) as u64;
        // The bias of the remainder does not matter for choosing test cases.
        let value = match &mut self.source {
            Source::Seed(state) => split_mix(state),
            Source::Bytes(bytes) => {
                let mut value = 0;
                let mut reach = 1;
                while reach < bound_u64 {
                    value = value << 8 | u64::from(bytes.pop().unwrap_or(0));
                    reach = reach.saturating_mul(256);
                }
                value
            }
        };
        // Below `bound`, which is a usize.
        (value % bound_u64) as usize
    }

    /// A number of an inclusive range.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True `of` times out of `out_of`. A fuzzer that has run out of bytes always says no.
    pub fn chance(&mut self, of: usize, out_of: usize) -> bool {
        self.below(out_of) >= out_of.saturating_sub(of)
    }

    /// One of these, or `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Whether decisions are still made from something: false once a fuzzer's bytes are used up.
    pub fn has_more(&self) -> bool {
        match &self.source {
            Source::Seed(_) => true,
            Source::Bytes(bytes) => !bytes.is_empty(),
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_repeat_and_end() {
        let (mut a, mut b) = (Rng::seeded(7), Rng::seeded(7));
        assert!((0..100).all(|_| a.below(1000) == b.below(1000)));
        let mut fed = Rng::from_bytes(&[3, 1]);
        assert_eq!([fed.below(10), fed.below(10), fed.below(10)], [3, 1, 0]);
        assert!(!fed.has_more() && !fed.chance(9, 10));
    }
}
