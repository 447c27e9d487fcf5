//! Typed indices into the arenas of a grammar.

use std::fmt;
use std::num::NonZeroU32;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        ///
        /// Four bytes, and so is an `Option` of it. Only meaningful for the grammar that handed it out.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The id of the arena's entry number `index`, or `None` past 2³² − 2 entries.
            pub fn from_index(index: usize) -> Option<Self> {
                let raw = u32::try_from(index).ok()?.checked_add(1)?;
                NonZeroU32::new(raw).map(Self)
            }

            /// The position in the arena.
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.index())
            }
        }
    };
}

id! {
    /// A rule of a grammar.
    RuleId, "r"
}
id! {
    /// An expression of a grammar. Equal expressions of one grammar have equal ids.
    ExprId, "e"
}
