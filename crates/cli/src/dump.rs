//! `formwork dump`: what a grammar becomes on its way to masks.

use crate::args::{DumpArgs, What};
use crate::blame::Blame;
use crate::colour::Palette;
use crate::deadline::Deadline;
use crate::explain::Rejection;
use crate::problem::Problem;
use crate::tokenizer::{self, quoted};
use crate::verdict::{Followed, follow};
use crate::{Failure, Status, dot, written};
use formwork::earley::{LimitExceeded, Rows};
use formwork::fsm::StateId;
use formwork::mask::{MaskKind, Slices, Switches, Walker};
use formwork::{CompiledGrammar, Compiler, Grammar, Vocabulary};
use std::io::Write;
use std::sync::Arc;

pub(crate) fn run(args: &DumpArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    check_options(args)?;
    let source = args.grammar.source("")?;
    let grammar = source.load().map_err(|problem| args.grammar.locate(problem))?.grammar;
    if args.what == What::Grammar {
        return print_or_draw(args, out, || grammar.to_string(), || dot::rules(&grammar));
    }
    let name = args.tokenizer.as_deref().unwrap_or("o200k_base");
    let vocabulary = match args.what {
        What::Mask => tokenizer::vocabulary(name, &[])?,
        // What is below masks speaks bytes.
        _ => Vocabulary::bytes(),
    };
    let deadline = Deadline::after(args.timeout);
    let compiled = Compiler::builder(vocabulary)
        .precompute(0)
        .build()
        .compile_with(&grammar, &|| deadline.is_over())
        .map_err(|error| args.grammar.locate(error.into()))?;
    let automata = compiled.automata();
    if args.what == What::Fsm {
        return print_or_draw(args, out, || automata.to_string(), || dot::automata(automata));
    }
    let text = args.text.as_deref().unwrap_or_default().as_bytes();
    if let Some(rejection) = rejection(args, &grammar, &compiled, text)? {
        let palette = Palette::of_stderr();
        written(writeln!(std::io::stderr(), "--text: {}", rejection.render(palette)))?;
        return Ok(Status::Rejected);
    }
    if args.what == What::Rows {
        rows(out, &compiled, text)?
    } else {
        masks(args, out, &compiled, text)?
    }
    Ok(Status::Fine)
}

/// Says which option means nothing here.
fn check_options(args: &DumpArgs) -> Result<(), Problem> {
    let is_drawn = matches!(args.what, What::Grammar | What::Fsm);
    let wrong = [
        (args.graphviz && !is_drawn, "--graphviz", "`grammar` and `fsm`"),
        (args.svg.is_some() && !is_drawn, "--svg", "`grammar` and `fsm`"),
        (args.text.is_some() && is_drawn, "--text", "`rows` and `mask`"),
        (args.tokenizer.is_some() && args.what != What::Mask, "--tokenizer", "`mask`"),
    ];
    match wrong.iter().find(|(is_wrong, ..)| *is_wrong) {
        Some((_, option, of)) => {
            let what = args.what.name();
            Err(Problem::usage(format!("{option} is an option of {of}; it means nothing to `{what}`")))
        }
        None => Ok(()),
    }
}

fn print_or_draw(
    args: &DumpArgs,
    out: &mut dyn Write,
    text: impl FnOnce() -> String,
    drawing: impl FnOnce() -> String,
) -> Result<Status, Failure> {
    if let Some(path) = &args.svg {
        dot::draw(&drawing(), path)?;
    } else {
        let text = if args.graphviz { drawing() } else { text() };
        written(out.write_all(text.as_bytes()))?;
    }
    Ok(Status::Fine)
}

/// Why the text is no beginning of a document, if it is none.
fn rejection(
    args: &DumpArgs,
    grammar: &Grammar,
    compiled: &CompiledGrammar,
    text: &[u8],
) -> Result<Option<Rejection>, Problem> {
    match follow(compiled, text, Deadline::after(args.timeout)) {
        Followed::Whole(_) => Ok(None),
        Followed::Limit(message) => Err(Problem::limit(message).about("--text")),
        Followed::Refused { offset, mut matcher } => {
            let head = text.get(..offset).unwrap_or_default();
            let blame = Blame::new(grammar, compiled, head, Deadline::after(args.timeout));
            Ok(Some(Rejection::new(text, offset, &mut matcher, blame)))
        }
    }
}

fn too_ambiguous(limit: LimitExceeded) -> Problem {
    Problem::limit(limit.to_string()).about("--text")
}

/// The rows of a text that is allowed, each written out once.
fn rows(out: &mut dyn Write, compiled: &CompiledGrammar, text: &[u8]) -> Result<(), Failure> {
    let mut rows = Rows::new(Arc::clone(compiled.automata()), compiled.config().rows.clone());
    let mut row = rows.start().map_err(too_ambiguous)?;
    written(write!(out, "{}", rows.dump(row)))?;
    for &byte in text {
        let n_rows = rows.n_rows();
        // The text was followed to its end before.
        let Some(next) = rows.advance(row, byte).map_err(too_ambiguous)? else { break };
        row = next;
        written(writeln!(out, "{}", quoted(&[byte])))?;
        if row.index() < n_rows {
            written(writeln!(out, "{row:?} again"))?;
        } else {
            written(write!(out, "{}", rows.dump(row)))?;
        }
    }
    Ok(())
}

/// The local masks of all states, or of those that are reached after a text.
fn masks(
    args: &DumpArgs,
    out: &mut dyn Write,
    compiled: &CompiledGrammar,
    text: &[u8],
) -> Result<(), Failure> {
    let automata = compiled.automata();
    let config = compiled.config();
    let mut rows = Rows::new(Arc::clone(automata), config.rows.clone());
    let mut states: Vec<StateId> = if args.text.is_some() {
        let mut row = rows.start().map_err(too_ambiguous)?;
        for &byte in text {
            let Some(next) = rows.advance(row, byte).map_err(too_ambiguous)? else { break };
            row = next;
        }
        rows.scannable(row).iter().map(|item| item.state).collect()
    } else {
        automata.complete(&|| false).map_err(|error| Problem::limit(error.to_string()))?;
        automata.rules().flat_map(|rule| automata.states_of(rule)).collect()
    };
    states.retain(|&state| automata.is_scannable(state));
    states.sort_unstable();
    states.dedup();
    let slices = Arc::new(Slices::new(compiled.vocabulary().clone()));
    let switches = Switches { slices: config.slices, suffixes: config.suffixes };
    let mut walker = Walker::new(slices, switches, rows);
    let deadline = Deadline::after(args.timeout);
    written(writeln!(
        out,
        "{:<8}{:>9}{:>9}{:>8}{:>9}  rule",
        "state", "accepted", "suffixes", "places", "bytes"
    ))?;
    let mut n_bytes = 0;
    for &state in &states {
        if deadline.is_over() {
            return Err(Problem::limit("the masks take too long; --timeout gives them more time").into());
        }
        let rule = automata.name(automata.rule_of(state));
        // Other states are none the worse for one that is too ambiguous.
        // Without a base: how many tokens it accepts in all, not how it differs from another state's.
        match walker.local_mask(state, None, MaskKind::Counted) {
            Ok(local) => {
                let (n_suffixes, n_places) = local.n_boundaries();
                n_bytes += local.memory_size();
                let (accepted, bytes) = (local.n_accepted(), local.memory_size());
                let name = format!("{state:?}");
                written(writeln!(
                    out,
                    "{name:<8}{accepted:>9}{n_suffixes:>9}{n_places:>8}{bytes:>9}  {rule}"
                ))?;
            }
            Err(limit) => written(writeln!(out, "{:<8}{limit}  {rule}", format!("{state:?}")))?,
        }
    }
    let n_states = automata.n_states();
    written(writeln!(out, "{} masks for {n_states} states, {n_bytes} bytes", states.len()))?;
    Ok(())
}
