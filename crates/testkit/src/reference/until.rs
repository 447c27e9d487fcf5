//! Text up to a trigger, character by character, looking back over the whole text each time.

use super::spelling::{Spelling, Unit};
use std::collections::BTreeSet;

/// The texts that matter, and what each means.
#[derive(Debug)]
pub(super) struct UntilLanguage {
    pub(super) patterns: Vec<(String, Meaning)>,
    pub(super) ends: bool,
}

/// Nodes are those of what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Excluded,
    Trigger(usize),
    /// A symbol may come here, and then the rest; the text may go on as well.
    Symbol(usize),
}

/// What comes of one more character.
pub(super) enum After {
    Refused,
    /// One of these nodes must follow.
    Fired(Vec<usize>),
    Text,
}

impl UntilLanguage {
    /// What comes of the last character of `text`.
    pub(super) fn after(&self, text: &str) -> After {
        let ended = || self.patterns.iter().filter(|(pattern, _)| text.ends_with(pattern.as_str()));
        if ended().any(|(_, meaning)| *meaning == Meaning::Excluded) {
            return After::Refused;
        }
        let fired: Vec<usize> = ended()
            .filter_map(|(_, meaning)| match meaning {
                Meaning::Trigger(node) => Some(*node),
                _ => None,
            })
            .collect();
        if fired.is_empty() { After::Text } else { After::Fired(fired) }
    }

    /// The symbols that may be read behind a text, with what follows.
    pub(super) fn symbols<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        self.patterns.iter().filter(|(pattern, _)| text.ends_with(pattern.as_str())).filter_map(
            |(_, meaning)| match meaning {
                Meaning::Symbol(node) => Some(*node),
                _ => None,
            },
        )
    }

    /// Whether something can still come of a text that has fired nothing.
    pub(super) fn is_alive(&self, text: &str, is_productive: impl Fn(usize) -> bool) -> bool {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut todo = vec![self.relevant(text).to_owned()];
        while let Some(text) = todo.pop() {
            if !seen.insert(text.clone()) {
                continue;
            }
            if self.ends || self.symbols(&text).any(&is_productive) {
                return true;
            }
            for c in self.characters() {
                let longer = format!("{text}{c}");
                match self.after(&longer) {
                    After::Refused => {}
                    After::Fired(nodes) if nodes.iter().any(|&node| is_productive(node)) => return true,
                    After::Fired(_) => {}
                    After::Text => todo.push(self.relevant(&longer).to_owned()),
                }
            }
        }
        false
    }

    /// Whether something can come of bytes behind `text` that are the beginning of a character.
    pub(super) fn is_alive_within(
        &self,
        text: &str,
        bytes: &[u8],
        is_productive: impl Fn(usize) -> bool,
    ) -> bool {
        let Unit::Partial(class) = Spelling::Plain.first(bytes) else { return false };
        // The characters of the patterns, and one that is in none.
        let in_patterns: BTreeSet<char> = self.characters().collect();
        let other = class.ranges().iter().flat_map(|&(low, high)| (low..=high).take(in_patterns.len() + 1));
        let other = other.into_iter().find(|c| !in_patterns.contains(c));
        let candidates = in_patterns.iter().copied().filter(|&c| class.contains(c)).chain(other);
        let mut candidates = candidates.map(|c| format!("{text}{c}"));
        candidates.any(|longer| match self.after(&longer) {
            After::Refused => false,
            After::Fired(nodes) => nodes.iter().any(|&node| is_productive(node)),
            After::Text => self.is_alive(&longer, &is_productive),
        })
    }

    fn characters(&self) -> impl Iterator<Item = char> + '_ {
        // Any character that is in no pattern leads to the empty text, which a text of one such character stands for.
        let other = ('\u{E000}'..='\u{F8FF}').find(|&c| !self.patterns.iter().any(|p| p.0.contains(c)));
        self.patterns.iter().flat_map(|(pattern, _)| pattern.chars()).chain(other)
    }

    /// The longest end of a text that some pattern begins with.
    fn relevant<'a>(&self, text: &'a str) -> &'a str {
        let ends = text.char_indices().map(|(i, _)| &text[i..]);
        ends.into_iter().find(|end| self.patterns.iter().any(|(p, _)| p.starts_with(end))).unwrap_or("")
    }
}
