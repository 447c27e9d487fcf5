//! The shortest way out of a document that is long enough.

use formwork::{ByteSet, Matcher};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// So many beginnings are looked at before giving up.
const MAX_NODES: usize = 2_000;
/// Bytes of a piece without a choice.
const MAX_FORCED: usize = 1_000;
/// What a byte costs that changes nothing about what may follow, in choices: it may be a digit of a number that could
/// go on for ever, or the third of eight characters that must come.
const STANDSTILL: usize = 3;
/// What a backslash costs: an escape is rarely shorter than what it stands for, but some texts end with one.
const ESCAPE: usize = 3;

/// A short text after which the document may end: about the one with the fewest choices. `None` if none was found within a
/// bounded search. The matcher is as before.
///
/// A search over choices, in which everything without a real choice costs nothing. Of bytes after which the same bytes may
/// follow, one stands for all: rarely does it matter later which letter of a name it was.
pub(super) fn nearest(matcher: &mut Matcher) -> Option<Vec<u8>> {
    // By cost, and among equals in the order in which they were found.
    let mut open = BinaryHeap::from([(Reverse((0, 0)), Vec::new())]);
    let mut n_found = 0;
    for _ in 0..MAX_NODES {
        let (Reverse((cost, _)), mut path) = open.pop()?;
        // The set may have promised too much.
        if !path.is_empty() && matcher.accept_bytes(&path).is_err() {
            continue;
        }
        let mut n_steps = usize::from(!path.is_empty());
        let (set, choices) = loop {
            if matcher.can_finish() && !path.is_empty() {
                let _ = matcher.rollback(n_steps);
                return Some(path);
            }
            let set = next(matcher);
            let bytes = worthwhile(&set);
            let [byte] = bytes[..] else { break (set, bytes) };
            if path.len() >= MAX_FORCED || matcher.accept_bytes(&[byte]).is_err() {
                break (set, Vec::new());
            }
            path.push(byte);
            n_steps += 1;
        };
        let mut known: Vec<(ByteSet, bool)> = Vec::new();
        for byte in choices {
            if matcher.accept_bytes(&[byte]).is_err() {
                continue;
            }
            let after = (next(matcher), matcher.can_finish());
            let _ = matcher.rollback(1);
            if known.contains(&after) {
                continue;
            }
            let step = match byte {
                b'\\' => ESCAPE,
                _ if after == (set, false) => STANDSTILL,
                _ => 1,
            };
            let cost = cost + step;
            known.push(after);
            n_found += 1;
            let mut longer = path.clone();
            longer.push(byte);
            open.push((Reverse((cost, n_found)), longer));
        }
        let _ = matcher.rollback(n_steps);
    }
    None
}

/// The bytes that may come next; some of them possibly not, after all.
pub(super) fn next(matcher: &mut Matcher) -> ByteSet {
    // A byte that no UTF-8 text has: refused with the list of what is not.
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

const BLANK: u8 = 9;

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
        b' ' | b'\t' | b'\r' => BLANK,
        b'\\' => 10,
        0..=0x1f | 0x7f => 11,
        _ => 7,
    }
}

/// Blanks between tokens lead nowhere, unless there is nothing else.
fn worthwhile(set: &ByteSet) -> Vec<u8> {
    let mut bytes = by_closeness(set);
    if bytes.iter().any(|&byte| rank(byte) != BLANK) {
        bytes.retain(|&byte| rank(byte) != BLANK);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork::{Compiler, Vocabulary, ebnf};

    fn check(grammar: &str, begun: &str, expected: Option<&str>) {
        let grammar = ebnf::grammar(grammar).unwrap();
        let compiler = Compiler::builder(Vocabulary::bytes()).precompute(0).build();
        let mut matcher = Matcher::new(&compiler.compile(&grammar).unwrap());
        matcher.accept_bytes(begun.as_bytes()).unwrap();
        let ending = nearest(&mut matcher);
        assert_eq!(ending.map(|bytes| String::from_utf8(bytes).unwrap()).as_deref(), expected);
        assert_eq!((matcher.n_bytes(), matcher.n_steps()), (begun.len() as u64, 1));
    }

    #[test]
    fn brackets_are_closed_and_operands_written() {
        let sum = r#"root ::= root "+" item | item  item ::= [a-z]+ | "(" root ")""#
            .replace("  item ::=", "\nitem ::=");
        check(&sum, "(a+((b+", Some("a)))"));
        check(&sum, "(a", Some(")"));
    }

    #[test]
    fn a_way_out_is_found_behind_loops() {
        // Every mark goes on with the name; only `@` leads out of it.
        let address = "root ::= [a-z.,;!-]+ \"@\" [a-z]{3} (\".\" [a-z]{2})+";
        check(address, "ab", Some("@aaa.aa"));
    }

    #[test]
    fn a_text_may_end_with_an_escape() {
        check("root ::= [a-z ]+ \"\\\\\" \"\\\"\"", "ab c", Some("\\\""));
    }

    #[test]
    fn what_is_forced_costs_nothing() {
        let grammar = format!("root ::= \"x\" (\"a\" [ab]{{9}} | \"{}\")", "b".repeat(500));
        check(&grammar, "x", Some(&"b".repeat(500)));
    }
}
