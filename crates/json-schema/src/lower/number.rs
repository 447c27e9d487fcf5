//! Numbers: a formula over bounds, sets and multiples as an expression over the characters of numbers.
//!
//! Every atom is replaced by the spellings it allows, so a formula in negation normal form stays inside what it means:
//! where an atom's spellings cannot all be said (whole numbers with exponents, say), it is some of them, never more.
//!
//! Multiples are decided digit by digit instead (`digits.rs`), together with all that is asked beside them, where no exponents
//! are lost by it that serialisers write: as expressions they are an intersection with each bound.

use super::Lowering;
use super::canonical::Canonical;
use super::compare::{Comparer, Side};
use crate::decimal::Decimal;
use crate::error::Error;
use crate::json::Number;
use crate::normal::{Atom, Formula, FormulaId};
use crate::options::Numbers;
use crate::report::ReportEntry;
use formwork_grammar::{CharClass, ExprId};

/// How many decimal places an exponent may move the point of a whole number, under `numbers: any`.
const MAX_SHIFT: u32 = 16;
/// Last digits written out for a divisor.
const MAX_LAST_DIGITS: usize = 3;
/// Digits of a constant that is written out without an exponent.
pub(super) const MAX_WRITTEN_OUT: u64 = 1_000;
/// Numbers of a set written out one by one.
const MAX_LISTED: u64 = 2_000;

/// Which digit of a multiple may be the last before the point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastDigit {
    /// Any, or bounds see to it that there are few.
    Any,
    /// Only that of a multiple.
    Multiple,
    /// More is asked than multiples and bounds.
    Unknown,
}

impl Lowering<'_> {
    /// A number that has nearly as many digits as may stand side by side, or more, leaves no room for others: until
    /// [`Self::number`] is done there is no bound.
    pub(super) fn notice_digits(&mut self, value: &Decimal) {
        if self.runs.max.is_some_and(|max| value.plain_len() + 4 > u64::from(max)) {
            (self.runs.max, self.runs.has_others) = (None, true);
        }
    }

    pub(super) fn comparer(&mut self) -> Comparer<'_> {
        Comparer { b: &mut self.b, runs: &mut self.runs }
    }

    fn digits_from(&mut self, low: char) -> ExprId {
        self.b.class(CharClass::range(low, '9'))
    }

    /// `0` or digits that do not begin with it.
    pub(super) fn whole_syntax(&mut self) -> ExprId {
        let (zero, first, digit) = (self.b.literal("0"), self.digits_from('1'), self.digits_from('0'));
        let rest = self.runs.run(&mut self.b, digit, 0, 1);
        let more = self.b.seq([first, rest]);
        self.b.alt([zero, more])
    }

    pub(super) fn signed(&mut self, magnitude: ExprId) -> ExprId {
        let minus = self.b.literal("-");
        let minus = self.b.optional(minus);
        self.b.seq([minus, magnitude])
    }

    pub(super) fn integer_syntax(&mut self) -> ExprId {
        if self.options.numbers == Numbers::Canonical {
            return self.canonical_syntax(Canonical::Whole, self.runs.max);
        }
        let whole = self.whole_syntax();
        self.signed(whole)
    }

    pub(super) fn number_syntax(&mut self) -> ExprId {
        if self.options.numbers == Numbers::Canonical {
            return self.canonical_syntax(Canonical::Number, self.runs.max);
        }
        let whole = self.whole_syntax();
        let fraction = self.comparer().fraction();
        let fraction = self.b.optional(fraction);
        let exponent = self.comparer().any_exponent();
        let exponent = self.b.optional(exponent);
        let magnitude = self.b.seq([whole, fraction, exponent]);
        self.signed(magnitude)
    }

    /// What the bound on digits side by side means for the multiples of a formula.
    fn last_digit(&self, formula: FormulaId) -> LastDigit {
        let (mut low, mut high, mut every_whole) = (false, false, true);
        for part in self.normal.formulas.conjuncts(formula) {
            match self.normal.formulas.get(part) {
                Formula::Atom(Atom::Above { .. }) => low = true,
                Formula::Atom(Atom::Below { .. }) => high = true,
                Formula::Atom(Atom::Multiple(of, true)) => every_whole &= divides_one(of),
                Formula::Atom(Atom::Integer(true)) => {}
                _ => return LastDigit::Unknown,
            }
        }
        if every_whole || low && high { LastDigit::Any } else { LastDigit::Multiple }
    }

    /// Numbers of a formula with multiples, digit by digit.
    fn multiples_by_digits(
        &mut self,
        formula: FormulaId,
        whole: bool,
        pointer: &str,
    ) -> Result<ExprId, Error> {
        let last = self.last_digit(formula);
        if let (LastDigit::Multiple, Some(max)) = (last, self.runs.max) {
            if let Some(numbers) = self.by_remainders(formula, whole, Some(max), pointer)? {
                return Ok(numbers);
            }
        }
        let bound = self.runs.max.filter(|_| last == LastDigit::Any);
        if bound.is_none() {
            self.leave_digits_unbounded()?;
        }
        self.by_digits(formula, whole, bound, pointer)
    }

    /// From now on digits side by side are not bounded by who counts them; said in the report.
    fn leave_digits_unbounded(&mut self) -> Result<(), Error> {
        self.runs.has_others = true;
        if self.options.digits_in_a_row().is_some() {
            let pointer = self.normal.pointer_of(self.demand, "multipleOf")?;
            self.notes.push(ReportEntry { pointer, what: "multipleOf (digits are not bounded)".to_owned() });
        }
        Ok(())
    }

    /// Whether no serialiser writes a number of a formula of multiples and bounds with an exponent, but for those farther from
    /// zero than any bound: Python does from 10¹⁶ on and below 10⁻⁴, ECMAScript from 10²¹ and below 10⁻⁶.
    fn is_written_plainly(&self, formula: FormulaId) -> bool {
        self.normal.formulas.conjuncts(formula).iter().all(|&part| match self.normal.formulas.get(part) {
            Formula::Atom(Atom::Multiple(of, true)) => unit_of(of).is_some_and(|unit| unit >= -4),
            Formula::Atom(Atom::Above { bound, .. } | Atom::Below { bound, .. }) => bound.magnitude() < 16,
            _ => false,
        })
    }

    /// Says in the report, where every spelling was asked for, which ones of compared numbers there are: to compare digits
    /// that an exponent moves takes a state for each distance.
    fn note_exponents(&mut self, pointer: &str) {
        if self.options.numbers == Numbers::Any {
            let what =
                "exponents are left out but after one digit that is not zero, and some of these beside `multipleOf`".to_owned();
            self.notes.push(ReportEntry { pointer: pointer.to_owned(), what });
        }
    }

    /// The numbers that satisfy a formula.
    pub(super) fn number(&mut self, formula: FormulaId, pointer: &str) -> Result<ExprId, Error> {
        let bound = self.runs.max;
        let numbers = self.number_unbounded(formula, pointer);
        if std::mem::replace(&mut self.runs.max, bound) != bound {
            let what = "digits are not bounded beside a number of nearly as many".to_owned();
            self.notes.push(ReportEntry { pointer: pointer.to_owned(), what });
        }
        numbers
    }

    fn number_unbounded(&mut self, formula: FormulaId, pointer: &str) -> Result<ExprId, Error> {
        if formula == FormulaId::TRUE {
            return Ok(self.any_number());
        }
        if let Formula::Or(parts) = self.normal.formulas.get(formula).clone() {
            let parts =
                parts.iter().map(|&part| self.number(part, pointer)).collect::<Result<Vec<_>, _>>()?;
            return Ok(self.b.alt(parts));
        }
        let conjuncts = self.normal.formulas.conjuncts(formula);
        let is = |this: &Self, atom: &Atom| {
            conjuncts
                .iter()
                .any(|&part| matches!(this.normal.formulas.get(part), Formula::Atom(other) if other == atom))
        };
        let whole = is(self, &Atom::Integer(true));
        if conjuncts.len() == 1 && whole && self.options.numbers != Numbers::Any {
            return Ok(self.any_integer());
        }
        if let Some(listed) = self.listed(formula, whole)? {
            self.note_exponents(pointer);
            return Ok(listed);
        }
        let decides_no_digits = |atom: &Atom| match atom {
            Atom::Multiple(of, _) => last_digits(of).is_none_or(|(digits, _)| digits > MAX_LAST_DIGITS),
            _ => false,
        };
        let atoms = self.normal.formulas.atoms(formula);
        let has_multiples = atoms
            .iter()
            .any(|(_, atom)| matches!(atom, Atom::Multiple(of, _) if !(whole && divides_one(of))));
        // As expressions, multiples are an intersection with each bound, for whose automaton an output waited 10 ms.
        let has_digits = has_multiples
            && match self.options.numbers {
                Numbers::Plain => whole || self.is_written_plainly(formula),
                Numbers::Any => !whole && self.is_written_plainly(formula),
                Numbers::Canonical => false,
            };
        if has_digits || atoms.iter().any(|(_, atom)| decides_no_digits(atom)) {
            let numbers = self.multiples_by_digits(formula, whole, pointer)?;
            if has_digits && !whole {
                self.note_exponents(pointer);
            }
            let scientific = if whole { None } else { self.scientific_multiples(formula) };
            return Ok(match scientific {
                Some(scientific) => self.b.alt([numbers, scientific]),
                None => numbers,
            });
        }
        if has_multiples {
            // The last digits decide, so that not every one can be the last.
            match whole && self.last_digit(formula) == LastDigit::Any {
                true => self.runs.has_others = true,
                false => self.leave_digits_unbounded()?,
            }
        }
        // With exponents, that a number is whole is a condition like others.
        let by_digits = whole && self.options.numbers != Numbers::Any;
        let spellings = self.number_text(formula, by_digits, pointer)?;
        if conjuncts.len() > usize::from(whole) {
            self.note_exponents(pointer);
        }
        if self.options.numbers != Numbers::Canonical {
            return Ok(spellings);
        }
        Ok(self.canonical_among(
            spellings,
            match (whole, has_multiples) {
                (true, _) => Canonical::Whole,
                (false, true) => Canonical::Plain,
                (false, false) => Canonical::Number,
            },
        ))
    }

    /// The numbers of a formula one by one, if a set or close bounds on whole numbers leave only few.
    fn listed(&mut self, formula: FormulaId, whole: bool) -> Result<Option<ExprId>, Error> {
        let parts = self.normal.formulas.conjuncts(formula);
        let is_set = |atom: &Formula| matches!(atom, Formula::Atom(Atom::NumberIn(_, true)));
        let is_multiple = |atom: &Formula| matches!(atom, Formula::Atom(Atom::Multiple(..)));
        let has =
            |test: &dyn Fn(&Formula) -> bool| parts.iter().any(|&part| test(self.normal.formulas.get(part)));
        if !has(&is_set) && !has(&is_multiple) {
            return Ok(None);
        }
        let Some(numbers) = self.few_numbers(formula) else { return Ok(None) };
        let ways: Vec<ExprId> = numbers.iter().map(|number| self.constant(number, whole)).collect();
        Ok(Some(self.b.alt(ways)))
    }

    /// The numbers that satisfy a formula, if a set or close bounds on whole numbers leave only few.
    pub(super) fn few_numbers(&mut self, formula: FormulaId) -> Option<Vec<Number>> {
        if let Formula::Or(parts) = self.normal.formulas.get(formula).clone() {
            let mut all = Vec::new();
            for &part in parts.iter() {
                all.extend(self.few_numbers(part)?);
            }
            all.sort_by(|a, b| a.value.cmp(&b.value).then(a.written_plain.cmp(&b.written_plain)));
            all.dedup_by(|a, b| a.value == b.value);
            return Some(all);
        }
        let (mut set, mut low, mut high, mut whole) = (None, None::<Decimal>, None::<Decimal>, false);
        for part in self.normal.formulas.conjuncts(formula) {
            match self.normal.formulas.get(part) {
                Formula::Atom(Atom::NumberIn(numbers, true)) => set = Some(numbers.clone()),
                Formula::Atom(Atom::Above { bound, .. }) => {
                    let bound = bound.ceil();
                    low = Some(low.map_or(bound.clone(), |low| low.max(bound)));
                }
                Formula::Atom(Atom::Below { bound, .. }) => {
                    let bound = bound.floor();
                    high = Some(high.map_or(bound.clone(), |high| high.min(bound)));
                }
                Formula::Atom(Atom::Integer(true)) => whole = true,
                _ => {}
            }
        }
        let candidates: Vec<Number> = match (set, low, high) {
            (Some(set), _, _) => set.to_vec(),
            (None, Some(low), Some(high)) if whole => {
                let plain = |n: &Decimal| {
                    n.negate().as_u64().map(|n| -(n as i128)).or_else(|| n.as_u64().map(i128::from))
                };
                match (plain(&low), plain(&high)) {
                    (Some(low), Some(high)) if high - low < i128::from(MAX_LISTED) => (low..=high)
                        .filter_map(|n| Decimal::parse(&n.to_string()))
                        .map(|value| Number { value, written_plain: true })
                        .collect(),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let satisfies = |number: &Number| self.normal.number_satisfies(formula, &number.value) == Some(true);
        Some(candidates.into_iter().filter(satisfies).collect())
    }

    /// The spellings of one number.
    pub(super) fn constant(&mut self, number: &Number, whole: bool) -> ExprId {
        let value = &number.value;
        self.notice_digits(value);
        if self.options.numbers == Numbers::Canonical {
            return self.canonical_constant(value, whole);
        }
        let plain_only =
            self.options.numbers == Numbers::Plain && value.is_integer() && (number.written_plain || whole);
        if value.is_zero() && self.options.numbers == Numbers::Any {
            let zero = self.comparer().zero();
            return self.signed(zero);
        }
        let equal = if value.plain_len() > MAX_WRITTEN_OUT {
            // Written out it would be absurd; its scientific spelling is enough.
            self.b.never()
        } else {
            self.comparer().plain_equal(value, plain_only)
        };
        let scientific = if plain_only { self.b.never() } else { self.comparer().scientific_equal(value) };
        let magnitude = self.b.alt([equal, scientific]);
        if value.is_zero() {
            return self.signed(magnitude);
        }
        let minus = if value.is_negative() { self.b.literal("-") } else { self.b.empty() };
        self.b.seq([minus, magnitude])
    }

    /// A formula over number atoms; with `whole`, whole numbers only. The formulas' depth limit bounds the recursion.
    fn number_text(&mut self, formula: FormulaId, whole: bool, pointer: &str) -> Result<ExprId, Error> {
        match self.normal.formulas.get(formula).clone() {
            Formula::True => Ok(self.every_number(whole)),
            Formula::False => Ok(self.b.never()),
            Formula::Or(parts) => {
                let parts = parts
                    .iter()
                    .map(|&part| self.number_text(part, whole, pointer))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(self.b.alt(parts))
            }
            Formula::And(parts) => {
                let mut all = Vec::new();
                let together = self.between(&parts, whole, pointer)?;
                let (numbers, done) =
                    together.map_or((None, None), |(numbers, done)| (Some(numbers), Some(done)));
                all.extend(numbers);
                for part in parts.iter().filter(|part| !done.iter().flatten().any(|done| done == *part)) {
                    if whole && matches!(self.normal.formulas.get(*part), Formula::Atom(Atom::Integer(true)))
                    {
                        continue;
                    }
                    all.push(self.number_text(*part, whole, pointer)?);
                }
                if all.is_empty() {
                    return Ok(self.every_number(whole));
                }
                Ok(self.b.and(all))
            }
            Formula::Atom(atom) => self.number_atom(&atom, whole, pointer),
        }
    }

    /// Every number in the spellings that comparisons know.
    fn every_number(&mut self, whole: bool) -> ExprId {
        if whole {
            return self.every_integer();
        }
        let whole_part = self.whole_syntax();
        let fraction = self.comparer().fraction();
        let fraction = self.b.optional(fraction);
        let plain = self.b.seq([whole_part, fraction]);
        let scientific = self.comparer().any_scientific();
        let magnitude = self.b.alt([plain, scientific]);
        self.signed(magnitude)
    }

    /// Every whole number as the options allow it.
    fn every_integer(&mut self) -> ExprId {
        if self.options.numbers != Numbers::Any {
            return self.integer_syntax();
        }
        let (whole, zero, point) = (self.whole_syntax(), self.b.literal("0"), self.b.literal("."));
        let digit = self.digits_from('0');
        let zeros = self.b.star(zero);
        let some_zeros = self.b.plus(zero);
        let zero_fraction = self.b.seq([point, some_zeros]);
        let plain = self.b.optional(zero_fraction);
        let mut ways = vec![self.b.seq([whole, plain])];
        // With f places after the point, an exponent of at least f makes it whole.
        let mark = self.b.class(CharClass::from_ranges([('e', 'e'), ('E', 'E')]));
        let plus = self.b.literal("+");
        let plus = self.b.optional(plus);
        for f in 0..=MAX_SHIFT {
            let fraction = if f == 0 {
                plain
            } else {
                let digits = self.b.repeat(digit, f, Some(f));
                self.b.seq([point, digits, zeros])
            };
            let least = Decimal::from_u64(u64::from(f));
            let exponent = self.comparer().plain(&least, Side::Above, true, true);
            ways.push(self.b.seq([whole, fraction, mark, plus, zeros, exponent]));
        }
        // Trailing zeros may take up a negative exponent, and zero any.
        let minus = self.b.literal("-");
        let first = self.digits_from('1');
        let rest = self.runs.run(&mut self.b, digit, 0, 1);
        for f in 1..=MAX_SHIFT {
            let trailing = self.b.repeat(zero, f, Some(f));
            let digits = self.b.seq([first, rest, trailing]);
            let exponent = self.b.literal(f.to_string());
            ways.push(self.b.seq([digits, plain, mark, minus, zeros, exponent]));
        }
        let exponent = self.comparer().any_exponent();
        ways.push(self.b.seq([zero, plain, exponent]));
        let magnitude = self.b.alt(ways);
        self.signed(magnitude)
    }

    fn number_atom(&mut self, atom: &Atom, whole: bool, pointer: &str) -> Result<ExprId, Error> {
        Ok(match atom {
            Atom::Integer(true) => self.every_integer(),
            Atom::Integer(false) if whole => self.b.never(),
            Atom::Integer(false) => self.fractions(),
            Atom::Above { bound, strict } => self.beyond(bound, *strict, Side::Above, whole, pointer)?,
            Atom::Below { bound, strict } => self.beyond(bound, *strict, Side::Below, whole, pointer)?,
            Atom::NumberIn(set, sign) => {
                let ways: Vec<ExprId> = if *sign {
                    let is_asked = |number: &&Number| !whole || number.value.is_integer();
                    set.iter().filter(is_asked).map(|number| self.constant(number, whole)).collect()
                } else {
                    self.runs.has_others = true;
                    // What is excluded is excluded in every spelling.
                    set.iter().map(|number| self.every_spelling(&number.value)).collect()
                };
                let ways = self.b.alt(ways);
                if *sign {
                    ways
                } else {
                    let (all, others) = (self.every_number_compared(whole), self.b.not(ways));
                    self.b.and([all, others])
                }
            }
            Atom::Multiple(of, sign) => self.multiples(of, *sign, whole)?,
            _ => self.b.never(),
        })
    }

    /// As [`Self::every_number`], but only spellings whose value comparisons can tell.
    fn every_number_compared(&mut self, whole: bool) -> ExprId {
        if !whole {
            return self.every_number(false);
        }
        let magnitude = self.whole_syntax();
        if self.options.numbers != Numbers::Any {
            return self.signed(magnitude);
        }
        let (point, zero) = (self.b.literal("."), self.b.literal("0"));
        let zeros = self.b.plus(zero);
        let fraction = self.b.seq([point, zeros]);
        let fraction = self.b.optional(fraction);
        let magnitude = self.b.seq([magnitude, fraction]);
        self.signed(magnitude)
    }

    fn every_spelling(&mut self, value: &Decimal) -> ExprId {
        self.notice_digits(value);
        let mut comparer = self.comparer();
        let scientific = comparer.scientific_equal(value);
        let plain = if value.plain_len() > MAX_WRITTEN_OUT {
            comparer.b.never()
        } else {
            comparer.plain_equal(value, false)
        };
        let magnitude = self.b.alt([plain, scientific]);
        if value.is_zero() {
            return self.signed(magnitude);
        }
        let minus = if value.is_negative() { self.b.literal("-") } else { self.b.empty() };
        self.b.seq([minus, magnitude])
    }

    /// Numbers that are not whole: a fraction with a digit that is not zero, or one divided by a power of ten.
    fn fractions(&mut self) -> ExprId {
        let (whole, point) = (self.whole_syntax(), self.b.literal("."));
        let nonzero = self.comparer().some_nonzero(0);
        let plain = self.b.seq([whole, point, nonzero]);
        let mut comparer = self.comparer();
        let (mantissa, exponent) = (comparer.any_mantissa(), comparer.negative_exponent());
        let scientific = self.b.seq([mantissa, exponent]);
        let magnitude = self.b.alt([plain, scientific]);
        self.signed(magnitude)
    }

    /// Whole multiples. A divisor whose only prime factors are 2 and 5 looks at the last digits alone.
    fn multiples(&mut self, of: &Decimal, sign: bool, whole: bool) -> Result<ExprId, Error> {
        if whole && divides_one(of) {
            // Every whole number is a multiple of 0.5.
            return Ok(if sign { self.every_integer() } else { self.b.never() });
        }
        let magnitude = self.multiple_magnitudes(of, whole);
        if sign {
            let unit = if whole { None } else { unit_of(of) };
            let scientific = unit.map_or(self.b.never(), |unit| self.far_multiples(unit, i64::MIN));
            let magnitude = self.b.alt([magnitude, scientific]);
            return Ok(self.signed(magnitude));
        }
        let multiples = self.signed(magnitude);
        let all = if whole {
            self.every_number_compared(true)
        } else {
            let digits = self.whole_syntax();
            let fraction = self.comparer().fraction();
            let fraction = self.b.optional(fraction);
            let plain = self.b.seq([digits, fraction]);
            self.signed(plain)
        };
        let others = self.b.not(multiples);
        Ok(self.b.and([all, others]))
    }

    /// Multiples with an exponent, of a formula that asks for nothing else but bounds: as far from zero as no bound is. Nobody
    /// writes nearer ones so, and each comparison would be an intersection. `None` if there are none.
    fn scientific_multiples(&mut self, formula: FormulaId) -> Option<ExprId> {
        let (mut low, mut high, mut unit) = (false, false, None);
        let mut farthest = i64::MIN;
        for part in self.normal.formulas.conjuncts(formula) {
            match self.normal.formulas.get(part) {
                Formula::Atom(Atom::Multiple(of, true)) => unit = unit.max(Some(unit_of(of)?)),
                Formula::Atom(atom @ (Atom::Above { bound, .. } | Atom::Below { bound, .. })) => {
                    let side = if matches!(atom, Atom::Above { .. }) { &mut low } else { &mut high };
                    *side = true;
                    if !bound.is_zero() {
                        farthest = farthest.max(bound.magnitude());
                    }
                }
                _ => return None,
            }
        }
        if low && high {
            return None;
        }
        let magnitude = self.far_multiples(unit?, farthest);
        Some(match (low, high) {
            (true, _) => magnitude,
            (_, true) => {
                let minus = self.b.literal("-");
                self.b.seq([minus, magnitude])
            }
            _ => self.signed(magnitude),
        })
    }

    /// Plain magnitudes that are multiples.
    fn multiple_magnitudes(&mut self, of: &Decimal, whole: bool) -> ExprId {
        // What no number of last digits decides was left to the machine of digits.
        let Some((window, modulus)) = last_digits(of) else { return self.b.never() };
        // `of` divides 10^k: with p places after the point, the value is a multiple iff its last k + p digits are.
        let places = usize::try_from(-of.exponent()).unwrap_or(0);
        let unit = 10u64.pow(u32::try_from(window).unwrap_or(0));
        // A number as digits: whole part, then exactly `places` digits, then zeros. Its last `window` digits decide.
        let mut tails = Vec::new();
        for rest in (0..unit).step_by(usize::try_from(modulus).unwrap_or(1)) {
            tails.push(format!("{rest:0window$}"));
        }
        self.with_last_digits(&tails, window, places, whole)
    }

    /// Scientific magnitudes of more than 10^`beyond` whose last digit stands at 10^`unit` or above, and which are multiples of
    /// it therefore; those with more than a few places are left out.
    fn far_multiples(&mut self, unit: i64, beyond: i64) -> ExprId {
        let (point, zero) = (self.b.literal("."), self.b.literal("0"));
        let (first, digit) = (self.digits_from('1'), self.digits_from('0'));
        let some_zeros = self.runs.run(&mut self.b, zero, 1, 0);
        let zero_fraction = self.b.seq([point, some_zeros]);
        let no_fraction = self.b.optional(zero_fraction);
        let mut ways = Vec::new();
        for n_places in 0..=MAX_SHIFT {
            let fraction = if n_places == 0 {
                no_fraction
            } else {
                let digits = self.b.repeat(digit, n_places, Some(n_places));
                let zeros = self.runs.run(&mut self.b, zero, 0, n_places);
                self.b.seq([point, digits, zeros])
            };
            let least = (i64::from(n_places) + unit - 1).max(beyond);
            let exponent = self.comparer().exponent_beyond(least, Side::Above);
            ways.push(self.b.seq([first, fraction, exponent]));
        }
        self.b.alt(ways)
    }

    /// Plain magnitudes whose digits, with `places` of them after the point, end in one of `tails`; zeros may follow.
    fn with_last_digits(&mut self, tails: &[String], window: usize, places: usize, whole: bool) -> ExprId {
        let zero = self.b.literal("0");
        let zeros = self.b.star(zero);
        let point = self.b.literal(".");
        let digit = self.digits_from('0');
        let whole_part = self.whole_syntax();
        let mut ways = Vec::new();
        for given in 0..=places {
            // `given` digits are written after the point; the others are zeros left out (all, if there is no point).
            for tail in tails {
                let left_out = places - given;
                if !tail.as_bytes().iter().rev().take(left_out).all(|&d| d == b'0') {
                    continue;
                }
                let kept = &tail[..window.saturating_sub(left_out)];
                let in_fraction = kept.len().min(given);
                let (before, after) = kept.split_at(kept.len() - in_fraction);
                let n_free = u32::try_from(given - in_fraction).unwrap_or(0);
                let free = self.b.repeat(digit, n_free, Some(n_free));
                let after = self.b.literal(after);
                let before = self.ending_in(whole_part, before);
                ways.push(if given == 0 {
                    before
                } else {
                    let padding = if given == places { zeros } else { self.b.empty() };
                    self.b.seq([before, point, free, after, padding])
                });
            }
        }
        let magnitude = self.b.alt(ways);
        let extra = if places > 0 {
            self.b.empty()
        } else if whole {
            self.whole_fraction()
        } else {
            let zeros = self.b.plus(zero);
            let fraction = self.b.seq([point, zeros]);
            self.b.optional(fraction)
        };
        let magnitude = self.b.seq([magnitude, extra]);
        if whole {
            let (digits, fraction) = (self.whole_syntax(), self.whole_fraction());
            let whole_numbers = self.b.seq([digits, fraction]);
            return self.b.and([magnitude, whole_numbers]);
        }
        magnitude
    }

    /// Whole numbers without leading zeros whose digits, padded with zeros on the left, end in `tail`.
    fn ending_in(&mut self, whole: ExprId, tail: &str) -> ExprId {
        if tail.is_empty() {
            return whole;
        }
        let text = self.b.literal(tail);
        let (first, digit) = (self.digits_from('1'), self.digits_from('0'));
        let rest = self.b.star(digit);
        let longer = self.b.seq([first, rest, text]);
        // Fewer digits than the tail: the tail without its leading zeros.
        let short = tail.trim_start_matches('0');
        let short = self.b.literal(if short.is_empty() { "0" } else { short });
        self.b.alt([longer, short])
    }
}

/// For a divisor `d × 10^x`: how many last digits decide, and the modulus they are taken by; `None` if no number of
/// digits decides.
fn last_digits(of: &Decimal) -> Option<(usize, u64)> {
    let mut modulus = of.significand()?;
    for _ in 0..of.exponent().max(0) {
        modulus = modulus.checked_mul(10)?;
    }
    (0..=18).find(|&k| 10u64.pow(k) % modulus == 0).map(|k| (k as usize, modulus))
}

/// The power of ten of which every multiple is one of the divisor, if there is one.
fn unit_of(of: &Decimal) -> Option<i64> {
    let (window, _) = last_digits(of)?;
    Some(window as i64 - (-of.exponent()).max(0))
}

/// Whether every whole number is a multiple.
fn divides_one(of: &Decimal) -> bool {
    Decimal::from_u64(1).is_multiple_of(of) == Some(true)
}
