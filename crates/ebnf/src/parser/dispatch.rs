//! Calls whose arguments are no expressions: tokens, tags, and dispatch on triggers.

use super::{Abandoned, Call, Parser};
use crate::literal;
use crate::problem::{Problem, quote};
use crate::syntax::{Arms, NodeId, NodeKind};
use crate::token::{Kind, Token};
use aho_corasick::AhoCorasick;
use formwork_grammar::{HashSet, Symbol, SymbolSet};
use std::ops::Range;

/// The arguments of a dispatching call, as far as they are read.
#[derive(Default)]
pub(super) struct Arguments {
    triggers: Vec<Symbol>,
    continuations: Vec<NodeId>,
    excluded: Vec<Symbol>,
    /// `ends` or `loop_after_dispatch`.
    flag: Option<bool>,
    has_excluded: bool,
    /// Whether a comma must come before the next argument.
    wants_comma: bool,
    /// The trigger of the arm that is being read.
    trigger: Option<Symbol>,
}

/// The named arguments of dispatching calls.
pub(super) const NAMED: [&str; 3] = ["excludes", "ends", "loop_after_dispatch"];

impl Parser<'_> {
    /// `Token(…)` or `ExcludeToken(…)`, from behind the parenthesis.
    pub(super) fn symbols(&mut self, call: Call, name: Token) -> Result<(), Abandoned> {
        let members = self.symbol_list(name, true)?;
        if members.is_empty() && call == Call::Token {
            let problem = Problem::syntax(name.span(), "`Token` without a token matches nothing");
            self.problems.add(problem.expected("a token's id, or its text in quotes"));
        }
        let set = match call {
            Call::ExcludeToken => SymbolSet::all_but(members),
            _ => SymbolSet::of(members),
        };
        self.push(NodeKind::Symbols(set), name.span());
        Ok(())
    }

    /// `Tag("…")`, from behind the parenthesis.
    pub(super) fn tag(&mut self, name: Token) -> Result<(), Abandoned> {
        let tag = match &self.symbol_list(name, false)?[..] {
            [Symbol::Name(tag)] => tag.clone(),
            _ => return Err(self.one_string(name)),
        };
        self.push(NodeKind::Tag(tag), name.span());
        Ok(())
    }

    /// What `<token>`, `<[id]>` and `!` before them mean in GBNF.
    pub(super) fn token_reference(&mut self, token: Token) {
        let source = self.source(token);
        let (is_negated, name) = match source.strip_prefix('!') {
            Some(name) => (true, name),
            None => (false, source),
        };
        let id = name.strip_prefix("<[").and_then(|rest| rest.strip_suffix("]>"));
        let symbol = match id.map(str::parse) {
            None => Symbol::from(name),
            Some(Ok(id)) => Symbol::Id(id),
            Some(Err(_)) => {
                let problem = Problem::syntax(token.span(), format!("`{}` names no token", quote(source)));
                self.problems.add(problem.expected("a number of at most 32 bits between the brackets"));
                Symbol::Id(0)
            }
        };
        let set = if is_negated { SymbolSet::all_but([symbol]) } else { SymbolSet::of([symbol]) };
        self.push(NodeKind::Symbols(set), token.span());
    }

    /// Strings, and numbers if they may come, with commas between, up to the parenthesis that closes them.
    fn symbol_list(&mut self, name: Token, may_be_numbers: bool) -> Result<Vec<Symbol>, Abandoned> {
        let mut members = Vec::new();
        let mut wants_comma = false;
        while self.at < self.end {
            let token = self.tokens[self.at];
            self.at += 1;
            match token.kind {
                Kind::Close => return Ok(members),
                Kind::Comma if wants_comma => wants_comma = false,
                Kind::Text if !wants_comma => {
                    members.push(self.string(token)?);
                    wants_comma = true;
                }
                Kind::Number if !wants_comma && may_be_numbers => {
                    members.push(self.id(token)?);
                    wants_comma = true;
                }
                _ => {
                    let expected = match (wants_comma, may_be_numbers) {
                        (true, _) => "`,` or `)`",
                        (false, true) => "a token's id, or its text in quotes",
                        (false, false) => "a string",
                    };
                    return Err(self.unexpected(token, expected));
                }
            }
        }
        let message = format!("the call of `{}` is not closed", self.source(name));
        self.problems.add(Problem::syntax(name.span(), message).expected("`)` before the rule ends"));
        Err(Abandoned)
    }

    fn string(&mut self, token: Token) -> Result<Symbol, Abandoned> {
        match literal::text(self.text, token.span(), self.table) {
            Ok(text) => Ok(Symbol::from(text.as_str())),
            Err(problem) => {
                self.problems.add(problem);
                Err(Abandoned)
            }
        }
    }

    fn id(&mut self, token: Token) -> Result<Symbol, Abandoned> {
        match self.source(token).parse() {
            Ok(id) => Ok(Symbol::Id(id)),
            Err(_) => Err(self.unexpected(token, "a token's id, a number of at most 32 bits")),
        }
    }

    fn unexpected(&mut self, token: Token, expected: &str) -> Abandoned {
        let message = format!("expected {expected}, found `{}`", quote(self.source(token)));
        self.problems.add(Problem::syntax(token.span(), message).expected(expected));
        Abandoned
    }

    /// One token of the arguments of a dispatching call that is not inside an arm.
    pub(super) fn argument(&mut self, token: Token) -> Result<(), Abandoned> {
        let call = self.frame().call;
        let wants_comma = self.frame().arguments.wants_comma;
        match token.kind {
            Kind::Close => self.close_dispatch(token),
            Kind::Comma if wants_comma => {
                self.frame().arguments.wants_comma = false;
                Ok(())
            }
            Kind::Open if !wants_comma => self.arm(token),
            Kind::Name if !wants_comma && NAMED.contains(&self.source(token)) => self.named(token),
            _ if wants_comma => Err(self.unexpected(token, "`,` or `)`")),
            _ if call == Some(Call::Until) => {
                Err(self.unexpected(token, "`(\"trigger\", expression)`, `excludes=(…)` or `ends=true`"))
            }
            _ => Err(self
                .unexpected(token, "`(trigger, expression)`, `excludes=(…)` or `loop_after_dispatch=false`")),
        }
    }

    /// `(trigger, expression)`, from behind the parenthesis up to the comma.
    fn arm(&mut self, open: Token) -> Result<(), Abandoned> {
        let by_token = self.frame().call == Some(Call::TokenTagDispatch);
        let rest = &self.tokens[self.at..self.end];
        let (Some(&trigger), Some(&comma)) = (rest.first(), rest.get(1)) else {
            return Err(self.unexpected(open, "a trigger and an expression"));
        };
        let trigger = match trigger.kind {
            Kind::Text => self.string(trigger)?,
            Kind::Number if by_token => self.id(trigger)?,
            _ => return Err(self.unexpected(trigger, "a trigger in quotes")),
        };
        if comma.kind != Kind::Comma {
            return Err(self.unexpected(comma, "`,` and what follows the trigger"));
        }
        if matches!(&trigger, Symbol::Name(name) if name.is_empty()) {
            self.problems.add(Problem::syntax(rest[0].span(), "a trigger must not be empty"));
            return Err(Abandoned);
        }
        self.at += 2;
        self.frame().arguments.wants_comma = true;
        self.push_frame(Some(Call::Arm), open.span())?;
        self.frame().arguments.trigger = Some(trigger);
        Ok(())
    }

    /// The end of an arm, whose expression is read.
    pub(super) fn close_arm(&mut self, close: Token) -> Result<(), Abandoned> {
        self.end_operand(close);
        let Some(mut frame) = self.frames.pop() else { unreachable!("an arm is being read") };
        match (&frame.operands[..], frame.arguments.trigger.take()) {
            (&[operand], Some(trigger)) => {
                let arguments = &mut self.frame().arguments;
                arguments.triggers.push(trigger);
                arguments.continuations.push(operand);
                Ok(())
            }
            _ => Err(self.unexpected(close, "one expression behind the trigger")),
        }
    }

    /// `name=value`, from behind the name.
    fn named(&mut self, name: Token) -> Result<(), Abandoned> {
        let call = self.frame().call;
        let equals = self.tokens[self.at];
        if self.at == self.end || self.source(equals) != "=" {
            return Err(self.unexpected(equals, "`=`"));
        }
        self.at += 1;
        let what = self.source(name).to_owned();
        let is_right = match what.as_str() {
            "ends" => call == Some(Call::Until),
            "loop_after_dispatch" => call != Some(Call::Until),
            _ => true,
        };
        let arguments = &mut self.frame().arguments;
        let is_second = if what == "excludes" { arguments.has_excluded } else { arguments.flag.is_some() };
        arguments.wants_comma = true;
        if !is_right || is_second {
            let message = match is_right {
                false => format!("this call has no argument `{what}`"),
                true => format!("the argument `{what}` is given twice"),
            };
            self.problems.add(Problem::syntax(name.span(), message));
            return Err(Abandoned);
        }
        let value = self.tokens[self.at.min(self.end)];
        self.at += 1;
        if what == "excludes" {
            if value.kind != Kind::Open {
                return Err(self.unexpected(value, "a list in parentheses"));
            }
            let excluded = self.symbol_list(name, call == Some(Call::TokenTagDispatch))?;
            if excluded.contains(&Symbol::from("")) {
                self.problems.add(Problem::syntax(name.span(), "the empty text occurs everywhere"));
                return Err(Abandoned);
            }
            let arguments = &mut self.frame().arguments;
            arguments.excluded = excluded;
            arguments.has_excluded = true;
            return Ok(());
        }
        let flag = match self.source(value) {
            "true" => true,
            "false" => false,
            _ => return Err(self.unexpected(value, "`true` or `false`")),
        };
        self.frame().arguments.flag = Some(flag);
        Ok(())
    }

    fn close_dispatch(&mut self, close: Token) -> Result<(), Abandoned> {
        let Some(frame) = self.frames.pop() else { unreachable!("a dispatch is being read") };
        let Arguments { triggers, continuations, excluded, flag, .. } = frame.arguments;
        let call = frame.call;
        // A dispatch without triggers is free text, or free tokens; text up to nothing never ends.
        if triggers.is_empty() && call == Some(Call::Until) && flag != Some(true) {
            return Err(self.unexpected(close, "a trigger and what follows it"));
        }
        if call != Some(Call::Until) {
            self.check_triggers(&triggers, &excluded, frame.opened_at.clone());
        }
        let arms = Arms { triggers, continuations: self.file.list(&continuations), excluded };
        let kind = match call {
            Some(Call::Until) => NodeKind::Until { arms, ends: flag == Some(true) },
            Some(Call::TagDispatch) => NodeKind::TagDispatch { arms, loops: flag != Some(false) },
            _ => NodeKind::TokenTagDispatch { arms, loops: flag != Some(false) },
        };
        let is_text = self.text_depth > 0;
        let node = self.file.add(kind, frame.opened_at, is_text);
        self.push_node(node);
        Ok(())
    }

    /// A trigger that something excluded stands in could never be completed.
    fn check_triggers(&mut self, triggers: &[Symbol], excluded: &[Symbol], at: Range<usize>) {
        let name = |symbol: &Symbol| match symbol {
            Symbol::Name(name) => Some(name.clone()),
            _ => None,
        };
        let ids: HashSet<&Symbol> = excluded.iter().filter(|symbol| name(symbol).is_none()).collect();
        let finder = AhoCorasick::new(excluded.iter().filter_map(name).map(String::from));
        for trigger in triggers {
            let is_hit = match (trigger, &finder) {
                (Symbol::Name(name), Ok(finder)) => finder.is_match(&**name),
                _ => ids.contains(trigger),
            };
            if is_hit {
                let message = format!("the trigger {trigger} can never come, because of what is excluded");
                self.problems.add(Problem::syntax(at.clone(), message));
            }
        }
    }
}
