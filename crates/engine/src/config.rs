//! Switches and limits of compiling and matching.

/// How a [`Compiler`](crate::Compiler) compiles and its matchers run.
///
/// Switches change cost only: with any of them off, every mask is the same bit for bit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Switches and limits of the automata.
    pub automata: formwork_fsm::Config,
    /// Limits on rows, per matcher and per local mask.
    pub rows: formwork_earley::Limits,
    /// Work that compile may spend on the local masks of wide states (the inside of a string, free text), in nanoseconds as
    /// estimated. Default 2,000,000: a dozen of them. 0 computes each when it is first needed. Unless it is 0, what chooses
    /// between tags is made first, within it, and if the tags are few the beginnings of what stands behind them and of what
    /// frontends share; each of more than 64 tags brings a fortieth of it once more, up to 256 times, for the masks of what is nearest
    /// to them: a thousand tools take some milliseconds, and with one tool more only that one is prepared.
    pub precompute: u64,
    /// Share local masks between rules and grammars. Default on.
    pub pool: bool,
    /// The bytes that the pool may take, about: a third for local masks, the rest for automata. Compiled grammars keep what they
    /// use. Default 80 MiB.
    pub pool_bytes: usize,
    /// Compiled grammars that the compiler keeps for when the same ones come again, in bytes, with the rows that outputs
    /// leave; what they share with others is counted for each, so this is more than what they take. Default 64 MiB, some six
    /// hundred schemas; 0 keeps none.
    pub recent_bytes: usize,
    /// Take the tokens of a state's loop wholesale from a bitset that all grammars share. Default on.
    pub slices: bool,
    /// Group tokens that a rule may end inside by what stands behind its end; without it they are walked one by one in the
    /// vocabulary. Default on.
    pub suffixes: bool,
    /// Count blanks and digits of JSON in the output instead of in the automata. Default on; without it masks between tokens
    /// of JSON take a third longer where white space is bounded.
    pub runs: bool,
    /// Remember what boundaries added to a row's mask, so that a row met again costs a copy. Default on.
    pub recipes: bool,
    /// Leave the rows and recipes of a matcher that is dropped to the next one of its grammar, up to two mebibytes for each
    /// grammar. Default on.
    pub arenas: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            automata: formwork_fsm::Config::default(),
            rows: formwork_earley::Limits::default(),
            precompute: 2_000_000,
            pool: true,
            pool_bytes: 80 << 20,
            recent_bytes: 64 << 20,
            slices: true,
            suffixes: true,
            runs: true,
            recipes: true,
            arenas: true,
        }
    }
}
