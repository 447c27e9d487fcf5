//! Symbols: letters outside the bytes.

use std::fmt::{self, Write};

/// A letter outside the bytes, which the engine reads as a whole: a token of the model's vocabulary.
///
/// Frontends know no vocabulary. What a symbol is, and whether there is one of this name, is decided when the grammar is
/// compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Symbol {
    /// The one of this number.
    Id(u32),
    /// The one of this name.
    Name(Box<str>),
}

impl From<u32> for Symbol {
    fn from(id: u32) -> Self {
        Self::Id(id)
    }
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl fmt::Display for Symbol {
    /// A number, or a name in quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "{id}"),
            Self::Name(name) => crate::print::write_text(f, name),
        }
    }
}

/// Some symbols, or all but some.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SymbolSet {
    /// Ascending, each once.
    members: Box<[Symbol]>,
    is_negated: bool,
}

impl SymbolSet {
    /// These symbols.
    pub fn of(members: impl IntoIterator<Item = Symbol>) -> Self {
        let mut members: Vec<Symbol> = members.into_iter().collect();
        members.sort_unstable();
        members.dedup();
        Self { members: members.into(), is_negated: false }
    }

    /// All symbols but these.
    pub fn all_but(members: impl IntoIterator<Item = Symbol>) -> Self {
        Self { is_negated: true, ..Self::of(members) }
    }

    /// The symbols named, ascending: those in the set, or, if it [is negated](Self::is_negated), those that are not.
    pub fn members(&self) -> &[Symbol] {
        &self.members
    }

    /// Whether the set has all symbols but its [members](Self::members).
    pub fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// Whether no symbol is in it, whatever symbols there are.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && !self.is_negated
    }
}

impl fmt::Display for SymbolSet {
    /// As EBNF: `Token(5, "<|x|>")` or `ExcludeToken(…)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_negated { "ExcludeToken(" } else { "Token(" })?;
        for (i, member) in self.members.iter().enumerate() {
            let separator = if i > 0 { ", " } else { "" };
            write!(f, "{separator}{member}")?;
        }
        f.write_char(')')
    }
}
