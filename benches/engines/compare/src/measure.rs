//! Times one engine on one workload.

use crate::engine::{Compiled, Engine};
use crate::workload::{Document, Workload};
use anyhow::Result;
use formwork_bench::clock::{self, Clock};
use formwork_bench::statistics::Summary;
use std::hint::black_box;

/// How often everything is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Compile and first pass, from nothing.
    pub(crate) cold: usize,
    /// Later passes over the last of those.
    pub(crate) warm: usize,
}

/// The times of one engine on one workload, in nanoseconds until they are summed up.
#[derive(Default)]
pub(crate) struct Samples {
    /// From the text of the grammar to what sessions begin with.
    compile: Vec<u64>,
    /// The same and a session's first mask.
    first_mask: Vec<u64>,
    cold: Pass,
    warm: Pass,
}

/// What the steps of passes over the documents took.
#[derive(Default)]
struct Pass {
    session: Vec<u64>,
    mask: Vec<u64>,
    accept: Vec<u64>,
    /// Mask and accept together.
    token: Vec<u64>,
}

/// What is reported of one engine on one workload.
pub(crate) struct Measured {
    pub(crate) engine: &'static str,
    pub(crate) compile: Summary,
    pub(crate) first_mask: Summary,
    pub(crate) cold: Steps,
    pub(crate) warm: Steps,
}

pub(crate) struct Steps {
    pub(crate) session: Summary,
    pub(crate) mask: Summary,
    pub(crate) accept: Summary,
    pub(crate) token: Summary,
}

impl Samples {
    /// Compiles and walks all documents once, from nothing; what was compiled may be walked [again](Self::warm).
    pub(crate) fn cold(
        &mut self,
        engine: &dyn Engine,
        workload: &Workload,
        documents: &[Document],
        mask: &mut [u32],
    ) -> Result<Box<dyn Compiled>> {
        let mut clock = Clock::start();
        let compiled = engine.compile(workload)?;
        let compile = clock.lap();
        let mut session = compiled.session()?;
        session.mask(mask)?;
        let rest = clock.lap();
        let bound = clock.bound();
        drop(session);
        self.compile.push(compile.min(bound));
        self.first_mask.push((compile + rest).min(bound));
        // The pass begins from nothing too, not behind the first mask.
        let compiled = engine.compile(workload)?;
        self.cold.walk(&*compiled, documents, mask)?;
        Ok(compiled)
    }

    /// Walks all documents once more.
    pub(crate) fn warm(
        &mut self,
        compiled: &dyn Compiled,
        documents: &[Document],
        mask: &mut [u32],
    ) -> Result<()> {
        self.warm.walk(compiled, documents, mask)
    }

    /// Nanoseconds of all steps so far.
    pub(crate) fn spent(&self) -> u64 {
        self.cold.token.iter().chain(&self.warm.token).sum()
    }

    /// Whether there was a warm pass.
    pub(crate) fn is_warm(&self) -> bool {
        !self.warm.token.is_empty()
    }

    pub(crate) fn summarise(mut self, engine: &'static str) -> Measured {
        Measured {
            engine,
            compile: Summary::of(&mut self.compile),
            first_mask: Summary::of(&mut self.first_mask),
            cold: self.cold.summarise(),
            warm: self.warm.summarise(),
        }
    }
}

impl Pass {
    fn walk(&mut self, compiled: &dyn Compiled, documents: &[Document], mask: &mut [u32]) -> Result<()> {
        for document in documents {
            let (session, ns) = clock::time(|| compiled.session());
            let mut session = session?;
            self.session.push(ns);
            for &token in &document.tokens {
                let mut clock = Clock::start();
                session.mask(mask)?;
                let filled = clock.lap();
                black_box(&mask);
                session.accept(token)?;
                let accepted = clock.lap();
                let bound = clock.bound();
                self.mask.push(filled.min(bound));
                self.accept.push(accepted.min(bound));
                self.token.push((filled + accepted).min(bound));
            }
        }
        Ok(())
    }

    fn summarise(mut self) -> Steps {
        Steps {
            session: Summary::of(&mut self.session),
            mask: Summary::of(&mut self.mask),
            accept: Summary::of(&mut self.accept),
            token: Summary::of(&mut self.token),
        }
    }
}
