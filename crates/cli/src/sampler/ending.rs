//! The shortest way out of a document that is long enough.

use formwork::{ByteSet, Matcher};
use std::collections::VecDeque;

/// So many beginnings are looked at before giving up.
const MAX_NODES: usize = 4_000;
/// Bytes of a piece without a choice.
const MAX_FORCED: usize = 1_000;

/// A short text after which the document may end: the one with the fewest choices, of those that take typical bytes at
/// each. `None` if none was found within a bounded search. The matcher is as before.
///
/// A breadth-first search over choices, in which everything without a real choice costs nothing. Few bytes of a kind
/// stand for all of it, because what a letter is followed by rarely depends on which letter it is.
pub(super) fn nearest(matcher: &mut Matcher) -> Option<Vec<u8>> {
    let mut open: VecDeque<Vec<u8>> = VecDeque::from([Vec::new()]);
    let mut n_nodes = 0;
    while let Some(mut path) = open.pop_front() {
        n_nodes += 1;
        if n_nodes > MAX_NODES || !path.is_empty() && matcher.accept_bytes(&path).is_err() {
            // The set promised too much, or enough was looked at: what is left may still be at an end.
            if n_nodes > MAX_NODES {
                return None;
            }
            continue;
        }
        let mut n_steps = usize::from(!path.is_empty());
        let choices = loop {
            if matcher.can_finish() && !path.is_empty() {
                let _ = matcher.rollback(n_steps);
                return Some(path);
            }
            let bytes = typical(&next(matcher));
            let [byte] = bytes[..] else { break bytes };
            if path.len() >= MAX_FORCED || matcher.accept_bytes(&[byte]).is_err() {
                break Vec::new();
            }
            path.push(byte);
            n_steps += 1;
        };
        let _ = matcher.rollback(n_steps);
        for byte in choices {
            let mut longer = path.clone();
            longer.push(byte);
            open.push_back(longer);
        }
    }
    None
}

fn next(matcher: &mut Matcher) -> ByteSet {
    match matcher.accept_bytes(&[0xff]) {
        Err(error) => error.expected(),
        Ok(()) => {
            let _ = matcher.rollback(1);
            ByteSet::range(0, 0xff)
        }
    }
}

/// The bytes of a set, those that usually end something first.
pub(super) fn by_closeness(set: &ByteSet) -> Vec<u8> {
    let mut bytes: Vec<u8> = set.iter().collect();
    bytes.sort_by_key(|&byte| rank(byte));
    bytes
}

fn rank(byte: u8) -> u8 {
    match byte {
        b'"' | b'\'' => 0,
        b'}' | b']' | b')' => 1,
        b';' | b'>' => 2,
        b'0'..=b'9' => 3,
        b'a'..=b'z' | b'A'..=b'Z' => 4,
        b'\n' => 5,
        0x80.. => 6,
        b'(' | b'[' | b'{' | b',' => 8,
        b' ' | b'\t' | b'\r' => 9,
        b'\\' => 10,
        0..=0x1f | 0x7f => 11,
        _ => 7,
    }
}

/// Bytes that stand for the others of their kind, in the order in which they should be tried.
fn typical(set: &ByteSet) -> Vec<u8> {
    let mut bytes = by_closeness(set);
    // Escapes and blanks are never shorter than what they stand for or between, unless there is nothing else.
    if bytes.iter().any(|&byte| rank(byte) < 9) {
        bytes.retain(|&byte| rank(byte) < 9);
    }
    let mut out: Vec<u8> = Vec::new();
    for (low, high, n) in [(b'0', b'9', 2), (b'a', b'z', 2), (b'A', b'Z', 2), (0x80, 0xff, 2)] {
        let kind: Vec<u8> = bytes.iter().copied().filter(|byte| (low..=high).contains(byte)).collect();
        // A few letters are beginnings of words, of which each may be the one; many are a name.
        let n = if kind.len() <= 6 { kind.len() } else { n };
        let skipped: Vec<u8> = kind.into_iter().skip(n).collect();
        bytes.retain(|byte| !skipped.contains(byte));
    }
    out.append(&mut bytes);
    out
}
