//! What every engine can do here.

use anyhow::Result;

/// A grammar, in the words that an engine understands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// JSON without a schema, by the engine's own means.
    AnyJson,
    Schema(&'static str),
    Ebnf(&'static str),
    Lark(&'static str),
}

/// An engine over the tokenizer.
pub(crate) trait Engine {
    fn name(&self) -> &'static str;

    /// From the text of the grammar to what sessions begin with.
    fn compile(&self, workload: &crate::workload::Workload) -> Result<Box<dyn Compiled>>;
}

/// A grammar that is ready.
pub(crate) trait Compiled {
    /// The beginning of an output.
    fn session(&self) -> Result<Box<dyn Session>>;
}

/// One output.
pub(crate) trait Session {
    /// Writes which tokens may come next; all words of `mask` are written.
    fn mask(&mut self, mask: &mut [u32]) -> Result<()>;

    /// Goes on by one token.
    fn accept(&mut self, token: u32) -> Result<()>;
}

pub(crate) fn is_set(mask: &[u32], token: u32) -> bool {
    mask.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 != 0)
}

pub(crate) fn count(mask: &[u32]) -> usize {
    mask.iter().map(|word| word.count_ones() as usize).sum()
}
