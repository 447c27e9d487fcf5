//! Texts that differ: what is asked of the automata of lists whose items are distinct.
//!
//! In a [set of distinct texts](formwork_grammar::Conditions::distinct) no text of certain rules comes twice. Where these have
//! few texts, each is a [member](formwork_grammar::Expr::Member) with a number; where they are without number, or millions,
//! which came is kept as texts, in items (`texts.rs` of `formwork-earley`). The automata know nothing of that. What they say
//! is where a text is still to be found, so that nothing is begun that cannot be completed:
//!
//! - *Inside a text.* From most states of a rule more texts lead to its end than an output can have
//!   ([`PLENTY`](crate::PLENTY), a million): some are left, whichever came. Such is every state of `"\"" char* "\""` but the
//!   last. From the others, as where a length is used up, some text must be looked for that did not come. How many texts
//!   there are is counted on the automaton, texts without a backslash alone, since JSON spells a character in several ways.
//! - *Between texts.* Where the list may end before another text comes nothing is asked. Elsewhere, as behind a comma, a text
//!   must be left of one of the rules that may come next.
//!
//! **Where a text has no plenty, the list may end behind it, and behind the text before it.** Then what is between texts is a
//! question about the next one alone, and no text takes away what must come later. Lists that are not like that are refused
//! when they are built.
//!
//! # Worked example
//! `"[" (t ("," t)*)? "]"` with `t ::= "\"" [ab] "\""`, behind `["a"`: the list may end. Behind `["a",` it may not, and `"b"` is
//! left. Behind `["a","b"` a comma is refused. Behind `["a","` only `b` may come: from the state behind the quote two texts
//! lead to the end, which is no plenty, so they are looked at; behind `a` there is one, which came.

use crate::automata::{Automata, Counter, RuleId, StateId};
use crate::components::components;
use crate::dfa::Dfa;
use crate::error::{Error, ErrorKind};
use formwork_grammar::HashSet;

impl Automata {
    /// Whether a list of [distinct](Counter::Distinct) texts may end from its state before another text comes.
    #[inline]
    pub fn ends_before_text(&self, state: StateId) -> bool {
        self.ticks_ahead(state).0 == 0
    }

    /// The rules of the texts that may come next in a list of [distinct](Counter::Distinct) texts.
    ///
    /// Cost: linear in the states before them.
    pub fn next_texts(&self, state: StateId) -> Vec<RuleId> {
        let mut found = Vec::new();
        let mut seen = HashSet::default();
        let mut stack = vec![state];
        while let Some(state) = stack.pop() {
            if !seen.insert(state) {
                continue;
            }
            let (plain, _) = self.byte_edges(state);
            stack.extend(plain.iter().map(|edge| state.sibling(edge.target)));
            for edge in self.rule_edges(state) {
                match self.counter(edge.rule) {
                    Some(Counter::Text) => found.push(edge.rule),
                    _ => stack.push(edge.target),
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// So many texts are as good as without number: an output has fewer, since each takes bytes of its own and memory.
pub const PLENTY: u32 = 1 << 20;

/// How many texts lead from each state to acceptance, at least: those without a backslash, which are texts of different
/// characters however JSON spells characters. `u32::MAX` is [`PLENTY`] or more.
pub(crate) fn n_texts(dfa: &Dfa) -> Vec<u32> {
    let targets = |state: u32| dfa.letters(state).iter().map(|letter| letter.target);
    let mut found = vec![0u32; dfa.len()];
    for component in components(dfa.len(), targets).iter() {
        let [state] = *component else {
            component.iter().for_each(|&state| found[state as usize] = u32::MAX);
            continue;
        };
        let mut n_texts = u32::from(dfa.is_accepting(state));
        for letter in dfa.letters(state) {
            let n_letters = letter.high - letter.low + 1;
            let escapes = u32::from((letter.low..=letter.high).contains(&u32::from(b'\\')));
            let more = (n_letters - escapes).saturating_mul(found[letter.target as usize]);
            n_texts = if letter.target == state { u32::MAX } else { n_texts.saturating_add(more) };
        }
        found[state as usize] = if n_texts >= PLENTY { u32::MAX } else { n_texts };
    }
    found
}

/// Whether acceptance can be reached from each state without a call of a unit that is a text.
pub(crate) fn ends_before_text(dfa: &Dfa, is_text: impl Fn(u32) -> bool) -> Vec<bool> {
    let targets = |state: u32| {
        let calls = dfa.calls(state).iter().filter(|call| !is_text(call.unit));
        dfa.letters(state).iter().map(|letter| letter.target).chain(calls.map(|call| call.target))
    };
    let mut found = vec![false; dfa.len()];
    for component in components(dfa.len(), targets).iter() {
        let ends = component
            .iter()
            .any(|&state| dfa.is_accepting(state) || targets(state).any(|target| found[target as usize]));
        component.iter().for_each(|&state| found[state as usize] = ends);
    }
    found
}

/// Whether a list of distinct texts never needs two texts that may not be left.
pub(crate) fn check(automata: &Automata, list: RuleId) -> Result<(), Error> {
    let start = automata.start(list);
    for number in 0..automata.n_states_of(list) {
        for edge in automata.rule_edges(start.sibling(number as u32)) {
            if automata.counter(edge.rule) != Some(Counter::Text) {
                continue;
            }
            let next = automata.next_texts(edge.target);
            let has_plenty = |rule: &RuleId| automata.has_plenty(automata.start(*rule));
            let may_end = automata.ends_before_text(edge.target);
            if !may_end && !next.iter().chain([&edge.rule]).all(has_plenty) {
                let name = automata.name(list);
                let message = format!(
                    "rule `{name}` is a list of distinct texts in which another must come behind `{}`, and one of them has so \
                     few that none may be left",
                    automata.name(edge.rule)
                );
                return Err(Error::new(ErrorKind::Set, automata.place(list).clone(), name, message));
            }
        }
    }
    Ok(())
}
