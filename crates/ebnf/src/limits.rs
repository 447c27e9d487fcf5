//! Bounds on the texts that are read.

/// Bounds on the texts that are read; exceeding one is an error of kind [`Limit`](crate::ErrorKind::Limit).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the text; default 16 MiB, and never more than 1 GiB.
    pub max_length: usize,
    /// How deep parentheses may nest; default 1,000.
    pub max_nesting: usize,
    /// Errors after which reading stops; default 1,000.
    pub max_errors: usize,
    /// Files that a Lark grammar may import, those that they import included; default 100.
    pub max_imports: usize,
    /// Expressions that the templates of a Lark grammar may grow to; default 1,000,000.
    pub max_expansion: usize,
    /// How large the grammar may grow.
    pub grammar: formwork_grammar::Limits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_length: 16 << 20,
            max_nesting: 1_000,
            max_errors: 1_000,
            max_imports: 100,
            max_expansion: 1_000_000,
            grammar: formwork_grammar::Limits::default(),
        }
    }
}
