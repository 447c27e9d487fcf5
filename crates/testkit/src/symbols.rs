//! Symbols as bytes, so that the reference can read them.
//!
//! The reference knows bytes alone. A symbol is spelled as 0xFF, which no text contains, and its number in two bytes; a
//! set of symbols is then an alternative of such strings. A sequence of tokens has one spelling for each way to read it.

use formwork_grammar::{Symbol, SymbolSet};

/// The symbols that there are, and how they are spelled.
#[derive(Clone, Debug, Default)]
pub struct SpelledSymbols {
    /// Number, text, whether the text is the name of a special symbol.
    known: Vec<(u32, Vec<u8>, bool)>,
    /// Not in sets that are given by what they leave out.
    stops: Vec<u32>,
}

impl SpelledSymbols {
    /// The tokens of a vocabulary.
    pub fn of(vocabulary: &formwork_vocab::Vocabulary) -> Self {
        let ids =
            (0..u32::try_from(vocabulary.width()).unwrap_or(u32::MAX)).map(formwork_vocab::TokenId::new);
        let known = ids.filter_map(|id| match (vocabulary.special_name(id), vocabulary.text(id)) {
            (Some(name), _) => Some((id.get(), name.as_bytes().to_vec(), true)),
            (None, Some(text)) => Some((id.get(), text.to_vec(), false)),
            (None, None) => None,
        });
        Self { known: known.collect(), stops: vocabulary.stop_tokens().iter().map(|id| id.get()).collect() }
    }

    /// The spelling of the symbol with this number.
    pub fn spelling(id: u32) -> Vec<u8> {
        let [.., high, low] = id.to_be_bytes();
        vec![0xFF, high, low]
    }

    /// The spellings of a set.
    pub(crate) fn spellings(&self, set: &SymbolSet) -> Vec<Vec<u8>> {
        let is_special = |name: &str| self.known.iter().any(|k| k.2 && k.1 == name.as_bytes());
        let is_named = |(id, text, special): &(u32, Vec<u8>, bool)| {
            set.members().iter().any(|member| match member {
                Symbol::Id(named) => named == id,
                Symbol::Name(name) => name.as_bytes() == &text[..] && *special == is_special(name),
                _ => false,
            })
        };
        let in_set = |known: &&(u32, Vec<u8>, bool)| match set.is_negated() {
            false => is_named(known),
            true => !is_named(known) && !self.stops.contains(&known.0),
        };
        self.known.iter().filter(in_set).map(|known| Self::spelling(known.0)).collect()
    }

    /// A tag in pieces: texts, and the spellings of symbols whose names stand in it. The name that begins first counts, and
    /// of those the longest.
    pub(crate) fn pieces(&self, tag: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = tag;
        while let Some(c) = rest.chars().next() {
            let named = self
                .known
                .iter()
                .filter(|known| known.2 && !known.1.is_empty() && rest.as_bytes().starts_with(&known.1));
            match named.max_by_key(|known| known.1.len()) {
                Some((id, name, _)) => {
                    pieces.extend((!text.is_empty()).then(|| Piece::Text(std::mem::take(&mut text))));
                    pieces.push(Piece::Symbol(Self::spelling(*id)));
                    rest = &rest[name.len()..];
                }
                None => {
                    text.push(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        pieces.extend((!text.is_empty()).then_some(Piece::Text(text)));
        pieces
    }
}

/// A piece of a tag.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(String),
    /// Its spelling.
    Symbol(Vec<u8>),
}
