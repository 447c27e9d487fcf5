//! The steps of a matcher: shared between forks, cut off by rollback.
//!
//! A list of chunks, newest first. A fork shares all full chunks and copies the last, unfinished one, so it costs the same
//! however long the output is. A step is the row after it and what was accepted, 8 bytes; in a full chunk, where rows repeat
//! as they do inside of a text, the row is written once for each time that it changes, and a step takes 4 bytes.
//!
//! The [run](crate::runs) that the output ends with is kept, the runs before the latest 16 steps, and the run before each
//! chunk: a short rollback looks it up, a longer one counts it again from there, through at most 255 steps.
//!
//! Rows are [forgotten](History::forget) in the middle of long outputs, all but those of the latest steps. What was accepted
//! is not: rolled back further, the matcher accepts it again.

use crate::runs::Run;
use formwork_earley::RowId;
use formwork_fsm::RunBound;
use formwork_vocab::TokenId;
use std::sync::Arc;

/// What one step accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted<'a> {
    /// A token, and whether it ended the output as a stop token.
    Token(TokenId, bool),
    Bytes(&'a [u8]),
}

/// One accepted token or piece of bytes.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The row after it, unless it was forgotten.
    row: RowId,
    /// The token; `STOPPED` is added to one that ended the output; `BYTES` stands for a piece of bytes.
    what: u32,
}

const _: () = assert!(size_of::<Step>() == 8, "a step of the history");

/// Steps before which the run is known: as many as drafts are long.
const RECENT: usize = 16;
/// Ids of tokens are below.
const STOPPED: u32 = 1 << 31;
const BYTES: u32 = STOPPED - 1;

const CHUNK: usize = 256;
/// So many of the latest steps, at least, keep their rows.
const KEPT: usize = CHUNK;

/// The pieces of bytes among some steps.
#[derive(Clone, Debug, Default)]
struct Pieces {
    bytes: Vec<u8>,
    /// Where the pieces end in `bytes`.
    ends: Vec<usize>,
}

impl Pieces {
    fn get(&self, number: usize) -> &[u8] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start..self.ends[number]]
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    /// Takes the last one out; how many bytes it had.
    fn pop(&mut self) -> usize {
        self.ends.pop();
        let end = self.ends.last().copied().unwrap_or_default();
        let n = self.bytes.len() - end;
        self.bytes.truncate(end);
        n
    }

    fn memory_size(&self) -> usize {
        self.bytes.capacity() + size_of::<usize>() * self.ends.capacity()
    }

    /// What steps with these pieces accepted, given what [`Step::what`] says of each.
    fn accepted<'a>(&'a self, what: impl Iterator<Item = u32> + 'a) -> impl Iterator<Item = Accepted<'a>> {
        let mut n_pieces = 0;
        what.map(move |what| match what {
            BYTES => {
                n_pieces += 1;
                Accepted::Bytes(self.get(n_pieces - 1))
            }
            what => Accepted::Token(TokenId::new(what & !STOPPED), what & STOPPED != 0),
        })
    }
}

/// The latest steps and the pieces of bytes among them.
#[derive(Clone, Debug, Default)]
struct Steps {
    /// Where the output is before them, if runs are counted.
    before: Run,
    steps: Vec<Step>,
    pieces: Pieces,
}

impl Steps {
    /// Takes the last step out; how many bytes it had.
    fn pop<'t>(&mut self, text_of: &impl Fn(TokenId) -> &'t [u8]) -> usize {
        let Some(step) = self.steps.pop() else { return 0 };
        match step.what {
            BYTES => self.pieces.pop(),
            what if what & STOPPED != 0 => 0,
            what => text_of(TokenId::new(what)).len(),
        }
    }

    /// Where the output is after them.
    fn run<'t>(&self, text_of: &impl Fn(TokenId) -> &'t [u8], bounds: &[RunBound]) -> Run {
        self.accepted().fold(self.before, |run, accepted| {
            let bytes = match accepted {
                Accepted::Token(_, true) => &[],
                Accepted::Token(token, false) => text_of(token),
                Accepted::Bytes(bytes) => bytes,
            };
            // What was accepted is within the bounds.
            bytes.iter().fold(run, |run, &byte| run.after(byte, bounds).unwrap_or(run))
        })
    }

    fn accepted(&self) -> impl Iterator<Item = Accepted<'_>> {
        self.pieces.accepted(self.steps.iter().map(|step| step.what))
    }
}

/// A full chunk.
#[derive(Debug)]
struct Chunk {
    before: Run,
    /// Of exactly `CHUNK` steps, see [`Step::what`].
    what: Box<[u32]>,
    rows: ChunkRows,
    /// Tokens have none.
    pieces: Option<Box<Pieces>>,
    older: Option<Arc<Chunk>>,
}

const NO_PIECES: &Pieces = &Pieces { bytes: Vec::new(), ends: Vec::new() };

/// The rows after the steps of a chunk.
#[derive(Debug)]
enum ChunkRows {
    Each(Box<[RowId]>),
    /// Where a row differs from the one before: its step, and the row.
    Changes(Box<[(u8, RowId)]>),
}

const _: () = assert!(CHUNK - 1 <= u8::MAX as usize, "the steps of a chunk");

/// What an `Arc` counts with.
const COUNTS: usize = 2 * size_of::<usize>();

impl ChunkRows {
    fn memory_size(&self) -> usize {
        match self {
            Self::Each(rows) => size_of_val(&rows[..]),
            Self::Changes(changes) => size_of_val(&changes[..]),
        }
    }
}

impl Chunk {
    /// Takes the steps out of `from`, whose room stays for the next ones.
    fn of(from: &mut Steps, older: Option<Arc<Self>>) -> Self {
        let (before, pieces) = (from.before, std::mem::take(&mut from.pieces));
        let steps = &from.steps;
        let is_change = |i: usize| i == 0 || steps[i].row != steps[i - 1].row;
        let n_changes = (0..steps.len()).filter(|&i| is_change(i)).count();
        let rows = if size_of::<(u8, RowId)>() * n_changes < size_of::<RowId>() * steps.len() {
            let changes = (0..steps.len()).filter(|&i| is_change(i));
            ChunkRows::Changes(changes.map(|i| (i as u8, steps[i].row)).collect())
        } else {
            ChunkRows::Each(steps.iter().map(|step| step.row).collect())
        };
        let what = steps.iter().map(|step| step.what).collect();
        from.steps.clear();
        Self { before, what, rows, pieces: (!pieces.ends.is_empty()).then(|| Box::new(pieces)), older }
    }

    /// Its steps as they were.
    fn to_steps(&self) -> Steps {
        let mut steps: Vec<Step> = Vec::with_capacity(CHUNK);
        match &self.rows {
            ChunkRows::Each(rows) => {
                steps.extend(rows.iter().zip(&self.what).map(|(&row, &what)| Step { row, what }));
            }
            ChunkRows::Changes(changes) => {
                for (i, &(start, row)) in changes.iter().enumerate() {
                    let end = changes.get(i + 1).map_or(self.what.len(), |next| usize::from(next.0));
                    let what = &self.what[usize::from(start)..end];
                    steps.extend(what.iter().map(|&what| Step { row, what }));
                }
            }
        }
        let pieces = self.pieces.as_deref().cloned().unwrap_or_default();
        Steps { before: self.before, steps, pieces }
    }

    fn last(&self) -> Option<Step> {
        let row = match &self.rows {
            ChunkRows::Each(rows) => rows.last().copied(),
            ChunkRows::Changes(changes) => changes.last().map(|change| change.1),
        };
        row.zip(self.what.last().copied()).map(|(row, what)| Step { row, what })
    }

    fn accepted(&self) -> impl Iterator<Item = Accepted<'_>> {
        self.pieces.as_deref().unwrap_or(NO_PIECES).accepted(self.what.iter().copied())
    }
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
    last: Steps,
    len: usize,
    n_bytes: u64,
    /// Where the output is, if runs are counted.
    run: Run,
    /// Where it was before the latest steps: before step i at `i % RECENT`, for the last `n_recent` steps.
    recent: [Run; RECENT],
    n_recent: usize,
    /// The rows of so many of the oldest steps are forgotten.
    n_forgotten: usize,
}

impl History {
    /// The rows of at most so many of the latest steps are kept when others are forgotten.
    pub(crate) const MAX_KEPT: usize = 2 * CHUNK;

    /// The number of the latest steps whose rows are known, and the step before them.
    pub(crate) fn n_known(&self) -> usize {
        self.len - self.n_forgotten.min(self.len)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of output.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    #[inline]
    fn last(&self) -> Option<Step> {
        self.last.steps.last().copied().or_else(|| self.older.as_ref().and_then(|chunk| chunk.last()))
    }

    /// The row after the last step, if there is one.
    pub(crate) fn row(&self) -> Option<RowId> {
        self.last().map(|step| step.row)
    }

    /// Where the output is, if runs are counted.
    pub(crate) fn run(&self) -> Run {
        self.run
    }

    /// Whether the last step was a stop token that ended the output.
    pub(crate) fn is_stopped(&self) -> bool {
        self.last().is_some_and(|step| step.what & STOPPED != 0)
    }

    /// Whether the row is known after the last `n` steps are taken back.
    pub(crate) fn knows(&self, n: usize) -> bool {
        let left = self.len.saturating_sub(n);
        left == 0 || left > self.n_forgotten
    }

    /// Adds a step, and the row and the run after it; a token has so many bytes.
    pub(crate) fn push(&mut self, (row, run): (RowId, Run), accepted: Accepted<'_>, n_bytes: usize) {
        if self.last.steps.len() == CHUNK {
            self.older = Some(Arc::new(Chunk::of(&mut self.last, self.older.take())));
            self.last.before = self.run;
        }
        let what = match accepted {
            Accepted::Token(token, stopped) => token.get() | if stopped { STOPPED } else { 0 },
            Accepted::Bytes(bytes) => {
                self.last.pieces.push(bytes);
                BYTES
            }
        };
        self.last.steps.push(Step { row, what });
        self.recent[self.len % RECENT] = self.run;
        self.n_recent = (self.n_recent + 1).min(RECENT);
        self.run = run;
        self.len += 1;
        self.n_bytes += n_bytes as u64;
    }

    /// Takes back the last `n` steps, all of them if there are fewer; `text_of` says what a token adds to the output,
    /// `bounds` which runs are counted.
    pub(crate) fn pop<'t>(&mut self, n: usize, text_of: impl Fn(TokenId) -> &'t [u8], bounds: &[RunBound]) {
        let n = n.min(self.len);
        for _ in 0..n {
            self.open_last();
            self.n_bytes -= self.last.pop(&text_of) as u64;
            self.len -= 1;
        }
        if n == 0 || bounds.is_empty() {
            return;
        }
        match self.n_recent.checked_sub(n) {
            Some(left) => {
                self.run = self.recent[self.len % RECENT];
                self.n_recent = left;
            }
            None => {
                self.run = self.last.run(&text_of, bounds);
                self.n_recent = 0;
            }
        }
    }

    /// Makes sure that the last step stands in `last`.
    fn open_last(&mut self) {
        if !self.last.steps.is_empty() {
            return;
        }
        let Some(chunk) = self.older.take() else { return };
        self.last = chunk.to_steps();
        self.older.clone_from(&chunk.older);
    }

    /// Forgets the rows of all but the latest steps, and calls `rename` with the rows of these, oldest first, to be changed in
    /// place.
    pub(crate) fn forget(&mut self, rename: impl FnOnce(&mut [RowId])) {
        let missing = KEPT.saturating_sub(self.last.steps.len());
        let mut rows: Vec<RowId> = Vec::with_capacity(KEPT + self.last.steps.len());
        // The chunk before may be shared with forks, whose rows are not renamed.
        let before = if missing > 0 { self.older.take() } else { None };
        let mut steps = before.as_ref().map(|chunk| chunk.to_steps());
        let n_before = steps.as_ref().map_or(0, |steps| steps.steps.len());
        rows.extend(steps.iter().flat_map(|steps| &steps.steps).chain(&self.last.steps).map(|step| step.row));
        rename(&mut rows);
        let own = steps.iter_mut().flat_map(|steps| &mut steps.steps).chain(&mut self.last.steps);
        own.zip(&rows).for_each(|(step, &row)| step.row = row);
        if let (Some(mut steps), Some(before)) = (steps, before) {
            self.older = Some(Arc::new(Chunk::of(&mut steps, before.older.clone())));
        }
        self.n_forgotten = self.len - n_before - self.last.steps.len();
    }

    /// Heap memory in bytes, chunks that forks share included. Cost: a look at each chunk.
    pub(crate) fn memory_size(&self) -> usize {
        let mut n_bytes = size_of_val(&self.last.steps[..]) + self.last.pieces.memory_size();
        let mut next = self.older.as_ref();
        while let Some(chunk) = next {
            n_bytes += COUNTS + size_of::<Chunk>() + size_of_val(&chunk.what[..]) + chunk.rows.memory_size();
            n_bytes += chunk.pieces.as_ref().map_or(0, |pieces| size_of::<Pieces>() + pieces.memory_size());
            next = chunk.older.as_ref();
        }
        n_bytes
    }

    /// Calls `visit` with everything that was accepted, oldest first, until it fails.
    pub(crate) fn try_each<E>(&self, mut visit: impl FnMut(Accepted<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut chunks = Vec::new();
        let mut next = self.older.as_ref();
        while let Some(chunk) = next {
            chunks.push(Arc::clone(chunk));
            next = chunk.older.as_ref();
        }
        let chunks = chunks.iter().rev().flat_map(|chunk| chunk.accepted());
        chunks.chain(self.last.accepted()).try_for_each(&mut visit)
    }

    /// Calls `again` with everything that was accepted, oldest first, for the row after it; the rows of the latest steps are
    /// known again then. `None` where it fails: then nothing has changed.
    pub(crate) fn replay(&mut self, mut again: impl FnMut(Accepted<'_>) -> Option<RowId>) -> Option<()> {
        let mut rows = Vec::with_capacity(self.len);
        self.try_each(|accepted| {
            rows.push(again(accepted).ok_or(())?);
            Ok::<(), ()>(())
        })
        .ok()?;
        self.forget(|latest| latest.copy_from_slice(&rows[rows.len() - latest.len()..]));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a step was, for a model: a token, or bytes.
    #[derive(Clone, Debug, PartialEq)]
    enum Model {
        Token(u32, bool),
        Bytes(Vec<u8>),
    }

    /// What tokens stand for.
    const TEXTS: [&[u8]; 7] = [b"", b" ", b"  \t", b"\"", b"12", b"\\", b"a \" 3"];

    fn text_of(token: TokenId) -> &'static [u8] {
        TEXTS[token.index() % 7]
    }

    fn bounds() -> [RunBound; 2] {
        let bound =
            |low, high| RunBound { bytes: formwork_grammar::ByteSet::range(low, high), max: u32::MAX };
        [bound(b'\t', b' '), bound(b'0', b'9')]
    }

    fn after(run: Run, bytes: &[u8]) -> Run {
        bytes.iter().fold(run, |run, &byte| run.after(byte, &bounds()).expect("no bound"))
    }

    fn check(history: &History, steps: &[(Model, RowId)]) {
        let (model, rows): (Vec<Model>, Vec<RowId>) = steps.iter().cloned().unzip();
        assert_eq!((history.len(), history.row()), (model.len(), rows.last().copied()));
        let texts = model.iter().map(|step| match step {
            Model::Token(_, true) => &[],
            Model::Token(token, false) => text_of(TokenId::new(*token)),
            Model::Bytes(bytes) => bytes,
        });
        let output: Vec<u8> = texts.flatten().copied().collect();
        assert_eq!(history.n_bytes(), output.len() as u64);
        assert_eq!(history.run(), after(Run::default(), &output));
        assert_eq!(history.is_stopped(), matches!(model.last(), Some(Model::Token(_, true))));
        let mut seen = Vec::new();
        let row = test_rows()[0];
        let done = history.clone().replay(|accepted| {
            seen.push(match accepted {
                Accepted::Token(token, stopped) => Model::Token(token.get(), stopped),
                Accepted::Bytes(bytes) => Model::Bytes(bytes.to_vec()),
            });
            Some(row)
        });
        assert!(seen == model && done.is_some(), "{} steps are not the same", model.len());
    }

    proptest! {
        #[test]
        fn behaves_like_a_vector(ops in proptest::collection::vec((0..4, 0usize..700), 1..30)) {
            let rows = test_rows();
            let (mut history, mut model) = (History::default(), Vec::new());
            for (op, n) in ops {
                // The same one, as in a text, one after the other, and some times the same.
                let row_at = |i: usize| rows[[0, i, i / 7][n % 3] % rows.len()];
                match op {
                    0 | 1 => for i in 0..n {
                        let token = TokenId::new((model.len() * 3 + i) as u32);
                        let row = row_at(i);
                        if i % 5 == 4 {
                            let bytes = b" 1\"  "[..i % 5].to_vec();
                            history.push((row, after(history.run(), &bytes)), Accepted::Bytes(&bytes), bytes.len());
                            model.push((Model::Bytes(bytes), row));
                        } else {
                            let stopped = i % 7 == 3;
                            let text = if stopped { &[] } else { text_of(token) };
                            history.push((row, after(history.run(), text)), Accepted::Token(token, stopped), text.len());
                            model.push((Model::Token(token.get(), stopped), row));
                        }
                    },
                    2 => history.forget(|_| {}),
                    _ => {
                        let fork = history.clone();
                        history.pop(n, text_of, &bounds());
                        check(&fork, &model);
                        model.truncate(model.len().saturating_sub(n));
                    }
                }
                check(&history, &model);
            }
        }
    }

    #[test]
    fn rows_of_the_latest_steps_are_kept() {
        let row = test_rows()[0];
        let mut history = History::default();
        for i in 0..1_000 {
            history.push((row, Run::default()), Accepted::Token(TokenId::new(i), false), 1);
        }
        let mut n_kept = 0;
        history.forget(|rows| n_kept = rows.len());
        assert!((KEPT..=2 * KEPT).contains(&n_kept), "{n_kept}");
        assert!(history.knows(n_kept - 1) && history.knows(1_000));
        assert!(!history.knows(n_kept));
        history.pop(n_kept, |_| b"a", &[]);
        assert!(!history.knows(0));
    }

    #[test]
    fn a_long_history_drops_without_recursion() {
        let row = test_rows()[0];
        let mut history = History::default();
        for _ in 0..1_000_000 {
            history.push((row, Run::default()), Accepted::Token(TokenId::new(1), false), 1);
        }
        let fork = history.clone();
        drop(history);
        assert_eq!(fork.len(), 1_000_000);
    }

    /// Some rows that differ.
    fn test_rows() -> Vec<RowId> {
        let mut b = formwork_grammar::GrammarBuilder::new();
        let rule = b.declare("root", formwork_grammar::Place::none());
        let body = b.literal("abcde");
        b.define(rule, body);
        let grammar = b.build(rule).expect("a grammar");
        let automata =
            formwork_fsm::build(&grammar, &formwork_fsm::Config::default(), &|| false).expect("automata");
        let mut rows = formwork_earley::Rows::new(automata.into(), formwork_earley::Limits::default());
        let start = rows.start().expect("a row");
        let steps = b"abcde".iter().scan(start, |row, &byte| {
            *row = rows.advance(*row, byte).ok()??;
            Some(*row)
        });
        let all: Vec<RowId> = std::iter::once(start).chain(steps).collect();
        assert!(all.len() == 6 && all.windows(2).all(|pair| pair[0] != pair[1]));
        all
    }
}
