//! `formwork vocab`: what is in a tokenizer.

use crate::args::{VocabArgs, VocabCommand};
use crate::tokenizer;
use crate::{Failure, Status, written};
use std::io::Write;

pub(crate) fn run(args: &VocabArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let VocabCommand::Show { tokenizer } = &args.command;
    let vocabulary = tokenizer::vocabulary(&tokenizer.name, &tokenizer.stop)?;
    written(write!(out, "{}", vocabulary.report()))?;
    Ok(Status::Fine)
}
