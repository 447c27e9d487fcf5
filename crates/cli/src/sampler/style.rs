//! How likely each byte is: the writer's taste.

use super::scan::Scan;
use crate::rng::Rng;
use formwork::ByteSet;

/// Whether words can be written freely here: so many letters are never the beginnings of a few keywords.
pub(super) fn is_prose(set: &ByteSet) -> bool {
    n_in(set, b'a', b'z') >= 18 || n_in(set, b'A', b'Z') >= 18
}

fn n_in(set: &ByteSet, low: u8, high: u8) -> usize {
    set.intersection(&ByteSet::range(low, high)).len()
}

/// How much more the document wants to end than at its beginning: 1 at first, 6 when it is as long as it should be.
pub(super) fn urge(scan: &Scan, target: usize) -> f64 {
    1.0 + 5.0 * scan.n_bytes as f64 / target.max(1) as f64
}

/// Bytes that are alike in taste; the choice within them is even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Digits,
    Lower,
    Upper,
    Quote,
    Closing,
    Opening,
    Separator,
    Semicolon,
    Joint,
    Point,
    Sign,
    Exponent,
    Backslash,
    Newline,
    Mark,
    High,
    Control,
}

const GROUPS: [Group; 17] = [
    Group::Digits,
    Group::Lower,
    Group::Upper,
    Group::Quote,
    Group::Closing,
    Group::Opening,
    Group::Separator,
    Group::Semicolon,
    Group::Joint,
    Group::Point,
    Group::Sign,
    Group::Exponent,
    Group::Backslash,
    Group::Newline,
    Group::Mark,
    Group::High,
    Group::Control,
];

fn group(byte: u8, scan: &Scan) -> Group {
    let after_digit = scan.n_digits > 0 && scan.in_string.is_none();
    match byte {
        b'e' | b'E' if after_digit => Group::Exponent,
        b'0'..=b'9' => Group::Digits,
        b'a'..=b'z' => Group::Lower,
        b'A'..=b'Z' => Group::Upper,
        b'"' | b'\'' => Group::Quote,
        b'}' | b']' | b')' if scan.depth() > 0 || scan.in_string.is_some() => Group::Closing,
        b'{' | b'[' | b'(' => Group::Opening,
        b',' => Group::Separator,
        b';' => Group::Semicolon,
        b'@' | b':' | b'/' | b'?' | b'#' | b'&' | b'=' => Group::Joint,
        b'.' => Group::Point,
        b'-' | b'+' if !after_digit => Group::Sign,
        b'\\' => Group::Backslash,
        b'\n' | b'\r' => Group::Newline,
        0x80.. => Group::High,
        0..=0x1f | 0x7f => Group::Control,
        _ => Group::Mark,
    }
}

/// Chooses a byte of a set that has no blanks, by taste.
pub(super) fn choose(rng: &mut Rng, set: &ByteSet, scan: &Scan, urge: f64) -> Option<u8> {
    let in_string = scan.in_string.is_some();
    // A name that was written as a word is as long as it should be.
    let after_name = !in_string && is_prose(set) && scan.is_after(|b| b.is_ascii_alphanumeric() || b == b'_');
    let members: Vec<(Group, u8)> = set.iter().map(|byte| (group(byte, scan), byte)).collect();
    let weight = |group: Group| -> f64 {
        if !members.iter().any(|&(other, _)| other == group) {
            return 0.0;
        }
        match group {
            Group::Digits | Group::Lower | Group::Upper | Group::Exponent if after_name => 0.02,
            // Readers of JSON refuse numbers with three digits there, which are of no use either.
            Group::Digits if scan.in_exponent && scan.n_digits > 0 => {
                0.02f64.powi(small(scan.n_digits * 2 - 1))
            }
            Group::Digits if scan.n_digits > 0 && !in_string => {
                1.4 * 0.55f64.powi(small(scan.n_digits)) + 0.01
            }
            Group::Digits => 1.5,
            Group::Lower | Group::Upper => 1.5,
            Group::Quote => match scan.in_string {
                Some(n) => 1.0 + 0.2 * n as f64,
                None => 1.5,
            },
            // What is opened should mostly hold something.
            Group::Closing if scan.is_after(|b| matches!(b, b'{' | b'[' | b'(')) => 0.03 * urge * urge,
            Group::Closing => urge * (0.8 + 0.4 * scan.n_commas() as f64),
            // A document that is a list or an object shows more than one that is a number.
            Group::Opening if scan.n_bytes == 0 => 8.0,
            Group::Opening => 0.65f64.powi(small(scan.depth())) / urge,
            Group::Semicolon => 1.2,
            Group::Joint if after_name => 3.0,
            Group::Joint => 1.0,
            Group::Separator => 1.5 / urge,
            Group::Point if in_string => 0.5,
            Group::Point => 0.4 / urge,
            Group::Sign => 0.2,
            Group::Exponent => 0.03,
            Group::Backslash => 0.008,
            Group::Newline => 0.8,
            Group::Mark => 1.0,
            Group::High => 0.4,
            Group::Control => 0.005,
        }
    };
    let weights = GROUPS.map(weight);
    let group = GROUPS.get(rng.weighted(&weights)?)?;
    let bytes: Vec<u8> = members.iter().filter(|(other, _)| other == group).map(|&(_, byte)| byte).collect();
    rng.pick(&bytes).copied()
}

fn small(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(1_000).min(1_000)
}
