//! The judge: what is measured, in which order, and what is said about it.

pub mod ablation;
pub mod corpus;
pub mod engines;
pub mod estimates;
pub mod formwork;
pub mod goals;
pub mod maskbench;
pub mod panel;
pub mod plot;
pub mod pools;
pub mod process;
pub mod profile;
pub mod record;
pub mod scaling;
pub mod slowest;
pub mod table;
pub mod targets;
pub mod tasks;
pub mod tokenizer;
pub mod tool_goals;
pub mod tools;
pub mod variants;
