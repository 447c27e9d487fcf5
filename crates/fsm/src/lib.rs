//! Grammar rules as deterministic byte automata.
#![forbid(unsafe_code)]
