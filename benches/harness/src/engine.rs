//! What every engine can do here.

use crate::clock::Clock;
use crate::protocol::{Job, Source};

/// What an engine says when it cannot go on.
pub type Failure = String;

/// An engine over a tokenizer, with whatever it keeps from one grammar to the next.
pub trait Engine: Send {
    /// Its name and version.
    fn version(&self) -> String;

    /// From the text of the grammar to what sessions begin with. Parts that are worth telling apart end with a
    /// [lap](Laps::lap); what follows the last one is called `compile`.
    ///
    /// # Errors
    /// Why the grammar is refused.
    fn compile(&self, source: &Source, laps: &mut Laps) -> Result<Box<dyn Compiled>, Failure>;

    /// Runs the code once, so that the first file does not pay for paging it in, and keeps nothing that helps later files.
    ///
    /// # Errors
    /// The engine cannot do even that.
    fn warm_up(&self, job: &Job) -> Result<(), Failure>;
}

/// A grammar that is ready.
pub trait Compiled {
    /// The beginning of an output.
    ///
    /// # Errors
    /// What the engine says.
    fn session(&self) -> Result<Box<dyn Session>, Failure>;

    /// Whatever is worth knowing about this grammar before it is used, by name; asked after the first mask.
    fn at_first(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// Called between the first mask and the sessions: where a server waits for the model to read its prompt, and an engine
    /// that has threads for it may go on with them.
    fn wait_for_prompt(&self) {}

    /// Whatever else is worth knowing about it, by name; asked after everything is measured.
    fn figures(&self) -> Vec<(String, u64)> {
        Vec::new()
    }
}

/// One output.
pub trait Session {
    /// Writes which tokens may come next; all words of `mask` are written.
    ///
    /// # Errors
    /// A limit, mostly.
    fn mask(&mut self, mask: &mut [u32]) -> Result<(), Failure>;

    /// The mask that was asked for last, if the session keeps it instead of writing it where it was told.
    fn kept(&self) -> Option<&[u32]> {
        None
    }

    /// Goes on by one token, which the mask allows.
    ///
    /// # Errors
    /// A limit, mostly.
    fn accept(&mut self, token: u32) -> Result<(), Failure>;
}

/// The parts of an interval, by name.
pub struct Laps {
    clock: Clock,
    parts: Vec<(String, u64)>,
}

impl Laps {
    /// The interval begins.
    pub fn start() -> Self {
        Self { clock: Clock::start(), parts: Vec::new() }
    }

    /// What went on since the last lap was this.
    pub fn lap(&mut self, name: &str) {
        let ns = self.clock.lap().min(self.clock.bound());
        self.parts.push((name.to_owned(), ns));
        self.clock = Clock::start();
    }

    /// The interval ends: its parts in nanoseconds, each the smaller of wall time and the thread's CPU time.
    pub fn finish(self) -> Vec<(String, u64)> {
        self.parts
    }
}

impl std::fmt::Debug for Laps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Laps").field("parts", &self.parts).finish_non_exhaustive()
    }
}

/// Whether the mask allows the token.
pub fn is_set(mask: &[u32], token: u32) -> bool {
    mask.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 != 0)
}
