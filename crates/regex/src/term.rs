//! Expressions that know about the ends of the text: how anchors are made exact.
//!
//! `^` holds where the text starts and `$` where it ends, and a grammar has no such assertions.
//! So each piece of a pattern is kept as a [`Term`]: four expressions, one for each answer to two questions:
//! does the piece's match begin where the text begins, and does it end where the text ends?
//! Written `L[a][z]`, the texts that the piece matches in that situation, and `n[a][z]`, whether the empty text is one.
//!
//! - A piece without anchors has four times the same expression.
//! - `^` is the empty text if `a`, else nothing; `$` the empty text if `z`, else nothing.
//! - Alternatives: pointwise.
//! - A sequence `l r`: if both parts match something, `l` does not end at the end and `r` does not begin at the start:
//!   `l[a][0] r[0][z]`. If `l` matches nothing, `r` begins where `l` did: `r[a][z]`, provided `l.n[a][0]`.
//!   If `r` matches nothing, `l[a][z]`, provided `r.n[0][z]`. Both: provided `l.n[a][z]` and `r.n[a][z]`.
//! - A repetition of `e`: one match `e[a][z]`, or a first, some inner and a last one: `e[a][0] e[0][0]{…} e[0][z]`.
//!   If an empty match is possible at either end, empty matches can make up the least number of times.
//!
//! Anchors are never negated here, so knowing more (`a` or `z` true instead of false) only ever adds matches:
//! `L[0][0] ⊆ L[a][0] ⊆ L[a][z]`. That is why the rules above may use languages that contain the empty text
//! although they speak of parts that match something: whatever the empty text adds is covered by another case.
//!
//! Look-ahead is an intersection with all that follows, so it is applied to terms that reach to the end of the text (see
//! [`Term::ahead`]). A negative one that asks about `^` itself is the one case that is not monotone; callers keep it
//! behind a `^`, where no rule meets it beside the empty text.
//!
//! The whole pattern is `L[1][1]`, and a search is that of `.* pattern .*`. Each step makes a constant number of
//! expressions, so the result is linear in the pattern. Patterns without anchors inside pay nothing.

use formwork_grammar::{ExprId, GrammarBuilder};

/// What a piece of a pattern matches, by whether it stands at the text's start (first index) and end (second).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    exprs: [[ExprId; 2]; 2],
    /// Whether the expression of the same index contains the empty text.
    nullable: [[bool; 2]; 2],
}

/// The four situations: at the start or not, at the end or not.
const SITUATIONS: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

impl Term {
    /// An expression in which no anchor stands.
    pub(crate) fn plain(expr: ExprId, nullable: bool) -> Self {
        Self { exprs: [[expr; 2]; 2], nullable: [[nullable; 2]; 2] }
    }

    /// The empty text.
    pub(crate) fn empty(b: &GrammarBuilder) -> Self {
        Self::plain(b.empty(), true)
    }

    /// `^`: the empty text at the start.
    pub(crate) fn start(b: &GrammarBuilder) -> Self {
        let (yes, no) = (b.empty(), b.never());
        Self { exprs: [[no, no], [yes, yes]], nullable: [[false, false], [true, true]] }
    }

    /// `$`: the empty text at the end.
    pub(crate) fn end(b: &GrammarBuilder) -> Self {
        let (yes, no) = (b.empty(), b.never());
        Self { exprs: [[no, yes], [no, yes]], nullable: [[false, true], [false, true]] }
    }

    /// `rest`, which reaches to the end of the text, where `ahead`, which does too, matches as well, or does not.
    pub(crate) fn ahead(b: &mut GrammarBuilder, rest: &Self, ahead: &Self, negative: bool) -> Self {
        Self::each(|a, z| {
            if z == 0 {
                return (b.never(), false);
            }
            let (rest, rest_nullable) = (rest.exprs[a][1], rest.nullable[a][1]);
            let look = ahead.exprs[a][1];
            let nullable = rest_nullable && ahead.nullable[a][1] != negative;
            if negative {
                let others = b.not(look);
                return (b.and([rest, others]), nullable);
            }
            // `(?=.{1,255}$)`, which bounds what follows, is how patterns say a length.
            let max = b.text_lengths(look).max;
            let rest = if max < u64::MAX { b.text_within(rest, max) } else { rest };
            let [look, length] = b.text_and_length(look);
            (b.and([rest, look, length]), nullable)
        })
    }

    /// Whether the term reaches the end of the text alike from the text's start and from later on.
    pub(crate) fn ends_alike(&self) -> bool {
        self.exprs[0][1] == self.exprs[1][1]
    }

    /// Whether the term is the empty text at the start and nothing elsewhere.
    pub(crate) fn is_start(&self, b: &GrammarBuilder) -> bool {
        let (yes, no) = (b.empty(), b.never());
        self.exprs == [[no, no], [yes, yes]]
    }

    /// What the term matches if it has the text to itself.
    pub(crate) fn as_whole_text(&self) -> ExprId {
        self.exprs[1][1]
    }

    /// Whether where the term stands makes no difference.
    fn is_plain(&self) -> bool {
        SITUATIONS.iter().all(|&(a, z)| self.exprs[a][z] == self.exprs[0][0])
    }

    /// One after the other.
    pub(crate) fn concat(b: &mut GrammarBuilder, terms: Vec<Self>) -> Self {
        let mut terms = Self::join_plain(b, terms);
        // In pairs, then pairs of pairs: sequences are flattened when they are made, so growing one from the left
        // would copy it once per part.
        while terms.len() > 1 {
            let mut pairs = Vec::with_capacity(terms.len().div_ceil(2));
            for pair in terms.chunks(2) {
                pairs.push(match *pair {
                    [l, r] => Self::pair(b, &l, &r),
                    _ => pair[0],
                });
            }
            terms = pairs;
        }
        terms.pop().unwrap_or_else(|| Self::empty(b))
    }

    /// Joins neighbours without anchors, which is nearly all of nearly every pattern.
    fn join_plain(b: &mut GrammarBuilder, terms: Vec<Self>) -> Vec<Self> {
        let mut joined: Vec<Self> = Vec::new();
        let mut run: Vec<ExprId> = Vec::new();
        let mut run_nullable = true;
        for term in terms {
            if term.is_plain() {
                run.push(term.exprs[0][0]);
                run_nullable &= term.nullable[0][0];
                continue;
            }
            if !run.is_empty() {
                joined.push(Self::plain(b.seq(run.drain(..)), run_nullable));
                run_nullable = true;
            }
            joined.push(term);
        }
        if !run.is_empty() {
            joined.push(Self::plain(b.seq(run), run_nullable));
        }
        joined
    }

    fn pair(b: &mut GrammarBuilder, l: &Self, r: &Self) -> Self {
        Self::each(|a, z| {
            let mut parts = Vec::with_capacity(4);
            let (left, right) = (l.exprs[a][0], r.exprs[0][z]);
            let left_may_be_empty = l.nullable[a][0];
            let right_may_be_empty = r.nullable[0][z];
            // Beside an empty neighbour the sequence is one of the two cases below, which are wider.
            if left != b.empty() && right != b.empty() {
                parts.push(b.seq([left, right]));
            }
            if left_may_be_empty && (left == b.empty() || r.exprs[a][z] != right) {
                parts.push(r.exprs[a][z]);
            }
            if right_may_be_empty && (right == b.empty() || l.exprs[a][z] != left) {
                parts.push(l.exprs[a][z]);
            }
            let nullable = l.nullable[a][z] && r.nullable[a][z];
            let covered = left_may_be_empty && r.nullable[a][z] || right_may_be_empty && l.nullable[a][z];
            if nullable && !covered {
                parts.push(b.empty());
            }
            (b.alt(parts), nullable)
        })
    }

    /// One of these.
    pub(crate) fn alt(b: &mut GrammarBuilder, terms: &[Self]) -> Self {
        match terms {
            [one] => *one,
            _ if terms.iter().all(Self::is_plain) => {
                let nullable = terms.iter().any(|term| term.nullable[0][0]);
                Self::plain(b.alt(terms.iter().map(|term| term.exprs[0][0])), nullable)
            }
            _ => Self::each(|a, z| {
                let expr = b.alt(terms.iter().map(|term| term.exprs[a][z]));
                (expr, terms.iter().any(|term| term.nullable[a][z]))
            }),
        }
    }

    /// The term from `min` to `max` times; `min` is not above `max`.
    pub(crate) fn repeat(b: &mut GrammarBuilder, term: &Self, min: u32, max: Option<u32>) -> Self {
        match (min, max) {
            (_, Some(0)) => return Self::empty(b),
            (1, Some(1)) => return *term,
            _ => {}
        }
        if term.is_plain() {
            let expr = b.repeat(term.exprs[0][0], min, max);
            return Self::plain(expr, min == 0 || term.nullable[0][0]);
        }
        Self::each(|a, z| {
            let nullable = min == 0 || term.nullable[a][z];
            // An empty match at either end makes up for any number of missing ones.
            let least = if term.nullable[a][0] || term.nullable[0][z] { 1 } else { min.max(1) };
            let mut parts = Vec::with_capacity(3);
            if nullable && !(least == 1 && term.nullable[a][z]) {
                parts.push(b.empty());
            }
            if least == 1 {
                parts.push(term.exprs[a][z]);
            }
            if max.is_none_or(|max| max >= 2) {
                let inner = b.repeat(term.exprs[0][0], least.max(2) - 2, max.map(|max| max - 2));
                parts.push(b.seq([term.exprs[a][0], inner, term.exprs[0][z]]));
            }
            (b.alt(parts), nullable)
        })
    }

    fn each(mut f: impl FnMut(usize, usize) -> (ExprId, bool)) -> Self {
        let mut term: Option<Self> = None;
        for (a, z) in SITUATIONS {
            let (expr, nullable) = f(a, z);
            let term = term.get_or_insert_with(|| Self::plain(expr, nullable));
            term.exprs[a][z] = expr;
            term.nullable[a][z] = nullable;
        }
        term.expect("there are four situations")
    }
}
