//! A state's loop: the characters that lead from it back to itself.
//!
//! Inside a string, in free text, among the letters of a name, a state returns to itself on most of what it reads. Whoever
//! asks about many texts at once can take all that are made of the loop's characters together.
//!
//! ASCII characters are kept one by one. Of the others there are too many: they are kept by the byte with which they begin, which
//! counts only if every well-formed character that begins with it leads back. So a string that forbids U+2028 alone loses
//! the characters that begin with E2, and no others.

use crate::automata::RuleView;
use crate::dfa::Dfa;
use crate::tables::Tables;
use formwork_grammar::{ByteSet, HashMap};
use smallvec::SmallVec;
use std::ops::Range;

/// The characters on which a state returns to itself and nothing else happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loop {
    /// ASCII characters, bit = byte.
    pub ascii: u128,
    /// First bytes of characters beyond ASCII, bit = byte - 0xC0: every well-formed character that begins so belongs to it.
    pub leads: u64,
}

impl Loop {
    /// No characters.
    pub const EMPTY: Self = Self { ascii: 0, leads: 0 };

    /// What stands for itself inside of JSON strings.
    pub const JSON_TEXT: Self = Self {
        ascii: !0 << 0x20 & !(1 << b'"' | 1 << b'\\'),
        // From 0xC2 to 0xF4.
        leads: ((1 << 0x35) - 1) & !0b11,
    };

    /// Whether no character belongs to it.
    pub fn is_empty(&self) -> bool {
        self.ascii == 0 && self.leads == 0
    }

    /// The number of ASCII characters and of lead bytes.
    pub fn len(&self) -> u32 {
        self.ascii.count_ones() + self.leads.count_ones()
    }

    /// Whether a character may begin with this byte and belong to it.
    #[inline]
    pub fn may_begin(&self, byte: u8) -> bool {
        match byte {
            0..=0x7F => self.ascii >> byte & 1 != 0,
            0xC0..=0xFF => self.leads >> (byte - 0xC0) & 1 != 0,
            _ => false,
        }
    }

    /// The bytes with which its characters begin.
    #[inline]
    pub fn first_bytes(&self) -> ByteSet {
        ByteSet::from_words([self.ascii as u64, (self.ascii >> 64) as u64, 0, self.leads])
    }

    /// Whether these bytes (bit `b % 64` of word `b / 64`) are all found in characters of the loop; for bytes beyond ASCII
    /// the text must be well formed besides.
    #[inline]
    pub fn has_bytes(&self, [low, high, _, leads]: [u64; 4]) -> bool {
        (u128::from(low) | u128::from(high) << 64) & !self.ascii == 0 && leads & !self.leads == 0
    }
}

/// The loop of a state, of letters that tick or of letters that do not; empty if it has no ASCII character.
pub(crate) fn own_loop(dfa: &Dfa, state: u32, ticks: bool) -> Loop {
    let letters = dfa.letters(state);
    // PERF: a loop over characters beyond ASCII alone is rare, and most states have none at all.
    if !letters.iter().any(|letter| letter.target == state && letter.low < 0x80) {
        return Loop::default();
    }
    let mut own = ByteSet::EMPTY;
    for letter in letters.iter().filter(|letter| letter.ticks == ticks && letter.target == state) {
        own.insert_range(byte(letter.low), byte(letter.high));
    }
    for letter in letters.iter().filter(|letter| letter.ticks != ticks) {
        own = own.difference(&ByteSet::range(byte(letter.low), byte(letter.high)));
    }
    let edges = |state: u32| dfa.letters(state).iter().map(|l| (l.low, l.high, l.target, l.ticks));
    Loop { ascii: own.ascii(), leads: leads(edges, state, ticks) }
}

fn byte(letter: u32) -> u8 {
    u8::try_from(letter).expect("a rule's automaton reads bytes")
}

/// The lead bytes of well-formed UTF-8 beyond ASCII, what may follow at once, and how many more continuation bytes do.
const LEADS: [(u8, u8, u8, u8, u32); 8] = [
    (0xC2, 0xDF, 0x80, 0xBF, 0),
    (0xE0, 0xE0, 0xA0, 0xBF, 1),
    (0xE1, 0xEC, 0x80, 0xBF, 1),
    (0xED, 0xED, 0x80, 0x9F, 1),
    (0xEE, 0xEF, 0x80, 0xBF, 1),
    (0xF0, 0xF0, 0x90, 0xBF, 2),
    (0xF1, 0xF3, 0x80, 0xBF, 2),
    (0xF4, 0xF4, 0x80, 0x8F, 2),
];

/// The loop of a state of finished tables that do not tick; empty if it has no ASCII character.
pub(crate) fn loop_of(tables: &Tables, state: u32) -> Loop {
    let edges = tables.plain_edges(state).iter();
    let mut own = ByteSet::EMPTY;
    for edge in edges.filter(|edge| edge.target == state) {
        own.insert_range(edge.low, edge.high);
    }
    if own.ascii() == 0 {
        return Loop::EMPTY;
    }
    let edges = |state: u32| {
        let plain = tables.plain_edges(state).iter();
        plain.map(|edge| (u32::from(edge.low), u32::from(edge.high), edge.target, false))
    };
    Loop { ascii: own.ascii(), leads: leads(edges, state, false) }
}

/// The lead bytes all of whose characters lead from `home` back to it. The tick, if it is asked for, is the last byte's.
fn leads<E: Iterator<Item = (u32, u32, u32, bool)>>(
    edges: impl Fn(u32) -> E + Copy,
    home: u32,
    ticks: bool,
) -> u64 {
    leads_to(edges, home, ticks, |at| at == [home])
}

/// The lead bytes all of whose characters lead from `home` to where `stays` says.
fn leads_to<E: Iterator<Item = (u32, u32, u32, bool)>>(
    edges: impl Fn(u32) -> E + Copy,
    home: u32,
    ticks: bool,
    mut stays: impl FnMut(&[u32]) -> bool,
) -> u64 {
    let mut found = 0;
    for (first, last, target, _) in edges(home).filter(|&(_, high, _, ticks)| high >= 0xC2 && !ticks) {
        for &(low, high, second_low, second_high, more) in &LEADS {
            let (low, high) = (u32::from(low).max(first), u32::from(high).min(last));
            if low > high || edges(home).any(|(first, last, _, ticks)| ticks && last >= low && first <= high)
            {
                continue;
            }
            let at = characters(edges, target, (second_low, second_high, more), ticks);
            if at.is_some_and(|at| stays(&at)) {
                found |= (low..=high).fold(0u64, |leads, lead| leads | 1 << (lead - 0xC0));
            }
        }
    }
    found
}

/// The lead bytes all of whose characters lead from the state to where `goes` says.
pub(crate) fn leads_where(view: RuleView<'_>, state: u32, mut goes: impl FnMut(u32) -> bool) -> u64 {
    let edges = |state: u32| {
        let plain = view.plain_edges(state).iter();
        plain.map(|edge| (u32::from(edge.low), u32::from(edge.high), edge.target, false))
    };
    leads_to(edges, state, false, |at| at.iter().all(|&target| goes(target)))
}

/// A set of few states.
type Few = SmallVec<[u32; 4]>;

/// Where all characters lead that go on with these bytes, given the range of the second byte and the number of further
/// continuation bytes; `ticks` asks that the last byte ticks. `None` if one leads nowhere, ticks otherwise, or at too many.
fn characters<E: Iterator<Item = (u32, u32, u32, bool)>>(
    edges: impl Fn(u32) -> E + Copy,
    from: u32,
    (low, high, more): (u8, u8, u32),
    ticks: bool,
) -> Option<Few> {
    let mut at = targets(edges, &[from], low, high, ticks && more == 0)?;
    for left in (0..more).rev() {
        at = targets(edges, &at, 0x80, 0xBF, ticks && left == 0)?;
    }
    Some(at)
}

/// Where all bytes of a range lead from all of these states; `None` if one leads nowhere, or its tick is not as asked, or
/// at more than four.
fn targets<E: Iterator<Item = (u32, u32, u32, bool)>>(
    edges: impl Fn(u32) -> E,
    from: &[u32],
    low: u8,
    high: u8,
    ticks: bool,
) -> Option<Few> {
    let (low, high) = (u32::from(low), u32::from(high));
    let mut found = Few::new();
    for &state in from {
        let mut next = low;
        for (first, last, target, ticking) in edges(state).filter(|e| e.1 >= low && e.0 <= high) {
            if ticking != ticks || first > next {
                return None;
            }
            next = last + 1;
            if !found.contains(&target) {
                found.push(target);
            }
        }
        if next <= high || found.len() > 4 {
            return None;
        }
    }
    Some(found)
}

/// States that are looked at for [`live`]: searches for a UUID have 37, the inside of a regular expression's class 100.
const MAX_LIVE: usize = 256;

/// Characters of which the state reads any text, however long: wherever they lead, all of them can be read again. A state of a
/// search for a word has no loop on the word's first letter, and yet reads any text. With them the states that they lead to, of
/// which the same holds, ascending.
///
/// The greatest set of ASCII characters first, then the lead bytes that go with it. Empty where more states are involved
/// than are looked at.
pub(crate) fn live(view: RuleView<'_>, state: u32) -> (Loop, Vec<u32>) {
    let mut around = Around::default();
    let start = around.number(state);
    let mut ascii = around.read(view, start);
    // As numbers; those met in this round.
    let mut states: Vec<u32> = Vec::new();
    let mut met: Vec<bool> = Vec::new();
    loop {
        // All that the characters reach. A character that leads to a state which reads few of them is given up; else those
        // that the state does not read. Then anew with what is left.
        states.clear();
        met.clear();
        states.push(start);
        met.resize(around.states.len(), false);
        met[start as usize] = true;
        let mut next = 0;
        let mut left = ascii;
        while let (Some(&at), true) = (states.get(next), left == ascii) {
            next += 1;
            left &= around.read(view, at);
            met.resize(around.states.len(), false);
            for i in around.states[at as usize].steps.clone() {
                let (characters, target) = around.steps[i];
                if characters & ascii == 0 || met[target as usize] {
                    continue;
                }
                if (around.read(view, target) & ascii).count_ones() * 2 < ascii.count_ones() {
                    left &= !characters;
                } else {
                    states.push(target);
                    met[target as usize] = true;
                }
            }
            if states.len() > MAX_LIVE {
                return Default::default();
            }
        }
        if left == ascii {
            break;
        }
        ascii = left;
    }
    if ascii == 0 {
        return Default::default();
    }
    let mut states: Vec<u32> = states.into_iter().map(|at| around.states[at as usize].state).collect();
    states.sort_unstable();
    let mut leads = !0;
    for &state in &states {
        leads &= leads_where(view, state, |target| states.binary_search(&target).is_ok());
        if leads == 0 {
            break;
        }
    }
    (Loop { ascii, leads }, states)
}

/// The states that [`live`] has met, by number, and what they read.
///
/// PERF: the inside of a regular expression is gone through twenty times, and edge by edge that took 2 ms.
#[derive(Default)]
struct Around {
    numbers: HashMap<u32, u32>,
    states: Vec<Seen>,
    /// With which ASCII characters to which number.
    steps: Vec<(u128, u32)>,
}

struct Seen {
    state: u32,
    /// The ASCII characters that it reads, if somebody asked.
    read: Option<u128>,
    /// Its part of the steps then.
    steps: Range<usize>,
}

impl Around {
    fn number(&mut self, state: u32) -> u32 {
        *self.numbers.entry(state).or_insert_with(|| {
            self.states.push(Seen { state, read: None, steps: 0..0 });
            self.states.len() as u32 - 1
        })
    }

    /// The ASCII characters that a state reads; its steps are known from then on.
    fn read(&mut self, view: RuleView<'_>, number: u32) -> u128 {
        let Seen { state, read, .. } = self.states[number as usize];
        if let Some(known) = read {
            return known;
        }
        let (mut all, start) = (0, self.steps.len());
        for edge in view.plain_edges(state).iter().filter(|edge| edge.low < 0x80) {
            let own = ByteSet::range(edge.low, edge.high.min(0x7F)).ascii();
            all |= own;
            // Neighbouring ranges often lead to the same state.
            match self.steps[start..]
                .last_mut()
                .filter(|step| self.states[step.1 as usize].state == edge.target)
            {
                Some(step) => step.0 |= own,
                None => {
                    let target = self.number(edge.target);
                    self.steps.push((own, target));
                }
            }
        }
        let seen = &mut self.states[number as usize];
        (seen.read, seen.steps) = (Some(all), start..self.steps.len());
        all
    }
}
