//! What stands right behind a tag: certain to be read once the tag was, and known from the grammar's text alone.
//!
//! An output that writes `<call>` begins the arguments next, and their automaton would be built while somebody waits for
//! that one mask. Whoever compiles may build it before. With it go the rules that frontends [share](Sharing::Keep), strings and
//! numbers, which most arguments are made of.
//!
//! What chooses between tags every call goes through, however many tags there are: the states in which it begins are those in
//! which an output is about to name a tool.

use crate::automata::{Automata, RuleId};
use formwork_grammar::{Expr, ExprId, Sharing};

/// A rule of the grammar that has an automaton of its own, and what it is: equal for equal rules of all grammars that share a
/// [`Cache`](crate::Cache), their bounds of counters aside; `None` if that is not known.
pub type Known = (formwork_grammar::RuleId, Option<u32>);

impl Automata {
    /// Whether the grammar has tags: most have none, and nothing stands behind any.
    ///
    /// Cost: a look at each expression.
    pub fn has_tags(&self) -> bool {
        let grammar = self.grammar();
        grammar.expr_ids().any(|expr| matches!(grammar.expr(expr), Expr::Tag(_)))
    }

    /// For each tag the rule that is called right behind its text, in the grammar's order: several times if it stands behind several
    /// tags.
    ///
    /// Cost: a look at each expression.
    pub fn behind_tags(&self) -> Vec<Known> {
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
        }
        self.known(found)
    }

    /// The rules that frontends [share](Sharing::Keep) and that are referred to in several places of the grammar.
    ///
    /// Cost: a look at each expression.
    pub fn shared(&self) -> Vec<Known> {
        let grammar = self.grammar();
        let mut n_references = vec![0u32; grammar.rules().len()];
        for operand in grammar.expr_ids().flat_map(|expr| grammar.expr(expr).operands()) {
            if let Expr::Rule(rule) = grammar.expr(*operand) {
                n_references[rule.index()] += 1;
            }
        }
        let is_shared = |rule: &formwork_grammar::RuleId| {
            grammar.rule(*rule).sharing() == Sharing::Keep && n_references[rule.index()] > 1
        };
        self.known(grammar.rule_ids().filter(is_shared))
    }

    /// Those that have automata of their own, or are nothing but the name of one that has.
    fn known(&self, rules: impl IntoIterator<Item = formwork_grammar::RuleId>) -> Vec<Known> {
        let construction = self.construction();
        let called = rules.into_iter().filter_map(|rule| construction.called_as(rule));
        called.map(|rule| (rule, construction.identity_of_rule(rule))).collect()
    }

    /// The automaton of a rule that has one of its own. It is not built by this.
    pub fn automaton_of(&self, (rule, _): Known) -> RuleId {
        RuleId::new(self.construction().unit_of(self, rule))
    }

    /// The rules that choose between tags, in the grammar's order; so many at most. They are not built by this.
    ///
    /// Cost: a look at each rule, and at the ways of those that choose.
    pub fn choices_of_tags(&self, most: usize) -> Vec<RuleId> {
        let grammar = self.grammar();
        let begins_with_tag = |&way: &ExprId| match grammar.expr(way) {
            Expr::Tag(_) => true,
            Expr::Seq(parts) => matches!(grammar.expr(parts[0]), Expr::Tag(_)),
            _ => false,
        };
        let chooses = |rule: &formwork_grammar::RuleId| match grammar.expr(grammar.rule(*rule).body()) {
            Expr::Alt(ways) => ways.iter().filter(|way| begins_with_tag(way)).nth(1).is_some(),
            _ => false,
        };
        let mut construction = self.construction();
        let called =
            grammar.rule_ids().filter(chooses).filter(|&rule| construction.called_as(rule) == Some(rule));
        let called: Vec<_> = called.take(most).collect();
        called.into_iter().map(|rule| RuleId::new(construction.unit_of(self, rule))).collect()
    }
}
