//! A [`Cache`] as bytes: forms, and the tables that are kept by them.
//!
//! Identities keep their numbers, since forms name rules by them; the names of tables are of a process, so others learn
//! their position here instead ([`SavedTables`]).
//!
//! What is read is checked as far as whoever runs automata relies on it: edges are in order and lead to states of the same
//! automaton, from every state the end can be reached, ticks are where they may be. Whether tables belong to their form is
//! not checked, since that would be building them again: who forges a file gets other automata, whose states say other
//! things. What a form's calls mean is decided in the grammar at hand, and tables whose calls mean nothing there are built
//! anew (`Construction::adopt`).

use crate::adjacency::Adjacency;
use crate::cache::{Cache, Kept};
use crate::codec::{Malformed, Reader, Writer};
use crate::few::Few;
use crate::form::{Counts, Portable, PortableShape, counts};
use crate::guards::Guards;
use crate::loops::Loop;
use crate::spelling::Spelling;
use crate::tables::{ByteEdge, CallEdge, Distinct, State, Tables};
use formwork_grammar::{ByteSet, HashMap, Symbol, SymbolSet};
use std::sync::Arc;

/// The tables in a saved cache, by position.
#[derive(Debug, Default)]
pub struct SavedTables {
    /// Their [names](crate::Automata::tables) in this process, and how many states they have.
    list: Vec<(u64, usize)>,
    positions: HashMap<u64, u32>,
    /// By position, those whose states are made when they are reached.
    lazy: HashMap<u32, Arc<Tables>>,
}

impl SavedTables {
    fn push(&mut self, tables: &Arc<Tables>, n_states: usize) {
        let position = self.list.len() as u32;
        self.positions.insert(tables.uid, position);
        self.list.push((tables.uid, n_states));
        if tables.is_lazy() {
            self.lazy.insert(position, Arc::clone(tables));
        }
    }

    /// The number, in the saved tables at this position, of the state with a [slot](crate::Automata::slot) in this process.
    pub fn state(&self, position: u32, slot: usize) -> Option<usize> {
        match self.lazy.get(&position) {
            None => Some(slot),
            Some(tables) => tables.as_lazy()?.number_at(slot).map(|number| number as usize),
        }
    }

    /// The number of tables.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The position of the tables that have this [name](crate::Automata::tables) in this process.
    pub fn position(&self, name: u64) -> Option<u32> {
        self.positions.get(&name).copied()
    }

    /// The name in this process and the number of states of the tables at this position.
    pub fn get(&self, position: u32) -> Option<(u64, usize)> {
        self.list.get(position as usize).copied()
    }
}

impl Cache {
    /// Writes everything that it keeps, what was used longest ago first. Equal caches write equal bytes.
    ///
    /// Cost: a copy; some milliseconds for 10 MB.
    pub fn save(&self, writer: &mut Writer) -> SavedTables {
        let (n_identities, identities, units) = self.contents();
        writer.u32(n_identities);
        writer.len(identities.len());
        for (form, identity) in identities {
            writer.bytes(&form);
            writer.u32(identity);
        }
        let mut saved = SavedTables::default();
        // What is kept, and the tables with all their states.
        let whole = |kept: &Kept| match kept.tables.is_lazy() {
            false => Some(kept.clone()),
            true => {
                let (tables, imports) = kept.tables.whole()?;
                let lazy = kept.tables.as_lazy()?;
                let imports = imports.iter().map(|&import| lazy.portable(import)).collect::<Option<_>>()?;
                Some(Kept { tables: Arc::new(tables), imports })
            }
        };
        let units: Vec<_> = units
            .into_iter()
            .filter_map(|(form, kept)| Some((form, whole(&kept)?, kept.tables)))
            .filter(|(form, kept, _)| kept.tables.is_sound(counts(form)))
            .collect();
        writer.len(units.len());
        for (form, kept, tables) in units {
            writer.bytes(&form);
            writer.len(kept.imports.len());
            kept.imports.iter().for_each(|import| import.write(writer));
            kept.tables.write(writer);
            saved.push(&tables, kept.tables.n_states());
        }
        saved
    }

    /// A cache of about so many bytes with what [`save`](Self::save) wrote; what was used longest ago is left out if that
    /// was more.
    ///
    /// # Errors
    /// The bytes are no saved cache.
    pub fn load(max_bytes: usize, reader: &mut Reader<'_>) -> Result<(Self, SavedTables), Malformed> {
        let n_identities = reader.u32()?;
        if n_identities > u32::MAX / 2 {
            return Err(Malformed::new("has too many rules"));
        }
        let cache = Self::with_identities(max_bytes, n_identities);
        for _ in 0..reader.len(2)? {
            let form = reader.bytes()?;
            let identity = reader.u32()?;
            if identity == 0 || identity > n_identities {
                return Err(Malformed::new("refers to what is not there"));
            }
            cache.insert_identity(form, identity);
        }
        let mut saved = SavedTables::default();
        for _ in 0..reader.len(4)? {
            let form = reader.bytes()?;
            let imports: Arc<[Portable]> = reader.each(1, Portable::read)?.into();
            let tables = Tables::read(reader, imports.len())?;
            if !tables.is_sound(counts(form)) {
                return Err(Malformed::new("has an automaton that is none"));
            }
            let tables = Arc::new(tables);
            saved.push(&tables, tables.n_states());
            cache.keep(form, Kept { tables, imports });
        }
        Ok((cache, saved))
    }
}

/// The length of what [`Tables::write`] writes for a state, at least.
const MIN_STATE: usize = 8;
const ACCEPTING: u8 = 1;
/// `need` and `reach` are not what they are where nothing counts.
const COUNTS: u8 = 2;
const ANY_TEXT: u8 = 4;
const FREE: u8 = 8;

impl Tables {
    fn write(&self, writer: &mut Writer) {
        writer.len(self.loops.values().len());
        for &Loop { ascii, leads } in self.loops.values() {
            writer.raw(&ascii.to_le_bytes());
            writer.raw(&leads.to_le_bytes());
        }
        writer.len(self.sets.values().len());
        self.sets.values().iter().for_each(|set| writer.byte_set(set));
        self.guards.write(writer);
        writer.len(self.n_states());
        for (this, next) in self.states.iter().zip(&self.states[1..]) {
            let counts = (this.need, this.reach) != (0, u32::MAX);
            let texts = [(this.any_text, ANY_TEXT), (this.is_free, FREE)];
            let flags = [(this.accepting, ACCEPTING), (counts, COUNTS)].into_iter().chain(texts);
            writer.u8(flags.filter(|(is_so, _)| *is_so).fold(0, |flags, (_, flag)| flags | flag));
            if counts {
                writer.u32(this.need);
                writer.u32(this.reach);
            }
            writer.u32(this.own_loop.get());
            writer.u32(this.ticking_loop.get());
            writer.u32(this.next_bytes.get());
            writer.u32(this.called_bytes.get());
            for range in [this.first_edge..this.first_ticking, this.first_ticking..next.first_edge] {
                writer.len(range.len());
                for edge in &self.byte_edges[range.start as usize..range.end as usize] {
                    writer.raw(&[edge.low, edge.high]);
                    writer.u32(edge.target);
                }
            }
            let calls = &self.calls[this.first_call as usize..next.first_call as usize];
            writer.len(calls.len());
            for call in calls {
                writer.u32(call.import);
                writer.u32(call.target);
                writer.u32(call.tick);
            }
        }
    }

    /// Tables that call so many units. All numbers in them are of something.
    fn read(reader: &mut Reader<'_>, n_imports: usize) -> Result<Self, Malformed> {
        let loops = reader.each(24, |reader| {
            let (mut ascii, mut leads) = ([0; 16], [0; 8]);
            ascii.copy_from_slice(reader.raw(16)?);
            leads.copy_from_slice(reader.raw(8)?);
            Ok(Loop { ascii: u128::from_le_bytes(ascii), leads: u64::from_le_bytes(leads) })
        })?;
        let loops = Distinct::of_values(loops);
        let sets = Distinct::of_values(reader.each(1, Reader::byte_set)?);
        let guards = Guards::read(reader)?;
        let n_states = reader.len(MIN_STATE)?;
        let (mut byte_edges, mut calls) = (Vec::new(), Vec::new());
        let mut states = Vec::with_capacity(n_states + 1);
        let mut alphabet = ByteSet::EMPTY;
        let missing = Malformed::new("refers to what is not there");
        for _ in 0..n_states {
            let flags = reader.u8()?;
            let (need, reach) = match flags & COUNTS {
                0 => (0, u32::MAX),
                _ => (reader.u32()?, reader.u32()?),
            };
            let mut state = State {
                first_edge: byte_edges.len() as u32,
                first_ticking: 0,
                first_call: calls.len() as u32,
                need,
                reach,
                accepting: flags & ACCEPTING != 0,
                any_text: flags & ANY_TEXT != 0,
                is_free: flags & FREE != 0,
                own_loop: loops.checked(reader.u32()?).ok_or(missing)?,
                ticking_loop: loops.checked(reader.u32()?).ok_or(missing)?,
                next_bytes: sets.checked(reader.u32()?).ok_or(missing)?,
                called_bytes: sets.checked(reader.u32()?).ok_or(missing)?,
            };
            for ticking in [false, true] {
                if ticking {
                    state.first_ticking = byte_edges.len() as u32;
                }
                let mut next = 0u16;
                for _ in 0..reader.len(3)? {
                    let (low, high, target) = (reader.u8()?, reader.u8()?, reader.below(n_states)?);
                    if u16::from(low) < next || low > high {
                        return Err(Malformed::new("has edges out of order"));
                    }
                    next = u16::from(high) + 1;
                    alphabet.insert_range(low, high);
                    byte_edges.push(ByteEdge { low, high, target });
                }
            }
            for _ in 0..reader.len(3)? {
                let (import, target) = (reader.below(n_imports)?, reader.below(n_states)?);
                calls.push(CallEdge { import, target, tick: reader.u32()? });
            }
            states.push(state);
        }
        states.push(State::end(byte_edges.len(), calls.len()));
        let (states, byte_edges, calls) = (states.into(), byte_edges.into(), calls.into());
        Ok(Self::of_parts(states, byte_edges, calls, (loops, sets), alphabet, guards))
    }

    /// Whether these can be the tables of a unit that counts so: it does not accept the empty text, from every state its end
    /// can be reached, and it ticks where it may and no further than it has states.
    fn is_sound(&self, counts: Counts) -> bool {
        let n_states = self.n_states();
        let Some(start) = self.states.first().filter(|_| n_states > 0) else { return false };
        let may_tick = |state: &State, next: &State| {
            let ticks = state.first_ticking != next.first_edge;
            let calls = &self.calls[state.first_call as usize..next.first_call as usize];
            let bounded = |ticks: u32| ticks as usize <= n_states;
            match counts {
                Counts::Nothing | Counts::Symbol => {
                    !ticks
                        && calls.iter().all(|call| call.tick == 0)
                        // Regions say how soon they can end.
                        && (bounded(state.need) && state.reach == u32::MAX)
                }
                Counts::Ticks => {
                    calls.iter().all(|call| call.tick <= 1)
                        && bounded(state.need)
                        && (state.reach == u32::MAX || bounded(state.reach) && state.need <= state.reach)
                }
                Counts::Members => {
                    let is_member = |call: &CallEdge| {
                        call.tick.checked_sub(1).is_none_or(|member| self.guards.has(member, 0))
                    };
                    let is_guard = state.need == state.reach && self.guards.has(0, state.need)
                        || (state.need, state.reach) == (0, u32::MAX);
                    // What decides conditions is not written.
                    let is_plain = self.guards.membership().is_none();
                    is_plain && !ticks && calls.iter().all(is_member) && is_guard
                }
            }
        };
        let ticks = self.states.iter().zip(&self.states[1..]).all(|(state, next)| may_tick(state, next));
        let is_alone = n_states == 1 && self.byte_edges.is_empty() && self.calls.is_empty();
        ticks && !start.accepting && (is_alone || counts != Counts::Symbol && self.ends_everywhere())
    }

    /// Whether an accepting state can be reached from every state.
    fn ends_everywhere(&self) -> bool {
        let n_states = self.n_states();
        let pairs: Vec<(u32, u32)> = (0..n_states)
            .flat_map(|from| {
                let (this, next) = (&self.states[from], &self.states[from + 1]);
                let edges = &self.byte_edges[this.first_edge as usize..next.first_edge as usize];
                let calls = &self.calls[this.first_call as usize..next.first_call as usize];
                let targets =
                    edges.iter().map(|edge| edge.target).chain(calls.iter().map(|call| call.target));
                targets.map(move |to| (from as u32, to))
            })
            .collect();
        let into = Adjacency::new(n_states, pairs.iter().map(|&(_, to)| to));
        let mut ends: Vec<bool> = self.states[..n_states].iter().map(|state| state.accepting).collect();
        let mut todo: Vec<u32> = (0..n_states as u32).filter(|&state| ends[state as usize]).collect();
        let mut n_ends = todo.len();
        while let Some(state) = todo.pop() {
            for &pair in into.of(state) {
                let (from, _) = pairs[pair as usize];
                if !std::mem::replace(&mut ends[from as usize], true) {
                    n_ends += 1;
                    todo.push(from);
                }
            }
        }
        n_ends == n_states
    }
}

const SPELLINGS: [Spelling; 2] = [Spelling::Utf8, Spelling::Json];

impl Portable {
    fn write(&self, writer: &mut Writer) {
        let spelled = |writer: &mut Writer, spelling: &Spelling| {
            let position = SPELLINGS.iter().position(|other| other == spelling);
            // No unit is spelled otherwise.
            writer.u8(position.unwrap_or_default() as u8);
        };
        match self {
            Self::Rule(position) => {
                writer.u8(0);
                writer.u32(*position);
            }
            Self::Recursive(position) => {
                writer.u8(1);
                writer.u32(*position);
            }
            Self::Body(position, spelling) => {
                writer.u8(2);
                writer.u32(*position);
                spelled(writer, spelling);
            }
            Self::Set(position) => {
                writer.u8(3);
                writer.u32(*position);
            }
            Self::Machine(position) => {
                writer.u8(9);
                writer.u32(*position);
            }
            Self::Counted { shape, min, max } => {
                let PortableShape { before, repeated, body, body_spelling, after } = &**shape;
                writer.u8(4);
                for parts in [before, after] {
                    writer.len(parts.len());
                    for (position, spelling) in parts {
                        writer.u32(*position);
                        spelled(writer, spelling);
                    }
                }
                writer.list(body);
                writer.u8((*repeated).into());
                spelled(writer, body_spelling);
                writer.u32(*min);
                writer.u8(max.is_some().into());
                max.iter().for_each(|&max| writer.u32(max));
            }
            Self::Escape(ranges) => {
                writer.u8(5);
                writer.len(ranges.len());
                ranges.iter().flat_map(|&(low, high)| [low, high]).for_each(|end| writer.u32(end));
            }
            Self::Symbols(set) => {
                writer.u8(6);
                writer.u8(set.is_negated().into());
                // A symbol of a kind that there is not yet would make a form of its own, which is not kept.
                writer.len(set.members().len());
                for symbol in set.members() {
                    match symbol {
                        Symbol::Id(id) => {
                            writer.u8(0);
                            writer.u32(*id);
                        }
                        Symbol::Name(name) => {
                            writer.u8(1);
                            writer.bytes(name.as_bytes());
                        }
                        _ => writer.u8(2),
                    }
                }
            }
            Self::Region(position) => {
                writer.u8(8);
                writer.u32(*position);
            }
            Self::Called(position) => {
                writer.u8(7);
                writer.u32(*position);
            }
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let spelling = |reader: &mut Reader<'_>| {
            reader.below(SPELLINGS.len()).map(|position| SPELLINGS[position as usize])
        };
        Ok(match reader.u8()? {
            0 => Self::Rule(reader.u32()?),
            1 => Self::Recursive(reader.u32()?),
            2 => Self::Body(reader.u32()?, spelling(reader)?),
            3 => Self::Set(reader.u32()?),
            4 => {
                let parts =
                    |reader: &mut Reader<'_>| reader.each(2, |reader| Ok((reader.u32()?, spelling(reader)?)));
                let (before, after) = (parts(reader)?, parts(reader)?);
                let (body, repeated, body_spelling) = (reader.list()?, reader.bool()?, spelling(reader)?);
                let min = reader.u32()?;
                let max = if reader.bool()? { Some(reader.u32()?) } else { None };
                let shape = PortableShape { before, repeated, body, body_spelling, after };
                Self::Counted { shape: Box::new(shape), min, max }
            }
            5 => {
                let mut next = 0;
                let ranges = reader.each(2, |reader| {
                    let (low, high) = (reader.u32()?, reader.u32()?);
                    if low < next || high < low || high > u32::from(char::MAX) {
                        return Err(Malformed::new("has characters out of order"));
                    }
                    next = high + 1;
                    Ok((low, high))
                })?;
                Self::Escape(Few::of(ranges.into_iter()))
            }
            6 => {
                let is_negated = reader.bool()?;
                let members = reader.each(2, |reader| match reader.u8()? {
                    0 => reader.u32().map(Symbol::Id),
                    1 => match std::str::from_utf8(reader.bytes()?) {
                        Ok(name) => Ok(Symbol::from(name)),
                        Err(_) => Err(Malformed::new("has a name that is no text")),
                    },
                    _ => Err(Malformed::new("has a symbol of no kind")),
                })?;
                Self::Symbols(if is_negated { SymbolSet::all_but(members) } else { SymbolSet::of(members) })
            }
            7 => Self::Called(reader.u32()?),
            8 => Self::Region(reader.u32()?),
            9 => Self::Machine(reader.u32()?),
            _ => return Err(Malformed::new("has a unit of no kind")),
        })
    }
}
