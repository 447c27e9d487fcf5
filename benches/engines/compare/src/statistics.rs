//! Samples of nanoseconds and what is reported of them.

/// What is reported of a list of samples, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) n: usize,
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Summary {
    pub(crate) fn of(samples: &mut [u64]) -> Self {
        if samples.is_empty() {
            return Self::default();
        }
        samples.sort_unstable();
        let total: u64 = samples.iter().sum();
        // The least value that so large a share of the samples does not exceed.
        let at = |share: f64| {
            let rank = (share * samples.len() as f64).ceil() as usize;
            micros(samples[rank.clamp(1, samples.len()) - 1])
        };
        Self {
            n: samples.len(),
            mean: total as f64 / samples.len() as f64 / 1_000.0,
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

fn micros(ns: u64) -> f64 {
    ns as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let mut samples: Vec<u64> = (1..=200).rev().map(|n| n * 1_000).collect();
        let summary = Summary::of(&mut samples);
        assert_eq!((summary.n, summary.p50, summary.p90, summary.p99), (200, 100.0, 180.0, 198.0));
        assert_eq!((summary.max, summary.mean), (200.0, 100.5));
        let one = Summary::of(&mut [7_000]);
        assert_eq!((one.p50, one.p99, one.max), (7.0, 7.0, 7.0));
    }
}
