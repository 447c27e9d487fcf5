//! What whoever builds automata knows of symbols.
//!
//! A set of symbols gets an automaton of its own, called like a rule, whose start reads nothing and never accepts. What
//! runs the automata completes it when one of its symbols comes. So everything that handles calls handles symbols.

use formwork_grammar::SymbolSet;
use std::fmt::Debug;

/// What is known of symbols: which there are, and where their names stand in texts.
pub trait Symbols: Debug + Send + Sync {
    /// Whether some symbol of the set exists. A set of none matches nothing, like an empty language.
    fn exists(&self, set: &SymbolSet) -> bool;

    /// A tag, cut at the names of symbols that exist. Joined again, texts and names are the tag; no piece is empty.
    fn pieces<'t>(&self, tag: &'t str) -> Vec<TagPiece<'t>>;
}

/// A piece of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagPiece<'t> {
    /// Characters that mean themselves.
    Text(&'t str),
    /// The name of a symbol.
    Symbol(&'t str),
}

/// Every symbol exists, and no name of one stands in a tag: all that can be said without a vocabulary.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnySymbols;

impl Symbols for AnySymbols {
    fn exists(&self, _: &SymbolSet) -> bool {
        true
    }

    fn pieces<'t>(&self, tag: &'t str) -> Vec<TagPiece<'t>> {
        vec![TagPiece::Text(tag)]
    }
}
