//! Numbers that a formula decides digit by digit: one machine for all bounds, sets and multiples at once.
//!
//! A state is what the digits so far say about each of them: for a bound, how many digits it agrees on or which side
//! won; for a divisor, the remainder. At the end the formula is evaluated on that. So any combination is exact, and what
//! a divisor costs is its remainders, times a few for each bound beside it. States are rules that end with each other,
//! which the engine turns into one automaton. Where they are many, `decimals.rs` computes them one by one instead.
//!
//! Digits that neither a bound nor a divisor tells apart are followed once. Where any digit may be the last one, a state that
//! leads back to itself is a repetition, bounded as all runs of digits are: states before it count the digits that stand
//! in front.
//!
//! # Worked example
//! `multipleOf: 0.5, minimum: 1, maximum: 12`: behind `1` the number equals the one bound and begins like the other: it may
//! end, and goes on with `0` to `2` or a point. Behind `12.` only zeros come, behind `3.` a `0` or a `5`, and then zeros.

use super::Lowering;
use crate::decimal::Decimal;
use crate::error::Error;
use crate::normal::{Atom, FormulaId};
use crate::options::Numbers;
use formwork_grammar::{CharClass, ExprId, HashMap, Place, RuleId, Sharing};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;

/// Remainders of one divisor.
const MAX_MODULUS: u64 = 10_000;
/// States of one number that are rules if it can be helped: where there are more, most are never reached.
const MAX_WRITTEN: usize = 1_000;
/// The same if it cannot.
const MAX_STATES: usize = 150_000;
/// Places after the point that a divisor has.
const MAX_PLACES: i64 = 30;
/// States of a machine that is copied to where it is used; larger ones are called.
const MAX_IN_LINE: usize = 64;

/// What is asked of a number, taken apart.
#[derive(Default)]
struct Questions {
    bounds: Vec<Bound>,
    divisors: Vec<Divisor>,
    /// What each atom asks.
    checks: HashMap<FormulaId, Check>,
    /// Bounds that every number keeps, with the side on which it lies.
    conditions: Vec<(usize, Ordering)>,
    /// Each number has one spelling.
    canonical: bool,
    /// The digits before the point, and those behind it, up to which they are counted.
    counted: [u32; 2],
}

/// A magnitude to compare with: its digits before and after the point, and its sign.
struct Bound {
    whole: Vec<u8>,
    fraction: Vec<u8>,
    value: Decimal,
}

/// A multiple of it has `places` digits after the point, and is a multiple of `modulus` read without the point.
struct Divisor {
    modulus: u64,
    places: u32,
    /// Of every whole number the places behind the point decide whether it is a multiple.
    divides_one: bool,
}

enum Check {
    Whole(bool),
    /// On this side of a bound, or at it.
    Side(usize, Ordering, bool),
    Multiple(usize, bool),
    In(Vec<usize>, bool),
}

/// Where in the spelling of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Start,
    Signed,
    /// After a leading zero, which no digit follows.
    Zero,
    Whole,
    Point,
    Fraction,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    stage: Stage,
    negative: bool,
    /// Some digit is not zero.
    nonzero: bool,
    /// Some digit after the point is not zero.
    fractional: bool,
    /// The last digit is a zero that a canonical number does not end in.
    needless: bool,
    /// Digits in this part, as far as they are counted.
    count: u32,
    compared: SmallVec<[Compared; 2]>,
    rests: SmallVec<[Rest; 2]>,
}

/// How the digits so far compare with a bound's. `n` of them were read in this part, if that still matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Compared {
    n: u32,
    order: Ordering,
}

/// The digits so far modulo a divisor, `n` of them after the point; `None` once a digit comes where no multiple has one.
type Rest = Option<(u64, u32)>;

impl Compared {
    fn whole_digit(&mut self, bound: &[u8], digit: u8) {
        let n = self.n as usize;
        self.order = match bound.get(n) {
            Some(other) => self.order.then(digit.cmp(other)),
            None => Ordering::Greater,
        };
        self.n = self.n.saturating_add(1).min(bound.len() as u32 + 1);
    }

    fn point(&mut self, bound: &[u8]) {
        self.order = (self.n as usize).cmp(&bound.len()).then(self.order);
        self.n = 0;
    }

    fn fraction_digit(&mut self, bound: &[u8], digit: u8) {
        if self.order == Ordering::Equal {
            let n = self.n as usize;
            self.order = digit.cmp(bound.get(n).unwrap_or(&0));
            self.n = if self.order == Ordering::Equal { (self.n + 1).min(bound.len() as u32) } else { 0 };
        }
    }
}

impl Questions {
    /// Counts digits as far as states differ by them.
    fn count(&mut self) {
        let longest = |digits: fn(&Bound) -> &[u8]| self.bounds.iter().map(|bound| digits(bound).len()).max();
        let whole = longest(|bound| &bound.whole).unwrap_or(0) as u32 + 1;
        let after = longest(|bound| &bound.fraction).unwrap_or(0) as u32;
        let places = self.divisors.iter().map(|divisor| divisor.places).max().unwrap_or(0);
        self.counted = [whole, after.max(places).max(1)];
    }

    /// The state after one more character; `None` if no number has it there.
    fn after(&self, state: &State, c: u8, fraction: Fraction) -> Option<State> {
        use Stage::{Fraction as After, Point, Signed, Start, Whole, Zero};
        let mut next = state.clone();
        let digit = c.wrapping_sub(b'0');
        next.stage = match (state.stage, c) {
            (Start, b'-') => {
                next.negative = true;
                Signed
            }
            (Start | Signed, b'0') => Zero,
            (Start | Signed | Whole, b'0'..=b'9') => Whole,
            (Zero | Whole, b'.') if fraction != Fraction::None => {
                for (compared, bound) in next.compared.iter_mut().zip(&self.bounds) {
                    compared.point(&bound.whole);
                }
                next.count = 0;
                Point
            }
            (Point | After, b'0') => After,
            (Point | After, b'1'..=b'9') if fraction == Fraction::Any => After,
            _ => return None,
        };
        if digit > 9 {
            return Some(next);
        }
        next.nonzero |= digit > 0;
        let after_point = next.stage == After;
        next.count = (next.count + 1).min(self.counted[usize::from(after_point)]);
        next.fractional |= after_point && digit > 0;
        next.needless = self.canonical && after_point && digit == 0;
        for (compared, bound) in next.compared.iter_mut().zip(&self.bounds) {
            if after_point {
                compared.fraction_digit(&bound.fraction, digit);
            } else {
                compared.whole_digit(&bound.whole, digit);
            }
        }
        for (rest, divisor) in next.rests.iter_mut().zip(&self.divisors) {
            *rest = match *rest {
                Some((r, n)) if after_point && n == divisor.places => (digit == 0).then_some((r, n)),
                Some(_) if !after_point && divisor.divides_one => Some((0, 0)),
                Some((r, n)) => {
                    let r = (r * 10 + u64::from(digit)) % divisor.modulus;
                    Some((r, if after_point { n + 1 } else { 0 }))
                }
                None => None,
            };
        }
        Some(next)
    }

    /// Whether a digit of 2 at least leads where the one before it does.
    fn is_like_last(&self, state: &State, digit: u8) -> bool {
        let after_point = matches!(state.stage, Stage::Point | Stage::Fraction);
        let bounds_do = state.compared.iter().zip(&self.bounds).all(|(compared, bound)| {
            let digits = if after_point { &bound.fraction } else { &bound.whole };
            let other = digits.get(compared.n as usize).copied().unwrap_or(0);
            compared.order != Ordering::Equal || other != digit && other + 1 != digit
        });
        bounds_do
            && state.rests.iter().zip(&self.divisors).all(|(rest, divisor)| match rest {
                None => true,
                // Neither is a zero.
                Some((_, n)) if after_point && *n == divisor.places => true,
                Some(_) => divisor.modulus == 1 || !after_point && divisor.divides_one,
            })
    }

    /// Forgets of a state what its future does not depend on; `None` if no number begins like that.
    fn reduced(&self, mut state: State) -> Option<State> {
        let decided = |i: usize| {
            let (compared, bound) = (state.compared[i], &self.bounds[i]);
            let longer = state.stage == Stage::Whole && compared.n as usize > bound.whole.len();
            longer || (state.stage == Stage::Fraction && compared.order != Ordering::Equal)
        };
        for &(i, side) in &self.conditions {
            let sign_decides =
                state.stage != Stage::Start && self.bounds[i].value.is_negative() != state.negative;
            let order = match state.negative {
                _ if sign_decides && self.bounds[i].value.is_negative() => Ordering::Greater,
                // A negative number is below what is positive; zero with a sign is, too, or equal to zero.
                _ if sign_decides && (state.nonzero || !self.bounds[i].value.is_zero()) => Ordering::Less,
                true if !sign_decides && decided(i) => state.compared[i].order.reverse(),
                false if !sign_decides && decided(i) => state.compared[i].order,
                _ => continue,
            };
            if order == side.reverse() {
                return None;
            }
        }
        if state.stage == Stage::Fraction {
            for (rest, divisor) in state.rests.iter_mut().zip(&self.divisors) {
                // With all places read, only zeros may follow, and they change nothing.
                *rest = rest.map(|(r, n)| if n == divisor.places { (r.min(1), n) } else { (r, n) });
            }
        }
        Some(state)
    }

    /// How the number read compares with a bound.
    fn order(&self, state: &State, bound: usize) -> Ordering {
        let mut compared = state.compared[bound];
        let Bound { whole, fraction, value } = &self.bounds[bound];
        if !state.nonzero {
            return Decimal::default().cmp(value);
        }
        if state.stage != Stage::Fraction {
            compared.point(whole);
        }
        let magnitude = match compared.order {
            Ordering::Equal if (compared.n as usize) < fraction.len() => Ordering::Less,
            order => order,
        };
        match (state.negative, value.is_negative()) {
            (true, true) => magnitude.reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => magnitude,
        }
    }

    fn is_multiple(&self, state: &State, divisor: usize) -> bool {
        let Divisor { modulus, places, .. } = self.divisors[divisor];
        state.rests[divisor].is_some_and(|(r, n)| (n..places).fold(r, |r, _| r * 10 % modulus) == 0)
    }

    fn holds(&self, state: &State, check: &Check) -> bool {
        match check {
            Check::Whole(sign) => state.fractional != *sign,
            Check::Side(bound, side, strict) => {
                let order = self.order(state, *bound);
                order == *side || (!strict && order == Ordering::Equal)
            }
            Check::Multiple(divisor, sign) => self.is_multiple(state, *divisor) == *sign,
            Check::In(bounds, sign) => {
                bounds.iter().any(|&bound| self.order(state, bound) == Ordering::Equal) == *sign
            }
        }
    }
}

/// Which digits may follow a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fraction {
    None,
    Zeros,
    Any,
}

impl Fraction {
    /// Those of numbers, or of whole ones.
    pub(super) fn of(whole: bool, numbers: Numbers) -> Self {
        match (whole, numbers) {
            (false, _) => Self::Any,
            (true, Numbers::Any) => Self::Zeros,
            (true, _) => Self::None,
        }
    }
}

/// Some characters that lead to one state.
#[derive(Clone, Copy)]
struct Edge {
    low: u8,
    high: u8,
    target: usize,
}

/// The states that digits lead to.
#[derive(Default)]
struct Explored {
    /// Per state its edges, whether a number may end there, and how many digits stand side by side, as far as they are counted.
    edges: Vec<Vec<Edge>>,
    ends: Vec<bool>,
    counts: Vec<u32>,
}

impl Lowering<'_> {
    /// The numbers of a formula without exponents; with `whole`, whole numbers only; with at most `max` digits side by side, if
    /// any of these may be the last.
    pub(super) fn by_digits(
        &mut self,
        formula: FormulaId,
        whole: bool,
        max: Option<u32>,
        pointer: &str,
    ) -> Result<ExprId, Error> {
        for (_, atom) in self.normal.formulas.atoms(formula) {
            match &atom {
                Atom::Above { bound, .. } | Atom::Below { bound, .. } => self.notice_digits(bound),
                Atom::NumberIn(set, _) => set.iter().for_each(|number| self.notice_digits(&number.value)),
                _ => {}
            }
        }
        // Bounds of nearly as many digits have lifted the bound on these.
        let max = max.and(self.runs.max);
        let mut questions = self.questions(formula, pointer);
        if let (Ok(questions), Some(_)) = (&mut questions, max) {
            questions.count();
        }
        let fraction = Fraction::of(whole, self.options.numbers);
        if let Ok(questions) = &questions {
            if let Some(explored) = self.explore(formula, questions, fraction, MAX_WRITTEN) {
                return Ok(self.digit_rules(&explored, max.is_some(), pointer));
            }
        }
        if let Some(numbers) = self.by_remainders(formula, whole, max, pointer)? {
            return Ok(numbers);
        }
        let Some(explored) = self.explore(formula, &questions?, fraction, MAX_STATES) else {
            let message =
                format!("the bounds and multiples of one number need more than {MAX_STATES} states");
            return Err(Error::limit(pointer, message));
        };
        Ok(self.digit_rules(&explored, max.is_some(), pointer))
    }

    /// All states that digits lead to; `None` if there are more than `max`.
    fn explore(
        &self,
        formula: FormulaId,
        questions: &Questions,
        fraction: Fraction,
        max: usize,
    ) -> Option<Explored> {
        let mut states = vec![State {
            stage: Stage::Start,
            negative: false,
            nonzero: false,
            fractional: false,
            needless: false,
            count: 0,
            compared: smallvec![Compared { n: 0, order: Ordering::Equal }; questions.bounds.len()],
            rests: smallvec![Some((0, 0)); questions.divisors.len()],
        }];
        let mut ids: HashMap<State, usize> = HashMap::default();
        ids.insert(states[0].clone(), 0);
        let mut explored = Explored::default();
        while let Some(state) = states.get(explored.edges.len()).cloned() {
            if states.len() > max {
                return None;
            }
            let mut own = Vec::new();
            for &c in b"-.0123456789" {
                if c >= b'2' && questions.is_like_last(&state, c - b'0') {
                    if let Some(last) = own.last_mut().filter(|last: &&mut Edge| last.high + 1 == c) {
                        last.high = c;
                    }
                    continue;
                }
                let next = questions.after(&state, c, fraction).and_then(|next| questions.reduced(next));
                let Some(next) = next else { continue };
                let target = *ids.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() - 1
                });
                own.push(Edge { low: c, high: c, target });
            }
            explored.edges.push(own);
            explored.counts.push(state.count);
            let complete = matches!(state.stage, Stage::Zero | Stage::Whole | Stage::Fraction);
            let canonical = !state.needless && (state.nonzero || !state.negative);
            explored.ends.push(
                complete && (canonical || !questions.canonical) && self.evaluate(formula, questions, &state),
            );
        }
        Some(explored)
    }

    fn evaluate(&self, formula: FormulaId, questions: &Questions, state: &State) -> bool {
        self.normal.formulas.holds(formula, &mut |id, _| {
            questions.checks.get(&id).is_some_and(|check| questions.holds(state, check))
        })
    }

    fn questions(&mut self, formula: FormulaId, pointer: &str) -> Result<Questions, Error> {
        let mut out =
            Questions { canonical: self.options.numbers == Numbers::Canonical, ..Questions::default() };
        for (id, atom) in self.normal.formulas.atoms(formula) {
            let check = match atom {
                Atom::Integer(sign) => Check::Whole(sign),
                Atom::Above { bound, strict } => {
                    Check::Side(self.bound(&mut out, &bound, pointer)?, Ordering::Greater, strict)
                }
                Atom::Below { bound, strict } => {
                    Check::Side(self.bound(&mut out, &bound, pointer)?, Ordering::Less, strict)
                }
                Atom::NumberIn(set, sign) => {
                    let bounds = set.iter().map(|number| self.bound(&mut out, &number.value, pointer));
                    Check::In(bounds.collect::<Result<_, _>>()?, sign)
                }
                Atom::Multiple(of, sign) => {
                    let Some(divisor) = divisor(&of) else {
                        let message = format!(
                            "`multipleOf` {of} has more than {MAX_MODULUS} remainders, and it or what is asked beside it has too many digits to compute them"
                        );
                        return Err(Error::limit(
                            self.normal.pointer_of(self.demand, "multipleOf")?,
                            message,
                        ));
                    };
                    out.divisors.push(divisor);
                    Check::Multiple(out.divisors.len() - 1, sign)
                }
                _ => continue,
            };
            out.checks.insert(id, check);
        }
        for part in self.normal.formulas.conjuncts(formula) {
            if let Some(&Check::Side(bound, side, _)) = out.checks.get(&part) {
                out.conditions.push((bound, side));
            }
        }
        Ok(out)
    }

    fn bound(&self, out: &mut Questions, value: &Decimal, pointer: &str) -> Result<usize, Error> {
        if let Some(known) = out.bounds.iter().position(|bound| bound.value == *value) {
            return Ok(known);
        }
        let max_digits = self.options.limits.max_digits;
        if value.plain_len() > max_digits as u64 {
            return Err(Error::limit(pointer, format!("{value} has more than {max_digits} digits")));
        }
        let (whole, fraction) = value.plain_digits();
        out.bounds.push(Bound { whole, fraction, value: value.clone() });
        Ok(out.bounds.len() - 1)
    }

    /// The machine as rules, one for each state from which a number can be completed.
    ///
    /// If digits are bounded, states that lead back to themselves say how many more there may be: others lead to states
    /// where more are counted.
    fn digit_rules(&mut self, explored: &Explored, is_bounded: bool, pointer: &str) -> ExprId {
        let Explored { edges, ends, counts } = explored;
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
        for (state, own) in edges.iter().enumerate() {
            for edge in own {
                sources[edge.target].push(state);
            }
        }
        let mut live = ends.to_vec();
        let mut todo: Vec<usize> = (0..ends.len()).filter(|&state| ends[state]).collect();
        while let Some(state) = todo.pop() {
            for &source in &sources[state] {
                if !std::mem::replace(&mut live[source], true) {
                    todo.push(source);
                }
            }
        }
        if !live[0] {
            return self.b.never();
        }
        let mut rules: Vec<Option<RuleId>> = Vec::with_capacity(edges.len());
        for (state, &live) in live.iter().enumerate() {
            // Nothing comes back to the start.
            let place = || Place::Pointer(pointer.to_owned());
            rules.push((live && state > 0).then(|| self.b.declare("digits", place())));
        }
        let mut start = self.b.never();
        for (state, own) in edges.iter().enumerate().filter(|&(state, _)| live[state]) {
            let mut targets: Vec<(usize, Vec<(char, char)>)> = Vec::new();
            for &Edge { low, high, target } in own.iter().filter(|edge| live[edge.target]) {
                let range = (char::from(low), char::from(high));
                match targets.iter_mut().find(|(other, _)| *other == target) {
                    Some((_, ranges)) => ranges.push(range),
                    None => targets.push((target, vec![range])),
                }
            }
            let mut ways = Vec::with_capacity(targets.len() + 1);
            let mut more = self.b.empty();
            for (target, ranges) in targets {
                let Some(rule) = rules[target] else { continue };
                let read = self.b.class(CharClass::from_ranges(ranges));
                if target == state {
                    more = match is_bounded {
                        true => self.runs.run(&mut self.b, read, 0, counts[state]),
                        false => self.b.star(read),
                    };
                    continue;
                }
                let rest = self.b.rule(rule);
                ways.push(self.b.seq([read, rest]));
            }
            if ends[state] {
                ways.push(self.b.empty());
            }
            let ways = self.b.alt(ways);
            let body = self.b.seq([more, ways]);
            match rules[state] {
                Some(rule) => self.b.define(rule, body),
                None => start = body,
            }
        }
        if edges.len() <= MAX_IN_LINE {
            return start;
        }
        let rule = self.b.declare("number", Place::Pointer(pointer.to_owned()));
        self.b.set_sharing(rule, Sharing::Keep);
        self.b.define(rule, start);
        self.b.rule(rule)
    }
}

/// The divisor as digits; `None` if it has too many remainders.
fn divisor(of: &Decimal) -> Option<Divisor> {
    let places = u32::try_from((-of.exponent()).max(0)).ok()?;
    let mut modulus = of.significand()?;
    for _ in 0..of.exponent().max(0) {
        modulus = modulus.checked_mul(10).filter(|&modulus| modulus <= MAX_MODULUS)?;
    }
    let is_small = modulus <= MAX_MODULUS && i64::from(places) <= MAX_PLACES;
    is_small.then(|| Divisor {
        modulus,
        places,
        divides_one: (0..places).fold(1, |unit, _| unit * 10 % modulus) % modulus == 0,
    })
}
