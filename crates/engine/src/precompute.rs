//! Local masks before they are needed: within a budget while compiling, and the rest on the caller's threads.
//!
//! Most states of a large schema are never reached by one output, and a local mask costs a microsecond or two when it is first
//! needed. So compiling computes the dear ones only, and whoever has threads to spare while the model reads its prompt
//! gets all of them: a mask then never waits for more than what is being computed at that moment.

use crate::behind_tags;
use crate::compiled::CompiledGrammar;
use crate::error::{CompileError, CompileErrorKind};
use crate::estimates::NODE;
use formwork_fsm::StateId;
use formwork_grammar::{HashSet, Place};
use formwork_mask::{Kin, MaskKind, Walker};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs jobs on threads of the caller's: a thread pool, an executor.
///
/// A job takes some milliseconds at most for ordinary grammars, and ends early when the compiled grammar is dropped.
///
/// ```
/// use formwork_engine::Spawn;
/// struct Threads;
/// impl Spawn for Threads {
///     fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
///         std::thread::spawn(job);
///     }
/// }
/// ```
pub trait Spawn: Send + Sync {
    /// Runs the job, now or later, on another thread.
    fn spawn(&self, job: Box<dyn FnOnce() + Send>);
}

/// Rules of more states are left out within a budget: an output meets few of them, and estimates cost, too.
const MANY_STATES: usize = 512;

/// This part of the budget is what each of many tags [brings](behind_tags).
const PART_OF_A_TAG: u64 = 40;

/// Computes the local masks of wide states within the budget: those that a first token would wait for longest.
///
/// Narrow ones cost a microsecond or two when they are first needed, and most are never needed: computing them all here
/// doubled the time to the first mask. Before them comes what [stands behind tags](behind_tags), narrow states among it.
pub(crate) fn within_budget(
    compiled: &CompiledGrammar,
    budget: u64,
    interrupt: &dyn Fn() -> bool,
) -> Result<(), CompileError> {
    if budget == 0 {
        return Ok(());
    }
    let automata = compiled.automata();
    let eager = budget == u64::MAX;
    let mut work = Work::new(budget);
    if eager {
        automata.complete(interrupt)?;
    } else {
        behind_tags::prepare(compiled, &mut work, budget / PART_OF_A_TAG, interrupt)?;
    }
    let wanted = |state| formwork_mask::is_wide(automata, state) || eager;
    let most = if eager { usize::MAX } else { MANY_STATES };
    for (cost, state) in by_cost(compiled, wanted, most) {
        // What does not fit is left for later; cheaper ones may still fit.
        if compiled.has_local(state) || cost > work.left {
            continue;
        }
        if interrupt() {
            return Err(interrupted());
        }
        work.compute_at(compiled, state, cost);
    }
    Ok(())
}

/// The caller said stop.
pub(crate) fn interrupted() -> CompileError {
    CompileError {
        kind: CompileErrorKind::Interrupted,
        place: Place::none(),
        rule: String::new(),
        message: "interrupted by the caller".to_owned(),
    }
}

/// Work that is left, in nanoseconds, about; and what computes masks.
pub(crate) struct Work {
    left: u64,
    walker: Option<Walker>,
    kins: HashSet<Kin>,
}

impl Work {
    pub(crate) fn new(left: u64) -> Self {
        Self { left, walker: None, kins: HashSet::default() }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Does something for which there is so much work instead of what is left.
    pub(crate) fn with<T>(&mut self, left: u64, does: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.left, left);
        let done = does(self);
        self.left = before;
        done
    }

    pub(crate) fn spend(&mut self, work: u64) {
        self.left = self.left.saturating_sub(work);
    }

    /// Computes the local mask of a state, if there is none, and there is enough work left for what it is expected to cost.
    pub(crate) fn compute(&mut self, compiled: &CompiledGrammar, state: StateId) {
        if !compiled.has_local(state) {
            let cost = compiled.estimates().cost(compiled.automata(), state, &mut self.kins);
            if cost <= self.left {
                self.compute_at(compiled, state, cost);
            }
        }
    }

    /// Computes a local mask that is expected to cost so much.
    fn compute_at(&mut self, compiled: &CompiledGrammar, state: StateId, cost: u64) {
        let visited = |walker: &Option<Walker>| walker.as_ref().map_or(0, Walker::n_visited);
        let before = visited(&self.walker);
        // A state that is too ambiguous is no reason to refuse the grammar: it may never be reached.
        let _ = compiled.local(state, MaskKind::Usual, &mut self.walker);
        // An estimate may err; what was done counts then.
        self.spend(cost.max(NODE * (visited(&self.walker) - before)));
    }
}

/// The local masks of a grammar that are not computed yet, the dearest first: for whoever schedules them otherwise than
/// [threads](crate::CompilerBuilder::threads) do, or measures what they cost.
#[derive(Debug)]
pub struct PendingMasks {
    compiled: CompiledGrammar,
    states: std::iter::Peekable<std::vec::IntoIter<(u64, StateId)>>,
    walker: Option<Walker>,
}

impl CompiledGrammar {
    /// The local masks that are not computed yet, of rules that are not built yet too, which are built here as far as
    /// limits allow.
    ///
    /// Cost: building what is not built, and 0.1 µs a state.
    pub fn pending(&self) -> PendingMasks {
        // A rule that grows too large is found when it is reached.
        let _ = self.automata().complete(&|| false);
        let states = by_cost(self, |_| true, usize::MAX).into_iter().peekable();
        PendingMasks { compiled: self.clone(), states, walker: None }
    }
}

impl PendingMasks {
    /// What the next one is expected to cost, in nanoseconds, and whether its state is one of those that compiling computes
    /// within its [budget](crate::Config::precompute); `None` if none is left.
    pub fn estimate(&mut self) -> Option<(u64, bool)> {
        while self.states.next_if(|&(_, state)| self.compiled.has_local(state)).is_some() {}
        let &(cost, state) = self.states.peek()?;
        Some((cost, formwork_mask::is_wide(self.compiled.automata(), state)))
    }

    /// Computes the next one, unless limits forbid it; whether there was one.
    pub fn compute_next(&mut self) -> bool {
        let next = self.estimate().and_then(|_| self.states.next());
        if let Some((_, state)) = next {
            let _ = self.compiled.local(state, MaskKind::Usual, &mut self.walker);
        }
        next.is_some()
    }
}

/// The states of the rules that are built and have at most so many, as far as their edges are made, with what their local
/// masks are expected to cost, the dearest first.
fn by_cost(
    compiled: &CompiledGrammar,
    wanted: impl Fn(StateId) -> bool,
    max_states: usize,
) -> Vec<(u64, StateId)> {
    let automata = compiled.automata();
    let built = automata.rules().filter(|&rule| automata.is_ready(rule));
    let wanted = built
        .filter(|&rule| automata.n_states_of(rule) <= max_states)
        .flat_map(|rule| automata.states_of(rule))
        .filter(|&state| automata.is_made(state) || state.number() == 0)
        .filter(|&state| automata.is_scannable(state) && wanted(state));
    let mut kins = HashSet::default();
    let mut cost = |state| compiled.estimates().cost(automata, state, &mut kins);
    let mut states: Vec<(u64, StateId)> = wanted.map(|state| (cost(state), state)).collect();
    states.sort_unstable_by_key(|&(cost, state)| (std::cmp::Reverse(cost), state));
    states
}

/// Hands everything that is not computed yet to `n_jobs` jobs.
pub(crate) fn on_threads(compiled: &CompiledGrammar, spawn: &Arc<dyn Spawn>, n_jobs: usize) {
    let (weak, spawner) = (compiled.downgrade(), Arc::clone(spawn));
    spawn.spawn(Box::new(move || {
        let Some(compiled) = weak.upgrade() else { return };
        // A rule that grows too large is found when it is reached.
        let _ = compiled.automata().complete(&|| weak.is_dropped());
        let states: Arc<[StateId]> =
            by_cost(&compiled, |_| true, usize::MAX).into_iter().map(|(_, state)| state).collect();
        let next = Arc::new(AtomicUsize::new(0));
        drop(compiled);
        let work = move || {
            let mut walker = None;
            while let Some(&state) = states.get(next.fetch_add(1, Ordering::Relaxed)) {
                let Some(compiled) = weak.upgrade() else { return };
                if !compiled.has_local(state) {
                    let _ = compiled.local(state, MaskKind::Usual, &mut walker);
                }
            }
        };
        for _ in 1..n_jobs {
            spawner.spawn(Box::new(work.clone()));
        }
        work();
    }));
}
