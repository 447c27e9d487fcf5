//! What demands are made of: schemas and constants.

use crate::json::ValueId;
use crate::schema::SchemaAt;

/// A schema or a constant, by content: equal content is the same node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub(super) u32);

/// What a node says of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeContent {
    /// They satisfy the schema at this place.
    Schema(SchemaAt),
    /// They equal this value.
    Constant(ValueId),
}

/// The seven kinds of JSON values; the components of the normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Null,
    False,
    True,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] =
        [Self::Null, Self::False, Self::True, Self::Number, Self::String, Self::Array, Self::Object];
}
