//! `formwork tags`: what structural tags and tools become.

use crate::args::{TagsArgs, TagsCommand};
use crate::colour::{Palette, Tone};
use crate::problem::Problem;
use crate::{Failure, Status, dot, tokenizer, written};
use formwork::fsm::{self, Dispatch, DispatchEvent};
use formwork::grammar::Expr;
use formwork::{Compiler, Grammar};
use std::fmt::Write as _;
use std::io::Write;

pub(crate) fn run(args: &TagsArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let TagsCommand::Show { grammar: args, tokenizer, graphviz, svg } = &args.command;
    if !args.is_of_tags() {
        return Err(Problem::usage("which tags? Say --tag FILE, or --tools FILE --model NAME").into());
    }
    let source = args.source("")?;
    let grammar = source.load().map_err(|problem| args.locate(problem))?.grammar;
    let dispatches = match tokenizer {
        Some(name) => Compiler::new(tokenizer::vocabulary(name, &[])?).dispatches(&grammar),
        None => fsm::dispatches(&grammar, &fsm::AnySymbols),
    };
    for warning in dispatches.iter().flat_map(Dispatch::warnings) {
        let label = Palette::of_stderr().paint(Tone::Wrong, "warning");
        written(writeln!(std::io::stderr(), "{label}: {warning}"))?;
    }
    if let Some(path) = svg {
        dot::draw(&dot::dispatches(&grammar, &dispatches), path)?;
    } else if *graphviz {
        written(out.write_all(dot::dispatches(&grammar, &dispatches).as_bytes()))?;
    } else {
        written(write!(out, "{grammar}{}", automata(&grammar, &dispatches)))?;
    }
    Ok(Status::Fine)
}

/// The automata as comments behind a grammar.
fn automata(grammar: &Grammar, dispatches: &[Dispatch]) -> String {
    let mut out = String::new();
    for dispatch in dispatches {
        let rule = grammar.rule(dispatch.rule()).name();
        let n_states = dispatch.states().len();
        let ends = if dispatch.ends() { "; the text may end" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n# dispatch in {rule}: {n_states} states{ends}");
        for state in dispatch.states() {
            let _ = write!(out, "#   {:?}", state.text);
            let event = event(grammar, dispatch, &state.event);
            if !event.is_empty() {
                let _ = write!(out, " {event}");
            }
            if !matches!(state.event, DispatchEvent::Fires(_) | DispatchEvent::Refused) {
                for (i, &(c, to)) in state.edges.iter().enumerate() {
                    let separator = if i == 0 { ":" } else { "," };
                    let _ = write!(out, "{separator} {c:?} -> {:?}", dispatch.states()[to].text);
                }
            }
            out.push('\n');
        }
    }
    out
}

/// What happens in a state, in words.
pub(crate) fn event(grammar: &Grammar, dispatch: &Dispatch, event: &DispatchEvent) -> String {
    let then = |arms: Vec<usize>| {
        let Expr::Until(until) = grammar.expr(dispatch.expr()) else { return String::new() };
        let triggers: Vec<&str> = until.arms().map(|arm| arm.0).collect();
        let mut names: Vec<&str> = arms.iter().map(|&arm| triggers[arm]).collect();
        names.dedup();
        names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
    };
    match event {
        DispatchEvent::Fires(arms) => format!("completes {}", then(arms.clone())),
        DispatchEvent::Refused => "is refused".to_owned(),
        DispatchEvent::Symbols(symbols) => {
            let symbols =
                symbols.iter().map(|(name, arm)| format!("token {name} begins {}", then(vec![*arm])));
            symbols.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}
