//! Comparing digits: which spellings of numbers lie above or below a bound, as expressions over characters.
//!
//! Two syntaxes: *plain* (`12`, `0.5`), where the comparison runs along the digits, and *scientific* (`1.5e-7`, one
//! digit that is not zero before the point), where it compares exponents and then mantissas. Magnitudes have no sign.

use crate::decimal::Decimal;
use formwork_grammar::{CharClass, ExprId, GrammarBuilder};

/// Which side of a bound a magnitude lies on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
}

/// Builds comparisons into a grammar.
pub(super) struct Comparer<'b> {
    pub(super) b: &'b mut GrammarBuilder,
    pub(super) runs: &'b mut DigitRuns,
}

/// The bound on the digits of numbers that stand side by side.
#[derive(Default)]
pub(super) struct DigitRuns {
    pub(super) max: Option<u32>,
    /// The repetitions that are bounded for nothing else.
    pub(super) repetitions: Vec<ExprId>,
    /// Some number may not end after as many digits as there may be, or has more by itself.
    pub(super) has_others: bool,
}

impl DigitRuns {
    /// `digit` at least `min` times where `used` digits stand before: any number of times, or up to the bound.
    pub(super) fn run(&mut self, b: &mut GrammarBuilder, digit: ExprId, min: u32, used: u32) -> ExprId {
        let Some(max) = self.max else { return b.repeat(digit, min, None) };
        let run = b.repeat(digit, min, Some(max.saturating_sub(used)));
        self.repetitions.push(run);
        run
    }
}

/// Of the digits that an exponent may have, one in so many may be a leading zero, where digits are bounded.
const ZEROS: u32 = 4;

impl Comparer<'_> {
    fn digits(&mut self, low: u8, high: u8) -> ExprId {
        let digit = |d: u8| char::from(b'0' + d.min(9));
        if low > high {
            return self.b.never();
        }
        self.b.class(CharClass::range(digit(low), digit(high)))
    }

    fn digit(&mut self) -> ExprId {
        self.digits(0, 9)
    }

    fn written(&mut self, digits: &[u8]) -> ExprId {
        let text: Vec<u8> = digits.iter().map(|d| b'0' + d).collect();
        self.b.literal(text)
    }

    fn run(&mut self, digit: ExprId, min: u32, used: usize) -> ExprId {
        self.runs.run(self.b, digit, min, u32::try_from(used).unwrap_or(u32::MAX))
    }

    /// Digits that differ from `digits` in the direction of `side` at some place, and anything after that; `first_low`
    /// is the least first digit. With `same_length`, exactly as many digits; else any number.
    fn differs(&mut self, digits: &[u8], side: Side, first_low: u8, same_length: bool) -> ExprId {
        let any = self.digit();
        let mut from_here = self.b.never();
        for (i, &d) in digits.iter().enumerate().rev() {
            let low = if i == 0 { first_low } else { 0 };
            let step = match side {
                Side::Above => self.digits((d + 1).max(low), 9),
                Side::Below if d == 0 => self.b.never(),
                Side::Below => self.digits(low, d - 1),
            };
            let n_after = u32::try_from(digits.len() - i - 1).unwrap_or(u32::MAX);
            let rest = if same_length {
                self.b.repeat(any, n_after, Some(n_after))
            } else {
                self.run(any, 0, i + 1)
            };
            let now = self.b.seq([step, rest]);
            let same = self.written(&[d]);
            let later = self.b.seq([same, from_here]);
            from_here = self.b.alt([now, later]);
        }
        from_here
    }

    /// Whole numbers without leading zeros beyond a whole number on one side.
    fn whole(&mut self, digits: &[u8], side: Side) -> ExprId {
        let n = u32::try_from(digits.len()).unwrap_or(u32::MAX);
        let (any, first) = (self.digit(), self.digits(1, 9));
        let least = u8::from(n > 1);
        let same_length = self.differs(digits, side, least, true);
        let other_length = match side {
            Side::Above => {
                let rest = self.run(any, n, 1);
                self.b.seq([first, rest])
            }
            Side::Below if n == 1 => self.b.never(),
            Side::Below => {
                let rest = self.b.repeat(any, 0, Some(n - 2));
                let shorter = self.b.seq([first, rest]);
                let zero = self.b.literal("0");
                self.b.alt([zero, shorter])
            }
        };
        self.b.alt([same_length, other_length])
    }

    /// A point and any digits.
    pub(super) fn fraction(&mut self) -> ExprId {
        let (point, any) = (self.b.literal("."), self.digit());
        let digits = self.run(any, 1, 0);
        self.b.seq([point, digits])
    }

    /// Zero with any fraction and exponent.
    pub(super) fn zero(&mut self) -> ExprId {
        let (fraction, exponent) = (self.zero_fraction(), self.any_exponent());
        let (zero, fraction, exponent) =
            (self.b.literal("0"), self.b.optional(fraction), self.b.optional(exponent));
        self.b.seq([zero, fraction, exponent])
    }

    /// A point and zeros.
    fn zero_fraction(&mut self) -> ExprId {
        let point = self.b.literal(".");
        let zero = self.b.literal("0");
        let zeros = self.run(zero, 1, 0);
        self.b.seq([point, zeros])
    }

    /// Fractions (the point included; the empty one stands for zero) beyond a fraction without trailing zeros, or with
    /// `or_equal` those equal to it, too.
    fn fraction_beyond(&mut self, digits: &[u8], side: Side, or_equal: bool) -> ExprId {
        if digits.is_empty() && side == Side::Above && or_equal {
            let any = self.fraction();
            return self.b.optional(any);
        }
        let point = self.b.literal(".");
        let differs = self.differs(digits, side, 0, false);
        match side {
            Side::Above => {
                let same = self.written(digits);
                let more = match or_equal {
                    true => {
                        let any = self.digit();
                        self.run(any, 0, digits.len())
                    }
                    false => self.some_nonzero(digits.len()),
                };
                let longer = self.b.seq([same, more]);
                let all = self.b.alt([differs, longer]);
                self.b.seq([point, all])
            }
            Side::Below => {
                let equal = if or_equal { self.fraction_equal(digits) } else { self.b.never() };
                if digits.is_empty() {
                    return equal;
                }
                // A proper prefix is less, since the last digit is not zero; so is no fraction at all.
                let prefixes: Vec<ExprId> = (1..digits.len()).map(|n| self.written(&digits[..n])).collect();
                let prefixes = self.b.alt(prefixes);
                let all = self.b.alt([differs, prefixes]);
                let some = self.b.seq([point, all]);
                let less = self.b.optional(some);
                self.b.alt([less, equal])
            }
        }
    }

    /// Fractions equal to one without trailing zeros.
    fn fraction_equal(&mut self, digits: &[u8]) -> ExprId {
        if digits.is_empty() {
            let zeros = self.zero_fraction();
            return self.b.optional(zeros);
        }
        let (point, same, zero) = (self.b.literal("."), self.written(digits), self.b.literal("0"));
        let zeros = self.run(zero, 0, digits.len());
        self.b.seq([point, same, zeros])
    }

    /// Digits of which one is not zero, where `used` digits stand before.
    ///
    /// Where digits are bounded this is written out: zeros up to the bound would lead nowhere.
    pub(super) fn some_nonzero(&mut self, used: usize) -> ExprId {
        let zero = self.b.literal("0");
        let (nonzero, any) = (self.digits(1, 9), self.digit());
        let Some(max) = self.runs.max else {
            let (zeros, rest) = (self.b.star(zero), self.b.star(any));
            return self.b.seq([zeros, nonzero, rest]);
        };
        let mut rest = self.b.empty();
        let mut all = self.b.never();
        for _ in used..max as usize {
            let now = self.b.seq([nonzero, rest]);
            let later = self.b.seq([zero, all]);
            all = self.b.alt([now, later]);
            let more = self.b.seq([any, rest]);
            rest = self.b.optional(more);
        }
        all
    }

    /// Plain magnitudes beyond the bound's, or with `or_equal` those equal to it, too; with `whole`, those without a
    /// fraction (the bound must be whole then).
    pub(super) fn plain(&mut self, bound: &Decimal, side: Side, or_equal: bool, whole: bool) -> ExprId {
        let (digits, fraction) = bound.plain_digits();
        let other_whole = self.whole(&digits, side);
        let same = self.written(&digits);
        if whole {
            return if or_equal { self.b.alt([other_whole, same]) } else { other_whole };
        }
        let any_fraction = self.fraction();
        let any_fraction = self.b.optional(any_fraction);
        let far = self.b.seq([other_whole, any_fraction]);
        let beyond = self.fraction_beyond(&fraction, side, or_equal);
        let near = self.b.seq([same, beyond]);
        self.b.alt([far, near])
    }

    /// Plain magnitudes equal to the bound's; with `whole`, without a fraction.
    pub(super) fn plain_equal(&mut self, bound: &Decimal, whole: bool) -> ExprId {
        let (digits, fraction) = bound.plain_digits();
        let same = self.written(&digits);
        if whole {
            return if fraction.is_empty() { same } else { self.b.never() };
        }
        let rest = self.fraction_equal(&fraction);
        self.b.seq([same, rest])
    }

    /// Whole numbers without leading zeros from one to another that is not less.
    pub(super) fn whole_between(&mut self, low: &[u8], high: &[u8]) -> ExprId {
        if low.len() < high.len() {
            // Those of as many digits as the one, of more than it and less than the other, and of as many as that.
            let (nines, mut tens) = (vec![9; low.len()], vec![0; high.len()]);
            tens[0] = 1;
            let (first, any) = (self.digits(1, 9), self.digit());
            let n = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
            let between = if high.len() - low.len() == 1 {
                self.b.never()
            } else {
                let rest = self.b.repeat(any, n(low.len()), Some(n(high.len() - 2)));
                self.b.seq([first, rest])
            };
            let (short, long) = (self.whole_between(low, &nines), self.whole_between(&tens, high));
            return self.b.alt([short, between, long]);
        }
        let n_same = low.iter().zip(high).take_while(|(low, high)| low == high).count();
        let same = self.written(&low[..n_same]);
        let Some((&from, &to)) = low.get(n_same).zip(high.get(n_same)) else { return same };
        let (low, high) = (&low[n_same + 1..], &high[n_same + 1..]);
        if low.is_empty() {
            let last = self.digits(from, to);
            return self.b.seq([same, last]);
        }
        let rest = u32::try_from(low.len()).unwrap_or(u32::MAX);
        let (any, inner) = (self.digit(), self.digits(from + 1, to - 1));
        let any = self.b.repeat(any, rest, Some(rest));
        let inner = self.b.seq([inner, any]);
        let mut ends = [low, high].map(|digits| self.written(digits));
        for (end, (digits, side)) in ends.iter_mut().zip([(low, Side::Above), (high, Side::Below)]) {
            let beyond = self.differs(digits, side, 0, true);
            *end = self.b.alt([*end, beyond]);
        }
        let [from, to] = [from, to].map(|digit| self.written(&[digit]));
        let (low, high) = (self.b.seq([from, ends[0]]), self.b.seq([to, ends[1]]));
        let all = self.b.alt([low, inner, high]);
        self.b.seq([same, all])
    }

    // ---- scientific ----

    fn exponent_mark(&mut self) -> ExprId {
        self.b.class(CharClass::from_ranges([('e', 'e'), ('E', 'E')]))
    }

    /// Any exponent's digits with a sign or without.
    pub(super) fn any_exponent(&mut self) -> ExprId {
        let mark = self.exponent_mark();
        let sign = self.b.class(CharClass::from_ranges([('+', '+'), ('-', '-')]));
        let (sign, digit) = (self.b.optional(sign), self.digit());
        let digits = self.run(digit, 1, 0);
        self.b.seq([mark, sign, digits])
    }

    /// A negative exponent that is not zero.
    pub(super) fn negative_exponent(&mut self) -> ExprId {
        let mark = self.exponent_mark();
        let minus = self.b.literal("-");
        let digits = self.some_nonzero(0);
        self.b.seq([mark, minus, digits])
    }

    /// Any scientific magnitude.
    pub(super) fn any_scientific(&mut self) -> ExprId {
        let (mantissa, exponent) = (self.any_mantissa(), self.any_exponent());
        self.b.seq([mantissa, exponent])
    }

    pub(super) fn any_mantissa(&mut self) -> ExprId {
        let (first, fraction) = (self.digits(1, 9), self.fraction());
        let fraction = self.b.optional(fraction);
        self.b.seq([first, fraction])
    }

    /// A whole number, leading zeros allowed, beyond `n` on one side.
    fn padded(&mut self, n: u64, side: Side) -> ExprId {
        let digits: Vec<u8> = n.to_string().bytes().map(|b| b - b'0').collect();
        // Zeros and digits are bounded apart, and both bounds are meant.
        let zeros = self.exponent_zeros();
        let (max, n_runs) = (self.runs.max, self.runs.repetitions.len());
        self.runs.max = max.map(|max| max - max / ZEROS);
        let beyond = self.whole(&digits, side);
        self.runs.max = max;
        self.runs.repetitions.truncate(n_runs);
        self.b.seq([zeros, beyond])
    }

    fn exponent_zeros(&mut self) -> ExprId {
        let zero = self.b.literal("0");
        match self.runs.max {
            None => self.b.star(zero),
            // One by one, so that it is no repetition that is bounded for nothing else.
            Some(max) => (0..max / ZEROS).fold(self.b.empty(), |zeros, _| {
                let more = self.b.seq([zero, zeros]);
                self.b.optional(more)
            }),
        }
    }

    fn padded_equal(&mut self, n: u64) -> ExprId {
        let zero = self.b.literal("0");
        if n == 0 {
            return self.run(zero, 1, 0);
        }
        let zeros = self.exponent_zeros();
        let same = self.b.literal(n.to_string());
        self.b.seq([zeros, same])
    }

    /// Exponents (mark and sign included) beyond `n` on one side.
    pub(super) fn exponent_beyond(&mut self, n: i64, side: Side) -> ExprId {
        let mark = self.exponent_mark();
        let (plus, minus) = (self.b.literal("+"), self.b.literal("-"));
        let plus = self.b.optional(plus);
        let digit = self.digit();
        let any = self.run(digit, 1, 0);
        let size = n.unsigned_abs();
        // Exponents without `-` are at least zero, those with it at most zero.
        let (positive, negative) = match (side, n >= 0) {
            (Side::Above, true) => (self.padded(size, Side::Above), self.b.never()),
            (Side::Above, false) => (any, self.padded(size, Side::Below)),
            (Side::Below, true) => {
                let negative = if n == 0 { self.some_nonzero(0) } else { any };
                (self.padded(size, Side::Below), negative)
            }
            (Side::Below, false) => (self.b.never(), self.padded(size, Side::Above)),
        };
        let (positive, negative) = (self.b.seq([plus, positive]), self.b.seq([minus, negative]));
        let both = self.b.alt([positive, negative]);
        self.b.seq([mark, both])
    }

    fn exponent_equal(&mut self, n: i64) -> ExprId {
        let mark = self.exponent_mark();
        let (plus, minus) = (self.b.literal("+"), self.b.literal("-"));
        let plus = self.b.optional(plus);
        let digits = self.padded_equal(n.unsigned_abs());
        let positive = self.b.seq([plus, digits]);
        let negative = self.b.seq([minus, digits]);
        let value = match n {
            0 => self.b.alt([positive, negative]),
            1.. => positive,
            _ => negative,
        };
        self.b.seq([mark, value])
    }

    /// Scientific magnitudes beyond the bound's, or with `or_equal` those equal to it, too.
    pub(super) fn scientific(&mut self, bound: &Decimal, side: Side, or_equal: bool) -> ExprId {
        let Some((&first, rest)) = bound.digits().split_first() else {
            // No scientific magnitude is zero: all are above.
            return if side == Side::Above { self.any_scientific() } else { self.b.never() };
        };
        let exponent = bound.magnitude();
        let (mantissa, far) = (self.any_mantissa(), self.exponent_beyond(exponent, side));
        let far = self.b.seq([mantissa, far]);
        let other_first = match side {
            Side::Above => self.digits(first + 1, 9),
            Side::Below => self.digits(1, first - 1),
        };
        let fraction = self.fraction();
        let fraction = self.b.optional(fraction);
        let other_first = self.b.seq([other_first, fraction]);
        let same_first = self.written(&[first]);
        let beyond = self.fraction_beyond(rest, side, or_equal);
        let same_first = self.b.seq([same_first, beyond]);
        let mantissa = self.b.alt([other_first, same_first]);
        let here = self.exponent_equal(exponent);
        let near = self.b.seq([mantissa, here]);
        self.b.alt([far, near])
    }

    /// Scientific magnitudes equal to the bound's.
    pub(super) fn scientific_equal(&mut self, bound: &Decimal) -> ExprId {
        let Some((&first, rest)) = bound.digits().split_first() else { return self.b.never() };
        let (first, fraction) = (self.written(&[first]), self.fraction_equal(rest));
        let exponent = self.exponent_equal(bound.magnitude());
        self.b.seq([first, fraction, exponent])
    }
}
