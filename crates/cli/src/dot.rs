//! Drawings in Graphviz's language, and its program `dot`, which makes pictures of them.

use crate::problem::Problem;
use formwork::Grammar;
use formwork::fsm::{Automata, ByteEdge, Counter, Dispatch, DispatchEvent, StateId};
use formwork::grammar::{Expr, RuleId};
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Which rule refers to which. The root has a thick frame; what it does not need is dashed.
pub(crate) fn rules(grammar: &Grammar) -> String {
    let edges: Vec<Vec<RuleId>> = grammar.rule_ids().map(|rule| references(grammar, rule)).collect();
    let mut is_needed = vec![false; edges.len()];
    let mut open = vec![grammar.root()];
    while let Some(rule) = open.pop() {
        if !std::mem::replace(&mut is_needed[rule.index()], true) {
            open.extend_from_slice(&edges[rule.index()]);
        }
    }
    let mut out = String::from("digraph grammar {\n  node [shape=box, fontname=\"monospace\"];\n");
    for rule in grammar.rule_ids() {
        let style = match (rule == grammar.root(), is_needed[rule.index()]) {
            (true, _) => ", penwidth=2",
            (false, true) => "",
            (false, false) => ", style=dashed",
        };
        line(&mut out, format_args!("  {rule:?} [label={}{style}];", label(grammar.rule(rule).name())));
    }
    for (rule, targets) in grammar.rule_ids().zip(&edges) {
        for target in targets {
            line(&mut out, format_args!("  {rule:?} -> {target:?};"));
        }
    }
    out + "}\n"
}

/// The rules that a rule refers to, ascending.
fn references(grammar: &Grammar, rule: RuleId) -> Vec<RuleId> {
    let mut found = Vec::new();
    // Expressions are shared: each is looked at once.
    let mut is_seen = vec![false; grammar.n_exprs()];
    let mut open = vec![grammar.rule(rule).body()];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut is_seen[id.index()], true) {
            continue;
        }
        if let Expr::Rule(target) = grammar.expr(id) {
            found.push(*target);
        }
        open.extend_from_slice(grammar.expr(id).operands());
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The automata, a box for each rule. Dashed edges read a rule; `+` counts a repetition.
pub(crate) fn automata(automata: &Automata) -> String {
    let mut out = String::from(
        "digraph fsm {\n  rankdir=LR;\n  node [shape=circle, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
    );
    // A rule that exceeds a limit shows as one state without edges.
    let _ = automata.complete(&|| false);
    for rule in automata.rules() {
        let mut title = format!("{rule:?} {}", automata.name(rule));
        match automata.counter(rule) {
            None => {}
            Some(Counter::Ticks { min, max }) => {
                let max = max.map_or_else(String::new, |max| format!("={max}"));
                let _ = write!(title, " counts {min}..{max}");
            }
            Some(Counter::Members) => title.push_str(" is a set"),
            Some(Counter::Text) => title.push_str(" is a distinct text"),
            Some(Counter::Distinct) => title.push_str(" is a list of distinct texts"),
            Some(Counter::Steps { max }) => {
                let _ = write!(title, " ends within {max} steps");
            }
        }
        if rule == automata.root() && automata.root_may_be_empty() {
            title.push_str(" or empty");
        }
        line(&mut out, format_args!("  subgraph cluster_{rule:?} {{"));
        line(&mut out, format_args!("    label={};", label(&title)));
        line(&mut out, format_args!("    {rule:?} [shape=point];"));
        line(&mut out, format_args!("    {rule:?} -> {:?};", automata.start(rule)));
        for state in automata.states_of(rule) {
            let shape = if automata.is_accepting(state) { " [shape=doublecircle]" } else { "" };
            line(&mut out, format_args!("    {state:?}{shape};"));
        }
        for state in automata.states_of(rule) {
            edges(&mut out, automata, state);
        }
        out.push_str("  }\n");
    }
    out + "}\n"
}

/// One edge for all bytes that lead to the same state, in the order of the bytes.
fn edges(out: &mut String, automata: &Automata, state: StateId) {
    let (plain, ticking) = automata.byte_edges(state);
    for (edges, mark) in [(plain, ""), (ticking, " +")] {
        let mut targets: Vec<(StateId, String)> = Vec::new();
        for edge in edges {
            let to = state.sibling(edge.target);
            match targets.iter_mut().find(|(target, _)| *target == to) {
                Some((_, bytes)) => {
                    bytes.push_str(", ");
                    bytes.push_str(&range(edge));
                }
                None => targets.push((to, range(edge))),
            }
        }
        for (target, bytes) in targets {
            let label = label(&format!("{bytes}{mark}"));
            line(out, format_args!("    {state:?} -> {target:?} [label={label}];"));
        }
    }
    for edge in automata.rule_edges(state) {
        let mark = if edge.tick != 0 { " +" } else { "" };
        let label = label(&format!("{{{:?} {}}}{mark}", edge.rule, automata.name(edge.rule)));
        line(out, format_args!("    {state:?} -> {:?} [label={label}, style=dashed];", edge.target));
    }
}

/// The automata that find triggers, a box for each. Edges that go back to a shorter text are dashed, those to the first
/// state are left out; where a trigger is complete, what follows it is written.
pub(crate) fn dispatches(grammar: &Grammar, dispatches: &[Dispatch]) -> String {
    let mut out = String::from(
        "digraph tags {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
    );
    for (number, dispatch) in dispatches.iter().enumerate() {
        let rule = grammar.rule(dispatch.rule()).name();
        let ends = if dispatch.ends() { ", may end" } else { "" };
        line(&mut out, format_args!("  subgraph cluster_{number} {{"));
        line(&mut out, format_args!("    label={};", label(&format!("{rule}{ends}"))));
        for (i, state) in dispatch.states().iter().enumerate() {
            let event = crate::tags::event(grammar, dispatch, &state.event);
            let more = match &state.event {
                DispatchEvent::Refused => ", style=dashed",
                DispatchEvent::None => "",
                _ => ", penwidth=2",
            };
            let text =
                if event.is_empty() { shown(&state.text) } else { format!("{} {event}", shown(&state.text)) };
            line(&mut out, format_args!("    d{number}_{i} [label={}{more}];", label(&text)));
        }
        let depth = |state: usize| dispatch.states()[state].text.len();
        for (i, state) in dispatch.states().iter().enumerate() {
            // Nothing is read where something is complete.
            if matches!(state.event, DispatchEvent::Fires(_) | DispatchEvent::Refused) {
                continue;
            }
            for &(c, to) in &state.edges {
                let back = if depth(to) > depth(i) { "" } else { ", style=dashed" };
                let label = label(&shown(&c.to_string()));
                line(&mut out, format_args!("    d{number}_{i} -> d{number}_{to} [label={label}{back}];"));
            }
        }
        out.push_str("  }\n");
    }
    out + "}\n"
}

/// A text in quotes, on one line.
fn shown(text: &str) -> String {
    format!("{text:?}")
}

/// A range as the text dump has it.
fn range(edge: &ByteEdge) -> String {
    let one = |byte: u8| match byte {
        b'!'..=b'~' if byte != b'-' && byte != b',' => char::from(byte).to_string(),
        _ => format!("{byte:02x}"),
    };
    if edge.low == edge.high { one(edge.low) } else { format!("{}-{}", one(edge.low), one(edge.high)) }
}

/// A quoted string.
fn label(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Names of properties may be anything.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}

/// Draws with Graphviz's `dot`.
pub(crate) fn draw(drawing: &str, path: &Path) -> Result<(), Problem> {
    let started = Command::new("dot")
        .arg("-Tsvg")
        .arg("-o")
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Problem::usage(
            "--svg needs `dot`, the program of Graphviz (graphviz.org), which is not installed; \
             --graphviz prints what it would read",
        ),
        _ => Problem::usage(format!("--svg: cannot run `dot`: {error}")),
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // If it stops reading, its status says so.
        let _ = stdin.write_all(drawing.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| Problem::file(path, error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Problem::file(path, format!("`dot` failed ({}): {}", output.status, said.trim())))
}
