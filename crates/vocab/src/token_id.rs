//! The id of a token: its position in the logits and in the mask.

use std::fmt;

/// The id of a token: its position in the model's logits, and its bit in a mask.
///
/// Any `u32` makes a `TokenId`, because ids come from outside; whether a vocabulary has it is the
/// [vocabulary](crate::Vocabulary::kind)'s to say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(u32);

impl TokenId {
    /// The id with this number.
    #[inline]
    pub const fn new(id: u32) -> Self {
        Self(id)
    }

    /// The number.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number, as an index into logits.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<u32> for TokenId {
    #[inline]
    fn from(id: u32) -> Self {
        Self(id)
    }
}

impl fmt::Debug for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_its_number() {
        assert_eq!(format!("{:?} {:>5}", TokenId::new(123), TokenId::from(7)), "t123     7");
    }
}
