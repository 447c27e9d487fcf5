//! What is in a vocabulary, and what is odd about it.

use crate::utf8;
use crate::{LeadingSpace, TokenId, TokenKind, Trie, Vocabulary};
use std::fmt;

/// How many of each oddity a report lists; the counts are of all.
const N_LISTED: usize = 8;

/// What is in a vocabulary, and what is odd about it: the first thing to look at when masks look wrong.
///
/// Counts are of everything; lists that could be long ([`holes`](Self::holes), [`duplicates`](Self::duplicates)) hold the
/// first few. `Display` prints it for people, a line for each subject.
///
/// ```
/// use formwork_vocab::Vocabulary;
/// let vocabulary = Vocabulary::builder().token(0, "a").token(2, "a").special(5, "<eos>").stop(5).build()?;
/// let report = vocabulary.report();
/// assert_eq!((report.n_holes, report.n_duplicates), (3, 2));
/// assert_eq!(report.holes.to_string(), "1, 3-4");
/// # Ok::<(), formwork_vocab::VocabularyError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Where the tokens come from, as [`Vocabulary::origin`] says.
    pub origin: Option<String>,
    /// The width of the logits.
    pub width: usize,
    /// The largest id plus one; the rest of the width is padding.
    pub n_ids: usize,
    /// Text tokens, those without bytes included.
    pub n_text: usize,
    /// Special tokens.
    pub n_special: usize,
    /// Holes, the padding included.
    pub n_holes: usize,
    /// Where the holes are that are not padding: the first few ranges.
    pub holes: Ranges,
    /// The special tokens and their names, ascending by id.
    pub specials: Vec<(TokenId, String)>,
    /// The stop tokens, ascending, with their names or text.
    pub stops: Vec<(TokenId, String)>,
    /// What the tokenizer's decoder does with a space at the start of the output.
    pub leading_space: LeadingSpace,
    /// Text tokens without bytes, which no mask allows.
    pub n_empty: usize,
    /// Text tokens whose bytes another one has too.
    pub n_duplicates: usize,
    /// How many different texts these have.
    pub n_duplicated: usize,
    /// The first of them.
    pub duplicates: Vec<Duplicate>,
    /// Text tokens that are not UTF-8 by themselves: pieces of characters, and those of `n_never_utf8`.
    pub n_not_utf8: usize,
    /// Text tokens that no well-formed UTF-8 text contains.
    pub n_never_utf8: usize,
    /// The bytes that no text token is by itself.
    pub missing_bytes: Ranges,
    /// Those of them that occur in UTF-8: a text that needs one can be out of reach.
    pub missing_utf8_bytes: Ranges,
    /// The longest text tokens, the longest first, with their number of bytes.
    pub longest: Vec<(TokenId, usize, String)>,
    /// The nodes of the trie, which is what a vocabulary's memory and the time for masks grow with.
    pub n_trie_nodes: usize,
}

/// Text tokens with the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// The bytes, escaped.
    pub text: String,
    /// The tokens, ascending.
    pub tokens: Vec<TokenId>,
}

/// A set of numbers, as ascending ranges of which the first few are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    first: Vec<(u32, u32)>,
    n_ranges: usize,
    last: Option<u32>,
    max_listed: usize,
    is_hex: bool,
}

impl Ranges {
    fn new(max_listed: usize) -> Self {
        Self { max_listed, ..Self::default() }
    }

    /// Numbers come in ascending order.
    fn push(&mut self, number: u32) {
        let follows = self.last.is_some_and(|last| last.checked_add(1) == Some(number));
        if !follows {
            self.n_ranges += 1;
            if self.n_ranges <= self.max_listed {
                self.first.push((number, number));
            }
        } else if self.n_ranges <= self.max_listed {
            if let Some((_, end)) = self.first.last_mut() {
                *end = number;
            }
        }
        self.last = Some(number);
    }

    /// The number of ranges, those that are not listed included.
    pub fn n_ranges(&self) -> usize {
        self.n_ranges
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n_ranges == 0
    }

    /// The first of the ranges, both ends included.
    pub fn listed(&self) -> impl Iterator<Item = std::ops::RangeInclusive<u32>> {
        self.first.iter().map(|&(start, end)| start..=end)
    }
}

/// As `1, 3-4, …`; bytes in hexadecimal.
impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &(start, end)) in self.first.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match (self.is_hex, start == end) {
                (false, true) => write!(f, "{start}")?,
                (false, false) => write!(f, "{start}-{end}")?,
                (true, true) => write!(f, "{start:02x}")?,
                (true, false) => write!(f, "{start:02x}-{end:02x}")?,
            }
        }
        f.write_str(if self.n_ranges > self.first.len() { ", …" } else { "" })
    }
}

impl Report {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let ids = || (0..).map(TokenId::new).take(vocabulary.n_ids());
        let mut holes = Ranges::new(N_LISTED);
        ids().filter(|&id| vocabulary.kind(id) == TokenKind::Hole).for_each(|id| holes.push(id.get()));
        let specials: Vec<_> = vocabulary.specials().map(|(id, name)| (id, name.to_owned())).collect();
        let mut report = Self {
            origin: vocabulary.origin().map(str::to_owned),
            width: vocabulary.width(),
            n_ids: vocabulary.n_ids(),
            n_text: vocabulary.n_text(),
            n_special: specials.len(),
            n_holes: vocabulary.width().saturating_sub(vocabulary.n_text() + specials.len()),
            holes,
            specials,
            stops: vocabulary.stop_tokens().iter().map(|&id| (id, shown(vocabulary, id))).collect(),
            leading_space: vocabulary.leading_space(),
            n_empty: 0,
            n_duplicates: 0,
            n_duplicated: 0,
            duplicates: Vec::new(),
            n_not_utf8: 0,
            n_never_utf8: 0,
            missing_bytes: Ranges { is_hex: true, ..Ranges::new(256) },
            missing_utf8_bytes: Ranges { is_hex: true, ..Ranges::new(256) },
            longest: Vec::new(),
            n_trie_nodes: vocabulary.trie().n_nodes(),
        };
        for byte in (0..=255u8).filter(|&byte| !vocabulary.has_single_byte(byte)) {
            report.missing_bytes.push(byte.into());
            if utf8::after(&[byte]) != 0 {
                report.missing_utf8_bytes.push(byte.into());
            }
        }
        report.look_at_tokens(vocabulary);
        report.look_at_duplicates(vocabulary);
        report
    }

    fn look_at_tokens(&mut self, vocabulary: &Vocabulary) {
        let mut longest: Vec<(TokenId, usize)> = Vec::new();
        for id in (0..).map(TokenId::new).take(vocabulary.n_ids()) {
            let Some(text) = vocabulary.text(id) else { continue };
            self.n_empty += usize::from(text.is_empty());
            if std::str::from_utf8(text).is_err() {
                self.n_not_utf8 += 1;
                self.n_never_utf8 += usize::from(utf8::after(text) == 0);
            }
            // Of the same length, the smaller id stays in front.
            let place = longest.partition_point(|&(_, len)| len >= text.len());
            if place < N_LISTED && !text.is_empty() {
                longest.truncate(N_LISTED - 1);
                longest.insert(place, (id, text.len()));
            }
        }
        self.longest = longest.into_iter().map(|(id, len)| (id, len, shown(vocabulary, id))).collect();
    }

    fn look_at_duplicates(&mut self, vocabulary: &Vocabulary) {
        let trie = vocabulary.trie();
        let mut node = Trie::ROOT;
        for _ in 0..trie.n_nodes() {
            let tokens = trie.tokens_at(node);
            if let [first, _, ..] = tokens {
                self.n_duplicates += tokens.len();
                self.n_duplicated += 1;
                if self.duplicates.len() < N_LISTED {
                    let mut tokens = tokens.to_vec();
                    tokens.sort_unstable();
                    self.duplicates.push(Duplicate { text: shown(vocabulary, *first), tokens });
                }
            }
            node = node.next();
        }
    }
}

/// A token as it is shown to people: a special token's name, or the text in quotes. Never a control character.
fn shown(vocabulary: &Vocabulary, id: TokenId) -> String {
    /// Nobody reads more of a token.
    const MAX_BYTES: usize = 48;
    let Some(text) = vocabulary.text(id) else {
        return vocabulary.special_name(id).map_or_else(String::new, |name| name.escape_debug().to_string());
    };
    let (text, rest) = text.split_at(text.len().min(MAX_BYTES));
    let mut shown = String::from("\"");
    for chunk in text.utf8_chunks() {
        shown.extend(chunk.valid().escape_debug());
        shown.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    shown.push('"');
    shown.push_str(if rest.is_empty() { "" } else { "…" });
    shown
}

/// A list, of which the first few are written out.
fn listed<T>(items: &[T], n_all: usize, show: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = items.iter().take(N_LISTED).map(show).collect();
    let more = if n_all > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, text: String| writeln!(f, "{name:<14} {text}");
        let with = |n: usize, rest: String| if n == 0 { "0".to_owned() } else { format!("{n}: {rest}") };
        let token = |(id, text): &(TokenId, String)| format!("{id} {text}");
        let special = |(id, name): &(TokenId, String)| format!("{id} {}", name.escape_debug());
        line("kind", self.origin.clone().unwrap_or_else(|| "not said".to_owned()))?;
        let n_padding = self.width - self.n_ids;
        line("width", format!("{} ({} ids, {n_padding} padding)", self.width, self.n_ids))?;
        line("text tokens", format!("{} ({} trie nodes)", self.n_text, self.n_trie_nodes))?;
        let n_inner = self.n_holes - n_padding;
        line("holes", with(n_inner, self.holes.to_string()))?;
        line("special tokens", with(self.n_special, listed(&self.specials, self.n_special, special)))?;
        let stops = listed(&self.stops, self.stops.len(), token);
        line("stop tokens", if stops.is_empty() { "none".to_owned() } else { stops })?;
        let duplicates = listed(&self.duplicates, self.n_duplicated, |duplicate| {
            let n_tokens = duplicate.tokens.len();
            format!("{} {}", duplicate.text, listed(&duplicate.tokens, n_tokens, TokenId::to_string))
        });
        line("duplicates", with(self.n_duplicates, duplicates))?;
        line("empty tokens", self.n_empty.to_string())?;
        let never = format!("{} ({} in no UTF-8 text)", self.n_not_utf8, self.n_never_utf8);
        line("not UTF-8", never)?;
        let missing = match (self.missing_bytes.is_empty(), self.missing_utf8_bytes.is_empty()) {
            (true, _) => "none".to_owned(),
            (false, true) => format!("{} (none of UTF-8)", self.missing_bytes),
            (false, false) => format!("{} (of UTF-8: {})", self.missing_bytes, self.missing_utf8_bytes),
        };
        line("missing bytes", missing)?;
        let longest = listed(&self.longest, 0, |(id, len, text)| format!("{id} {text} {len}"));
        line("longest, bytes", longest)?;
        let leading_space = match self.leading_space {
            LeadingSpace::Kept => "kept at the start of the output",
            LeadingSpace::Stripped => "stripped at the start of the output by the tokenizer's decoder",
        };
        line("leading space", leading_space.to_owned())
    }
}
