//! Languages of strings: patterns, formats and names as text expressions, and the two questions the normal form asks
//! about them: is this string in it, and is it certainly empty.
//!
//! Both are answered with Brzozowski derivatives, which handle intersection and complement like everything else and
//! need no automaton. They are asked rarely (declared names against `patternProperties`, enumerated strings against
//! `pattern`, overlapping key patterns), and the second may answer "don't know" for free: the engine finds what is
//! empty in the end.

use crate::error::Error;
use crate::formats::{Format, Syntax};
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, GrammarBuilder, HashMap, HashSet, Place};
use std::rc::Rc;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Derivatives computed for one question before the answer is "don't know".
const EMPTINESS_BUDGET: usize = 400;
/// Parts of an intersection of which each two are looked at.
const MAX_COMPARED: usize = 8;

/// An arena of text expressions with a memory.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Made when there is a text.
    builder: Option<Box<GrammarBuilder>>,
    patterns: HashMap<Rc<str>, ExprId>,
    formats: HashMap<&'static str, ExprId>,
    nullable: HashMap<ExprId, bool>,
    derivatives: HashMap<(ExprId, char), ExprId>,
    verdicts: HashMap<(ExprId, Rc<str>), bool>,
    emptiness: HashMap<ExprId, Emptiness>,
}

/// What is known of the strings of a language.
#[derive(Clone, Debug)]
enum Emptiness {
    /// There are none.
    Empty,
    /// This is one of them.
    Has(Rc<str>),
    /// The search was given up.
    Unknown,
}

/// Why a pattern is no text expression.
pub(crate) enum PatternError {
    /// Not regular, or not known here.
    Unsupported(String),
    /// Not a regular expression.
    Invalid(String),
    /// Too large.
    Limit(String),
}

impl Texts {
    pub(crate) fn expr(&mut self, text: ExprId) -> &Expr {
        self.builder().expr(text)
    }

    /// The arena itself, for those who build expressions of their own.
    pub(crate) fn builder(&mut self) -> &mut GrammarBuilder {
        self.builder.get_or_insert_with(Box::default)
    }

    /// The strings in which an ECMA-262 regular expression finds something.
    pub(crate) fn pattern(&mut self, pattern: &Rc<str>) -> Result<ExprId, PatternError> {
        if let Some(&text) = self.patterns.get(pattern) {
            return Ok(text);
        }
        let options = formwork_regex::Options::new()
            .dialect(formwork_regex::Dialect::Ecma)
            .matching(formwork_regex::Matching::Search);
        let text = options.expr(self.builder(), pattern).map_err(|error| {
            let message = error.to_string();
            match error.kind() {
                kind if kind.is_unsupported() => PatternError::Unsupported(message),
                formwork_regex::ErrorKind::Limit => PatternError::Limit(message),
                _ => PatternError::Invalid(message),
            }
        })?;
        self.patterns.insert(pattern.clone(), text);
        Ok(text)
    }

    /// The lengths that a text asks for, if it asks for nothing else.
    pub(crate) fn lengths_alone(&mut self, text: ExprId) -> Option<(u64, Option<u64>)> {
        let &Expr::Repeat { body, min, max } = self.expr(text) else { return None };
        let is_any = matches!(self.expr(body), Expr::Class(class) if *class == CharClass::any());
        is_any.then(|| (min.into(), max.map(u64::from)))
    }

    /// Whether a string is of a syntax.
    pub(crate) fn has_syntax(&mut self, syntax: Syntax, string: &Rc<str>) -> bool {
        match syntax {
            // Look-behind and the like are no languages here, but regular expressions all the same.
            Syntax::Regex => !matches!(self.pattern(string), Err(PatternError::Invalid(_))),
            Syntax::IdnHostname => crate::idn::is_hostname(string),
        }
    }

    /// The strings of a format.
    pub(crate) fn format(&mut self, name: &'static str, format: Format) -> Result<ExprId, Error> {
        if let Some(&text) = self.formats.get(name) {
            return Ok(text);
        }
        let text = self.builder().import_whole(&known_format(name, format)?);
        self.formats.insert(name, text);
        Ok(text)
    }

    /// Whether a string is in the language.
    pub(crate) fn matches(&mut self, text: ExprId, string: &Rc<str>) -> bool {
        let key = (text, string.clone());
        if let Some(&verdict) = self.verdicts.get(&key) {
            return verdict;
        }
        let end = string.chars().fold(text, |at, c| self.derivative(at, c));
        let verdict = self.is_nullable(end);
        self.verdicts.insert(key, verdict);
        verdict
    }

    /// Whether the language is certainly empty (`Some(true)`), certainly not (`Some(false)`), or too large to tell.
    pub(crate) fn is_empty(&mut self, text: ExprId) -> Option<bool> {
        match self.emptiness(text) {
            Emptiness::Empty => Some(true),
            Emptiness::Has(_) => Some(false),
            Emptiness::Unknown => None,
        }
    }

    fn emptiness(&mut self, text: ExprId) -> Emptiness {
        if let Some(known) = self.emptiness.get(&text) {
            return known.clone();
        }
        let known = match self.builder().expr(text) {
            Expr::And(parts) => {
                let parts = parts.to_vec();
                self.emptiness_of_parts(&parts)
            }
            _ => None,
        };
        let known = known.unwrap_or_else(|| self.search(text));
        self.emptiness.insert(text, known.clone());
        known
    }

    /// What some parts of an intersection tell of it.
    ///
    /// PERF: of many patterns of keys each is asked for with the complements of the others. A string that matches it is
    /// looked for once, and mostly matches no other; and where two patterns have nothing in common, all others are needless.
    fn emptiness_of_parts(&mut self, parts: &[ExprId]) -> Option<Emptiness> {
        let builder = self.builder();
        let is_positive = |part: &ExprId| !matches!(builder.expr(*part), Expr::Not(_));
        let (positive, negative): (Vec<_>, Vec<_>) = parts.iter().copied().partition(is_positive);
        let some = if negative.is_empty() { Vec::new() } else { vec![positive.clone()] };
        let pairs =
            positive.iter().enumerate().flat_map(|(i, &a)| positive[..i].iter().map(move |&b| vec![a, b]));
        let pairs = pairs.filter(|_| (3..=MAX_COMPARED).contains(&positive.len()));
        for some in pairs.chain(some).filter(|some| !some.is_empty()) {
            let some = self.builder().and(some);
            match self.emptiness(some) {
                Emptiness::Empty => return Some(Emptiness::Empty),
                Emptiness::Has(string) if parts.iter().all(|&part| self.matches(part, &string)) => {
                    return Some(Emptiness::Has(string));
                }
                _ => {}
            }
        }
        None
    }

    fn search(&mut self, text: ExprId) -> Emptiness {
        // One character of each class of the expression stands for all that its derivatives can tell apart.
        let representatives = self.representatives(text);
        let mut seen: HashSet<ExprId> = HashSet::default();
        // What is met on the way to the state at hand, each with the number of characters that are still to be tried. They are
        // tried one by one: mostly some string is found soon.
        let mut path: Vec<(ExprId, usize)> = Vec::new();
        let mut budget = EMPTINESS_BUDGET;
        let mut at = text;
        loop {
            if self.is_nullable(at) {
                let string: String = path.iter().map(|&(_, n_left)| representatives[n_left]).collect();
                return Emptiness::Has(string.into());
            }
            if !matches!(self.builder().expr(at), Expr::Never) && seen.insert(at) {
                path.push((at, representatives.len()));
            }
            at = loop {
                let Some((from, n_left)) = path.last_mut() else { return Emptiness::Empty };
                if *n_left == 0 {
                    path.pop();
                    continue;
                }
                *n_left -= 1;
                let (from, c) = (*from, representatives[*n_left]);
                if !self.may_begin_with(from, c) {
                    continue;
                }
                let Some(left) = budget.checked_sub(1) else { return Emptiness::Unknown };
                budget = left;
                break self.derivative(from, c);
            };
        }
    }

    fn may_begin_with(&mut self, text: ExprId, c: char) -> bool {
        let Self { builder, nullable, .. } = self;
        may_begin_with(builder.get_or_insert_with(Box::default), nullable, text, c)
    }

    fn representatives(&mut self, text: ExprId) -> Vec<char> {
        // The boundaries of all ranges cut the characters into intervals that no class separates.
        let mut starts: Vec<char> = vec!['\0'];
        let mut range = |low: char, high: char| {
            starts.push(low);
            starts.extend((high..=char::MAX).nth(1));
        };
        let mut seen: HashSet<ExprId> = HashSet::default();
        let mut todo = vec![text];
        while let Some(at) = todo.pop() {
            if !seen.insert(at) {
                continue;
            }
            match self.builder().expr(at) {
                Expr::Class(class) => class.ranges().iter().for_each(|&(low, high)| range(low, high)),
                Expr::Bytes(bytes) => {
                    let text = std::str::from_utf8(bytes).unwrap_or_default();
                    text.chars().for_each(|c| range(c, c));
                }
                Expr::Seq(parts) | Expr::Alt(parts) | Expr::And(parts) => todo.extend(parts),
                Expr::Repeat { body, .. } | Expr::Not(body) | Expr::JsonText(body) => todo.push(*body),
                _ => {}
            }
        }
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    fn is_nullable(&mut self, text: ExprId) -> bool {
        let Self { builder, nullable, .. } = self;
        is_nullable(builder.get_or_insert_with(Box::default), nullable, text)
    }

    /// What may follow `c`.
    fn derivative(&mut self, text: ExprId, c: char) -> ExprId {
        if let Some(&known) = self.derivatives.get(&(text, c)) {
            return known;
        }
        let never = self.builder().never();
        let derivative = match self.builder().expr(text).clone() {
            Expr::Bytes(bytes) => {
                let mut buffer = [0; 4];
                match bytes.strip_prefix(c.encode_utf8(&mut buffer).as_bytes()) {
                    Some(rest) => self.builder().literal(rest),
                    None => never,
                }
            }
            Expr::Class(class) if class.contains(c) => self.builder().empty(),
            Expr::Seq(parts) => {
                let mut ways = Vec::new();
                for (i, &part) in parts.iter().enumerate() {
                    let head = self.derivative(part, c);
                    ways.push(
                        self.builder().seq(std::iter::once(head).chain(parts[i + 1..].iter().copied())),
                    );
                    if !self.is_nullable(part) {
                        break;
                    }
                }
                // Sorted, so that equal unions are one expression and the search ends.
                ways.sort_unstable();
                self.builder().alt(ways)
            }
            Expr::Alt(parts) => {
                let mut ways: Vec<ExprId> = parts.iter().map(|&part| self.derivative(part, c)).collect();
                ways.sort_unstable();
                self.builder().alt(ways)
            }
            Expr::And(parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for &part in parts.iter() {
                    all.push(self.derivative(part, c));
                    if all.last() == Some(&never) {
                        break;
                    }
                }
                self.builder().and(all)
            }
            Expr::Not(body) => {
                let inner = self.derivative(body, c);
                self.builder().not(inner)
            }
            Expr::Repeat { body, min, max } => {
                let head = self.derivative(body, c);
                let min = if self.is_nullable(body) { 0 } else { min.saturating_sub(1) };
                let rest = self.builder().repeat(body, min, max.map(|max| max - 1));
                self.builder().seq([head, rest])
            }
            _ => never,
        };
        self.derivatives.insert((text, c), derivative);
        derivative
    }
}

/// Whether the empty string is in the language. Depth is bounded by the regex parser's nesting limit.
fn is_nullable(b: &GrammarBuilder, known: &mut HashMap<ExprId, bool>, text: ExprId) -> bool {
    if let Some(&known) = known.get(&text) {
        return known;
    }
    let nullable = match b.expr(text) {
        Expr::Empty => true,
        Expr::Seq(parts) | Expr::And(parts) => parts.iter().all(|&part| is_nullable(b, known, part)),
        Expr::Alt(parts) => parts.iter().any(|&part| is_nullable(b, known, part)),
        &Expr::Repeat { body, min, .. } => min == 0 || is_nullable(b, known, body),
        &Expr::Not(body) => !is_nullable(b, known, body),
        _ => false,
    };
    known.insert(text, nullable);
    nullable
}

/// Whether literals and classes leave it open that some string of the language begins with the character. `nullable` is what
/// is known of that. Depth is bounded by the regex parser's nesting limit.
fn may_begin_with(b: &GrammarBuilder, nullable: &mut HashMap<ExprId, bool>, text: ExprId, c: char) -> bool {
    match b.expr(text) {
        Expr::Bytes(bytes) => bytes.starts_with(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Expr::Class(class) => class.contains(c),
        Expr::Empty | Expr::Never => false,
        Expr::And(parts) => parts.iter().all(|&part| may_begin_with(b, nullable, part, c)),
        Expr::Alt(parts) => parts.iter().any(|&part| may_begin_with(b, nullable, part, c)),
        Expr::Seq(parts) => {
            for &part in parts.iter() {
                if may_begin_with(b, nullable, part, c) {
                    return true;
                }
                if !is_nullable(b, nullable, part) {
                    return false;
                }
            }
            false
        }
        &Expr::Repeat { body, .. } => may_begin_with(b, nullable, body, c),
        _ => true,
    }
}

/// A format as a grammar, made when a schema first asks for it: a URI is 1,500 characters of regular expressions.
fn known_format(name: &'static str, format: Format) -> Result<Grammar, Error> {
    static KNOWN: LazyLock<Mutex<HashMap<&'static str, Grammar>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(grammar) = known().get(name) {
        return Ok(grammar.clone());
    }
    let error = |message: String| Error::invalid("", format!("format `{name}`: {message}"));
    let mut b = GrammarBuilder::new();
    let text = format_text(&mut b, format).map_err(|problem| error(problem.to_string()))?;
    let root = b.declare("format", Place::none());
    b.define(root, text);
    let grammar = b.build(root).map_err(|problem| error(problem.to_string()))?;
    known().insert(name, grammar.clone());
    Ok(grammar)
}

fn format_text(b: &mut GrammarBuilder, format: Format) -> Result<ExprId, formwork_regex::Error> {
    let options = formwork_regex::Options::new()
        .dialect(formwork_regex::Dialect::Rust)
        .matching(formwork_regex::Matching::Full);
    let mut parts = Vec::new();
    for choice in format {
        let mut ways = Vec::new();
        for part in *choice {
            let mut all = vec![options.expr(b, part.regex)?];
            if let Some(not) = part.not {
                let not = options.expr(b, not)?;
                all.push(b.not(not));
            }
            if let Some(max) = part.max {
                let any = b.class(CharClass::any());
                all.push(b.repeat(any, 0, Some(max)));
            }
            if let Some(max) = part.max_octets {
                all.push(octets(b, max));
            }
            ways.push(b.and(all));
        }
        parts.push(b.alt(ways));
    }
    Ok(b.seq(parts))
}

/// Texts of at most so many octets in UTF-8.
fn octets(b: &mut GrammarBuilder, max: u32) -> ExprId {
    let widths =
        [('\0', '\u{7F}'), ('\u{80}', '\u{7FF}'), ('\u{800}', '\u{FFFF}'), ('\u{10000}', '\u{10FFFF}')];
    // What fits into 0, 1, 2, … octets, each said by those before.
    let mut fits = vec![b.empty()];
    for n in 1..=max as usize {
        let mut ways = vec![b.empty()];
        for (width, &(low, high)) in (1..=4).zip(&widths) {
            if let Some(&rest) = n.checked_sub(width).and_then(|rest| fits.get(rest)) {
                let character = b.class(CharClass::range(low, high));
                ways.push(b.seq([character, rest]));
            }
        }
        fits.push(b.alt(ways));
    }
    fits.last().copied().unwrap_or_else(|| b.empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn membership_and_emptiness() {
        let mut texts = Texts::default();
        let pattern = |texts: &mut Texts, p: &str| match texts.pattern(&p.into()) {
            Ok(text) => text,
            Err(_) => panic!("{p}"),
        };
        let (x, y) = (pattern(&mut texts, "^x-"), pattern(&mut texts, "a{2,3}$"));
        for (text, string, expected) in
            [(x, "x-1", true), (x, "ax-", false), (y, "baa", true), (y, "aab", false), (y, "aaaa", true)]
        {
            assert_eq!(texts.matches(text, &string.into()), expected, "{string}");
        }
        let z = pattern(&mut texts, "^z");
        let both = texts.builder().and([x, z]);
        assert_eq!(texts.is_empty(both), Some(true));
        let both = texts.builder().and([x, y]);
        assert_eq!(texts.is_empty(both), Some(false));
        let not_x = texts.builder().not(x);
        let neither = texts.builder().and([x, not_x]);
        assert_eq!(texts.is_empty(neither), Some(true));
    }

    /// As the classes of many patterns of keys ask.
    #[test]
    fn a_pattern_beside_the_complements_of_many_is_looked_at_alone() {
        let n_derivatives = |n: usize| {
            let mut texts = Texts::default();
            let patterns: Vec<ExprId> = (0..n)
                .map(|i| match texts.pattern(&format!("^name{i}:(en|nl|[0-9]{{1,3}})$").into()) {
                    Ok(text) => text,
                    Err(_) => panic!("{i}"),
                })
                .collect();
            for (i, &one) in patterns.iter().enumerate() {
                for (k, &other) in patterns.iter().enumerate() {
                    let rest = patterns.iter().filter(|&&rest| rest != one && rest != other);
                    let mut parts: Vec<ExprId> = rest.map(|&rest| texts.builder().not(rest)).collect();
                    parts.extend([one, other]);
                    let all = texts.builder().and(parts);
                    assert_eq!(texts.is_empty(all), Some(i != k));
                }
            }
            texts.derivatives.len()
        };
        let (few, many) = (n_derivatives(8), n_derivatives(16));
        assert!(many < 5 * few, "{few} derivatives for 64 questions, {many} for 256");
    }

    /// As every pair of `patternProperties` asks, of which one is a name and the other any word.
    #[test]
    fn along_a_literal_only_its_own_characters_are_tried() {
        let mut texts = Texts::default();
        let patterns = ["^[a-zA-Z0-9_-]{1,}$", "^RIPEMD-160$", "^SHA3-512$", "^SHAKE-256$", "^BLAKE2s$"];
        let mut parts: Vec<ExprId> = Vec::new();
        for pattern in patterns {
            let Ok(text) = texts.pattern(&pattern.into()) else { panic!("{pattern}") };
            parts.push(texts.builder().not(text));
        }
        let Ok(name) = texts.pattern(&"^WHIRLPOOL-0123456789$".into()) else { panic!() };
        parts.push(name);
        let all = texts.builder().and(parts);
        assert_eq!(texts.is_empty(all), Some(true));
    }
}
