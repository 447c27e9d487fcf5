//! Merges states of equal future within one automaton (Hopcroft's idea in the form of A. Valmari, *Fast brief practical
//! DFA minimization*, 2012: a partition of states and a partition of transitions refine each other, always along the
//! smaller half).
//!
//! Letters are cut at all range boundaries of the automaton first, so that equal letters are equal numbers; a call is a
//! letter of its own. Cost O(e log n) for e cut transitions. All states must be reachable and able to accept (the start
//! excepted).

use crate::dfa::{Call, Dfa, Letter, State};
use crate::work::{Stop, Work};
use formwork_grammar::HashMap;

/// The same language with the fewest states; the start stays state 0 and the others keep the order of their first member.
pub(crate) fn minimise(dfa: &Dfa, work: &mut Work<'_>) -> Result<Dfa, Stop> {
    let n = dfa.states.len();
    if n <= 1 {
        return Ok(dfa.clone());
    }
    let transitions = cut(dfa, work)?;
    let mut blocks = Partition::new(n);
    // Valmari's first split: accepting states against the others.
    for (i, state) in dfa.states.iter().enumerate() {
        if state.accepting {
            blocks.mark(i as u32);
        }
    }
    blocks.split();
    // Cords: transitions with equal label, refined by the blocks of their heads.
    let m = transitions.len();
    let mut cords = Partition::new(m);
    if m > 0 {
        // The transitions come sorted by label: every run is a cord.
        cords.sets_from_runs(|a, b| transitions[a].label == transitions[b].label);
    }
    let incoming = Adjacency::new(n, transitions.iter().map(|transition| transition.head));
    let (mut block, mut cord) = (1, 0);
    while cord < cords.n_sets() {
        work.spend(cords.len_of(cord) + 1)?;
        for &i in cords.members(cord) {
            blocks.mark(transitions[i as usize].tail);
        }
        blocks.split();
        cord += 1;
        while block < blocks.n_sets() {
            for &state in blocks.members(block) {
                for &transition in incoming.of(state) {
                    cords.mark(transition);
                }
            }
            cords.split();
            block += 1;
        }
    }
    Ok(quotient(dfa, &blocks))
}

#[derive(Clone, Copy, Debug)]
struct Transition {
    tail: u32,
    head: u32,
    label: u32,
}

/// The transitions with ranges cut at every boundary, sorted by label.
fn cut(dfa: &Dfa, work: &mut Work<'_>) -> Result<Vec<Transition>, Stop> {
    let mut bounds: Vec<u32> = dfa
        .states
        .iter()
        .flat_map(|state| state.letters.iter().flat_map(|letter| [letter.low, letter.high + 1]))
        .collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut call_labels: HashMap<(u32, bool), u32> = HashMap::default();
    let mut transitions = Vec::new();
    for (tail, state) in dfa.states.iter().enumerate() {
        let tail = tail as u32;
        for letter in &state.letters {
            let first = bounds.partition_point(|&bound| bound < letter.low);
            let last = bounds.partition_point(|&bound| bound <= letter.high);
            work.spend(last - first)?;
            for cell in first..last {
                let label = cell as u32 * 2 + u32::from(letter.ticks);
                transitions.push(Transition { tail, head: letter.target, label });
            }
        }
        for call in &state.calls {
            let fresh = bounds.len() as u32 * 2 + call_labels.len() as u32;
            let label = *call_labels.entry((call.unit, call.ticks)).or_insert(fresh);
            transitions.push(Transition { tail, head: call.target, label });
        }
    }
    transitions.sort_by_key(|transition| transition.label);
    Ok(transitions)
}

/// For each key the positions of the entries that have it, in one array.
#[derive(Debug)]
pub(crate) struct Adjacency {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Adjacency {
    pub(crate) fn new(n: usize, keys: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0u32; n + 2];
        for key in keys.clone() {
            starts[key as usize + 2] += 1;
        }
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut items = vec![0; starts[n + 1] as usize];
        for (i, key) in keys.enumerate() {
            let slot = &mut starts[key as usize + 1];
            items[*slot as usize] = i as u32;
            *slot += 1;
        }
        Self { starts, items }
    }

    pub(crate) fn of(&self, key: u32) -> &[u32] {
        &self.items[self.starts[key as usize] as usize..self.starts[key as usize + 1] as usize]
    }
}

/// A refinable partition of 0..n: sets are runs of `elements`; the marked members of a set stand first in its run.
#[derive(Debug)]
struct Partition {
    elements: Vec<u32>,
    /// Where each element stands in `elements`.
    location: Vec<u32>,
    set_of: Vec<u32>,
    /// Per set: start, end and number of marked members.
    start: Vec<u32>,
    end: Vec<u32>,
    marked: Vec<u32>,
    /// Sets with marked members.
    touched: Vec<u32>,
}

impl Partition {
    fn new(n: usize) -> Self {
        let elements: Vec<u32> = (0..n as u32).collect();
        let sets = usize::from(n > 0);
        Self {
            location: elements.clone(),
            elements,
            set_of: vec![0; n],
            start: vec![0; sets],
            end: vec![n as u32; sets],
            marked: vec![0; sets],
            touched: Vec::new(),
        }
    }

    /// Makes every maximal run of neighbouring elements that are `same` a set. Only on a fresh partition.
    fn sets_from_runs(&mut self, same: impl Fn(usize, usize) -> bool) {
        let n = self.elements.len();
        self.start.clear();
        self.end.clear();
        for i in 0..n {
            if i == 0 || !same(i - 1, i) {
                self.start.push(i as u32);
                self.end.push(i as u32);
            }
            let set = self.start.len() - 1;
            self.end[set] = i as u32 + 1;
            self.set_of[i] = set as u32;
        }
        self.marked = vec![0; self.start.len()];
    }

    fn n_sets(&self) -> usize {
        self.start.len()
    }

    fn len_of(&self, set: usize) -> usize {
        (self.end[set] - self.start[set]) as usize
    }

    fn members(&self, set: usize) -> &[u32] {
        &self.elements[self.start[set] as usize..self.end[set] as usize]
    }

    fn mark(&mut self, element: u32) {
        let set = self.set_of[element as usize] as usize;
        let at = self.location[element as usize];
        let boundary = self.start[set] + self.marked[set];
        if at < boundary {
            return;
        }
        let other = self.elements[boundary as usize];
        self.elements.swap(at as usize, boundary as usize);
        self.location[element as usize] = boundary;
        self.location[other as usize] = at;
        if self.marked[set] == 0 {
            self.touched.push(set as u32);
        }
        self.marked[set] += 1;
    }

    /// Splits every touched set into marked and unmarked; the smaller half becomes a new set.
    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let set = set as usize;
            let boundary = self.start[set] + self.marked[set];
            let n_marked = std::mem::take(&mut self.marked[set]);
            if boundary == self.end[set] {
                continue;
            }
            let new = self.start.len();
            let (start, end) = if n_marked <= self.end[set] - boundary {
                let part = (self.start[set], boundary);
                self.start[set] = boundary;
                part
            } else {
                let part = (boundary, self.end[set]);
                self.end[set] = boundary;
                part
            };
            self.start.push(start);
            self.end.push(end);
            self.marked.push(0);
            for i in start..end {
                self.set_of[self.elements[i as usize] as usize] = new as u32;
            }
        }
    }
}

fn quotient(dfa: &Dfa, blocks: &Partition) -> Dfa {
    // Number the blocks in the order of their first members, so that the result does not depend on the refinement.
    let mut number = vec![u32::MAX; blocks.n_sets()];
    let mut representatives = Vec::new();
    for i in 0..dfa.states.len() {
        let slot = &mut number[blocks.set_of[i] as usize];
        if *slot == u32::MAX {
            *slot = representatives.len() as u32;
            representatives.push(i);
        }
    }
    let target = |state: u32| number[blocks.set_of[state as usize] as usize];
    let states = representatives
        .into_iter()
        .map(|i| {
            let old = &dfa.states[i];
            let mut letters: Vec<Letter> = old
                .letters
                .iter()
                .map(|letter| Letter { target: target(letter.target), ..*letter })
                .collect();
            merge_neighbours(&mut letters);
            let mut calls: Vec<Call> =
                old.calls.iter().map(|call| Call { target: target(call.target), ..*call }).collect();
            calls.sort_unstable();
            State { letters, calls, accepting: old.accepting }
        })
        .collect();
    Dfa { states }
}

/// Joins neighbouring ranges that lead to the same state.
pub(crate) fn merge_neighbours(letters: &mut Vec<Letter>) {
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
