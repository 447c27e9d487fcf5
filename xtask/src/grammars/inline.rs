//! Puts every rule that is not recursive in place of its name, as somebody would by hand who knows how engines work.

use anyhow::Result;
use formwork::Grammar;
use formwork::grammar::{Expr, ExprId, GrammarBuilder, HashMap, RuleId};

/// The same language in as few rules as there are with recursion.
pub(super) fn inline(grammar: &Grammar) -> Result<Grammar> {
    let mut inlining = Inlining {
        grammar,
        builder: GrammarBuilder::new(),
        kept: HashMap::default(),
        exprs: vec![None; grammar.n_exprs()],
    };
    let is_kept = |&rule: &RuleId| rule == grammar.root() || is_recursive(grammar, rule);
    let kept: Vec<RuleId> = grammar.rule_ids().filter(is_kept).collect();
    for &rule in &kept {
        let of = grammar.rule(rule);
        inlining.kept.insert(rule, inlining.builder.declare(of.name(), of.place().clone()));
    }
    for &rule in &kept {
        let body = inlining.expr(grammar.rule(rule).body());
        inlining.builder.define(inlining.kept[&rule], body);
    }
    let root = inlining.kept[&grammar.root()];
    Ok(inlining.builder.build(root)?)
}

/// Whether a rule leads back to itself.
fn is_recursive(grammar: &Grammar, rule: RuleId) -> bool {
    let mut is_seen = vec![false; grammar.n_exprs()];
    let mut todo = vec![grammar.rule(rule).body()];
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut is_seen[id.index()], true) {
            continue;
        }
        match grammar.expr(id) {
            Expr::Rule(next) if *next == rule => return true,
            expr => todo.extend(parts(grammar, expr)),
        }
    }
    false
}

/// The operands; that of a reference is the rule's body.
fn parts(grammar: &Grammar, expr: &Expr) -> Vec<ExprId> {
    match expr {
        Expr::Seq(parts) | Expr::Alt(parts) | Expr::And(parts) => parts.to_vec(),
        Expr::Repeat { body, .. } | Expr::Not(body) | Expr::JsonText(body) => vec![*body],
        Expr::Rule(rule) => vec![grammar.rule(*rule).body()],
        _ => Vec::new(),
    }
}

struct Inlining<'a> {
    grammar: &'a Grammar,
    builder: GrammarBuilder,
    kept: HashMap<RuleId, RuleId>,
    exprs: Vec<Option<ExprId>>,
}

impl Inlining<'_> {
    /// The expression with rules in their place: operands first, so that nothing recurses.
    fn expr(&mut self, id: ExprId) -> ExprId {
        let mut todo = vec![id];
        while let Some(&next) = todo.last() {
            let expr = self.grammar.expr(next);
            let operands = match expr {
                Expr::Rule(rule) if self.kept.contains_key(rule) => Vec::new(),
                expr => parts(self.grammar, expr),
            };
            let missing = operands.iter().copied().filter(|part| self.exprs[part.index()].is_none());
            let n = todo.len();
            todo.extend(missing);
            if todo.len() == n {
                todo.pop();
                self.exprs[next.index()] = Some(self.make(expr));
            }
        }
        self.made(id)
    }

    fn made(&self, id: ExprId) -> ExprId {
        self.exprs[id.index()].unwrap_or(self.builder.never())
    }

    /// The expression over operands that are made.
    fn make(&mut self, expr: &Expr) -> ExprId {
        let operands: Vec<ExprId> = parts(self.grammar, expr)
            .into_iter()
            .map(|part| self.exprs[part.index()].unwrap_or(self.builder.never()))
            .collect();
        let first = operands.first().copied().unwrap_or(self.builder.never());
        let b = &mut self.builder;
        match expr {
            Expr::Empty => b.empty(),
            Expr::Bytes(bytes) => b.literal(bytes),
            Expr::ByteClass(set) => b.byte_class(*set),
            Expr::Class(class) => b.class(class.clone()),
            Expr::Seq(_) => b.seq(operands),
            Expr::Alt(_) => b.alt(operands),
            Expr::Repeat { min, max, .. } => b.repeat(first, *min, *max),
            Expr::Rule(rule) => match self.kept.get(rule) {
                Some(&kept) => b.rule(kept),
                None => first,
            },
            Expr::And(_) => b.and(operands),
            Expr::Not(_) => b.not(first),
            Expr::JsonText(_) => b.json_text(first),
            _ => b.never(),
        }
    }
}
