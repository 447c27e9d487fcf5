//! Text up to a trigger: the machine of Aho and Corasick (1975), over code points.
//!
//! A state is the longest beginning of a trigger, or of an excluded text, that the text ends with. Where no longer
//! beginning is there for the next character, the machine *falls* to shorter ones: `falls_to` is the longest proper suffix
//! that is such a beginning too. What a suffix completes, the whole completes, so outputs are collected along the way: `b`
//! fires inside `ab…` although `abc` is being read.
//!
//! All falls are worked out here, so that every state has an edge for every character: those that lead on, and for all
//! others the way back to the root. A state that completes a trigger is left at once for what the trigger's arm says; one
//! that completes an excluded text is not entered.
//!
//! The crate `aho-corasick`, which finds the names of symbols in texts, is not used for it: its automata are asked byte by
//! byte, and here a state's edges over characters are wanted as a list.
//!
//! A trigger that contains a symbol is its text up to there; every state that ends with that text may read the symbol.
//!
//! # Worked example
//! Triggers `ab` and `b`, ends. States: root, `a`, `b`, `ab`. Root: `a` → `a`, `b` → `b`, else → root. `a`: `a` → `a`,
//! `b` → `ab`, else → root. `b` completes the second trigger; `ab` completes the first, and by its suffix `b` the second.

use crate::symbols::TagPiece;
use formwork_grammar::{ExprId, HashMap, Symbol, SymbolSet, Until};

/// A state, by its position; 0 is the root.
pub(crate) type MachineState = u32;

/// What one state of the machine does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached {
    /// The patterns that end here, ascending.
    pub(crate) completed: Vec<u32>,
    /// Where characters lead, if not to the root; ascending.
    pub(crate) edges: Vec<(char, MachineState)>,
}

/// The machine of some patterns.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) states: Vec<Reached>,
}

impl Machine {
    /// The machine of these patterns; empty ones are completed everywhere. `spend` is told of the work.
    pub(crate) fn new<E>(
        patterns: &[&str],
        mut spend: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        // The trie of the patterns.
        let mut states = vec![Reached::default()];
        let mut children: HashMap<(MachineState, char), MachineState> = HashMap::default();
        let mut below: Vec<Vec<(char, MachineState)>> = vec![Vec::new()];
        for (pattern, number) in patterns.iter().zip(0u32..) {
            spend(pattern.len())?;
            let mut at: MachineState = 0;
            for c in pattern.chars() {
                at = *children.entry((at, c)).or_insert_with(|| {
                    let child = states.len() as MachineState;
                    states.push(Reached::default());
                    below.push(Vec::new());
                    below[at as usize].push((c, child));
                    child
                });
            }
            states[at as usize].completed.push(number);
        }
        // Breadth first, so that the shorter states that a state falls to are finished.
        let mut falls_to: Vec<MachineState> = vec![0; states.len()];
        let mut queue: Vec<MachineState> = vec![0];
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            let fall = falls_to[at as usize] as usize;
            let mut own = std::mem::take(&mut below[at as usize]);
            own.sort_unstable();
            let mut edges = own.clone();
            if at != 0 {
                let inherited = std::mem::take(&mut states[fall].edges);
                edges.extend(
                    inherited.iter().filter(|edge| own.binary_search_by_key(&edge.0, |own| own.0).is_err()),
                );
                edges.sort_unstable();
                for &(c, child) in &own {
                    let found = inherited.binary_search_by_key(&c, |edge| edge.0);
                    falls_to[child as usize] = found.map_or(0, |i| inherited[i].1);
                }
                states[fall].edges = inherited;
                let completed = states[fall].completed.clone();
                states[at as usize].completed.extend(completed);
                states[at as usize].completed.sort_unstable();
                states[at as usize].completed.dedup();
            }
            spend(edges.len() + states[at as usize].completed.len() + 1)?;
            queue.extend(own.iter().map(|&(_, child)| child));
            states[at as usize].edges = edges;
        }
        Ok(Self { states })
    }

    /// Where a character leads.
    pub(crate) fn next(&self, at: MachineState, c: char) -> MachineState {
        let edges = &self.states[at as usize].edges;
        edges.binary_search_by_key(&c, |edge| edge.0).map_or(0, |i| edges[i].1)
    }
}

/// What the patterns of an `Until` mean when they are completed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns<'u> {
    /// The characters of each.
    pub(crate) texts: Vec<&'u str>,
    pub(crate) meanings: Vec<Meaning<'u>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning<'u> {
    /// The text must not be completed.
    Excluded,
    /// The trigger of this arm is complete: the arm follows.
    Trigger(usize),
    /// The trigger of this arm has a symbol of this name here, and these further pieces before it is complete.
    Symbol(usize, &'u str, Vec<TagPiece<'u>>),
}

impl<'u> Patterns<'u> {
    pub(crate) fn of(until: &'u Until, symbols: &dyn crate::Symbols) -> Self {
        let mut patterns = Self::default();
        let mut add = |text: &'u str, meaning| {
            patterns.texts.push(text);
            patterns.meanings.push(meaning);
        };
        for (arm, (trigger, _)) in until.arms().enumerate() {
            let mut pieces = symbols.pieces(trigger).into_iter();
            let (text, symbol) = match pieces.next() {
                Some(TagPiece::Symbol(symbol)) => ("", Some(symbol)),
                Some(TagPiece::Text(text)) => match pieces.next() {
                    Some(TagPiece::Symbol(symbol)) => (text, Some(symbol)),
                    // Two texts in a row are one.
                    _ => (trigger, None),
                },
                None => (trigger, None),
            };
            match symbol {
                None => add(text, Meaning::Trigger(arm)),
                Some(symbol) => {
                    add(text, Meaning::Symbol(arm, symbol, pieces.collect()));
                    // Spelled out it would look the same to whoever reads the output.
                    add(trigger, Meaning::Excluded);
                }
            }
        }
        for text in until.excluded() {
            add(text, Meaning::Excluded);
        }
        patterns
    }
}

/// What follows the triggers that can be the first to be completed. Any other contains another trigger, or an excluded
/// text, that is completed before it.
pub(crate) fn reachable_arms(until: &Until, symbols: &dyn crate::Symbols) -> Vec<ExprId> {
    let patterns = Patterns::of(until, symbols);
    let Ok(machine) = Machine::new(&patterns.texts, |_| Ok::<(), std::convert::Infallible>(()));
    let mut found = Vec::new();
    for (meaning, number) in patterns.meanings.iter().zip(0..) {
        let arm = match meaning {
            Meaning::Excluded => continue,
            Meaning::Trigger(arm) => *arm,
            Meaning::Symbol(arm, name, _) => {
                if !symbols.exists(&SymbolSet::of([Symbol::from(*name)])) {
                    continue;
                }
                *arm
            }
        };
        if beaten_by(&machine, &patterns, number).is_none() {
            found.push(until.continuations()[arm]);
        }
    }
    found
}

/// What is always completed before a trigger, or refuses it, if anything does.
pub(crate) fn beaten_by(machine: &Machine, patterns: &Patterns<'_>, number: u32) -> Option<u32> {
    let mut at = 0;
    for c in patterns.texts[number as usize].chars() {
        if let Some(first) = fires(machine, patterns, at) {
            return Some(first);
        }
        at = machine.next(at, c);
    }
    match patterns.meanings[number as usize] {
        // Before a symbol the text must still be open.
        Meaning::Symbol(..) => fires(machine, patterns, at),
        _ => {
            let mut completed = machine.states[at as usize].completed.iter().copied();
            completed.find(|&number| patterns.meanings[number as usize] == Meaning::Excluded)
        }
    }
}

/// What ends the text in a state of the machine, if anything does.
fn fires(machine: &Machine, patterns: &Patterns<'_>, at: MachineState) -> Option<u32> {
    let mut completed = machine.states[at as usize].completed.iter().copied();
    completed.find(|&number| !matches!(patterns.meanings[number as usize], Meaning::Symbol(..)))
}
