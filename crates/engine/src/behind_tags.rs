//! What outputs read next behind tags, before they do.
//!
//! An output that writes `<call>` names a tool and begins its arguments, and somebody waits for each of these masks. Whoever compiles
//! may do some of it before.
//!
//! What chooses between tags is passed by every call: the states in which it begins come first, up to where many tags part, with
//! their masks. Of what stands behind few tags the rules are built, with the states of their beginnings: more of it would be most
//! of compiling, and a small grammar is waited for.
//!
//! With many tags it is the other way round. Reading them takes milliseconds anyway, and the prompt that says what all the tools are
//! takes a model longer than that. So each tag more brings some work: what is nearest to any tag is made, level by level,
//! with its masks, until all of the work is done. A level further is behind one byte, one rule or the letters of one name. The
//! insides of names follow, only where a token ends if the name is cut into the longest; and then the rest of what chooses
//! between tags, the tools' own names, in the same way. Which tools an output calls is not known, and of a thousand it calls a
//! few; but a compiled grammar serves all outputs that may call them, and masks cost half as much one after the other as one at
//! a time.
//!
//! A rule for which that was done is [noted](crate::pool::Pool::prepares) in the pool: another grammar that has the same tool does it
//! for its other tools. With one tool more than a grammar had before, only that tool is prepared, with the work of one tag.
//!
//! # Worked example
//! Many tags, among them those before `{"a": 1}` and before `{"b": [...]}`: first both braces, then both quotes, then `a` and `b` up
//! to their closing quotes, then the colons. If that was all of the work, numbers and brackets are left for when they are
//! reached.

use crate::compiled::CompiledGrammar;
use crate::error::CompileError;
use crate::precompute::{Work, interrupted};
use formwork_fsm::{Automata, ByteEdge, ErrorKind, Known, RuleId, StateId};
use formwork_grammar::HashSet;
use formwork_vocab::Trie;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Rules that choose between tags and are looked at; no model has more.
const MAX_CHOICES: usize = 64;
/// Of what stands behind so many tags the beginnings are made and no more.
const FEW_TAGS: usize = 64;
/// More tags bring no more work.
const MOST_TAGS: u64 = 256;
/// Levels of beginnings, and of what chooses between many tags: the beginning, behind a special token or what all tags begin with, and
/// behind the letters that those have in common that part there.
const FEW_LEVELS: usize = 2;
const MANY_LEVELS: usize = 3;
/// Nanoseconds for building a rule and for making a state's edges, about.
const RULE: u64 = 3_000;
/// And for each unit of work that building it takes.
const UNIT: u64 = 10;
const STATE: u64 = 1_000;
/// And for following some letters.
const LETTERS: u64 = 100;
/// Names are followed for so many stretches of letters, of some dozen each, and so many tokens; a text that is longer is no name.
const MAX_STRETCHES: usize = 8;
const MAX_TOKENS: usize = 8;
/// The caller is asked once for so many states.
const ASK_EVERY: usize = 16;

/// Makes what chooses between tags, with its masks, and what is nearest to tags: of few the beginnings of what stands behind, of
/// many until so much work is done for each tag more.
pub(crate) fn prepare(
    compiled: &CompiledGrammar,
    work: &mut Work,
    work_of_a_tag: u64,
    interrupt: &dyn Fn() -> bool,
) -> Result<(), CompileError> {
    let automata = compiled.automata();
    if !automata.has_tags() {
        return Ok(());
    }
    let choices = automata.choices_of_tags(MAX_CHOICES);
    let mut behind = automata.behind_tags();
    let are_many = behind.len() > FEW_TAGS;
    let mut front = Front::new(compiled, interrupt);
    for &rule in &choices {
        front.begin(rule, work)?;
    }
    for level in 0..if are_many { MANY_LEVELS } else { FEW_LEVELS } {
        for (state, byte) in std::mem::take(&mut front.queue) {
            // Outputs are at the beginning itself, too.
            let Some(state) = (if level == 0 { Some(state) } else { front.passed(state, byte, work) }) else {
                continue;
            };
            if work.is_done() {
                break;
            }
            front.make(state, work)?;
            work.compute(compiled, state);
            front.go_on_in_rule(state);
            // Behind a name of a special token; what stands behind tags is not what chooses between them.
            let named = automata.rule_edges(state).filter(|edge| automata.symbols(edge.rule).is_some());
            front.queue.extend(named.map(|edge| (edge.target, None)));
        }
    }
    if behind.is_empty() {
        return Ok(());
    }
    let (names, inside) = (std::mem::take(&mut front.queue), std::mem::take(&mut front.inside));
    if !are_many {
        behind.extend(automata.shared());
        return front.make_beginnings(behind, work);
    }
    let mut new: HashSet<u32> = behind.iter().filter_map(|&(_, identity)| identity).collect();
    new.retain(|&identity| compiled.is_to_prepare(identity));
    let is_new = |&&(_, identity): &&Known| identity.is_none_or(|identity| new.contains(&identity));
    let n_more = behind.iter().filter(is_new).count().saturating_sub(FEW_TAGS).max(1) as u64;
    behind.extend(automata.shared());
    behind.retain(|&(_, identity)| identity.is_none_or(|identity| compiled.prepares(identity)));
    let mut rules =
        behind.into_iter().map(|rule| automata.automaton_of(rule)).filter(|rule| !choices.contains(rule));
    front.begin_all(&mut rules, work)?;
    work.with(work_of_a_tag.saturating_mul(n_more.min(MOST_TAGS)), |work| {
        front.begin_all(&mut rules, work)?;
        front.make_nearest(compiled, work)?;
        (front.queue, front.inside) = (names, inside);
        front.make_nearest(compiled, work)
    })
}

/// States that are next to be made, the nearest first.
struct Front<'a> {
    automata: &'a Automata,
    interrupt: &'a dyn Fn() -> bool,
    trie: &'a Trie,
    /// Those that were met, behind the letters ahead of them.
    seen: HashSet<StateId>,
    /// With the byte that leads there, if it is one.
    queue: VecDeque<(StateId, Option<u8>)>,
    /// Inside of names, where a token may end.
    inside: Vec<StateId>,
    n_made: usize,
}

impl<'a> Front<'a> {
    fn new(compiled: &'a CompiledGrammar, interrupt: &'a dyn Fn() -> bool) -> Self {
        Self {
            automata: compiled.automata(),
            interrupt,
            trie: compiled.vocabulary().trie(),
            seen: HashSet::default(),
            queue: VecDeque::new(),
            inside: Vec::new(),
            n_made: 0,
        }
    }

    /// Builds rules and makes their first states and those behind the first bytes.
    fn make_beginnings(&mut self, rules: Vec<Known>, work: &mut Work) -> Result<(), CompileError> {
        let automata = self.automata;
        self.begin_all(&mut rules.into_iter().map(|rule| automata.automaton_of(rule)), work)?;
        for _ in 0..FEW_LEVELS {
            for (state, _) in std::mem::take(&mut self.queue) {
                self.make(state, work)?;
                self.go_on_in_rule(state);
            }
        }
        Ok(())
    }

    /// Makes one state after the other, with their masks, until the work is done; and then those inside of names.
    fn make_nearest(&mut self, compiled: &CompiledGrammar, work: &mut Work) -> Result<(), CompileError> {
        let automata = self.automata;
        while let Some((state, byte)) = self.queue.pop_front().filter(|_| !work.is_done()) {
            let Some(state) = self.passed(state, byte, work) else { continue };
            self.make(state, work)?;
            if automata.is_scannable(state) && !formwork_mask::is_wide(automata, state) {
                work.compute(compiled, state);
            }
            self.go_on_in_rule(state);
            for edge in automata.rule_edges(state) {
                self.queue.push_back((edge.target, None));
                self.begin(edge.rule, work)?;
            }
        }
        for state in std::mem::take(&mut self.inside) {
            if !work.is_done() {
                self.make(state, work)?;
                work.compute(compiled, state);
            }
        }
        Ok(())
    }

    /// The first states of rules are next, until the work is done.
    fn begin_all(
        &mut self,
        rules: &mut dyn Iterator<Item = RuleId>,
        work: &mut Work,
    ) -> Result<(), CompileError> {
        while !work.is_done() {
            let Some(rule) = rules.next() else { break };
            self.begin(rule, work)?;
        }
        Ok(())
    }

    /// The first state of a rule is next, which is built, if it is within limits: one that is not is found when it is reached.
    fn begin(&mut self, rule: RuleId, work: &mut Work) -> Result<(), CompileError> {
        if !self.automata.is_ready(rule) {
            if (self.interrupt)() {
                return Err(interrupted());
            }
            let before = self.automata.work_of_building();
            let built = self.automata.build_rule(rule, self.interrupt);
            work.spend(RULE + UNIT * (self.automata.work_of_building() - before));
            match built {
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error.into()),
                _ => {}
            }
        }
        if self.automata.ready(rule).is_ok() {
            self.queue.push_back((self.automata.start(rule), None));
        }
        Ok(())
    }

    /// Makes the edges of a state.
    fn make(&mut self, state: StateId, work: &mut Work) -> Result<(), CompileError> {
        self.n_made += 1;
        if self.n_made % ASK_EVERY == 0 && (self.interrupt)() {
            return Err(interrupted());
        }
        if !self.automata.is_made(state) {
            work.spend(STATE);
            self.automata.at(state);
        }
        Ok(())
    }

    /// What comes behind the bytes that a state reads is next.
    fn go_on_in_rule(&mut self, state: StateId) {
        let (plain, ticking) = self.automata.byte_edges(state);
        let byte = |edge: &ByteEdge| (edge.low == edge.high).then_some(edge.low);
        let edges = plain.iter().chain(ticking);
        self.queue.extend(edges.map(|edge| (state.sibling(edge.target), byte(edge))));
    }

    /// The state behind the letters ahead of one to which a byte leads, if it was not met before. States between in which the longest
    /// tokens end are noted.
    fn passed(&mut self, mut state: StateId, byte: Option<u8>, work: &mut Work) -> Option<StateId> {
        let mut text: SmallVec<[u8; 40]> = byte.into_iter().collect();
        // The states behind so much of the text that is met one by one.
        let mut met: SmallVec<[(usize, StateId); 4]> = SmallVec::new();
        for _ in 0..MAX_STRETCHES {
            met.push((text.len(), state));
            work.spend(LETTERS);
            state = match self.automata.literal(state) {
                Some(letters) => {
                    let n_before = text.len();
                    text.extend(letters.iter().map(|&(letter, _)| letter));
                    let ends = longest_tokens(self.trie, &text).skip(1).take(MAX_TOKENS);
                    let ends = ends.take_while(|&end| end < text.len());
                    let inside = ends.filter_map(|end| match met.iter().find(|(at, _)| *at == end) {
                        Some(&(_, known)) => Some(known),
                        None => self.automata.pass(state, end.checked_sub(n_before)? as u32),
                    });
                    self.inside.extend(inside);
                    match self.automata.pass(state, letters.len() as u32) {
                        Some(behind) => behind,
                        None => break,
                    }
                }
                None => match self.next_letter(state) {
                    Some((next, letter)) => {
                        text.push(letter);
                        next
                    }
                    None => break,
                },
            };
        }
        self.seen.insert(state).then_some(state)
    }

    /// The only state that comes behind one whose edges are made, and its letter, if letters are ahead of that: then it is inside of a
    /// name.
    fn next_letter(&self, state: StateId) -> Option<(StateId, u8)> {
        let automata = self.automata;
        if !automata.is_made(state) || automata.is_accepting(state) {
            return None;
        }
        let ([edge], []) = automata.byte_edges(state) else { return None };
        let next = state.sibling(edge.target);
        // Others may be escapes of the letter.
        let is_alone = edge.low == edge.high && automata.rule_edges(state).all(|call| call.target == next);
        (is_alone && automata.literal(next).is_some()).then_some((next, edge.low))
    }
}

/// Where tokens end if a text is cut into the longest, one after the other.
fn longest_tokens<'a>(trie: &'a Trie, text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    std::iter::successors(Some(0), move |&start| {
        let mut node = Trie::ROOT;
        let mut longest = None;
        for (end, &byte) in (start + 1..).zip(&text[start..]) {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            longest = (!trie.tokens_at(node).is_empty()).then_some(end).or(longest);
        }
        longest
    })
}
