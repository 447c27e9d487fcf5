//! Gives names their meaning and builds the grammar.

use crate::problem::{Problem, Problems, Sweep, quote};
use crate::suggest::Suggester;
use crate::syntax::{Arms, Attributes, File, NodeId, NodeKind};
use crate::{ErrorKind, Limits};
use formwork_grammar::{
    CharClass, ExprId, Grammar, GrammarBuilder, HashMap, Place, RuleId, Symbol, SymbolSet,
};

/// The grammar, unless there are problems, old or new.
pub(crate) fn lower(
    text: &str,
    file: &File,
    root: &str,
    limits: &Limits,
    problems: &mut Problems,
) -> Option<Grammar> {
    let names = names(text, file, problems);
    check_references(text, file, &names, problems);
    let root_rule = names.get(root).copied();
    if root_rule.is_none() && !problems.is_full() {
        problems.add(missing_root(text, file, root));
    }
    if !problems.is_empty() {
        return None;
    }
    let mut builder = GrammarBuilder::with_limits(limits.grammar.clone());
    let mut sweep = Sweep::new(text);
    let rules: Vec<RuleId> = file
        .rules
        .iter()
        .map(|rule| builder.declare(&text[rule.name.clone()], Place::Text(sweep.position(rule.name.start))))
        .collect();
    let root_rule = rules.get(root_rule?).copied()?;
    let n = file.nodes.len();
    let mut lowering = Lowering {
        text,
        file,
        names: &names,
        rules: &rules,
        loops: loops(text, file, &rules, &mut builder),
        builder,
        exprs: vec![None; n],
        texts: Texts { exprs: Vec::new(), is_open: Vec::new() },
        wanted_by: "characters are wanted by the call",
        problems,
    };
    lowering.all();
    for (rule, &id) in file.rules.iter().zip(&rules) {
        if let Some(tokens) = rule.attributes.max_tokens {
            lowering.builder.set_budget(id, tokens);
        }
        if let Some(name) = &rule.attributes.capture {
            let name = if name.is_empty() { &text[rule.name.clone()] } else { name };
            lowering.builder.set_capture(id, name);
        }
        if let (Some(body), true) = (rule.body, rule.attributes.want_text()) {
            lowering.wanted_by = "characters are wanted by the attribute";
            let text = lowering.as_text(body, rule.attributes.start);
            let text = lowering.with_attributes(&rule.attributes, text);
            lowering.builder.define(id, text);
            continue;
        }
        // What a rule is as text serves as its body too: one expression instead of two that say the same.
        let body = rule.body?.index();
        let as_text = lowering.texts.exprs.get(body).copied().flatten();
        lowering.builder.define(id, as_text.or(lowering.exprs[body])?);
    }
    match lowering.builder.build(root_rule) {
        Ok(grammar) => Some(grammar),
        Err(error) => {
            let at = error.place().position().map_or(0, |position| position.offset);
            problems.add(Problem::new(ErrorKind::Limit, at..at, error.message()));
            None
        }
    }
}

/// For each dispatch by name the rule that it comes back to, by its node: the one that it is the whole body of, or else a
/// new one.
fn loops(text: &str, file: &File, rules: &[RuleId], builder: &mut GrammarBuilder) -> HashMap<usize, Loop> {
    let mut loops: HashMap<usize, Loop> = HashMap::default();
    let bodies = file.rules.iter().zip(rules).filter_map(|(rule, &id)| Some((rule.body?, id)));
    loops.extend(bodies.map(|(body, rule)| (body.index(), Loop { rule, is_own: true })));
    let mut others: Vec<(usize, usize)> = file
        .ids()
        .filter(|&id| match file.node(id).kind {
            NodeKind::TagDispatch { loops, .. } | NodeKind::TokenTagDispatch { loops, .. } => loops,
            _ => false,
        })
        .filter(|id| !loops.contains_key(&id.index()))
        .map(|id| (file.node(id).place().start, id.index()))
        .collect();
    others.sort_unstable();
    let mut sweep = Sweep::new(text);
    for (start, node) in others {
        let rule = builder.declare("dispatch", Place::Text(sweep.position(start)));
        loops.insert(node, Loop { rule, is_own: false });
    }
    loops
}

/// The rule that a dispatch comes back to, and whether it is that rule's whole body.
#[derive(Clone, Copy)]
struct Loop {
    rule: RuleId,
    is_own: bool,
}

/// The rules by name.
fn names<'a>(text: &'a str, file: &File, problems: &mut Problems) -> HashMap<&'a str, usize> {
    let mut names: HashMap<&str, usize> = HashMap::default();
    for (i, rule) in file.rules.iter().enumerate() {
        let name = &text[rule.name.clone()];
        match names.get(name) {
            None => {
                names.insert(name, i);
            }
            Some(&first) => {
                let message = format!("the rule `{}` is defined twice", quote(name));
                let problem = Problem::new(ErrorKind::DuplicateRule, rule.name.clone(), message)
                    .related(file.rules[first].name.start, "the first definition is")
                    .help("put the alternatives of both into one, or rename one");
                problems.add(problem);
            }
        }
    }
    names
}

fn check_references(text: &str, file: &File, names: &HashMap<&str, usize>, problems: &mut Problems) {
    let rule_names = || file.rules.iter().map(|rule| &text[rule.name.clone()]).collect();
    let mut suggester: Option<Suggester<'_>> = None;
    let mut suggestions: HashMap<&str, Option<&str>> = HashMap::default();
    for node in &file.nodes {
        let name = match node.kind {
            NodeKind::Reference => &text[node.place()],
            _ => continue,
        };
        if names.contains_key(name) {
            continue;
        }
        if problems.is_full() {
            return;
        }
        let suggester = suggester.get_or_insert_with(|| Suggester::new(rule_names()));
        let suggestion = *suggestions.entry(name).or_insert_with(|| suggester.closest(name));
        let message = format!("there is no rule `{}`", quote(name));
        let problem = Problem::new(ErrorKind::UndefinedRule, node.place(), message);
        problems.add(match suggestion {
            Some(close) => problem.help(format!("did you mean `{close}`?")),
            None => problem,
        });
    }
}

fn missing_root(text: &str, file: &File, root: &str) -> Problem {
    let mut names: Vec<&str> = file.rules.iter().map(|rule| &text[rule.name.clone()]).collect();
    let n_more = names.len().saturating_sub(10);
    names.truncate(10);
    let listed: Vec<String> = names.iter().map(|name| format!("`{}`", quote(name))).collect();
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    let help = match listed[..] {
        [] => "the text defines no rules".to_owned(),
        _ => format!("the rules are {}{more}; define `{root}` or name another root", listed.join(", ")),
    };
    let start = file.rules.first().map_or(0..0, |rule| rule.name.clone());
    let message = format!("the root rule `{}` is not defined", quote(root));
    Problem::new(ErrorKind::MissingRoot, start, message).help(help)
}

struct Lowering<'a> {
    text: &'a str,
    file: &'a File,
    names: &'a HashMap<&'a str, usize>,
    rules: &'a [RuleId],
    /// What dispatches come back to, by their nodes.
    loops: HashMap<usize, Loop>,
    builder: GrammarBuilder,
    /// What each node has become; nodes inside operands that must be text are left out.
    exprs: Vec<Option<ExprId>>,
    texts: Texts,
    /// Who wants text.
    wanted_by: &'static str,
    problems: &'a mut Problems,
}

/// What nodes become where the grammar wants text: rules are put in place of their names.
/// Empty until it is needed, then one entry per node.
struct Texts {
    exprs: Vec<Option<ExprId>>,
    /// Whether the node is being worked on; meeting such a node again means that a rule is recursive.
    is_open: Vec<bool>,
}

enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

impl Lowering<'_> {
    /// Lowers all nodes; operands come first.
    fn all(&mut self) {
        for id in self.file.ids() {
            let node = self.file.node(id);
            if node.is_text {
                continue;
            }
            if let NodeKind::And(_) | NodeKind::Not(_) | NodeKind::JsonText(_) = node.kind {
                for &operand in self.file.operands(id) {
                    let expr = self.as_text(operand, node.place().start);
                    self.exprs[operand.index()] = Some(expr);
                }
            }
            let expr = match node.kind {
                NodeKind::Reference => match self.target(id) {
                    Some(rule) => self.builder.rule(self.rules[rule]),
                    None => self.builder.never(),
                },
                NodeKind::TagDispatch { ref arms, loops } => self.dispatch(id, arms, loops, Self::by_text),
                NodeKind::TokenTagDispatch { ref arms, loops } => {
                    self.dispatch(id, arms, loops, Self::by_symbol)
                }
                _ => self.make(id, false),
            };
            self.exprs[id.index()] = Some(expr);
        }
    }

    /// A dispatch. One that loops is a rule that ends with itself.
    fn dispatch(
        &mut self,
        id: NodeId,
        arms: &Arms,
        loops: bool,
        make: fn(&mut Self, &Arms, Vec<ExprId>) -> ExprId,
    ) -> ExprId {
        let never = self.builder.never();
        let parts = self.file.parts(arms.continuations).iter();
        let mut continuations: Vec<ExprId> =
            parts.map(|&part| self.exprs[part.index()].unwrap_or(never)).collect();
        let Some(back) = self.loops.get(&id.index()).copied().filter(|_| loops) else {
            return make(self, arms, continuations);
        };
        let again = self.builder.rule(back.rule);
        for continuation in &mut continuations {
            *continuation = self.builder.seq([*continuation, again]);
        }
        let body = make(self, arms, continuations);
        if back.is_own {
            return body;
        }
        self.builder.define(back.rule, body);
        again
    }

    fn by_text(&mut self, arms: &Arms, continuations: Vec<ExprId>) -> ExprId {
        self.until(arms, continuations, true)
    }

    fn until(&mut self, arms: &Arms, continuations: Vec<ExprId>, ends: bool) -> ExprId {
        let text = |symbol: &'_ Symbol| match symbol {
            Symbol::Name(name) => name.clone(),
            _ => unreachable!("the parser takes only strings here"),
        };
        let triggers: Vec<Box<str>> = arms.triggers.iter().map(text).collect();
        let excluded: Vec<Box<str>> = arms.excluded.iter().map(text).collect();
        let arms = triggers.iter().map(|trigger| &**trigger).zip(continuations);
        self.builder.until(arms, excluded.iter().map(|text| &**text), ends)
    }

    /// Any tokens but the triggers and the excluded ones; then perhaps a trigger and what follows it.
    fn by_symbol(&mut self, arms: &Arms, continuations: Vec<ExprId>) -> ExprId {
        let special = arms.triggers.iter().chain(&arms.excluded).cloned();
        let other = self.builder.symbols(SymbolSet::all_but(special));
        let free = self.builder.star(other);
        let mut ways = vec![self.builder.empty()];
        for (trigger, continuation) in arms.triggers.iter().zip(continuations) {
            let trigger = self.builder.symbols(SymbolSet::of([trigger.clone()]));
            ways.push(self.builder.seq([trigger, continuation]));
        }
        let ways = self.builder.alt(ways);
        self.builder.seq([free, ways])
    }

    /// The number of the rule that a reference means; all are defined when this is asked.
    fn target(&self, reference: NodeId) -> Option<usize> {
        self.names.get(&self.text[self.file.node(reference).place()]).copied()
    }

    /// Makes the expression of a node whose operands are made.
    fn make(&mut self, id: NodeId, is_text: bool) -> ExprId {
        if let NodeKind::Until { arms, ends } = &self.file.node(id).kind {
            let never = self.builder.never();
            let parts = self.file.parts(arms.continuations).iter();
            let continuations = parts.map(|&part| self.exprs[part.index()].unwrap_or(never)).collect();
            return self.until(arms, continuations, *ends);
        }
        let exprs = if is_text { &self.texts.exprs } else { &self.exprs };
        let b = &mut self.builder;
        let never = b.never();
        let expr = |id: NodeId| exprs[id.index()].unwrap_or(never);
        let parts = |list| self.file.parts(list).iter().map(|&part| expr(part));
        match &self.file.node(id).kind {
            NodeKind::Literal(bytes) => b.literal(bytes),
            NodeKind::Class(class) => b.class(class.clone()),
            NodeKind::ByteClass(set) => b.byte_class(*set),
            NodeKind::Reference => never,
            NodeKind::Seq(list) => b.seq(parts(*list)),
            NodeKind::Alt(list) => b.alt(parts(*list)),
            NodeKind::And(list) => b.and(parts(*list)),
            NodeKind::Repeat { body, min, max } => b.repeat(expr(*body), *min, *max),
            NodeKind::Not(body) => b.not(expr(*body)),
            NodeKind::JsonText(body) => b.json_text(expr(*body)),
            NodeKind::Symbols(set) => b.symbols(set.clone()),
            NodeKind::Tag(tag) => b.tag(tag),
            // Made elsewhere.
            NodeKind::Until { .. } | NodeKind::TagDispatch { .. } | NodeKind::TokenTagDispatch { .. } => {
                never
            }
        }
    }

    /// The expression of a node as text; problems are noted, and stand for nothing.
    fn as_text(&mut self, root: NodeId, wanted_at: usize) -> ExprId {
        if self.texts.exprs.is_empty() {
            self.texts.exprs = vec![None; self.file.nodes.len()];
            self.texts.is_open = vec![false; self.file.nodes.len()];
        }
        let mut steps = vec![Step::Enter(root)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(id) if self.texts.exprs[id.index()].is_some() => {}
                Step::Enter(id) => {
                    self.texts.is_open[id.index()] = true;
                    steps.push(Step::Leave(id));
                    let body;
                    let operands = match self.target_body(id) {
                        Some(target) if self.texts.is_open[target.index()] => {
                            self.not_text(id, wanted_at, "is recursive, so it is no regular expression");
                            &[][..]
                        }
                        Some(target) => {
                            body = [target];
                            &body[..]
                        }
                        None => self.file.operands(id),
                    };
                    steps.extend(operands.iter().rev().map(|&operand| Step::Enter(operand)));
                }
                Step::Leave(id) => {
                    self.texts.is_open[id.index()] = false;
                    let expr = self.make_text(id, wanted_at);
                    self.texts.exprs[id.index()] = Some(expr);
                }
            }
        }
        self.texts.exprs[root.index()].unwrap_or_else(|| self.builder.never())
    }

    /// The body of the rule that a reference means.
    fn target_body(&self, id: NodeId) -> Option<NodeId> {
        match self.file.node(id).kind {
            NodeKind::Reference => self.file.rules[self.target(id)?].body,
            _ => None,
        }
    }

    /// The texts of a rule that its attributes leave.
    fn with_attributes(&mut self, attributes: &Attributes, text: ExprId) -> ExprId {
        let mut parts = vec![text];
        let b = &mut self.builder;
        let any = b.class(CharClass::any());
        if attributes.is_lazy {
            // No text that has a shorter one at its beginning.
            let more = b.plus(any);
            let longer = b.seq([text, more]);
            parts.push(b.not(longer));
        }
        if let Some(max) = attributes.max_chars {
            parts.push(b.repeat(any, 0, Some(max)));
        }
        if parts.len() == 1 || !b.properties(text).is_text { text } else { b.and(parts) }
    }

    fn make_text(&mut self, id: NodeId, wanted_at: usize) -> ExprId {
        let never = self.builder.never();
        match &self.file.node(id).kind {
            NodeKind::Reference => {
                let body = self.target_body(id).and_then(|body| self.texts.exprs[body.index()]);
                let file = self.file;
                let attributes = self.target(id).map(|target| &file.rules[target].attributes);
                if attributes.is_some_and(Attributes::make_region) {
                    self.not_text(
                        id,
                        wanted_at,
                        "has `max_tokens` or `capture`, which parts of a text cannot have",
                    );
                    return never;
                }
                return match (body, attributes) {
                    (Some(body), Some(attributes)) => self.with_attributes(attributes, body),
                    _ => never,
                };
            }
            NodeKind::JsonText(_) => self.not_text(id, wanted_at, "is about bytes, not characters"),
            NodeKind::ByteClass(_) => self.not_text(id, wanted_at, "is about bytes, not characters"),
            NodeKind::Symbols(_) | NodeKind::Tag(_) => {
                self.not_text(id, wanted_at, "is about tokens, not characters");
            }
            NodeKind::Until { .. } | NodeKind::TagDispatch { .. } | NodeKind::TokenTagDispatch { .. } => {
                self.not_text(id, wanted_at, "is no regular expression");
            }
            NodeKind::Literal(bytes) if std::str::from_utf8(bytes).is_err() => {
                self.not_text(id, wanted_at, "is about bytes, not characters");
            }
            _ => return self.make(id, true),
        }
        never
    }

    fn not_text(&mut self, id: NodeId, wanted_at: usize, why: &str) {
        let place = self.file.node(id).place();
        let message = format!("`{}` {why}", quote(&self.text[place.clone()]));
        self.problems
            .add(Problem::new(ErrorKind::NotText, place, message).related(wanted_at, self.wanted_by));
    }
}
