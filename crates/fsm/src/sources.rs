//! What states are made from, kept for those rules of a cache that were lately asked for a state that was not there.
//!
//! To make a further state, a [lazy](crate::lazy) rule needs the nodes written so far, the sets of nodes that its states are,
//! and the maps that find both: several times what the states themselves take. Most rules are never asked for another one
//! once the outputs of their schema have been there. So what states are made from is forgotten when that of all rules
//! together exceeds a limit, what was used longest ago first, and is made again when it is missed: the same states are
//! expanded in the same order, which gives the same numbers.

use crate::lazy::Making;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};

/// Rules that are looked at when somebody counts what they made. No more than one comes each time, so this keeps up with them;
/// without a bound, a rule that took megabytes at once had one step free all others, for some milliseconds.
const AT_ONCE: usize = 16;

/// The rules that have what their states are made from.
#[derive(Debug)]
pub(crate) struct Sources {
    queue: Mutex<Queue>,
    n_bytes: AtomicUsize,
    max_bytes: usize,
    /// Bytes of states that were made since somebody last [took](Self::take_grown) them.
    grown: AtomicUsize,
}

#[derive(Default)]
struct Queue {
    /// In the order in which they came, or were last met and found in use.
    rules: VecDeque<Weak<Mutex<Making>>>,
    /// Rules in the queue that are not dropped, about.
    n_alive: usize,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("n_alive", &self.n_alive).finish_non_exhaustive()
    }
}

impl Sources {
    /// Of no rules yet; up to so many bytes are kept, and what is at work.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { queue: Mutex::default(), n_bytes: AtomicUsize::new(0), max_bytes, grown: AtomicUsize::new(0) }
    }

    /// Adds a rule that has what its states are made from, and is not among them.
    pub(crate) fn add(&self, rule: Weak<Mutex<Making>>) {
        let mut queue = self.lock();
        if queue.rules.len() > 2 * queue.n_alive + 16 {
            queue.rules.retain(|rule| rule.strong_count() > 0);
            queue.n_alive = queue.rules.len();
        }
        queue.rules.push_back(rule);
        queue.n_alive += 1;
    }

    /// Notes that what a rule's states are made from has other bytes than before; 0 once it has none.
    pub(crate) fn count(&self, before: usize, now: usize) {
        self.n_bytes.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
        if now == 0 && before > 0 {
            let mut queue = self.lock();
            queue.n_alive = queue.n_alive.saturating_sub(1);
        }
    }

    /// Notes that states came.
    pub(crate) fn grow(&self, n_bytes: usize) {
        self.grown.fetch_add(n_bytes, Ordering::Relaxed);
    }

    /// Bytes of states that came since this was last asked.
    pub(crate) fn take_grown(&self) -> usize {
        self.grown.swap(0, Ordering::Relaxed)
    }

    /// Bytes of what states are made from, about.
    pub(crate) fn n_bytes(&self) -> usize {
        self.n_bytes.load(Ordering::Relaxed)
    }

    /// Forgets what was used longest ago, until the rest is within the limit or [enough](AT_ONCE) was done for once: who
    /// comes next goes on. The caller may be making a state, and somebody waits for it.
    pub(crate) fn make_room(&self) {
        self.forget_above(self.max_bytes);
    }

    /// The same down to half the limit: when nobody waits, so that there is room when somebody does.
    ///
    /// PERF: what states are made from is some dozen lists for each rule; to free them was a tenth of making states.
    pub(crate) fn make_room_ahead(&self) {
        self.forget_above(self.max_bytes / 2);
    }

    fn forget_above(&self, max_bytes: usize) {
        // A rule that was used since it was last met is met twice.
        let mut n_left = AT_ONCE.min(2 * self.lock().rules.len());
        while self.n_bytes.load(Ordering::Relaxed) > max_bytes && n_left > 0 {
            n_left -= 1;
            let Some(weak) = self.lock().rules.pop_front() else { return };
            let Some(rule) = weak.upgrade() else { continue };
            let kept = match rule.try_lock() {
                Ok(mut making) => !making.forget(),
                Err(TryLockError::Poisoned(error)) => !error.into_inner().forget(),
                // Whoever holds it is at work.
                Err(TryLockError::WouldBlock) => true,
            };
            if kept {
                self.lock().rules.push_back(weak);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // The queue is whole at every moment.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A rule's part of them.
#[derive(Debug, Default)]
pub(crate) struct Share {
    sources: Option<Arc<Sources>>,
    n_bytes: usize,
}

impl Share {
    /// Belongs to these from now on.
    pub(crate) fn join(&mut self, sources: &Arc<Sources>) {
        self.sources = Some(Arc::clone(sources));
    }

    /// Whether nothing is counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.n_bytes == 0
    }

    /// What it belongs to.
    pub(crate) fn sources(&self) -> Option<&Arc<Sources>> {
        self.sources.as_ref()
    }

    /// Notes what the rule's states are made from takes now.
    pub(crate) fn set(&mut self, n_bytes: usize) {
        let before = std::mem::replace(&mut self.n_bytes, n_bytes);
        if let Some(sources) = &self.sources {
            sources.count(before, n_bytes);
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.set(0);
    }
}
