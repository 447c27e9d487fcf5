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
//!   there are is counted on the automaton. Texts are compared as JSON values, so what only spells a value otherwise counts
//!   once: a backslash begins another spelling of a character, and a blank outside of a string is none of the value.
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
use crate::dfa::{Dfa, Letter};
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

/// How many texts lead from each state to acceptance, at least, that JSON tells apart. `u32::MAX` is [`PLENTY`] or more.
///
/// A letter that [only spells otherwise](Spelling) leads to no further texts: the most of what such letters and all the others
/// lead to counts. On a circle with another letter there are texts without number; on one without, all states have what the
/// richest of them has.
pub(crate) fn n_texts(dfa: &Dfa) -> Vec<u32> {
    let spelling = Spelling::of(dfa);
    let targets = |state: u32| dfa.letters(state).iter().map(|letter| letter.target);
    let components = components(dfa.len(), targets);
    let mut component_of = vec![0u32; dfa.len()];
    for (number, component) in (0..).zip(components.iter()) {
        component.iter().for_each(|&state| component_of[state as usize] = number);
    }
    let mut found = vec![0u32; dfa.len()];
    for component in components.iter() {
        let mut most = 0u32;
        for &state in component {
            let mut n_texts = u32::from(dfa.is_accepting(state));
            for letter in dfa.letters(state) {
                let n_others = spelling.n_others(state, letter);
                let n_same = letter.high - letter.low + 1 - n_others;
                let is_inside = component_of[letter.target as usize] == component_of[state as usize];
                let n_behind = found[letter.target as usize];
                n_texts = match n_same {
                    1.. if is_inside => u32::MAX,
                    _ => n_texts.saturating_add(n_same.saturating_mul(n_behind)),
                };
                if n_others > 0 {
                    most = most.max(n_behind);
                }
            }
            most = most.max(n_texts);
        }
        let most = if most >= PLENTY { u32::MAX } else { most };
        component.iter().for_each(|&state| found[state as usize] = most);
    }
    found
}

/// Where the letters of an automaton over JSON values stand: which of them spell a value otherwise than others do.
struct Spelling {
    /// Of each state: [`OUTSIDE`](Self::OUTSIDE) and the others, more than one where states of several kinds are one.
    places: Vec<u8>,
}

impl Spelling {
    const OUTSIDE: u8 = 1;
    const IN_STRING: u8 = 2;
    /// Behind a backslash.
    const ESCAPED: u8 = 4;
    const BLANKS: &[u8] = b" \t\n\r";

    /// Cost: three times as long as to look at each letter.
    fn of(dfa: &Dfa) -> Self {
        let mut places = vec![0u8; dfa.len()];
        let mut stack = vec![(0u32, Self::OUTSIDE)];
        while let Some((state, place)) = stack.pop() {
            let Some(known) = places.get_mut(state as usize) else { continue };
            if *known & place != 0 {
                continue;
            }
            *known |= place;
            for letter in dfa.letters(state) {
                let has = |byte: u8| (letter.low..=letter.high).contains(&u32::from(byte));
                let is_only = |byte: u8| has(byte) && letter.low == letter.high;
                let (stays, quote, escape) = match place {
                    Self::OUTSIDE => (Self::OUTSIDE, Self::IN_STRING, Self::OUTSIDE),
                    Self::IN_STRING => (Self::IN_STRING, Self::OUTSIDE, Self::ESCAPED),
                    _ => (Self::IN_STRING, Self::IN_STRING, Self::IN_STRING),
                };
                if has(b'"') {
                    stack.push((letter.target, quote));
                }
                if has(b'\\') {
                    stack.push((letter.target, escape));
                }
                if !is_only(b'"') && !is_only(b'\\') {
                    stack.push((letter.target, stays));
                }
            }
        }
        Self { places }
    }

    /// How many bytes of a letter spell what others spell, too.
    fn n_others(&self, state: u32, letter: &Letter) -> u32 {
        let has = |byte: &&u8| (letter.low..=letter.high).contains(&u32::from(**byte));
        let blanks = match self.places[state as usize] & Self::OUTSIDE {
            0 => 0,
            _ => Self::BLANKS.iter().filter(has).count() as u32,
        };
        blanks + u32::from(has(&&b'\\'))
    }
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
