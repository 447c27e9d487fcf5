//! Structured generation for LLMs: exact token masks from JSON Schema, EBNF and regex.
#![forbid(unsafe_code)]
