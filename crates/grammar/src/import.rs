//! Puts a grammar into another, rules that are there already left out.
//!
//! A grammar of a thousand tools has a thousand schemas, each with the same rules for strings, numbers and any value. As rules
//! of their own they would be compiled a thousand times. So a rule that means the same as one imported before becomes that
//! one.
//!
//! Which rules may be the same says a *colour*: a hash of the body in which the colours of the rules referred to stand for
//! them, refined a few times. Whether they are is decided by comparing the bodies, taking two rules for the same as long as
//! they are being compared (rules that call each other are equal unless something else tells them apart).
//!
//! What a comparison finds holds wherever the two grammars meet again, so a [`Part`] remembers it: two rules of parts with
//! the same *meaning*, a number, were once found to be the same.

use crate::builder::GrammarBuilder;
use crate::collections::{HashMap, Seeded};
use crate::grammar::Region;
use crate::library::Library;
use crate::{Expr, ExprId, Grammar, Place, RuleId};
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rounds of refinement: rules that only differ further away are told apart by the comparison.
const ROUNDS: usize = 2;
/// Rules of one colour that are compared.
const MAX_COMPARED: usize = 4;

/// What was imported so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imported {
    /// Rules by colour.
    rules: HashMap<u64, Vec<RuleId>>,
    /// Rules by meaning, and the meanings of rules, 0 if none is known.
    by_meaning: HashMap<u64, RuleId>,
    meanings: Vec<u64>,
    /// What rules of libraries are here.
    pub(crate) libraries: Vec<(Library, Vec<Option<RuleId>>)>,
}

/// A grammar that is imported again and again: what [`import`](GrammarBuilder::import) finds out about it is kept.
#[derive(Clone, Debug)]
pub struct Part {
    grammar: Grammar,
    reachable: Vec<RuleId>,
    colours: Vec<u64>,
    meanings: Meanings,
    borrowed: Borrowed,
}

/// The rules of a part that stand for rules of a library, which the part does not have itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Borrowed {
    pub(crate) library: Option<Library>,
    /// The part's, and the library's.
    pub(crate) rules: Vec<(RuleId, RuleId)>,
}

/// Per rule of a part its meaning, 0 as long as it has none.
///
/// Whatever is written here was true before and stays true, so in which order threads read and write it does not matter.
#[derive(Clone, Debug)]
struct Meanings(Arc<[AtomicU64]>);

impl Meanings {
    fn none(n_rules: usize) -> Self {
        Self((0..n_rules).map(|_| AtomicU64::new(0)).collect())
    }

    fn of(&self, rule: RuleId) -> Option<u64> {
        self.0
            .get(rule.index())
            .map(|meaning| meaning.load(Ordering::Relaxed))
            .filter(|&meaning| meaning != 0)
    }

    fn set(&self, rule: RuleId, meaning: u64) {
        if let Some(place) = self.0.get(rule.index()) {
            place.store(meaning, Ordering::Relaxed);
        }
    }

    /// The meaning of a rule; one that no other rule has if it has none yet.
    fn or_new(&self, rule: RuleId) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.of(rule).unwrap_or_else(|| {
            let meaning = NEXT.fetch_add(1, Ordering::Relaxed);
            self.set(rule, meaning);
            meaning
        })
    }
}

impl Part {
    /// A grammar as a part of others.
    ///
    /// Cost: linear in the grammar.
    pub fn new(grammar: Grammar) -> Self {
        Self::borrowing(grammar, Borrowed::default())
    }

    pub(crate) fn borrowing(grammar: Grammar, borrowed: Borrowed) -> Self {
        let reachable = reachable(&grammar, grammar.root());
        let colours = colours(&grammar, &reachable, &borrowed);
        let meanings = Meanings::none(grammar.rules().len());
        Self { grammar, reachable, colours, meanings, borrowed }
    }

    pub(crate) fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// The numbers of its rules and expressions, without those of a library.
    pub fn size(&self) -> (usize, usize) {
        (self.grammar.rules().len(), self.grammar.n_exprs())
    }

    pub(crate) fn colour(&self, rule: RuleId) -> u64 {
        self.colours[rule.index()]
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
        let reachable = reachable(grammar, grammar.root());
        let colours = colours(grammar, &reachable, &Borrowed::default());
        let matching = self.import_rules(grammar, &reachable, &colours, None, place, Matching::new(grammar));
        matching.imported(grammar.root())
    }

    /// [`import`](Self::import) of a grammar that is imported again and again.
    ///
    /// Cost: linear in the other grammar, about a third of `import`'s.
    pub fn import_part(&mut self, part: &Part, place: impl Fn(&Place) -> Place) -> RuleId {
        let mut matching = Matching::new(&part.grammar);
        if let Borrowed { library: Some(library), rules } = &part.borrowed {
            for &(theirs, of_library) in rules {
                matching.rules[theirs.index()] = Some(self.import_of_library(library, of_library));
            }
        }
        let Part { grammar, reachable, colours, meanings, .. } = part;
        let matching = self.import_rules(grammar, reachable, colours, Some(meanings), place, matching);
        matching.imported(grammar.root())
    }

    /// A rule of a library, put into this grammar with all that it refers to when it is first asked for.
    fn import_of_library(&mut self, library: &Library, rule: RuleId) -> RuleId {
        let known = self.imported.libraries.iter().position(|(known, _)| known.is(library));
        let known = known.unwrap_or_else(|| {
            let none = vec![None; library.part().grammar.rules().len()];
            self.imported.libraries.push((library.clone(), none));
            self.imported.libraries.len() - 1
        });
        if let Some(ours) = self.imported.libraries[known].1[rule.index()] {
            return ours;
        }
        let Part { grammar, colours, meanings, .. } = library.part();
        let reachable = reachable(grammar, rule);
        let matching = Matching::new(grammar);
        let matching =
            self.import_rules(grammar, &reachable, colours, Some(meanings), Place::clone, matching);
        for theirs in reachable {
            self.imported.libraries[known].1[theirs.index()] = matching.ours(theirs);
        }
        matching.imported(rule)
    }

    /// Puts rules into this grammar, all that they refer to among them, unless the matching has them or finds them.
    fn import_rules(
        &mut self,
        grammar: &Grammar,
        reachable: &[RuleId],
        colours: &[u64],
        meanings: Option<&Meanings>,
        place: impl Fn(&Place) -> Place,
        mut matching: Matching,
    ) -> Matching {
        if let Some(meanings) = meanings {
            for &rule in reachable {
                if matching.ours(rule).is_some() {
                    continue;
                }
                let known = meanings.of(rule).and_then(|meaning| self.imported.by_meaning.get(&meaning));
                matching.rules[rule.index()] = known.copied();
            }
        }
        // From the last to the first, so that what a rule refers to is often there when the rule is.
        for &rule in reachable.iter().rev() {
            if matching.ours(rule).is_some() {
                continue;
            }
            let same = self.imported.rules.get(&colours[rule.index()]).map(Vec::as_slice).unwrap_or_default();
            // The first that is the same is all that is looked for.
            let _ = same
                .iter()
                .rev()
                .take(MAX_COMPARED)
                .any(|&candidate| self.is_same(grammar, rule, candidate, &mut matching));
        }
        let new: Vec<RuleId> =
            reachable.iter().copied().filter(|&rule| matching.ours(rule).is_none()).collect();
        for &rule in &new {
            let from = grammar.rule(rule);
            let copy = self.declare(from.name(), place(from.place()));
            self.set_sharing(copy, from.sharing());
            if from.region != Region::default() {
                self.set_region(copy, from.region.clone());
            }
            matching.rules[rule.index()] = Some(copy);
            self.imported.rules.entry(colours[rule.index()]).or_default().push(copy);
        }
        if !new.is_empty() {
            let mut copies = Copies::of(vec![None; grammar.n_exprs()]);
            for &rule in &new {
                let body =
                    self.copy(|id| grammar.expr(id), grammar.rule(rule).body(), &matching.rules, &mut copies);
                if let Some(copy) = matching.ours(rule) {
                    self.define(copy, body);
                }
            }
        }
        if let Some(meanings) = meanings {
            self.imported.remember(meanings, reachable, &matching);
        }
        matching
    }

    /// The same expression in this grammar, if no rule is referred to in it; a reference becomes nothing at all.
    pub fn import_expr(&mut self, grammar: &Grammar, expr: ExprId) -> ExprId {
        self.copy(|id| grammar.expr(id), expr, &[], &mut Copies::of(vec![None; grammar.n_exprs()]))
    }

    /// The same of a grammar that is still being built. `copies` is what was imported from it before, by number, and grows by
    /// what is imported now.
    pub fn import_from(&mut self, other: &Self, expr: ExprId, copies: &mut Vec<Option<ExprId>>) -> ExprId {
        copies.resize(copies.len().max(expr.index() + 1), None);
        let mut all = Copies::of(std::mem::take(copies));
        let copy = self.copy(|id| other.expr(id), expr, &[], &mut all);
        *copies = all.made;
        copy
    }

    /// [`import_expr`](Self::import_expr) of the body of the root, with all that was made on the way to it and in the same
    /// order: as if it had been made here.
    pub fn import_whole(&mut self, grammar: &Grammar) -> ExprId {
        let mut copies = Copies::of(vec![None; grammar.n_exprs()]);
        for id in (0..grammar.n_exprs()).filter_map(ExprId::from_index) {
            self.copy(|id| grammar.expr(id), id, &[], &mut copies);
        }
        copies.made[grammar.rule(grammar.root()).body().index()].unwrap_or_else(|| self.never())
    }

    /// The same expression in this grammar.
    fn copy<'e>(
        &mut self,
        other: impl Fn(ExprId) -> &'e Expr,
        expr: ExprId,
        rules: &[Option<RuleId>],
        Copies { made: copies, todo }: &mut Copies,
    ) -> ExprId {
        todo.push(expr);
        while let Some(&id) = todo.last() {
            if copies[id.index()].is_some() {
                todo.pop();
                continue;
            }
            let from = other(id);
            let n_before = todo.len();
            todo.extend(from.operands().iter().filter(|operand| copies[operand.index()].is_none()));
            if todo.len() > n_before {
                continue;
            }
            let never = self.never();
            let of = |operand: &ExprId| copies[operand.index()].unwrap_or(never);
            let copy = match from {
                Expr::Empty => self.empty(),
                Expr::Never => never,
                Expr::Rule(rule) => match rules.get(rule.index()) {
                    Some(&Some(rule)) => self.rule(rule),
                    _ => never,
                },
                Expr::Seq(parts) => self.seq(parts.iter().map(of)),
                Expr::Alt(parts) => self.alt(parts.iter().map(of)),
                Expr::And(parts) => self.and(parts.iter().map(of)),
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

    /// Whether `theirs` means the same as `ours`; then what the rules below it are here is matched, too.
    fn is_same(&self, grammar: &Grammar, theirs: RuleId, ours: RuleId, matching: &mut Matching) -> bool {
        matching.exprs.resize(grammar.n_exprs(), None);
        let is_same = self.compare(grammar, theirs, ours, matching);
        if !is_same {
            matching.assumed.iter().for_each(|rule| matching.rules[rule.index()] = None);
        }
        matching.assumed.clear();
        matching.compared.drain(..).for_each(|expr| matching.exprs[expr.index()] = None);
        is_same
    }

    /// The comparison, which assumes what it has not refuted yet.
    fn compare(&self, grammar: &Grammar, theirs: RuleId, ours: RuleId, matching: &mut Matching) -> bool {
        matching.pairs.clear();
        let assume = |theirs: RuleId, ours: RuleId, matching: &mut Matching| {
            let (true, Some(body)) = (self.is_alike(grammar, theirs, ours), self.body(ours)) else {
                return false;
            };
            matching.rules[theirs.index()] = Some(ours);
            matching.assumed.push(theirs);
            matching.pairs.push((grammar.rule(theirs).body(), body));
            true
        };
        if !assume(theirs, ours, matching) {
            return false;
        }
        while let Some((theirs, ours)) = matching.pairs.pop() {
            match matching.exprs[theirs.index()] {
                Some(before) if before == ours => continue,
                Some(_) => return false,
                None => {}
            }
            matching.exprs[theirs.index()] = Some(ours);
            matching.compared.push(theirs);
            let (a, b) = (grammar.expr(theirs), self.expr(ours));
            match (a, b) {
                (Expr::Rule(a), Expr::Rule(b)) => match matching.ours(*a) {
                    Some(same) if same == *b => {}
                    Some(_) => return false,
                    None if assume(*a, *b, matching) => {}
                    None => return false,
                },
                // Operands of an intersection are in the order of the arena, which need not be the same.
                _ if !same_shape(a, b) => return false,
                _ => matching.pairs.extend(a.operands().iter().copied().zip(b.operands().iter().copied())),
            }
        }
        true
    }

    /// Whether rules are the same but for their bodies.
    fn is_alike(&self, grammar: &Grammar, theirs: RuleId, ours: RuleId) -> bool {
        let theirs = grammar.rule(theirs);
        theirs.sharing() == self.sharing(ours) && theirs.region == *self.region(ours)
    }
}

impl Imported {
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.libraries.is_empty()
    }

    /// Gives rules that are the same the same meaning.
    fn remember(&mut self, meanings: &Meanings, reachable: &[RuleId], matching: &Matching) {
        for &rule in reachable {
            let Some(ours) = matching.ours(rule) else { continue };
            if self.meanings.len() <= ours.index() {
                self.meanings.resize(ours.index() + 1, 0);
            }
            let meaning = match (self.meanings[ours.index()], meanings.of(rule)) {
                (0, _) => meanings.or_new(rule),
                (known, Some(same)) if known == same => continue,
                (known, other) => {
                    // Two meanings turn out to be one: the rule that came first keeps its own, and further rules of the
                    // other are found by it.
                    if let Some(other) = other {
                        self.by_meaning.insert(other, ours);
                    }
                    meanings.set(rule, known);
                    continue;
                }
            };
            self.meanings[ours.index()] = meaning;
            self.by_meaning.insert(meaning, ours);
        }
    }
}

/// What of another grammar was copied, by its expressions, and what is still to be.
struct Copies {
    made: Vec<Option<ExprId>>,
    todo: Vec<ExprId>,
}

impl Copies {
    fn of(made: Vec<Option<ExprId>>) -> Self {
        Self { made, todo: Vec::new() }
    }
}

/// What of a grammar is known to be here already.
struct Matching {
    /// By their rules, ours.
    rules: Vec<Option<RuleId>>,
    /// Of these, those that hold as long as the comparison at hand does.
    assumed: Vec<RuleId>,
    /// By their expressions, what each was compared with, and the expressions that were; empty before the first comparison.
    exprs: Vec<Option<ExprId>>,
    compared: Vec<ExprId>,
    /// What is still to be compared.
    pairs: Vec<(ExprId, ExprId)>,
}

impl Matching {
    fn new(grammar: &Grammar) -> Self {
        let rules = vec![None; grammar.rules().len()];
        Self { rules, assumed: Vec::new(), exprs: Vec::new(), compared: Vec::new(), pairs: Vec::new() }
    }

    fn ours(&self, theirs: RuleId) -> Option<RuleId> {
        self.rules[theirs.index()]
    }

    /// The same of a rule that was imported: each is matched or new then.
    fn imported(&self, theirs: RuleId) -> RuleId {
        self.ours(theirs).unwrap_or_else(|| unreachable!("it was among those to be imported"))
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

/// The rules that a rule reaches, itself first.
fn reachable(grammar: &Grammar, first: RuleId) -> Vec<RuleId> {
    let mut rules = vec![first];
    let mut is_rule_seen = vec![false; grammar.rules().len()];
    is_rule_seen[first.index()] = true;
    let mut is_seen = vec![false; grammar.n_exprs()];
    let (mut next, mut todo) = (0, Vec::new());
    while let Some(&rule) = rules.get(next) {
        next += 1;
        todo.push(grammar.rule(rule).body());
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

/// The colour of each rule; one that is borrowed has that of the library's.
fn colours(grammar: &Grammar, rules: &[RuleId], borrowed: &Borrowed) -> Vec<u64> {
    let seeded = Seeded::default();
    let mut colours = vec![0u64; grammar.rules().len()];
    let of_library = |colours: &mut [u64]| {
        for &(rule, theirs) in &borrowed.rules {
            let colour = borrowed.library.as_ref().map(|library| library.part().colour(theirs));
            colours[rule.index()] = colour.unwrap_or_default();
        }
    };
    of_library(&mut colours);
    let mut hashes = vec![0u64; grammar.n_exprs()];
    for round in 0..ROUNDS {
        // Operands have lower ids.
        for id in (0..grammar.n_exprs()).filter_map(ExprId::from_index) {
            if round > 0 && !grammar.properties(id).has_rules {
                continue;
            }
            let expr = grammar.expr(id);
            let operands = expr.operands().iter().map(|operand| hashes[operand.index()]);
            // PERF: of most expressions a few numbers are mixed; who collides is compared.
            hashes[id.index()] = match expr {
                Expr::Rule(rule) => mix(1, colours[rule.index()]),
                Expr::Seq(_) => operands.fold(2, mix),
                Expr::Alt(_) => operands.fold(3, mix),
                // In whatever order.
                Expr::And(_) => mix(4, operands.fold(0, u64::wrapping_add)),
                Expr::Not(_) => operands.fold(5, mix),
                Expr::JsonText(_) => operands.fold(6, mix),
                Expr::Repeat { min, max, .. } => {
                    operands.fold(mix(mix(7, u64::from(*min)), max.map_or(u64::MAX, u64::from)), mix)
                }
                Expr::Member { number, .. } => operands.fold(mix(8, u64::from(*number)), mix),
                Expr::Set { conditions, .. } => operands.fold(mix(9, seeded.hash_one(conditions)), mix),
                Expr::Until(until) => {
                    let triggers = until.arms().map(|(trigger, _)| seeded.hash_one(trigger));
                    operands.fold(triggers.fold(10, mix), mix)
                }
                leaf => mix(11, seeded.hash_one(leaf)),
            };
        }
        for &rule in rules {
            colours[rule.index()] = hashes[grammar.rule(rule).body().index()];
        }
        of_library(&mut colours);
    }
    colours
}

/// Mixes a number into a hash: a multiplication whose halves are folded, as ahash does it.
fn mix(hash: u64, number: u64) -> u64 {
    let product = u128::from(hash ^ number ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    ((product as u64) ^ (product >> 64) as u64).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `root ::= NAME value`, `value ::= "[" value "]" | LEAF`.
    fn nested(name: &str, leaf: &str) -> Grammar {
        let mut b = GrammarBuilder::new();
        let (root, value) = (b.declare("root", Place::none()), b.declare("value", Place::none()));
        let (open, close, leaf) = (b.literal("["), b.literal("]"), b.literal(leaf));
        let inner = b.rule(value);
        let list = b.seq([open, inner, close]);
        let body = b.alt([list, leaf]);
        b.define(value, body);
        let name = b.literal(name);
        let body = b.seq([name, inner]);
        b.define(root, body);
        b.build(root).expect("a grammar")
    }

    fn all(import: impl Fn(&mut GrammarBuilder) -> Vec<RuleId>) -> String {
        let mut b = GrammarBuilder::new();
        let root = b.declare("all", Place::none());
        let rules = import(&mut b);
        let ways: Vec<ExprId> = rules.into_iter().map(|rule| b.rule(rule)).collect();
        let body = b.alt(ways);
        b.define(root, body);
        b.build(root).expect("a grammar").to_string()
    }

    #[test]
    fn what_a_comparison_found_is_remembered_and_changes_nothing() {
        let grammars =
            [("a", "x"), ("b", "x"), ("c", "y"), ("a", "x")].map(|(name, leaf)| nested(name, leaf));
        let place = |place: &Place| place.clone();
        let expected = all(|b| grammars.iter().map(|grammar| b.import(grammar, place)).collect());
        let parts = grammars.map(Part::new);
        for round in 0..3 {
            assert_eq!(
                all(|b| parts.iter().map(|part| b.import_part(part, place)).collect()),
                expected,
                "{round}"
            );
        }
        let meaning = |part: usize, name: &str| {
            let rule =
                parts[part].reachable.iter().find(|rule| parts[part].grammar.rule(**rule).name() == name);
            rule.and_then(|&rule| parts[part].meanings.of(rule)).expect("a rule with a meaning")
        };
        assert_eq!([meaning(1, "value"), meaning(3, "value")], [meaning(0, "value"); 2]);
        assert_eq!(meaning(0, "root"), meaning(3, "root"));
        assert_ne!(meaning(0, "root"), meaning(1, "root"));
        assert_ne!(meaning(0, "value"), meaning(2, "value"));
    }

    #[test]
    fn parts_that_met_others_first_agree_in_time() {
        let [a, b, c] = ["a", "b", "c"].map(|name| Part::new(nested(name, "x")));
        let import = |parts: &[&Part]| {
            all(|builder| parts.iter().map(|part| builder.import_part(part, Place::clone)).collect())
        };
        let value = |part: &Part| {
            part.meanings.of(part
                .grammar
                .rules()
                .len()
                .checked_sub(1)
                .and_then(RuleId::from_index)
                .expect("a rule"))
        };
        // Each alone has a meaning of its own.
        for part in [&a, &b, &c] {
            import(&[part]);
        }
        assert_ne!(value(&a), value(&b));
        for parts in [[&c, &b], [&b, &a]] {
            assert_eq!(import(&parts), import(&parts));
        }
        assert_eq!([value(&b), value(&a)], [value(&c); 2]);
    }
}
