//! The automaton of the escapes of one character in JSON strings, written down as it is.
//!
//! A declared name has one for each of its letters at which an output stands: of what outputs wait for in the calls of twenty
//! tools, two automata of three are these. Each is a chain of seven states, so there is nothing to determinise or to minimise.
//!
//! # Worked example
//! `/`: `\`, then `/` to the end, or `u`, `0`, `0`, `2`, and `F` or `f` to the end.

use crate::dfa::{Dfa, Letter};
use crate::spelling::{digit, short_escape};

/// The automaton, which is minimal, its end the last state; `None` for a character beyond U+FFFF, which takes two escapes.
pub(crate) fn automaton(character: u32) -> Option<Dfa> {
    let unit = u16::try_from(character).ok()?;
    let mut dfa = Dfa::default();
    let mut state = |letters: &[u8], target: u32, short: Option<u8>| {
        let short = short.map(|letter| (letter, END));
        for (letter, target) in short.into_iter().chain(letters.iter().map(|&letter| (letter, target))) {
            dfa.add_letter(Letter { low: letter.into(), high: letter.into(), ticks: false, target });
        }
        dfa.finish_state(false);
    };
    state(b"\\", 1, None);
    // All short escapes come before the `u`.
    state(b"u", 2, char::from_u32(character).and_then(short_escape));
    for (shift, target) in [12, 8, 4, 0].into_iter().zip(3..=END) {
        state(&digit(u32::from(unit) >> shift & 15), target, None);
    }
    dfa.finish_state(true);
    Some(dfa)
}

/// The state behind the last digit and behind a short escape.
const END: u32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts that an automaton without a circle accepts.
    fn texts(dfa: &Dfa) -> Vec<String> {
        let mut found = Vec::new();
        let mut stack = vec![(0, String::new())];
        while let Some((state, text)) = stack.pop() {
            for letter in dfa.letters(state) {
                let read = (letter.low..=letter.high).filter_map(char::from_u32);
                stack.extend(read.map(|read| (letter.target, format!("{text}{read}"))));
            }
            if dfa.is_accepting(state) {
                found.push(text);
            }
        }
        found.sort();
        found
    }

    #[test]
    fn every_spelling_is_read_and_nothing_else() {
        let of = |character: char| texts(&automaton(character.into()).expect("one `\\u`"));
        assert_eq!(of('u'), ["\\u0075"]);
        assert_eq!(of('/'), ["\\/", "\\u002F", "\\u002f"]);
        assert_eq!(of('"'), ["\\\"", "\\u0022"]);
        assert_eq!(of('\n'), ["\\n", "\\u000A", "\\u000a"]);
        assert_eq!(of('\u{FFE0}').len(), 8);
        for character in (0..=0xFFFF).filter_map(char::from_u32) {
            let dfa = automaton(character.into()).expect("one `\\u`");
            let texts = texts(&dfa);
            let (long, short): (Vec<_>, Vec<_>) = texts.iter().partition(|text| text.starts_with("\\u"));
            let digits = format!("{:04x}", u32::from(character));
            assert_eq!(long.len(), 1 << digits.matches(char::is_alphabetic).count(), "{character:?}");
            assert!(long.iter().all(|text| text[2..].eq_ignore_ascii_case(&digits)), "{character:?}");
            assert_eq!(!short.is_empty(), "\"\\/\u{8}\u{C}\n\r\t".contains(character), "{character:?}");
        }
        assert!(automaton(0x1_0000).is_none());
    }
}
