//! A pool as bytes: what one process computed, for the next one to begin with.
//!
//! A server that starts, a command that runs once, a worker of many: each computes the same automata and local masks for the
//! same vocabulary. [`Pool::to_bytes`] writes down what a pool holds; [`Pool::from_bytes`] begins a pool with it. Nothing
//! here reads or writes files, so where they are kept is the caller's to decide.
//!
//! # Format
//! Numbers and lists as in [`formwork_fsm::Writer`].
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `FWPOOL\r\n` |
//! | 4 | number of the format, lowest byte first |
//! | 1 + n | the release that wrote it, as in `0.1.0` |
//! | 16 | hash of the vocabulary: its width, and of each id the kind and the text or the name |
//! | 8 | length of the content |
//! | content | [automata](formwork_fsm::Cache::save); [what local masks share, and local masks](formwork_mask::MaskWriter); per rule its tables, whether it is called, and its masks: [of what kind](formwork_mask::MaskKind), the state, the mask; per canonical form the mask; bounds on runs |
//! | 16 | hash of all before |
//!
//! Hashes are SipHash-1-3 of 128 bits: they find out damage, not forgery. Forms hold the switches that change automata, and
//! local masks mean the same under all switches, so [`Config`](crate::Config) is no part of the file. A release may
//! build other automata from the same form, so a file is of one release.
//!
//! # Trust
//! All that is read is checked before it is used: a file that somebody made up, with the right hash, is refused, or gives
//! wrong masks; it causes no panic and no more memory than some ten times its size. Who can write the file decides what
//! masks allow, so keep it like a program.

use crate::pool::{Pool, Slots};
use formwork_fsm::{Cache, Malformed, Reader, RunBound, Writer};
use formwork_mask::{LocalMask, MaskKind, MaskWriter, Masks, Slices};
use formwork_vocab::{TokenId, TokenKind, Vocabulary};
use siphasher::sip128::SipHasher13;
use std::fmt;
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"FWPOOL\r\n";
/// One more for every change of what is written, of forms, and of the order of nodes in tries.
const FORMAT: u32 = 6;
const RELEASE: &str = env!("CARGO_PKG_VERSION");
const HASH: usize = 16;
/// Bounds on runs that a grammar has, at most; ordinary ones have two.
const MAX_BOUNDS: usize = 16;

/// Why bytes are no [`Pool`] for a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolFileError {
    kind: PoolFileErrorKind,
    message: String,
}

/// The kind of a [`PoolFileError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoolFileErrorKind {
    /// It is something else.
    NotAPool,
    /// Another release wrote it.
    Version,
    /// It belongs to another vocabulary.
    Vocabulary,
    /// It is cut off, or some of it has changed since it was written.
    Damaged,
}

impl PoolFileErrorKind {
    /// The name used on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotAPool => "not-a-pool",
            Self::Version => "version",
            Self::Vocabulary => "vocabulary",
            Self::Damaged => "damaged",
        }
    }
}

impl PoolFileError {
    fn new(kind: PoolFileErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What is wrong with the bytes.
    pub fn kind(&self) -> PoolFileErrorKind {
        self.kind
    }
}

impl fmt::Display for PoolFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PoolFileError {}

impl From<Malformed> for PoolFileError {
    fn from(malformed: Malformed) -> Self {
        Self::new(PoolFileErrorKind::Damaged, format!("the pool's file is damaged: it {malformed}"))
    }
}

impl Pool {
    /// What the pool holds now, for [`from_bytes`](Self::from_bytes) in another process. Equal contents give equal bytes.
    ///
    /// Other threads may use the pool meanwhile; what they add is written or not.
    ///
    /// Cost: a copy of what it holds, and a hash of the vocabulary: some 10 ms for 10 MB.
    ///
    /// ```
    /// use formwork_engine::{Compiler, Pool};
    /// # use formwork_grammar::{GrammarBuilder, Place};
    /// use formwork_vocab::Vocabulary;
    /// # let mut b = GrammarBuilder::new();
    /// # let yes = b.declare("yes", Place::none());
    /// # let body = b.literal("yes");
    /// # b.define(yes, body);
    /// # let grammar = b.build(yes)?;
    /// let vocabulary = Vocabulary::bytes();
    /// let compiler = Compiler::new(vocabulary.clone());
    /// compiler.warm(&grammar)?;
    /// let file: Vec<u8> = compiler.pool().to_bytes();
    ///
    /// // In the next process:
    /// let pool = Pool::from_bytes(vocabulary, 64 << 20, &file)?;
    /// let compiler = Compiler::builder(pool.vocabulary().clone()).pool(&pool).build();
    /// compiler.compile(&grammar)?;
    /// assert_eq!(pool.stats().misses, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        // Masks first: all rules that their forms name are then among the automata.
        let (rules, states) = self.contents();
        let mut content = Writer::new();
        let tables = self.automata().save(&mut content);
        let mut masks = MaskWriter::new(self.slices());
        // One more than the mask's number; 0 is none.
        let mut number = |mask: &Arc<LocalMask>| masks.add(mask) + 1;
        let mut rules: Vec<(u32, bool, Arc<Slots>)> = rules
            .into_iter()
            .filter_map(|((name, is_called), slots)| Some((tables.position(name)?, is_called, slots)))
            .collect();
        // Names are of this process, positions are not.
        rules.sort_unstable_by_key(|&(position, is_called, _)| (position, is_called));
        let rules: Vec<(u32, bool, Vec<[u32; 3]>)> = rules
            .iter()
            .map(|&(position, is_called, ref slots)| {
                let state = |slot| Some(tables.state(position, slot)? as u32);
                let made =
                    slots.made().filter_map(|(kind, slot, mask)| Some((kind as u32, state(slot)?, mask)));
                let mut made: Vec<(u32, u32, &Arc<LocalMask>)> = made.collect();
                made.sort_unstable_by_key(|&(kind, state, _)| (kind, state));
                let made = made.into_iter().map(|(kind, state, mask)| [kind, state, number(mask)]);
                (position, is_called, made.collect::<Vec<_>>())
            })
            .filter(|(_, _, made)| !made.is_empty())
            .collect();
        let states: Vec<(&[u32], u32)> = states
            .iter()
            .filter_map(|(form, slot)| Some((&form[..], number(slot.get()?.as_ref().ok()?))))
            .collect();
        masks.finish(&mut content);
        content.len(rules.len());
        for (position, is_called, made) in rules {
            content.u32(position);
            content.u8(is_called.into());
            content.len(made.len());
            made.iter().flatten().for_each(|&word| content.u32(word));
        }
        content.len(states.len());
        for (form, number) in states {
            content.list(form);
            content.u32(number);
        }
        let mut bounds = self.run_bounds();
        bounds.retain(|bounds| bounds.len() <= MAX_BOUNDS);
        content.len(bounds.len());
        for bounds in bounds {
            content.len(bounds.len());
            for RunBound { bytes, max } in bounds {
                content.byte_set(&bytes);
                content.u32(max);
            }
        }
        let content = content.into_bytes();
        let mut file = Writer::new();
        file.raw(MAGIC);
        file.raw(&FORMAT.to_le_bytes());
        file.bytes(RELEASE.as_bytes());
        file.raw(&fingerprint(self.vocabulary()));
        file.raw(&(content.len() as u64).to_le_bytes());
        file.raw(&content);
        let mut file = file.into_bytes();
        let hash = hash(&file);
        file.extend(hash);
        file
    }

    /// A pool of about so many bytes with what [`to_bytes`](Self::to_bytes) wrote for this vocabulary; its stop tokens
    /// may be others. What was used longest ago is left out if that was more.
    ///
    /// Cost: linear in the bytes, and a hash of the vocabulary: some 30 ms for 10 MB.
    ///
    /// # Errors
    /// The bytes are something else, of another release, for another vocabulary, or damaged.
    pub fn from_bytes(vocabulary: Vocabulary, max_bytes: usize, bytes: &[u8]) -> Result<Self, PoolFileError> {
        let content = content(&vocabulary, bytes)?;
        Ok(read(vocabulary, max_bytes, content)?)
    }
}

/// The content of a file that is for this vocabulary and as it was written.
fn content<'a>(vocabulary: &Vocabulary, bytes: &'a [u8]) -> Result<&'a [u8], PoolFileError> {
    let mut reader = Reader::new(bytes);
    if reader.raw(MAGIC.len()) != Ok(MAGIC) {
        return Err(PoolFileError::new(PoolFileErrorKind::NotAPool, "this is not a file of a pool"));
    }
    let format = reader.raw(4)?;
    let release = reader.bytes()?;
    if format != FORMAT.to_le_bytes() || release != RELEASE.as_bytes() {
        let by = match std::str::from_utf8(release) {
            Ok(release) if release.len() < 30 && release.chars().all(|c| c.is_ascii_graphic()) => release,
            _ => "another release",
        };
        let message =
            format!("the pool's file was written by {by}, and this is {RELEASE}: it has to be made again");
        return Err(PoolFileError::new(PoolFileErrorKind::Version, message));
    }
    if reader.raw(HASH)? != fingerprint(vocabulary) {
        let message = "the pool's file is for another vocabulary";
        return Err(PoolFileError::new(PoolFileErrorKind::Vocabulary, message));
    }
    let mut n_bytes = [0; 8];
    n_bytes.copy_from_slice(reader.raw(8)?);
    let n_bytes = usize::try_from(u64::from_le_bytes(n_bytes)).unwrap_or(usize::MAX);
    let content = reader.raw(n_bytes)?;
    let hashed = &bytes[..bytes.len() - reader.n_left()];
    if reader.raw(HASH)? != hash(hashed) {
        let message = "the pool's file is damaged: it has changed since it was written";
        return Err(PoolFileError::new(PoolFileErrorKind::Damaged, message));
    }
    reader.end()?;
    Ok(content)
}

fn read(vocabulary: Vocabulary, max_bytes: usize, content: &[u8]) -> Result<Pool, Malformed> {
    let mut reader = Reader::new(content);
    let (automata, tables) = Cache::load(Pool::max_automata(max_bytes), &mut reader)?;
    let slices = Slices::new(vocabulary);
    let masks = Masks::read(&slices, &mut reader)?;
    let pool = Pool::with_automata(slices, automata, max_bytes);
    pool.count_bytes(masks.n_shared_bytes());
    let mut is_counted = vec![false; masks.len()];
    let mut mask = |number: u32| {
        let mask = masks.get(number).ok_or(Malformed::new("refers to what is not there"))?;
        if !std::mem::replace(&mut is_counted[number as usize], true) {
            pool.count_bytes(size_of::<LocalMask>() + mask.memory_size());
        }
        Ok(Arc::clone(mask))
    };
    for _ in 0..reader.len(3)? {
        let (position, is_called) = (reader.u32()?, reader.bool()?);
        let missing = Malformed::new("refers to what is not there");
        let (name, n_states) = tables.get(position).ok_or(missing)?;
        let slots = pool.slots((name, is_called));
        for _ in 0..reader.len(3)? {
            let kind = MaskKind::ALL[reader.below(MaskKind::ALL.len())? as usize];
            let state = reader.below(n_states)?;
            let mask = mask(reader.u32()?.checked_sub(1).ok_or(missing)?)?;
            // A slot that has a mask keeps it.
            slots.of(kind).get_or_init(state as usize, || Ok(mask));
        }
    }
    for _ in 0..reader.len(2)? {
        let form = reader.list()?;
        let number = reader.u32()?.checked_sub(1).ok_or(Malformed::new("refers to what is not there"))?;
        let _ = pool.shared(form).set(Ok(mask(number)?));
    }
    for _ in 0..reader.len(1)? {
        let bounds =
            reader.each(2, |reader| Ok(RunBound { bytes: reader.byte_set()?, max: reader.u32()? }))?;
        if bounds.len() > MAX_BOUNDS {
            return Err(Malformed::new("has too many bounds on runs"));
        }
        pool.long_runs(&bounds);
    }
    reader.end()?;
    Ok(pool)
}

fn hash(bytes: &[u8]) -> [u8; HASH] {
    SipHasher13::new().hash(bytes).as_u128().to_le_bytes()
}

/// A hash of everything that local masks and automata depend on: what ids are, not which of them stop the output.
fn fingerprint(vocabulary: &Vocabulary) -> [u8; HASH] {
    let mut writer = Writer::new();
    writer.len(vocabulary.width());
    writer.len(vocabulary.n_ids());
    for id in (0..vocabulary.n_ids() as u32).map(TokenId::new) {
        match vocabulary.kind(id) {
            TokenKind::Text => {
                writer.u8(1);
                writer.bytes(vocabulary.text(id).unwrap_or_default());
            }
            TokenKind::Special => {
                writer.u8(2);
                writer.bytes(vocabulary.special_name(id).unwrap_or_default().as_bytes());
            }
            _ => writer.u8(0),
        }
    }
    hash(&writer.into_bytes())
}
