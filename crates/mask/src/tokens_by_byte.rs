//! Which tokens have which bytes, for putting slices together.
//!
//! The tokens made of a loop's characters alone are all tokens but those with a byte that does not belong to it: set operations on
//! bitsets of 16 KB, less than a walk of the vocabulary. A class has most [groups](GROUPS) of bytes as a whole or not at all,
//! so they are a dozen or two, where byte by byte they were a hundred.

use crate::bits;
use formwork_fsm::Loop;
use formwork_grammar::ByteSet;
use formwork_vocab::{TokenId, Trie, Vocabulary};

/// For each byte the tokens that have it.
#[derive(Debug)]
pub(crate) struct TokensByByte {
    /// Tokens of ASCII bytes alone.
    ascii: Box<[u32]>,
    /// Tokens of well-formed text, the last character of which may be unfinished.
    well_formed: Box<[u32]>,
    having: Sets,
    /// For each byte the tokens that begin with it.
    beginning: Sets,
}

/// Sets of tokens by byte, and those of all bytes of a group united.
#[derive(Debug)]
struct Sets {
    by_byte: Vec<Having>,
    by_group: Vec<Having>,
}

/// Bytes that classes have all of, mostly, or none.
const GROUPS: [(u8, u8); 9] = [
    (0x00, 0x1F),
    (b' ', b'/'),
    (b'0', b'9'),
    (b':', b'@'),
    (b'A', b'Z'),
    (b'[', b'`'),
    (b'a', b'z'),
    (b'{', 0x7F),
    (0x80, 0xFF),
];

impl Sets {
    fn of(lists: Vec<Vec<TokenId>>, n_words: usize) -> Self {
        let by_byte: Vec<Having> = lists.into_iter().map(|tokens| Having::of(tokens, n_words)).collect();
        let united = |&(low, high): &(u8, u8)| {
            let mut words = vec![0u32; n_words];
            by_byte[usize::from(low)..=usize::from(high)].iter().for_each(|having| having.put_in(&mut words));
            Having::Many(words.into())
        };
        let by_group = GROUPS.iter().map(united).collect();
        Self { by_byte, by_group }
    }

    /// The sets that these bytes have together, as few as there are.
    fn of_bytes<'a>(&'a self, bytes: &'a ByteSet) -> impl Iterator<Item = &'a Having> {
        GROUPS.iter().zip(&self.by_group).flat_map(move |(&(low, high), group)| {
            let is_whole = (low..=high).all(|byte| bytes.contains(byte));
            let single =
                move |byte: u8| (!is_whole && bytes.contains(byte)).then(|| &self.by_byte[usize::from(byte)]);
            is_whole.then_some(group).into_iter().chain((low..=high).filter_map(single))
        })
    }
}

#[derive(Debug)]
enum Having {
    Few(Box<[TokenId]>),
    Many(Box<[u32]>),
}

/// Up to so many tokens are a list, which is faster to take out than a bitset.
const FEW: usize = 1_000;

impl Having {
    fn of(tokens: Vec<TokenId>, n_words: usize) -> Self {
        if tokens.len() <= FEW {
            return Self::Few(tokens.into());
        }
        let mut words = vec![0u32; n_words];
        tokens.iter().for_each(|&token| bits::set(&mut words, token));
        Self::Many(words.into())
    }

    fn keep(&self, words: &mut [u32]) {
        match self {
            Self::Few(tokens) => {
                let kept: Vec<TokenId> =
                    tokens.iter().copied().filter(|&token| bits::get(words, token)).collect();
                words.fill(0);
                kept.iter().for_each(|&token| bits::set(words, token));
            }
            Self::Many(having) => words.iter_mut().zip(having).for_each(|(word, having)| *word &= having),
        }
    }

    fn put_in(&self, words: &mut [u32]) {
        match self {
            Self::Few(tokens) => tokens.iter().for_each(|&token| bits::set(words, token)),
            Self::Many(having) => bits::or(words, having),
        }
    }

    fn take_out(&self, words: &mut [u32]) {
        match self {
            Self::Few(tokens) => tokens.iter().for_each(|&token| bits::clear(words, token)),
            Self::Many(having) => words.iter_mut().zip(having).for_each(|(word, having)| *word &= !having),
        }
    }
}

impl TokensByByte {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let n_words = vocabulary.mask_words();
        let mut ascii = vec![0u32; n_words];
        let mut well_formed = vec![0u32; n_words];
        let mut lists: Vec<Vec<TokenId>> = vec![Vec::new(); 256];
        for &token in vocabulary.trie().tokens_below(Trie::ROOT) {
            let text = vocabulary.text(token).unwrap_or_default();
            let mut seen = [0u64; 4];
            for &byte in text {
                let (word, bit) = (&mut seen[usize::from(byte >> 6)], 1 << (byte & 63));
                if *word & bit == 0 {
                    *word |= bit;
                    lists[usize::from(byte)].push(token);
                }
            }
            if text.is_ascii() {
                bits::set(&mut ascii, token);
                bits::set(&mut well_formed, token);
            } else if std::str::from_utf8(text).map_or_else(|error| error.error_len().is_none(), |_| true) {
                bits::set(&mut well_formed, token);
            }
        }
        let having = Sets::of(lists, n_words);
        let trie = vocabulary.trie();
        let mut beginning = vec![Vec::new(); 256];
        for child in trie.children(Trie::ROOT) {
            beginning[usize::from(trie.byte(child))] = trie.tokens_below(child).to_vec();
        }
        let beginning = Sets::of(beginning, n_words);
        Self { ascii: ascii.into(), well_formed: well_formed.into(), having, beginning }
    }

    /// The tokens made of the loop's characters alone, the last of which may be unfinished.
    pub(crate) fn made_of(&self, own_loop: Loop) -> Vec<u32> {
        let (mut words, bytes) = match own_loop.leads {
            0 => (self.ascii.to_vec(), 0..=0x7F),
            _ => (self.well_formed.to_vec(), 0..=0xFF),
        };
        // Those between are inside of characters.
        let is_outside = |&byte: &u8| !own_loop.may_begin(byte) && !(0x80..0xC0).contains(&byte);
        let outside: ByteSet = bytes.filter(is_outside).collect();
        self.having.of_bytes(&outside).for_each(|having| having.take_out(&mut words));
        words
    }

    /// Those of some tokens that have all of these characters.
    pub(crate) fn having_all(&self, among: &[u32], mut characters: u128) -> Vec<u32> {
        let mut words = among.to_vec();
        while characters != 0 {
            self.having.by_byte[characters.trailing_zeros() as usize].keep(&mut words);
            characters &= characters - 1;
        }
        words
    }

    /// The tokens that begin with a character of a loop, are not in its slice, and have one of these bytes, or text that is not
    /// well formed if the loop has characters beyond ASCII; perhaps some ids that are no tokens.
    pub(crate) fn leaving(&self, own_loop: Loop, slice: &[u32], exits: &ByteSet) -> Vec<u32> {
        let mut words = match (exits.len(), own_loop.leads) {
            (0..=MANY_EXITS, 0) => vec![0; slice.len()],
            (0..=MANY_EXITS, _) => self.well_formed.iter().map(|word| !word).collect(),
            // PERF: an exit is another bitset to unite, and what is left in is looked at one by one.
            _ => vec![u32::MAX; slice.len()],
        };
        if exits.len() <= MANY_EXITS {
            self.having.of_bytes(exits).for_each(|having| having.put_in(&mut words));
        }
        words.iter_mut().zip(slice).for_each(|(word, inside)| *word &= !inside);
        let inside = own_loop.first_bytes();
        let outside = ByteSet::FULL.difference(&inside);
        if inside.len() <= outside.len() {
            let mut begun = vec![0; words.len()];
            self.beginning.of_bytes(&inside).for_each(|beginning| beginning.put_in(&mut begun));
            words.iter_mut().zip(begun).for_each(|(word, begun)| *word &= begun);
        } else {
            self.beginning.of_bytes(&outside).for_each(|beginning| beginning.take_out(&mut words));
        }
        words
    }
}

/// With more exits what may leave is not narrowed down by them.
const MANY_EXITS: usize = 64;

/// The tokens of each length in bytes, for slices of [chains](crate::chains) that are shorter than some tokens.
#[derive(Debug)]
pub(crate) struct TokensByLength {
    /// The last one has those that are longer, too.
    having: Vec<Having>,
}

impl TokensByLength {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let trie = vocabulary.trie();
        let tokens = trie.tokens_below(Trie::ROOT).iter().zip(trie.lengths_below(Trie::ROOT));
        let mut lists: Vec<Vec<TokenId>> = vec![Vec::new(); usize::from(u8::MAX) + 1];
        tokens.for_each(|(&token, &n_bytes)| lists[usize::from(n_bytes)].push(token));
        while lists.last().is_some_and(Vec::is_empty) {
            lists.pop();
        }
        Self { having: lists.into_iter().map(|tokens| Having::of(tokens, vocabulary.mask_words())).collect() }
    }

    /// Takes all but the tokens of at most so many bytes, which are fewer than 255, out of a bitset.
    pub(crate) fn keep(&self, words: &mut [u32], n_bytes: usize) {
        self.having.iter().skip(n_bytes + 1).for_each(|longer| longer.take_out(words));
    }

    /// Takes the tokens of at most so many bytes out of a bitset.
    pub(crate) fn keep_longer(&self, words: &mut [u32], n_bytes: usize) {
        self.having.iter().take(n_bytes + 1).for_each(|shorter| shorter.take_out(words));
    }
}
