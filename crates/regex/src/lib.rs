//! Regular expressions (Rust and ECMA-262 dialects) as Formwork grammars.
#![forbid(unsafe_code)]
