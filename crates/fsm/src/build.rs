//! The construction: what is decided of a grammar at once, and of each unit when it is first needed.
//!
//! At once: which rules keep an automaton ([`Plan`]), what is known of every expression ([`Facts`]), and so whether the output
//! can be finished at all. Per unit: nodes ([`compile`](crate::compile)), determinisation, minimisation, tables. Building a
//! unit finds the units that it calls; they are linked by number and built in their turn.

use crate::automata::{Automata, Counter, Imports, Link, Reached, Rule, RuleId, RunBound};
use crate::cache::{Cache, Kept, KeptText};
use crate::compile::{Built, Context};
use crate::config::Config;
use crate::deferred::Named;
use crate::dfa::Dfa;
use crate::distinct;
use crate::error::{Error, ErrorKind};
use crate::facts::{Facts, Order, first_bytes};
use crate::few::Few;
use crate::form::{Form, Former, Identities, Portable};
use crate::lazy::Lazy;
use crate::library::Library;
use crate::minimise::minimise;
use crate::plan::{Plan, left_recursion, operands, unbounded};
use crate::regions::{self, is_distinct};
use crate::subset::Bounds;
use crate::symbols::{AnySymbols, Symbols};
use crate::tables::{Tables, Ticks};
use crate::unit::{Entry, Measurable, Unit, Units};
use crate::work::{Stop, Work};
use formwork_grammar::{ByteSet, Expr, ExprId, Grammar, HashMap, TextLengths};
use smallvec::SmallVec;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Counted automata of more states are not minimised.
///
/// PERF: of 75 in 1,240 real schemas those of more than 256 states, 300 to 4,000, lost 0 to 5 of them, and to find these took up
/// to 15 ms, most of what a first mask took.
const WORTH_MINIMISING: usize = 256;

/// Builds the automata of a grammar. `interrupt` is asked every few dozen microseconds whether to stop.
///
/// Cost: linear in the grammar, about 0.3 µs an expression; automata are built when they are first needed, large ones as far as
/// they are reached. Bounded by [`Limits`](crate::Limits).
///
/// # Errors
/// The root's language is empty, a limit is exceeded, the caller interrupted. Each names the rule and its place.
pub fn build(grammar: &Grammar, config: &Config, interrupt: &dyn Fn() -> bool) -> Result<Automata, Error> {
    let symbols: Arc<dyn Symbols> = Arc::new(AnySymbols);
    build_with(grammar, config, &Arc::default(), &symbols, interrupt)
}

/// As [`build`], with automata kept from other grammars, and with what is known of symbols.
///
/// # Errors
/// As `build`, and that the root needs symbols that do not exist.
pub fn build_with(
    grammar: &Grammar,
    config: &Config,
    cache: &Arc<Cache>,
    symbols: &Arc<dyn Symbols>,
    interrupt: &dyn Fn() -> bool,
) -> Result<Automata, Error> {
    let mut construction = Construction::new(grammar, config, cache, symbols, interrupt)?;
    let facts = &construction.facts;
    let root_may_be_empty = facts.nullable(grammar.rule(grammar.root()).body());
    let root = construction.with_context(|context, plan| context.unit_of_rule(plan, grammar.root()));
    debug_assert_eq!(root, 0, "the root is the first unit");
    let header = construction.header(root);
    let runs = if config.runs { grammar.bounded_runs() } else { &[] };
    let runs = runs.iter().map(|run| RunBound { bytes: *run.bytes(), max: run.max() }).collect();
    let regions = construction.regions.clone();
    let mut automata = Automata::new(grammar.clone(), construction, root_may_be_empty, runs);
    automata.add_rule(root, header);
    automata.build_root(interrupt)?;
    automata.build_regions(&regions, interrupt)?;
    Ok(automata)
}

/// What building units needs and remembers.
#[derive(Debug)]
pub(crate) struct Construction {
    grammar: Grammar,
    facts: Arc<Facts>,
    plan: Arc<Plan>,
    memory: Memory,
    /// Whether some automaton may call the root; all others are called.
    root_is_called: bool,
    cache: Arc<Cache>,
    symbols: Arc<dyn Symbols>,
    config: Config,
    /// Rules of which the facts of the expressions inside were not needed so far.
    library: Library,
    former: Former,
    /// Of rules that keep an automaton of their own.
    identities: Arc<Identities>,
    n_states: usize,
    /// The rules with budgets that some output may reach.
    regions: Vec<formwork_grammar::RuleId>,
    /// Units that have a header.
    n_known: usize,
    work_left: u64,
}

/// What the building of one unit leaves for the next.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) units: Units,
    /// The units of the escapes of single ASCII characters, as far as they are met.
    escapes: Vec<Option<NonZeroU32>>,
    texts: Arc<Texts>,
    pub(crate) measurable: Arc<Measurable>,
    /// What shapes tell of the lengths of texts, as far as somebody asked.
    pub(crate) lengths: HashMap<ExprId, TextLengths>,
    /// Whether the grammar is counted where it is kept.
    is_counted: bool,
}

/// Automata over code points, met so far or kept from grammar to grammar.
#[derive(Debug)]
struct Texts {
    known: Mutex<KnownTexts>,
    /// Those of earlier grammars, if they are shared. The cache has what makes the states of large rules, which has this:
    /// whoever builds has the cache itself.
    cache: Option<Weak<Cache>>,
    /// What finds them.
    former: Mutex<Former>,
}

#[derive(Debug, Default)]
struct KnownTexts {
    /// Those of intersections and complements.
    texts: HashMap<ExprId, Arc<Dfa>>,
    /// Those of texts that are measured, by the operands that are no length.
    measured: HashMap<Vec<ExprId>, KeptText>,
}

/// Automata over code points of fewer states are found as fast as they are looked up.
const WORTH_SHARING: usize = 16;

impl Texts {
    fn new(cache: Option<Weak<Cache>>, former: Former) -> Arc<Self> {
        Arc::new(Self { known: Mutex::default(), cache, former: Mutex::new(former) })
    }

    fn known(&self) -> MutexGuard<'_, KnownTexts> {
        // Entries are added one by one, so a thread that panicked has left nothing half done.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn former(&self) -> MutexGuard<'_, Former> {
        // A form begins anew whatever a thread that panicked has left.
        self.former.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    pub(crate) fn new(cache: &Arc<Cache>, config: &Config) -> Self {
        let cache = config.shared_rules.then(|| Arc::downgrade(cache));
        Self::with_texts(Texts::new(cache, Former::new(config)), Arc::default())
    }

    fn with_texts(texts: Arc<Texts>, measurable: Arc<Measurable>) -> Self {
        let (units, escapes, lengths) = (Units::default(), Vec::new(), HashMap::default());
        Self { units, escapes, texts, measurable, lengths, is_counted: false }
    }

    /// What all of these expressions over code points match, if an earlier grammar asked.
    pub(crate) fn shared_text(&self, grammar: &Grammar, plan: &Plan, parts: &[ExprId]) -> Option<KeptText> {
        self.with_form(grammar, plan, parts, |cache, form| cache.text(form))?
    }

    /// Keeps it for later grammars.
    pub(crate) fn share_text(&self, grammar: &Grammar, plan: &Plan, parts: &[ExprId], text: KeptText) {
        if text.dfa.len() > WORTH_SHARING {
            self.with_form(grammar, plan, parts, |cache, form| cache.keep_text(form, text));
        }
    }

    fn with_form<T>(
        &self,
        grammar: &Grammar,
        plan: &Plan,
        parts: &[ExprId],
        run: impl FnOnce(&Cache, &[u8]) -> T,
    ) -> Option<T> {
        let cache = self.texts.cache.as_ref()?.upgrade()?;
        let mut former = self.texts.former();
        former.text(grammar, plan, parts).then(|| run(&cache, former.words.as_bytes()))
    }

    /// The same for who numbers units apart.
    pub(crate) fn without_units(&self) -> Self {
        let memory = Self::with_texts(Arc::clone(&self.texts), Arc::clone(&self.measurable));
        Self { is_counted: true, ..memory }
    }

    /// The unit of the escapes of a character, for a rule that messages name.
    pub(crate) fn escapes_of(&mut self, character: u32, rule: formwork_grammar::RuleId) -> u32 {
        // PERF: every character of every name asks; finding the unit by its ranges costs a hash.
        if let Some(unit) = self.escapes.get(character as usize).copied().flatten() {
            return unit.get();
        }
        let unit = self.units.intern(Unit::Escape(Few::One((character, character))), rule);
        if character < 0x80 {
            self.escapes.resize(0x80, None);
            // Unit 0 is the root's.
            self.escapes[character as usize] = NonZeroU32::new(unit);
        }
        unit
    }

    /// Whether nobody was told so before: then whoever asks counts the grammar.
    pub(crate) fn first_to_count(&mut self) -> bool {
        !std::mem::replace(&mut self.is_counted, true)
    }

    /// Automata over code points are to be found once more.
    pub(crate) fn forget_texts(&mut self) {
        let former = self.texts.former().emptied();
        self.texts = Texts::new(self.texts.cache.clone(), former);
        self.escapes = Vec::new();
    }

    /// The automaton over code points of an intersection or a complement, if it is known.
    pub(crate) fn known_text(&self, expr: ExprId) -> Option<Arc<Dfa>> {
        self.texts.known().texts.get(&expr).map(Arc::clone)
    }

    /// The automaton over code points of texts that are measured, if it is known.
    pub(crate) fn measured(&self, parts: &[ExprId]) -> Option<KeptText> {
        self.texts.known().measured.get(parts).cloned()
    }

    pub(crate) fn keep_measured(&self, parts: &[ExprId], text: KeptText) {
        self.texts.known().measured.insert(parts.to_vec(), text);
    }

    pub(crate) fn keep_text(&self, expr: ExprId, dfa: Arc<Dfa>) {
        self.texts.known().texts.insert(expr, dfa);
    }
}

impl Construction {
    fn new(
        grammar: &Grammar,
        config: &Config,
        cache: &Arc<Cache>,
        symbols: &Arc<dyn Symbols>,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Self, Error> {
        let mut work = Work::new(config.limits.max_work, interrupt);
        let mut former = Former::new(config);
        let unbounded = unbounded(grammar, config);
        let mut library = match config.shared_rules && config.inlining && !config.captures {
            true if !regions::exist(grammar) => {
                Library::find(grammar, &unbounded, config, cache, &mut former)
            }
            _ => Library::default(),
        };
        let order = Order::of(grammar, &library);
        let shapes = Facts::of_shapes(grammar, &order, &library, &**symbols);
        let plan = Arc::new(Plan::of(grammar, &order, &library, &shapes, unbounded, config));
        let mut memory = Memory::new(cache, config);
        let facts = match shapes.texts() {
            [] => shapes,
            _ => {
                let shapes = Arc::new(shapes);
                let mut context = Context::new(grammar, &shapes, symbols, &config.limits, &mut memory);
                let told = context
                    .decide_texts(&plan, &mut work)
                    .map_err(|(stop, expr)| stopped(stop, grammar, owner(grammar, expr), config))?;
                let mut facts = Arc::unwrap_or_clone(shapes);
                if !told.is_empty() {
                    facts.tell(grammar, &order, &**symbols, told);
                }
                facts
            }
        };
        let facts = facts.decided(grammar, &library, plan.rules());
        if let Some(expr) = facts.empty_member() {
            let rule = grammar.rule(owner(grammar, expr));
            let message = format!("rule `{}` has a set with a member that may be empty", rule.name());
            return Err(Error::new(ErrorKind::Set, rule.place().clone(), rule.name(), message));
        }
        if !facts.productive(grammar.rule(grammar.root()).body()) {
            return Err(empty(grammar, &facts, &**symbols));
        }
        let regions = regions::find(grammar, &plan, &facts)?;
        let identities = match config.shared_rules {
            true => identities(grammar, &plan, &library, cache, &mut former),
            false => vec![None; grammar.rules().len()],
        };
        library.learn(cache, grammar, &plan, &facts, &identities);
        Ok(Self {
            grammar: grammar.clone(),
            facts: Arc::new(facts),
            root_is_called: root_is_called(grammar, &plan),
            plan,
            memory,
            cache: Arc::clone(cache),
            symbols: Arc::clone(symbols),
            config: config.clone(),
            library,
            former,
            identities: identities.into(),
            regions,
            n_states: 0,
            n_known: 0,
            work_left: work.left(),
        })
    }

    pub(crate) fn work_done(&self) -> u64 {
        self.config.limits.max_work - self.work_left
    }

    fn with_context<T>(&mut self, run: impl FnOnce(&mut Context<'_>, &Arc<Plan>) -> T) -> T {
        let Self { grammar, facts, symbols, config, memory, plan, .. } = self;
        run(&mut Context::new(grammar, facts, symbols, &config.limits, memory), plan)
    }

    /// What is known of a unit before it is built.
    fn header(&mut self, unit: u32) -> Rule {
        self.n_known = self.n_known.max(unit as usize + 1);
        let entry = &self.memory.units.list[unit as usize];
        let is_called = match &entry.unit {
            Unit::Rule(rule) | Unit::Region(rule) | Unit::Recursive(rule) => *rule != self.grammar.root(),
            // The root may be a counted piece, which nothing else is.
            _ => unit != 0 || entry.rule != self.grammar.root(),
        };
        let is_called = is_called || self.root_is_called;
        let symbols = match &entry.unit {
            Unit::Symbols(set) => Some(set.clone()),
            _ => None,
        };
        Rule {
            of: entry.rule,
            symbols,
            counter: counter(&self.grammar, &entry.unit),
            captures: self.config.captures && matches!(entry.unit, Unit::Rule(_) | Unit::Region(_)),
            is_called,
            link: OnceLock::new(),
            identity: OnceLock::new(),
        }
    }

    /// Builds a unit and links it; units that it is the first to call become rules of `automata`.
    pub(crate) fn link(&mut self, automata: &Automata, unit: u32, interrupt: &dyn Fn() -> bool) -> Link {
        let built = self.tables(unit, interrupt);
        self.announce(automata);
        match built {
            Ok((tables, imports)) => Link { tables, imports, error: None },
            Err(stop) => Link {
                tables: Arc::new(Tables::dead()),
                imports: Imports::All(Box::default()),
                error: Some(Box::new(self.limit(unit, stop))),
            },
        }
    }

    /// Makes rules of `automata` of the units that are none yet.
    fn announce(&mut self, automata: &Automata) {
        for number in self.n_known..self.memory.units.list.len() {
            let header = self.header(number as u32);
            automata.add_rule(number as u32, header);
        }
    }

    /// The rule that a reference to this one calls, through rules that are nothing but another; `None` if it is in line.
    pub(crate) fn called_as(&self, mut rule: formwork_grammar::RuleId) -> Option<formwork_grammar::RuleId> {
        // Rules that are nothing but each other mean nothing, and the plan would keep one of them.
        for _ in 0..self.grammar.rules().len() {
            if self.plan.keeps(rule) {
                return Some(rule);
            }
            match *self.grammar.expr(self.grammar.rule(rule).body()) {
                Expr::Rule(other) => rule = other,
                _ => return None,
            }
        }
        None
    }

    /// The number of the automaton that a rule keeps.
    pub(crate) fn unit_of(&mut self, automata: &Automata, rule: formwork_grammar::RuleId) -> u32 {
        let unit = self.with_context(|context, plan| context.unit_of_rule(plan, rule));
        self.announce(automata);
        unit
    }

    /// Why there is no automaton of the unit, or not all of it.
    pub(crate) fn limit(&self, unit: u32, stop: Stop) -> Error {
        stopped(stop, &self.grammar, self.memory.units.list[unit as usize].rule, &self.config)
    }

    fn tables(&mut self, unit: u32, interrupt: &dyn Fn() -> bool) -> Result<(Arc<Tables>, Imports), Stop> {
        let own = self.memory.units.list[unit as usize].unit.clone();
        let has_form = self.config.shared_rules && self.name(&own);
        let kept = self.cache.unit(self.former.words.as_bytes()).filter(|_| has_form);
        if let Some(adopted) = kept.and_then(|kept| self.adopt(unit, kept)) {
            return Ok(adopted);
        }
        if self.library.knows(self.memory.units.list[unit as usize].rule) {
            let facts = Facts::clone(&self.facts);
            self.facts = Arc::new(facts.extended(&self.grammar, &self.library, &*self.symbols));
            self.library = Library::default();
        }
        let mut work = Work::new(self.work_left, interrupt);
        let limits = &self.config.limits;
        let left = limits.max_states.saturating_sub(self.n_states);
        let small = left.min(if self.config.inlining { limits.inline_states } else { usize::MAX });
        let is_lazy = self.config.lazy;
        let built =
            self.with_context(|context, plan| match context.build(unit, plan, small, is_lazy, &mut work) {
                Err(Stop::States | Stop::Nodes | Stop::Members) if small < left => {
                    context.build(unit, &Arc::new(plan.without_inlining()), left, is_lazy, &mut work)
                }
                result => result,
            });
        self.work_left = work.left();
        let (tables, imports): (_, Vec<u32>) = match built? {
            Built::Lazy { nfa, mut deferred, start, bounds } => {
                // What a lazy rule has made it keeps.
                let bounds = Bounds { max_states: left, max_members: bounds.max_members / 8 };
                if has_form {
                    deferred.share(match own {
                        Unit::Rule(rule) => Named::Rule(rule, Arc::clone(&self.identities)),
                        _ => Named::Written(self.former.form()),
                    });
                }
                let tables = Arc::new(Tables::lazy(Lazy::new(*nfa, deferred, start, bounds, &mut work)?));
                let kept = Kept { tables: Arc::clone(&tables), imports: Arc::default() };
                let faster = has_form.then(|| self.cache.keep(self.former.words.as_bytes(), kept)).flatten();
                if let Some(adopted) = faster.and_then(|kept| self.adopt(unit, kept)) {
                    return Ok(adopted);
                }
                return Ok((tables, Imports::Reached(Box::new(Reached::here()))));
            }
            Built::Machine(machine) => (Tables::machine(machine, left), Vec::new()),
            Built::Minimal(dfa) => {
                self.n_states += dfa.len();
                Tables::of(&dfa, &Ticks::None, |callee| self.first_bytes(callee))?
            }
            Built::Whole(mut dfa) => {
                self.n_states += dfa.len();
                // The texts that are counted have a minimal automaton before they are spelled in bytes.
                let is_minimal = matches!(own, Unit::Counted { .. }) && dfa.len() > WORTH_MINIMISING;
                if self.config.minimisation && !is_minimal {
                    dfa = minimise(dfa, &mut work)?;
                }
                let ticks = match own {
                    Unit::Counted { .. } => Ticks::Counted,
                    Unit::Region(rule) if self.grammar.rule(rule).budget().is_none() => Ticks::Texts,
                    Unit::Region(_) => Ticks::Units,
                    Unit::Set(set) if is_distinct(&self.grammar, set) => {
                        let units = &self.memory.units.list;
                        let is_text = |unit: u32| {
                            let unit = &units[unit as usize].unit;
                            matches!(unit, Unit::Region(rule) if self.grammar.rule(*rule).is_distinct())
                        };
                        Ticks::Distinct(distinct::ends_before_text(&dfa, is_text))
                    }
                    Unit::Set(set) => match self.grammar.expr(set) {
                        Expr::Set { conditions, .. } => Ticks::Members(conditions),
                        _ => Ticks::None,
                    },
                    _ => Ticks::None,
                };
                Tables::of(&dfa, &ticks, |callee| self.first_bytes(callee))?
            }
        };
        let tables = Arc::new(tables);
        if has_form {
            self.write_named(&own);
            let former = &self.former;
            let here = |&unit: &u32| {
                let unit = &self.memory.units.list[unit as usize].unit;
                Portable::of(unit, |expr| former.position(expr), |rule| former.rule_position(rule))
            };
            let portable: Vec<_> = imports.iter().map(here).collect();
            let portable = match portable.iter().all(Option::is_some) {
                true => portable,
                false => {
                    let rules = self.former.rules.clone();
                    let called = self.with_context(|context, plan| context.called_units(plan, &rules));
                    let whole = |unit| called.get(unit).map(|&position| Portable::Called(position));
                    portable
                        .into_iter()
                        .zip(&imports)
                        .map(|(here, unit)| here.or_else(|| whole(unit)))
                        .collect()
                }
            };
            if let Some(imports) = portable.into_iter().collect::<Option<Vec<_>>>() {
                let kept = Kept { tables: Arc::clone(&tables), imports: imports.into() };
                // Another thread may have been faster; then its tables serve, so that there are not two of the same.
                let faster = self.cache.keep(self.former.words.as_bytes(), kept);
                if let Some(adopted) = faster.and_then(|kept| self.adopt(unit, kept)) {
                    return Ok(adopted);
                }
            }
        }
        Ok((tables, Imports::All(imports.into_iter().map(RuleId::new).collect())))
    }

    /// Tables of a unit of the form at hand, linked to units of this grammar; `None` if they cannot be of this form.
    fn adopt(&mut self, unit: u32, kept: Kept) -> Option<(Arc<Tables>, Imports)> {
        if kept.tables.is_lazy() {
            return Some((kept.tables, Imports::Reached(Box::new(Reached::there()))));
        }
        let Entry { unit, rule } = self.memory.units.list[unit as usize].clone();
        self.write_named(&unit);
        let former = std::mem::take(&mut self.former);
        let form = (&former.exprs[..], &former.rules[..]);
        let imports = kept.imports.iter().map(|import| self.adopted(import, form, rule).map(RuleId::new));
        let imports = imports.collect::<Option<_>>();
        self.former = former;
        Some((kept.tables, Imports::All(imports?)))
    }

    /// The unit that a call means where the form names these expressions and rules.
    fn adopted(
        &mut self,
        import: &Portable,
        form: (&[ExprId], &[formwork_grammar::RuleId]),
        caller: formwork_grammar::RuleId,
    ) -> Option<u32> {
        if let Portable::Called(position) = *import {
            let rule = *form.1.get(position as usize)?;
            return Some(self.with_context(|context, plan| context.unit_of_rule(plan, rule)));
        }
        let Self { grammar, plan, memory, .. } = &mut *self;
        let unit = import.unit(form, grammar, plan, &memory.measurable)?;
        let of = match &unit {
            Unit::Rule(rule) | Unit::Region(rule) | Unit::Recursive(rule) => *rule,
            _ => caller,
        };
        Some(memory.units.intern(unit, of))
    }

    /// The rule that a call of a rule means whose states are made when they are reached; in the grammar that they are made
    /// in, or where the rule's form names this. `None` if it can be none.
    pub(crate) fn import(
        &mut self,
        automata: &Automata,
        caller: RuleId,
        lazy: &Lazy,
        form: Option<&OnceLock<Form>>,
        call: u32,
    ) -> Option<RuleId> {
        let number = match form {
            None => {
                let Entry { unit, rule } = lazy.unit(call)?;
                self.memory.units.intern(unit, rule)
            }
            Some(form) => {
                let Entry { unit, rule } = self.memory.units.list[caller.index()].clone();
                let form = form.get_or_init(|| {
                    self.name(&unit);
                    self.write_named(&unit);
                    self.former.form()
                });
                self.adopted(&lazy.portable(call)?, (&form.exprs, &form.rules), rule)?
            }
        };
        self.announce(automata);
        Some(RuleId::new(number))
    }

    /// What a rule is that has an automaton of its own.
    pub(crate) fn identity_of_rule(&self, rule: formwork_grammar::RuleId) -> Option<u32> {
        self.identities.get(rule.index()).copied().flatten()
    }

    /// The identity of a unit's form.
    pub(crate) fn identity(&mut self, unit: u32) -> Option<u32> {
        if !self.config.shared_rules {
            return None;
        }
        let unit = self.memory.units.list[unit as usize].unit.clone();
        match unit {
            Unit::Rule(rule) | Unit::Region(rule) => self.identities[rule.index()],
            // A form that begins like no rule's.
            unit => self.name(&unit).then(|| self.cache.identity(self.former.words.as_bytes())),
        }
    }

    /// Writes the form of a unit, or of a whole rule its identity, which says what its form says; false if it has none.
    fn name(&mut self, unit: &Unit) -> bool {
        let Self { grammar, plan, former, identities, .. } = self;
        match unit {
            Unit::Rule(rule) | Unit::Region(rule) => match identities[rule.index()] {
                Some(identity) => {
                    former.identify(identity);
                    true
                }
                None => false,
            },
            Unit::Set(set) if is_distinct(grammar, *set) => false,
            unit => former.unit(grammar, plan, identities, unit),
        }
    }

    /// Finds out what the form of a unit [names](Self::name) that was named last.
    fn write_named(&mut self, unit: &Unit) {
        let Self { grammar, plan, former, identities, .. } = self;
        if let Unit::Rule(rule) | Unit::Region(rule) = unit {
            if !former.has_written(*rule) {
                former.rule(grammar, plan, identities, *rule);
                // The unit is found by its name, not by what was written for the positions in it.
                self.name(unit);
            }
        }
    }

    fn first_bytes(&self, unit: u32) -> ByteSet {
        first_bytes(&self.grammar, &self.facts, &self.plan, &self.memory.units.list[unit as usize].unit)
    }
}

/// Kept rules of one circle up to which they get identities: each of their forms writes the whole circle down.
const MAX_CIRCLE: usize = 32;

/// The identities of all rules that keep an automaton of their own.
fn identities(
    grammar: &Grammar,
    plan: &Plan,
    library: &Library,
    cache: &Cache,
    former: &mut Former,
) -> Vec<Option<u32>> {
    let mut identities = vec![None; grammar.rules().len()];
    for (rule, known) in library.known() {
        identities[rule.index()] = Some(known.identity);
    }
    // Callees come before callers.
    for component in plan.components() {
        // What the automata of distinct texts say of them is not kept from grammar to grammar.
        let shares = |rule: formwork_grammar::RuleId| {
            let rule = grammar.rule(rule);
            !rule.is_distinct() && !is_distinct(grammar, rule.body())
        };
        let is_asked = |&rule: &_| plan.keeps(rule) && !library.knows(rule) && shares(rule);
        let kept: SmallVec<[_; 4]> = component.filter(is_asked).collect();
        if kept.len() > MAX_CIRCLE {
            continue;
        }
        let found: SmallVec<[Option<u32>; 4]> = kept
            .iter()
            .map(|&rule| {
                former.rule(grammar, plan, &identities, rule).then(|| cache.identity(former.words.as_bytes()))
            })
            .collect();
        for (rule, identity) in kept.into_iter().zip(found) {
            identities[rule.index()] = identity;
        }
    }
    identities
}

fn counter(grammar: &Grammar, unit: &Unit) -> Option<Counter> {
    match unit {
        Unit::Region(rule) => match grammar.rule(*rule).budget() {
            Some(max) => Some(Counter::Steps { max: max.get() }),
            None => Some(Counter::Text),
        },
        Unit::Set(expr) if is_distinct(grammar, *expr) => Some(Counter::Distinct),
        Unit::Counted { min, max, .. } => Some(Counter::Ticks { min: *min, max: *max }),
        Unit::Set(_) => Some(Counter::Members),
        _ => None,
    }
}

/// Whether an automaton may call the root; where it only calls itself last, that is a jump.
fn root_is_called(grammar: &Grammar, plan: &Plan) -> bool {
    let root = grammar.root();
    let Some(reference) = plan.reference_to_root() else { return false };
    // Expressions that stand last in the root's body and nowhere else.
    let mut last_only = vec![false; grammar.n_exprs()];
    let mut stands_elsewhere = vec![false; grammar.n_exprs()];
    let mut stack: Vec<(ExprId, bool)> = Vec::new();
    match left_recursion(grammar, root) {
        Some((tails, others)) => {
            for tail in tails {
                let is_root =
                    |expr: &ExprId| matches!(grammar.expr(*expr), Expr::Rule(rule) if *rule == root);
                let n = tail.len() - usize::from(tail.last().is_some_and(is_root));
                stack.extend(tail[..n].iter().map(|&part| (part, false)));
            }
            stack.extend(others.into_iter().map(|part| (part, false)));
        }
        None => stack.push((grammar.rule(root).body(), true)),
    }
    while let Some((expr, last)) = stack.pop() {
        let seen = if last { &mut last_only } else { &mut stands_elsewhere };
        if std::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        match grammar.expr(expr) {
            Expr::Seq(parts) => {
                let ends = parts.len() - 1;
                stack.extend(parts.iter().enumerate().map(|(i, &part)| (part, last && i == ends)));
            }
            Expr::Alt(parts) => stack.extend(parts.iter().map(|&part| (part, last))),
            Expr::Until(until) => stack.extend(until.continuations().iter().map(|&then| (then, last))),
            Expr::Rule(rule) if *rule != root => stack.push((grammar.rule(*rule).body(), false)),
            Expr::Rule(_) => {}
            expr => stack.extend(operands(expr).iter().map(|&operand| (operand, false))),
        }
    }
    // There is one expression for all references to a rule.
    stands_elsewhere[reference.index()]
}

/// A rule whose body contains the expression.
fn owner(grammar: &Grammar, wanted: ExprId) -> formwork_grammar::RuleId {
    let mut seen = vec![false; grammar.n_exprs()];
    for rule in grammar.rule_ids() {
        let mut stack = vec![grammar.rule(rule).body()];
        while let Some(expr) = stack.pop() {
            if expr == wanted {
                return rule;
            }
            if !std::mem::replace(&mut seen[expr.index()], true) {
                stack.extend_from_slice(operands(grammar.expr(expr)));
            }
        }
    }
    grammar.root()
}

fn stopped(stop: Stop, grammar: &Grammar, rule: formwork_grammar::RuleId, config: &Config) -> Error {
    let rule = grammar.rule(rule);
    let limits = &config.limits;
    let message = match stop {
        Stop::Interrupted => return Error::interrupted(),
        Stop::States => format!("needs more than {} automaton states in all", limits.max_states),
        Stop::Nodes => format!("needs more than {} automaton nodes when written out", limits.max_nodes),
        Stop::Members => {
            format!("needs more than {} nodes in the states of its automaton", limits.max_members)
        }
        Stop::Order => {
            let message = format!("rule `{}` has a set whose members cannot come in any order", rule.name());
            return Error::new(ErrorKind::Set, rule.place().clone(), rule.name(), message);
        }
        Stop::Conditions => "has a set whose conditions are too hard to meet".to_owned(),
        Stop::Work => format!("needs more than {} units of work in all", limits.max_work),
    };
    let message = format!("rule `{}` {message}", rule.name());
    Error::new(ErrorKind::Limit, rule.place().clone(), rule.name(), message)
}

/// Names the rule to blame for an empty root: one that cannot end although nothing it refers to is to blame.
fn empty(grammar: &Grammar, facts: &Facts, symbols: &dyn Symbols) -> Error {
    let productive = |rule: formwork_grammar::RuleId| facts.productive(grammar.rule(rule).body());
    let callees = |rule: formwork_grammar::RuleId| {
        let mut found = Vec::new();
        let mut seen = vec![false; grammar.n_exprs()];
        let mut stack = vec![grammar.rule(rule).body()];
        while let Some(expr) = stack.pop() {
            if !std::mem::replace(&mut seen[expr.index()], true) {
                match grammar.expr(expr) {
                    Expr::Rule(callee) => found.push(*callee),
                    expr => stack.extend(operands(expr).iter().rev()),
                }
            }
        }
        found
    };
    let mut seen = vec![false; grammar.rules().len()];
    let mut queue = std::collections::VecDeque::from([grammar.root()]);
    seen[grammar.root().index()] = true;
    // The symbols of a rule that do not exist.
    let missing = |rule: formwork_grammar::RuleId| {
        let mut stack = vec![grammar.rule(rule).body()];
        let mut seen = vec![false; grammar.n_exprs()];
        while let Some(expr) = stack.pop() {
            match grammar.expr(expr) {
                Expr::Symbols(set) if !symbols.exists(set) => return Some(set.clone()),
                _ if std::mem::replace(&mut seen[expr.index()], true) => {}
                expr => stack.extend(operands(expr).iter().rev()),
            }
        }
        None
    };
    let mut blamed = (grammar.root(), false);
    while let Some(rule) = queue.pop_front() {
        let callees = callees(rule);
        let mut innocent = true;
        for &callee in callees.iter().filter(|&&callee| !productive(callee)) {
            if callee != rule {
                innocent = false;
            }
            if !std::mem::replace(&mut seen[callee.index()], true) {
                queue.push_back(callee);
            }
        }
        blamed = (rule, !callees.is_empty());
        if innocent {
            break;
        }
    }
    let (rule, refers) = (grammar.rule(blamed.0), blamed.1);
    if let Some(set) = missing(blamed.0) {
        let message = format!(
            "the grammar matches no output at all: rule `{}` needs {set}, and there is no such symbol",
            rule.name()
        );
        return Error::new(ErrorKind::Symbol, rule.place().clone(), rule.name(), message);
    }
    let why = if refers { "every way through it leads back into itself" } else { "no text matches it" };
    let message =
        format!("the grammar matches no output at all: rule `{}` can never end ({why})", rule.name());
    Error::new(ErrorKind::Empty, rule.place().clone(), rule.name(), message)
}
