//! The metadata of a GGUF file, read value by value from front to back.
//!
//! A length in the file is a claim, so nothing is allocated by it: strings grow as their bytes come, and all bytes come out
//! of one budget. Arrays of arrays are passed over with a stack of their remaining lengths, at most a few deep.

use crate::{TokenizerError, TokenizerErrorKind};
use std::io::{self, Read};

/// The metadata that is read at most; that of the largest vocabularies is below 30 MB.
const MAX_LEN: u64 = 1 << 28;

/// How deep arrays may lie within each other. None of the known ones do.
const MAX_DEPTH: usize = 8;

/// Reads the numbers and strings of a GGUF file.
pub(super) struct Reader<R> {
    source: io::Take<R>,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A number or truth value of this many bytes.
    Fixed {
        len: u8,
        is_integer: bool,
        is_signed: bool,
    },
    String,
    Array,
}

impl Type {
    fn of(number: u32) -> Result<Self, TokenizerError> {
        let integer = |len, is_signed| Self::Fixed { len, is_integer: true, is_signed };
        let other = |len| Self::Fixed { len, is_integer: false, is_signed: false };
        Ok(match number {
            0 => integer(1, false),
            1 => integer(1, true),
            2 => integer(2, false),
            3 => integer(2, true),
            4 => integer(4, false),
            5 => integer(4, true),
            6 => other(4),
            7 => other(1),
            8 => Self::String,
            9 => Self::Array,
            10 => integer(8, false),
            11 => integer(8, true),
            12 => other(8),
            _ => return Err(malformed(format!("there is no type {number}"))),
        })
    }
}

impl<R: Read> Reader<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source: source.take(MAX_LEN) }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], TokenizerError> {
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes).map_err(|error| self.failed(error))?;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, TokenizerError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, TokenizerError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn value_type(&mut self) -> Result<Type, TokenizerError> {
        Type::of(self.u32()?)
    }

    /// The type and the number of the elements of an array.
    pub(super) fn array_header(&mut self) -> Result<(Type, u64), TokenizerError> {
        Ok((self.value_type()?, self.u64()?))
    }

    pub(super) fn string(&mut self) -> Result<Vec<u8>, TokenizerError> {
        let len = self.u64()?;
        let mut bytes = Vec::new();
        let read = self.source.by_ref().take(len).read_to_end(&mut bytes);
        match read {
            Ok(read) if read as u64 == len => Ok(bytes),
            Ok(_) => Err(self.failed(io::ErrorKind::UnexpectedEof.into())),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// An integer of any width; `None` if it is no integer, or beyond `i64`.
    pub(super) fn integer(&mut self, value_type: Type) -> Result<Option<i64>, TokenizerError> {
        let Type::Fixed { len, is_integer: true, is_signed } = value_type else {
            self.skip(value_type)?;
            return Ok(None);
        };
        Ok(match (len, is_signed) {
            (1, false) => Some(u8::from_le_bytes(self.array()?).into()),
            (1, true) => Some(i8::from_le_bytes(self.array()?).into()),
            (2, false) => Some(u16::from_le_bytes(self.array()?).into()),
            (2, true) => Some(i16::from_le_bytes(self.array()?).into()),
            (4, false) => Some(self.u32()?.into()),
            (4, true) => Some(i32::from_le_bytes(self.array()?).into()),
            (_, false) => i64::try_from(self.u64()?).ok(),
            (_, true) => Some(i64::from_le_bytes(self.array()?)),
        })
    }

    /// Passes over a value.
    pub(super) fn skip(&mut self, value_type: Type) -> Result<(), TokenizerError> {
        // The elements that are still to come, of the innermost array last.
        let mut todo = vec![(value_type, 1u64)];
        while let Some((value_type, n)) = todo.pop() {
            match value_type {
                Type::Fixed { len, .. } => self.skip_bytes(n.saturating_mul(len.into()))?,
                Type::String if n > 0 => {
                    let len = self.u64()?;
                    self.skip_bytes(len)?;
                    todo.push((value_type, n - 1));
                }
                Type::Array if n > 0 => {
                    todo.push((value_type, n - 1));
                    todo.push(self.array_header()?);
                }
                Type::String | Type::Array => {}
            }
            if todo.len() > MAX_DEPTH {
                return Err(malformed("its arrays lie too deep within each other"));
            }
        }
        Ok(())
    }

    fn skip_bytes(&mut self, len: u64) -> Result<(), TokenizerError> {
        let skipped = io::copy(&mut self.source.by_ref().take(len), &mut io::sink());
        match skipped {
            Ok(skipped) if skipped == len => Ok(()),
            Ok(_) => Err(self.failed(io::ErrorKind::UnexpectedEof.into())),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&self, error: io::Error) -> TokenizerError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof if self.source.limit() == 0 => {
                malformed(format!("its metadata has more than {MAX_LEN} bytes"))
            }
            io::ErrorKind::UnexpectedEof => malformed("it is cut off within its metadata"),
            _ => TokenizerError::new(TokenizerErrorKind::Io, error.to_string()).with_source(error),
        }
    }
}

pub(super) fn malformed(message: impl std::fmt::Display) -> TokenizerError {
    TokenizerError::new(TokenizerErrorKind::Format, format!("not a GGUF file with a vocabulary: {message}"))
}
