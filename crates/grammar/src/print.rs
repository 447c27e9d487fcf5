//! Prints a grammar as EBNF, in the dialect that `formwork-ebnf` reads.
//!
//! A grammar is a DAG whose tree can be exponentially larger, so an expression with several parents is written out
//! once, as a rule of its own, and referred to by name, unless it is small. If it is the body of a declared rule, that
//! rule's name serves; otherwise it gets a fresh one (`shared_1`, …) after the declared rules. Where the grammar wants
//! text, inside `And`, `Not` and `JsonText`, the reader puts a rule's body in place of its name, so that the result is
//! the same expression again. The output is linear in the number of expressions, and nothing recurses.
//!
//! Reading the output back and printing it gives the same text. For that, nothing may depend on the numbering of the
//! expressions, not even the order in which operands of an intersection are printed.

use crate::collections::{HashMap, HashSet};
use crate::grammar::Region;
use crate::{ByteSet, CharClass, Conditions, Expr, ExprId, Grammar, RuleId, Until};
use std::fmt::{self, Write};

/// An expression of at most about this many characters is repeated rather than named.
const SMALL: u32 = 40;
/// What a reference counts for, whatever the name.
const REFERENCE: u32 = 8;

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = Plan::new(self);
        for rule in self.rule_ids() {
            let name = &plan.names[rule.index()];
            f.write_str(name)?;
            write_region(f, &self.rule(rule).region)?;
            plan.rule(f, self.rule(rule).body(), plan.holder(self.rule(rule).body()) == Some(name))?;
        }
        for &expr in &plan.unnamed {
            if let Some(name) = plan.holder(expr) {
                f.write_str(name)?;
                plan.rule(f, expr, true)?;
            }
        }
        Ok(())
    }
}

/// The attributes of a rule.
fn write_region(f: &mut fmt::Formatter<'_>, region: &Region) -> fmt::Result {
    if *region == Region::default() {
        return Ok(());
    }
    f.write_char('[')?;
    let mut is_first = true;
    let mut separator = || if std::mem::take(&mut is_first) { "" } else { ", " };
    if region.is_distinct {
        write!(f, "{}distinct", separator())?;
    }
    if let Some(steps) = region.budget {
        write!(f, "{}max_tokens={steps}", separator())?;
    }
    if let Some(name) = &region.capture {
        write!(f, "{}capture=", separator())?;
        f.write_char('"')?;
        for c in name.chars() {
            // The attributes end at the first bracket.
            if c == ']' { f.write_str("\\x5D")? } else { write_char(f, c, "\"\\")? }
        }
        f.write_char('"')?;
    }
    f.write_char(']')
}

/// How a grammar is going to be printed.
struct Plan<'a> {
    grammar: &'a Grammar,
    /// The printed name of each rule.
    names: Vec<String>,
    /// For each expression that is written out once, the name to use everywhere else.
    holders: HashMap<ExprId, String>,
    /// Those of them that are no rule's body, ascending.
    unnamed: Vec<ExprId>,
    /// A hash of what each expression says, independent of the numbering of the arena.
    hashes: Vec<u64>,
}

impl<'a> Plan<'a> {
    fn new(grammar: &'a Grammar) -> Self {
        let mut taken = HashSet::default();
        let names = names(grammar, &mut taken);
        let mut plan = Self {
            grammar,
            hashes: hashes(grammar, &names),
            names,
            holders: HashMap::default(),
            unnamed: vec![],
        };
        let shared = shared(grammar);
        for rule in grammar.rule_ids() {
            let body = grammar.rule(rule).body();
            // Of what a region asks, the expression by itself asks nothing.
            if shared[body.index()]
                && grammar.rule(rule).region == Region::default()
                && !plan.holders.contains_key(&body)
            {
                plan.holders.insert(body, plan.names[rule.index()].clone());
            }
        }
        let mut n = 0_usize;
        for expr in (0..shared.len()).filter(|&i| shared[i]).filter_map(ExprId::from_index) {
            if plan.holders.contains_key(&expr) {
                continue;
            }
            let name = loop {
                n += 1;
                let name = format!("shared_{n}");
                if taken.insert(name.clone()) {
                    break name;
                }
            };
            plan.holders.insert(expr, name);
            plan.unnamed.push(expr);
        }
        plan
    }

    fn holder(&self, expr: ExprId) -> Option<&String> {
        self.holders.get(&expr)
    }

    /// Prints what follows a rule's name; `in_full` says that its body is written here even if it has a name.
    fn rule(&self, f: &mut fmt::Formatter<'_>, body: ExprId, in_full: bool) -> fmt::Result {
        f.write_str(" ::= ")?;
        let mut todo = Vec::new();
        if in_full {
            self.expr(f, body, Tightness::Alternation, &mut todo)?;
        } else {
            todo.push(Todo::Expr(body, Tightness::Alternation));
        }
        while let Some(next) = todo.pop() {
            match next {
                Todo::Text(text) => f.write_str(text)?,
                Todo::Bounds(min, max) => write_bounds(f, min, max)?,
                Todo::Trigger(trigger) => {
                    f.write_char('(')?;
                    write_text(f, trigger)?;
                    f.write_str(", ")?;
                }
                Todo::Ends(until) => write_ends(f, until)?,
                Todo::Conditions(conditions) => write!(f, "{conditions}")?,
                Todo::Expr(expr, tightness) => match self.holder(expr) {
                    Some(name) => f.write_str(name)?,
                    None => self.expr(f, expr, tightness, &mut todo)?,
                },
            }
        }
        f.write_char('\n')
    }

    /// Prints what comes first of an expression and leaves the rest to do.
    fn expr(
        &self,
        f: &mut fmt::Formatter<'_>,
        expr: ExprId,
        tightness: Tightness,
        todo: &mut Vec<Todo<'a>>,
    ) -> fmt::Result {
        let expr = self.grammar.expr(expr);
        let own = match expr {
            Expr::Alt(_) => Tightness::Alternation,
            Expr::Seq(_) => Tightness::Sequence,
            Expr::Repeat { .. } => Tightness::Repetition,
            _ => Tightness::Atom,
        };
        if own < tightness {
            f.write_char('(')?;
            todo.push(Todo::Text(")"));
        }
        match expr {
            Expr::Empty => f.write_str("\"\"")?,
            Expr::Never => f.write_str("[]")?,
            Expr::Bytes(bytes) => write_literal(f, bytes)?,
            Expr::ByteClass(set) => write_byte_class(f, set)?,
            Expr::Class(class) => write_class(f, class)?,
            Expr::Rule(rule) => f.write_str(&self.names[rule.index()])?,
            Expr::Seq(parts) => list(todo, parts, " ", Tightness::Repetition),
            Expr::Alt(parts) => list(todo, parts, " | ", Tightness::Sequence),
            Expr::Repeat { body, min, max } => {
                todo.push(Todo::Bounds(*min, *max));
                todo.push(Todo::Expr(*body, Tightness::Atom));
            }
            Expr::And(parts) => {
                let mut parts = parts.to_vec();
                parts.sort_by_key(|&part| {
                    (self.grammar.properties(part).tree_size, self.hashes[part.index()])
                });
                f.write_str("And(")?;
                todo.push(Todo::Text(")"));
                list(todo, &parts, ", ", Tightness::Alternation);
            }
            Expr::Not(body) | Expr::JsonText(body) => {
                f.write_str(if matches!(expr, Expr::Not(_)) { "Not(" } else { "JsonText(" })?;
                todo.push(Todo::Text(")"));
                todo.push(Todo::Expr(*body, Tightness::Alternation));
            }
            Expr::Set { parts, conditions } => {
                f.write_str("Set(")?;
                todo.push(Todo::Text(")"));
                todo.push(Todo::Conditions(conditions));
                todo.push(Todo::Expr(parts[0], Tightness::Alternation));
            }
            Expr::Member { number, body } => {
                write!(f, "Member({number}, ")?;
                todo.push(Todo::Text(")"));
                todo.push(Todo::Expr(*body, Tightness::Alternation));
            }
            Expr::Symbols(set) => write!(f, "{set}")?,
            Expr::Tag(text) => {
                f.write_str("Tag(")?;
                write_text(f, text)?;
                f.write_char(')')?;
            }
            Expr::Machine(machine) => {
                f.write_str("Machine(")?;
                write_text(f, machine.name())?;
                f.write_char(')')?;
            }
            Expr::Until(until) => {
                f.write_str("Until(")?;
                todo.push(Todo::Text(")"));
                todo.push(Todo::Ends(until));
                for (i, (trigger, then)) in until.arms().enumerate().collect::<Vec<_>>().into_iter().rev() {
                    todo.push(Todo::Text(")"));
                    todo.push(Todo::Expr(then, Tightness::Alternation));
                    todo.push(Todo::Trigger(trigger));
                    if i > 0 {
                        todo.push(Todo::Text(", "));
                    }
                }
            }
        }
        Ok(())
    }
}

/// What remains to be printed.
enum Todo<'a> {
    Text(&'static str),
    Bounds(u32, Option<u32>),
    /// The beginning of an arm.
    Trigger(&'a str),
    /// What follows the arms.
    Ends(&'a Until),
    /// What a set asks of its members.
    Conditions(&'a Conditions),
    /// An expression where at least this tightness is needed.
    Expr(ExprId, Tightness),
}

/// How tightly the parts of an expression hold together; what is looser than its place needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Alternation,
    Sequence,
    Repetition,
    Atom,
}

fn list(todo: &mut Vec<Todo<'_>>, parts: &[ExprId], between: &'static str, tightness: Tightness) {
    for (i, &part) in parts.iter().enumerate().rev() {
        todo.push(Todo::Expr(part, tightness));
        if i > 0 {
            todo.push(Todo::Text(between));
        }
    }
}

// ---- planning ----

/// Which expressions are written out once: those with several parents that are not small.
fn shared(grammar: &Grammar) -> Vec<bool> {
    let n = grammar.n_exprs();
    let mut n_uses = vec![0_u32; n];
    for rule in grammar.rules() {
        n_uses[rule.body().index()] += 1;
    }
    // Operands have lower ids than what they are operands of, so one pass down finds all that is in use,
    // and one pass up all sizes.
    let ids = || (0..n).filter_map(ExprId::from_index);
    for id in ids().rev() {
        if n_uses[id.index()] > 0 {
            for operand in grammar.expr(id).operands() {
                n_uses[operand.index()] = n_uses[operand.index()].saturating_add(1);
            }
        }
    }
    let mut shared = vec![false; n];
    let mut sizes = vec![0_u32; n];
    for id in ids() {
        let expr = grammar.expr(id);
        let own = match expr {
            Expr::Bytes(bytes) => bytes.len(),
            Expr::ByteClass(set) => 8 * set.ranges().len(),
            Expr::Class(class) => 3 * class.ranges().len().min(1_000),
            Expr::Rule(_) => REFERENCE as usize,
            Expr::Symbols(set) => 10 * set.members().len(),
            Expr::Tag(text) => text.len(),
            Expr::Machine(machine) => machine.name().len(),
            Expr::Until(until) => until.n_bytes(),
            _ => 3,
        };
        let mut size = u32::try_from(own).unwrap_or(u32::MAX);
        for operand in expr.operands() {
            let named = shared[operand.index()];
            size = size.saturating_add(1 + if named { REFERENCE } else { sizes[operand.index()] });
        }
        sizes[id.index()] = size;
        // A rule of its own would part members from their set.
        shared[id.index()] = n_uses[id.index()] > 1 && size > SMALL && !grammar.properties(id).has_members;
    }
    shared
}

/// The printed name of each rule: its own where the dialect can say it.
fn names(grammar: &Grammar, taken: &mut HashSet<String>) -> Vec<String> {
    let is_plain = |name: &str| {
        let mut chars = name.chars();
        chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && chars.all(|c| c.is_alphanumeric() || "_-.".contains(c))
            && !["true", "false"].contains(&name)
    };
    taken.extend(
        grammar.rules().iter().map(|rule| rule.name()).filter(|name| is_plain(name)).map(str::to_owned),
    );
    let mut suffixes: HashMap<String, usize> = HashMap::default();
    let mut rename = |name: &str| {
        let mut plain: String =
            name.chars().map(|c| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '_' }).collect();
        if !is_plain(&plain) {
            plain.insert(0, '_');
        }
        let mut unique = plain.clone();
        while !taken.insert(unique.clone()) {
            let n = suffixes.entry(plain.clone()).or_insert(1);
            *n += 1;
            unique = format!("{plain}_{n}");
        }
        unique
    };
    let name = |rule: RuleId| grammar.rule(rule).name();
    grammar
        .rule_ids()
        .map(|rule| if is_plain(name(rule)) { name(rule).to_owned() } else { rename(name(rule)) })
        .collect()
}

/// A hash of each expression from what it says alone (FNV-1a, so that it is the same everywhere).
fn hashes(grammar: &Grammar, names: &[String]) -> Vec<u64> {
    let mut hashes: Vec<u64> = Vec::with_capacity(grammar.n_exprs());
    for expr in (0..grammar.n_exprs()).filter_map(ExprId::from_index).map(|id| grammar.expr(id)) {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        match expr {
            Expr::Empty => hash.add(b"e"),
            Expr::Never => hash.add(b"n"),
            Expr::Bytes(bytes) => hash.add(b"b").add(bytes),
            Expr::ByteClass(set) => {
                set.ranges().iter().fold(hash.add(b"s"), |h, &(low, high)| h.add(&[low, high]))
            }
            Expr::Class(class) => class.ranges().iter().fold(hash.add(b"c"), |h, &(low, high)| {
                h.add(&u32::from(low).to_le_bytes()).add(&u32::from(high).to_le_bytes())
            }),
            Expr::Rule(rule) => hash.add(b"r").add(names[rule.index()].as_bytes()),
            Expr::Repeat { min, max, .. } => {
                hash.add(b"*").add(&min.to_le_bytes()).add(&max.unwrap_or(u32::MAX).to_le_bytes())
            }
            Expr::Seq(_) => hash.add(b"."),
            Expr::Alt(_) => hash.add(b"|"),
            Expr::And(_) => hash.add(b"&"),
            Expr::Not(_) => hash.add(b"!"),
            Expr::JsonText(_) => hash.add(b"j"),
            Expr::Set { conditions, .. } => hash.add(b"S").add(conditions.to_string().as_bytes()),
            Expr::Member { number, .. } => hash.add(b"m").add(&number.to_le_bytes()),
            Expr::Symbols(set) => hash.add(b"t").add(set.to_string().as_bytes()),
            Expr::Tag(text) => hash.add(b"g").add(text.as_bytes()),
            Expr::Machine(machine) => hash.add(b"M").add(machine.name().as_bytes()),
            Expr::Until(until) => {
                hash.add(if until.ends() { b"u" } else { b"v" });
                let texts = until.arms().map(|arm| arm.0).chain(until.excluded().iter().map(|text| &**text));
                texts.fold(&mut hash, |h, text| h.add(text.as_bytes()).add(b"\xff"))
            }
        };
        let mut of_operands: Vec<u64> =
            expr.operands().iter().map(|operand| hashes[operand.index()]).collect();
        if matches!(expr, Expr::And(_)) {
            of_operands.sort_unstable();
        }
        for operand in of_operands {
            hash.add(&operand.to_le_bytes());
        }
        hashes.push(hash.0);
    }
    hashes
}

struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self
    }
}

// ---- leaves ----

fn write_bounds(f: &mut fmt::Formatter<'_>, min: u32, max: Option<u32>) -> fmt::Result {
    match (min, max) {
        (0, None) => f.write_char('*'),
        (1, None) => f.write_char('+'),
        (0, Some(1)) => f.write_char('?'),
        (min, None) => write!(f, "{{{min},}}"),
        (min, Some(max)) if min == max => write!(f, "{{{min}}}"),
        (min, Some(max)) => write!(f, "{{{min},{max}}}"),
    }
}

fn write_literal(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    let Ok(text) = std::str::from_utf8(bytes) else {
        f.write_str("Bytes(\"")?;
        for &byte in bytes {
            write_byte(f, byte)?;
        }
        return f.write_str("\")");
    };
    write_text(f, text)
}

/// A text in quotes.
pub(crate) fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        write_char(f, c, "\"\\")?;
    }
    f.write_char('"')
}

/// What follows the arms of an `Until`.
fn write_ends(f: &mut fmt::Formatter<'_>, until: &Until) -> fmt::Result {
    let mut separator = if until.continuations().is_empty() { "" } else { ", " };
    if !until.excluded().is_empty() {
        write!(f, "{separator}excludes=(")?;
        for (i, text) in until.excluded().iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            write_text(f, text)?;
        }
        f.write_char(')')?;
        separator = ", ";
    }
    if until.ends() { write!(f, "{separator}ends=true") } else { Ok(()) }
}

fn write_byte_class(f: &mut fmt::Formatter<'_>, set: &ByteSet) -> fmt::Result {
    f.write_str("ByteClass(\"")?;
    for (low, high) in set.ranges() {
        write_byte(f, low)?;
        if low < high {
            f.write_char('-')?;
            write_byte(f, high)?;
        }
    }
    f.write_str("\")")
}

/// Whole classes read better as what they leave out if they reach up to the last character.
fn write_class(f: &mut fmt::Formatter<'_>, class: &CharClass) -> fmt::Result {
    let negated = class.contains(char::MAX).then(|| class.negate());
    f.write_str(if negated.is_some() { "[^" } else { "[" })?;
    for &(low, high) in negated.as_ref().unwrap_or(class).ranges() {
        write_char(f, low, "[]\\^-")?;
        if low < high {
            f.write_char('-')?;
            write_char(f, high, "[]\\^-")?;
        }
    }
    f.write_char(']')
}

/// A byte that stands for itself only if nobody could mistake it.
fn write_byte(f: &mut fmt::Formatter<'_>, byte: u8) -> fmt::Result {
    if byte.is_ascii_alphanumeric() { f.write_char(char::from(byte)) } else { write!(f, "\\x{byte:02x}") }
}

/// A character, escaped if it is special here or could not be seen.
fn write_char(f: &mut fmt::Formatter<'_>, c: char, special: &str) -> fmt::Result {
    let is_visible = c.is_ascii_graphic() || c == ' ' || !c.is_ascii() && c.escape_debug().len() == 1;
    match c {
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        _ if special.contains(c) => write!(f, "\\{c}"),
        _ if is_visible => f.write_char(c),
        _ if u32::from(c) <= 0xFFFF => write!(f, "\\u{:04x}", u32::from(c)),
        _ => write!(f, "\\U{:08x}", u32::from(c)),
    }
}
