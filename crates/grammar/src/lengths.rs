//! Lengths of texts, in characters: what the shape of an expression tells of them, and what it need not say where they are
//! bounded.
//!
//! An upper bound on a repetition costs a copy of its body for each round, and as many states. Where the whole text has at
//! most L characters, a repetition of which n + 1 rounds take more than L need not stop after n: the texts that it would
//! stop are too long anyway. That holds at any depth and below complements, since what is replaced matches the same texts
//! up to L, and whether a text up to L matches depends on nothing longer.
//!
//! # Worked example
//! A host name as people write it, `^(?=.{1,255}$)(.{1,63}\.){1,127}[a-z]+$`: 128 rounds take at least 256 characters, so
//! the group may as well stand any number of times. Its 63 must stay. And `.{1,255}`, to be intersected with the rest, is a
//! length and `.*`: a length can be counted, whatever stands beside it.
//!
//! What the other parts of a sequence need at least is no room for a part. A search for `[a-z][a-z0-9]{35}`, which is that
//! between `.*` and `.*`, has states for sets of places in it; in 36 characters there is no room for `.*`.

use crate::{CharClass, Expr, ExprId, Grammar, GrammarBuilder, HashMap};

/// Bounds on the lengths of an expression's texts, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextLengths {
    /// No text is shorter; `u64::MAX` if there is none.
    pub min: u64,
    /// No text is longer; `u64::MAX` if nothing says so.
    pub max: u64,
    /// Some text is as short as `min` and, if that is a bound, one as long as `max`, and to each length of a text but the
    /// greatest there is another at most so much greater: 1 if all lengths between are possible. `None` where the shape does
    /// not tell, for intersections and complements.
    pub step: Option<u64>,
}

impl TextLengths {
    /// Of all texts.
    pub const ANY: Self = Self { min: 0, max: u64::MAX, step: Some(1) };
    const NEVER: Self = Self { min: u64::MAX, max: 0, step: Some(1) };

    /// Every text has this length.
    fn of(n: u64) -> Self {
        Self { min: n, max: n, step: Some(1) }
    }

    /// Whether some text has a length between two bounds, and whether some that is not empty has. `None` if the shape does not
    /// tell.
    #[must_use]
    pub fn meet(&self, least: u64, greatest: u64) -> Option<(bool, bool)> {
        let (low, high) = (least.max(self.min), greatest.min(self.max));
        if low > high {
            return Some((false, false));
        }
        let step = self.step?;
        let meet = |low: u64| low <= high && (low <= self.min || high == self.max || high - low >= step - 1);
        // The lengths from 1 on are as far apart, and the first of them is no further than a step.
        let some = meet(low).then_some(true)?;
        match low {
            0 if high == 0 => Some((some, false)),
            0 => (high == self.max || high >= step).then_some((some, true)),
            _ => Some((some, true)),
        }
    }

    fn put_together(expr: &Expr, parts: &[Self]) -> Self {
        match expr {
            Expr::Empty => Self::of(0),
            Expr::Never => Self::NEVER,
            Expr::Bytes(bytes) => {
                Self::of(std::str::from_utf8(bytes).map_or(0, |text| text.chars().count()) as u64)
            }
            Expr::Class(_) => Self::of(1),
            Expr::Seq(_) => Self::seq(parts),
            Expr::Alt(_) => Self::alt(parts),
            Expr::And(_) => Self {
                min: parts.iter().map(|part| part.min).max().unwrap_or(0),
                max: parts.iter().map(|part| part.max).min().unwrap_or(u64::MAX),
                step: None,
            },
            Expr::Repeat { min, max, .. } => {
                Self::repeat(&Self::alt(parts), u64::from(*min), max.map_or(u64::MAX, u64::from))
            }
            _ => Self { min: 0, max: u64::MAX, step: None },
        }
    }

    /// One part that has all lengths between two closes the gaps of the others as far as it is wide.
    fn seq(parts: &[Self]) -> Self {
        if parts.iter().any(|part| part.min == u64::MAX) {
            return Self::NEVER;
        }
        let sum = |f: fn(&Self) -> u64| parts.iter().map(f).fold(0, u64::saturating_add);
        let steps: Option<u64> = parts.iter().map(|part| part.step).try_fold(1, |a, b| Some(b?.max(a)));
        let width = |part: &Self| if part.step == Some(1) { part.max - part.min } else { 0 };
        let step = steps.map(|step| step.saturating_sub(sum(width)).max(1));
        Self { min: sum(|part| part.min), max: sum(|part| part.max), step }
    }

    /// Of alternatives the longest steps are those of one, or from the end of one to where the next begins.
    fn alt(parts: &[Self]) -> Self {
        let mut parts: Vec<&Self> = parts.iter().filter(|part| part.min != u64::MAX).collect();
        parts.sort_unstable_by_key(|part| part.min);
        let Some((&&first, others)) = parts.split_first() else { return Self::NEVER };
        others.iter().fold(first, |all, part| {
            let hole = part.min.saturating_sub(all.max);
            let step = all.step.zip(part.step).map(|(a, b)| a.max(b).max(hole));
            Self { min: all.min, max: all.max.max(part.max), step }
        })
    }

    /// From k rounds to one more the step is the longer the smaller k is.
    fn repeat(body: &Self, min: u64, max: u64) -> Self {
        if body.max == 0 || max == 0 {
            let is_never = body.min == u64::MAX && min > 0;
            return if is_never { Self::NEVER } else { Self::of(0) };
        }
        let hole = body.min.saturating_mul(min + 1).saturating_sub(body.max.saturating_mul(min));
        let hole = if min == max { 1 } else { hole };
        Self {
            min: body.min.saturating_mul(min),
            max: body.max.saturating_mul(max),
            step: body.step.map(|step| step.max(hole)),
        }
    }
}

/// How long the text of each part may be where that of the whole has at most `room` characters; `None` if the others leave
/// no room for one of them, so that nothing matches.
fn rooms(expr: &Expr, room: u64, lengths: &HashMap<ExprId, TextLengths>) -> Option<Vec<u64>> {
    let parts = parts(expr);
    let least = |part: &ExprId| lengths[part].min;
    match expr {
        Expr::Seq(_) => {
            let all = parts.iter().map(least).fold(0, u64::saturating_add);
            let left = room.checked_sub(all)?;
            Some(parts.iter().map(|part| left + least(part)).collect())
        }
        Expr::Repeat { body, min, .. } => {
            let others = u64::from(min.saturating_sub(1)).saturating_mul(least(body));
            let left = room.checked_sub(others)?;
            (*min == 0 || left >= least(body)).then(|| vec![left])
        }
        _ => Some(vec![room; parts.len()]),
    }
}

/// The operands of an expression that is text.
fn parts(expr: &Expr) -> &[ExprId] {
    match expr {
        Expr::Seq(_) | Expr::Alt(_) | Expr::And(_) | Expr::Repeat { .. } | Expr::Not(_) => expr.operands(),
        _ => &[],
    }
}

impl Grammar {
    /// As [`GrammarBuilder::text_lengths`]; `known` is what was found of this grammar before, so that asking of all of its
    /// expressions is linear in the grammar.
    pub fn text_lengths(&self, text: ExprId, known: &mut HashMap<ExprId, TextLengths>) -> TextLengths {
        if !known.contains_key(&text) {
            measure(text, |expr| self.expr(expr), known);
        }
        known[&text]
    }
}

/// Puts the lengths of an expression and of all below it into `known`, with an explicit stack.
fn measure<'e>(text: ExprId, expr: impl Fn(ExprId) -> &'e Expr, known: &mut HashMap<ExprId, TextLengths>) {
    let mut todo = vec![text];
    while let Some(&at) = todo.last() {
        let parts = parts(expr(at));
        let n_before = todo.len();
        todo.extend(parts.iter().copied().filter(|part| !known.contains_key(part)));
        if todo.len() == n_before {
            let parts: Vec<TextLengths> = parts.iter().map(|part| known[part]).collect();
            known.insert(at, TextLengths::put_together(expr(at), &parts));
            todo.pop();
        }
    }
}

impl GrammarBuilder {
    /// Bounds on the lengths of a text's characters, as far as the shape of the expression tells. Linear in its size.
    pub fn text_lengths(&self, text: ExprId) -> TextLengths {
        let mut known = HashMap::default();
        measure(text, |expr| self.expr(expr), &mut known);
        known[&text]
    }

    /// A text expression that matches the same texts of at most `max` characters, without bounds on repetitions that no such
    /// text exceeds, and without rounds that no such text has room for where that leaves next to none. Linear in the
    /// expression's size.
    pub fn text_within(&mut self, text: ExprId, max: u64) -> ExprId {
        let mut lengths = HashMap::default();
        measure(text, |expr| self.expr(expr), &mut lengths);
        let mut known: HashMap<(ExprId, u64), ExprId> = HashMap::default();
        let mut todo = vec![(text, max)];
        while let Some(&(at, room)) = todo.last() {
            let expr = self.expr(at);
            let Some(mut rooms) = rooms(expr, room, &lengths) else {
                known.insert((at, room), self.never());
                todo.pop();
                continue;
            };
            if known.len() >= MAX_PLACES {
                // The room of all is room enough for each.
                rooms.fill(max);
            }
            let places: Vec<(ExprId, u64)> = parts(expr).iter().copied().zip(rooms).collect();
            let n_before = todo.len();
            todo.extend(places.iter().filter(|place| !known.contains_key(*place)));
            if todo.len() > n_before {
                continue;
            }
            todo.pop();
            let expr = expr.clone();
            let new: Vec<ExprId> = places.iter().map(|place| known[place]).collect();
            let result = match expr {
                Expr::Repeat { body, min, max: most } => {
                    let n_rounds = room.checked_div(lengths[&body].min).unwrap_or(u64::MAX);
                    let is_class = matches!(self.expr(body), Expr::Class(_));
                    let few = if is_class { min.saturating_add(MAX_ROUNDS_LEFT) } else { min.max(1) };
                    let most = match (u32::try_from(n_rounds), most) {
                        (Ok(n_rounds), _) if n_rounds <= few => Some(most.unwrap_or(u32::MAX).min(n_rounds)),
                        (_, Some(most)) if u64::from(most) >= n_rounds => None,
                        (_, most) => most,
                    };
                    self.repeat(new[0], min, most)
                }
                _ if new == parts(&expr) => at,
                Expr::Seq(_) => self.seq(new),
                Expr::Alt(_) => self.alt(new),
                Expr::And(_) => self.and(new),
                Expr::Not(_) => self.not(new[0]),
                _ => at,
            };
            known.insert((at, room), result);
        }
        known[&(text, max)]
    }

    /// A bounded repetition of one class as its length and the class any number of times, to be intersected with others.
    /// Anything else, and what is short enough to be written out, stays itself.
    pub fn text_and_length(&mut self, text: ExprId) -> [ExprId; 2] {
        let &Expr::Repeat { body, min, max } = self.expr(text) else { return [text; 2] };
        let any = CharClass::any();
        let is_short = max.unwrap_or(min) < SHORT;
        match self.expr(body) {
            Expr::Class(class) if *class != any && !is_short && (min, max) != (0, None) => {
                let any = self.class(any);
                [self.star(body), self.repeat(any, min, max)]
            }
            _ => [text; 2],
        }
    }
}

/// Rounds beyond the least number of a repeated class up to which it is cut down to what there is room for: `.*x{35}.*` in
/// 36 characters is `.?x{35}.?`, and no search whose every state is a set of places in `x{35}`. Of anything else, rounds
/// without an end are one copy, and so many are as many.
const MAX_ROUNDS_LEFT: u32 = 4;

/// Pairs of an expression and a room for it that are looked at one by one.
const MAX_PLACES: usize = 10_000;

/// Characters of a text that is short.
const SHORT: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    /// What `text_within` makes of an expression, and its lengths, as text.
    fn within(max: u64, build: impl Fn(&mut GrammarBuilder) -> ExprId) -> String {
        let mut b = GrammarBuilder::new();
        let text = build(&mut b);
        let (before, within) = (b.text_lengths(text), b.text_within(text, max));
        let root = b.declare("root", Place::none());
        b.define(root, within);
        format!("{}..={} {}", before.min, before.max, b.build(root).unwrap().to_string().trim_end())
    }

    fn labels(b: &mut GrammarBuilder) -> ExprId {
        let (letter, point) = (b.class(CharClass::range('a', 'z')), b.literal("."));
        let label = b.repeat(letter, 1, Some(63));
        let label = b.seq([label, point]);
        b.repeat(label, 1, Some(127))
    }

    #[test]
    fn bounds_that_no_short_text_exceeds_are_dropped() {
        assert_eq!(within(256, labels), "2..=8128 root ::= ([a-z]{1,63} \".\"){1,127}");
        assert_eq!(within(255, labels), "2..=8128 root ::= ([a-z]{1,63} \".\")+");
        assert_eq!(within(63, labels), "2..=8128 root ::= ([a-z]+ \".\")+");
        let not_labels = |b: &mut GrammarBuilder| {
            let labels = labels(b);
            b.not(labels)
        };
        assert_eq!(within(255, not_labels), "0..=18446744073709551615 root ::= Not(([a-z]{1,63} \".\")+)");
        // Rounds that may be empty say nothing.
        let empty = |b: &mut GrammarBuilder| {
            let letter = b.class(CharClass::range('a', 'z'));
            let few = b.repeat(letter, 0, Some(3));
            let few = b.seq([few, few]);
            b.repeat(few, 2, Some(5))
        };
        assert_eq!(within(5, empty), "0..=30 root ::= ([a-z]{0,3} [a-z]{0,3}){2,5}");
    }

    #[test]
    fn rounds_without_room_are_dropped() {
        let search = |b: &mut GrammarBuilder| {
            let (any, letter) = (b.class(CharClass::any()), b.class(CharClass::range('a', 'z')));
            let (any, name) = (b.star(any), b.repeat(letter, 9, Some(9)));
            b.seq([any, name, any])
        };
        let name = |max| within(max, search).split(" ::= ").last().unwrap().to_owned();
        assert_eq!(name(9), "[a-z]{9}");
        assert_eq!(name(11), "[^]{0,2} [a-z]{9} [^]{0,2}");
        assert_eq!(name(20), "[^]* [a-z]{9} [^]*");
        assert_eq!(name(8), "[]");
        let word = |b: &mut GrammarBuilder| {
            let letter = b.class(CharClass::range('a', 'z'));
            let word = b.plus(letter);
            let (word, colon) = (b.seq([word, word]), b.literal(":"));
            let words = b.seq([word, colon]);
            b.repeat(words, 2, None)
        };
        let words = |max| within(max, word).split(" ::= ").last().unwrap().to_owned();
        assert_eq!(
            [20, 7, 5].map(words),
            ["([a-z]+ [a-z]+ \":\"){2,}", "([a-z]{1,2} [a-z]{1,2} \":\"){2}", "[]"]
        );
    }

    /// Some random expressions over one letter, whose texts are their lengths.
    fn random_exprs(b: &mut GrammarBuilder, seed: u64) -> Vec<ExprId> {
        let mut state = seed;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let letter = b.class(CharClass::range('a', 'a'));
        let mut exprs = vec![letter, b.literal("aaaaa"), b.literal("aa"), b.empty()];
        for _ in 0..24 {
            let n = exprs.len();
            let mut pick = || exprs[n - 1 - below(n.min(6)).min(below(n))];
            let (x, y) = (pick(), pick());
            let (min, more) = (below(3) as u32, below(3) as u32);
            exprs.push(match below(5) {
                0 | 1 => b.seq([x, y]),
                2 => b.alt([x, y]),
                3 => b.repeat(x, min, Some(min + more)),
                _ => b.repeat(x, min, None),
            });
        }
        exprs
    }

    /// The lengths up to 63 of the texts of an expression over one letter, as bits.
    fn all_lengths(b: &GrammarBuilder, expr: ExprId) -> u64 {
        let sum = |x: u64, y: u64| (0..64).filter(|i| x >> i & 1 == 1).fold(0, |all, i| all | y << i);
        let of = |part: &ExprId| all_lengths(b, *part);
        match b.expr(expr) {
            Expr::Seq(parts) => parts.iter().map(of).fold(1, sum),
            Expr::Alt(parts) => parts.iter().map(of).fold(0, |x, y| x | y),
            Expr::Repeat { body, min, max } => {
                let body = of(body);
                let least = (0..*min).fold(1, |all, _| sum(all, body));
                let more = max.map_or(64, |max| max - min);
                (0..more).fold((least, least), |(all, last), _| (all | sum(last, body), sum(last, body))).0
            }
            Expr::Bytes(bytes) => 1 << bytes.len(),
            Expr::Class(_) => 2,
            _ => 1,
        }
    }

    #[test]
    fn lengths_are_those_of_the_texts() {
        let (mut n_gaps, mut n_told) = (0, 0);
        for seed in 0..300 {
            let mut b = GrammarBuilder::new();
            for expr in random_exprs(&mut b, seed) {
                let (told, all) = (b.text_lengths(expr), all_lengths(&b, expr));
                let step = told.step.expect("no intersections");
                let lengths: Vec<u64> = (0..64).filter(|i| all >> i & 1 == 1).collect();
                assert!(told.min >= 64 || lengths.first() == Some(&told.min), "{told:?} {lengths:?}");
                assert!(told.max >= 64 || lengths.last() == Some(&told.max), "{told:?} {lengths:?}");
                assert!(lengths.windows(2).all(|pair| pair[1] - pair[0] <= step), "{told:?} {lengths:?}");
                n_gaps += usize::from(step > 1);
                for (least, greatest) in (0..64).flat_map(|low| (low..64).map(move |high| (low, high))) {
                    let within = || lengths.iter().filter(|&&length| length >= least && length <= greatest);
                    let facts = (within().next().is_some(), within().any(|&length| length > 0));
                    assert!(
                        told.meet(least, greatest).is_none_or(|told| told == facts),
                        "{told:?} {lengths:?}"
                    );
                    n_told += usize::from(told.meet(least, greatest).is_some());
                }
            }
        }
        assert!(n_gaps > 500 && n_told > 1_000_000, "{n_gaps} {n_told}");
    }

    #[test]
    fn a_long_repetition_of_a_class_is_a_length_and_the_class() {
        let mut b = GrammarBuilder::new();
        let (letter, any) = (b.class(CharClass::range('a', 'z')), b.class(CharClass::any()));
        let long = b.repeat(letter, 1, Some(255));
        let parts = [b.star(letter), b.repeat(any, 1, Some(255))];
        assert_eq!(b.text_and_length(long), parts);
        for unchanged in [b.repeat(letter, 1, Some(9)), b.star(letter), b.repeat(any, 1, Some(255)), letter] {
            assert_eq!(b.text_and_length(unchanged), [unchanged; 2]);
        }
    }
}
