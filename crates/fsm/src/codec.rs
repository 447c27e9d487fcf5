//! Bytes of files: written once, read with everything checked.
//!
//! Numbers are written seven bits a byte, the lowest first, with the highest bit set on all bytes but the last, since most
//! are small. A reader trusts nothing: it never reads beyond its bytes, and a list is only as long as the bytes that are left
//! could hold, so what is allocated is at most a constant times the size of the file.
//!
//! # Worked example
//! The list [5, 300] is `02 05 AC 02`: two numbers; 5; 300 = 2·128 + 44, so 44 with the highest bit set, then 2.

use formwork_grammar::ByteSet;
use std::fmt;

/// Puts numbers and lists together as bytes.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// One byte.
    pub fn u8(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// One to five bytes.
    pub fn u32(&mut self, number: u32) {
        self.u64(number.into());
    }

    /// One to ten bytes.
    pub fn u64(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// The length of a list; what it holds comes behind.
    pub fn len(&mut self, n: usize) {
        self.u64(n as u64);
    }

    /// Bytes as they are, without their number.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Bytes and their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.raw(bytes);
    }

    /// A list of numbers.
    pub fn list(&mut self, numbers: &[u32]) {
        self.len(numbers.len());
        numbers.iter().for_each(|&number| self.u32(number));
    }

    /// Words of a bitset, four bytes each, without their number.
    pub fn bits(&mut self, words: &[u32]) {
        self.bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    /// A set of bytes, as ranges.
    pub fn byte_set(&mut self, set: &ByteSet) {
        let ranges = set.ranges();
        self.len(ranges.len());
        self.bytes.extend(ranges.into_iter().flat_map(|(low, high)| [low, high]));
    }
}

/// Takes bytes apart again.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

/// Bytes that no [`Writer`] has written so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    what: &'static str,
}

impl Malformed {
    /// What is wrong, as a clause about the file: "has a state that leads nowhere".
    pub fn new(what: &'static str) -> Self {
        Self { what }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

impl std::error::Error for Malformed {}

impl<'a> Reader<'a> {
    /// Reads these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The number of bytes that are left.
    pub fn n_left(&self) -> usize {
        self.rest.len()
    }

    /// Nothing may be left.
    ///
    /// # Errors
    /// Something is.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed::new("goes on behind its end")) }
    }

    /// As many bytes, as they are.
    ///
    /// # Errors
    /// There are fewer.
    pub fn raw(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.rest.split_at_checked(n).ok_or(Malformed::new("ends too early"))?;
        self.rest = rest;
        Ok(bytes)
    }

    /// One byte.
    ///
    /// # Errors
    /// There is none.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        let (&byte, rest) = self.rest.split_first().ok_or(Malformed::new("ends too early"))?;
        self.rest = rest;
        Ok(byte)
    }

    /// A number.
    ///
    /// # Errors
    /// It ends too early or is too large.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed::new("has a number that is too large"))
    }

    /// A number.
    ///
    /// # Errors
    /// It ends too early or is too large.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        // PERF: most numbers are one byte.
        if let Some((&byte, rest)) = self.rest.split_first() {
            if byte < 0x80 {
                self.rest = rest;
                return Ok(byte.into());
            }
        }
        u32::try_from(self.u64()?).map_err(|_| Malformed::new("has a number that is too large"))
    }

    /// A number below `n`.
    ///
    /// # Errors
    /// It ends too early or is not below.
    pub fn below(&mut self, n: usize) -> Result<u32, Malformed> {
        let number = self.u32()?;
        match (number as usize) < n {
            true => Ok(number),
            false => Err(Malformed::new("refers to what is not there")),
        }
    }

    /// Yes or no.
    ///
    /// # Errors
    /// It is neither.
    pub fn bool(&mut self) -> Result<bool, Malformed> {
        Ok(self.below(2)? == 1)
    }

    /// The length of a list whose items take at least so many bytes each, which must be one.
    ///
    /// # Errors
    /// The bytes that are left cannot hold it.
    pub fn len(&mut self, n_bytes_each: usize) -> Result<usize, Malformed> {
        let n = usize::try_from(self.u64()?).unwrap_or(usize::MAX);
        match n.checked_mul(n_bytes_each.max(1)) {
            Some(n_bytes) if n_bytes <= self.rest.len() => Ok(n),
            _ => Err(Malformed::new("has a list that is longer than the file")),
        }
    }

    /// Bytes with their number before them.
    ///
    /// # Errors
    /// There are fewer.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let n = self.len(1)?;
        self.raw(n)
    }

    /// A list of numbers.
    ///
    /// # Errors
    /// It ends too early, or a number is too large.
    pub fn list(&mut self) -> Result<Vec<u32>, Malformed> {
        self.each(1, Self::u32)
    }

    /// A list of what `item` reads, at least so many bytes each.
    ///
    /// # Errors
    /// As `item`, and that the list is too long.
    pub fn each<T>(
        &mut self,
        n_bytes_each: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let n = self.len(n_bytes_each)?;
        (0..n).map(|_| item(self)).collect()
    }

    /// So many words of a bitset.
    ///
    /// # Errors
    /// There are fewer.
    pub fn bits(&mut self, n_words: usize) -> Result<Vec<u32>, Malformed> {
        let bytes = self.raw(n_words.saturating_mul(4))?;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        Ok(bytes.chunks_exact(4).map(word).collect())
    }

    /// A set of bytes.
    ///
    /// # Errors
    /// It ends too early, or its ranges are not ascending.
    pub fn byte_set(&mut self) -> Result<ByteSet, Malformed> {
        let mut set = ByteSet::EMPTY;
        let mut next = 0u16;
        for range in self.each(2, |reader| Ok([reader.u8()?, reader.u8()?]))? {
            let [low, high] = range;
            if u16::from(low) < next || low > high {
                return Err(Malformed::new("has a set of bytes out of order"));
            }
            set.insert_range(low, high);
            next = u16::from(high) + 1;
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_worked_example() {
        let mut writer = Writer::new();
        writer.list(&[5, 300]);
        assert_eq!(writer.into_bytes(), [0x02, 0x05, 0xAC, 0x02]);
    }

    #[test]
    fn lists_are_no_longer_than_their_bytes() {
        let mut writer = Writer::new();
        writer.u64(u64::MAX);
        let bytes = writer.into_bytes();
        assert_eq!(bytes.len(), 10);
        assert_eq!(Reader::new(&bytes).u64(), Ok(u64::MAX));
        assert!(Reader::new(&bytes).list().is_err());
        assert!(Reader::new(&bytes).len(usize::MAX).is_err());
        assert!(Reader::new(&[0xFF; 11]).u64().is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            numbers: Vec<u32>, number: u64, words: Vec<u32>, bytes: Vec<u8>, members: Vec<u8>,
        ) {
            let set: ByteSet = members.into_iter().collect();
            let mut writer = Writer::new();
            writer.list(&numbers);
            writer.u64(number);
            writer.bits(&words);
            writer.bytes(&bytes);
            writer.byte_set(&set);
            let file = writer.into_bytes();
            let mut reader = Reader::new(&file);
            prop_assert_eq!(reader.list(), Ok(numbers));
            prop_assert_eq!(reader.u64(), Ok(number));
            prop_assert_eq!(reader.bits(words.len()), Ok(words));
            prop_assert_eq!(reader.bytes(), Ok(&bytes[..]));
            prop_assert_eq!(reader.byte_set(), Ok(set));
            prop_assert_eq!(reader.end(), Ok(()));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>, n: usize) {
            let mut reader = Reader::new(&bytes);
            let _ = reader.byte_set();
            let _ = reader.list();
            let _ = reader.below(n);
            let _ = reader.bits(n);
            let _ = reader.bytes();
        }
    }
}
