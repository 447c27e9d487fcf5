//! What is known of every expression before any automaton is built.
//!
//! - Whether it matches the *empty* text. (Looking at a rule's own automaton alone is wrong: `a ::= b`, `b ::= "x"?`.)
//! - Whether it matches *any* text, and any *but the empty* one. Nothing is built of an expression that matches none, so
//!   from every state of every automaton its end can be reached, and none is ever pruned. That is what lets a rule's
//!   automaton be built on its own, when a row first asks for it.
//! - With which bytes its texts may *begin* (or more: a bound from above).
//!
//! All are least fixpoints over expressions and rules. Intersections and complements, which have no rules in them, are
//! decided apart (`compile/witness.rs`). Expressions are gone through in an [order](Order) in which what they are made of
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
use crate::library::Library;
use crate::membership::Membership;
use crate::plan::{Plan, operands};
use crate::sets::Sets;
use crate::spelling::Spelling;
use crate::symbols::Symbols;
use crate::unit::{Body, Spelled, Unit};
use crate::until::reachable_arms;
use formwork_grammar::{ByteSet, CharClass, Expr, ExprId, Grammar, HashMap, HashSet, RuleId, SharedMachine};

/// Numbers of edges by the expression that they begin at, and where they lead.
type Parents = (Adjacency, Vec<u32>);

/// The expressions that the root uses, each after its operands and the bodies of rules that it refers to; but for those on
/// circles of rules that lead back to themselves, which come together.
#[derive(Debug)]
pub(crate) struct Order {
    components: Components,
    is_used: Vec<bool>,
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
        let bodies = rules.into_iter().map(|rule| grammar.rule(rule).body().index() as u32);
        let components = components_from(bodies, grammar.n_exprs(), |expr| {
            let (operands, body) = match ExprId::from_index(expr as usize).map(|expr| grammar.expr(expr)) {
                Some(Expr::Rule(rule)) if library.knows(*rule) => (&[][..], None),
                Some(Expr::Rule(rule)) => (&[][..], Some(grammar.rule(*rule).body())),
                Some(expr) => (operands(expr), None),
                None => (&[][..], None),
            };
            operands.iter().copied().chain(body).map(|expr| expr.index() as u32)
        });
        let mut is_used = vec![false; grammar.n_exprs()];
        components.nodes().iter().for_each(|&expr| is_used[expr as usize] = true);
        Self { components, is_used }
    }

    /// Per expression whether the root uses it.
    pub(crate) fn is_used(&self) -> &[bool] {
        &self.is_used
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

/// The facts of one grammar's expressions.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    nullable: Vec<bool>,
    productive: Vec<bool>,
    /// Matches a text that is not empty.
    nonempty: Vec<bool>,
    first: Sets,
}

impl Facts {
    pub(crate) fn nullable(&self, expr: ExprId) -> bool {
        self.nullable[expr.index()]
    }

    /// Whether it matches any text. Before that is known, everything does.
    pub(crate) fn productive(&self, expr: ExprId) -> bool {
        self.productive.get(expr.index()).copied().unwrap_or(true)
    }

    /// Whether it matches any text but the empty one.
    pub(crate) fn nonempty(&self, expr: ExprId) -> bool {
        self.nonempty.get(expr.index()).copied().unwrap_or(true)
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        self.nullable.len() + self.productive.len() + self.nonempty.len() + self.first.memory_size()
    }

    /// The bytes with which texts of a sequence may begin, as UTF-8.
    pub(crate) fn first_of<'a>(&self, parts: impl IntoIterator<Item = &'a ExprId>) -> ByteSet {
        let mut first = ByteSet::EMPTY;
        for part in parts {
            first = first.union(self.first.get(part.index()));
            if !self.nullable(*part) {
                break;
            }
        }
        first
    }

    /// Which expressions match the empty text.
    pub(crate) fn nullable_of(grammar: &Grammar, order: &Order, library: &Library) -> Self {
        let mut nullable = vec![false; grammar.n_exprs()];
        for (rule, known) in library.known() {
            nullable[body(grammar, rule)] = known.nullable;
        }
        settle_nullable(grammar, order, &mut nullable);
        Self { nullable, ..Self::default() }
    }

    /// These facts and all others; `text_facts` says of an intersection or a complement whether it matches any text, and
    /// any but the empty one.
    pub(crate) fn completed<E>(
        &self,
        grammar: &Grammar,
        order: &Order,
        library: &Library,
        symbols: &dyn Symbols,
        mut text_facts: impl FnMut(ExprId) -> Result<(bool, bool), E>,
    ) -> Result<Self, E> {
        let n = grammar.n_exprs();
        let (mut productive, mut nonempty) = (vec![false; n], vec![false; n]);
        let mut first = vec![ByteSet::EMPTY; n];
        for (rule, known) in library.known() {
            let body = body(grammar, rule);
            (productive[body], nonempty[body], first[body]) = (known.productive, known.nonempty, known.first);
        }
        let mut arms: HashMap<ExprId, Vec<ExprId>> = HashMap::default();
        for id in grammar.expr_ids().filter(|id| order.is_used[id.index()]) {
            match grammar.expr(id) {
                Expr::And(_) | Expr::Not(_) => {
                    (productive[id.index()], nonempty[id.index()]) = text_facts(id)?;
                }
                Expr::Symbols(set) => {
                    let exists = symbols.exists(set);
                    (productive[id.index()], nonempty[id.index()]) = (exists, exists);
                }
                Expr::Until(until) => {
                    arms.insert(id, reachable_arms(until, symbols));
                }
                _ => {}
            }
        }
        let nullable = self.nullable.clone();
        let mut facts = Found { nullable, productive, nonempty, first };
        facts.settle(grammar, order, &arms);
        Ok(facts.facts())
    }

    /// These facts with those of the expressions inside of known rules.
    pub(crate) fn extended(&self, grammar: &Grammar, library: &Library) -> Self {
        let order = Order::from(grammar, library.known().map(|(rule, _)| rule), &Library::default());
        let mut nullable = self.nullable.clone();
        settle_nullable(grammar, &order, &mut nullable);
        let first = (0..grammar.n_exprs()).map(|i| *self.first.get(i)).collect();
        let (productive, nonempty) = (self.productive.clone(), self.nonempty.clone());
        let mut facts = Found { nullable, productive, nonempty, first };
        facts.settle(grammar, &order, &HashMap::default());
        facts.facts()
    }
}

fn settle_nullable(grammar: &Grammar, order: &Order, nullable: &mut [bool]) {
    order.settle(grammar, |id| {
        let is_nullable = match grammar.expr(id) {
            // Text expressions contain no rules, so that what they are made of is decided; it must be for
            // complements, which are not monotone.
            Expr::Not(body) => !nullable[body.index()],
            Expr::And(parts) => parts.iter().all(|part| nullable[part.index()]),
            _ => nullable[id.index()] || is_nullable(grammar, id, nullable),
        };
        std::mem::replace(&mut nullable[id.index()], is_nullable) != is_nullable
    });
}

/// Facts while they are found.
struct Found {
    nullable: Vec<bool>,
    productive: Vec<bool>,
    nonempty: Vec<bool>,
    first: Vec<ByteSet>,
}

impl Found {
    fn settle(&mut self, grammar: &Grammar, order: &Order, arms: &HashMap<ExprId, Vec<ExprId>>) {
        let Self { nullable, productive, nonempty, first } = self;
        order.settle(grammar, |id| {
            let i = id.index();
            let mut grown = false;
            if !productive[i] && is_productive(grammar, id, productive, arms) {
                productive[i] = true;
                grown = true;
            }
            if !nonempty[i] && is_nonempty(grammar, id, productive, nonempty) {
                nonempty[i] = true;
                grown = true;
            }
            let next = first_of(grammar, id, nullable, first);
            grown |= next != first[i];
            first[i] = next;
            grown
        });
    }

    fn facts(self) -> Facts {
        let Self { nullable, productive, nonempty, first } = self;
        Facts { nullable, productive, nonempty, first: Sets::of(&first) }
    }
}

/// How many texts an expression matches, as far as that shows at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// None, or finitely many.
    Finite,
    /// Without number.
    Infinite,
    /// All but finitely many.
    Cofinite,
    Unknown,
}

impl Extent {
    pub(crate) fn is_infinite(self) -> bool {
        matches!(self, Self::Infinite | Self::Cofinite)
    }
}

impl Facts {
    /// Of each expression that is used how many texts it matches; expressions that have rules are left unknown. What is known
    /// before automata are built suffices.
    ///
    /// PERF: "a name that matches a pattern, but none of these" is without number if the pattern is, and so are most
    /// intersections and complements of schemas.
    pub(crate) fn extents(&self, grammar: &Grammar, order: &Order) -> Vec<Extent> {
        use Extent::{Cofinite, Finite, Infinite, Unknown};
        let mut extents = vec![Unknown; grammar.n_exprs()];
        // Whether it certainly matches some text.
        let mut productive = vec![false; grammar.n_exprs()];
        let is_asked = |id: &ExprId| order.is_used[id.index()] && !grammar.properties(*id).has_rules;
        for id in grammar.expr_ids().filter(is_asked) {
            let of = |part: &ExprId| extents[part.index()];
            let all_are = |parts: &[ExprId], extent| parts.iter().all(|part| of(part) == extent);
            extents[id.index()] = match grammar.expr(id) {
                Expr::Not(body) => match of(body) {
                    Finite => Cofinite,
                    Cofinite => Finite,
                    _ => Unknown,
                },
                Expr::And(parts) => {
                    let mut others = parts.iter().filter(|part| of(part) != Cofinite);
                    match (others.next(), others.next()) {
                        _ if parts.iter().any(|part| of(part) == Finite) => Finite,
                        (None, _) => Cofinite,
                        (Some(only), None) => of(only),
                        _ => Unknown,
                    }
                }
                Expr::Alt(parts) if all_are(parts, Finite) => Finite,
                Expr::Alt(parts) if parts.iter().any(|part| of(part) == Cofinite) => Cofinite,
                Expr::Alt(parts) if parts.iter().any(|part| of(part) == Infinite) => Infinite,
                Expr::Seq(parts) if all_are(parts, Finite) => Finite,
                Expr::Seq(parts) if parts.iter().any(|part| of(part).is_infinite()) => {
                    if parts.iter().all(|part| productive[part.index()]) { Infinite } else { Unknown }
                }
                Expr::Repeat { body, max: Some(_), .. } if of(body) == Finite => Finite,
                Expr::Repeat { body, .. } if of(body).is_infinite() => Infinite,
                Expr::Repeat { body, max: None, .. } if productive[body.index()] && !self.nullable(*body) => {
                    Infinite
                }
                Expr::JsonText(body) => match of(body) {
                    Finite => Finite,
                    extent if extent.is_infinite() => Infinite,
                    _ => Unknown,
                },
                Expr::Empty | Expr::Never | Expr::Bytes(_) | Expr::Class(_) => Finite,
                _ => Unknown,
            };
            let is_leaf = matches!(grammar.expr(id), Expr::Bytes(_) | Expr::Class(_));
            productive[id.index()] = is_leaf
                || extents[id.index()].is_infinite()
                || self.nullable(id)
                || match grammar.expr(id) {
                    Expr::Seq(parts) => parts.iter().all(|part| productive[part.index()]),
                    Expr::Alt(parts) => parts.iter().any(|part| productive[part.index()]),
                    Expr::Repeat { body, .. } | Expr::JsonText(body) => productive[body.index()],
                    _ => false,
                };
        }
        extents
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

fn body(grammar: &Grammar, rule: RuleId) -> usize {
    grammar.rule(rule).body().index()
}

/// The number of a member.
pub(crate) fn number(grammar: &Grammar, expr: ExprId) -> Option<u32> {
    match grammar.expr(expr) {
        Expr::Member { number, .. } => Some(*number),
        _ => None,
    }
}

fn is_nullable(grammar: &Grammar, id: ExprId, nullable: &[bool]) -> bool {
    match grammar.expr(id) {
        Expr::Empty | Expr::Repeat { min: 0, .. } => true,
        Expr::Until(until) => until.ends(),
        Expr::Repeat { body, .. } | Expr::JsonText(body) => nullable[body.index()],
        Expr::Seq(parts) => parts.iter().all(|part| nullable[part.index()]),
        Expr::Alt(parts) => parts.iter().any(|part| nullable[part.index()]),
        Expr::Set { parts, conditions } => {
            let at_once = || Membership::of(conditions, []).standing(&[]).is_ok_and(|empty| empty.may_end);
            nullable[parts[0].index()] && at_once()
        }
        Expr::Member { body, .. } => nullable[body.index()],
        Expr::Machine(machine) => machine.start().is_some_and(|start| machine.may_end(start)),
        Expr::Rule(rule) => nullable[body(grammar, *rule)],
        _ => false,
    }
}

fn is_productive(
    grammar: &Grammar,
    id: ExprId,
    productive: &[bool],
    arms: &HashMap<ExprId, Vec<ExprId>>,
) -> bool {
    match grammar.expr(id) {
        Expr::Empty | Expr::Bytes(_) | Expr::ByteClass(_) | Expr::Class(_) | Expr::Repeat { min: 0, .. } => {
            true
        }
        Expr::Tag(_) | Expr::Machine(_) => true,
        Expr::Until(until) => {
            let mut arms = arms.get(&id).into_iter().flatten();
            until.ends() || arms.any(|arm| productive[arm.index()])
        }
        Expr::Repeat { body, .. } | Expr::JsonText(body) => productive[body.index()],
        Expr::Seq(parts) => parts.iter().all(|part| productive[part.index()]),
        Expr::Alt(parts) => parts.iter().any(|part| productive[part.index()]),
        Expr::Set { parts, conditions } => {
            if !productive[parts[0].index()] {
                return false;
            }
            let possible = parts[1..].iter().filter(|part| productive[part.index()]);
            let possible: HashSet<u32> = possible.filter_map(|&part| number(grammar, part)).collect();
            match conditions.is_plain() {
                true => conditions.required().iter().all(|required| possible.contains(required)),
                // Where it is too hard to tell, building the automaton says so.
                false => Membership::of(conditions, possible).is_completable(&[]).unwrap_or(true),
            }
        }
        Expr::Member { body, .. } => productive[body.index()],
        Expr::Rule(rule) => productive[body(grammar, *rule)],
        _ => false,
    }
}

fn is_nonempty(grammar: &Grammar, id: ExprId, productive: &[bool], nonempty: &[bool]) -> bool {
    match grammar.expr(id) {
        Expr::Bytes(_) | Expr::ByteClass(_) | Expr::Class(_) => true,
        Expr::Tag(_) => true,
        // Where the text may end it may be any, and a trigger is no empty text.
        Expr::Until(_) => productive[id.index()],
        Expr::Repeat { body, .. } | Expr::JsonText(body) => nonempty[body.index()],
        Expr::Seq(parts) => productive[id.index()] && parts.iter().any(|part| nonempty[part.index()]),
        Expr::Alt(parts) => parts.iter().any(|part| nonempty[part.index()]),
        Expr::Set { parts, .. } => productive[id.index()] && nonempty[parts[0].index()],
        Expr::Member { body, .. } => nonempty[body.index()],
        Expr::Machine(machine) => !machine_first(machine).is_empty(),
        Expr::Rule(rule) => nonempty[body(grammar, *rule)],
        _ => false,
    }
}

fn first_of(grammar: &Grammar, id: ExprId, nullable: &[bool], first: &[ByteSet]) -> ByteSet {
    match grammar.expr(id) {
        Expr::Bytes(bytes) => bytes.first().map_or(ByteSet::EMPTY, |&byte| ByteSet::range(byte, byte)),
        Expr::ByteClass(set) => *set,
        Expr::Class(class) => leads(class),
        Expr::Repeat { body, .. } => first[body.index()],
        Expr::JsonText(body) => spelled(&first[body.index()]),
        Expr::Seq(parts) => {
            let mut all = ByteSet::EMPTY;
            for part in parts {
                all = all.union(&first[part.index()]);
                if !nullable[part.index()] {
                    break;
                }
            }
            all
        }
        Expr::Alt(parts) => parts.iter().fold(ByteSet::EMPTY, |all, part| all.union(&first[part.index()])),
        Expr::And(parts) => {
            parts.iter().fold(ByteSet::FULL, |all, part| all.intersection(&first[part.index()]))
        }
        Expr::Not(_) | Expr::Until(_) => ByteSet::FULL,
        // A name at the beginning is no byte; then this is one too many.
        Expr::Tag(tag) => tag.bytes().next().map_or(ByteSet::EMPTY, |byte| ByteSet::range(byte, byte)),
        Expr::Set { parts, .. } => first[parts[0].index()],
        Expr::Machine(machine) => machine_first(machine),
        Expr::Member { body, .. } => first[body.index()],
        Expr::Rule(rule) => first[body(grammar, *rule)],
        _ => ByteSet::EMPTY,
    }
}

/// The first bytes of the characters of a class in UTF-8.
/// The bytes with which the texts of a machine begin.
fn machine_first(machine: &SharedMachine) -> ByteSet {
    machine.start().into_iter().flat_map(|start| machine.bytes_after(start)).map(|(byte, _)| byte).collect()
}

fn leads(class: &CharClass) -> ByteSet {
    let mut set = ByteSet::EMPTY;
    for &(low, high) in class.ranges() {
        let lead = |c: char| c.encode_utf8(&mut [0; 4]).as_bytes()[0];
        set.insert_range(lead(low), lead(high));
    }
    set
}

/// The bytes with which JSON spellings of texts may begin that begin with these.
pub(crate) fn spelled(first: &ByteSet) -> ByteSet {
    if first.is_empty() {
        return ByteSet::EMPTY;
    }
    let mut set = first.difference(&ByteSet::range(0, 0x1F));
    set = set.difference(&ByteSet::range(b'"', b'"'));
    set.insert(b'\\');
    set
}

/// The bytes with which the texts of a unit may begin.
pub(crate) fn first_bytes(grammar: &Grammar, facts: &Facts, plan: &Plan, unit: &Unit) -> ByteSet {
    let spell = |first: ByteSet, spelling| match spelling {
        Spelling::Json => spelled(&first),
        _ => first,
    };
    match unit {
        Unit::Rule(rule) | Unit::Region(rule) => facts.first_of([&grammar.rule(*rule).body()]),
        Unit::Recursive(rule) => {
            let parts = plan.split(*rule).map_or(&[][..], |split| &split.recursive[..]);
            parts.iter().fold(ByteSet::EMPTY, |all, part| all.union(&facts.first_of([part])))
        }
        Unit::Set(expr) | Unit::Machine(expr) => facts.first_of([expr]),
        Unit::Body(expr, spelling) => spell(facts.first_of([expr]), *spelling),
        Unit::Counted { shape, .. } => {
            let first_of = |parts: &[Spelled]| {
                let mut all = ByteSet::EMPTY;
                for (part, spelling) in parts {
                    all = all.union(&spell(facts.first_of([part]), *spelling));
                    if !facts.nullable(*part) {
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
                Body::Repeated(body) => facts.first_of([body]),
                Body::Measured(parts) => {
                    parts.iter().fold(ByteSet::FULL, |all, part| all.intersection(&facts.first_of([part])))
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
        let rules: Vec<RuleId> = (0..N).map(|i| b.declare(&format!("r{i}"), Place::none())).collect();
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
        assert_eq!(order.exprs().count(), order.is_used().iter().filter(|used| **used).count());
        assert!(order.components.iter().any(|component| component.len() > 3 * N), "the rules are a circle");
        let nullable = Facts::nullable_of(&grammar, &order, &Library::default());
        let facts = nullable
            .completed(&grammar, &order, &Library::default(), &AnySymbols, |_| Ok::<_, ()>((true, true)));
        let facts = facts.expect("nothing asks");
        for rule in grammar.rules() {
            let body = rule.body();
            assert!(facts.productive(body) && facts.nonempty(body) && !facts.nullable(body));
            assert_eq!(facts.first_of([&body]), "x(".bytes().collect());
        }
    }
}
