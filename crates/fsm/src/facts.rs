//! What is known of every expression before any automaton is built.
//!
//! - Whether it matches the *empty* text. (Looking at a rule's own automaton alone is wrong: `a ::= b`, `b ::= "x"?`.)
//! - Whether it matches *any* text, and any *but the empty* one. Nothing is built of an expression that matches none, so
//!   from every state of every automaton its end can be reached, and none is ever pruned. That is what lets a rule's
//!   automaton be built on its own, when a row first asks for it.
//! - Whether it looks *closed*: nothing that it matches seems to be the beginning of something longer that it matches.
//!
//! All are least fixpoints over expressions and rules (closedness the greatest), found together: what is known of an
//! expression is some bits, and those of a sequence or an alternation are nearly all the conjunction or the disjunction of
//! its operands' bits. Of intersections and complements, which have no rules in them, the [extent](Facts::is_infinite) mostly tells; the others
//! are decided apart (`compile/witness.rs`). With which bytes texts begin is found where it is asked
//! ([`first`](crate::first)). Expressions are gone through in an [order](Order) in which what they are made of
//! comes before them, bodies of rules before references to them: one look at each decides, but for those on a circle of
//! rules, where it takes two or three. Rules that refer to each other in an unlucky order may need many; from some on, what
//! has grown is propagated to parents, so that the cost is linear in the grammar whatever its rules.
//!
//! # Why no automaton accepts the empty text
//! A rule that ends where it began is what makes Earley's algorithm go wrong: it is completed in a row that is still being
//! made, before everybody who waits for it has been written down (Aycock and Horspool, *Practical Earley Parsing*, 2002,
//! collect the ways out). Ours is that there are no such rules below this crate:
//! 1. Which rules may be empty is decided here, beforehand.
//! 2. Where such a rule is referred to, an edge that skips it stands beside the call.
//! 3. Determinisation takes the empty text out of every rule: its start gets a state of its own that does not accept.
//! 4. Whether the root may be empty is one bit beside the automata.
//!
//! # Worked example
//! `root ::= a b "!"`, `a ::= "x"?`, `b ::= a a`. `"x"?` may be empty, so `a` may, so both operands of `b` may and `b` may;
//! `"!"` may not, so `root` may not. With every rule kept as one:
//!
//! ```text
//! root  s0: ! -> s1, {a} -> s2, {b} -> s3      `a` skipped; `a` and `b` skipped
//!       s1*
//!       s2: ! -> s1, {b} -> s3
//!       s3: ! -> s1
//! a     s0: x -> s1                            "x"? without the empty text is "x"
//!       s1*
//! b     s0: {a} -> s1                          one `a` or two
//!       s1*: {a} -> s2
//!       s2*
//! ```
//! `xx!` has two readings still, as it should (`a` reads x, `b` reads x; or `b` reads both); only the empty ones are gone.

use crate::adjacency::Adjacency;
use crate::components::{Components, components_from};
use crate::first::{FirstBytes, machine_first, spelled};
use crate::library::Library;
use crate::plan::{Plan, left_recursion, operands};
use crate::spelling::Spelling;
use crate::symbols::Symbols;
use crate::unit::{Body, Spelled, Unit};
use crate::until::reachable_arms;
use formwork_grammar::{ByteSet, Expr, ExprId, Grammar, HashMap, Membership, RuleId};
use std::cell::Cell;

/// Numbers of edges by the expression that they begin at, and where they lead.
type Parents = (Adjacency, Vec<u32>);

/// The expressions that the root uses, each after its operands and the bodies of rules that it refers to; but for those on
/// circles of rules that lead back to themselves, which come together.
#[derive(Debug)]
pub(crate) struct Order {
    components: Components,
    /// Per expression how often it stands in those that are used, or is the body of a rule that is.
    n_uses: Vec<u32>,
}

/// The rules that the root reaches.
#[derive(Debug)]
pub(crate) struct ReachedRules {
    /// Those that lead back to each other together, ascending, and those first that others refer to.
    pub(crate) components: Components,
    /// Per component whether some rule of it may lead back to itself.
    pub(crate) on_circle: Vec<bool>,
    /// Per rule the number of places that refer to it, its own leading references aside.
    pub(crate) count: Vec<u32>,
    /// The reference to the root, if there is one.
    pub(crate) to_root: Option<ExprId>,
}

/// Passes over a circle before what has grown is propagated one by one.
const MAX_PASSES: usize = 6;

impl Order {
    /// The expressions that the root uses, but for those inside of known rules.
    pub(crate) fn of(grammar: &Grammar, library: &Library) -> Self {
        Self::from(grammar, [grammar.root()], library)
    }

    /// The expressions that some rules use.
    pub(crate) fn from(
        grammar: &Grammar,
        rules: impl IntoIterator<Item = RuleId>,
        library: &Library,
    ) -> Self {
        let n_uses = vec![Cell::new(0); grammar.n_exprs()];
        let number = |expr: ExprId| {
            let n_uses = &n_uses[expr.index()];
            n_uses.set(n_uses.get() + 1);
            expr.index() as u32
        };
        let bodies = rules.into_iter().map(|rule| number(grammar.rule(rule).body()));
        let components = components_from(bodies, grammar.n_exprs(), |expr| {
            let (operands, body) = match ExprId::from_index(expr as usize).map(|expr| grammar.expr(expr)) {
                Some(Expr::Rule(rule)) if library.knows(*rule) => (&[][..], None),
                Some(Expr::Rule(rule)) => (&[][..], Some(grammar.rule(*rule).body())),
                Some(expr) => (operands(expr), None),
                None => (&[][..], None),
            };
            operands.iter().copied().chain(body).map(number)
        });
        let n_uses = n_uses.into_iter().map(Cell::into_inner).collect();
        Self { components, n_uses }
    }

    /// The rules that are reached, which are known aside from what is inside of them. There is one expression for all
    /// references to a rule, and it stands behind the rule's body, or on a circle with it.
    pub(crate) fn rules(&self, grammar: &Grammar) -> ReachedRules {
        let n = grammar.rules().len();
        let mut components = Components::with_capacity(n);
        let mut on_circle = Vec::with_capacity(n);
        let mut count = vec![0u32; n];
        let mut to_root = None;
        for component in self.components.iter() {
            let mut has_rules = false;
            for &member in component {
                let Some(id) = ExprId::from_index(member as usize) else { continue };
                let Expr::Rule(rule) = grammar.expr(id) else { continue };
                has_rules = true;
                components.push(rule.index() as u32);
                count[rule.index()] = self.n_uses[id.index()];
                if *rule == grammar.root() {
                    to_root = Some(id);
                }
            }
            if has_rules {
                components.finish();
                let leads_to_itself = |rule: &RuleId| matches!(grammar.expr(grammar.rule(*rule).body()), Expr::Rule(own) if own == rule);
                let rules = || components.last().iter().filter_map(|&rule| RuleId::from_index(rule as usize));
                let refers_to_itself = component.len() > 1 || rules().any(|rule| leads_to_itself(&rule));
                if refers_to_itself {
                    for rule in rules() {
                        let n_leading = left_recursion(grammar, rule).map_or(0, |(tails, _)| tails.len());
                        count[rule.index()] -= n_leading as u32;
                    }
                }
                on_circle.push(refers_to_itself);
            }
        }
        if to_root.is_none() {
            components.push(grammar.root().index() as u32);
            components.finish();
            on_circle.push(false);
        }
        ReachedRules { components: components.sorted(), on_circle, count, to_root }
    }

    /// The expressions that are used, each once.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = ExprId> + '_ {
        ids(self.components.nodes())
    }

    /// Calls `update` for every expression, and again for those on circles until it says of none that its facts have grown.
    pub(crate) fn settle(&self, grammar: &Grammar, mut update: impl FnMut(ExprId) -> bool) {
        let mut is_settled = true;
        for component in self.components.iter() {
            let mut pass = || ids(component).fold(false, |grown, id| grown | update(id));
            // What is alone is made of what is known.
            let mut has_grown = pass() && component.len() > 1;
            for _ in 1..MAX_PASSES {
                has_grown = has_grown && pass();
            }
            is_settled &= !has_grown;
        }
        if !is_settled {
            spread(grammar, &parents(grammar), update);
        }
    }
}

fn ids(numbers: &[u32]) -> impl Iterator<Item = ExprId> + '_ {
    numbers.iter().filter_map(|&number| ExprId::from_index(number as usize))
}

/// What is known of an expression, a bit each.
type Bits = u16;

const NULLABLE: Bits = 1;
/// Matches any text.
const PRODUCTIVE: Bits = 2;
/// Matches a text that is not empty.
const NONEMPTY: Bits = 4;
const CLOSED: Bits = 8;
/// The root uses it.
const USED: Bits = 16;
/// Certainly matches some text, whatever intersections and complements do.
const CERTAIN: Bits = 32;
/// It has no rules, and matches finitely many texts; without number; all but finitely many. Nothing of it where that does not
/// show at once.
const FINITE: Bits = 64;
const INFINITE: Bits = 128;
const COFINITE: Bits = 256;
const EXTENT: Bits = FINITE | INFINITE | COFINITE;

/// Intersections and complements: whether they match any text, and any but the empty one.
pub(crate) type Told = Vec<(ExprId, (bool, bool))>;

/// The facts of one grammar's expressions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    bits: Vec<Bits>,
    /// Whether it is known of all intersections and complements whether they match any text.
    is_decided: bool,
    /// Intersections and complements that are used, ascending, until they are decided.
    texts: Vec<ExprId>,
    /// The first member of a set that may be empty.
    empty_member: Option<ExprId>,
    first: FirstBytes,
}

impl Facts {
    fn has(&self, expr: ExprId, bits: Bits) -> bool {
        self.bits[expr.index()] & bits != 0
    }

    pub(crate) fn nullable(&self, expr: ExprId) -> bool {
        self.has(expr, NULLABLE)
    }

    /// Whether it matches any text. Before that is known, everything does.
    pub(crate) fn productive(&self, expr: ExprId) -> bool {
        !self.is_decided || self.has(expr, PRODUCTIVE)
    }

    /// Whether it matches any text but the empty one.
    pub(crate) fn nonempty(&self, expr: ExprId) -> bool {
        !self.is_decided || self.has(expr, NONEMPTY)
    }

    /// Whether it looks closed: nothing that it matches seems to be the beginning of something longer that it matches.
    pub(crate) fn closed(&self, expr: ExprId) -> bool {
        self.has(expr, CLOSED)
    }

    /// Whether the root uses it.
    pub(crate) fn is_used(&self, expr: ExprId) -> bool {
        self.has(expr, USED)
    }

    /// Whether it is a text expression that certainly matches texts without number.
    ///
    /// PERF: "a name that matches a pattern, but none of these" does if the pattern does, and so do most intersections
    /// and complements of schemas.
    pub(crate) fn is_infinite(&self, expr: ExprId) -> bool {
        self.has(expr, INFINITE | COFINITE)
    }

    /// Intersections and complements that are used, ascending; none once they are decided.
    pub(crate) fn texts(&self) -> &[ExprId] {
        &self.texts
    }

    /// The first member of a set that may be empty.
    pub(crate) fn empty_member(&self) -> Option<ExprId> {
        self.empty_member
    }

    /// With which bytes texts begin, once everything is decided.
    pub(crate) fn first(&self) -> &FirstBytes {
        &self.first
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.bits[..]) + self.first.memory_size()
    }

    /// What shapes tell: all but whether intersections and complements match any text that are not without number, and
    /// what follows from that.
    pub(crate) fn of_shapes(
        grammar: &Grammar,
        order: &Order,
        library: &Library,
        symbols: &dyn Symbols,
    ) -> Self {
        let mut bits = vec![CLOSED; grammar.n_exprs()];
        for expr in order.exprs() {
            bits[expr.index()] |= USED;
        }
        for (rule, known) in library.known() {
            let known = [
                (known.nullable, NULLABLE),
                (known.productive, PRODUCTIVE),
                (known.nonempty, NONEMPTY),
                (known.closed, CLOSED),
            ];
            let of_rule = known.iter().filter(|known| known.0).fold(0, |all, known| all | known.1);
            let body = &mut bits[grammar.rule(rule).body().index()];
            *body = *body & USED | of_rule;
        }
        let mut facts = Self { bits, ..Self::default() };
        facts.settle(grammar, order, symbols);
        facts.texts.sort_unstable();
        facts.texts.dedup();
        facts
    }

    /// Adds what is told of some intersections and complements, and what follows from it.
    pub(crate) fn tell(&mut self, grammar: &Grammar, order: &Order, symbols: &dyn Symbols, told: Told) {
        for (expr, (productive, nonempty)) in told {
            let all = [(productive, PRODUCTIVE), (nonempty, NONEMPTY)];
            let new = all.iter().filter(|known| known.0).fold(0, |all, known| all | known.1);
            self.bits[expr.index()] |= new;
        }
        self.settle(grammar, order, symbols);
    }

    /// These facts, now that all intersections and complements are decided, and what texts of some rules begin with, those
    /// that others refer to best first.
    pub(crate) fn decided(
        mut self,
        grammar: &Grammar,
        library: &Library,
        rules: impl Iterator<Item = RuleId>,
    ) -> Self {
        self.is_decided = true;
        self.texts = Vec::new();
        self.first = FirstBytes::of(grammar, &self, library, rules);
        self
    }

    /// These facts with those of the expressions inside of known rules, which have no symbols.
    pub(crate) fn extended(mut self, grammar: &Grammar, library: &Library, symbols: &dyn Symbols) -> Self {
        let order = Order::from(grammar, library.known().map(|(rule, _)| rule), &Library::default());
        self.settle(grammar, &order, symbols);
        self
    }

    fn settle(&mut self, grammar: &Grammar, order: &Order, symbols: &dyn Symbols) {
        let mut arms = HashMap::default();
        order.settle(grammar, |id| {
            let before = self.bits[id.index()];
            let found = self.look(grammar, id, symbols, &mut arms);
            // All facts but the last one only grow.
            let now = before & !CLOSED | found;
            self.bits[id.index()] = now;
            now != before
        });
    }

    /// What is known of an expression by what is known of what it is made of.
    fn look(
        &mut self,
        grammar: &Grammar,
        id: ExprId,
        symbols: &dyn Symbols,
        arms: &mut HashMap<ExprId, Vec<ExprId>>,
    ) -> Bits {
        const SOME: Bits = PRODUCTIVE | NONEMPTY;
        const LIKE_BODY: Bits = NULLABLE | PRODUCTIVE | NONEMPTY | CLOSED | CERTAIN;
        let bits = &self.bits[..];
        let of = |expr: &ExprId| bits[expr.index()];
        let all = |parts: &[ExprId]| parts.iter().fold(!0, |all, part| all & of(part));
        let any = |parts: &[ExprId]| parts.iter().fold(0, |any, part| any | of(part));
        let when = |holds: bool, bits: Bits| if holds { bits } else { 0 };
        let mut found = match grammar.expr(id) {
            Expr::Empty => NULLABLE | PRODUCTIVE | CLOSED | FINITE,
            Expr::Never => CLOSED | FINITE,
            Expr::Bytes(_) | Expr::Class(_) => SOME | CLOSED | CERTAIN | FINITE,
            Expr::ByteClass(_) | Expr::Tag(_) => SOME | CLOSED,
            Expr::Symbols(set) => CLOSED | when(symbols.exists(set), SOME),
            Expr::Seq(parts) => {
                let (all, any) = (all(parts), any(parts));
                let extent = match any & (INFINITE | COFINITE) {
                    0 => all & FINITE,
                    _ => when(all & CERTAIN != 0, INFINITE),
                };
                let nonempty = when(all & PRODUCTIVE != 0, any & NONEMPTY);
                let closed = parts.last().map_or(0, of) & CLOSED;
                all & (NULLABLE | PRODUCTIVE | CERTAIN) | nonempty | closed | extent
            }
            Expr::Alt(parts) => {
                let (all, any) = (all(parts), any(parts));
                let extent = match any & (INFINITE | COFINITE) {
                    0 => all & FINITE,
                    INFINITE => INFINITE,
                    _ => COFINITE,
                };
                let closed =
                    when(!parts.iter().any(|part| matches!(grammar.expr(*part), Expr::Empty)), CLOSED);
                any & (NULLABLE | SOME | CERTAIN) | all & closed | extent
            }
            &Expr::Repeat { body, min, max } => {
                let body = of(&body);
                let extent = match (body & EXTENT, max) {
                    (FINITE, Some(_)) => FINITE,
                    (INFINITE | COFINITE, _) => INFINITE,
                    (_, None) => when(body & CERTAIN != 0 && body & NULLABLE == 0, INFINITE),
                    _ => 0,
                };
                let none = when(min == 0, NULLABLE | PRODUCTIVE);
                let closed = when(Some(min) == max, body & CLOSED);
                body & (NULLABLE | SOME | CERTAIN) | none | closed | extent
            }
            Expr::Rule(rule) => of(&grammar.rule(*rule).body()) & (LIKE_BODY & !CERTAIN),
            Expr::JsonText(body) => {
                let body = of(body);
                let extent = if body & (INFINITE | COFINITE) != 0 { INFINITE } else { body & FINITE };
                body & LIKE_BODY | extent
            }
            Expr::Member { body, .. } => {
                let body = of(body) & (LIKE_BODY & !CERTAIN);
                if body & NULLABLE != 0 && of(&id) & USED != 0 {
                    self.empty_member = Some(self.empty_member.map_or(id, |first| first.min(id)));
                }
                body
            }
            // Text expressions contain no rules, so that what they are made of is decided; it must be for complements, which
            // are not monotone.
            Expr::Not(body) => {
                let body = of(body);
                let extent = match body & EXTENT {
                    FINITE => COFINITE,
                    COFINITE => FINITE,
                    _ => 0,
                };
                !body & NULLABLE | extent
            }
            Expr::And(parts) => {
                let mut others = parts.iter().map(of).filter(|part| part & COFINITE == 0);
                let extent = match (others.next(), others.next()) {
                    _ if any(parts) & FINITE != 0 => FINITE,
                    (None, _) => COFINITE,
                    (Some(only), None) => only & EXTENT,
                    _ => 0,
                };
                all(parts) & NULLABLE | extent
            }
            Expr::Set { parts, conditions } => {
                let body = of(&parts[0]);
                let at_once =
                    || Membership::of(conditions, []).standing(&[]).is_ok_and(|empty| empty.may_end);
                let nullable = when(body & NULLABLE != 0 && at_once(), NULLABLE);
                let productive = body & PRODUCTIVE != 0 && {
                    let possible = parts[1..].iter().filter(|part| of(part) & PRODUCTIVE != 0);
                    let possible = possible.filter_map(|&part| number(grammar, part));
                    // Where it is too hard to tell, building the automaton says so.
                    conditions.may_be_met(possible).unwrap_or(true)
                };
                nullable | when(productive, PRODUCTIVE | body & NONEMPTY) | body & CLOSED
            }
            Expr::Machine(machine) => {
                let nullable = machine.start().is_some_and(|start| machine.may_end(start));
                let nonempty = !machine_first(machine).is_empty();
                PRODUCTIVE | when(nullable, NULLABLE) | when(nonempty, NONEMPTY)
            }
            Expr::Until(until) => {
                let arms = arms.entry(id).or_insert_with(|| reachable_arms(until, symbols));
                // Where the text may end it may be any, and a trigger is no empty text.
                let some = when(until.ends() || any(arms) & PRODUCTIVE != 0, SOME);
                let closed = when(!until.ends(), all(until.continuations()) & CLOSED);
                when(until.ends(), NULLABLE) | some | closed
            }
            _ => CLOSED,
        };
        if let Expr::And(_) | Expr::Not(_) = grammar.expr(id) {
            found |= when(found & (INFINITE | COFINITE) != 0, SOME);
            if !self.is_decided && of(&id) & USED != 0 {
                self.texts.push(id);
            }
        }
        match grammar.properties(id).has_rules {
            true => found & !(EXTENT | CERTAIN),
            false => found | when(found & (INFINITE | COFINITE | NULLABLE) != 0, CERTAIN),
        }
    }
}

/// For each expression those that it is an operand of; for a rule's body the references to the rule.
fn parents(grammar: &Grammar) -> Parents {
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(2 * grammar.n_exprs());
    for id in grammar.expr_ids() {
        match grammar.expr(id) {
            Expr::Rule(rule) => {
                edges.push((grammar.rule(*rule).body().index() as u32, id.index() as u32));
            }
            expr => {
                edges.extend(operands(expr).iter().map(|operand| (operand.index() as u32, id.index() as u32)))
            }
        }
    }
    let adjacency = Adjacency::new(grammar.n_exprs(), edges.iter().map(|edge| edge.0));
    (adjacency, edges.into_iter().map(|edge| edge.1).collect())
}

/// Calls `update` for every expression, and again for the parents of each whose facts have grown.
fn spread(grammar: &Grammar, (parents, targets): &Parents, mut update: impl FnMut(ExprId) -> bool) {
    let mut stack: Vec<u32> = Vec::new();
    // Operands have lower ids: in one pass up nearly everything is decided.
    for id in grammar.expr_ids() {
        if update(id) {
            // A reference may stand before the rule's body; all other parents are still to come.
            let later = |parent: &u32| *parent <= id.index() as u32;
            stack.extend(
                parents.of(id.index() as u32).iter().map(|&edge| targets[edge as usize]).filter(later),
            );
            while let Some(parent) = stack.pop() {
                let Some(parent) = ExprId::from_index(parent as usize) else { continue };
                if update(parent) {
                    let above = parents.of(parent.index() as u32).iter().map(|&edge| targets[edge as usize]);
                    stack.extend(above.filter(later));
                }
            }
        }
    }
}

/// The number of a member.
pub(crate) fn number(grammar: &Grammar, expr: ExprId) -> Option<u32> {
    match grammar.expr(expr) {
        Expr::Member { number, .. } => Some(*number),
        _ => None,
    }
}

/// The bytes with which the texts of a unit may begin.
pub(crate) fn first_bytes(grammar: &Grammar, facts: &Facts, plan: &Plan, unit: &Unit) -> ByteSet {
    let spell = |first: ByteSet, spelling| match spelling {
        Spelling::Json => spelled(&first),
        _ => first,
    };
    let of_part = |part: ExprId| facts.first().of_part(grammar, facts, part);
    match unit {
        Unit::Rule(rule) | Unit::Region(rule) => facts.first().of_rule(*rule),
        Unit::Recursive(rule) => {
            let parts = plan.split(*rule).map_or(&[][..], |split| &split.recursive[..]);
            parts.iter().fold(ByteSet::EMPTY, |all, &part| all.union(&of_part(part)))
        }
        Unit::Set(expr) | Unit::Machine(expr) => of_part(*expr),
        Unit::Body(expr, spelling) => spell(of_part(*expr), *spelling),
        Unit::Counted { shape, .. } => {
            let first_of = |parts: &[Spelled]| {
                let mut all = ByteSet::EMPTY;
                for &(part, spelling) in parts {
                    all = all.union(&spell(of_part(part), spelling));
                    if !facts.nullable(part) {
                        break;
                    }
                }
                all
            };
            let before = first_of(&shape.before);
            if !shape.before.iter().all(|&(part, _)| facts.nullable(part)) {
                return before;
            }
            let body = match &shape.body {
                Body::Repeated(body) => of_part(*body),
                Body::Measured(parts) => {
                    parts.iter().fold(ByteSet::FULL, |all, &part| all.intersection(&of_part(part)))
                }
            };
            before.union(&spell(body, shape.body_spelling)).union(&first_of(&shape.after))
        }
        Unit::Escape(_) => ByteSet::range(b'\\', b'\\'),
        Unit::Symbols(_) => ByteSet::EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::AnySymbols;
    use formwork_grammar::{GrammarBuilder, Place};

    /// Each rule has texts because the one before it has, which it also stands in.
    #[test]
    fn unlucky_circles_are_decided() {
        const N: usize = 4 * MAX_PASSES;
        let mut b = GrammarBuilder::new();
        let rules: Vec<RuleId> = (0..N).map(|i| b.declare(format!("r{i}"), Place::none())).collect();
        let [x, y, open, close] = ["x", "y", "(", ")"].map(|text| b.literal(text));
        for i in 0..N {
            let mut ways = vec![if i == 0 { x } else { b.rule(rules[i - 1]) }];
            ways[0] = b.seq([ways[0], y]);
            if let Some(&next) = rules.get(i + 1) {
                let next = b.rule(next);
                ways.push(b.seq([open, next, close]));
            }
            let body = b.alt(ways);
            b.define(rules[i], body);
        }
        let grammar = b.build(rules[0]).expect("a grammar");
        let order = Order::of(&grammar, &Library::default());
        assert!(order.components.iter().any(|component| component.len() > 3 * N), "the rules are a circle");
        let library = Library::default();
        let facts = Facts::of_shapes(&grammar, &order, &library, &AnySymbols).decided(
            &grammar,
            &library,
            grammar.rule_ids(),
        );
        assert_eq!(order.exprs().count(), grammar.expr_ids().filter(|&expr| facts.is_used(expr)).count());
        for rule in grammar.rules() {
            let body = rule.body();
            assert!(facts.productive(body) && facts.nonempty(body) && !facts.nullable(body));
            assert_eq!(facts.first().of_part(&grammar, &facts, body), "x(".bytes().collect());
        }
    }
}
