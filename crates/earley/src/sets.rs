//! Sets of members, interned: what an item of a set's rule has for a count.
//!
//! Where each member comes at most once and that is all, a set is a bit for each member that came. Where a rule has
//! [conditions](Membership), a set is what these remember of the members that came, and what may come next is found out
//! once for each set that an output meets.

use crate::texts::Texts;
use formwork_fsm::{Automata, RuleId};
use formwork_grammar::{HashMap, Membership, Seeded, Standing};
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The sets that an arena has met. Number 0 is the empty one.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    /// Bits; no trailing zeros.
    sets: Vec<Box<[u64]>>,
    ids: HashTable<u32>,
    n_words: usize,
    hasher: Seeded,
    /// What may happen in the sets of rules with conditions; `None` where it takes too many steps to find out.
    standings: HashMap<(RuleId, u32), Option<Arc<Standing>>>,
    /// The sets after one more member, in rules with conditions.
    after: HashMap<(RuleId, u32, u32), Option<u32>>,
    /// The distinct texts that came.
    pub(crate) texts: Texts,
    /// Whether something was asked for that takes too many steps.
    pub(crate) exceeded: bool,
}

impl Default for Sets {
    fn default() -> Self {
        Self {
            sets: vec![Box::default()],
            ids: HashTable::new(),
            n_words: 0,
            texts: Texts::default(),
            hasher: Seeded::default(),
            standings: HashMap::default(),
            after: HashMap::default(),
            exceeded: false,
        }
    }
}

impl Sets {
    #[inline]
    pub(crate) fn get(&self, set: u32) -> &[u64] {
        &self.sets[set as usize]
    }

    /// The set of a rule with one more member; `None` if it may not come.
    pub(crate) fn more(&mut self, automata: &Automata, rule: RuleId, set: u32, member: u32) -> Option<u32> {
        match automata.membership(rule) {
            None => self.with(set, member),
            Some(membership) => self.after(rule, membership, set, member),
        }
    }

    /// The set with one more member; `None` if it has it already.
    fn with(&mut self, set: u32, member: u32) -> Option<u32> {
        let (word, bit) = (member as usize / 64, 1u64 << (member % 64));
        let mut more = self.sets[set as usize].to_vec();
        more.resize(more.len().max(word + 1), 0);
        if more[word] & bit != 0 {
            return None;
        }
        more[word] |= bit;
        Some(self.intern(more))
    }

    fn intern(&mut self, set: Vec<u64>) -> u32 {
        if set.is_empty() {
            return 0;
        }
        let hash = self.hasher.hash_one(&set);
        if let Some(&known) = self.ids.find(hash, |&id| *self.sets[id as usize] == set[..]) {
            return known;
        }
        let id = self.sets.len() as u32;
        self.n_words += set.len();
        self.sets.push(set.into());
        let (sets, hasher) = (&self.sets, &self.hasher);
        self.ids.insert_unique(hash, id, |&id| hasher.hash_one(&sets[id as usize]));
        id
    }

    // ---- rules with conditions ----

    /// The set after one more member of a rule; `None` if it may not come.
    fn after(&mut self, rule: RuleId, rules: &Membership, set: u32, member: u32) -> Option<u32> {
        if let Some(&known) = self.after.get(&(rule, set, member)) {
            return known;
        }
        let standing = self.standing(rule, rules, set)?;
        let may_come = &standing.may_come;
        let allowed = may_come.get(member as usize / 64).is_some_and(|word| word >> (member % 64) & 1 != 0);
        let more = rules.after(self.get(set), member).filter(|_| allowed);
        let after = more.map(|more| self.intern(more.into()));
        self.after.insert((rule, set, member), after);
        after
    }

    /// What may happen in a set of a rule; `None` if it takes too many steps to find out.
    pub(crate) fn standing(&mut self, rule: RuleId, rules: &Membership, set: u32) -> Option<Arc<Standing>> {
        let known = match self.standings.get(&(rule, set)) {
            Some(known) => known.clone(),
            None => {
                let found = rules.standing(self.get(set)).ok().map(Arc::new);
                self.standings.insert((rule, set), found.clone());
                found
            }
        };
        self.exceeded |= known.is_none();
        known
    }

    /// Whether some set was too hard since the last time that this was asked.
    pub(crate) fn take_exceeded(&mut self) -> bool {
        std::mem::take(&mut self.exceeded)
    }

    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        let of_standing = size_of::<Standing>() + 64;
        (self.sets.len() - 1) * (size_of::<Box<[u64]>>() + 8)
            + self.n_words * size_of::<u64>()
            + self.standings.len() * of_standing
            + self.after.len() * 24
            + self.texts.memory_size()
    }
}
