//! Looking at dispatch: the machine behind text up to a trigger, and what of it can never happen.
//!
//! For people who want to see why a tag does not begin where they expected it: `formwork tags show` prints what is here.

use crate::symbols::{Symbols, TagPiece};
use crate::until::{Machine, Meaning, Patterns, beaten_by};
use formwork_grammar::{Expr, ExprId, Grammar, RuleId, Symbol, SymbolSet, Until};

/// The machine of one [`Until`], as whoever compiles it sees it.
#[derive(Clone, Debug)]
pub struct Dispatch {
    rule: RuleId,
    expr: ExprId,
    states: Vec<DispatchState>,
    warnings: Vec<DispatchWarning>,
    ends: bool,
}

/// A state: what the text ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchState {
    /// The longest beginning of a trigger or an excluded text that the text ends with.
    pub text: String,
    /// The characters that lead elsewhere than to the first state, and where, by position; ascending.
    pub edges: Vec<(char, usize)>,
    /// What happens here.
    pub event: DispatchEvent,
}

/// What happens when a state is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DispatchEvent {
    /// The text goes on.
    None,
    /// These triggers are complete, by the positions of their arms: what follows one of them must come.
    Fires(Vec<usize>),
    /// An excluded text is complete, so the state cannot be entered.
    Refused,
    /// The text goes on, or one of these symbols comes, each with the arm of its trigger.
    Symbols(Vec<(String, usize)>),
}

/// Something in a dispatch that can hardly be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DispatchWarning {
    /// A trigger is never completed, since another trigger, or an excluded text, always is before it.
    Beaten {
        /// The trigger.
        trigger: String,
        /// What is completed first.
        by: String,
        /// Whether that is an excluded text, not a trigger.
        by_excluded: bool,
    },
    /// A trigger names a symbol that does not exist here.
    Absent {
        /// The trigger.
        trigger: String,
    },
    /// The name of a symbol stands across the end of a trigger, so that it is text: the symbol is not meant.
    Cut {
        /// The trigger.
        trigger: String,
        /// The name.
        name: String,
    },
}

impl std::fmt::Display for DispatchWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Beaten { trigger, by, by_excluded } => {
                let what = if *by_excluded { "the excluded text" } else { "the trigger" };
                write!(
                    f,
                    "the trigger {trigger:?} never begins anything: {what} {by:?} is always complete before it"
                )
            }
            Self::Absent { trigger } => {
                write!(f, "the trigger {trigger:?} names a symbol that is not there")
            }
            Self::Cut { trigger, name } => write!(
                f,
                "the trigger {trigger:?} ends inside {name:?}, the name of a symbol, which is plain text here; \
                 a trigger that contains the whole name, or ends before it, means the symbol"
            ),
        }
    }
}

impl Dispatch {
    /// The rule in whose body it stands first.
    pub fn rule(&self) -> RuleId {
        self.rule
    }

    /// The expression, an [`Expr::Until`].
    pub fn expr(&self) -> ExprId {
        self.expr
    }

    /// The states; the text begins in the first. Characters that a state has no edge for lead back there.
    pub fn states(&self) -> &[DispatchState] {
        &self.states
    }

    /// Whether the text may end where no trigger has come.
    pub fn ends(&self) -> bool {
        self.ends
    }

    /// What can hardly be meant.
    pub fn warnings(&self) -> &[DispatchWarning] {
        &self.warnings
    }
}

/// The dispatches that a grammar's root needs, in the order of their rules.
///
/// Cost: linear in the grammar, and for each dispatch in the edges of its machine.
pub fn dispatches(grammar: &Grammar, symbols: &dyn Symbols) -> Vec<Dispatch> {
    let mut found = Vec::new();
    let mut is_needed = vec![false; grammar.rules().len()];
    let mut is_seen = vec![false; grammar.n_exprs()];
    let mut rules = vec![grammar.root()];
    while let Some(rule) = rules.pop() {
        if std::mem::replace(&mut is_needed[rule.index()], true) {
            continue;
        }
        let mut open = vec![grammar.rule(rule).body()];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut is_seen[id.index()], true) {
                continue;
            }
            match grammar.expr(id) {
                Expr::Rule(target) => rules.push(*target),
                Expr::Until(until) => found.push(dispatch(grammar, rule, id, until, symbols)),
                _ => {}
            }
            open.extend_from_slice(grammar.expr(id).operands());
        }
    }
    found.sort_by_key(|dispatch| (dispatch.rule, dispatch.expr));
    found
}

fn dispatch(grammar: &Grammar, rule: RuleId, expr: ExprId, until: &Until, symbols: &dyn Symbols) -> Dispatch {
    let patterns = Patterns::of(until, symbols);
    let Ok(machine) = Machine::new(&patterns.texts, |_| Ok::<(), std::convert::Infallible>(()));
    let texts = texts_of(&machine, &patterns);
    let states = machine.states.iter().zip(texts).map(|(reached, text)| DispatchState {
        text,
        edges: reached.edges.iter().map(|&(c, to)| (c, to as usize)).collect(),
        event: event(&patterns, &reached.completed, symbols),
    });
    let states = states.collect();
    let warnings = warnings(grammar, until, &machine, &patterns, symbols);
    Dispatch { rule, expr, states, warnings, ends: until.ends() }
}

/// What the text ends with in each state: the beginnings of the patterns.
fn texts_of(machine: &Machine, patterns: &Patterns<'_>) -> Vec<String> {
    let mut texts = vec![String::new(); machine.states.len()];
    for pattern in &patterns.texts {
        let mut at = 0;
        for (i, c) in pattern.char_indices() {
            at = machine.next(at, c);
            texts[at as usize] = pattern[..i + c.len_utf8()].to_owned();
        }
    }
    texts
}

fn event(patterns: &Patterns<'_>, completed: &[u32], symbols: &dyn Symbols) -> DispatchEvent {
    let mut fires = Vec::new();
    let mut waits = Vec::new();
    for &number in completed {
        match &patterns.meanings[number as usize] {
            Meaning::Excluded => return DispatchEvent::Refused,
            Meaning::Trigger(arm) => fires.push(*arm),
            Meaning::Symbol(arm, name, _) => {
                let symbol = Symbol::from(*name);
                if symbols.exists(&SymbolSet::of([symbol.clone()])) {
                    waits.push((symbol.to_string(), *arm));
                }
            }
        }
    }
    match (fires.is_empty(), waits.is_empty()) {
        (false, _) => DispatchEvent::Fires(fires),
        (true, false) => DispatchEvent::Symbols(waits),
        (true, true) => DispatchEvent::None,
    }
}

fn warnings(
    grammar: &Grammar,
    until: &Until,
    machine: &Machine,
    patterns: &Patterns<'_>,
    symbols: &dyn Symbols,
) -> Vec<DispatchWarning> {
    let mut warnings = Vec::new();
    let triggers: Vec<(&str, ExprId)> = until.arms().collect();
    for (meaning, number) in patterns.meanings.iter().zip(0..) {
        let arm = match meaning {
            Meaning::Excluded => continue,
            Meaning::Trigger(arm) => *arm,
            Meaning::Symbol(arm, name, _) if symbols.exists(&SymbolSet::of([Symbol::from(*name)])) => *arm,
            Meaning::Symbol(arm, ..) => {
                warnings.push(DispatchWarning::Absent { trigger: triggers[*arm].0.to_owned() });
                continue;
            }
        };
        let (trigger, then) = triggers[arm];
        if let Some(by) = beaten_by(machine, patterns, number) {
            warnings.push(DispatchWarning::Beaten {
                trigger: trigger.to_owned(),
                by: patterns.texts[by as usize].to_owned(),
                by_excluded: patterns.meanings[by as usize] == Meaning::Excluded,
            });
        }
        let mut names: Vec<String> = Vec::new();
        for lead in leads(grammar, then) {
            let whole = format!("{trigger}{lead}");
            let mut end = 0;
            for piece in symbols.pieces(&whole) {
                let start = end;
                let (TagPiece::Text(text) | TagPiece::Symbol(text)) = piece;
                end += text.len();
                let is_cut = start < trigger.len() && trigger.len() < end;
                names.extend(matches!(piece, TagPiece::Symbol(_) if is_cut).then(|| text.to_owned()));
            }
        }
        names.sort_unstable();
        names.dedup();
        let cut = names.into_iter();
        warnings.extend(cut.map(|name| DispatchWarning::Cut { trigger: trigger.to_owned(), name }));
    }
    warnings.dedup();
    warnings
}

/// Expressions that are looked at for what an arm begins with.
const MAX_LEADS: usize = 10_000;
/// More than this a name does not have.
const MAX_LEAD: usize = 256;

/// The texts that an expression begins with for certain, one for each of its alternatives.
fn leads(grammar: &Grammar, expr: ExprId) -> Vec<String> {
    let mut found = Vec::new();
    // What was read so far, and what comes next, the last first.
    let mut open = vec![(String::new(), vec![expr])];
    for _ in 0..MAX_LEADS {
        let Some((mut text, mut next)) = open.pop() else { break };
        let Some(id) = next.pop().filter(|_| text.len() < MAX_LEAD) else {
            found.push(text);
            continue;
        };
        let literal = match grammar.expr(id) {
            Expr::Tag(tag) => Some(&**tag),
            Expr::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        match (literal, grammar.expr(id)) {
            (Some(literal), _) => {
                text.push_str(literal);
                open.push((text, next));
            }
            (None, Expr::Seq(parts)) => {
                next.extend(parts.iter().rev());
                open.push((text, next));
            }
            (None, Expr::Alt(ways)) => open.extend(ways.iter().map(|&way| {
                let mut next = next.clone();
                next.push(way);
                (text.clone(), next)
            })),
            _ => found.push(text),
        }
    }
    found
}
