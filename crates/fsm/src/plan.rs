//! Which rules keep an automaton of their own and which are put in line where they are used.
//!
//! A rule boundary is where automata are shared, and where masks get expensive: what may come after the end of a rule
//! depends on who asked for it. So:
//! - of each cycle of rules at least one is kept (a feedback set, chosen greedily);
//! - a rule whose frontend says [`Sharing::Keep`] is kept: other grammars have the same;
//! - an *open* rule, one that may be longer than its shortest end (a word, a number, white space), goes in line: as a
//!   rule it would put a boundary behind each of its bytes;
//! - a *closed* rule, whose end is decided by its own last byte (a string, an object), goes in line when it is small or
//!   used once, and is kept when it is large and shared.
//!
//! "Closed" is judged from the shape, which can err; only the cost depends on it.
//!
//! Rules that end with each other and refer to each other nowhere else (`a ::= "x" b | "y"`, `b ::= "z" a`) are no cycle
//! either: their tail calls are jumps inside one automaton. They are treated as one rule (see [`tail_calls_only`]).
//!
//! Direct left recursion is no cycle here: `r ::= r x | y` is built as `y x*` (see [`left_recursion`]).

use crate::components::{Components, components};
use crate::config::Config;
use crate::facts::{Facts, Order, ReachedRules};
use crate::library::Library;
use crate::regions;
use formwork_grammar::{Expr, ExprId, Grammar, HashMap, HashSet, Rule, RuleId, Sharing};
use smallvec::SmallVec;
use std::sync::Arc;

/// Expanded size up to which a closed rule that is used more than once still goes in line.
const SMALL: u64 = 64;
/// Expanded size beyond which every rule is kept. Objects in objects would else be one automaton of any size, which grows
/// beyond its limit at the outermost, is built again there with rules kept, and so again at each one below.
const HUGE: u64 = 20_000;
/// Rules of one cycle up to which a feedback set is looked for; larger cycles keep all of their rules.
const MAX_CYCLE: usize = 512;

#[derive(Debug)]
pub(crate) struct Plan {
    keep: Vec<bool>,
    /// For a rule kept to cut a cycle: its alternatives that are not on the cycle, and those that are.
    splits: Arc<HashMap<RuleId, Split>>,
    /// Rules that lead back to themselves, not only at their ends; known where there are budgets, ascending.
    circles: Arc<[RuleId]>,
    captures: bool,
    /// The strongly connected components of the rules that are reached, callees first.
    components: Arc<Components>,
    /// The reference to the root, if there is one.
    to_root: Option<ExprId>,
    counters: bool,
    shared_escapes: bool,
    /// Repetitions whose upper bounds are left to whoever runs the automata; ascending.
    unbounded: Arc<[ExprId]>,
}

/// The alternatives of a rule in two parts.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    /// In line wherever the rule is used.
    pub(crate) plain: Vec<ExprId>,
    /// An automaton of their own.
    pub(crate) recursive: Vec<ExprId>,
    /// The last operands of the only recursive alternative, where they are open: in line behind each call.
    pub(crate) tail: Vec<ExprId>,
}

impl Plan {
    /// Whether references to `rule` are calls of its own automaton.
    pub(crate) fn keeps(&self, rule: RuleId) -> bool {
        self.keep[rule.index()]
    }

    /// The plan that keeps all rules; `unbounded` as [it is](unbounded).
    pub(crate) fn keeping_all(grammar: &Grammar, unbounded: &Arc<[ExprId]>, config: &Config) -> Self {
        Self {
            keep: vec![true; grammar.rules().len()],
            splits: Arc::default(),
            circles: Arc::default(),
            captures: config.captures,
            components: Arc::default(),
            to_root: None,
            counters: config.counters,
            shared_escapes: config.shared_escapes,
            unbounded: Arc::clone(unbounded),
        }
    }

    /// Of the rules that `order` reaches; `facts` say which expressions look closed.
    pub(crate) fn of(
        grammar: &Grammar,
        order: &Order,
        library: &Library,
        facts: &Facts,
        unbounded: Arc<[ExprId]>,
        config: &Config,
    ) -> Self {
        let n = grammar.rules().len();
        let ReachedRules { components, on_circle, count, to_root } = order.rules(grammar);
        // PERF: most grammars have no circles but those that are known.
        let uses = on_circle.contains(&true).then(|| Uses::of(grammar, library));
        let circle = |component: &[u32], on_circle: bool| {
            uses.as_ref().filter(|uses| on_circle && uses.are_recursive(component))
        };
        let circles = match regions::exist(grammar) {
            true => circles(grammar, &components, |i, component| circle(component, on_circle[i]).is_some()),
            false => Vec::new(),
        };
        // Regions are found again by their rules.
        let is_region = |rule: &Rule| regions::is_region(rule) || config.captures && rule.capture().is_some();
        let captures = config.captures;
        let components = Arc::new(components);
        if !config.inlining {
            return Self {
                circles: circles.into(),
                components,
                to_root,
                ..Self::keeping_all(grammar, &unbounded, config)
            };
        }
        let closed = |rule: usize| facts.closed(grammar.rules()[rule].body());
        let mut keep: Vec<bool> = grammar.rules().iter().map(is_region).collect();
        let mut size = vec![1u64; n];
        keep[grammar.root().index()] = true;
        for (rule, _) in library.known() {
            keep[rule.index()] = true;
        }
        let mut splits = HashMap::default();
        let mut measure = Measure::new(grammar);
        for (component, &on_circle) in components.iter().zip(&on_circle) {
            let uses = circle(component, on_circle);
            if let Some(uses) = uses.filter(|_| tail_calls_only(grammar, component)) {
                let inner: u64 = component
                    .iter()
                    .map(|&rule| {
                        let most = u64::MAX;
                        expanded_size(grammar, rule as usize, most, &keep, &size, &unbounded, &mut measure)
                    })
                    .sum();
                for (&rule, callers) in component.iter().zip(uses.callers_outside(component)) {
                    let rule = rule as usize;
                    let most = if closed(rule) { SMALL } else { HUGE };
                    size[rule] = inner;
                    keep[rule] |= callers > 1 && inner > most;
                }
                continue;
            }
            if let Some(uses) = uses {
                cut_cycles(grammar, component, uses, facts, &count, &mut keep);
                for &rule in component.iter().filter(|&&rule| keep[rule as usize]) {
                    let id = rule_id(rule);
                    let split = || split(grammar, id, component, facts);
                    if let Some(split) = (!is_region(grammar.rule(id))).then(split).flatten() {
                        splits.insert(id, split);
                    }
                }
            }
            // Callees come before callers, so the sizes of what is in line are known.
            for rule in callees_first(component, uses, &keep) {
                if keep[rule] {
                    continue;
                }
                let most = match (grammar.rules()[rule].sharing(), closed(rule)) {
                    (Sharing::Keep, _) => 2,
                    (_, true) if count[rule] > 1 => SMALL,
                    _ => HUGE,
                };
                // How large a rule is that is kept matters to nobody.
                size[rule] = expanded_size(grammar, rule, most, &keep, &size, &unbounded, &mut measure);
                keep[rule] = size[rule] > most;
            }
        }
        let (counters, shared_escapes) = (config.counters, config.shared_escapes);
        let (splits, circles) = (Arc::new(splits), circles.into());
        Self { keep, splits, circles, captures, components, to_root, counters, shared_escapes, unbounded }
    }

    /// The strongly connected components of the rules that are reached, callees first.
    pub(crate) fn components(&self) -> impl Iterator<Item = impl Iterator<Item = RuleId>> {
        self.components.iter().map(|component| component.iter().copied().map(rule_id))
    }

    /// The rules that are reached, callees first but for those on circles.
    pub(crate) fn rules(&self) -> impl Iterator<Item = RuleId> + '_ {
        self.components.nodes().iter().copied().map(rule_id)
    }

    /// The reference to the root, if something that the root uses refers to it.
    pub(crate) fn reference_to_root(&self) -> Option<ExprId> {
        self.to_root
    }

    /// How a kept rule is split where it is used, if it is.
    pub(crate) fn split(&self, rule: RuleId) -> Option<&Split> {
        self.splits.get(&rule)
    }

    /// Whether large repetitions are counted.
    pub(crate) fn counts(&self) -> bool {
        self.counters
    }

    /// Whether the JSON escapes of literals are automata of their own.
    pub(crate) fn shares_escapes(&self) -> bool {
        self.shared_escapes
    }

    /// Whether the upper bound of a repetition is left to whoever runs the automata.
    pub(crate) fn is_unbounded(&self, repetition: ExprId) -> bool {
        self.unbounded.binary_search(&repetition).is_ok()
    }

    /// The greatest number of times that a repetition repeats, as it is built.
    pub(crate) fn max_of(&self, repetition: ExprId, max: Option<u32>) -> Option<u32> {
        if self.is_unbounded(repetition) { None } else { max }
    }

    /// Whether a rule cannot be put in line, since it leads back to itself; known where there are budgets.
    pub(crate) fn is_circular(&self, rule: RuleId) -> bool {
        self.circles.binary_search(&rule).is_ok()
    }

    /// Whether references to the rule must stay calls of that rule, since it captures.
    pub(crate) fn captures(&self, grammar: &Grammar, rule: RuleId) -> bool {
        self.captures && grammar.rule(rule).capture().is_some()
    }

    /// Puts every rule in line and counts nothing: how [regions](crate::regions) are built.
    pub(crate) fn in_line(&self) -> Self {
        let (circles, components) = (Arc::clone(&self.circles), Arc::clone(&self.components));
        Self {
            keep: vec![false; self.keep.len()],
            splits: Arc::default(),
            circles,
            captures: false,
            components,
            to_root: self.to_root,
            counters: false,
            shared_escapes: false,
            unbounded: Arc::clone(&self.unbounded),
        }
    }

    /// Keeps every rule: what a rule falls back to whose automaton grew too large with others in line. Rules stay split,
    /// since what falls back may be the recursive half of one.
    pub(crate) fn without_inlining(&self) -> Self {
        let (splits, components) = (Arc::clone(&self.splits), Arc::clone(&self.components));
        let (unbounded, circles) = (Arc::clone(&self.unbounded), Arc::clone(&self.circles));
        Self { keep: vec![true; self.keep.len()], splits, components, unbounded, circles, ..*self }
    }
}

/// Repetitions whose upper bounds are left to whoever runs the automata; ascending.
pub(crate) fn unbounded(grammar: &Grammar, config: &Config) -> Arc<[ExprId]> {
    let runs = if config.runs { grammar.bounded_runs() } else { &[] };
    let mut unbounded: Vec<ExprId> = runs.iter().flat_map(|run| run.repetitions().iter().copied()).collect();
    unbounded.sort_unstable();
    unbounded.into()
}

/// The rules on circles that cannot be put in line; `is_recursive` says of components whether they are circles.
fn circles(
    grammar: &Grammar,
    components: &Components,
    is_recursive: impl Fn(usize, &[u32]) -> bool,
) -> Vec<RuleId> {
    let is_circle = |&(i, component): &(usize, &[u32])| {
        is_recursive(i, component) && !tail_calls_only(grammar, component)
    };
    let circles = components.iter().enumerate().filter(is_circle).flat_map(|(_, component)| component);
    let mut circles: Vec<RuleId> = circles.copied().map(rule_id).collect();
    circles.sort_unstable();
    circles
}

/// Whether the rules of a cyclic component refer to each other only at their ends, and can end otherwise.
fn tail_calls_only(grammar: &Grammar, component: &[u32]) -> bool {
    let mut seen = HashSet::default();
    let mut stack: Vec<(ExprId, bool)> = Vec::new();
    for &rule in component {
        let id = rule_id(rule);
        if grammar.rule(id).sharing() == Sharing::Keep {
            return false;
        }
        stack.push((grammar.rule(id).body(), true));
    }
    let mut has_exit = false;
    while let Some((expr, is_end)) = stack.pop() {
        if !seen.insert((expr, is_end)) {
            continue;
        }
        match grammar.expr(expr) {
            Expr::Rule(callee) if component.binary_search(&(callee.index() as u32)).is_ok() => {
                if !is_end {
                    return false;
                }
            }
            Expr::Alt(parts) => stack.extend(parts.iter().map(|&part| (part, is_end))),
            Expr::Repeat { body, max: Some(1), .. } => {
                has_exit |= is_end;
                stack.push((*body, is_end));
            }
            Expr::Seq(parts) => {
                let last = parts.len() - 1;
                stack.extend(parts.iter().enumerate().map(|(i, &part)| (part, is_end && i == last)));
            }
            other => {
                has_exit |= is_end;
                if grammar.properties(expr).has_rules {
                    stack.extend(operands(other).iter().map(|&operand| (operand, false)));
                }
            }
        }
    }
    has_exit
}

/// Expanded size up to which the alternatives off the cycle go in line.
const MAX_PLAIN: u32 = 200;

/// Splits `atom ::= [a-z] | "(" list ")"`: only the alternatives on the cycle need an automaton of their own.
///
/// As one rule in `list ::= atom*`, it would end after every character, and every mask would be a walk of the vocabulary.
/// Where all alternatives are on the cycle, or the rule is wanted whole or left-recursive, no alternative is split off.
///
/// Of `block ::= "{" item* "}" ws` the white space is split off, for the same reason: the rule would end after each blank,
/// and so would every one around it.
fn split(grammar: &Grammar, rule: RuleId, component: &[u32], facts: &Facts) -> Option<Split> {
    let body = grammar.rule(rule).body();
    let whole = [body];
    let parts: &[ExprId] = match grammar.expr(body) {
        Expr::Alt(parts) => parts,
        _ => &whole,
    };
    if grammar.rule(rule).sharing() == Sharing::Keep || left_recursion(grammar, rule).is_some() {
        return None;
    }
    let mut on_cycle: HashMap<ExprId, bool> = HashMap::default();
    let mut decide = |expr: ExprId| {
        let mut stack = vec![(expr, false)];
        while let Some((expr, decided)) = stack.pop() {
            if decided {
                let below = operands(grammar.expr(expr)).iter().any(|operand| on_cycle[operand]);
                let own = matches!(grammar.expr(expr), Expr::Rule(callee) if component.binary_search(&(callee.index() as u32)).is_ok());
                on_cycle.insert(expr, below || own);
            } else if !on_cycle.contains_key(&expr) {
                stack.push((expr, true));
                stack.extend(operands(grammar.expr(expr)).iter().map(|operand| (*operand, false)));
            }
        }
        on_cycle[&expr]
    };
    let (recursive, plain): (Vec<ExprId>, Vec<ExprId>) =
        parts.iter().copied().partition(|&part| decide(part));
    let size = plain.iter().map(|&part| grammar.properties(part).tree_size).fold(0, u32::saturating_add);
    if size > MAX_PLAIN || recursive.is_empty() {
        return None;
    }
    let mut tail = Vec::new();
    if let [only] = recursive[..] {
        if let Expr::Seq(operands) = grammar.expr(only) {
            let is_open = |operand: &&ExprId| !decide(**operand) && !facts.closed(**operand);
            let n_open = operands.iter().rev().take_while(is_open).count();
            let (head, open) = operands.split_at(operands.len() - n_open);
            let size =
                open.iter().map(|&part| grammar.properties(part).tree_size).fold(0, u32::saturating_add);
            // What remains must not match the empty text.
            let reads = |part: &ExprId| {
                matches!(grammar.expr(*part), Expr::Bytes(_) | Expr::ByteClass(_) | Expr::Class(_))
            };
            if head.iter().any(reads) && size <= MAX_PLAIN {
                tail = open.to_vec();
            }
        }
    }
    (!plain.is_empty() || !tail.is_empty()).then_some(Split { plain, recursive, tail })
}

/// For `r ::= r x1 | r x2 | y1 | y2`: the parts behind the leading `r`, and the other alternatives.
///
/// The least solution is `(y1 | y2) (x1 | x2)*`, whatever x and y are. `None` if no alternative begins with `r`.
pub(crate) fn left_recursion(grammar: &Grammar, rule: RuleId) -> Option<(Vec<&[ExprId]>, Vec<ExprId>)> {
    let body = grammar.rule(rule).body();
    let whole = [body];
    let parts: &[ExprId] = match grammar.expr(body) {
        Expr::Alt(parts) => parts,
        _ => &whole,
    };
    let is_self = |expr: ExprId| matches!(grammar.expr(expr), Expr::Rule(r) if *r == rule);
    let begins_with_self = |part: &ExprId| match grammar.expr(*part) {
        Expr::Seq(operands) => is_self(operands[0]),
        _ => is_self(*part),
    };
    if !parts.iter().any(begins_with_self) {
        return None;
    }
    let (mut tails, mut others) = (Vec::new(), Vec::new());
    for &part in parts {
        match grammar.expr(part) {
            Expr::Seq(operands) if is_self(operands[0]) => tails.push(&operands[1..]),
            // `r ::= r` adds nothing.
            _ if is_self(part) => tails.push(&[]),
            _ => others.push(part),
        }
    }
    Some((tails, others))
}

/// A rule by its position among the rules.
fn rule_id(rule: u32) -> RuleId {
    RuleId::from_index(rule as usize).expect("a position among the rules")
}

/// Who uses whom.
#[derive(Debug)]
struct Uses {
    /// Per rule its part of `callees`: the rules it refers to, without its own leading references; sorted, each once.
    callees_of: Vec<(u32, u32)>,
    callees: Vec<u32>,
    /// Per rule the number of reachable rules that refer to it.
    n_callers: Vec<u32>,
}

impl Uses {
    fn of(grammar: &Grammar, library: &Library) -> Self {
        let n = grammar.rules().len();
        let (mut callees_of, mut callees) = (vec![(0, 0); n], Vec::new());
        let mut reachable = vec![false; n];
        let mut seen_by = vec![u32::MAX; grammar.n_exprs()];
        let mut rules = vec![grammar.root()];
        reachable[grammar.root().index()] = true;
        let mut stack: Vec<ExprId> = Vec::new();
        while let Some(rule) = rules.pop() {
            if library.knows(rule) {
                continue;
            }
            match left_recursion(grammar, rule) {
                Some((tails, others)) => {
                    stack.extend(others);
                    stack.extend(tails.into_iter().flatten());
                }
                None => stack.push(grammar.rule(rule).body()),
            }
            let number = rule.index() as u32;
            let first = callees.len();
            while let Some(expr) = stack.pop() {
                if std::mem::replace(&mut seen_by[expr.index()], number) == number {
                    continue;
                }
                if let Expr::Rule(callee) = grammar.expr(expr) {
                    callees.push(callee.index() as u32);
                    if !std::mem::replace(&mut reachable[callee.index()], true) {
                        rules.push(*callee);
                    }
                }
                let has_rules = |operand: &&ExprId| grammar.properties(**operand).has_rules;
                stack.extend(operands(grammar.expr(expr)).iter().filter(has_rules));
            }
            // There is one expression for all references to a rule, so each is met once.
            callees[first..].sort_unstable();
            callees_of[rule.index()] = (first as u32, callees.len() as u32);
        }
        let mut n_callers = vec![0u32; n];
        for &callee in &callees {
            n_callers[callee as usize] += 1;
        }
        Self { callees_of, callees, n_callers }
    }

    fn callees(&self, rule: usize) -> &[u32] {
        let (first, end) = self.callees_of[rule];
        &self.callees[first as usize..end as usize]
    }

    /// Whether the rules of a component lead back to themselves.
    fn are_recursive(&self, component: &[u32]) -> bool {
        component.len() > 1 || component.iter().any(|&rule| self.callees(rule as usize).contains(&rule))
    }

    /// How many rules outside a component call each rule of it.
    fn callers_outside(&self, component: &[u32]) -> Vec<u32> {
        let mut callers: Vec<u32> = component.iter().map(|&rule| self.n_callers[rule as usize]).collect();
        for &caller in component {
            for callee in self.callees(caller as usize) {
                if let Ok(i) = component.binary_search(callee) {
                    callers[i] -= 1;
                }
            }
        }
        callers
    }
}

/// The direct operands of an expression.
pub(crate) fn operands(expr: &Expr) -> &[ExprId] {
    expr.operands()
}

/// The rules of a component whose cycles are cut, those first that others have in line.
fn callees_first(component: &[u32], uses: Option<&Uses>, keep: &[bool]) -> SmallVec<[usize; 4]> {
    let (&[_, _, ..], Some(uses)) = (component, uses) else {
        return component.iter().map(|&rule| rule as usize).collect();
    };
    let in_line = |i: u32| {
        let callees = uses.callees(component[i as usize] as usize).iter();
        let inside = callees.filter(|&&callee| !keep[callee as usize]);
        inside.filter_map(|callee| component.binary_search(callee).ok()).map(|i| i as u32)
    };
    let order = components(component.len(), in_line);
    order.nodes().iter().map(|&i| component[i as usize] as usize).collect()
}

/// Keeps rules of a cyclic component until what remains has no cycle: rules first that are closed, without an open tail at
/// least, of these those that can be [split](split), then those used most. (`item ::= atom` is as closed as `atom` and
/// cannot be split: kept, it would end after every character.)
fn cut_cycles(
    grammar: &Grammar,
    component: &[u32],
    uses: &Uses,
    facts: &Facts,
    count: &[u32],
    keep: &mut [bool],
) {
    if component.len() > MAX_CYCLE {
        for &rule in component {
            keep[rule as usize] = true;
        }
        return;
    }
    let closed = |rule: u32| facts.closed(grammar.rules()[rule as usize].body());
    // Per rule that can be split whether it is closed without its tail.
    let splits: HashMap<u32, bool> = component
        .iter()
        .filter_map(|&rule| {
            let split = split(grammar, rule_id(rule), component, facts)?;
            Some((rule, !split.tail.is_empty()))
        })
        .collect();
    let mut pending = vec![component.to_vec()];
    while let Some(members) = pending.pop() {
        let free: Vec<u32> = members.into_iter().filter(|&rule| !keep[rule as usize]).collect();
        let local = |i: u32| {
            let callees = uses.callees(free[i as usize] as usize).iter();
            callees.filter_map(|callee| free.binary_search(callee).ok()).map(|i| i as u32)
        };
        for part in components(free.len(), local).sorted().iter() {
            let cyclic = part.len() > 1 || part.iter().any(|&i| local(i).any(|callee| callee == i));
            if !cyclic {
                continue;
            }
            let part: Vec<u32> = part.iter().map(|&i| free[i as usize]).collect();
            let choice = part
                .iter()
                .copied()
                .max_by_key(|&rule| {
                    (
                        closed(rule) || splits.get(&rule) == Some(&true),
                        splits.contains_key(&rule),
                        count[rule as usize],
                        std::cmp::Reverse(rule),
                    )
                })
                .expect("a cyclic component is not empty");
            keep[choice as usize] = true;
            pending.push(part);
        }
    }
}

/// What sizes of rules are measured with.
struct Measure {
    /// Per expression the rule that met it last, as often as its callers; and those met so many times over.
    met_by: Vec<u32>,
    repeated: HashSet<(ExprId, u64)>,
    stack: Vec<(ExprId, u64)>,
}

impl Measure {
    fn new(grammar: &Grammar) -> Self {
        let stack = Vec::with_capacity(grammar.n_exprs().min(64));
        Self { met_by: vec![u32::MAX; grammar.n_exprs()], repeated: HashSet::default(), stack }
    }

    /// Whether the rule meets the expression for the first time with this factor.
    fn meets(&mut self, rule: usize, expr: ExprId, factor: u64) -> bool {
        match factor {
            1 => std::mem::replace(&mut self.met_by[expr.index()], rule as u32) != rule as u32,
            _ => self.repeated.insert((expr, factor)),
        }
    }
}

/// Nodes of a rule's body with all that goes in line written out, each shared tail once; saturating. If they are more than `most`,
/// some number greater than that.
fn expanded_size(
    grammar: &Grammar,
    rule: usize,
    most: u64,
    keep: &[bool],
    size: &[u64],
    unbounded: &[ExprId],
    measure: &mut Measure,
) -> u64 {
    let id = RuleId::from_index(rule).expect("a position among the rules");
    let mut stack = std::mem::take(&mut measure.stack);
    measure.repeated.clear();
    stack.push((grammar.rule(id).body(), 1u64));
    let mut total = 0u64;
    while let Some((expr, factor)) = stack.pop().filter(|_| total <= most) {
        if !measure.meets(rule, expr, factor) {
            continue;
        }
        let own = match grammar.expr(expr) {
            Expr::Bytes(bytes) => bytes.len() as u64,
            Expr::Tag(text) => text.len() as u64,
            Expr::Until(until) => until.n_bytes() as u64,
            // A call.
            Expr::Set { .. } | Expr::Machine(_) => {
                total = total.saturating_add(factor);
                continue;
            }
            Expr::Rule(callee) if !keep[callee.index()] => size[callee.index()],
            // Spelled, every character is several; and strings are what grammars have in common.
            Expr::JsonText(_) => 56,
            _ => 1,
        };
        total = total.saturating_add(own.saturating_mul(factor));
        let factor = match grammar.expr(expr) {
            Expr::Repeat { min, max, .. } if unbounded.binary_search(&expr).is_err() => {
                factor.saturating_mul(u64::from((*min).max(max.unwrap_or(1)).min(48)))
            }
            _ => factor,
        };
        stack.extend(operands(grammar.expr(expr)).iter().map(|operand| (*operand, factor)));
    }
    stack.clear();
    measure.stack = stack;
    total
}
