//! Which tokens a grammar state allows: the one place where grammar state meets vocabulary.
//!
//! # Who should use something else
//! To constrain a model, use the `formwork` facade; to compile grammars, `formwork-engine`.
//!
//! # Concepts
//! - A [`LocalMask`] is what one automaton state alone says about every token: accepted, rejected, or decided behind a
//!   boundary by whoever asked for the state's rule. A [`Walker`] computes it.
//! - A [`Resolver`] unites the local masks of a row and decides the boundaries: the row's mask, exactly.
//! - [`bits`] are the operations on masks.
//!
//! What a parent allows never enters a local mask. So it is shared by all rows, and may be shared by all grammars that
//! have the state.
//!
//! # Costs and limits
//! A local mask costs one walk of a part of the vocabulary's trie; resolving a row about a microsecond. Both are bounded
//! by the [limits](formwork_earley::Limits) of rows.
#![forbid(unsafe_code)]

pub mod bits;

mod bitset;
mod boundary;
mod chains;
mod characters;
mod counted;
mod descent;
mod difference;
mod far;
mod kept;
mod kin;
mod late;
mod left_out;
mod letters;
mod local;
mod plain;
mod reached;
mod recipe;
mod resolve;
mod saved;
mod slices;
mod suffixes;
mod texts;
mod token_set;
mod tokens_by_byte;
mod unions;
mod walk;
mod wholesale;

pub use kept::{Kept, Target};
pub use kin::Kin;
pub use late::{late_tokens, unfinished_tokens};
pub use local::{LocalMask, MaskKind};
pub use recipe::Recipe;
pub use resolve::Resolver;
pub use saved::{MaskWriter, Masks};
pub use slices::Slices;
pub use walk::{Switches, Walker, is_wide};
