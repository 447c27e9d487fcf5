//! A finished grammar.

use crate::{ByteSet, Expr, ExprId, Place, Properties, RuleId};
use std::num::NonZeroU32;
use std::sync::Arc;

/// A finished grammar: rules, an arena of expressions, and the rule that the whole output must match.
///
/// Immutable, cheap to clone, `Send + Sync`. [`Display`](std::fmt::Display) prints it as EBNF.
/// Grammars are equal if all of this is, names, places and the order of expressions included, not if their languages are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grammar {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inner {
    pub(crate) rules: Vec<Rule>,
    pub(crate) exprs: Vec<Expr>,
    /// One entry per expression.
    pub(crate) properties: Vec<Properties>,
    pub(crate) root: RuleId,
    pub(crate) runs: Vec<BoundedRun>,
}

/// A rule of a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub(crate) name: String,
    pub(crate) body: ExprId,
    pub(crate) place: Place,
    pub(crate) sharing: Sharing,
    pub(crate) region: Region,
}

/// What is asked of the part of the output that a rule matches, each time that it does, beside its language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Region {
    pub(crate) budget: Option<NonZeroU32>,
    pub(crate) capture: Option<Box<str>>,
    pub(crate) is_distinct: bool,
}

/// A promise about runs of some bytes in the output; see [`GrammarBuilder::bound_run`](crate::GrammarBuilder::bound_run).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundedRun {
    pub(crate) bytes: ByteSet,
    pub(crate) max: u32,
    pub(crate) repetitions: Vec<ExprId>,
}

impl BoundedRun {
    /// The bytes that runs consist of.
    pub fn bytes(&self) -> &ByteSet {
        &self.bytes
    }

    /// The longest run outside of JSON strings.
    pub fn max(&self) -> u32 {
        self.max
    }

    /// The repetitions whose upper bounds are there for the runs alone; ascending.
    pub fn repetitions(&self) -> &[ExprId] {
        &self.repetitions
    }
}

/// What a frontend knows of how a rule is best compiled. It never changes the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sharing {
    /// The engine decides.
    #[default]
    Auto,
    /// Keep it as an automaton of its own, since other grammars have the same (a JSON string, a number, any value).
    Keep,
}

impl Rule {
    /// The name, unique within the grammar.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the rule stands for.
    pub fn body(&self) -> ExprId {
        self.body
    }

    /// Where in the user's text it came from.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// How it is best compiled.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// The greatest number of steps of the output (tokens, where there are tokens) that what the rule matches may have a
    /// part of; see [`GrammarBuilder::set_budget`](crate::GrammarBuilder::set_budget).
    pub fn budget(&self) -> Option<NonZeroU32> {
        self.region.budget
    }

    /// The name under which what the rule matches is captured, if it is.
    pub fn capture(&self) -> Option<&str> {
        self.region.capture.as_deref()
    }

    /// Whether its texts differ from each other in a [set of distinct texts](crate::Conditions::distinct).
    pub fn is_distinct(&self) -> bool {
        self.region.is_distinct
    }
}

impl Grammar {
    /// The rule that the whole output must match.
    pub fn root(&self) -> RuleId {
        self.inner.root
    }

    /// All rules in the order they were declared; [`RuleId::index`] is the position.
    pub fn rules(&self) -> &[Rule] {
        &self.inner.rules
    }

    /// One rule.
    ///
    /// # Panics
    /// If the id is of a larger grammar.
    pub fn rule(&self, rule: RuleId) -> &Rule {
        &self.inner.rules[rule.index()]
    }

    /// All rule ids, ascending.
    pub fn rule_ids(&self) -> impl Iterator<Item = RuleId> + '_ {
        (0..self.inner.rules.len()).filter_map(RuleId::from_index)
    }

    /// All expression ids, ascending.
    pub fn expr_ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + '_ {
        (0..self.inner.exprs.len()).filter_map(ExprId::from_index)
    }

    /// One expression.
    ///
    /// # Panics
    /// If the id is of a larger grammar.
    pub fn expr(&self, expr: ExprId) -> &Expr {
        &self.inner.exprs[expr.index()]
    }

    /// What is known of an expression from its shape.
    ///
    /// # Panics
    /// If the id is of a larger grammar.
    pub fn properties(&self, expr: ExprId) -> Properties {
        self.inner.properties[expr.index()]
    }

    /// What [`GrammarBuilder::bound_run`](crate::GrammarBuilder::bound_run) promised.
    pub fn bounded_runs(&self) -> &[BoundedRun] {
        &self.inner.runs
    }

    /// The number of expressions; ids are below it, and operands have lower ids than what they are operands of.
    pub fn n_exprs(&self) -> usize {
        self.inner.exprs.len()
    }
}
