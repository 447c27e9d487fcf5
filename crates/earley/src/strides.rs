//! Several bytes at once.
//!
//! A row says what holds between two bytes: which rules have begun there and may end there, and who waits for them. Inside
//! of a name, or of any text that one rule reads by itself, nothing of this changes, and the row between two letters is
//! closed, interned and kept for nobody but the next letter. A *stride* goes from kernel to kernel as long as the kernel's
//! own items are all that can read the next byte, and makes a row only where it ends.
//!
//! They are all that can read it if none of them accepts, since then somebody who waited goes on, and if no rule that they
//! refer to may begin with it. So the row between would have made the same kernel out of the same items. Of counts, the row
//! would have dropped those that others make needless; a kernel of one item has no others.
//!
//! Letters of a literal are [passed](formwork_fsm::Automata::pass) all at once, without states between, also where the name of a
//! member may be another one, as long as nobody else can read them.
//!
//! Rows that are there are taken: a text inside of a string stays in one row. Those that a stride leaves out are not there
//! when it comes again, so texts with steps that nobody remembered are [remembered](crate::memo) as steps of their own, by the
//! number that the caller has for the text.
//!
//! A text that is refused is gone through byte by byte by whoever wants to know where.
//!
//! # Worked example
//! `object ::= "{" "\"name\":" value "}"`, behind `{"`, and `name":` is to be read. The kernel {(s2, t1)} reads `n`, then
//! {(s3, t1)} reads `a`: nothing accepts, and no rule is referred to. After the colon, value is predicted, but there the
//! text ends: one row instead of six.

use crate::limits::LimitExceeded;
use crate::memo::Read;
use crate::rows::{RowId, Rows, read};
use formwork_fsm::Counter;

/// Letters are passed with so many items: a name that is declared, and any other.
const MAX_PASSED: usize = 4;

impl Rows {
    /// The row after several bytes, or `None` if one of them is refused. `number` is the number of the text, if the caller has
    /// numbers for texts: equal numbers, equal texts.
    ///
    /// Costs a few ns when the step was taken lately, else [advancing](Self::advance) byte by byte, but for the rows between,
    /// of which few are made.
    ///
    /// # Errors
    /// A limit; the arena is as before.
    pub fn advance_over(
        &mut self,
        row: RowId,
        bytes: &[u8],
        number: Option<u32>,
    ) -> Result<Option<RowId>, LimitExceeded> {
        // Rows between a mark and its release are not remembered.
        let remembers = self.n_marks == 0;
        let text = number.filter(|_| remembers && bytes.len() > 1).and_then(Read::text);
        if let Some(known) = text.and_then(|text| self.memo.get(row, text)) {
            return Ok(Some(known));
        }
        let (mut at, mut rest, mut is_new) = (row, bytes, false);
        while let Some((&byte, behind)) = rest.split_first() {
            rest = behind;
            let step = (at, Read::byte(byte));
            if remembers {
                if let Some(next) = self.memo.get(at, step.1) {
                    at = next;
                    continue;
                }
            }
            if !self.next_kernel(at, byte)? {
                return Ok(None);
            }
            let (found, hash) = self.find_kernel();
            let n_left = rest.len();
            if found.is_none() {
                while let Some((&byte, behind)) = rest.split_first() {
                    if let Some(n_letters) = self.pass_letters(rest) {
                        rest = &rest[n_letters..];
                        continue;
                    }
                    if !self.is_all_that_reads(byte) {
                        break;
                    }
                    if !self.stride(byte)? {
                        return Ok(None);
                    }
                    rest = behind;
                }
            }
            let has_strode = rest.len() < n_left;
            at = match found {
                Some(row) => row,
                None if has_strode => self.intern_kernel()?,
                None => self.close(hash, false)?,
            };
            is_new = true;
            if remembers && !has_strode {
                self.memo.insert(step.0, step.1, at);
            }
        }
        if let Some(text) = text.filter(|_| is_new) {
            self.memo.insert(row, text, at);
        }
        Ok(Some(at))
    }

    /// Reads what comes of the letters of a literal that an item of the kernel is about to read, and says how many these are; the
    /// others must be about to read the same, or any text but some words. `None` if there are none.
    fn pass_letters(&mut self, bytes: &[u8]) -> Option<usize> {
        let Self { automata, scratch, .. } = self;
        let kernel = &mut scratch.kernel;
        if kernel.len() > MAX_PASSED {
            return None;
        }
        let mut n_letters = None;
        let mut is_literal = [false; MAX_PASSED];
        for (item, is_literal) in kernel.iter().zip(&mut is_literal) {
            if let Some(letters) = automata.literal(item.state) {
                let in_common =
                    |n: &usize| letters.get(*n).is_some_and(|(letter, _)| Some(letter) == bytes.get(*n));
                let n = (0..n_letters.unwrap_or(bytes.len())).take_while(in_common).count();
                (n_letters, *is_literal) = (Some(n), true);
            }
        }
        let letters = &bytes[..n_letters.filter(|&n| n > 0)?];
        let mut passed = [None; MAX_PASSED];
        for ((item, is_literal), passed) in kernel.iter().zip(is_literal).zip(&mut passed) {
            *passed = Some(match is_literal {
                true => automata.pass(item.state, letters.len() as u32)?,
                false => automata.pass_words(item.state, letters)?,
            });
        }
        for (item, passed) in kernel.iter_mut().zip(passed) {
            item.state = passed.unwrap_or(item.state);
        }
        kernel.sort_unstable();
        kernel.dedup();
        Some(letters.len())
    }

    /// Whether the kernel's items are all that can read the byte in the row that they would make.
    fn is_all_that_reads(&self, byte: u8) -> bool {
        let kernel = &self.scratch.kernel;
        kernel.iter().all(|item| {
            let is_plain = match self.automata.counter(item.state.rule()) {
                None => true,
                Some(Counter::Ticks { .. }) => kernel.len() == 1,
                Some(_) => false,
            };
            is_plain
                && !self.automata.is_accepting(item.state)
                && !self.automata.called_bytes(item.state).contains(byte)
        })
    }

    /// The kernel after one more byte; whether there is any.
    fn stride(&mut self, byte: u8) -> Result<bool, LimitExceeded> {
        let Self { automata, sets, scratch, .. } = self;
        std::mem::swap(&mut scratch.kernel, &mut scratch.before);
        scratch.kernel.clear();
        for item in &scratch.before {
            let Some(origin) = item.origin else { return Ok(false) };
            read(automata, sets, item, origin, byte, &mut scratch.kernel);
        }
        self.finish_kernel()
    }
}
