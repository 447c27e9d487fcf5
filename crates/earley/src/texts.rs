//! Texts that were read, and lists of them: what an item of a list of distinct texts has for a count.
//!
//! Whether a text comes twice is no question that states can answer, since there are too many texts. So an item of a rule that
//! counts a [text](formwork_fsm::Counter::Text) keeps the text that it has read so far, and which texts came before; an item
//! of the [list](formwork_fsm::Counter::Distinct) around it keeps which came. Both are numbers of values that are interned
//! here, as sets of members are, so that rows stay values: rolling back, forking and masks need nothing of their own. The
//! price is that each byte of such a text makes a row of its own, where otherwise one row serves a whole string.
//!
//! **Texts are compared as JSON.** What is kept of a string are its characters, not their spellings: the text after
//! `"\u0041` is that after `"A`. An escape that is not finished hangs below the text before it, and the character takes its
//! place. Outside of strings blanks are left out, and `-0` is `0`. So the texts of equal values are equal where objects have
//! their members in one order and numbers have no fraction and no exponent, which whoever asks for distinct texts sees to.
//!
//! # Costs
//! A text is a place in a tree, so reading a byte is a lookup, and texts are equal if their numbers are. A list is the list
//! before and one text more. Whether a text is in a list is asked of the few lists that end with this text: is one of them
//! what the list was at that length? Links that skip back find that in logarithmic time (E. Myers, *An applicative
//! random-access stack*, 1983).
//!
//! # Worked example
//! `["ab","a\u0062` : the list is (`"ab"`), the text `"a\u0062` and so `"ab`. A quote would make it `"ab"`, which is the last
//! text of list 1, and list 1 is what the list is at length 1: refused. An `x` goes to a new place in the tree.

use crate::item::{Item, TableId, Waiter};
use crate::limits::LimitExceeded;
use crate::rows::Rows;
use formwork_fsm::{Automata, Counter, PLENTY, StateId};
use formwork_grammar::{HashMap, HashSet, Seeded};
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

/// A value's number: equal values have equal numbers.
#[derive(Clone, Debug)]
struct Interned<T> {
    values: Vec<T>,
    numbers: HashTable<u32>,
    hasher: Seeded,
}

impl<T: Copy + Eq + Hash> Interned<T> {
    /// The first value has number 0.
    fn new(first: T) -> Self {
        let mut interned = Self { values: Vec::new(), numbers: HashTable::new(), hasher: Seeded::default() };
        interned.number(first);
        interned
    }

    fn get(&self, number: u32) -> T {
        self.values[number as usize]
    }

    fn find(&self, value: T) -> Option<u32> {
        let hash = self.hasher.hash_one(value);
        self.numbers.find(hash, |&number| self.values[number as usize] == value).copied()
    }

    fn number(&mut self, value: T) -> u32 {
        if let Some(known) = self.find(value) {
            return known;
        }
        // `max_bytes` keeps arenas far below 2³² values.
        let number = self.values.len() as u32;
        self.values.push(value);
        let (values, hasher) = (&self.values, &self.hasher);
        let hash_of = |number: &u32| hasher.hash_one(values[*number as usize]);
        self.numbers.insert_unique(hasher.hash_one(value), number, hash_of);
        number
    }

    /// Forgets all but the first so many; calls `each` for those, latest first.
    fn truncate(&mut self, n: usize, mut each: impl FnMut(u32, T)) {
        while self.values.len() > n {
            let Some(value) = self.values.pop() else { break };
            let number = self.values.len() as u32;
            if let Ok(entry) = self.numbers.find_entry(self.hasher.hash_one(value), |&of| of == number) {
                entry.remove();
            }
            each(number, value);
        }
    }

    fn memory_size(&self) -> usize {
        self.values.len() * (size_of::<T>() + size_of::<u32>() + 1)
    }
}

/// A text: the text before, and what comes behind it. The empty one is number 0, before itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Text {
    before: u32,
    last: Last,
}

/// What comes last in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Last {
    /// A byte outside of strings, a closing quote for one.
    Mark(u8),
    /// The quote before a string.
    Quote,
    /// A byte of a finished character of a string.
    Byte(u8),
    /// A backslash.
    Escape,
    /// `\u` and so many hexadecimal digits of this value.
    Hexadecimal { n_digits: u8, value: u16 },
    /// An escape of the first half of a pair of surrogates.
    Surrogate(u16),
}

/// What a text is read beside: the list before it, and the text so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Reading {
    list: u32,
    text: u32,
}

/// A list: the list before and one more text. The empty one is number 0, before itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct List {
    before: u32,
    text: u32,
}

/// Where a list stands among others.
#[derive(Clone, Copy, Debug)]
struct Links {
    length: u32,
    /// An earlier list, farther back the longer this one is.
    skip: u32,
    /// Another list that ends with the same text; 0 is none.
    same: u32,
}

/// The texts, lists and readings that an arena has met.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    texts: Interned<Text>,
    /// Per text whether one that came begins with it, or one that was forgotten. Those beyond the end are not begun.
    begun: Vec<bool>,
    readings: Interned<Reading>,
    lists: Interned<List>,
    links: Vec<Links>,
    /// The latest list that ends with a text.
    ending: HashMap<u32, u32>,
    /// Whether a list can be gone on from a state whichever texts came.
    always: HashMap<StateId, bool>,
}

/// How far [`Texts`] had grown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextsMark {
    n_texts: usize,
    n_readings: usize,
    n_lists: usize,
}

/// Places that are looked at for a text that is left.
const MAX_LOOKED_AT: usize = 50_000;

impl Default for Texts {
    fn default() -> Self {
        Self {
            texts: Interned::new(Text { before: 0, last: Last::Mark(0) }),
            begun: Vec::new(),
            readings: Interned::new(Reading { list: 0, text: 0 }),
            lists: Interned::new(List { before: 0, text: 0 }),
            links: vec![Links { length: 0, skip: 0, same: 0 }],
            ending: HashMap::default(),
            always: HashMap::default(),
        }
    }
}

impl Texts {
    // ---- readings: counts of texts ----

    /// The beginning of a text behind a list.
    pub(crate) fn begin(&mut self, list: u32) -> u32 {
        self.readings.number(Reading { list, text: 0 })
    }

    /// A reading after one more byte.
    pub(crate) fn read(&mut self, reading: u32, byte: u8) -> u32 {
        let Reading { list, text } = self.readings.get(reading);
        let text = self.after(text, byte);
        self.readings.number(Reading { list, text })
    }

    /// The list behind which a text is read.
    pub(crate) fn list_of(&self, reading: u32) -> u32 {
        self.readings.get(reading).list
    }

    /// Whether the text that was read is in the list already.
    pub(crate) fn came(&self, reading: u32) -> bool {
        let Reading { list, text } = self.readings.get(reading);
        let length = self.links[list as usize].length;
        let mut ending = self.ending.get(&text).copied().unwrap_or(0);
        while ending != 0 {
            let links = self.links[ending as usize];
            if links.length <= length && self.at_length(list, links.length) == ending {
                return true;
            }
            ending = links.same;
        }
        false
    }

    /// The list with the text that was read; `None` if it would be too long.
    pub(crate) fn finish(&mut self, reading: u32) -> Option<u32> {
        let Reading { list: before, text } = self.readings.get(reading);
        let length = self.links[before as usize].length + 1;
        if length >= PLENTY {
            return None;
        }
        self.mark_begun(text);
        let number = self.lists.number(List { before, text });
        if number as usize == self.links.len() {
            let skip = self.links[before as usize].skip;
            let [own, next, last] =
                [before, skip, self.links[skip as usize].skip].map(|list| self.length(list));
            let skip = if own - next == next - last { self.links[skip as usize].skip } else { before };
            let same = self.ending.insert(text, number).unwrap_or(0);
            self.links.push(Links { length, skip, same });
        }
        Some(number)
    }

    /// Notes that a text came.
    fn mark_begun(&mut self, text: u32) {
        if self.begun.len() <= text as usize {
            self.begun.resize(self.texts.values.len(), false);
        }
        let mut at = text;
        while !std::mem::replace(&mut self.begun[at as usize], true) {
            at = self.texts.get(at).before;
        }
    }

    /// Whether no text that came begins with what was read: then whatever it becomes did not come.
    pub(crate) fn is_new(&self, reading: u32) -> bool {
        let text = self.readings.get(reading).text;
        let is_begun = self.begun.get(text as usize).copied().unwrap_or(false);
        !is_begun && self.is_whole(text)
    }

    /// Whether all that a text becomes begins with it. What an unfinished escape becomes does not, and zero has no sign.
    fn is_whole(&self, text: u32) -> bool {
        match self.texts.get(text).last {
            Last::Byte(_) | Last::Quote => true,
            Last::Mark(byte) => byte != b'-',
            Last::Escape | Last::Hexadecimal { .. } | Last::Surrogate(_) => false,
        }
    }

    /// The list before the latest text of a list.
    pub(crate) fn list_before(&self, list: u32) -> u32 {
        self.lists.get(list).before
    }

    fn length(&self, list: u32) -> u32 {
        self.links[list as usize].length
    }

    /// What a list was when it had this length.
    fn at_length(&self, list: u32, length: u32) -> u32 {
        let mut at = list;
        while self.length(at) > length {
            let skip = self.links[at as usize].skip;
            at = if self.length(skip) >= length { skip } else { self.lists.get(at).before };
        }
        at
    }

    // ---- texts ----

    /// A text after one more byte.
    fn after(&mut self, text: u32, byte: u8) -> u32 {
        let Text { before, last } = self.texts.get(text);
        match last {
            Last::Mark(last) => match (last, byte) {
                (_, b' ' | b'\t' | b'\n' | b'\r') => text,
                (_, b'"') => self.texts.number(Text { before: text, last: Last::Quote }),
                // Zero has no sign.
                (b'-', b'0') => self.texts.number(Text { before, last: Last::Mark(b'0') }),
                _ => self.texts.number(Text { before: text, last: Last::Mark(byte) }),
            },
            Last::Quote | Last::Byte(_) | Last::Surrogate(_) => {
                let last = match byte {
                    b'\\' => Last::Escape,
                    b'"' => Last::Mark(b'"'),
                    _ => Last::Byte(byte),
                };
                self.texts.number(Text { before: text, last })
            }
            Last::Escape => match byte {
                b'u' => {
                    let last = Last::Hexadecimal { n_digits: 0, value: 0 };
                    self.texts.number(Text { before: text, last })
                }
                b'b' => self.unit(text, 0x8),
                b't' => self.unit(text, 0x9),
                b'n' => self.unit(text, 0xA),
                b'f' => self.unit(text, 0xC),
                b'r' => self.unit(text, 0xD),
                byte => self.unit(text, u16::from(byte)),
            },
            Last::Hexadecimal { n_digits, value } => {
                let digit = (byte as char).to_digit(16).unwrap_or(0) as u16;
                let value = value << 4 | digit;
                if n_digits == 3 {
                    return self.unit(text, value);
                }
                let last = Last::Hexadecimal { n_digits: n_digits + 1, value };
                self.texts.number(Text { before: text, last })
            }
        }
    }

    /// The text whose last escape is finished: it stands for this unit of UTF-16.
    fn unit(&mut self, escaped: u32, unit: u16) -> u32 {
        let mut before = escaped;
        while let Text { before: earlier, last: Last::Escape | Last::Hexadecimal { .. } } =
            self.texts.get(before)
        {
            before = earlier;
        }
        let mut units = vec![unit];
        if let Text { before: earlier, last: Last::Surrogate(high) } = self.texts.get(before) {
            (before, units) = (earlier, vec![high, unit]);
        }
        let mut text = before;
        for unit in char::decode_utf16(units) {
            match unit {
                Ok(c) => {
                    let mut bytes = [0; 4];
                    for &byte in c.encode_utf8(&mut bytes).as_bytes() {
                        text = self.texts.number(Text { before: text, last: Last::Byte(byte) });
                    }
                }
                Err(half) => {
                    let last = Last::Surrogate(half.unpaired_surrogate());
                    text = self.texts.number(Text { before: text, last });
                }
            }
        }
        text
    }

    // ---- what is left ----

    /// Whether an item of a rule that counts a text can be completed: whether some text leads on from the state that did not
    /// come. `None` if it takes too long to find out.
    pub(crate) fn is_left(&mut self, automata: &Automata, state: StateId, reading: u32) -> Option<bool> {
        if automata.has_plenty(state) || self.is_new(reading) {
            return Some(true);
        }
        let mut seen: HashSet<(StateId, u32)> = HashSet::default();
        let mut stack = vec![(state, reading)];
        while let Some((state, reading)) = stack.pop() {
            if automata.has_plenty(state) || automata.is_accepting(state) && !self.came(reading) {
                return Some(true);
            }
            if !seen.insert((state, reading)) {
                continue;
            }
            if seen.len() > MAX_LOOKED_AT {
                return None;
            }
            let (edges, _) = automata.byte_edges(state);
            let edges: Vec<(u8, u8, StateId)> =
                edges.iter().map(|edge| (edge.low, edge.high, state.sibling(edge.target))).collect();
            // Escapes last: they spell what is there without them, mostly.
            let bytes =
                edges.iter().flat_map(|&(low, high, target)| (low..=high).map(move |byte| (byte, target)));
            let (escapes, others): (Vec<_>, Vec<_>) = bytes.partition(|&(byte, _)| byte == b'\\');
            for (byte, target) in escapes.into_iter().chain(others) {
                let after = self.read(reading, byte);
                if self.is_new(after) {
                    return Some(true);
                }
                stack.push((target, after));
            }
        }
        Some(false)
    }

    /// Whether a list can be gone on from a state, where these texts came. `None` if it takes too long to find out.
    pub(crate) fn goes_on(&mut self, automata: &Automata, state: StateId, list: u32) -> Option<bool> {
        if self.always_goes_on(automata, state) {
            return Some(true);
        }
        let reading = self.begin(list);
        for rule in automata.next_texts(state) {
            if self.is_left(automata, automata.start(rule), reading)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether a list can be gone on from a state whichever texts came.
    pub(crate) fn always_goes_on(&mut self, automata: &Automata, state: StateId) -> bool {
        if let Some(&known) = self.always.get(&state) {
            return known;
        }
        let always = automata.ends_before_text(state)
            || automata.next_texts(state).iter().any(|&rule| automata.has_plenty(automata.start(rule)));
        self.always.insert(state, always);
        always
    }

    // ---- the arena ----

    pub(crate) fn mark(&self) -> TextsMark {
        TextsMark {
            n_texts: self.texts.values.len(),
            n_readings: self.readings.values.len(),
            n_lists: self.lists.values.len(),
        }
    }

    /// Forgets what was met since `mark`.
    pub(crate) fn release(&mut self, mark: TextsMark) {
        let Self { texts, begun, readings, lists, links, ending, .. } = self;
        readings.truncate(mark.n_readings, |_, _| {});
        lists.truncate(mark.n_lists, |_, List { text, .. }| {
            match links.pop().map_or(0, |links| links.same) {
                0 => ending.remove(&text),
                same => ending.insert(text, same),
            };
        });
        texts.truncate(mark.n_texts, |_, _| {});
        begun.truncate(mark.n_texts);
    }

    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        let n_lists = self.lists.values.len() - 1;
        self.texts.memory_size()
            + self.begun.len()
            + self.readings.memory_size()
            + self.lists.memory_size()
            + n_lists * (size_of::<Links>() + 12)
    }
}

/// A place in a text that must differ from those before it: a state of its rule, and what was read.
#[derive(Clone, Copy, Debug)]
pub struct TextPlace {
    state: StateId,
    reading: u32,
}

impl Rows {
    /// Where in a [text](Counter::Text) an item is; `None` if it is in none, or what came before is unknown.
    pub fn text_place(&self, item: &Item) -> Option<TextPlace> {
        let is_text = self.automata.counter(item.state.rule()) == Some(Counter::Text);
        let is_known = is_text && item.origin != Some(TableId::FLOATING);
        is_known.then_some(TextPlace { state: item.state, reading: item.count })
    }

    /// The place in the text after one more byte, if it reads that.
    pub fn text_after(&mut self, place: TextPlace, byte: u8) -> Option<TextPlace> {
        let (edges, _) = self.automata.byte_edges(place.state);
        let edge = edges.iter().find(|edge| (edge.low..=edge.high).contains(&byte))?;
        let state = place.state.sibling(edge.target);
        Some(TextPlace { state, reading: self.sets.texts.read(place.reading, byte) })
    }

    /// Whether no text that came begins with what was read up to a place: then whatever follows did not come.
    pub fn is_new_text(&self, place: TextPlace) -> bool {
        self.sets.texts.is_new(place.reading)
    }

    /// Whether some text that did not come goes on from a place.
    ///
    /// # Errors
    /// It takes too long to find out.
    pub fn is_text_left(&mut self, place: TextPlace) -> Result<bool, LimitExceeded> {
        let automata = Arc::clone(&self.automata);
        self.sets.texts.is_left(&automata, place.state, place.reading).ok_or(LimitExceeded::Work)
    }

    /// The count with which a waiter goes on behind a text that ended in its table; `None` if it waited for it with other
    /// texts before, or there are too many.
    pub(crate) fn count_behind(&mut self, text: &Item, waiter: &Waiter, table: TableId) -> Option<u32> {
        let texts = &mut self.sets.texts;
        let is_list = self.automata.counter(waiter.target.rule()) == Some(Counter::Distinct);
        if waiter.origin.unwrap_or(table) == TableId::FLOATING || !is_list {
            return (texts.list_of(text.count) == 0).then_some(waiter.count);
        }
        if texts.list_of(text.count) != waiter.count {
            return None;
        }
        let list = texts.finish(text.count);
        self.sets.exceeded |= list.is_none();
        list
    }
}
