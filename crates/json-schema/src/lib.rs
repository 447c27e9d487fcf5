//! JSON Schema as Formwork grammars, every keyword enforced or refused with its place.
#![forbid(unsafe_code)]
