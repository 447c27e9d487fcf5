//! Follows one output: masks, accepting, rollback, forks.

use crate::arena::{Arena, Held};
use crate::compiled::CompiledGrammar;
use crate::error::{AcceptError, AcceptErrorKind, MaskError, RollbackError};
use crate::history::{Accepted, History};
use crate::kept::KeptMask;
use crate::runs::Run;
use formwork_earley::{LimitExceeded, RowId, Rows};
use formwork_grammar::ByteSet;
use formwork_mask::Target;
use formwork_vocab::{TokenId, TokenKind};
use std::fmt;

/// Follows one output of a model. Owned by its caller, `Send`; everything that changes while decoding lives here.
///
/// # After the end
/// Once a stop token is accepted the output is finished: the mask allows stop tokens only, accepting anything is an error
/// of kind [`Finished`](AcceptErrorKind::Finished), and [`rollback`](Self::rollback) works as always. So a draft that runs
/// past the end is refused at the right token and can be rolled back.
///
/// # Budgets of tokens
/// A rule with a [budget](formwork_grammar::Rule::budget) is a region of which at most so many tokens may have a part, each
/// time that it is read: those that begin before it or go on behind it count, too. When they are used up, only what ends the
/// region is allowed. A token that leaves the region so that it takes n more bytes to end is allowed if n more tokens are
/// left, so that it can always be ended. [Bytes](Self::accept_bytes) that are accepted as such count as no token.
///
/// # Tokens as symbols
/// Where the grammar names tokens, the mask has those ids, and accepting one is the symbol. A text token may be read both
/// ways, by its bytes and as a symbol; then whatever either way allows may follow.
/// A stop token that the grammar names follows the grammar first: where the grammar can read it, accepting it is the
/// symbol, and if the output may then end and cannot go on, it [is finished](Self::is_finished). Anywhere else it is a stop
/// token as ever. `ExcludeToken`, every token but some, never means a stop token of the request.
pub struct Matcher {
    compiled: CompiledGrammar,
    arena: Held,
    history: History,
    /// Ascending.
    stop_tokens: Vec<TokenId>,
    ends_without_stop: bool,
    max_rollback: Option<usize>,
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher")
            .field("n_steps", &self.history.len())
            .field("n_bytes", &self.n_bytes())
            .field("rows", &self.arena.rows)
            .finish_non_exhaustive()
    }
}

/// Configures a [`Matcher`].
#[derive(Clone, Debug)]
pub struct MatcherBuilder {
    compiled: CompiledGrammar,
    stop_tokens: Option<Vec<TokenId>>,
    ends_without_stop: bool,
    max_rollback: Option<usize>,
}

impl MatcherBuilder {
    /// The stop tokens of this request, instead of the vocabulary's.
    #[must_use]
    pub fn stop_tokens<T: Copy + Into<TokenId>>(mut self, tokens: &[T]) -> Self {
        self.stop_tokens = Some(tokens.iter().map(|&token| token.into()).collect());
        self
    }

    /// Whether the output is [finished](Matcher::is_finished) as soon as it may end and cannot go on, without a stop token.
    /// Default no.
    #[must_use]
    pub fn ends_without_stop(mut self, yes: bool) -> Self {
        self.ends_without_stop = yes;
        self
    }

    /// The most steps that can be rolled back; default without bound.
    #[must_use]
    pub fn max_rollback(mut self, steps: usize) -> Self {
        self.max_rollback = Some(steps);
        self
    }

    /// The matcher, at the beginning of an output.
    pub fn build(self) -> Matcher {
        let mut stop_tokens =
            self.stop_tokens.unwrap_or_else(|| self.compiled.vocabulary().stop_tokens().to_vec());
        stop_tokens.sort_unstable();
        stop_tokens.dedup();
        // Ids that the vocabulary does not have can never come.
        stop_tokens.retain(|&token| self.compiled.vocabulary().kind(token) != TokenKind::Hole);
        let arena = self.compiled.arena().unwrap_or_else(|_| unreachable!("compile has made the start row"));
        Matcher {
            arena: Held::new(arena),
            history: History::default(),
            stop_tokens,
            ends_without_stop: self.ends_without_stop,
            max_rollback: self.max_rollback,
            compiled: self.compiled,
        }
    }
}

impl Drop for Matcher {
    /// Leaves the rows to the next matcher of the grammar.
    fn drop(&mut self) {
        self.compiled.keep(&mut self.arena);
    }
}

/// Why something is not accepted, and where: all that an error says is found there once somebody wants to know it.
///
/// PERF: a special token is refused as text before it is accepted as a symbol, and which symbols could have come takes longer
/// to write than all the rest of the step.
#[derive(Clone, Copy)]
struct Refusal {
    kind: AcceptErrorKind,
    /// The row and the run that were reached.
    place: (RowId, Run),
    /// The bytes before, and the one that is refused.
    accepted: usize,
    byte: Option<u8>,
}

/// The row and the run after some bytes, those of `token` if there is one, if nothing is wrong with them.
#[inline]
fn advance_over(
    rows: &mut Rows,
    row: RowId,
    run: Run,
    bytes: &[u8],
    token: Option<TokenId>,
) -> Option<(RowId, Run)> {
    let bounds = rows.automata().runs();
    let run = match bounds {
        [] => run,
        _ => bytes.iter().try_fold(run, |run, &byte| run.after(byte, bounds))?,
    };
    let row = rows.advance_over(row, bytes, token.map(TokenId::get)).ok()??;
    Some((row, run))
}

impl Matcher {
    /// A matcher at the beginning of an output, with the vocabulary's stop tokens.
    pub fn new(compiled: &CompiledGrammar) -> Self {
        Self::builder(compiled).build()
    }

    /// Sets stop tokens and the like first.
    pub fn builder(compiled: &CompiledGrammar) -> MatcherBuilder {
        MatcherBuilder {
            compiled: compiled.clone(),
            stop_tokens: None,
            ends_without_stop: false,
            max_rollback: None,
        }
    }

    /// The compiled grammar.
    pub fn compiled(&self) -> &CompiledGrammar {
        &self.compiled
    }

    /// The tokens that end the output, ascending.
    pub fn stop_tokens(&self) -> &[TokenId] {
        &self.stop_tokens
    }

    /// Writes which tokens may come next into `mask`: one bit per id, least significant first. Holes, padding and words
    /// beyond the vocabulary are 0. Returns whether the mask forbids any real id.
    ///
    /// Cost: on real schemas about a microsecond for a row not met before, the copying of a mask for one that was.
    ///
    /// # Errors
    /// The buffer is too short; a limit on rows. The matcher is as before.
    pub fn fill_mask(&mut self, mask: &mut [u32]) -> Result<bool, MaskError> {
        self.fill(&mut Target::new(mask))
    }

    /// As [`fill_mask`](Self::fill_mask), into a buffer that nobody else writes to: what this mask has in common with the one
    /// before is not written again. It may be one matcher after the other that fills it, of any grammars of the vocabulary.
    ///
    /// Cost: for a row met before a few words instead of the copying, where the mask before was of the same kind: inside of a
    /// text after text, between members after between members.
    ///
    /// # Errors
    /// As `fill_mask`.
    pub fn fill_kept<M: AsRef<[u32]> + AsMut<[u32]>>(
        &mut self,
        mask: &mut KeptMask<M>,
    ) -> Result<bool, MaskError> {
        self.fill(&mut mask.target())
    }

    fn fill(&mut self, mask: &mut Target<'_>) -> Result<bool, MaskError> {
        let needed = self.compiled.vocabulary().mask_words();
        let given = mask.as_words().len();
        if given < needed {
            return Err(MaskError::BufferTooShort { needed, given });
        }
        let row = self.row();
        let finished = self.is_finished();
        if finished {
            mask.words().fill(0);
        } else {
            self.arena.fill(&self.compiled, row, mask)?;
            if let Some(long_runs) = self.compiled.long_runs() {
                long_runs.forbid(self.compiled.vocabulary(), self.run(), mask);
            }
            self.fill_symbols(row, mask, true);
        }
        for &stop in &self.stop_tokens {
            mask.clear(stop);
        }
        if !finished {
            self.fill_symbols(row, mask, false);
            self.forbid_late(row, mask)?;
        }
        if finished || self.arena.rows.is_accepting(row) {
            for &stop in &self.stop_tokens {
                mask.set(stop);
            }
        }
        Ok(self.compiled.is_partial(mask.as_words()))
    }

    /// Adds the ids of the symbols that the row waits for: of the sets given by what is not in them, or of the others.
    fn fill_symbols(&self, row: RowId, mask: &mut Target<'_>, negated: bool) {
        let sets = self.arena.rows.symbol_rules(row).filter_map(|rule| self.compiled.symbol_ids(rule));
        for ids in sets.filter(|ids| ids.is_negated() == negated) {
            ids.add_to(mask, self.compiled.real());
        }
    }

    /// Accepts one token: exactly those whose bits [`fill_mask`](Self::fill_mask) sets, or a limit is reported.
    ///
    /// # Errors
    /// Says where in the output the token was refused and what could have come instead; the matcher is as before.
    pub fn accept_token(&mut self, token: impl Into<TokenId>) -> Result<(), AcceptError> {
        let token = token.into();
        self.accept_id(token).map_err(|error| AcceptError { token: Some(token), ..error })
    }

    fn accept_id(&mut self, token: TokenId) -> Result<(), AcceptError> {
        if self.is_stopped() {
            return Err(self.error(self.refusal(AcceptErrorKind::Finished, self.row())));
        }
        let after = self.after_token((self.row(), self.run()), token);
        let (place, stopped, n_bytes) = after.map_err(|refusal| self.error(refusal))?;
        self.push(place, Accepted::Token(token, stopped), n_bytes);
        Ok(())
    }

    /// The row and the run after a token, whether the token ends the output, and its bytes of output.
    fn after_token(
        &mut self,
        (row, run): (RowId, Run),
        token: TokenId,
    ) -> Result<((RowId, Run), bool, usize), Refusal> {
        if self.stop_tokens.binary_search(&token).is_ok() {
            // Which tokens end the output is this matcher's own, and no one's to remember.
            let symbol = match self.after_symbol(row, token, None)? {
                Some(row) => self
                    .arena
                    .rows
                    .end_steps(row, 1)
                    .map_err(|limit| self.refusal(AcceptErrorKind::Limit(limit), row))?,
                None => None,
            };
            if symbol.is_none() && !self.arena.rows.is_accepting(row) {
                return Err(self.refusal(AcceptErrorKind::NotComplete, row));
            }
            let row = symbol.unwrap_or(row);
            // As a symbol it ends the output only if nothing else can come.
            let stopped = symbol.is_none() || self.must_end(row);
            return Ok(((row, run), stopped, 0));
        }
        // PERF: most tokens are text that is accepted; nothing is looked up of them to say what was wrong.
        let bytes = self.compiled.vocabulary().text(token).filter(|bytes| !bytes.is_empty());
        let after = bytes.and_then(|bytes| advance_over(&mut self.arena.rows, row, run, bytes, Some(token)));
        if let (Some(bytes), Some((after, run)), false) =
            (bytes, after, self.arena.rows.waits_for_symbols(row))
        {
            let n_bytes = bytes.len();
            return Ok(((self.end_steps(after, 1)?, run), false, n_bytes));
        }
        let vocabulary = self.compiled.vocabulary().clone();
        let bytes = vocabulary.text(token).unwrap_or_default();
        let by_text = match (bytes, after) {
            ([], _) => None,
            (_, Some(after)) => Some(Ok(after)),
            (_, None) => Some(self.advance_by_bytes(row, run, bytes)),
        };
        let by_symbol = self.after_symbol(row, token, Some(token.get()))?;
        // Where symbols are named nobody counts runs.
        let place = match (by_text, by_symbol) {
            (Some(Ok(text)), None) => text,
            (Some(Ok((text, run))), Some(symbol)) => match self.arena.rows.union(text, symbol) {
                Ok(row) => (row, run),
                Err(limit) => return Err(self.refusal(AcceptErrorKind::Limit(limit), row)),
            },
            (Some(Err(refusal)), _) if matches!(refusal.kind, AcceptErrorKind::Limit(_)) => {
                return Err(refusal);
            }
            (Some(Err(refusal)), None) => return Err(refusal),
            (Some(Err(_)) | None, Some(symbol)) => (symbol, run),
            (None, None) => {
                let is_hole = vocabulary.kind(token) == TokenKind::Hole;
                let kind = if is_hole { AcceptErrorKind::UnknownToken } else { AcceptErrorKind::NotText };
                return Err(self.refusal(kind, row));
            }
        };
        let (row, run) = place;
        Ok(((self.end_steps(row, 1)?, run), false, bytes.len()))
    }

    /// The row and the run after a piece of bytes.
    fn after_bytes(&mut self, (row, run): (RowId, Run), bytes: &[u8]) -> Result<(RowId, Run), Refusal> {
        let after = advance_over(&mut self.arena.rows, row, run, bytes, None);
        let (row, run) = after.map_or_else(|| self.advance_by_bytes(row, run, bytes), Ok)?;
        Ok((self.end_steps(row, 0)?, run))
    }

    /// The row where a token ends, or a piece of bytes, which counts as none.
    fn end_steps(&mut self, row: RowId, n_steps: u32) -> Result<RowId, Refusal> {
        match self.arena.rows.end_steps(row, n_steps) {
            Ok(Some(row)) => Ok(row),
            Ok(None) => Err(self.refusal(AcceptErrorKind::Budget, self.row())),
            Err(limit) => Err(self.refusal(AcceptErrorKind::Limit(limit), row)),
        }
    }

    /// Whether a token other than a stop token is accepted at a row.
    pub(crate) fn allows(&mut self, row: RowId, token: TokenId) -> Result<bool, LimitExceeded> {
        let mark = self.arena.rows.mark();
        let after = self.after_token((row, self.run()), token);
        self.arena.rows.release(mark);
        match after {
            Ok(_) => Ok(true),
            Err(Refusal { kind: AcceptErrorKind::Limit(limit), .. }) => Err(limit),
            Err(_) => Ok(false),
        }
    }

    /// Adds a step; forgets rows that no step needs any more where the arena has grown.
    fn push(&mut self, place: (RowId, Run), accepted: Accepted<'_>, n_bytes: usize) {
        self.history.push(place, accepted, n_bytes);
        if self.arena.is_full() {
            self.history.forget(|latest| self.arena.collect(latest));
        }
    }

    /// Takes back the last `n` steps. Where the row before them was forgotten, all that is left is accepted again.
    ///
    /// # Errors
    /// A limit: nothing has changed.
    fn take_back(&mut self, n: usize) -> Result<(), LimitExceeded> {
        let (vocabulary, stops) = (self.compiled.vocabulary().clone(), self.stop_tokens.clone());
        let text_of = |token| match stops.binary_search(&token) {
            Ok(_) => &[],
            Err(_) => vocabulary.text(token).unwrap_or_default(),
        };
        let bounds = self.arena.rows.automata().runs();
        if self.history.knows(n) {
            self.history.pop(n, text_of, bounds);
            return Ok(());
        }
        let mut history = self.history.clone();
        history.pop(n, text_of, bounds);
        let before = std::mem::replace(&mut self.arena, Held::new(Arena::new(&self.compiled)?));
        if self.replay(&mut history).is_none() {
            self.arena = before;
            return Err(LimitExceeded::Bytes);
        }
        self.history = history;
        Ok(())
    }

    /// Accepts all steps of a history again, from the first row.
    fn replay(&mut self, history: &mut History) -> Option<()> {
        let mut left = history.len();
        let (mut row, mut run) = (self.arena.start, Run::default());
        history.replay(|accepted| {
            (row, run) = match accepted {
                Accepted::Token(token, _) => self.after_token((row, run), token).ok()?.0,
                Accepted::Bytes(bytes) => self.after_bytes((row, run), bytes).ok()?,
            };
            left -= 1;
            // Rows of steps far from the end will be forgotten again.
            if left > History::MAX_KEPT && self.arena.is_full() {
                self.arena.collect(std::slice::from_mut(&mut row));
            }
            Some(row)
        })
    }

    /// The row after a token as a symbol, if the row waits for it. `number` is the token's, if the step is to be remembered.
    fn after_symbol(
        &mut self,
        row: RowId,
        token: TokenId,
        number: Option<u32>,
    ) -> Result<Option<RowId>, Refusal> {
        if !self.arena.rows.waits_for_symbols(row) {
            return Ok(None);
        }
        let (compiled, stops) = (&self.compiled, &self.stop_tokens);
        let is_member = |rule| {
            compiled.symbol_ids(rule).is_some_and(|ids| ids.contains(compiled.vocabulary(), stops, token))
        };
        match self.arena.rows.advance_symbol(row, number, is_member) {
            Ok(next) => Ok(next),
            Err(limit) => Err(self.refusal(AcceptErrorKind::Limit(limit), row)),
        }
    }

    /// Accepts bytes, all or none, as one step of the history. They count as no token of a budget.
    ///
    /// # Errors
    /// As [`accept_token`](Self::accept_token).
    pub fn accept_bytes(&mut self, bytes: &[u8]) -> Result<(), AcceptError> {
        if self.is_stopped() {
            return Err(self.error(self.refusal(AcceptErrorKind::Finished, self.row())));
        }
        let after = self.after_bytes((self.row(), self.run()), bytes);
        let place = after.map_err(|refusal| self.error(refusal))?;
        self.push(place, Accepted::Bytes(bytes), bytes.len());
        Ok(())
    }

    /// The row and the run after some bytes, byte by byte, to say where it fails.
    fn advance_by_bytes(&mut self, from: RowId, run: Run, bytes: &[u8]) -> Result<(RowId, Run), Refusal> {
        let (mut row, mut run) = (from, run);
        for (accepted, &byte) in bytes.iter().enumerate() {
            let kind = match self.step(row, run, byte) {
                Ok(Some(next)) => {
                    (row, run) = next;
                    continue;
                }
                Ok(None) => AcceptErrorKind::Refused,
                Err(limit) => AcceptErrorKind::Limit(limit),
            };
            return Err(Refusal { kind, place: (row, run), accepted, byte: Some(byte) });
        }
        Ok((row, run))
    }

    /// One more byte, if it may come.
    #[inline]
    fn step(&mut self, row: RowId, run: Run, byte: u8) -> Result<Option<(RowId, Run)>, LimitExceeded> {
        let bounds = self.arena.rows.automata().runs();
        if bounds.is_empty() {
            return Ok(self.arena.rows.advance(row, byte)?.map(|row| (row, run)));
        }
        let Some(run) = run.after(byte, bounds) else { return Ok(None) };
        Ok(self.arena.rows.advance(row, byte)?.map(|row| (row, run)))
    }

    /// The bytes that some item of the row reads, but those of a run that may get no longer.
    fn next_bytes(&self, row: RowId, run: Run) -> ByteSet {
        let next = *self.arena.rows.next_bytes(row);
        match run.is_full(self.arena.rows.automata().runs()) {
            Some(bound) => next.difference(&bound.bytes),
            None => next,
        }
    }

    fn refusal(&self, kind: AcceptErrorKind, row: RowId) -> Refusal {
        Refusal { kind, place: (row, self.run()), accepted: 0, byte: None }
    }

    fn error(&self, refusal: Refusal) -> AcceptError {
        let Refusal { kind, place: (row, run), accepted, byte } = refusal;
        AcceptError {
            kind,
            token: None,
            offset: self.n_bytes() + accepted as u64,
            accepted,
            refused: byte,
            expected: self.next_bytes(row, run),
            expected_symbols: self.symbols_after(row),
            can_finish: self.arena.rows.is_accepting(row),
        }
    }

    /// What the grammar calls the symbols that may come next.
    fn symbols_after(&self, row: RowId) -> Vec<String> {
        let automata = self.arena.rows.automata();
        let sets = self.arena.rows.symbol_rules(row).filter_map(|rule| automata.symbols(rule));
        sets.map(ToString::to_string).collect()
    }

    /// How many of these tokens would be accepted one after the other. The matcher is as before.
    pub fn validate_tokens<T: Copy + Into<TokenId>>(&mut self, tokens: &[T]) -> usize {
        let before = self.history.len();
        let n = tokens.iter().take_while(|&&token| self.accept_token(token).is_ok()).count();
        let taken_back = self.take_back(self.history.len() - before);
        debug_assert!(taken_back.is_ok(), "what was accepted once is accepted again");
        n
    }

    /// Takes back the last `n` successful accepts, a stop token included.
    ///
    /// # Errors
    /// There are fewer, or the builder bounded them; nothing was taken back.
    pub fn rollback(&mut self, n: usize) -> Result<(), RollbackError> {
        let possible = self.history.len().min(self.max_rollback.unwrap_or(usize::MAX));
        if n > possible {
            return Err(RollbackError { asked: n, possible });
        }
        self.take_back(n).map_err(|_| RollbackError { asked: n, possible: self.history.n_known() })
    }

    /// A matcher in the same place, independent from now on. The history is shared, not copied.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            compiled: self.compiled.clone(),
            arena: Held::new(self.arena.fork()),
            history: self.history.clone(),
            stop_tokens: self.stop_tokens.clone(),
            ends_without_stop: self.ends_without_stop,
            max_rollback: self.max_rollback,
        }
    }

    /// Back to the beginning of an output.
    pub fn reset(&mut self) {
        self.history = History::default();
    }

    /// Whether the output may end here.
    pub fn can_finish(&self) -> bool {
        self.arena.rows.is_accepting(self.row())
    }

    /// Whether a stop token was accepted; or, if the builder said so, the output can only end here.
    pub fn is_finished(&self) -> bool {
        self.is_stopped() || self.ends_without_stop && self.must_end(self.row())
    }

    /// Whether the output may end here and cannot go on.
    fn must_end(&self, row: RowId) -> bool {
        self.arena.rows.is_accepting(row)
            && self.arena.rows.next_bytes(row).is_empty()
            && !self.arena.rows.waits_for_symbols(row)
    }

    fn is_stopped(&self) -> bool {
        self.history.is_stopped()
    }

    /// The bytes that must come next, whatever the model says: empty if there is a choice, or the output may end here.
    ///
    /// Stops at a choice, at a place where the output may end or a token may come as a symbol, and at 64 KiB.
    pub fn forced_bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.is_finished() {
            return bytes;
        }
        let mark = self.arena.rows.mark();
        let (mut row, mut run) = (self.row(), self.run());
        while bytes.len() < 1 << 16 && !self.arena.rows.is_accepting(row) {
            let Some((byte, next)) = self.only_byte(row, run) else { break };
            bytes.push(byte);
            (row, run) = next;
        }
        self.arena.rows.release(mark);
        bytes
    }

    /// The only byte that may come next and the row after it, if there is only one.
    fn only_byte(&mut self, row: RowId, run: Run) -> Option<(u8, (RowId, Run))> {
        if self.arena.rows.waits_for_symbols(row) {
            return None;
        }
        let candidates = self.next_bytes(row, run);
        if self.arena.rows.is_exact(row) && candidates.len() != 1 {
            return None;
        }
        let mut only = None;
        for byte in candidates.iter() {
            match self.step(row, run, byte) {
                Ok(Some(next)) if only.is_none() => only = Some((byte, next)),
                Ok(None) => {}
                _ => return None,
            }
        }
        only
    }

    /// Bytes of output accepted so far.
    pub fn n_bytes(&self) -> u64 {
        self.history.n_bytes()
    }

    /// Steps accepted so far.
    pub fn n_steps(&self) -> usize {
        self.history.len()
    }

    /// Heap memory of the rows, in bytes, about. It depends on the different contexts of the latest steps, not on the length of
    /// the output: what no step of these needs is forgotten, and made again by a rollback that goes further.
    pub fn memory_size(&self) -> usize {
        self.arena.rows.memory_size()
    }

    /// Heap memory of what was accepted, in bytes, what forks share included: about 4.5 a token inside of a text, 8.5 where
    /// each token leads to another row.
    ///
    /// Cost: some nanoseconds for each 256 tokens.
    pub fn history_size(&self) -> usize {
        self.history.memory_size()
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.arena.rows
    }

    pub(crate) fn rows_mut(&mut self) -> &mut Rows {
        &mut self.arena.rows
    }

    fn run(&self) -> Run {
        self.history.run()
    }

    fn row(&self) -> RowId {
        self.history.row().unwrap_or(self.arena.start)
    }
}
