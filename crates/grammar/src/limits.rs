//! Bounds on how large a grammar may grow while it is built.

/// Bounds on how large a grammar may grow while it is built.
///
/// Exceeding one is an error of [`GrammarBuilder::build`](crate::GrammarBuilder::build), never a silently smaller grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Rules; default 200,000.
    pub max_rules: usize,
    /// Different expressions; default 4,000,000.
    pub max_exprs: usize,
    /// Bytes of all literals, operand lists and character ranges together; default 256 MiB.
    pub max_bytes: usize,
    /// Members of one set; default 4,096.
    pub max_members: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_rules: 200_000, max_exprs: 4_000_000, max_bytes: 256 << 20, max_members: 4_096 }
    }
}
