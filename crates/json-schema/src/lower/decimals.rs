//! Numbers that a formula decides by what they are, for formulas whose machine of digits (`digits.rs`) has too many states.
//!
//! `multipleOf: 0.123456789` has 123,456,789 remainders, and a bound beside a divisor has as many states as numbers up to
//! it; but one output meets a few of them. So the states are computed when they are reached
//! ([`Machine`](formwork_grammar::Machine)). What is left is to know of each state whether some number can be completed,
//! without looking at the others. That is arithmetic.
//!
//! # The formula as intervals of remainders
//! With p the most places after the point of any bound and divisor, a number is a whole multiple of 10⁻ᵖ, or lies between
//! two of them, where no bound is and nothing is a multiple. The bounds cut the numbers of either sign into regions; in one
//! of them the formula depends on the divisors alone, so it says which remainders modulo their least common multiple are
//! allowed: all, none, those of a divisor, or a list.
//!
//! # A state
//! The digits read so far as one number, up to the largest bound; beyond it, their remainder. The digits that may follow are
//! an interval for each number of them: behind `12` come 12, 120 to 129, 1200 to 1299 and so on, and with a fraction all
//! that lies between. A state is alive if a region has an allowed remainder in one of them. Beyond all bounds the intervals
//! grow over any modulus, so there every allowed remainder is reached.
//!
//! Where the digits side by side are bounded, and not every one can be the last (`multipleOf: 7`), a state counts them,
//! and the intervals before the point are those of as many more as there may be.
//!
//! # Worked example
//! `multipleOf: 0.7, maximum: 20`: p = 1, the remainders are those of tenths modulo 7, the regions of positive numbers up to
//! 200 tenths and beyond, where none is allowed. Behind `2` there are 20 to 29 tenths, of which 21 and 28 are multiples: alive.
//! Behind `2.` and `1` the digits are 21, a multiple; more digits must be zeros, since between two tenths nothing is one.
//! Behind `20` there are 200 tenths (no multiple), and 201 to 209 lie beyond the bound: dead.

use super::Lowering;
use super::digits::Fraction;
use crate::decimal::Decimal;
use crate::error::Error;
use crate::normal::{Atom, FormulaId};
use crate::options::Numbers;
use formwork_grammar::{ByteSet, ExprId, HashMap, Machine, Place, SharedMachine, Sharing};
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Places after the point.
const MAX_PLACES: u32 = 28;
/// The largest bound, in units of the last place; and the largest modulus.
const MAX_UNITS: u128 = 1_000_000_000_000_000_000_000_000_000_000;
const MAX_MODULUS: u128 = 1_000_000_000_000_000_000;
/// Divisors of one formula.
const MAX_DIVISORS: usize = 12;
/// Bounds of one formula.
const MAX_BOUNDS: usize = 64;
/// Combinations of divisors times regions in which the formula is looked at.
const MAX_CASES: usize = 20_000;
/// The most digits that a state counts.
const MAX_COUNTED: u32 = 255;
/// The largest modulus whose allowed remainders are listed.
const MAX_LISTED: u128 = 200_000;

/// Decimals as JSON writes them, without exponents.
#[derive(Debug)]
struct Decimals {
    name: String,
    places: u32,
    modulus: u128,
    fraction: Fraction,
    /// Zero has no sign.
    canonical: bool,
    /// The largest bound.
    largest: u128,
    /// The most digits side by side, if they are counted here.
    max_digits: Option<u32>,
    /// The regions of numbers without a sign, and of those with one; by where they begin, the first at zero.
    regions: [Vec<Region>; 2],
}

/// Numbers of one sign among which no bound lies.
#[derive(Debug)]
struct Region {
    /// The least, in half units: odd numbers stand for what lies between two units.
    start: u128,
    allowed: Allowed,
    /// Whether what lies between two units is allowed.
    between: bool,
}

/// Remainders of whole units.
#[derive(Clone, Debug)]
enum Allowed {
    None,
    /// The multiples of this.
    Multiples(u128),
    /// These, ascending, of the modulus.
    Listed(Arc<[u64]>),
}

impl Allowed {
    fn has(&self, remainder: u128) -> bool {
        match self {
            Self::None => false,
            Self::Multiples(of) => remainder % of == 0,
            Self::Listed(list) => list.binary_search_by(|&other| u128::from(other).cmp(&remainder)).is_ok(),
        }
    }

    /// Whether one of them lies in an interval of numbers; in any one that is long enough if it has no end.
    fn meets(&self, modulus: u128, low: u128, high: Option<u128>) -> bool {
        let Some(high) = high else { return !matches!(self, Self::None) };
        if low > high {
            return false;
        }
        match self {
            Self::None => false,
            Self::Multiples(of) => high / of * of >= low,
            Self::Listed(_) if high - low >= modulus - 1 => true,
            Self::Listed(list) => {
                let (first, last) = (low % modulus, high % modulus);
                let position = list.partition_point(|&other| u128::from(other) < first);
                match first <= last {
                    true => list.get(position).is_some_and(|&other| u128::from(other) <= last),
                    false => {
                        position < list.len() || list.first().is_some_and(|&other| u128::from(other) <= last)
                    }
                }
            }
        }
    }
}

/// Where in the spelling of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Signed,
    /// After a leading zero, which no digit follows.
    Zero,
    Whole,
    Point,
    Fraction,
}

/// A state, as which the machine packs it.
#[derive(Clone, Copy)]
struct State {
    stage: Stage,
    negative: bool,
    /// More than the largest bound: of the digits only the remainder is kept.
    far: bool,
    /// Some digit behind the last place is not zero.
    between: bool,
    /// Digits behind the point, up to the places.
    n: u32,
    /// Digits side by side, if they are counted.
    count: u32,
    digits: u128,
}

const STAGES: [Stage; 6] =
    [Stage::Start, Stage::Signed, Stage::Zero, Stage::Whole, Stage::Point, Stage::Fraction];

impl State {
    fn pack(self) -> u128 {
        let flags = u128::from(self.negative) | u128::from(self.far) << 1 | u128::from(self.between) << 2;
        self.digits << 24
            | u128::from(self.count) << 16
            | u128::from(self.n) << 8
            | (self.stage as u128) << 3
            | flags
    }

    fn unpack(packed: u128) -> Self {
        let bit = |i: u32| packed >> i & 1 != 0;
        Self {
            stage: STAGES[(packed >> 3 & 7) as usize % STAGES.len()],
            negative: bit(0),
            far: bit(1),
            between: bit(2),
            n: (packed >> 8 & 0xFF) as u32,
            count: (packed >> 16 & 0xFF) as u32,
            digits: packed >> 24,
        }
    }
}

impl Decimals {
    fn unit(&self, n: u32) -> u128 {
        10u128.pow(self.places - n.min(self.places))
    }

    fn regions(&self, negative: bool) -> &[Region] {
        &self.regions[usize::from(negative)]
    }

    /// Whether some allowed number lies in an interval of units; with `between`, also between its ends and behind it.
    fn meets(&self, negative: bool, low: u128, high: Option<u128>, between: bool) -> bool {
        let regions = self.regions(negative);
        let (from, to) = (low * 2, high.map(|high| high * 2 + u128::from(between)));
        regions.iter().enumerate().any(|(i, region)| {
            let end = regions.get(i + 1).map(|next| next.start - 1);
            let first = region.start.max(from);
            let last = match (end, to) {
                (Some(end), Some(to)) => Some(end.min(to)),
                (end, to) => end.or(to),
            };
            if last.is_some_and(|last| last < first) {
                return false;
            }
            // An odd number among them: the first, or the one behind.
            let has_odd = first % 2 == 1 || last.is_none_or(|last| last > first);
            between && region.between && has_odd
                || region.allowed.meets(self.modulus, first.div_ceil(2), last.map(|last| last / 2))
        })
    }

    /// Whether a number that goes on from here can be completed.
    fn is_alive(&self, state: &State) -> bool {
        let any = self.fraction == Fraction::Any;
        let State { negative, far, between, n, count, digits, .. } = *state;
        let unit = self.unit(n);
        match state.stage {
            Stage::Start => self.meets(false, 0, None, any) || self.meets(true, 0, None, any),
            Stage::Signed => self.meets(negative, u128::from(self.canonical), None, any),
            Stage::Zero if negative && self.canonical => false,
            Stage::Zero if any => self.meets(negative, 0, Some(unit - 1), true),
            Stage::Zero => self.meets(negative, 0, Some(0), false),
            Stage::Whole => {
                let left = self.max_digits.map(|max| max - count);
                let (mut low, mut size, mut more) = (digits * unit, unit, 0);
                while !far && low <= self.largest && left.is_none_or(|left| more <= left) {
                    let high = if any || size > unit { low + size - 1 } else { low };
                    if self.meets(negative, low, Some(high), any) {
                        return true;
                    }
                    (low, size, more) = (low * 10, size * 10, more + 1);
                }
                match left {
                    None => self.last(negative, any),
                    Some(left) => self.last_within(negative, any, digits, more..=left),
                }
            }
            Stage::Point | Stage::Fraction if !any => self.ends(state),
            Stage::Point | Stage::Fraction if between => self.ends(state),
            Stage::Point | Stage::Fraction if far => {
                let (region, low) = (self.far_region(negative), self.remainder(state));
                region.between || region.allowed.meets(self.modulus, low, Some(low + unit - 1))
            }
            Stage::Point | Stage::Fraction => {
                let low = digits * unit;
                self.meets(negative, low, Some(low + unit - 1), true)
            }
        }
    }

    fn far_region(&self, negative: bool) -> &Region {
        let regions = self.regions(negative);
        &regions[regions.len() - 1]
    }

    /// The remainder of the number read.
    fn remainder(&self, state: &State) -> u128 {
        (state.digits % self.modulus) * (self.unit(state.n) % self.modulus) % self.modulus
    }

    /// Whether some number is allowed beyond all bounds.
    fn last(&self, negative: bool, any: bool) -> bool {
        let region = self.far_region(negative);
        any && region.between || !matches!(region.allowed, Allowed::None)
    }

    /// The same of numbers that begin with `digits`, whatever multiple of the modulus is taken from them, and have so many more
    /// before the point.
    fn last_within(&self, negative: bool, any: bool, digits: u128, more: RangeInclusive<u32>) -> bool {
        let region = self.far_region(negative);
        let unit = self.unit(0);
        let mut size = (0..*more.start()).fold(unit, |size, _| size.saturating_mul(10));
        for _ in more {
            // Whole units of one more digit each time: `size` of them begin with the digits.
            if any && region.between || size >= self.modulus {
                return self.last(negative, any);
            }
            let low = digits % self.modulus * size % self.modulus;
            let high = if any || size > unit { low + size - 1 } else { low };
            if region.allowed.meets(self.modulus, low, Some(high)) {
                return true;
            }
            size = size.saturating_mul(10);
        }
        false
    }

    /// Whether the number read is allowed.
    fn ends(&self, state: &State) -> bool {
        let region = if state.far {
            self.far_region(state.negative)
        } else {
            let at = state.digits * self.unit(state.n) * 2 + u128::from(state.between);
            let regions = self.regions(state.negative);
            &regions[regions.partition_point(|region| region.start <= at) - 1]
        };
        if state.between { region.between } else { region.allowed.has(self.remainder(state)) }
    }
}

impl Machine for Decimals {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Option<u128> {
        let start = State {
            stage: Stage::Start,
            negative: false,
            far: false,
            between: false,
            n: 0,
            count: 0,
            digits: 0,
        };
        self.is_alive(&start).then(|| start.pack())
    }

    fn next(&self, packed: u128, byte: u8) -> Option<u128> {
        use Stage::{Fraction as After, Point, Signed, Start, Whole, Zero};
        let mut state = State::unpack(packed);
        state.stage = match (state.stage, byte) {
            (Start, b'-') => Signed,
            (Start | Signed, b'0') => Zero,
            (Start | Signed | Whole, b'0'..=b'9') => Whole,
            (Zero | Whole, b'.') if self.fraction != Fraction::None => Point,
            (Point | After, b'0') => After,
            (Point | After, b'1'..=b'9') if self.fraction == Fraction::Any => After,
            _ => return None,
        };
        if let Some(max) = self.max_digits {
            state.count = if byte.is_ascii_digit() { state.count + 1 } else { 0 };
            if state.count > max {
                return None;
            }
        }
        match byte {
            b'-' => state.negative = true,
            b'.' => {}
            // Behind the last place a digit only tells whether the number lies between two units.
            _ if state.stage == After && state.n == self.places => state.between |= byte != b'0',
            _ => {
                state.digits = state.digits * 10 + u128::from(byte - b'0');
                state.n += u32::from(state.stage == After);
            }
        }
        state.far = state.far || state.digits * self.unit(state.n) > self.largest;
        if state.far {
            // Between two units the remainder says nothing any more.
            state.digits = if state.between { 0 } else { state.digits % self.modulus };
        }
        self.is_alive(&state).then(|| state.pack())
    }

    fn may_end(&self, packed: u128) -> bool {
        let state = State::unpack(packed);
        let complete = matches!(state.stage, Stage::Zero | Stage::Whole | Stage::Fraction);
        complete && self.ends(&state)
    }

    fn alphabet(&self) -> ByteSet {
        let point = if self.fraction == Fraction::None { ByteSet::EMPTY } else { ByteSet::range(b'.', b'.') };
        ByteSet::range(b'0', b'9').union(&ByteSet::range(b'-', b'-')).union(&point)
    }
}

/// What a formula asks of a number.
#[derive(Default)]
struct Questions {
    places: u32,
    /// Each atom's.
    checks: Vec<(FormulaId, Check)>,
    divisors: Vec<u128>,
}

enum Check {
    /// On this side of a bound, or at it: its sign and units.
    Side {
        bound: (bool, u128),
        side: Ordering,
        strict: bool,
    },
    In(Vec<(bool, u128)>, bool),
    /// A multiple of this divisor, or not.
    Multiple(usize, bool),
}

impl Questions {
    /// The position of a divisor.
    fn divisor(&mut self, of: u128) -> usize {
        self.divisors.iter().position(|&other| other == of).unwrap_or_else(|| {
            self.divisors.push(of);
            self.divisors.len() - 1
        })
    }

    /// What holds of a number that is a multiple of the divisors in `mask`; `at` is its sign and half units.
    fn holds(&self, check: &Check, (negative, halves): (bool, u128), mask: u32) -> bool {
        let order = |&(bound_negative, units): &(bool, u128)| {
            let bound = units * 2;
            match (negative && halves > 0, bound_negative && bound > 0) {
                (false, false) => halves.cmp(&bound),
                (true, true) => bound.cmp(&halves),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            }
        };
        match check {
            Check::Side { bound, side, strict } => {
                let order = order(bound);
                order == *side || !strict && order == Ordering::Equal
            }
            Check::In(bounds, sign) => bounds.iter().any(|bound| order(bound) == Ordering::Equal) == *sign,
            Check::Multiple(divisor, sign) => (mask >> divisor & 1 != 0) == *sign,
        }
    }
}

impl Lowering<'_> {
    /// The numbers of a formula without exponents, with states that are computed when they are reached; with `whole`, whole
    /// numbers only; with at most `max_digits` side by side. `None` if its numbers are too large for that, or it has no
    /// structure and too many remainders.
    pub(super) fn by_remainders(
        &mut self,
        formula: FormulaId,
        whole: bool,
        max_digits: Option<u32>,
        pointer: &str,
    ) -> Result<Option<ExprId>, Error> {
        let fraction = Fraction::of(whole, self.options.numbers);
        let canonical = self.options.numbers == Numbers::Canonical;
        if canonical && fraction != Fraction::None || max_digits.is_some_and(|max| max > MAX_COUNTED) {
            return Ok(None);
        }
        let Some(questions) = self.arithmetic(formula, whole) else { return Ok(None) };
        let Some(mut decimals) = self.decimals(formula, &questions, (whole, fraction, canonical)) else {
            return Ok(None);
        };
        if let Some(max) = max_digits {
            let _ = write!(decimals.name, " {max}");
            decimals.max_digits = Some(max);
        }
        let numbers = self.b.machine(SharedMachine::new(decimals));
        let rule = self.b.declare("number", Place::Pointer(pointer.to_owned()));
        self.b.set_sharing(rule, Sharing::Keep);
        self.b.define(rule, numbers);
        Ok(Some(self.b.rule(rule)))
    }

    /// The atoms of a formula in units of the last place that one of them has.
    fn arithmetic(&self, formula: FormulaId, whole: bool) -> Option<Questions> {
        let atoms = self.normal.formulas.atoms(formula);
        let places_of = |value: &Decimal| u32::try_from((-value.exponent()).max(0)).ok();
        let mut questions = Questions::default();
        for (_, atom) in &atoms {
            let places = match atom {
                Atom::Above { bound, .. } | Atom::Below { bound, .. } => places_of(bound)?,
                Atom::Multiple(of, _) => places_of(of)?,
                Atom::NumberIn(set, _) => {
                    let places = set.iter().map(|number| places_of(&number.value));
                    places.collect::<Option<Vec<u32>>>()?.into_iter().max().unwrap_or(0)
                }
                _ => 0,
            };
            questions.places = questions.places.max(places);
        }
        let places = questions.places;
        if places > MAX_PLACES {
            return None;
        }
        let bound = |value: &Decimal| Some((value.is_negative(), units(value, places)?));
        let mut n_bounds = 0;
        for (id, atom) in atoms {
            let check = match atom {
                Atom::Integer(sign) => Check::Multiple(questions.divisor(10u128.pow(places)), sign),
                Atom::Above { bound: value, strict } => {
                    Check::Side { bound: bound(&value)?, side: Ordering::Greater, strict }
                }
                Atom::Below { bound: value, strict } => {
                    Check::Side { bound: bound(&value)?, side: Ordering::Less, strict }
                }
                Atom::NumberIn(set, sign) => {
                    let bounds = set.iter().map(|number| bound(&number.value));
                    Check::In(bounds.collect::<Option<_>>()?, sign)
                }
                Atom::Multiple(of, sign) => {
                    let divisor = units(&of, places).filter(|&divisor| divisor > 0)?;
                    Check::Multiple(questions.divisor(divisor), sign)
                }
                _ => continue,
            };
            n_bounds += if let Check::In(bounds, _) = &check { bounds.len() } else { 1 };
            questions.checks.push((id, check));
        }
        if whole {
            questions.divisor(10u128.pow(places));
        }
        (questions.divisors.len() <= MAX_DIVISORS && n_bounds <= MAX_BOUNDS).then_some(questions)
    }

    fn decimals(
        &mut self,
        formula: FormulaId,
        questions: &Questions,
        (whole, fraction, canonical): (bool, Fraction, bool),
    ) -> Option<Decimals> {
        let Questions { places, checks, divisors } = questions;
        let modulus = divisors.iter().try_fold(1, |all, &divisor| lcm(all, divisor))?;
        // Of which divisors a number may be a multiple at once: none divides the others' common multiple beside them.
        let consistent: Vec<(u32, u128)> = (0..1u32 << divisors.len())
            .filter_map(|mask| {
                let inside = |i: &usize| mask >> i & 1 != 0;
                let multiple =
                    (0..divisors.len()).filter(inside).try_fold(1, |all, i| lcm(all, divisors[i]))?;
                let outside = (0..divisors.len()).filter(|i| !inside(i));
                outside.into_iter().all(|i| multiple % divisors[i] != 0).then_some((mask, multiple))
            })
            .collect();
        let mut bounds: Vec<(bool, u128)> = vec![(false, 0)];
        for (_, check) in checks {
            match check {
                Check::Side { bound, .. } => bounds.push(*bound),
                Check::In(all, _) => bounds.extend(all),
                Check::Multiple(..) => {}
            }
        }
        if consistent.len() * bounds.len() * 4 > MAX_CASES {
            return None;
        }
        let largest = bounds.iter().map(|&(_, units)| units).max().unwrap_or(0);
        let all_whole =
            1u32 << divisors.iter().position(|&divisor| divisor == 10u128.pow(*places)).unwrap_or(31);
        let mut name = format!("decimals {places} {fraction:?} {canonical} {divisors:?}");
        let mut listed: HashMap<Vec<u32>, Allowed> = HashMap::default();
        let mut regions = [Vec::new(), Vec::new()];
        for (negative, regions) in [false, true].into_iter().zip(&mut regions) {
            let mut starts: Vec<u128> = vec![0];
            for &(_, units) in bounds.iter().filter(|bound| bound.0 == negative || bound.1 == 0) {
                starts.extend([units * 2, units * 2 + 1]);
            }
            starts.sort_unstable();
            starts.dedup();
            for start in starts {
                let mut holds = |mask: u32| {
                    self.normal.formulas.replace(formula, &mut HashMap::default(), &mut |_, id, _| {
                        let check = checks.iter().find(|(other, _)| *other == id);
                        match check.is_some_and(|(_, check)| questions.holds(check, (negative, start), mask))
                        {
                            true => FormulaId::TRUE,
                            false => FormulaId::FALSE,
                        }
                    }) == FormulaId::TRUE
                };
                let between = !whole && fraction == Fraction::Any && holds(0);
                let masks: Vec<u32> = consistent
                    .iter()
                    .map(|&(mask, _)| mask)
                    .filter(|&mask| (!whole || mask & all_whole != 0) && holds(mask))
                    .collect();
                let _ = write!(name, " {}{start}:{between}{masks:?}", if negative { "-" } else { "" });
                let allowed = match listed.get(&masks) {
                    Some(allowed) => allowed.clone(),
                    None => {
                        let allowed = allowed(&masks, &consistent, divisors, modulus)?;
                        listed.insert(masks, allowed.clone());
                        allowed
                    }
                };
                regions.push(Region { start, allowed, between });
            }
        }
        let max_digits = None;
        Some(Decimals { name, places: *places, modulus, fraction, canonical, largest, max_digits, regions })
    }
}

/// The remainders at which a number is a multiple of just the divisors of one of these masks.
fn allowed(masks: &[u32], consistent: &[(u32, u128)], divisors: &[u128], modulus: u128) -> Option<Allowed> {
    let Some(common) = masks.iter().copied().reduce(|a, b| a & b) else { return Some(Allowed::None) };
    let of_common = consistent.iter().filter(|(mask, _)| mask & common == common).count();
    if of_common == masks.len() {
        let inside = (0..divisors.len()).filter(|i| common >> i & 1 != 0);
        return inside.into_iter().try_fold(1, |all, i| lcm(all, divisors[i])).map(Allowed::Multiples);
    }
    if modulus > MAX_LISTED {
        return None;
    }
    let is_allowed = |&n: &u64| {
        let multiple = |(i, &divisor): (usize, &u128)| u32::from(u128::from(n) % divisor == 0) << i;
        masks.contains(&divisors.iter().enumerate().map(multiple).fold(0, |mask, bit| mask | bit))
    };
    let list: Vec<u64> = (0..modulus as u64).filter(is_allowed).collect();
    Some(if list.is_empty() { Allowed::None } else { Allowed::Listed(list.into()) })
}

/// The magnitude of a value in units of 10⁻ᵖ; `None` if it is too large.
fn units(value: &Decimal, places: u32) -> Option<u128> {
    if value.plain_len() > 80 {
        return None;
    }
    let (whole, mut fraction) = value.plain_digits();
    fraction.resize(places as usize, 0);
    let digits = whole.into_iter().chain(fraction);
    let units = digits.fold(0u128, |units, digit| units.saturating_mul(10).saturating_add(u128::from(digit)));
    (units <= MAX_UNITS).then_some(units)
}

/// The least common multiple; `None` if it is too large.
fn lcm(a: u128, b: u128) -> Option<u128> {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b).filter(|&multiple| multiple <= MAX_MODULUS)
}
