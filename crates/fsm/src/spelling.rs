//! How characters are written: as UTF-8, as JSON string content, or as themselves.
//!
//! Given the outgoing edges of a state over code points (disjoint ranges, each with a target), these functions make the
//! nodes that read the same characters byte by byte.
//!
//! In JSON string content a character may stand raw, except `"`, `\` and controls; as a short escape, where there is
//! one; as `\uXXXX` with hexadecimal digits of either case; above U+FFFF as two of those, a high and a low surrogate.
//! The digits form a trie over the ranges, and equal parts of it are one node, so "any character" costs a dozen nodes.

use crate::nfa::{Nfa, Node, NodeId, Range};
use formwork_grammar::HashMap;
use regex_syntax::utf8::{Utf8Range, Utf8Sequences};
use smallvec::SmallVec;
use std::sync::Arc;

/// How the characters of a text expression appear in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Spelling {
    /// As UTF-8.
    Utf8,
    /// As the content of a JSON string.
    Json,
    /// As code points: the letters of an automaton over text.
    CodePoints,
}

/// The two-character escapes of JSON: what is meant, and the letter after the backslash.
const SHORT_ESCAPES: [(u32, u8); 8] = [
    (0x22, b'"'),
    (0x5C, b'\\'),
    (0x2F, b'/'),
    (0x08, b'b'),
    (0x0C, b'f'),
    (0x0A, b'n'),
    (0x0D, b'r'),
    (0x09, b't'),
];

/// The letter behind the backslash in the short escape of a character of a JSON string, if it has one.
pub fn short_escape(character: char) -> Option<u8> {
    let (_, letter) = SHORT_ESCAPES.into_iter().find(|&(meant, _)| meant == u32::from(character))?;
    Some(letter)
}

/// How a hexadecimal digit, below 16, is written, ascending.
pub(crate) fn digit(value: u32) -> SmallVec<[u8; 2]> {
    let value = (value & 15) as u8;
    match value {
        0..=9 => [b'0' + value].into_iter().collect(),
        _ => [b'A' + value - 10, b'a' + value - 10].into_iter().collect(),
    }
}

/// Makes spelled edges; remembers shared pieces for as long as one automaton is built.
///
/// What stands behind a backslash is [written](Self::write) when it is reached, digit by digit: of the escapes of "any character
/// but an a" an output meets none, or those along one number.
#[derive(Debug, Default)]
pub(crate) struct Speller {
    /// The rest of a UTF-8 sequence (at most three byte ranges) before a target.
    utf8_tails: HashMap<([(u8, u8); 3], NodeId), NodeId>,
    /// The letters that begin the characters beyond ASCII of a range, as a part of `utf8_letters`.
    utf8_ranges: HashMap<Range, (u32, u32)>,
    utf8_letters: Vec<Range>,
    /// What nodes are still to read of escapes, by number, and their nodes.
    rests: Vec<Rest>,
    by_rest: HashMap<Rest, NodeId>,
    /// Heap memory of the rests.
    rest_bytes: usize,
    /// Nodes of rests that are not written.
    todo: Vec<NodeId>,
    /// By what reads the digits of a low surrogate: what reads all of it.
    low_surrogates: HashMap<NodeId, NodeId>,
    /// The nodes that read so many digits, any, before a target: nearly all are.
    any_digits: HashMap<(u32, NodeId), NodeId>,
}

/// What is still to be read of an escape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Rest {
    /// All behind the backslash, of one of these characters.
    Escape(Arc<[Range]>),
    /// So many hexadecimal digits, and what the number formed by them selects.
    Digits(u32, Arc<[Range]>),
}

impl Speller {
    /// Heap memory in bytes, about.
    pub(crate) fn memory_size(&self) -> usize {
        let tails = self.utf8_tails.allocation_size() + self.utf8_ranges.allocation_size();
        let rests = self.by_rest.allocation_size() + self.rests.capacity() * size_of::<Rest>();
        tails
            + rests
            + self.rest_bytes
            + self.low_surrogates.allocation_size()
            + self.any_digits.allocation_size()
    }

    /// Adds the letters that leave a state whose edges over code points are `edges` (disjoint; surrogates are ignored).
    pub(crate) fn letters(
        &mut self,
        nfa: &mut Nfa,
        spelling: Spelling,
        edges: &[Range],
        letters: &mut Vec<Range>,
    ) {
        match spelling {
            Spelling::CodePoints => letters.extend_from_slice(edges),
            Spelling::Utf8 => {
                for &edge in edges {
                    self.utf8(nfa, edge, letters);
                }
            }
            Spelling::Json => {
                self.raw(nfa, edges, letters);
                letters.extend(self.escapes(nfa, edges));
            }
        }
    }

    fn utf8(&mut self, nfa: &mut Nfa, edge: Range, letters: &mut Vec<Range>) {
        if edge.low < 0x80 {
            letters.push(Range { high: edge.high.min(0x7F), ..edge });
        }
        if edge.high < 0x80 {
            return;
        }
        let beyond = Range { low: edge.low.max(0x80), ..edge };
        let (first, end) = match self.utf8_ranges.get(&beyond) {
            Some(&known) => known,
            None => {
                let first = self.utf8_letters.len() as u32;
                for (low, high) in scalar_parts(beyond.low, beyond.high) {
                    for sequence in Utf8Sequences::new(low, high) {
                        let bytes = sequence.as_slice();
                        let target = self.utf8_tail(nfa, &bytes[1..], edge.target);
                        let (low, high) = (bytes[0].start.into(), bytes[0].end.into());
                        self.utf8_letters.push(Range { low, high, target });
                    }
                }
                let made = (first, self.utf8_letters.len() as u32);
                self.utf8_ranges.insert(beyond, made);
                made
            }
        };
        letters.extend_from_slice(&self.utf8_letters[first as usize..end as usize]);
    }

    /// The node that reads `bytes` (at most three ranges) and goes on at `target`.
    fn utf8_tail(&mut self, nfa: &mut Nfa, bytes: &[Utf8Range], target: NodeId) -> NodeId {
        let mut node = target;
        for i in (0..bytes.len()).rev() {
            // No byte range of UTF-8 is (0, 0): it fills up shorter tails.
            let mut key = [(0, 0); 3];
            for (slot, range) in key.iter_mut().zip(&bytes[i..]) {
                *slot = (range.start, range.end);
            }
            let letter = Range { low: bytes[i].start.into(), high: bytes[i].end.into(), target: node };
            node = *self.utf8_tails.entry((key, target)).or_insert_with(|| nfa.add_read(&[letter]));
        }
        node
    }

    /// Adds the letters of characters that stand raw in JSON string content.
    pub(crate) fn raw(&mut self, nfa: &mut Nfa, edges: &[Range], letters: &mut Vec<Range>) {
        for &edge in edges {
            for (low, high) in [(0x20, 0x21), (0x23, 0x5B), (0x5D, 0x10_FFFF)] {
                let (low, high) = (edge.low.max(low), edge.high.min(high));
                if low <= high {
                    self.utf8(nfa, Range { low, high, target: edge.target }, letters);
                }
            }
        }
    }

    /// The letter that begins all escapes of the characters.
    pub(crate) fn escapes(&mut self, nfa: &mut Nfa, edges: &[Range]) -> Option<Range> {
        // What a node that is not written will be reads something.
        if !edges.iter().any(|edge| scalar_parts(edge.low, edge.high).next().is_some()) {
            return None;
        }
        let target = self.rest(nfa, Rest::Escape(edges.into()));
        Some(Range { low: u32::from(b'\\'), high: u32::from(b'\\'), target })
    }

    fn rest(&mut self, nfa: &mut Nfa, rest: Rest) -> NodeId {
        if let Some(&node) = self.by_rest.get(&rest) {
            return node;
        }
        let node = nfa.add(Node::Spelled { rest: self.rests.len() as u32 });
        let (Rest::Escape(ranges) | Rest::Digits(_, ranges)) = &rest;
        self.rest_bytes += size_of_val(&ranges[..]);
        self.rests.push(rest.clone());
        self.by_rest.insert(rest, node);
        self.todo.push(node);
        node
    }

    /// A node that is not written yet, if there is one that was not asked for.
    pub(crate) fn next_unwritten(&mut self) -> Option<NodeId> {
        self.todo.pop()
    }

    /// From now on unwritten nodes are written by whoever reaches them.
    pub(crate) fn leave_unwritten(&mut self) {
        self.todo.clear();
    }

    /// What a node becomes that reads the rest of an escape.
    pub(crate) fn write(&mut self, nfa: &mut Nfa, rest: u32) -> Node {
        match self.rests[rest as usize].clone() {
            Rest::Escape(edges) => self.escape(nfa, &edges),
            Rest::Digits(n_digits, ranges) => self.digit(nfa, n_digits, &ranges),
        }
    }

    fn escape(&mut self, nfa: &mut Nfa, edges: &[Range]) -> Node {
        let mut escapes = Vec::new();
        for &edge in edges {
            for (meant, letter) in SHORT_ESCAPES {
                if (edge.low..=edge.high).contains(&meant) {
                    escapes.push(Range { low: letter.into(), high: letter.into(), target: edge.target });
                }
            }
        }
        let hex = match *edges {
            [Range { low, high, target }] if low == high && low <= 0xFFFF => single_unit(nfa, low, target),
            _ => {
                let units = self.utf16_units(nfa, edges);
                self.rest(nfa, Rest::Digits(4, units.into()))
            }
        };
        escapes.push(Range { low: u32::from(b'u'), high: u32::from(b'u'), target: hex });
        nfa.read(&escapes)
    }

    /// The first 16-bit units of the characters in `edges`: a character below U+10000 goes to its target, a high
    /// surrogate to the node that reads the low one.
    fn utf16_units(&mut self, nfa: &mut Nfa, edges: &[Range]) -> Vec<Range> {
        let mut units = Vec::new();
        let mut astral = Vec::new();
        for edge in edges {
            for (low, high) in scalar_parts(edge.low, edge.high) {
                let (low, high) = (u32::from(low), u32::from(high));
                if low <= 0xFFFF {
                    units.push(Range { low, high: high.min(0xFFFF), target: edge.target });
                }
                if high >= 0x1_0000 {
                    let low = low.max(0x1_0000) - 0x1_0000;
                    astral.push(Range { low, high: high - 0x1_0000, target: edge.target });
                }
            }
        }
        astral.sort_unstable();
        // Cut the astral ranges at multiples of 1,024, the characters of one high surrogate; whole blocks stay together.
        let mut blocks: Vec<(u32, u32, Vec<Range>)> = Vec::new();
        for range in astral {
            let (mut low, high) = (range.low, range.high);
            while low <= high {
                let block = low >> 10;
                let whole = low & 0x3FF == 0 && high - low >= 0x3FF;
                let last_block = if whole { ((high + 1) >> 10) - 1 } else { block };
                let end = high.min((last_block << 10) + 0x3FF);
                let part = Range {
                    low: 0xDC00 + (low & 0x3FF),
                    high: if whole { 0xDFFF } else { 0xDC00 + (end & 0x3FF) },
                    target: range.target,
                };
                match blocks.last_mut() {
                    Some((first, last, parts)) if *first == block && *last == block && !whole => {
                        parts.push(part)
                    }
                    _ => blocks.push((block, last_block, vec![part])),
                }
                low = end + 1;
            }
        }
        for (first, last, parts) in blocks {
            let digits = self.rest(nfa, Rest::Digits(4, parts.into()));
            let target = *self.low_surrogates.entry(digits).or_insert_with(|| {
                let u = u32::from(b'u');
                let u = nfa.add_read(&[Range { low: u, high: u, target: digits }]);
                let backslash = u32::from(b'\\');
                nfa.add_read(&[Range { low: backslash, high: backslash, target: u }])
            });
            units.push(Range { low: 0xD800 + first, high: 0xD800 + last, target });
        }
        units.sort_unstable();
        units
    }

    /// The node that reads so many hexadecimal digits, whichever they are.
    fn any_digits(&mut self, nfa: &mut Nfa, n_digits: u32, target: NodeId) -> NodeId {
        if let Some(&node) = self.any_digits.get(&(n_digits, target)) {
            return node;
        }
        let all = Range { low: 0, high: (1 << (4 * n_digits)) - 1, target };
        let node = self.rest(nfa, Rest::Digits(n_digits, [all].into()));
        self.any_digits.insert((n_digits, target), node);
        node
    }

    /// What reads `n_digits` (at most four) hexadecimal digits and goes where the number selects; the ranges are ascending.
    fn digit(&mut self, nfa: &mut Nfa, n_digits: u32, ranges: &[Range]) -> Node {
        let width = 1u32 << (4 * (n_digits - 1));
        let (mut letters, mut small) = (SmallVec::new(), SmallVec::new());
        let mut next = 0;
        for digit in 0..16u32 {
            let (first, last) = (digit * width, (digit + 1) * width - 1);
            while ranges.get(next).is_some_and(|range| range.high < first) {
                next += 1;
            }
            let Some(range) = ranges.get(next).filter(|range| range.low <= last) else { continue };
            let target = if n_digits == 1 {
                range.target
            } else if range.low <= first && range.high >= last {
                self.any_digits(nfa, n_digits - 1, range.target)
            } else {
                let below = ranges[next..].iter().take_while(|range| range.low <= last);
                let below = below.map(|range| Range {
                    low: range.low.max(first) - first,
                    high: range.high.min(last) - first,
                    target: range.target,
                });
                let rest = Rest::Digits(n_digits - 1, below.collect());
                self.rest(nfa, rest)
            };
            let add = |letters: &mut SmallVec<[Range; 16]>, base: u8| {
                let letter = u32::from(base) + digit;
                match letters.last_mut() {
                    Some(last) if last.target == target && last.high + 1 == letter => last.high = letter,
                    _ => letters.push(Range { low: letter, high: letter, target }),
                }
            };
            if digit < 10 {
                add(&mut letters, b'0');
            } else {
                add(&mut letters, b'A' - 10);
                add(&mut small, b'a' - 10);
            }
        }
        // Small letters stand behind capitals.
        letters.extend(small);
        nfa.read(&letters)
    }
}

/// The node that reads the four digits of one number: what nearly all characters of literals need.
fn single_unit(nfa: &mut Nfa, unit: u32, target: NodeId) -> NodeId {
    let mut node = target;
    for shift in [0, 4, 8, 12] {
        let letters = digit(unit >> shift & 15).into_iter().map(u32::from);
        let letters: SmallVec<[Range; 2]> =
            letters.map(|letter| Range { low: letter, high: letter, target: node }).collect();
        node = nfa.add_read(&letters);
    }
    node
}

/// The parts of a range of code points on either side of the surrogates.
fn scalar_parts(low: u32, high: u32) -> impl Iterator<Item = (char, char)> {
    let part = move |first: u32, last: u32| {
        let (low, high) = (low.max(first), high.min(last));
        if low <= high { char::from_u32(low).zip(char::from_u32(high)) } else { None }
    };
    [part(0, 0xD7FF), part(0xE000, 0x10_FFFF)].into_iter().flatten()
}
