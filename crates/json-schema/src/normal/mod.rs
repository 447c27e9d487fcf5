//! The normal form between a schema and its grammar: seven components, formulas over a few atoms, derivatives.
#![doc = ""]
#![doc = include_str!("README.md")]

mod absorb;
mod build;
mod choices;
mod claims;
mod classes;
mod constraints;
mod derive;
mod dump;
mod evaluated;
mod formula;
mod names;
mod node;
mod oracle;
mod overlaps;
mod settling;

pub(crate) use build::Normal;
pub(crate) use choices::Alternative;
pub(crate) use claims::{Claims, Tags};
pub(crate) use constraints::Constraint;
pub(crate) use derive::Key;
pub(crate) use formula::{Atom, FewFormulas, Formula, FormulaId, Names};
pub(crate) use node::Kind;
