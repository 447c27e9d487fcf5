//! Schemas as written: documents, identifiers, references, and each schema's keywords parsed and checked.

mod keywords;
mod metaschemas;
mod registry;

pub(crate) use keywords::{Additional, Assertion, Ignored, Parsed, Reader, TypeSet};
pub(crate) use registry::{ContentId, Identity, Registry, SchemaAt};
