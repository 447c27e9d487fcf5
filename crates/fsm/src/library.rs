//! Rules that many grammars have whole: any JSON value, with the numbers, strings, lists and objects below it.
//!
//! A frontend says of a rule that others have the same ([`Sharing::Keep`]). Where such a rule and all rules below it are
//! kept ones, nothing that the rest of the grammar asks changes what is known of them: which of them keep an automaton,
//! their facts, their identities. So that is found out once, and a grammar that has the rules again takes it from the
//! [cache](crate::cache): they are found by one [form](crate::form) that writes all of them down, compared in full.
//! Everything that goes through a grammar's expressions then stops at a rule that is known.
//!
//! Units of known rules are mostly found in the cache, too, and then nobody asks for what is inside. Where one has to be
//! built, since it was forgotten, the facts of the expressions inside are [found](crate::facts::Facts::extended) first.
//!
//! PERF: of a schema with one open object 50 of 73 expressions are those of any value. Compiling it took 196,000 instructions,
//! 137,000 of them for what is decided of all expressions at once.
//!
//! # Worked example
//! `root ::= "[" value "]"`, `value ::= list | "0"`, `list ::= "<" value ">"`, the latter two to be kept. The first grammar goes
//! through ten expressions and remembers under the form of `value` that it and `list` are not empty, begin with `<`
//! or `0`, and with `<`, and their identities. The next grammar that has them goes through four: those of `root`, in which
//! `value` is a leaf.

use crate::cache::Cache;
use crate::config::Config;
use crate::facts::Facts;
use crate::form::{Former, Words};
use crate::plan::{Plan, operands};
use formwork_grammar::{ByteSet, Expr, ExprId, Grammar, RuleId, Sharing};
use std::sync::Arc;

/// What is known of a rule.
#[derive(Clone, Debug)]
pub(crate) struct KnownRule {
    pub(crate) nullable: bool,
    pub(crate) productive: bool,
    pub(crate) nonempty: bool,
    pub(crate) closed: bool,
    pub(crate) first: ByteSet,
    pub(crate) identity: u32,
}

/// The rules of one grammar that are known from others.
#[derive(Debug, Default)]
pub(crate) struct Library {
    /// Per rule, if any is known: which entry has it, and its position there.
    rules: Vec<Option<(u32, u32)>>,
    entries: Vec<Arc<[KnownRule]>>,
    /// Forms that no entry has, with their rules.
    missing: Vec<(Words, Vec<RuleId>)>,
}

/// Expressions of a library.
const MAX_EXPRS: usize = 500;
/// Expressions that a walk keeps in mind.
const USUAL: usize = 32;
/// Rules of a grammar that are tried.
///
/// Rules that refer to no others are not: to find one here and to find its identity takes the same form, and there is little inside
/// of them that would be left out.
const MAX_TRIED: usize = 4;

impl Library {
    /// The rules that the cache knows.
    pub(crate) fn find(
        grammar: &Grammar,
        unbounded: &Arc<[ExprId]>,
        config: &Config,
        cache: &Cache,
        former: &mut Former,
    ) -> Self {
        let mut library = Self::default();
        let mut seen = Seen::default();
        // Forms of rules as if all were kept, and nothing known of them.
        let mut plain = None;
        let is_candidate = |&rule: &RuleId| {
            let rule = grammar.rule(rule);
            rule.sharing() == Sharing::Keep && grammar.properties(rule.body()).has_rules
        };
        for rule in grammar.rule_ids().filter(is_candidate).take(MAX_TRIED) {
            if library.knows(rule) || library.missing.iter().any(|(_, rules)| rules.contains(&rule)) {
                continue;
            }
            if !seen.is_closed(grammar, rule) {
                continue;
            }
            let (plan, no_identities) = plain.get_or_insert_with(|| {
                (Plan::keeping_all(grammar, unbounded, config), vec![None; grammar.rules().len()])
            });
            if !former.rule(grammar, plan, no_identities, rule) {
                continue;
            }
            match cache.library(former.words.as_bytes()) {
                Some(entry) => {
                    library.rules.resize(grammar.rules().len(), None);
                    let number = library.entries.len() as u32;
                    for (rule, position) in former.rules.iter().zip(0..entry.len() as u32) {
                        library.rules[rule.index()] = Some((number, position));
                    }
                    library.entries.push(entry);
                }
                None => library.missing.push((former.words.clone(), former.rules.clone())),
            }
        }
        library
    }

    /// What is known of a rule.
    pub(crate) fn get(&self, rule: RuleId) -> Option<&KnownRule> {
        let (entry, position) = (*self.rules.get(rule.index())?)?;
        self.entries.get(entry as usize)?.get(position as usize)
    }

    pub(crate) fn knows(&self, rule: RuleId) -> bool {
        self.rules.get(rule.index()).is_some_and(Option::is_some)
    }

    /// The known rules, by position, with what is known of them.
    pub(crate) fn known(&self) -> impl Iterator<Item = (RuleId, &KnownRule)> {
        let rules = (0..self.rules.len()).filter_map(RuleId::from_index);
        rules.filter_map(|rule| Some((rule, self.get(rule)?)))
    }

    /// Keeps what was found out about the rules that were not known.
    pub(crate) fn learn(
        &mut self,
        cache: &Cache,
        grammar: &Grammar,
        plan: &Plan,
        facts: &Facts,
        identities: &[Option<u32>],
    ) {
        if self.missing.is_empty() {
            return;
        }
        let known = |rule: RuleId| {
            let body = grammar.rule(rule).body();
            let known = KnownRule {
                nullable: facts.nullable(body),
                productive: facts.productive(body),
                nonempty: facts.nonempty(body),
                closed: facts.closed(body),
                first: facts.first().of_rule(rule),
                identity: identities[rule.index()]?,
            };
            // A tiny one goes in line; and what the root does not use is not decided.
            (plan.keeps(rule) && facts.is_used(body)).then_some(known)
        };
        for (form, rules) in self.missing.drain(..) {
            if let Some(entry) = rules.into_iter().map(known).collect::<Option<Arc<[KnownRule]>>>() {
                cache.keep_library(form.as_bytes(), entry);
            }
        }
    }
}

/// What was met of a grammar.
#[derive(Default)]
struct Seen {
    exprs: Vec<bool>,
    stack: Vec<ExprId>,
}

impl Seen {
    /// Whether a rule and all rules below it are kept ones, of expressions that are decided by what they are made of.
    fn is_closed(&mut self, grammar: &Grammar, rule: RuleId) -> bool {
        let is_kept = |rule: RuleId| {
            let rule = grammar.rule(rule);
            let is_region = rule.budget().is_some() || rule.capture().is_some() || rule.is_distinct();
            rule.sharing() == Sharing::Keep && !is_region
        };
        self.exprs.clear();
        self.exprs.resize(grammar.n_exprs(), false);
        self.stack.clear();
        self.stack.reserve(USUAL);
        self.stack.push(grammar.rule(rule).body());
        let mut left = MAX_EXPRS;
        while let Some(expr) = self.stack.pop() {
            if std::mem::replace(&mut self.exprs[expr.index()], true) {
                continue;
            }
            left -= 1;
            match grammar.expr(expr) {
                _ if left == 0 => return false,
                Expr::Rule(rule) if is_kept(*rule) && *rule != grammar.root() => {
                    self.stack.push(grammar.rule(*rule).body());
                }
                Expr::Empty | Expr::Never | Expr::Bytes(_) | Expr::ByteClass(_) | Expr::Class(_) => {}
                // A rule may be nothing but what is counted, and then it is asked whether that may be empty.
                &Expr::Repeat { body, min, max } if max.unwrap_or(min) > 1 && !reads(grammar, body) => {
                    return false;
                }
                expr @ (Expr::Seq(_) | Expr::Alt(_) | Expr::Repeat { .. } | Expr::JsonText(_)) => {
                    self.stack.extend_from_slice(operands(expr));
                }
                _ => return false,
            }
        }
        true
    }
}

/// Whether an expression is a literal or a character.
fn reads(grammar: &Grammar, expr: ExprId) -> bool {
    let text = match grammar.expr(expr) {
        Expr::JsonText(text) => *text,
        _ => expr,
    };
    matches!(grammar.expr(text), Expr::Bytes(_) | Expr::ByteClass(_) | Expr::Class(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::facts::Order;
    use formwork_grammar::{GrammarBuilder, Place};

    /// The worked example with another bracket.
    fn grammar(open: &str) -> Grammar {
        let mut b = GrammarBuilder::new();
        let [root, value, list] = ["root", "value", "list"].map(|name| b.declare(name, Place::none()));
        let texts = [open, "]", "<", ">", "0"].map(|text| b.literal(text));
        let [values, lists] = [value, list].map(|rule| b.rule(rule));
        let bodies = [
            b.seq([texts[0], values, texts[1]]),
            b.alt([lists, texts[4]]),
            b.seq([texts[2], values, texts[3]]),
        ];
        for (rule, body) in [root, value, list].into_iter().zip(bodies) {
            b.define(rule, body);
        }
        b.set_sharing(value, Sharing::Keep);
        b.set_sharing(list, Sharing::Keep);
        b.build(root).expect("a grammar")
    }

    #[test]
    fn what_is_known_is_not_gone_through() {
        let (cache, config) = (Arc::<Cache>::default(), Config::default());
        let n_used = |grammar: &Grammar| {
            let mut former = Former::new(&config);
            let library = Library::find(grammar, &Arc::default(), &config, &cache, &mut former);
            Order::of(grammar, &library).exprs().count()
        };
        let (first, second) = (grammar("["), grammar("("));
        assert_eq!(n_used(&first), 10);
        let symbols: Arc<dyn crate::Symbols> = Arc::new(crate::AnySymbols);
        let build = || crate::build_with(&first, &config, &cache, &symbols, &|| false).expect("automata");
        for _ in 0..2 {
            build();
            assert_eq!((n_used(&first), n_used(&second)), (4, 4));
        }
        // What was not used since the generations changed is found out anew, and then known again.
        let much = vec![u8::MAX; 25 << 20];
        cache.keep_library(&much, Arc::new([]));
        assert_eq!(n_used(&second), 10);
        cache.keep_library(&much[1..], Arc::new([]));
        build();
        assert_eq!((n_used(&first), n_used(&second)), (4, 4));
    }
}
