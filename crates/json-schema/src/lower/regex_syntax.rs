//! `format: regex`: the syntax of ECMA-262's regular expressions (with the `u` flag), which nests and is no regular language.
//!
//! So it is a rule that calls itself for groups, and stands alone: with a pattern, a length or an `enum` beside it, or
//! negated, it is refused. What the syntax demands beyond nesting is kept by leaving out what would need memory: names
//! of groups (each once) and back-references, and ranges of classes whose ends are escapes (in order).

use super::Lowering;
use super::compare::{Comparer, DigitRuns, Side};
use crate::decimal::Decimal;
use formwork_grammar::{CharClass, ExprId, Place};

/// Characters that mean something outside classes.
const SYNTAX: &str = "^$\\.*+?()[]{}|";
/// Properties that `\p` takes.
const PROPERTIES: &str = "Any ASCII Alphabetic Lowercase Uppercase White_Space Letter L LC Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl \
    No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co Cn Script=Latin Script=Greek Script=Cyrillic \
    Script=Arabic Script=Hebrew Script=Han Script=Hiragana Script=Katakana Script=Hangul Script=Thai Script=Devanagari";
/// The least numbers of a quantifier `{n,m}`.
const MAX_LEAST: u64 = 99;

impl Lowering<'_> {
    /// A regular expression, in quotes.
    pub(super) fn regex_syntax(&mut self) -> ExprId {
        self.shared("json_regex", |this| {
            let quote = this.b.literal("\"");
            let group = this.b.declare("regex_alternatives", Place::none());
            let body = this.regex_alternatives(group);
            this.b.define(group, body);
            let alternatives = this.b.rule(group);
            this.b.seq([quote, alternatives, quote])
        })
    }

    /// Alternatives with groups inside; `|` may stand anywhere, since alternatives may be empty.
    fn regex_alternatives(&mut self, group: formwork_grammar::RuleId) -> ExprId {
        let quantifier = self.regex_quantifier();
        let quantifier = self.b.optional(quantifier);
        let atom = self.regex_atom();
        let quantified = self.b.seq([atom, quantifier]);
        let assertion = self.words("^ $ \\b \\B |");
        let term = self.b.alt([quantified, assertion]);
        let inside = self.b.rule(group);
        let (open, look) = (self.words("( (?:"), self.words("(?= (?! (?<= (?<!"));
        let close = self.b.literal(")");
        let close_quantified = self.b.seq([close, quantifier]);
        let [term, open, look, close, close_quantified] =
            [term, open, look, close, close_quantified].map(|text| self.b.json_text(text));
        let group = self.b.seq([open, inside, close_quantified]);
        let look = self.b.seq([look, inside, close]);
        let part = self.b.alt([term, group, look]);
        self.b.star(part)
    }

    fn words(&mut self, words: &str) -> ExprId {
        let words: Vec<ExprId> = words.split_whitespace().map(|word| self.b.literal(word)).collect();
        self.b.alt(words)
    }

    fn any_but(&mut self, excluded: &str) -> ExprId {
        let excluded = CharClass::from_ranges(excluded.chars().map(|c| (c, c)));
        self.b.class(excluded.negate())
    }

    fn regex_atom(&mut self) -> ExprId {
        let plain = self.any_but(SYNTAX);
        let dot = self.b.literal(".");
        let escape = self.regex_escape("/");
        let class = self.regex_class();
        self.b.alt([plain, dot, escape, class])
    }

    /// An escape that is one character or a class of them; `more` are characters that may be escaped beside the syntax.
    fn regex_escape(&mut self, more: &str) -> ExprId {
        let itself = SYNTAX.chars().chain(more.chars()).chain("dDsSwWtnvfr".chars()).map(|c| (c, c));
        let itself = self.b.class(CharClass::from_ranges(itself));
        let letter = self.b.class(CharClass::from_ranges([('A', 'Z'), ('a', 'z')]));
        let hex = self.b.class(CharClass::from_ranges([('0', '9'), ('A', 'F'), ('a', 'f')]));
        let (two, four) = (self.b.repeat(hex, 2, Some(2)), self.b.repeat(hex, 4, Some(4)));
        let (zero, ten) = (self.b.literal("0"), self.b.literal("10"));
        let (zeros, up_to_five) = (self.b.star(zero), self.b.repeat(hex, 1, Some(5)));
        let highest = self.b.seq([ten, four]);
        let code = self.b.alt([up_to_five, highest]);
        let code = self.b.seq([zeros, code]);
        let names = self.words(PROPERTIES);
        let (control, x, u) = (self.b.literal("c"), self.b.literal("x"), self.b.literal("u"));
        let (open, close) = (self.b.literal("{"), self.b.literal("}"));
        let property = self.words("p P");
        let ways = [
            itself,
            self.b.seq([control, letter]),
            self.b.seq([x, two]),
            self.b.seq([u, four]),
            self.b.seq([u, open, code, close]),
            self.b.seq([property, open, names, close]),
        ];
        let (backslash, ways) = (self.b.literal("\\"), self.b.alt(ways));
        self.b.seq([backslash, ways])
    }

    /// A class: characters, escapes and ranges with plain ends in order; `-` itself comes first or last.
    fn regex_class(&mut self) -> ExprId {
        let (open, close, dash) = (self.b.literal("["), self.b.literal("]"), self.b.literal("-"));
        let negation = self.b.literal("^");
        let (negation, edge) = (self.b.optional(negation), self.b.optional(dash));
        let single = self.any_but("\\]^-");
        let escape = self.regex_escape("/-b");
        let mut items = vec![single, escape];
        for low in (' '..='~').filter(|c| !"\\]^-[".contains(*c)) {
            let special = CharClass::from_ranges("\\]^-".chars().map(|c| (c, c)));
            let high = self.b.class(CharClass::range(low, char::MAX).difference(&special));
            let low = self.b.literal(low.to_string());
            items.push(self.b.seq([low, dash, high]));
        }
        let items = self.b.alt(items);
        let items = self.b.star(items);
        self.b.seq([open, negation, edge, items, edge, close])
    }

    fn regex_quantifier(&mut self) -> ExprId {
        let digit = self.b.class(CharClass::range('0', '9'));
        let digits = self.b.plus(digit);
        let (open, close, comma) = (self.b.literal("{"), self.b.literal("}"), self.b.literal(","));
        let least = self.b.optional(comma);
        let mut ways = vec![self.words("* + ?"), self.b.seq([open, digits, least, close])];
        for n in 0..=MAX_LEAST {
            let (low, n) = (self.b.literal(n.to_string()), Decimal::from_u64(n));
            // Digits in strings have no bound.
            let mut runs = DigitRuns::default();
            let mut comparer = Comparer { b: &mut self.b, runs: &mut runs };
            let high = comparer.plain(&n, Side::Above, true, true);
            ways.push(self.b.seq([open, low, comma, high, close]));
        }
        let lazy = self.b.literal("?");
        let (ways, lazy) = (self.b.alt(ways), self.b.optional(lazy));
        self.b.seq([ways, lazy])
    }
}
