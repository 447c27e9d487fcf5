//! What to read and how: the entry points.

use crate::term::Term;
use crate::{Error, ErrorKind, Limits, ecma, rust};
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, GrammarBuilder, Place, Position};
use std::collections::VecDeque;

/// The syntax of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// The syntax of the `regex` crate: `\d`, `\w` and `\s` are Unicode's, `.` is everything but `\n`.
    #[default]
    Rust,
    /// ECMA-262 with the `u` flag, as JSON Schema's `pattern` has it:
    /// `\d` and `\w` are ASCII's, `.` is everything but the four line terminators.
    ///
    /// Where the flag makes an error of something whose meaning is plain, it is read all the same:
    /// escapes of any character but ASCII letters and digits (`\-`, `\_`, `\"`), a lone `]`, `{` or `}`,
    /// a `-` beside a class escape (`[\w-.]`), `(?P<name>…)`, and `(?i)` or `(?s)` at the very start.
    Ecma,
}

/// How a pattern relates to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Matching {
    /// The whole text is one match.
    #[default]
    Full,
    /// Some part of the text is a match, as `pattern` in JSON Schema means it.
    Search,
}

/// What to read and how; the default is the Rust dialect and full matching.
///
/// ```
/// use formwork_regex::{Dialect, Matching, Options};
/// let pattern = Options::new().dialect(Dialect::Ecma).matching(Matching::Search);
/// assert_eq!(pattern.grammar("^x-")?.to_string(), "root ::= \"x-\" [^]*\n");
/// # Ok::<(), formwork_regex::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    dialect: Dialect,
    matching: Matching,
    limits: Limits,
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The syntax of the pattern; default [`Dialect::Rust`].
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// How the pattern relates to the text; default [`Matching::Full`].
    #[must_use]
    pub fn matching(mut self, matching: Matching) -> Self {
        self.matching = matching;
        self
    }

    /// Bounds on the pattern.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The grammar of a pattern: one rule, `root`.
    ///
    /// A pattern that matches nothing (`a^b`) is a grammar all the same; that is for the engine to report.
    ///
    /// # Errors
    /// The text is no pattern of the dialect, asks for something that is not regular (see [`ErrorKind`]),
    /// or exceeds a limit.
    pub fn grammar(&self, text: &str) -> Result<Grammar, Error> {
        let mut builder = GrammarBuilder::new();
        let body = self.expr(&mut builder, text)?;
        let root = builder.declare("root", Place::Text(Position::of(text, 0)));
        builder.define(root, body);
        builder.build(root).map_err(|error| Error::of_grammar(text, &error))
    }

    /// The same as an expression in a grammar under construction.
    ///
    /// It is a [text](formwork_grammar::Properties::is_text) expression, fit for intersection, complement and
    /// respelling. Exceeding a limit of the builder is reported by its `build`, as always.
    ///
    /// # Errors
    /// As [`grammar`](Self::grammar).
    pub fn expr(&self, builder: &mut GrammarBuilder, text: &str) -> Result<ExprId, Error> {
        let limit = self.limits.max_length;
        if text.len() > limit {
            let message = format!("the pattern is {} bytes long, over the limit of {limit}", text.len());
            return Err(Error::new(ErrorKind::Limit, text, limit, message));
        }
        let any = match self.matching {
            Matching::Full => None,
            Matching::Search => {
                let any = builder.class(CharClass::any());
                Some(builder.star(any))
            }
        };
        let around = any.map_or_else(|| Term::empty(builder), |any| Term::plain(any, true));
        let term = match self.dialect {
            Dialect::Rust => rust::read(builder, text, &self.limits)?,
            Dialect::Ecma => ecma::read(builder, text, &self.limits, around)?,
        };
        let term = Term::concat(builder, vec![around, term, around]);
        let expr = term.as_whole_text();
        let expr = any.map_or(expr, |any| bare(builder, expr, any));
        if !builder.properties(expr).is_text {
            let message = "the pattern can match bytes that are not UTF-8";
            return Err(Error::new(ErrorKind::NotText, text, 0, message));
        }
        Ok(expr)
    }
}

/// A sequence that begins or ends with `any` text, without what that makes up for: of a repetition beside it all rounds but
/// the least number may as well be any text, so that searching for `[a-z]{2,50}` is searching for `[a-z]{2}`.
fn bare(builder: &mut GrammarBuilder, expr: ExprId, any: ExprId) -> ExprId {
    let Expr::Seq(parts) = builder.expr(expr) else { return expr };
    let mut parts: VecDeque<ExprId> = parts.iter().copied().collect();
    // What stands beside the text at the front, then at the end; one that shrinks is looked at again.
    for is_front in [true, false] {
        let ends = |parts: &VecDeque<ExprId>| match is_front {
            true => (parts.front().copied(), parts.get(1).copied()),
            false => (parts.back().copied(), parts.iter().rev().nth(1).copied()),
        };
        while let (Some(outer), Some(beside)) = ends(&parts) {
            let least = match builder.expr(beside) {
                _ if outer != any => break,
                &Expr::Repeat { body, min, max } if max != Some(min) => builder.repeat(body, min, Some(min)),
                _ => break,
            };
            let inner = match builder.expr(least) {
                Expr::Empty => Vec::new(),
                Expr::Seq(inner) => inner.to_vec(),
                _ => vec![least],
            };
            if is_front {
                parts.drain(..2);
                inner.into_iter().rev().for_each(|part| parts.push_front(part));
                parts.push_front(any);
            } else {
                parts.truncate(parts.len() - 2);
                parts.extend(inner);
                parts.push_back(any);
            }
        }
    }
    builder.seq(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_leaves_out_what_any_text_makes_up_for() {
        for (pattern, same) in [
            (r"[a-z]{2,50}", r"[a-z]{2}"),
            (r"([0-9]+ ?){1,50}", r"[0-9]"),
            (r"^x+y{0,9}", r"^x+"),
            (r"x*y{3,}$", r"y{3}$"),
            (r"^x*$", r"^x*$"),
            (r"x*", r""),
        ] {
            let text = |pattern| {
                let options = Options::new().matching(Matching::Search);
                options.grammar(pattern).expect("a pattern").to_string()
            };
            assert_eq!(text(pattern), text(same), "{pattern}");
        }
    }
}
