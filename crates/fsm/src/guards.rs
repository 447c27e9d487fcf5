//! What a set's automaton asks of the members that came.
//!
//! A [set](formwork_grammar::Expr::Set) has one automaton, whose calls of members carry the member's number. Its states do
//! not know which members came: that is in the item, as the number of a set of members, as ticks are in the items of
//! counted rules. So `n` members in any order cost as many states as in one order, and an output meets as many sets as it
//! has members, out of the 2ⁿ.
//!
//! # When an item may exist
//! Every item must be able to be completed. From a state, the members that may come *next* are those on some call that is
//! reached without passing another member, and the state may *end* if acceptance is reached that way. So an item can be
//! completed if its state may end and all required members came, or if some next member did not come yet *and all is well
//! after it*. The latter is asked of the automaton once: behind each member it must be possible to end and for every
//! required member to come next. Then, by induction, what is still required can follow in any order. The sets of frontends
//! are like that, since each member leads back to where it began; others are refused.
//!
//! What a state asks, its *guard*, is thus its next members and whether it may end. Where it may end and all required
//! members may come next, nothing is asked: that is guard 0, which most states have.
//!
//! Where there are conditions, a member may come only if they can be met after it, which is decided set by set
//! (`membership.rs` of `formwork-grammar`). Then an item can be completed if its state may end and so may the set, or if
//! one of its next members may come; and guard 0 is that of the states that may end and have all members next, since a set
//! that can be completed may either end or go on with some member.
//!
//! # Worked example
//! `"{" (Member(0, a) | Member(1, b))* "}"`, 0 required, where `a` begins with `x` and `b` with `y`:
//! behind `{` and behind each member the state may end, and {0, 1} may come next: guard 0. Behind `}` it may end and
//! nothing comes next: guard 1, which asks that 0 came. In `{ "k": a | "l": b }` the state behind `"k` may not end and has
//! {0} next: it asks that 0 did not come, so that `"k` is refused the second time, at its first letter.

use crate::codec::{Malformed, Reader, Writer};
use crate::components::components;
use crate::dfa::Dfa;
use crate::work::Stop;
use formwork_grammar::{Conditions, HashMap, Membership, Standing};

/// A set of members: bit = number.
type Members = Box<[u64]>;

/// The guards of one automaton; by default that of one that is no set.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    /// From number 1 on.
    guards: Vec<Guard>,
    /// Where there are no other conditions.
    required: Members,
    /// Where there are other conditions than that some members are required.
    membership: Option<Membership>,
}

/// What a state asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Guard {
    /// The members that may come next.
    next: Members,
    /// Whether the rule may end before another member comes.
    ends: bool,
}

fn has(members: &[u64], number: u32) -> bool {
    members.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
}

/// Whether all of these members are among the others.
fn within(members: &[u64], others: &[u64]) -> bool {
    members.iter().enumerate().all(|(i, word)| word & !others.get(i).copied().unwrap_or(0) == 0)
}

impl Guards {
    /// The number of each state's guard, and the guards. Stops if the members cannot come in any order, or it takes too
    /// long to find out.
    ///
    /// Cost: edges times members over 64, and the first [`Membership::standing`].
    pub(crate) fn of(dfa: &Dfa, conditions: &Conditions) -> Result<(Vec<u32>, Self), Stop> {
        let existing = || dfa.all_calls().iter().filter_map(|call| call.tick.checked_sub(1));
        let membership = (!conditions.is_plain()).then(|| Membership::of(conditions, existing()));
        // Those that must be able to come behind each member.
        let asked: Vec<u32> = match &membership {
            None => conditions.required().to_vec(),
            Some(_) => existing().collect(),
        };
        let greatest = existing().chain(asked.iter().copied()).map(|number| number + 1).max();
        let n_words = greatest.unwrap_or(0).div_ceil(64) as usize;
        let mut all_required = vec![0u64; n_words];
        for &number in &asked {
            all_required[number as usize / 64] |= 1 << (number % 64);
        }
        let plain = |state: u32| {
            let letters = dfa.letters(state).iter().map(|letter| letter.target);
            letters.chain(dfa.calls(state).iter().filter(|call| call.tick == 0).map(|call| call.target))
        };
        let mut numbers = vec![0u32; dfa.len()];
        let mut ids: HashMap<Guard, u32> = HashMap::default();
        let mut guards: Vec<Guard> = Vec::new();
        let always = |guard: &Guard| guard.ends && within(&all_required, &guard.next);
        // What is known of states by the number of what they know; those that lead to each other know the same.
        let mut known: Vec<Guard> = Vec::new();
        let mut of_state = vec![usize::MAX; dfa.len()];
        for component in components(dfa.len(), plain).iter() {
            let mut guard = Guard { next: vec![0; n_words].into(), ends: false };
            for &state in component {
                guard.ends |= dfa.is_accepting(state);
                for call in dfa.calls(state).iter().filter(|call| call.tick != 0) {
                    let number = call.tick - 1;
                    guard.next[number as usize / 64] |= 1 << (number % 64);
                }
                for target in plain(state) {
                    let Some(below) = known.get(of_state[target as usize]) else { continue };
                    guard.ends |= below.ends;
                    guard.next.iter_mut().zip(&below.next).for_each(|(word, below)| *word |= below);
                }
            }
            let number = match always(&guard) {
                true => 0,
                false => *ids.entry(guard.clone()).or_insert_with(|| {
                    guards.push(guard.clone());
                    guards.len() as u32
                }),
            };
            for &state in component {
                numbers[state as usize] = number;
                of_state[state as usize] = known.len();
            }
            known.push(guard);
        }
        let behind = dfa.all_calls().iter().filter(|call| call.tick != 0).map(|call| call.target);
        if behind.map(|state| numbers[state as usize]).any(|guard| guard != 0) {
            return Err(Stop::Order);
        }
        let standing = match &membership {
            Some(membership) => Some(membership.standing(&[]).map_err(|_| Stop::Conditions)?),
            None => None,
        };
        let guards = Self { guards, required: all_required.into(), membership };
        let may_begin = |&start: &u32| match &standing {
            Some(standing) => {
                let something = standing.may_end || standing.may_come.iter().any(|word| *word != 0);
                something && guards.allow_in(start, standing)
            }
            None => guards.allow(start, &[]),
        };
        if numbers.first().is_none_or(may_begin) { Ok((numbers, guards)) } else { Err(Stop::Order) }
    }

    /// What decides which members may come, where it takes more than what came.
    pub(crate) fn membership(&self) -> Option<&Membership> {
        self.membership.as_ref()
    }

    /// Writes them for [`read`](Self::read); what has conditions is not written.
    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.len(self.required.len());
        writer.len(self.guards.len());
        self.required.iter().for_each(|&word| writer.u64(word));
        for guard in &self.guards {
            writer.u8(guard.ends.into());
            guard.next.iter().for_each(|&word| writer.u64(word));
        }
    }

    /// # Errors
    /// It is not what [`write`](Self::write) writes.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let n_words = reader.len(1)?;
        let n_guards = reader.len(n_words + 1)?;
        let words = |reader: &mut Reader<'_>| {
            (0..n_words).map(|_| reader.u64()).collect::<Result<Members, Malformed>>()
        };
        let required = words(reader)?;
        let guard = |_| {
            let ends = reader.bool()?;
            Ok(Guard { ends, next: words(reader)? })
        };
        let guards = (0..n_guards).map(guard).collect::<Result<_, _>>()?;
        Ok(Self { guards, required, membership: None })
    }

    /// Whether members have numbers below, and guards too.
    pub(crate) fn has(&self, member: u32, guard: u32) -> bool {
        (member as usize) < self.required.len() * 64 && (guard as usize) <= self.guards.len()
    }

    fn guard(&self, number: u32) -> Option<&Guard> {
        self.guards.get((number as usize).checked_sub(1)?)
    }

    /// Whether a state with this guard may be gone on from, once these members came.
    #[inline]
    pub(crate) fn allow(&self, number: u32, came: &[u64]) -> bool {
        match self.guard(number) {
            None => true,
            Some(guard) => !within(&guard.next, came) || guard.ends && self.has_required(came),
        }
    }

    pub(crate) fn has_required(&self, came: &[u64]) -> bool {
        within(&self.required, came)
    }

    /// Whether a state with this guard may be gone on from where there are conditions.
    #[inline]
    pub(crate) fn allow_in(&self, number: u32, standing: &Standing) -> bool {
        let overlap = |next: &Members| next.iter().zip(&*standing.may_come).any(|(a, b)| a & b != 0);
        match self.guard(number) {
            None => true,
            Some(guard) => overlap(&guard.next) || guard.ends && standing.may_end,
        }
    }

    /// Whether the rule may end whatever came.
    pub(crate) fn asks_nothing(&self) -> bool {
        self.membership.is_none() && self.required.iter().all(|word| *word == 0)
    }

    /// Whether a state with this guard may be gone on from only with this member.
    pub(crate) fn is_only(&self, number: u32, member: u32) -> bool {
        self.guard(number).is_some_and(|guard| {
            let n: u32 = guard.next.iter().map(|word| word.count_ones()).sum();
            !guard.ends && n == 1 && has(&guard.next, member)
        })
    }

    /// Heap memory in bytes.
    pub(crate) fn memory_size(&self) -> usize {
        let words: usize = self.guards.iter().map(|guard| guard.next.len()).sum();
        (words + self.required.len()) * size_of::<u64>()
            + self.guards.len() * size_of::<Guard>()
            + self.membership.as_ref().map_or(0, Membership::memory_size)
    }
}
