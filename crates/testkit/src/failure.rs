//! What an oracle reports when a property does not hold.

use crate::Rng;
use formwork_grammar::Grammar;
use std::fmt::{self, Write as _};

/// Whether a property held.
pub type Outcome = Result<(), Failure>;

/// A property that did not hold, with all that is needed to see it again.
///
/// `Debug` prints the same as `Display`, since test runners show the former.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    report: String,
}

impl Failure {
    /// The property of this name did not hold of `grammar`.
    pub fn new(property: &str, grammar: &Grammar, message: impl fmt::Display) -> Self {
        let mut report = format!("{property} does not hold: {message}\n");
        // Printing a grammar is not what is tested here, and a grammar is printed in a form that can be pasted into a test.
        let _ = write!(report, "---- root: {} ----\n{grammar}", grammar.rule(grammar.root()).name());
        Self { report }
    }

    /// A property that did not hold of something that is not a grammar.
    pub fn other(property: &str, message: impl fmt::Display) -> Self {
        Self { report: format!("{property} does not hold: {message}\n") }
    }

    /// Adds a line, such as the seed or the vocabulary.
    #[must_use]
    pub fn with(mut self, line: impl fmt::Display) -> Self {
        let _ = writeln!(self.report, "{line}");
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.report)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.report)
    }
}

impl std::error::Error for Failure {}

/// A check with the decisions of a seed, which its failure names.
///
/// # Errors
/// The check's.
pub fn with_seed(seed: u64, check: impl FnOnce(&mut Rng) -> Outcome) -> Outcome {
    check(&mut Rng::seeded(seed)).map_err(|failure| failure.with(format_args!("seed {seed}")))
}

/// Bytes as a literal one could paste into a test.
pub fn shown(bytes: &[u8]) -> String {
    format!("b\"{}\"", bytes.escape_ascii())
}
