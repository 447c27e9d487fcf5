//! The steps of a matcher: shared between forks, cut off by rollback.
//!
//! A list of chunks, newest first. A fork shares all full chunks and copies the last, unfinished one, so it costs the same
//! however long the output is.

use crate::runs::Run;
use formwork_earley::RowId;
use std::sync::Arc;

/// One accepted token or piece of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The row after it.
    pub(crate) row: RowId,
    /// Bytes of output after it.
    pub(crate) n_bytes: u64,
    /// Where the output is after it, if runs are counted.
    pub(crate) run: Run,
    /// Whether it was a stop token.
    pub(crate) stopped: bool,
}

const CHUNK: usize = 256;

#[derive(Debug)]
struct Chunk {
    /// Exactly `CHUNK` steps.
    steps: Box<[Step]>,
    older: Option<Arc<Chunk>>,
}

impl Drop for Chunk {
    /// Unlinks the list one by one: the default would recurse along it.
    fn drop(&mut self) {
        let mut older = self.older.take();
        while let Some(chunk) = older {
            match Arc::into_inner(chunk) {
                Some(mut chunk) => older = chunk.older.take(),
                None => break,
            }
        }
    }
}

/// All steps, oldest to newest.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    older: Option<Arc<Chunk>>,
    last: Vec<Step>,
    len: usize,
}

impl History {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn last(&self) -> Option<&Step> {
        self.last.last().or_else(|| self.older.as_ref().and_then(|chunk| chunk.steps.last()))
    }

    pub(crate) fn push(&mut self, step: Step) {
        if self.last.len() == CHUNK {
            let steps = std::mem::take(&mut self.last).into();
            self.older = Some(Arc::new(Chunk { steps, older: self.older.take() }));
        }
        self.last.push(step);
        self.len += 1;
    }

    /// Takes back the last `n` steps; all of them if there are fewer.
    pub(crate) fn pop(&mut self, n: usize) {
        let mut n = n.min(self.len);
        self.len -= n;
        while n > self.last.len() {
            n -= self.last.len();
            match self.older.take() {
                Some(chunk) => {
                    self.last = chunk.steps.to_vec();
                    self.older = chunk.older.clone();
                }
                None => {
                    self.last.clear();
                    return;
                }
            }
        }
        self.last.truncate(self.last.len() - n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_like_a_vector(ops in proptest::collection::vec((any::<bool>(), 0usize..700), 1..40)) {
            let rows = test_row();
            let (mut history, mut model) = (History::default(), Vec::new());
            for (push, n) in ops {
                if push {
                    for i in 0..n {
                        let n_bytes = (model.len() * 7 + i) as u64;
                        let step = Step { row: rows, n_bytes, run: Run::default(), stopped: i % 3 == 0 };
                        history.push(step);
                        model.push(step);
                    }
                } else {
                    let fork = history.clone();
                    history.pop(n);
                    prop_assert_eq!(fork.len(), model.len());
                    prop_assert_eq!(fork.last(), model.last());
                    model.truncate(model.len().saturating_sub(n));
                }
                prop_assert_eq!(history.len(), model.len());
                prop_assert_eq!(history.last(), model.last());
            }
        }
    }

    #[test]
    fn a_long_history_drops_without_recursion() {
        let mut history = History::default();
        for i in 0..1_000_000 {
            history.push(Step { row: test_row(), n_bytes: i, run: Run::default(), stopped: false });
        }
        let fork = history.clone();
        drop(history);
        assert_eq!(fork.len(), 1_000_000);
    }

    fn test_row() -> RowId {
        let mut b = formwork_grammar::GrammarBuilder::new();
        let rule = b.declare("root", formwork_grammar::Place::none());
        let body = b.literal("a");
        b.define(rule, body);
        let grammar = b.build(rule).expect("a grammar");
        let automata =
            formwork_fsm::build(&grammar, &formwork_fsm::Config::default(), &|| false).expect("automata");
        formwork_earley::Rows::new(automata.into(), formwork_earley::Limits::default())
            .start()
            .expect("a row")
    }
}
