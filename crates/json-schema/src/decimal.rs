//! Exact decimals of any size, which is what JSON numbers are: no bound or constant of a schema passes through `f64`.

use std::cmp::Ordering;
use std::fmt;

/// The largest power of ten a schema's number may be scaled by; beyond it nothing is a plausible bound.
const MAX_EXPONENT: i64 = 1_000_000;

/// An exact decimal: `± digits × 10^exponent`.
///
/// Normalised, so that equal numbers are equal values: no leading and no trailing zero digits, and zero is
/// the empty digit string with exponent 0 and no sign.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Decimal {
    negative: bool,
    /// Digits from 0 to 9, most significant first.
    digits: Box<[u8]>,
    exponent: i64,
}

impl Decimal {
    /// The number that a JSON number's text spells, or `None` if its exponent is absurd.
    /// The text must be a JSON number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, "0"),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|b| b.wrapping_sub(b'0')).collect();
        if digits.iter().any(|&d| d > 9) {
            return None;
        }
        let is_zero = digits.iter().all(|&d| d == 0);
        let exponent: i64 = match exponent.strip_prefix('+').unwrap_or(exponent).parse() {
            Ok(exponent) => exponent,
            Err(_) if is_zero => 0,
            Err(_) => return None,
        };
        let shift = i64::try_from(fraction.len()).ok()?;
        if !is_zero && exponent.abs() > MAX_EXPONENT {
            return None;
        }
        Some(Self::new(negative, digits, exponent.saturating_sub(shift)))
    }

    fn new(negative: bool, mut digits: Vec<u8>, mut exponent: i64) -> Self {
        let leading = digits.iter().take_while(|&&d| d == 0).count();
        digits.drain(..leading);
        while digits.last() == Some(&0) {
            digits.pop();
            exponent += 1;
        }
        if digits.is_empty() {
            return Self::default();
        }
        Self { negative, digits: digits.into(), exponent }
    }

    /// The whole number `n`.
    pub(crate) fn from_u64(n: u64) -> Self {
        Self::new(false, n.to_string().bytes().map(|b| b - b'0').collect(), 0)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the value is a whole number.
    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The significant digits, without leading and trailing zeros; empty for zero.
    pub(crate) fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// The power of ten of the first significant digit (`1` has 0, `10` has 1, `0.1` has −1); 0 for zero.
    pub(crate) fn magnitude(&self) -> i64 {
        if self.is_zero() { 0 } else { self.digits.len() as i64 - 1 + self.exponent }
    }

    #[must_use]
    pub(crate) fn negate(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    /// How many digits writing the number out without an exponent takes.
    pub(crate) fn plain_len(&self) -> u64 {
        let len = self.digits.len() as u64;
        if self.exponent >= 0 {
            len + self.exponent.unsigned_abs()
        } else {
            len.max(self.exponent.unsigned_abs() + 1)
        }
    }

    /// The digits before and after the point when written out without an exponent, sign left out; the first part is
    /// `[0]` below one. Callers bound [`Self::plain_len`] first.
    pub(crate) fn plain_digits(&self) -> (Vec<u8>, Vec<u8>) {
        let len = self.digits.len() as i64;
        let point = len + self.exponent;
        if point <= 0 {
            let mut fraction = vec![0; usize::try_from(-point).unwrap_or(0)];
            fraction.extend_from_slice(&self.digits);
            return (vec![0], if self.is_zero() { Vec::new() } else { fraction });
        }
        let mut whole = self.digits[..usize::try_from(point.min(len)).unwrap_or(0)].to_vec();
        whole.resize(usize::try_from(point).unwrap_or(0), 0);
        (whole, self.digits[usize::try_from(point.min(len)).unwrap_or(0)..].to_vec())
    }

    /// The least whole number that is at least this one, exactly.
    pub(crate) fn ceil(&self) -> Self {
        if self.negative { self.negate().truncate().negate() } else { self.round_away() }
    }

    /// The greatest whole number that is at most this one, exactly.
    pub(crate) fn floor(&self) -> Self {
        self.negate().ceil().negate()
    }

    fn truncate(&self) -> Self {
        if self.is_integer() {
            return self.clone();
        }
        let point = self.digits.len() as i64 + self.exponent;
        let keep = usize::try_from(point.max(0)).unwrap_or(0);
        Self::new(self.negative, self.digits[..keep].to_vec(), 0)
    }

    /// For a non-negative number: itself if whole, else its whole part plus one.
    fn round_away(&self) -> Self {
        if self.is_integer() { self.clone() } else { self.truncate().plus_one() }
    }

    /// A non-negative whole number plus one.
    fn plus_one(&self) -> Self {
        let mut digits = vec![0];
        digits.extend(self.plain_digits().0);
        for digit in digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                break;
            }
            *digit = 0;
        }
        Self::new(false, digits, 0)
    }

    /// Whether the number is a whole multiple of `of`, which must not be zero; `None` where `of` has too many digits
    /// for the arithmetic here.
    pub(crate) fn is_multiple_of(&self, of: &Self) -> Option<bool> {
        if self.is_zero() {
            return Some(true);
        }
        let divisor = of.significand()?;
        let shift = self.exponent - of.exponent;
        if shift < 0 {
            // The divisor has a factor of ten that the digits, which end in no zero, have not.
            return Some(false);
        }
        Some(remainder(&self.digits, shift.unsigned_abs(), u128::from(divisor))? == 0)
    }

    /// Whether some power of ten is a multiple of it.
    pub(crate) fn divides_a_power_of_ten(&self) -> bool {
        let Some(mut rest) = self.significand() else { return false };
        for prime in [2, 5] {
            while rest > 0 && rest % prime == 0 {
                rest /= prime;
            }
        }
        rest == 1
    }

    /// The significant digits as a number, if they fit.
    pub(crate) fn significand(&self) -> Option<u64> {
        self.digits.iter().try_fold(0u64, |n, &d| n.checked_mul(10)?.checked_add(u64::from(d)))
    }

    /// The power of ten that the significant digits are scaled by.
    pub(crate) fn exponent(&self) -> i64 {
        self.exponent
    }

    /// A whole number, or the nearest one of 65 bits to it.
    pub(crate) fn saturating_i128(&self) -> i128 {
        let magnitude = |n: &Self| n.as_u64().map_or(1 << 64, i128::from);
        if self.is_negative() { -magnitude(&self.negate()) } else { magnitude(self) }
    }

    /// The value as a count, if it is a whole number that fits.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        if self.negative || self.exponent < 0 || self.plain_len() > 20 {
            return None;
        }
        self.plain_digits().0.iter().try_fold(0u64, |n, &d| n.checked_mul(10)?.checked_add(u64::from(d)))
    }

    fn compare_magnitudes(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Without trailing zeros the longer of two digit strings with a common prefix is the greater.
            (false, false) => {
                self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits.cmp(&other.digits))
            }
        }
    }
}

fn remainder(digits: &[u8], zeros: u64, divisor: u128) -> Option<u128> {
    if divisor >= 1 << 120 {
        return None;
    }
    let step = |r: u128, d: u8| (r * 10 + u128::from(d)) % divisor;
    let mut rest = digits.iter().fold(0, |r, &d| step(r, d));
    for _ in 0..zeros {
        if rest == 0 {
            break;
        }
        rest = step(rest, 0);
    }
    Some(rest)
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_magnitudes(other),
            (true, true) => other.compare_magnitudes(self),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        let write =
            |f: &mut fmt::Formatter<'_>, digits: &[u8]| digits.iter().try_for_each(|d| write!(f, "{d}"));
        if self.plain_len() > 40 {
            write(f, &self.digits)?;
            return write!(f, "e{}", self.exponent);
        }
        let (whole, fraction) = self.plain_digits();
        write(f, &whole)?;
        if !fraction.is_empty() {
            f.write_str(".")?;
            write(f, &fraction)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
    }

    #[test]
    fn equal_numbers_are_equal_values() {
        for (a, b) in [
            ("1.0", "1"),
            ("100", "1e2"),
            ("-0.0", "0"),
            ("0.10e1", "1"),
            ("12.50", "125e-1"),
            ("0e99999999999999999999", "0"),
        ] {
            assert_eq!(d(a), d(b), "{a} {b}");
        }
        assert!(Decimal::parse("1e99999999999").is_none());
    }

    #[test]
    fn order_is_by_value() {
        let sorted = [
            "-1e400", "-10", "-9.99", "-1", "-0.1", "0", "1e-300", "0.5", "0.51", "1", "9", "10", "99.5",
            "1e20",
        ];
        for pair in sorted.windows(2) {
            assert!(d(pair[0]) < d(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn rounding_is_exact() {
        for (n, floor, ceil) in [
            ("1.5", "1", "2"),
            ("-1.5", "-2", "-1"),
            ("3", "3", "3"),
            ("0.2", "0", "1"),
            ("-0.2", "-1", "0"),
            ("99.9", "99", "100"),
        ] {
            assert_eq!((d(n).floor(), d(n).ceil()), (d(floor), d(ceil)), "{n}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (n, of, expected) in [
            ("0.3", "0.1", true),
            ("1.05", "0.1", false),
            ("1", "0.5", true),
            ("7", "3", false),
            ("9", "3", true),
            ("1e308", "0.123456789", false),
            ("1e308", "0.5", true),
            ("0.0075", "0.0001", true),
            ("12", "8", false),
            ("16", "8", true),
            ("0.5", "1", false),
            ("20", "100", false),
        ] {
            assert_eq!(d(n).is_multiple_of(&d(of)), Some(expected), "{n} {of}");
        }
    }

    #[test]
    fn written_out() {
        for text in ["0", "-12.5", "0.001", "1000", "10.01"] {
            assert_eq!(d(text).to_string(), text);
        }
    }
}
