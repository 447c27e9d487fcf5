//! Rules that many grammars refer to without having them.
//!
//! Each of a thousand schemas has the rules for any value, strings and numbers. Made for each, coloured, compared and thrown
//! away they were a fifth of what the frontend of a set of tools did. So a frontend can make them once, as a library, and
//! of each schema a [`Part`] that borrows from it: only in a grammar that parts are put into there are its rules, once.
//!
//! A part is no grammar: what it borrows has no body there. So nothing else can be built of what borrowed.

use crate::{Grammar, GrammarBuilder, GrammarError, Part, RuleId};
use std::sync::Arc;

/// A grammar whose rules others [borrow](GrammarBuilder::borrow) by name. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Library {
    part: Arc<Part>,
}

impl Library {
    /// The rules that the grammar's root reaches, for others to borrow.
    ///
    /// Cost: linear in the grammar.
    pub fn new(grammar: Grammar) -> Self {
        Self { part: Arc::new(Part::new(grammar)) }
    }

    pub(crate) fn part(&self) -> &Part {
        &self.part
    }

    /// Whether it is the same one, not an equal one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.part, &other.part)
    }

    fn find(&self, name: &str) -> Option<RuleId> {
        let grammar = self.part.grammar();
        grammar.rule_ids().find(|&rule| rule != grammar.root() && grammar.rule(rule).name() == name)
    }
}

impl GrammarBuilder {
    /// A rule that stands for the library's rule of this name, if it has one. A builder borrows from one library, and only a
    /// [part](Self::build_part) can be built of it then.
    ///
    /// Cost: a comparison for each rule of the library.
    pub fn borrow(&mut self, library: &Library, name: &str) -> Option<RuleId> {
        if self.borrowed.library.as_ref().is_some_and(|known| !known.is(library)) {
            return None;
        }
        let theirs = library.find(name)?;
        let rule = self.declare(name, library.part().grammar().rule(theirs).place().clone());
        self.borrowed.library.get_or_insert_with(|| library.clone());
        self.borrowed.rules.push((rule, theirs));
        Some(rule)
    }

    /// What [`build`](Self::build) makes, as a part of other grammars, in which alone what it borrowed has a meaning.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_part(mut self, root: RuleId) -> Result<Part, GrammarError> {
        let borrowed = std::mem::take(&mut self.borrowed);
        let nothing = self.never();
        borrowed.rules.iter().for_each(|&(rule, _)| self.define(rule, nothing));
        Ok(Part::borrowing(self.build(root)?, borrowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GrammarErrorKind, Place};

    /// `value ::= "[" value "]" | text`, which calls itself and another rule.
    fn library() -> Library {
        let mut b = GrammarBuilder::new();
        let [root, value, text] = ["root", "value", "text"].map(|name| b.declare(name, Place::none()));
        let [open, close, letters] = ["[", "]", "abc"].map(|literal| b.literal(literal));
        let [inner, leaf] = [value, text].map(|rule| b.rule(rule));
        let list = b.seq([open, inner, close]);
        let body = b.alt([list, leaf]);
        b.define(root, inner);
        b.define(value, body);
        b.define(text, letters);
        Library::new(b.build(root).expect("a grammar"))
    }

    /// `root ::= name value`, the value borrowed.
    fn part(library: &Library, name: &str) -> Part {
        let mut b = GrammarBuilder::new();
        let root = b.declare("root", Place::none());
        let value = b.borrow(library, "value").expect("it has one");
        let (name, value) = (b.literal(name), b.rule(value));
        let body = b.seq([name, value]);
        b.define(root, body);
        b.build_part(root).expect("a part")
    }

    #[test]
    fn what_is_borrowed_is_there_once() {
        let library = library();
        let mut b = GrammarBuilder::new();
        let root = b.declare("root", Place::none());
        let parts = ["a", "b", "a"].map(|name| part(&library, name));
        let mut rules: Vec<RuleId> = parts.iter().map(|part| b.import_part(part, Place::clone)).collect();
        assert_eq!(rules[0], rules[2]);
        // Also for a grammar that has the rules itself.
        rules.push(b.import(library.part().grammar(), Place::clone));
        let ways: Vec<_> = rules.into_iter().map(|rule| b.rule(rule)).collect();
        let body = b.alt(ways);
        b.define(root, body);
        let printed = b.build(root).expect("a grammar").to_string();
        let rules: Vec<&str> = printed.lines().filter(|line| line.contains("::=")).collect();
        let expected = [
            "root ::= root_2 | root_3 | root_4",
            "value ::= \"[\" value \"]\" | text",
            "text ::= \"abc\"",
            "root_2 ::= \"a\" value",
            "root_3 ::= \"b\" value",
            "root_4 ::= value",
        ];
        assert_eq!(rules, expected);
    }

    #[test]
    fn what_borrows_is_no_grammar() {
        let (first, second) = (library(), library());
        let mut b = GrammarBuilder::new();
        let root = b.borrow(&first, "value").expect("it has one");
        assert!(b.borrow(&first, "root").is_none(), "the root is not among what is borrowed");
        assert!(b.borrow(&first, "other").is_none());
        assert!(b.borrow(&second, "text").is_none(), "from one library only");
        let error = b.build(root).expect_err("it has no body");
        assert_eq!(error.kind(), GrammarErrorKind::Undefined);
    }
}
