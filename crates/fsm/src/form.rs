//! Forms: what makes units of different grammars the same.
//!
//! A unit's automaton depends on the expressions that it is built from, on those of rules that go in line, and on *what* the
//! rules are that it calls, but not on names, places or numbers. The form of a unit writes just that down as words: each
//! expression when it is first met, in preorder, and its position in that order when it is met again; a rule that is
//! called as the identity of that rule, found before. So a form is as long as the unit itself, however much hangs below
//! it, equal forms mean equal automata, and the n-th expression of one is the n-th of the other, which is how the tables
//! built for one grammar learn what their calls mean in the next.
//!
//! # Rules in circles
//! Rules that call each other have no order in which the called one comes first. Their forms write the whole circle down,
//! beginning with the rule in question: calls inside it are numbered as they are met. This is the place of *XGrammar 2*'s
//! hierarchical hashing (its Algorithms 1 and 2 hash automata bottom-up, and give up on circles but for those through one
//! rule): here no hash decides, since forms are compared in full, and all circles are covered. What it does not see is
//! that two rules with different forms may have the same automaton.
//!
//! # Worked example
//! `list ::= "[" item ("," item)* "]"`, `item ::= [0-9]+`, item in line. The form of `list`: sequence of 4; bytes `[`; rule in
//! line (1); repeat 1.. ; class 0-9; repeat 0..; sequence of 2; bytes `,`; met before: 2 (the rule); bytes `]`. The same
//! list under other names, or in the middle of a large schema, has the same words.

use crate::config::Config;
use crate::few::Few;
use crate::plan::{Plan, operands};
use crate::regions;
use crate::spelling::Spelling;
use crate::unit::{Body, Measurable, Shape, Spelled, Unit};
use formwork_grammar::{Clause, Conditions, Expr, ExprId, Grammar, RuleId, Symbol, SymbolSet};
use std::num::NonZeroU32;

/// A form: numbers, most of which are small, each in the bytes that it needs (seven bits in each, the lowest first, and the
/// eighth says that there are more); and literals as they are. What comes next in it shows from what came before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    bytes: Vec<u8>,
}

/// The longest form that is compared, in bytes.
pub(crate) const MAX_BYTES: usize = 75_000;

/// Bytes that most forms have room in.
const USUAL: usize = 512;

impl Words {
    /// The form as it is compared.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    fn push(&mut self, mut word: u32) {
        while word >= 0x80 {
            self.bytes.push(word as u8 | 0x80);
            word >>= 7;
        }
        self.bytes.push(word as u8);
    }

    #[inline]
    fn extend(&mut self, words: impl IntoIterator<Item = u32>) {
        words.into_iter().for_each(|word| self.push(word));
    }

    /// What a list is, and its length.
    #[inline]
    fn list(&mut self, kind: u32, len: usize) {
        self.push(kind);
        self.push(len as u32);
    }

    /// Bytes as they are, the length first.
    fn literal(&mut self, bytes: &[u8]) {
        self.push(bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
    }
}

/// Writes forms; keeps buffers between them.
#[derive(Debug, Default)]
pub(crate) struct Former {
    /// The switches that decide how units are built: units built differently have different forms.
    switches: u32,
    pub(crate) words: Words,
    /// The expressions met, in order; and the rules that are called, in order.
    pub(crate) exprs: Vec<ExprId>,
    pub(crate) rules: Vec<RuleId>,
    /// Per expression and per rule the stamp of the form that last met it, and its position there.
    positions: Vec<(u32, u32)>,
    rule_positions: Vec<(u32, u32)>,
    stamp: u32,
    stack: Vec<ExprId>,
    /// The rule that was written last, alone.
    last: Option<RuleId>,
}

/// What the positions in a form name in one grammar.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) exprs: Box<[ExprId]>,
    pub(crate) rules: Box<[RuleId]>,
}

/// The identities of rules, where they are known.
pub(crate) type Identities = [Option<u32>];

/// What the automaton of a unit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    Nothing,
    Ticks,
    Members,
    /// Nothing, and it reads nothing: it is a symbol.
    Symbol,
}

/// What the unit with this form counts.
pub(crate) fn counts(form: &[u8]) -> Counts {
    // The first two words are a byte each, but where the second one is a rule's identity.
    match *form {
        [RULE_BYTE, ..] => Counts::Nothing,
        [_, COUNTED_BYTE, ..] => Counts::Ticks,
        [_, SYMBOLS_BYTE, ..] => Counts::Symbol,
        [_, SET_BYTE, ..] => Counts::Members,
        _ => Counts::Nothing,
    }
}

const RULE_BYTE: u8 = RULE as u8;
const COUNTED_BYTE: u8 = COUNTED as u8;
const SYMBOLS_BYTE: u8 = SYMBOLS as u8;
const SET_BYTE: u8 = SET as u8;

// What units are: the first word of a whole rule's form, and the second one of others', behind the switches.
const RULE: u32 = 100;
const RECURSIVE: u32 = 101;
const BODY: u32 = 102;
const COUNTED: u32 = 103;
const ESCAPE: u32 = 104;
const SYMBOLS: u32 = 105;
const SET: u32 = 106;
const MACHINE: u32 = 107;
/// What all of some expressions over code points match.
const TEXT: u32 = 108;

// Parts of expressions.
const MET: u32 = 1;
const IN_LINE: u32 = 2;
const CALL: u32 = 3;
const CIRCLE: u32 = 4;

impl Former {
    pub(crate) fn new(config: &Config) -> Self {
        let Config {
            inlining,
            minimisation,
            counters,
            shared_escapes,
            lazy,
            shared_rules: _,
            runs: _,
            captures,
            limits: _,
        } = *config;
        let bits = [inlining, minimisation, counters, shared_escapes, captures, lazy];
        let switches = bits.iter().fold(0, |word, &bit| word << 1 | u32::from(bit));
        Self { switches, ..Self::default() }
    }

    /// One of the same switches, without buffers.
    pub(crate) fn emptied(&self) -> Self {
        Self { switches: self.switches, ..Self::default() }
    }

    fn start(&mut self, grammar: &Grammar) {
        self.words.bytes.clear();
        self.words.bytes.reserve(USUAL);
        self.words.push(self.switches);
        self.exprs.clear();
        self.exprs.reserve(USUAL / 8);
        self.stack.reserve(USUAL / 8);
        self.rules.clear();
        self.last = None;
        self.stamp += 1;
        self.positions.resize(grammar.n_exprs(), (0, 0));
        self.rule_positions.resize(grammar.rules().len(), (0, 0));
    }

    /// The form of a rule, with that of its circle; false if it is too long.
    pub(crate) fn rule(
        &mut self,
        grammar: &Grammar,
        plan: &Plan,
        identities: &Identities,
        rule: RuleId,
    ) -> bool {
        let (first, mut is_alone) = (rule, true);
        self.start(grammar);
        self.call(rule);
        let mut next = 0;
        // Rules of the circle stand among the called ones; those that have an identity are written as that.
        while let Some(&rule) = self.rules.get(next) {
            let is_inside = next == 0 || identities[rule.index()].is_none();
            is_alone &= next == 0 || !is_inside;
            if is_inside {
                self.words.push(next as u32);
                self.words.extend(region(grammar, rule));
                if !self.expr(grammar, plan, identities, grammar.rule(rule).body()) {
                    return false;
                }
            }
            next += 1;
        }
        // Beside others of its circle it is written at length as long as these have no identities.
        self.last = is_alone.then_some(first);
        true
    }

    /// Makes the words those of a rule with an identity; what the form that was written last names stays.
    pub(crate) fn identify(&mut self, identity: u32) {
        self.words.bytes.clear();
        self.words.extend([RULE, identity]);
    }

    /// Whether the form of this rule was written last.
    pub(crate) fn has_written(&self, rule: RuleId) -> bool {
        self.last == Some(rule)
    }

    /// The form of a unit that is no whole rule; false if it is too long.
    pub(crate) fn unit(
        &mut self,
        grammar: &Grammar,
        plan: &Plan,
        identities: &Identities,
        unit: &Unit,
    ) -> bool {
        self.start(grammar);
        let list = |former: &mut Self, parts: &[ExprId]| {
            former.words.push(parts.len() as u32);
            parts.iter().all(|&part| former.expr(grammar, plan, identities, part))
        };
        match unit {
            Unit::Rule(rule) | Unit::Region(rule) => {
                self.words.push(identities[rule.index()].unwrap_or(u32::MAX));
                identities[rule.index()].is_some()
            }
            Unit::Recursive(rule) => {
                self.words.extend([RECURSIVE, identities[rule.index()].unwrap_or(u32::MAX)]);
                let split = plan.split(*rule);
                let parts = split.map_or(&[][..], |split| &split.recursive);
                self.words.push(split.map_or(0, |split| split.tail.len() as u32));
                list(self, parts) && identities[rule.index()].is_some()
            }
            Unit::Body(expr, spelling) => {
                self.words.extend([BODY, *spelling as u32]);
                list(self, &[*expr])
            }
            Unit::Counted { shape, .. } => {
                let Shape { before, body, after, body_spelling } = &**shape;
                self.words.extend([COUNTED, *body_spelling as u32]);
                let (kind, parts) = match body {
                    Body::Repeated(body) => (0, std::slice::from_ref(body)),
                    Body::Measured(parts) => (1, &parts[..]),
                };
                self.words.push(kind);
                let spelled = |former: &mut Self, parts: &[Spelled]| {
                    former.words.push(parts.len() as u32);
                    former.words.extend(parts.iter().map(|&(_, spelling)| spelling as u32));
                    let parts: Vec<ExprId> = parts.iter().map(|&(part, _)| part).collect();
                    list(former, &parts)
                };
                spelled(self, before) && list(self, parts) && spelled(self, after)
            }
            Unit::Set(expr) => {
                self.words.push(SET);
                list(self, &[*expr])
            }
            Unit::Machine(expr) => {
                self.words.push(MACHINE);
                list(self, &[*expr])
            }
            Unit::Symbols(set) => {
                self.words.push(SYMBOLS);
                write_symbols(&mut self.words, set)
            }
            Unit::Escape(ranges) => {
                self.words.push(ESCAPE);
                self.words.extend(ranges.iter().flat_map(|&(low, high)| [low, high]));
                true
            }
        }
    }

    /// The form of what all of some expressions over code points match, which refer to no rules; false if it is too long.
    pub(crate) fn text(&mut self, grammar: &Grammar, plan: &Plan, parts: &[ExprId]) -> bool {
        self.start(grammar);
        // The switches do not matter: an automaton over code points is minimal.
        self.words.bytes.clear();
        self.words.extend([TEXT, parts.len() as u32]);
        parts.iter().all(|&part| self.expr(grammar, plan, &[], part))
    }

    /// What the positions in the form at hand name.
    pub(crate) fn form(&self) -> Form {
        Form { exprs: self.exprs[..].into(), rules: self.rules[..].into() }
    }

    /// The position of an expression that was met.
    pub(crate) fn position(&self, expr: ExprId) -> Option<u32> {
        let (stamp, position) = self.positions[expr.index()];
        (stamp == self.stamp).then_some(position)
    }

    /// The position of a rule that is called.
    pub(crate) fn rule_position(&self, rule: RuleId) -> Option<u32> {
        let (stamp, position) = self.rule_positions[rule.index()];
        (stamp == self.stamp).then_some(position)
    }

    fn call(&mut self, rule: RuleId) -> u32 {
        self.rule_position(rule).unwrap_or_else(|| {
            let position = self.rules.len() as u32;
            self.rules.push(rule);
            self.rule_positions[rule.index()] = (self.stamp, position);
            position
        })
    }

    fn expr(&mut self, grammar: &Grammar, plan: &Plan, identities: &Identities, expr: ExprId) -> bool {
        self.stack.clear();
        self.stack.push(expr);
        while let Some(expr) = self.stack.pop() {
            if let Some(position) = self.position(expr) {
                self.words.push(MET);
                self.words.push(position);
                continue;
            }
            if self.words.bytes.len() > MAX_BYTES {
                return false;
            }
            self.positions[expr.index()] = (self.stamp, self.exprs.len() as u32);
            self.exprs.push(expr);
            let words = &mut self.words;
            match grammar.expr(expr) {
                Expr::Empty => words.push(5),
                Expr::Never => words.push(6),
                Expr::Bytes(bytes) => {
                    words.push(7);
                    words.literal(bytes);
                }
                Expr::ByteClass(set) => {
                    words.push(8);
                    set.words().iter().for_each(|word| words.bytes.extend(word.to_le_bytes()));
                }
                Expr::Class(class) => {
                    words.list(9, class.ranges().len());
                    for &(low, high) in class.ranges() {
                        words.push(low.into());
                        words.push(high.into());
                    }
                }
                Expr::Seq(parts) => words.list(10, parts.len()),
                Expr::Alt(parts) => words.list(11, parts.len()),
                Expr::And(parts) => words.list(12, parts.len()),
                Expr::Repeat { min, max, .. } => {
                    words.push(13);
                    words.push(*min);
                    words.push(plan.max_of(expr, *max).unwrap_or(u32::MAX));
                }
                Expr::Not(_) => words.push(14),
                Expr::JsonText(_) => words.push(15),
                Expr::Set { parts, conditions } => {
                    words.extend([19, parts.len() as u32]);
                    write_conditions(words, conditions);
                }
                Expr::Member { number, .. } => words.extend([20, *number]),
                Expr::Machine(machine) => {
                    words.push(21);
                    words.literal(machine.name().as_bytes());
                }
                Expr::Rule(rule) if !plan.keeps(*rule) => {
                    words.push(IN_LINE);
                    self.stack.push(grammar.rule(*rule).body());
                }
                Expr::Rule(rule) => {
                    let position = self.call(*rule);
                    let split = u32::from(plan.split(*rule).is_some());
                    match identities[rule.index()] {
                        Some(identity) => {
                            self.words.push(CALL | split << 8);
                            self.words.push(identity);
                        }
                        None => {
                            self.words.push(CIRCLE | split << 8);
                            self.words.push(position);
                        }
                    }
                    // What of a split rule goes in line is built here, and may be named by what is built.
                    if let Some(split) = plan.split(*rule) {
                        self.stack.extend(split.tail.iter().rev());
                        self.stack.extend(split.plain.iter().rev());
                        self.words.extend([split.plain.len() as u32, split.tail.len() as u32]);
                    }
                }
                Expr::Symbols(set) => {
                    words.push(16);
                    if !write_symbols(words, set) {
                        return false;
                    }
                }
                Expr::Tag(tag) => {
                    words.push(17);
                    words.literal(tag.as_bytes());
                }
                Expr::Until(until) => {
                    words.extend([18, u32::from(until.ends()), until.arms().count() as u32]);
                    for (trigger, then) in until.arms() {
                        words.literal(trigger.as_bytes());
                        // Which of the continuations, which come below.
                        let position = until.continuations().iter().position(|&other| other == then);
                        words.push(position.map_or(0, |position| position as u32));
                    }
                    for text in until.excluded() {
                        words.literal(text.as_bytes());
                    }
                    words.extend([u32::MAX, until.continuations().len() as u32]);
                }
                // A construct that has no words yet makes a form of its own.
                _ => return false,
            }
            self.stack.extend(operands(grammar.expr(expr)).iter().rev());
        }
        true
    }
}

/// What of a rule's [region](crate::regions) its automaton depends on.
fn region(grammar: &Grammar, rule: RuleId) -> [u32; 2] {
    let rule = grammar.rule(rule);
    [rule.budget().map_or(0, NonZeroU32::get), rule.is_distinct().into()]
}

/// What a set asks as words, every list with its length first.
fn write_conditions(words: &mut Words, conditions: &Conditions) {
    let mut list = |kind: u32, list: &[u32]| {
        words.extend([kind, list.len() as u32]);
        words.extend(list.iter().copied());
    };
    list(0, conditions.required());
    list(0, conditions.repeatable());
    let is_distinct = conditions.is_distinct().into();
    list(0, &[conditions.exclusive().len() as u32, conditions.clauses().len() as u32, is_distinct]);
    conditions.exclusive().iter().for_each(|group| list(0, group));
    for clause in conditions.clauses() {
        match clause {
            Clause::All(operands) => list(1, operands),
            Clause::Any(operands) => list(2, operands),
            Clause::Some(members) => list(3, members),
            Clause::None(members) => list(4, members),
            Clause::AtLeast(n) => list(5, &[*n]),
            Clause::AtMost(n) => list(6, &[*n]),
        }
    }
}

/// A set of symbols as words; false if it has none.
fn write_symbols(words: &mut Words, set: &SymbolSet) -> bool {
    words.extend([u32::from(set.is_negated()), set.members().len() as u32]);
    set.members().iter().all(|symbol| {
        match symbol {
            Symbol::Id(id) => words.extend([0, *id]),
            Symbol::Name(name) => {
                words.push(1);
                words.literal(name.as_bytes());
            }
            _ => return false,
        }
        true
    })
}

/// A unit in terms of the form of one that calls it.
#[derive(Clone, Debug)]
pub(crate) enum Portable {
    /// What a called rule is, whose expressions the form does not meet: nothing but a counted piece, or a set.
    Called(u32),
    Rule(u32),
    Region(u32),
    Recursive(u32),
    Body(u32, Spelling),
    Set(u32),
    Machine(u32),
    Counted {
        shape: Box<PortableShape>,
        min: u32,
        max: Option<u32>,
    },
    Escape(Few<(u32, u32)>),
    Symbols(SymbolSet),
}

/// A counted repetition without its bounds, as [`Shape`].
#[derive(Clone, Debug)]
pub(crate) struct PortableShape {
    pub(crate) before: Vec<(u32, Spelling)>,
    pub(crate) repeated: bool,
    pub(crate) body: Vec<u32>,
    pub(crate) body_spelling: Spelling,
    pub(crate) after: Vec<(u32, Spelling)>,
}

impl Portable {
    /// The unit by the positions of expressions and rules in the form. `None` if it names what the form has not met.
    pub(crate) fn of(
        unit: &Unit,
        position: impl Fn(ExprId) -> Option<u32>,
        rule_position: impl Fn(RuleId) -> Option<u32>,
    ) -> Option<Self> {
        let all = |parts: &[ExprId]| parts.iter().map(|&part| position(part)).collect::<Option<Vec<u32>>>();
        Some(match unit {
            Unit::Rule(rule) => Self::Rule(rule_position(*rule)?),
            Unit::Region(rule) => Self::Region(rule_position(*rule)?),
            Unit::Recursive(rule) => Self::Recursive(rule_position(*rule)?),
            Unit::Set(expr) => Self::Set(position(*expr)?),
            Unit::Machine(expr) => Self::Machine(position(*expr)?),
            Unit::Body(expr, spelling) => Self::Body(position(*expr)?, *spelling),
            Unit::Counted { shape, min, max } => {
                let (repeated, body) = match &shape.body {
                    Body::Repeated(body) => (true, all(&[*body])?),
                    Body::Measured(parts) => (false, all(parts)?),
                };
                let spelled = |parts: &[Spelled]| {
                    let spelled = |&(part, spelling)| Some((position(part)?, spelling));
                    parts.iter().map(spelled).collect::<Option<Vec<_>>>()
                };
                let (before, after) = (spelled(&shape.before)?, spelled(&shape.after)?);
                let body_spelling = shape.body_spelling;
                let shape = PortableShape { before, repeated, body, body_spelling, after };
                Self::Counted { shape: Box::new(shape), min: *min, max: *max }
            }
            Unit::Escape(ranges) => Self::Escape(ranges.clone()),
            Unit::Symbols(set) => Self::Symbols(set.clone()),
        })
    }

    /// Memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        let own = match self {
            Self::Counted { shape, .. } => {
                size_of::<PortableShape>()
                    + 8 * (shape.before.len() + shape.after.len())
                    + 4 * shape.body.len()
            }
            Self::Escape(ranges) => ranges.memory_size(),
            _ => 0,
        };
        size_of::<Self>() + own
    }

    /// The unit in a grammar in which the form names these expressions and rules. `None` if there is no such unit, which shows that it was
    /// [saved](crate::saved) by somebody else.
    pub(crate) fn unit(
        &self,
        (exprs, rules): (&[ExprId], &[RuleId]),
        grammar: &Grammar,
        plan: &Plan,
        measurable: &Measurable,
    ) -> Option<Unit> {
        let expr = |position: u32| exprs.get(position as usize).copied();
        let rule = |position: u32| rules.get(position as usize).copied();
        let all = |parts: &[u32]| parts.iter().map(|&part| expr(part)).collect::<Option<Vec<ExprId>>>();
        let can_be_spelled = |parts: &[ExprId], spelling: Spelling| {
            parts.iter().all(|&part| {
                let properties = grammar.properties(part);
                match spelling {
                    Spelling::Utf8 => !properties.has_members,
                    Spelling::Json => properties.is_text,
                    Spelling::CodePoints => false,
                }
            })
        };
        Some(match self {
            // The context of the building decides.
            Self::Called(_) => return None,
            Self::Rule(position) => Unit::Rule(rule(*position)?),
            Self::Region(position) => {
                Unit::Region(rule(*position).filter(|&rule| regions::is_region(grammar.rule(rule)))?)
            }
            Self::Recursive(position) => {
                Unit::Recursive(rule(*position).filter(|&rule| plan.split(rule).is_some())?)
            }
            Self::Set(position) => {
                Unit::Set(expr(*position).filter(|&expr| matches!(grammar.expr(expr), Expr::Set { .. }))?)
            }
            Self::Machine(position) => {
                Unit::Machine(expr(*position).filter(|&expr| matches!(grammar.expr(expr), Expr::Machine(_)))?)
            }
            Self::Body(position, spelling) => {
                let body = expr(*position).filter(|&expr| can_be_spelled(&[expr], *spelling))?;
                Unit::Body(body, *spelling)
            }
            Self::Counted { shape, min, max } => {
                let PortableShape { before, repeated, body, body_spelling, after } = &**shape;
                let spelled = |parts: &[(u32, Spelling)]| {
                    let part = |&(position, spelling)| {
                        let part = expr(position)?;
                        can_be_spelled(&[part], spelling).then_some((part, spelling))
                    };
                    parts.iter().map(part).collect::<Option<Vec<Spelled>>>()
                };
                let (before, body, after) = (spelled(before)?, all(body)?, spelled(after)?);
                let body_spelling = *body_spelling;
                let body = match (*repeated, &body[..]) {
                    (true, &[body]) => {
                        Some(body).filter(|&body| can_be_spelled(&[body], body_spelling)).map(Body::Repeated)
                    }
                    (true, _) => None,
                    (false, _) => measurable.contains_key(&body).then_some(Body::Measured(body)),
                };
                let in_order = max.is_none_or(|max| max >= *min && max > 0);
                let shape = Box::new(Shape { before, body: body?, after, body_spelling });
                (in_order && body_spelling != Spelling::CodePoints).then_some(Unit::Counted {
                    shape,
                    min: *min,
                    max: *max,
                })?
            }
            Self::Escape(ranges) => Unit::Escape(ranges.clone()),
            Self::Symbols(set) => Unit::Symbols(set.clone()),
        })
    }
}
