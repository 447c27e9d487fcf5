//! Objects as Gemma 4 writes them: `{q:<|"|>tea<|"|>,n:3,deep:true}`.
//!
//! Keys have no quotes, strings stand as they are between two marks, and nothing is between them that need not be there. It
//! is so at every depth, so that the whole grammar of a schema is gone through, as for [Python literals](crate::python), and
//! its strings and keys are written the other way.
//!
//! # Worked example
//! `"{" gap "\"" JsonText("a") "\"" gap ":" gap "\"" JsonText([a-z]+) "\"" gap "}"` becomes
//! `"{" "a" ":" Tag("<|\"|>") [a-z]+ Tag("<|\"|>") "}"`: what stands between quotes before a colon is a key.

use crate::error::{Error, ErrorKind};
use crate::format::JsonSchema;
use crate::lower::{Here, Lowering};
use crate::object::ROOT;
use crate::rewrite;
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, GrammarBuilder, RuleId};
use formwork_json_schema::Whitespace;
use serde_json::json;

/// What stands on either side of a string.
const MARK: &str = "<|\"|>";
/// What keys are not made of, since something else begins or ends with it.
const NOT_IN_KEYS: &str = ":,{}[]<>\"'";

impl Lowering<'_> {
    /// An object, braces included.
    pub(crate) fn gemma(&mut self, schema: &JsonSchema, here: &Here<'_>) -> Result<ExprId, Error> {
        let here = here.at("json_schema");
        let options = self.options_inside(schema, &here)?;
        // Gaps are found by what they are, and left out.
        let options = options.whitespace(Whitespace::AtMost(1));
        let object = json!({"allOf": [{"$ref": ROOT}], "type": "object"});
        let grammar = options.grammar_from_value(&object).map_err(|error| {
            let inner = error.pointer().strip_prefix(&format!("{ROOT}#")).unwrap_or_default();
            let kind = Error::of_schema("", &error).kind();
            Error::new(kind, format!("{}{inner}", here.pointer), error.message())
        })?;
        let Some(grammar) = rewritten(&grammar) else {
            let message = "this schema has keys or strings that cannot be written in this style";
            return Err(Error::new(ErrorKind::Unsupported, here.pointer, message));
        };
        let place = self.place(&here);
        let rule = self.b.import(&grammar, |_| place.clone());
        Ok(self.b.rule(rule))
    }
}

/// The same values, written this way; `None` if the grammar has something that this has no way to write.
fn rewritten(grammar: &Grammar) -> Option<Grammar> {
    let mut b = GrammarBuilder::new();
    let mut copies = |suffix: &str| -> Vec<RuleId> {
        let rules = grammar.rules().iter();
        rules.map(|rule| b.declare(format!("{}{suffix}", rule.name()), rule.place().clone())).collect()
    };
    // A rule is read as a value and, if it is a string, perhaps as a key.
    let (values, keys) = (copies(""), copies("_key"));
    for (rule, &copy) in grammar.rules().iter().zip(&values) {
        b.set_sharing(copy, rule.sharing());
    }
    let exprs = Vec::with_capacity(grammar.n_exprs());
    let mut rewriting = Rewriting { grammar, b, values, keys, read_as_keys: Vec::new(), exprs };
    // Operands have lower ids.
    for expr in (0..grammar.n_exprs()).filter_map(ExprId::from_index) {
        let rewritten = rewriting.expr(expr);
        rewriting.exprs.push(rewritten);
    }
    let Rewriting { mut b, values, keys, read_as_keys, exprs, .. } = rewriting;
    let is_key = closed(grammar, &read_as_keys);
    for (i, rule) in grammar.rules().iter().enumerate() {
        let rewritten = exprs[rule.body().index()];
        let key = if is_key[i] { rewritten.key? } else { b.never() };
        b.define(keys[i], key);
        let value = match rewrite::closes_string(grammar, rule) {
            true => b.never(),
            false => rewritten.value.or(rewritten.behind_quote)?,
        };
        b.define(values[i], value);
    }
    b.build(values[grammar.root().index()]).ok()
}

/// Which rules are read as keys: these, and those that they stand for.
fn closed(grammar: &Grammar, rules: &[RuleId]) -> Vec<bool> {
    let mut is_key = vec![false; grammar.rules().len()];
    let mut todo = rules.to_vec();
    while let Some(rule) = todo.pop() {
        if std::mem::replace(&mut is_key[rule.index()], true) {
            continue;
        }
        let mut parts = vec![grammar.rule(rule).body()];
        while let Some(part) = parts.pop() {
            match grammar.expr(part) {
                Expr::Rule(other) => todo.push(*other),
                Expr::Alt(ways) => parts.extend_from_slice(ways),
                _ => {}
            }
        }
    }
    is_key
}

/// What an expression of the JSON grammar becomes.
#[derive(Clone, Copy, Debug, Default)]
struct Rewritten {
    /// As a part of values.
    value: Option<ExprId>,
    /// As what stands behind the quote of a value, the quote included.
    behind_quote: Option<ExprId>,
    /// As a key.
    key: Option<ExprId>,
    /// Of what stands inside a JSON string: the text itself.
    inside: Option<ExprId>,
}

struct Rewriting<'g> {
    grammar: &'g Grammar,
    b: GrammarBuilder,
    values: Vec<RuleId>,
    keys: Vec<RuleId>,
    /// The rules that keys are.
    read_as_keys: Vec<RuleId>,
    exprs: Vec<Rewritten>,
}

impl Rewriting<'_> {
    fn expr(&mut self, expr: ExprId) -> Rewritten {
        let (value, behind_quote) = (self.value(expr), self.behind_quote(expr));
        Rewritten { value, behind_quote, key: self.key(expr), inside: self.inside(expr) }
    }

    fn value(&mut self, expr: ExprId) -> Option<ExprId> {
        let grammar = self.grammar;
        if self.is_gap(expr) {
            return Some(self.b.empty());
        }
        match grammar.expr(expr) {
            Expr::Bytes(bytes) => Some(match &**bytes {
                b"null" => {
                    let words = ["null", "None"].map(|word| self.b.literal(word));
                    self.b.alt(words)
                }
                b"\"\"" => {
                    let mark = self.b.tag(MARK);
                    self.b.seq([mark, mark])
                }
                bytes if bytes.contains(&b'"') => return None,
                bytes => self.b.literal(bytes),
            }),
            Expr::Empty => Some(self.b.empty()),
            Expr::Never => Some(self.b.never()),
            Expr::Rule(rule) => Some(self.b.rule(self.values[rule.index()])),
            Expr::Class(_) | Expr::And(_) | Expr::Not(_) => Some(self.b.import_expr(grammar, expr)),
            Expr::Seq(parts) => self.sequence(parts),
            Expr::Alt(_) | Expr::Repeat { .. } | Expr::Set { .. } | Expr::Member { .. } => {
                self.over(expr, |part| part.value)
            }
            _ => None,
        }
    }

    /// The same expression over other operands, if all of them are something.
    fn over(&mut self, expr: ExprId, of: impl Fn(&Rewritten) -> Option<ExprId>) -> Option<ExprId> {
        let exprs = &self.exprs;
        rewrite::over(&mut self.b, self.grammar, expr, |part| of(&exprs[part.index()]))
    }

    /// Whether an expression is white space between two tokens of JSON.
    fn is_gap(&self, expr: ExprId) -> bool {
        let Expr::Repeat { body, min: 0, .. } = self.grammar.expr(expr) else { return false };
        let blanks = CharClass::from_ranges([('\t', '\n'), ('\r', '\r'), (' ', ' ')]);
        matches!(self.grammar.expr(*body), Expr::Class(class) if *class == blanks)
    }

    fn is_literal(&self, expr: ExprId, text: &[u8]) -> bool {
        matches!(self.grammar.expr(expr), Expr::Bytes(bytes) if **bytes == *text)
    }

    /// Whether the next that is read in these parts is a colon.
    fn comes_to_a_colon(&self, parts: &[ExprId]) -> bool {
        parts.iter().find(|&&part| !self.is_gap(part)).is_some_and(|&part| self.is_literal(part, b":"))
    }

    /// Values, strings and keys one after the other.
    fn sequence(&mut self, parts: &[ExprId]) -> Option<ExprId> {
        let grammar = self.grammar;
        let parts = rewrite::with_strings_whole(grammar, parts);
        let mut rewritten = Vec::with_capacity(parts.len());
        let mut rest = &parts[..];
        while let Some((&first, behind)) = rest.split_first() {
            if rewrite::is_quote(grammar, first) {
                if let Some(several) = rewrite::several_strings(grammar, behind) {
                    rewritten.push(self.exprs[several.index()].behind_quote?);
                    break;
                }
                let n_inside = behind.iter().position(|&part| rewrite::is_quote(grammar, part))?;
                let (inside, after) = (&behind[..n_inside], &behind[n_inside + 1..]);
                let text = match self.comes_to_a_colon(after) {
                    true => self.key_text(inside)?,
                    false => self.string(inside)?,
                };
                rewritten.push(text);
                rest = after;
                continue;
            }
            rewritten.push(match grammar.expr(first) {
                Expr::Rule(rule) if self.comes_to_a_colon(behind) => {
                    self.read_as_keys.push(*rule);
                    self.b.rule(self.keys[rule.index()])
                }
                _ => self.exprs.get(first.index())?.value?,
            });
            rest = behind;
        }
        Some(self.b.seq(rewritten))
    }

    fn behind_quote(&mut self, expr: ExprId) -> Option<ExprId> {
        let grammar = self.grammar;
        if !rewrite::continues_string(grammar, expr) {
            return None;
        }
        match grammar.expr(expr) {
            Expr::Rule(rule) => Some(self.b.rule(self.values[rule.index()])),
            Expr::Alt(_) => self.over(expr, |part| part.behind_quote),
            Expr::Seq(parts) => self.sequence(&rewrite::quoted(grammar, parts)?),
            _ => None,
        }
    }

    fn texts(&mut self, inside: &[ExprId]) -> Option<ExprId> {
        let texts: Option<Vec<ExprId>> = inside.iter().map(|part| self.exprs[part.index()].inside).collect();
        Some(self.b.seq(texts?))
    }

    /// A string between its marks, which it does not contain.
    fn string(&mut self, inside: &[ExprId]) -> Option<ExprId> {
        let text = self.texts(inside)?;
        let any = self.b.class(CharClass::any());
        let (any, mark) = (self.b.star(any), self.b.tag(MARK));
        if text == any {
            let empty = self.b.empty();
            let rest = self.b.until([(MARK, empty)], [], false);
            return Some(self.b.seq([mark, rest]));
        }
        let written = self.b.literal(MARK);
        let contains = self.b.seq([any, written, any]);
        let without = self.b.not(contains);
        let text = self.b.and([text, without]);
        Some(self.b.seq([mark, text, mark]))
    }

    /// A key without quotes. One whose name is known must be such that it can be written so.
    fn key_text(&mut self, inside: &[ExprId]) -> Option<ExprId> {
        let text = self.texts(inside)?;
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !NOT_IN_KEYS.contains(c);
        if let [part] = inside {
            if let Expr::JsonText(name) = self.grammar.expr(*part) {
                if let Expr::Bytes(name) = self.grammar.expr(*name) {
                    let name = std::str::from_utf8(name).ok()?;
                    return (name.chars().all(is_plain) && !name.is_empty()).then_some(text);
                }
            }
        }
        let first = CharClass::from_ranges([('A', 'Z'), ('_', '_'), ('a', 'z')]);
        let more = first.union(&CharClass::from_ranges([('-', '.'), ('0', '9')]));
        let (first, more) = (self.b.class(first), self.b.class(more));
        let more = self.b.star(more);
        let name = self.b.seq([first, more]);
        Some(self.b.and([text, name]))
    }

    fn key(&mut self, expr: ExprId) -> Option<ExprId> {
        let grammar = self.grammar;
        match grammar.expr(expr) {
            Expr::Rule(rule) => Some(self.b.rule(self.keys[rule.index()])),
            Expr::Alt(_) => self.over(expr, |part| part.key),
            Expr::Seq(parts) => {
                let (first, rest) = parts.split_first()?;
                let (last, inside) = rest.split_last()?;
                let is_string = rewrite::is_quote(grammar, *first)
                    && rewrite::is_quote(grammar, *last)
                    && !inside.iter().any(|&part| rewrite::is_quote(grammar, part));
                if is_string { self.key_text(inside) } else { None }
            }
            _ => None,
        }
    }

    fn inside(&mut self, expr: ExprId) -> Option<ExprId> {
        let grammar = self.grammar;
        match grammar.expr(expr) {
            Expr::JsonText(text) => Some(self.b.import_expr(grammar, *text)),
            _ => self.over(expr, |part| part.inside),
        }
    }
}
