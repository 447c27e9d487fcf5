//! What stands right behind a tag: certain to be read once the tag was, and known from the grammar's text alone.
//!
//! An output that writes `<call>` begins the arguments next, and their automaton would be built while somebody waits for
//! that one mask. Whoever compiles may build it before, as long as there are few tags: of many an output uses a few.

use crate::automata::{Automata, RuleId};
use formwork_grammar::Expr;

impl Automata {
    /// The rules called right behind the text of a tag, in the grammar's order; none if they are more than `most`. They are
    /// not built by this.
    ///
    /// Cost: a look at each expression.
    pub fn behind_tags(&self, most: usize) -> Vec<RuleId> {
        let grammar = self.grammar();
        let mut found = Vec::new();
        for expr in grammar.expr_ids() {
            let Expr::Seq(parts) = grammar.expr(expr) else { continue };
            found.extend(parts.windows(2).filter_map(|pair| {
                match (grammar.expr(pair[0]), grammar.expr(pair[1])) {
                    (Expr::Tag(_), &Expr::Rule(rule)) => Some(rule),
                    _ => None,
                }
            }));
            if found.len() > most {
                return Vec::new();
            }
        }
        let mut construction = self.construction();
        let called = found.into_iter().filter_map(|rule| construction.called_as(rule)).collect::<Vec<_>>();
        called.into_iter().map(|rule| RuleId::new(construction.unit_of(self, rule))).collect()
    }
}
