//! Compiler, compiled grammars and matchers.
#![forbid(unsafe_code)]
