//! Merges states of equal future within one automaton.
//!
//! # States that come after others
//! Most automata of rules are nearly trees: a state's future is made of its own edges and of futures that are known already,
//! if states are taken in the order in which nothing comes before what it leads to. Then two states are the same exactly
//! if their edges are, once targets are named by their classes, and one lookup decides. A state that leads to itself says so
//! in place of its class.
//!
//! Where states lead to each other in a circle (a strongly connected component), their classes are found by refinement: at
//! first all are one class, and classes are split by the edges with their targets' classes until none splits any more. A
//! class of one member is final, and names and texts in a circle part nearly all of its members in the first round or two;
//! so only the few that are left are looked at again. Where rounds do not end, a long row of the same letters in a circle, the
//! automaton goes to [`valmari`] instead, whose cost does not depend on the shape.
//!
//! # Worked example
//! `("ab" | "cb") "d"*`: s0 a→s1, c→s2; s1 b→s3; s2 b→s4; s3* and s4* d→s5; s5* d→s5. From the end: s5 is (accepts, d→itself).
//! s3 is (accepts, d→s5): the same future as s5, found because a class with a loop is listed under both of its names. So
//! is s4. s1 and s2 are both (b→s5): one class. Three classes remain.
//!
//! [`valmari`]: crate::valmari

use crate::components::components;
use crate::dfa::{Call, Dfa, Letter};
use crate::valmari;
use crate::work::{Stop, Work};
use formwork_grammar::Seeded;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Looks at the members of a circle, per member, after which refinement by rounds is given up.
const MAX_ROUNDS: usize = 16;
/// In an edge: the state itself.
const SELF: u32 = u32::MAX;
/// In an edge: this bit and a member of the state's circle.
const INSIDE: u32 = 1 << 31;

/// The same language with the fewest states; the start stays state 0 and the others keep the order of their first member.
///
/// All states must be reachable and able to accept (the start excepted).
pub(crate) fn minimise(dfa: Dfa, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    let n = dfa.len();
    if n <= 1 {
        return Ok(dfa);
    }
    work.spend(n + dfa.n_edges())?;
    let components = components(n, |state| dfa.targets(state));
    let mut merger = Merger::new(&dfa);
    let mut done = true;
    for component in components.iter() {
        done = done && merger.classify(component, work)?;
    }
    let classes = if done { merger.class_of } else { valmari::classes(&dfa, work)? };
    Ok(quotient(dfa, &classes))
}

/// What a state is, its targets named by classes.
#[derive(Debug)]
struct Entry {
    letters: (u32, u32),
    calls: (u32, u32),
    accepting: bool,
    class: u32,
    hash: u64,
}

#[derive(Debug)]
struct Merger<'a> {
    dfa: &'a Dfa,
    class_of: Vec<u32>,
    n_classes: u32,
    entries: Vec<Entry>,
    by_contents: HashTable<u32>,
    /// The edges of all entries.
    letters: Vec<Letter>,
    calls: Vec<Call>,
    hasher: Seeded,
    /// The edges looked up.
    own_letters: Vec<Letter>,
    own_calls: Vec<Call>,
    /// Of the members of a circle, by state: their class within it.
    inside: Vec<u32>,
    /// Members in the order of their classes, each with its class and the hash of its edges.
    members: Vec<(u32, u64, u32)>,
}

impl<'a> Merger<'a> {
    fn new(dfa: &'a Dfa) -> Self {
        Self {
            dfa,
            class_of: vec![SELF; dfa.len()],
            n_classes: 0,
            entries: Vec::with_capacity(dfa.len()),
            by_contents: HashTable::with_capacity(dfa.len()),
            letters: Vec::with_capacity(dfa.n_edges()),
            calls: Vec::with_capacity(dfa.all_calls().len()),
            hasher: Seeded::default(),
            own_letters: Vec::new(),
            own_calls: Vec::new(),
            inside: Vec::new(),
            members: Vec::new(),
        }
    }

    /// Finds the classes of a component; all that it leads to outside has its classes. Members are parted by hashes, so those
    /// of one class are compared; false if two of them differ, or rounds do not end.
    fn classify(&mut self, component: &[u32], work: &mut Work<'_>) -> Result<bool, Stop> {
        if let [state] = *component {
            self.classify_one(state);
            return Ok(true);
        }
        if !self.refine(component, work)? {
            return Ok(false);
        }
        let members = std::mem::take(&mut self.members);
        let first = self.n_classes;
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            for &(_, _, state) in group {
                self.class_of[state as usize] = self.n_classes;
            }
            self.n_classes += 1;
        }
        let n_groups = self.n_classes - first;
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            let (representative, others) = (group[0].2, &group[1..]);
            let accepting = self.dfa.is_accepting(representative);
            for &(_, _, state) in others {
                self.edges(representative, |merger, target| merger.class_of[target as usize]);
                let (letters, calls) = (self.own_letters.clone(), self.own_calls.clone());
                self.edges(state, |merger, target| merger.class_of[target as usize]);
                let same = self.own_letters == letters && self.own_calls == calls;
                if !same || self.dfa.is_accepting(state) != accepting {
                    return Ok(false);
                }
            }
            if n_groups > 1 {
                self.edges(representative, |merger, target| merger.class_of[target as usize]);
                let class = self.class_of[representative as usize];
                self.add(accepting, class);
                if self.rename_own(class, SELF) {
                    self.add(accepting, class);
                }
            }
        }
        if n_groups == 1 {
            // All members are one state that leads to itself, and may be known.
            self.edges(component[0], |merger, target| match merger.class_of[target as usize] {
                class if class == first => SELF,
                class => class,
            });
            self.n_classes = first;
            let accepting = self.dfa.is_accepting(component[0]);
            let class = self.find(accepting).unwrap_or_else(|| self.add_self_loop(component[0]));
            for &state in component {
                self.class_of[state as usize] = class;
            }
        }
        self.members = members;
        Ok(true)
    }

    /// Parts the members of a circle until equal classes mean equal futures, up to collisions of hashes; they stand in
    /// `members`, class by class. False where that takes too many rounds.
    fn refine(&mut self, component: &[u32], work: &mut Work<'_>) -> Result<bool, Stop> {
        let mut inside = std::mem::take(&mut self.inside);
        inside.resize(self.dfa.len(), 0);
        let mut settled = std::mem::take(&mut self.members);
        settled.clear();
        // Those that are not alone in their class.
        let mut open: Vec<(u32, u64, u32)> = component.iter().map(|&state| (0, 0, state)).collect();
        let mut n_classes = 1;
        let mut looks = 0;
        let mut done = false;
        while !done && looks <= MAX_ROUNDS * component.len() {
            looks += open.len();
            work.spend(open.len())?;
            for (_, hash, state) in &mut open {
                self.edges(*state, |merger, target| match merger.class_of[target as usize] {
                    SELF => INSIDE | inside[target as usize],
                    class => class,
                });
                *hash = self.hash(self.dfa.is_accepting(*state), &self.own_letters, &self.own_calls);
            }
            open.sort_unstable();
            let (before, mut last) = (n_classes, None);
            for group in open.chunk_by_mut(|a, b| (a.0, a.1) == (b.0, b.1)) {
                // The first group of a class keeps its number.
                if last.replace(group[0].0) == Some(group[0].0) {
                    group.iter_mut().for_each(|member| member.0 = n_classes);
                    n_classes += 1;
                }
            }
            let mut rest = Vec::with_capacity(open.len());
            for group in open.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                group.iter().for_each(|&(class, _, state)| inside[state as usize] = class);
                if group.len() == 1 { &mut settled } else { &mut rest }.extend_from_slice(group);
            }
            open = rest;
            done = n_classes == before || open.is_empty();
        }
        settled.extend(open);
        settled.sort_unstable_by_key(|&(class, _, state)| (class, state));
        // For the next circle.
        (self.members, self.inside) = (settled, inside);
        Ok(done)
    }

    fn classify_one(&mut self, state: u32) {
        self.edges(
            state,
            |merger, target| if target == state { SELF } else { merger.class_of[target as usize] },
        );
        let accepting = self.dfa.is_accepting(state);
        let hash = self.hash(accepting, &self.own_letters, &self.own_calls);
        let class = match self.find_hashed(hash, accepting) {
            Some(class) => class,
            None if self.dfa.targets(state).any(|target| target == state) => self.add_self_loop(state),
            None => {
                let class = self.n_classes;
                self.n_classes += 1;
                self.add_hashed(hash, accepting, class);
                class
            }
        };
        self.class_of[state as usize] = class;
    }

    /// A new class whose edges, with `SELF` where they lead back, are at hand. It can be found by its loop, and as what an
    /// unrolled copy of the loop leads to.
    fn add_self_loop(&mut self, state: u32) -> u32 {
        let class = self.n_classes;
        self.n_classes += 1;
        let accepting = self.dfa.is_accepting(state);
        self.add(accepting, class);
        self.rename_own(SELF, class);
        self.add(accepting, class);
        class
    }

    /// Renames a target in the edges at hand; returns whether it occurs.
    fn rename_own(&mut self, from: u32, to: u32) -> bool {
        let letters = self.own_letters.iter_mut().map(|letter| &mut letter.target);
        let mut found = false;
        for target in letters.chain(self.own_calls.iter_mut().map(|call| &mut call.target)) {
            if *target == from {
                *target = to;
                found = true;
            }
        }
        found
    }

    /// Collects the edges of a state, its targets renamed, neighbouring letters joined.
    fn edges(&mut self, state: u32, name: impl Fn(&Self, u32) -> u32) {
        let mut letters = std::mem::take(&mut self.own_letters);
        let mut calls = std::mem::take(&mut self.own_calls);
        renamed(self.dfa, state, &mut letters, &mut calls, |target| name(self, target));
        (self.own_letters, self.own_calls) = (letters, calls);
    }

    fn hash(&self, accepting: bool, letters: &[Letter], calls: &[Call]) -> u64 {
        self.hasher.hash_one((accepting, letters, calls))
    }

    /// The class with the edges at hand.
    fn find(&self, accepting: bool) -> Option<u32> {
        self.find_hashed(self.hash(accepting, &self.own_letters, &self.own_calls), accepting)
    }

    fn find_hashed(&self, hash: u64, accepting: bool) -> Option<u32> {
        let found = self.by_contents.find(hash, |&i| {
            let entry = &self.entries[i as usize];
            entry.accepting == accepting
                && self.letters[entry.letters.0 as usize..entry.letters.1 as usize] == self.own_letters[..]
                && self.calls[entry.calls.0 as usize..entry.calls.1 as usize] == self.own_calls[..]
        });
        found.map(|&i| self.entries[i as usize].class)
    }

    /// Lists a class under the edges at hand.
    fn add(&mut self, accepting: bool, class: u32) {
        let hash = self.hash(accepting, &self.own_letters, &self.own_calls);
        self.add_hashed(hash, accepting, class);
    }

    fn add_hashed(&mut self, hash: u64, accepting: bool, class: u32) {
        let first = (self.letters.len() as u32, self.calls.len() as u32);
        self.letters.extend_from_slice(&self.own_letters);
        self.calls.extend_from_slice(&self.own_calls);
        let number = self.entries.len() as u32;
        self.entries.push(Entry {
            letters: (first.0, self.letters.len() as u32),
            calls: (first.1, self.calls.len() as u32),
            accepting,
            class,
            hash,
        });
        let entries = &self.entries;
        self.by_contents.insert_unique(hash, number, |&i| entries[i as usize].hash);
    }
}

/// The edges of a state with its targets renamed, neighbouring letters joined.
fn renamed(
    dfa: &Dfa,
    state: u32,
    letters: &mut Vec<Letter>,
    calls: &mut Vec<Call>,
    name: impl Fn(u32) -> u32,
) {
    letters.clear();
    calls.clear();
    let mut ticks = false;
    for letter in dfa.letters(state) {
        let target = name(letter.target);
        ticks |= letter.ticks;
        match letters.last_mut() {
            Some(last)
                if last.target == target && last.ticks == letter.ticks && last.high + 1 == letter.low =>
            {
                last.high = letter.high;
            }
            _ => letters.push(Letter { target, ..*letter }),
        }
    }
    if ticks {
        join(letters);
    }
    calls.extend(dfa.calls(state).iter().map(|call| Call { target: name(call.target), ..*call }));
}

/// Joins neighbouring ranges of equal tick and target; the result is in the order of an automaton.
fn join(letters: &mut Vec<Letter>) {
    letters.sort_unstable_by_key(|letter| (letter.ticks, letter.low));
    letters.dedup_by(|next, last| {
        let joins = last.ticks == next.ticks && last.target == next.target && last.high + 1 == next.low;
        if joins {
            last.high = next.high;
        }
        joins
    });
    letters.sort_unstable();
}

fn quotient(dfa: Dfa, class_of: &[u32]) -> Dfa {
    // Number the classes in the order of their first members, so that the result does not depend on how they were found.
    let n_classes = class_of.iter().max().map_or(0, |&class| class as usize + 1);
    if n_classes == dfa.len() {
        return dfa;
    }
    let mut number = vec![u32::MAX; n_classes];
    let mut representatives = Vec::new();
    for state in dfa.numbers() {
        let slot = &mut number[class_of[state as usize] as usize];
        if *slot == u32::MAX {
            *slot = representatives.len() as u32;
            representatives.push(state);
        }
    }
    let target = |state: u32| number[class_of[state as usize] as usize];
    let mut merged = Dfa::default();
    for state in representatives {
        for letter in dfa.letters(state) {
            merged.add_letter(Letter { target: target(letter.target), ..*letter });
        }
        for call in dfa.calls(state) {
            merged.add_call(Call { target: target(call.target), ..*call });
        }
        merged.finish_merged(dfa.is_accepting(state));
    }
    merged
}
