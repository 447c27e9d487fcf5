//! Reads tokens into rules and expressions, collecting problems on the way.
//!
//! First all rule heads are found, so that whatever goes wrong in a body ends with that rule.

pub(crate) mod attributes;
mod dispatch;

use crate::dialect::Table;
use crate::literal;
use crate::problem::{Problem, Problems, quote};
use crate::syntax::{Attributes, File, NodeId, NodeKind, RuleText};
use crate::token::{Kind, Token};
use crate::{ErrorKind, Limits};
use dispatch::{Arguments, NAMED};
use formwork_grammar::CharClass;
use std::ops::Range;

/// Reads all rules.
pub(crate) fn parse(
    text: &str,
    tokens: &[Token],
    table: &'static Table,
    limits: &Limits,
    problems: &mut Problems,
) -> File {
    let heads: Vec<usize> = (0..tokens.len()).filter(|&i| is_head(text, &tokens[i..])).collect();
    let mut parser = Parser {
        text,
        tokens,
        table,
        at: 0,
        end: 0,
        max_nesting: limits.max_nesting,
        problems,
        file: File::default(),
        frames: Vec::new(),
        text_depth: 0,
    };
    parser.before_rules(heads.first().copied().unwrap_or(tokens.len() - 1));
    for (i, &head) in heads.iter().enumerate() {
        if parser.problems.is_full() {
            break;
        }
        // The last token is the end of the text.
        let end = heads.get(i + 1).copied().unwrap_or(tokens.len() - 1);
        parser.rule(head, end);
    }
    parser.file
}

/// Whether a rule begins here, well written or not.
fn is_head(text: &str, tokens: &[Token]) -> bool {
    match tokens {
        [name, next, ..] if name.kind == Kind::Name && next.kind == Kind::Defines => true,
        [name, next, ..] if name.kind == Kind::Name && next.kind == Kind::AlmostDefines => {
            // A named argument may begin a line.
            name.is_first && !(NAMED.contains(&&text[name.span()]) && &text[next.span()] == "=")
        }
        [name, attributes, next, ..] if name.kind == Kind::Name && attributes.kind == Kind::Class => {
            name.is_first && !attributes.is_first && next.kind == Kind::Defines
        }
        _ => false,
    }
}

/// A call of the dialect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    And,
    Not,
    JsonText,
    Bytes,
    ByteClass,
    Token,
    ExcludeToken,
    Tag,
    Until,
    TagDispatch,
    TokenTagDispatch,
    /// What follows a trigger; no name.
    Arm,
    /// XGrammar has it, we do not.
    Unsupported,
}

fn call(name: &str) -> Option<Call> {
    Some(match name {
        "And" => Call::And,
        "Not" => Call::Not,
        "JsonText" => Call::JsonText,
        "Bytes" => Call::Bytes,
        "ByteClass" => Call::ByteClass,
        "Token" => Call::Token,
        "ExcludeToken" => Call::ExcludeToken,
        "Tag" => Call::Tag,
        "Until" => Call::Until,
        "TagDispatch" => Call::TagDispatch,
        "TokenTagDispatch" => Call::TokenTagDispatch,
        "Regex" | "Substring" | "EOS" => Call::Unsupported,
        _ => return None,
    })
}

/// A rule's body, a group or a call under construction.
struct Frame {
    call: Option<Call>,
    /// The parenthesis of a group, the name of a call.
    opened_at: Range<usize>,
    operands: Vec<NodeId>,
    alternatives: Vec<NodeId>,
    sequence: Vec<NodeId>,
    /// Whether the last part of the sequence has its quantifier.
    is_quantified: bool,
    /// Of a dispatching call, or of one of its arms.
    arguments: Arguments,
}

impl Frame {
    /// Whether arguments are read, not an expression.
    fn dispatches(&self) -> bool {
        matches!(self.call, Some(Call::Until | Call::TagDispatch | Call::TokenTagDispatch))
    }

    /// Whether the operands must be text.
    fn wants_text(&self) -> bool {
        matches!(self.call, Some(Call::And | Call::Not | Call::JsonText))
    }
}

/// What an alternative without parts is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Something is missing.
    Error,
    /// No alternative, if it is the only one: `()`.
    None,
    /// The empty text.
    Empty,
}

/// The rest of a rule cannot be made sense of; the problem has been noted.
struct Abandoned;

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    table: &'static Table,
    /// The next token, and where the rule's end.
    at: usize,
    end: usize,
    max_nesting: usize,
    problems: &'a mut Problems,
    file: File,
    /// The body and the groups around, outermost first.
    frames: Vec<Frame>,
    /// How many of them want text.
    text_depth: usize,
}

impl Parser<'_> {
    fn source(&self, token: Token) -> &str {
        &self.text[token.span()]
    }

    fn before_rules(&mut self, first_head: usize) {
        if let Some(token) = self.tokens[..first_head].first() {
            let message = format!("expected a rule, found `{}`", quote(self.source(*token)));
            let problem = Problem::syntax(token.span(), message).expected("a rule: `name ::= …`");
            self.problems.add(match comment_help(self.source(*token)) {
                Some(help) => problem.help(help),
                None => problem.help("a grammar is a list of rules such as `root ::= \"yes\" | \"no\"`"),
            });
        }
    }

    fn rule(&mut self, head: usize, end: usize) {
        let name = self.tokens[head];
        if !name.is_first {
            let message = format!("the rule `{}` begins in the middle of a line", quote(self.source(name)));
            self.problems.add(Problem::syntax(name.span(), message).help("put it on a line of its own"));
        }
        if self.table.reserved.contains(&self.source(name)) {
            let message = format!("`{}` cannot be the name of a rule", self.source(name));
            self.problems.add(Problem::syntax(name.span(), message));
        }
        let mut body = head + 1;
        let mut attributes = Attributes::default();
        if self.tokens[body].kind == Kind::Class {
            let span = self.tokens[body].span();
            if self.table.has_calls {
                attributes = attributes::read(self.text, span, self.table, self.problems);
            } else {
                self.problems.add(Problem::syntax(span, "rules have no attributes in GBNF"));
            }
            body += 1;
        }
        let defines = self.tokens[body];
        if defines.kind == Kind::AlmostDefines {
            let message = format!("expected `::=`, found `{}`", quote(self.source(defines)));
            self.problems.add(Problem::syntax(defines.span(), message).expected("`::=`"));
        }
        (self.at, self.end) = (body + 1, end);
        self.frames.clear();
        self.text_depth = 0;
        let body = self.body(defines).ok();
        self.file.rules.push(RuleText { name: name.span(), body, attributes });
    }

    fn body(&mut self, defines: Token) -> Result<NodeId, Abandoned> {
        if self.at == self.end {
            let message = "this rule has no body";
            let problem = Problem::syntax(defines.span(), message).expected("an expression after `::=`");
            self.problems.add(problem.help("write `\"\"` for the empty text"));
            return Err(Abandoned);
        }
        self.push_frame(None, defines.span())?;
        let (start, mut has_gone_on) = (self.at, false);
        while self.at < self.end {
            let token = self.tokens[self.at];
            if !has_gone_on && self.goes_on(start, token) {
                has_gone_on = true;
                let message = "the rule has ended with the line before";
                let problem = Problem::syntax(token.span(), message).expected("a rule: `name ::= …`");
                self.problems.add(problem.help(
                    "a rule goes on over lines inside parentheses, and after a `|` at the end of a line",
                ));
            }
            self.at += 1;
            self.token(token)?;
        }
        let last = self.tokens[self.end - 1];
        self.end_alternative(last, if self.frames.len() > 1 { Gap::None } else { Gap::Error });
        if self.frames.len() > 1 {
            let opened_at = self.frame().opened_at.clone();
            let problem = Problem::syntax(opened_at, "this parenthesis is not closed");
            self.problems.add(problem.expected("`)` before the rule ends"));
            return Err(Abandoned);
        }
        Ok(self.pop_frame())
    }

    /// Whether a rule that should have ended with its line goes on with this token.
    fn goes_on(&self, start: usize, token: Token) -> bool {
        self.table.rules_end_with_lines
            && token.is_first
            && self.frames.len() == 1
            && self.at > start
            && self.tokens[self.at - 1].kind != Kind::Or
    }

    fn token(&mut self, token: Token) -> Result<(), Abandoned> {
        if self.frame().dispatches() {
            return self.argument(token);
        }
        match token.kind {
            Kind::Name => self.name(token)?,
            Kind::Text => {
                let text = literal::text(self.text, token.span(), self.table).map(String::into_bytes);
                self.leaf(token, text.map(|bytes| NodeKind::Literal(bytes.into())));
            }
            Kind::Class => {
                let class = literal::class(self.text, token.span(), self.table);
                self.leaf(token, class.map(NodeKind::Class));
            }
            Kind::Any => self.push(NodeKind::Class(CharClass::any()), token.span()),
            Kind::TokenReference => self.token_reference(token),
            Kind::Open if self.is_adjacent(token, Kind::AlmostDefines) => {
                let message = "lookahead assertions are not supported";
                let problem = Problem::new(ErrorKind::Unsupported, token.span(), message);
                self.problems.add(problem.help("leave it out: masks are exact without it"));
                self.skip_group()?;
            }
            Kind::Open => self.push_frame(None, token.span())?,
            Kind::Close => self.close(token)?,
            Kind::Or => self.end_alternative(token, self.gap(Gap::Error)),
            Kind::Comma => self.comma(token)?,
            Kind::Star => self.quantify(token, Ok((0, None))),
            Kind::Plus => self.quantify(token, Ok((1, None))),
            Kind::Question => self.quantify(token, Ok((0, Some(1)))),
            Kind::Braces => self.quantify(token, literal::bounds(self.text, token.span(), self.table)),
            Kind::Unclosed => {
                let (what, close) = match &self.text[token.span()][..1] {
                    "\"" => ("string", "`\"`"),
                    "[" => ("class", "`]`"),
                    _ => ("quantifier", "`}`"),
                };
                let start = token.span().start;
                let problem =
                    Problem::syntax(start..start + 1, format!("this {what} is not closed on its line"));
                self.problems.add(problem.expected(format!("{close} before the line ends")));
                return Err(Abandoned);
            }
            Kind::Defines | Kind::AlmostDefines | Kind::Number | Kind::Other | Kind::End => {
                let message = format!("expected an expression, found `{}`", quote(self.source(token)));
                let problem = Problem::syntax(token.span(), message).expected("an expression");
                self.problems.add(match self.help_for(token) {
                    Some(help) => problem.help(help),
                    None => problem,
                });
                return Err(Abandoned);
            }
        }
        Ok(())
    }

    /// What people usually mean who write this.
    fn help_for(&self, token: Token) -> Option<&'static str> {
        match self.source(token) {
            "'" => Some("strings are written in double quotes"),
            ";" => Some("a rule ends where the next begins, without a mark"),
            "." => Some("write `[^]` for any character; a rule ends where the next begins, without a mark"),
            "/" => comment_help(&self.text[token.span().start..]),
            "&" | "~" | "!" if !self.table.has_calls => {
                Some("GBNF has no intersections and complements; the EBNF dialect has `And` and `Not`")
            }
            "&" | "~" | "!" => Some("write `And(a, b)` for an intersection and `Not(a)` for a complement"),
            "]" | "}" => Some("write it in a string to mean the character"),
            "<" | ">" => Some("names are written without angle brackets"),
            "\\" => Some("escapes are written inside strings and classes"),
            "::=" => Some("a rule begins with its name, on a line of its own"),
            _ => None,
        }
    }

    // ---- atoms ----

    /// Whether the next token is of this kind and follows without white space.
    fn is_adjacent(&self, token: Token, kind: Kind) -> bool {
        let next = self.tokens[self.at];
        self.at < self.end && next.kind == kind && next.span().start == token.span().end
    }

    fn leaf(&mut self, token: Token, kind: Result<NodeKind, Problem>) {
        let kind = kind.unwrap_or_else(|problem| {
            self.problems.add(problem);
            NodeKind::Literal(Box::default())
        });
        self.push(kind, token.span());
    }

    fn push(&mut self, kind: NodeKind, span: Range<usize>) {
        let node = self.file.add(kind, span, self.text_depth > 0);
        self.push_node(node);
    }

    fn push_node(&mut self, node: NodeId) {
        let frame = self.frame();
        frame.sequence.push(node);
        frame.is_quantified = false;
    }

    fn name(&mut self, token: Token) -> Result<(), Abandoned> {
        let may_be_call = self.table.has_calls && self.is_adjacent(token, Kind::Open);
        let Some(call) = call(self.source(token)).filter(|_| may_be_call) else {
            self.push(NodeKind::Reference, token.span());
            return Ok(());
        };
        self.at += 1;
        match call {
            Call::And
            | Call::Not
            | Call::JsonText
            | Call::Until
            | Call::TagDispatch
            | Call::TokenTagDispatch => self.push_frame(Some(call), token.span()),
            Call::Token | Call::ExcludeToken => self.symbols(call, token),
            Call::Tag => self.tag(token),
            Call::Arm => unreachable!("no name means it"),
            Call::Bytes | Call::ByteClass => self.bytes(call, token),
            Call::Unsupported => {
                let name = self.source(token);
                let message = format!("`{name}(…)` is not supported yet");
                let help = format!("if the rule `{name}` is meant, put a space before the parenthesis");
                self.problems.add(Problem::new(ErrorKind::Unsupported, token.span(), message).help(help));
                self.skip_group()?;
                self.push(NodeKind::Literal(Box::default()), token.span());
                Ok(())
            }
        }
    }

    /// `Bytes("…")` or `ByteClass("…")`, from the string on.
    fn bytes(&mut self, call: Call, name: Token) -> Result<(), Abandoned> {
        let rest = &self.tokens[self.at..self.end];
        let (Some(&string), Some(&close)) = (rest.first(), rest.get(1)) else {
            return Err(self.one_string(name));
        };
        if string.kind != Kind::Text || close.kind != Kind::Close {
            return Err(self.one_string(name));
        }
        self.at += 2;
        let kind = if call == Call::Bytes {
            literal::bytes(self.text, string.span()).map(|bytes| NodeKind::Literal(bytes.into()))
        } else {
            literal::byte_class(self.text, string.span()).map(NodeKind::ByteClass)
        };
        self.leaf(name, kind);
        Ok(())
    }

    fn one_string(&mut self, name: Token) -> Abandoned {
        let message = format!("`{}` takes one string", self.source(name));
        self.problems.add(Problem::syntax(name.span(), message).expected("a string and `)`"));
        Abandoned
    }

    /// Goes past a group that is not going to be read, from inside its parenthesis on.
    fn skip_group(&mut self) -> Result<(), Abandoned> {
        let mut depth = 1;
        while self.at < self.end {
            match self.tokens[self.at].kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        Err(Abandoned)
    }

    fn quantify(&mut self, token: Token, bounds: Result<(u32, Option<u32>), Problem>) {
        let frame = self.frame();
        let last = frame.sequence.last().copied();
        let is_second = std::mem::replace(&mut frame.is_quantified, true);
        let problem = match (last, bounds) {
            (_, Err(problem)) => problem,
            (None, _) => {
                // Something to repeat, so that the missing expression is not reported again.
                self.push(NodeKind::Literal(Box::default()), token.span());
                let message = format!("there is nothing that `{}` could repeat", quote(self.source(token)));
                Problem::syntax(token.span(), message).expected("an expression before it")
            }
            (Some(_), _) if is_second => Problem::syntax(token.span(), "two quantifiers in a row")
                .help("put what the second one repeats in parentheses: `(a*)?`"),
            (Some(body), Ok((min, max))) => {
                let kind = NodeKind::Repeat { body, min, max };
                let node = self.file.add(kind, token.span(), self.text_depth > 0);
                self.frame().sequence.pop();
                self.push_node(node);
                self.frame().is_quantified = true;
                return;
            }
        };
        self.problems.add(problem);
    }

    // ---- groups ----

    /// The innermost frame; the body's is there as long as a body is read.
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a body is being read")
    }

    fn push_frame(&mut self, call: Option<Call>, opened_at: Range<usize>) -> Result<(), Abandoned> {
        if self.frames.len() > self.max_nesting {
            let message = format!("parentheses nest deeper than {}", self.max_nesting);
            self.problems.add(Problem::new(ErrorKind::Limit, opened_at, message));
            return Err(Abandoned);
        }
        let frame = Frame {
            call,
            opened_at,
            operands: Vec::new(),
            alternatives: Vec::new(),
            sequence: Vec::new(),
            is_quantified: false,
            arguments: Arguments::default(),
        };
        self.text_depth += usize::from(frame.wants_text());
        self.frames.push(frame);
        Ok(())
    }

    /// The innermost frame's alternatives as one node; the last of them has ended.
    fn pop_frame(&mut self) -> NodeId {
        let Some(frame) = self.frames.pop() else { unreachable!("a body is being read") };
        self.text_depth -= usize::from(frame.wants_text());
        let is_text = self.text_depth > 0;
        let span = frame.opened_at;
        match frame.call {
            None => self.alternation(&frame.alternatives, span),
            Some(call) => {
                let kind = match (call, &frame.operands[..]) {
                    (Call::And, operands) => NodeKind::And(self.file.list(operands)),
                    (Call::Not, &[operand]) => NodeKind::Not(operand),
                    (_, &[operand]) => NodeKind::JsonText(operand),
                    _ => {
                        self.problems.add(Problem::syntax(span.clone(), "this call takes one operand"));
                        NodeKind::Literal(Box::default())
                    }
                };
                self.file.add(kind, span, is_text)
            }
        }
    }

    fn alternation(&mut self, alternatives: &[NodeId], span: Range<usize>) -> NodeId {
        let is_text = self.text_depth > 0;
        match alternatives {
            [] => self.file.add(NodeKind::Literal(Box::default()), span, is_text),
            [one] => *one,
            _ => {
                let list = self.file.list(alternatives);
                self.file.add(NodeKind::Alt(list), span, is_text)
            }
        }
    }

    /// What a missing alternative is where the dialect lets it be empty, and otherwise.
    fn gap(&self, otherwise: Gap) -> Gap {
        if self.table.alternatives_may_be_empty { Gap::Empty } else { otherwise }
    }

    /// Ends an alternative before `token`; `gap` says what it is if it has no parts.
    fn end_alternative(&mut self, token: Token, gap: Gap) {
        let parts = std::mem::take(&mut self.frame().sequence);
        self.frame().is_quantified = false;
        let is_text = self.text_depth > 0;
        let node = match parts[..] {
            [] if gap == Gap::None && self.frame().alternatives.is_empty() => return,
            [] if gap == Gap::Empty => {
                self.file.add(NodeKind::Literal(Box::default()), token.span(), is_text)
            }
            [] => {
                // A body that ends too early is shown where it ends, not where the next rule begins.
                let is_end = self.at == self.end && token.kind != Kind::Close;
                let side = if is_end { "after" } else { "before" };
                let message = format!("expected an expression {side} `{}`", quote(self.source(token)));
                let problem = Problem::syntax(token.span(), message);
                self.problems.add(problem.expected("an expression").help("write `\"\"` for the empty text"));
                self.file.add(NodeKind::Literal(Box::default()), token.span(), is_text)
            }
            [one] => one,
            _ => {
                let start = self.file.node(parts[0]).place();
                let list = self.file.list(&parts);
                self.file.add(NodeKind::Seq(list), start, is_text)
            }
        };
        self.frame().alternatives.push(node);
    }

    fn close(&mut self, token: Token) -> Result<(), Abandoned> {
        if self.frames.len() == 1 {
            let problem = Problem::syntax(token.span(), "this `)` closes nothing");
            self.problems.add(problem.help("write `\")\"` to mean the character"));
            return Err(Abandoned);
        }
        if self.frame().call == Some(Call::Arm) {
            return self.close_arm(token);
        }
        if self.frame().call.is_some() {
            self.end_operand(token);
        } else {
            self.end_alternative(token, self.gap(Gap::None));
        }
        let node = self.pop_frame();
        self.push_node(node);
        Ok(())
    }

    fn comma(&mut self, token: Token) -> Result<(), Abandoned> {
        if self.frame().call.is_none() || self.frame().call == Some(Call::Arm) {
            let problem = Problem::syntax(token.span(), "expected an expression, found `,`");
            self.problems.add(problem.expected("an expression").help("write `\",\"` to mean the character"));
            return Err(Abandoned);
        }
        self.end_operand(token);
        Ok(())
    }

    fn end_operand(&mut self, token: Token) {
        self.end_alternative(token, Gap::Error);
        let alternatives = std::mem::take(&mut self.frame().alternatives);
        let operand = self.alternation(&alternatives, token.span());
        self.frame().operands.push(operand);
    }
}

fn comment_help(source: &str) -> Option<&'static str> {
    source.starts_with('/').then_some("comments begin with `#`")
}
