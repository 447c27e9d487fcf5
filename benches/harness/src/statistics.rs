//! Samples of nanoseconds and what is reported of them.

/// What is reported of a list of samples, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// How many samples there are.
    pub n: usize,
    /// Their average.
    pub mean: f64,
    /// The least sample that half of all do not exceed; and so on.
    pub p50: f64,
    /// See `p50`.
    pub p75: f64,
    /// See `p50`.
    pub p90: f64,
    /// See `p50`.
    pub p95: f64,
    /// See `p50`.
    pub p99: f64,
    /// See `p50`.
    pub p999: f64,
    /// The largest.
    pub max: f64,
}

impl Summary {
    /// The names of [`columns`](Self::columns).
    pub const COLUMNS: [&'static str; 8] = ["avg", "p50", "p75", "p90", "p95", "p99", "p99.9", "max"];

    /// Sorts the samples, nanoseconds, and sums them up.
    pub fn of(samples: &mut [u64]) -> Self {
        if samples.is_empty() {
            return Self::default();
        }
        samples.sort_unstable();
        let total: u64 = samples.iter().sum();
        let at = |share: f64| percentile(samples, share);
        Self {
            n: samples.len(),
            mean: total as f64 / samples.len() as f64 / 1_000.0,
            p50: at(0.5),
            p75: at(0.75),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: at(1.0),
        }
    }

    /// All figures, in microseconds.
    pub fn columns(&self) -> [f64; 8] {
        [self.mean, self.p50, self.p75, self.p90, self.p95, self.p99, self.p999, self.max]
    }
}

/// Of sorted nanoseconds, the least value that so large a share does not exceed, in microseconds.
pub fn percentile(sorted: &[u64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).map_or(0.0, |&ns| micros(ns))
}

/// Spearman's rank correlation of pairs: 1 where both order them alike, 0 where neither says anything of the other. `None` if
/// one of them orders nothing.
pub fn spearman(pairs: &[(u64, u64)]) -> Option<f64> {
    let (a, b) = (ranks(pairs.iter().map(|pair| pair.0)), ranks(pairs.iter().map(|pair| pair.1)));
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let (both, own, others) = (sum(&a, &b), sum(&a, &a), sum(&b, &b));
    (own > 0.0 && others > 0.0).then(|| both / (own * others).sqrt())
}

/// The position of each value in their order; of equal ones the mean of theirs.
fn ranks(values: impl Iterator<Item = u64>) -> Vec<f64> {
    let values: Vec<u64> = values.collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&i| values[i]);
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&i, &k| values[i] == values[k]) {
        let mean = first as f64 + (equal.len() as f64 - 1.0) / 2.0;
        equal.iter().for_each(|&i| ranks[i] = mean);
        first += equal.len();
    }
    ranks
}

fn micros(ns: u64) -> f64 {
    ns as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlation_asks_for_the_order_alone() {
        let pairs = |b: [u64; 4]| [1, 2, 3, 40].into_iter().zip(b).collect::<Vec<_>>();
        assert_eq!(spearman(&pairs([5, 6, 70, 800])), Some(1.0));
        assert_eq!(spearman(&pairs([9, 8, 7, 1])), Some(-1.0));
        // Ranks 0 1 2 3 against 0.5 0.5 2.5 2.5: covariance 4, variances 5 and 4.
        let tied = spearman(&pairs([1, 1, 2, 2])).expect("an order");
        assert!((tied - 4.0 / 20f64.sqrt()).abs() < 1e-12, "{tied}");
        assert_eq!(spearman(&pairs([3, 3, 3, 3])), None);
        assert_eq!(spearman(&[]), None);
    }

    #[test]
    fn percentiles_are_samples() {
        let mut samples: Vec<u64> = (1..=200).rev().map(|n| n * 1_000).collect();
        let summary = Summary::of(&mut samples);
        assert_eq!((summary.n, summary.p50, summary.p90, summary.p99), (200, 100.0, 180.0, 198.0));
        assert_eq!((summary.p75, summary.p95, summary.p999), (150.0, 190.0, 200.0));
        assert_eq!((summary.max, summary.mean), (200.0, 100.5));
        let one = Summary::of(&mut [7_000]);
        assert_eq!((one.p50, one.p99, one.max), (7.0, 7.0, 7.0));
        assert_eq!(Summary::of(&mut []).columns(), [0.0; 8]);
    }
}
