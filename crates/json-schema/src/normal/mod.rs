//! The normal form between JSON Schema and grammars; `README.md` beside this file is the essay.

mod build;
mod choices;
mod derive;
mod dump;
mod formula;
mod node;
mod oracle;

pub(crate) use build::Normal;
pub(crate) use choices::Alternative;
pub(crate) use derive::Key;
pub(crate) use formula::{Atom, Formula, FormulaId, Names};
pub(crate) use node::Kind;
