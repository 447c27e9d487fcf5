//! Time that a neighbour cannot inflate: of an interval, or of some dozens in a row together, the smaller of wall time and this
//! thread's CPU time.
//!
//! Reading the thread's clock is a system call of some 0.2 µs, behind which the processor has to be warmed up to the program
//! again; so it is read outside, once before and once after some dozens of [laps]. Between them only the wall clock is read, some
//! 25 ns each time, and all together count for no more than the CPU time. What reading costs stands in the report ([`overhead`])
//! and is not subtracted.
//!
//! [laps]: TimedLaps

#![allow(clippy::disallowed_types, reason = "measuring is what this program is for")]

use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

/// How intervals are taken, for reports.
pub const HOW: &str =
    "each interval is wall time, and some dozens of them in a row are no more than the thread's CPU time";

/// An interval that is going on.
#[derive(Debug)]
pub struct Clock {
    thread: u64,
    wall: Instant,
}

impl Clock {
    /// The interval begins.
    pub fn start() -> Self {
        Self { thread: thread_ns(), wall: Instant::now() }
    }

    /// Nanoseconds of wall time since the last call, or the start.
    pub fn lap(&mut self) -> u64 {
        let now = Instant::now();
        let ns = now.duration_since(self.wall).as_nanos() as u64;
        self.wall = now;
        ns
    }

    /// The thread's CPU time since the start, which bounds every lap.
    pub fn bound(&self) -> u64 {
        thread_ns() - self.thread
    }
}

/// Laps that follow each other without a gap, of which some are worth knowing.
///
/// PERF: when a lap ends the clock is read and the moment is kept; lengths are made of moments when the laps are [taken](Self::take).
#[derive(Debug)]
pub struct TimedLaps<T> {
    /// The thread's clock when the first lap began.
    thread: u64,
    start: Instant,
    /// When each lap ended, and what it was.
    ends: Vec<(Instant, Option<T>)>,
}

/// Laps between two readings of the thread's clock: as many as ten or twenty steps have, so that what was taken by somebody else
/// is found in some dozens of microseconds.
const AT_ONCE: usize = 64;

impl<T> TimedLaps<T> {
    /// The first lap begins.
    pub fn start() -> Self {
        let ends = Vec::with_capacity(AT_ONCE);
        Self { thread: thread_ns(), start: Instant::now(), ends }
    }

    /// A lap ends, and the next one begins; `None` if nobody wants to know of it.
    #[inline]
    pub fn lap(&mut self, what: Option<T>) {
        self.ends.push((Instant::now(), what));
    }

    /// Whether they should be [taken](Self::take).
    pub fn are_many(&self) -> bool {
        self.ends.len() + 4 > AT_ONCE
    }

    /// What the laps so far were, in nanoseconds; the next one begins.
    pub fn take(&mut self) -> impl Iterator<Item = (T, u64)> + '_ {
        let bound = thread_ns() - self.thread;
        let starts = std::iter::once(self.start).chain(self.ends.iter().map(|&(end, _)| end));
        let mut parts: Vec<u64> = starts
            .zip(&self.ends)
            .map(|(start, (end, _))| end.duration_since(start).as_nanos() as u64)
            .collect();
        bounded(&mut parts, bound);
        let laps = self.ends.drain(..).zip(parts);
        self.thread = thread_ns();
        self.start = Instant::now();
        laps.filter_map(|((_, what), ns)| Some((what?, ns)))
    }
}

/// Bounds the parts of an interval by the CPU time of all: what is too much was somebody else's, and taken from the longest
/// part, which is where it most likely was.
pub fn bounded(parts: &mut [u64], bound: u64) {
    let mut excess = parts.iter().sum::<u64>().saturating_sub(bound);
    while let Some(longest) = parts.iter_mut().max().filter(|longest| excess > 0 && **longest > 0) {
        let cut = excess.min(*longest);
        *longest -= cut;
        excess -= cut;
    }
}

/// Runs `work` once and says how many nanoseconds it took.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let mut clock = Clock::start();
    let value = work();
    let lap = clock.lap();
    (value, lap.min(clock.bound()))
}

/// What a lap with nothing in it reads, at the median.
pub fn overhead() -> u64 {
    let mut laps = TimedLaps::start();
    let mut samples: Vec<u64> = Vec::new();
    for _ in 0..1_001 {
        for _ in 0..10 {
            laps.lap(Some(()));
        }
        samples.extend(laps.take().skip(1).map(|((), ns)| ns));
    }
    samples.sort_unstable();
    samples[samples.len() / 2]
}

fn thread_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::{TimedLaps, bounded};

    #[test]
    fn only_laps_that_somebody_wants_to_know_of_are_told() {
        let mut laps = TimedLaps::start();
        for what in [None, Some("mask"), None, Some("accept")] {
            laps.lap(what);
        }
        assert!(!laps.are_many());
        assert_eq!(laps.take().map(|(what, _)| what).collect::<Vec<_>>(), ["mask", "accept"]);
        assert_eq!(laps.take().count(), 0);
    }

    #[test]
    fn parts_sum_up_to_no_more_than_the_cpu_time() {
        let mut parts = [10, 500, 30];
        bounded(&mut parts, 100);
        assert_eq!(parts, [10, 60, 30]);
        bounded(&mut parts, 1_000);
        assert_eq!(parts, [10, 60, 30]);
        bounded(&mut parts, 20);
        assert_eq!(parts, [10, 0, 10]);
        bounded(&mut [], 0);
    }
}
