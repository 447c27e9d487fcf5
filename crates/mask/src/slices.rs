//! Loop slices: the tokens that a loop takes wholesale, and the rest.
//!
//! A state that returns to itself on a set of characters accepts every token made of nothing else. That is one bitset per
//! [loop](Loop), whatever grammar the state is of: three serve the states of 400 real schemas. So the widest states, the
//! inside of a string or of free text, share their 16 KB.
//!
//! Of a token that begins with characters of the loop and then leaves it, only the part from the first other character on
//! matters: what stands before led back to the state. So the *rest* of a slice is a trie of those parts, in which `a",`,
//! `of",` and `",` are one path. It is walked instead of half the vocabulary: for the inside of a JSON string 1,500 nodes
//! instead of 15,000. And it has only the tokens that leave by an *exit*, a byte that is read: a string of lower-case letters
//! is left by its quote, and the tokens that go on with a capital need not be looked at.
//!
//! White space is left by more kinds of bytes than the inside of a string, so there is one rest for all that JSON has behind it.
//!
//! A rest is right where nothing that the state calls begins with a character of the loop: else something may have begun
//! in what stands before.
//!
//! A state may read any text of some characters without returning to itself: one that looks for a word goes to and fro among a
//! few states ([`live`](formwork_fsm::RuleView::live)). Which of them a token leaves from depends on what it begins with, so of
//! such a slice the tokens that *leave* it are a trie of whole texts: 1,500 instead of the vocabulary's 128,000.
//!
//! # Worked example
//! The loop of `[a-z]*`, tokens `ab`, `ab"`, `x"`, `"`, `b",`, `1`. The slice is `ab`; the rest is `"` (`ab"`, `x"`) with
//! `,` (`b",`) below. `"` and `1` begin outside the loop and are in neither.

use crate::bits;
use crate::bitset::Bitset;
use crate::boundary::Source;
use crate::characters::Characters;
use crate::far::LongTokens;
use crate::token_set::SharedSets;
use crate::tokens_by_byte::{TokensByByte, TokensByLength};
use crate::unions::Unions;
use formwork_fsm::Loop;
use formwork_grammar::{ByteSet, HashMap};
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The slices of one vocabulary, computed when first needed and shared by all grammars and threads.
#[derive(Debug)]
pub struct Slices {
    vocabulary: Vocabulary,
    bytes: TokensByByte,
    known: Mutex<HashMap<Loop, Arc<Slice>>>,
    sets: Mutex<SharedSets>,
    unions: Unions,
    lengths: TokensByLength,
    long_tokens: OnceLock<LongTokens>,
    characters: OnceLock<Arc<Characters>>,
    opening: OnceLock<Opening>,
}

/// What one loop makes of a vocabulary.
#[derive(Debug)]
pub(crate) struct Slice {
    own_loop: Loop,
    /// The bits of the tokens made of the loop's characters alone, the last of which may be unfinished.
    pub(crate) words: Arc<Bitset>,
    leaving: Mutex<Vec<Leaving>>,
}

/// What a place makes of a vocabulary at which white space may come, and a JSON string of any text.
#[derive(Debug)]
pub(crate) struct Opening {
    /// The tokens that are white space and perhaps a quote, with or without text of the string behind it.
    pub(crate) words: Arc<Bitset>,
    /// The others of white space and something behind it, from there on, as in a [rest](Source::Rest); and the others that begin
    /// with a quote.
    pub(crate) others: Arc<Trie>,
}

/// What leaves a slice.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    /// In which form.
    pub(crate) source: Source,
    /// The first bytes that do not belong to the loop.
    pub(crate) exits: ByteSet,
    /// `None` if it is very much.
    pub(crate) trie: Option<Arc<Trie>>,
}

/// What stands for itself inside of JSON strings.
pub(crate) const JSON_TEXT: Loop = Loop::JSON_TEXT;

/// The white space of JSON.
pub(crate) const JSON_BLANKS: Loop =
    Loop { ascii: 1 << b' ' | 1 << b'\t' | 1 << b'\n' | 1 << b'\r', leads: 0 };

/// The digits of numbers.
const DIGITS: Loop = Loop { ascii: 0x3FF << b'0', leads: 0 };

/// What may follow white space in JSON, and digits in most languages: ASCII punctuation, digits, and what `true`, `false` and
/// `null` begin with. What leaves a narrow loop by one of these is kept as one trie, whichever of them are read.
pub(crate) const BEHIND_BLANKS: ByteSet = {
    const fn bit(byte: u8) -> u64 {
        1 << (byte - 64)
    }
    let others = bit(b'@') | 0x3F << 27 | 0xF << 59;
    ByteSet::from_words([!0 << b'!', others | bit(b't') | bit(b'f') | bit(b'n'), 0, 0])
};

/// Slices that are kept; further ones are computed for whoever asks. 1 MiB for a vocabulary of 128,000.
const MAX_KEPT: usize = 64;
/// A slice of so many characters is looked for in the trie.
const FEW_CHARACTERS: u32 = 16;
/// With more tokens what leaves is not worth its trie: half the vocabulary leaves a loop by an ordinary letter.
const MAX_LEAVING: usize = 10_000;
/// What leaves is kept for so many kinds of exits.
const MAX_EXITS: usize = 8;

impl Slices {
    /// No slices yet.
    ///
    /// Cost: a pass over the vocabulary's bytes, some milliseconds.
    pub fn new(vocabulary: Vocabulary) -> Self {
        let bytes = TokensByByte::new(&vocabulary);
        let (known, sets) = (Mutex::default(), Mutex::default());
        let lengths = TokensByLength::new(&vocabulary);
        let (unions, long_tokens, characters, opening) = Default::default();
        Self { vocabulary, bytes, known, sets, unions, lengths, long_tokens, characters, opening }
    }

    /// Computes what nearly every grammar asks for: the slices of the inside of JSON strings, of white space and of digits, what
    /// leaves them, and the long tokens. Else the first masks inside of strings and numbers wait for it.
    ///
    /// Cost: about 3 ms the first time.
    pub fn prepare(&self) {
        let slice = self.slice(JSON_TEXT);
        let exits: ByteSet = [b'"', b'\\'].into_iter().collect();
        self.leaving(&slice, Source::Rest, exits);
        self.leaving(&slice, Source::Leaving, exits);
        let blanks = self.slice(JSON_BLANKS);
        self.leaving(&blanks, Source::Rest, BEHIND_BLANKS);
        let digits = self.slice(DIGITS);
        self.leaving(&digits, Source::Leaving, ByteSet::FULL.difference(&DIGITS.first_bytes()));
        self.long_tokens();
        self.characters();
        self.opening();
    }

    /// What a place makes of the vocabulary at which a name may come that is not declared, whatever else it accepts.
    ///
    /// Cost: a load, or about 0.5 ms the first time.
    pub(crate) fn opening(&self) -> &Opening {
        self.opening.get_or_init(|| {
            let trie = self.vocabulary.trie();
            let mut words = self.made_of_few(JSON_BLANKS);
            let mut others: Vec<(TokenId, &[u8])> = Vec::new();
            for node in self.nodes_along(JSON_BLANKS) {
                let depth = trie.depth(node);
                let is_exit = |byte: u8| match depth {
                    0 => byte == b'"',
                    _ => BEHIND_BLANKS.contains(byte),
                };
                for child in trie.children(node).filter(|&child| is_exit(trie.byte(child))) {
                    for &token in trie.tokens_below(child) {
                        let behind = self.vocabulary.text(token).unwrap_or_default().get(depth..);
                        match behind.unwrap_or_default() {
                            [b'"', text @ ..] if is_json_text(text) => bits::set(&mut words, token),
                            behind => others.push((token, behind)),
                        }
                    }
                }
            }
            Opening { words: Arc::new(words.into()), others: Arc::new(Trie::over(others)) }
        })
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The slice of a loop.
    ///
    /// Cost: a lookup, or about 0.1 ms the first time.
    pub(crate) fn slice(&self, own_loop: Loop) -> Arc<Slice> {
        if let Some(known) = self.lock().get(&own_loop) {
            return Arc::clone(known);
        }
        // Not under the lock: two threads may compute the same slice, but none waits.
        let words = match own_loop.leads == 0 && own_loop.ascii.count_ones() <= FEW_CHARACTERS {
            true => self.made_of_few(own_loop),
            false => self.bytes.made_of(own_loop),
        };
        let words = Arc::new(words.into());
        let slice = Arc::new(Slice::of(own_loop, words, Vec::new()));
        let mut known = self.lock();
        if known.len() < MAX_KEPT {
            known.insert(own_loop, Arc::clone(&slice));
        }
        slice
    }

    /// The tokens made of a few characters of ASCII alone.
    ///
    /// PERF: digits are 1,110 nodes of the trie; to take out of a bitset the tokens with any other byte took 15 times as many
    /// instructions.
    fn made_of_few(&self, own_loop: Loop) -> Vec<u32> {
        let trie = self.vocabulary.trie();
        let mut words = vec![0; self.vocabulary.mask_words()];
        for node in self.nodes_along(own_loop) {
            trie.tokens_at(node).iter().for_each(|&token| bits::set(&mut words, token));
        }
        words
    }

    /// The nodes of the vocabulary's trie that texts of a few characters of ASCII lead to, the root among them.
    fn nodes_along(&self, own_loop: Loop) -> Vec<NodeId> {
        let trie = self.vocabulary.trie();
        let mut nodes = vec![Trie::ROOT];
        let mut next = 0;
        while let Some(&node) = nodes.get(next) {
            next += 1;
            nodes.extend(trie.children(node).filter(|&child| own_loop.may_begin(trie.byte(child))));
        }
        nodes
    }

    /// The tokens that begin with a character of the slice's loop and leave it at one of these bytes: as whole texts, or, as
    /// the [rest](Source::Rest), from that byte on. `None` if they are very many.
    ///
    /// Cost: a lookup, or about 0.3 ms the first time.
    pub(crate) fn leaving(&self, slice: &Slice, source: Source, exits: ByteSet) -> Option<Arc<Trie>> {
        let is_it = |known: &&Leaving| known.source == source && known.exits == exits;
        if let Some(known) = slice.lock().iter().find(is_it) {
            return known.trie.clone();
        }
        // Not under the lock, as above.
        let trie = self.compute_leaving(slice, source, &exits).map(Arc::new);
        let mut known = slice.lock();
        if known.len() < MAX_EXITS {
            known.push(Leaving { source, exits, trie: trie.clone() });
        }
        trie
    }

    fn compute_leaving(&self, slice: &Slice, source: Source, exits: &ByteSet) -> Option<Trie> {
        let candidates = self.bytes.leaving(slice.own_loop, &slice.words, exits);
        let mut texts: Vec<(TokenId, &[u8])> = Vec::new();
        for token in bits::tokens(&candidates) {
            let text = self.vocabulary.text(token).unwrap_or_default();
            let n_inside = taken(text, slice.own_loop);
            // A character of the loop that goes wrong is left to who reads bytes.
            let leaves = |&byte: &u8| exits.contains(byte) || byte >= 0x80 && slice.own_loop.may_begin(byte);
            if !text.get(n_inside).is_some_and(leaves) {
                continue;
            }
            if texts.len() == MAX_LEAVING {
                return None;
            }
            texts.push((token, if source == Source::Rest { &text[n_inside..] } else { text }));
        }
        Some(Trie::over(texts))
    }

    /// Those tokens of a slice that have at most so many bytes.
    ///
    /// Cost: a copy, and a pass over the longer tokens.
    pub(crate) fn at_most(&self, slice: &Slice, n_bytes: usize) -> Arc<Bitset> {
        let mut words = slice.words.to_vec();
        self.lengths.keep(&mut words, n_bytes);
        self.shared(&words)
    }

    /// Those tokens of a slice that have more bytes than `n_bytes`, and all characters of one of these sets.
    ///
    /// Cost: a pass for each character.
    pub(crate) fn doubtful(&self, slice: &Slice, n_bytes: usize, needed: &[u128]) -> Vec<u32> {
        let mut doubtful = vec![0; slice.words.len()];
        for &characters in needed {
            bits::or(&mut doubtful, &self.bytes.having_all(&slice.words, characters));
        }
        self.lengths.keep_longer(&mut doubtful, n_bytes);
        doubtful
    }

    /// The tokens of many bytes.
    ///
    /// Cost: a load, or about 1 ms the first time.
    pub(crate) fn long_tokens(&self) -> &LongTokens {
        self.long_tokens.get_or_init(|| LongTokens::of(&self.vocabulary))
    }

    /// The tokens by their characters.
    ///
    /// Cost: a load, or about 0.3 ms the first time.
    pub(crate) fn characters(&self) -> &Arc<Characters> {
        self.characters.get_or_init(|| Arc::new(Characters::of(&self.vocabulary)))
    }

    /// Whether it is the trie of the tokens of many bytes.
    pub(crate) fn is_long_tokens(&self, trie: &Arc<Trie>) -> bool {
        self.long_tokens.get().is_some_and(|long| Arc::ptr_eq(&long.trie, trie))
    }

    /// The slices that are kept, in a fixed order.
    pub(crate) fn known(&self) -> Vec<Arc<Slice>> {
        let mut known: Vec<Arc<Slice>> = self.lock().values().cloned().collect();
        known.sort_unstable_by_key(|slice| slice.own_loop);
        known
    }

    /// Keeps a slice, unless there are too many.
    pub(crate) fn insert(&self, slice: Slice) {
        let mut known = self.lock();
        if known.len() < MAX_KEPT {
            known.insert(slice.own_loop, Arc::new(slice));
        }
    }

    /// What local masks of the vocabulary accept together.
    pub(crate) fn unions(&self) -> &Unions {
        &self.unions
    }

    /// The same bitset for all that are equal.
    pub(crate) fn shared(&self, words: &[u32]) -> Arc<Bitset> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner).get(words)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Loop, Arc<Slice>>> {
        // The map is whole at every moment, so a thread that panicked has left nothing half done.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slice {
    /// A slice of which some of what [leaves](Slices::leaving) it may be known.
    pub(crate) fn of(own_loop: Loop, words: Arc<Bitset>, leaving: Vec<Leaving>) -> Self {
        Self { own_loop, words, leaving: Mutex::new(leaving) }
    }

    pub(crate) fn own_loop(&self) -> Loop {
        self.own_loop
    }

    /// What [leaves](Slices::leaving) it, as far as somebody asked, in a fixed order.
    pub(crate) fn known_leaving(&self) -> Vec<Leaving> {
        let mut known = self.lock().clone();
        known.sort_unstable_by_key(|leaving| (leaving.source, leaving.exits));
        known
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Leaving>> {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many bytes at the beginning of the text are characters of the loop; an unfinished one at the end counts.
fn taken(text: &[u8], own_loop: Loop) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if !own_loop.may_begin(byte) {
            break;
        }
        let len = match byte {
            0..=0x7F => {
                at += 1;
                continue;
            }
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        };
        let character = &text[at..text.len().min(at + len)];
        match std::str::from_utf8(character) {
            Ok(_) => at += character.len(),
            Err(error) if error.error_len().is_none() && at + len > text.len() => at = text.len(),
            Err(_) => break,
        }
    }
    at
}

/// Whether a loop reads every text below the node.
#[inline]
pub(crate) fn covers(own_loop: Loop, trie: &Trie, node: NodeId) -> bool {
    // PERF: most states have no loop, and the set below is a cache line of its own.
    if own_loop.is_empty() {
        return false;
    }
    let below = trie.bytes_below(node);
    own_loop.has_bytes(below) && (below[2] | below[3] == 0 || own_loop.leads != 0 && trie.is_utf8_below(node))
}

/// Whether a text is made of what stands for itself inside of JSON strings, the last character of which may be unfinished.
fn is_json_text(text: &[u8]) -> bool {
    let is_well_formed = std::str::from_utf8(text).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_well_formed && text.iter().all(|&byte| byte >= 0x80 || JSON_TEXT.may_begin(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_grammar::{CharClass, GrammarBuilder, Place};

    fn slices(texts: &[&[u8]]) -> Slices {
        let mut builder = Vocabulary::builder();
        for (id, text) in (0..).zip(texts) {
            builder.token(id, text);
        }
        Slices::new(builder.build().expect("a vocabulary"))
    }

    #[test]
    fn the_loop_of_json_strings_is_the_one_that_is_prepared() {
        let mut b = GrammarBuilder::new();
        let root = b.declare("root", Place::none());
        let (quote, any) = (b.literal("\""), b.class(CharClass::any()));
        let text = b.star(any);
        let text = b.json_text(text);
        let body = b.seq([quote, text, quote]);
        b.define(root, body);
        let grammar = b.build(root).expect("a grammar");
        let automata =
            formwork_fsm::build(&grammar, &formwork_fsm::Config::default(), &|| false).expect("automata");
        let inside = automata.step(automata.start(automata.root()), b'"').0.expect("a string");
        assert_eq!(automata.own_loop(inside), JSON_TEXT);
    }

    const AB: u128 = (1 << b'a') | (1 << b'b');

    #[test]
    fn a_slice_holds_exactly_the_tokens_of_its_characters() {
        let slices = slices(&[
            b"ab",
            b"a1",
            "é".as_bytes(),
            b"a\xC3",
            b"\xC3(",
            b"\xA9",
            "aéb".as_bytes(),
            b"ba\xE2\x82",
        ]);
        let tokens = |own_loop| {
            let slice = slices.slice(own_loop);
            bits::tokens(&slice.words).map(TokenId::get).collect::<Vec<_>>()
        };
        assert_eq!(tokens(Loop { ascii: AB, leads: 0 }), [0]);
        assert_eq!(tokens(Loop { ascii: AB, leads: !0 }), [0, 2, 3, 6, 7]);
        assert_eq!(tokens(Loop { ascii: AB, leads: !(1 << 0x22) }), [0, 2, 3, 6]);
        assert_eq!(tokens(Loop { ascii: 0, leads: !0 }), [2]);
        assert_eq!(slices.lock().len(), 4);
    }

    #[test]
    fn classes_of_whole_groups_and_parts_of_them_have_their_tokens() {
        let bytes: Vec<u8> = (0..=0x7F).collect();
        let pairs = bytes.iter().flat_map(|&a| bytes.iter().map(move |&b| vec![a, b]));
        let texts: Vec<Vec<u8>> = bytes.iter().map(|&byte| vec![byte]).chain(pairs.step_by(3)).collect();
        let slices = slices(&texts.iter().map(|text| &text[..]).collect::<Vec<_>>());
        let class = |is_in: &dyn Fn(&u8) -> bool| {
            bytes.iter().filter(|byte| is_in(byte)).fold(0, |all, &byte| all | 1u128 << byte)
        };
        let classes = [
            class(&u8::is_ascii_lowercase),
            class(&u8::is_ascii_hexdigit),
            class(&|&byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)),
            class(&u8::is_ascii_punctuation),
            class(&|&byte| byte > b' ' && byte != b'"'),
            class(&|_| true),
        ];
        for ascii in classes {
            let own_loop = Loop { ascii, leads: 0 };
            let is_inside = |text: &&Vec<u8>| text.iter().all(|&byte| own_loop.may_begin(byte));
            let inside: Vec<&Vec<u8>> = texts.iter().filter(is_inside).collect();
            let slice = slices.slice(own_loop);
            let found: Vec<&Vec<u8>> =
                bits::tokens(&slice.words).map(|token| &texts[token.get() as usize]).collect();
            assert_eq!(found, inside);
            let exits = ByteSet::FULL.difference(&own_loop.first_bytes());
            let leaving = slices.leaving(&slice, Source::Leaving, exits).expect("few");
            let leaves = |text: &&Vec<u8>| own_loop.may_begin(text[0]) && !is_inside(text);
            let n_leaving = texts.iter().filter(leaves).count();
            assert_eq!(leaving.tokens_below(Trie::ROOT).len(), n_leaving);
        }
    }

    #[test]
    fn behind_blanks_are_digits_punctuation_and_words_of_json() {
        let is_so =
            |&byte: &u8| byte.is_ascii_digit() || byte.is_ascii_punctuation() || b"tfn".contains(&byte);
        assert_eq!(BEHIND_BLANKS, (0..=0xFF).filter(is_so).collect());
    }

    #[test]
    fn an_opening_is_blanks_and_a_quote_with_any_text() {
        let inside: [&[u8]; 8] =
            [b" ", b"\n\t\r ", b"\"", b" \"", b"\"a b", b" \"\xC3\xA9", b"\"\xC3", b"\t\"{}"];
        let outside: [&[u8]; 8] = [b"a", b" a", b"\"\"", b" \"a\"", b"\"\\", b"\"\n", b"\"\xC3(", b"\x0B\""];
        let slices = slices(&[inside, outside].concat());
        assert!(bits::tokens(&slices.opening().words).map(TokenId::get).eq(0..8));
        expect_test::expect![[r#"
            . (not UTF-8 below)
              \" (not UTF-8 below)
                \n t13
                \" t10
                \\ t12
                a
                  \" t11
                \xc3
                  ( t14
        "#]]
        .assert_eq(&slices.opening().others.to_string());
    }

    #[test]
    fn what_leaves_a_slice_begins_in_it() {
        let slices = slices(&[b"ab", b"ab\"", b"x\"", b"\"", b"b\",", b"a\xC3(", b"a\xC3"]);
        let slice = slices.slice(Loop { ascii: AB, leads: !0 });
        let leaving = slices.leaving(&slice, Source::Leaving, [b'"'].into_iter().collect());
        expect_test::expect![[r#"
            . (not UTF-8 below)
              a (not UTF-8 below)
                b
                  \" t1
                \xc3
                  ( t5
              b
                \"
                  , t4
        "#]]
        .assert_eq(&leaving.expect("few tokens").to_string());
    }

    #[test]
    fn the_rest_of_a_slice_begins_with_the_first_other_character() {
        let slices = slices(&[b"ab", b"ab\"", b"x\"", b"\"", b"b\",", b"1", b"a\xC3(", b"b\xC3\xA9\""]);
        let rest = |own_loop| {
            let slice = slices.slice(own_loop);
            let exits = [b'"', b'1', b'('].into_iter().collect();
            slices.leaving(&slice, Source::Rest, exits).expect("few tokens").to_string()
        };
        expect_test::expect![[r#"
            . (not UTF-8 below)
              \" t1 t7
                , t4
              \xc3
                ( t6
        "#]]
        .assert_eq(&rest(Loop { ascii: AB, leads: !0 }));
    }
}
