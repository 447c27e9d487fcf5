//! Builds the grammar: templates are expanded, and ignored terminals put where they may stand.
//!
//! A terminal becomes a rule. So does each rule, once for each list of arguments that it is used with: an *instance*.
//! In the body of a terminal, terminals stand as they are. In the body of a rule, each terminal is `ignored TERMINAL`, where
//! the rule `ignored` stands for any number of ignored terminals; and the whole is `root ::= start ignored`. So every text
//! with ignored terminals before, between and behind the others is there, and there is one place for each of them: a mask
//! that has to try both what is ignored and what comes next meets each of them once.

use super::literal;
use super::pattern::{self, Translated};
use super::scope::{Entity, Scope, undefined};
use super::syntax::{Body, NodeId, NodeKind};
use crate::problem::{Problem, quote};
use crate::{ErrorKind, Limits};
use formwork_grammar::{CharClass, ExprId, Grammar, GrammarBuilder, HashMap, Place, RuleId, SymbolSet};
use std::ops::Range;

/// The grammar of the rule `start`; `None` if there are problems, which the sources have then.
pub(super) fn lower(scope: &mut Scope<'_>, start: &str, limits: &Limits) -> Option<Grammar> {
    let Some(&start) = scope.sources[0].names.get(start) else {
        let problem = missing_start(scope, start);
        scope.sources[0].problems.add(problem);
        return None;
    };
    let mut builder = GrammarBuilder::with_limits(limits.grammar.clone());
    let root = builder.declare("root", Place::None);
    let ignored = !scope.sources[0].file.ignored.is_empty();
    let ignored = ignored.then(|| builder.declare("ignored", Place::None));
    let mut lowering = Lowering {
        skip: ignored.map_or(builder.empty(), |rule| builder.rule(rule)),
        scope,
        builder,
        instances: Vec::new(),
        by_arguments: HashMap::default(),
        leaves: HashMap::default(),
        expansion: 0,
        max_expansion: limits.max_expansion,
    };
    let first = lowering.instance(
        start,
        Vec::new(),
        &Use { source: 0, place: lowering.scope.entities[start].span.clone() },
    )?;
    if let Some(rule) = ignored {
        let bodies = lowering.scope.sources[0].file.ignored.clone();
        let context = Context { source: 0, instance: None, is_terminal: true };
        let bodies: Vec<ExprId> = bodies.into_iter().map(|body| lowering.body(&context, body)).collect();
        let one = lowering.builder.alt(bodies);
        let any = lowering.builder.star(one);
        lowering.builder.define(rule, any);
    }
    let first =
        lowering.call(&Context { source: 0, instance: None, is_terminal: false }, &Argument::Instance(first));
    let whole = lowering.builder.seq([first, lowering.skip]);
    lowering.builder.define(root, whole);
    lowering.all();
    lowering.check_recursion();
    let Lowering { builder, scope, .. } = lowering;
    if scope.sources.iter().any(|source| !source.problems.is_empty()) {
        return None;
    }
    match builder.build(root) {
        Ok(grammar) => Some(grammar),
        Err(error) => {
            let at = error.place().position().map_or(0, |position| position.offset);
            scope.sources[0].problems.add(Problem::new(ErrorKind::Limit, at..at, error.message()));
            None
        }
    }
}

fn missing_start(scope: &Scope<'_>, start: &str) -> Problem {
    let rules = &scope.sources[0].file.definitions;
    let place = rules.first().map_or(0..0, |rule| rule.name.clone());
    let message = format!("the start rule `{}` is not defined", quote(start));
    Problem::new(ErrorKind::MissingRoot, place, message).help("define it, or name another rule to start with")
}

/// A rule with its arguments, or a terminal.
struct Instance {
    entity: usize,
    arguments: Vec<Argument>,
    rule: RuleId,
    /// Of a terminal, those that it uses.
    uses: Vec<usize>,
}

/// What a parameter stands for.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Argument {
    /// A rule, a terminal or a template with its own arguments: an instance.
    Instance(usize),
    /// A template that gets its arguments where the parameter is used.
    Template(usize),
    /// A string, a range or a regular expression of a source.
    Leaf(usize, NodeId),
}

/// Where something is used.
struct Use {
    source: usize,
    place: Range<usize>,
}

/// What a body is the body of.
struct Context {
    /// The source that it stands in.
    source: usize,
    /// None: what is ignored.
    instance: Option<usize>,
    is_terminal: bool,
}

struct Lowering<'s, 'a> {
    scope: &'s mut Scope<'a>,
    builder: GrammarBuilder,
    /// What may stand before a terminal in a rule.
    skip: ExprId,
    instances: Vec<Instance>,
    by_arguments: HashMap<(usize, Vec<Argument>), usize>,
    leaves: HashMap<(usize, NodeId), ExprId>,
    /// How much templates have grown to.
    expansion: usize,
    max_expansion: usize,
}

impl Lowering<'_, '_> {
    /// Lowers all instances; more of them come up on the way.
    fn all(&mut self) {
        let mut next = 0;
        while next < self.instances.len() && self.expansion <= self.max_expansion {
            let entity = self.entity(next);
            let (bodies, is_terminal) = (entity.bodies.clone(), entity.is_terminal);
            let mut alternatives = Vec::with_capacity(bodies.len());
            for (source, body) in bodies {
                let context = Context { source, instance: Some(next), is_terminal };
                alternatives.push(self.body(&context, body));
            }
            let body = self.builder.alt(alternatives);
            self.builder.define(self.instances[next].rule, body);
            next += 1;
        }
    }

    fn entity(&self, instance: usize) -> &Entity {
        &self.scope.entities[self.instances[instance].entity]
    }

    fn add(&mut self, of: &Use, problem: impl FnOnce(Range<usize>) -> Problem) {
        self.scope.sources[of.source].problems.add(problem(of.place.clone()));
    }

    /// The instance of an entity with these arguments; `None` if there is none, which has been noted.
    fn instance(&mut self, entity: usize, arguments: Vec<Argument>, of: &Use) -> Option<usize> {
        let Entity { name, parameters, attributes, bodies, place, is_declared, .. } =
            &self.scope.entities[entity];
        if *is_declared {
            let message = format!("the terminal `{}` is only declared", quote(name));
            let help =
                "code must make its texts, which no grammar can say; define it, or leave out what uses it";
            self.add(of, |place| Problem::new(ErrorKind::Unsupported, place, message).help(help));
            return None;
        }
        if parameters.len() != arguments.len() {
            let (n, found) = (parameters.len(), arguments.len());
            let s = if n == 1 { "" } else { "s" };
            let message = format!("`{}` takes {n} argument{s}, not {found}", quote(name));
            self.add(of, |place| Problem::syntax(place, message));
            return None;
        }
        let key = (entity, arguments);
        if let Some(&instance) = self.by_arguments.get(&key) {
            return Some(instance);
        }
        if !key.1.is_empty() {
            self.expansion += 1 + key.1.len() + bodies.iter().map(|(_, body)| body.len()).sum::<usize>();
            if self.expansion > self.max_expansion {
                let message = format!("templates grow to more than {} expressions", self.max_expansion);
                let help = "a template that uses itself with ever new arguments never ends";
                self.add(of, |place| Problem::new(ErrorKind::Limit, place, message).help(help));
                return None;
            }
        }
        let rule = self.builder.declare(name, place.clone());
        if let Some(tokens) = attributes.max_tokens {
            self.builder.set_budget(rule, tokens);
        }
        if let Some(capture) = &attributes.capture {
            self.builder.set_capture(rule, if capture.is_empty() { name } else { capture });
        }
        let arguments = key.1.clone();
        self.instances.push(Instance { entity, arguments, rule, uses: Vec::new() });
        self.by_arguments.insert(key, self.instances.len() - 1);
        Some(self.instances.len() - 1)
    }

    /// The expression of a body.
    fn body(&mut self, context: &Context, body: Body) -> ExprId {
        let never = self.builder.never();
        let mut exprs = vec![never; body.len()];
        // What templates are given is no part of the body itself.
        let mut is_argument = vec![false; body.len()];
        let mut arguments: HashMap<NodeId, Argument> = HashMap::default();
        let file = &self.scope.sources[context.source].file;
        for id in body.ids() {
            if let NodeKind::Use(list) = file.node(id).kind {
                file.parts(list).iter().for_each(|&part| is_argument[body.offset(part)] = true);
            }
        }
        for id in body.ids() {
            let is_argument = is_argument[body.offset(id)];
            let node = self.scope.sources[context.source].file.node(id);
            let of = Use { source: context.source, place: node.place() };
            let argument = match node.kind {
                NodeKind::Text { .. } | NodeKind::Range(..) | NodeKind::Pattern | NodeKind::Symbol(_) => {
                    Some(Argument::Leaf(context.source, id))
                }
                NodeKind::Name => self.named(context, &of, is_argument),
                NodeKind::Use(list) => {
                    let parts = self.scope.sources[context.source].file.parts(list).to_vec();
                    let given: Option<Vec<Argument>> =
                        parts.iter().map(|part| arguments.get(part).cloned()).collect();
                    given.and_then(|given| self.used(context, &of, given))
                }
                NodeKind::Seq(_) | NodeKind::Alt(_) | NodeKind::Repeat { .. } => {
                    exprs[body.offset(id)] = self.operator(context, body, id, &exprs);
                    continue;
                }
            };
            let Some(argument) = argument else { continue };
            if is_argument {
                arguments.insert(id, argument);
            } else {
                exprs[body.offset(id)] = self.call(context, &argument);
            }
        }
        exprs[body.offset(body.node)]
    }

    fn operator(&mut self, context: &Context, body: Body, id: NodeId, exprs: &[ExprId]) -> ExprId {
        let file = &self.scope.sources[context.source].file;
        let parts = |list| file.parts(list).iter().map(|&part| exprs[body.offset(part)]);
        match file.node(id).kind {
            NodeKind::Seq(list) => self.builder.seq(parts(list)),
            NodeKind::Alt(list) => self.builder.alt(parts(list)),
            NodeKind::Repeat { body: of, min, max } => self.builder.repeat(exprs[body.offset(of)], min, max),
            _ => self.builder.never(),
        }
    }

    /// What a parameter stands for in an instance.
    fn parameter(&self, context: &Context, name: &str) -> Option<Argument> {
        let instance = context.instance?;
        let at = self.entity(instance).parameters.iter().position(|parameter| parameter == name)?;
        self.instances[instance].arguments.get(at).cloned()
    }

    /// What a name means.
    fn named(&mut self, context: &Context, of: &Use, is_argument: bool) -> Option<Argument> {
        let source = &self.scope.sources[of.source];
        let name = &source.text[of.place.clone()];
        if let Some(argument) = self.parameter(context, name) {
            if let (Argument::Template(entity), false) = (&argument, is_argument) {
                // A template without arguments; says so.
                return self.instance(*entity, Vec::new(), of).map(Argument::Instance);
            }
            return Some(argument);
        }
        let Some(&entity) = source.names.get(name) else {
            let problem = undefined(name, of.place.clone());
            self.scope.sources[of.source].problems.add(problem);
            return None;
        };
        if is_argument && !self.scope.entities[entity].parameters.is_empty() {
            return Some(Argument::Template(entity));
        }
        self.instance(entity, Vec::new(), of).map(Argument::Instance)
    }

    /// A template with arguments.
    fn used(&mut self, context: &Context, of: &Use, given: Vec<Argument>) -> Option<Argument> {
        let source = &self.scope.sources[of.source];
        let name = &source.text[of.place.clone()];
        let entity = match self.parameter(context, name) {
            Some(Argument::Template(entity)) => entity,
            Some(_) => {
                let message = format!("`{}` is no template here, so it takes no arguments", quote(name));
                self.add(of, |place| Problem::syntax(place, message));
                return None;
            }
            None => match source.names.get(name) {
                Some(&entity) => entity,
                None => {
                    let problem = undefined(name, of.place.clone());
                    self.scope.sources[of.source].problems.add(problem);
                    return None;
                }
            },
        };
        self.instance(entity, given, of).map(Argument::Instance)
    }

    /// What stands in a body for an argument, or for what could be one.
    fn call(&mut self, context: &Context, argument: &Argument) -> ExprId {
        let (expr, is_terminal) = match *argument {
            Argument::Instance(instance) => {
                let is_terminal = self.entity(instance).is_terminal;
                if let (Some(user), true) = (context.instance, context.is_terminal) {
                    self.instances[user].uses.push(instance);
                }
                (self.builder.rule(self.instances[instance].rule), is_terminal)
            }
            Argument::Leaf(source, node) => (self.leaf(source, node), true),
            Argument::Template(_) => (self.builder.never(), false),
        };
        if is_terminal && !context.is_terminal { self.builder.seq([self.skip, expr]) } else { expr }
    }

    /// What a string, a range, a regular expression or a token matches.
    fn leaf(&mut self, source: usize, id: NodeId) -> ExprId {
        if let Some(&expr) = self.leaves.get(&(source, id)) {
            return expr;
        }
        let text = &self.scope.sources[source].text;
        let node = self.scope.sources[source].file.node(id);
        let b = &mut self.builder;
        let expr = match &node.kind {
            NodeKind::Text { text, ignores_case: false } => Ok(b.literal(text.as_bytes())),
            NodeKind::Text { text, ignores_case: true } => {
                let pattern = pattern::any_case(text);
                regex(b, &pattern)
                    .map_err(|error| Problem::new(ErrorKind::Unsupported, node.place(), error.message()))
            }
            NodeKind::Range(low, high) => Ok(b.class(CharClass::range(*low, *high))),
            NodeKind::Symbol(symbol) => Ok(b.symbols(SymbolSet::of([symbol.clone()]))),
            NodeKind::Pattern => pattern::translate(text, node.place()).and_then(|translated| {
                regex(b, &translated.text).map_err(|error| {
                    let inside = literal::pattern(text, node.place()).0;
                    regex_problem(&translated, inside, &error)
                })
            }),
            _ => Ok(b.never()),
        };
        let expr = expr.unwrap_or_else(|problem| {
            self.scope.sources[source].problems.add(problem);
            self.builder.never()
        });
        self.leaves.insert((source, id), expr);
        expr
    }

    /// Notes every terminal that leads back to itself: a walk over what terminals use, on a stack of its own.
    fn check_recursion(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.instances.len()];
        let mut found = Vec::new();
        for start in 0..self.instances.len() {
            let mut path = vec![(start, 0)];
            while let Some((instance, next)) = path.last_mut() {
                let instance = *instance;
                if *next == 0 {
                    if states[instance] != State::New {
                        path.pop();
                        continue;
                    }
                    states[instance] = State::Open;
                }
                match self.instances[instance].uses.get(*next).copied() {
                    Some(used) => {
                        *next += 1;
                        match states[used] {
                            State::New => path.push((used, 0)),
                            State::Open => found.push(used),
                            State::Done => {}
                        }
                    }
                    None => {
                        states[instance] = State::Done;
                        path.pop();
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        for instance in found {
            let Entity { name, source, span, .. } = self.entity(instance);
            let message = format!("the terminal `{}` leads back to itself", quote(name));
            let of = Use { source: *source, place: span.clone() };
            self.add(&of, |place| {
                Problem::new(ErrorKind::NotText, place, message)
                    .help("terminals are regular expressions; write it in small letters to make a rule of it")
            });
        }
    }
}

/// The expression of a pattern in the words of the `regex` crate.
fn regex(b: &mut GrammarBuilder, pattern: &str) -> Result<ExprId, formwork_regex::Error> {
    formwork_regex::Options::new().expr(b, pattern)
}

fn regex_problem(translated: &Translated, inside: Range<usize>, error: &formwork_regex::Error) -> Problem {
    use formwork_regex::ErrorKind as Regex;
    let kind = match error.kind() {
        Regex::Limit => ErrorKind::Limit,
        kind if kind.is_unsupported() => ErrorKind::Unsupported,
        _ => ErrorKind::Syntax,
    };
    let at = translated.origin(error.position().offset).clamp(inside.start, inside.end);
    let problem =
        Problem::new(kind, at..inside.end, format!("in the regular expression: {}", error.message()));
    match error.help() {
        Some(help) => problem.help(help),
        None => problem,
    }
}
