//! Names in all scripts: which strings are `idn-hostname`s, by RFC 5890 to 5893.
//!
//! A name is labels with dots between. A label is ASCII (letters, digits and hyphens), or a *U-label* with other
//! characters, or an *A-label*: `xn--` and a U-label in Punycode ([`punycode`]). Of a U-label it is asked
//! - which characters it has (RFC 5892), some only beside others;
//! - that it is in normal form C and does not begin with a mark;
//! - that a name with letters of scripts written from right to left mixes directions as RFC 5893 allows;
//! - that as an A-label it has at most 63 octets.
//!
//! All but the last is a regular language over the [table](Table) of characters. The last is not within reach of one:
//! how long Punycode is depends on the characters in the order of their code points. [`check`] decides about a given string
//! exactly; the grammar (`lower/idn_hostname.rs`) has names whose labels are short enough whatever their characters.

mod check;
mod punycode;

pub(crate) use check::is_hostname;

use formwork_grammar::CharClass;
use std::sync::OnceLock;

/// What is derived from the Unicode character database; see its first lines.
const UNICODE: &str = include_str!("unicode.txt");

/// The bidirectional classes that characters of names have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bidi {
    /// From left to right.
    Left,
    /// From right to left: Hebrew letters and others.
    Right,
    /// Arabic letters.
    Arabic,
    ArabicNumber,
    EuropeanNumber,
    Mark,
    /// Separators and neutral characters.
    Other,
}

impl Bidi {
    /// Whether one such character makes the name a bidirectional one.
    pub(crate) fn is_right_to_left(self) -> bool {
        matches!(self, Self::Right | Self::Arabic | Self::ArabicNumber)
    }
}

/// The scripts that some characters ask of those beside them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Script {
    Greek,
    Hebrew,
    /// Hiragana, Katakana or Han.
    Kana,
    Other,
}

/// What is the same for many characters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    pub(crate) bidi: Bidi,
    /// The canonical combining class.
    pub(crate) combining: u8,
    /// How it joins its neighbours in a cursive script: `T`, `L`, `R`, `D`, `C` or `U`.
    pub(crate) joining: u8,
    pub(crate) script: Script,
    pub(crate) is_mark: bool,
}

/// The canonical combining class of viramas.
pub(crate) const VIRAMA: u8 = 9;

/// The characters that U-labels may have.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Inclusive ranges in order, with their classes.
    ranges: Vec<(char, char, Class)>,
    /// Second characters, in order, and the first ones that they compose with, in order.
    compositions: Vec<(char, Vec<char>)>,
}

impl Table {
    /// The table, read when first asked for.
    pub(crate) fn get() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| Self::read(UNICODE))
    }

    fn read(text: &str) -> Self {
        let mut table = Self::default();
        let character = |hex: &str| u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(line) = line.strip_prefix('+') {
                let mut characters = line.split(' ').filter_map(character);
                if let Some(second) = characters.next() {
                    table.compositions.push((second, characters.collect()));
                }
                continue;
            }
            let mut words = line.split(' ').skip(1);
            let mut word = || words.next().unwrap_or_default();
            let class = Class {
                bidi: match word() {
                    "L" => Bidi::Left,
                    "R" => Bidi::Right,
                    "AL" => Bidi::Arabic,
                    "AN" => Bidi::ArabicNumber,
                    "EN" => Bidi::EuropeanNumber,
                    "NSM" => Bidi::Mark,
                    _ => Bidi::Other,
                },
                combining: word().parse().unwrap_or(0),
                joining: word().bytes().next().unwrap_or(b'U'),
                script: match word() {
                    "g" => Script::Greek,
                    "h" => Script::Hebrew,
                    "k" => Script::Kana,
                    _ => Script::Other,
                },
                is_mark: word() == "m",
            };
            for range in words {
                let (low, high) = range.split_once('-').unwrap_or((range, range));
                if let (Some(low), Some(high)) = (character(low), character(high)) {
                    table.ranges.push((low, high, class));
                }
            }
        }
        table.ranges.sort_unstable_by_key(|&(low, ..)| low);
        table.compositions.sort_unstable();
        table
    }

    /// The class of a character; `None` if labels cannot have it.
    pub(crate) fn class(&self, c: char) -> Option<Class> {
        let after = self.ranges.partition_point(|&(low, ..)| low <= c);
        let &(_, high, class) = self.ranges.get(after.checked_sub(1)?)?;
        (c <= high).then_some(class)
    }

    /// The characters with a property.
    pub(crate) fn characters(&self, has: impl Fn(&Class) -> bool) -> CharClass {
        let ranges = self.ranges.iter().filter(|(_, _, class)| has(class));
        CharClass::from_ranges(ranges.map(|&(low, high, _)| (low, high)))
    }

    /// The second characters of compositions with the first ones.
    pub(crate) fn compositions(&self) -> impl Iterator<Item = (char, &[char])> {
        self.compositions.iter().map(|(second, firsts)| (*second, &**firsts))
    }

    /// Whether two characters compose in normal form C.
    fn compose(&self, first: char, second: char) -> bool {
        let at = self.compositions.binary_search_by_key(&second, |&(second, _)| second);
        at.is_ok_and(|at| self.compositions[at].1.binary_search(&first).is_ok())
    }
}
