//! Looking at dispatch: warnings about what can hardly be meant.

use formwork_fsm::{DispatchWarning, Symbols, TagPiece, dispatches};
use formwork_grammar::{Symbol, SymbolSet};

/// `<x>` and `<y>` are written as names of symbols, and only `<x>` is there.
#[derive(Debug)]
struct OnlyX;

impl Symbols for OnlyX {
    fn exists(&self, set: &SymbolSet) -> bool {
        set.is_negated() || set.members().contains(&Symbol::from("<x>"))
    }

    fn pieces<'t>(&self, tag: &'t str) -> Vec<TagPiece<'t>> {
        match tag {
            "<x>" | "<y>" => vec![TagPiece::Symbol(tag)],
            _ => vec![TagPiece::Text(tag)],
        }
    }
}

#[test]
fn a_symbol_that_is_not_there_is_said() {
    let text = "root ::= TagDispatch((\"<x>\", a), (\"<y>\", a), (\"<z>\", a))\na ::= \"1\"";
    let grammar = formwork_ebnf::grammar(text).unwrap_or_else(|errors| panic!("{errors}"));
    let warnings: Vec<DispatchWarning> =
        dispatches(&grammar, &OnlyX).iter().flat_map(|dispatch| dispatch.warnings().to_vec()).collect();
    assert_eq!(warnings, [DispatchWarning::Absent { trigger: "<y>".to_owned() }]);
    assert_eq!(warnings[0].to_string(), "the trigger \"<y>\" names a symbol that is not there");
}
