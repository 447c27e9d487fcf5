//! Prints a grammar as EBNF, in the dialect that `formwork-ebnf` reads.

use crate::Grammar;
use std::fmt;

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rule in self.rules() {
            writeln!(f, "{} ::= {:?}", rule.name(), self.expr(rule.body()))?;
        }
        Ok(())
    }
}
