//! `formwork convert`: a grammar in another notation.

use crate::args::{ConvertArgs, Notation};
use crate::{Failure, Status, written};
use formwork::ebnf;
use std::io::Write;

pub(crate) fn run(args: &ConvertArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let source = args.grammar.source("")?;
    let grammar = source.load().map_err(|problem| args.grammar.locate(problem))?.grammar;
    let converted = match args.to {
        Notation::Ebnf => Ok(grammar.to_string()),
        Notation::Gbnf => ebnf::to_gbnf(&grammar),
        Notation::Regex => ebnf::to_regex(&grammar).map(|regex| regex + "\n"),
    };
    let text = converted.map_err(|error| args.grammar.locate(error.into()))?;
    written(out.write_all(text.as_bytes()))?;
    Ok(Status::Fine)
}
