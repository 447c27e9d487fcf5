//! Builds grammars.

use crate::collections::{HashMap, Seeded};
use crate::grammar::BoundedRun;
use crate::grammar::{Inner, Region};
use crate::import::{Borrowed, Imported};
use crate::{
    ByteSet, CharClass, Conditions, Expr, ExprId, Grammar, GrammarError, GrammarErrorKind, Limits, Place,
    Properties, Rule, RuleId, SharedMachine, Sharing, Symbol, SymbolSet, Until,
};
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::hash::{BuildHasher, Hash, Hasher};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Builds a grammar: declare rules, make expressions, define the rules, [`build`](Self::build).
///
/// Expressions are hash-consed: making the same one twice gives the same id and costs one lookup.
/// Constructors normalise (see [`Expr`]) and never fail; the first error (a limit, a misuse) is kept for `build`.
///
/// A clone is where one can go on from once more.
#[derive(Clone, Debug)]
pub struct GrammarBuilder {
    rules: Vec<PendingRule>,
    /// Rules by name.
    names: HashTable<RuleId>,
    /// The last number appended to a name that was taken, so that many rules of one name stay linear.
    suffixes: HashMap<String, u32>,
    exprs: Vec<Expr>,
    properties: Vec<Properties>,
    /// Expressions by what they are.
    ids: HashTable<Interned>,
    hasher: Seeded,
    empty: ExprId,
    never: ExprId,
    bytes: usize,
    limits: Limits,
    error: Option<GrammarError>,
    runs: Vec<BoundedRun>,
    pub(crate) imported: Imported,
    /// What stands for rules of a library; it has no bodies.
    pub(crate) borrowed: Borrowed,
}

/// Alternatives that are compared with each other.
const FEW: usize = 16;
/// Expressions that there is room for from the start.
const SMALL: usize = 224;

/// An expression and its hash.
#[derive(Clone, Copy, Debug)]
struct Interned {
    hash: u64,
    id: ExprId,
}

/// Operands on their way to an expression; most lists are short.
type Operands = SmallVec<[ExprId; FEW]>;

/// An expression whose lists are borrowed. Most that are made are in the arena already, and then nothing is allocated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sketch<'a> {
    Bytes(&'a [u8]),
    Seq(&'a [ExprId]),
    Alt(&'a [ExprId]),
    And(&'a [ExprId]),
    Other(&'a Expr),
}

impl Hash for Sketch<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Bytes(bytes) => {
                state.write_u8(0);
                state.write(bytes);
            }
            Self::Seq(parts) => hash_ids(1, parts, state),
            Self::Alt(parts) => hash_ids(2, parts, state),
            Self::And(parts) => hash_ids(3, parts, state),
            Self::Other(expr) => expr.hash(state),
        }
    }
}

/// PERF: two ids at a time; most of what is hashed is lists.
fn hash_ids<H: Hasher>(kind: u64, ids: &[ExprId], state: &mut H) {
    let raw = |id: &ExprId| id.index() as u64;
    state.write_u64(kind << 32 | ids.len() as u64);
    for pair in ids.chunks(2) {
        state.write_u64(pair.iter().fold(0, |both, id| both << 32 | raw(id)));
    }
}

impl<'a> Sketch<'a> {
    fn of(expr: &'a Expr) -> Self {
        match expr {
            Expr::Bytes(bytes) => Self::Bytes(bytes),
            Expr::Seq(parts) => Self::Seq(parts),
            Expr::Alt(parts) => Self::Alt(parts),
            Expr::And(parts) => Self::And(parts),
            other => Self::Other(other),
        }
    }

    fn to_expr(self) -> Expr {
        match self {
            Self::Bytes(bytes) => Expr::Bytes(bytes.into()),
            Self::Seq(parts) => Expr::Seq(parts.into()),
            Self::Alt(parts) => Expr::Alt(parts.into()),
            Self::And(parts) => Expr::And(parts.into()),
            Self::Other(expr) => expr.clone(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PendingRule {
    name: String,
    body: Option<ExprId>,
    place: Place,
    sharing: Sharing,
    region: Region,
}

impl Default for GrammarBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl GrammarBuilder {
    /// An empty builder with the default limits.
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// An empty builder.
    pub fn with_limits(limits: Limits) -> Self {
        // Two fixed entries exist from the start, so that constructors have something to return after an error.
        let leaf = Properties { is_text: true, has_rules: false, has_members: false, tree_size: 1 };
        let id = |i| ExprId::from_index(i).expect("small index");
        // PERF: small grammars never grow their tables.
        let mut ids = HashTable::with_capacity(SMALL);
        let (mut exprs, mut properties) = (Vec::with_capacity(SMALL), Vec::with_capacity(SMALL));
        let hasher = Seeded::default();
        for (expr, id) in [(Expr::Empty, id(0)), (Expr::Never, id(1))] {
            let hash = hasher.hash_one(Sketch::of(&expr));
            ids.insert_unique(hash, Interned { hash, id }, |known| known.hash);
            exprs.push(expr);
            properties.push(leaf);
        }
        Self {
            rules: Vec::with_capacity(SMALL / 8),
            names: HashTable::with_capacity(SMALL / 8),
            suffixes: HashMap::default(),
            exprs,
            properties,
            ids,
            hasher,
            empty: id(0),
            never: id(1),
            bytes: 0,
            limits,
            error: None,
            runs: Vec::new(),
            imported: Imported::default(),
            borrowed: Borrowed::default(),
        }
    }

    // ---- rules ----

    /// A new rule without a body. If the name is taken, a number is appended.
    pub fn declare(&mut self, name: impl Into<String>, place: Place) -> RuleId {
        self.declare_as(name.into(), place)
    }

    fn declare_as(&mut self, mut name: String, place: Place) -> RuleId {
        if self.rules.len() >= self.limits.max_rules {
            let message = format!("more than {} rules", self.limits.max_rules);
            self.fail(GrammarErrorKind::Limit, place.clone(), message);
            // Any existing rule will do: `build` returns the error.
            if let Some(rule) = RuleId::from_index(self.rules.len().saturating_sub(1)) {
                if !self.rules.is_empty() {
                    return rule;
                }
            }
        }
        let mut hash = self.hasher.hash_one(&*name);
        if self.find_hashed(&name, hash).is_some() {
            let taken = name;
            let mut suffix = self.suffixes.get(&taken).copied().unwrap_or(1);
            loop {
                suffix += 1;
                name = format!("{taken}_{suffix}");
                hash = self.hasher.hash_one(&*name);
                if self.find_hashed(&name, hash).is_none() {
                    break;
                }
            }
            self.suffixes.insert(taken, suffix);
        }
        let rule = RuleId::from_index(self.rules.len()).expect("below max_rules or the first");
        let (sharing, region) = (Sharing::Auto, Region::default());
        self.rules.push(PendingRule { name, body: None, place, sharing, region });
        let (rules, hasher) = (&self.rules, &self.hasher);
        self.names.insert_unique(hash, rule, |rule| hasher.hash_one(&*rules[rule.index()].name));
        rule
    }

    /// Gives a rule its body; a second definition replaces the first.
    pub fn define(&mut self, rule: RuleId, body: ExprId) {
        self.rules[rule.index()].body = Some(body);
    }

    /// Says how a rule is best compiled.
    pub fn set_sharing(&mut self, rule: RuleId, sharing: Sharing) {
        self.rules[rule.index()].sharing = sharing;
    }

    /// How a rule is best compiled.
    pub(crate) fn sharing(&self, rule: RuleId) -> Sharing {
        self.rules[rule.index()].sharing
    }

    /// Bounds the steps of the output, tokens where there are tokens, that have a part in what the rule matches, each time
    /// that it does; a step that begins before or goes on behind it counts too. A rule with a budget refers to no rule
    /// that has one, and to none that cannot be put in line.
    pub fn set_budget(&mut self, rule: RuleId, steps: NonZeroU32) {
        self.rules[rule.index()].region.budget = Some(steps);
    }

    /// Captures under this name what the rule matches, each time that it does and is not empty. It does not change the
    /// language.
    pub fn set_capture(&mut self, rule: RuleId, name: &str) {
        self.rules[rule.index()].region.capture = Some(name.into());
    }

    /// The name of a rule, which no other rule has.
    pub fn name(&self, rule: RuleId) -> &str {
        &self.rules[rule.index()].name
    }

    /// Where a rule came from.
    pub fn place(&self, rule: RuleId) -> &Place {
        &self.rules[rule.index()].place
    }

    /// Makes the texts of a rule differ from each other within one [set of distinct texts](Conditions::distinct), where the
    /// rule stands directly in the set's rule; elsewhere it changes nothing. Texts are compared as JSON values: strings with the
    /// same characters are equal however they are spelled, and blanks outside of strings make no difference. Objects are to have
    /// one order of members, and numbers neither fraction nor exponent: orders and `1.0` and `1` are told apart, and `-0.5` is
    /// taken for `0.5`. A rule like
    /// this refers to no other such rule and to none that cannot be put in line.
    pub fn set_distinct(&mut self, rule: RuleId) {
        self.rules[rule.index()].region.is_distinct = true;
    }

    /// What is asked of what a rule matches, beside its language.
    pub(crate) fn region(&self, rule: RuleId) -> &Region {
        &self.rules[rule.index()].region
    }

    /// The same for another rule.
    pub(crate) fn set_region(&mut self, rule: RuleId, region: Region) {
        self.rules[rule.index()].region = region;
    }

    /// What a rule stands for, if it has a body.
    pub(crate) fn body(&self, rule: RuleId) -> Option<ExprId> {
        self.rules[rule.index()].body
    }

    /// An expression without operands, as it is.
    pub(crate) fn leaf(&mut self, expr: &Expr) -> ExprId {
        debug_assert!(expr.operands().is_empty(), "operands are of another arena");
        let (hash, known) = self.look_up(Sketch::of(expr));
        known.unwrap_or_else(|| self.add(expr.clone(), hash))
    }

    /// Whether a rule has a body yet.
    pub fn is_defined(&self, rule: RuleId) -> bool {
        self.rules[rule.index()].body.is_some()
    }

    /// The rule of this name.
    pub fn find(&self, name: &str) -> Option<RuleId> {
        self.find_hashed(name, self.hasher.hash_one(name))
    }

    fn find_hashed(&self, name: &str, hash: u64) -> Option<RuleId> {
        self.names.find(hash, |rule| self.rules[rule.index()].name == name).copied()
    }

    /// How many rules there are.
    pub fn n_rules(&self) -> usize {
        self.rules.len()
    }

    /// About how many bytes it takes.
    pub fn n_bytes(&self) -> usize {
        // A rule has a place and two names, one of them in a table.
        self.bytes
            + self.exprs.len() * (size_of::<Expr>() + 2 * size_of::<Interned>())
            + 256 * self.rules.len()
    }

    /// Whether all rules and expressions that are here are in `later`, too, by the same numbers, and nothing was imported
    /// here. If no rule was declared there between, `later` is this builder some steps on: the same steps from here lead there.
    ///
    /// Cost: linear in this builder.
    pub fn is_beginning_of(&self, later: &Self) -> bool {
        self.error.is_none()
            && self.imported.is_empty()
            && self.limits == later.limits
            && later.rules.starts_with(&self.rules)
            && later.exprs.starts_with(&self.exprs)
    }

    /// The expression behind an id.
    pub fn expr(&self, expr: ExprId) -> &Expr {
        &self.exprs[expr.index()]
    }

    /// What is known of an expression from its shape.
    pub fn properties(&self, expr: ExprId) -> Properties {
        self.properties[expr.index()]
    }

    /// The grammar whose output must match `root`; rules that `root` does not reach stay in it.
    ///
    /// # Errors
    /// A rule without a body, `And`/`Not`/`JsonText` over rules or bytes, an empty trigger, a member outside of a set, a
    /// limit.
    pub fn build(mut self, root: RuleId) -> Result<Grammar, GrammarError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        // Grammars are kept for long.
        self.exprs.shrink_to_fit();
        self.properties.shrink_to_fit();
        let mut rules = Vec::with_capacity(self.rules.len());
        for PendingRule { name, body, place, sharing, region } in self.rules {
            let Some(body) = body else {
                let message = format!("rule `{name}` is used but not defined");
                return Err(GrammarError::new(GrammarErrorKind::Undefined, place, message));
            };
            if self.properties[body.index()].has_members {
                let message = format!("rule `{name}` has a member outside of a set");
                return Err(GrammarError::new(GrammarErrorKind::Member, place, message));
            }
            rules.push(Rule { name, body, place, sharing, region });
        }
        let inner = Inner { rules, exprs: self.exprs, properties: self.properties, root, runs: self.runs };
        Ok(Grammar { inner: Arc::new(inner) })
    }

    // ---- expressions ----

    /// The empty text.
    pub fn empty(&self) -> ExprId {
        self.empty
    }

    /// The empty language.
    pub fn never(&self) -> ExprId {
        self.never
    }

    /// These bytes; a `&str` or any bytes.
    pub fn literal(&mut self, bytes: impl AsRef<[u8]>) -> ExprId {
        let bytes = bytes.as_ref();
        if bytes.is_empty() { self.empty } else { self.intern_sketch(Sketch::Bytes(bytes)) }
    }

    /// One character of a class. A class of one character is that literal.
    pub fn class(&mut self, class: CharClass) -> ExprId {
        if class.is_empty() {
            return self.never;
        }
        match class.as_single() {
            Some(c) => self.literal(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.intern(Expr::Class(class)),
        }
    }

    /// One byte of a set.
    pub fn byte_class(&mut self, set: ByteSet) -> ExprId {
        if set.is_empty() { self.never } else { self.intern(Expr::ByteClass(set)) }
    }

    /// One after the other.
    pub fn seq(&mut self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.seq_of(&mut parts.into_iter())
    }

    // PERF: lists come in many shapes, and the code for them should be there once: a grammar is mostly made by code that no
    // cache has yet.
    fn seq_of(&mut self, parts: &mut dyn Iterator<Item = ExprId>) -> ExprId {
        let mut flat = Operands::new();
        let mut never = false;
        let is_literal = |part: &ExprId| matches!(self.exprs[part.index()], Expr::Bytes(_));
        // Whether the last part is a literal, and whether two stand side by side.
        let (mut after_literal, mut adjacent) = (false, false);
        for part in parts {
            match &self.exprs[part.index()] {
                Expr::Empty => {}
                Expr::Never => never = true,
                Expr::Seq(inner) => {
                    adjacent |= after_literal && inner.first().is_some_and(is_literal);
                    after_literal = inner.last().is_some_and(is_literal);
                    flat.extend_from_slice(inner);
                }
                expr => {
                    let literal = matches!(expr, Expr::Bytes(_));
                    adjacent |= after_literal && literal;
                    after_literal = literal;
                    flat.push(part);
                }
            }
        }
        if never {
            return self.never;
        }
        if adjacent {
            self.join_literals(&mut flat);
        }
        match flat[..] {
            [] => self.empty,
            [one] => one,
            _ => self.intern_sketch(Sketch::Seq(&flat)),
        }
    }

    /// Makes one literal of those side by side.
    fn join_literals(&mut self, parts: &mut Operands) {
        let (mut n_done, mut n_kept) = (0, 0);
        while n_done < parts.len() {
            let rest = &parts[n_done..];
            let is_literal = |part: &&ExprId| matches!(self.exprs[part.index()], Expr::Bytes(_));
            let n = rest.iter().take_while(is_literal).count();
            parts[n_kept] = if n > 1 { self.joined(&rest[..n]) } else { rest[0] };
            n_done += n.max(1);
            n_kept += 1;
        }
        parts.truncate(n_kept);
    }

    /// These literals as one.
    fn joined(&mut self, literals: &[ExprId]) -> ExprId {
        let mut all = SmallVec::<[u8; 64]>::new();
        for literal in literals {
            if let Expr::Bytes(bytes) = &self.exprs[literal.index()] {
                all.extend_from_slice(bytes);
            }
        }
        self.literal(&all)
    }

    /// One of these, in this order.
    pub fn alt(&mut self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.alt_of(&mut parts.into_iter())
    }

    fn alt_of(&mut self, parts: &mut dyn Iterator<Item = ExprId>) -> ExprId {
        let mut flat = Operands::new();
        for part in parts {
            match &self.exprs[part.index()] {
                Expr::Never => {}
                Expr::Alt(inner) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        if flat.len() > FEW {
            let mut seen = crate::collections::HashSet::default();
            seen.reserve(flat.len());
            flat.retain(|part| seen.insert(*part));
        } else {
            let mut next = 0;
            for i in 0..flat.len() {
                if !flat[..next].contains(&flat[i]) {
                    flat[next] = flat[i];
                    next += 1;
                }
            }
            flat.truncate(next);
        }
        match flat[..] {
            [] => self.never,
            [one] => one,
            _ => self.intern_sketch(Sketch::Alt(&flat)),
        }
    }

    /// `body` or nothing.
    pub fn optional(&mut self, body: ExprId) -> ExprId {
        self.repeat(body, 0, Some(1))
    }

    /// `body` any number of times.
    pub fn star(&mut self, body: ExprId) -> ExprId {
        self.repeat(body, 0, None)
    }

    /// `body` at least once.
    pub fn plus(&mut self, body: ExprId) -> ExprId {
        self.repeat(body, 1, None)
    }

    /// `body` from `min` to `max` times, `None` meaning without end; the empty language if `min > max`.
    pub fn repeat(&mut self, body: ExprId, min: u32, max: Option<u32>) -> ExprId {
        if max.is_some_and(|max| min > max) {
            return self.never;
        }
        match (min, max) {
            (_, Some(0)) => return self.empty,
            (1, Some(1)) => return body,
            _ => {}
        }
        match &self.exprs[body.index()] {
            Expr::Empty => self.empty,
            Expr::Never if min == 0 => self.empty,
            Expr::Never => self.never,
            _ => self.intern(Expr::Repeat { body, min, max }),
        }
    }

    /// What `rule` stands for.
    pub fn rule(&mut self, rule: RuleId) -> ExprId {
        self.intern(Expr::Rule(rule))
    }

    /// The texts in all of these languages. The operands must be [text](Properties::is_text).
    pub fn and(&mut self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.and_of(&mut parts.into_iter())
    }

    fn and_of(&mut self, parts: &mut dyn Iterator<Item = ExprId>) -> ExprId {
        let mut flat = Operands::new();
        for part in parts {
            match &self.exprs[part.index()] {
                Expr::Never => return self.never,
                Expr::And(inner) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if let Some(part) = flat.iter().find(|part| !self.properties[part.index()].is_text) {
            self.not_text("an intersection", *part);
        }
        match flat[..] {
            // The intersection of nothing is every text.
            [] => {
                let any = self.class(CharClass::any());
                self.star(any)
            }
            [one] => one,
            _ => self.intern_sketch(Sketch::And(&flat)),
        }
    }

    /// The texts that are not in this language. The operand must be [text](Properties::is_text).
    pub fn not(&mut self, body: ExprId) -> ExprId {
        if !self.properties[body.index()].is_text {
            self.not_text("a complement", body);
        }
        match &self.exprs[body.index()] {
            Expr::Not(inner) => *inner,
            _ => self.intern(Expr::Not(body)),
        }
    }

    /// Every JSON spelling of a text of this language, without quotes. The operand must be [text](Properties::is_text).
    pub fn json_text(&mut self, body: ExprId) -> ExprId {
        if !self.properties[body.index()].is_text {
            self.not_text("a JSON spelling", body);
        }
        match &self.exprs[body.index()] {
            Expr::Empty | Expr::Never => body,
            _ => self.intern(Expr::JsonText(body)),
        }
    }

    /// One symbol of a set.
    pub fn symbols(&mut self, set: SymbolSet) -> ExprId {
        if set.is_empty() { self.never } else { self.intern(Expr::Symbols(set)) }
    }

    /// A text in which the names of symbols mean those symbols.
    pub fn tag(&mut self, text: &str) -> ExprId {
        if text.is_empty() { self.empty } else { self.intern(Expr::Tag(text.into())) }
    }

    /// Text in which nothing excluded and no trigger has been completed, up to the first trigger and then what follows it;
    /// or, if it `ends`, up to anywhere. See [`Until`].
    ///
    /// Empty triggers are a misuse, which [`build`](Self::build) reports; the empty text, excluded, leaves nothing.
    pub fn until<'a>(
        &mut self,
        arms: impl IntoIterator<Item = (&'a str, ExprId)>,
        excluded: impl IntoIterator<Item = &'a str>,
        ends: bool,
    ) -> ExprId {
        let mut excluded: Vec<Box<str>> = excluded.into_iter().map(Box::from).collect();
        excluded.sort_unstable();
        excluded.dedup();
        // Arms that nothing can follow stay: their triggers are still not text.
        let mut seen = crate::collections::HashSet::default();
        let arms: Vec<(Box<str>, ExprId)> = arms
            .into_iter()
            .map(|(trigger, then)| (Box::from(trigger), then))
            .filter(|arm| seen.insert(arm.clone()))
            .collect();
        if arms.iter().any(|(trigger, _)| trigger.is_empty()) {
            self.fail(GrammarErrorKind::EmptyTrigger, Place::None, "a trigger must not be empty");
            return self.never;
        }
        if excluded.iter().any(|text| text.is_empty()) || (arms.is_empty() && !ends) {
            return self.never;
        }
        self.intern(Expr::Until(Box::new(Until::new(arms, excluded, ends))))
    }

    /// A member of the set that it will stand in. See [`Expr::Member`].
    pub fn member(&mut self, number: u32, body: ExprId) -> ExprId {
        if number as usize >= self.limits.max_members {
            let message = format!("a set of more than {} members", self.limits.max_members);
            self.fail(GrammarErrorKind::Limit, Place::None, message);
            return self.never;
        }
        if self.properties[body.index()].has_members {
            self.fail(GrammarErrorKind::Member, Place::None, "a member stands directly in another");
            return self.never;
        }
        match body == self.never {
            true => body,
            false => self.intern(Expr::Member { number, body }),
        }
    }

    /// The texts of `body` in which every member stands at most once, and those with the numbers `required` do. See
    /// [`Expr::Set`].
    pub fn set(&mut self, body: ExprId, required: impl IntoIterator<Item = u32>) -> ExprId {
        self.set_with(body, Conditions::requires(required))
    }

    /// The texts of `body` in which every member stands at most once, and the conditions hold. See [`Expr::Set`].
    pub fn set_with(&mut self, body: ExprId, conditions: Conditions) -> ExprId {
        let members = self.members(body);
        if let Some(problem) = conditions.problem() {
            self.fail(GrammarErrorKind::Member, Place::None, problem);
            return self.never;
        }
        let is_there = |number: &u32| members.binary_search_by_key(number, |member| member.0).is_ok();
        if !conditions.required().iter().all(is_there) {
            return self.never;
        }
        if conditions.is_distinct() && !(members.is_empty() && conditions.is_plain()) {
            self.fail(GrammarErrorKind::Member, Place::None, "a set of distinct texts has members, too");
            return self.never;
        }
        if members.is_empty() && conditions.is_plain() && !conditions.is_distinct() {
            return body;
        }
        let is_asked =
            |number: &u32| !conditions.is_plain() || conditions.required().binary_search(number).is_ok();
        let mut asked: Vec<ExprId> =
            members.iter().filter(|member| is_asked(&member.0)).map(|member| member.1).collect();
        asked.sort_unstable();
        let parts = std::iter::once(body).chain(asked).collect();
        self.intern(Expr::Set { parts, conditions: Box::new(conditions) })
    }

    /// The texts of a machine.
    pub fn machine(&mut self, machine: SharedMachine) -> ExprId {
        match machine.start() {
            Some(_) => self.intern(Expr::Machine(machine)),
            None => self.never,
        }
    }

    /// The members below `body` that have no set yet.
    fn members(&mut self, body: ExprId) -> Vec<(u32, ExprId)> {
        let mut seen = crate::collections::HashSet::default();
        let mut members = Vec::new();
        let mut stack = vec![body];
        while let Some(expr) = stack.pop() {
            if !self.properties[expr.index()].has_members || !seen.insert(expr) {
                continue;
            }
            match &self.exprs[expr.index()] {
                Expr::Member { number, .. } => members.push((*number, expr)),
                Expr::Seq(parts) | Expr::Alt(parts) => stack.extend_from_slice(parts),
                Expr::Repeat { body, .. } => stack.push(*body),
                _ => {
                    let message = "members stand in a set under sequences, alternations and repetitions only";
                    self.fail(GrammarErrorKind::Member, Place::None, message);
                    return Vec::new();
                }
            }
        }
        members.sort_unstable();
        members
    }

    /// Promises that the output is JSON, and that the upper bounds of these repetitions do nothing but keep runs of `bytes`
    /// outside of strings to `max`: without the bounds, the language would have more texts with longer runs there, and
    /// no others; and wherever a run is as long as that, something else may follow or the output end.
    ///
    /// It never changes the language. With the promise an engine may count the bytes of the output instead of having a
    /// state for each, in every gap between tokens and in every number. Grammars that [import](Self::import) this one do
    /// not have it.
    pub fn bound_run(&mut self, bytes: ByteSet, max: u32, repetitions: impl IntoIterator<Item = ExprId>) {
        let is_bounded = |expr: &ExprId| matches!(self.expr(*expr), Expr::Repeat { max: Some(_), .. });
        let mut repetitions: Vec<ExprId> = repetitions.into_iter().filter(is_bounded).collect();
        repetitions.sort_unstable();
        repetitions.dedup();
        self.runs.push(BoundedRun { bytes, max, repetitions });
    }

    // ---- the arena ----

    #[cold]
    fn too_large(&mut self) -> ExprId {
        let Limits { max_exprs, max_bytes, .. } = self.limits;
        let message = format!("the grammar grew past {max_exprs} expressions or {max_bytes} bytes");
        self.fail(GrammarErrorKind::Limit, Place::None, message);
        self.never
    }

    #[cold]
    fn not_text(&mut self, what: &str, operand: ExprId) {
        let message = format!(
            "{what} needs a regular expression over characters, not {:?}",
            self.exprs[operand.index()]
        );
        self.fail(GrammarErrorKind::NotText, Place::None, message);
    }

    #[cold]
    fn fail(&mut self, kind: GrammarErrorKind, place: Place, message: impl Into<String>) {
        if self.error.is_none() {
            self.error = Some(GrammarError::new(kind, place, message));
        }
    }

    fn intern(&mut self, expr: Expr) -> ExprId {
        let (hash, known) = self.look_up(Sketch::of(&expr));
        known.unwrap_or_else(|| self.add(expr, hash))
    }

    fn intern_sketch(&mut self, sketch: Sketch<'_>) -> ExprId {
        let (hash, known) = self.look_up(sketch);
        known.unwrap_or_else(|| self.add(sketch.to_expr(), hash))
    }

    fn look_up(&self, sketch: Sketch<'_>) -> (u64, Option<ExprId>) {
        let hash = self.hasher.hash_one(sketch);
        let is_it =
            |known: &Interned| known.hash == hash && Sketch::of(&self.exprs[known.id.index()]) == sketch;
        (hash, self.ids.find(hash, is_it).map(|known| known.id))
    }

    fn add(&mut self, expr: Expr, hash: u64) -> ExprId {
        self.bytes += heap_bytes(&expr);
        if self.exprs.len() >= self.limits.max_exprs || self.bytes > self.limits.max_bytes {
            return self.too_large();
        }
        let Some(id) = ExprId::from_index(self.exprs.len()) else { return self.never };
        self.properties.push(properties(&expr, &self.properties));
        self.exprs.push(expr);
        self.ids.insert_unique(hash, Interned { hash, id }, |known| known.hash);
        id
    }
}

/// What the lists of an expression take.
fn heap_bytes(expr: &Expr) -> usize {
    match expr {
        Expr::Bytes(bytes) => bytes.len(),
        Expr::Class(class) => size_of_val(class.ranges()),
        Expr::Seq(parts) | Expr::Alt(parts) | Expr::And(parts) => size_of_val(&parts[..]),
        Expr::Set { parts, conditions } => {
            size_of_val(&parts[..]) + size_of::<Conditions>() + conditions.n_bytes()
        }
        Expr::Symbols(set) => {
            let name = |symbol: &Symbol| if let Symbol::Name(name) = symbol { name.len() } else { 0 };
            size_of_val(set.members()) + set.members().iter().map(name).sum::<usize>()
        }
        Expr::Tag(text) => text.len(),
        Expr::Machine(machine) => machine.name().len(),
        Expr::Until(until) => until.n_bytes() + 40 * (until.continuations().len() + until.excluded().len()),
        _ => 0,
    }
}

fn properties(expr: &Expr, of: &[Properties]) -> Properties {
    let leaf = Properties { is_text: true, has_rules: false, has_members: false, tree_size: 1 };
    let all = |parts: &[ExprId]| {
        let mut all = leaf;
        for part in parts {
            let part = &of[part.index()];
            all.is_text &= part.is_text;
            all.has_rules |= part.has_rules;
            all.has_members |= part.has_members;
            all.tree_size = all.tree_size.saturating_add(part.tree_size);
        }
        all
    };
    match expr {
        Expr::Empty | Expr::Never | Expr::Class(_) => leaf,
        Expr::Bytes(bytes) => {
            let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            Properties { is_text: std::str::from_utf8(bytes).is_ok(), tree_size: size, ..leaf }
        }
        Expr::ByteClass(_) => Properties { is_text: false, ..leaf },
        Expr::Seq(parts) | Expr::Alt(parts) | Expr::And(parts) => all(parts),
        Expr::Repeat { body, .. } | Expr::Not(body) => all(&[*body]),
        // The other operands are below the first.
        Expr::Set { parts, .. } => Properties { is_text: false, has_members: false, ..all(&parts[..1]) },
        Expr::Member { body, .. } => Properties { is_text: false, has_members: true, ..all(&[*body]) },
        Expr::Rule(_) => Properties { is_text: false, has_rules: true, ..leaf },
        Expr::JsonText(body) => Properties { is_text: false, ..all(&[*body]) },
        Expr::Symbols(_) | Expr::Machine(_) => Properties { is_text: false, ..leaf },
        Expr::Tag(text) => {
            let tree_size = u32::try_from(text.len()).unwrap_or(u32::MAX);
            Properties { is_text: false, tree_size, ..leaf }
        }
        Expr::Until(until) => {
            let below = all(until.continuations());
            let own = u32::try_from(until.n_bytes()).unwrap_or(u32::MAX);
            Properties { is_text: false, tree_size: below.tree_size.saturating_add(own), ..below }
        }
    }
}
