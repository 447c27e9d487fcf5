//! Bounds on numbers: which numbers lie on one side of a bound, or between two.
//!
//! Signs are told apart here, magnitudes compared [elsewhere](super::compare). Two bounds are an intersection only where
//! both bound the same sign and the numbers need not be whole: `-90` to `90` is what is at most 90 with a sign and
//! without, and 7 to 65,535 is compared digit by digit with both. An intersection cost each grammar 50 µs, of which
//! most was to find that some number is in it.
//!
//! # Worked example
//! 7 to 120: of one digit `[7-9]`; of two, any; of three, `1` and then `0` or `1` with any digit, or `20`.

use super::Lowering;
use super::compare::Side;
use crate::decimal::Decimal;
use crate::error::Error;
use crate::normal::{Atom, Formula, FormulaId};
use crate::options::Numbers;
use formwork_grammar::ExprId;

impl Lowering<'_> {
    /// A bound, and whether it is strict: among whole numbers it is the next whole number.
    fn rounded(
        &mut self,
        bound: &Decimal,
        strict: bool,
        side: Side,
        whole: bool,
        pointer: &str,
    ) -> Result<(Decimal, bool), Error> {
        self.notice_digits(bound);
        let rounded = match (whole && !bound.is_integer(), side) {
            (false, _) => bound.clone(),
            (true, Side::Above) => bound.ceil(),
            (true, Side::Below) => bound.floor(),
        };
        let strict = strict && rounded == *bound;
        let max_digits = self.options.limits.max_digits as u64;
        if rounded.plain_len() > max_digits {
            return Err(Error::limit(
                pointer,
                format!("the bound {rounded} has more than {max_digits} digits"),
            ));
        }
        Ok((rounded, strict))
    }

    /// Numbers between two bounds that need no intersection: zero lies between them, or they are whole.
    pub(super) fn between(
        &mut self,
        formula: &[FormulaId],
        whole: bool,
        pointer: &str,
    ) -> Result<Option<(ExprId, [FormulaId; 2])>, Error> {
        let bounds = |this: &Self, side: Side| {
            let mut found = formula.iter().filter_map(|&part| match (this.normal.formulas.get(part), side) {
                (Formula::Atom(Atom::Above { bound, strict }), Side::Above)
                | (Formula::Atom(Atom::Below { bound, strict }), Side::Below) => {
                    Some((part, bound.clone(), *strict))
                }
                _ => None,
            });
            found.next().filter(|_| found.next().is_none())
        };
        let (Some(low), Some(high)) = (bounds(self, Side::Above), bounds(self, Side::Below)) else {
            return Ok(None);
        };
        let parts = [low.0, high.0];
        let (low, low_strict) = self.rounded(&low.1, low.2, Side::Above, whole, pointer)?;
        let (high, high_strict) = self.rounded(&high.1, high.2, Side::Below, whole, pointer)?;
        let zero = Decimal::default();
        let has_zero =
            (low < zero || low.is_zero() && !low_strict) && (high > zero || high.is_zero() && !high_strict);
        if has_zero {
            let below = |this: &mut Self, bound: &Decimal, strict: bool| match bound.is_zero() {
                true => this.b.never(),
                false => this.magnitudes(bound, Side::Below, !strict, whole),
            };
            let (positive, negative) = (below(self, &high, high_strict), below(self, &low, low_strict));
            let minus = self.b.literal("-");
            let negative = self.b.seq([minus, negative]);
            let nil = self.magnitudes_equal(&zero, whole);
            let nil = self.signed(nil);
            return Ok(Some((self.b.alt([positive, negative, nil]), parts)));
        }
        if !whole || low_strict || high_strict || low > high || low.is_zero() || high.is_zero() {
            return Ok(None);
        }
        let minus = if low.is_negative() { self.b.literal("-") } else { self.b.empty() };
        let (least, most) = if low.is_negative() { (&high, &low) } else { (&low, &high) };
        let digits = self.comparer().whole_between(&least.plain_digits().0, &most.plain_digits().0);
        let fraction = self.whole_fraction();
        Ok(Some((self.b.seq([minus, digits, fraction]), parts)))
    }

    /// Numbers on one side of a bound.
    pub(super) fn beyond(
        &mut self,
        bound: &Decimal,
        strict: bool,
        side: Side,
        whole: bool,
        pointer: &str,
    ) -> Result<ExprId, Error> {
        let (rounded, strict) = self.rounded(bound, strict, side, whole, pointer)?;
        let outward = match side {
            Side::Above => rounded.is_negative(),
            Side::Below => !rounded.is_negative() && !rounded.is_zero(),
        };
        // On the side of zero, magnitudes fall short of the bound's and the other sign is free; beyond it they exceed.
        let zero = rounded.is_zero();
        let towards = if outward { Side::Below } else { Side::Above };
        let near = self.magnitudes(&rounded, towards, !strict, whole);
        let minus = self.b.literal("-");
        let near_is_negative = if zero { side == Side::Below } else { rounded.is_negative() };
        let near = if near_is_negative { self.b.seq([minus, near]) } else { near };
        if zero && !strict {
            // Both spellings of zero.
            let zero = self.magnitudes_equal(&rounded, whole);
            let zero = self.signed(zero);
            return Ok(self.b.alt([near, zero]));
        }
        if !outward {
            return Ok(near);
        }
        let all = self.any_magnitude(whole);
        let far = if near_is_negative { all } else { self.b.seq([minus, all]) };
        // Zero lies on the far side with either sign.
        let nil = self.magnitudes_equal(&Decimal::default(), whole);
        let nil = self.signed(nil);
        Ok(self.b.alt([near, far, nil]))
    }

    fn any_magnitude(&mut self, whole: bool) -> ExprId {
        let digits = self.whole_syntax();
        if whole {
            let fraction = self.whole_fraction();
            return self.b.seq([digits, fraction]);
        }
        let mut comparer = self.comparer();
        let (fraction, scientific) = (comparer.fraction(), comparer.any_scientific());
        let fraction = self.b.optional(fraction);
        let plain = self.b.seq([digits, fraction]);
        self.b.alt([plain, scientific])
    }

    /// What may follow the digits of a whole number.
    pub(super) fn whole_fraction(&mut self) -> ExprId {
        if self.options.numbers != Numbers::Any {
            return self.b.empty();
        }
        let (point, zero) = (self.b.literal("."), self.b.literal("0"));
        let zeros = self.b.plus(zero);
        let fraction = self.b.seq([point, zeros]);
        self.b.optional(fraction)
    }

    fn magnitudes(&mut self, bound: &Decimal, side: Side, or_equal: bool, whole: bool) -> ExprId {
        let plain = self.comparer().plain(bound, side, or_equal, whole);
        if whole {
            let fraction = self.whole_fraction();
            return self.b.seq([plain, fraction]);
        }
        let scientific = self.comparer().scientific(bound, side, or_equal);
        self.b.alt([plain, scientific])
    }

    pub(super) fn magnitudes_equal(&mut self, bound: &Decimal, whole: bool) -> ExprId {
        let plain = self.comparer().plain_equal(bound, whole);
        if whole {
            let fraction = self.whole_fraction();
            return self.b.seq([plain, fraction]);
        }
        let scientific = self.comparer().scientific_equal(bound);
        self.b.alt([plain, scientific])
    }
}
