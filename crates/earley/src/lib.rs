//! Earley rows over automata: interned, a pure function of row and byte.
#![forbid(unsafe_code)]
