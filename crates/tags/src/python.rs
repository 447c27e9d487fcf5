//! JSON grammars as grammars of Python literals.
//!
//! The JSON Schema frontend says what values there are, as grammars of JSON text; models that write calls as Python does
//! write the same values with other words: `True`, `False`, `None`, and strings in either quotes. So the grammar is gone
//! through, words are replaced, and what stands between two quotes is spelled the other way.
//!
//! # Spelling
//! A spelled character is the character itself, where it may stand in the quotes, or an escape; so a spelled text has one
//! meaning, and spelling a language is taking the texts whose meaning is in it. That goes into expressions part by part:
//! the spelling of an intersection is the intersection of the spellings, and that of a complement is what is well spelled
//! and not in the spelling.
//!
//! The escapes are `\\ \' \" \n \r \t \b \f \v \a`, and `\xHH` for the other controls, which cannot be written otherwise. Python
//! has more: `\u`, octal numbers, other prefixes, and strings on several lines. They are left out, and nothing is lost but
//! spellings.
//!
//! # Worked example
//! `"\"" JsonText("a" | "'") "\""` becomes `"'" ("a" | "\\'") "'" | "\"" ("a" | "'" | "\\'") "\""`.

use crate::rewrite;
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, GrammarBuilder, RuleId};

/// In which quotes.
const QUOTES: [char; 2] = ['\'', '"'];
/// Characters that have escapes, and these.
const ESCAPES: [(char, &str); 10] = [
    ('\\', "\\\\"),
    ('\'', "\\'"),
    ('"', "\\\""),
    ('\n', "\\n"),
    ('\r', "\\r"),
    ('\t', "\\t"),
    ('\u{8}', "\\b"),
    ('\u{c}', "\\f"),
    ('\u{b}', "\\v"),
    ('\u{7}', "\\a"),
];

/// Which words stand for truth and nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// Python's.
    Python,
    /// Python's and JSON's.
    Either,
}

/// The values of a JSON grammar as Python writes them; `None` if the grammar has something that this has no words for.
pub(crate) fn literals(grammar: &Grammar, words: Words) -> Option<Grammar> {
    let mut b = GrammarBuilder::new();
    let rules: Vec<RuleId> =
        grammar.rules().iter().map(|rule| b.declare(rule.name(), rule.place().clone())).collect();
    for (rule, &copy) in grammar.rules().iter().zip(&rules) {
        b.set_sharing(copy, rule.sharing());
    }
    let exprs = Vec::with_capacity(grammar.n_exprs());
    let mut translation = Translation { grammar, words, b, rules, exprs };
    // Operands have lower ids.
    for expr in (0..grammar.n_exprs()).filter_map(ExprId::from_index) {
        let translated = translation.expr(expr);
        translation.exprs.push(translated);
    }
    let Translation { mut b, rules, exprs, .. } = translation;
    for (rule, &copy) in grammar.rules().iter().zip(&rules) {
        let body = match rewrite::closes_string(grammar, rule) {
            true => b.never(),
            false => {
                let body = exprs[rule.body().index()];
                body.value.or(body.behind_quote)?
            }
        };
        b.define(copy, body);
    }
    b.build(rules[grammar.root().index()]).ok()
}

/// What an expression of the JSON grammar becomes.
#[derive(Clone, Copy, Debug, Default)]
struct Translated {
    /// As a part of values.
    value: Option<ExprId>,
    /// As what stands behind the quote of a value, the quote included.
    behind_quote: Option<ExprId>,
    /// Of what stands inside a JSON string: the same in each of the quotes.
    inside: [Option<ExprId>; 2],
    /// Of a text: its spellings in each of the quotes.
    text: [Option<ExprId>; 2],
}

struct Translation<'g> {
    grammar: &'g Grammar,
    words: Words,
    b: GrammarBuilder,
    rules: Vec<RuleId>,
    exprs: Vec<Translated>,
}

impl Translation<'_> {
    fn expr(&mut self, expr: ExprId) -> Translated {
        let (value, behind_quote) = (self.value(expr), self.behind_quote(expr));
        let inside = [0, 1].map(|quote| self.inside(expr, quote));
        let is_text = self.grammar.properties(expr).is_text;
        let text = [0, 1].map(|quote| if is_text { self.text(expr, quote) } else { None });
        Translated { value, behind_quote, inside, text }
    }

    /// The same expression over other operands, if all of them are something.
    fn over(&mut self, expr: ExprId, of: impl Fn(&Translated) -> Option<ExprId>) -> Option<ExprId> {
        let exprs = &self.exprs;
        rewrite::over(&mut self.b, self.grammar, expr, |part| of(&exprs[part.index()]))
    }

    fn value(&mut self, expr: ExprId) -> Option<ExprId> {
        let grammar = self.grammar;
        match grammar.expr(expr) {
            Expr::Bytes(bytes) => Some(match &**bytes {
                b"null" => self.word("None", "null"),
                b"true" => self.word("True", "true"),
                b"false" => self.word("False", "false"),
                b"\"\"" => {
                    let empty = ["''", "\"\""].map(|text| self.b.literal(text));
                    self.b.alt(empty)
                }
                bytes if bytes.contains(&b'"') => return None,
                bytes => self.b.literal(bytes),
            }),
            Expr::Never => Some(self.b.never()),
            Expr::Rule(rule) => Some(self.b.rule(self.rules[rule.index()])),
            Expr::Seq(parts) => self.sequence(parts),
            Expr::Class(_) | Expr::And(_) | Expr::Not(_) => Some(self.b.import_expr(grammar, expr)),
            Expr::Empty | Expr::Alt(_) | Expr::Repeat { .. } | Expr::Set { .. } | Expr::Member { .. } => {
                self.over(expr, |part| part.value)
            }
            _ => None,
        }
    }

    /// A word of Python's, or as well JSON's.
    fn word(&mut self, python: &str, json: &str) -> ExprId {
        let word = self.b.literal(python);
        match self.words {
            Words::Python => word,
            Words::Either => {
                let json = self.b.literal(json);
                self.b.alt([word, json])
            }
        }
    }

    /// Values and strings one after the other.
    fn sequence(&mut self, parts: &[ExprId]) -> Option<ExprId> {
        let grammar = self.grammar;
        let is_quote = |part: &ExprId| rewrite::is_quote(grammar, *part);
        let parts = rewrite::with_strings_whole(grammar, parts);
        let mut translated = Vec::with_capacity(parts.len());
        let mut rest = &parts[..];
        while let Some((first, behind)) = rest.split_first() {
            if !is_quote(first) {
                translated.push(self.exprs.get(first.index())?.value?);
                rest = behind;
                continue;
            }
            if let Some(several) = rewrite::several_strings(grammar, behind) {
                translated.push(self.exprs[several.index()].behind_quote?);
                break;
            }
            let n_inside = behind.iter().position(is_quote)?;
            let (inside, after) = behind.split_at(n_inside);
            let mut ways = Vec::with_capacity(QUOTES.len());
            for (i, quote) in QUOTES.into_iter().enumerate() {
                let quote = self.b.literal(quote.to_string());
                let inside: Option<Vec<ExprId>> =
                    inside.iter().map(|part| self.exprs[part.index()].inside[i]).collect();
                ways.push(self.b.seq([quote].into_iter().chain(inside?).chain([quote])));
            }
            translated.push(self.b.alt(ways));
            rest = &after[1..];
        }
        Some(self.b.seq(translated))
    }

    fn behind_quote(&mut self, expr: ExprId) -> Option<ExprId> {
        let grammar = self.grammar;
        if !rewrite::continues_string(grammar, expr) {
            return None;
        }
        match grammar.expr(expr) {
            Expr::Rule(rule) => Some(self.b.rule(self.rules[rule.index()])),
            Expr::Alt(_) => self.over(expr, |part| part.behind_quote),
            Expr::Seq(parts) => self.sequence(&rewrite::quoted(grammar, parts)?),
            _ => None,
        }
    }

    fn inside(&mut self, expr: ExprId, quote: usize) -> Option<ExprId> {
        match self.grammar.expr(expr) {
            Expr::JsonText(text) => self.exprs[text.index()].text[quote],
            _ => self.over(expr, |part| part.inside[quote]),
        }
    }

    fn text(&mut self, expr: ExprId, quote: usize) -> Option<ExprId> {
        Some(match self.grammar.expr(expr) {
            Expr::Never => self.b.never(),
            Expr::Bytes(bytes) => {
                let text = std::str::from_utf8(bytes).ok()?;
                let characters: Vec<ExprId> =
                    text.chars().map(|c| self.characters(&CharClass::single(c), quote)).collect();
                self.b.seq(characters)
            }
            Expr::Class(class) => self.characters(class, quote),
            Expr::And(parts) => {
                let parts: Option<Vec<ExprId>> =
                    parts.iter().map(|part| self.exprs[part.index()].text[quote]).collect();
                self.b.and(parts?)
            }
            Expr::Not(body) => {
                let body = self.exprs[body.index()].text[quote]?;
                let any = self.characters(&CharClass::any(), quote);
                let (spelled, other) = (self.b.star(any), self.b.not(body));
                self.b.and([spelled, other])
            }
            _ => return self.over(expr, |part| part.text[quote]),
        })
    }

    /// One character of a class, spelled.
    fn characters(&mut self, class: &CharClass, quote: usize) -> ExprId {
        let controls = CharClass::from_ranges([('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')]);
        let not_raw = controls.union(&CharClass::from_ranges([QUOTES[quote], '\\'].map(|c| (c, c))));
        let not_raw = not_raw.difference(&CharClass::single('\t'));
        let mut ways = vec![self.b.class(class.difference(&not_raw))];
        for (c, escape) in ESCAPES.into_iter().filter(|(c, _)| class.contains(*c)) {
            debug_assert!(c.is_ascii());
            ways.push(self.b.literal(escape));
        }
        let named = |c: char| ESCAPES.iter().any(|(other, _)| *other == c);
        for c in ('\0'..='\u{7f}').filter(|&c| controls.contains(c) && class.contains(c) && !named(c)) {
            ways.push(self.b.literal(format!("\\x{:02x}", u32::from(c))));
        }
        self.b.alt(ways)
    }
}
