//! Merges states of equal future within one automaton, whatever its cycles: a partition of states and a partition of
//! transitions refine each other, always along the smaller half (A. Valmari, *Fast brief practical DFA minimization*, 2012,
//! Hopcroft's idea without its bookkeeping).
//!
//! Letters are cut at all range boundaries of the automaton first, so that equal letters are equal numbers; a call is a
//! letter of its own. Cost O(e log n) for e cut transitions. All states must be reachable and able to accept (the start
//! excepted).

use crate::adjacency::Adjacency;
use crate::dfa::Dfa;
use crate::work::{Stop, Work};
use formwork_grammar::HashMap;

/// Per state the number of its class; classes are the coarsest that tell no two members apart.
pub(crate) fn classes(dfa: &Dfa, work: &mut Work<'_>) -> Result<Vec<u32>, Stop> {
    let n = dfa.len();
    let transitions = cut(dfa, work)?;
    let mut blocks = Partition::new(n);
    // Valmari's first split: accepting states against the others.
    for state in dfa.numbers().filter(|&state| dfa.is_accepting(state)) {
        blocks.mark(state);
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
    Ok(blocks.set_of)
}

#[derive(Clone, Copy, Debug)]
struct Transition {
    tail: u32,
    head: u32,
    label: u32,
}

/// The transitions with ranges cut at every boundary, sorted by label.
fn cut(dfa: &Dfa, work: &mut Work<'_>) -> Result<Vec<Transition>, Stop> {
    let letters = dfa.numbers().flat_map(|state| dfa.letters(state));
    let mut bounds: Vec<u32> = letters.flat_map(|letter| [letter.low, letter.high + 1]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut call_labels: HashMap<(u32, u32), u32> = HashMap::default();
    let mut transitions = Vec::new();
    for tail in dfa.numbers() {
        for letter in dfa.letters(tail) {
            let first = bounds.partition_point(|&bound| bound < letter.low);
            let last = bounds.partition_point(|&bound| bound <= letter.high);
            work.spend(last - first)?;
            for cell in first..last {
                let label = cell as u32 * 2 + u32::from(letter.ticks);
                transitions.push(Transition { tail, head: letter.target, label });
            }
        }
        for call in dfa.calls(tail) {
            let fresh = bounds.len() as u32 * 2 + call_labels.len() as u32;
            let label = *call_labels.entry((call.unit, call.tick)).or_insert(fresh);
            transitions.push(Transition { tail, head: call.target, label });
        }
    }
    transitions.sort_by_key(|transition| transition.label);
    Ok(transitions)
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
