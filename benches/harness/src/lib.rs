//! How Formwork and its peers are measured.
//!
//! The *judge* (the binary, feature `judge`) starts one *worker* process per engine, gives all of them the same jobs (the
//! text of a grammar and documents as tokens) and takes turns between them file by file, so that what else the machine
//! does falls on all alike. A worker answers with the nanoseconds of every step; the judge knows what they mean.
//!
//! A peer is a program of a few lines: it implements [`Engine`] and calls [`worker::serve`]. It lives in a workspace of its
//! own (`benches/engines/…`) and needs this library without its default features.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "benchmarks speak to a person")]

pub mod clock;
pub mod engine;
pub mod machine;
pub mod protocol;
pub mod statistics;
pub mod worker;

/// Of the judge and of every worker; ARCHITECTURE.md says what it is worth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub use engine::{Compiled, Engine, Session};

#[cfg(feature = "judge")]
pub mod judge;
