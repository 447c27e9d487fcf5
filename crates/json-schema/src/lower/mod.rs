//! From the normal form to grammar rules: one rule for each distinct demand on a value.

mod any_order;
mod array;
mod bounds;
mod canonical;
mod clash;
mod compare;
mod decimals;
mod digits;
mod idn_hostname;
mod in_order;
mod layout;
mod machine;
mod number;
mod object;
mod regex_syntax;
mod spelled;
mod string;

use crate::error::{Error, ErrorKind};
use crate::normal::{Atom, Formula, FormulaId, Kind, Names, Normal};
use crate::options::{Numbers, Options, Whitespace};
use crate::report::ReportEntry;
use compare::DigitRuns;
use formwork_grammar::{
    ByteSet, Expr, ExprId, Grammar, GrammarBuilder, GrammarError, GrammarErrorKind, HashMap, Library, Part,
    Place, RuleId, Seeded, Sharing,
};
use layout::{Brackets, Depth, Mark, Marks, Ways};
use object::KeyText;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// What makes two demands the same rule: equal components, equally ordered declared names, and [where](layout) they stand.
type RuleKey = ([FormulaId; 7], Names, Depth);

/// Values and rules that there is room for from the start.
const SOME_VALUES: usize = 28;
const SOME_RULES: usize = 7;

/// The rules under construction.
pub(crate) struct Lowering<'o> {
    pub(crate) normal: Box<Normal<'o>>,
    pub(crate) b: GrammarBuilder,
    options: &'o Options,
    library: Option<&'o Library>,
    rules: HashMap<RuleKey, RuleId>,
    values: HashMap<(FormulaId, Depth), ExprId>,
    queue: VecDeque<(RuleId, RuleKey, FormulaId)>,
    shared: HashMap<(&'static str, Depth), RuleId>,
    /// Rules of the names of classes, by their texts.
    keys: HashMap<ExprId, RuleId>,
    /// Rules of members with such names, by their parts.
    class_members: HashMap<[ExprId; 4], RuleId>,
    /// What stands behind the names of members, by the rules of their values.
    behind_names: HashMap<RuleId, ExprId>,
    /// Rules of strings by their texts.
    strings: HashMap<ExprId, RuleId>,
    /// Rules of items that differ from each other, by what they match.
    distinct_texts: HashMap<ExprId, RuleId>,
    /// Text expressions of the normal form's arena, in the grammar's.
    imported: Vec<Option<ExprId>>,
    /// The demand whose rule is being made, for finding keywords to blame.
    demand: FormulaId,
    /// The rule that is being made, and where its values stand.
    present: Option<RuleKey>,
    depth: Depth,
    /// The rule that first asked for each rule, where depth matters.
    parents: HashMap<RuleKey, RuleKey>,
    /// What the report is to say besides.
    notes: Vec<ReportEntry>,
    /// Rules of demands that nothing satisfies.
    dead: Vec<(RuleId, FormulaId)>,
    n_states: usize,
    /// The same when the present object or array was begun.
    n_states_before: usize,
    runs: DigitRuns,
    /// Optional white space.
    ws: ExprId,
    marks: Marks,
}

/// A grammar, and what the report is made of.
pub(crate) struct Lowered<'o> {
    pub(crate) grammar: Grammar,
    pub(crate) normal: Box<Normal<'o>>,
    /// Beside what the normal form knows.
    pub(crate) notes: Vec<ReportEntry>,
}

impl<'o> Lowering<'o> {
    /// With a library, what it has is borrowed, and only a [part](Self::part) can be made.
    pub(crate) fn new(options: &'o Options, normal: Box<Normal<'o>>, library: Option<&'o Library>) -> Self {
        let mut b = GrammarBuilder::new();
        let blank =
            b.class(formwork_grammar::CharClass::from_ranges([('\t', '\n'), ('\r', '\r'), (' ', ' ')]));
        let ws = match options.whitespace {
            Whitespace::Compact | Whitespace::Blanks { .. } | Whitespace::Lines { .. } => b.empty(),
            Whitespace::AtMost(n) => b.repeat(blank, 0, Some(n)),
            Whitespace::Any => b.star(blank),
        };
        Self {
            normal,
            b,
            options,
            library,
            rules: HashMap::with_capacity_and_hasher(SOME_RULES, Seeded::default()),
            values: HashMap::with_capacity_and_hasher(SOME_VALUES, Seeded::default()),
            queue: VecDeque::with_capacity(SOME_RULES),
            shared: HashMap::with_capacity_and_hasher(SOME_RULES, Seeded::default()),
            keys: HashMap::default(),
            class_members: HashMap::default(),
            behind_names: HashMap::with_capacity_and_hasher(SOME_RULES, Seeded::default()),
            strings: HashMap::default(),
            imported: Vec::new(),
            demand: FormulaId::TRUE,
            present: None,
            depth: 0,
            parents: HashMap::default(),
            distinct_texts: HashMap::default(),
            notes: Vec::new(),
            dead: Vec::new(),
            n_states: 0,
            n_states_before: 0,
            runs: DigitRuns { max: options.digits_in_a_row(), ..DigitRuns::default() },
            ws,
            marks: Marks::default(),
        }
    }

    /// The grammar of a demand.
    pub(crate) fn grammar(mut self, demand: FormulaId) -> Result<Lowered<'o>, Error> {
        let root = self.lower(demand)?;
        self.bound_runs();
        let grammar = self.b.build(root).map_err(|error| not_built(&error))?;
        if let Some(demand) = clash::culprit(&grammar, &self.dead) {
            return Err(Lowering::new(self.options, self.normal, None).clash(demand));
        }
        Ok(Lowered { grammar, normal: self.normal, notes: self.notes })
    }

    /// The same as a part of other grammars.
    pub(crate) fn part(mut self, demand: FormulaId) -> Result<Part, Error> {
        let root = self.lower(demand)?;
        if self.dead.is_empty() {
            return self.b.build_part(root).map_err(|error| not_built(&error));
        }
        // Whether a demand that nothing satisfies can be done without shows in the whole grammar.
        let whole = Lowering::new(self.options, self.normal, None).grammar(demand)?;
        Ok(Part::new(whole.grammar))
    }

    /// The rule of a demand, with all that it needs. The parts of the work are queued, so that nothing recurses on the schema.
    fn lower(&mut self, demand: FormulaId) -> Result<RuleId, Error> {
        let pointer = self.normal.pointer(demand);
        let root = self.b.declare("root", Place::Pointer(pointer));
        let root_body = self.value_at(demand, 0)?;
        if root_body == self.b.never() {
            return Err(self.clash(demand));
        }
        self.b.define(root, root_body);
        while let Some((rule, key, demand)) = self.queue.pop_front() {
            let pointer = self.b.place(rule).pointer().unwrap_or_default().to_owned();
            let body = self.body(key, demand, pointer)?;
            if body == self.b.never() {
                if self.b.rule(rule) == root_body {
                    return Err(self.clash(demand));
                }
                self.dead.push((rule, demand));
            }
            self.b.define(rule, body);
        }
        Ok(root)
    }

    /// The grammar of any value.
    pub(crate) fn any(mut self) -> Result<Grammar, Error> {
        let root = self.b.declare("root", Place::Pointer(String::new()));
        let body = self.any_value();
        self.b.define(root, body);
        self.bound_runs();
        self.b.build(root).map_err(|error| Error::limit("", error.message()))
    }

    /// What the grammars of schemas have in common; none where it depends on how deep a value stands.
    pub(crate) fn library(mut self) -> Option<Library> {
        if self.inner_depth() > 0 {
            return None;
        }
        let root = self.b.declare("root", Place::none());
        let rules = [self.any_value(), self.any_integer()];
        let body = self.b.alt(rules);
        self.b.define(root, body);
        self.b.build(root).ok().map(Library::new)
    }

    /// Promises that the bounds on white space and digits are there for nothing but themselves.
    fn bound_runs(&mut self) {
        if let Whitespace::AtMost(n @ COUNTED_RUN..) = self.options.whitespace {
            let blanks = b" \t\r\n".iter().copied().collect();
            self.b.bound_run(blanks, n, [self.ws]);
        }
        if let Some(max) = self.runs.max.filter(|_| !self.runs.has_others) {
            let repetitions = std::mem::take(&mut self.runs.repetitions);
            self.b.bound_run(ByteSet::range(b'0', b'9'), max, repetitions);
        }
    }

    /// The values that satisfy a demand, inside the present one, as a reference.
    fn value(&mut self, demand: FormulaId) -> Result<ExprId, Error> {
        let depth = self.inner_depth();
        if self.is_too_deep(demand, depth) {
            return Ok(self.b.never());
        }
        self.value_at(demand, depth)
    }

    fn value_at(&mut self, demand: FormulaId, depth: Depth) -> Result<ExprId, Error> {
        if let Some(&known) = self.values.get(&(demand, depth)) {
            return Ok(known);
        }
        let value = self.new_value(demand, depth)?;
        self.values.insert((demand, depth), value);
        Ok(value)
    }

    fn new_value(&mut self, demand: FormulaId, depth: Depth) -> Result<ExprId, Error> {
        match demand {
            FormulaId::TRUE => return Ok(self.at_depth(depth, Self::any_value)),
            FormulaId::FALSE => return Ok(self.b.never()),
            _ => {}
        }
        let mut components = [FormulaId::FALSE; 7];
        for (slot, kind) in components.iter_mut().zip(Kind::ALL) {
            *slot = self.normal.component(demand, kind)?;
        }
        let object = components[Kind::Object as usize];
        let declared = match object {
            FormulaId::FALSE => Names::from([]),
            _ => self.normal.declared(demand)?,
        };
        if declared.is_empty() {
            if let Some(shared) = self.at_depth(depth, |this| this.whole_kind(components)) {
                return Ok(shared);
            }
        }
        let key = (components, declared, depth);
        if let Some(&rule) = self.rules.get(&key) {
            return Ok(self.b.rule(rule));
        }
        let pointer = self.normal.pointer(demand);
        if self.rules.len() >= self.options.limits.max_rules {
            let message = format!(
                "the schema makes more than {} different demands on values",
                self.options.limits.max_rules
            );
            return Err(Error::limit(pointer, message));
        }
        let rule = self.b.declare(rule_name(&pointer), Place::Pointer(pointer));
        self.rules.insert(key.clone(), rule);
        self.keep_apart(rule, &key);
        self.queue.push_back((rule, key, demand));
        Ok(self.b.rule(rule))
    }

    /// The rule that every grammar shares, if the components are all of one kind or of all.
    fn whole_kind(&mut self, components: [FormulaId; 7]) -> Option<ExprId> {
        let (yes, no) = (FormulaId::TRUE, FormulaId::FALSE);
        if components == [yes; 7] {
            return Some(self.any_value());
        }
        if components == [no; 7] {
            return Some(self.b.never());
        }
        let only =
            |kind: Kind| Kind::ALL.iter().all(|&other| other == kind || components[other as usize] == no);
        for kind in [Kind::Number, Kind::String, Kind::Array, Kind::Object] {
            let component = components[kind as usize];
            if !only(kind) {
                continue;
            }
            return match (kind, component) {
                (Kind::Number, FormulaId::TRUE) => Some(self.any_number()),
                (Kind::Number, _)
                    if self.is_plain_integer(component) && self.options.numbers != Numbers::Any =>
                {
                    Some(self.any_integer())
                }
                (Kind::String, FormulaId::TRUE) => Some(self.any_string()),
                (Kind::Array, FormulaId::TRUE) => Some(self.any_array()),
                (Kind::Object, FormulaId::TRUE) => Some(self.any_object()),
                _ => None,
            };
        }
        None
    }

    fn is_plain_integer(&self, component: FormulaId) -> bool {
        matches!(self.normal.formulas.get(component), Formula::Atom(Atom::Integer(true)))
    }

    fn body(&mut self, key: RuleKey, demand: FormulaId, pointer: String) -> Result<ExprId, Error> {
        let (components, declared, depth) = key.clone();
        (self.demand, self.depth, self.present) = (demand, depth, Some(key));
        let mut ways = SmallVec::<[ExprId; 7]>::new();
        for (kind, component) in Kind::ALL.into_iter().zip(components) {
            if component == FormulaId::FALSE || self.is_empty_scalar(kind, component) {
                continue;
            }
            ways.push(match kind {
                Kind::Null => self.b.literal("null"),
                Kind::False => self.b.literal("false"),
                Kind::True => self.b.literal("true"),
                Kind::Number => self.number(component, &pointer)?,
                Kind::String => self.string(component, &pointer)?,
                Kind::Array => {
                    self.n_states_before = self.n_states;
                    self.array(component, &pointer)?
                }
                Kind::Object => {
                    self.n_states_before = self.n_states;
                    self.object(component, &declared, &pointer)?
                }
            });
        }
        if let Some(overflow) = self.normal.formulas.overflow() {
            return Err(Error::limit(pointer, overflow.to_string()));
        }
        Ok(self.b.alt(ways))
    }

    /// Whether it shows at once that no number or string satisfies several conditions, so that the error can say which clash.
    fn is_empty_scalar(&mut self, kind: Kind, component: FormulaId) -> bool {
        matches!(kind, Kind::Number | Kind::String)
            && matches!(self.normal.formulas.get(component), Formula::And(_))
            && self.normal.is_empty_component(kind, component, 0)
    }

    /// Counts states against the limit.
    fn count_states(&mut self, n: usize, pointer: &str) -> Result<(), Error> {
        self.n_states += n;
        if let Some(overflow) = self.normal.formulas.overflow() {
            return Err(Error::limit(pointer, overflow.to_string()));
        }
        if self.n_states - self.n_states_before > self.options.limits.max_object_states {
            let limit = self.options.limits.max_object_states;
            let message = format!(
                "the object or array needs more than {limit} states; fewer conditions between members, or a required first property that tells alternatives apart, help"
            );
            return Err(Error::limit(pointer, message));
        }
        if self.n_states > self.options.limits.max_states {
            let message = format!(
                "objects and arrays need more than {} states together",
                self.options.limits.max_states
            );
            return Err(Error::limit(pointer, message));
        }
        Ok(())
    }

    // ---- what every grammar shares ----

    /// A rule that all grammars share, one for each depth if `depth` matters to it.
    fn shared_at(
        &mut self,
        name: &'static str,
        depth: Depth,
        body: impl FnOnce(&mut Self) -> ExprId,
    ) -> ExprId {
        if let Some(&rule) = self.shared.get(&(name, depth)) {
            return self.b.rule(rule);
        }
        if let Some(rule) = self.library.and_then(|library| self.b.borrow(library, name)) {
            self.shared.insert((name, depth), rule);
            return self.b.rule(rule);
        }
        let rule = self.b.declare(name, Place::none());
        self.b.set_sharing(rule, Sharing::Keep);
        self.shared.insert((name, depth), rule);
        let body = body(self);
        self.b.define(rule, body);
        self.b.rule(rule)
    }

    fn shared(&mut self, name: &'static str, body: impl FnOnce(&mut Self) -> ExprId) -> ExprId {
        self.shared_at(name, 0, body)
    }

    fn any_value(&mut self) -> ExprId {
        self.shared_at("json_value", self.depth, |this| {
            let mut ways: Vec<ExprId> = ["null", "true", "false"].map(|word| this.b.literal(word)).into();
            ways.push(this.any_number());
            ways.push(this.any_string());
            ways.push(this.any_array());
            ways.push(this.any_object());
            this.b.alt(ways)
        })
    }

    fn any_string(&mut self) -> ExprId {
        self.shared("json_string", |this| {
            let any = this.any_text();
            this.quoted(any)
        })
    }

    fn any_number(&mut self) -> ExprId {
        self.shared("json_number", |this| this.number_syntax())
    }

    fn any_integer(&mut self) -> ExprId {
        self.shared("json_integer", |this| this.integer_syntax())
    }

    fn any_array(&mut self) -> ExprId {
        self.shared_at("json_array", self.depth, |this| {
            let value = this.any_inner_value();
            let item = this.item(value);
            this.list(Brackets::ARRAY, item)
        })
    }

    fn any_object(&mut self) -> ExprId {
        self.shared_at("json_object", self.depth, |this| {
            let (key, value) = (KeyText::Quoted(this.any_string()), this.any_inner_value());
            let member = this.member(key, value, Ways::One, "");
            this.list(Brackets::OBJECT, member)
        })
    }

    fn any_inner_value(&mut self) -> ExprId {
        let depth = self.inner_depth();
        if self.is_too_deep(FormulaId::TRUE, depth) {
            return self.b.never();
        }
        self.at_depth(depth, Self::any_value)
    }

    /// A string of these texts: a rule of its own where they are without number. Other grammars have the same patterns and
    /// formats, and from inside any string nothing else shows.
    fn string_of(&mut self, text: ExprId, pointer: &str) -> ExprId {
        let quoted = self.quoted(text);
        if self.is_finite(text) {
            return quoted;
        }
        let rule = match self.strings.get(&text) {
            Some(&rule) => rule,
            None => {
                let place = Place::Pointer(pointer.to_owned());
                let rule = self.b.declare(rule_name(pointer), place);
                self.b.set_sharing(rule, Sharing::Keep);
                self.b.define(rule, quoted);
                self.strings.insert(text, rule);
                rule
            }
        };
        self.b.rule(rule)
    }

    /// Whether a text expression has no repetition without end and no complement, which stand for texts without number.
    fn is_finite(&self, text: ExprId) -> bool {
        let mut seen = formwork_grammar::HashSet::default();
        let mut stack = vec![text];
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match self.b.expr(expr) {
                Expr::Not(_) | Expr::Repeat { max: None, .. } => return false,
                expr => stack.extend_from_slice(expr.operands()),
            }
        }
        true
    }

    fn quoted(&mut self, text: ExprId) -> ExprId {
        let quote = self.mark(Mark::Quote);
        let spelled = self.b.json_text(text);
        self.b.seq([quote, spelled, quote])
    }
}

/// The error of a grammar that cannot be built.
fn not_built(error: &GrammarError) -> Error {
    let kind = match error.kind() {
        GrammarErrorKind::Limit => ErrorKind::Limit,
        _ => ErrorKind::Invalid,
    };
    Error::new(kind, error.place().pointer().unwrap_or_default(), error.message())
}

/// The longest run from which on the engine may count; shorter ones are a few states.
const COUNTED_RUN: u32 = 8;

/// Characters of a rule's name.
const MAX_NAME: usize = 40;

/// A readable name for the rule of a pointer: its last step that is a name.
fn rule_name(pointer: &str) -> String {
    let last = pointer.rsplit('/').find(|step| step.starts_with(|c: char| c.is_ascii_alphabetic()));
    let last = last.unwrap_or("value");
    let mut name = String::with_capacity(last.len().min(MAX_NAME));
    name.extend(last.chars().take(MAX_NAME).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }));
    // The names of the shared rules must mean the same in every grammar.
    if name == "root" || name.starts_with("json_") { format!("{name}_value") } else { name }
}
