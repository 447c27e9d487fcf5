//! What a text is a list of: definitions and directives.

use super::{Abandoned, Parser};
use crate::ErrorKind;
use crate::dialect;
use crate::lark::syntax::{Definition, How, Import};
use crate::lark::token::{Kind, Token};
use crate::parser::attributes;
use crate::problem::{Problem, quote};
use crate::syntax::Attributes;
use formwork_grammar::HashMap;
use std::ops::Range;

/// Parameters that a template may have.
const MAX_PARAMETERS: usize = 100;

/// Whether a statement begins here, well written or not.
pub(super) fn starts(tokens: &[Token]) -> bool {
    let Some(first) = tokens.first().filter(|token| token.is_first) else { return false };
    first.kind == Kind::Directive || is_head(tokens)
}

/// Whether a name, perhaps with marks before it and parameters, attributes and a priority behind it, and then a colon
/// stand here.
fn is_head(tokens: &[Token]) -> bool {
    let kind = |i: usize| tokens.get(i).map(|token| token.kind);
    let mut i = tokens.iter().take(2).take_while(|token| is_mark(token.kind)).count();
    if !kind(i).is_some_and(Kind::is_name) {
        return false;
    }
    i += 1;
    match kind(i) {
        Some(Kind::OpenBrace) => {
            i += 1;
            while matches!(kind(i), Some(Kind::Rule | Kind::Terminal | Kind::Comma)) {
                i += 1;
            }
            i += usize::from(kind(i) == Some(Kind::CloseBrace));
        }
        Some(Kind::OpenMaybe) => {
            let same_line = tokens[i..].iter().take_while(|token| !token.is_first);
            i += same_line.take_while(|token| token.kind != Kind::CloseMaybe).count() + 1;
        }
        _ => {}
    }
    if kind(i) == Some(Kind::Dot) {
        i += 2;
    }
    matches!(kind(i), Some(Kind::Defines | Kind::AlmostDefines))
}

/// `!` and `?` before a name, which are about the tree that Lark makes.
fn is_mark(kind: Kind) -> bool {
    matches!(kind, Kind::Bang | Kind::Question)
}

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Result<(), Abandoned> {
        let Some(directive) = self.take(Kind::Directive) else { return self.definition(How::New) };
        match self.source(directive) {
            "%ignore" => {
                self.is_terminal = true;
                if self.peek().is_none() {
                    return Err(self.unexpected("a terminal"));
                }
                let body = self.body()?;
                self.file.ignored.push(body);
                Ok(())
            }
            "%import" => self.import(),
            "%declare" => self.declare(),
            "%override" => self.definition(How::Override),
            "%extend" => self.definition(How::Extend),
            other => {
                let message = format!("`{}` is not supported", quote(other));
                Err(self.add(Problem::new(ErrorKind::Unsupported, directive.span(), message)))
            }
        }
    }

    fn definition(&mut self, how: How) -> Result<(), Abandoned> {
        while self.peek_kind().is_some_and(is_mark) {
            self.at += 1;
        }
        let Some(name) = self.peek().filter(|token| token.kind.is_name()) else {
            return Err(self.unexpected("the name of a rule or terminal"));
        };
        self.at += 1;
        self.is_terminal = name.kind == Kind::Terminal;
        let parameters =
            if self.peek_kind() == Some(Kind::OpenBrace) { self.parameters()? } else { Vec::new() };
        let attributes = match self.take(Kind::OpenMaybe) {
            Some(open) => self.attributes(open)?,
            None => Attributes::default(),
        };
        if self.take(Kind::Dot).is_some() && self.take(Kind::Number).is_none() {
            return Err(self.unexpected("a priority, which is a number"));
        }
        if let Some(almost) = self.take(Kind::AlmostDefines) {
            let message = format!("expected `:`, found `{}`", quote(self.source(almost)));
            self.add(Problem::syntax(almost.span(), message).expected("`:`"));
        } else if self.take(Kind::Defines).is_none() {
            return Err(self.unexpected("`:`"));
        }
        let body = self.body().ok();
        let (name, is_terminal) = (name.span(), self.is_terminal);
        self.file.definitions.push(Definition { how, name, is_terminal, parameters, attributes, body });
        Ok(())
    }

    /// The attributes after a bracket, which are those of the EBNF dialect that do not ask for text.
    fn attributes(&mut self, open: Token) -> Result<Attributes, Abandoned> {
        let mut span = open.span();
        while let Some(token) = self.peek() {
            self.at += 1;
            span.end = token.span().end;
            if token.kind == Kind::CloseMaybe {
                break;
            }
        }
        let attributes = attributes::read(self.text, span.clone(), &dialect::EBNF, self.problems);
        let why = match () {
            () if self.is_terminal => "attributes of terminals are not supported",
            () if attributes.want_text() => "`lazy` and `max_chars` are not supported here",
            () => return Ok(attributes),
        };
        let problem = Problem::new(ErrorKind::Unsupported, span, why);
        Err(self.add(problem.help("give rules `max_tokens` or `capture`, or write them in the EBNF dialect")))
    }

    fn parameters(&mut self) -> Result<Vec<Range<usize>>, Abandoned> {
        let open = self.tokens[self.at];
        self.at += 1;
        if self.is_terminal {
            let problem = Problem::syntax(open.span(), "terminals have no parameters");
            return Err(self.add(problem.help("only rules are templates")));
        }
        let text = self.text;
        let (mut parameters, mut seen) = (Vec::new(), HashMap::default());
        loop {
            let Some(name) = self.take(Kind::Rule) else {
                return Err(self.unexpected("a parameter's name in small letters"));
            };
            if let Some(first) = seen.insert(&text[name.span()], name.span().start) {
                let message = format!("the parameter `{}` is there twice", quote(self.source(name)));
                let problem = Problem::syntax(name.span(), message);
                self.add(problem.related(first, "it is first written"));
            }
            parameters.push(name.span());
            if parameters.len() > MAX_PARAMETERS {
                let message = format!("more than {MAX_PARAMETERS} parameters");
                return Err(self.add(Problem::new(ErrorKind::Limit, name.span(), message)));
            }
            if self.take(Kind::CloseBrace).is_some() {
                return Ok(parameters);
            }
            if self.take(Kind::Comma).is_none() {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    /// `%import path.NAME`, `%import path.NAME -> OTHER` or `%import path (NAME, …)`.
    fn import(&mut self) -> Result<(), Abandoned> {
        let start = self.at;
        let is_relative = self.take(Kind::Dot).is_some();
        let mut path = vec![self.any_name()?];
        while self.take(Kind::Dot).is_some() {
            path.push(self.any_name()?);
        }
        let place = self.tokens[start].span().start..self.tokens[self.at - 1].span().end;
        let mut names: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        if self.take(Kind::Open).is_some() {
            loop {
                let name = self.any_name()?;
                names.push((name.clone(), name));
                if self.take(Kind::Close).is_some() {
                    break;
                }
                if self.take(Kind::Comma).is_none() {
                    return Err(self.unexpected("`,` or `)`"));
                }
            }
        } else {
            let name = path.pop().unwrap_or_default();
            if path.is_empty() {
                let problem = Problem::syntax(place, "this names a file, but nothing in it");
                return Err(self.add(problem.expected("`%import file.NAME` or `%import file (NAME, …)`")));
            }
            let local = if self.take(Kind::Arrow).is_some() { self.any_name()? } else { name.clone() };
            names.push((name, local));
        }
        if self.peek().is_some() {
            return Err(self.unexpected("the end of the line"));
        }
        for (name, local) in names {
            let (place, path) = (place.clone(), path.clone());
            self.file.imports.push(Import { place, is_relative, path, name, local });
        }
        Ok(())
    }

    fn declare(&mut self) -> Result<(), Abandoned> {
        loop {
            let name = self.any_name()?;
            self.file.declared.push(name);
            if self.peek().is_none() {
                return Ok(());
            }
        }
    }

    fn any_name(&mut self) -> Result<Range<usize>, Abandoned> {
        match self.peek().filter(|token| token.kind.is_name()) {
            Some(token) => {
                self.at += 1;
                Ok(token.span())
            }
            None => Err(self.unexpected("a name")),
        }
    }
}
