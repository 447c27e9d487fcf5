//! Reads tokens into statements and expressions, collecting problems on the way.
//!
//! First the starts of all statements are found, so that whatever goes wrong in one ends with it.

mod statement;

use super::literal;
use super::syntax::{Body, File, NodeId, NodeKind};
use super::token::{Kind, Token, tokens};
use crate::problem::{Problem, Problems, quote};
use crate::{ErrorKind, Limits};
use formwork_grammar::Symbol;
use std::ops::Range;

/// Reads all statements.
pub(super) fn parse(text: &str, limits: &Limits, problems: &mut Problems) -> File {
    let tokens = tokens(text);
    let starts: Vec<usize> = (0..tokens.len()).filter(|&i| statement::starts(&tokens[i..])).collect();
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        end: 0,
        max_nesting: limits.max_nesting,
        is_terminal: false,
        problems,
        file: File::default(),
        frames: Vec::new(),
    };
    parser.before_statements(starts.first().copied().unwrap_or(tokens.len() - 1));
    for (i, &start) in starts.iter().enumerate() {
        if parser.problems.is_full() {
            break;
        }
        // The last token is the end of the text.
        let end = starts.get(i + 1).copied().unwrap_or(tokens.len() - 1);
        (parser.at, parser.end) = (start, end);
        // What is wrong has been noted.
        let _ = parser.statement();
    }
    parser.file
}

/// A body, a group or the arguments of a template under construction.
struct Frame {
    kind: FrameKind,
    opened_at: Range<usize>,
    alternatives: Vec<NodeId>,
    sequence: Vec<NodeId>,
    /// Whether the last part of the sequence has its quantifier.
    is_quantified: bool,
    /// Whether the alternative has its alias, which ends it.
    has_alias: bool,
    /// Of a template, those that are read.
    arguments: Vec<NodeId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Body,
    /// `(…)`.
    Group,
    /// `[…]`.
    Maybe,
    /// `{…}` behind a name, which `opened_at` is.
    Arguments,
}

/// The rest of a statement cannot be made sense of; the problem has been noted.
struct Abandoned;

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The next token, and where the statement's end.
    at: usize,
    end: usize,
    max_nesting: usize,
    /// Whether the body is a terminal's.
    is_terminal: bool,
    problems: &'a mut Problems,
    file: File,
    /// The body and the groups around, outermost first.
    frames: Vec<Frame>,
}

impl Parser<'_> {
    fn source(&self, token: Token) -> &str {
        &self.text[token.span()]
    }

    fn add(&mut self, problem: Problem) -> Abandoned {
        self.problems.add(problem);
        Abandoned
    }

    fn before_statements(&mut self, first: usize) {
        if let Some(&token) = self.tokens[..first].first() {
            let message = format!("expected a rule, found `{}`", quote(self.source(token)));
            self.add(
                Problem::syntax(token.span(), message)
                    .expected("a rule: `name: …`")
                    .help("a grammar is a list of rules such as `start: \"yes\" | \"no\"`"),
            );
        }
    }

    /// The next token of the statement.
    fn peek(&self) -> Option<Token> {
        (self.at < self.end).then(|| self.tokens[self.at])
    }

    fn peek_kind(&self) -> Option<Kind> {
        self.peek().map(|token| token.kind)
    }

    /// The next token if it is of this kind.
    fn take(&mut self, kind: Kind) -> Option<Token> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    fn unexpected(&mut self, expected: &str) -> Abandoned {
        let problem = match self.peek() {
            Some(token) => {
                let message = format!("expected {expected}, found `{}`", quote(self.source(token)));
                Problem::syntax(token.span(), message)
            }
            None => {
                let last = self.tokens[self.at - 1];
                let message = format!("expected {expected} after `{}`", quote(self.source(last)));
                Problem::syntax(last.span(), message)
            }
        };
        self.add(problem.expected(expected))
    }

    // ---- expressions ----

    /// Everything up to the statement's end; alternatives may be empty.
    fn body(&mut self) -> Result<Body, Abandoned> {
        let first = self.file.next();
        self.frames.clear();
        let start = self.at;
        let opened_at = self.tokens[start - 1].span();
        self.push_frame(FrameKind::Body, opened_at)?;
        let mut has_gone_on = false;
        while let Some(token) = self.peek() {
            if !has_gone_on && self.goes_on(start, token) {
                has_gone_on = true;
                self.add(
                    Problem::syntax(token.span(), "the statement has ended with the line before")
                        .expected("a rule: `name: …`")
                        .help("a rule goes on over lines inside parentheses, and with a line that begins with `|`"),
                );
            }
            self.at += 1;
            self.token(token)?;
        }
        self.end_alternative();
        if let Some(open) = self.frames.last().filter(|frame| frame.kind != FrameKind::Body) {
            let problem = Problem::syntax(open.opened_at.clone(), "this is not closed");
            return Err(self.add(problem.expected("what closes it before the statement ends")));
        }
        let node = self.pop_frame();
        Ok(Body { first, node })
    }

    /// Whether a statement that should have ended with its line goes on with this token.
    fn goes_on(&self, start: usize, token: Token) -> bool {
        token.is_first
            && self.frames.len() == 1
            && token.kind != Kind::Or
            && self.at > start
            && self.tokens[self.at - 1].kind != Kind::Or
    }

    fn token(&mut self, token: Token) -> Result<(), Abandoned> {
        let is_end = matches!(token.kind, Kind::Or | Kind::Close | Kind::CloseMaybe);
        if self.frame().has_alias && !is_end {
            return Err(self.expected_expression(token, Some("an alias ends its alternative")));
        }
        match token.kind {
            Kind::Rule if self.is_terminal => {
                let message = format!("terminals cannot use rules, as `{}` is", quote(self.source(token)));
                let problem = Problem::syntax(token.span(), message);
                return Err(self.add(problem.help("write it in capitals if it is a regular expression")));
            }
            Kind::Rule | Kind::Terminal => self.name(token)?,
            Kind::Text => self.text(token)?,
            Kind::Pattern => {
                literal::check_flags(self.text, token.span()).map_err(|problem| self.add(problem))?;
                self.push(NodeKind::Pattern, token.span());
            }
            Kind::TokenReference => self.token_reference(token)?,
            Kind::Open => self.push_frame(FrameKind::Group, token.span())?,
            Kind::OpenMaybe => self.push_frame(FrameKind::Maybe, token.span())?,
            Kind::Close => self.close(token, FrameKind::Group)?,
            Kind::CloseMaybe => self.close(token, FrameKind::Maybe)?,
            Kind::CloseBrace => self.close(token, FrameKind::Arguments)?,
            Kind::OpenBrace => self.braces(token)?,
            Kind::Comma if self.frame().kind == FrameKind::Arguments => self.end_argument(token)?,
            Kind::Or if self.frame().kind != FrameKind::Arguments => self.end_alternative(),
            Kind::Star => self.quantify(token, 0, None)?,
            Kind::Plus => self.quantify(token, 1, None)?,
            Kind::Question => self.quantify(token, 0, Some(1))?,
            Kind::Tilde => self.count(token)?,
            Kind::Arrow => self.alias(token)?,
            Kind::Unclosed => {
                let what = if self.source(token).starts_with('"') { "string" } else { "regular expression" };
                let span = token.span().start..token.span().start + 1;
                let problem = Problem::syntax(span, format!("this {what} is not closed on its line"));
                return Err(self.add(problem));
            }
            Kind::Directive => {
                let message = format!("`{}` is not supported here", quote(self.source(token)));
                let problem = Problem::new(ErrorKind::Unsupported, token.span(), message);
                return Err(self.add(problem.help("say it in rules and terminals")));
            }
            _ => {
                let help = match self.source(token) {
                    "'" => Some("strings are written in double quotes"),
                    ";" => Some("a rule ends with its line, without a mark"),
                    "&" => Some("Lark has no intersections; the EBNF dialect has `And(a, b)`"),
                    "@" => Some("there are no grammars beside this one that could be meant"),
                    _ => None,
                };
                return Err(self.expected_expression(token, help));
            }
        }
        Ok(())
    }

    fn expected_expression(&mut self, token: Token, help: Option<&str>) -> Abandoned {
        let message = format!("expected an expression, found `{}`", quote(self.source(token)));
        let problem = Problem::syntax(token.span(), message).expected("an expression");
        self.add(match help {
            Some(help) => problem.help(help),
            None => problem,
        })
    }

    // ---- atoms ----

    fn push(&mut self, kind: NodeKind, span: Range<usize>) {
        let node = self.file.add(kind, span);
        self.push_node(node);
    }

    fn push_node(&mut self, node: NodeId) {
        let frame = self.frame();
        frame.sequence.push(node);
        frame.is_quantified = false;
    }

    fn name(&mut self, token: Token) -> Result<(), Abandoned> {
        let is_use = match (self.peek_kind(), self.tokens.get(self.at + 1)) {
            (Some(Kind::OpenBrace), Some(inside)) => !matches!(inside.kind, Kind::Number | Kind::Comma),
            _ => false,
        };
        if !is_use {
            self.push(NodeKind::Name, token.span());
            return Ok(());
        }
        self.at += 1;
        self.push_frame(FrameKind::Arguments, token.span())
    }

    fn text(&mut self, token: Token) -> Result<(), Abandoned> {
        let text = literal::text(self.text, token.span()).map_err(|problem| self.add(problem))?;
        if self.take(Kind::To).is_none() {
            let (text, ignores_case) = text;
            self.push(NodeKind::Text { text, ignores_case }, token.span());
            return Ok(());
        }
        let Some(end) = self.take(Kind::Text) else { return Err(self.unexpected("a string")) };
        let last = literal::text(self.text, end.span()).map_err(|problem| self.add(problem))?;
        let span = token.span().start..end.span().end;
        let range = literal::range(text, last, span.clone()).map_err(|problem| self.add(problem))?;
        self.push(NodeKind::Range(range.0, range.1), span);
        Ok(())
    }

    /// `<name>` and `<[5]>`.
    fn token_reference(&mut self, token: Token) -> Result<(), Abandoned> {
        let source = self.source(token);
        let id = source.strip_prefix("<[").and_then(|rest| rest.strip_suffix("]>")).map(str::parse);
        let symbol = match id {
            None => Symbol::from(source),
            Some(Ok(id)) => Symbol::Id(id),
            Some(Err(_)) => {
                let message = format!("`{}` names no token", quote(source));
                let problem = Problem::new(ErrorKind::Unsupported, token.span(), message);
                return Err(
                    self.add(problem.help("write `<name>`, or `<[5]>` with one id between the brackets"))
                );
            }
        };
        if self.is_terminal {
            let problem = Problem::syntax(token.span(), "terminals are about characters, not tokens");
            return Err(self.add(problem.help("tokens of the vocabulary stand in rules")));
        }
        self.push(NodeKind::Symbol(symbol), token.span());
        Ok(())
    }

    /// `-> name`, which names what the parser makes; it does not change the language.
    fn alias(&mut self, arrow: Token) -> Result<(), Abandoned> {
        if self.peek_kind().is_none_or(|kind| !kind.is_name()) {
            return Err(self.unexpected("a name"));
        }
        self.at += 1;
        if self.is_terminal || self.frame().kind == FrameKind::Arguments {
            let problem = Problem::syntax(arrow.span(), "an alias has no place here");
            return Err(self.add(problem.help("only alternatives of rules have names")));
        }
        self.frame().has_alias = true;
        Ok(())
    }

    // ---- quantifiers ----

    fn quantify(&mut self, token: Token, min: u32, max: Option<u32>) -> Result<(), Abandoned> {
        let frame = self.frame();
        let last = frame.sequence.last().copied();
        let is_second = frame.is_quantified;
        let Some(body) = last else {
            let message = format!("there is nothing that `{}` could repeat", quote(self.source(token)));
            let problem = Problem::syntax(token.span(), message);
            return Err(self.add(problem.expected("an expression before it")));
        };
        if is_second {
            let problem = Problem::syntax(token.span(), "two quantifiers in a row");
            return Err(self.add(problem.help("put what the second one repeats in parentheses: `(a*)?`")));
        }
        let node = self.file.add(NodeKind::Repeat { body, min, max }, token.span());
        let frame = self.frame();
        frame.sequence.pop();
        frame.sequence.push(node);
        frame.is_quantified = true;
        Ok(())
    }

    /// `~ n` or `~ n..m`.
    fn count(&mut self, tilde: Token) -> Result<(), Abandoned> {
        let min = self.number()?;
        let max = if self.take(Kind::To).is_some() { self.number()? } else { min };
        self.counted(tilde, min, Some(max))
    }

    /// `{n}`, `{n,}`, `{,m}` or `{n,m}`, as llguidance has it; those of templates are read with their names.
    fn braces(&mut self, open: Token) -> Result<(), Abandoned> {
        let min = if self.peek_kind() == Some(Kind::Comma) { 0 } else { self.number()? };
        let max = match (self.take(Kind::Comma), self.peek_kind()) {
            (None, _) => Some(min),
            (Some(_), Some(Kind::Number)) => Some(self.number()?),
            (Some(_), _) => None,
        };
        if self.take(Kind::CloseBrace).is_none() {
            return Err(self.unexpected("`}`"));
        }
        self.counted(open, min, max)
    }

    fn counted(&mut self, token: Token, min: u32, max: Option<u32>) -> Result<(), Abandoned> {
        if max.is_some_and(|max| min > max) {
            let message = "the least number of repetitions is above the greatest";
            return Err(self.add(Problem::syntax(token.span(), message)));
        }
        self.quantify(token, min, max)
    }

    fn number(&mut self) -> Result<u32, Abandoned> {
        let Some(token) = self.take(Kind::Number) else { return Err(self.unexpected("a number")) };
        let digits = self.source(token).trim_start_matches('+');
        match digits.parse() {
            Ok(number) => Ok(number),
            Err(_) if digits.starts_with('-') => {
                Err(self.add(Problem::syntax(token.span(), "nothing can be repeated less than 0 times")))
            }
            Err(_) => {
                let message = format!("a repetition count is over the limit of {}", u32::MAX);
                Err(self.add(Problem::new(ErrorKind::Limit, token.span(), message)))
            }
        }
    }

    // ---- groups ----

    /// The innermost frame; the body's is there as long as a body is read.
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a body is being read")
    }

    fn push_frame(&mut self, kind: FrameKind, opened_at: Range<usize>) -> Result<(), Abandoned> {
        if self.frames.len() > self.max_nesting {
            let message = format!("parentheses nest deeper than {}", self.max_nesting);
            return Err(self.add(Problem::new(ErrorKind::Limit, opened_at, message)));
        }
        self.frames.push(Frame {
            kind,
            opened_at,
            alternatives: Vec::new(),
            sequence: Vec::new(),
            is_quantified: false,
            has_alias: false,
            arguments: Vec::new(),
        });
        Ok(())
    }

    fn end_alternative(&mut self) {
        let frame = self.frame();
        (frame.is_quantified, frame.has_alias) = (false, false);
        let parts = std::mem::take(&mut frame.sequence);
        let place = frame.opened_at.clone();
        let node = match parts[..] {
            [one] => one,
            _ => {
                let place = parts.first().map_or(place, |&part| self.file.node(part).place());
                let list = self.file.list(&parts);
                self.file.add(NodeKind::Seq(list), place)
            }
        };
        self.frame().alternatives.push(node);
    }

    /// Takes the innermost frame down; its last alternative has been ended.
    fn pop_frame(&mut self) -> NodeId {
        let frame = self.frames.pop().expect("a body is being read");
        match frame.alternatives[..] {
            [one] => one,
            _ => {
                let list = self.file.list(&frame.alternatives);
                self.file.add(NodeKind::Alt(list), frame.opened_at)
            }
        }
    }

    fn close(&mut self, token: Token, kind: FrameKind) -> Result<(), Abandoned> {
        if self.frame().kind != kind {
            let message = format!("this `{}` closes nothing", self.source(token));
            let problem = Problem::syntax(token.span(), message);
            return Err(self.add(problem.help("write it in a string to mean the character")));
        }
        let node = if kind == FrameKind::Arguments {
            self.end_argument(token)?;
            let frame = self.frames.pop().expect("a body is being read");
            let list = self.file.list(&frame.arguments);
            self.file.add(NodeKind::Use(list), frame.opened_at)
        } else {
            self.end_alternative();
            let opened_at = self.frame().opened_at.clone();
            match (self.pop_frame(), kind) {
                (body, FrameKind::Maybe) => {
                    self.file.add(NodeKind::Repeat { body, min: 0, max: Some(1) }, opened_at)
                }
                (body, _) => body,
            }
        };
        self.push_node(node);
        Ok(())
    }

    /// An argument is a single value.
    fn end_argument(&mut self, token: Token) -> Result<(), Abandoned> {
        let parts = std::mem::take(&mut self.frame().sequence);
        let is_value = |&node: &NodeId| {
            !matches!(
                self.file.node(node).kind,
                NodeKind::Seq(_) | NodeKind::Alt(_) | NodeKind::Repeat { .. } | NodeKind::Symbol(_)
            )
        };
        match parts[..] {
            [one] if is_value(&one) => {
                self.frame().arguments.push(one);
                Ok(())
            }
            _ => {
                let message = "an argument is one name, string, regular expression or template";
                let place = parts.first().map_or(token.span(), |&part| self.file.node(part).place());
                Err(self.add(Problem::syntax(place, message).help("give what it is a rule of its own")))
            }
        }
    }
}
