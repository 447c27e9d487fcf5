//! With which bytes texts begin: a bound from above, by which whoever runs automata leaves out calls that cannot go on.
//!
//! Asked are whole rules, mostly, and of other expressions few. So sets are kept per rule, and what else is asked is found
//! when it is: from an expression down to what its texts begin with, through what may be empty, as far as rules whose sets
//! are known. Of the expressions of a grammar most stand behind others and are never looked at.
//!
//! PERF: a set for each expression, numbered, was a tenth of compiling a schema of 700 bytes.
//!
//! # Worked example
//! `a ::= "x"? b | c`, `b ::= [0-9]+ "y"`, `c ::= a "z" | "(" b`. By themselves, `a` begins with `x`, `b` with a digit and
//! `c` with a parenthesis; `a` leads to `b` and `c`, and `c` to `a`. So `a` and `c` begin with all of these.

use crate::adjacency::Adjacency;
use crate::components::components;
use crate::facts::Facts;
use crate::library::Library;
use crate::unit::is_any_character;
use formwork_grammar::{ByteSet, CharClass, Expr, ExprId, Grammar, HashSet, RuleId, SharedMachine};
use smallvec::SmallVec;

/// Per rule the bytes with which its texts begin, as UTF-8.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstBytes {
    rules: Box<[ByteSet]>,
}

impl FirstBytes {
    /// Of some rules of a grammar, by which expressions may be empty.
    ///
    /// Cost: linear in what rules begin with.
    pub(crate) fn of(
        grammar: &Grammar,
        facts: &Facts,
        library: &Library,
        order: impl Iterator<Item = RuleId>,
    ) -> Self {
        let n = grammar.rules().len();
        let mut rules = vec![ByteSet::EMPTY; n];
        let mut is_done = vec![false; n];
        for (rule, known) in library.known() {
            (rules[rule.index()], is_done[rule.index()]) = (known.first, true);
        }
        // Pairs of rules of which the first begins with the second.
        let mut leads: Vec<(u32, u32)> = Vec::new();
        let mut walk = Walk::default();
        let mut seen = vec![0u32; 2 * grammar.n_exprs()];
        for rule in order {
            if std::mem::replace(&mut is_done[rule.index()], true) {
                continue;
            }
            let stamp = rule.index() as u32 + 1;
            let is_new = |at: usize| std::mem::replace(&mut seen[at], stamp) != stamp;
            let mut called = ByteSet::EMPTY;
            let call = |callee: RuleId| {
                called = called.union(&rules[callee.index()]);
                leads.push((rule.index() as u32, callee.index() as u32));
            };
            let own = walk.first_of(grammar, facts, grammar.rule(rule).body(), is_new, call);
            rules[rule.index()] = own.union(&called);
        }
        // PERF: what a rule begins with mostly comes before it.
        let misses = |&(rule, callee): &(u32, u32)| !rules[callee as usize].is_subset(&rules[rule as usize]);
        if leads.iter().any(misses) {
            let adjacency = Adjacency::new(n, leads.iter().map(|lead| lead.0));
            let leads_of = |rule: u32| adjacency.of(rule).iter().map(|&lead| leads[lead as usize].1);
            for component in components(n, leads_of).iter() {
                // Each begins with what the others begin with.
                let all = component.iter().flat_map(|&rule| leads_of(rule).chain([rule]));
                let all = all.fold(ByteSet::EMPTY, |all, rule| all.union(&rules[rule as usize]));
                component.iter().for_each(|&rule| rules[rule as usize] = all);
            }
        }
        Self { rules: rules.into() }
    }

    /// The bytes with which texts of a rule may begin.
    pub(crate) fn of_rule(&self, rule: RuleId) -> ByteSet {
        self.rules[rule.index()]
    }

    /// The bytes with which texts of an expression may begin.
    pub(crate) fn of_part(&self, grammar: &Grammar, facts: &Facts, part: ExprId) -> ByteSet {
        let mut seen = HashSet::default();
        let mut called = ByteSet::EMPTY;
        let call = |rule| called = called.union(&self.of_rule(rule));
        let own = Walk::default().first_of(grammar, facts, part, |at| seen.insert(at), call);
        own.union(&called)
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        size_of_val(&self.rules[..])
    }
}

/// A way down through what expressions begin with.
#[derive(Default)]
struct Walk {
    /// Expressions, and whether they are spelled in JSON.
    stack: SmallVec<[(ExprId, bool); 16]>,
}

impl Walk {
    /// The bytes with which texts of an expression may begin, those of rules that it begins with aside, which are told.
    /// `is_new` says of the numbers of expressions, one for each spelling, whether it is asked for the first time.
    fn first_of(
        &mut self,
        grammar: &Grammar,
        facts: &Facts,
        part: ExprId,
        mut is_new: impl FnMut(usize) -> bool,
        mut call: impl FnMut(RuleId),
    ) -> ByteSet {
        let mut all = ByteSet::EMPTY;
        self.stack.push((part, false));
        while let Some((id, in_json)) = self.stack.pop() {
            let first = match grammar.expr(id) {
                Expr::Bytes(bytes) => {
                    bytes.first().map_or(ByteSet::EMPTY, |&byte| ByteSet::range(byte, byte))
                }
                Expr::ByteClass(set) => *set,
                Expr::Class(class) => leads(class),
                Expr::Not(_) | Expr::Until(_) => ByteSet::FULL,
                // A name at the beginning is no byte; then this is one too many.
                Expr::Tag(tag) => {
                    tag.bytes().next().map_or(ByteSet::EMPTY, |byte| ByteSet::range(byte, byte))
                }
                Expr::Machine(machine) => machine_first(machine),
                Expr::Rule(rule) => {
                    call(*rule);
                    continue;
                }
                expr => {
                    if is_new(2 * id.index() + usize::from(in_json)) {
                        let below = &mut self.stack;
                        match expr {
                            Expr::Repeat { body, .. } | Expr::Member { body, .. } => {
                                below.push((*body, in_json))
                            }
                            Expr::JsonText(body) => below.push((*body, true)),
                            Expr::Seq(parts) => {
                                let n_empty = parts.iter().take_while(|part| facts.nullable(**part)).count();
                                below.extend(parts.iter().take(n_empty + 1).map(|&part| (part, in_json)));
                            }
                            Expr::Alt(parts) => below.extend(parts.iter().map(|&part| (part, in_json))),
                            // As texts of any of them: of one that says something.
                            Expr::And(parts) => {
                                let part = parts.iter().find(|part| !is_any_text(grammar, **part));
                                below.push((*part.unwrap_or(&parts[0]), in_json));
                            }
                            Expr::Set { parts, .. } => below.push((parts[0], in_json)),
                            _ => {}
                        }
                    }
                    continue;
                }
            };
            all = all.union(&if in_json { spelled(&first) } else { first });
        }
        all
    }
}

/// Whether an operand of an intersection says little of how texts begin: it is a complement, or a length.
fn is_any_text(grammar: &Grammar, part: ExprId) -> bool {
    match grammar.expr(part) {
        Expr::Not(_) => true,
        Expr::Repeat { body, .. } => is_any_character(grammar, *body),
        _ => false,
    }
}

/// The bytes with which the texts of a machine begin.
pub(crate) fn machine_first(machine: &SharedMachine) -> ByteSet {
    machine.start().into_iter().flat_map(|start| machine.bytes_after(start)).map(|(byte, _)| byte).collect()
}

/// The first bytes of the characters of a class in UTF-8.
fn leads(class: &CharClass) -> ByteSet {
    let mut set = ByteSet::EMPTY;
    for &(low, high) in class.ranges() {
        let lead = |c: char| c.encode_utf8(&mut [0; 4]).as_bytes()[0];
        set.insert_range(lead(low), lead(high));
    }
    set
}

/// The bytes with which JSON spellings of texts may begin that begin with these.
pub(crate) fn spelled(first: &ByteSet) -> ByteSet {
    if first.is_empty() {
        return ByteSet::EMPTY;
    }
    let mut set = first.difference(&ByteSet::range(0, 0x1F));
    set = set.difference(&ByteSet::range(b'"', b'"'));
    set.insert(b'\\');
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Order;
    use crate::symbols::AnySymbols;
    use formwork_grammar::{GrammarBuilder, Place};

    #[test]
    fn the_worked_example() {
        let mut b = GrammarBuilder::new();
        let rules = ["a", "b", "c"].map(|name| b.declare(name, Place::none()));
        let [a, _, _] = rules;
        let [call_a, call_b, call_c] = rules.map(|rule| b.rule(rule));
        let [x, y, z, open] = ["x", "y", "z", "("].map(|text| b.literal(text));
        let maybe = b.optional(x);
        let digits = b.class(CharClass::range('0', '9'));
        let digits = b.plus(digits);
        let ways =
            [b.seq([maybe, call_b]), call_c, b.seq([digits, y]), b.seq([call_a, z]), b.seq([open, call_b])];
        let bodies = [b.alt([ways[0], ways[1]]), ways[2], b.alt([ways[3], ways[4]])];
        for (rule, body) in rules.into_iter().zip(bodies) {
            b.define(rule, body);
        }
        let grammar = b.build(a).expect("a grammar");
        let library = Library::default();
        let order = Order::of(&grammar, &library);
        let facts = Facts::of_shapes(&grammar, &order, &library, &AnySymbols).decided(
            &grammar,
            &library,
            grammar.rule_ids(),
        );
        let firsts = rules.map(|rule| facts.first().of_rule(rule));
        let all: ByteSet = "x0123456789(".bytes().collect();
        assert_eq!(firsts, [all, "0123456789".bytes().collect(), all]);
        let of_part = facts.first().of_part(&grammar, &facts, ways[4]);
        assert_eq!(of_part, "(".bytes().collect());
        assert_eq!(facts.first().of_part(&grammar, &facts, ways[0]), "x0123456789".bytes().collect());
    }
}
