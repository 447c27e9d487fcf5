//! Bounds on the patterns that are read.

/// Bounds on the patterns that are read; exceeding one is an error of kind [`Limit`](crate::ErrorKind::Limit).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the pattern; default 262,144.
    pub max_length: usize,
    /// How deep groups may nest; default 500.
    ///
    /// The Rust dialect counts alternations, sequences, repetitions and classes inside groups as levels too,
    /// and is given four times this number for all of them together.
    pub max_nesting: u32,
    /// How often a pattern of the Rust dialect may name a Unicode table (`\w`, `\pL`, …); default 5,000.
    ///
    /// The parser behind that dialect makes a copy of the table for each, some of them 6 KB in size.
    pub max_tables: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_length: 256 << 10, max_nesting: 500, max_tables: 5_000 }
    }
}
