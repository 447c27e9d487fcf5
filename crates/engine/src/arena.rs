//! What a matcher works in: rows, and what is known of their masks.
//!
//! A row is a value: which row follows it and what its mask is depend on the row alone. So what one output has found out
//! holds for every other of the grammar, and the arena of a matcher that is dropped goes on a *shelf*, from which the next
//! matcher takes it: where outputs resemble each other, which those of one schema do, its rows are looked up instead of
//! closed, and its masks are copied. Matchers that run at the same time have an arena each, so nothing is locked while
//! decoding, but where something is met for the first time.
//!
//! Only what is small is kept: an arena that a long output has filled is dropped with its matcher, and the shelf of a
//! grammar holds two mebibytes.

use crate::compiled::CompiledGrammar;
use crate::recent::Came;
use formwork_earley::{LimitExceeded, RowId, Rows};
use formwork_mask::{Recipe, Resolver, Target, Walker};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The rows of one matcher.
pub(crate) struct Arena {
    pub(crate) rows: Rows,
    pub(crate) start: RowId,
    /// The memory of the rows at which some are forgotten.
    collect_at: usize,
    /// How many rows there were when it was last looked at: most steps make none.
    n_measured: usize,
    resolver: Option<Resolver>,
    walker: Option<Walker>,
    recipes: Recipes,
}

/// A row met again costs a copy. Two generations: when the young one is full the old one is forgotten, so that rows an output
/// goes through over and over are found as long as they fit.
#[derive(Default)]
struct Recipes {
    young: Generation,
    old: Generation,
}

/// PERF: rows are numbered without gaps, and what a hash map of them touches besides was in no cache in most steps.
#[derive(Default)]
struct Generation {
    /// By row: one more than the position of its recipe, 0 if it has none.
    positions: Vec<u32>,
    all: Vec<Recipe>,
    /// What the recipes themselves take.
    n_bytes: usize,
}

impl Recipes {
    #[inline]
    fn get(&self, row: RowId) -> Option<&Recipe> {
        self.young.get(row).or_else(|| self.old.get(row))
    }

    /// Keeps the recipe of a row that has none.
    fn insert(&mut self, row: RowId, recipe: Recipe) {
        let n_bytes = recipe.memory_size() + LISTS;
        if self.young.n_bytes + n_bytes > MAX_RECIPES / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(row, recipe, n_bytes);
    }

    /// Gives back the room for what is to come, and says how much memory the rest takes, in bytes.
    fn shrink(&mut self) -> usize {
        self.young.shrink() + self.old.shrink()
    }
}

impl Generation {
    #[inline]
    fn get(&self, row: RowId) -> Option<&Recipe> {
        let position = self.positions.get(row.index())?.checked_sub(1)?;
        self.all.get(position as usize)
    }

    fn insert(&mut self, row: RowId, recipe: Recipe, n_bytes: usize) {
        self.n_bytes += n_bytes;
        if self.positions.len() <= row.index() {
            self.positions.resize(row.index() + 1, 0);
        }
        self.all.push(recipe);
        self.positions[row.index()] = self.all.len() as u32;
    }

    fn shrink(&mut self) -> usize {
        self.positions.shrink_to_fit();
        self.all.shrink_to_fit();
        size_of_val(&self.positions[..]) + self.n_bytes
    }
}

/// Rows of so many bytes are kept without asking who needs them.
const COLLECT_AT: usize = 1 << 20;
/// Recipes of so many bytes are kept, half of them in each generation.
const MAX_RECIPES: usize = 1 << 20;
/// What the allocator takes for the lists of a recipe.
const LISTS: usize = 32;
/// A recipe with more tokens than this is not kept: resolving again is as good as applying it.
const MAX_RECIPE: usize = 2_000;

impl Arena {
    /// An arena with the row before an output.
    ///
    /// # Errors
    /// A limit.
    pub(crate) fn new(compiled: &CompiledGrammar) -> Result<Box<Self>, LimitExceeded> {
        let mut rows = compiled.rows();
        let start = rows.start()?;
        Ok(Self::of(rows, start))
    }

    fn of(rows: Rows, start: RowId) -> Box<Self> {
        Box::new(Self {
            rows,
            start,
            collect_at: COLLECT_AT,
            n_measured: 0,
            resolver: None,
            walker: None,
            recipes: Recipes::default(),
        })
    }

    /// One with the same rows, which have the same ids.
    pub(crate) fn fork(&self) -> Box<Self> {
        Self::of(self.rows.clone(), self.start)
    }

    /// Leaves what only one matcher needs; the rest is for another.
    pub(crate) fn leave(&mut self) {
        // Its buffers are large, and few matchers need one.
        self.walker = None;
        self.collect_at = COLLECT_AT.max(2 * self.rows.memory_size());
    }

    /// Whether it leaves enough room to another output.
    pub(crate) fn is_small(&self) -> bool {
        self.rows.memory_size() <= COLLECT_AT.min(self.rows.limits().max_bytes / 8)
    }

    /// Whether rows should be [forgotten](Self::collect).
    #[inline]
    pub(crate) fn is_full(&mut self) -> bool {
        let n_rows = self.rows.n_rows();
        std::mem::replace(&mut self.n_measured, n_rows) != n_rows && self.rows.memory_size() > self.collect_at
    }

    /// Forgets all rows but the first one and `kept`, and says in `kept` what these are called from now on.
    #[cold]
    pub(crate) fn collect(&mut self, kept: &mut [RowId]) {
        let mut all = kept.to_vec();
        all.push(self.start);
        self.rows.collect(&mut all);
        if let Some((start, others)) = all.split_last() {
            self.start = *start;
            kept.copy_from_slice(others);
        }
        self.recipes = Recipes::default();
        self.resolver.iter_mut().for_each(Resolver::forget);
        self.collect_at = COLLECT_AT.max(2 * self.rows.memory_size());
    }

    /// Makes `mask` hold the text tokens that a row allows.
    pub(crate) fn fill(
        &mut self,
        compiled: &CompiledGrammar,
        row: RowId,
        mask: &mut Target<'_>,
    ) -> Result<(), LimitExceeded> {
        let Self { rows, resolver, walker, recipes, .. } = self;
        if let Some(recipe) = recipes.get(row) {
            recipe.write_to(mask);
            return Ok(());
        }
        let words = mask.words();
        let resolver = resolver.get_or_insert_with(|| Resolver::new(compiled.switches()));
        resolver.resolve(compiled.slices(), rows, row, words, |state, kind| {
            compiled.local(state, kind, walker)
        })?;
        match resolver.take_grown() {
            0 => {}
            grown => compiled.count_grown(grown),
        }
        let recipe = compiled.config().recipes.then(|| resolver.recipe(rows, row)).flatten();
        if let Some(recipe) = recipe.filter(|recipe| recipe.n_tokens() <= MAX_RECIPE) {
            recipe.was_written(mask);
            recipes.insert(row, recipe);
        }
        Ok(())
    }

    /// Memory in bytes before anything was resolved, about.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<Self>() + self.rows.memory_size()
    }

    /// Gives back the room for what is to come, and says how much memory the rest takes, in bytes, about.
    pub(crate) fn shrink(&mut self) -> usize {
        size_of::<Self>()
            + self.rows.shrink()
            + self.recipes.shrink()
            + self.resolver.as_ref().map_or(0, Resolver::memory_size)
    }
}

/// The arena that a matcher has, until it is dropped.
///
/// PERF: an arena is some kilobytes, which were copied five times from where it was made to a matcher and back, and for the one
/// that a dropped matcher gave back an empty one was made and dropped.
pub(crate) struct Held {
    arena: Option<Box<Arena>>,
}

impl Held {
    pub(crate) fn new(arena: Box<Arena>) -> Self {
        Self { arena: Some(arena) }
    }

    /// Gives the arena back: of no use from now on.
    pub(crate) fn take(&mut self) -> Option<Box<Arena>> {
        self.arena.take()
    }
}

impl Deref for Held {
    type Target = Arena;

    #[inline]
    fn deref(&self) -> &Arena {
        self.arena.as_deref().unwrap_or_else(|| unreachable!("it is taken when its matcher is dropped"))
    }
}

impl DerefMut for Held {
    #[inline]
    fn deref_mut(&mut self) -> &mut Arena {
        self.arena.as_deref_mut().unwrap_or_else(|| unreachable!("it is taken when its matcher is dropped"))
    }
}

/// The arenas of a grammar's matchers that are dropped.
#[derive(Default)]
pub(crate) struct Shelf {
    arenas: Mutex<Vec<(Box<Arena>, usize)>>,
}

/// Arenas of so many bytes are kept for each grammar.
const MAX_SHELF: usize = 2 << 20;

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelf").field("memory_size", &self.memory_size()).finish_non_exhaustive()
    }
}

impl Shelf {
    /// The arena that was put here last.
    pub(crate) fn take(&self, came: &Came) -> Option<Box<Arena>> {
        let (arena, n_bytes) = self.lock().pop()?;
        came.subtract(n_bytes);
        Some(arena)
    }

    /// Keeps an arena of so many bytes if there is room for it.
    pub(crate) fn put(&self, arena: Box<Arena>, n_bytes: usize, came: &Came) {
        let mut arenas = self.lock();
        if arenas.is_empty() {
            // Most grammars have one output at a time.
            arenas.reserve_exact(1);
        }
        if arenas.iter().map(|(_, n_bytes)| n_bytes).sum::<usize>() + n_bytes <= MAX_SHELF {
            arenas.push((arena, n_bytes));
            came.add(n_bytes);
        }
    }

    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        self.lock().iter().map(|(_, n_bytes)| n_bytes).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Box<Arena>, usize)>> {
        self.arenas.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::Compiler;
    use formwork_vocab::Vocabulary;

    #[test]
    fn recipes_of_the_latest_rows_are_kept_half_of_the_room_at_least() {
        let grammar = formwork_ebnf::grammar("root ::= ([a-z] \",\"){0,90000}").expect("a grammar");
        let compiled = Compiler::new(Vocabulary::bytes()).compile(&grammar).expect("it compiles");
        let mut arena = Arena::new(&compiled).expect("within limits");
        let mut mask = vec![0; compiled.vocabulary().mask_words()];
        let (mut row, mut met) = (arena.start, Vec::new());
        for i in 0..12_000 {
            arena.fill(&compiled, row, &mut Target::new(&mut mask)).expect("within limits");
            assert!(arena.recipes.get(row).is_some(), "{i}");
            met.push(row);
            row = arena.rows.advance(row, b"a,"[i % 2]).expect("within limits").expect("it goes on");
        }
        let is_known = |row: &&RowId| arena.recipes.get(**row).is_some();
        let n_latest = met.iter().rev().take_while(is_known).count();
        assert_eq!(met.iter().filter(is_known).count(), n_latest, "those before are forgotten");
        let n_bytes = arena.recipes.young.n_bytes + arena.recipes.old.n_bytes;
        assert!(
            n_latest < met.len() && (MAX_RECIPES / 2..=MAX_RECIPES).contains(&n_bytes),
            "{n_latest}: {n_bytes}"
        );
    }
}
