//! What a counted walk has reached: sets of states with ticks, each made once.
//!
//! The walk meets the same few sets at thousands of places of the trie: words of letters reach the same states, whatever
//! the letters. Two sets that differ by so many ticks everywhere lead to sets that differ by as many, so a set is kept
//! from its least tick on, and how far it is shifted stands beside it. What a byte leads to, what is asked of the ticks
//! and where the set may end are found out once for each; at a place it costs a look into a table. The masks of
//! `(foo|bar|[a-z]{2,5} ){10,5000}`, some dozens of sets at 29,000 places each, took more than twice as long without.
//!
//! # Worked example
//! `([a-z]+ " "?){0,20}` behind `ab`: in the state behind a letter with 1 or 2 ticks, kept as 0 or 1 and shifted by 1. A
//! further letter leads to 0 to 2, still shifted by 1: the set is another. A blank in its place leads to the state behind a
//! blank with 0 or 1.

use formwork_fsm::{Automata, Loop, StateId};
use formwork_grammar::HashMap;
use smallvec::SmallVec;

/// A state, and the least and the greatest number of ticks counted on the way; all between are possible, too.
type Reached = (StateId, u32, u32);

/// Ascending; the intervals of one state neither overlap nor touch; the least tick of all is 0.
type Config = SmallVec<[Reached; 4]>;

/// The least and the greatest of something.
pub(crate) type Pairs = SmallVec<[(u32, u32); 2]>;

/// A set and how many ticks are to be added everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shifted {
    id: u32,
    pub(crate) by: u32,
}

/// What is known of a set, before it is shifted.
#[derive(Debug)]
pub(crate) struct Known {
    config: Config,
    /// The [conditions](conditions) under which what ends here is allowed.
    pub(crate) conditions: Pairs,
    /// The ticks with which the rule may have ended.
    pub(crate) ends: Pairs,
    /// The loops of the states; empty if one has none.
    pub(crate) loops: SmallVec<[Loop; 2]>,
    /// The ticking loop of the only state, and the ticks ahead of it.
    pub(crate) ticking: Option<(Loop, (u32, u32))>,
    /// Whether some state reads bytes.
    pub(crate) goes_on: bool,
}

/// The sets met so far.
pub(crate) struct Sets<'a> {
    automata: &'a Automata,
    /// Whether anybody calls the rule: what lies behind its end is nobody's if not.
    is_called: bool,
    known: Vec<Known>,
    ids: HashMap<Config, u32>,
    /// What a byte leads to.
    next: HashMap<(u32, u8), Option<Shifted>>,
}

impl<'a> Sets<'a> {
    /// No sets but that of a state without ticks.
    pub(crate) fn new(automata: &'a Automata, state: StateId) -> (Self, Shifted) {
        let is_called = automata.is_called(automata.rule_of(state));
        let (ids, next) = (HashMap::default(), HashMap::default());
        let mut sets = Self { automata, is_called, known: Vec::new(), ids, next };
        let first = sets.intern(SmallVec::from_slice(&[(state, 0, 0)]));
        (sets, first)
    }

    pub(crate) fn known(&self, set: Shifted) -> &Known {
        &self.known[set.id as usize]
    }

    /// The set behind one more byte; `None` if no state reads it.
    pub(crate) fn step(&mut self, from: Shifted, byte: u8) -> Option<Shifted> {
        let next = match self.next.get(&(from.id, byte)) {
            Some(&next) => next,
            None => {
                let next = self.make(from.id, byte);
                self.next.insert((from.id, byte), next);
                next
            }
        };
        next.map(|next| Shifted { by: from.by + next.by, ..next })
    }

    fn make(&mut self, from: u32, byte: u8) -> Option<Shifted> {
        let mut reached = Config::new();
        for &(state, least, most) in &self.known[from as usize].config {
            let (plain, ticking) = self.automata.step(state, byte);
            reached.extend(plain.map(|target| (target, least, most)));
            reached.extend(ticking.map(|target| (target, least + 1, most + 1)));
        }
        if reached.len() > 1 {
            reached.sort_unstable();
            reached.dedup_by(|next, last| {
                let mut of_last = (last.1, last.2);
                let is_joined = next.0 == last.0 && join((next.1, next.2), &mut of_last);
                (last.1, last.2) = of_last;
                is_joined
            });
        }
        (!reached.is_empty()).then(|| self.intern(reached))
    }

    fn intern(&mut self, mut config: Config) -> Shifted {
        let by = config.iter().map(|&(_, least, _)| least).min().unwrap_or(0);
        config.iter_mut().for_each(|(_, least, most)| (*least, *most) = (*least - by, *most - by));
        if let Some(&id) = self.ids.get(&config) {
            return Shifted { id, by };
        }
        // The trie has fewer nodes than 2³².
        let id = self.known.len() as u32;
        self.ids.insert(config.clone(), id);
        self.known.push(self.about(config));
        Shifted { id, by }
    }

    fn about(&self, config: Config) -> Known {
        let automata = self.automata;
        let mut ends = Pairs::new();
        if self.is_called {
            let accepting = config.iter().filter(|&&(state, ..)| automata.is_accepting(state));
            ends.extend(accepting.map(|&(_, least, most)| (least, most)));
            ends.sort_unstable();
            ends.dedup_by(|next, last| join(*next, last));
        }
        let mut loops: SmallVec<[Loop; 2]> =
            config.iter().map(|&(state, ..)| automata.own_loop(state)).collect();
        if loops.iter().any(Loop::is_empty) {
            loops.clear();
        }
        let ticking = match (&config[..], ends.is_empty()) {
            (&[(state, ..)], true) => Some((automata.own_ticking_loop(state), automata.ticks_ahead(state))),
            _ => None,
        };
        Known {
            conditions: conditions(automata, &config),
            ends,
            loops,
            ticking: ticking.filter(|(own_loop, _)| !own_loop.is_empty()),
            goes_on: config.iter().any(|&(state, ..)| automata.is_scannable(state)),
            config,
        }
    }
}

/// Makes two intervals one, the second, if they overlap or touch; the first one does not begin before it.
fn join(next: (u32, u32), last: &mut (u32, u32)) -> bool {
    let touches = next.0 <= last.1.saturating_add(1);
    if touches {
        last.1 = last.1.max(next.1);
    }
    touches
}

/// The conditions under which a token that ends in these states is allowed: (the item must still be able to tick so often,
/// it must not have to tick more often); any one suffices.
fn conditions(automata: &Automata, config: &[Reached]) -> Pairs {
    let mut pairs = Pairs::new();
    for &(state, least, most) in config {
        let (need, reach) = automata.ticks_ahead(state);
        let pair = (least.saturating_add(need), most.saturating_add(reach));
        // A condition that another implies is not needed.
        if pairs.iter().any(|&(most, least)| most <= pair.0 && least >= pair.1) {
            continue;
        }
        pairs.retain(|&mut (most, least)| !(pair.0 <= most && pair.1 >= least));
        pairs.push(pair);
    }
    pairs
}
