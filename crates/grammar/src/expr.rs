//! The expressions that rule bodies are made of.

use crate::{ByteSet, CharClass, Conditions, ExprId, List, RuleId, SharedMachine, SymbolSet, Until};

/// One expression; operands are ids into the same grammar's arena.
///
/// Built only by [`GrammarBuilder`](crate::GrammarBuilder), whose constructors keep them in a normal form:
/// no sequence directly in a sequence, no alternation directly in an alternation, adjacent literals of a sequence
/// merged, [`Never`](Self::Never) and [`Empty`](Self::Empty) folded away where the language does not change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expr {
    /// The empty text.
    Empty,
    /// Nothing at all: the empty language.
    Never,
    /// These bytes. At least one; not necessarily UTF-8.
    Bytes(List<u8, 16>),
    /// One byte of a set. Not empty; not a text expression even if all members are ASCII.
    ByteClass(ByteSet),
    /// One character of a class, as UTF-8. Not empty.
    Class(CharClass),
    /// One after the other. At least two operands.
    Seq(List<ExprId, 4>),
    /// One of these. At least two operands, in the order written, no two the same.
    Alt(List<ExprId, 4>),
    /// `body` from `min` to `max` times (`None`: without end). `max` is at least 1, and not (1, 1).
    Repeat {
        /// What is repeated.
        body: ExprId,
        /// The least number of times.
        min: u32,
        /// The greatest number of times; `None` means without end.
        max: Option<u32>,
    },
    /// What another rule (or the same) stands for.
    Rule(RuleId),
    /// Texts that are in all of these languages. At least two operands, all [text](Properties::is_text).
    And(List<ExprId, 4>),
    /// Texts (sequences of Unicode scalar values) that are not in this language. The operand is [text](Properties::is_text).
    Not(ExprId),
    /// Every JSON spelling (RFC 8259, section 7) of a text of this language, without the quotes:
    /// characters raw or as `\uXXXX` (either case; pairs of surrogates above U+FFFF), `"`, `\` and controls always escaped,
    /// the short escapes where JSON has them. The operand is [text](Properties::is_text).
    JsonText(ExprId),
    /// One symbol of a set. Not empty.
    Symbols(SymbolSet),
    /// A text in which the names of symbols mean those symbols, where there are such; not empty. What names are in it shows
    /// when the grammar is compiled.
    Tag(Box<str>),
    /// Text up to a trigger, or to the end.
    Until(Box<Until>),
    /// A set of members in any order: the texts of the first operand in which every [`Member`](Self::Member) stands at
    /// most once, and the conditions hold.
    ///
    /// A permutation phrase (Baars, Löh and Swierstra, *Parsing permutation phrases*, 2004) whose order, separators and
    /// other parts the body says.
    Set {
        /// The body, and the members below it that the conditions speak of; several of them may have one number.
        parts: List<ExprId, 4>,
        /// What is asked of the members that came.
        conditions: Box<Conditions>,
    },
    /// A member of the set around it. Stands below a [`Set`](Self::Set) of the same rule, under nothing but sequences,
    /// alternations and repetitions.
    Member {
        /// What tells members apart: all with one number are the same member.
        number: u32,
        /// The texts; the empty one must not be among them.
        body: ExprId,
    },
    /// The texts of a machine, which has some.
    Machine(SharedMachine),
}

impl Expr {
    /// The direct operands, in the order written.
    pub fn operands(&self) -> &[ExprId] {
        match self {
            Self::Seq(parts) | Self::Alt(parts) | Self::And(parts) | Self::Set { parts, .. } => parts,
            Self::Repeat { body, .. }
            | Self::Not(body)
            | Self::JsonText(body)
            | Self::Member { body, .. } => std::slice::from_ref(body),
            Self::Until(until) => until.continuations(),
            Self::Empty
            | Self::Never
            | Self::Bytes(_)
            | Self::ByteClass(_)
            | Self::Class(_)
            | Self::Rule(_)
            | Self::Symbols(_)
            | Self::Tag(_)
            | Self::Machine(_) => &[],
        }
    }
}

/// What is known of an expression from its shape alone, computed when it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Properties {
    /// Whether it is a regular language over characters: no rules, no byte classes, no symbols, literals that are
    /// UTF-8.
    /// Such expressions can be operands of `And`, `Not` and `JsonText`.
    pub is_text: bool,
    /// Whether some rule is referred to below.
    pub has_rules: bool,
    /// Whether there are members below whose set is not.
    pub has_members: bool,
    /// The number of nodes of the expression written out as a tree, saturating: what expanding all sharing would cost.
    pub tree_size: u32,
}
