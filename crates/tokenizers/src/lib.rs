//! Reads tokenizers (Hugging Face, tiktoken) into Formwork vocabularies.
#![forbid(unsafe_code)]
