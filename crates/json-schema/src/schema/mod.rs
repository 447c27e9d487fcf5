//! Schemas as written: documents, identifiers, references, and each schema's keywords parsed and checked.

mod keywords;
mod registry;

pub(crate) use keywords::{Additional, Assertion, Parsed, Reader};
pub(crate) use registry::{ContentId, Dialect, Registry};
