//! What a set asks of its members.

use std::fmt;

/// What a [set](crate::Expr::Set) asks of its members beyond that each comes at most once: which must come, which exclude each
/// other, which may come again, and a condition on all that came.
///
/// The condition is made of [clauses](Clause) that refer to earlier ones, the last of which must hold; so parts that
/// are needed several times stand there once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conditions {
    /// Ascending, each once; so are all lists of members here.
    pub(crate) required: Box<[u32]>,
    pub(crate) exclusive: Box<[Box<[u32]>]>,
    pub(crate) repeatable: Box<[u32]>,
    pub(crate) clauses: Box<[Clause]>,
    pub(crate) is_distinct: bool,
}

/// A part of a set's [condition](Conditions). Empty lists: all of nothing holds, one of nothing does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "who decides a condition must know all of it")]
pub enum Clause {
    /// All of these earlier clauses hold.
    All(Box<[u32]>),
    /// One of these earlier clauses holds.
    Any(Box<[u32]>),
    /// One of these members came.
    Some(Box<[u32]>),
    /// None of these members came.
    None(Box<[u32]>),
    /// At least so many members came, those that may come again counted each time.
    AtLeast(u32),
    /// At most so many members came, those that may come again counted each time.
    AtMost(u32),
}

impl Conditions {
    /// These members must come.
    pub fn requires(required: impl IntoIterator<Item = u32>) -> Self {
        Self { required: sorted(required), ..Self::default() }
    }

    /// The set has no members, but [rules whose texts are distinct](crate::GrammarBuilder::set_distinct) stand in it: no text
    /// of them comes twice. They are its members, one for each text.
    pub fn distinct() -> Self {
        Self { is_distinct: true, ..Self::default() }
    }

    /// Of each of these groups at most one member comes. No member is in two of them.
    #[must_use]
    pub fn excludes(mut self, groups: impl IntoIterator<Item = Vec<u32>>) -> Self {
        self.exclusive = groups.into_iter().map(sorted).filter(|group| group.len() > 1).collect();
        self
    }

    /// These members may come again and again. None of them excludes another.
    #[must_use]
    pub fn repeats(mut self, members: impl IntoIterator<Item = u32>) -> Self {
        self.repeatable = sorted(members);
        self
    }

    /// The last of these clauses holds when the set ends.
    #[must_use]
    pub fn asks(mut self, clauses: impl IntoIterator<Item = Clause>) -> Self {
        let clauses = clauses.into_iter().map(|clause| match clause {
            Clause::Some(members) => Clause::Some(sorted(members)),
            Clause::None(members) => Clause::None(sorted(members)),
            other => other,
        });
        self.clauses = clauses.collect();
        self
    }

    /// The members that must come, ascending.
    pub fn required(&self) -> &[u32] {
        &self.required
    }

    /// Groups of which at most one member comes.
    pub fn exclusive(&self) -> &[Box<[u32]>] {
        &self.exclusive
    }

    /// The members that may come again, ascending.
    pub fn repeatable(&self) -> &[u32] {
        &self.repeatable
    }

    /// The clauses, operands before those that refer to them; the last must hold.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// Whether it is texts that come at most once.
    pub fn is_distinct(&self) -> bool {
        self.is_distinct
    }

    /// Whether nothing is asked of members but that some come.
    pub fn is_plain(&self) -> bool {
        self.exclusive.is_empty() && self.repeatable.is_empty() && self.clauses.is_empty()
    }

    /// What is wrong with them, if anything is.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let is_later = |(i, clause): (usize, &Clause)| match clause {
            Clause::All(operands) | Clause::Any(operands) => operands.iter().any(|&at| at as usize >= i),
            _ => false,
        };
        if self.clauses.iter().enumerate().any(is_later) {
            return Some("a clause of a set refers to a later one");
        }
        let mut grouped: Vec<u32> =
            self.exclusive.iter().flatten().chain(&self.repeatable).copied().collect();
        let n = grouped.len();
        grouped.sort_unstable();
        grouped.dedup();
        (grouped.len() < n).then_some("a member of a set is in two groups, or in one and may come again")
    }

    /// Heap memory in bytes.
    pub(crate) fn n_bytes(&self) -> usize {
        let of_clause = |clause: &Clause| match clause {
            Clause::All(list) | Clause::Any(list) | Clause::Some(list) | Clause::None(list) => {
                size_of_val(&list[..])
            }
            Clause::AtLeast(_) | Clause::AtMost(_) => 0,
        };
        size_of_val(&self.required[..])
            + size_of_val(&self.repeatable[..])
            + self.exclusive.iter().map(|group| 16 + size_of_val(&group[..])).sum::<usize>()
            + self.clauses.iter().map(|clause| size_of::<Clause>() + of_clause(clause)).sum::<usize>()
    }
}

fn sorted(members: impl IntoIterator<Item = u32>) -> Box<[u32]> {
    let mut members: Vec<u32> = members.into_iter().collect();
    members.sort_unstable();
    members.dedup();
    members.into()
}

/// As it stands behind the body of a set; nothing if nothing is asked.
impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, name: &str, mark: &str, list: &[u32]| {
            write!(f, "{name}(")?;
            for (i, number) in list.iter().enumerate() {
                write!(f, "{}{mark}{number}", if i == 0 { "" } else { ", " })?;
            }
            f.write_str(")")
        };
        if self.is_distinct {
            f.write_str(", distinct")?;
        }
        if !self.required.is_empty() {
            list(f, ", requires=", "", &self.required)?;
        }
        for group in &self.exclusive {
            list(f, ", excludes=", "", group)?;
        }
        if !self.repeatable.is_empty() {
            list(f, ", repeats=", "", &self.repeatable)?;
        }
        for (i, clause) in self.clauses.iter().enumerate() {
            write!(f, ", c{i}=")?;
            match clause {
                Clause::All(operands) => list(f, "all", "c", operands)?,
                Clause::Any(operands) => list(f, "any", "c", operands)?,
                Clause::Some(members) => list(f, "some", "", members)?,
                Clause::None(members) => list(f, "none", "", members)?,
                Clause::AtLeast(n) => write!(f, "at_least({n})")?,
                Clause::AtMost(n) => write!(f, "at_most({n})")?,
            }
        }
        Ok(())
    }
}
