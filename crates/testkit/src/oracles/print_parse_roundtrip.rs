//! A printed grammar is read back as the same language, and prints the same from then on.

use crate::{Failure, Outcome, Reference, shown};
use formwork_grammar::{Expr, Grammar};

const PROPERTY: &str = "print_parse_roundtrip";

/// Prints, parses and prints again; asks both grammars about the texts.
///
/// Grammars with operators that the dialect cannot write (`And`, `Not`, `JsonText`, bytes that are no text) are passed over.
///
/// # Errors
/// What is printed is not read, reads as something else, or prints differently the next time.
pub fn print_parse_roundtrip(grammar: &Grammar, texts: &[Vec<u8>]) -> Outcome {
    if !can_be_written(grammar) {
        return Ok(());
    }
    let fail = |message: String| Err(Failure::new(PROPERTY, grammar, message));
    let parse = |grammar: &Grammar| {
        let root = grammar.rule(grammar.root()).name().to_owned();
        formwork_ebnf::Options::new().root(root).grammar(&grammar.to_string())
    };
    let once = match parse(grammar) {
        Ok(once) => once,
        Err(errors) => return fail(format!("what is printed is not read: {errors}")),
    };
    let twice = match parse(&once) {
        Ok(twice) => twice,
        Err(errors) => return fail(format!("what is printed the second time is not read: {errors}\n{once}")),
    };
    if once.to_string() != twice.to_string() {
        return fail(format!("it changes from print to print:\n{once}\n---- then ----\n{twice}"));
    }
    let (before, after) = (Reference::new(grammar), Reference::new(&once));
    for text in texts {
        for (len, (old, new)) in before.verdicts(text).into_iter().zip(after.verdicts(text)).enumerate() {
            if old != new {
                return fail(format!("{} was {old:?} and is {new:?}, read as\n{once}", shown(&text[..len])));
            }
        }
    }
    Ok(())
}

fn can_be_written(grammar: &Grammar) -> bool {
    (0..grammar.n_exprs()).filter_map(formwork_grammar::ExprId::from_index).all(|id| match grammar.expr(id) {
        Expr::And(_) | Expr::Not(_) | Expr::JsonText(_) | Expr::ByteClass(_) => false,
        Expr::Bytes(bytes) => std::str::from_utf8(bytes).is_ok(),
        _ => true,
    })
}
