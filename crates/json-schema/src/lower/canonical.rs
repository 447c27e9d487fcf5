//! `numbers: canonical`: each value in one spelling.
//!
//! A number is written without an exponent from 10⁻⁶ up to 10²¹, where ECMAScript (and so RFC 8785) draws the lines, and
//! beyond with one digit before the point: without a plus, a needless zero or `-0`. Whole numbers where no others may stand
//! are digits of any size, which is what typed clients read; so are numbers with `multipleOf`, whose multiples are told
//! digit by digit.
//!
//! What other modules make of a formula has these spellings among others, so the canonical ones are an intersection.

use super::Lowering;
use crate::decimal::Decimal;
use formwork_grammar::{CharClass, ExprId};

/// The power of ten of the first digit from which on a number has an exponent.
const FIRST_LARGE: i64 = 21;
/// The same for small numbers.
const FIRST_SMALL: i64 = -7;

/// Which numbers are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Canonical {
    /// Whole ones, as digits.
    Whole,
    /// Any, none with an exponent.
    Plain,
    /// Any.
    Number,
}

impl Lowering<'_> {
    /// Of these spellings the canonical ones.
    pub(super) fn canonical_among(&mut self, spellings: ExprId, numbers: Canonical) -> ExprId {
        // The spellings bound their digits themselves.
        let canonical = self.canonical_syntax(numbers, None);
        self.b.and([spellings, canonical])
    }

    /// All numbers in their canonical spellings, with at most `max` digits side by side.
    pub(super) fn canonical_syntax(&mut self, numbers: Canonical, max: Option<u32>) -> ExprId {
        if numbers != Canonical::Whole {
            // A number does not end in zeros, so not every digit can be the last.
            self.runs.has_others = true;
        }
        let digit = self.canonical_digits('0', '9');
        let nonzero = self.canonical_digits('1', '9');
        let zero = self.b.literal("0");
        let most = |used: u32| max.map(|max| max.saturating_sub(used));
        let more = match numbers {
            Canonical::Number => self.b.repeat(digit, 0, Some(FIRST_LARGE.unsigned_abs() as u32 - 1)),
            Canonical::Whole => self.runs.run(&mut self.b, digit, 0, 1),
            Canonical::Plain => self.b.repeat(digit, 0, most(1)),
        };
        let whole = self.b.seq([nonzero, more]);
        let minus = self.b.literal("-");
        let minus = self.b.optional(minus);
        if numbers == Canonical::Whole {
            let whole = self.b.seq([minus, whole]);
            return self.b.alt([zero, whole]);
        }
        let point = self.b.literal(".");
        let to_last = self.b.repeat(digit, 0, most(1));
        let fraction = self.b.seq([point, to_last, nonzero]);
        let optional_fraction = self.b.optional(fraction);
        let mut ways = vec![self.b.seq([whole, optional_fraction])];
        if numbers == Canonical::Plain {
            ways.push(self.b.seq([zero, fraction]));
        } else {
            for n_zeros in 0..FIRST_SMALL.unsigned_abs() as u32 - 1 {
                let zeros = self.b.literal("0".repeat(n_zeros as usize));
                let to_last = self.b.repeat(digit, 0, most(n_zeros + 2));
                let longer = self.b.seq([to_last, nonzero]);
                let longer = self.b.optional(longer);
                ways.push(self.b.seq([zero, point, zeros, nonzero, longer]));
            }
            let exponent = self.canonical_exponent(max);
            ways.push(self.b.seq([nonzero, optional_fraction, exponent]));
        }
        let magnitude = self.b.alt(ways);
        let signed = self.b.seq([minus, magnitude]);
        self.b.alt([zero, signed])
    }

    /// Exponents of at least 21 and at most −7.
    fn canonical_exponent(&mut self, max: Option<u32>) -> ExprId {
        let (nonzero, digit) = (self.canonical_digits('1', '9'), self.canonical_digits('0', '9'));
        let mut longer = |min: u32| {
            let more = self.b.repeat(digit, min, max.map(|max| max.saturating_sub(1).max(min)));
            self.b.seq([nonzero, more])
        };
        let (two, three) = (longer(1), longer(2));
        let [mark, minus, two_tens] = ["e", "-", "2"].map(|text| self.b.literal(text));
        let (from_seven, from_one, from_three) =
            (self.canonical_digits('7', '9'), nonzero, self.canonical_digits('3', '9'));
        let twenties = self.b.seq([two_tens, from_one]);
        let tens = self.b.seq([from_three, digit]);
        let small = self.b.alt([from_seven, two]);
        let small = self.b.seq([minus, small]);
        let exponents = self.b.alt([small, twenties, tens, three]);
        self.b.seq([mark, exponents])
    }

    /// One number.
    pub(super) fn canonical_constant(&mut self, value: &Decimal, whole: bool) -> ExprId {
        let mut text = String::from(if value.is_negative() { "-" } else { "" });
        let write = |text: &mut String, digits: &[u8]| {
            text.extend(digits.iter().map(|&digit| char::from(b'0' + digit)));
        };
        let has_exponent = !(FIRST_SMALL + 1..FIRST_LARGE).contains(&value.magnitude());
        let (before, after) = match value.digits().split_first() {
            Some((first, rest)) if has_exponent && !(whole && value.is_integer()) => {
                (vec![*first], rest.to_vec())
            }
            // Written out it would be absurd.
            _ if value.plain_len() > super::number::MAX_WRITTEN_OUT => return self.b.never(),
            _ => value.plain_digits(),
        };
        write(&mut text, &before);
        if !after.is_empty() {
            text.push('.');
            write(&mut text, &after);
        }
        if has_exponent && !(whole && value.is_integer()) {
            text.push_str(&format!("e{}", value.magnitude()));
        }
        self.b.literal(text)
    }

    fn canonical_digits(&mut self, low: char, high: char) -> ExprId {
        self.b.class(CharClass::range(low, high))
    }
}
