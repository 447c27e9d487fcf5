//! In which rule of the user's grammar a text went wrong.
//!
//! The automata that masks are made with have most rules inlined, so that few names are left in them. Here the grammar is
//! compiled once more with every rule kept, and followed up to the place. That is only done where something is wrong.

use crate::deadline::Deadline;
use formwork::earley::{Limits, Rows};
use formwork::fsm::{self, Automata, RuleId};
use formwork::grammar::Place;
use formwork::{CompiledGrammar, Grammar};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// The rules that some reading of the text was in, the innermost of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blame {
    /// Rules that had begun before the place; none if the place is between rules.
    inside: Vec<Site>,
    /// Otherwise the rules that could have begun there.
    beginning: Vec<Site>,
}

/// A rule and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Site {
    rule: String,
    place: Place,
}

/// So many rules are named; more would be no help.
const MAX_SHOWN: usize = 4;

impl Blame {
    /// The rules at the end of a text that the grammar allows so far; none if that would be too much work.
    pub(crate) fn new(
        grammar: &Grammar,
        compiled: &CompiledGrammar,
        text: &[u8],
        deadline: Deadline,
    ) -> Self {
        // The only rule there is need not be named.
        if grammar.rules().len() == 1 {
            return Self::default();
        }
        let mut config = fsm::Config::default();
        config.inlining = false;
        let automata = match fsm::build(grammar, &config, &|| deadline.is_over()) {
            Ok(automata) => Arc::new(automata),
            Err(_) => Arc::clone(compiled.automata()),
        };
        Self::of(automata, text, deadline).unwrap_or_default()
    }

    fn of(automata: Arc<Automata>, text: &[u8], deadline: Deadline) -> Option<Self> {
        let mut rows = Rows::new(Arc::clone(&automata), Limits::default());
        let mut row = rows.start().ok()?;
        for (i, &byte) in text.iter().enumerate() {
            if i % (1 << 14) == 0 && deadline.is_over() {
                return None;
            }
            row = rows.advance(row, byte).ok()??;
        }
        let mut blame = Self::default();
        let mut may_all_end = true;
        for item in rows.scannable(row) {
            let sites = if item.origin.is_some() {
                may_all_end &= automata.is_accepting(item.state);
                &mut blame.inside
            } else {
                &mut blame.beginning
            };
            add(sites, &automata, automata.rule_of(item.state));
        }
        // White space that might go on is not what went wrong, if something else should have begun behind it.
        if may_all_end && !blame.beginning.is_empty() {
            blame.inside.clear();
        }
        if !blame.inside.is_empty() {
            blame.beginning.clear();
        }
        Some(blame)
    }

    pub(crate) fn to_json(&self) -> Value {
        let sites = self.inside.iter().chain(&self.beginning);
        sites
            .map(|site| {
                let place = (site.place != Place::None).then(|| site.place.to_string());
                json!({"rule": site.rule, "place": place, "begins": self.inside.is_empty()})
            })
            .collect()
    }

    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.inside.is_empty() && self.beginning.is_empty()
    }
}

/// Adds a rule, unless it is there: a counted piece of a rule has the rule's name and place.
fn add(sites: &mut Vec<Site>, automata: &Automata, rule: RuleId) {
    let site = Site { rule: automata.name(rule).to_owned(), place: automata.place(rule).clone() };
    if !sites.contains(&site) {
        sites.push(site);
    }
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, sites, after) = if self.inside.is_empty() {
            let verb = if self.beginning.len() == 1 { " begins" } else { " begin" };
            ("where ", &self.beginning, verb)
        } else {
            ("in ", &self.inside, "")
        };
        f.write_str(before)?;
        f.write_str(if sites.len() == 1 { "rule " } else { "rules " })?;
        for (i, site) in sites.iter().take(MAX_SHOWN).enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            write!(f, "`{}`", site.rule)?;
            if site.place != Place::None {
                write!(f, " ({})", site.place)?;
            }
        }
        f.write_str(if sites.len() > MAX_SHOWN { ", …" } else { "" })?;
        f.write_str(after)
    }
}
