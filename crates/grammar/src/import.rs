//! Puts a grammar into another, rules that are there already left out.
//!
//! A grammar of a thousand tools has a thousand schemas, each with the same rules for strings, numbers and any value. As rules
//! of their own they would be compiled a thousand times. So a rule that means the same as one imported before becomes that
//! one.
//!
//! Which rules may be the same says a *colour*: a hash of the body in which the colours of the rules referred to stand for
//! them, refined a few times. Whether they are is decided by comparing the bodies, taking two rules for the same as long as
//! they are being compared (rules that call each other are equal unless something else tells them apart).

use crate::builder::GrammarBuilder;
use crate::collections::HashMap;
use crate::{Expr, ExprId, Grammar, Place, RuleId};
use std::hash::{BuildHasher, Hash, Hasher};

/// Rounds of refinement: rules that only differ further away are told apart by the comparison.
const ROUNDS: usize = 2;
/// Rules of one colour that are compared.
const MAX_COMPARED: usize = 4;

/// What was imported so far: rules by colour.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    rules: HashMap<u64, Vec<RuleId>>,
}

/// A grammar that is imported again and again: what [`import`](GrammarBuilder::import) finds out about it is kept.
#[derive(Clone, Debug)]
pub struct Part {
    grammar: Grammar,
    reachable: Vec<RuleId>,
    colours: Vec<u64>,
}

impl Part {
    /// A grammar as a part of others.
    ///
    /// Cost: linear in the grammar.
    pub fn new(grammar: Grammar) -> Self {
        let reachable = reachable(&grammar);
        let colours = colours(&grammar, &reachable);
        Self { grammar, reachable, colours }
    }

    /// The grammar.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }
}

impl GrammarBuilder {
    /// The root rule of another grammar, put into this one with all that it refers to. Rules that mean the same as those of
    /// grammars imported before are shared.
    ///
    /// `place` says where the other grammar stands in the user's text, given the place of one of its rules.
    ///
    /// Cost: linear in the other grammar.
    pub fn import(&mut self, grammar: &Grammar, place: impl Fn(&Place) -> Place) -> RuleId {
        let reachable = reachable(grammar);
        let colours = colours(grammar, &reachable);
        self.import_coloured(grammar, &reachable, &colours, place)
    }

    /// [`import`](Self::import) of a grammar that is imported again and again.
    ///
    /// Cost: linear in the other grammar, about half of `import`'s.
    pub fn import_part(&mut self, part: &Part, place: impl Fn(&Place) -> Place) -> RuleId {
        self.import_coloured(&part.grammar, &part.reachable, &part.colours, place)
    }

    fn import_coloured(
        &mut self,
        grammar: &Grammar,
        reachable: &[RuleId],
        colours: &[u64],
        place: impl Fn(&Place) -> Place,
    ) -> RuleId {
        let mut rules: HashMap<RuleId, RuleId> = HashMap::default();
        // From the last to the first, so that what a rule refers to is often there when the rule is.
        for &rule in reachable.iter().rev() {
            if rules.contains_key(&rule) {
                continue;
            }
            let same = self.imported.rules.get(&colours[rule.index()]).map(Vec::as_slice).unwrap_or_default();
            let mut found = None;
            for &candidate in same.iter().rev().take(MAX_COMPARED) {
                found = self.same(grammar, rule, candidate, &rules);
                if found.is_some() {
                    break;
                }
            }
            rules.extend(found.into_iter().flatten());
        }
        let new: Vec<RuleId> = reachable.iter().copied().filter(|rule| !rules.contains_key(rule)).collect();
        for &rule in &new {
            let from = grammar.rule(rule);
            let copy = self.declare(from.name(), place(from.place()));
            self.set_sharing(copy, from.sharing());
            self.set_region(copy, from.region.clone());
            rules.insert(rule, copy);
            self.imported.rules.entry(colours[rule.index()]).or_default().push(copy);
        }
        let mut copies: Vec<Option<ExprId>> = vec![None; grammar.n_exprs()];
        for &rule in &new {
            let body = self.copy(grammar, grammar.rule(rule).body(), &rules, &mut copies);
            self.define(rules[&rule], body);
        }
        rules[&grammar.root()]
    }

    /// The same expression in this grammar, if no rule is referred to in it; a reference becomes nothing at all.
    pub fn import_expr(&mut self, grammar: &Grammar, expr: ExprId) -> ExprId {
        self.copy(grammar, expr, &HashMap::default(), &mut vec![None; grammar.n_exprs()])
    }

    /// The same expression in this grammar.
    fn copy(
        &mut self,
        grammar: &Grammar,
        expr: ExprId,
        rules: &HashMap<RuleId, RuleId>,
        copies: &mut [Option<ExprId>],
    ) -> ExprId {
        let mut todo = vec![expr];
        while let Some(&id) = todo.last() {
            if copies[id.index()].is_some() {
                todo.pop();
                continue;
            }
            let from = grammar.expr(id);
            let n_before = todo.len();
            todo.extend(from.operands().iter().filter(|operand| copies[operand.index()].is_none()));
            if todo.len() > n_before {
                continue;
            }
            let never = self.never();
            let of = |operand: &ExprId| copies[operand.index()].unwrap_or(never);
            let all = |operands: &[ExprId]| operands.iter().map(of).collect::<Vec<_>>();
            let copy = match from {
                Expr::Empty => self.empty(),
                Expr::Never => never,
                Expr::Rule(rule) => match rules.get(rule) {
                    Some(&rule) => self.rule(rule),
                    None => never,
                },
                Expr::Seq(parts) => {
                    let parts = all(parts);
                    self.seq(parts)
                }
                Expr::Alt(parts) => {
                    let parts = all(parts);
                    self.alt(parts)
                }
                Expr::And(parts) => {
                    let parts = all(parts);
                    self.and(parts)
                }
                Expr::Repeat { body, min, max } => {
                    let body = of(body);
                    self.repeat(body, *min, *max)
                }
                Expr::Not(body) => {
                    let body = of(body);
                    self.not(body)
                }
                Expr::JsonText(body) => {
                    let body = of(body);
                    self.json_text(body)
                }
                Expr::Until(until) => {
                    let arms: Vec<(&str, ExprId)> =
                        until.arms().map(|(trigger, then)| (trigger, of(&then))).collect();
                    self.until(arms, until.excluded().iter().map(|text| &**text), until.ends())
                }
                Expr::Set { parts, conditions } => self.set_with(of(&parts[0]), (**conditions).clone()),
                Expr::Member { number, body } => {
                    let body = of(body);
                    self.member(*number, body)
                }
                Expr::Bytes(_)
                | Expr::ByteClass(_)
                | Expr::Class(_)
                | Expr::Symbols(_)
                | Expr::Tag(_)
                | Expr::Machine(_) => self.leaf(from),
            };
            copies[id.index()] = Some(copy);
            todo.pop();
        }
        copies[expr.index()].unwrap_or_else(|| self.never())
    }

    /// What the rules below `theirs` are here, if `theirs` means the same as `ours`; `known` are decided.
    fn same(
        &self,
        grammar: &Grammar,
        theirs: RuleId,
        ours: RuleId,
        known: &HashMap<RuleId, RuleId>,
    ) -> Option<HashMap<RuleId, RuleId>> {
        let mut assumed: HashMap<RuleId, RuleId> = HashMap::default();
        assumed.insert(theirs, ours);
        let mut pairs = vec![(grammar.rule(theirs).body(), self.body(ours)?)];
        let mut seen: HashMap<ExprId, ExprId> = HashMap::default();
        while let Some((theirs, ours)) = pairs.pop() {
            if let Some(&before) = seen.get(&theirs) {
                if before != ours {
                    return None;
                }
                continue;
            }
            seen.insert(theirs, ours);
            let (a, b) = (grammar.expr(theirs), self.expr(ours));
            match (a, b) {
                (Expr::Rule(a), Expr::Rule(b)) => match known.get(a).or_else(|| assumed.get(a)) {
                    Some(same) if same == b => {}
                    Some(_) => return None,
                    None => {
                        if !self.is_alike(grammar, *a, *b) {
                            return None;
                        }
                        assumed.insert(*a, *b);
                        pairs.push((grammar.rule(*a).body(), self.body(*b)?));
                    }
                },
                // Operands of an intersection are in the order of the arena, which need not be the same.
                _ if !same_shape(a, b) => return None,
                _ => pairs.extend(a.operands().iter().copied().zip(b.operands().iter().copied())),
            }
        }
        self.is_alike(grammar, theirs, ours).then_some(assumed)
    }

    /// Whether rules are the same but for their bodies.
    fn is_alike(&self, grammar: &Grammar, theirs: RuleId, ours: RuleId) -> bool {
        let theirs = grammar.rule(theirs);
        theirs.sharing() == self.sharing(ours) && theirs.region == *self.region(ours)
    }
}

/// Whether two expressions are the same but for what their operands are.
fn same_shape(a: &Expr, b: &Expr) -> bool {
    if a.operands().len() != b.operands().len() {
        return false;
    }
    match (a, b) {
        (Expr::Seq(_), Expr::Seq(_))
        | (Expr::Alt(_), Expr::Alt(_))
        | (Expr::And(_), Expr::And(_))
        | (Expr::Not(_), Expr::Not(_))
        | (Expr::JsonText(_), Expr::JsonText(_)) => true,
        // What is asked for is in the order of the arena, too: sets are the same only where that is.
        (Expr::Set { conditions: a, .. }, Expr::Set { conditions: b, .. }) => a == b,
        (Expr::Member { number: a, .. }, Expr::Member { number: b, .. }) => a == b,
        (Expr::Repeat { min: a, max: b, .. }, Expr::Repeat { min: c, max: d, .. }) => (a, b) == (c, d),
        (Expr::Until(a), Expr::Until(b)) => {
            a.ends() == b.ends()
                && a.excluded() == b.excluded()
                && a.arms().zip(b.arms()).all(|(a, b)| a.0 == b.0)
        }
        _ => a.operands().is_empty() && a == b,
    }
}

/// The rules that the root reaches, itself first.
fn reachable(grammar: &Grammar) -> Vec<RuleId> {
    let mut rules = vec![grammar.root()];
    let mut is_rule_seen = vec![false; grammar.rules().len()];
    is_rule_seen[grammar.root().index()] = true;
    let mut is_seen = vec![false; grammar.n_exprs()];
    let mut next = 0;
    while let Some(&rule) = rules.get(next) {
        next += 1;
        let mut todo = vec![grammar.rule(rule).body()];
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut is_seen[id.index()], true) {
                continue;
            }
            if let Expr::Rule(callee) = grammar.expr(id) {
                if !std::mem::replace(&mut is_rule_seen[callee.index()], true) {
                    rules.push(*callee);
                }
            }
            todo.extend_from_slice(grammar.expr(id).operands());
        }
    }
    rules
}

/// The colour of each rule.
fn colours(grammar: &Grammar, rules: &[RuleId]) -> Vec<u64> {
    let state = ahash::RandomState::with_seeds(1, 2, 3, 4);
    let mut colours = vec![0u64; grammar.rules().len()];
    let mut hashes = vec![0u64; grammar.n_exprs()];
    for _ in 0..ROUNDS {
        // Operands have lower ids.
        for id in (0..grammar.n_exprs()).filter_map(ExprId::from_index) {
            let mut hasher = state.build_hasher();
            let expr = grammar.expr(id);
            std::mem::discriminant(expr).hash(&mut hasher);
            match expr {
                Expr::Rule(rule) => colours[rule.index()].hash(&mut hasher),
                Expr::Repeat { min, max, .. } => (min, max).hash(&mut hasher),
                Expr::And(parts) => {
                    // In whatever order.
                    parts
                        .iter()
                        .fold(0u64, |sum, part| sum.wrapping_add(hashes[part.index()]))
                        .hash(&mut hasher);
                }
                Expr::Until(until) => until.arms().for_each(|(trigger, _)| trigger.hash(&mut hasher)),
                Expr::Member { number, .. } => number.hash(&mut hasher),
                Expr::Set { conditions, .. } => conditions.hash(&mut hasher),
                Expr::Seq(_) | Expr::Alt(_) | Expr::Not(_) | Expr::JsonText(_) => {}
                leaf => leaf.hash(&mut hasher),
            }
            if !matches!(expr, Expr::And(_)) {
                expr.operands().iter().for_each(|operand| hashes[operand.index()].hash(&mut hasher));
            }
            hashes[id.index()] = hasher.finish();
        }
        for &rule in rules {
            colours[rule.index()] = hashes[grammar.rule(rule).body().index()];
        }
    }
    colours
}
