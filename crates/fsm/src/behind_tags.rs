//! What stands right behind a tag: certain to be read once the tag was, and known from the grammar's text alone.
//!
//! An output that writes `<call>` begins the arguments next, and their automaton would be built while somebody waits for
//! that one mask. Whoever compiles may build it before, as long as there are few tags: of many an output uses a few. With
//! it go the rules that frontends [share](Sharing::Keep), strings and numbers, which most arguments are made of.
//!
//! What chooses between tags every call goes through, however many tags there are: it is built in any case, and the states in
//! which it begins are those in which an output is about to name a tool.

use crate::automata::{Automata, RuleId, StateId};
use crate::error::{Error, ErrorKind};
use crate::lazy::Lazy;
use formwork_grammar::{Expr, ExprId, Grammar, Sharing};
use smallvec::SmallVec;

impl Automata {
    /// The rules called right behind the text of a tag, in the grammar's order, and then those that are
    /// [shared](Sharing::Keep); none if there are no tags or more than `most`. They are not built by this.
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
        if !found.is_empty() {
            found.extend(shared(grammar));
        }
        let mut construction = self.construction();
        let called = found.into_iter().filter_map(|rule| construction.called_as(rule)).collect::<Vec<_>>();
        called.into_iter().map(|rule| RuleId::new(construction.unit_of(self, rule))).collect()
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

    /// Builds what [chooses between tags](Self::choices_of_tags) and [what stands behind](Self::behind_tags) them, until so much
    /// [work](Self::work) is done. One that exceeds a limit is found when it is reached. Of each the first state is made and
    /// those behind its first byte: the inside of a string is the widest state of most outputs, and whoever computes masks next
    /// finds it. These states of what chooses are returned: every output that writes a tag comes to some of them.
    ///
    /// # Errors
    /// The caller interrupted it; then the automata are of no further use.
    pub fn build_behind_tags(
        &self,
        most: usize,
        max_work: u64,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Vec<StateId>, Error> {
        let before = self.construction().work_done();
        let mut making = 0;
        let choices = self.choices_of_tags(most);
        let mut begins = Vec::new();
        for rule in choices.iter().copied().chain(self.behind_tags(most)) {
            if interrupt() {
                return Err(Error::interrupted());
            }
            match self.build_rule(rule, interrupt) {
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                Err(_) => {}
                Ok(()) => {
                    let (states, work) = self.make_beginning(rule);
                    making += work;
                    if choices.contains(&rule) {
                        begins.extend(states);
                    }
                }
            }
            // PERF: only these rules made states, so not all are asked how many.
            if self.construction().work_done() - before + making >= max_work {
                break;
            }
        }
        Ok(begins)
    }

    /// Makes the edges of a rule's first state and of those behind its first byte; these states, and the work it took.
    fn make_beginning(&self, rule: RuleId) -> (SmallVec<[StateId; 4]>, u64) {
        let start = self.start(rule);
        let work = || self.link(rule).tables.as_lazy().map_or(0, Lazy::work_done);
        let before = work();
        let (plain, _) = self.byte_edges(start);
        let mut states: SmallVec<[StateId; 4]> = SmallVec::from_slice(&[start]);
        states.extend(plain.iter().map(|edge| start.sibling(edge.target)));
        states.sort_unstable();
        states.dedup();
        states.iter().for_each(|&state| {
            self.at(state);
        });
        (states, work() - before)
    }
}

/// The rules that frontends share and that are referred to in several places of the grammar.
fn shared(grammar: &Grammar) -> Vec<formwork_grammar::RuleId> {
    let mut n_references = vec![0u32; grammar.rules().len()];
    for operand in grammar.expr_ids().flat_map(|expr| grammar.expr(expr).operands()) {
        if let Expr::Rule(rule) = grammar.expr(*operand) {
            n_references[rule.index()] += 1;
        }
    }
    let is_shared = |rule: &formwork_grammar::RuleId| {
        grammar.rule(*rule).sharing() == Sharing::Keep && n_references[rule.index()] > 1
    };
    grammar.rule_ids().filter(is_shared).collect()
}
