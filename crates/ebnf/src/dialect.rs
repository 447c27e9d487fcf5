//! The dialects, and what they differ in.
//!
//! There is one tokenizer and one parser for EBNF and GBNF; wherever the two part, they ask the [`Table`]. Lark's is too far
//! from both, and has its own.

/// The dialect that a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// The dialect that [the crate](crate#the-dialect) describes.
    #[default]
    Ebnf,
    /// llama.cpp's, which the module [`gbnf`](crate::gbnf) describes.
    Gbnf,
    /// Lark's, which the module [`lark`](crate::lark) describes.
    Lark,
}

impl Dialect {
    /// What is particular about a dialect of rules with `::=`.
    pub(crate) fn table(self) -> Option<&'static Table> {
        match self {
            Self::Ebnf => Some(&EBNF),
            Self::Gbnf => Some(&GBNF),
            Self::Lark => None,
        }
    }

    /// What the rule that the whole output must match is called, unless the caller says otherwise.
    pub(crate) fn root(self) -> &'static str {
        match self {
            Self::Ebnf | Self::Gbnf => "root",
            Self::Lark => "start",
        }
    }
}

/// What the dialects differ in.
pub(crate) struct Table {
    pub(crate) starts_name: fn(char) -> bool,
    pub(crate) continues_name: fn(char) -> bool,
    /// What could be a name but is none.
    pub(crate) reserved: &'static [&'static str],
    /// `And(…)` and the like; without them, these are names and groups.
    pub(crate) has_calls: bool,
    /// `.` for any character.
    pub(crate) has_dot: bool,
    /// `<token>`, `<[id]>` and `!` before them.
    pub(crate) has_token_references: bool,
    /// Whether a `|` may have nothing before it, or only a `)` behind it.
    pub(crate) alternatives_may_be_empty: bool,
    /// Whether a rule ends with its line, but for parentheses and after `|`.
    pub(crate) rules_end_with_lines: bool,
    /// `{,n}`.
    pub(crate) least_may_be_missing: bool,
    /// `[]` for no character and `[^]` for any.
    pub(crate) classes_may_be_empty: bool,
    pub(crate) escapes: Escapes,
}

/// Which escapes there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// All that anybody writes; `\x` takes all digits that follow.
    Many,
    /// Those of llama.cpp, in strings and classes alike; `\x` takes two digits.
    Few,
}

pub(crate) static EBNF: Table = Table {
    starts_name: |c| c.is_alphabetic() || c == '_',
    continues_name: |c| c.is_alphanumeric() || "_-.".contains(c),
    reserved: &["true", "false"],
    has_calls: true,
    has_dot: false,
    has_token_references: false,
    alternatives_may_be_empty: false,
    rules_end_with_lines: false,
    least_may_be_missing: false,
    classes_may_be_empty: true,
    escapes: Escapes::Many,
};

static GBNF: Table = Table {
    starts_name: |c| c.is_ascii_alphanumeric() || "_-".contains(c),
    continues_name: |c| c.is_ascii_alphanumeric() || "_-".contains(c),
    reserved: &[],
    has_calls: false,
    has_dot: true,
    has_token_references: true,
    alternatives_may_be_empty: true,
    rules_end_with_lines: true,
    least_may_be_missing: true,
    classes_may_be_empty: false,
    escapes: Escapes::Few,
};
