//! Values that texts tell apart: which demands have values that are spelled in one way each, as far as the engine compares.
//!
//! `uniqueItems` over values without number keeps the texts of the items that came (`texts.rs` of `formwork-earley`). There
//! escapes are characters, and blanks outside of strings are left out. What else spells one value in several ways is no
//! part of what is found here:
//!
//! - *numbers* with a fraction or an exponent (`1.0` is `1`): only whole ones that are written plainly;
//! - *objects* whose members may come in several orders: only declared members, in the schema's order. Undeclared ones may
//!   come in any, and twice.
//!
//! Texts are written out: all that an item reads is one automaton, so strings and arrays must be short, and values must not
//! nest without end. What is not found here is left to who lists all values, or is refused.
//!
//! # Worked example
//! `{"Key": string up to 128, "Value": string up to 256}`, closed: two members in one order, some 4,000 states with escapes;
//! strings do not run out, so neither do the objects. With `additionalProperties` open: not found.

use super::Lowering;
use crate::error::Error;
use crate::normal::{Atom, Formula, FormulaId, Kind};
use crate::options::{Numbers, PropertyOrder};
use formwork_grammar::{Expr, ExprId};

/// What the texts of a demand are like.
#[derive(Clone, Copy)]
pub(super) struct Spelled {
    /// Whether it shows at once that there are so many that they cannot run out.
    pub(super) has_plenty: bool,
    /// Whether all are strings, or words beside them.
    pub(super) is_scalar: bool,
    /// The states of an automaton of them, about.
    n_states: u64,
}

/// How deep values nest.
const MAX_NESTED: usize = 5;
/// States of all texts of an array, about. Some 4 µs each are what compiling waits for, since it has to be known of each state
/// how many texts are left from there.
const MAX_STATES: u64 = 60_000;
/// Characters up to which lengths are written out.
const MAX_LENGTH: u64 = 1_024;
/// Whole numbers that are plenty: as many as texts are.
const MANY_NUMBERS: i128 = 1 << 20;
/// States of a number, a word or a string without a length, and of a character where lengths are counted, with its escapes.
const N_STATES: u64 = 64;
const N_STATES_OF_CHARACTER: u64 = 12;

impl Lowering<'_> {
    /// The texts of a demand if each of its values has one, as far as texts are compared.
    pub(super) fn spelled_once(&mut self, demand: FormulaId) -> Result<Option<Spelled>, Error> {
        let spelled = self.spelled_at(demand, 0)?;
        Ok(spelled.filter(|spelled| spelled.n_states <= MAX_STATES))
    }

    /// The same `depth` values deep.
    fn spelled_at(&mut self, demand: FormulaId, depth: usize) -> Result<Option<Spelled>, Error> {
        if depth > MAX_NESTED {
            return Ok(None);
        }
        let mut all = Spelled { has_plenty: false, is_scalar: true, n_states: 1 };
        for kind in Kind::ALL {
            let component = self.normal.component(demand, kind)?;
            if component == FormulaId::FALSE || self.normal.is_empty_component(kind, component, 1) {
                continue;
            }
            let found = match kind {
                Kind::Null | Kind::False | Kind::True => Some((false, N_STATES)),
                Kind::String => self.spelled_strings(component),
                Kind::Number => self.spelled_numbers(component),
                Kind::Array => self.spelled_arrays(component, depth)?,
                Kind::Object => self.spelled_objects(demand, component, depth)?,
            };
            let Some((has_plenty, n_states)) = found else { return Ok(None) };
            all.has_plenty |= has_plenty;
            all.n_states = all.n_states.saturating_add(n_states);
            all.is_scalar &= !matches!(kind, Kind::Number | Kind::Array | Kind::Object);
            if all.n_states > MAX_STATES {
                return Ok(None);
            }
        }
        Ok(Some(all))
    }

    /// Whether strings are plenty, and the states of them; `None` if lengths are bounded beyond what is written out.
    fn spelled_strings(&mut self, component: FormulaId) -> Option<(bool, u64)> {
        let (mut n_characters, mut n_of_character, mut n_of_texts) = (0, N_STATES_OF_CHARACTER, 0u64);
        for (_, atom) in self.normal.formulas.atoms(component) {
            match atom {
                Atom::MinLength(n) | Atom::MaxLength(n) => n_characters = n_characters.max(n),
                Atom::Text(text, _) => {
                    let (once, written_out) = self.n_states_of_text(text);
                    n_of_character = n_of_character.saturating_add(once);
                    n_of_texts = n_of_texts.saturating_add(written_out);
                }
                _ => {}
            }
        }
        let n_of_lengths = n_of_character.saturating_mul(n_characters);
        let n_states = N_STATES.saturating_add(n_of_lengths.max(n_of_texts));
        (n_characters <= MAX_LENGTH).then(|| (self.has_plenty_of_strings(component), n_states))
    }

    /// The states of the classes in a text of the normal form's arena, about: each once, and as often as it is repeated. What
    /// spells letters beyond ASCII are states for the ends of each range.
    fn n_states_of_text(&mut self, text: ExprId) -> (u64, u64) {
        let texts = &mut self.normal.reader.texts;
        let (mut once, mut written_out) = (0u64, 0u64);
        let mut stack = vec![(text, 1u64)];
        let mut n_visits = 0;
        while let Some((text, times)) = stack.pop() {
            n_visits += 1;
            if n_visits > MAX_STATES {
                return (u64::MAX, u64::MAX);
            }
            match texts.expr(text).clone() {
                Expr::Class(class) => {
                    let n_ranges = class.ranges().len() as u64 / 2;
                    once = once.saturating_add(n_ranges);
                    let each = times.saturating_mul(N_STATES_OF_CHARACTER + n_ranges);
                    written_out = written_out.saturating_add(each);
                }
                Expr::Repeat { body, min, max } => {
                    let most = u64::from(max.unwrap_or(min)).max(1);
                    stack.push((body, times.saturating_mul(most)));
                }
                Expr::Seq(parts) | Expr::Alt(parts) | Expr::And(parts) => {
                    stack.extend(parts.iter().map(|&part| (part, times)));
                }
                Expr::Not(body) => stack.push((body, times)),
                _ => {}
            }
        }
        (once, written_out)
    }

    /// Whether it shows at once that so many strings satisfy a formula that they cannot run out.
    fn has_plenty_of_strings(&mut self, component: FormulaId) -> bool {
        let mut n_patterns = 0;
        for part in self.normal.formulas.conjuncts(component) {
            match self.normal.formulas.get(part) {
                Formula::True | Formula::Atom(Atom::MinLength(_) | Atom::StringIn(_, false)) => {}
                Formula::Atom(Atom::MaxLength(2..)) => n_patterns += 1,
                &Formula::Atom(Atom::Text(text, true)) => {
                    n_patterns += 1;
                    if !self.is_endless(text) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        // Of two together there may be few.
        n_patterns <= 1
    }

    /// Whether a text of the normal form's arena has a repetition without end, so that it stands for texts without number.
    fn is_endless(&mut self, text: ExprId) -> bool {
        let texts = &mut self.normal.reader.texts;
        let mut stack = vec![text];
        while let Some(text) = stack.pop() {
            match texts.expr(text).clone() {
                Expr::Repeat { body, max: None, .. } if matches!(texts.expr(body), Expr::Class(_)) => {
                    return true;
                }
                Expr::Repeat { body, .. } => stack.push(body),
                Expr::Seq(parts) | Expr::Alt(parts) => stack.extend(parts.iter().copied()),
                _ => {}
            }
        }
        false
    }

    /// Whole numbers between bounds, or listed ones, where they are written plainly.
    fn spelled_numbers(&self, component: FormulaId) -> Option<(bool, u64)> {
        if self.options.numbers == Numbers::Any {
            return None;
        }
        let (mut is_whole, mut is_listed) = (false, false);
        let (mut low, mut high) = (None::<i128>, None::<i128>);
        for part in self.normal.formulas.conjuncts(component) {
            match self.normal.formulas.get(part) {
                Formula::Atom(Atom::Integer(true)) => is_whole = true,
                Formula::Atom(Atom::NumberIn(numbers, true)) => {
                    if !numbers.iter().all(|number| number.written_plain && number.value.is_integer()) {
                        return None;
                    }
                    is_listed = true;
                }
                Formula::Atom(Atom::NumberIn(_, false)) => {}
                Formula::Atom(Atom::Above { bound, .. }) => {
                    low = low.max(Some(bound.floor().saturating_i128()))
                }
                Formula::Atom(Atom::Below { bound, .. }) => {
                    let bound = bound.ceil().saturating_i128();
                    high = Some(high.map_or(bound, |high: i128| high.min(bound)));
                }
                _ => return None,
            }
        }
        let has_plenty = match (low, high) {
            (Some(low), Some(high)) => high.saturating_sub(low) > 2 * MANY_NUMBERS,
            _ => true,
        };
        (is_whole || is_listed).then_some((has_plenty && !is_listed, N_STATES))
    }

    fn spelled_arrays(&mut self, component: FormulaId, depth: usize) -> Result<Option<(bool, u64)>, Error> {
        let Some(positions) = self.positions(component) else { return Ok(None) };
        let n_prefix = positions.ranges.iter().map(|&(from, to, _)| to.unwrap_or(from)).max().unwrap_or(0);
        let (mut has_plenty, mut n_states) = (false, N_STATES);
        for position in 0..=n_prefix.min(positions.max) {
            if position == positions.max {
                break;
            }
            let demand = self.demand_at(position, &positions);
            if self.normal.is_empty_demand(demand) {
                break;
            }
            let Some(item) = self.spelled_at(demand, depth + 1)? else { return Ok(None) };
            let times = match position == n_prefix {
                false => 1,
                true if positions.max == u64::MAX => positions.min.saturating_sub(n_prefix).max(1),
                true => positions.max - n_prefix,
            };
            n_states = n_states.saturating_add(item.n_states.saturating_mul(times));
            // An array can be as long as one likes, or its first item can be what one likes.
            has_plenty |= (position == n_prefix && positions.max == u64::MAX) || item.has_plenty;
            if n_states > MAX_STATES {
                return Ok(None);
            }
        }
        Ok(Some((has_plenty, n_states)))
    }

    fn spelled_objects(
        &mut self,
        demand: FormulaId,
        component: FormulaId,
        depth: usize,
    ) -> Result<Option<(bool, u64)>, Error> {
        if self.options.property_order != PropertyOrder::Schema {
            return Ok(None);
        }
        let pointer = self.normal.pointer(demand);
        let (declared, formula) = (self.normal.declared(demand)?, self.normal.absorbed(component));
        let Some(parts) = self.take_apart(formula, &declared, &pointer)? else { return Ok(Some((false, 0))) };
        if !parts.extra.is_empty() || !parts.classes.is_empty() || !self.is_about_presence(parts.core) {
            return Ok(None);
        }
        let (mut has_plenty, mut n_states) = (false, N_STATES);
        for name in &parts.declared {
            if name.demand == FormulaId::FALSE {
                continue;
            }
            let Some(value) = self.spelled_at(name.demand, depth + 1)? else { return Ok(None) };
            has_plenty |= value.has_plenty && (name.required || parts.core == FormulaId::TRUE);
            let n_letters = name.name.len() as u64;
            n_states = n_states.saturating_add(value.n_states + n_letters * N_STATES_OF_CHARACTER);
            if n_states > MAX_STATES {
                return Ok(None);
            }
        }
        Ok(Some((has_plenty, n_states)))
    }

    /// Whether a formula over members asks of their values nothing but that they are there: else a value's members may have
    /// another order in each of several branches.
    fn is_about_presence(&self, core: FormulaId) -> bool {
        self.normal.formulas.atoms(core).iter().all(|(_, atom)| match atom {
            Atom::MinMembers(_) | Atom::MaxMembers(_) => true,
            Atom::AllKeys { demand, .. } | Atom::SomeKey { demand, .. } => {
                [FormulaId::TRUE, FormulaId::FALSE].contains(demand)
            }
            _ => false,
        })
    }
}
