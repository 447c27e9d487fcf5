//! Seeded random numbers: SplitMix64, which is small, fast and good enough to write documents with.

/// Seeded random numbers. The same seed gives the same numbers on every machine and in every version.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is 0. The bias of the multiplication is far below what anybody could see.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let n = n as u128;
        ((u128::from(self.next()) * n) >> 64) as usize
    }

    /// A number from 0 up to, not including, 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of these; `None` if there are none.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// The index of one of these, in proportion to the weights; `None` if there is no positive one.
    pub(crate) fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().sum();
        let mut left = self.unit() * total;
        let mut last = None;
        for (i, &weight) in weights.iter().enumerate() {
            if weight <= 0.0 {
                continue;
            }
            last = Some(i);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_depend_on_the_seed_alone() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            [rng.below(1000), rng.below(1000), rng.below(1000)]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn weights_are_kept() {
        let mut rng = Rng::new(1);
        let mut n_drawn = [0; 3];
        for _ in 0..4_000 {
            n_drawn[rng.weighted(&[1.0, 0.0, 3.0]).unwrap()] += 1;
        }
        assert_eq!(n_drawn[1], 0);
        assert!((800..1200).contains(&n_drawn[0]), "{n_drawn:?}");
        assert_eq!(rng.weighted(&[0.0]), None);
        assert_eq!(rng.below(0), 0);
    }
}
