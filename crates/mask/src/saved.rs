//! Local masks as bytes, and what they share: bitsets, tries, slices.
//!
//! What several masks share is written once and shared again when it is read. Places in tries are kept as the numbers of
//! nodes: a trie is a function of its texts, so the vocabulary's is the same wherever the vocabulary is, and the others are
//! kept as their texts, which are the ends of tokens.
//!
//! What is read is checked as far as using it relies on it: tokens are the vocabulary's, places are in their tries, a base
//! has no base itself. Whether a mask is that of its state is not checked, since that would be computing it again.

use crate::bits;
use crate::bitset::Bitset;
use crate::boundary::{Boundaries, Place, Source};
use crate::local::{Base, CountedMask, CountedText, End, Group, LocalMask, Rare, Step};
use crate::slices::{Leaving, Slice, Slices};
use crate::suffixes::{Suffix, Suffixes};
use crate::token_set::TokenSet;
use formwork_fsm::{Loop, Malformed, Reader, Writer};
use formwork_grammar::HashMap;
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use std::sync::Arc;

/// Puts local masks together as bytes.
#[derive(Debug)]
pub struct MaskWriter<'a> {
    slices: &'a Slices,
    sets: Shared<Bitset>,
    tries: Shared<Trie>,
    masks: Shared<LocalMask>,
    written: Writer,
}

/// What several have, each once.
#[derive(Debug)]
struct Shared<T: ?Sized> {
    list: Vec<Arc<T>>,
    /// By address, which the list keeps from being used again.
    numbers: HashMap<usize, u32>,
}

impl<T: ?Sized> Default for Shared<T> {
    fn default() -> Self {
        Self { list: Vec::new(), numbers: HashMap::default() }
    }
}

impl<T: ?Sized> Shared<T> {
    fn known(&self, item: &Arc<T>) -> Option<u32> {
        self.numbers.get(&Arc::as_ptr(item).addr()).copied()
    }

    fn number(&mut self, item: &Arc<T>) -> u32 {
        self.known(item).unwrap_or_else(|| {
            let number = self.list.len() as u32;
            self.numbers.insert(Arc::as_ptr(item).addr(), number);
            self.list.push(Arc::clone(item));
            number
        })
    }
}

impl<'a> MaskWriter<'a> {
    /// Nothing yet but the slices.
    pub fn new(slices: &'a Slices) -> Self {
        let (sets, tries, masks) = Default::default();
        Self { slices, sets, tries, masks, written: Writer::new() }
    }

    /// The number by which [`Masks::get`] finds the mask again.
    pub fn add(&mut self, mask: &Arc<LocalMask>) -> u32 {
        // A base has none itself, so this goes one level deep.
        let base = mask.base().map(|base| self.add_alone(&base.mask, None));
        self.add_alone(mask, base)
    }

    fn add_alone(&mut self, mask: &Arc<LocalMask>, base: Option<u32>) -> u32 {
        if let Some(known) = self.masks.known(mask) {
            return known;
        }
        let number = self.masks.number(mask);
        self.token_set(&mask.accepted);
        self.boundaries(&mask.boundaries);
        self.nodes(mask.rechecks());
        match (base, mask.base()) {
            (Some(number), Some(beside)) => {
                self.written.u8(1);
                self.written.u32(number);
                self.tokens(&beside.less);
                self.nodes(&beside.excluded);
            }
            _ => self.written.u8(0),
        }
        match mask.counted() {
            Some(counted) => {
                self.written.u8(1);
                self.counted(counted);
            }
            None => self.written.u8(0),
        }
        number
    }

    /// Writes all that was added.
    pub fn finish(mut self, writer: &mut Writer) {
        let slices = self.slices.known();
        let leaving: Vec<Vec<Leaving>> = slices.iter().map(|slice| slice.known_leaving()).collect();
        let words: Vec<u32> = slices.iter().map(|slice| self.sets.number(&slice.words)).collect();
        let tries = leaving.iter().flatten().flat_map(|leaving| &leaving.trie);
        tries.for_each(|trie| _ = self.tries.number(trie));
        writer.len(self.sets.list.len());
        self.sets.list.iter().for_each(|words| writer.bits(words));
        writer.len(self.tries.list.len());
        for trie in &self.tries.list {
            writer.len(trie.sorted_tokens().len());
            let mut node = Trie::ROOT;
            while node < trie.end(Trie::ROOT) {
                for token in trie.tokens_at(node) {
                    writer.u32(token.get());
                    writer.len(trie.depth(node));
                }
                node = node.next();
            }
        }
        writer.len(slices.len());
        for ((slice, words), leaving) in slices.iter().zip(words).zip(leaving) {
            writer.raw(&slice.own_loop().ascii.to_le_bytes());
            writer.raw(&slice.own_loop().leads.to_le_bytes());
            writer.u32(words);
            writer.len(leaving.len());
            for Leaving { source, exits, trie } in leaving {
                writer.u32(number_of(source));
                writer.byte_set(&exits);
                writer.u32(trie.map_or(NO_TRIE, |trie| self.tries.number(&trie) + N_SPECIAL));
            }
        }
        writer.len(self.masks.list.len());
        writer.raw(&self.written.into_bytes());
    }

    fn token_set(&mut self, set: &TokenSet) {
        match set {
            TokenSet::List(tokens) => {
                self.written.u8(0);
                self.tokens(tokens);
            }
            TokenSet::Bits { words, more, of_slice } => {
                self.written.u8(1 + u8::from(*of_slice));
                let number = self.sets.number(words);
                self.written.u32(number);
                self.tokens(more);
            }
        }
    }

    fn tokens(&mut self, tokens: &[TokenId]) {
        self.written.len(tokens.len());
        tokens.iter().for_each(|token| self.written.u32(token.get()));
    }

    fn nodes(&mut self, nodes: &[NodeId]) {
        self.written.len(nodes.len());
        nodes.iter().for_each(|node| self.written.u32(node.get()));
    }

    fn trie(&mut self, trie: Option<&Arc<Trie>>) {
        let number = match trie {
            None => NO_TRIE,
            Some(trie) if self.slices.is_long_tokens(trie) => LONG_TOKENS,
            Some(trie) => self.tries.number(trie) + N_SPECIAL,
        };
        self.written.u32(number);
    }

    fn boundaries(&mut self, boundaries: &Boundaries) {
        let Boundaries { places, rest, suffixes } = boundaries;
        self.trie(rest.as_ref());
        let suffixes = suffixes.as_ref().map_or(&[][..], |suffixes| suffixes.entries());
        self.written.len(suffixes.len());
        for suffix in suffixes {
            self.written.u32(suffix.token.get());
            self.written.u32(suffix.n_bytes.into());
        }
        self.written.len(places.len());
        for Place { source, node, undecided } in places {
            self.written.u32(number_of(*source));
            self.written.u32(node.get());
            self.written.byte_set(undecided);
        }
    }

    fn counted(&mut self, counted: &CountedMask) {
        let CountedMask { all, text, most, least, groups, steps, ends } = counted;
        self.token_set(all);
        match text {
            Some(text) => {
                self.written.u8(1);
                let number = self.sets.number(&text.words);
                self.written.u32(number);
                self.written.u32(text.need);
            }
            None => self.written.u8(0),
        }
        self.written.u32(*most);
        self.written.u32(*least);
        self.written.len(groups.len());
        for Group { most, least, tokens } in groups {
            self.written.u32(*most);
            self.written.u32(*least);
            self.token_set(tokens);
        }
        self.written.len(steps.len());
        for Step { n_groups, tokens } in steps {
            self.written.len(*n_groups);
            self.token_set(tokens);
        }
        self.written.len(ends.len());
        for End { least, most, boundaries } in ends {
            self.written.u32(*least);
            self.written.u32(*most);
            self.boundaries(boundaries);
        }
    }
}

fn number_of(source: Source) -> u32 {
    match source {
        Source::Vocabulary => 0,
        Source::Rest => 1,
        Source::Leaving => 2,
    }
}

fn source_of(number: u32) -> Source {
    match number {
        0 => Source::Vocabulary,
        1 => Source::Rest,
        _ => Source::Leaving,
    }
}

// Numbers before those of tries in the file.
const NO_TRIE: u32 = 0;
const LONG_TOKENS: u32 = 1;
const N_SPECIAL: u32 = 2;

/// Local masks that were read, by number.
#[derive(Debug)]
pub struct Masks {
    list: Vec<Arc<LocalMask>>,
    n_shared_bytes: usize,
}

impl Masks {
    /// Reads what a [`MaskWriter`] for the same vocabulary wrote; slices that were known are known again.
    ///
    /// Cost: mostly by the tries, a tenth of a microsecond a text.
    ///
    /// # Errors
    /// It is none of that.
    pub fn read(slices: &Slices, reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let reading = Reading::new(slices, reader)?;
        reading.slices(reader)?;
        let n_masks = reader.len(MIN_MASK)?;
        let mut list: Vec<Arc<LocalMask>> = Vec::with_capacity(n_masks);
        for _ in 0..n_masks {
            let mask = reading.mask(&list, reader)?;
            list.push(Arc::new(mask));
        }
        Ok(Self { list, n_shared_bytes: reading.n_bytes() })
    }

    /// The number of masks.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The mask with this number.
    pub fn get(&self, number: u32) -> Option<&Arc<LocalMask>> {
        self.list.get(number as usize)
    }

    /// Heap memory in bytes of what they share.
    pub fn n_shared_bytes(&self) -> usize {
        self.n_shared_bytes
    }
}

/// The least length of a mask, in bytes.
const MIN_MASK: usize = 8;
/// Bytes of texts for each byte of the file, on average, beyond which tries are refused: the ends of tokens are some bytes
/// long, and a token of many thousands of bytes has long ones without end.
const MAX_SPREAD: usize = 64;

struct Reading<'a> {
    slices: &'a Slices,
    vocabulary: &'a Vocabulary,
    /// The bits of all tokens with text.
    text: Vec<u32>,
    sets: Vec<Arc<Bitset>>,
    tries: Vec<Arc<Trie>>,
}

impl<'a> Reading<'a> {
    fn new(slices: &'a Slices, reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let vocabulary = slices.vocabulary();
        let mut text = vec![0u32; vocabulary.mask_words()];
        vocabulary.trie().sorted_tokens().iter().for_each(|&token| bits::set(&mut text, token));
        let n_words = text.len();
        let sets = reader.each(4 * n_words, |reader| {
            let words = reader.bits(n_words)?;
            match words.iter().zip(&text).all(|(words, text)| words & !text == 0) {
                true => Ok(slices.shared(&words)),
                false => Err(Malformed::new("has a set of what are no tokens")),
            }
        })?;
        let mut left = (MAX_SPREAD * reader.n_left()).max(1 << 16);
        let tries = reader.each(1, |reader| {
            let texts = reader.each(2, |reader| {
                let token = TokenId::new(reader.u32()?);
                let text = vocabulary.text(token).unwrap_or_default();
                let n = reader.u32()? as usize;
                let start = text.len().checked_sub(n).filter(|_| n > 0);
                let start = start.ok_or(Malformed::new("has an end of no token"))?;
                left = left.checked_sub(n).ok_or(Malformed::new("has too long texts"))?;
                Ok((token, &text[start..]))
            })?;
            Ok(Arc::new(Trie::over(texts)))
        })?;
        Ok(Self { slices, vocabulary, text, sets, tries })
    }

    fn n_bytes(&self) -> usize {
        let tries = self.tries.iter().map(|trie| trie.memory_size());
        self.sets.iter().map(|words| words.memory_size()).chain(tries).sum()
    }

    fn slices(&self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        for _ in 0..reader.len(26)? {
            let (mut ascii, mut leads) = ([0; 16], [0; 8]);
            ascii.copy_from_slice(reader.raw(16)?);
            leads.copy_from_slice(reader.raw(8)?);
            let own_loop = Loop { ascii: u128::from_le_bytes(ascii), leads: u64::from_le_bytes(leads) };
            let words = Arc::clone(&self.sets[reader.below(self.sets.len())? as usize]);
            let leaving = reader.each(3, |reader| {
                let source = source_of(reader.below(3)?);
                Ok(Leaving { source, exits: reader.byte_set()?, trie: self.trie(reader)? })
            })?;
            self.slices.insert(Slice::of(own_loop, words, leaving));
        }
        Ok(())
    }

    fn mask(&self, known: &[Arc<LocalMask>], reader: &mut Reader<'_>) -> Result<LocalMask, Malformed> {
        let accepted = self.token_set(reader)?;
        let boundaries = self.boundaries(reader)?;
        let rechecks = self.nodes(reader)?;
        let base = match reader.bool()? {
            true => {
                let mask = Arc::clone(&known[reader.below(known.len())? as usize]);
                let (less, excluded) = (self.tokens(reader)?, self.nodes(reader)?);
                let ascending = excluded.windows(2).all(|pair| pair[0] < pair[1]);
                if mask.has_base() || mask.counted().is_some() || !ascending {
                    return Err(Malformed::new("has a mask beside one that it cannot be beside"));
                }
                Some(Base { mask, less, excluded })
            }
            false => None,
        };
        let counted = if reader.bool()? { Some(self.counted(reader)?) } else { None };
        Ok(LocalMask::new(accepted, boundaries, Rare { rechecks, base, counted }))
    }

    fn token_set(&self, reader: &mut Reader<'_>) -> Result<TokenSet, Malformed> {
        let words = |reader: &mut Reader<'_>| {
            reader.below(self.sets.len()).map(|number| Arc::clone(&self.sets[number as usize]))
        };
        Ok(match reader.below(3)? {
            0 => TokenSet::List(self.tokens(reader)?),
            kind => {
                let (words, more) = (words(reader)?, self.tokens(reader)?);
                TokenSet::Bits { words, more, of_slice: kind == 2 }
            }
        })
    }

    fn tokens(&self, reader: &mut Reader<'_>) -> Result<Box<[TokenId]>, Malformed> {
        let tokens = reader.each(1, |reader| {
            let token = TokenId::new(reader.u32()?);
            match bits::get(&self.text, token) {
                true => Ok(token),
                false => Err(Malformed::new("has a set of what are no tokens")),
            }
        })?;
        Ok(tokens.into())
    }

    fn nodes(&self, reader: &mut Reader<'_>) -> Result<Box<[NodeId]>, Malformed> {
        let n_nodes = self.vocabulary.trie().n_nodes();
        Ok(reader.each(1, |reader| reader.below(n_nodes).map(NodeId::new))?.into())
    }

    fn trie(&self, reader: &mut Reader<'_>) -> Result<Option<Arc<Trie>>, Malformed> {
        Ok(match reader.below(self.tries.len() + N_SPECIAL as usize)? {
            NO_TRIE => None,
            LONG_TOKENS => Some(Arc::clone(&self.slices.long_tokens().trie)),
            number => Some(Arc::clone(&self.tries[(number - N_SPECIAL) as usize])),
        })
    }

    fn boundaries(&self, reader: &mut Reader<'_>) -> Result<Boundaries, Malformed> {
        let rest = self.trie(reader)?;
        let suffixes = reader.each(2, |reader| {
            let (token, n_bytes) = (TokenId::new(reader.u32()?), reader.u32()?);
            let suffix = Suffix::new(self.vocabulary, token, n_bytes as usize);
            suffix.ok_or(Malformed::new("has a part of a token that it has not"))
        })?;
        let suffixes = (!suffixes.is_empty()).then(|| Arc::new(Suffixes::new(suffixes)));
        let places = reader.each(3, |reader| {
            let source = source_of(reader.below(3)?);
            let trie = match (source, &rest) {
                (Source::Vocabulary, _) => self.vocabulary.trie(),
                (_, Some(rest)) => rest,
                (_, None) => return Err(Malformed::new("refers to what is not there")),
            };
            let node = NodeId::new(reader.below(trie.n_nodes())?);
            Ok(Place { source, node, undecided: reader.byte_set()? })
        })?;
        Ok(Boundaries { places: places.into(), rest, suffixes })
    }

    fn counted(&self, reader: &mut Reader<'_>) -> Result<CountedMask, Malformed> {
        let all = self.token_set(reader)?;
        let text = match reader.bool()? {
            true => {
                let words = &self.sets[reader.below(self.sets.len())? as usize];
                Some(CountedText::new(self.slices, words, reader.u32()?))
            }
            false => None,
        };
        let (most, least) = (reader.u32()?, reader.u32()?);
        let groups: Box<[Group]> = reader
            .each(4, |reader| {
                Ok(Group { most: reader.u32()?, least: reader.u32()?, tokens: self.token_set(reader)? })
            })?
            .into();
        let steps = reader.each(3, |reader| {
            let n_groups = reader.below(groups.len() + 1)? as usize;
            Ok(Step { n_groups, tokens: self.token_set(reader)? })
        })?;
        let ends = reader.each(5, |reader| {
            let (least, most) = (reader.u32()?, reader.u32()?);
            Ok(End { least, most, boundaries: self.boundaries(reader)? })
        })?;
        Ok(CountedMask { all, text, most, least, groups, steps: steps.into(), ends: ends.into() })
    }
}
