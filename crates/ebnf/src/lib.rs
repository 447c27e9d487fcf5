//! EBNF text as Formwork grammars.
#![forbid(unsafe_code)]
