//! Well-formed UTF-8 as an automaton of eight states, and sets of these in a byte.
//!
//! The states are how one can stand inside a character (Unicode, table 3-7). A trie node keeps the set of states from
//! which everything below it stays well formed, which one pass from the leaves to the root computes.

/// Between characters.
const BETWEEN: u8 = 0;
/// One, two or three continuation bytes are missing.
const ONE: u8 = 1;
const TWO: u8 = 2;
const THREE: u8 = 3;
/// After E0, which must not encode what fits into two bytes.
const AFTER_E0: u8 = 4;
/// After ED, which must not encode surrogates.
const AFTER_ED: u8 = 5;
/// After F0, which must not encode what fits into three bytes.
const AFTER_F0: u8 = 6;
/// After F4, which must not go beyond U+10FFFF.
const AFTER_F4: u8 = 7;
const N_STATES: u8 = 8;

/// A set of states, bit = state.
pub(crate) type StateSet = u8;
/// All states: nothing follows, so nothing goes wrong.
pub(crate) const ALL: StateSet = 0xff;

/// The state after `byte`, or `None` where the text is no longer a prefix of well-formed UTF-8.
fn step(state: u8, byte: u8) -> Option<u8> {
    match (state, byte) {
        (BETWEEN, 0x00..=0x7f) => Some(BETWEEN),
        (BETWEEN, 0xc2..=0xdf) => Some(ONE),
        (BETWEEN, 0xe0) => Some(AFTER_E0),
        (BETWEEN, 0xed) => Some(AFTER_ED),
        (BETWEEN, 0xe1..=0xef) => Some(TWO),
        (BETWEEN, 0xf0) => Some(AFTER_F0),
        (BETWEEN, 0xf1..=0xf3) => Some(THREE),
        (BETWEEN, 0xf4) => Some(AFTER_F4),
        (ONE, 0x80..=0xbf) => Some(BETWEEN),
        (TWO, 0x80..=0xbf) | (AFTER_E0, 0xa0..=0xbf) | (AFTER_ED, 0x80..=0x9f) => Some(ONE),
        (THREE, 0x80..=0xbf) | (AFTER_F0, 0x90..=0xbf) | (AFTER_F4, 0x80..=0x8f) => Some(TWO),
        _ => None,
    }
}

/// The states from which `byte` leads into `after`.
pub(crate) fn before(byte: u8, after: StateSet) -> StateSet {
    let mut states = 0;
    for state in 0..N_STATES {
        if step(state, byte).is_some_and(|next| after >> next & 1 != 0) {
            states |= 1 << state;
        }
    }
    states
}

/// The states after `bytes`, from any state: empty if no well-formed text contains them.
pub(crate) fn after(bytes: &[u8]) -> StateSet {
    bytes.iter().fold(ALL, |states, &byte| {
        let from = (0..N_STATES).filter(|state| states >> state & 1 != 0);
        from.filter_map(|state| step(state, byte)).fold(0, |after, state| after | 1 << state)
    })
}

/// Whether the set holds the state between characters.
#[inline]
pub(crate) fn holds_between(states: StateSet) -> bool {
    states >> BETWEEN & 1 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the standard library finds at most an unfinished character at the end.
    fn is_prefix(text: &[u8]) -> bool {
        std::str::from_utf8(text).map_or_else(|error| error.error_len().is_none(), |_| true)
    }

    #[test]
    fn fragments_of_characters_fit_into_text_and_impossible_bytes_do_not() {
        for fits in [&b""[..], b"a", b"\xac", b"\x82\xac", b"\xe2\x82", b"\x82\xac\xe2", b"\xbf\xbf\xbfa"] {
            assert_ne!(after(fits), 0, "{fits:x?}");
        }
        for never in [&b"\xff"[..], b"\xc0", b"\xe2a", b"\xed\xa0", b"\xbf\xbf\xbf\xbf", b"a\x80", b"\xf5"] {
            assert_eq!(after(never), 0, "{never:x?}");
        }
    }

    #[test]
    fn agrees_with_the_standard_library_on_all_three_bytes_and_many_four() {
        let run = |text: &[u8]| text.iter().try_fold(BETWEEN, |state, &byte| step(state, byte)).is_some();
        let edges = [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2, 0xf0, 0xff];
        for first in 0..=255u8 {
            for second in 0..=255u8 {
                for third in 0..=255u8 {
                    let text = [first, second, third];
                    assert_eq!(run(&text), is_prefix(&text), "{text:x?}");
                }
                for (third, fourth) in edges.iter().flat_map(|&a| edges.map(|b| (a, b))) {
                    let text = [first, second, third, fourth];
                    assert_eq!(run(&text), is_prefix(&text), "{text:x?}");
                }
            }
        }
    }
}
