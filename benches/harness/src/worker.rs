//! The loop of a worker: jobs in, nanoseconds out.
//!
//! Standard input and output belong to the protocol. Everything outside the measured intervals (reading the job, the hash of
//! a mask, looking a token up in it) is done between them, the same for all engines.

use crate::clock::TimedLaps;
use crate::engine::{Compiled, Engine, Failure, Laps, is_set};
use crate::machine::memory_kib;
use crate::protocol::{Answer, FIRST_MASK, Job, Measured, Outcome, Ready, Start, Verdict, Walk};
use anyhow::{Context, Result, anyhow};
use serde::Serialize;
use std::hint::black_box;
use std::io::{BufRead, Write};

/// Answers jobs until standard input ends.
///
/// # Errors
/// The engine cannot be made, or what was read is no job.
pub fn serve(make: impl FnOnce(&Start) -> Result<Box<dyn Engine>> + Send) -> Result<()> {
    let mut lines = std::io::stdin().lock().lines();
    let start: Start = serde_json::from_str(&lines.next().context("nothing to start with")??)?;
    let engine = make(&start)?;
    engine.warm_up(&start.warm_up).map_err(|failure| anyhow!("warming up: {failure}"))?;
    let mut bench = Bench {
        mask: vec![0; start.width.div_ceil(32)],
        stops: start.stops,
        other_data: vec![1; MAX_POLLUTE_MB << 17],
    };
    // From here on the highest is what the jobs reach.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    say(&Ready { version: engine.version() })?;
    for line in lines {
        let job: Job = serde_json::from_str(&line?)?;
        let outcome = bench.run(&*engine, &job);
        say(&Answer { outcome, peak_kib: memory_kib("VmHWM:") })?;
    }
    Ok(())
}

fn say(message: &impl Serialize) -> Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line)?;
    Ok(out.flush()?)
}

/// The parts of a step.
enum Part {
    Mask,
    Accept,
}

impl Walk {
    fn note(&mut self, laps: &mut TimedLaps<Part>) {
        for (part, ns) in laps.take() {
            let times = match part {
                Part::Mask => &mut self.mask,
                Part::Accept => &mut self.accept,
            };
            times.push(u32::try_from(ns).unwrap_or(u32::MAX));
        }
    }
}

/// As much as can be read before an interval.
const MAX_POLLUTE_MB: usize = 16;

/// What is kept from job to job.
struct Bench {
    mask: Vec<u32>,
    stops: Vec<u32>,
    /// What the caches are filled with.
    other_data: Vec<u64>,
}

impl Bench {
    fn run(&mut self, engine: &dyn Engine, job: &Job) -> Outcome {
        self.pollute(job);
        let mut laps = Laps::start();
        let compiled = engine.compile(&job.source, &mut laps);
        laps.lap("compile");
        let first = compiled.and_then(|compiled| {
            let mut session = compiled.session()?;
            session.mask(&mut self.mask)?;
            // It ends behind the interval, what it frees with it.
            Ok((compiled, session))
        });
        laps.lap(FIRST_MASK);
        let to_first_mask = laps.finish();
        let (compiled, session) = match first {
            Ok(first) => first,
            Err(failure) => return Outcome::Refused(failure),
        };
        let mut figures = compiled.at_first();
        let mut checksum = hash(session.kept().unwrap_or(&self.mask), 0);
        drop(session);
        compiled.wait_for_prompt();
        let walks = job.documents.iter().map(|document| self.walk(&*compiled, document, job, &mut checksum));
        let walks = walks.collect();
        figures.extend(compiled.figures());
        Outcome::Measured(Measured { to_first_mask, walks, checksum, figures })
    }

    fn walk(&mut self, compiled: &dyn Compiled, document: &[u32], job: &Job, checksum: &mut u64) -> Walk {
        let mut walk = Walk::default();
        let mut laps = TimedLaps::start();
        if let Err(failure) = self.steps(compiled, document, job, checksum, &mut laps, &mut walk) {
            walk.verdict = Verdict::Failed(failure);
        }
        walk.note(&mut laps);
        walk
    }

    fn steps(
        &mut self,
        compiled: &dyn Compiled,
        document: &[u32],
        job: &Job,
        checksum: &mut u64,
        laps: &mut TimedLaps<Part>,
        walk: &mut Walk,
    ) -> Result<(), Failure> {
        let mut session = compiled.session()?;
        for step in 0..=document.len() {
            self.pollute(job);
            laps.lap(None);
            session.mask(&mut self.mask)?;
            laps.lap(Some(Part::Mask));
            let mask = session.kept().unwrap_or(&self.mask);
            let allowed = match document.get(step) {
                Some(&token) => is_set(mask, token),
                None => self.stops.iter().any(|&stop| is_set(mask, stop)),
            };
            if let Some(&token) = document.get(step).filter(|_| allowed) {
                laps.lap(None);
                let done = session.accept(token);
                laps.lap(Some(Part::Accept));
                done?;
            }
            *checksum = hash(session.kept().unwrap_or(&self.mask), *checksum);
            if !allowed {
                walk.verdict = Verdict::Refused;
                break;
            }
            if laps.are_many() {
                laps.lap(None);
                walk.note(laps);
            }
        }
        Ok(())
    }

    /// Fills the caches with something else.
    fn pollute(&self, job: &Job) {
        let n_words = job.pollute_mb.min(MAX_POLLUTE_MB) << 17;
        // One word of each cache line is enough.
        black_box(self.other_data[..n_words].iter().step_by(8).sum::<u64>());
    }
}

/// Mixes a mask into a hash; a multiplication a word, so that it costs about as much as the mask.
fn hash(mask: &[u32], seed: u64) -> u64 {
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let pairs = mask.chunks(2).map(|pair| pair.iter().fold(0, |word, &half| word << 32 | u64::from(half)));
    pairs.fold(seed, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_and_the_order_of_masks_count() {
        let hash_all = |masks: &[&[u32]]| masks.iter().fold(0, |seed, mask| hash(mask, seed));
        let all = [
            hash_all(&[&[0, 0, 0]]),
            hash_all(&[&[0, 0, 1]]),
            hash_all(&[&[1, 0, 0]]),
            hash_all(&[&[1, 0, 0], &[0, 0, 1]]),
            hash_all(&[&[0, 0, 1], &[1, 0, 0]]),
        ];
        let mut distinct = all.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());
    }
}
